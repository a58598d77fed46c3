"""Quadruple War, a case for every rule: each is named after the rule that it checks."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import pytest

from api.games.quadruple_war import RULESET
from api.games.rules import ConfigError, IllegalMove, apply, read_config, view_effect, view_line, view_state

SUITS = "cdhs"
RANKS = "23456789TJQKA"


class Table:
    """A game that the test deals: every event goes through ``apply``."""

    def __init__(self, seats: int, **config: Any) -> None:
        self.state = RULESET.start(read_config(RULESET, {"first_dealer": 0, **config}, seats), seats)
        self.seq = 0

    def send(self, event: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Plays the event; its effects as a bystander sees them."""
        effects = apply(self.state, event, self.seq + 1)
        self.seq += 1
        return [view_effect(effect, "public") for effect in effects]

    def deal(self, hands: Mapping[int, str]) -> None:
        """Deals each seat the cards named, as many as it may hold, and the rest of the pack from seat 0 on.

        A letter names a whole suit, lowest card first, the jokers among the spades.
        """
        pack = list(self.state.pack.names)
        named = {
            seat: [card for word in text.split() for card in _cards(word, pack)][: self.state.pack.size]
            for seat, text in hands.items()
        }
        rest = [card for card in pack if not any(card in hand for hand in named.values())]
        dealt = []
        for seat in range(self.state.seats):
            hand = named.get(seat, [])
            missing = self.state.pack.size - len(hand)
            dealt.append(hand + rest[:missing])
            rest = rest[missing:]
        self.send({"type": "deal", "hands": dealt})

    def bid(self, *tricks: int) -> None:
        """Bids in order of seat, made in turn."""
        for _ in tricks:
            (seat,) = self.state.to_act
            self.send({"seat": seat, "type": "bid", "tricks": tricks[seat]})

    def play(self, cards: str) -> list[dict[str, Any]]:
        """Plays ``cards``, each by the seat in turn; the effects of the last."""
        effects: list[dict[str, Any]] = []
        for card in cards.split():
            (seat,) = self.state.to_act
            effects = self.send({"seat": seat, "type": "play", "card": card})
        return effects

    def refused(self, event: Mapping[str, Any]) -> str:
        """The rule under which the event is refused; nothing changes by it."""
        before = view_state(RULESET, self.state, "table")
        with pytest.raises(IllegalMove) as refusal:
            apply(self.state, event, self.seq + 1)
        assert view_state(RULESET, self.state, "table") == before
        return refusal.value.rule

    def hand(self, bids: Sequence[int], won: Sequence[int]) -> list[dict[str, Any]]:
        """A whole hand of three seats with jokers in which each seat takes as many tricks as ``won`` says."""
        tricks = _line_of_play((self.state.dealer + 1) % 3, won)
        hands: list[list[str]] = [[], [], []]
        for leader, cards in tricks:
            for place, card in enumerate(cards):
                hands[(leader + place) % 3].append(card)
        self.send({"type": "deal", "hands": hands})
        self.bid(*bids)
        effects: list[dict[str, Any]] = []
        for leader, cards in tricks:
            assert self.state.to_act == (leader,)
            effects = self.play(" ".join(cards))
        return effects

    def lines(self) -> list[tuple[int, int, int, str]]:
        """Round, side, points and the end of the rule id of every line so far."""
        return [
            (line.round, line.side, line.points, line.rule.removeprefix("quadruple-war.")) for line in self.state.lines
        ]


def _cards(word: str, pack: Sequence[str]) -> list[str]:
    if len(word) > 1:
        return [word]
    return [card for card in pack if card[1] == word or (word == "s" and card[1] == "J")]


def _line_of_play(leader: int, won: Sequence[int]) -> list[tuple[int, list[str]]]:
    """Eighteen tricks, each as its leader and its cards in order, in which seat s takes ``won[s]``.

    Twelve tricks in plain suits, then a seat x leads the last plain card it holds and is trumped by y; four tricks in
    spades follow, and x trumps the last plain cards of the two others.
    """
    x = max(range(3), key=lambda seat: won[seat])
    y = max((seat for seat in range(3) if seat != x), key=lambda seat: won[seat])
    left = list(won)
    left[x] -= 2
    left[y] -= 1
    assert sum(won) == 18
    assert min(left) >= 0
    takers = [seat for seat in range(3) for _ in range(left[seat])]
    middle, first = takers[:4], [*takers[4:], x]
    tricks = []

    def trick(taker: int, high: str, *low: str) -> None:
        nonlocal leader
        low_cards = iter(low)
        seats = [(leader + place) % 3 for place in range(3)]
        tricks.append((leader, [high if seat == taker else next(low_cards) for seat in seats]))
        leader = taker

    for place, taker in enumerate(first):
        suit, rank = SUITS[place // 4], 3 * (place % 4)
        trick(taker, *(RANKS[rank + above] + suit for above in (2, 0, 1)))
    last = dict(zip(range(3), ("Ac", "Ad", "Ah"), strict=True))
    thrown = {x: last[x], y: "3s", 3 - x - y: "2s"}
    tricks.append((x, [thrown[(x + place) % 3] for place in range(3)]))
    leader = y
    spades = ["4s", "5s", "6s", "7s", "8s", "9s", "Ts", "Js", "Qs", "Ks", "As", "LJ"]
    for place, taker in enumerate(middle):
        trick(taker, *(spades[3 * place + above] for above in (2, 0, 1)))
    end = {**last, x: "BJ"}
    tricks.append((leader, [end[(leader + place) % 3] for place in range(3)]))
    return tricks


# --- config -------------------------------------------------------------------------------------------------------


def test_config_defaults() -> None:
    assert read_config(RULESET, {}, 4) == {"jokers": True, "target": 500, "bags": False, "first_dealer": "draw"}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("jokers", False), ("target", 1), ("target", 200), ("target", 10000), ("bags", True),
        ("first_dealer", 0), ("first_dealer", 2), ("first_dealer", "draw"),
    ],
)  # fmt: skip
def test_config_accepted(option: str, value: Any) -> None:
    assert read_config(RULESET, {option: value}, 3)[option] == value


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("jokers", 1), ("jokers", None), ("target", 0), ("target", 10001), ("target", 200.0), ("target", True),
        ("bags", "true"), ("first_dealer", 3), ("first_dealer", -1), ("first_dealer", "random"), ("nil", True),
    ],
)  # fmt: skip
def test_config_refused(option: str, value: Any) -> None:
    with pytest.raises(ConfigError) as refusal:
        read_config(RULESET, {option: value}, 3)
    assert list(refusal.value.errors) == [option]


# --- the pack, the draw and the deal ------------------------------------------------------------------------------

PACKS = [
    (2, True, "2c 2d", 26),
    (3, True, "", 18),
    (4, True, "2c 2d", 13),
    (5, True, "2c 2d 2h 2s", 10),
    (2, False, "BJ LJ", 26),
    (3, False, "BJ LJ 2c", 17),
    (4, False, "BJ LJ", 13),
    (5, False, "BJ LJ 2c 2d", 10),
]


@pytest.mark.parametrize(("seats", "jokers", "missing", "size"), PACKS)
def test_deal_of_the_whole_pack(seats: int, jokers: bool, missing: str, size: int) -> None:
    """quadruple-war.deal and quadruple-war.bid, in each size of game."""
    table = Table(seats, jokers=jokers)
    pack = [rank + suit for rank, suit in product(RANKS, SUITS)] + ["BJ", "LJ"]
    pack = [card for card in pack if card not in missing.split()]
    hands = [pack[seat::seats] for seat in range(seats)]
    assert view_state(RULESET, table.state, "public")["chance"] == {"type": "deal", "hands": [size] * seats}
    for card in missing.split():
        assert table.refused({"type": "deal", "hands": [[card, *hands[0][1:]], *hands[1:]]}) == "common.deal"
    for wrong in (
        [[hands[1][0], *hands[0][1:]], *hands[1:]],
        [hands[0][1:], *hands[1:]],
        [[*hands[0], hands[1][0]], hands[1][1:], *hands[2:]],
        hands[1:],
        [*hands, []],
    ):
        assert table.refused({"type": "deal", "hands": wrong}) == "common.deal"
    assert table.refused({"type": "deal", "hands": hands, "stock": []}) == "common.deal"
    assert table.refused({"type": "deal", "hands": hands, "seat": 0}) == "common.deal"
    assert table.refused({"type": "draw", "cards": pack[:seats]}) == "common.deal"
    table.send({"type": "deal", "hands": hands})
    assert [hand["count"] for hand in view_state(RULESET, table.state, "public")["hands"]] == [size] * seats
    assert table.state.to_act == (1,)
    assert [move["tricks"] for move in RULESET.legal(table.state, 1)] == list(range(1, size + 1))
    assert table.refused({"seat": 1, "type": "bid", "tricks": size + 1}) == "quadruple-war.bid"
    table.send({"seat": 1, "type": "bid", "tricks": size})


@pytest.mark.parametrize(
    ("seats", "jokers", "cards", "dealer"),
    [
        pytest.param(3, True, "9h Kc Qs", 1, id="draw-highest-rank"),
        pytest.param(3, True, "As Ad LJ", 2, id="draw-joker-above-aces"),
        pytest.param(2, True, "LJ BJ", 1, id="draw-big-above-little"),
        pytest.param(4, False, "Tc Td Th Ts", 3, id="draw-spades-first"),
        pytest.param(4, False, "Tc Td Th 9s", 2, id="draw-then-hearts"),
        pytest.param(4, False, "Tc Td 9h 9s", 1, id="draw-then-diamonds"),
        pytest.param(5, True, "Tc 9d 9h 9s 8c", 0, id="draw-rank-before-suit"),
    ],
)
def test_draw_for_the_deal(seats: int, jokers: bool, cards: str, dealer: int) -> None:
    table = Table(seats, jokers=jokers, first_dealer="draw")
    seen = view_state(RULESET, table.state, "public")
    assert (seen["phase"], seen["dealer"], seen["chance"]) == ("draw", None, {"type": "draw", "cards": seats})
    drawn = cards.split()
    assert table.send({"type": "draw", "cards": drawn}) == [
        {"type": "dealer-chosen", "seat": dealer, "card": drawn[dealer]}
    ]
    seen = view_state(RULESET, table.state, "public")
    assert (seen["phase"], seen["dealer"], seen["round"]) == ("deal", dealer, 1)
    assert table.refused({"type": "draw", "cards": drawn}) == "common.deal"
    table.deal({})
    assert table.state.to_act == ((dealer + 1) % seats,)


@pytest.mark.parametrize("cards", ["9h Kc", "9h Kc Qs 2h", "9h 9h Qs", "9h 2c Qs", "9h 1c Qs"])
def test_draw_refused(cards: str) -> None:
    """common.deal: a card for each seat, no card twice, none from outside the pack (2c is not in it)."""
    table = Table(3, jokers=False, first_dealer="draw")
    assert table.refused({"type": "draw", "cards": cards.split()}) == "common.deal"


def test_draw_comes_before_the_deal() -> None:
    table = Table(4, first_dealer="draw")
    assert table.refused({"type": "deal", "hands": [[]] * 4}) == "common.deal"
    assert table.refused({"seat": 0, "type": "bid", "tricks": 1}) == "common.phase"


def test_deal_passes_left() -> None:
    """quadruple-war.deal: round by round, and with it the first bid and the first lead."""
    table = Table(3, first_dealer=1)
    for dealer in (1, 2, 0, 1):
        assert table.state.dealer == dealer
        assert table.state.hands == [0, 0, 0]
        table.hand((1, 1, 1), (6, 6, 6))
    assert table.state.round == 5


# --- moves, accepted and refused ----------------------------------------------------------------------------------

EACH_A_SUIT = {0: "s", 1: "c", 2: "d", 3: "h"}
ALL_BID = (1, 1, 1, 1)
# four seats without jokers, seat 0 dealing: hands named, bids, cards played, then a move and the rule that refuses it
MOVES = [
    pytest.param({}, (), "", "1 bid 1", None, id="quadruple-war.bid-least"),
    pytest.param({}, (), "", "1 bid 13", None, id="quadruple-war.bid-most"),
    pytest.param({}, (), "", "1 bid 0", "quadruple-war.bid", id="quadruple-war.bid-nil"),
    pytest.param({}, (), "", "1 bid -1", "quadruple-war.bid", id="quadruple-war.bid-negative"),
    pytest.param({}, (), "", "1 bid 14", "quadruple-war.bid", id="quadruple-war.bid-too-high"),
    pytest.param({}, (), "", "1 bid 1000000000000", "quadruple-war.bid", id="quadruple-war.bid-huge"),
    pytest.param({}, (), "", "0 bid 1", "common.turn", id="quadruple-war.bid-not-by-the-dealer"),
    pytest.param({}, ALL_BID, "", "1 bid 2", "common.phase", id="quadruple-war.bid-once"),
    pytest.param(EACH_A_SUIT, (), "", "1 play 2c", "common.phase", id="quadruple-war.bid-before-play"),
    pytest.param(EACH_A_SUIT, ALL_BID, "", "1 play 2c", None, id="quadruple-war.follow-first-lead"),
    pytest.param(EACH_A_SUIT, ALL_BID, "", "2 play 2d", "common.turn", id="quadruple-war.follow-lead-by-another"),
    pytest.param(EACH_A_SUIT, ALL_BID, "", "1 play 2d", "common.holds", id="common.holds-card-of-another"),
    pytest.param(EACH_A_SUIT, ALL_BID, "2c 2d 2h 2s", "0 play 2s", "common.holds", id="common.holds-card-played"),
    pytest.param(EACH_A_SUIT, ALL_BID, "", "1 play BJ", "common.shape", id="common.shape-card-not-in-pack"),
    pytest.param(EACH_A_SUIT, ALL_BID, "2c", "2 play Ad", None, id="quadruple-war.follow-void"),
    pytest.param({1: "2c", 2: "3c 2d"}, ALL_BID, "2c", "2 play 3c", None, id="quadruple-war.follow"),
    pytest.param(
        {1: "2c", 2: "3c 2d"}, ALL_BID, "2c", "2 play 2d", "quadruple-war.follow", id="quadruple-war.follow-refused"
    ),
    pytest.param(
        {1: "2c", 2: "3c 2s"}, ALL_BID, "2c", "2 play 2s", "quadruple-war.follow",
        id="quadruple-war.follow-no-trump-while-holding-the-suit",
    ),
    pytest.param({1: "c", 2: "h", 3: "s"}, ALL_BID, "2c", "2 play 2h", None, id="quadruple-war.follow-discard"),
    pytest.param({1: "c", 2: "h", 3: "s"}, ALL_BID, "2c 2h", "3 play 2s", None, id="quadruple-war.follow-trump"),
    pytest.param({1: "2s 2c"}, ALL_BID, "", "1 play 2s", "quadruple-war.break", id="quadruple-war.break-refused"),
    pytest.param({1: "s"}, ALL_BID, "", "1 play 2s", None, id="quadruple-war.break-nothing-but-spades"),
    pytest.param(
        {1: "2c", 2: "d", 3: "4c 2s h", 0: "3c"}, ALL_BID, "2c 2d 4c 3c", "3 play 2s", "quadruple-war.break",
        id="quadruple-war.break-after-a-trick-without-spades",
    ),
    pytest.param(
        {1: "2c", 2: "d", 3: "3s 5s h", 0: "3c"}, ALL_BID, "2c 2d 3s 3c", "3 play 5s", None,
        id="quadruple-war.break-after-a-spade",
    ),
]  # fmt: skip


def _move(text: str) -> dict[str, Any]:
    seat, kind, value = text.split()
    return {"seat": int(seat), "type": kind, **({"tricks": int(value)} if kind == "bid" else {"card": value})}


@pytest.mark.parametrize(("hands", "bids", "played", "text", "rule"), MOVES)
def test_move(hands: dict[int, str], bids: tuple[int, ...], played: str, text: str, rule: str | None) -> None:
    table = Table(4, jokers=False)
    table.deal(hands)
    table.bid(*bids)
    table.play(played)
    event = _move(text)
    listed = {key: value for key, value in event.items() if key != "seat"} in RULESET.legal(table.state, event["seat"])
    assert listed == (rule is None)
    if rule is None:
        table.send(event)
    else:
        assert table.refused(event) == rule


@pytest.mark.parametrize(
    "event",
    [
        {"seat": 1, "type": "bid"},
        {"seat": 1, "type": "bid", "tricks": True},
        {"seat": 1, "type": "bid", "tricks": 4.0},
        {"seat": 1, "type": "bid", "tricks": "4"},
        {"seat": 1, "type": "bid", "tricks": 4, "card": "2c"},
        {"seat": 1, "type": "pass"},
        {"seat": 1, "type": "play", "card": ["2c"]},
        {"seat": 1, "type": "play", "card": None},
        {"seat": 4, "type": "bid", "tricks": 1},
        {"seat": -1, "type": "bid", "tricks": 1},
        {"seat": True, "type": "bid", "tricks": 1},
        {"type": "bid", "tricks": 1},
    ],
)
def test_shape(event: dict[str, Any]) -> None:
    table = Table(4)
    table.deal({})
    assert table.refused(event) == "common.shape"


def test_break_by_the_lead_of_a_hand_of_spades() -> None:
    """quadruple-war.break: said once, and from then on anybody leads spades."""
    table = Table(4)
    table.deal({1: "s", 2: "LJ 3c"})
    table.bid(*ALL_BID)
    assert table.play("2s") == [{"type": "spades-broken", "seat": 1}]
    assert view_state(RULESET, table.state, "public")["table"]["spades_broken"] is True
    assert table.refused({"seat": 2, "type": "play", "card": "3c"}) == "quadruple-war.follow"
    assert table.play("LJ") == []


def test_jokers_are_spades() -> None:
    """quadruple-war.follow and quadruple-war.break hold for a joker as for any spade."""
    table = Table(4)
    table.deal({1: "3c BJ", 2: "LJ h", 3: "4c"})
    table.bid(*ALL_BID)
    assert table.refused({"seat": 1, "type": "play", "card": "BJ"}) == "quadruple-war.break"
    table.play("3c")
    assert table.play("LJ") == [{"type": "spades-broken", "seat": 2}]


# four seats, with jokers or without: hands named, cards played, the seat that takes the trick, with which card
TRICKS = [
    pytest.param(
        False, {1: "3c", 2: "4c", 3: "d", 0: "2c"}, "3c 4c Ad 2c", 2, "4c",
        id="quadruple-war.trick-highest-of-the-suit-led",
    ),
    pytest.param(
        False, {1: "3c", 2: "Ac", 3: "Kc", 0: "2c"}, "3c Ac Kc 2c", 2, "Ac",
        id="quadruple-war.trick-ace-above-king",
    ),
    pytest.param(
        False, {1: "9c", 2: "Tc", 3: "8c", 0: "Jc"}, "9c Tc 8c Jc", 0, "Jc",
        id="quadruple-war.trick-jack-above-ten",
    ),
    pytest.param(
        False, {1: "2d", 2: "c", 3: "h", 0: "3d"}, "2d Ac Ah 3d", 0, "3d",
        id="quadruple-war.trick-other-suits-count-for-nothing",
    ),
    pytest.param(
        False, {1: "c", 2: "d", 3: "h", 0: "s"}, "Ac Ad Ah 2s", 0, "2s",
        id="quadruple-war.trick-any-spade-above-the-suit-led",
    ),
    pytest.param(
        False, {1: "2d", 2: "s", 3: "Ad", 0: "h"}, "2d 2s Ad Ah", 2, "2s",
        id="quadruple-war.trick-suit-led-does-not-win-it-back",
    ),
    pytest.param(
        False, {1: "c", 2: "9s d", 3: "Ts h", 0: "8s"}, "2c 9s Ts 8s", 3, "Ts",
        id="quadruple-war.trick-highest-spade",
    ),
    pytest.param(
        False, {1: "s", 2: "c", 3: "d", 0: "h"}, "2s 2c Ad Ah", 1, "2s",
        id="quadruple-war.trick-spade-led",
    ),
    pytest.param(
        True, {1: "c 3h", 2: "As d", 3: "LJ", 0: "2s"}, "3c As LJ 2s", 3, "LJ",
        id="quadruple-war.trick-little-joker-above-the-ace",
    ),
    pytest.param(
        True, {1: "c 3h", 2: "BJ d", 3: "LJ", 0: "As"}, "3c BJ LJ As", 2, "BJ",
        id="quadruple-war.trick-big-joker-above-the-little",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("jokers", "hands", "cards", "winner", "card"), TRICKS)
def test_trick(jokers: bool, hands: dict[int, str], cards: str, winner: int, card: str) -> None:
    """quadruple-war.trick: who takes it, and leads the next."""
    table = Table(4, jokers=jokers)
    table.deal(hands)
    table.bid(*ALL_BID)
    assert table.play(cards)[-1] == {"type": "trick-won", "seat": winner, "card": card, "tricks": 1}
    assert table.state.to_act == (winner,)


def test_what_lies_open() -> None:
    table = Table(4, bags=True)
    table.deal({1: "3c", 2: "4c"})
    table.bid(3, 4, 5, 6)
    table.play("3c 4c")
    assert view_state(RULESET, table.state, "public")["table"] == {
        "trump": "s",
        "bids": [3, 4, 5, 6],
        "tricks": [0, 0, 0, 0],
        "trick": [{"seat": 1, "card": "3c"}, {"seat": 2, "card": "4c"}],
        "spades_broken": False,
        "bags": [0, 0, 0, 0],
    }


# --- the score sheet ----------------------------------------------------------------------------------------------

# three seats: config, hands as (bids, tricks taken), every line as (round, side, points, rule), the winners if it ends
SCORES = [
    pytest.param(
        {}, [((7, 5, 4), (7, 8, 3))],
        [(1, 0, 70, "score.made"), (1, 1, 50, "score.made"), (1, 1, 3, "score.overtrick"), (1, 2, 0, "score.broken")],
        None, id="quadruple-war.score-7-made-7-and-5-took-8-and-4-took-3",
    ),
    pytest.param(
        {}, [((1, 7, 18), (11, 6, 1))],
        [(1, 0, 10, "score.made"), (1, 0, 10, "score.overtrick"), (1, 1, 0, "score.broken"), (1, 2, 0, "score.broken")],
        None, id="quadruple-war.score.bags-not-an-option-of-this-game",
    ),
    pytest.param(
        {"bags": True}, [((1, 7, 18), (11, 6, 1))],
        [(1, 0, 10, "score.made"), (1, 0, 10, "score.overtrick"), (1, 0, -100, "score.bags"),
         (1, 1, 0, "score.broken"), (1, 2, 0, "score.broken")],
        None, id="quadruple-war.score.bags-ten-in-a-hand",
    ),
    pytest.param(
        {"bags": True}, [((2, 7, 18), (11, 6, 1)), ((7, 18, 5), (8, 1, 9))],
        [(1, 0, 20, "score.made"), (1, 0, 9, "score.overtrick"), (1, 1, 0, "score.broken"), (1, 2, 0, "score.broken"),
         (2, 0, 70, "score.made"), (2, 0, 1, "score.overtrick"), (2, 0, -100, "score.bags"), (2, 1, 0, "score.broken"),
         (2, 2, 50, "score.made"), (2, 2, 4, "score.overtrick")],
        None, id="quadruple-war.score.bags-nine-then-the-tenth",
    ),
    pytest.param(
        {"bags": True}, [((2, 7, 18), (11, 6, 1)), ((12, 3, 4), (11, 3, 4))],
        [(1, 0, 20, "score.made"), (1, 0, 9, "score.overtrick"), (1, 1, 0, "score.broken"), (1, 2, 0, "score.broken"),
         (2, 0, 0, "score.broken"), (2, 1, 30, "score.made"), (2, 2, 40, "score.made")],
        None, id="quadruple-war.score.bags-a-broken-bid-counts-none",
    ),
    pytest.param(
        {"bags": True}, [((1, 7, 18), (13, 4, 1)), ((1, 18, 18), (9, 8, 1))],
        [(1, 0, 10, "score.made"), (1, 0, 12, "score.overtrick"), (1, 0, -100, "score.bags"),
         (1, 1, 0, "score.broken"), (1, 2, 0, "score.broken"),
         (2, 0, 10, "score.made"), (2, 0, 8, "score.overtrick"), (2, 0, -100, "score.bags"),
         (2, 1, 0, "score.broken"), (2, 2, 0, "score.broken")],
        None, id="quadruple-war.score.bags-two-left-over-and-eight-more",
    ),
    pytest.param(
        {"target": 70}, [((7, 5, 4), (7, 8, 3))],
        [(1, 0, 70, "score.made"), (1, 1, 50, "score.made"), (1, 1, 3, "score.overtrick"), (1, 2, 0, "score.broken")],
        [0], id="quadruple-war.end-target-reached",
    ),
    pytest.param(
        {"target": 71}, [((7, 5, 4), (7, 8, 3))],
        [(1, 0, 70, "score.made"), (1, 1, 50, "score.made"), (1, 1, 3, "score.overtrick"), (1, 2, 0, "score.broken")],
        None, id="quadruple-war.end-target-missed-by-one",
    ),
    pytest.param(
        {"target": 40}, [((6, 8, 4), (6, 8, 4))],
        [(1, 0, 60, "score.made"), (1, 1, 80, "score.made"), (1, 2, 40, "score.made")],
        [1], id="quadruple-war.end-highest-of-those-at-the-target",
    ),
    pytest.param(
        {"target": 100}, [((6, 6, 6), (6, 6, 6))],
        [(1, 0, 60, "score.made"), (1, 1, 60, "score.made"), (1, 2, 60, "score.made")],
        None, id="quadruple-war.end-a-tie-below-the-target-means-nothing",
    ),
    pytest.param(
        {"target": 60}, [((6, 6, 7), (6, 6, 6))],
        [(1, 0, 60, "score.made"), (1, 1, 60, "score.made"), (1, 2, 0, "score.broken")],
        None, id="quadruple-war.end-a-tie-asks-for-another-hand",
    ),
    pytest.param(
        {"target": 60}, [((6, 6, 7), (6, 6, 6)), ((6, 6, 5), (6, 6, 6)), ((7, 8, 4), (7, 8, 3))],
        [(1, 0, 60, "score.made"), (1, 1, 60, "score.made"), (1, 2, 0, "score.broken"),
         (2, 0, 60, "score.made"), (2, 1, 60, "score.made"), (2, 2, 50, "score.made"), (2, 2, 1, "score.overtrick"),
         (3, 0, 70, "score.made"), (3, 1, 80, "score.made"), (3, 2, 0, "score.broken")],
        [1], id="quadruple-war.end-the-first-hand-that-leaves-one-ahead",
    ),
    pytest.param(
        {"target": 60}, [((6, 6, 18), (6, 6, 6)), ((18, 18, 13), (4, 1, 13))],
        [(1, 0, 60, "score.made"), (1, 1, 60, "score.made"), (1, 2, 0, "score.broken"),
         (2, 0, 0, "score.broken"), (2, 1, 0, "score.broken"), (2, 2, 130, "score.made")],
        [2], id="quadruple-war.end-the-deciding-hand-is-open-to-all",
    ),
    pytest.param(
        {"target": 15, "bags": True}, [((1, 1, 1), (6, 6, 6)), ((1, 1, 1), (6, 6, 6)), ((7, 8, 4), (7, 8, 3))],
        [*[(1, seat, points, rule) for seat in range(3)
           for points, rule in ((10, "score.made"), (5, "score.overtrick"))],
         *[(2, seat, points, rule) for seat in range(3)
           for points, rule in ((10, "score.made"), (5, "score.overtrick"), (-100, "score.bags"))],
         (3, 0, 70, "score.made"), (3, 1, 80, "score.made"), (3, 2, 0, "score.broken")],
        [1], id="quadruple-war.end-though-nobody-has-the-target-any-more",
    ),
    pytest.param(
        {"target": 20, "bags": True}, [((1, 1, 2), (11, 6, 1))],
        [(1, 0, 10, "score.made"), (1, 0, 10, "score.overtrick"), (1, 0, -100, "score.bags"),
         (1, 1, 10, "score.made"), (1, 1, 5, "score.overtrick"), (1, 2, 0, "score.broken")],
        None, id="quadruple-war.end-penalties-come-before-the-target",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("config", "hands", "lines", "winners"), SCORES)
def test_score(
    config: dict[str, Any],
    hands: list[tuple[tuple[int, ...], tuple[int, ...]]],
    lines: list[tuple[int, int, int, str]],
    winners: list[int] | None,
) -> None:
    table = Table(3, **config)
    effects: list[dict[str, Any]] = []
    for bids, won in hands:
        assert table.state.phase == "deal"
        effects = table.hand(bids, won)
    assert table.lines() == lines
    totals = [sum(points for _, side, points, _ in lines if side == seat) for seat in range(3)]
    seen = view_state(RULESET, table.state, "public")
    assert seen["scores"] == totals
    scored = [view_line(line, "public") for line in table.state.lines if line.round == len(hands)]
    assert effects[1] == {"type": "round-scored", "round": len(hands), "lines": scored}
    if winners is None:
        assert (seen["phase"], seen["round"], seen["winners"]) == ("deal", len(hands) + 1, [])
        return
    assert effects[2] == {"type": "game-over", "winners": winners, "totals": totals}
    assert (seen["phase"], seen["winners"], seen["to_act"], seen["chance"]) == ("over", winners, [], None)
    assert table.refused({"seat": 1, "type": "bid", "tricks": 1}) == "common.over"
    assert table.refused({"type": "deal", "hands": []}) == "common.over"


def test_lines_rest_on_the_bid_and_the_tricks() -> None:
    table = Table(3, bags=True)
    table.hand((1, 7, 18), (11, 6, 1))
    made, overtrick, bags, broken, _ = table.state.lines
    assert made.text == "Seat 0 bid 1 and took 11: 1 x 10 for the bid made."
    # the deal is event 1, the bids of seats 1, 2 and 0 follow, then 18 tricks of three cards
    tricks = range(7, 59, 3)
    assert made.events == overtrick.events
    assert made.events[0] == 4
    assert set(made.events[1:]) <= set(tricks)
    assert bags.events == made.events[2:]
    assert broken.events[0] == 2
    assert len(broken.events) == 1 + 6
    assert not set(made.events) & set(broken.events)


def test_twenty_five_overtricks_cost_twice() -> None:
    """quadruple-war.score.bags: one line each time the count comes to ten."""
    table = Table(2, jokers=False, bags=True)
    table.deal({1: "h s"})
    table.bid(1, 1)
    for suit, rank in product("hs", RANKS):
        table.play(rank + suit)
        (answer, *_) = RULESET.legal(table.state, 0)
        table.send({"seat": 0, **answer})
    assert table.lines() == [
        (1, 0, 0, "score.broken"),
        (1, 1, 10, "score.made"),
        (1, 1, 25, "score.overtrick"),
        (1, 1, -100, "score.bags"),
        (1, 1, -100, "score.bags"),
    ]
    first, second = (line.events for line in table.state.lines[-2:])
    assert first + second == table.state.lines[1].events[2:22]
    assert view_state(RULESET, table.state, "public")["table"]["bags"] == [0, 5]
