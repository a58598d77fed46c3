"""Webhooks of API keys: where to, with which secrets, and what has been told so far.

A row of ``deliveries`` is written in the statement that adds what it tells of; the database puts a job into the queue
with it, and again when its ``replay`` is counted up.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

from api.store.pool import Connection

WEBHOOKS_MOST: Final = 20
SECRETS_MOST: Final = 5
CHANGEABLE: Final = ("url", "types", "description", "paused")


class Webhook(NamedTuple):
    """A webhook as it is listed."""

    webhook: UUID
    url: str
    types: list[str]
    description: str | None
    paused: bool
    created_at: datetime


class WebhookSecret(NamedTuple):
    """One of a webhook's secrets, without the secret itself."""

    secret: UUID
    created_at: datetime
    expires_at: datetime | None


class Delivery(NamedTuple):
    """What is told to a webhook: of events ``first`` to ``last`` of a game, or of a dispute, or of nothing (a ping).

    ``answer`` is the status of the last answer, ``fault`` what kept it from being one.
    """

    delivery: UUID
    type: str
    game: int | None
    nonce: str | None
    first: int | None
    last: int | None
    dispute: int | None
    created_at: datetime
    status: str
    attempts: int
    attempted_at: datetime | None
    next_attempt_at: datetime | None
    answer: int | None
    fault: str | None


WEBHOOK: Final = "webhook, url, types, description, paused, created_at"
ADD: Final = f"""
WITH made AS (
    INSERT INTO webhooks (owner, place, url, types, description)
    SELECT %(owner)s, free, %(url)s, %(types)s, %(description)s
    FROM generate_series(1, {WEBHOOKS_MOST}) AS free
    WHERE free NOT IN (SELECT place FROM webhooks WHERE owner = %(owner)s)
    ORDER BY free LIMIT 1
    ON CONFLICT (owner, place) DO NOTHING
    RETURNING {WEBHOOK}
), secret AS (
    INSERT INTO webhook_secrets (webhook, place, key) SELECT webhook, 1, %(key)s FROM made
)
SELECT {WEBHOOK} FROM made
"""  # noqa: S608


def add_webhook(
    conn: Connection, owner: int, url: str, types: Sequence[str], description: str | None, key: bytes
) -> Webhook | None:
    """Makes a webhook with its first secret; None when the owner has as many as it may have."""
    given = {"owner": owner, "url": url, "types": list(types), "description": description, "key": key}
    while True:
        row = conn.execute(ADD, given).fetchone()
        if row is not None:
            return Webhook(*row)
        # none is free, or another took it just now
        if len(list_webhooks(conn, owner)) == WEBHOOKS_MOST:
            return None


def list_webhooks(conn: Connection, owner: int) -> list[Webhook]:
    """All webhooks of ``owner``, oldest first."""
    rows = conn.execute(f"SELECT {WEBHOOK} FROM webhooks WHERE owner = %s ORDER BY created_at, webhook", (owner,))  # noqa: S608
    return [Webhook(*row) for row in rows]


def read_webhook(conn: Connection, owner: int, webhook: UUID) -> Webhook | None:
    """A webhook of ``owner``; None when it has none of that id."""
    row = conn.execute(f"SELECT {WEBHOOK} FROM webhooks WHERE webhook = %s AND owner = %s", (webhook, owner)).fetchone()  # noqa: S608
    return None if row is None else Webhook(*row)


def change_webhook(conn: Connection, owner: int, webhook: UUID, changed: Mapping[str, Any]) -> Webhook | None:
    """Sets what is ``changed`` of CHANGEABLE; None when ``owner`` has no webhook of that id."""
    values = "".join(f", {name} = %({name})s" for name in CHANGEABLE if name in changed)
    row = conn.execute(
        f"UPDATE webhooks SET webhook = webhook{values}"  # noqa: S608
        f" WHERE webhook = %(webhook)s AND owner = %(owner)s RETURNING {WEBHOOK}",
        {**changed, "webhook": webhook, "owner": owner},
    ).fetchone()
    return None if row is None else Webhook(*row)


def delete_webhook(conn: Connection, owner: int, webhook: UUID) -> bool:
    """Removes a webhook with its secrets; False when ``owner`` has none of that id."""
    return conn.execute("DELETE FROM webhooks WHERE webhook = %s AND owner = %s", (webhook, owner)).rowcount == 1


LISTED_SECRET: Final = "secret, created_at, expires_at"  # noqa: S105
VALID: Final = "(expires_at IS NULL OR expires_at > now())"


def list_webhook_secrets(conn: Connection, webhook: UUID) -> list[WebhookSecret]:
    """The secrets that deliveries to ``webhook`` are signed with, oldest first."""
    rows = conn.execute(
        f"SELECT {LISTED_SECRET} FROM webhook_secrets WHERE webhook = %s AND {VALID} ORDER BY created_at, secret",  # noqa: S608
        (webhook,),
    )
    return [WebhookSecret(*row) for row in rows]


def add_webhook_secret(
    conn: Connection, webhook: UUID, key: bytes, others_until: datetime | None
) -> WebhookSecret | None:
    """Adds a secret, in the transaction of the caller; None when there are as many as there may be.

    With ``others_until`` those before it are used no longer than that.
    """
    # one after the other: the newest is never given an end by an older
    conn.execute("SELECT FROM webhooks WHERE webhook = %s FOR UPDATE", (webhook,))
    conn.execute(f"DELETE FROM webhook_secrets WHERE webhook = %s AND NOT {VALID}", (webhook,))  # noqa: S608
    row = conn.execute(
        f"""
        INSERT INTO webhook_secrets (webhook, place, key, created_at)
        SELECT %(webhook)s, free, %(key)s, clock_timestamp() FROM generate_series(1, {SECRETS_MOST}) AS free
        WHERE free NOT IN (SELECT place FROM webhook_secrets WHERE webhook = %(webhook)s)
        ORDER BY free LIMIT 1
        RETURNING {LISTED_SECRET}
        """,  # noqa: S608
        {"webhook": webhook, "key": key},
    ).fetchone()
    if row is None:
        return None
    added = WebhookSecret(*row)
    if others_until is not None:
        conn.execute(
            "UPDATE webhook_secrets SET expires_at = least(expires_at, %s) WHERE webhook = %s AND secret <> %s",
            (others_until, webhook, added.secret),
        )
    return added


def delete_webhook_secret(conn: Connection, webhook: UUID, secret: UUID) -> bool:
    """Removes a secret of ``webhook``; False when it has none of that id."""
    removed = conn.execute("DELETE FROM webhook_secrets WHERE webhook = %s AND secret = %s", (webhook, secret))
    return removed.rowcount == 1


# --- deliveries -----------------------------------------------------------------------------------------------------

DELIVERY: Final = (
    "delivery, type, deliveries.game, (SELECT nonce FROM games WHERE games.game = deliveries.game), first, last,"
    " dispute, deliveries.created_at, status, attempts, attempted_at, next_attempt_at, answer, fault"
)


def list_deliveries(
    conn: Connection, webhook: UUID, *, status: str | None = None, before: UUID | None = None, limit: int
) -> list[Delivery]:
    """The newest ``limit`` deliveries of ``webhook``, newest first, that follow the one called ``before``."""
    conditions = " AND status = %(status)s" if status is not None else ""
    if before is not None:
        conditions += (
            " AND (created_at, delivery) <"
            " (SELECT created_at, delivery FROM deliveries WHERE delivery = %(before)s AND webhook = %(webhook)s)"
        )
    rows = conn.execute(
        f"SELECT {DELIVERY} FROM deliveries WHERE webhook = %(webhook)s{conditions}"  # noqa: S608
        " ORDER BY created_at DESC, delivery DESC LIMIT %(limit)s",
        {"webhook": webhook, "status": status, "before": before, "limit": limit},
    )
    return [Delivery(*row) for row in rows]


def add_ping(conn: Connection, webhook: UUID) -> Delivery:
    """Adds a delivery that tells of nothing."""
    rows = conn.execute(
        f"INSERT INTO deliveries (webhook, type) VALUES (%s, 'webhook.ping') RETURNING {DELIVERY}",  # noqa: S608
        (webhook,),
    )
    [row] = rows.fetchall()
    return Delivery(*row)


def replay_delivery(conn: Connection, webhook: UUID, delivery: UUID) -> Delivery | None:
    """Has a delivery made again from its first attempt on; None when ``webhook`` has none of that id."""
    row = conn.execute(
        "UPDATE deliveries SET replay = replay + 1, status = 'pending', attempts = 0, next_attempt_at = now()"  # noqa: S608
        f" WHERE delivery = %s AND webhook = %s RETURNING {DELIVERY}",
        (delivery, webhook),
    ).fetchone()
    return None if row is None else Delivery(*row)


# --- attempts -------------------------------------------------------------------------------------------------------


class Attempt(NamedTuple):
    """A delivery that is being tried: where, whether it may be, and what it is signed with, the newest key first."""

    delivery: Delivery
    webhook: UUID
    url: str
    paused: bool
    keys: list[bytes]


BEGIN: Final = f"""
UPDATE deliveries SET attempts = attempts + 1, attempted_at = now()
FROM webhooks JOIN api_keys ON key = owner
WHERE delivery = %s AND replay = %s AND status = 'pending' AND webhooks.webhook = deliveries.webhook
RETURNING webhooks.webhook, url, paused OR revoked_at IS NOT NULL,
    ARRAY(
        SELECT webhook_secrets.key FROM webhook_secrets WHERE webhook_secrets.webhook = webhooks.webhook AND {VALID}
        ORDER BY webhook_secrets.created_at DESC
    ),
    {DELIVERY}
"""  # noqa: S608


def begin_attempt(conn: Connection, delivery: UUID, replay: int) -> Attempt | None:
    """Counts an attempt at a delivery; None when there is nothing to be delivered any more, or it began anew since."""
    row = conn.execute(BEGIN, (delivery, replay)).fetchone()
    return None if row is None else Attempt(Delivery(*row[4:]), *row[:4])


END: Final = """
WITH ended AS (
    UPDATE deliveries
    SET status = %(status)s, answer = %(answer)s, fault = %(fault)s,
        next_attempt_at = now() + %(delay)s * interval '1 second'
    WHERE delivery = %(delivery)s AND replay = %(replay)s AND status = 'pending'
)
UPDATE webhooks SET paused = true WHERE webhook = %(webhook)s AND %(pause)s
"""


def end_attempt(
    conn: Connection,
    attempt: Attempt,
    replay: int,
    *,
    status: str,
    answer: int | None,
    fault: str | None,
    delay: float | None,
    pause: bool,
) -> None:
    """Notes how an attempt ended: what the delivery is now, and ``delay``, the seconds until it is tried again.

    Nothing is noted of a delivery that another has made or given up meanwhile.
    """
    conn.execute(
        END,
        {
            "delivery": attempt.delivery.delivery,
            "replay": replay,
            "webhook": attempt.webhook,
            "status": status,
            "answer": answer,
            "fault": fault,
            "delay": delay,
            "pause": pause,
        },
    )


REMOVE: Final = """
DELETE FROM deliveries WHERE delivery IN (
    SELECT delivery FROM deliveries
    WHERE created_at < now() - %s * interval '1 day'
       OR NOT EXISTS (SELECT FROM webhooks WHERE webhooks.webhook = deliveries.webhook)
    LIMIT 10000
)
"""


def clean_up_webhooks(conn: Connection, days: int) -> None:
    """Removes the deliveries older than so many ``days``, and the webhooks of revoked keys."""
    conn.execute("DELETE FROM webhooks USING api_keys WHERE key = owner AND revoked_at IS NOT NULL")
    while conn.execute(REMOVE, (days,)).rowcount:
        pass
