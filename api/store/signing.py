"""The keys that sign receipts: one signs at a time, and those before it are kept for what they signed."""

import secrets
from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from api.proofs.receipts import Signer
from api.store.pool import Connection


class SigningKey(NamedTuple):
    """A key as it is listed."""

    key: str
    public: bytes
    created_at: datetime
    retired_at: datetime | None


ADD = "INSERT INTO signing_keys (key, public, secret) VALUES (%s, %s, %s)"


def ensure_signing_key(execute: Callable[..., Any]) -> None:
    """Makes the first key, by whatever runs SQL on the database."""
    if execute("SELECT FROM signing_keys WHERE retired_at IS NULL").fetchone() is None:
        execute(ADD, _new())


def rotate_signing_key(conn: Connection) -> str:
    """Makes a new key and answers its id; the one before signs nothing any more, and its secret is forgotten."""
    key, *_ = made = _new()
    with conn.transaction():
        conn.execute("UPDATE signing_keys SET retired_at = now(), secret = NULL WHERE retired_at IS NULL")
        conn.execute(ADD, made)
    return key


def _new() -> tuple[str, bytes, bytes]:
    secret = secrets.token_bytes(32)
    key = secrets.token_hex(8)
    return key, Signer(key, secret).public, secret


def list_signing_keys(conn: Connection) -> list[SigningKey]:
    """Every key there ever was, oldest first."""
    rows = conn.execute("SELECT key, public, created_at, retired_at FROM signing_keys ORDER BY created_at, key")
    return [SigningKey(*row) for row in rows]


def read_signer(conn: Connection) -> Signer:
    """The key that signs now."""
    [(key, secret)] = conn.execute("SELECT key, secret FROM signing_keys WHERE retired_at IS NULL").fetchall()
    return Signer(key, secret)
