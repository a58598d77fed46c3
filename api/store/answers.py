"""Answers to requests with an idempotency key: claimed by who carries the request out, kept for who sends it again."""

from typing import Final, NamedTuple

from api.store.pool import Connection

KEPT: Final = "interval '25 hours'"
"""Callers are told 24: that is then true from the moment of the answer too, and whatever the clocks say."""
LEASE: Final = "interval '60 seconds'"
"""A claim this old without an answer is nobody's: no statement takes so long, and a worker that is gone never ends."""


class Found(NamedTuple):
    """Whether a claim was made; if not, what is there of another's request, as far as it can be seen already."""

    claimed: bool
    fingerprint: bytes | None
    answer: bytes | None


# Each claim clears away a few answers that are past their time, so that there are never many. It needn't outlast a
# crash of the server, which no request outlasts that it could keep others from: its commit waits for no disk.
CLAIM: Final = f"""
WITH claimed AS (
    INSERT INTO answers AS old (scope, fingerprint, claim) VALUES (%(scope)s, %(fingerprint)s, %(claim)s)
    ON CONFLICT (scope) DO UPDATE
    SET fingerprint = excluded.fingerprint, claim = excluded.claim, made_at = excluded.made_at, answer = NULL
    WHERE old.made_at < now() - {KEPT}
       OR old.made_at < now() - {LEASE} AND old.answer IS NULL AND old.fingerprint = excluded.fingerprint
    RETURNING scope
), expired AS (
    DELETE FROM answers WHERE scope IN (
        SELECT scope FROM answers WHERE made_at < now() - {KEPT} AND scope <> %(scope)s
        ORDER BY made_at LIMIT 3 FOR UPDATE SKIP LOCKED
    )
)
SELECT EXISTS (SELECT FROM claimed), fingerprint, answer, set_config('synchronous_commit', 'off', true)
FROM (VALUES (0)) AS always LEFT JOIN answers ON scope = %(scope)s
"""  # noqa: S608


def claim_answer(conn: Connection, scope: bytes, fingerprint: bytes, claim: bytes) -> Found:
    """Claims the ``scope`` for a request, unless there is an answer to it, or another is carrying it out."""
    row = {"scope": scope, "fingerprint": fingerprint, "claim": claim}
    [(claimed, *found, _)] = conn.execute(CLAIM, row, binary=True).fetchall()
    return Found(claimed, *found)


def keep_answer(conn: Connection, scope: bytes, claim: bytes, answer: bytes) -> bool:
    """Keeps the answer to the request that made the ``claim``; False when the claim is another's by now."""
    done = conn.execute(
        "UPDATE answers SET answer = %s WHERE scope = %s AND claim = %s AND answer IS NULL", (answer, scope, claim)
    )
    return done.rowcount > 0


def release_answer(conn: Connection, scope: bytes, claim: bytes) -> None:
    """Gives a ``claim`` up, unless what was claimed has been done and answered."""
    conn.execute("DELETE FROM answers WHERE scope = %s AND claim = %s AND answer IS NULL", (scope, claim))
