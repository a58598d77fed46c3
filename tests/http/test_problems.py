"""Errors that no endpoint is to blame for, and what every answer has in common."""

import logging
from collections.abc import Iterator

import psycopg
import pytest
from flask import Flask

from api import service, store
from api.http import create_app
from tests.http.client import Api


@pytest.mark.parametrize(
    "path", ["/", "/v1", "/v2/games", "/v1/games/", "//v1/games", "/v1/rulesets/", "/v1/games/a/b/c", "/favicon.ico"]
)
def test_nothing_at_an_address(api: Api, path: str) -> None:
    for method in ("GET", "POST", "DELETE", "OPTIONS"):
        api.refused(404, "not-found", method, path)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/v1/games", {"GET", "HEAD", "OPTIONS", "POST"}),
        ("PUT", "/v1/games/x", {"GET", "HEAD", "OPTIONS"}),
        ("GET", "/v1/games/x/moves", {"OPTIONS", "POST"}),
        ("TRACE", "/healthz", {"GET", "HEAD", "OPTIONS"}),
        ("BREW", "/docs", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_method_that_an_address_does_not_take(api: Api, method: str, path: str, allowed: set[str]) -> None:
    api.refused(405, "method-not-allowed", method, path)
    assert set(api.call(method, path).headers["Allow"].split(", ")) == allowed


def test_options_name_the_methods(api: Api) -> None:
    response = api.call("OPTIONS", "/v1/games")
    assert (response.status_code, response.data) == (200, b"")
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}


@pytest.mark.parametrize("path", ["/v1/rulesets", "/healthz", "/readyz", "/docs", "/openapi.json", "/problems/stale"])
def test_head_is_get_without_a_body(api: Api, path: str) -> None:
    head, get = api.call("HEAD", path), api.call("GET", path)
    assert head.data == b""
    for name in ("X-Request-Id", "RateLimit"):
        head.headers.pop(name, None)
        get.headers.pop(name, None)
    assert (head.status_code, dict(head.headers)) == (get.status_code, dict(get.headers))


@pytest.mark.parametrize(
    ("path", "accept"),
    [
        ("/v1/rulesets", "text/html"),
        ("/v1/rulesets", "application/json;q=0"),
        ("/v1/rulesets", "application/problem+json"),
        ("/v1/rulesets", "nonsense"),
        ("/docs", "application/json"),
        ("/v1/games/x/record", "text/html, image/*"),
    ],
)
def test_media_type_that_there_is_not(api: Api, path: str, accept: str) -> None:
    api.refused(406, "not-acceptable", "GET", path, headers={"Accept": accept})


@pytest.mark.parametrize(
    "accept",
    ["", "*/*", "application/*", "application/json", "Application/JSON; charset=utf-8", "text/html, */*;q=0.1"],
)
def test_media_type_that_there_is(api: Api, accept: str) -> None:
    assert api.call("GET", "/v1/rulesets", headers={"Accept": accept}).status_code == 200


def test_the_better_of_two_media_types(api: Api, key: str) -> None:
    path = f"/v1/games/{api.new_game(key)['id']}/events"
    for accept, best in (
        ("application/x-ndjson, application/json;q=0.5", "application/x-ndjson"),
        ("application/x-ndjson;q=0.5, application/json", "application/json"),
        ("application/x-ndjson;q=0.5, */*;q=0.1", "application/x-ndjson"),
        ("*/*", "application/json"),
    ):
        assert api.call("GET", path, key, headers={"Accept": accept}).mimetype == best


def test_request_without_a_host(api: Api) -> None:
    nameless = {"HTTP_HOST": None}
    problem = api.refused(400, "invalid-request", "GET", "/healthz", environ_overrides=nameless)
    assert problem["errors"].keys() == {"Host"}
    old = {"HTTP_HOST": None, "SERVER_PROTOCOL": "HTTP/1.0"}
    assert api.call("GET", "/healthz", environ_overrides=old).status_code == 200


# --- faults ---------------------------------------------------------------------------------------------------------


def test_fault_is_logged_and_told_to_nobody(
    api: Api, key: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret of the house")

    game = api.new_game(key)
    monkeypatch.setattr(service, "view_game", fail)
    with caplog.at_level(logging.ERROR):
        response = api.call("GET", f"/v1/games/{game['id']}", key)
    assert response.status_code == 500
    assert response.get_json()["type"] == "/problems/internal-error"
    assert b"secret" not in response.data
    assert b"RuntimeError" not in response.data
    assert "secret of the house" in caplog.text
    assert "Traceback" in caplog.text
    assert key not in caplog.text
    assert game["id"] not in caplog.text


def test_store_that_is_away(api: Api, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise store.Unavailable

    path = f"/v1/games/{api.new_game(key)['id']}"
    monkeypatch.setattr(store, "connection", away)
    for method, address, body in (("GET", path, None), ("GET", "/v1/games", None), ("GET", "/readyz", None)):
        response = api.call(method, address, key, body)
        assert response.status_code == 503
        assert int(response.headers["Retry-After"]) > 0
        assert response.get_json()["type"] == "/problems/unavailable"
    assert api.call("GET", "/healthz").status_code == 200


@pytest.fixture
def homeless() -> Iterator[Flask]:
    """The application on a database that isn't there."""
    app = create_app("postgresql://nobody@127.0.0.1:1/nothing?connect_timeout=1")
    yield app
    app.extensions["tricklog"].desk.pool.close()


def test_service_without_a_database_says_so(homeless: Flask) -> None:
    client = homeless.test_client()
    assert client.get("/healthz").status_code == 200
    assert client.get("/v1/rulesets").status_code == 200
    response = client.get("/readyz")
    assert (response.status_code, response.content_type) == (503, "application/problem+json")
    assert b"127.0.0.1" not in response.data


def test_schema_of_another_version_is_not_ready(database_url: str) -> None:
    app = create_app(database_url)
    client = app.test_client()
    assert client.get("/readyz").status_code == 200
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute("UPDATE alembic_version SET version_num = '9999'")
    assert client.get("/readyz").status_code == 503
    app.extensions["tricklog"].desk.pool.close()


# --- settings -------------------------------------------------------------------------------------------------------


def test_limit_of_bodies_is_a_setting(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRICKLOG_MAX_BODY", "100")
    app = create_app(database_url)
    api = Api(app, database_url)
    key = api.new_key()
    body = {"ruleset": "thirteen", "players": ["A", "B"], "dealer": "service", "visibility": "private"}
    problem = api.refused(413, "too-large", "POST", "/v1/games", key, body | {"config": {}})
    assert "100 bytes" in problem["detail"]
    app.extensions["tricklog"].desk.pool.close()


@pytest.mark.parametrize("value", ["", "0", "-1", "1MB", "1.5", "\u0661"])
def test_setting_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("TRICKLOG_MAX_RECORD", value)
    with pytest.raises(ValueError, match="TRICKLOG_MAX_RECORD"):
        create_app("postgresql:///nothing")
