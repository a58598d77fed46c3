"""Disputes: claims and resolutions, one after the other, with the game they are about."""

from datetime import datetime
from typing import Any, Final, NamedTuple

import orjson
from psycopg.errors import UniqueViolation

from api.store.pool import Connection


class DisputeEntry(NamedTuple):
    """A claim or a resolution; ``place`` counts both, from 1."""

    place: int
    at: datetime
    digest: bytes
    entry: dict[str, Any]


ADD: Final = """
WITH head AS (
    UPDATE heads SET disputes = %(place)s WHERE game = %(game)s AND disputes = %(place)s - 1 RETURNING game
), told AS (
    INSERT INTO deliveries (webhook, type, game, last, dispute)
    SELECT webhook, 'dispute.opened', game, %(seq)s, %(place)s
    FROM head JOIN games USING (game) JOIN webhooks USING (owner)
    WHERE 'dispute.opened' = ANY (types) AND NOT paused AND %(opens)s
)
INSERT INTO disputes (game, place, at, digest, entry)
SELECT game, %(place)s, %(at)s, %(digest)s, %(entry)s FROM head
"""


def add_dispute_entry(conn: Connection, number: int, added: DisputeEntry) -> bool:
    """Adds the next entry of a game, in one commit; False when its place is taken: then nothing was added."""
    place, at, digest, entry = added
    row = {
        "game": number,
        "place": place,
        "at": at,
        "digest": digest,
        "entry": orjson.dumps(entry).decode(),
        "seq": entry.get("seq"),
        "opens": "claim" in entry,
    }
    try:
        return conn.execute(ADD, row).rowcount > 0
    except UniqueViolation:
        return False


def read_dispute_entries(conn: Connection, number: int) -> list[DisputeEntry]:
    """Every entry of a game, in order."""
    rows = conn.execute("SELECT place, at, digest, entry FROM disputes WHERE game = %s ORDER BY place", (number,))
    return [DisputeEntry(place, at, digest, orjson.loads(entry)) for place, at, digest, entry in rows]
