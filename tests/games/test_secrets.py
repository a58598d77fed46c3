"""Views leak nothing: what a view shows stays the same, byte for byte, whatever the cards are that it can't know.

A pair of worlds is a random record up to a random moment and the same record with the cards dealt otherwise, so that
all that a view was told is as it was: the cards that the view has not learned since they were dealt or reshuffled
change places among each other, in every event, and each event is as legal as before. The whole history of the view is
then compared: state, event, effects, ledger, legal moves and the refusals of what it tries.
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final, NamedTuple

import orjson
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from api.games import RULESETS
from api.games.rules import DEAL, PUBLIC, Effect, Event, Field, IllegalMove, Move, Ruleset, Seen, read_config
from api.games.shown import EffectType
from api.records.replay import (
    TABLE_EVENTS,
    TAKEBACK,
    Position,
    Step,
    legal_moves,
    view_effects,
    view_event,
    view_ledger,
    view_position,
)
from api.records.words import sentences
from tests.games.playing import Game, card_names, games, made_up, refused, spoiled, take_back, whole

every_game = pytest.mark.parametrize(
    "ruleset", [pytest.param(ruleset, id=f"{name}-{version}") for (name, version), ruleset in RULESETS.items()]
)

searched = settings(
    # a leak is printed with all of its game: a smaller one would take long to find
    phases=[Phase.generate],
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)

PLAYERS: Final = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay")
LONGEST: Final = 250
"""Events of a random game, before a takeback."""

SHOWING: Final[Mapping[str, frozenset[str]]] = {
    "kraken": frozenset({"combinations-shown"}),
    "soda": frozenset({"cards-shown"}),
}
"""By ruleset, the effects that show cards to everybody, as its rules say."""

COUNTERS: Final[Mapping[str, frozenset[str]]] = {
    "soda": frozenset({"scoring_card", "won"}),
}
"""By ruleset, where views name cards that are counters and in nobody's hand."""

TELLING: Final[Mapping[str, Mapping[str, frozenset[str]]]] = {
    "kraken": {"declare": frozenset({"combinations-declared", "combinations-shown"})},
    "thirteen": {"deal": frozenset({"to_act"})},
    "wodka": {"exchange": frozenset({"to_act"})},
}
"""By ruleset and type of event, what its rules tell everybody that follows from hidden cards: types of effects, or who
is to act (the holder of the lowest card, or of the red 7). A world in which that differs does not fit."""


# --- what a view has learned ----------------------------------------------------------------------------------------


class Epoch(NamedTuple):
    """A chance event that hides cards, and the events (itself the first) in which they have the places it gave them."""

    seq: int
    cards: frozenset[str]
    within: frozenset[int]


def epochs(game: Game) -> list[Epoch]:
    """The deals and reshuffles of a record, retracted ones too."""
    state = game.position().state
    live: list[tuple[int, ...]] = [()]
    within: dict[int, set[int]] = {}
    for seq, event in enumerate(game.events, 1):
        now = live[event["to"] if event["type"] == TAKEBACK else -1]
        if hidden_fields(state, event):
            now = (seq,) if event["type"] == DEAL else (*now, seq)
            within[seq] = set()
        live.append(now)
        for dealt in now:
            within[dealt].add(seq)
    found = []
    for seq, seqs in within.items():
        event = game.events[seq - 1]
        # the cards left over from a deal are as unknown as those dealt
        cards = state.pack.names if event["type"] == DEAL else card_names(event, state.pack.position)
        found.append(Epoch(seq, frozenset(cards), frozenset(seqs)))
    return found


def hidden_fields(state: Any, event: Event) -> list[Field]:
    """The fields of a chance event that not everybody knows."""
    chance = state.chances.get(event["type"])
    return [] if chance is None else [each for each in chance.fields if each.known_to != "everyone"]


def learned(step: Step, view: Seen) -> set[str]:
    """The cards that ``view`` may know by a step: told by the fields' ``known_to``, its own hand, and what is shown."""
    event, effects, position, _ = step
    state = position.state
    pack = state.pack
    known: list[Any] = []
    if isinstance(view, int):
        known.append(pack.cards(state.hands[view]))
    move = state.moves.get(event["type"])
    if move is not None:
        told = {"everyone", "mover"} if event["seat"] == view else {"everyone"}
        known += [event.get(each.name) for each in move.fields if each.known_to in told]
    if isinstance(view, int):
        known += [event[each.name][view] for each in hidden_fields(state, event) if each.known_to == "own-part"]
    showing = SHOWING.get(position.ruleset.id, frozenset())
    known += [dict(effect.facts) for effect in effects if effect.type in showing]
    return set(card_names(known, pack.position))


# --- what a view is shown -------------------------------------------------------------------------------------------


def history(game: Game, view: Seen, seed: int, since: int = 1) -> Iterator[bytes]:
    """All that a view is shown after each event from ``since`` on, and how what it tries then is answered."""
    lines = 0
    for step in game.walk():
        position = step.position
        scored = len(position.state.lines) != lines
        lines = len(position.state.lines)
        if position.seq < since:
            continue
        shown: list[Any] = [
            view_event(position, step.event, view),
            view_effects(step.effects, view),
            view_position(position, view),
            sentences(step, PLAYERS[: game.seats], view),
        ]
        if scored:
            shown.append(view_ledger(position, view))
        if isinstance(view, int):
            listed = legal_moves(position, view)
            shown += [listed, answers(position, view, listed, Random(seed + position.seq))]
        yield orjson.dumps(shown)


def answers(position: Position, seat: int, listed: Sequence[dict[str, Any]], random: Random) -> list[Any]:
    """How some moves are answered that a seat makes up from what it knows, at some moments."""
    if random.random() < 0.8:
        return []
    state = position.state
    kinds = sorted(state.moves)
    in_phase = [kind for kind in kinds if state.phase in state.moves[kind].phases]
    tried = [made_up(state, seat, in_phase or kinds, random) for _ in range(4)]
    tried += [{"seat": seat, **whole(move, random)} for move in listed[:2]]
    tried += [{**spoiled(move, state, random), "seat": seat} for move in tried]
    refusals = [(move, refused(position.copy(), move)) for move in tried if move["type"] not in TABLE_EVENTS]
    return [[repr(move), refusal and [refusal.rule, refusal.detail]] for move, refusal in refusals]


def names_seen(step: Step, view: Seen) -> set[str]:
    """The cards that a view is told the names of after an event, however it may have learned them."""
    position = step.position
    shown: list[Any] = [
        view_event(position, step.event, view),
        view_effects(step.effects, view),
        view_position(position, view),
    ]
    if isinstance(view, int):
        shown.append(legal_moves(position, view))
    words = re.findall(r"\w+", orjson.dumps(without(shown, COUNTERS.get(position.ruleset.id, frozenset()))).decode())
    return {word for word in words if word in position.state.pack.position}


def without(value: Any, keys: Container[str]) -> Any:
    """A JSON value without what stands under ``keys``."""
    if isinstance(value, dict):
        return {key: without(part, keys) for key, part in value.items() if key not in keys}
    return [without(part, keys) for part in value] if isinstance(value, list) else value


# --- other worlds that fit ------------------------------------------------------------------------------------------


def exchanges(unseen: Sequence[str], random: Random) -> dict[str, str]:
    """A permutation of the unseen cards: of all of them, of a few, of those of one rank or suit, or of two of these."""
    chosen = list(unseen)
    place = random.randrange(2)
    one, other = (random.choice(chosen)[place] for _ in range(2))
    match random.randrange(8):
        case 0 | 1:
            chosen = random.sample(chosen, 2)
        case 2:
            chosen = random.sample(chosen, min(len(chosen), random.randint(3, 6)))
        case 3 | 4:
            chosen = [name for name in chosen if name[place] == one]
        case 5 | 6:
            # one suit for another, or one rank, so that what was a combination may stay one
            swapped = {name: name.translate(str.maketrans(one + other, other + one)) for name in chosen}
            return {name: to for name, to in swapped.items() if to in swapped}
    return dict(zip(chosen, random.sample(chosen, len(chosen)), strict=True))


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A JSON value with its cards renamed."""
    if type(value) is list:
        return [renamed(part, names) for part in value]
    return names.get(value, value) if type(value) is str else value


def dealt_otherwise(game: Game, epoch: Epoch, names: Mapping[str, str], view: Seen, random: Random) -> Game:
    """The record with the cards of an epoch renamed, and the hands that a view doesn't see in another order."""
    state = game.ruleset.start(game.config, game.seats)
    events = list(game.events)
    for seq in epoch.within:
        event = events[seq - 1]
        hidden = {each.name for each in hidden_fields(state, event)}
        moved = state.moves.get(event["type"])
        named = hidden if moved is None else {each.name for each in moved.fields if each.kind.held is not None}
        events[seq - 1] = {name: renamed(value, names) if name in named else value for name, value in event.items()}
    dealt = events[epoch.seq - 1]
    for each in hidden_fields(state, dealt):
        if each.known_to == "own-part":
            dealt[each.name] = [
                part if owner == view else random.sample(part, len(part)) for owner, part in enumerate(dealt[each.name])
            ]
    return game._replace(events=events)


def truth(game: Game, epoch: Epoch) -> bytes:
    """What is hidden, whatever the order that the cards of a hand were dealt in."""
    state = game.ruleset.start(game.config, game.seats)
    told = []
    for seq in sorted(epoch.within):
        event = game.events[seq - 1]
        for each in hidden_fields(state, event):
            parts = event[each.name]
            told.append([sorted(part) for part in parts] if type(parts[0]) is list else parts)
        if "seat" in event:
            told.append(event)
    return orjson.dumps(told)


def hides(state: Any, event: Event, view: Seen) -> bool:
    """Whether an event is a move of another seat with something in it that ``view`` can't see."""
    move = state.moves.get(event["type"])
    return move is not None and event["seat"] != view and any(each.known_to == "mover" for each in move.fields)


def chosen_otherwise(game: Game, known: Sequence[Any], epoch: Epoch, view: Seen, random: Random) -> Game:
    """The record with other moves for those of an epoch that ``view`` can't see, of which it is told the same."""
    state = game.ruleset.start(game.config, game.seats)
    for seq in sorted(epoch.within):
        event = game.events[seq - 1]
        if not hides(state, event, view):
            continue
        earlier = game._replace(events=game.events[: seq - 1])
        try:
            listed = legal_moves(earlier.position(), event["seat"])
        except IllegalMove:
            return game
        for _ in range(8):
            move = {"seat": event["seat"], **whole(random.choice(listed), random)}
            here = earlier._replace(events=[*earlier.events, move])
            if move["type"] == event["type"] and knowledge(here, view) == known[:seq]:
                game = game._replace(events=[*here.events, *game.events[seq:]])
                break
    return game


def knowledge(game: Game, view: Seen) -> list[Any] | None:
    """What ``view`` may know after each event, a world that differs in it does not fit; None if an event is illegal.

    The cards that it has learned by that event, and what the rules tell everybody that follows from hidden ones.
    """
    telling = TELLING.get(game.ruleset.id, {})
    known: list[Any] = []
    try:
        for step in game.walk():
            what = telling.get(step.event["type"], frozenset())
            effects = [[effect.type, effect.facts] for effect in step.effects if effect.type in what]
            to_act = step.position.state.to_act if "to_act" in what else None
            known.append((learned(step, view), effects, to_act))
    except IllegalMove:
        return None
    return known


# --- the search -----------------------------------------------------------------------------------------------------


class Leak(AssertionError):
    """What a view showed and must not know, with all that it takes to look at it again."""


def check_names(game: Game) -> None:
    """No view names a card that it has not learned in the round."""
    state = game.position().state
    deals = {epoch.seq: epoch.within for epoch in epochs(game) if game.events[epoch.seq - 1]["type"] == DEAL}
    for view in (PUBLIC, *range(game.seats)):
        known: dict[int, set[str]] = {deal: set() for deal in deals}
        told: set[str] = set()
        for step in game.walk():
            seq = step.position.seq
            deal = next((deal for deal, within in deals.items() if seq in within), None)
            if "seat" not in step.event and step.event["type"] not in TABLE_EVENTS:
                told |= set(card_names(view_event(step.position, step.event, PUBLIC), state.pack.position))
            if deal is not None:
                known[deal] |= learned(step, view)
            unknown = names_seen(step, view) - told - (known[deal] if deal is not None else set())
            if unknown:
                raise Leak(f"{game!r}\nview {view}: after event {seq} it is told of {sorted(unknown)}")


def pairs(game: Game, random: Random, tries: int) -> int:
    """Compares ``game`` with random worlds that fit, in the eyes of random views; the number of pairs, or Leak."""
    found: set[tuple[Seen, bytes]] = set()
    hiding = epochs(game)
    seen: dict[Seen, list[Any]] = {}
    shown: dict[Seen, list[bytes]] = {}
    seed = random.randrange(2**32)
    for _ in range(tries if hiding else 0):
        view: Seen = random.choice([PUBLIC, *range(game.seats)])
        if view not in seen:
            known = knowledge(game, view)
            assert known is not None
            seen[view] = known
            shown[view] = list(history(game, view, seed))
        epoch = random.choice(hiding)
        unseen = epoch.cards.difference(*(seen[view][seq - 1][0] for seq in epoch.within))
        names = exchanges(sorted(unseen), random) if len(unseen) > 1 and random.random() < 0.9 else {}
        other = dealt_otherwise(game, epoch, names, view, random)
        if not names or random.random() < 0.3:
            other = chosen_otherwise(other, seen[view], epoch, view, random)
        pair = view, truth(other, epoch)
        if pair[1] == truth(game, epoch) or pair in found or knowledge(other, view) != seen[view]:
            continue
        found.add(pair)
        both = zip(shown[view][epoch.seq - 1 :], history(other, view, seed, epoch.seq), strict=True)
        for seq, (one, another) in enumerate(both, epoch.seq):
            if one != another:
                events = zip(game.events, other.events, strict=True)
                changed = [(at, there) for at, (here, there) in enumerate(events, 1) if here != there]
                raise Leak(
                    f"{game!r}\nview {view} can't tell this record from the one with\n"
                    + "\n".join(f"{at:4} {orjson.dumps(event).decode()}" for at, event in changed)
                    + f"\nbut after event {seq} it is shown\n{one.decode()}\n{another.decode()}"
                )
    return len(found)


def moments(game: Game, random: Random) -> Iterator[Game]:
    """The record up to some moments: any, soon after a deal, and any with a takeback and what came after it."""
    deals = [epoch.seq for epoch in epochs(game)]
    soon = min(random.choice(deals) + random.randint(0, 15), len(game.events))
    for last in (random.randint(1, len(game.events)), soon):
        yield game._replace(events=game.events[:last])
    yield take_back(game._replace(events=game.events[: random.randint(1, len(game.events))]), random, most=30)


def search(ruleset: Ruleset, wanted: int) -> int:
    """Looks for a leak in random games until so many pairs have been compared; their number."""
    found = 0

    @settings(searched, max_examples=wanted // 10)
    @given(games(ruleset, most=LONGEST), st.integers(0, 2**32))
    def look(game: Game, seed: int) -> None:
        nonlocal found
        if found < wanted:
            random = Random(seed)
            check_names(game)
            for record in moments(game, random):
                found += pairs(record, random, 20)

    look()
    return found


@every_game
def test_views_leak_nothing(ruleset: Ruleset) -> None:
    assert search(ruleset, 1000) >= 1000


@pytest.mark.long
@every_game
def test_views_leak_nothing_in_ten_thousand_pairs(ruleset: Ruleset) -> None:
    assert search(ruleset, 10_000) >= 10_000


SECRET: Final = {
    ("deal", "hands"): "own-part",
    ("deal", "draws"): "nobody",
    ("deal", "stock"): "nobody",
    ("reshuffle", "stock"): "nobody",
    ("exchange", "cards"): "mover",
    ("declare", "combinations"): "mover",
}
"""The fields of events, of whatever game, that not everybody knows."""


@every_game
def test_fields_are_known_to_whom_the_rules_say(ruleset: Ruleset) -> None:
    for seats in ruleset.seats:
        state = ruleset.start(read_config(ruleset, {}, seats), seats)
        for kind, event in {**state.moves, **state.chances}.items():
            for each in event.fields:
                assert each.known_to == SECRET.get((kind, each.name), "everyone")


# --- the search finds leaks -----------------------------------------------------------------------------------------


def hidden_from(state: Any, view: Seen) -> int:
    """How many low cards there are in a hand that ``view`` can't see."""
    half = (1 << len(state.pack.names) // 2) - 1
    other = (view + 1) % state.seats if isinstance(view, int) else 0
    hand: int = state.hands[other] & half
    return hand.bit_count()


def leaky_table(ruleset: Ruleset) -> Ruleset:
    """What lies open tells of another hand."""
    return replace(
        ruleset, table=lambda state, view: {**ruleset.table(state, view), "hint": hidden_from(state, view) % 3}
    )


def leaky_order(ruleset: Ruleset) -> Ruleset:
    """The order of a seat's legal moves depends on another hand."""
    return replace(
        ruleset, legal=lambda state, seat: ruleset.legal(state, seat)[:: 1 if hidden_from(state, seat) % 2 else -1]
    )


HINT: Final = EffectType("A hint[: {good}][: {cards}]", {})


def with_moves(ruleset: Ruleset, change: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Ruleset:
    """The ruleset with what its moves do changed."""

    def start(config: Mapping[str, Any], seats: int) -> Any:
        state = ruleset.start(config, seats)
        state.moves = {
            kind: Move(move.phases, change(move.play), *move.fields, words=move.words, out_of_turn=move.out_of_turn)
            for kind, move in state.moves.items()
        }
        return state

    return replace(ruleset, start=start, effects={**ruleset.effects, "hint": HINT})


def leaky_refusals(ruleset: Ruleset) -> Ruleset:
    """A refusal of the game's own tells of another hand."""

    def change(play: Callable[..., Any]) -> Callable[..., Any]:
        def changed(state: Any, seq: int, seat: int, *values: Any) -> Any:
            try:
                return play(state, seq, seat, *values)
            except IllegalMove as refusal:
                raise IllegalMove(refusal.rule, f"{refusal.detail} {hidden_from(state, seat)}") from None

        return changed

    return with_moves(ruleset, change)


def leaky_effects(ruleset: Ruleset) -> Ruleset:
    """A fact of an effect depends on the hand of the next player."""

    def change(play: Callable[..., Any]) -> Callable[..., Any]:
        def changed(state: Any, seq: int, seat: int, *values: Any) -> Any:
            after = state.hands[(seat + 1) % state.seats]
            return [*play(state, seq, seat, *values), Effect("hint", {"good": after > state.pack.full // 2})]

        return changed

    return with_moves(ruleset, change)


def leaky_names(ruleset: Ruleset) -> Ruleset:
    """A fact of an effect names the lowest card of the next player."""

    def change(play: Callable[..., Any]) -> Callable[..., Any]:
        def changed(state: Any, seq: int, seat: int, *values: Any) -> Any:
            after = state.pack.cards(state.hands[(seat + 1) % state.seats])
            return [*play(state, seq, seat, *values), Effect("hint", {"cards": after[:1]})]

        return changed

    return with_moves(ruleset, change)


@every_game
@pytest.mark.parametrize("leaky", [leaky_table, leaky_order, leaky_refusals, leaky_effects, leaky_names])
def test_the_search_finds_a_leak(ruleset: Ruleset, leaky: Callable[[Ruleset], Ruleset]) -> None:
    with pytest.raises(Leak):
        search(leaky(ruleset), 1000)
