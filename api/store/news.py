"""News of games between workers: hints that a game has grown, and what is to be read then.

The events are the truth: a hint that is lost is made good by :func:`read_tails`.
"""

from collections.abc import Generator, Iterable, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

import psycopg

from api.store.games import Entry
from api.store.pool import Connection, Pool, Unavailable

CHANNEL: Final = "tricklog_events"
# A payload must stay below 8,000 bytes; a game and its seq take 22 at most.
_GAMES_A_PAYLOAD: Final = 300


def notify(conn: Connection, grown: Mapping[int, int]) -> None:
    """Tells all who :func:`listen` the newest seq of games, by number."""
    pairs = [f"{number}:{seq}" for number, seq in grown.items()]
    payloads = [" ".join(pairs[at : at + _GAMES_A_PAYLOAD]) for at in range(0, len(pairs), _GAMES_A_PAYLOAD)]
    conn.execute("SELECT pg_notify(%s, payload) FROM unnest(%s::text[]) AS told (payload)", (CHANNEL, payloads))


def listen(pool: Pool, seconds: float) -> Generator[dict[int, int], None, None]:
    """What :func:`notify` tells, on a connection of its own beside the ``pool``.

    The first answer, an empty one, says that it listens; each later one comes after ``seconds`` at the latest. Raises
    Unavailable when the connection is lost.
    """
    try:
        with psycopg.connect(**pool.kwargs) as conn:  # type: ignore[arg-type]  # open_pool gave it a dict
            conn.execute(f"LISTEN {CHANNEL}")
            yield {}
            while True:
                told = [note.payload for note in conn.notifies(timeout=seconds, stop_after=1)]
                pairs = [pair.partition(":") for payload in told for pair in payload.split()]
                yield {int(number): int(seq) for number, _, seq in pairs}
    except psycopg.OperationalError as error:
        raise Unavailable from error


class Tail(NamedTuple):
    """The newest seq of a game, and whether the API key of its owner still holds."""

    seq: int
    owned: bool


def read_tails(conn: Connection, numbers: Iterable[int]) -> dict[int, Tail]:
    """How far games have come, by number."""
    rows = conn.execute(
        "SELECT game, heads.seq, api_keys.revoked_at IS NULL"
        " FROM heads JOIN games USING (game) JOIN api_keys ON api_keys.key = games.owner WHERE game = ANY(%s)",
        (list(numbers),),
    )
    return {number: Tail(seq, owned) for number, seq, owned in rows}


def read_news(conn: Connection, known: Mapping[int, int]) -> dict[int, list[Entry]]:
    """The events of games that came after the seq ``known`` of each, in order; games without any are left out."""
    rows = conn.execute(
        "SELECT game, at, event, digest"
        " FROM unnest(%s::integer[], %s::integer[]) AS known (game, after)"
        " JOIN events USING (game) WHERE events.seq > known.after ORDER BY game, events.seq",
        (list(known), list(known.values())),
        binary=True,
    )
    return {number: [Entry(*row[1:]) for row in found] for number, found in groupby(rows, itemgetter(0))}
