"""Thirteen, a case for every rule: each is named after the rule that it checks."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest

from api.games.rules import ConfigError, read_config, view_event, view_line, view_state
from api.games.thirteen import RULESET
from tests.games.climbing import Table

RANKS = "3456789TJQKA2"

SUITS = ("3-2s", "3-2c", "3-2d", "3-2h")
"""Four hands of one suit each: seat 0 leads, and every sequence is beaten by that of the next seat."""


def dealt(hands: Sequence[str], **config: Any) -> Table:
    """A game with these hands, filled up where they are short."""
    table = Table(RULESET, len(hands), config)
    table.send({"type": "deal", "hands": table.full_hands(hands)})
    return table


# --- config ---------------------------------------------------------------------------------------------------------


def test_config_defaults() -> None:
    assert read_config(RULESET, {}, 4) == {"open_with_lowest": False}


@pytest.mark.parametrize("config", [{"open_with_lowest": 1}, {"open_with_lowest": "yes"}, {"jokers": True}])
def test_config_refused(config: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        read_config(RULESET, config, 4)


# --- the deal and the first lead ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hands", "leader"),
    [
        pytest.param(SUITS, 0, id="thirteen.lead-three-of-spades"),
        pytest.param(SUITS[::-1], 3, id="thirteen.lead-three-of-spades-at-the-last-seat"),
        pytest.param(("8-2c J-2d", "9-2s 9-Ah"), 0, id="thirteen.lead-lowest-card-dealt-is-no-three"),
        pytest.param(("5-2s 5-6c", "4h 5-2h 7c", "4d 5-2d 8c"), 2, id="thirteen.lead-lowest-card-dealt-by-suit"),
    ],
)
def test_first_leader(hands: Sequence[str], leader: int) -> None:
    table = dealt(hands)
    assert table.state.to_act == (leader,)
    assert table.shown()["phase"] == "play"


@pytest.mark.parametrize(
    ("config", "cards", "rule"),
    [
        pytest.param({}, "7c", None, id="thirteen.lead-any-combination"),
        pytest.param({"open_with_lowest": True}, "4s", None, id="thirteen.lead-lowest-alone"),
        pytest.param({"open_with_lowest": True}, "4s 4h", None, id="thirteen.lead-lowest-in-a-pair"),
        pytest.param({"open_with_lowest": True}, "4s 5s 6s", None, id="thirteen.lead-lowest-in-a-sequence"),
        pytest.param({"open_with_lowest": True}, "4h", "thirteen.lead", id="thirteen.lead-without-lowest"),
        pytest.param({"open_with_lowest": True}, "4h 5s 6s", "thirteen.lead", id="thirteen.lead-same-rank-as-lowest"),
        pytest.param({"open_with_lowest": True}, "4h 5s", "thirteen.combination", id="thirteen.lead-combination-first"),
        pytest.param({"open_with_lowest": True}, "-", "thirteen.lead", id="thirteen.lead-pass"),
    ],
)
def test_first_lead(config: dict[str, Any], cards: str, rule: str | None) -> None:
    table = dealt(["4s 4h 5-Qs 7-9c", "5c 5-2d 4d"], **config)
    table.check(table.move(cards), rule)


def test_later_leads_are_free_of_the_lowest_card() -> None:
    table = dealt(SUITS, open_with_lowest=True)
    table.play("3s | 2c | - | - | - | 4c")


@pytest.mark.parametrize(
    "deal",
    [
        pytest.param({"hands": [["3s"] * 13, ["3c"] * 13]}, id="card-twice"),
        pytest.param({"hands": [["3s"], ["3c"]]}, id="too-few"),
        pytest.param({"hands": [], "stock": []}, id="no-such-field"),
    ],
)
def test_bad_deal(deal: dict[str, Any]) -> None:
    table = Table(RULESET, 2, {})
    assert table.refused({"type": "deal", **deal}) == "common.deal"
    assert table.shown()["chance"] == {"type": "deal", "hands": [13, 13]}


# --- combinations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "kind"),
    [
        pytest.param("3s", "single", id="thirteen.combination-single"),
        pytest.param("2h", "single", id="thirteen.combination-single-two"),
        pytest.param("9h 9s", "pair", id="thirteen.combination-pair"),
        pytest.param("2h 2s", "pair", id="thirteen.combination-pair-of-twos"),
        pytest.param("9h 9s 9c", "triple", id="thirteen.combination-triple"),
        pytest.param("2h 2s 2d", "triple", id="thirteen.combination-triple-of-twos"),
        pytest.param("9h 9s 9c 9d", "quad", id="thirteen.combination-quad"),
        pytest.param("2s 2c 2d 2h", "quad", id="thirteen.combination-quad-of-twos"),
        pytest.param("5s 3h 4d", "sequence", id="thirteen.combination-sequence-in-any-order"),
        pytest.param("Qs Ks As", "sequence", id="thirteen.combination-sequence-to-the-ace"),
        pytest.param("3-As", "sequence", id="thirteen.combination-sequence-of-twelve"),
        pytest.param(
            "4s 4c 5s 5c 6s 6c", "double-sequence", id="thirteen.combination-double-sequence-of-the-seed-text"
        ),
        pytest.param("Qs Qc Kd Kh As Ah", "double-sequence", id="thirteen.combination-double-sequence-to-the-ace"),
        pytest.param("3-8s 3-8h", "double-sequence", id="thirteen.combination-double-sequence-of-six"),
        pytest.param("", None, id="thirteen.combination-no-cards"),
        pytest.param("9h 8h", None, id="thirteen.combination-two-ranks"),
        pytest.param("9h 9s 8h", None, id="thirteen.combination-pair-and-one"),
        pytest.param("9h 9s 8h 8s", None, id="thirteen.combination-two-pairs-in-a-row"),
        pytest.param("9h Th", None, id="thirteen.combination-sequence-of-two"),
        pytest.param("9h Th Qh", None, id="thirteen.combination-sequence-with-a-gap"),
        pytest.param("Ks As 2s", None, id="thirteen.combination-sequence-with-a-two-of-the-seed-text"),
        pytest.param("Ks As 2s 3s", None, id="thirteen.combination-sequence-round-the-corner-of-the-seed-text"),
        pytest.param("As 2s 3s", None, id="thirteen.combination-sequence-ace-low"),
        pytest.param("2s 3s 4s", None, id="thirteen.combination-sequence-two-low"),
        pytest.param("Ks Kc As Ac 2s 2c", None, id="thirteen.combination-double-sequence-with-twos"),
        pytest.param("9s 9c Ts Tc Qs Qc", None, id="thirteen.combination-double-sequence-with-a-gap"),
        pytest.param("9s 9c 9d Ts Tc Td", None, id="thirteen.combination-triples-in-a-row"),
        pytest.param("9s 9c Ts Tc Js Jc Jd", None, id="thirteen.combination-double-sequence-and-one"),
        pytest.param("9s 9c Ts Tc Js", None, id="thirteen.combination-double-sequence-short-of-one"),
    ],
)
def test_combination(cards: str, kind: str | None) -> None:
    table = dealt([cards, ""])
    if kind is None:
        table.check(table.move(cards), "thirteen.combination")
    else:
        table.check(table.move(cards), None)
        to_beat = table.shown()["table"]["to_beat"]
        move = table.record[-1]["cards"]
        assert to_beat == {"seat": 0, "type": kind, "cards": sorted(move, key=table.state.pack.position.__getitem__)}


FOLLOW = "thirteen.follow"


@pytest.mark.parametrize(
    ("led", "answer", "rule"),
    [
        pytest.param("5h", "6s", None, id="thirteen.follow-single"),
        pytest.param("5s", "5c", None, id="thirteen.follow-single-by-suit"),
        pytest.param("5c", "5s", FOLLOW, id="thirteen.follow-single-lower-suit"),
        pytest.param("6s", "5h", FOLLOW, id="thirteen.follow-single-lower-rank"),
        pytest.param("As", "2s", None, id="thirteen.follow-two-above-ace"),
        pytest.param("5h", "6s 6c", FOLLOW, id="thirteen.follow-single-by-a-pair"),
        pytest.param("5c 5d", "5s 5h", None, id="thirteen.follow-pair-by-suit"),
        pytest.param("5s 5h", "5c 5d", FOLLOW, id="thirteen.follow-pair-lower-suit"),
        pytest.param("5s 5h", "6s 6c", None, id="thirteen.follow-pair"),
        pytest.param("2s 2c", "2d 2h", None, id="thirteen.follow-pair-of-twos"),
        pytest.param("5s 5h 5d", "6s 6c 6d", None, id="thirteen.follow-triple"),
        pytest.param("6s 6h 6d", "5s 5c 5d", FOLLOW, id="thirteen.follow-triple-lower"),
        pytest.param("5s 5h 5d", "7s 7c", FOLLOW, id="thirteen.follow-triple-by-a-pair"),
        pytest.param("5s 5c 5d 5h", "6s 6c 6d 6h", None, id="thirteen.follow-quad"),
        pytest.param("6s 6c 6d 6h", "5s 5c 5d 5h", FOLLOW, id="thirteen.follow-quad-lower"),
        pytest.param("3-5s", "6d 4h 5h", None, id="thirteen.follow-sequence"),
        pytest.param("4s 5s 6d", "4c 5c 6h", None, id="thirteen.follow-sequence-by-suit"),
        pytest.param("4c 5h 6d", "4s 5s 6s", FOLLOW, id="thirteen.follow-sequence-lower-suit-on-top"),
        pytest.param("3-5s", "4-7h", FOLLOW, id="thirteen.follow-sequence-longer"),
        pytest.param("3-6s", "7-9h", FOLLOW, id="thirteen.follow-sequence-shorter"),
        pytest.param("4-6s 4-6c", "4-6d 4-6h", None, id="thirteen.follow-double-sequence-by-suit"),
        pytest.param("4-6s 4-6c", "7s 7d", FOLLOW, id="thirteen.follow-double-sequence-by-a-pair"),
        pytest.param("4-6s 4-6c", "7-Td 7-Th", FOLLOW, id="thirteen.follow-double-sequence-longer"),
        pytest.param("4-6s 4-6c", "4-9d", FOLLOW, id="thirteen.follow-double-sequence-by-a-sequence"),
        pytest.param("2s", "4-6d 4-6h", None, id="thirteen.chop-two-by-three-pairs"),
        pytest.param("2h", "3-5c 3-5d", None, id="thirteen.chop-two-by-three-pairs-of-the-seed-text"),
        pytest.param("2h", "5s 5c 5d 5h", None, id="thirteen.chop-two-by-a-quad-of-the-seed-text"),
        pytest.param("2h", "4-7d 4-7h", FOLLOW, id="thirteen.chop-two-by-four-pairs"),
        pytest.param("2h", "4-8d 4-8h", FOLLOW, id="thirteen.chop-two-by-five-pairs"),
        pytest.param("2h", "4d 4h 4c", FOLLOW, id="thirteen.chop-two-by-a-triple"),
        pytest.param("2h", "4-9d", FOLLOW, id="thirteen.chop-two-by-a-sequence"),
        pytest.param("2s 2c", "3-6c 3-6d", None, id="thirteen.chop-pair-of-twos-by-four-pairs-of-the-seed-text"),
        pytest.param("2s 2c", "4-6d 4-6h", FOLLOW, id="thirteen.chop-pair-of-twos-by-three-pairs"),
        pytest.param("2s 2c", "4-8d 4-8h", FOLLOW, id="thirteen.chop-pair-of-twos-by-five-pairs"),
        pytest.param("2s 2c", "4s 4c 4d 4h", FOLLOW, id="thirteen.chop-pair-of-twos-by-a-quad"),
        pytest.param("2s 2c 2h", "3-7c 3-7d", None, id="thirteen.chop-triple-of-twos-by-five-pairs-of-the-seed-text"),
        pytest.param("2s 2c 2h", "4-7d 4-7h", FOLLOW, id="thirteen.chop-triple-of-twos-by-four-pairs"),
        pytest.param("2s 2c 2h", "4-9d 4-9h", FOLLOW, id="thirteen.chop-triple-of-twos-by-six-pairs"),
        pytest.param("2s 2c 2h", "4s 4c 4d 4h", FOLLOW, id="thirteen.chop-triple-of-twos-by-a-quad"),
        pytest.param("2s 2c 2d 2h", "4-9c 4-9d", FOLLOW, id="thirteen.chop-quad-of-twos"),
        pytest.param("As", "5s 5c 5d 5h", FOLLOW, id="thirteen.chop-ace-by-a-quad"),
        pytest.param("As Ac", "4-7d 4-7h", FOLLOW, id="thirteen.chop-pair-of-aces"),
        pytest.param("2s | 4s 4c 4d 4h", "5s 5c 5d 5h", None, id="thirteen.chop-then-a-higher-quad"),
        pytest.param("2s | 5s 5c 5d 5h", "4s 4c 4d 4h", FOLLOW, id="thirteen.chop-then-a-lower-quad"),
        pytest.param("2s | 4s 4c 4d 4h", "5-7s 5-7c", FOLLOW, id="thirteen.chop-quad-by-three-pairs"),
        pytest.param("2s | 5-7s 5-7c", "8s 8c 8d 8h", FOLLOW, id="thirteen.chop-three-pairs-by-a-quad"),
        pytest.param("2s | 5-7s 5-7c", "8-Ts 8-Tc", None, id="thirteen.chop-then-three-higher-pairs"),
        pytest.param("2s | 5-7s 5-7c", "8-Js 8-Jc", FOLLOW, id="thirteen.chop-three-pairs-by-four"),
        pytest.param("2s | 5-7s 5-7c", "2h", FOLLOW, id="thirteen.chop-then-a-two"),
        pytest.param("5h", "-", None, id="thirteen.pass"),
        pytest.param("5h", "6s 7c", "thirteen.combination", id="thirteen.combination-before-follow"),
    ],
)
def test_answer(led: str, answer: str, rule: str | None) -> None:
    plays = [*led.split("|"), answer if answer != "-" else ""]
    table = dealt([" ".join(plays[::2]), " ".join(plays[1::2])])
    table.play(led)
    table.check(table.move(answer), rule)


# --- the trick ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "to_act", "passed"),
    [
        pytest.param("3s", 1, [], id="thirteen.follow-clockwise"),
        pytest.param("3s | -", 2, [1], id="thirteen.pass-turn-goes-on"),
        pytest.param("3s | - | 3d | 3h | 4s", 2, [1], id="thirteen.pass-is-passed-over"),
        pytest.param("3s | 3c | - | - | 4s", 1, [2, 3], id="thirteen.pass-two-are-passed-over"),
        pytest.param("3s | - | - | -", 0, [], id="thirteen.trick.won-by-the-leader"),
        pytest.param("3s | 3c | 4d | - | - | -", 2, [], id="thirteen.trick.won-by-another"),
        pytest.param("3s | 3c | - | - | 4s | -", 0, [], id="thirteen.trick.won-after-passes-before"),
        pytest.param("3s | - | - | - | 4s | 4c", 2, [], id="thirteen.pass-ends-with-the-trick"),
        pytest.param("2s | - | - | - | 3-As", 1, [], id="thirteen.trick.won-not-by-going-out"),
        pytest.param("2s | - | - | - | 3-As | - | -", 3, [1, 2], id="thirteen.trick.won-last-one-is-asked"),
        pytest.param("2s | - | - | - | 3-As | - | - | -", 1, [], id="thirteen.trick.won-by-one-who-is-out"),
        pytest.param("2s | - | - | - | 3-As | - | 3-Ad", 3, [1], id="thirteen.trick.won-beating-one-who-is-out"),
        pytest.param(
            "2s | - | - | - | 3-As | - | 3-Ad | -", 2, [], id="thirteen.trick.won-after-beating-one-who-is-out"
        ),
        pytest.param("2s | - | - | - | 3-As | - | - | 3-Ah", 3, [], id="thirteen.trick.won-by-a-play"),
    ],
)
def test_turn(script: str, to_act: int, passed: list[int]) -> None:
    table = dealt(SUITS)
    table.play(script)
    shown = table.shown()
    assert shown["to_act"] == [to_act]
    assert shown["table"]["passed"] == passed


@pytest.mark.parametrize(
    ("script", "event", "rule"),
    [
        pytest.param("3s | - | 3d", {"seat": 1, "type": "play", "cards": ["2c"]}, "common.turn", id="thirteen.pass"),
        pytest.param("3s | - | - | -", {"seat": 0, "type": "pass"}, "thirteen.lead", id="thirteen.lead-later-pass"),
        pytest.param("3s", {"seat": 0, "type": "pass"}, "common.turn", id="common.turn"),
        pytest.param("3s", {"seat": 1, "type": "play", "cards": ["4s"]}, "common.holds", id="common.holds"),
        pytest.param("3s", {"seat": 1, "type": "play", "cards": ["4c", "4c"]}, "common.holds", id="common.holds-once"),
        pytest.param("3s", {"seat": 1, "type": "play", "cards": ["BJ"]}, "common.shape", id="common.shape"),
        pytest.param("3s", {"seat": 1, "type": "pass", "cards": []}, "common.shape", id="common.shape-pass"),
    ],
)  # fmt: skip
def test_refused(script: str, event: dict[str, Any], rule: str) -> None:
    table = dealt(SUITS)
    table.play(script)
    assert table.refused(event) == rule


def test_trick_lies_open() -> None:
    table = dealt(SUITS)
    table.play("5s 3s 4s | - | 7d 5d 6d")
    assert table.shown()["table"] == {
        "to_beat": {"seat": 2, "type": "sequence", "cards": ["5d", "6d", "7d"]},
        "trick": [{"seat": 0, "cards": ["3s", "4s", "5s"]}, {"seat": 2, "cards": ["5d", "6d", "7d"]}],
        "passed": [1],
        "places": [],
    }
    assert table.play("- | -") == [{"type": "trick-won", "seat": 2, "cards": ["5d", "6d", "7d"]}]
    assert table.shown()["table"] == {"to_beat": None, "trick": [], "passed": [], "places": []}


# --- places ---------------------------------------------------------------------------------------------------------


def test_place_is_scored_when_it_is_taken() -> None:
    """thirteen.place, thirteen.score.place: the first place."""
    table = dealt(SUITS)
    assert table.play("2s | - | - | - | 3-As") == [
        {
            "type": "went-out",
            "seat": 0,
            "place": 1,
            "lines": [
                {
                    "round": 1,
                    "side": 0,
                    "points": 3,
                    "rule": "thirteen.score.place",
                    "events": [6],
                    "text": "Seat 0 went out with 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks As: first of 4, 3 placed behind it, "
                    "a point each.",
                    "place": 1,
                }
            ],
        }
    ]
    assert table.shown()["scores"] == [3, 0, 0, 0]
    assert table.shown()["table"]["places"] == [0]


def test_going_out_on_one_who_is_out() -> None:
    """thirteen.trick.won: the play ends the trick as all others passed; the lead goes to one of them."""
    table = dealt(["3-2s", "3-2c", "4-2d 2h", "3d 3-Ah"])
    table.play("3s | - | - | 3d | - | 3h | 2s | - | - | - | 4-As | - | -")
    effects = table.play("4-Ah")
    assert [effect["type"] for effect in effects] == ["went-out", "trick-won"]
    assert effects[0]["place"] == 2
    assert effects[1]["seat"] == 3
    assert table.state.to_act == (1,)
    assert [(line.side, line.points, line.place) for line in table.state.lines] == [(0, 3, 1), (3, 2, 2)]


@pytest.mark.parametrize(
    ("seats", "script", "lines"),
    [
        pytest.param(2, "2s | - | 3-As", [(0, 1, 1), (1, 0, 2)], id="thirteen.score.place-of-two"),
        pytest.param(
            3,
            "2s | - | - | 3-As | 3-Ac | - | 2c",
            [(0, 2, 1), (1, 1, 2), (2, 0, 3)],
            id="thirteen.score.place-of-three",
        ),
        pytest.param(
            4,
            "2s | - | - | - | 3-As | - | - | 3-Ah | 2h | - | - | 2c | - | 3-Ac",
            [(0, 3, 1), (3, 2, 2), (1, 1, 3), (2, 0, 4)],
            id="thirteen.score.place-of-four",
        ),
    ],
)
def test_end(seats: int, script: str, lines: list[tuple[int, int, int]]) -> None:
    """thirteen.place: the last two places are taken together, in mid-trick; first place wins."""
    table = dealt(SUITS[:seats])
    effects = table.play(script)
    assert [effect["type"] for effect in effects] == ["went-out", "round-scored", "game-over"]
    assert [line["place"] for line in effects[0]["lines"]] == [seats - 1]
    assert [line["place"] for line in effects[1]["lines"]] == list(range(1, seats + 1))
    assert [(line.side, line.points, line.place) for line in table.state.lines] == lines
    assert {line.rule for line in table.state.lines} == {"thirteen.score.place"}
    shown = table.shown()
    assert (shown["phase"], shown["to_act"], shown["winners"]) == ("over", [], [0])
    assert shown["scores"] == [points for _, points, _ in sorted(lines)]
    assert shown["table"]["places"] == [side for side, _, _ in lines]
    assert shown["table"]["to_beat"] is not None
    last = lines[-1][0]
    assert table.refused({"seat": last, "type": "pass"}) == "common.over"
    assert view_line(table.state.lines[-1], "public")["events"] == [table.seq]


# --- what a view shows, and legal moves -----------------------------------------------------------------------------


def test_hands_are_secret() -> None:
    table = dealt(SUITS[:3])
    table.play("3s")
    state = view_state(RULESET, table.state, 1)
    assert state["hands"] == [{"count": 12}, {"count": 13, "cards": table.cards("3-2c")}, {"count": 13}]
    assert view_event(table.state, table.record[0], 1) == {
        "type": "deal",
        "hands": [None, table.cards("3-2c"), None],
        "redacted": True,
    }
    assert view_event(table.state, table.record[0], "public") == {"type": "deal", "redacted": True}


def _is_combination(cards: Sequence[str]) -> bool:
    """thirteen.combination, in the plainest words."""
    counts = Counter(RANKS.index(card[0]) for card in cards)
    each = counts[RANKS.index(cards[0][0])]
    if set(counts.values()) != {each}:
        return False
    in_a_row = max(counts) - min(counts) == len(counts) - 1
    return len(counts) == 1 or (len(counts) >= 3 and each <= 2 and in_a_row and max(counts) < RANKS.index("2"))


@pytest.mark.parametrize(
    "hand", ["3-2s", "3-7s 3-7c 5d 5h 2h", "3-6s 3-6c 3-5d 5h 2h", "3-5s 3-5c 3-5d 3-5h 6h", "K-2s K-2c K-2d K-2h 3s"]
)
def test_legal_moves_are_all_combinations_of_the_hand(hand: str) -> None:
    table = dealt([hand, ""])
    cards = table.state.pack.cards(table.state.hands[0])
    every = [list(some) for size in range(1, 14) for some in combinations(cards, size) if _is_combination(some)]
    moves = RULESET.legal(table.state, 0)
    assert sorted(move["cards"] for move in moves) == sorted(every)
    assert {move["type"] for move in moves} == {"play"}
    assert RULESET.legal(table.state, 1) == []


def test_legal_moves_that_follow() -> None:
    table = dealt(["2s", "4-6c 4-6d 7s 7c 7d 7h 2h 2d 3h"])
    table.play("2s")
    assert RULESET.legal(table.state, 1) == [
        {"type": "play", "cards": ["2d"]},
        {"type": "play", "cards": ["2h"]},
        {"type": "play", "cards": ["7s", "7c", "7d", "7h"]},
        {"type": "play", "cards": ["4c", "4d", "5c", "5d", "6c", "6d"]},
        *(
            {"type": "play", "cards": ["5c", "5d", "6c", "6d", *sevens]}
            for sevens in combinations(["7s", "7c", "7d", "7h"], 2)
        ),
        {"type": "pass"},
    ]
    assert RULESET.legal(table.state, 0) == []


def test_legal_moves_that_open_with_the_lowest() -> None:
    table = dealt(["3-2s", ""], open_with_lowest=True)
    assert all("3s" in move["cards"] for move in RULESET.legal(table.state, 0))
    assert len(RULESET.legal(table.state, 0)) == 11
