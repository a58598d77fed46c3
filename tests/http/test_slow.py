"""Clients that take their time: they are ended, and nobody waits for them."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.http.client import PROBLEM, Api
from tests.http.test_server import send, served

MANY = 200
SECONDS = 3


@pytest.fixture(scope="module")
def port(shared_database_url: str) -> Iterator[int]:
    settings = {"TRICKLOG_HEAD_SECONDS": str(SECONDS), "TRICKLOG_BODY_SECONDS": str(SECONDS)}
    with served(shared_database_url, 2, **settings) as (number, _):
        yield number


def head(key: str, length: int, path: str = "/v1/games") -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def received(connection: socket.socket) -> bytes:
    """All that comes until the server ends the connection."""
    answer = b""
    try:
        while piece := connection.recv(65536):
            answer += piece
    except ConnectionResetError:
        pass
    return answer


@pytest.mark.parametrize("drip", [False, True], ids=["at once", "a byte now and then"])
@pytest.mark.parametrize("part", ["head", "body"])
def test_half_sent_requests_keep_nobody_waiting(port: int, api: Api, key: str, part: str, drip: bool) -> None:
    game = json.dumps({"ruleset": "thirteen", "players": ["Ann", "Ben"], "dealer": "service", "visibility": "private"})
    whole = head(key, len(game)) + game.encode()
    half = whole[:60] if part == "head" else whole[:-10]
    with ExitStack() as opened:
        slow = [opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60)) for _ in range(MANY)]
        for connection in slow:
            connection.sendall(half)
        started = time.monotonic()
        for turn in range(10):
            # good ones are answered, though nothing has come of the others
            assert send(port, whole)[0] == 201
            assert send(port, b"GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")[0] == 200
            if time.monotonic() > started + SECONDS - 1:
                break
            for connection in slow if drip and turn < 8 else ():
                connection.sendall(b" ")
        for connection in slow:
            answer = received(connection)
            if part == "head":
                assert answer == b""
            else:
                assert answer.startswith(b"HTTP/1.1 408 ")
                assert b"\r\nConnection: close\r\n" in answer
                assert f"\r\nContent-Type: {PROBLEM}\r\n".encode() in answer
                assert json.loads(answer.partition(b"\r\n\r\n")[2])["errors"].keys() == {"body"}
        assert time.monotonic() - started > SECONDS - 1


def test_idle_connection_is_ended(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert received(connection).startswith(b"HTTP/1.1 200 ")


def test_answer_that_is_not_taken_is_cut(port: int, api: Api, key: str) -> None:
    game = api.new_game(key, players=["x" * 80] * 3)
    api.play(game["id"], key, 30)
    path = f"/v1/games/{game['id']}/replay?view=table"
    request = f"GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n".encode()
    _, headers, _ = send(port, request)
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(60)
        connection.connect(("127.0.0.1", port))
        # far more answers than all buffers on the way hold
        connection.sendall(request * 1000)
        time.sleep(SECONDS + 4)
        assert 0 < len(received(connection)) < 1000 * int(headers["content-length"])


@pytest.mark.parametrize(
    ("path", "length", "status"),
    [
        pytest.param("/v1/games", 2 * 1024 * 1024, 413, id="too long"),
        pytest.param("/nowhere", 1024 * 1024, 404, id="to nobody"),
        pytest.param("/v1/rulesets", 1024 * 1024, 405, id="with another method"),
    ],
)
def test_answer_before_the_body_ends_the_connection(port: int, key: str, path: str, length: int, status: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(head(key, length, path))
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(65536)
        assert answer.startswith(f"HTTP/1.1 {status} ".encode())
        assert b"\r\nConnection: close\r\n" in answer
        # who sends on all the same isn't answered, nor thrown out before it has read the answer
        connection.sendall(b" " * 100_000)
        assert b"HTTP/1.1" not in received(connection)


def test_refusal_of_a_body_that_is_there_keeps_the_connection(port: int, key: str) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        bad = head("tlk_1_" + "x" * 43, 2) + b"{}"
        connection.sendall(bad + b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answers = received(connection)
        assert answers.startswith(b"HTTP/1.1 401 ")
        assert b"HTTP/1.1 200 " in answers
