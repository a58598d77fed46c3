"""What the running service costs: gunicorn, its workers and an embedded PostgreSQL that syncs, all on this machine."""

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import psycopg

from api import embedded, store
from api.games import LATEST
from api.games.rules import read_config
from api.store import schema
from tests.benchmarks.printing import line
from tests.games.playing import Game, play

CONNECTIONS: Final = 16
MOVES_EACH: Final = 250
ROUNDS: Final = 5
READS: Final = 100
WORKERS: Final = "2"


class Client:
    """A connection that stays open, with one credential; ``once`` sends each request with an idempotency key."""

    def __init__(self, port: int, key: str = "", once: bool = False) -> None:
        self._once = once
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def close(self) -> None:
        """Closes the connection, which the next call opens anew: the service ends those that are idle."""
        self._connection.close()

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of a successful answer."""
        headers = self._headers | ({"Idempotency-Key": str(uuid4())} if self._once else {})
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self._connection.getresponse()
        data = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {data[:300]!r}")
        return json.loads(data)


@contextmanager
def database() -> Iterator[tuple[str, str]]:
    """The URL of a PostgreSQL of its own, with the schema, and an API key."""
    with tempfile.TemporaryDirectory(prefix="tricklog-") as temporary:
        Path(temporary).chmod(0o711)
        folder = embedded.prepare(Path(temporary, "data"))
        try:
            url = embedded.start(folder)
            schema.migrate(url)
            with psycopg.connect(url, autocommit=True) as conn:
                key = store.create_key(conn, "benchmark")
            yield url, key
        finally:
            embedded.stop(folder)


@contextmanager
def served(url: str, *app: str) -> Iterator[int]:
    """The port of gunicorn with the service's settings, serving it or another ``app``."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "-c", "python:api.server", "--bind", f"127.0.0.1:{port}"]
    environment = {**os.environ, "DATABASE_URL": url}
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen([*command, "--workers", WORKERS, *app], env=environment, stderr=log) as server,
    ):
        try:
            for _ in range(200):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            yield port
        finally:
            server.terminate()


def war(events: int, seed: int) -> Game:
    """A game of Quadruple War that isn't over after so many events."""
    ruleset = LATEST["quadruple-war"]
    return play(ruleset, read_config(ruleset, {"target": 10000}, 4), 4, seed, most=events)


def create(client: Client, game: Game, upto: int) -> str:
    """The path of a game that its owner deals, with its first events sent in."""
    body = {"ruleset": game.ruleset.id, "config": game.config, "players": list("NESW"), "dealer": "client"}
    path = f"/v1/games/{client.call('POST', '/v1/games', {**body, 'visibility': 'private'})['id']}"
    for start in range(0, upto, 1000):
        client.call("POST", f"{path}/moves", {"moves": game.events[start : min(start + 1000, upto)]})
    return path


def bodies(paths: Sequence[str], played: Sequence[Game], part: range) -> list[list[tuple[str, Any]]]:
    """What each client is to post: this part of its game, one move each."""
    games = zip(paths, played, strict=True)
    return [[(f"{path}/moves", {"moves": [game.events[i]]}) for i in part] for path, game in games]


def moves() -> None:
    """``POST …/moves``, one move each, without and with an idempotency key, and the bare route, in turn, on the same
    database.
    """
    played = [war(MOVES_EACH * ROUNDS, seed) for seed in range(CONNECTIONS)]
    with database() as (url, key), served(url) as ours, served(url, "tests.benchmarks.bare:create_app()") as bare:
        clients = [Client(ours, key) for _ in played]
        paths = [create(client, game, 0) for client, game in zip(clients, played, strict=True)]
        careful = [Client(ours, key, once=True) for _ in played]
        careful_paths = [create(client, game, 0) for client, game in zip(careful, played, strict=True)]
        with psycopg.connect(url, autocommit=True) as conn:
            found = conn.execute("SELECT game FROM games ORDER BY game LIMIT %s", (CONNECTIONS,)).fetchall()
            twins = [conn.execute(TWIN, (number,)).fetchone() for (number,) in found]
        plain = [Client(bare) for _ in played]
        rates: list[tuple[float, float, float]] = []
        for turn in range(ROUNDS):
            part = range(turn * MOVES_EACH, (turn + 1) * MOVES_EACH)
            bare_bodies = [
                [(f"/{twin[0]}/{i}", {"moves": [game.events[i]]}) for i in part]
                for twin, game in zip(twins, played, strict=True)
                if twin
            ]
            rates.append(
                (
                    rate(clients, bodies(paths, played, part)),
                    rate(plain, bare_bodies),
                    rate(careful, bodies(careful_paths, played, part)),
                )
            )
    ratio = statistics.median(ours / bare for ours, bare, _ in rates)
    ratio_once = statistics.median(once / ours for ours, _, once in rates)
    medians = [statistics.median(each) for each in zip(*rates, strict=True)]
    line(f"POST moves, one each, {CONNECTIONS} connections", f"{medians[0]:,.0f} requests/s", "(see the ratio)")
    line("the same transaction from a bare Flask route", f"{medians[1]:,.0f} requests/s", "(see the ratio)")
    line("ratio of the two, pair by pair, at the median", f"{ratio:.2f}", "0.6")
    line("POST moves with an Idempotency-Key each", f"{medians[2]:,.0f} requests/s", "(none set)")
    line("ratio to those without, pair by pair, at the median", f"{ratio_once:.2f}", "(none set)")


TWIN: Final = """
WITH made AS (
    INSERT INTO games (nonce, owner, ruleset, version, config, players, dealer, visibility, tokens, secret)
    SELECT nonce, owner, ruleset, version, config, players, dealer, visibility, tokens, secret
    FROM games WHERE game = %s
    RETURNING game
)
INSERT INTO heads (game, seq, head, status, summary)
SELECT game, 0, decode(repeat('00', 32), 'hex'), 'running', '{}' FROM made RETURNING game
"""


def rate(clients: Sequence[Client], work: Sequence[Sequence[tuple[str, Any]]]) -> float:
    """Requests a second when each client posts its own list of bodies, all at once."""

    def one(client: Client, bodies: Sequence[tuple[str, Any]]) -> None:
        client.close()
        for path, body in bodies:
            client.call("POST", path, body)

    with ThreadPoolExecutor(len(clients)) as threads:
        start = time.perf_counter()
        for done in [threads.submit(one, client, bodies) for client, bodies in zip(clients, work, strict=True)]:
            done.result()
        return sum(len(bodies) for bodies in work) / (time.perf_counter() - start)


def long_game() -> None:
    """A move late in a long game against one at its start: medians of the requests around both, several games."""
    ratios = []
    with database() as (url, key), served(url) as port:
        client = Client(port, key)
        for seed in range(5):
            game = war(2040, seed)
            late = create(client, game, 1960)
            early = create(client, game, 10)
            times: tuple[list[float], list[float]] = ([], [])
            # in turn, so that whatever else the machine does falls on both
            for step in range(80):
                for taken, path, event in ((times[0], early, 10 + step), (times[1], late, 1960 + step)):
                    start = time.perf_counter()
                    client.call("POST", f"{path}/moves", {"moves": [game.events[event]]})
                    taken.append(time.perf_counter() - start)
            ratios.append(statistics.median(times[1]) / statistics.median(times[0]))
    line("a move around number 2,000 against one around 10, one client", f"{statistics.median(ratios):.2f}", "1.2")


def reads() -> None:
    """A game of 500 events read by one client: medians."""
    with database() as (url, key), served(url) as port:
        client = Client(port, key)
        path = create(client, war(500, 1), 500)
        for what, query in {
            "events": "events?view=table&limit=1000",
            "state": "state?view=table",
            "state at 400": "state?view=table&at=400",
            "ledger": "ledger",
            "replay, 500 frames": "replay?view=table",
        }.items():
            times = []
            for _ in range(READS):
                start = time.perf_counter()
                client.call("GET", f"{path}/{query}")
                times.append(time.perf_counter() - start)
            limit = "(none set)" if what.startswith("replay") else "10 ms"
            line(f"GET {what} of a game of 500 events", f"{1000 * statistics.median(times):.1f} ms", limit)
