"""What open streams cost a worker: how late events come, and what else it still answers."""

import resource
import selectors
import socket
import statistics
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from re import compile as pattern
from typing import Final

from tests.benchmarks.http import Client, create, database, served, war
from tests.benchmarks.printing import line

STREAMS: Final = 2000
SECONDS: Final = 15
# How many games the streams share, and how many moves a second are played in all of them.
LOADS: Final = {"of 250 games": (250, 50), "of one game": (1, 3)}

_EVENT: Final = pattern(rb'data: {"seq":\d+,"at":"([^"]+)"')


def streams(*options: str) -> None:
    """``STREAMS`` event streams at one worker, which gunicorn runs with ``options``."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    for which, (games, rate) in LOADS.items():
        with (
            database() as (url, key),
            served(url, "--workers", "1", *options) as port,
            ProcessPoolExecutor(2) as others,
        ):
            client = Client(port, key)
            client.call("GET", "/readyz")
            idle = others.submit(pinged, port, SECONDS / 3).result()
            client.close()
            played = [war(2 + rate * SECONDS // games, seed) for seed in range(games)]
            paths = [create(client, game, 2) for game in played]
            moves = [
                (f"{path}/moves", {"moves": [game.events[2 + turn]]})
                for turn in range(rate * SECONDS // games)
                for path, game in zip(paths, played, strict=True)
            ]
            with opened(port, key, [paths[number % games] for number in range(STREAMS)]) as connections:
                health = others.submit(pinged, port, SECONDS)
                posted = others.submit(post, port, key, moves, 1 / rate)
                delays = received(connections, len(moves) * STREAMS // games, 2 * SECONDS)
                posted.result()
                answered = health.result()
        line(
            f"{STREAMS:,} streams {which}, {rate} moves/s: events told",
            f"{len(delays):,}",
            f"{len(moves) * STREAMS // games:,}",
        )
        shown = f"{percentile(delays, 50):.0f} and {percentile(delays, 99):.0f} ms"
        line("their delay, from the move's time to the reader, p50 and p99", shown, "(none set)")
        for when, taken in (("meanwhile", answered), ("before", idle)):
            shown = f"{percentile(taken, 50):.1f} and {percentile(taken, 99):.1f} ms"
            line(f"GET /healthz {when}, p50 and p99", shown, "10 ms")


@contextmanager
def opened(port: int, key: str, paths: Sequence[str]) -> Iterator[list[socket.socket]]:
    """Connections that have each been told the first two events of a game."""
    connections = []
    try:
        for path in paths:
            connection = socket.create_connection(("127.0.0.1", port), timeout=30)
            connections.append(connection)
            head = f"GET {path}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nAccept: text/event-stream"
            connection.sendall(f"{head}\r\n\r\n".encode())
            answer = b""
            while answer.count(b"data: ") < 2:
                answer += connection.recv(65536)
        yield connections
    finally:
        for connection in connections:
            connection.close()


def received(connections: Sequence[socket.socket], most: int, seconds: float) -> list[float]:
    """The delays, in milliseconds, of the events that come within so many seconds, at most so many."""
    delays: list[float] = []
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for connection in connections:
            selector.register(connection, selectors.EVENT_READ)
        while len(delays) < most and time.monotonic() < deadline:
            for found, _ in selector.select(1):
                data = found.fileobj.recv(65536)  # type: ignore[union-attr]  # a socket
                now = time.time()
                times = [datetime.fromisoformat(at.decode()).timestamp() for at in _EVENT.findall(data)]
                delays += [1000 * (now - at) for at in times]
    return delays


def post(port: int, key: str, moves: Sequence[tuple[str, object]], seconds: float) -> None:
    """Posts ``moves`` one after the other, so many seconds apart."""
    client = Client(port, key)
    start = time.monotonic()
    for number, (path, body) in enumerate(moves):
        time.sleep(max(0.0, start + number * seconds - time.monotonic()))
        client.call("POST", path, body)


def pinged(port: int, seconds: float) -> list[float]:
    """How many milliseconds ``GET /healthz`` takes, again and again, each on a new connection."""
    taken = []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        client = Client(port)
        start = time.perf_counter()
        client.call("GET", "/healthz")
        taken.append(1000 * (time.perf_counter() - start))
        client.close()
        time.sleep(0.02)
    return taken


def percentile(values: Sequence[float], percent: int) -> float:
    """The least of ``values`` that so many percent of them don't exceed."""
    return statistics.quantiles(values, n=100)[percent - 1]
