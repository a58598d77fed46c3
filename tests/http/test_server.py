"""The application behind its real server: what only a connection can do wrong."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.http.client import PROBLEM, Api


@pytest.fixture(scope="module")
def port(shared_database_url: str) -> Iterator[int]:
    """That of a server with two workers on the tests' database."""
    with served(shared_database_url, 2) as (number, _):
        yield number


@contextmanager
def served(url: str, workers: int, **settings: str) -> Iterator[tuple[int, int]]:
    """The port of a server on the database at ``url``, and the number of the process whose children its workers are."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        number: int = listener.getsockname()[1]
        command = [sys.executable, "-m", "gunicorn", "-c", "python:api.server"]
        with subprocess.Popen(
            [*command, "--bind", f"fd://{listener.fileno()}", "--workers", str(workers), "--log-level", "critical"],
            env=os.environ | {"DATABASE_URL": url} | settings,
            pass_fds=[listener.fileno()],
        ) as server:
            try:
                wait_for(number)
                yield number, server.pid
            finally:
                server.terminate()


def wait_for(port: int) -> None:
    for _ in range(300):
        try:
            if send(port, b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")[0] == 200:
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError


def send(port: int, request: bytes) -> tuple[int, dict[str, str], bytes]:
    """The status, headers and body that a connection gets for these bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(request)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += connection.recv(65536)
        head, _, body = answer.partition(b"\r\n\r\n")
        status, *lines = head.decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines)
        while len(body) < int(headers.get("content-length", 0)):
            body += connection.recv(65536)
        return int(status.split()[1]), headers, body


@pytest.mark.parametrize(
    "request_",
    [
        b"GARBAGE\r\n\r\n",
        b"GET /healthz\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
        b"GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n",
        b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 20_000 + b"\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + b"X: x\r\n" * 200 + b"\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nA\x00B: 1\r\n\r\n",
        b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n",
        b"POST /v1/games HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ids=lambda request: request[:40].decode("latin-1"),
)
def test_what_is_no_request_is_a_problem_too(port: int, request_: bytes) -> None:
    status, headers, body = send(port, request_)
    assert (status, headers["content-type"]) == (400, PROBLEM)
    assert json.loads(body)["type"] == "/problems/invalid-request"


def test_body_in_chunks_is_refused_and_not_cut(port: int, api: Api, key: str) -> None:
    game = api.new_game(key)
    head = (
        f"POST /v1/games/{game['id']}/moves HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    body = json.dumps({"moves": [{"type": "bid", "tricks": 1}]})
    status, headers, _ = send(port, f"{head}{len(body):x}\r\n{body}\r\n0\r\n\r\n".encode())
    assert (status, headers["content-type"]) == (411, PROBLEM)


def test_body_too_long_is_refused_before_it_is_sent(port: int, key: str) -> None:
    head = (
        f"POST /v1/records HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
        "Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n"
    )
    status, headers, _ = send(port, head.encode())
    assert (status, headers["content-type"]) == (413, PROBLEM)


def test_move_at_one_worker_is_seen_at_every_other(port: int, api: Api, key: str) -> None:
    game = api.new_game(key, config={"first_dealer": 0})
    for seq in range(2, 12):
        assert api.play(game["id"], key, 1)["seq"] == seq
        for _ in range(4):
            request = f"GET /v1/games/{game['id']}/state HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n\r\n"
            status, _, body = send(port, request.encode())
            assert (status, json.loads(body)["seq"]) == (200, seq)
