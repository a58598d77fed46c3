"""Soda, a case for every rule: each is named after the rule that it checks."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

import pytest

from api.games.rules import (
    PUBLIC,
    TABLE,
    ConfigError,
    IllegalMove,
    Seen,
    apply,
    read_config,
    view_effect,
    view_event,
    view_line,
    view_state,
)
from api.games.soda import RULESET

PACK = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]


class Table:
    """A game that the test deals: every event goes through ``apply``. Seat 0 deals first, so seat 1 leads."""

    def __init__(self, seats: int, **config: Any) -> None:
        self.state = RULESET.start(read_config(RULESET, {"first_dealer": 0, **config}, seats), seats)
        self.seq = 0

    def send(self, event: Mapping[str, Any], view: Seen = PUBLIC) -> list[dict[str, Any]]:
        """Plays the event; its effects as ``view`` sees them."""
        effects = apply(self.state, event, self.seq + 1)
        self.seq += 1
        return [view_effect(effect, view) for effect in effects]

    def deal(self, hands: Mapping[int, str] | None = None, stock: str = "") -> None:
        """Deals each seat the cards named and the lowest of the rest; the stock begins with the cards named for it."""
        named = {seat: text.split() for seat, text in (hands or {}).items()}
        top = stock.split()
        taken = {card for cards in [*named.values(), top] for card in cards}
        rest = [card for card in PACK if card not in taken]
        dealt = []
        for seat in range(self.state.seats):
            hand = named.get(seat, [])
            missing = 5 - len(hand)
            dealt.append(hand + rest[:missing])
            rest = rest[missing:]
        self.send({"type": "deal", "hands": dealt, "stock": top + rest})

    def reshuffle(self, top: str = "", view: Seen = PUBLIC) -> list[dict[str, Any]]:
        """Makes the draw pile of the discards, those of ``top`` first; the effects."""
        cards = top.split()
        rest = [card for card in self.discards() if card not in cards]
        return self.send({"type": "reshuffle", "stock": cards + rest}, view)

    def event(self, word: str) -> dict[str, Any]:
        """A card, or ``no``, of the seat in turn."""
        (seat,) = self.state.to_act
        return {"seat": seat, "type": "no"} if word == "no" else {"seat": seat, "type": "play", "card": word}

    def play(self, words: str, view: Seen = PUBLIC) -> list[dict[str, Any]]:
        """Cards and Noes, each by the seat in turn; the effects of the last."""
        effects: list[dict[str, Any]] = []
        for word in words.split():
            effects = self.send(self.event(word), view)
        return effects

    def hands(self, count: int) -> list[dict[str, Any]]:
        """So many hands of their leader's lowest card and a No; the effects of the last."""
        effects: list[dict[str, Any]] = []
        for _ in range(count):
            effects = self.play(self.hand(self.state.to_act[0])[0] + " no")
        return effects

    def refused(self, event: Mapping[str, Any]) -> str:
        """The rule under which the event is refused; nothing changes by it."""
        before = view_state(RULESET, self.state, TABLE)
        with pytest.raises(IllegalMove) as refusal:
            apply(self.state, event, self.seq + 1)
        assert view_state(RULESET, self.state, TABLE) == before
        return refusal.value.rule

    def seen(self, view: Seen = PUBLIC) -> dict[str, Any]:
        return view_state(RULESET, self.state, view)

    def hand(self, seat: int) -> list[str]:
        cards: list[str] = self.seen(seat)["hands"][seat]["cards"]
        return cards

    def counts(self) -> list[int]:
        return [hand["count"] for hand in self.seen()["hands"]]

    def stock(self) -> list[str]:
        cards: list[str] = self.seen(TABLE)["table"]["stock"]["cards"]
        return cards

    def discards(self) -> list[str]:
        cards: list[str] = self.seen()["table"]["discards"]
        return cards


def drawn(effects: Sequence[Mapping[str, Any]]) -> list[tuple[int, str]]:
    """Who drew which cards, as the table sees it, in that order."""
    return [(each["seat"], " ".join(each["cards"])) for each in effects if each["type"] == "cards-drawn"]


# --- config, dealer and deal --------------------------------------------------------------------------------------


def test_config_defaults() -> None:
    assert read_config(RULESET, {}, 4) == {"suits": ["c", "d", "h", "s"], "first_dealer": "random"}


@pytest.mark.parametrize("suits", [list(order) for order in permutations("cdhs")], ids="".join)
def test_suits_accepted(suits: list[str]) -> None:
    """soda.round: the scoring cards come up in the order of ``suits``, from two to ten in each round."""
    table = Table(2, suits=suits)
    for suit in suits:
        assert table.seen()["table"]["scoring_card"] == "2" + suit
        table.deal()
        for rank in "23456789T":
            assert table.seen()["table"]["scoring_card"] == rank + suit
            table.hands(1)
    assert table.seen()["table"]["scoring_card"] is None


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("suits", ["c", "d", "h"]), ("suits", ["c", "d", "h", "s", "c"]), ("suits", ["c", "d", "h", "h"]),
        ("suits", "cdhs"), ("suits", ["c", "d", "h", 1]), ("suits", ["c", "d", "h", ["s"]]), ("suits", None),
        ("first_dealer", 3), ("first_dealer", -1), ("first_dealer", True), ("first_dealer", "draw"), ("rounds", 4),
    ],
)  # fmt: skip
def test_config_refused(option: str, value: Any) -> None:
    with pytest.raises(ConfigError) as refusal:
        read_config(RULESET, {option: value}, 3)
    assert list(refusal.value.errors) == [option]


@pytest.mark.parametrize("seats", RULESET.seats)
def test_random_first_dealer(seats: int) -> None:
    """The chance event ``dealer`` comes once, first, and names any seat of the game."""
    table = Table(seats, first_dealer="random")
    assert (table.seen()["phase"], table.seen()["dealer"], table.seen()["chance"]) == (
        "dealer",
        None,
        {"type": "dealer"},
    )
    for dealer in (-1, seats, True, None, "0"):
        assert table.refused({"type": "dealer", "dealer": dealer}) == "common.deal"
    assert table.refused({"type": "dealer"}) == "common.deal"
    assert table.refused({"type": "deal", "hands": [], "stock": []}) == "common.deal"
    assert table.refused({"seat": 0, "type": "no"}) == "common.phase"
    table.send({"type": "dealer", "dealer": seats - 1})
    assert (table.seen()["phase"], table.seen()["dealer"]) == ("deal", seats - 1)
    assert table.refused({"type": "dealer", "dealer": 0}) == "common.deal"
    table.deal()
    assert table.state.to_act == (0,)


@pytest.mark.parametrize("seats", RULESET.seats)
def test_deal(seats: int) -> None:
    """soda.round and common.deal: five cards each, all others in the draw pile."""
    table = Table(seats)
    hands = [PACK[5 * seat : 5 * seat + 5] for seat in range(seats)]
    stock = PACK[5 * seats :]
    assert table.seen()["chance"] == {"type": "deal", "hands": [5] * seats, "stock": len(stock)}
    for wrong in (
        {"hands": [hands[0][:4], *hands[1:]], "stock": [*stock, hands[0][4]]},
        {"hands": [[*hands[0], stock[0]], *hands[1:]], "stock": stock[1:]},
        {"hands": hands[1:], "stock": stock},
        {"hands": hands, "stock": stock[1:]},
        {"hands": hands, "stock": [*stock, hands[0][0]]},
        {"hands": hands, "stock": [hands[0][0], *stock[1:]]},
        {"hands": hands, "stock": [stock[1], *stock[1:]]},
        {"hands": hands, "stock": ["BJ", *stock[1:]]},
        {"hands": hands},
        {"hands": hands, "stock": stock, "seat": 0},
    ):
        assert table.refused({"type": "deal", **wrong}) == "common.deal"
    table.send({"type": "deal", "hands": hands, "stock": stock})
    assert (table.counts(), table.stock()) == ([5] * seats, stock)
    assert table.seen()["table"]["stock"] == {"count": len(stock)}
    assert table.state.to_act == (1,)


def test_deal_is_for_those_who_get_the_cards() -> None:
    """soda.round: a player sees its own five cards, and nobody the draw pile."""
    table = Table(2)
    event = {"type": "deal", "hands": [PACK[:5], PACK[5:10]], "stock": PACK[10:]}
    table.send(event)
    assert view_event(table.state, event, PUBLIC) == {"type": "deal", "redacted": True}
    assert view_event(table.state, event, 1) == {"type": "deal", "hands": [None, PACK[5:10]], "redacted": True}
    assert view_event(table.state, event, TABLE) == event


# --- moves --------------------------------------------------------------------------------------------------------

HANDS = {0: "3c 7c Ks", 1: "2d 7d 9d", 2: "7h Th Ah", 3: "4s 7s 9s"}
# four seats: cards laid, then a move and the rule that refuses it
MOVES = [
    pytest.param("", "2d", None, id="soda.play.follow-leader-plays-low"),
    pytest.param("", "9d", None, id="soda.play.follow-leader-plays-high"),
    pytest.param("9d", "Th", None, id="soda.play.follow-higher"),
    pytest.param("7d", "7h", None, id="soda.play.follow-equal"),
    pytest.param("7d", "Ah", None, id="soda.play.follow-ace"),
    pytest.param("9d", "7h", "soda.play.follow", id="soda.play.follow-lower"),
    pytest.param("7d 7h", "4s", "soda.play.follow", id="soda.play.follow-lower-than-the-last-of-two"),
    pytest.param("2d Th", "7s", "soda.play.follow", id="soda.play.follow-the-last-card-and-not-the-first"),
    pytest.param("", "no", "soda.play.no", id="soda.play.no-by-the-leader"),
    pytest.param("2d", "no", None, id="soda.play.no-though-it-could-play"),
    pytest.param("2d 7h 7s Ks", "no", None, id="soda.play.no-by-the-leader-when-the-turn-comes-again"),
    pytest.param("2d no", "no", "soda.play.no", id="soda.play.no-by-the-leader-of-the-next-hand"),
    pytest.param("", "7h", "common.holds", id="common.holds-card-of-another"),
    pytest.param("2d 7h 7s 7c", "2d", "common.holds", id="common.holds-card-laid"),
    pytest.param("9d", "7d", "common.holds", id="common.holds-comes-before-soda.play.follow"),
]


@pytest.mark.parametrize(("played", "word", "rule"), MOVES)
def test_move(played: str, word: str, rule: str | None) -> None:
    table = Table(4)
    table.deal(HANDS)
    table.play(played)
    event = table.event(word)
    listed = {name: value for name, value in event.items() if name != "seat"} in RULESET.legal(
        table.state, event["seat"]
    )
    assert listed == (rule is None)
    if rule is None:
        table.send(event)
    else:
        assert table.refused(event) == rule


@pytest.mark.parametrize(
    ("event", "rule"),
    [
        ({"seat": 1, "type": "play"}, "common.shape"),
        ({"seat": 1, "type": "play", "card": "BJ"}, "common.shape"),
        ({"seat": 1, "type": "play", "card": ["2d"]}, "common.shape"),
        ({"seat": 1, "type": "play", "card": "2d", "cards": ["2d"]}, "common.shape"),
        ({"seat": 1, "type": "no", "card": "2d"}, "common.shape"),
        ({"seat": 1, "type": "pass"}, "common.shape"),
        ({"seat": 4, "type": "play", "card": "2d"}, "common.shape"),
        ({"type": "no"}, "common.shape"),
        ({"seat": 2, "type": "play", "card": "7h"}, "common.turn"),
        ({"seat": 0, "type": "no"}, "common.turn"),
        ({"type": "reshuffle", "stock": []}, "common.deal"),
    ],
)
def test_common_rules(event: dict[str, Any], rule: str) -> None:
    table = Table(4)
    table.deal(HANDS)
    assert table.refused(event) == rule


def test_no_move_before_the_deal() -> None:
    assert Table(4).refused({"seat": 1, "type": "play", "card": "2d"}) == "common.phase"


def test_no_looks_the_same_whether_it_had_to_be_said_or_not() -> None:
    """soda.play.no: everybody else sees the same of it, whatever its player holds."""
    told = []
    for hand in ("2c 2d 2h 2s 3c", "Tc Td Th Ts 3c"):
        table = Table(3)
        table.deal({0: "4c 4d 4h 4s 5c", 1: "9c 9d 9h 9s 8c", 2: hand}, stock="Kc")
        table.play("9c")
        said = table.event("no")
        told.append((view_event(table.state, said, 0), table.send(said, 0), table.seen(0)))
    assert told[0] == told[1]


# --- hands won, leads -------------------------------------------------------------------------------------------------

# four seats: cards laid, then who wins the hand, with which card, and who leads the next
WON = [
    pytest.param("2d no", 1, "2d", 2, id="soda.hand.won-by-the-leader"),
    pytest.param("2d 7h 7s no", 3, "7s", 0, id="soda.hand.won-by-the-last-to-lay-a-card"),
    pytest.param("2d 7h 7s Ks no", 0, "Ks", 1, id="soda.hand.won-by-the-player-before-the-leader"),
    pytest.param("2d Ah", 2, "Ah", 3, id="soda.ace-wins-and-its-left-leads"),
    pytest.param("2d no Ah", 2, "Ah", 3, id="soda.ace-led-wins-too"),
]


@pytest.mark.parametrize(("played", "winner", "card", "leader"), WON)
def test_hand_won(played: str, winner: int, card: str, leader: int) -> None:
    table = Table(4)
    table.deal(HANDS)
    won = next(effect for effect in table.play(played) if effect["type"] == "hand-won")
    scoring_card = "3c" if played.count(" no ") else "2c"
    assert (won["seat"], won["card"], won["scoring_card"]) == (winner, card, scoring_card)
    assert table.seen()["table"]["won"][winner] == [scoring_card]
    assert table.state.to_act == (leader,)
    assert table.seen()["table"]["laid"] == []
    assert table.refused(table.event("no")) == "soda.play.no"


# --- matches ----------------------------------------------------------------------------------------------------------

# four seats: hands, cards laid, how many cards the last one brings
MATCHES = [
    pytest.param(HANDS, "7d", 0, id="soda.play.match-a-single-card"),
    pytest.param(HANDS, "7d 7h", 1, id="soda.play.match-second"),
    pytest.param(HANDS, "7d 7h 7s", 2, id="soda.play.match-third"),
    pytest.param(HANDS, "7d 7h 7s 7c", 3, id="soda.play.match-fourth"),
    pytest.param(HANDS, "2d 7h 7s", 1, id="soda.play.match-counts-from-the-first-equal-card"),
    pytest.param(HANDS, "2d 7h 7s 7c", 2, id="soda.play.match-third-after-another"),
    pytest.param(HANDS, "7d Th", 0, id="soda.play.match-higher-brings-nothing"),
    pytest.param({1: "7d 8d", 2: "7h", 3: "8s", 0: "8c"}, "7d 7h 8s 8c", 1, id="soda.play.match-a-new-row"),
    pytest.param({1: "7d 8d", 2: "7h", 3: "8s", 0: "8c"}, "7d 7h 8s 8c 8d", 2, id="soda.play.match-a-new-row-of-three"),
    pytest.param(HANDS, "7d no 7h", 0, id="soda.play.match-not-over-the-end-of-a-hand"),
    pytest.param(HANDS, "7d no 7h 7s", 1, id="soda.play.match-in-the-next-hand"),
]


@pytest.mark.parametrize(("hands", "played", "count"), MATCHES)
def test_match(hands: dict[int, str], played: str, count: int) -> None:
    table = Table(4)
    table.deal(hands)
    *before, last = played.split()
    table.play(" ".join(before))
    stock = table.stock()
    (seat,) = table.state.to_act
    held = table.counts()[seat]
    effects = table.play(last, TABLE)
    assert drawn(effects) == ([(seat, " ".join(stock[:count]))] if count else [])
    assert table.counts()[seat] == held - 1 + count
    assert table.stock() == stock[count:]
    assert table.state.to_act == ((seat + 1) % 4,)
    assert set(stock[:count]) <= set(table.hand(seat))


def test_drawn_cards_are_for_the_drawer() -> None:
    """soda.play.match: everybody sees how many were drawn, the drawer alone which."""
    views: list[tuple[Seen, list[str] | None]] = [(PUBLIC, None), (1, None), (0, None), (2, ["Kd"]), (TABLE, ["Kd"])]
    for view, cards in views:
        table = Table(4)
        table.deal(HANDS, stock="Kd")
        (effect,) = table.play("7d 7h", view)
        hidden = {"redacted": True} if cards is None else {"cards": cards}
        assert effect == {"type": "cards-drawn", "seat": 2, "count": 1, **hidden}


# --- aces -------------------------------------------------------------------------------------------------------------


def test_ace_on_a_six_takes_all_from_seven_up() -> None:
    """soda.ace: the example of a six and an ace on it, with three players."""
    table = Table(3)
    table.deal({1: "6c 6d 7c 2h Ac", 2: "As Ah Kd 2c 3d", 0: "7h 8h Kc 5s 6s"}, stock="Td Jd Qd")
    effects = table.play("6c As", TABLE)
    assert [effect["type"] for effect in effects[:3]] == ["cards-shown", "cards-shown", "hand-won"]
    assert effects[:2] == [
        {"type": "cards-shown", "seat": 0, "discarded": ["7h", "8h", "Kc"], "cards": ["5s", "6s"]},
        {"type": "cards-shown", "seat": 1, "discarded": ["7c", "Ac"], "cards": ["2h", "6d"]},
    ]
    assert table.discards() == ["6c", "7c", "7h", "8h", "Kc", "Ac", "As"]
    # seat 1 lacks three, seat 2 the ace, seat 0 three
    assert drawn(effects[3:])[:3] == [(1, "Td"), (2, "Jd"), (0, "Qd")]
    assert table.counts() == [5, 5, 5]
    assert {"Ah", "Kd"} <= set(table.hand(2))


def test_shown_hands_are_seen_by_all_at_that_moment_only() -> None:
    """soda.ace: the event shows them to everybody, the state to nobody."""
    for view in (PUBLIC, 0, 1, 2):
        table = Table(3)
        table.deal({1: "6c", 2: "As", 0: "7h 5s"})
        shown = [effect for effect in table.play("6c As", view) if effect["type"] == "cards-shown"]
        assert shown[0]["seat"] == 0
        assert "5s" in shown[0]["cards"]
        assert "redacted" not in shown[0]
        assert [seat for seat, hand in enumerate(table.seen(view)["hands"]) if "cards" in hand] == [
            seat for seat in range(3) if seat == view
        ]


@pytest.mark.parametrize(
    ("hands", "discarded", "kept"),
    [
        pytest.param({1: "Kc", 2: "As", 0: "Ac Kd Qc"}, ["Ac"], ["Qc", "Kd"], id="soda.ace-on-a-king-takes-aces"),
        pytest.param(
            {1: "2c", 2: "As", 0: "3c 4c 5c 6c Ac"}, ["3c", "4c", "5c", "6c", "Ac"], [], id="soda.ace-takes-all"
        ),
        pytest.param(
            {1: "9c", 2: "As", 0: "9d 2d 3d 4d 5d"}, [], ["2d", "3d", "4d", "5d", "9d"], id="soda.ace-takes-none"
        ),
    ],
)
def test_ace_discards(hands: dict[int, str], discarded: list[str], kept: list[str]) -> None:
    table = Table(3)
    table.deal(hands)
    effects = table.play(f"{hands[1]} As")
    assert effects[0]["seat"] == 0
    assert effects[0]["discarded"] == discarded
    assert set(kept) <= set(effects[0]["cards"])
    assert not set(discarded) & set(effects[0]["cards"])


def test_ace_led_discards_and_shows_nothing() -> None:
    """soda.ace"""
    table = Table(3)
    table.deal({1: "Ac", 0: "Kc", 2: "Kd Ad"}, stock="Td")
    effects = table.play("Ac", TABLE)
    assert [effect["type"] for effect in effects] == ["hand-won", "cards-drawn"]
    assert table.discards() == ["Ac"]
    assert {"Kd", "Ad"} <= set(table.hand(2))
    assert table.state.to_act == (2,)


def test_ace_on_equal_cards_counts_from_their_rank() -> None:
    """soda.ace and soda.play.match: no bonus for the ace, and the row before it kept its own."""
    table = Table(3)
    table.deal({1: "7c", 2: "7d", 0: "Ah"}, stock="Kc")
    assert drawn(table.play("7c 7d", TABLE)) == [(2, "Kc")]
    effects = table.play("Ah", TABLE)
    assert [effect["type"] for effect in effects[:3]] == ["cards-shown", "cards-shown", "hand-won"]
    assert "Kc" in effects[1]["discarded"]


# --- refill -----------------------------------------------------------------------------------------------------------

# four seats, seat 0 dealing, the draw pile Tc Jc Qc Kc …: hands, cards laid, who then gets which cards in which order
REFILLS = [
    pytest.param(HANDS, "2d no", [(1, "Tc")], id="soda.refill-one-card-laid"),
    pytest.param(
        HANDS, "2d 7h 9s Ks no", [(1, "Tc"), (2, "Jc"), (3, "Qc"), (0, "Kc")],
        id="soda.refill-left-of-the-dealer-first-and-the-dealer-last",
    ),
    pytest.param(
        {1: "2d 9d", 2: "3h", 3: "4s", 0: "5c"}, "2d 3h 4s 5c 9d no",
        [(1, "Tc"), (2, "Jc"), (3, "Qc"), (0, "Kc"), (1, "Ac")], id="soda.refill-again-and-again",
    ),
    pytest.param({1: "7d", 2: "7h"}, "7d 7h no", [(1, "Jc")], id="soda.refill-not-with-five"),
    pytest.param({1: "7d", 2: "7h", 3: "7s"}, "7d 7h 7s no", [(1, "Kc")], id="soda.refill-not-with-more-than-five"),
    pytest.param(
        {1: "2c 2d 2h Qs Ks", 2: "Ad", 3: "2s 3c 4c 5c 6c", 0: "3h 7h 8h 9h 9d"}, "2c Ad",
        [(1, "Tc"), (2, "Jc"), (3, "Qc"), (0, "Kc"), (1, "Ac"), (3, "Td"), (0, "Jd"), (1, "Qd"), (3, "Kd"), (0, "Jh"),
         (3, "Qh"), (0, "Kh"), (0, "6s")],
        id="soda.refill-after-an-ace",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("hands", "played", "draws"), REFILLS)
def test_refill(hands: dict[int, str], played: str, draws: list[tuple[int, str]]) -> None:
    table = Table(4)
    table.deal(hands, "Tc Jc Qc Kc Ac Td Jd Qd Kd Jh Qh Kh 6s")
    assert drawn(table.play(played, TABLE)) == draws


def test_refilled_cards_are_for_those_who_get_them() -> None:
    """soda.refill: everybody sees who gets how many, each player only its own."""
    table = Table(4)
    table.deal(HANDS, "Tc Jc")
    effects = [effect for effect in table.play("2d Th no", 1) if effect["type"] == "cards-drawn"]
    assert effects == [
        {"type": "cards-drawn", "seat": 1, "count": 1, "cards": ["Tc"]},
        {"type": "cards-drawn", "seat": 2, "count": 1, "redacted": True},
    ]


# --- reshuffles -------------------------------------------------------------------------------------------------------

SIX = {
    1: "2c 3h 5c 7c 8c",
    2: "2d 3s 5d 7d 8d",
    3: "2h 4c 5h 6c 7h",
    4: "2s 4d 5s 6d As",
    5: "3c 4h 6h 7s 8h",
    0: "3d 4s 6s 8s 9c",
}
"""Six hands from which the row of EQUALS can be laid, seat 1 first."""

EQUALS = "2c 2d 2h 2s 3c 3d 3h 3s 4c 4d 4h 4s 5c 5d 5h 5s"
"""The cards that bring 0, 1, 2 and 3 of the 22 in the draw pile, four times over: the last one finds only one left."""


def row(cards: int) -> Table:
    """A game of six in which so many of EQUALS have been laid."""
    table = Table(6)
    table.deal(SIX)
    table.play(" ".join(EQUALS.split()[:cards]))
    return table


def test_bonus_of_what_is_left() -> None:
    """soda.play.match: of three cards only one is there, and the cards of the hand in progress are no discards."""
    table = row(15)
    assert table.seen()["table"]["stock"] == {"count": 1}
    (last,) = table.stock()
    assert drawn(table.play("5s", TABLE)) == [(4, last)]
    assert (table.stock(), table.discards(), table.seen()["chance"]) == ([], [], None)
    assert table.state.to_act == (5,)


def test_bonus_of_nothing() -> None:
    """soda.play.match: no card is left anywhere but in hands and in the hand in progress."""
    table = row(16)
    assert table.play("6h 6s") == []
    assert table.counts()[0] == 6
    assert table.state.to_act == (1,)


def test_reshuffle_when_a_hand_has_ended() -> None:
    """soda.reshuffle: before the refill; the state waits for exactly the discards."""
    table = row(16)
    effects = table.play("no")
    assert [effect["type"] for effect in effects] == ["hand-won"]
    seen = table.seen()
    assert (seen["phase"], seen["to_act"], seen["chance"]) == ("reshuffle", [], {"type": "reshuffle", "stock": 16})
    assert seen["table"]["discards"] == EQUALS.split()
    assert [RULESET.legal(table.state, seat) for seat in range(6)] == [[]] * 6
    cards = EQUALS.split()
    for wrong in (cards[1:], [*cards, "9d"], ["9d", *cards[1:]], [cards[1], *cards[1:]], [*cards, cards[0]], []):
        assert table.refused({"type": "reshuffle", "stock": wrong}) == "common.deal"
    assert table.refused({"type": "reshuffle"}) == "common.deal"
    assert table.refused({"seat": 5, "type": "play", "card": "3c"}) == "common.phase"
    before = table.counts()
    effects = table.reshuffle("5s 2c", TABLE)
    assert drawn(effects) == [(1, "5s")]
    assert table.counts() == [count + (seat == 1) for seat, count in enumerate(before)]
    assert table.stock()[0] == "2c"
    assert (table.seen()["phase"], table.state.to_act, table.discards()) == ("play", (5,), [])


def test_reshuffle_though_no_card_is_wanted() -> None:
    """soda.reshuffle: the last card of a refill empties the draw pile."""
    table = row(15)
    effects = table.play("no", TABLE)
    assert [seat for seat, _ in drawn(effects)] == [1]
    assert table.seen()["chance"] == {"type": "reshuffle", "stock": 15}
    assert min(table.counts()) == 5
    assert table.reshuffle() == []
    assert table.state.to_act == (4,)
    assert len(table.stock()) == 15


def test_reshuffle_in_the_middle_of_a_refill() -> None:
    """soda.reshuffle and soda.refill: an ace's discards and the cards laid go in together; the refill goes on."""
    table = row(15)
    held = {seat: table.hand(seat) for seat in range(6)}
    effects = table.play("As", TABLE)
    discarded = [card for seat in range(6) if seat != 4 for card in held[seat] if card[0] not in "2345"]
    assert [card for effect in effects for card in effect.get("discarded", [])] == [
        card for seat in (5, 0, 1, 2, 3) for card in held[seat] if card in discarded
    ]
    assert table.discards() == [card for card in PACK if card in (*EQUALS.split()[:15], "As", *discarded)]
    assert [seat for seat, _ in drawn(effects)] == [1]
    counts = table.counts()
    short = [seat for seat in (2, 3, 4, 5, 0, 1) if counts[seat] < 5]
    effects = table.reshuffle(view=TABLE)
    # on with the seat after the one that drew last
    assert [seat for seat, _ in drawn(effects)][: len(short)] == short
    assert min(table.counts()) == 5
    assert table.state.to_act == (5,)


def test_reshuffle_in_the_middle_of_a_bonus() -> None:
    """soda.reshuffle and soda.play.match: one card before it, the second after it."""
    table = row(14)
    table.play("no")
    assert table.seen()["table"]["stock"] == {"count": 2}
    table.play("6c")
    first, second = table.stock()
    assert drawn(table.play("6d", TABLE)) == [(4, first)]
    assert drawn(table.play("6h", TABLE)) == [(5, second)]
    assert table.seen()["chance"] == {"type": "reshuffle", "stock": 14}
    assert table.state.to_act == ()
    assert table.discards() == EQUALS.split()[:14]
    assert drawn(table.reshuffle("5d 2c 3c 4c", TABLE)) == [(5, "5d")]
    assert table.state.to_act == (0,)
    assert drawn(table.play("6s", TABLE)) == [(0, "2c 3c 4c")]


def test_reshuffle_after_the_last_card_of_a_bonus() -> None:
    """soda.reshuffle: at once, and the turn waits for it; no card is drawn after it."""
    table = row(14)
    table.play("no 6c 6d 7s 8s")
    (last,) = table.stock()
    assert drawn(table.play("8c", TABLE)) == [(1, last)]
    assert (table.seen()["chance"], table.state.to_act) == ({"type": "reshuffle", "stock": 14}, ())
    assert table.reshuffle() == []
    assert table.state.to_act == (2,)
    assert [each["card"] for each in table.seen()["table"]["laid"]] == ["6c", "6d", "7s", "8s", "8c"]


def test_reshuffles_of_both_kinds_in_a_round() -> None:
    """soda.reshuffle: after one in a refill, one in a bonus goes on with the bonus."""
    table = row(15)
    table.play("no")
    assert table.seen()["table"]["laid"] == []
    table.reshuffle()
    while table.state.phase == "play" or not (laid := table.seen()["table"]["laid"]):
        if table.state.phase == "reshuffle":
            table.reshuffle()
            continue
        (seat,) = table.state.to_act
        laid = table.seen()["table"]["laid"]
        equals = [card for card in table.hand(seat) if laid and card[0] == laid[-1]["card"][0]]
        wanted = [card for card in table.hand(seat) if card[0] in {other[0] for other in table.hand((seat + 1) % 6)}]
        table.play(equals[0] if equals else "no" if laid else [*wanted, *table.hand(seat)][0])
    table.reshuffle()
    assert table.state.to_act == ((laid[-1]["seat"] + 1) % 6,)
    assert table.seen()["table"]["laid"] == laid


def test_reshuffled_cards_are_known_to_nobody() -> None:
    """soda.reshuffle: not even to those who saw every one of them laid."""
    for view in (PUBLIC, *range(6)):
        table = row(16)
        table.play("no")
        event = {"type": "reshuffle", "stock": table.discards()}
        effects = table.send(event, view)
        assert view_event(table.state, event, view) == {"type": "reshuffle", "redacted": True}
        assert table.seen(view)["table"]["stock"] == {"count": 15}
        assert ("cards" in effects[0]) == (view == 1)


def test_nothing_is_reshuffled_after_the_ninth_hand() -> None:
    """soda.reshuffle: though the draw pile is empty and there are cards to make a new one of."""
    table = Table(6, first_dealer=4)
    table.deal(SIX)
    for card in ("6h", "6s", "7c", "7d", "6c", "6d", "7s", "8s"):
        table.play(f"{card} no")
    assert len(table.discards()) == 8
    *before, last = EQUALS.split()
    for card in before:
        table.play(card)
        if table.state.phase == "reshuffle":
            assert card == "4h"
            table.reshuffle()
    table.play(last)
    assert (table.stock(), table.discards()) == ([], [])
    assert [effect["type"] for effect in table.play("no")] == ["hand-won", "round-scored"]
    seen = table.seen()
    assert (seen["phase"], seen["round"], seen["dealer"], table.counts()) == ("deal", 2, 5, [0] * 6)


# --- players without cards --------------------------------------------------------------------------------------------


def test_player_without_cards_says_no() -> None:
    """soda.lead.empty: and leads the next hand with the cards that the refill brings."""
    table = Table(2)
    table.deal({1: "2c 4c 6c 8c Tc", 0: "3c 5c 7c 9c Jc"})
    table.play("2c 3c 4c 5c 6c 7c 8c 9c Tc Jc")
    assert table.counts() == [0, 0]
    assert RULESET.legal(table.state, 1) == [{"type": "no"}]
    assert table.refused({"seat": 1, "type": "play", "card": "Ac"}) == "common.holds"
    table.play("no")
    assert table.counts() == [5, 5]
    assert table.state.to_act == (1,)


# --- the score sheet --------------------------------------------------------------------------------------------------


def test_lines_name_the_card_and_rest_on_its_event() -> None:
    """soda.score.card: the deal is event 1."""
    table = Table(4)
    table.deal(HANDS)
    effects = table.play("2d 7h no")
    assert effects[0]["lines"] == [
        {
            "round": 1,
            "side": 2,
            "points": 2,
            "rule": "soda.score.card",
            "events": [3, 4],
            "text": "The 2 of clubs to seat 2, whose 7h lay last when seat 3 said No.",
        }
    ]
    table.play("4s no Ks no")
    assert [(line.side, line.points, line.events) for line in table.state.lines] == [
        (2, 2, (3, 4)),
        (3, 3, (5, 6)),
        (0, 4, (7, 8)),
    ]
    assert table.seen()["scores"] == [4, 0, 2, 3]


def test_line_of_an_ace_rests_on_the_ace() -> None:
    """soda.score.card"""
    table = Table(4, suits=["h", "s", "c", "d"])
    table.deal(HANDS)
    table.play("2d Ah")
    (line,) = table.state.lines
    assert view_line(line, PUBLIC) == {
        "round": 1,
        "side": 2,
        "points": 2,
        "rule": "soda.score.card",
        "events": [3],
        "text": "The 2 of hearts to seat 2, whose Ah ended the hand.",
    }


def test_ace_in_the_ninth_hand() -> None:
    """soda.ace: the others discard and show there too, though all cards are gathered after it."""
    table = Table(3)
    table.deal({1: "As Kd 2c", 2: "7h Kc 2d", 0: "6c Qc 2h"}, stock="2s 3c 3d 3h 3s 4c 4d 4h")
    table.hands(8)
    effects = table.play("6c As")
    assert [effect["type"] for effect in effects] == ["cards-shown", "cards-shown", "hand-won", "round-scored"]
    assert [(effect["seat"], effect["discarded"]) for effect in effects[:2]] == [(2, ["7h", "Kc"]), (0, ["Qc"])]
    assert (table.seen()["phase"], table.counts()) == ("deal", [0, 0, 0])


# rounds of 2 to 10 points that go round from the seat that leads: the totals, and who has won
GAMES = [
    pytest.param(2, [108, 108], [0, 1], id="soda.end-two-share-the-highest-total"),
    pytest.param(3, [75, 69, 72], [0], id="soda.end-highest-total"),
    pytest.param(4, [54, 54, 54, 54], [0, 1, 2, 3], id="soda.end-four-share-it"),
]


@pytest.mark.parametrize(("seats", "totals", "winners"), GAMES)
def test_end(seats: int, totals: list[int], winners: list[int]) -> None:
    """soda.end and soda.round: four rounds in which every hand is its leader's card and a No."""
    table = Table(seats)
    effects: list[dict[str, Any]] = []
    for dealt in range(4):
        assert (table.seen()["round"], table.seen()["dealer"]) == (dealt + 1, dealt % seats)
        assert table.counts() == [0] * seats
        table.deal()
        assert table.state.to_act == ((dealt + 1) % seats,)
        for _ in range(9):
            effects = table.hands(1)
    _, scored, over = effects
    assert (scored["round"], [line["points"] for line in scored["lines"]]) == (4, list(range(2, 11)))
    assert over == {"type": "game-over", "winners": winners, "totals": totals}
    seen = table.seen()
    assert (seen["scores"], seen["winners"], seen["phase"]) == (totals, winners, "over")
    assert (seen["to_act"], seen["chance"], seen["table"]["scoring_card"]) == ([], None, None)
    assert [line.points for line in table.state.lines] == [*range(2, 11)] * 4
    assert sorted(card for cards in seen["table"]["won"] for card in cards) == sorted(
        rank + suit for rank in "23456789T" for suit in "cdhs"
    )
    assert table.refused({"seat": 0, "type": "no"}) == "common.over"
    assert table.refused({"type": "deal", "hands": [], "stock": []}) == "common.over"
