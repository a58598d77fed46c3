"""Disk for an event, index included, over thousands of games, hundreds of them at the tables at once."""

from collections.abc import Iterator
from random import Random
from typing import Final

import psycopg

from api.games import LATEST
from api.records.codec import encode
from api.records.replay import begin
from tests.benchmarks.http import database
from tests.benchmarks.printing import line
from tests.benchmarks.replays import games

GAMES: Final = 4000
AT_ONCE: Final = 400
DIGEST: Final = bytes(range(32))


def main() -> None:
    """Bytes of an event on a server of its own."""
    with database() as (url, _):
        run(url)


def run(dsn: str) -> None:
    """Bytes of an event in a temporary table like ``events``, filled in the order in which the games would write."""
    written = texts()
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("CREATE TEMPORARY TABLE log (LIKE events INCLUDING ALL)")
        with conn.cursor().copy("COPY log (game, seq, event, digest) FROM STDIN") as copy:
            for row in interleaved(written, Random(1)):
                copy.write_row((*row, DIGEST))
        conn.execute("VACUUM ANALYZE log")
        [(events, text, table, index)] = conn.execute(
            "SELECT count(*), sum(octet_length(event)), pg_table_size('log'), pg_indexes_size('log') FROM log"
        ).fetchall()
    parts = f"{text / events:.0f} of text, {table / events:.0f} of table, {index / events:.0f} of index"
    line(f"disk for an event ({parts})", f"{(table + index) / events:.1f} bytes", "130 bytes")


def texts() -> list[list[str]]:
    """The stored events of random games of every ruleset."""
    return [
        [encode(begin(game.ruleset, game.config, game.seats).state, event) for event in game.events]
        for ruleset in LATEST.values()
        for game in games(ruleset)
    ]


def interleaved(written: list[list[str]], random: Random) -> Iterator[tuple[int, int, str]]:
    """Rows of many games, number, seq and text: whichever game at the tables moves next; a new one follows an end."""
    tables = [(number, 0, random.choice(written)) for number in range(AT_ONCE)]
    begun = AT_ONCE
    while tables:
        place = random.randrange(len(tables))
        number, seq, events = tables[place]
        if seq < len(events):
            tables[place] = number, seq + 1, events
            yield number, seq + 1, events[seq]
        elif begun < GAMES:
            tables[place] = begun, 0, random.choice(written)
            begun += 1
        else:
            del tables[place]
