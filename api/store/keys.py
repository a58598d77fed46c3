"""The API keys of front ends. Making and revoking one takes a login that may do more than the service's role."""

from datetime import datetime
from typing import NamedTuple

from api.store.ids import ApiKey, hashed, new_secret
from api.store.pool import Connection


class Key(NamedTuple):
    """A key as it is listed."""

    number: int
    name: str
    created_at: datetime
    revoked_at: datetime | None


def create_key(conn: Connection, name: str) -> str:
    """Makes a key. Its text, which is kept nowhere, is answered this once."""
    secret = new_secret()
    made = conn.execute(
        "INSERT INTO api_keys (name, secret_hash) VALUES (%s, %s) RETURNING key", (name, hashed(secret))
    )
    [(number,)] = made.fetchall()
    return ApiKey(number, secret).text


def list_keys(conn: Connection) -> list[Key]:
    """Every key ever made, oldest first."""
    rows = conn.execute("SELECT key, name, created_at, revoked_at FROM api_keys ORDER BY key")
    return [Key(*row) for row in rows]


def revoke_key(conn: Connection, number: int) -> bool:
    """Has the key refused from now on; False when there is no such key, or none that still held."""
    revoked = conn.execute("UPDATE api_keys SET revoked_at = now() WHERE key = %s AND revoked_at IS NULL", (number,))
    return revoked.rowcount == 1


def any_key(conn: Connection) -> bool:
    """Whether there is a key that isn't revoked."""
    [(found,)] = conn.execute("SELECT EXISTS (SELECT FROM api_keys WHERE revoked_at IS NULL)").fetchall()
    return bool(found)


def read_key(conn: Connection, number: int) -> bytes | None:
    """The hash of the key's secret; None when there is no such key, or it is revoked."""
    found = conn.execute("SELECT secret_hash FROM api_keys WHERE key = %s AND revoked_at IS NULL", (number,)).fetchone()
    return None if found is None else bytes(found[0])
