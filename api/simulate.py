"""Whole random games against a running service, over HTTP, as its players' clients would play them.

A demonstration, a load, and a way to fill an installation. Every answered move is looked up in the game's record at the
end of its game, so that a service that loses one is found out.
"""

import json
import random
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

import urllib3

PATIENCE: Final = 60.0
"""Seconds for which a player waits for a service that is away."""

LONGEST_GAME: Final = 20_000
"""Events after which a game that needs not end is abandoned."""


class SimulationError(Exception):
    """The service refused what a client of good faith sent, or lost what it had answered."""


@dataclass(slots=True)
class Result:
    """What was played: whole games, moves answered, seconds, and the seconds that each move's request took."""

    games: int = 0
    moves: int = 0
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        ordered = sorted(self.latencies) or [0.0]
        median, late = (1000 * ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.99))
        return (
            f"{self.games} games, {self.moves} moves in {self.seconds:.1f} s: {self.moves / self.seconds:.0f} moves/s; "
            f"a move took {median:.1f} ms at the median, {late:.1f} ms at the 99th percentile"
        )


class Client:
    """A caller with one credential."""

    __slots__ = ("_headers", "_pool", "_url")

    def __init__(self, pool: urllib3.PoolManager, url: str, credential: str) -> None:
        self._pool = pool
        self._url = url
        self._headers = {"Authorization": f"Bearer {credential}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of the answer; SimulationError for one that is no success, urllib3's errors when there is none."""
        data = None if body is None else json.dumps(body).encode()
        answer = self._pool.request(method, self._url + path, body=data, headers=self._headers, retries=False)
        if answer.status == 503:
            raise urllib3.exceptions.HTTPError("the service is away")
        if answer.status >= 300:
            raise SimulationError(f"{method} {path} was answered with {answer.status}: {answer.data.decode()[:500]}")
        return json.loads(answer.data)


def simulate(
    url: str,
    key: str,
    ruleset: str,
    *,
    games: int,
    seats: int | None = None,
    config: Mapping[str, Any] | None = None,
    seed: int | None = None,
    at_once: int = 8,
    progress: Callable[[], None] = lambda: None,
) -> Result:
    """Plays ``games`` random games of ``ruleset`` at the service at ``url``, ``at_once`` at a time.

    ``seats`` and ``config`` are drawn anew for each game where they are None; ``seed`` makes the players' choices (not
    the service's deals) repeatable; ``progress`` is called after each game. SimulationError ends it.
    """
    pool = urllib3.PoolManager(maxsize=at_once, block=True, timeout=urllib3.Timeout(30))
    owner = Client(pool, url.rstrip("/"), key)
    try:
        rules = owner.call("GET", f"/v1/rulesets/{ruleset}")
    except urllib3.exceptions.HTTPError:
        raise SimulationError(f"no service answers at {url}") from None
    result = Result()
    lock = threading.Lock()
    ended = threading.Event()

    def one(number: int) -> None:
        if ended.is_set():
            return
        rng = random.Random(None if seed is None else seed * 1_000_003 + number)  # noqa: S311
        players = seats or rng.choice(rules["seats"])
        options = random_config(rules["config"], players, rng) if config is None else config
        try:
            latencies = _play(pool, url.rstrip("/"), owner, rules, players, options, rng)
        except BaseException:
            ended.set()
            raise
        with lock:
            result.games += 1
            result.moves += len(latencies)
            result.latencies += latencies
            progress()

    start = time.monotonic()
    with ThreadPoolExecutor(at_once) as threads:
        try:
            for done in [threads.submit(one, number) for number in range(games)]:
                done.result()
        finally:
            ended.set()
    result.seconds = time.monotonic() - start
    return result


def _play(
    pool: urllib3.PoolManager,
    url: str,
    owner: Client,
    rules: Mapping[str, Any],
    seats: int,
    config: Mapping[str, Any],
    rng: random.Random,
) -> list[float]:
    players = [f"Player {seat + 1}" for seat in range(seats)]
    body = {"ruleset": rules["id"], "config": config, "players": players, "dealer": "service", "visibility": "private"}
    game = _once_back(owner, "POST", "/v1/games", body)
    path = f"/v1/games/{game['id']}"
    clients = [Client(pool, url, token) for token in game["seat_tokens"]]
    answered: dict[int, Mapping[str, Any]] = {}
    latencies: list[float] = []
    to_act, status, seq = game["to_act"], game["status"], game["seq"]
    while status == "running":
        try:
            if seq > LONGEST_GAME:
                owner.call("POST", f"{path}/abandon", {"reason": "a game without end"})
                break
            seat = rng.choice(to_act)
            move = concrete(rng.choice(clients[seat].call("GET", f"{path}/legal-moves")["moves"]), rng)
            start = time.monotonic()
            answer = clients[seat].call("POST", f"{path}/moves", {"moves": [move]})
            latencies.append(time.monotonic() - start)
            answered[answer["events"][0]["seq"]] = {"seat": seat, **move}
        except urllib3.exceptions.HTTPError:
            # whether the move was taken is in the record; the game goes on from there
            answer = _once_back(owner, "GET", path)
        to_act, status, seq = answer["to_act"], answer["status"], answer["seq"]
    events = _once_back(owner, "GET", f"{path}/record")["events"]
    for at, sent in answered.items():
        if len(events) < at or any(events[at - 1].get(name) != value for name, value in sent.items()):
            raise SimulationError(f"the move answered as event {at} of {path} is not in its record")
    return latencies


def _once_back(client: Client, method: str, path: str, body: Any = None) -> Any:
    """What the service answers, as soon as it does."""
    start = time.monotonic()
    while True:
        try:
            return client.call(method, path, body)
        except urllib3.exceptions.HTTPError:
            if time.monotonic() - start > PATIENCE:
                raise SimulationError(f"the service did not answer for {PATIENCE:.0f} seconds") from None
            time.sleep(0.2)


def concrete(move: Mapping[str, Any], rng: random.Random) -> dict[str, Any]:
    """A move that the pattern ``move`` stands for, or itself where it is none."""
    chosen = dict(move)
    for name, value in move.items():
        if isinstance(value, dict):
            if "choose" in value:
                chosen[name] = rng.sample(value["of"], value["choose"])
            else:
                chosen[name] = [part for part in value["among"] if rng.random() < 0.7]
    return chosen


def random_config(schema: Mapping[str, Any], seats: int, rng: random.Random) -> dict[str, Any]:
    """A config that ``schema`` takes in a game of ``seats``.

    Numbers above their default make games too long to wait for; those that are 0 by default may be anything.
    """
    return {
        name: _random_value({**option, "maximum": option["default"] or option.get("maximum")}, seats, rng)
        for name, option in schema["properties"].items()
    }


def _random_value(schema: Mapping[str, Any], seats: int, rng: random.Random) -> Any:
    if "anyOf" in schema:
        return _random_value(rng.choice(schema["anyOf"]), seats, rng)
    if schema.get("title") == "seat":
        return rng.randrange(seats)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if schema["type"] == "boolean":
        return rng.random() < 0.5
    if schema["type"] == "array":
        return rng.sample(schema["items"]["enum"], schema["minItems"])
    # small ones more often than great ones: such games end sooner
    least, most = schema["minimum"], schema["maximum"]
    return least + round((most - least) * rng.random() ** 3)
