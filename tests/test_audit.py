"""The audit: true records pass, and of every false one it says where it is false, by which rule, and why."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final

import pytest

from api.games import LATEST
from api.games.rules import Ruleset
from api.proofs import digests
from api.proofs.receipts import Signer, read_jwks, write_jwks
from api.proofs.shuffle import commitment
from api.records.audit import IllegalRecord, audit, read_record
from api.records.portable import RecordError
from tests.games.test_contract import every_game
from tests.records import played, resealed

Record = dict[str, Any]
Change = Callable[[Record], int | None]
"""Makes a record false, and answers the event at which that must be found, if there is one."""

WAR: Final = LATEST["quadruple-war"]
SEATS: Final = 3

SEALED: Final = played(WAR, SEATS, 1, config={"target": 20, "first_dealer": 0})
SEEDED: Final = played(WAR, SEATS, 2, config={"target": 20}, client_seeds=["one", "two", "three"])
RUNNING: Final = played(WAR, SEATS, 3, config={"first_dealer": 0}, most=30)


def by_hand(record: Record) -> Record:
    """The record as somebody writes it who dealt at a table: no digests, no seed."""
    plain = deepcopy(record)
    for name in ("game", "head", "seed", "commitment", "client_seeds"):
        plain.pop(name, None)
    for event in plain["events"]:
        for name in ("at", "digest", "salt"):
            event.pop(name, None)
    return plain | {"dealer": "client"}


PLAIN: Final = by_hand(SEALED)


def failed(record: Any, *receipts: str) -> list[tuple[str, int | None]]:
    """The checks that fail, each with its event."""
    found = audit(record, receipts, KEYS)
    assert found.ok == all(check.ok for check in found.checks)
    return [(check.check, check.event) for check in found.checks if not check.ok]


# --- true records ---------------------------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("client_seeds", [[], ["the owner's"]])
def test_what_a_service_writes_is_true(ruleset: Ruleset, client_seeds: list[str]) -> None:
    for number, seats in enumerate(ruleset.seats):
        record = played(ruleset, seats, number, client_seeds=client_seeds)
        assert failed(json.loads(json.dumps(record))) == []
        assert read_record(record).document.events
        running = played(ruleset, seats, number, client_seeds=client_seeds, most=5)
        assert failed(running) == []
        assert not {"seed", "result"} & running.keys()
        assert not [event for event in running["events"] if "salt" in event]


def test_an_audit_shows_every_check_and_the_score_sheet() -> None:
    found = audit(SEALED).written()
    assert found["ok"] is True
    assert [check["check"] for check in found["checks"]] == [
        "form",
        "cards",
        "moves",
        "chain",
        "receipts",
        "commitment",
        "deals",
        "ledger",
        "result",
    ]
    assert all(check["detail"] for check in found["checks"])
    assert found["ledger"]["totals"] == SEALED["result"]["totals"]


def test_a_record_written_by_hand_may_leave_out_what_a_service_adds() -> None:
    assert failed(PLAIN) == []
    assert failed({name: value for name, value in PLAIN.items() if name != "result"}) == []


# --- false records --------------------------------------------------------------------------------------------------


def put(name: str, value: Any) -> Change:
    def change(record: Record) -> None:
        record[name] = value

    return change


def drop(name: str) -> Change:
    def change(record: Record) -> None:
        del record[name]

    return change


def put_event(seq: int, /, **fields: Any) -> Change:
    """Changes fields of an event."""

    def change(record: Record) -> int:
        record["events"][seq - 1] = record["events"][seq - 1] | fields
        return seq

    return change


def insert(seq: int, event: Any, found: int | None = None) -> Change:
    def change(record: Record) -> int:
        record["events"].insert(seq - 1, event)
        return found or seq

    return change


def append(event: Record) -> Change:
    def change(record: Record) -> int:
        record["events"].append(event)
        return len(record["events"])

    return change


def remove(seq: int) -> Change:
    def change(record: Record) -> int:
        del record["events"][seq - 1]
        return seq

    return change


def cut(count: int) -> Change:
    """Takes away the last events, and what only a game that is over has, but for what ``count`` leaves in."""

    def change(record: Record) -> None:
        del record["events"][-count:]

    return change


def swap_events(one: int, other: int) -> Change:
    def change(record: Record) -> int:
        events = record["events"]
        events[one - 1], events[other - 1] = events[other - 1], events[one - 1]
        return one

    return change


def on_event(seq: int, work: Callable[[Record], object]) -> Change:
    def change(record: Record) -> int:
        work(record["events"][seq - 1])
        return seq

    return change


def deal_cards(work: Callable[[list[Any]], object]) -> Change:
    return on_event(1, lambda event: work(event["hands"]))


def revoke(record: Record) -> int:
    """A card that does not follow suit, though its player could."""
    replayed: list[list[str]] = []
    led = ""
    count = 0
    for seq, event in enumerate(record["events"], 1):
        if event["type"] == "deal":
            replayed = [list(hand) for hand in event["hands"]]
            count = 0
        if event["type"] != "play":
            continue
        hand = replayed[event["seat"]]
        if count % SEATS == 0:
            led = suit(event["card"])
        elif suit(event["card"]) == led:
            others = [card for card in hand if suit(card) != led]
            if others:
                event["card"] = others[0]
                return seq
        hand.remove(event["card"])
        count += 1
    raise AssertionError("nobody could revoke")


def suit(card: str) -> str:
    return "s" if card[1] in "sJ" else card[1]


def first(record: Record, kind: str, nth: int = 1) -> int:
    """The seq of the nth event of its type."""
    return [seq for seq, event in enumerate(record["events"], 1) if event["type"] == kind][nth - 1]


PLAY: Final = first(PLAIN, "play")
BID: Final = first(PLAIN, "bid")
DEAL: Final = first(PLAIN, "deal")
LAST: Final = len(PLAIN["events"])
DEEP: Any = "Qs"
for _ in range(200):
    DEEP = [DEEP]

NO_RECORDS: Final[dict[str, Any]] = {
    "nothing": None,
    "a number": 17,
    "a text": "tricklog/1",
    "a list": [PLAIN],
    "an empty object": {},
}

REQUIRED: Final = ("format", "ruleset", "version", "config", "players", "dealer", "events")
OF_FORM: Final[dict[str, Change]] = {
    **{f"without {name}": drop(name) for name in REQUIRED},
    **{f"{name} is a fraction": put(name, 1.5) for name in REQUIRED},
    **{f"{name} is null": put(name, None) for name in ("game", "commitment", "seed", "client_seeds", "head", "result")},
    "an unknown field": put("winner", 0),
    "another format": put("format", "tricklog/2"),
    "an unknown ruleset": put("ruleset", "bridge"),
    "an unknown version": put("version", 2),
    "a version that is true": put("version", True),
    "a version of 1.0": put("version", 1.0),
    "one player": put("players", ["Ann"]),
    "six players": put("players", list("ABCDEF")),
    "a player that is no text": put("players", ["Ann", "Ben", 3]),
    "a player that is no Unicode": lambda record: record.update(game="g", players=["Ann", "Ben", "\ud800"]),
    "an unknown option": put("config", {"speed": 3}),
    "an option out of range": put("config", {"target": 0}),
    "an option of another type": put("config", {"target": "20"}),
    "an option that is true for 1": put("config", {"target": True}),
    "an unknown dealer": put("dealer", "Ann"),
    "a seed of who dealt at a table": put("seed", "00" * 32),
    "a commitment of who dealt at a table": put("commitment", "00" * 32),
    "client seeds of who dealt at a table": put("client_seeds", ["a"]),
    "a head without digests": lambda record: record.update(game="g", head="00" * 32),
    "a result without winners": put("result", {"totals": [1, 2, 3]}),
    "a result with more": lambda record: record["result"].update(best=1),
    "totals that are text": lambda record: record["result"].update(totals=["1", "2", "3"]),
    "totals with fractions": lambda record: record["result"].update(
        totals=[float(each) for each in record["result"]["totals"]]
    ),
    "an event that is null": insert(3, None),
    "an event that is a list": insert(3, ["play", "Qs"]),
    "an event without a type": insert(3, {"seat": 1}),
    "an event whose type is a list": insert(3, {"type": ["play"]}),
    "a time that is null": put_event(3, at=None),
    "a time that is a number": put_event(3, at=1700000000),
    "a day that isn't": put_event(3, at="2026-02-30T00:00:00Z"),
    "a time without a zone": put_event(3, at="2026-02-03T00:00:00"),
    "a week for a day": put_event(3, at="2026-W05-2T00:00:00Z"),
    "nanoseconds": put_event(3, at="2026-02-03T00:00:00.123456789Z"),
    "a time before all time": put_event(3, at="0001-01-01T00:00:00+14:00"),
}

OF_SEALS: Final[dict[str, Change]] = {
    "a seed in capitals": lambda record: record.update(seed=record["seed"].upper()),
    "a seed that is short": lambda record: record.update(seed=record["seed"][2:]),
    "a head that is long": lambda record: record.update(head=record["head"] + "00"),
    "a head with a space": lambda record: record.update(head=" " + record["head"][1:]),
    "no id, but digests": drop("game"),
    "a digest in capitals": on_event(4, lambda event: event.update(digest=event["digest"].upper())),
    "a digest that is a number": put_event(4, digest=4),
    "a salt that is short": on_event(4, lambda event: event.update(salt=event["salt"][2:])),
    "a salt with spaces": on_event(4, lambda event: event.update(salt="  " + event["salt"][2:])),
    "one event with a salt, and no digest": on_event(4, lambda event: event.pop("digest")),
    "one event without a time": on_event(4, lambda event: event.pop("at")),
    "a time in another spelling": on_event(4, lambda event: event.update(at=event["at"][:-1] + "+00:00")),
    "a time to the second": on_event(4, lambda event: event.update(at=event["at"][:19] + "Z")),
    "two client seeds for three": put("client_seeds", ["a", "b"]),
    "a client seed that is empty": put("client_seeds", [""]),
    "a client seed that is a number": put("client_seeds", [1]),
    "a client seed that is long": put("client_seeds", ["a" * 300]),
}

OF_CARDS: Final[dict[str, Change]] = {
    "a card dealt twice": deal_cards(lambda hands: hands[0].__setitem__(0, hands[1][0])),
    "a card dealt twice to one": deal_cards(lambda hands: hands[0].__setitem__(0, hands[0][1])),
    "a card missing": deal_cards(lambda hands: hands[2].pop()),
    "a card too many for one": deal_cards(lambda hands: hands[0].append(hands[1].pop())),
    "a card from another pack": deal_cards(lambda hands: hands[0].__setitem__(0, "1z")),
    "a hand too few": deal_cards(lambda hands: hands.pop()),
    "a hand that is no list": deal_cards(lambda hands: hands.__setitem__(0, "As")),
    "a hand of numbers": deal_cards(lambda hands: hands.__setitem__(0, list(range(18)))),
    "a deal with more to it": put_event(DEAL, stock=[]),
    "a deal that nothing calls for": insert(PLAY, PLAIN["events"][DEAL - 1]),
    "a draw that nothing calls for": insert(1, {"type": "draw", "cards": ["As", "Ks", "Qs"]}),
    "a card that another holds": lambda record: put_event(
        PLAY, card=record["events"][DEAL - 1]["hands"][(record["events"][PLAY - 1]["seat"] + 1) % SEATS][0]
    )(record),
    "a card that was played": lambda record: put_event(
        first(record, "play", SEATS + 1), card=_earlier(record, first(record, "play", SEATS + 1))
    )(record),
}


def _earlier(record: Record, seq: int) -> str:
    """A card that the player of event ``seq`` has played before."""
    seat = record["events"][seq - 1]["seat"]
    earlier = record["events"][: seq - 1]
    cards = [event["card"] for event in earlier if event["type"] == "play" and event["seat"] == seat]
    return str(cards[0])


OF_MOVES: Final[dict[str, Change]] = {
    "a move before the deal": insert(1, {"seat": 0, "type": "bid", "tricks": 1}),
    "a move out of turn": lambda record: put_event(PLAY, seat=(record["events"][PLAY - 1]["seat"] + 1) % SEATS)(record),
    "a bid out of turn": lambda record: put_event(BID, seat=(record["events"][BID - 1]["seat"] + 2) % SEATS)(record),
    "a bid among the plays": insert(PLAY, {"seat": 0, "type": "bid", "tricks": 1}),
    "a play among the bids": insert(BID, {"seat": 1, "type": "play", "card": "2c"}),
    "a seat that isn't there": put_event(PLAY, seat=SEATS),
    "a seat below nought": put_event(PLAY, seat=-1),
    "a seat that is text": put_event(PLAY, seat="0"),
    "a seat that is true": put_event(PLAY, seat=True),
    "a seat that is null": put_event(PLAY, seat=None),
    "a move of no known type": put_event(PLAY, type="fold"),
    "a move with more to it": put_event(PLAY, trump="s"),
    "a move with its seq": put_event(PLAY, seq=PLAY),
    "a move with less to it": on_event(PLAY, lambda event: event.pop("card")),
    "a card that is a list": put_event(PLAY, card=["Qs"]),
    "a card that is an object": put_event(PLAY, card={"rank": "Q"}),
    "a card deep down": put_event(PLAY, card=DEEP),
    "a card that isn't one": put_event(PLAY, card="1s"),
    "a suit not followed": revoke,
    "a bid of nothing": put_event(BID, tricks=0),
    "a bid of more than all": put_event(BID, tricks=99),
    "a bid beyond all numbers": put_event(BID, tricks=10**30),
    "a bid of a fraction": put_event(BID, tricks=1.0),
    "a bid that is true": put_event(BID, tricks=True),
    "an event twice": lambda record: insert(PLAY + 1, record["events"][PLAY - 1])(record),
    "an event left out": remove(PLAY),
    "the first event left out": remove(1),
    "two events the other way round": swap_events(PLAY, PLAY + 1),
    "a move after the end": append({"seat": 0, "type": "bid", "tricks": 1}),
    "a deal after the end": append({"type": "deal", "hands": []}),
    "abandoned after the end": append({"type": "abandon", "reason": "late"}),
    "taken back after the end": append({"type": "takeback", "to": 1}),
    "taken back to what is to come": insert(PLAY, {"type": "takeback", "to": PLAY + 5}),
    "taken back nothing": insert(PLAY, {"type": "takeback", "to": PLAY - 1}),
    "taken back to a text": insert(PLAY, {"type": "takeback", "to": "1"}),
    "taken back to true": insert(PLAY, {"type": "takeback", "to": True}),
    "taken back by a seat": insert(PLAY, {"seat": 0, "type": "takeback", "to": 1}),
    "abandoned for nothing": insert(PLAY, {"type": "abandon"}),
    "abandoned for a number": insert(PLAY, {"type": "abandon", "reason": 3}),
    "played on when abandoned": insert(PLAY, {"type": "abandon", "reason": "tired"}, PLAY + 1),
}

OF_RESULTS: Final[dict[str, Change]] = {
    "a total too high": lambda record: record["result"]["totals"].__setitem__(0, 1000),
    "totals in another order": lambda record: record["result"]["totals"].reverse(),
    "a total too many": lambda record: record["result"]["totals"].append(0),
    "another winner": lambda record: record["result"].update(winners=[(record["result"]["winners"][0] + 1) % SEATS]),
    "no winner": lambda record: record["result"].update(winners=[]),
    "the end of a game cut short": cut(1),
}


def _with(record: Record, **fields: Any) -> Record:
    return deepcopy(record) | fields


def cases(*tables: tuple[Record, str, dict[str, Change]]) -> list[Any]:
    return [
        pytest.param(base, check, change, id=f"{check}-{name}")
        for base, check, table in tables
        for name, change in table.items()
    ]


@pytest.mark.parametrize("value", NO_RECORDS.values(), ids=NO_RECORDS)
def test_what_is_no_record_is_said_to_be_none(value: Any) -> None:
    assert failed(value) == [("form", None)]
    with pytest.raises(RecordError):
        read_record(value)


@pytest.mark.parametrize(
    ("base", "check", "change"),
    cases(
        (PLAIN, "form", OF_FORM),
        (SEALED, "form", OF_SEALS),
        (PLAIN, "cards", OF_CARDS),
        (PLAIN, "moves", OF_MOVES),
        (PLAIN, "result", OF_RESULTS),
    ),
)
def test_a_false_record_is_refused_with_the_place_and_the_reason(base: Record, check: str, change: Change) -> None:
    record = deepcopy(base)
    event = change(record)
    found = audit(record)
    [(first_failed, place), *_] = failed(record)
    assert (first_failed, place) == (check, event)
    told = next(each for each in found.checks if not each.ok)
    assert told.detail
    assert (told.rule is not None) == (check in ("cards", "moves"))
    with pytest.raises((RecordError, IllegalRecord)) as raised:
        read_record(record)
    if isinstance(raised.value, IllegalRecord):
        assert (raised.value.index, raised.value.refusal.rule) == ((event or 0) - 1, told.rule)
    else:
        assert isinstance(raised.value, RecordError)
        assert raised.value.errors


def test_there_are_more_than_a_hundred_of_them() -> None:
    assert sum(map(len, (NO_RECORDS, OF_FORM, OF_SEALS, OF_CARDS, OF_MOVES, OF_RESULTS))) > 100


def test_the_valid_part_is_told_and_its_score_sheet_kept() -> None:
    record = deepcopy(PLAIN)
    record["events"].append({"seat": 0, "type": "bid", "tricks": 1})
    found = audit(record)
    moves = next(check for check in found.checks if check.check == "moves")
    assert f"Events 1 to {LAST} are valid." in moves.detail
    assert moves.rule == "common.over"
    assert found.written()["ledger"]["totals"] == SEALED["result"]["totals"]


# --- what binds a record --------------------------------------------------------------------------------------------

KEPT: Final = {
    "a card": put_event(PLAY, card="2c"),
    "a seat": lambda record: put_event(PLAY, seat=(record["events"][PLAY - 1]["seat"] + 1) % SEATS)(record),
    "a time": put_event(PLAY, at="2026-01-31T00:00:00.000000Z"),
    "a digest": put_event(PLAY, digest="00" * 32),
    "a salt": put_event(PLAY, salt="00" * 16),
    "the order": swap_events(PLAY, PLAY + 1),
    "no digest": on_event(PLAY, lambda event: (event.pop("digest"), event.pop("salt"))),
    "no salt": on_event(PLAY, lambda event: event.pop("salt")),
    "an event gone": remove(PLAY),
    "an event twice": lambda record: insert(PLAY + 1, record["events"][PLAY - 1])(record),
    "an event of another game": put_event(PLAY, **SEEDED["events"][PLAY - 1]),
}


@pytest.mark.parametrize("change", KEPT.values(), ids=KEPT)
def test_a_changed_event_does_not_open_its_digest(change: Change) -> None:
    record = deepcopy(SEALED)
    event = change(record)
    assert ("chain", event) in failed(record)


BOUND: Final = {
    "the game": put("game", "another"),
    "a player's name": put("players", ["Ann", "Ben", "Cleo"]),
    "the config": lambda record: record["config"].update(target=21),
    "the commitment": put("commitment", "00" * 32),
    "a client seed": put("client_seeds", ["one", "two", "free"]),
    "the head": put("head", "00" * 32),
    "the last event gone": cut(1),
    "the last ten events gone": cut(10),
}


@pytest.mark.parametrize("change", BOUND.values(), ids=BOUND)
def test_the_head_binds_what_the_game_is_and_how_far_it_went(change: Change) -> None:
    record = deepcopy(SEEDED)
    change(record)
    assert "chain" in [check for check, _ in failed(record)]
    with pytest.raises((RecordError, IllegalRecord)):
        read_record(record)


def test_a_running_game_has_a_chain_that_opens_later() -> None:
    assert failed(RUNNING) == []
    for change in (put("game", "another"), cut(1), put_event(9, digest="00" * 32), put("head", "00" * 32)):
        record = deepcopy(RUNNING)
        change(record)
        assert [check for check, _ in failed(record)] == ["chain"]


def test_a_game_that_is_over_shows_its_salts_and_a_running_one_keeps_them() -> None:
    record = deepcopy(SEALED)
    for event in record["events"]:
        del event["salt"]
    assert failed(record) == [("chain", 1)]
    with pytest.raises(RecordError):
        read_record(record)
    cut_short = deepcopy(SEALED)
    cut(5)(cut_short)
    for name in ("head", "result", "seed"):
        del cut_short[name]
    assert failed(cut_short) == [("chain", LAST - 4)]


# --- deals ----------------------------------------------------------------------------------------------------------


def test_a_game_that_its_service_dealt_is_not_proved_without_its_seed() -> None:
    record = {name: value for name, value in SEALED.items() if name != "seed"}
    assert failed(record) == [("commitment", None), ("deals", None)]
    assert read_record(record).document.seed is None


def test_the_seed_is_the_one_committed_to() -> None:
    other = bytes(32).hex()
    assert ("commitment", None) in failed(_with(SEALED, seed=other))
    committed = resealed(_with(SEALED, seed=other, commitment=commitment(bytes(32)).hex()))
    assert [check for check, _ in failed(committed)] == ["deals"]
    assert ("commitment", None) in failed({name: each for name, each in SEALED.items() if name != "commitment"})


def test_a_seed_comes_when_the_game_is_over() -> None:
    assert failed(_with(RUNNING, seed=played(WAR, SEATS, 3, config={"first_dealer": 0})["seed"])) == [
        ("commitment", None)
    ]


@every_game
def test_a_deal_changed_and_sealed_anew_is_not_the_seeds(ruleset: Ruleset) -> None:
    record = deepcopy(played(ruleset, ruleset.seats[-1], 4))
    seq = first(record, "deal")
    hands = record["events"][seq - 1]["hands"]
    hands[0][0], hands[1][0] = hands[1][0], hands[0][0]
    found = audit(resealed(record))
    deals = next(check for check in found.checks if check.check == "deals")
    assert (deals.ok, deals.event, deals.rule) == (False, seq, "common.deal")
    with pytest.raises(IllegalRecord) as raised:
        read_record(resealed(record))
    assert raised.value.refusal.rule.startswith(("common.", ruleset.id))


@pytest.mark.parametrize("seeds", [["one", "two", "four"], ["two", "one", "three"], ["one"], []])
def test_other_client_seeds_deal_other_cards(seeds: list[str]) -> None:
    record = {name: value for name, value in SEEDED.items() if name != "client_seeds"}
    if seeds:
        record["client_seeds"] = seeds
    assert ("deals", 1) in failed(resealed(record))


def test_no_card_is_dealt_before_every_client_seed_is_in() -> None:
    assert ("deals", 1) in failed(resealed(_with(SEEDED, client_seeds=["one", None, "three"])))


# --- receipts -------------------------------------------------------------------------------------------------------

SIGNER: Final = Signer("key", b"\7" * 32)
KEYS: Final = read_jwks(write_jwks({"key": SIGNER.public}))


def receipt(record: Record, seq: int) -> str:
    """What the record's service gave for event ``seq``."""
    facts: Record = {name: record[name] for name in FACTS if name in record}
    head = digests.start(facts)
    for event in record["events"][:seq]:
        head = digests.chain(head, bytes.fromhex(event["digest"]))
    return SIGNER.sign(record["game"], seq, head)


FACTS: Final = (
    "format",
    "game",
    "ruleset",
    "version",
    "config",
    "players",
    "dealer",
    "commitment",
    "client_seeds",
)


def test_receipts_of_a_true_record_hold() -> None:
    for record in (SEALED, SEEDED, RUNNING):
        assert failed(record, *[receipt(record, seq) for seq in range(len(record["events"]) + 1)]) == []


def test_a_receipt_for_a_client_seed_holds_when_the_others_have_come() -> None:
    early = _with(SEEDED, client_seeds=[None, "two", None])
    assert failed(SEEDED, receipt(early, 0)) == []
    assert failed(SEEDED, receipt(_with(SEEDED, client_seeds=[None, "too", None]), 0)) == [("receipts", 0)]


def test_a_record_rewritten_whole_parts_from_what_was_receipted() -> None:
    given = [receipt(SEALED, seq) for seq in (PLAY - 1, PLAY + 4, PLAY + 9)]
    rewritten = deepcopy(SEALED)
    rewritten["events"][PLAY]["at"] = "2026-01-30T00:00:00.000000Z"
    rewritten = resealed(rewritten)
    assert failed(rewritten) == []
    found = audit(rewritten, given, KEYS)
    [told] = [check for check in found.checks if not check.ok]
    assert (told.check, told.event) == ("receipts", PLAY + 4)
    assert f"after event {PLAY - 1}" in told.detail


def test_a_record_that_ends_before_a_receipt_was_cut() -> None:
    assert failed(RUNNING, receipt(SEALED | {"game": RUNNING["game"]}, 31)) == [("receipts", 31)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("no receipt", id="no receipt"),
        pytest.param(receipt(SEEDED, 5), id="of another game"),
        pytest.param(Signer("key", b"\6" * 32).sign(SEALED["game"], 5, bytes(32)), id="of another key"),
        pytest.param(SIGNER.sign(SEALED["game"], -1, bytes(32)), id="of no event"),
    ],
)
def test_what_is_no_receipt_for_it_proves_nothing(text: str) -> None:
    assert [check for check, _ in failed(SEALED, text)] == ["receipts"]


def test_a_record_without_digests_holds_no_receipt() -> None:
    assert failed(PLAIN | {"game": SEALED["game"]}, receipt(SEALED, 3)) == [("receipts", None)]
