"""What who runs the service sees of it: its log, its metrics."""

import fcntl
import json
import os
import re
import tempfile
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from api.buckets import memory_folder
from tests.http.test_server import send, wait_for
from tests.test_cli import Service, serving, tricklog

REQUEST_ID = "5f8c2a1e-0000-4000-8000-1234567890ab"
IDEMPOTENCY_KEY = "9d1f-the-key-of-one-attempt"
NAMES = ["Wilhelmine", "Xaver"]


class Front:
    """A front end, which keeps each secret that it sends or gets."""

    def __init__(self, service: Service, key: str) -> None:
        self.port = urlsplit(service.url).port or 0
        self.key = key
        self.secrets = {key.rpartition("_")[2], key, IDEMPOTENCY_KEY}

    def call(
        self, method: str, path: str, body: Any = None, token: str | None = None, **headers: str
    ) -> tuple[int, dict[str, str], Any]:
        """The status, headers and JSON of the answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        credential = {"Authorization": f"Bearer {token or self.key}", "Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), credential | headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        found = json.loads(content) if "json" in answer.headers.get_content_type() else content.decode()
        self._keep(found)
        return answer.status, dict(answer.headers), found

    def _keep(self, found: Any) -> None:
        if isinstance(found, dict):
            for name, value in found.items():
                if name in ("seed", "salt", "receipt", "commitment", "digest", "head"):
                    self.secrets.add(str(value))
                self.secrets |= set(value) if name == "seat_tokens" else set()
                self._keep(value)
        elif isinstance(found, list):
            for value in found:
                self._keep(value)


def lines(service: Service) -> list[dict[str, Any]]:
    """What it has logged; every line is an object."""
    return [json.loads(line) for line in service.errors().splitlines()]


def test_nothing_secret_is_ever_logged(database_url: str) -> None:
    key = tricklog("keys", "create", "Oskar", DATABASE_URL=database_url).strip()
    with serving(DATABASE_URL=database_url, TRICKLOG_LOG="info") as service:
        front = Front(service, key)
        made = {"ruleset": "quadruple-war", "players": NAMES, "dealer": "service", "visibility": "public"}
        _, _, game = front.call("POST", "/v1/games", made)
        path = f"/v1/games/{game['id']}"
        seat = game["to_act"][0]
        token = game["seat_tokens"][seat]
        for query in ("state?view=table", "record", "events?view=table", f"legal-moves?seat={seat}"):
            assert front.call("GET", f"{path}/{query}")[0] == 200
        bid = {"moves": [{"type": "bid", "tricks": 1}]}
        once = {"Idempotency-Key": IDEMPOTENCY_KEY, "X-Request-Id": REQUEST_ID}
        status, headers, _ = front.call("POST", f"{path}/moves", bid, token, **once)
        assert (status, headers["X-Request-Id"]) == (201, REQUEST_ID)
        # what is refused, in every way
        front.call("POST", f"{path}/moves", {"moves": [{"type": "play", "card": "Qh"}]}, token)
        front.call("POST", f"{path}/moves", {"moves": [{"type": "bid", "tricks": "Qh"}], "Qh": 1}, token)
        front.call("POST", f"{path}/moves", bid, token, **{"Idempotency-Key": '"Qh'})
        front.call("GET", f"{path}/state?view={token}")
        front.call("GET", f"/{token}")
        front.call("BREW", path)
        front.call("GET", path, None, token[:-2])
        for raw in (
            f"GET /{token} HTTP/9.9",
            f"{token}: x",
            f"GET /{token}\x00 HTTP/1.1",
            f"GET / HTTP/1.1\r\n{token}",
        ):
            assert send(front.port, f"{raw}\r\n\r\n".encode())[0] == 400
        # a fault whose message tells all of the row, with the cards in it
        with psycopg.connect(database_url, autocommit=True) as conn:
            conn.execute("ALTER TABLE events ADD CONSTRAINT no_more CHECK (seq < 4) NOT VALID")
        for _ in range(5):
            _, _, now = front.call("GET", path)
            moves = front.call("GET", f"{path}/legal-moves?seat={now['to_act'][0]}")[2]["moves"]
            status, headers, _ = front.call(
                "POST", f"{path}/moves", {"moves": [{"seat": now["to_act"][0], **moves[0]}]}, **{"X-Request-Id": token}
            )
            assert headers["X-Request-Id"] != token
        assert status == 500
        front.call("GET", f"{path}/record")
        logged, text = lines(service), service.errors()
    for secret in (*front.secrets, *NAMES, game["id"], "Failing row", "Qh"):
        assert secret not in text, secret
    assert not re.search(r"[\"' ,\[]([2-9TJQKA][cdhs]|BJ|LJ)[\"' ,\]]", text)
    fault = next(line for line in logged if "exception" in line)
    assert fault["level"] == "error"
    assert fault["exception"][0]["type"] == "psycopg.errors.CheckViolation"
    assert any("append" in place for place in fault["exception"][0]["at"])
    (line,) = (line for line in logged if line.get("request") == REQUEST_ID)
    assert {name: line[name] for name in ("level", "method", "route", "status", "seat", "ruleset", "remote")} == {
        "level": "info",
        "method": "POST",
        "route": "/v1/games/<game>/moves",
        "status": 201,
        "seat": seat,
        "ruleset": "quadruple-war",
        "remote": "127.0.0.1",
    }
    assert line["bytes"] > 100
    assert any(each.get("key") == 1 for each in logged)
    assert sum(each.get("route") == "unparsed" for each in logged) == 4


def test_level_of_the_log_is_a_setting(database_url: str) -> None:
    key = tricklog("keys", "create", "Oskar", DATABASE_URL=database_url).strip()
    with serving(DATABASE_URL=database_url, TRICKLOG_LOG="error") as service:
        assert Front(service, key).call("GET", "/v1/games")[0] == 200
        assert lines(service) == []


def metrics(front: Front, accept: str = "") -> dict[str, float]:
    """Every sample by its name and labels."""
    status, headers, text = front.call("GET", "/metrics", Accept=accept)
    assert status == 200
    assert headers["Content-Type"].startswith(accept or "text/plain")
    found = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in found}


def test_metrics_are_those_of_all_workers(database_url: str) -> None:
    key = tricklog("keys", "create", "Oskar", DATABASE_URL=database_url).strip()
    with serving("--workers", "3", DATABASE_URL=database_url, TRICKLOG_RATE_ADDRESS="1/day") as service:
        front = Front(service, key)
        made = {"ruleset": "thirteen", "players": NAMES, "dealer": "service", "visibility": "private"}
        _, _, game = front.call("POST", "/v1/games", made)
        path = f"/v1/games/{game['id']}"
        for _ in range(30):
            assert front.call("GET", path)[0] == 200
        seat = game["to_act"][0]
        moves = front.call("GET", f"{path}/legal-moves?seat={seat}")[2]["moves"]
        assert front.call("POST", f"{path}/moves", {"moves": [{"seat": seat, **moves[0]}]})[0] == 201
        for status in (401, 429):
            assert front.call("GET", "/v1/games", None, "tlk_1_" + "x" * 43)[0] == status
        refused = 'tricklog_requests_total{method="GET",route="/v1/games",status="429"}'
        # it is counted once it has been answered
        while refused not in (counted := metrics(front)):
            time.sleep(0.1)
        assert counted[refused] == 1
        assert counted['tricklog_requests_total{method="GET",route="/v1/games/<game>",status="200"}'] == 30
        assert counted['tricklog_request_seconds_count{route="/v1/games/<game>"}'] == 30
        assert counted['tricklog_events_total{ruleset="thirteen"}'] == 1
        assert counted['tricklog_rate_limited_total{policy="address"}'] == 1
        assert counted["tricklog_streams"] == 0
        assert counted["tricklog_database_waiting"] == 0
        assert 3 <= counted["tricklog_database_connections"] <= 24
        assert any(name.startswith("tricklog_build_info{") for name in counted)
        assert metrics(front, "application/openmetrics-text").keys() >= counted.keys() - {"# EOF"}
        # nothing that a request says
        assert not [name for name in counted if game["id"] in name or "tlk_" in name]


def test_counts_of_a_killed_service_are_cleared_away_and_no_others(database_url: str) -> None:
    left, held = (Path(tempfile.mkdtemp(prefix="tricklog-counted-", dir=memory_folder())) for _ in range(2))
    for place in (left, held):
        (place / "counter_1.db").touch()
        os.utime(place, (0, 0))
    holder = os.open(held, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    before = set(held.parent.glob("tricklog-counted-*"))
    with serving(DATABASE_URL=database_url) as service:
        wait_for(urlsplit(service.url).port or 0)
        assert (left.exists(), held.exists()) == (False, True)
        assert set(held.parent.glob("tricklog-counted-*")) - before
    os.close(holder)
    (held / "counter_1.db").unlink()
    held.rmdir()


def test_open_streams_are_counted(database_url: str) -> None:
    key = tricklog("keys", "create", "Oskar", DATABASE_URL=database_url).strip()
    with serving(DATABASE_URL=database_url) as service:
        front = Front(service, key)
        made = {"ruleset": "thirteen", "players": NAMES, "dealer": "service", "visibility": "private"}
        _, _, game = front.call("POST", "/v1/games", made)
        stream = HTTPConnection("127.0.0.1", front.port, timeout=60)
        accept = {"Authorization": f"Bearer {key}", "Accept": "text/event-stream"}
        stream.request("GET", f"/v1/games/{game['id']}/events", headers=accept)
        assert stream.getresponse().status == 200
        for _ in range(100):
            if metrics(front)["tricklog_streams"] == 1:
                break
            time.sleep(0.1)
        else:
            pytest.fail("the stream is not counted")
        stream.close()
