"""Streams: a game's events as they are accepted, in both forms, cut and resumed, by whichever worker."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.http.client import Api

SSE = {"Accept": "text/event-stream"}
NDJSON = {"Accept": "application/x-ndjson"}


def chunks(response: TestResponse) -> Iterator[bytes]:
    """What a stream sends, part by part."""
    assert response.status_code == 200, response.get_data(as_text=True)
    return iter(response.iter_encoded())


def blocks(parts: Iterator[bytes]) -> Iterator[dict[str, str]]:
    """The fields of each block of an event stream; a comment has none."""
    for part in parts:
        for block in part.decode().split("\n\n")[:-1]:
            yield dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))


def test_a_stream_tells_what_there_is_and_then_what_comes(api: Api, key: str) -> None:
    game = api.new_game(key, config={"first_dealer": 0})
    path = f"/v1/games/{game['id']}"
    api.play(game["id"], key, 3)
    response = api.call("GET", f"{path}/events", key, headers=SSE)
    assert response.mimetype == "text/event-stream"
    assert response.headers["X-Accel-Buffering"] == "no"
    assert "no-store" in response.headers["Cache-Control"]
    found = blocks(chunks(response))
    assert 1000 <= int(next(found)["retry"]) <= 5000
    told = [next(found) for _ in range(4)]
    for seq in range(5, 9):
        api.play(game["id"], key, 1)
        told.append(next(found))
        assert told[-1]["id"] == str(seq)
    api.ok("POST", f"{path}/takeback", key, {"to": 6})
    told.append(next(found))
    api.ok("POST", f"{path}/abandon", key, {"reason": "Late."})
    told.append(next(found))
    assert list(found) == [{"event": "end", "data": "{}"}]
    events = api.ok("GET", f"{path}/events?view=public", key)["events"]
    assert [json.loads(each["data"]) for each in told] == events
    assert [each["id"] for each in told] == [str(event["seq"]) for event in events]
    assert {each["event"] for each in told} == {"message"}
    response.close()
