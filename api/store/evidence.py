"""All that is stored of a game, as it stands there: for an audit, which trusts none of it."""

from datetime import datetime
from typing import Any, Final, NamedTuple

from psycopg.rows import dict_row

from api.store.disputes import DisputeEntry, read_dispute_entries
from api.store.games import read_client_seeds
from api.store.ids import write_game_id
from api.store.pool import Connection

COLUMNS: Final = (
    "game, nonce, ruleset, version, config, players, dealer, seed, commitment, client_seeds AS mode, secret, salts,"
    " origin, seq, head, disputes, status, summary"
)


class Evidence(NamedTuple):
    """The columns of a game and of its head by name, its client seeds by place, its events and its disputes.

    An event is its seq, when it was accepted, its text and its digest.
    """

    id: str
    columns: dict[str, Any]
    client_seeds: dict[int, str]
    events: list[tuple[int, datetime, str, bytes]]
    disputes: list[DisputeEntry]


def read_evidence(conn: Connection, number: int) -> Evidence | None:
    """What is stored of a game, all of one moment; None when there is no such game."""
    with conn.transaction():
        conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        with conn.cursor(row_factory=dict_row) as cursor:
            row = cursor.execute(
                f"SELECT {COLUMNS} FROM games JOIN heads USING (game) WHERE game = %s",  # noqa: S608
                (number,),
            ).fetchone()
        if row is None:
            return None
        events = conn.execute(
            "SELECT seq, at, event, digest FROM events WHERE game = %s ORDER BY seq", (number,), binary=True
        ).fetchall()
        return Evidence(
            write_game_id(number, row["nonce"]),
            row,
            read_client_seeds(conn, number),
            events,
            read_dispute_entries(conn, number),
        )
