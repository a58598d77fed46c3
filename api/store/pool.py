"""Connections to PostgreSQL, and the one error that callers meet when it is away."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

Connection: TypeAlias = psycopg.Connection[TupleRow]
Pool: TypeAlias = ConnectionPool[Connection]

# What every session starts with, whatever the server's or the login's own defaults are. An append relies on
# READ COMMITTED: the writer that waited for the row of a game must see that row as it is then, not fail.
SESSION = {
    "role": "tricklog_service",
    "default_transaction_isolation": r"read\ committed",
    "timezone": "UTC",
    "statement_timeout": "10s",
    "lock_timeout": "2s",
    "idle_in_transaction_session_timeout": "10s",
    "jit": "off",
}

# A server that vanished without a word is noticed after some ten seconds.
SOCKET = {
    "connect_timeout": 3,
    "tcp_user_timeout": 5000,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 2,
}

WAIT = 3.0  # seconds that a caller waits for a connection


class Unavailable(Exception):
    """The database can't be reached or doesn't answer in time. Its text is for anyone; its cause, for the log only."""

    def __init__(self) -> None:
        super().__init__("the database is away")


def session(dsn: str) -> dict[str, Any]:
    """What a connection to ``dsn`` is opened with, to act as the service's role does."""
    parameters = conninfo_to_dict(dsn)
    options = " ".join(f"-c {name}={value}" for name, value in SESSION.items())
    return (
        SOCKET
        | parameters
        | {"options": f"{parameters.get('options') or ''} {options}".strip(), "client_encoding": "UTF8"}
    )


def open_pool(dsn: str, size: int) -> Pool:
    """A pool of ``size`` autocommit connections that act as the service's role; close it with ``.close()``.

    It returns at once, with the database away too. Threads don't survive a fork: each worker opens its own.
    """

    def check(connection: Connection) -> None:
        # Costs no round trip: reads what a server that went away left behind, first its farewell, then the end.
        try:
            connection.pgconn.consume_input()
            connection.pgconn.consume_input()
        except psycopg.OperationalError:
            pool.drain()
            raise

    pool = ConnectionPool(
        kwargs=session(dsn) | {"autocommit": True},
        min_size=size,
        open=True,
        check=check,
        timeout=WAIT,
        reconnect_timeout=WAIT / 2,  # then at the next caller's wish, instead of at ever longer intervals
    )
    return pool


@contextmanager
def connection(pool: Pool) -> Iterator[Connection]:
    """A connection of ``pool``, for the statements of one request.

    Raises Unavailable when the database is away, within seconds; what a statement did then is unknown, but it did all
    of it or nothing. Raises ValueError when a value is none that PostgreSQL can hold (a text with a NUL, say).
    """
    try:
        with pool.connection() as lent:
            yield lent
    except (psycopg.OperationalError, psycopg.errors.ReadOnlySqlTransaction) as error:
        raise Unavailable from error
    except psycopg.DataError as error:
        raise ValueError("a value that PostgreSQL can't hold") from error
