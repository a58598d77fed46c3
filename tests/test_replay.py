"""Replay: a record leads where playing led, through takebacks, abandonment and the codec, in every game."""

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.games import RULESETS
from api.games.rules import OVER, TABLE, Effect, IllegalMove, Ruleset, apply
from api.records.audit import read_record
from api.records.codec import decode, encode
from api.records.portable import chain_facts, write_record
from api.records.replay import (
    ABANDON,
    TAKEBACK,
    advance,
    last,
    legal_moves,
    view_effects,
    view_ledger,
    view_position,
    walk,
)
from tests.games.playing import Game, deal, games, play, slots, take_back
from tests.records import sealed

every_game = pytest.mark.parametrize(
    "ruleset", [pytest.param(ruleset, id=f"{name}-{version}") for (name, version), ruleset in RULESETS.items()]
)

searched = settings(
    max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)

LONGEST = 150


@st.composite
def rewound(draw: st.DrawFn, ruleset: Ruleset, takebacks: int = 3) -> Game:
    """A random game that was taken back up to so many times."""
    game = draw(games(ruleset, most=LONGEST))
    game = game._replace(events=game.events[: draw(st.integers(1, len(game.events)))])
    for _ in range(draw(st.integers(0, takebacks))):
        game = take_back(game, Random(draw(st.integers(0, 2**32))), most=draw(st.integers(0, 60)))
    return game


def played(game: Game) -> list[tuple[Any, Sequence[Effect]]]:
    """The state after each event and its effects, as the rules alone give them: every state is kept, none replayed."""
    kept = [game.ruleset.start(game.config, game.seats)]
    live: list[int] = []
    steps = []
    for seq, event in enumerate(game.events, 1):
        state = kept[event["to"] if event["type"] == TAKEBACK else -1].copy()
        if event["type"] == TAKEBACK:
            effects: Sequence[Effect] = [Effect("retracted", {"events": [one for one in live if one > event["to"]]})]
            live = [one for one in live if one <= event["to"]]
        else:
            effects = apply(state, event, seq)
            live.append(seq)
        kept.append(state)
        steps.append((state, effects))
    return steps


def check_replay(game: Game, events: Sequence[Mapping[str, Any]]) -> None:
    """``events`` lead where those of ``game`` led, after each of them."""
    expected = played(game)
    seq = 0
    for seq, step in enumerate(walk(game.ruleset, game.config, game.seats, events), 1):
        state, effects = expected[seq - 1]
        assert step.event == game.events[seq - 1]
        assert step.position.seq == seq
        assert slots(step.position.state) == slots(state)
        assert view_effects(step.effects, TABLE) == view_effects(effects, TABLE)
        assert step.position.chances == sum(
            "seat" not in event and event["type"] != TAKEBACK for event in game.events[:seq]
        )
    assert seq == len(game.events)


@every_game
@searched
@given(st.data())
def test_a_record_leads_where_playing_led_after_every_event(ruleset: Ruleset, data: st.DataObject) -> None:
    game = data.draw(rewound(ruleset))
    check_replay(game, game.events)
    check_replay(game, json.loads(json.dumps(game.events)))
    position = last(game.ruleset, game.config, game.seats, game.events)
    assert slots(position.state) == slots(played(game)[-1][0])


@every_game
@searched
@given(st.data())
def test_what_the_codec_stores_leads_there_too(ruleset: Ruleset, data: st.DataObject) -> None:
    game = data.draw(rewound(ruleset))
    state = ruleset.start(game.config, game.seats)
    stored = [encode(state, event) for event in game.events]
    for event, text in zip(game.events, stored, strict=True):
        assert len(text) < len(json.dumps(event))
        assert "\n" not in text
    check_replay(game, [decode(state, text) for text in stored])
    abandonment = {"type": ABANDON, "reason": 'the "dog"\nate the cards'}
    assert decode(state, encode(state, abandonment)) == abandonment


@every_game
@searched
@given(st.data())
def test_a_portable_record_leads_there_too(ruleset: Ruleset, data: st.DataObject) -> None:
    game = data.draw(rewound(ruleset))
    facts = chain_facts(
        game="one",
        ruleset=ruleset.id,
        version=ruleset.version,
        config=game.config,
        players=[f"player {seat}" for seat in range(game.seats)],
        dealer="client",
        commitment=None,
        client_seeds=[],
    )
    events, head = sealed(facts, game.events)
    record = write_record(facts, game.position(), events, head, None)
    read = read_record(json.loads(json.dumps(record)))
    check_replay(game, read.document.events)
    assert view_ledger(read.position, TABLE) == view_ledger(game.position(), TABLE)


@every_game
@searched
@given(st.data())
def test_a_copy_goes_its_own_way(ruleset: Ruleset, data: st.DataObject) -> None:
    game = data.draw(games(ruleset, most=LONGEST))
    cut = data.draw(st.integers(0, len(game.events)))
    position = Game(ruleset, game.config, game.seats, game.events[:cut]).position()
    copy = position.copy()
    before = slots(position.state)
    for event in game.events[cut:]:
        advance(copy, event)
    assert slots(position.state) == before
    assert position.seq == cut
    for event in game.events[cut:]:
        advance(position, event)
    assert slots(position.state) == slots(copy.state)
    assert (position.seq, position.chances, position.status) == (copy.seq, copy.chances, copy.status)


# --- takebacks ------------------------------------------------------------------------------------------------------


def may_go_to(game: Game) -> set[int]:
    """The seqs that a running game may be taken back to, told from the record alone."""
    live: list[int] = []
    for seq, event in enumerate(game.events, 1):
        live = [one for one in live if one <= event["to"]] if event["type"] == TAKEBACK else [*live, seq]
    moves = [seq for seq in live if "seat" in game.events[seq - 1]]
    return {to for to in [0, *live] if any(move > to for move in moves)}


def rule_against(game: Game, event: Mapping[str, Any]) -> str | None:
    """The rule under which a record with ``event`` added is refused at it."""
    steps = walk(game.ruleset, game.config, game.seats, [*game.events, event])
    for _ in game.events:
        next(steps)
    try:
        next(steps)
    except IllegalMove as refusal:
        return refusal.rule
    return None


@every_game
@searched
@given(st.data())
def test_a_takeback_goes_to_any_live_event_before_a_move_and_to_no_other(ruleset: Ruleset, data: st.DataObject) -> None:
    game = data.draw(rewound(ruleset))
    running = game.position().status == "running"
    allowed = may_go_to(game)
    for to in range(-2, len(game.events) + 3):
        rule = rule_against(game, {"type": TAKEBACK, "to": to})
        if running:
            assert rule == (None if to in allowed else "common.takeback")
        else:
            assert rule == "common.over"


@every_game
def test_a_takeback_of_another_shape_is_refused(ruleset: Ruleset) -> None:
    seats = ruleset.seats[0]
    game = play(ruleset, ruleset_defaults(ruleset, seats), seats, 1, most=8)
    assert rule_against(game, {"type": TAKEBACK, "to": 0}) is None
    for fields in ({}, {"to": None}, {"to": False}, {"to": "0"}, {"to": 0.0}, {"to": 0, "x": 1}, {"to": 0, "seat": 0}):
        assert rule_against(game, {"type": TAKEBACK, **fields}) == "common.takeback"


def ruleset_defaults(ruleset: Ruleset, seats: int) -> dict[str, Any]:
    """The config of a game with no option set."""
    return {name: option.default for name, option in ruleset.options(seats).items()}


@every_game
@searched
@given(st.data())
def test_score_lines_rest_on_no_retracted_event(ruleset: Ruleset, data: st.DataObject) -> None:
    game = data.draw(rewound(ruleset))
    retracted: set[int] = set()
    for step in game.walk():
        for effect in step.effects:
            if effect.type == "retracted":
                retracted |= set(effect.facts["events"]) | {step.position.seq}
        for line in step.position.state.lines:
            assert not retracted & set(line.events)


# --- abandonment ----------------------------------------------------------------------------------------------------


@every_game
@searched
@given(st.data())
def test_an_abandoned_game_keeps_its_ledger_and_has_no_winner(ruleset: Ruleset, data: st.DataObject) -> None:
    game = data.draw(rewound(ruleset))
    position = game.position()
    if position.status != "running":
        assert rule_against(game, {"type": ABANDON, "reason": "late"}) == "common.over"
        return
    ledger = view_ledger(position, TABLE)
    abandoned = game._replace(events=[*game.events, {"type": ABANDON, "reason": "late"}])
    *_, step = abandoned.walk()
    assert [effect["type"] for effect in view_effects(step.effects, TABLE)] == ["game-over"]
    shown = view_position(step.position, TABLE)
    assert (shown["status"], shown["phase"], shown["winners"]) == ("abandoned", OVER, [])
    assert (shown["to_act"], shown["chance"]) == ([], None)
    assert view_ledger(step.position, TABLE) == {**ledger, "seq": ledger["seq"] + 1}
    for seat in range(game.seats):
        assert legal_moves(step.position, seat) == []
    for event in (*game.events, {"type": TAKEBACK, "to": 0}, {"type": ABANDON, "reason": "again"}):
        assert rule_against(abandoned, event) == "common.over"


@every_game
def test_an_abandonment_of_another_shape_is_refused(ruleset: Ruleset) -> None:
    seats = ruleset.seats[0]
    game = play(ruleset, ruleset_defaults(ruleset, seats), seats, 1, most=8)
    for fields in ({}, {"reason": None}, {"reason": 1}, {"reason": "late", "x": 1}, {"reason": "late", "seat": 0}):
        assert rule_against(game, {"type": ABANDON, **fields}) == "common.shape"


# --- the count of chance events ---------------------------------------------------------------------------------------


@every_game
@searched
@given(st.data())
def test_chance_events_are_counted_over_retracted_ones(ruleset: Ruleset, data: st.DataObject) -> None:
    game = data.draw(games(ruleset, most=LONGEST))
    dealt = [seq for seq, event in enumerate(game.events, 1) if "seat" not in event]
    moved = [seq for seq, event in enumerate(game.events, 1) if "seat" in event]
    if game.position().status != "running" or not moved:
        return
    before = max(seq for seq in dealt if seq < moved[0])
    taken = game._replace(events=[*game.events, {"type": TAKEBACK, "to": before - 1}])
    position = taken.position()
    assert position.state.call == game.events[before - 1]["type"]
    assert position.chances == len(dealt)
    advance(position, deal(position.state, Random(0)))
    assert position.chances == len(dealt) + 1
