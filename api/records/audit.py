"""The audit: a record in, a verdict out, check by check. In words: ``records.md``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from api.games.rules import TABLE, Event, IllegalMove, Ruleset
from api.proofs import digests
from api.proofs.receipts import Keys, Receipt, ReceiptError, read_receipt
from api.proofs.shuffle import chance_event, commitment, stream_key
from api.records import replay
from api.records.portable import Document, RecordError, read_document, write_result
from api.records.replay import TABLE_EVENTS, Position

CARD_RULES: Final = ("common.holds", "common.deal")

_LATER: Final = "The seed comes when the game is over."


class Check(NamedTuple):
    """One check's outcome: ``event`` is the seq of the first bad one, ``rule`` the rule it breaks.

    ``field`` is the path of what is false in the record; a failed check without one lacks something instead.
    """

    check: str
    ok: bool
    detail: str
    event: int | None = None
    rule: str | None = None
    field: str | None = None

    def written(self) -> dict[str, Any]:
        """The check as audits show it."""
        shown: dict[str, Any] = {"check": self.check, "ok": self.ok}
        if self.event is not None:
            shown["event"] = self.event
        if self.rule is not None:
            shown["rule"] = self.rule
        return shown | {"detail": self.detail}


@dataclass(frozen=True, slots=True)
class Audit:
    """What an audit found; ``position`` is the one after the valid part (None: the form is no record's)."""

    checks: list[Check]
    position: Position | None

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)

    def written(self) -> dict[str, Any]:
        """The audit as the API answers it: ``ok``, ``checks`` and the ``ledger`` of the valid part."""
        shown: dict[str, Any] = {"ok": self.ok, "checks": [check.written() for check in self.checks]}
        if self.position is not None:
            shown["ledger"] = replay.view_ledger(self.position, TABLE)
        return shown


def audit(record: Any, receipts: Sequence[str] = (), keys: Keys | None = None, *, published: bool = True) -> Audit:
    """Audits any JSON value as a record, with the receipts handed in and the public keys they may be signed with.

    A record that isn't ``published`` comes from the store, with the seed and the salts of a running game.
    """
    try:
        document = read_document(record)
    except RecordError as error:
        [(path, messages), *_] = error.errors.items()
        event = int(path.split(".")[1]) + 1 if path.startswith("events.") else None
        detail = f"{path or 'The record'}: {' '.join(messages)}"
        return Audit([Check("form", False, detail, event, field=path)], None)
    checks, position = _examine(document, published)
    checks.insert(4, _receipts(document, receipts, keys or {}))
    return Audit(checks, position)


class IllegalRecord(Exception):
    """A record with an event that the rules refuse; ``index`` is its place in the list, from 0, ``seat`` who moved."""

    def __init__(self, refusal: IllegalMove, index: int, event: Event) -> None:
        super().__init__(refusal, index)
        self.refusal = refusal
        self.index = index
        seat = event.get("seat")
        self.seat = seat if type(seat) is int else None


@dataclass(frozen=True, slots=True)
class Record:
    """A record of which everything that it says is true; times are None where it says none."""

    document: Document
    times: list[datetime | None]
    position: Position


def read_record(record: Any) -> Record:
    """Reads a record to be kept: audits it, and refuses what is false in it, though not what it leaves out.

    RecordError for what no rule is about (an unknown ruleset, a wrong total, a digest that doesn't open), IllegalRecord
    for the first event that the rules, or the dealing from the record's seed, refuse.
    """
    document = read_document(record)
    checks, position = _examine(document, published=True)
    # A false seed deals false cards, and an event that breaks a rule hardly opens its digest: the cause comes first.
    for check in sorted(checks, key=lambda each: (each.check != "commitment", each.rule is None, each.event or 0)):
        if check.rule is not None and check.event is not None:
            refusal = IllegalMove(check.rule, check.detail)
            raise IllegalRecord(refusal, check.event - 1, document.events[check.event - 1])
        if check.field is not None:
            raise RecordError({check.field: [check.detail]})
    times = [None if at is None else datetime.fromisoformat(at).astimezone(UTC) for at in document.times]
    return Record(document, times, position)


def _examine(document: Document, published: bool) -> tuple[list[Check], Position]:
    position, cards, moves, deals = _replay(document)
    status = position.status if moves.ok else None
    checks = [
        Check("form", True, f"A record of {document.ruleset.title} with {len(document.events)} events."),
        cards,
        moves,
        _chain(document, status, published),
        _commitment(document, status, published),
        deals,
        _ledger(document.ruleset, position),
        _result(document, position, moves.ok),
    ]
    return checks, position


# --- the rules ------------------------------------------------------------------------------------------------------


def _replay(document: Document) -> tuple[Position, Check, Check, Check]:
    """The position after the valid part, and the checks ``cards``, ``moves`` and ``deals``."""
    ruleset, events = document.ruleset, document.events
    seats = len(document.players)
    position = replay.begin(ruleset, document.config, seats)
    steps = replay.walk(ruleset, document.config, seats, events)
    dealt = _dealer(document)
    wrong_deal: int | None = None
    count = len(events)
    cards = Check("cards", True, "Every card is in one place at a time.")
    moves = Check("moves", True, f"All {count} events follow the rules.")
    conserved = _Cards()
    for seq, event in enumerate(events, 1):
        if dealt is not None and wrong_deal is None and "seat" not in event and event["type"] not in TABLE_EVENTS:
            expected = dealt(position)
            if expected is not None and expected != event:
                wrong_deal = seq
        try:
            position = next(steps).position
        except IllegalMove as refusal:
            valid = f"Events 1 to {seq - 1} are valid. " if seq > 1 else ""
            moves = Check("moves", False, valid + refusal.detail, seq, refusal.rule, f"events.{seq - 1}")
            if refusal.rule in CARD_RULES:
                cards = moves._replace(check="cards", detail=refusal.detail)
            break
        if conserved.broken(position.state.hands, reset="seat" not in event):
            cards = Check("cards", False, "A card is in two places, or back from where none returns.", seq)
            break
    return position, cards, moves, _deals(document, position, wrong_deal, moves.ok)


class _Cards:
    """Where cards are, told from the hands alone: each in one hand, and none back once it has left them all.

    A chance event may bring cards back (a new round, a reshuffle), and so may a takeback.
    """

    __slots__ = ("had", "out")

    def __init__(self) -> None:
        self.had = self.out = 0

    def broken(self, hands: Sequence[int], *, reset: bool) -> bool:
        held = 0
        for hand in hands:
            if held & hand:
                return True
            held |= hand
        self.out = 0 if reset else self.out | (self.had & ~held)
        self.had = held
        return bool(held & self.out)


def _dealer(document: Document) -> Callable[[Position], Event | None] | None:
    """What answers the chance event that the record's seeds deal next; None when it lacks them."""
    seeds = document.client_seeds
    if document.seed is None or None in seeds:
        return None
    key = stream_key(document.seed, [each for each in seeds if each is not None])

    def dealt(position: Position) -> Event | None:
        return None if position.state.call is None else chance_event(key, position.chances, position.state)

    return dealt


def _deals(document: Document, position: Position, wrong: int | None, legal: bool) -> Check:
    over = legal and position.status != "running"
    if document.dealer != "service":
        return Check("deals", True, "The owner of the game dealt: there is no seed to deal from.")
    if None in document.client_seeds and position.chances:
        return Check("deals", False, "Cards were dealt before every client seed was in.", 1, field="client_seeds")
    if wrong is not None:
        told = "These are not the cards that the seed deals."
        return Check("deals", False, told, wrong, "common.deal", f"events.{wrong - 1}")
    if document.seed is None:
        told = (
            "A game that is over is not proved without its seed." if over else "The seed comes when the game is over."
        )
        return Check("deals", not over, told)
    return Check("deals", True, f"The seed deals the cards of all {position.chances} chance events.")


def _commitment(document: Document, status: str | None, published: bool) -> Check:
    committed, seed = document.commitment, document.seed
    if document.dealer != "service":
        return Check("commitment", True, "The owner of the game dealt: there is no seed to commit to.")
    if committed is None:
        told = "The service deals, and has committed to no seed."
        return Check("commitment", False, told, field=None if seed is None else "commitment")
    if seed is None:
        over = status in ("finished", "abandoned")
        told = "The seed is lacking." if over else _LATER
        return Check("commitment", not over, told)
    if commitment(seed) != committed:
        return Check("commitment", False, "The seed is not the one that the commitment commits to.", field="seed")
    if published and status == "running":
        told = "A seed is published when its game is over, and this record goes no further than a running game."
        return Check("commitment", False, told, field="seed")
    return Check("commitment", True, "The seed is the one that the commitment commits to.")


def _ledger(ruleset: Ruleset, position: Position) -> Check:
    state = position.state
    totals = [0] * len(state.scores)
    for line in state.lines:
        totals[line.side] += line.points
        if line.rule not in ruleset.rules or any(not 0 < seq <= position.seq for seq in line.events):
            told = f"A line rests on {line.rule} and the events {line.events}, which aren't all there."
            return Check("ledger", False, told, rule=line.rule)
    if totals != list(state.scores):
        return Check("ledger", False, f"The lines add up to {totals}, the totals are {state.scores}.")
    return Check("ledger", True, f"The {len(state.lines)} lines add up to the totals.")


def _result(document: Document, position: Position, legal: bool) -> Check:
    derived = write_result(position)
    if document.result is None:
        return Check("result", True, "The record states none.")
    if not legal:
        return Check("result", False, "The events don't lead to any: not all of them are valid.", field="result")
    if document.result != derived:
        told = f"The events lead to totals {derived['totals']} and winners {derived['winners']}."
        return Check("result", False, told, field="result")
    return Check("result", True, "It is what the events lead to.")


# --- the chain and its receipts -------------------------------------------------------------------------------------


def _chain(document: Document, status: str | None, published: bool) -> Check:
    if not document.sealed:
        return Check("chain", True, "The record has no digests: nothing binds it.")
    salted = any(document.salts)
    sealed = zip(document.events, document.times, document.digests, document.salts, strict=True)
    for seq, (event, at, digest, salt) in enumerate(sealed, 1):
        if digest is None or at is None:
            told = "The event has no digest, and others have."
        elif salt is None:
            if not salted:
                continue
            told = "The event has no salt, and others have."
        elif _opens(salt, seq, at, event, digest):
            continue
        else:
            told = "The event is not the one that its digest was made of."
        return Check("chain", False, told, seq, field=f"events.{seq - 1}.digest")
    count = len(document.events)
    if count and not salted and status in ("finished", "abandoned"):
        told = "The game is over, and its digests can't be opened: the salts are lacking."
        return Check("chain", False, told, 1, field="events.0.salt")
    if salted and published and status == "running":
        told = "Salts are published when their game is over, and this record goes no further than a running game."
        return Check("chain", False, told, count + 1, field=f"events.{count - 1}.salt")
    if document.head is not None and document.head != _heads(document)[-1]:
        told = "The digests don't lead to the head: what the game is was changed, or an event added or taken away."
        return Check("chain", False, told, field="head")
    if not salted:
        return Check("chain", True, "The digests lead to the head; they open when the game is over.")
    return Check("chain", True, "Every digest opens, and they lead to the head.")


def _opens(salt: bytes, seq: int, at: str, event: Event, digest: bytes) -> bool:
    try:
        return digests.digest(salt, seq, at, event) == digest
    except ValueError:
        return False


def _heads(document: Document) -> list[bytes]:
    """The head before the first event and after each, as far as all have digests."""
    assert document.facts is not None
    heads = [digests.start(document.facts)]
    for each in document.digests:
        if each is None:
            break
        heads.append(digests.chain(heads[-1], each))
    return heads


def _receipts(document: Document, receipts: Sequence[str], keys: Keys) -> Check:
    if not receipts:
        return Check("receipts", True, "None was handed in.")
    if not document.sealed:
        return Check("receipts", False, "The record has no digests to hold a receipt against.")
    right: list[int] = [0]
    wrong: list[int] = []
    heads = _heads(document)
    for place, text in enumerate(receipts, 1):
        try:
            receipt = read_receipt(text, keys, document.game)
        except ReceiptError as error:
            return Check("receipts", False, f"Receipt {place} of {len(receipts)}: {error}")
        (right if _holds(document, heads, receipt) else wrong).append(receipt.seq)
    if not wrong:
        return Check("receipts", True, f"All {len(receipts)} are for this record.")
    seq, count = min(wrong), len(document.events)
    sure = max(each for each in right if each < seq or each == 0)
    if seq > count:
        return Check("receipts", False, f"The record ends before event {seq}, for which there is a receipt.", count + 1)
    told = f"What is receipted at event {seq} is another record: it differs from this one after event {sure}."
    return Check("receipts", False, told, seq)


def _holds(document: Document, heads: Sequence[bytes], receipt: Receipt) -> bool:
    """Whether the head that ``receipt`` was given for is the record's at that seq."""
    if not 0 <= receipt.seq < len(heads):
        return False
    assert document.facts is not None
    # before the first event each client seed that comes in moves the head
    known = [heads[receipt.seq]] if receipt.seq else digests.earlier_starts(document.facts)
    return receipt.head in {head.hex() for head in known}
