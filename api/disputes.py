"""Disputes: claims held against the record as it stands, and how they ended; kept for good, only ever added to."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from api import service, store
from api.games.rules import PUBLIC, TABLE
from api.proofs import digests
from api.records.disputes import CLAIM_FIELDS, ClaimError, find
from api.rule_texts import game_texts

CLAIMS_MOST = 200
"""How many disputes a game takes: any seat may claim, and all of them are kept for good."""


def dispute_digest(game: str, entry: store.DisputeEntry) -> bytes:
    """What binds an entry to its game and its place there."""
    facts = {"game": game, "place": entry.place, "at": service.in_rfc3339(entry.at), **entry.entry}
    return digests.start(facts)


Shown = dict[str, Any]
"""A dispute as callers see it."""


def claim(
    desk: service.Desk,
    opened: service.Opened,
    claimed: Mapping[str, Any],
    keep_answer: service.KeepAnswer[Shown] | None = None,
) -> Shown:
    """Holds a claim against the record as it stands, and keeps both; OutOfRangeError for sides that aren't there.

    While the game runs, what is found only uses what everybody may know, since everybody may read it.
    """
    service.may_write(opened)
    position = opened.position
    what = {name: claimed[name] for name in CLAIM_FIELDS if name in claimed}
    if type(what.get("points")) is int and "round" in what and "side" not in what and opened.seat is not None:
        what["side"] = opened.seat % len(position.state.scores)
    texts = game_texts(position.ruleset).rules
    try:
        finding = find(position, what, TABLE if opened.over else PUBLIC, texts)
    except ClaimError as error:
        raise service.OutOfRangeError(error.field, error.message) from None
    entry = {
        "seat": opened.seat,
        "claim": what,
        "statement": claimed["statement"],
        "seq": position.seq,
        "head": opened.head.hex(),
        "finding": finding,
    }
    receipt = desk.signer().sign(opened.game.id, position.seq, opened.head)
    return _add_dispute_entry(
        desk, opened, entry, lambda added: _view_dispute(added, []) | {"receipt": receipt}, keep_answer
    )


def _add_dispute_entry(
    desk: service.Desk,
    opened: service.Opened,
    entry: dict[str, Any],
    show: Callable[[store.DisputeEntry], Shown],
    keep_answer: service.KeepAnswer[Shown] | None,
) -> Shown:
    """Adds an entry, in its place after those that there are; answers the dispute as it is then, as ``show`` has it."""
    number = opened.game.number
    for _ in range(service.ROUNDS_OF_RETRY):
        with store.connection(desk.pool) as conn:
            made = store.read_dispute_entries(conn, number)
            if "dispute" in entry and any(each.entry.get("dispute") == entry["dispute"] for each in made):
                raise service.ForbiddenError("This dispute has been resolved.")
            if "claim" in entry and sum("claim" in each.entry for each in made) >= CLAIMS_MOST:
                raise service.ForbiddenError(f"A game takes {CLAIMS_MOST} disputes, and this one has had them.")
            added = store.DisputeEntry(len(made) + 1, datetime.now(UTC), b"", entry)
            added = added._replace(digest=dispute_digest(opened.game.id, added))
            shown = show(added)
            with service.one_commit(conn, keep_answer):
                stored = store.add_dispute_entry(conn, number, added)
                if stored and keep_answer is not None:
                    keep_answer(conn, shown)
        if stored:
            return shown
    raise store.Unavailable


def _view_dispute(claimed: store.DisputeEntry, entries: Sequence[store.DisputeEntry]) -> Shown:
    """A dispute, with its resolution if that is among the ``entries``."""
    shown = {"dispute": str(claimed.place), "at": service.in_rfc3339(claimed.at), **claimed.entry}
    for each in entries:
        if each.entry.get("dispute") == claimed.place:
            shown |= _view_resolution(each)
    return shown


def _view_resolution(entry: store.DisputeEntry) -> Shown:
    return {"resolution": {"at": service.in_rfc3339(entry.at), "resolution": entry.entry["resolution"]}}


def list_disputes(desk: service.Desk, opened: service.Opened) -> list[Shown]:
    """All disputes about a game, oldest first."""
    with store.connection(desk.pool) as conn:
        entries = store.read_dispute_entries(conn, opened.game.number)
    return [_view_dispute(each, entries) for each in entries if "claim" in each.entry]


def get_dispute(desk: service.Desk, opened: service.Opened, dispute_id: str) -> Shown:
    """The dispute of that id; NotFoundError when there is none."""
    for each in list_disputes(desk, opened):
        if each["dispute"] == dispute_id:
            return each
    raise service.NotFoundError("There is no such dispute.")


def resolve_dispute(
    desk: service.Desk,
    opened: service.Opened,
    dispute_id: str,
    resolution: str,
    keep_answer: service.KeepAnswer[Shown] | None = None,
) -> Shown:
    """Adds, by the owner's word, how a dispute ended; ForbiddenError when that has been said."""
    service.may_direct(opened)
    claimed = get_dispute(desk, opened, dispute_id)
    entry = {"dispute": int(dispute_id), "resolution": resolution}
    return _add_dispute_entry(desk, opened, entry, lambda added: claimed | _view_resolution(added), keep_answer)
