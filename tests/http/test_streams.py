"""Streams: a game's events as they are accepted, in both forms, cut and resumed, by whichever worker."""

import json
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from itertools import islice
from random import Random
from typing import Any

import psutil
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from werkzeug.test import TestResponse
from werkzeug.wrappers import Response

from api import service, store
from api.games import LATEST
from api.http import create_app
from tests.benchmarks.http import war
from tests.games.playing import STYLES, whole
from tests.http.client import Api
from tests.http.test_server import served

EVENT_STREAM = "text/event-stream"
NDJSON = "application/x-ndjson"


def follow(api: Api, path: str, token: str | None, media_type: str = EVENT_STREAM, after: int = 0) -> TestResponse:
    """A stream that goes on after a seq."""
    query = "?follow=true" if media_type == NDJSON else ""
    headers = {"Accept": media_type, "Last-Event-ID": str(after)}
    return api.call("GET", f"{path}/events{query}", token, headers=headers)


def told(response: Response) -> Iterator[bytes]:
    """The events that a stream tells, in JSON, as they come; the stream is held to its form."""
    assert response.status_code == 200, response.get_data(as_text=True)
    ended = False
    for part in response.iter_encoded():
        if response.mimetype == NDJSON:
            yield from (line for line in part.split(b"\n") if line)
            continue
        for block in part.removesuffix(b"\n\n").split(b"\n\n"):
            assert not ended
            lines = dict(line.split(b": ", 1) for line in block.split(b"\n"))
            if lines.get(b"event") == b"message":
                assert json.loads(lines[b"data"])["seq"] == int(lines[b"id"])
                yield lines[b"data"]
            else:
                assert lines.keys() in ({b"retry"}, {b""}, {b"event", b"data"})
                ended = lines.get(b"event") == b"end"


def listed(api: Api, path: str, token: str | None, view: str) -> list[bytes]:
    """The events as the list has them."""
    return list(api.call("GET", f"{path}/events?view={view}", token, headers={"Accept": NDJSON}).data.splitlines())


Call = Callable[[str, str, Any], Any]


def play(call: Call, path: str, random: Random, moves: int) -> None:
    """Plays random moves, and now and then takes all back."""
    state = call("GET", path, None)
    for _ in range(moves):
        if state["status"] != "running":
            return
        seat = random.choice(state["to_act"])
        legal = call("GET", f"{path}/legal-moves?seat={seat}", None)["moves"]
        move = {"seat": seat, **whole(random.choice(STYLES)(legal, random), random)}
        state = call("POST", f"{path}/moves", {"moves": [move]})
        if state["status"] == "running" and random.random() < 0.02:
            state = call("POST", f"{path}/takeback", {"to": 0})


def calls(api: Api, key: str) -> Call:
    """An owner's calls to the application in this process."""
    return lambda method, path, body: api.ok(method, path, key, body)


@contextmanager
def remote(port: int, key: str) -> Iterator[Call]:
    """An owner's calls to a server."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:

        def call(method: str, path: str, body: Any) -> Any:
            headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            content = json.load(answer)
            assert answer.status < 300, content
            return content

        yield call


# --- what a stream tells --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("media_type", [EVENT_STREAM, NDJSON])
def test_a_stream_tells_what_there_is_and_then_what_comes(api: Api, key: str, media_type: str) -> None:
    game = api.new_game(key, config={"first_dealer": 0})
    path = f"/v1/games/{game['id']}"
    api.play(game["id"], key, 3)
    response = follow(api, path, key, media_type)
    assert response.mimetype == media_type
    assert response.headers["X-Accel-Buffering"] == "no"
    assert "no-store" in response.headers["Cache-Control"]
    events = told(response)
    found = list(islice(events, 4))
    for _ in range(4):
        api.play(game["id"], key, 1)
        found.append(next(events))
    api.ok("POST", f"{path}/takeback", key, {"to": 6})
    found.append(next(events))
    api.ok("POST", f"{path}/abandon", key, {"reason": "Late."})
    assert [*found, *events] == listed(api, path, key, "public")


def test_an_event_stream_says_how_to_come_back_and_that_there_is_nothing_to_come_back_for(api: Api, key: str) -> None:
    game = api.new_game(key)
    path = f"/v1/games/{game['id']}"
    api.ok("POST", f"{path}/abandon", key, {"reason": "Late."})
    first, *_, last = follow(api, path, key).iter_encoded()
    assert 1000 <= int(first.removeprefix(b"retry: ").removesuffix(b"\n\n")) <= 5000
    assert last == b"event: end\ndata: {}\n\n"


@pytest.mark.parametrize("ruleset", LATEST)
def test_each_view_is_told_as_the_list_has_it(api: Api, key: str, ruleset: str) -> None:
    seats = LATEST[ruleset].seats[-1]
    players = [f"Player {seat}" for seat in range(seats)]
    game = api.new_game(key, ruleset, players=players, visibility="public", client_seeds="seats")
    path = f"/v1/games/{game['id']}"
    tokens = {"public": None} | {str(seat): token for seat, token in enumerate(game["seat_tokens"])}
    early = {view: told(follow(api, path, token)) for view, token in tokens.items()}
    for seat, token in enumerate(game["seat_tokens"]):
        api.ok("POST", f"{path}/client-seed", token, {"seed": f"heads {seat}"})
    found = {view: [next(events)] for view, events in early.items()}
    random = Random(ruleset)
    while api.ok("GET", path, key)["status"] == "running":
        play(calls(api, key), path, random, 25)
        newest = api.ok("GET", path, key)["seq"]
        if newest > 150:
            api.call("POST", f"{path}/abandon", key, {"reason": "Late."})
        # one follows at once, the others when it is long past
        found["0"] += islice(early["0"], newest - len(found["0"]))
    for view, events in early.items():
        found[view] += events
        assert found[view] == listed(api, path, None, view)


# --- cut and resumed ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def port(shared_database_url: str) -> Iterator[int]:
    """That of a server with two workers, beside the application in this process."""
    with served(shared_database_url, 2) as (number, _):
        yield number


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cuts=st.lists(st.integers(0, 9), min_size=1, max_size=9),
    ruleset=st.sampled_from(sorted(LATEST)),
    media_type=st.sampled_from([EVENT_STREAM, NDJSON]),
    seed=st.integers(0, 2**32),
)
def test_cut_anywhere_and_resumed_none_is_missing_and_none_comes_twice(
    api: Api, port: int, cuts: list[int], ruleset: str, media_type: str, seed: int
) -> None:
    key = api.new_key()
    game = api.new_game(key, ruleset, players=list("NESW")[: LATEST[ruleset].seats[-1]])
    path = f"/v1/games/{game['id']}"

    def write() -> None:
        with remote(port, key) as call:
            play(call, path, Random(seed), 40)
            if call("GET", path, None)["status"] == "running":
                call("POST", f"{path}/abandon", {"reason": "Late."})

    writer = threading.Thread(target=write)
    writer.start()
    found: list[bytes] = []
    while True:
        headers = {"Accept": media_type, "Last-Event-ID": str(len(found))}
        query = "?view=1&follow=true" if media_type == NDJSON else "?view=1"
        with api.call("GET", f"{path}/events{query}", game["seat_tokens"][1], headers=headers) as response:
            if response.status_code == 204:
                break
            # cut after so many, the last time not at all
            found += islice(told(response), cuts.pop() if cuts else None)
    writer.join()
    assert found == listed(api, path, key, "1")


# --- what is asked --------------------------------------------------------------------------------------------------


def test_a_stream_starts_after_the_seq_that_is_asked_for(api: Api, key: str) -> None:
    game = api.new_game(key, config={"first_dealer": 0})
    path = f"/v1/games/{game['id']}"
    api.play(game["id"], key, 5)
    stream = {"Accept": EVENT_STREAM}
    for query, headers, first in [
        ("?after=4", {}, 5),
        ("?after=4", {"Last-Event-ID": "2"}, 3),
        ("", {"Last-Event-ID": "0"}, 1),
    ]:
        with api.call("GET", f"{path}/events{query}", key, headers=stream | headers) as response:
            assert json.loads(next(told(response)))["seq"] == first


@pytest.mark.parametrize("media_type", [EVENT_STREAM, NDJSON])
def test_a_game_that_is_over_is_told_to_its_end_and_then_no_more(api: Api, key: str, media_type: str) -> None:
    game = api.new_game(key, visibility="public", config={"first_dealer": 0})
    path = f"/v1/games/{game['id']}"
    api.play(game["id"], key, 2)
    assert api.ok("POST", f"{path}/abandon", key, {"reason": "Late."})["seq"] == 4
    events = listed(api, path, None, "table")
    for after in range(4):
        assert list(told(follow(api, path, None, media_type, after))) == events[after:]
    response = follow(api, path, None, media_type, 4)
    assert (response.status_code, response.data) == (204, b"")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("query", "headers", "status", "field"),
    [
        ("?follow=true", {}, 422, "follow"),
        ("?follow=true", {"Accept": EVENT_STREAM}, 422, "follow"),
        ("?follow=yes", {"Accept": NDJSON}, 422, "follow"),
        ("?limit=5", {"Accept": EVENT_STREAM}, 422, "limit"),
        ("?limit=5&follow=true", {"Accept": NDJSON}, 422, "limit"),
        ("?after=2", {"Accept": EVENT_STREAM}, 422, "after"),
        ("?after=-1", {"Accept": EVENT_STREAM}, 422, "after"),
        ("", {"Accept": EVENT_STREAM, "Last-Event-ID": "2"}, 422, "Last-Event-ID"),
        ("", {"Accept": EVENT_STREAM, "Last-Event-ID": "9" * 10}, 422, "Last-Event-ID"),
        ("", {"Accept": EVENT_STREAM, "Last-Event-ID": "9" * 11}, 400, "Last-Event-ID"),
        ("", {"Accept": EVENT_STREAM, "Last-Event-ID": ""}, 400, "Last-Event-ID"),
        ("?follow=true", {"Accept": NDJSON, "Last-Event-ID": "-1"}, 400, "Last-Event-ID"),
        ("", {"Accept": EVENT_STREAM, "Last-Event-ID": "\u0661"}, 400, "Last-Event-ID"),
    ],
)
def test_a_stream_that_can_not_be_is_refused(
    api: Api, key: str, method: str, query: str, headers: dict[str, str], status: int, field: str
) -> None:
    game = api.new_game(key, config={"first_dealer": 0})
    response = api.call(method, f"/v1/games/{game['id']}/events{query}", key, headers=headers)
    assert response.status_code == status
    if method == "GET":
        assert response.get_json()["errors"].keys() == {field}


def test_head_of_a_stream_is_its_headers(api: Api, key: str) -> None:
    path = f"/v1/games/{api.new_game(key)['id']}/events"
    response = api.call("HEAD", path, key, headers={"Accept": EVENT_STREAM})
    assert (response.status_code, response.mimetype, response.data) == (200, EVENT_STREAM, b"")
    assert hub_of(api).streams == 0


# --- what happens meanwhile -----------------------------------------------------------------------------------------


def hub_of(api: Api) -> Any:
    return api.app.extensions["tricklog"].hub


@pytest.fixture
def brief(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """An application with a database of its own whose streams have a heartbeat each second."""
    monkeypatch.setenv("TRICKLOG_HEARTBEAT", "1")
    app = create_app(database_url)
    yield Api(app, database_url)
    app.extensions["tricklog"].hub.close()
    app.extensions["tricklog"].desk.pool.close()


@pytest.mark.parametrize(("media_type", "heartbeat"), [(EVENT_STREAM, b": \n\n"), (NDJSON, b"\n")])
def test_a_stream_without_events_has_heartbeats(brief: Api, media_type: str, heartbeat: bytes) -> None:
    key = brief.new_key()
    game = brief.new_game(key, dealer="client")
    with follow(brief, f"/v1/games/{game['id']}", key, media_type) as response:
        assert hub_of(brief).streams == 0
        parts = response.iter_encoded()
        assert b"".join(islice(parts, 4)).endswith(2 * heartbeat)
        assert hub_of(brief).streams == 1
    assert hub_of(brief).streams == 0


def test_a_revoked_key_ends_its_streams_and_no_others(brief: Api) -> None:
    key = brief.new_key()
    game = brief.new_game(key, visibility="public", config={"first_dealer": 0})
    path = f"/v1/games/{game['id']}"
    parsed = store.parse_api_key(key)
    assert parsed is not None
    with follow(brief, path, key) as owner, follow(brief, path, game["seat_tokens"][0]) as seat:
        events = told(seat)
        next(events)
        with psycopg.connect(brief.url, autocommit=True) as conn:
            assert store.revoke_key(conn, parsed.number)
        owned = list(told(owner))
        assert len(owned) == 1
        state = brief.ok("GET", path)
        token = game["seat_tokens"][state["to_act"][0]]
        brief.ok("POST", f"{path}/moves", token, {"moves": [{"type": "bid", "tricks": 1}]})
        assert json.loads(next(events))["seq"] == 2
    assert not owner.data.endswith(b"end\ndata: {}\n\n")


def test_a_move_of_which_no_worker_was_told_is_found_at_a_heartbeat(brief: Api) -> None:
    key = brief.new_key()
    game = brief.new_game(key, config={"first_dealer": 0})
    with (
        store.open_pool(brief.url, 1) as pool,
        follow(brief, f"/v1/games/{game['id']}", game["seat_tokens"][2]) as response,
    ):
        events = told(response)
        next(events)
        silent = service.Desk(pool)
        for _ in range(2):
            opened = service.open_game(silent, game["id"], key)
            service.play(silent, opened, [{"seat": opened.position.state.to_act[0], "type": "bid", "tricks": 1}])
        assert [json.loads(event)["seq"] for event in islice(events, 2)] == [2, 3]


def test_a_stream_outlives_a_database_that_goes_away(brief: Api) -> None:
    key = brief.new_key()
    game = brief.new_game(key, config={"first_dealer": 0})
    with follow(brief, f"/v1/games/{game['id']}", key) as response:
        events = told(response)
        next(events)
        for seq in range(2, 6):
            with psycopg.connect(brief.url, autocommit=True) as conn:
                conn.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            while brief.call("GET", "/readyz").status_code == 503:
                pass
            brief.play(game["id"], key, 1)
            assert json.loads(next(events))["seq"] == seq


def test_a_stream_ends_when_its_record_is_another(brief: Api) -> None:
    key = brief.new_key()
    game = brief.new_game(key, config={"first_dealer": 0})
    path = f"/v1/games/{game['id']}"
    brief.play(game["id"], key, 4)
    with follow(brief, path, key) as response:
        events = told(response)
        assert len(list(islice(events, 5))) == 5
        with psycopg.connect(brief.url) as conn:
            # a store that was set back
            conn.execute("ALTER TABLE events DISABLE TRIGGER refuse_change")
            conn.execute("DELETE FROM events WHERE seq > 3")
            conn.execute("UPDATE heads SET seq = 3")
        assert list(events) == []
    brief.refused(422, "invalid-request", "GET", f"{path}/events?after=5", key, headers={"Accept": EVENT_STREAM})


# --- at a real server -----------------------------------------------------------------------------------------------


@contextmanager
def open_stream(port: int, path: str, token: str) -> Iterator[HTTPResponse]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        headers = {"Authorization": f"Bearer {token}", "Accept": EVENT_STREAM}
        connection.request("GET", f"{path}/events", headers=headers)
        response = connection.getresponse()
        assert response.status == 200
        assert response.readline().startswith(b"retry: ")
        yield response


def test_a_move_is_told_by_every_worker(port: int, api: Api, key: str) -> None:
    game = api.new_game(key, config={"first_dealer": 0})
    path = f"/v1/games/{game['id']}"
    with ExitStack() as stack:
        call = stack.enter_context(remote(port, key))
        streams = [stack.enter_context(open_stream(port, path, key)) for _ in range(6)]
        for seq in range(2, 6):
            play(call, path, Random(0), 1)
            for response in streams:
                assert b"id: %d\n" % seq in response


def test_streams_end_when_the_server_does(shared_database_url: str, api: Api, key: str) -> None:
    path = f"/v1/games/{api.new_game(key)['id']}"
    with served(shared_database_url, 1) as (port, server), open_stream(port, path, key) as response:
        psutil.Process(server).send_signal(signal.SIGTERM)
        assert b"event: end\n" not in response.readlines()
        assert psutil.Process(server).wait(60) == 0


@pytest.mark.parametrize("how", ["closed", "never read"])
def test_a_connection_that_is_of_no_use_frees_its_stream(
    shared_database_url: str, api: Api, key: str, how: str
) -> None:
    played = war(1000, 1)
    game = api.new_game(key, players=list("NESW"), dealer="client", config=played.config)
    path = f"/v1/games/{game['id']}"
    api.ok("POST", f"{path}/moves", key, {"moves": played.events})
    with served(shared_database_url, 1, TRICKLOG_HEARTBEAT="1") as (port, server):
        (worker,) = psutil.Process(server).children()

        def connections() -> int:
            return sum(each.laddr.port == port for each in worker.net_connections("tcp") if each.status != "LISTEN")

        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", port))
            head = f"GET {path}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nAccept: {EVENT_STREAM}"
            connection.sendall(f"{head}\r\n\r\n".encode())
            assert connection.recv(12) == b"HTTP/1.1 200"
            assert connections() == 1
            if how == "closed":
                connection.close()
            while connections():
                time.sleep(0.1)
