"""Kraken, a case for every rule: each is named after the rule that it checks."""

from collections.abc import Sequence
from typing import Any

import pytest

from api.games.kraken import RULESET
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

RANKS = "789TJQKA"
PACK = [rank + suit for suit in "cdhs" for rank in RANKS]

SUITS = ("7-Ac", "7-Ad", "7-Ah", "7-As")
"""A suit for each seat: the whole of a trick's winning is a question of trumps."""

FOURS = ("TA", "7J", "8Q", "9K")
"""Two ranks for each seat, in every suit; 7 8 9 T and J Q K A go round from seat 1."""

MIXED = ("9-As Q-Kh", "7-Qc Ah 8h", "Ac Kc 8d 9d Td 9h 7s 8s", "7d J-Ad Jh Th 7h")


def cards(text: str) -> list[str]:
    """``7c``, ``7-9c`` (a run), ``7J`` (two ranks, every suit), in any number."""
    named = []
    for word in text.split():
        if "-" in word:
            low, high, suit = word[0], word[2], word[3]
            named += [rank + suit for rank in RANKS[RANKS.index(low) : RANKS.index(high) + 1]]
        elif word[-1] in "cdhs":
            named.append(word)
        else:
            named += [rank + suit for rank in word for suit in "cdhs"]
    return named


class Table:
    """A game that the test deals: every event goes through ``apply``. Seat 0 deals first, so seat 1 leads."""

    def __init__(self, **config: Any) -> None:
        whole = {"first_dealer": 0, "rounds": 1, "trump": "utrecht", "spades_factor": 1, **config}
        self.state = RULESET.start(read_config(RULESET, whole, 4), 4)
        self.seq = 0
        self.lines: list[tuple[int, int, str]] = []

    def send(self, event: dict[str, Any], view: Seen = PUBLIC) -> list[dict[str, Any]]:
        """Plays the event; its effects as ``view`` sees them."""
        effects = apply(self.state, event, self.seq + 1)
        self.seq += 1
        self.lines += [(line.side, line.points, line.rule) for effect in effects for line in effect.lines]
        return [view_effect(effect, view) for effect in effects]

    def deal(self, *hands: str) -> None:
        """Deals these hands, seat 0's first."""
        self.send({"type": "deal", "hands": [cards(hand) for hand in hands]})

    def event(self, word: str) -> dict[str, Any]:
        """A move of the first seat that the game waits for.

        ``pass``, ``trump:h``, ``claim``, ``leave``, ``Kh``, ``Kh+`` (with the marriage), or ``!`` and what is declared,
        combinations apart by a slash and cards by a comma.
        """
        seat = self.state.to_act[0]
        if word.startswith("!"):
            combinations = [cards(part.replace(",", " ")) for part in word[1:].split("/") if part]
            return {"seat": seat, "type": "declare", "combinations": combinations}
        if word in ("claim", "leave"):
            return {"seat": seat, "type": "bonus", "claim": word == "claim"}
        if word.startswith("trump:"):
            return {"seat": seat, "type": "trump", "suit": word[-1]}
        if word.rstrip("+") in PACK:
            marriage = {"marriage": True} if word.endswith("+") else {}
            return {"seat": seat, "type": "play", "card": word[:2], **marriage}
        return {"seat": seat, "type": word}

    def do(self, words: str) -> list[dict[str, Any]]:
        """Plays the words, each by the seat in turn; the effects of the last."""
        effects: list[dict[str, Any]] = []
        for word in words.split():
            effects = self.send(self.event(word))
        return effects

    def check(self, word: str, rule: str | None) -> None:
        """Whether a move is accepted and listed, or refused under ``rule`` and not listed."""
        event = self.event(word)
        move = {name: value for name, value in event.items() if name != "seat"}
        assert (move in RULESET.legal(self.state, event["seat"])) == (rule is None)
        tried = self.state.copy()
        if rule is None:
            apply(tried, event, self.seq + 1)
            return
        assert self.refused(event) == rule

    def refused(self, event: dict[str, Any]) -> str:
        """The rule under which an event is refused."""
        with pytest.raises(IllegalMove) as refusal:
            apply(self.state, event, self.seq + 1)
        return refusal.value.rule

    def listed(self) -> list[dict[str, Any]]:
        """The moves of the first seat that the game waits for."""
        return RULESET.legal(self.state, self.state.to_act[0])

    def shown(self, view: Seen = PUBLIC) -> dict[str, Any]:
        """The state as ``view`` sees it."""
        return view_state(RULESET, self.state, view)

    def lines_under(self, *rules: str) -> list[tuple[int, int]]:
        """Team and points of the lines under ``rules``."""
        return [(side, points) for side, points, rule in self.lines if rule in rules]


def dealt(*hands: str, trump: str = "h", stakes: str = "pass pass", declares: str = "! ! ! !", **config: Any) -> Table:
    """A round up to its first lead: seat 1 made ``trump`` trumps, so that team 1 declared it."""
    table = Table(**config)
    table.deal(*hands)
    table.do(f"trump:{trump} {stakes} {declares}")
    return table


def play_suits(table: Table, announce: bool = False) -> list[dict[str, Any]]:
    """Plays a round of SUITS: the holder of trumps wins every trick, and none holds a bonus. With ``announce`` it
    announces the marriage too. The effects of the last card."""
    trump = table.shown()["table"]["trump"]
    effects: list[dict[str, Any]] = []
    for turn in range(8):
        for _ in range(4):
            seat = table.state.to_act[0]
            card = RANKS[turn - seat] + "cdhs"[seat]
            effects = table.do(card + "+" * (announce and card == "K" + trump))
    return effects


def play_out(table: Table, answer: str = "claim") -> list[dict[str, Any]]:
    """Plays the lowest card that may be played, to the end of the round; the effects of the last event."""
    effects: list[dict[str, Any]] = []
    number = table.state.round
    while table.state.phase in ("play", "bonus") and table.state.round == number:
        effects = table.do(answer if table.state.phase == "bonus" else table.listed()[0]["card"])
    return effects


# --- config, chance events ------------------------------------------------------------------------------------------


def test_config_defaults() -> None:
    assert read_config(RULESET, {}, 4) == {
        "trump": "free",
        "free_starts": "left",
        "random_fallback": "second-card",
        "play": "amsterdam",
        "rounds": 16,
        "spades_factor": 2,
        "last_trick": 0,
        "march": 0,
        "multiply_bonus": True,
        "first_dealer": "random",
    }


@pytest.mark.parametrize(
    "config",
    [
        {"trump": "dutch"},
        {"free_starts": "right"},
        {"random_fallback": "pass"},
        {"play": "utrecht"},
        {"rounds": 0},
        {"rounds": 65},
        {"spades_factor": 3},
        {"spades_factor": True},
        {"last_trick": 101},
        {"march": 501},
        {"march": -1},
        {"multiply_bonus": 1},
        {"first_dealer": 4},
        {"first_dealer": "draw"},
        {"target": 500},
    ],
)
def test_config_refused(config: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as refusal:
        read_config(RULESET, config, 4)
    assert refusal.value.errors.keys() == config.keys()


def test_dealer_is_found_at_random() -> None:
    table = Table(first_dealer="random")
    assert (table.shown()["phase"], table.shown()["dealer"], table.shown()["chance"]) == (
        "dealer",
        None,
        {"type": "dealer"},
    )
    table.send({"type": "dealer", "dealer": 2})
    assert table.shown()["chance"] == {"type": "deal", "hands": [8, 8, 8, 8]}
    table.deal(*SUITS)
    assert (table.state.dealer, table.state.to_act) == (2, (3,))


@pytest.mark.parametrize(
    ("config", "event"),
    [
        pytest.param({"first_dealer": "random"}, {"type": "dealer", "dealer": 4}, id="common.deal-dealer-out-of-range"),
        pytest.param({"first_dealer": "random"}, {"type": "dealer", "dealer": True}, id="common.deal-dealer-no-seat"),
        pytest.param({"first_dealer": "random"}, {"type": "deal", "hands": []}, id="common.deal-dealer-first"),
        pytest.param({}, {"type": "dealer", "dealer": 0}, id="common.deal-dealer-not-called-for"),
        pytest.param({}, {"type": "turn", "card": "7c"}, id="common.deal-turn-not-called-for"),
        pytest.param(
            {}, {"type": "deal", "hands": [PACK[:7], PACK[7:16], PACK[16:24], PACK[24:]]}, id="common.deal-counts"
        ),
        pytest.param({}, {"type": "deal", "hands": [PACK[:8]] * 4}, id="common.deal-card-twice"),
        pytest.param(
            {}, {"type": "deal", "hands": [["2c", *PACK[1:8]], PACK[8:16], PACK[16:24], PACK[24:]]}, id="common.deal-2c"
        ),
    ],
)
def test_chance_event_refused(config: dict[str, Any], event: dict[str, Any]) -> None:
    assert Table(**config).refused(event) == "common.deal"


# --- trumps ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "words", "declarer"),
    [
        pytest.param({}, "trump:h", 1, id="kraken.trump.free-left-of-dealer-first"),
        pytest.param({}, "pass pass trump:h", 3, id="kraken.trump.free-clockwise"),
        pytest.param({}, "pass pass pass trump:h", 0, id="kraken.trump.free-dealer-last"),
        pytest.param({}, "pass pass pass pass trump:h", 1, id="kraken.trump.free-four-passes"),
        pytest.param({"free_starts": "dealer"}, "trump:h", 0, id="kraken.trump.free-dealer-starts"),
        pytest.param({"free_starts": "dealer"}, "pass trump:h", 1, id="kraken.trump.free-dealer-starts-then-clockwise"),
        pytest.param(
            {"free_starts": "dealer"}, "pass pass pass pass trump:h", 0, id="kraken.trump.free-dealer-must-name"
        ),
        pytest.param({"trump": "utrecht"}, "trump:h", 1, id="kraken.trump.utrecht"),
        pytest.param(
            {"trump": "utrecht", "free_starts": "dealer"}, "trump:h", 1, id="kraken.trump.utrecht-left-of-dealer-always"
        ),
    ],
)
def test_trumps_named(config: dict[str, Any], words: str, declarer: int) -> None:
    table = Table(**{"trump": "free", **config})
    table.deal(*MIXED)
    assert table.do(words) == [{"type": "trump-set", "suit": "h", "seat": declarer}]
    shown = table.shown()
    assert (shown["table"]["trump"], shown["table"]["declarer"], shown["phase"]) == ("h", declarer, "challenge")


@pytest.mark.parametrize(
    ("config", "words", "rule"),
    [
        pytest.param({"trump": "free"}, "", None, id="kraken.trump.free-may-pass"),
        pytest.param({"trump": "free"}, "pass pass pass", None, id="kraken.trump.free-fourth-may-pass"),
        pytest.param({"trump": "free"}, "pass pass pass pass", "kraken.trump.free", id="kraken.trump.free-must-name"),
        pytest.param({"trump": "utrecht"}, "", "kraken.trump.utrecht", id="kraken.trump.utrecht-must-name"),
    ],
)
def test_pass_where_trumps_are_named(config: dict[str, Any], words: str, rule: str | None) -> None:
    table = Table(**config)
    table.deal(*MIXED)
    table.do(words)
    table.check("pass", rule)
    assert [move["suit"] for move in table.listed() if move["type"] == "trump"] == ["c", "d", "h", "s"]


def turned(card: str, **config: Any) -> Table:
    """A game with random trumps, up to the first turned card."""
    table = Table(trump="random", **config)
    table.deal(*MIXED)
    assert (table.shown()["phase"], table.shown()["chance"]) == ("turn", {"type": "turn", "card": 1})
    table.send({"type": "turn", "card": card})
    assert (table.shown()["phase"], table.state.to_act, table.shown()["table"]["turned"]) == ("accept", (1,), [card])
    return table


@pytest.mark.parametrize(
    ("words", "declarer"),
    [
        pytest.param("accept", 1, id="kraken.trump.random-first-accepts"),
        pytest.param("pass pass accept", 3, id="kraken.trump.random-third-accepts"),
        pytest.param("pass pass pass accept", 0, id="kraken.trump.random-dealer-accepts"),
    ],
)
def test_turned_suit_accepted(words: str, declarer: int) -> None:
    assert turned("Qh").do(words) == [{"type": "trump-set", "suit": "h", "seat": declarer}]


@pytest.mark.parametrize(
    "card",
    [
        pytest.param("7s", id="kraken.trump.random-second-card"),
        pytest.param("Kh", id="kraken.trump.random-second-card-of-the-same-suit"),
    ],
)
def test_second_card(card: str) -> None:
    table = turned("Qh")
    table.do("pass pass pass pass")
    assert (table.shown()["phase"], table.state.to_act) == ("turn", ())
    assert "Qh" not in table.state.chances["turn"].items(table.state)
    assert table.refused({"type": "turn", "card": "Qh"}) == "common.deal"
    assert table.send({"type": "turn", "card": card}) == [{"type": "trump-set", "suit": card[1], "seat": 1}]
    assert table.shown()["table"]["turned"] == ["Qh", card]
    assert (table.shown()["phase"], table.shown()["chance"]) == ("challenge", None)


@pytest.mark.parametrize(
    ("word", "rule"),
    [
        pytest.param("trump:s", None, id="kraken.trump.random-call"),
        pytest.param("trump:h", "kraken.trump.random", id="kraken.trump.random-call-the-turned-suit"),
        pytest.param("pass", "kraken.trump.random", id="kraken.trump.random-call-must-name"),
        pytest.param("accept", "common.phase", id="kraken.trump.random-call-too-late-to-accept"),
    ],
)
def test_call(word: str, rule: str | None) -> None:
    table = turned("Qh", random_fallback="call")
    table.do("pass pass pass pass")
    assert (table.shown()["phase"], table.state.to_act) == ("call", (1,))
    table.check(word, rule)


def test_no_other_suit_may_be_named_while_the_turned_one_is_offered() -> None:
    turned("Qh").check("trump:s", "common.phase")


def test_the_deal_passes_left() -> None:
    table = dealt(*SUITS, rounds=3)
    play_suits(table)
    shown = table.shown()
    assert (shown["round"], shown["phase"], shown["dealer"]) == (2, "deal", 1)
    assert [hand["count"] for hand in shown["hands"]] == [0, 0, 0, 0]
    assert (shown["table"]["trump"], shown["table"]["declared"]) == (None, [None] * 4)


# --- challenges -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "asked", "phase", "multiplier"),
    [
        pytest.param("", 2, "challenge", 1, id="kraken.challenge-left-first"),
        pytest.param("pass", 0, "challenge", 1, id="kraken.challenge-then-right"),
        pytest.param("pass pass", 1, "declare", 1, id="kraken.challenge-both-pass"),
        pytest.param("challenge", 1, "re", 2, id="kraken.challenge-right-not-asked"),
        pytest.param("pass challenge", 1, "re", 2, id="kraken.challenge-by-the-right"),
        pytest.param("challenge pass", 3, "re", 2, id="kraken.challenge-re-partner"),
        pytest.param("challenge pass pass", 1, "declare", 2, id="kraken.challenge-no-re"),
        pytest.param("challenge re", 2, "superkraken", 4, id="kraken.challenge-re"),
        pytest.param("challenge pass re", 2, "superkraken", 4, id="kraken.challenge-re-by-partner"),
        pytest.param("pass challenge re", 2, "superkraken", 4, id="kraken.challenge-superkraken-left-first"),
        pytest.param("challenge re pass", 0, "superkraken", 4, id="kraken.challenge-superkraken-then-right"),
        pytest.param("challenge re pass pass", 1, "declare", 4, id="kraken.challenge-no-superkraken"),
        pytest.param("challenge re superkraken", 1, "declare", 8, id="kraken.challenge-superkraken"),
        pytest.param("challenge re pass superkraken", 1, "declare", 8, id="kraken.challenge-superkraken-by-right"),
    ],
)
def test_challenge(words: str, asked: int, phase: str, multiplier: int) -> None:
    table = Table()
    table.deal(*MIXED)
    table.do("trump:h")
    effects = table.do(words)
    shown = table.shown()
    assert (shown["to_act"], shown["phase"], shown["table"]["multiplier"]) == ([asked], phase, multiplier)
    if words and not words.endswith("pass"):
        (effect,) = effects
        assert (effect["type"], effect["multiplier"]) == ("doubled", multiplier)
    if phase != "declare":
        assert table.listed() == [{"type": phase}, {"type": "pass"}]


@pytest.mark.parametrize(
    ("words", "word", "seat", "rule"),
    [
        pytest.param("", "re", 2, "common.phase", id="kraken.challenge-before-re"),
        pytest.param("", "challenge", 0, "common.turn", id="kraken.challenge-out-of-turn"),
        pytest.param("challenge", "challenge", 1, "common.phase", id="kraken.challenge-once"),
        pytest.param("challenge re", "re", 2, "common.phase", id="kraken.challenge-re-once"),
        pytest.param("pass pass", "challenge", 1, "common.phase", id="kraken.challenge-too-late"),
    ],
)
def test_challenge_refused(words: str, word: str, seat: int, rule: str) -> None:
    table = Table()
    table.deal(*MIXED)
    table.do("trump:h " + words)
    assert table.refused({"seat": seat, "type": word}) == rule


# --- declarations ---------------------------------------------------------------------------------------------------


def declaring(hand: str, trump: str = "h") -> Table:
    """A round in which seat 1, the first to declare, holds ``hand``."""
    rest = [card for card in PACK if card not in cards(hand)]
    table = Table()
    table.deal(*(" ".join(part) for part in (rest[:8], cards(hand), rest[8:16], rest[16:])))
    table.do(f"trump:{trump} pass pass")
    return table


@pytest.mark.parametrize(
    ("hand", "declared", "points"),
    [
        pytest.param("J 7-Ts", "!J", [200], id="kraken.declare-four-jacks"),
        pytest.param("A 7-Ts", "!A", [100], id="kraken.declare-four-aces"),
        pytest.param("K 7-Ts", "!K", [100], id="kraken.declare-four-kings"),
        pytest.param("Q 7-Ts", "!Q", [100], id="kraken.declare-four-queens"),
        pytest.param("T 7c 8d 9h 7s", "!T", [100], id="kraken.declare-four-tens"),
        pytest.param("7-9h 7-9s Ac Ad", "!7-9h", [20], id="kraken.declare-run-of-three"),
        pytest.param("T-Kd 7-9s Ac", "!T-Kd", [50], id="kraken.declare-run-of-four"),
        pytest.param("7-Jd 7-9s", "!7-Jd", [100], id="kraken.declare-run-of-five"),
        pytest.param("7-Kd 7c", "!7-Kd", [100], id="kraken.declare-run-of-seven"),
        pytest.param("7-Ad", "!7-Ad", [100], id="kraken.declare-run-of-eight"),
        pytest.param("7-9h T-Ks Ac", "!7-9h/T-Ks", [50, 20], id="kraken.declare-two-runs-the-best-first"),
        pytest.param("7-9h J-Ah 7c", "!J-Ah/7-9h", [50, 20], id="kraken.declare-two-runs-of-a-suit"),
        pytest.param("J 9-Ts Q-Ks", "!J/9-Ks", [200, 100], id="kraken.declare-card-in-both"),
        pytest.param("J 9-Ts Q-Ks", "!9-Ks", [100], id="kraken.declare-one-kept-quiet"),
        pytest.param("J 9-Ts Q-Ks", "!", [], id="kraken.declare-all-kept-quiet"),
        pytest.param("7-9h 7-9s Ac Ad", "!9h,7h,8h", [20], id="kraken.declare-cards-in-any-order"),
    ],
)
def test_declare(hand: str, declared: str, points: list[int]) -> None:
    table = declaring(hand)
    (pattern,) = table.listed()
    named = [sorted(part) for part in table.event(declared)["combinations"]]
    assert all(part in [sorted(one) for one in pattern["combinations"]["among"]] for part in named)
    assert table.do(declared) == [{"type": "combinations-declared", "seat": 1, "points": points}]
    assert table.shown()["table"]["declared"][1] == [{"points": worth} for worth in points]
    assert (table.shown()["phase"], table.state.to_act) == ("declare", (2,))


@pytest.mark.parametrize(
    ("hand", "declared", "rule"),
    [
        pytest.param("7 8", "!7", "kraken.declare", id="kraken.declare-four-sevens"),
        pytest.param("8 9", "!8", "kraken.declare", id="kraken.declare-four-eights"),
        pytest.param("8 9", "!9", "kraken.declare", id="kraken.declare-four-nines"),
        pytest.param("7-Jd 7-9s", "!7-9d", "kraken.declare", id="kraken.declare-part-of-a-run"),
        pytest.param("7-Qd 7-8s", "!7-9d/T-Qd", "kraken.declare", id="kraken.declare-two-halves-of-a-run"),
        pytest.param("7-9h 7-9s Ac Ad", "!7h,8h", "kraken.declare", id="kraken.declare-two-cards"),
        pytest.param("7-9h 7-9s Ac Ad", "!7h,8h,9s", "kraken.declare", id="kraken.declare-run-of-two-suits"),
        pytest.param("7-8h Th 7-9s Ac Ad", "!7h,8h,Th", "kraken.declare", id="kraken.declare-run-with-a-gap"),
        pytest.param("J 9-Ts Q-Ks", "!Jc,Jd,Jh", "kraken.declare", id="kraken.declare-three-of-a-kind"),
        pytest.param("J 9-Ts Q-Ks", "!J/9-Ts,Js,Q-Ks/J", "kraken.declare", id="kraken.declare-a-combination-twice"),
        pytest.param("7-9h 7-9s Ac Ad", "!7-9h/9h,8h,7h", "kraken.declare", id="kraken.declare-twice-in-another-order"),
        pytest.param("7-9h 7-9s Ac Ad", "!7-9d", "common.holds", id="common.holds-declared-from-another-hand"),
        pytest.param("7-9h 7-9s Ac Ad", "!7-9h,9h", "common.holds", id="common.holds-card-twice-in-a-combination"),
        pytest.param("7-9h 7-9s Ac Ad", "!7-9h/7-9d", "common.holds", id="common.holds-before-kraken.declare"),
    ],
)
def test_declare_refused(hand: str, declared: str, rule: str) -> None:
    table = declaring(hand)
    assert table.refused(table.event(declared)) == rule


def test_declare_an_empty_combination() -> None:
    assert declaring("7-Ad").refused({"seat": 1, "type": "declare", "combinations": [[]]}) == "kraken.declare"


def test_declare_lists_every_combination_of_the_hand() -> None:
    table = declaring("J 9-Ts Q-Ks")
    assert table.listed() == [
        {"type": "declare", "combinations": {"among": [["9s", "Ts", "Js", "Qs", "Ks"], ["Jc", "Jd", "Jh", "Js"]]}}
    ]
    assert declaring("7 8").listed() == [{"type": "declare", "combinations": {"among": []}}]


def test_declare_once_each_from_the_dealers_left() -> None:
    table = Table()
    table.deal(*SUITS)
    table.do("trump:h pass pass")
    for seat in (1, 2, 3, 0):
        assert table.state.to_act == (seat,)
        table.do("!")
    assert (table.shown()["phase"], table.state.to_act) == ("play", (1,))


# seat 1 to seat 0, in the order in which they declare
BEST = [
    pytest.param(FOURS, "!J !Q !K !T/A", 1, id="kraken.declare.score-more-points"),
    pytest.param(FOURS, "! !Q !K !T", 1, id="kraken.declare.score-rank-of-four-of-a-kind"),
    pytest.param(FOURS, "! ! !K !T/A", 0, id="kraken.declare.score-any-one-of-them"),
    pytest.param(SUITS, "! !7-Ah !7-As !", 1, id="kraken.declare.score-spades-over-hearts"),
    pytest.param(SUITS, "!7-Ad !7-Ah ! !", 0, id="kraken.declare.score-hearts-over-diamonds"),
    pytest.param(SUITS, "!7-Ad ! ! !7-Ac", 1, id="kraken.declare.score-diamonds-over-clubs"),
    pytest.param(
        ("7-9c 7-8d Td 7-8h", "T-Qc 7-9s 9d Jd", "Kc Ac 9-Kh Qd", "Ah T-As Kd Ad"),
        "!7-9s/T-Qc !9-Kh !T-As !7-9c",
        1,
        id="kraken.declare.score-points-of-a-run-of-five-whatever-its-length",
    ),
    pytest.param(
        ("7-9c T-Qd 7-8h", "T-Qc 7-9s 7-8d", "Kc Ac 9-Jh 9d Kd Ad", "Q-Ah T-As"),
        "!T-Qc !9-Jh ! !7-9c/T-Qd",
        0,
        id="kraken.declare.score-top-card-then-suit",
    ),
]


@pytest.mark.parametrize(("hands", "declares", "team"), BEST)
def test_best_combination(hands: Sequence[str], declares: str, team: int) -> None:
    table = Table()
    table.deal(*hands)
    table.do("trump:h pass pass")
    effects = table.do(declares)
    assert [effect["type"] for effect in effects] == ["combinations-declared", "combinations-shown"]
    assert effects[1]["team"] == team
    declared = [cards(part) for word in declares.split() for part in word[1:].split("/") if part]
    shown = [one["cards"] for one in effects[1]["combinations"]]
    assert all(sorted(one) in [sorted(part) for part in declared] for one in shown)
    assert {one["seat"] % 2 for one in effects[1]["combinations"]} == {team}


def test_nothing_is_shown_when_nothing_was_declared() -> None:
    table = Table()
    table.deal(*SUITS)
    table.do("trump:h pass pass")
    assert [effect["type"] for effect in table.do("! ! ! !")] == ["combinations-declared"]


def test_scores_of_declarations() -> None:
    """kraken.declare.score: both players of the one team, nothing for the other."""
    table = dealt(*FOURS, declares="!J !Q !K !T/A")
    play_out(table)
    assert table.lines_under("kraken.declare.score") == [(0, 0), (0, 0), (0, 0), (1, 200), (1, 100)]


# --- following, overtrumping, Amsterdam and Rotterdam ---------------------------------------------------------------

LOW_TRUMPS = ("9-Kc 7d K-As", "Ac 8-Ad", "7c Jh 7-Qs", "8c 7-Th Q-Ah")
"""Seat 2 has the jack of hearts, and seat 3 all the other hearts and a club."""

FOLLOW, OVERTRUMP, AMSTERDAM, ROTTERDAM = "kraken.follow", "kraken.overtrump", "kraken.amsterdam", "kraken.rotterdam"

# hands, dealer, cards played, and what the next card leads to; hearts are trumps
UNDER_BOTH = [
    pytest.param(
        MIXED, 0, "7c", {"Ac": None, "Kc": None, "8d": FOLLOW, "9h": FOLLOW, "7s": FOLLOW}, id="kraken.follow-must"
    ),
    pytest.param(MIXED, 0, "", {"7c": None, "Qc": None, "8h": None, "Ah": None}, id="kraken.follow-any-lead"),
    pytest.param(
        MIXED,
        0,
        "Ah 9h",
        {"Jh": None, "Th": OVERTRUMP, "7h": OVERTRUMP, "Jd": FOLLOW},
        id="kraken.overtrump-the-highest-of-the-trick",
    ),
    pytest.param(
        MIXED, 2, "Th Qh", {"Ah": None, "8h": OVERTRUMP, "7c": FOLLOW}, id="kraken.overtrump-even-on-the-partners"
    ),
    pytest.param(
        MIXED, 0, "Ah 9h Jh", {"Qh": None, "Kh": None, "As": FOLLOW}, id="kraken.overtrump-otherwise-any-trump"
    ),
    pytest.param(LOW_TRUMPS, 2, "7h", {"9c": None, "7d": None, "As": None}, id="kraken.overtrump-without-trumps-free"),
    pytest.param(SUITS, 0, "7d 7h", {"8s": None, "As": None}, id="kraken.follow-neither-suit-nor-trumps-free"),
]

UNDER_ONE = [
    pytest.param(
        MIXED,
        0,
        "7c Ac",
        {"7h": None, "Th": None, "Jh": None, "7d": AMSTERDAM},
        {"7h": None, "Th": None, "Jh": None, "7d": ROTTERDAM},
        id="trump-on-the-opponents",
    ),
    pytest.param(
        MIXED,
        0,
        "7c Ac 7h",
        {"Qh": None, "Kh": None, "9s": AMSTERDAM},
        {"Qh": None, "Kh": None, "9s": ROTTERDAM},
        id="overtrump-the-opponents",
    ),
    pytest.param(
        MIXED,
        2,
        "Ad Qh",
        {"Ah": None, "8h": AMSTERDAM, "7c": AMSTERDAM},
        {"Ah": None, "8h": ROTTERDAM, "7c": ROTTERDAM},
        id="undertrump-while-it-can-win",
    ),
    pytest.param(
        MIXED,
        0,
        "7c Ac Jh",
        {"9s": None, "As": None, "Qh": AMSTERDAM, "Kh": AMSTERDAM},
        {"9s": ROTTERDAM, "As": ROTTERDAM, "Qh": None, "Kh": None},
        id="trumps-too-low",
    ),
    pytest.param(
        MIXED,
        1,
        "Td Jd",
        {"9s": None, "Qh": None, "Kh": None},
        {"9s": ROTTERDAM, "Qh": None, "Kh": None},
        id="partner-is-winning",
    ),
    pytest.param(
        MIXED,
        3,
        "As Ah 7s",
        {"7d": None, "Jh": None, "Th": AMSTERDAM, "7h": AMSTERDAM},
        {"7d": ROTTERDAM, "Jh": None, "Th": ROTTERDAM, "7h": ROTTERDAM},
        id="partner-is-winning-with-a-trump",
    ),
    pytest.param(
        LOW_TRUMPS,
        0,
        "Ad Jh",
        {"8c": None, "7h": AMSTERDAM, "Ah": AMSTERDAM},
        {"8c": ROTTERDAM, "7h": None, "Ah": None},
        id="trumps-too-low-and-one-card-besides",
    ),
    pytest.param(
        LOW_TRUMPS,
        0,
        "Ac 7c 8c Kc Ad Jh",
        {"7h": None, "8h": None, "Ah": None},
        {"7h": None, "8h": None, "Ah": None},
        id="nothing-but-trumps-too-low",
    ),
]

DUTIES = [
    *[
        pytest.param(play, *case.values, id=f"{case.id}-{play}")
        for case in UNDER_BOTH
        for play in ("amsterdam", "rotterdam")
    ],
    *[
        pytest.param(play, *case.values[:3], case.values[3 + place], id=f"kraken.{play}-{case.id}")
        for case in UNDER_ONE
        for place, play in enumerate(("amsterdam", "rotterdam"))
    ],
]


@pytest.mark.parametrize(("play", "hands", "dealer", "played", "tried"), DUTIES)
def test_card(play: str, hands: Sequence[str], dealer: int, played: str, tried: dict[str, str | None]) -> None:
    table = dealt(*hands, play=play, first_dealer=dealer)
    table.do(played)
    for card, rule in tried.items():
        table.check(card, rule)


@pytest.mark.parametrize(
    ("hands", "trump", "dealer", "played", "winner", "points"),
    [
        pytest.param(SUITS, "h", 0, "Ad 7h Ts Kc", 2, 25, id="kraken.trick-a-trump"),
        pytest.param(MIXED, "h", 0, "7c Ac 7h Qh", 0, 14, id="kraken.trick-the-highest-trump"),
        pytest.param(FOURS, "h", 0, "7h 8h 9h Th", 3, 24, id="kraken.trick-trumps-nine-over-ten"),
        pytest.param(FOURS, "h", 0, "Jh Qh Kh Ah", 1, 38, id="kraken.trick-trumps-jack-over-ace"),
        pytest.param(FOURS, "h", 0, "Jc 8c Kc Tc", 0, 16, id="kraken.trick-plain-ten-over-king"),
        pytest.param(FOURS, "h", 0, "Jc Qc 9c Ac", 0, 16, id="kraken.trick-plain-ace-over-all"),
        pytest.param(FOURS, "h", 0, "Jc 8c 9c Tc", 0, 12, id="kraken.trick-plain-ten-over-jack"),
        pytest.param(MIXED, "s", 1, "Ac Ad Kh 7c", 2, 26, id="kraken.trick-another-suit-never-wins"),
    ],
)
def test_trick(hands: Sequence[str], trump: str, dealer: int, played: str, winner: int, points: int) -> None:
    table = dealt(*hands, trump=trump, first_dealer=dealer)
    effects = table.do(played)
    card = played.split()[(winner - dealer - 1) % 4]
    assert effects[0] == {"type": "trick-won", "seat": winner, "card": card, "points": points}
    if table.state.phase == "bonus":
        table.do("claim")
    assert table.state.to_act == (winner,)
    assert table.shown()["table"]["trick"] == []
    assert table.shown()["table"]["tricks"] == [1 - winner % 2, winner % 2]


def test_trick_lies_open() -> None:
    table = dealt(*MIXED)
    table.do("7c Ac")
    assert table.shown()["table"]["trick"] == [{"seat": 1, "card": "7c"}, {"seat": 2, "card": "Ac"}]


# --- marriage -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hands", "dealer", "played", "tried"),
    [
        pytest.param(
            SUITS,
            0,
            "7d",
            {"Kh+": None, "Kh": None, "Qh+": None, "Ah+": "kraken.marriage", "Jh+": "kraken.marriage"},
            id="kraken.marriage-with-the-first",
        ),
        pytest.param(
            SUITS, 0, "7d Kh 7s 7c", {"Qh+": None, "Qh": None, "Ah+": "kraken.marriage"}, id="kraken.marriage-second"
        ),
        pytest.param(SUITS, 0, "7d Qh 7s 7c", {"Kh+": None}, id="kraken.marriage-second-is-the-king"),
        pytest.param(SUITS, 0, "7d Kh+ 7s 7c", {"Qh+": "kraken.marriage", "Qh": None}, id="kraken.marriage-once"),
        pytest.param(FOURS, 0, "7h", {"Qh+": "kraken.marriage"}, id="kraken.marriage-dealt-one-of-the-two"),
        pytest.param(MIXED, 2, "", {"Kd+": "kraken.marriage"}, id="kraken.marriage-of-another-suit"),
        pytest.param(
            MIXED, 0, "7c Ac Jh", {"Qh+": "kraken.amsterdam", "As+": "kraken.marriage"}, id="kraken.marriage-card-first"
        ),
        pytest.param(
            MIXED, 0, "7c Ac 7h", {"Qh+": None, "9s+": "kraken.amsterdam"}, id="kraken.marriage-when-trumping"
        ),
    ],
)
def test_marriage(hands: Sequence[str], dealer: int, played: str, tried: dict[str, str | None]) -> None:
    table = dealt(*hands, first_dealer=dealer)
    table.do(played)
    for card, rule in tried.items():
        table.check(card, rule)


@pytest.mark.parametrize("value", [False, None, 1, "yes"])
def test_marriage_is_true_or_left_out(value: object) -> None:
    table = dealt(*SUITS)
    table.do("7d")
    assert table.refused({"seat": 2, "type": "play", "card": "Kh", "marriage": value}) == "common.shape"


def test_marriage_is_said_at_once_and_scored_at_the_end() -> None:
    """kraken.marriage: whichever team has the best combination, and once."""
    table = dealt(*SUITS, declares="! ! !7-As !")
    table.do("7d")
    assert table.do("Kh+") == [{"type": "marriage-declared", "seat": 2, "points": 20}]
    assert (table.shown()["table"]["marriage"], table.shown()["scores"]) == (2, [0, 0])
    table.do("7s 7c")
    play_out(table)
    assert table.lines_under("kraken.marriage") == [(0, 20)]
    assert table.lines_under("kraken.declare.score") == [(1, 100)]


def test_marriage_kept_quiet_scores_nothing() -> None:
    table = dealt(*SUITS)
    play_suits(table)
    assert table.lines_under("kraken.marriage") == []


# --- bonuses of tricks ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hands", "played", "points"),
    [
        pytest.param(FOURS, "7c 8c 9c Ac", 20, id="kraken.bonus-run-of-three"),
        pytest.param(FOURS, "7c 8c 9c Tc", 50, id="kraken.bonus-run-of-four"),
        pytest.param(FOURS, "Jc Qc Kc Ac", 50, id="kraken.bonus-run-of-four-to-the-ace"),
        pytest.param(FOURS, "7h 8h 9h Ah", 20, id="kraken.bonus-trump-run-without-king-and-queen"),
        pytest.param(FOURS, "7h Qh Kh Ah", 40, id="kraken.bonus-trump-run-of-three-with-king-and-queen"),
        pytest.param(FOURS, "Jh Qh Kh Th", 70, id="kraken.bonus-trump-run-of-four-with-king-and-queen"),
        pytest.param(FOURS, "7h Qh Kh Th", 20, id="kraken.bonus-king-and-queen-of-trumps"),
        pytest.param(FOURS, "7c Qc Kc Tc", 0, id="kraken.bonus-king-and-queen-of-another-suit"),
        pytest.param(FOURS, "7c 8c Kc Ac", 0, id="kraken.bonus-no-run-round-the-corner"),
        pytest.param(FOURS, "7c Qc 9c Ac", 0, id="kraken.bonus-none"),
        pytest.param(SUITS, "Jd Jh Js Jc", 200, id="kraken.bonus-four-jacks"),
        pytest.param(SUITS, "Ad Ah As Ac", 100, id="kraken.bonus-four-aces"),
        pytest.param(SUITS, "Kd Kh Ks Kc", 100, id="kraken.bonus-four-kings"),
        pytest.param(SUITS, "Qd Qh Qs Qc", 100, id="kraken.bonus-four-queens"),
        pytest.param(SUITS, "Td Th Ts Tc", 100, id="kraken.bonus-four-tens"),
        pytest.param(SUITS, "9d 9h 9s 9c", 0, id="kraken.bonus-four-nines"),
        pytest.param(SUITS, "8d 8h 8s 8c", 0, id="kraken.bonus-four-eights"),
        pytest.param(SUITS, "7d 7h 7s 7c", 0, id="kraken.bonus-four-sevens"),
    ],
)
@pytest.mark.parametrize("answer", ["claim", "leave"])
def test_bonus(hands: Sequence[str], played: str, points: int, answer: str) -> None:
    table = dealt(*hands)
    effects = table.do(played)
    winner = effects[0]["seat"]
    if not points:
        assert [effect["type"] for effect in effects] == ["trick-won"]
        assert (table.shown()["phase"], table.state.to_act) == ("play", (winner,))
        return
    team = winner % 2
    assert effects[1] == {"type": "bonus-due", "team": team, "points": points}
    shown = table.shown()
    assert (shown["phase"], shown["to_act"], shown["table"]["bonus"]) == (
        "bonus",
        [team, team + 2],
        {"team": team, "points": points},
    )
    assert [one["card"] for one in shown["table"]["trick"]] == played.split()
    table.do(answer)
    assert (table.shown()["phase"], table.state.to_act, table.shown()["table"]["bonus"]) == ("play", (winner,), None)
    play_out(table, "leave")
    worth = points if answer == "claim" else 0
    first, *others = [points for side, points in table.lines_under("kraken.bonus") if side == team]
    assert (first, sum(others)) == (worth, 0)


@pytest.mark.parametrize("seat", [0, 2])
@pytest.mark.parametrize("claim", [True, False])
def test_first_answer_settles_the_bonus(seat: int, claim: bool) -> None:
    """kraken.bonus: of either player of the team; meanwhile nobody plays."""
    table = dealt(*FOURS)
    table.do("7c 8c 9c Tc")
    for each in (0, 2):
        assert RULESET.legal(table.state, each) == [{"type": "bonus", "claim": True}, {"type": "bonus", "claim": False}]
    assert RULESET.legal(table.state, 1) == []
    assert table.refused({"seat": 1, "type": "bonus", "claim": True}) == "common.turn"
    assert table.refused({"seat": 0, "type": "play", "card": "As"}) == "common.phase"
    table.send({"seat": seat, "type": "bonus", "claim": claim})
    assert table.refused({"seat": 2 - seat, "type": "bonus", "claim": True}) == "common.phase"


def test_bonus_of_the_last_trick_comes_before_the_score() -> None:
    table = dealt(*SUITS)
    for rank in "789":
        table.do(f"{rank}d {rank}h {rank}s {rank}c" if rank == "7" else f"{rank}h {rank}s {rank}c {rank}d")
    for rank in "TJQK":
        table.do(f"{rank}h {rank}s {rank}c {rank}d leave")
    effects = table.do("Ah As Ac Ad")
    assert [effect["type"] for effect in effects] == ["trick-won", "bonus-due"]
    assert [effect["type"] for effect in table.do("claim")] == ["round-scored", "game-over"]
    assert table.lines_under("kraken.bonus") == [(0, 0), (0, 0), (0, 0), (0, 0), (0, 100)]


# --- the score of a round -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trump", "config", "lines"),
    [
        pytest.param("h", {}, [(0, 152), (1, 0)], id="kraken.points-cards"),
        pytest.param("d", {}, [(0, 0), (1, 152)], id="kraken.points-cards-of-the-other-team"),
        pytest.param("h", {"last_trick": 10}, [(0, 152), (0, 10), (1, 0)], id="kraken.points-last-trick"),
        pytest.param("h", {"march": 100}, [(0, 152), (0, 100), (1, 0)], id="kraken.points-march"),
        pytest.param("s", {"spades_factor": 2}, [(0, 0), (1, 152), (1, 152)], id="kraken.points-spades"),
        pytest.param(
            "s",
            {"spades_factor": 2, "last_trick": 10, "march": 100},
            [(0, 0), (1, 152), (1, 10), (1, 100), (1, 262)],
            id="kraken.points-spades-with-last-trick-and-march",
        ),
        pytest.param("s", {"spades_factor": 1}, [(0, 0), (1, 152)], id="kraken.points-spades-count-once"),
        pytest.param("h", {"spades_factor": 2}, [(0, 152), (1, 0)], id="kraken.points-factor-for-spades-only"),
    ],
)
def test_points(trump: str, config: dict[str, Any], lines: list[tuple[int, int]]) -> None:
    table = dealt(*SUITS, trump=trump, **config)
    play_suits(table)
    assert table.lines_under("kraken.points") == lines


def test_spades_factor_leaves_bonus_points_alone() -> None:
    """kraken.points: combinations, marriage and claimed bonuses come on top."""
    table = dealt(*SUITS, trump="s", declares="! ! !7-As !", spades_factor=2)
    play_suits(table, announce=True)
    assert table.lines_under("kraken.declare.score", "kraken.marriage") == [(1, 100), (1, 20)]
    assert table.shown()["scores"] == [0, 304 + 120]


def test_no_march_without_every_trick() -> None:
    table = dealt(*MIXED, march=100, last_trick=10)
    play_out(table, "leave")
    cards_of_0, cards_of_1 = (points for _, points in table.lines_under("kraken.points") if points != 10)
    assert cards_of_0 + cards_of_1 == 152
    assert min(cards_of_0, cards_of_1) > 0
    assert len(table.lines_under("kraken.points")) == 3


# With hearts as trumps team 0 takes all tricks of SUITS; seat 1, team 1, made them.
ONE, BOTH = "!7-Ad ! ! !", "!7-Ad ! !7-As !"


@pytest.mark.parametrize(
    ("dealer", "declares", "config", "lines", "scores"),
    [
        pytest.param(1, "! ! ! !", {}, [], [152, 0], id="kraken.score.plain-declarers-ahead"),
        pytest.param(0, BOTH, {}, [], [152, 200], id="kraken.score.plain-declarers-ahead-each-scores-its-own"),
        pytest.param(0, ONE, {}, [(0, 100), (1, -100)], [252, 0], id="kraken.score.plain-declarers-behind"),
        pytest.param(0, BOTH, {"last_trick": 48}, [(0, 200), (1, -200)], [400, 0], id="kraken.score.plain-tie"),
        pytest.param(0, BOTH, {"last_trick": 47}, [], [199, 200], id="kraken.score.plain-one-point-more"),
        pytest.param(0, "! ! ! !", {}, [], [152, 0], id="kraken.score.plain-nothing-to-move"),
    ],
)
def test_plain_score(
    dealer: int, declares: str, config: dict[str, Any], lines: list[tuple[int, int]], scores: list[int]
) -> None:
    table = dealt(*SUITS, declares=declares, first_dealer=dealer, **config)
    play_suits(table)
    assert table.lines_under("kraken.score.plain") == lines
    assert table.shown()["scores"] == scores


DOUBLE, FOURFOLD, EIGHTFOLD = "challenge pass pass", "challenge re pass pass", "challenge re superkraken"
ONCE = {"multiply_bonus": False}


@pytest.mark.parametrize(
    ("stakes", "declares", "config", "lines", "scores"),
    [
        pytest.param(DOUBLE, "! ! ! !", {}, [(0, 152)], [304, 0], id="kraken.score.challenged-double"),
        pytest.param(DOUBLE, ONE, {}, [(0, 352), (1, -100)], [504, 0], id="kraken.score.challenged-takes-both"),
        pytest.param(DOUBLE, BOTH, {}, [(0, -152), (1, 504)], [0, 704], id="kraken.score.challenged-failed"),
        pytest.param(
            DOUBLE, BOTH, {"last_trick": 48}, [(0, -200), (1, 600)], [0, 800], id="kraken.score.challenged-tie"
        ),
        pytest.param(FOURFOLD, BOTH, {}, [(0, -152), (1, 1208)], [0, 1408], id="kraken.score.challenged-re"),
        pytest.param(FOURFOLD, ONE, {}, [(0, 856), (1, -100)], [1008, 0], id="kraken.score.challenged-re-failed"),
        pytest.param(
            FOURFOLD, BOTH, {"last_trick": 48}, [(0, 1400), (1, -200)], [1600, 0], id="kraken.score.challenged-re-tie"
        ),
        pytest.param(EIGHTFOLD, "! ! ! !", {}, [(0, 1064)], [1216, 0], id="kraken.score.challenged-superkraken"),
        pytest.param(
            EIGHTFOLD, BOTH, {}, [(0, -152), (1, 2616)], [0, 2816], id="kraken.score.challenged-superkraken-failed"
        ),
        pytest.param(
            DOUBLE, BOTH, ONCE, [(0, -152), (1, 304)], [0, 504], id="kraken.score.challenged-bonus-counts-once"
        ),
        pytest.param(
            DOUBLE, ONE, ONCE, [(0, 252), (1, -100)], [404, 0], id="kraken.score.challenged-others-bonus-counts-once"
        ),
    ],
)
def test_challenged_score(
    stakes: str, declares: str, config: dict[str, Any], lines: list[tuple[int, int]], scores: list[int]
) -> None:
    table = dealt(*SUITS, stakes=stakes, declares=declares, **config)
    play_suits(table)
    assert table.lines_under("kraken.score.challenged") == lines
    assert table.lines_under("kraken.score.plain") == []
    assert table.shown()["scores"] == scores


@pytest.mark.parametrize(
    ("multiply_bonus", "score"),
    [
        pytest.param(True, 2 * (304 + 20), id="kraken.score.challenged-spades-and-marriage"),
        pytest.param(False, 2 * 304 + 20, id="kraken.score.challenged-spades-and-marriage-once"),
    ],
)
def test_challenge_multiplies_what_spades_multiplied(multiply_bonus: bool, score: int) -> None:
    table = dealt(*SUITS, trump="s", stakes=DOUBLE, spades_factor=2, multiply_bonus=multiply_bonus)
    play_suits(table, announce=True)
    assert table.shown()["scores"] == [0, score]


# --- the end --------------------------------------------------------------------------------------------------------


def another_round(table: Table, trump: str) -> list[dict[str, Any]]:
    """Plays a round of SUITS, unchallenged and with nothing declared; the effects of its end."""
    table.deal(*SUITS)
    table.do(f"trump:{trump} pass pass ! ! ! !")
    return play_suits(table)


@pytest.mark.parametrize(
    ("trumps", "totals", "winners"),
    [
        pytest.param("h", [152, 0], [0], id="kraken.end-one-round"),
        pytest.param("hds", [152, 304], [1], id="kraken.end-higher-total"),
        pytest.param("hd", [152, 152], [0, 1], id="kraken.end-level"),
    ],
)
def test_end(trumps: str, totals: list[int], winners: list[int]) -> None:
    table = Table(rounds=len(trumps))
    effects: list[dict[str, Any]] = []
    for place, trump in enumerate(trumps):
        assert table.shown()["winners"] == []
        assert (table.shown()["round"], table.shown()["dealer"]) == (place + 1, place)
        effects = another_round(table, trump)
    assert effects[-1] == {"type": "game-over", "winners": winners, "totals": totals}
    assert (table.shown()["phase"], table.shown()["scores"], table.shown()["winners"]) == ("over", totals, winners)
    assert table.refused({"seat": 0, "type": "pass"}) == "common.over"


def test_sixteen_rounds_unless_said_otherwise() -> None:
    table = Table(rounds=16)
    for _ in range(16):
        assert table.shown()["phase"] == "deal"
        another_round(table, "h")
    assert table.shown()["phase"] == "over"


# --- the score sheet, and who may read what -------------------------------------------------------------------------


EVERY_CARD = (
    "Ac 11, Tc 10, Kc 4, Qc 3, Jc 2, Ad 11, Td 10, Kd 4, Qd 3, Jd 2, "
    "Jh 20, 9h 14, Ah 11, Th 10, Kh 4, Qh 3, As 11, Ts 10, Ks 4, Qs 3, Js 2"
)


def test_score_sheet_of_a_round() -> None:
    """What each line says and rests on, in order, for a round with something of everything."""
    table = dealt(*SUITS, stakes=DOUBLE, declares="!7-Ad !7-Ah !7-As !7-Ac", last_trick=10, march=100)
    table.do("Jd Jh Js Jc claim Th Ts Tc Td leave Kh+ As Ac Ad Qh Ks Kc Kd")
    play_out(table)
    told = [view_line(line, PUBLIC) for line in table.state.lines]
    assert [(line["side"], line["points"], line["rule"]) for line in told] == [
        (0, 152, "kraken.points"),
        (0, 10, "kraken.points"),
        (0, 100, "kraken.points"),
        (0, 0, "kraken.declare.score"),
        (0, 0, "kraken.declare.score"),
        (0, 20, "kraken.marriage"),
        (0, 200, "kraken.bonus"),
        (0, 0, "kraken.bonus"),
        (1, 0, "kraken.points"),
        (1, 100, "kraken.declare.score"),
        (1, 100, "kraken.declare.score"),
        (0, 2 * 682 - 482, "kraken.score.challenged"),
        (1, -200, "kraken.score.challenged"),
    ]
    assert [line["events"] for line in told] == [
        # trumps, and the last card of each trick
        [2, 13, 18, 23, 27, 31, 35, 39, 43],
        [43],
        [13, 18, 23, 27, 31, 35, 39, 43],
        [9, 8],
        [7, 8],
        [20],
        [13, 14],
        [18, 19],
        [2],
        [6],
        [8],
        [2, 3],
        [2, 3],
    ]
    assert [line["text"] for line in told] == [
        "Team 0 took 8 tricks: " + EVERY_CARD + ".",
        "Seat 2 won the last trick with Ah.",
        "Team 0 took every trick.",
        "Seat 0 declared a combination worth 100, outranked by the run 7s 8s 9s Ts Js Qs Ks As of seat 3: nothing.",
        "Seat 2 declared a combination worth 100, outranked by the run 7s 8s 9s Ts Js Qs Ks As of seat 3: nothing.",
        "Seat 2 declared king and queen of trumps, Kh Qh.",
        "Seat 0 claimed the bonus of a trick: the four jacks (200).",
        "Seat 0 let the bonus of a trick go: the four tens (100).",
        "Team 1 took 0 tricks: no card points.",
        "Seat 1 declared the run 7d 8d 9d Td Jd Qd Kd Ad.",
        "Seat 3 declared the run 7s 8s 9s Ts Js Qs Ks As.",
        "Team 0 doubled last and has 482 points against 200: team 0 scores the points of both, 682 x 2 = 1364.",
        "Team 0 doubled last and has 482 points against 200: team 1 scores nothing.",
    ]


def test_lines_say_what_counts_once_and_what_spades_add() -> None:
    table = dealt(*SUITS, trump="s", stakes=DOUBLE, spades_factor=2, multiply_bonus=False)
    play_suits(table, announce=True)
    told = [view_line(line, PUBLIC)["text"] for line in table.state.lines]
    assert "Spades are trumps: the 152 points of team 1's tricks count twice." in told
    assert told[-1].endswith("team 1 scores the points of both, 304 x 2 + 20 of bonus = 628.")


def test_lines_say_where_points_went() -> None:
    table = dealt(*SUITS, declares=ONE)
    play_suits(table)
    told = [view_line(line, PUBLIC)["text"] for line in table.state.lines]
    assert told[-2:] == [
        "Team 1, the declarers, has 100 points against 152: team 0 scores the points of both, 252.",
        "Team 1, the declarers, has 100 points against 152: team 1 scores nothing.",
    ]


def test_bonus_with_king_and_queen_is_named() -> None:
    table = dealt(*FOURS)
    table.do("7h Qh Kh Ah claim")
    play_out(table, "leave")
    told = [view_line(line, PUBLIC)["text"] for line in table.state.lines]
    assert "Seat 0 claimed the bonus of a trick: the run Qh Kh Ah (20) and king and queen of trumps (20)." in told


@pytest.mark.parametrize("view", [PUBLIC, TABLE, 0, 1, 2, 3])
def test_an_outranked_combination_is_known_to_its_declarer_alone(view: Seen) -> None:
    table = dealt(*SUITS, declares="!7-Ad !7-Ah !7-As !")
    hearts = cards("7-Ah")
    seen = view in (TABLE, 2)
    event = {"seat": 2, "type": "declare", "combinations": [hearts]}
    assert view_event(table.state, event, view) == (event if seen else {"seat": 2, "type": "declare", "redacted": True})
    declared = table.shown(view)["table"]["declared"]
    assert declared == [
        [],
        [{"points": 100, "cards": cards("7-Ad")}],
        [{"points": 100, "cards": hearts} if seen else {"points": 100}],
        [{"points": 100, "cards": cards("7-As")}],
    ]
    play_suits(table)
    (line,) = [line for line in table.state.lines if line.rule == "kraken.declare.score" and line.side == 0]
    assert ("7h" in view_line(line, view)["text"]) == seen
    assert "7s 8s" in view_line(line, view)["text"]


@pytest.mark.parametrize("view", [PUBLIC, 0, 2, 3])
def test_a_combination_is_hidden_until_all_have_declared(view: Seen) -> None:
    table = Table()
    table.deal(*SUITS)
    table.do("trump:h pass pass !7-Ad ! !")
    assert table.shown(view)["table"]["declared"] == [None, [{"points": 100}], [], []]
    assert table.shown(1)["table"]["declared"][1] == [{"points": 100, "cards": cards("7-Ad")}]


@pytest.mark.parametrize("view", [PUBLIC, TABLE, 0, 3])
def test_hands_are_their_players_own(view: Seen) -> None:
    table = dealt(*SUITS)
    hands = table.shown(view)["hands"]
    assert [hand["count"] for hand in hands] == [8, 8, 8, 8]
    assert ["cards" in hand for hand in hands] == [view in (TABLE, seat) for seat in range(4)]
