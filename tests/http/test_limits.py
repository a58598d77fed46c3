"""Rate limits: who pays, how much, and what answers say of it."""

import re
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import psycopg
import pytest
from werkzeug.test import TestResponse

from api import store
from tests.http.client import Api
from tests.http.test_server import send, served

NOBODY = "/v1/rulesets"


def left(answer: TestResponse) -> tuple[str, int]:
    """Which limit an answer speaks of, and how many requests are left of it."""
    policy = re.fullmatch(r'"(credential|address)";q=(\d+);w=(\d+)', answer.headers["RateLimit-Policy"])
    state = re.fullmatch(r'"(credential|address)";r=(\d+);t=(\d+)', answer.headers["RateLimit"])
    assert policy
    assert state
    assert policy[1] == state[1]
    assert int(state[2]) <= int(policy[2])
    assert int(state[3]) <= int(policy[3])
    return state[1], int(state[2])


def test_address_without_credentials(api_with: Callable[..., Api]) -> None:
    api = api_with(TRICKLOG_RATE_ADDRESS="3/hour")
    for expected in (2, 1, 0):
        assert left(api.call("GET", NOBODY)) == ("address", expected)
    answer = api.call("GET", "/nowhere")
    assert answer.status_code == 429
    assert left(answer) == ("address", 0)
    assert 1100 < int(answer.headers["Retry-After"]) <= 1200
    api.refused(429, "rate-limited", "GET", "/v1/games", "tlk_1_" + "x" * 43)
    # another address has its own, and what watches the service is never held up
    assert left(api.call("GET", NOBODY, environ_overrides={"REMOTE_ADDR": "192.0.2.1"})) == ("address", 2)
    for path in ("/healthz", "/readyz"):
        assert "RateLimit" not in api.call("GET", path).headers


def test_credential_that_is_good_pays_for_itself(api_with: Callable[..., Api]) -> None:
    api = api_with(TRICKLOG_RATE_ADDRESS="3/hour", TRICKLOG_RATE_KEY="50/hour")
    key = api.new_key()
    assert left(api.call("GET", "/v1/games", key)) == ("credential", 49)
    game = api.new_game(key)
    path = f"/v1/games/{game['id']}"
    seat = game["seat_tokens"][0]
    assert left(api.call("GET", path, seat)) == ("credential", 49)
    # the address has paid nothing so far: three strangers come in, and no more
    for expected in (2, 1, 0):
        assert left(api.call("GET", "/v1/games", "tlk_1_" + "x" * 43)) == ("address", expected)
    api.refused(429, "rate-limited", "GET", NOBODY)
    # who is known doesn't suffer from them, however it writes its credential
    assert left(api.call("GET", path, key)) == ("credential", 47)
    written = api.call("GET", path, headers={"Authorization": f"bEaReR  {key}"})
    assert left(written) == ("credential", 46)
    assert left(api.call("GET", path, seat)) == ("credential", 48)


def test_credential_that_is_no_longer_good_is_a_strangers(api_with: Callable[..., Api]) -> None:
    api = api_with(TRICKLOG_RATE_ADDRESS="3/hour")
    key = api.new_key()
    assert left(api.call("GET", "/v1/games", key))[0] == "credential"
    with psycopg.connect(api.url, autocommit=True) as conn:
        assert store.revoke_key(conn, int(key.split("_")[1]))
    for expected in (2, 1, 0):
        answer = api.call("GET", "/v1/games", key)
        assert answer.status_code == 401
        assert left(answer) == ("address", expected)
    api.refused(429, "rate-limited", "GET", "/v1/games", key)


def test_limit_of_a_credential(api_with: Callable[..., Api]) -> None:
    api = api_with(TRICKLOG_RATE_KEY="4/day")
    key = api.new_key()
    game = api.new_game(key)
    tag = api.call("GET", f"/v1/games/{game['id']}", key).headers["ETag"]
    for _ in range(5):
        # what hasn't changed costs nothing
        unchanged = api.call("GET", f"/v1/games/{game['id']}", key, headers={"If-None-Match": tag})
        assert unchanged.status_code == 304
        assert left(unchanged) == ("credential", 2)
    body = {"moves": [{"type": "bid", "tricks": 1}]}
    for _ in range(2):
        assert left(api.call("POST", f"/v1/games/{game['id']}/moves", key, body))[0] == "credential"
    api.refused(429, "rate-limited", "POST", f"/v1/games/{game['id']}/moves", key, body)


def test_heavy_calls_cost_more(api_with: Callable[..., Api], api: Api) -> None:
    assert "Counts as 5 requests" in api.document["paths"]["/v1/games/{game}/audit"]["get"]["description"]
    key = api.new_key()
    path = f"/v1/games/{api.new_game(key)['id']}/audit"
    assert left(api_with(TRICKLOG_RATE_KEY="9/day").call("GET", path, key)) == ("credential", 4)
    # all that there is, where they would cost more
    few = api_with(TRICKLOG_RATE_KEY="3/day")
    assert left(few.call("GET", path, key)) == ("credential", 0)
    few.refused(429, "rate-limited", "GET", path, key)


def test_no_limits(api_with: Callable[..., Api]) -> None:
    api = api_with(TRICKLOG_RATE_KEY="none", TRICKLOG_RATE_ADDRESS="none")
    key = api.new_key()
    for headers, status in (({"Authorization": f"Bearer {key}"}, 200), ({}, 401)):
        answer = api.app.test_client().get("/v1/games", headers=headers)
        assert answer.status_code == status
        assert "RateLimit" not in answer.headers


@pytest.mark.parametrize(
    ("proxies", "forwarded", "others"),
    [
        ("0", ["192.0.2.1"], ["192.0.2.2", "2001:db8::1", "nonsense"]),
        ("1", ["192.0.2.1", "198.51.100.7, 192.0.2.1", "::ffff:192.0.2.1"], []),
        ("2", ["192.0.2.1, 10.0.0.1", "203.0.113.9, 192.0.2.1, 10.0.0.2"], []),
        ("1", ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "2001:DB8:1:2::7%eth0"], []),
    ],
)
def test_address_behind_proxies(
    api_with: Callable[..., Api], proxies: str, forwarded: list[str], others: list[str]
) -> None:
    api = api_with(TRICKLOG_RATE_ADDRESS="60/hour", TRICKLOG_PROXIES=proxies)
    seen = [left(api.call("GET", NOBODY, headers={"X-Forwarded-For": text}))[1] for text in forwarded + others]
    assert seen == list(range(59, 59 - len(seen), -1))
    if proxies == "1":
        other = {"X-Forwarded-For": "2001:db8:1:3::1"}
        assert left(api.call("GET", NOBODY, headers=other)) == ("address", 59)


def test_limit_is_held_exactly_over_all_workers(shared_database_url: str, api: Api) -> None:
    settings = {"TRICKLOG_RATE_KEY": "60/day", "TRICKLOG_RATE_ADDRESS": "30/day"}
    with served(shared_database_url, 3, **settings) as (port, _), ThreadPoolExecutor(12) as threads:
        # the one who is known first: then the address has nothing left
        for path, head, most in (
            ("/v1/games", f"Authorization: Bearer {api.new_key()}\r\n", 60),
            ("/v1/rulesets", "", 30),
        ):
            request = f"GET {path} HTTP/1.1\r\nHost: x\r\n{head}Connection: close\r\n\r\n".encode()
            statuses = list(threads.map(lambda _, request=request: send(port, request)[0], range(100)))
            assert (statuses.count(200), statuses.count(429)) == (most, 100 - most)


def test_streams_that_a_caller_has_open(shared_database_url: str, api: Api, key: str) -> None:
    game = api.new_game(key, visibility="public")
    heads = {"owner": f"Authorization: Bearer {key}\r\n", "nobody": ""}
    path = f"/v1/games/{game['id']}/events"

    def opened(port: int, caller: str) -> tuple[int, socket.socket]:
        connection = socket.create_connection(("127.0.0.1", port), timeout=60)
        connection.sendall(
            f"GET {path} HTTP/1.1\r\nHost: x\r\n{heads[caller]}Accept: text/event-stream\r\n\r\n".encode()
        )
        return int(connection.recv(65536).split()[1]), connection

    with (
        served(shared_database_url, 1, TRICKLOG_STREAMS="11", TRICKLOG_HEARTBEAT="1") as (port, _),
        ExitStack() as stack,
    ):
        for caller, most in {"owner": 11, "nobody": 2}.items():
            for status in [*most * [200], 429]:
                found, connection = opened(port, caller)
                stack.enter_context(connection)
                assert found == status
        status, connection = opened(port, "owner")
        connection.close()
        assert status == 429
        stack.close()
        for _ in range(100):
            status, connection = opened(port, "owner")
            connection.close()
            if status == 200:
                break
            time.sleep(0.1)
        assert status == 200
