"""Wodka, a case for every rule: each is named after the rule that it checks."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest

from api.games.rules import PUBLIC, ConfigError, Seen, apply, read_config, view_effect, view_event, view_state
from api.games.wodka import RULESET
from tests.games.climbing import Table

RANKS = "23456789TJQKA"

SUITS = ("2-Ah", "2-Ac", "2-Ad", "2-As")
"""Four hands of one suit each: seat 0 leads, and any whole hand is a bomb that no other beats."""


def deal_round(table: Table, hands: Sequence[str], bets: str = "----") -> None:
    """A round up to the first lead, with ``hands`` after the exchange; filled up where they are short.

    ``bets`` has a letter for each seat: ``g`` for a Grand Wodka, ``w`` for a Wodka placed after the decision.
    """
    wanted = table.full_hands(hands)
    given = [[wanted[(giver + step) % 4][-step] for step in (1, 2, 3)] for giver in range(4)]
    held = [wanted[seat][:-3] + given[seat] for seat in range(4)]
    table.send({"type": "deal", "hands": [hand[:8] for hand in held], "draws": [hand[8:] for hand in held]})
    for seat, bet in enumerate(bets):
        table.send({"seat": seat, "type": "grand", "call": bet == "g"})
        if bet == "w":
            table.send({"seat": seat, "type": "wodka"})
    for seat in range(4):
        table.send({"seat": seat, "type": "exchange", "cards": given[seat]})


def dealt(hands: Sequence[str], bets: str = "----", **config: Any) -> Table:
    """A game in its first round, as ``deal_round`` leaves it."""
    table = Table(RULESET, 4, config)
    deal_round(table, hands, bets)
    return table


def led_by_seat_0(plays: Sequence[str]) -> Table:
    """A game that seat 0 leads, by the red seven, in which each seat holds what it is to play in its turns."""
    cards = Table(RULESET, 4, {}).cards
    hands = [" ".join(text for text in plays[seat::4] if text.strip() != "-") for seat in range(4)]
    taken = [card for hand in hands[1:] for card in cards(hand)]
    red_seven = next(card for card in ("7h", "7d") if card not in taken and len({card, *cards(hands[0])}) <= 13)
    if red_seven not in cards(hands[0]):
        hands[0] += f" {red_seven}"
    return dealt(hands, red_seven=red_seven)


def lines(table: Table) -> list[tuple[int, int, int, str]]:
    """Round, side, points and the end of the rule id of every line so far."""
    return [(line.round, line.side, line.points, line.rule.removeprefix("wodka.score.")) for line in table.state.lines]


# --- config ---------------------------------------------------------------------------------------------------------


def test_config_defaults() -> None:
    assert read_config(RULESET, {}, 4) == {"target": 15, "red_seven": "7h"}


@pytest.mark.parametrize("config", [{"target": 1}, {"target": 1000}, {"red_seven": "7d"}, {"red_seven": "7h"}])
def test_config_accepted(config: dict[str, Any]) -> None:
    assert read_config(RULESET, config, 4).items() >= config.items()


@pytest.mark.parametrize("config", [{"target": 0}, {"target": 1001}, {"red_seven": "7s"}, {"grand": True}])
def test_config_refused(config: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        read_config(RULESET, config, 4)


# --- the deal and the Grand Wodka -----------------------------------------------------------------------------------

DEAL = {
    "type": "deal",
    "hands": [[rank + suit for rank in RANKS[:8]] for suit in "hcds"],
    "draws": [[rank + suit for rank in RANKS[8:]] for suit in "hcds"],
}
"""Four hands of one suit each before the exchange, the five highest cards to be drawn."""


@pytest.mark.parametrize(
    "deal",
    [
        pytest.param({"hands": DEAL["hands"]}, id="without-draws"),
        pytest.param({"hands": DEAL["hands"], "draws": DEAL["draws"][:3]}, id="too-few-draws"),
        pytest.param({"hands": DEAL["draws"], "draws": DEAL["hands"]}, id="wrong-numbers"),
        pytest.param({"hands": [*DEAL["hands"], DEAL["draws"][0]], "draws": DEAL["draws"][1:]}, id="five-hands"),
        pytest.param(
            {"hands": DEAL["hands"], "draws": [["2c", *DEAL["draws"][0][1:]], *DEAL["draws"][1:]]}, id="twice"
        ),
    ],
)
def test_bad_deal(deal: dict[str, Any]) -> None:
    table = Table(RULESET, 4, {})
    assert table.refused({"type": "deal", **deal}) == "common.deal"
    assert table.shown()["chance"] == {"type": "deal", "hands": [8] * 4, "draws": [5] * 4}


def test_grand_is_decided_in_any_order_and_then_drawn() -> None:
    """wodka.grand, accepted; a second decision is not."""
    table = Table(RULESET, 4, {})
    table.send(DEAL)
    assert table.shown()["to_act"] == [0, 1, 2, 3]
    assert table.send({"seat": 2, "type": "grand", "call": True}) == [
        {"type": "cards-drawn", "seat": 2, "count": 5, "redacted": True}
    ]
    shown = table.shown()
    assert shown["phase"] == "grand"
    assert shown["to_act"] == [0, 1, 3]
    assert [hand["count"] for hand in shown["hands"]] == [8, 8, 13, 8]
    assert shown["table"]["bets"] == [None, None, "grand", None]
    assert table.refused({"seat": 2, "type": "grand", "call": False}) == "common.turn"
    assert table.refused({"seat": 1, "type": "exchange", "cards": ["2c", "3c", "4c"]}) == "common.phase"
    assert table.refused({"seat": 1, "type": "grand", "call": 1}) == "common.shape"
    for seat in (3, 0, 1):
        table.send({"seat": seat, "type": "grand", "call": False})
    shown = table.shown()
    assert shown["phase"] == "exchange"
    assert shown["to_act"] == [0, 1, 2, 3]
    assert shown["table"]["bets"] == [None, None, "grand", None]


def test_draws_are_secret_until_decided() -> None:
    table = Table(RULESET, 4, {})
    table.send(DEAL)
    assert view_event(table.state, DEAL, 1) == {
        "type": "deal",
        "hands": [None, DEAL["hands"][1], None, None],
        "redacted": True,
    }
    assert view_state(RULESET, table.state, 1)["hands"][1] == {"count": 8, "cards": DEAL["hands"][1]}
    (drawn,) = apply(table.state, {"seat": 1, "type": "grand", "call": False}, 2)
    assert view_effect(drawn, 1) == {"type": "cards-drawn", "seat": 1, "count": 5, "cards": DEAL["draws"][1]}
    assert view_effect(drawn, 3) == {"type": "cards-drawn", "seat": 1, "count": 5, "redacted": True}
    assert view_state(RULESET, table.state, 1)["hands"][1] == {"count": 13, "cards": table.cards("2-Ac")}


# --- the exchange and the first lead --------------------------------------------------------------------------------


def exchanging(**config: Any) -> Table:
    """A game whose players hold a suit each and are to exchange."""
    table = Table(RULESET, 4, config)
    table.send(DEAL)
    for seat in range(4):
        table.send({"seat": seat, "type": "grand", "call": False})
    return table


def give(seat: int, cards: str) -> dict[str, Any]:
    return {"seat": seat, "type": "exchange", "cards": cards.split()}


@pytest.mark.parametrize(
    ("cards", "rule"),
    [
        pytest.param("4h Qh 7h", None, id="wodka.exchange-of-the-seed-text"),
        pytest.param("Ah Kh Th", None, id="wodka.exchange-drawn-cards"),
        pytest.param("4h Qh", "wodka.exchange", id="wodka.exchange-two-cards"),
        pytest.param("4h Qh 7h 8h", "wodka.exchange", id="wodka.exchange-four-cards"),
        pytest.param("", "wodka.exchange", id="wodka.exchange-no-cards"),
        pytest.param("4h 4h 7h", "common.holds", id="common.holds-twice"),
        pytest.param("4h Qh 7c", "common.holds", id="common.holds-not-held"),
    ],
)
def test_exchange(cards: str, rule: str | None) -> None:
    table = exchanging()
    table.check(give(0, cards), rule)
    if rule is None:
        assert table.shown()["to_act"] == [1, 2, 3]
        assert table.refused(give(0, cards)) == "common.turn"


def test_exchange_hands_over_after_the_fourth() -> None:
    """wodka.exchange: the next seat, the partner, the seat before; known to giver and receiver."""
    table = exchanging()
    for event in (give(1, "2c 3c 4c"), give(3, "2s 3s 4s"), give(0, "4h Qh 8h")):
        assert table.send(event) == []
        assert [hand["count"] for hand in table.shown()["hands"]] == [13] * 4
    assert view_event(table.state, give(0, "4h Qh 8h"), 0) == give(0, "4h Qh 8h")
    assert view_event(table.state, give(0, "4h Qh 8h"), 1) == {"type": "exchange", "seat": 0, "redacted": True}
    assert table.refused(give(2, "2d 3d 4c")) == "common.holds"
    effects = apply(table.state, give(2, "2d 3d 4d"), table.seq + 1)
    received = [
        (0, [1, 2, 3], "4c 3d 2s"),
        (1, [2, 3, 0], "4d 3s 4h"),
        (2, [3, 0, 1], "4s Qh 2c"),
        (3, [0, 1, 2], "8h 3c 2d"),
    ]
    for effect, (seat, givers, cards) in zip(effects, received, strict=True):
        facts = {"type": "cards-received", "seat": seat, "count": 3, "from": givers}
        assert view_effect(effect, seat) == {**facts, "cards": cards.split()}
        others: list[Seen] = [other for other in range(4) if other != seat]
        for view in [*others, PUBLIC]:
            assert view_effect(effect, view) == {**facts, "redacted": True}
        assert set(cards.split()) <= set(table.state.pack.cards(table.state.hands[seat]))
    assert [hand["count"] for hand in table.shown()["hands"]] == [13] * 4
    assert table.shown()["phase"] == "play"


@pytest.mark.parametrize(
    ("config", "of_seat_0", "leader"),
    [
        pytest.param({}, "2h 3h 4h", 0, id="wodka.lead-red-seven-kept"),
        pytest.param({}, "2h 7h 4h", 2, id="wodka.lead-red-seven-passed-on"),
        pytest.param({"red_seven": "7d"}, "2h 7h 4h", 2, id="wodka.lead-seven-of-diamonds"),
        pytest.param({"red_seven": "7d"}, "2h 3h 4h", 2, id="wodka.lead-seven-of-diamonds-not-of-hearts"),
    ],
)
def test_first_leader(config: dict[str, Any], of_seat_0: str, leader: int) -> None:
    table = exchanging(**config)
    for event in (give(0, of_seat_0), give(1, "2c 3c 4c"), give(2, "2d 3d 4d"), give(3, "2s 3s 4s")):
        table.send(event)
    assert table.state.to_act == (leader,)


@pytest.mark.parametrize(
    ("cards", "rule"),
    [
        pytest.param("7h 7c 7d", None, id="wodka.lead-triple-of-the-seed-text"),
        pytest.param("9c", None, id="wodka.lead-without-the-red-seven"),
        pytest.param("9c 8c", "wodka.combination", id="wodka.lead-no-combination"),
        pytest.param("-", "wodka.pass", id="wodka.pass-first-lead"),
    ],
)
def test_first_lead(cards: str, rule: str | None) -> None:
    table = dealt(["7h 7c 7d 9c 8c", "", "", ""])
    table.check(table.move(cards), rule)


# --- bets -----------------------------------------------------------------------------------------------------------


def bet(seat: int) -> dict[str, Any]:
    return {"seat": seat, "type": "wodka"}


@pytest.mark.parametrize(
    ("decided", "seat", "rule"),
    [
        pytest.param("-", 0, None, id="wodka.bet-once-declined"),
        pytest.param("-", 1, "wodka.bet", id="wodka.bet-undecided"),
        pytest.param("g", 0, "wodka.bet", id="wodka.bet-with-a-grand-wodka"),
        pytest.param("----", 3, None, id="wodka.bet-before-the-exchange"),
        pytest.param("g---", 0, "wodka.bet", id="wodka.bet-with-a-grand-wodka-later"),
    ],
)
def test_bet_before_the_play(decided: str, seat: int, rule: str | None) -> None:
    table = Table(RULESET, 4, {})
    assert table.refused(bet(seat)) == "common.phase"
    table.send(DEAL)
    for decider, letter in enumerate(decided):
        table.send({"seat": decider, "type": "grand", "call": letter == "g"})
    to_act = table.state.to_act
    assert ({"type": "wodka"} in RULESET.legal(table.state, seat)) is (rule is None)
    table.check(bet(seat), rule)
    assert table.state.to_act == to_act
    assert table.shown()["table"]["bets"][seat] == (
        "wodka" if rule is None else "grand" if decided[:1] == "g" else None
    )


def test_bet_after_choosing_what_to_pass() -> None:
    """wodka.bet: accepted when its player is no longer waited for."""
    table = exchanging()
    table.send(give(0, "2h 3h 4h"))
    assert RULESET.legal(table.state, 0) == [{"type": "wodka"}]
    table.send(bet(0))
    assert table.state.to_act == (1, 2, 3)


@pytest.mark.parametrize(
    ("script", "seat", "rule"),
    [
        pytest.param("", 0, None, id="wodka.bet-in-turn"),
        pytest.param("", 2, None, id="wodka.bet-out-of-turn"),
        pytest.param("2h | -", 1, None, id="wodka.bet-after-passing"),
        pytest.param("2h", 0, "wodka.bet", id="wodka.bet-after-the-first-card"),
        pytest.param("2h | 3c | -", 1, "wodka.bet", id="wodka.bet-after-the-first-card-out-of-turn"),
        pytest.param("2h | - | - | -", 0, "wodka.bet", id="wodka.bet-in-a-later-trick"),
        pytest.param("2-Ah", 1, "wodka.bet", id="wodka.bet-when-somebody-is-out"),
        pytest.param("2-Ah", 0, "wodka.bet", id="wodka.bet-when-out"),
    ],
)
def test_bet_in_play(script: str, seat: int, rule: str | None) -> None:
    table = dealt(SUITS)
    if script:
        table.play(script)
    to_act = table.state.to_act
    assert ({"type": "wodka"} in RULESET.legal(table.state, seat)) is (rule is None)
    table.check(bet(seat), rule)
    assert table.state.to_act == to_act
    assert table.refused(bet(seat)) == "wodka.bet"


# --- combinations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "kind", "bomb"),
    [
        pytest.param("2c", "single", False, id="wodka.combination-single"),
        pytest.param("9c 9s", "pair", False, id="wodka.combination-pair"),
        pytest.param("9c 9s 9d", "triple", False, id="wodka.combination-triple"),
        pytest.param("9c 9s 9d 9h", "quad", True, id="wodka.bomb-quad-led"),
        pytest.param("5c 5s 6d 6h", "pairs", False, id="wodka.combination-pairs-of-the-seed-text"),
        pytest.param("Qc Kc Ac Qd Kd Ad", "pairs", False, id="wodka.combination-pairs-to-the-ace"),
        pytest.param("2-7c 2-7d", "pairs", False, id="wodka.combination-six-pairs"),
        pytest.param("5-6c 5-6d 5-6s", "triples", False, id="wodka.combination-triples"),
        pytest.param("5-8c 5-8d 5-8s", "triples", False, id="wodka.combination-four-triples"),
        pytest.param("5-6c 5-6d 5-6s 5-6h", "quads", False, id="wodka.bomb-quads-are-none"),
        pytest.param("5-7c 5-7d 5-7s 5-7h", "quads", False, id="wodka.combination-three-quads"),
        pytest.param("9d 5-8c", "straight", False, id="wodka.combination-straight"),
        pytest.param("2-4d 5-Ah", "straight", False, id="wodka.combination-straight-of-thirteen"),
        pytest.param("5-9c", "straight", True, id="wodka.bomb-straight-of-one-suit-led"),
        pytest.param("2-Ah", "straight", True, id="wodka.bomb-straight-of-one-suit-of-thirteen"),
        pytest.param("", None, False, id="wodka.combination-no-cards"),
        pytest.param("9c 8c", None, False, id="wodka.combination-two-ranks"),
        pytest.param("6c 6d Qc Qd", None, False, id="wodka.combination-pairs-with-a-gap-of-the-seed-text"),
        pytest.param("6c 6d 7c 7d 7s", None, False, id="wodka.combination-pair-and-triple"),
        pytest.param("9c 9d 9s Tc", None, False, id="wodka.combination-triple-and-one"),
        pytest.param("9c 9d 9s 9h Tc Td Ts", None, False, id="wodka.combination-quad-and-triple"),
        pytest.param("6-9c", None, False, id="wodka.combination-straight-of-four"),
        pytest.param("6-9c Jc", None, False, id="wodka.combination-straight-with-a-gap"),
        pytest.param("Ac 2-5c", None, False, id="wodka.combination-straight-ace-low"),
        pytest.param("Q-Ac 2-3c", None, False, id="wodka.combination-straight-round-the-corner"),
        pytest.param("Ac Ad 2c 2d", None, False, id="wodka.combination-pairs-ace-low"),
        pytest.param("5-9c 9d", None, False, id="wodka.combination-straight-and-one"),
    ],
)
def test_combination(cards: str, kind: str | None, bomb: bool) -> None:
    table = led_by_seat_0([cards])
    table.check(table.move(cards), None if kind else "wodka.combination")
    if kind is not None:
        shown = table.shown()["table"]
        move = table.record[-1]["cards"]
        assert shown["to_beat"] == {
            "seat": 0,
            "type": kind,
            "cards": sorted(move, key=table.state.pack.position.__getitem__),
        }
        assert shown["bomb"] is bomb


FOLLOW = "wodka.follow"
BOMB = "wodka.bomb"


@pytest.mark.parametrize(
    ("led", "answer", "rule"),
    [
        pytest.param("7h", "8c", None, id="wodka.follow-single"),
        pytest.param("7h", "7c", FOLLOW, id="wodka.follow-equal-of-the-seed-text"),
        pytest.param("7h", "7s", FOLLOW, id="wodka.follow-equal-of-another-suit"),
        pytest.param("7h", "6c", FOLLOW, id="wodka.follow-lower"),
        pytest.param("7h", "8c 8d", FOLLOW, id="wodka.follow-single-by-a-pair"),
        pytest.param("7h 7c", "8c 8d", None, id="wodka.follow-pair"),
        pytest.param("7h 7c", "7d 7s", FOLLOW, id="wodka.follow-equal-pair"),
        pytest.param("7h 7c 7d", "Ac Ad", FOLLOW, id="wodka.follow-triple-by-a-pair-of-the-seed-text"),
        pytest.param("7h 7c 7d", "Ac Ad Ah", None, id="wodka.follow-triple"),
        pytest.param("4-5c 4-5d", "7-9c 7-9d", FOLLOW, id="wodka.follow-other-number-of-pairs-of-the-seed-text"),
        pytest.param("4-5c 4-5d", "5-6s 5-6h", None, id="wodka.follow-pairs"),
        pytest.param("4-5c 4-5d", "4-5s 4-5h", FOLLOW, id="wodka.follow-equal-pairs"),
        pytest.param("4-5c 4-5d 4-5s", "8-9c 8-9d 8-9s", None, id="wodka.follow-triples"),
        pytest.param("4-5c 4-5d 4-5s", "8-Tc 8-Td", FOLLOW, id="wodka.follow-triples-by-as-many-cards-in-pairs"),
        pytest.param("4-5c 4-5d 4-5s 4-5h", "8-9c 8-9d 8-9s 8-9h", None, id="wodka.follow-quads"),
        pytest.param("8-9c 8-9d 8-9s 8-9h", "4-5c 4-5d 4-5s 4-5h", FOLLOW, id="wodka.follow-quads-lower"),
        pytest.param("4-5c 4-5d 4-5s 4-5h", "8-Jc 8-Jd", FOLLOW, id="wodka.follow-quads-by-as-many-cards-in-pairs"),
        pytest.param("4-7c 8d", "9h 5-8s", None, id="wodka.follow-straight"),
        pytest.param("4-7c 8d", "8h 4-7s", FOLLOW, id="wodka.follow-equal-straight"),
        pytest.param("4-7c 8d", "Th 5-9s", FOLLOW, id="wodka.follow-longer-straight"),
        pytest.param("4-8c 9d", "Th 6-9s", FOLLOW, id="wodka.follow-shorter-straight"),
        pytest.param("8d | -", "9c", None, id="wodka.follow-after-a-pass"),
        pytest.param("8d", "-", None, id="wodka.pass"),
        pytest.param("8d | 9d | - | - | -", "-", "wodka.pass", id="wodka.pass-later-lead"),
        pytest.param("8d", "9c Tc", "wodka.combination", id="wodka.combination-before-follow"),
        pytest.param("Ad", "2c 2d 2h 2s", None, id="wodka.bomb-quad-on-a-single"),
        pytest.param("Ad Ac", "2c 2d 2h 2s", None, id="wodka.bomb-quad-on-a-pair"),
        pytest.param("A-Ad Ac As", "2c 2d 2h 2s", None, id="wodka.bomb-quad-on-a-triple"),
        pytest.param("T-Kd T-Kc", "2c 2d 2h 2s", None, id="wodka.bomb-quad-on-pairs"),
        pytest.param("T-Kd Ac", "2c 2d 2h 2s", None, id="wodka.bomb-quad-on-a-straight"),
        pytest.param("Q-Kc Q-Kd Q-Ks Q-Kh", "2c 2d 2h 2s", None, id="wodka.bomb-quad-on-quads"),
        pytest.param("Ad", "2-6c", None, id="wodka.bomb-straight-of-one-suit-on-a-single"),
        pytest.param("T-Kd Ac", "2-6c", None, id="wodka.bomb-straight-of-one-suit-on-a-straight"),
        pytest.param("T-Kd Ac", "2-7c", None, id="wodka.bomb-longer-straight-of-one-suit-on-a-straight"),
        pytest.param("Ad", "2-6c 7d", FOLLOW, id="wodka.bomb-straight-of-mixed-suits-is-none"),
        pytest.param("Ad", "2-3c 2-3d 2-3s 2-3h", FOLLOW, id="wodka.bomb-quads-are-none-on-a-single"),
        pytest.param("4c 4d 4s 4h", "5c 5d 5s 5h", None, id="wodka.bomb-higher-quad"),
        pytest.param("5c 5d 5s 5h", "4c 4d 4s 4h", BOMB, id="wodka.bomb-lower-quad"),
        pytest.param("A-Ac Ad As Ah", "2-6c", None, id="wodka.bomb-more-cards-on-a-quad"),
        pytest.param("2-6c", "Ac Ad As Ah", BOMB, id="wodka.bomb-fewer-cards"),
        pytest.param("2-6c", "3-7d", None, id="wodka.bomb-as-many-cards-higher"),
        pytest.param("2-6c", "2-6d", BOMB, id="wodka.bomb-as-many-cards-equal"),
        pytest.param("8-Qc", "2-7d", None, id="wodka.bomb-more-cards-lower"),
        pytest.param("2-7c", "8-Qd", BOMB, id="wodka.bomb-fewer-cards-higher"),
        pytest.param("2-6c", "T-Kd Ah", BOMB, id="wodka.bomb-straight-of-mixed-suits-on-a-bomb"),
        pytest.param("2-6c", "6-Kd Ah", BOMB, id="wodka.bomb-longer-straight-of-mixed-suits-on-a-bomb"),
        pytest.param("4c 4d 4s 4h", "Ac", BOMB, id="wodka.bomb-single-on-a-bomb"),
        pytest.param("4c 4d 4s 4h", "8-9c 8-9d 8-9s 8-9h", BOMB, id="wodka.bomb-quads-on-a-bomb"),
        pytest.param("4c 4d 4s 4h", "8c 9c", "wodka.combination", id="wodka.combination-before-bomb"),
        pytest.param("Ad | 4c 4d 4s 4h", "5c 5d 5s 5h", None, id="wodka.bomb-on-a-bomb-on-a-single"),
        pytest.param("8d | 4c 4d 4s 4h", "9c", BOMB, id="wodka.bomb-is-not-followed-by-what-was-led"),
    ],
)
def test_answer(led: str, answer: str, rule: str | None) -> None:
    table = led_by_seat_0([*led.split("|"), answer])
    table.play(led)
    table.check(table.move(answer), rule)


# --- the trick ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "to_act", "passed"),
    [
        pytest.param("2h", 1, [], id="wodka.follow-clockwise"),
        pytest.param("2h | -", 2, [1], id="wodka.pass-turn-goes-on"),
        pytest.param("2h | - | 3d", 3, [], id="wodka.pass-counts-from-the-last-combination"),
        pytest.param("2h | - | 3d | - | -", 1, [0, 3], id="wodka.pass-may-play-again"),
        pytest.param("2h | - | 3d | - | - | 4c", 2, [], id="wodka.pass-plays-again"),
        pytest.param("2h | - | - | -", 0, [], id="wodka.trick.won-by-the-leader"),
        pytest.param("2h | 3c | - | - | -", 1, [], id="wodka.trick.won-by-another"),
        pytest.param("2h | - | - | 3s | - | - | -", 3, [], id="wodka.trick.won-after-earlier-passes"),
        pytest.param("2h | 2-6c | - | -", 0, [2, 3], id="wodka.bomb-is-put-to-all"),
        pytest.param("3-Ah | - | - | - | 2h", 1, [], id="wodka.score.out-is-asked-no-more"),
        pytest.param("3-Ah | - | - | - | 2h | - | 3d", 3, [], id="wodka.trick.won-not-by-going-out"),
        pytest.param("3-Ah | - | - | - | 2h | - | 3d | -", 1, [3], id="wodka.score.out-is-passed-over"),
        pytest.param("3-Ah | - | - | - | 2h | - | 3d | - | -", 2, [], id="wodka.trick.won-from-one-who-is-out"),
        pytest.param("3-Ah | - | - | - | 2h | - | - | -", 1, [], id="wodka.trick.won-by-one-who-is-out"),
        pytest.param("2-Ah | - | - | - | 2-Ac | - | -", 2, [], id="wodka.trick.won-by-the-second-who-is-out"),
    ],
)
def test_turn(script: str, to_act: int, passed: list[int]) -> None:
    table = dealt(SUITS)
    table.play(script)
    shown = table.shown()
    assert shown["to_act"] == [to_act]
    assert shown["table"]["passed"] == passed


@pytest.mark.parametrize(
    ("event", "rule"),
    [
        pytest.param(
            {"seat": 3, "type": "play", "cards": ["2s", "3s", "4s", "5s", "6s"]}, "common.turn", id="wodka.bomb"
        ),
        pytest.param({"seat": 0, "type": "pass"}, "common.turn", id="wodka.pass"),
        pytest.param({"seat": 1, "type": "play", "cards": ["3d"]}, "common.holds", id="common.holds"),
        pytest.param({"seat": 1, "type": "play", "cards": ["LJ"]}, "common.shape", id="common.shape"),
        pytest.param({"seat": 1, "type": "grand", "call": False}, "common.phase", id="common.phase"),
    ],
)
def test_refused_in_a_trick(event: dict[str, Any], rule: str) -> None:
    table = dealt(SUITS)
    table.play("2h")
    assert table.refused(event) == rule


def test_trick_lies_open() -> None:
    table = dealt(SUITS, "-g-w")
    table.play("2h | - | 7d 5d 4d 3d 6d")
    assert table.shown()["table"] == {
        "bets": [None, "grand", None, "wodka"],
        "to_beat": {"seat": 2, "type": "straight", "cards": ["3d", "4d", "5d", "6d", "7d"]},
        "bomb": True,
        "trick": [{"seat": 0, "cards": ["2h"]}, {"seat": 2, "cards": ["3d", "4d", "5d", "6d", "7d"]}],
        "passed": [],
        "out": [],
    }
    assert table.play("- | - | -") == [{"type": "trick-won", "seat": 2, "cards": ["3d", "4d", "5d", "6d", "7d"]}]
    shown = table.shown()["table"]
    assert (shown["to_beat"], shown["bomb"], shown["trick"], shown["passed"]) == (None, False, [], [])


# --- scores ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bets", "settled"),
    [
        pytest.param("----", [], id="wodka.score.out-without-bets"),
        pytest.param("w---", [(0, 2)], id="wodka.score.bet-wodka-won"),
        pytest.param("g---", [(0, 4)], id="wodka.score.bet-grand-wodka-won-of-the-seed-text"),
        pytest.param("--w-", [(1, 2)], id="wodka.score.bet-wodka-of-the-partner-lost"),
        pytest.param("--g-", [(1, 4)], id="wodka.score.bet-grand-wodka-of-the-partner-lost"),
        pytest.param("-w--", [(0, 2)], id="wodka.score.bet-wodka-of-an-opponent-lost"),
        pytest.param("---g", [(0, 4)], id="wodka.score.bet-grand-wodka-of-an-opponent-lost"),
        pytest.param("wgwg", [(0, 2), (0, 4), (1, 2), (0, 4)], id="wodka.score.bet-of-all-in-order-of-seat"),
    ],
)
def test_first_out(bets: str, settled: list[tuple[int, int]]) -> None:
    table = dealt(SUITS, bets)
    (effect,) = table.play("2-Ah")
    assert (effect["type"], effect["seat"], effect["place"]) == ("went-out", 0, 1)
    assert lines(table) == [(1, 0, 1, "out"), *((1, side, points, "bet") for side, points in settled)]
    assert [line["points"] for line in effect["lines"]] == [1, *(points for _, points in settled)]


def test_lines_say_what_was_bet_and_by_whom() -> None:
    table = dealt(SUITS, "gwwg")
    table.play("3-Ah | - | - | - | 2h")
    first, *settled = table.state.lines
    assert first.text == "Seat 0 went out with 2h: a point for team 0."
    assert [line.text for line in settled] == [
        "Seat 0 had placed a Grand Wodka and went out first: won, 4 points for its team 0.",
        "Seat 1 had placed a Wodka, but seat 0 went out first: lost, 2 points for the opposing team 0.",
        "Seat 2 had placed a Wodka, but seat 0, its partner, went out first: lost, 2 points for the opposing team 1.",
        "Seat 3 had placed a Grand Wodka, but seat 0 went out first: lost, 4 points for the opposing team 0.",
    ]
    assert first.events == (table.seq,)
    for seat, line in enumerate(settled):
        placed, went_out = line.events
        assert went_out == table.seq
        assert table.record[placed - 1] in (bet(seat), {"seat": seat, "type": "grand", "call": True})


TEAM_0_ONLY = ("2-Ah", "2-Ac", "2d 4-Ad 3s", "3d 4-As 2s")
TEAM_0_ONLY_SCRIPT = "2-Ah | - | - | - | 2c | 3s | - | - | 4-Ad | - | - | 2d"
"""Seat 0 goes out, then seat 2: 2 points to none."""

TEAM_0_FIRST = "2-Ah | - | - | - | 2-Ac | - | - | 2-Ad"
"""Seat 0 goes out, then seat 1, then seat 2: 2 points to 1."""


def test_bets_are_settled_once() -> None:
    """wodka.score.bet: only by the first player to go out."""
    table = dealt(SUITS, "-w--")
    table.play(TEAM_0_FIRST)
    assert lines(table) == [(1, 0, 1, "out"), (1, 0, 2, "bet"), (1, 1, 1, "out"), (1, 0, 1, "out")]


@pytest.mark.parametrize(
    ("hands", "script", "scores"),
    [
        pytest.param(SUITS, TEAM_0_FIRST, [2, 1], id="wodka.round.end-third-out"),
        pytest.param(
            TEAM_0_ONLY,
            TEAM_0_ONLY_SCRIPT,
            [2, 0],
            id="wodka.round.end-second-out",
        ),
    ],
)
def test_round_end(hands: Sequence[str], script: str, scores: list[int]) -> None:
    """wodka.round.end: at once, whatever the trick and the cards still held."""
    table = dealt(hands)
    effects = table.play(script)
    shown = table.shown()
    assert shown["scores"] == scores
    assert [effect["type"] for effect in effects] == ["went-out", "round-scored"]
    assert (effects[0]["seat"], effects[0]["place"]) == (2, sum(scores))
    assert [line["rule"] for line in effects[0]["lines"]] == ["wodka.score.out"]
    assert effects[1]["round"] == 1
    assert [line["side"] for line in effects[1]["lines"]].count(1) == scores[1]
    assert [line["rule"] for line in effects[1]["lines"]] == ["wodka.score.out"] * sum(scores)
    assert (shown["round"], shown["phase"], shown["to_act"]) == (2, "deal", [])
    assert shown["chance"] == {"type": "deal", "hands": [8] * 4, "draws": [5] * 4}
    assert shown["hands"] == [{"count": 0}] * 4
    assert shown["table"] == {
        "bets": [None] * 4, "to_beat": None, "bomb": False, "trick": [], "passed": [], "out": [],
    }  # fmt: skip


def test_round_goes_on() -> None:
    """wodka.round.end: not while a player of each team holds cards."""
    table = dealt(SUITS)
    effects = table.play("2-Ah | - | - | - | 2-Ac")
    assert [effect["type"] for effect in effects] == ["went-out"]
    assert (table.shown()["round"], table.shown()["phase"]) == (1, "play")


def test_bets_are_of_one_round() -> None:
    """wodka.bet, wodka.grand: each round anew."""
    table = dealt(SUITS, "gw--")
    table.play(TEAM_0_FIRST)
    deal_round(table, SUITS, "wg--")
    table.play("2-Ah")
    assert lines(table)[-3:] == [(2, 0, 1, "out"), (2, 0, 2, "bet"), (2, 0, 4, "bet")]


@pytest.mark.parametrize(
    ("target", "bets", "scores", "winners"),
    [
        pytest.param(1, "----", [2, 0], [0], id="wodka.end-passed"),
        pytest.param(2, "----", [2, 0], [0], id="wodka.end-reached"),
        pytest.param(3, "----", [2, 0], [], id="wodka.end-not-reached"),
        pytest.param(1, "--w-", [2, 2], [], id="wodka.end-level"),
        pytest.param(3, "--g-", [2, 4], [1], id="wodka.end-the-others"),
        pytest.param(1, "--g-", [2, 4], [1], id="wodka.end-both-passed"),
    ],
)
def test_end(target: int, bets: str, scores: list[int], winners: list[int]) -> None:
    table = dealt(TEAM_0_ONLY, bets, target=target)
    effects = table.play(TEAM_0_ONLY_SCRIPT)
    shown = table.shown()
    assert shown["scores"] == scores
    assert shown["winners"] == winners
    if winners:
        assert effects[-1] == {"type": "game-over", "winners": winners, "totals": scores}
        assert (shown["phase"], shown["round"], shown["to_act"], shown["chance"]) == ("over", 1, [], None)
        assert table.refused(bet(1)) == "common.over"
    else:
        assert effects[-1]["type"] == "round-scored"
        assert (shown["phase"], shown["round"]) == ("deal", 2)


def test_end_only_with_the_round() -> None:
    """wodka.end: a team that reaches the target in mid-round has not won yet."""
    table = dealt(SUITS, "g---", target=5)
    table.play("2-Ah | - | - | -")
    assert table.shown()["scores"] == [5, 0]
    assert table.shown()["phase"] == "play"


# --- legal moves ----------------------------------------------------------------------------------------------------


def test_legal_before_the_play() -> None:
    table = Table(RULESET, 4, {})
    assert RULESET.legal(table.state, 0) == []
    table.send(DEAL)
    assert RULESET.legal(table.state, 0) == [{"type": "grand", "call": False}, {"type": "grand", "call": True}]
    table.send({"seat": 0, "type": "grand", "call": True})
    assert RULESET.legal(table.state, 0) == []
    for seat in (1, 2, 3):
        table.send({"seat": seat, "type": "grand", "call": False})
    choice = {"type": "exchange", "cards": {"choose": 3, "of": table.cards("2-Ah")}}
    assert RULESET.legal(table.state, 0) == [choice]
    assert RULESET.legal(table.state, 1)[1:] == [{"type": "wodka"}]


def test_legal_moves_that_follow() -> None:
    table = dealt(["Qd 7h", "K-Ac Ks 2-6d 4s 4h 4c", "", ""])
    table.play("Qd")
    assert RULESET.legal(table.state, 1) == [
        {"type": "play", "cards": ["Kc"]},
        {"type": "play", "cards": ["Ks"]},
        {"type": "play", "cards": ["Ac"]},
        {"type": "play", "cards": ["4c", "4d", "4h", "4s"]},
        {"type": "play", "cards": ["2d", "3d", "4d", "5d", "6d"]},
        {"type": "pass"},
        {"type": "wodka"},
    ]
    assert RULESET.legal(table.state, 2) == [{"type": "wodka"}]
    assert RULESET.legal(table.state, 0) == []


def _is_combination(cards: Sequence[str]) -> bool:
    """wodka.combination, in the plainest words."""
    counts = Counter(RANKS.index(card[0]) for card in cards)
    each = counts[RANKS.index(cards[0][0])]
    if set(counts.values()) != {each}:
        return False
    in_a_row = max(counts) - min(counts) == len(counts) - 1
    return len(counts) == 1 or (in_a_row and len(counts) >= (5 if each == 1 else 2))


@pytest.mark.parametrize(
    "hand", ["2-Ah", "7h 2-5c 2-5d 2-5s", "7-9c 7-9d 7-9s 7-9h 2c", "5-Th 5-Td Js", "7h Q-Ac Q-Ad Q-Ah Q-As"]
)
def test_legal_moves_are_all_combinations_of_the_hand(hand: str) -> None:
    table = dealt([hand, "", "", ""], "g---")
    cards = table.state.pack.cards(table.state.hands[0])
    every = [list(some) for size in range(1, 14) for some in combinations(cards, size) if _is_combination(some)]
    assert sorted(move["cards"] for move in RULESET.legal(table.state, 0)) == sorted(every)
