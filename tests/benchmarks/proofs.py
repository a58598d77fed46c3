"""What proof costs: sealing what is played, auditing it from the database, and auditing archives offline."""

import statistics
import tempfile
import time
from pathlib import Path
from typing import Final

import orjson

from api.archives import audit_files
from api.games import LATEST
from api.records.audit import audit
from tests.benchmarks.http import CONNECTIONS, MOVES_EACH, ROUNDS, Client, create, database, rate, served, war
from tests.benchmarks.printing import best, line
from tests.records import played

AUDITS: Final = 100
RECORDS: Final = 20
COPIES: Final = 40


def sealing() -> None:
    """``POST …/moves``, one move each, with and without digests, chain and receipts, in turn, on the same database."""
    games = [war(MOVES_EACH * ROUNDS, seed) for seed in range(CONNECTIONS)]
    with (
        database() as (url, key),
        served(url) as sealed,
        served(url, "tests.benchmarks.unsealed:create_app()") as plain,
    ):
        sides = []
        for port in (sealed, plain):
            clients = [Client(port, key) for _ in games]
            sides.append((clients, [create(client, game, 0) for client, game in zip(clients, games, strict=True)]))
        ratios = []
        for turn in range(ROUNDS):
            part = range(turn * MOVES_EACH, (turn + 1) * MOVES_EACH)
            rates = [
                rate(
                    clients,
                    [
                        [(f"{path}/moves", {"moves": [game.events[i]]}) for i in part]
                        for path, game in zip(paths, games, strict=True)
                    ],
                )
                for clients, paths in sides
            ]
            ratios.append(rates[0] / rates[1])
    line("POST moves with digest, chain and receipt against without", f"{statistics.median(ratios):.2f}", "0.8")


def audits() -> None:
    """A game of 500 events audited from the database by one client, at the median."""
    with database() as (url, key), served(url) as port:
        client = Client(port, key)
        path = create(client, war(500, 1), 500)
        times = []
        for _ in range(AUDITS):
            start = time.perf_counter()
            found = client.call("GET", f"{path}/audit")
            times.append(time.perf_counter() - start)
            if not found["ok"]:
                raise RuntimeError(found)
        line("GET audit of a game of 500 events", f"{1000 * statistics.median(times):.1f} ms", "10 ms")


def archive() -> None:
    """Events a second of an archive, as JSON on disk: by game on one core, then a mixed one on one and on two."""
    lines: list[bytes] = []
    for ruleset in LATEST.values():
        records = [orjson.dumps(played(ruleset, ruleset.seats[-1], number)) for number in range(RECORDS)]
        count = sum(len(orjson.loads(each)["events"]) for each in records)

        def work(records: list[bytes] = records) -> None:
            for each in records:
                if not audit(orjson.loads(each)).ok:
                    raise RuntimeError

        line(f"offline audit, {ruleset.id}, one core", f"{count / best(work):,.0f} events/s", "100,000 events/s")
        lines += records
    with tempfile.TemporaryDirectory(prefix="tricklog-") as folder:
        path = Path(folder, "archive.ndjson")
        path.write_bytes(b"\n".join(lines * COPIES) + b"\n")
        rates: list[list[float]] = []
        for _ in range(ROUNDS):
            found = []
            # in turn, so that whatever else the machine does falls on both
            for workers in (1, 2):
                start = time.perf_counter()
                report = audit_files([path], workers=workers)
                found.append(report.events / (time.perf_counter() - start))
                if not report.ok:
                    raise RuntimeError
            rates.append(found)
    ratio = statistics.median(two / one for one, two in rates)
    line(
        "offline audit of an archive, one process",
        f"{statistics.median(r[0] for r in rates):,.0f} events/s",
        "100,000 events/s",
    )
    line("the same on two, against one", f"{ratio:.2f}", "1.8")
