"""Webhooks as their owner makes, changes and watches them; what is delivered is another test's."""

import base64
from typing import Any

import pytest

from tests.http.client import Api

NEW = {"url": "https://example.org/tricklog?club=1", "types": ["game.moves", "game.finished"]}


def made(api: Api, key: str, **given: Any) -> dict[str, Any]:
    webhook: dict[str, Any] = api.ok("POST", "/v1/webhooks", key, NEW | given)
    return webhook


def path_of(webhook: dict[str, Any]) -> str:
    return f"/v1/webhooks/{webhook['id']}"


def test_webhook_from_its_making_to_its_end(api: Api, key: str) -> None:
    answer = api.call("POST", "/v1/webhooks", key, NEW | {"description": "The ranking"})
    webhook = answer.get_json()
    secret = webhook.pop("secret")
    assert answer.headers["Location"] == path_of(webhook)
    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32
    assert webhook | NEW | {"description": "The ranking", "paused": False} == webhook
    other = made(api, key, types=["dispute.opened"])
    del other["secret"]
    assert api.ok("GET", "/v1/webhooks", key) == {"webhooks": [webhook, other]}
    path = path_of(webhook)
    assert api.ok("GET", path, key) == webhook
    changed = {"url": "https://example.org:8443/", "types": ["game.abandoned"], "description": None, "paused": True}
    assert api.ok("PATCH", path, key, changed) == webhook | changed
    assert api.ok("PATCH", path, key, {}) == webhook | changed
    assert api.call("DELETE", path, key).status_code == 204
    assert api.ok("GET", "/v1/webhooks", key) == {"webhooks": [other]}
    for method in ("GET", "DELETE"):
        api.refused(404, "not-found", method, path, key)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "ftp://example.org/",
        "https://",
        "https:///path",
        "//example.org/",
        "https://user@example.org/",
        "https://user:password@example.org/",
        "https://example.org/#part",
        "https://example.org:0/",
        "https://example.org:65536/",
        "https://example.org/a b",
        "https://example.org/\n",
        "https://exämple.org/",
        "https://example.org\\@127.0.0.1/",
        "https://example.org/" + "x" * 2000,
        "https://127.0.0.1/",
        "https://10.0.0.1:8443/",
        "https://169.254.169.254/latest/meta-data/",
        "https://100.64.0.1/",
        "https://224.0.1.1/",
        "https://0.0.0.0/",
        "https://255.255.255.255/",
        "https://[::1]/",
        "https://[1E0E]/",
        "https://[::]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::127.0.0.1]/",
        "https://[64:ff9b::10.0.0.1]/",
        "https://[64:ff9b:1::1]/",
        "https://[2002:7f00:1::]/",
        "https://[2001:db8::1]/",
        "https://[fd00::1]/",
        "https://[fe80::1]/",
        "https://[fec0::1]/",
        "https://[ff0e::1]/",
        "",
    ],
)
def test_url_that_will_not_do(api: Api, key: str, url: str) -> None:
    webhook = made(api, key)
    for method, path in (("POST", "/v1/webhooks"), ("PATCH", path_of(webhook))):
        assert "url" in api.refused(422, "invalid-request", method, path, key, NEW | {"url": url})["errors"]
    assert [each["url"] for each in api.ok("GET", "/v1/webhooks", key)["webhooks"]] == [NEW["url"]]


@pytest.mark.parametrize("url", ["https://8.8.8.8/", "https://[2606:4700::1]:8443/x", "https://[64:ff9b::8.8.8.8]/"])
def test_public_address_will_do(api: Api, key: str, url: str) -> None:
    assert made(api, key, url=url)["url"] == url


@pytest.mark.parametrize(
    "types", [[], ["game.began"], ["webhook.ping"], "game.moves", [1], ["game.moves"] * 2, [*NEW["types"]] * 3]
)
def test_types_that_there_are_not(api: Api, key: str, types: Any) -> None:
    problem = api.refused(422, "invalid-request", "POST", "/v1/webhooks", key, NEW | {"types": types})
    assert all(name.startswith("types") for name in problem["errors"])


def test_so_many_webhooks_and_no_more(api: Api, key: str) -> None:
    webhooks = [made(api, key) for _ in range(20)]
    assert "20" in api.refused(403, "forbidden", "POST", "/v1/webhooks", key, NEW)["detail"]
    made(api, api.new_key())
    api.call("DELETE", path_of(webhooks[7]), key)
    made(api, key)


def test_secrets_of_a_rotation(api: Api, key: str) -> None:
    webhook = made(api, key)
    path = path_of(webhook)
    [first] = webhook["secrets"]
    second = api.ok("POST", f"{path}/secrets", key, {})
    third = api.ok("POST", f"{path}/secrets", key, {"others_until": "2999-01-01T00:00:00+00:00"})
    assert len({webhook["secret"], second.pop("secret"), third.pop("secret")}) == 3
    until = {"expires_at": "2999-01-01T00:00:00.000000Z"}
    assert api.ok("GET", path, key)["secrets"] == [first | until, second | until, third]
    assert api.call("DELETE", f"{path}/secrets/{second['id']}", key).status_code == 204
    # there is always one, and it is the newest
    assert "newest" in api.refused(403, "forbidden", "DELETE", f"{path}/secrets/{third['id']}", key)["detail"]
    for gone in (second["id"], "1"):
        api.refused(404, "not-found", "DELETE", f"{path}/secrets/{gone}", key)
    fourth = api.ok("POST", f"{path}/secrets", key, {"others_until": "2020-01-01T00:00:00Z"})
    del fourth["secret"]
    assert api.ok("GET", path, key)["secrets"] == [fourth]
    # those that have expired leave their places
    for _ in range(4):
        api.ok("POST", f"{path}/secrets", key, {})
    assert "5" in api.refused(403, "forbidden", "POST", f"{path}/secrets", key, {})["detail"]


def test_secrets_are_shown_once(api: Api, key: str) -> None:
    webhook = made(api, key)
    path = path_of(webhook)
    secret = api.ok("POST", f"{path}/secrets", key, {})["secret"]
    shown = "".join(
        api.call(method, where, key, body).get_data(as_text=True)
        for method, where, body in (
            ("GET", path, None),
            ("GET", "/v1/webhooks", None),
            ("PATCH", path, {"paused": True}),
            ("GET", f"{path}/deliveries", None),
            ("POST", f"{path}/ping", {}),
        )
    )
    assert "secret" in shown
    assert webhook["secret"] not in shown
    assert secret not in shown


def test_deliveries_in_pages(api: Api, key: str) -> None:
    webhook = made(api, key)
    path = f"{path_of(webhook)}/deliveries"
    pings = [api.ok("POST", f"{path_of(webhook)}/ping", key, {}) for _ in range(5)]
    assert api.ok("GET", path, key) == {"deliveries": pings[::-1]}
    first = api.ok("GET", f"{path}?limit=3&status=pending", key)
    assert first == {"deliveries": pings[:1:-1], "next": pings[2]["id"]}
    answer = api.call("GET", f"{path}?limit=3&cursor={first['next']}", key)
    assert answer.get_json() == {"deliveries": pings[1::-1]}
    assert "Link" not in answer.headers
    assert api.ok("GET", f"{path}?status=failed", key) == {"deliveries": []}
    for wrong in ("cursor=1", "status=lost", "limit=0"):
        api.refused(422, "invalid-request", "GET", f"{path}?{wrong}", key)
    api.refused(404, "not-found", "POST", f"{path}/{webhook['id']}/replay", key, {})


@pytest.mark.parametrize("webhook", ["1", "x" * 36, "00000000-0000-0000-0000-000000000000", "%00"])
def test_webhook_that_there_is_not(api: Api, key: str, webhook: str) -> None:
    for method, path, body in (
        ("GET", "", None),
        ("PATCH", "", {"paused": True}),
        ("DELETE", "", None),
        ("GET", "/deliveries", None),
        ("POST", "/ping", {}),
        ("POST", "/secrets", {}),
    ):
        api.refused(404, "not-found", method, f"/v1/webhooks/{webhook}{path}", key, body)
