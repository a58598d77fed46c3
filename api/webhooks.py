"""Webhooks: an API key has a URL told what happens in its games, and sees what was told."""

import re
import secrets
from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit
from uuid import UUID

import orjson

from api import service, store
from api.games.rules import PUBLIC

TYPES: Final = ("game.moves", "game.finished", "game.abandoned", "dispute.opened")
FAULTS: Final = ("timeout", "connection", "certificate", "private-address", "paused", "internal")
"""What keeps an attempt from being answered."""
URL_MOST: Final = 2000
URL: Final = r"https?://([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?([/?][!$-;=?-Z_a-z~]*)?"
"""A URL without user, password and fragment, all of it in characters that a request takes as they are."""

_ID: Final = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


# --- where deliveries may go ----------------------------------------------------------------------------------------

_NAT64: Final = IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
_6TO4: Final = IPv6Network("2002::/16")


def is_public(address: str) -> bool:
    """Whether an IP address is one that anybody on the internet may have: no network of one's own, no group."""
    found = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None or found in _NAT64:
            return is_public(str(ip_address(int(found) & 0xFFFF_FFFF)))
        # 6to4 wraps an IPv4 address that somebody else's relay would send to
        return found in _GLOBAL_UNICAST and found not in _6TO4 and found.is_global
    return found.is_global and not found.is_multicast and not found.is_reserved


def read_url(url: str, private: bool) -> SplitResult:
    """``url`` in parts; OutOfRangeError for one that nothing is delivered to.

    Unless ``private``, it has https and no private address; what a name stands for is seen at each delivery.
    """
    if not re.fullmatch(URL, url):
        raise _refused("Must be an http or https URL, without user, password and fragment.")
    try:
        parts = urlsplit(url)
    except ValueError:
        raise _refused("Must name an address that is one in its brackets.") from None
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        raise _refused("Must have a port from 1 to 65535, or none.")
    if parts.scheme == "http" and not private:
        raise _refused("Must begin with https.")
    try:
        address = str(ip_address(parts.hostname or ""))
    except ValueError:
        return parts
    if not private and not is_public(address):
        raise _refused("Must not name a private address.")
    return parts


def _refused(message: str) -> service.OutOfRangeError:
    return service.OutOfRangeError("url", message)


# --- webhooks -------------------------------------------------------------------------------------------------------


Shown = dict[str, Any]
"""A webhook, a secret or a delivery as its owner sees it."""


def create_webhook(
    desk: service.Desk,
    owner: int,
    private: bool,
    keep_answer: service.KeepAnswer[Shown] | None = None,
    *,
    url: str,
    types: Sequence[str],
    description: str | None = None,
) -> Shown:
    """A new webhook of ``owner`` and its first secret, which is shown this once; ForbiddenError for one too many."""
    read_url(url, private)
    key = secrets.token_bytes(32)
    with store.connection(desk.pool) as conn, service.one_commit(conn, keep_answer):
        made = store.add_webhook(conn, owner, url, types, description, key)
        if made is None:
            raise service.ForbiddenError(f"An API key has {store.WEBHOOKS_MOST} webhooks at most.")
        return _kept(conn, keep_answer, _view(conn, made) | {"secret": write_secret(key)})


def _kept(conn: store.Connection, keep_answer: service.KeepAnswer[Shown] | None, shown: Shown) -> Shown:
    if keep_answer is not None:
        keep_answer(conn, shown)
    return shown


def write_secret(key: bytes) -> str:
    """A secret as its webhook's owner gets it."""
    return f"whsec_{b64encode(key).decode()}"


def list_webhooks(desk: service.Desk, owner: int) -> list[Shown]:
    """All webhooks of ``owner``, oldest first."""
    with store.connection(desk.pool) as conn:
        return [_view(conn, each) for each in store.list_webhooks(conn, owner)]


def get_webhook(desk: service.Desk, owner: int, webhook_id: str) -> Shown:
    """The webhook of that id; NotFoundError when ``owner`` has none."""
    with store.connection(desk.pool) as conn:
        return _view(conn, _find(conn, owner, webhook_id))


def change_webhook(
    desk: service.Desk,
    owner: int,
    private: bool,
    webhook_id: str,
    changed: Mapping[str, Any],
    keep_answer: service.KeepAnswer[Shown] | None = None,
) -> Shown:
    """The webhook with what is ``changed`` of it; raises what getting and creating one do."""
    if "url" in changed:
        read_url(changed["url"], private)
    with store.connection(desk.pool) as conn, service.one_commit(conn, keep_answer):
        webhook = _known(store.change_webhook(conn, owner, _parse(webhook_id), changed))
        return _kept(conn, keep_answer, _view(conn, webhook))


def delete_webhook(desk: service.Desk, owner: int, webhook_id: str) -> None:
    """Removes a webhook, and all that was told to it."""
    with store.connection(desk.pool) as conn:
        if not store.delete_webhook(conn, owner, _parse(webhook_id)):
            raise _no_webhook()


def _find(conn: store.Connection, owner: int, webhook_id: str) -> store.Webhook:
    return _known(store.read_webhook(conn, owner, _parse(webhook_id)))


def _parse(text: str) -> UUID:
    if not _ID.fullmatch(text):
        raise _no_webhook()
    return UUID(text)


def _known(webhook: store.Webhook | None) -> store.Webhook:
    if webhook is None:
        raise _no_webhook()
    return webhook


def _no_webhook() -> service.NotFoundError:
    return service.NotFoundError("There is no such webhook.")


def _view(conn: store.Connection, webhook: store.Webhook) -> Shown:
    return {
        "id": str(webhook.webhook),
        "url": webhook.url,
        "types": webhook.types,
        "description": webhook.description,
        "paused": webhook.paused,
        "created_at": service.in_rfc3339(webhook.created_at),
        "secrets": [_view_secret(each) for each in store.list_webhook_secrets(conn, webhook.webhook)],
    }


# --- secrets --------------------------------------------------------------------------------------------------------


def create_secret(
    desk: service.Desk,
    owner: int,
    webhook_id: str,
    keep_answer: service.KeepAnswer[Shown] | None = None,
    *,
    others_until: datetime | None = None,
) -> Shown:
    """One more secret of a webhook, shown this once; the others are used until then, or until they are deleted.

    ForbiddenError for one too many.
    """
    key = secrets.token_bytes(32)
    with store.connection(desk.pool) as conn, conn.transaction():
        webhook = _find(conn, owner, webhook_id)
        made = store.add_webhook_secret(conn, webhook.webhook, key, others_until)
        if made is None:
            raise service.ForbiddenError(f"A webhook has {store.SECRETS_MOST} secrets at most.")
        return _kept(conn, keep_answer, _view_secret(made) | {"secret": write_secret(key)})


def delete_secret(desk: service.Desk, owner: int, webhook_id: str, secret_id: str) -> None:
    """Has a secret used no longer; NotFoundError when there is none, ForbiddenError for the newest."""
    with store.connection(desk.pool) as conn:
        webhook = _find(conn, owner, webhook_id)
        known = [str(each.secret) for each in store.list_webhook_secrets(conn, webhook.webhook)]
        if secret_id not in known:
            raise service.NotFoundError("There is no such secret.")
        if secret_id == known[-1]:
            raise service.ForbiddenError("The newest secret stays: make another before this one goes.")
        store.delete_webhook_secret(conn, webhook.webhook, UUID(secret_id))


def _view_secret(secret: store.WebhookSecret) -> Shown:
    shown = {"id": str(secret.secret), "created_at": service.in_rfc3339(secret.created_at)}
    if secret.expires_at is not None:
        shown["expires_at"] = service.in_rfc3339(secret.expires_at)
    return shown


# --- deliveries -----------------------------------------------------------------------------------------------------


def list_deliveries(
    desk: service.Desk, owner: int, webhook_id: str, *, limit: int, cursor: str | None = None, status: str | None = None
) -> dict[str, Any]:
    """A page of what was told to a webhook, newest first, and the cursor of the ``next``.

    OutOfRangeError for a cursor that is none.
    """
    if cursor is not None and not _ID.fullmatch(cursor):
        raise service.OutOfRangeError("cursor", "Must be the next of an earlier page.")
    before = None if cursor is None else UUID(cursor)
    with store.connection(desk.pool) as conn:
        webhook = _find(conn, owner, webhook_id)
        found = store.list_deliveries(conn, webhook.webhook, status=status, before=before, limit=limit + 1)
    page: dict[str, Any] = {"deliveries": [_view_delivery(each) for each in found[:limit]]}
    if len(found) > limit:
        page["next"] = str(found[limit - 1].delivery)
    return page


def ping(
    desk: service.Desk, owner: int, webhook_id: str, keep_answer: service.KeepAnswer[Shown] | None = None
) -> Shown:
    """Has a delivery made that tells of nothing."""
    with store.connection(desk.pool) as conn, service.one_commit(conn, keep_answer):
        delivery = store.add_ping(conn, _find(conn, owner, webhook_id).webhook)
        return _kept(conn, keep_answer, _view_delivery(delivery))


def replay_delivery(
    desk: service.Desk,
    owner: int,
    webhook_id: str,
    delivery_id: str,
    keep_answer: service.KeepAnswer[Shown] | None = None,
) -> Shown:
    """Has a delivery made again, whatever became of it before; NotFoundError when there is none."""
    with store.connection(desk.pool) as conn, service.one_commit(conn, keep_answer):
        webhook = _find(conn, owner, webhook_id)
        known = _ID.fullmatch(delivery_id)
        delivery = store.replay_delivery(conn, webhook.webhook, UUID(delivery_id)) if known else None
        if delivery is None:
            raise service.NotFoundError("There is no such delivery.")
        return _kept(conn, keep_answer, _view_delivery(delivery))


def _view_delivery(delivery: store.Delivery) -> Shown:
    shown: Shown = {
        "id": str(delivery.delivery),
        "type": delivery.type,
        "created_at": service.in_rfc3339(delivery.created_at),
        "status": delivery.status,
        "attempts": delivery.attempts,
        "answer": delivery.answer,
        "fault": delivery.fault,
    }
    if delivery.game is not None and delivery.nonce is not None:
        shown |= {"game": store.write_game_id(delivery.game, delivery.nonce), "seq": delivery.last}
    for name, time in (("attempted_at", delivery.attempted_at), ("next_attempt_at", delivery.next_attempt_at)):
        if time is not None:
            shown[name] = service.in_rfc3339(time)
    return shown


# --- what is told ---------------------------------------------------------------------------------------------------

TOLD_MOST: Final = 50
"""As many events are told themselves; of more only where they are to be had."""


def write_payload(desk: service.Desk, webhook: UUID, delivery: store.Delivery) -> bytes:
    """The body of a delivery: the same at each attempt, made from the record as it was at that event.

    It holds what everybody who may see the game could see then, whoever owns the webhook.
    """
    if delivery.game is None:
        return _write(delivery.type, service.in_rfc3339(delivery.created_at), {"webhook": str(webhook)})
    with store.connection(desk.pool) as conn:
        game = store.read_game(conn, delivery.game)
        disputed = store.read_dispute_entries(conn, delivery.game) if delivery.dispute is not None else []
    assert game is not None
    assert delivery.last is not None
    seq = delivery.last
    first = delivery.first if delivery.first is not None else seq
    several = delivery.type == "game.moves" and seq - first >= TOLD_MOST
    accepted, position = service.read_accepted(desk, game, (seq if several else first) - 1, seq)
    events = [service.view_accepted(position, each, PUBLIC) for each in accepted]
    data: dict[str, Any] = {"game": game.id, "ruleset": game.ruleset, "seq": seq, "status": position.status}
    if delivery.dispute is not None:
        entry = disputed[delivery.dispute - 1]
        told = {name: entry.entry[name] for name in ("seat", "claim", "statement")}
        at = service.in_rfc3339(entry.at)
        return _write(delivery.type, at, data | {"dispute": str(delivery.dispute)} | told)
    if delivery.type == "game.moves":
        data |= {"first": first, "more": f"/v1/games/{game.id}/events?view=public&after={first - 1}"}
        data |= {} if several else {"events": events}
    else:
        data |= {"totals": position.state.scores, "winners": position.state.winners}
    return _write(delivery.type, events[-1]["at"], data)


def _write(kind: str, timestamp: str, data: Mapping[str, Any]) -> bytes:
    return orjson.dumps({"type": kind, "timestamp": timestamp, "data": data})
