"""What every registered game keeps, found in its data alone: random whole games of all of them, with random options."""

import ast
import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, Final

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.cards import BIG_JOKER, LITTLE_JOKER, standard_names
from api.games import LATEST, RULESETS
from api.games.rules import (
    COMMON_RULES,
    DEAL,
    OVER,
    PUBLIC,
    TABLE,
    ConfigError,
    Effect,
    Event,
    Ruleset,
    Seen,
    chance_call,
    read_config,
)
from api.records.replay import (
    Position,
    advance,
    begin,
    legal_moves,
    view_effects,
    view_event,
    view_ledger,
    view_position,
)
from tests.games import playing
from tests.games.playing import Game, Listed, card_names, configs, deal, games, made_up, refused, slots, spoiled, whole

every_game = pytest.mark.parametrize(
    "ruleset", [pytest.param(ruleset, id=f"{name}-{version}") for (name, version), ruleset in RULESETS.items()]
)

searched = settings(
    max_examples=100, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
"""How a game is searched: by the hundred games, the same ones in every run."""

searched_longer = settings(searched, max_examples=400)

LONGEST: Final = 300
"""Events after which a random game is left where it stands."""

ENDLESS: Final = {"bags": True}
"""Values of options under which nothing forces a game to end."""

MUST_END_WITHIN: Final = 20_000
"""Events within which a random game has to end, however long its options make it."""

STATE_KEYS: Final = [
    "seq", "status", "round", "phase", "dealer", "to_act", "chance", "hands", "scores", "winners", "table",
]  # fmt: skip

BY_SEAT: Final = {"hands", "draws"}
"""Fields of chance events with a part for each seat."""


@every_game
@searched
@given(st.data())
def test_every_event_of_a_random_game_keeps_the_contract(ruleset: Ruleset, data: st.DataObject) -> None:
    check_whole_game(data.draw(games(ruleset, most=LONGEST)))


@pytest.mark.long
@every_game
@searched_longer
@given(st.data())
def test_every_event_of_many_random_games_keeps_the_contract(ruleset: Ruleset, data: st.DataObject) -> None:
    check_whole_game(data.draw(games(ruleset, most=LONGEST)))


# --- whole games ----------------------------------------------------------------------------------------------------


def check_whole_game(game: Game) -> None:
    """Everything that holds after every event of every game."""
    position = begin(game.ruleset, game.config, game.seats)
    cards = Cards(game.seats)
    check_state(position)
    check_moves(position)
    for event in game.events:
        before = position.copy()
        effects = advance(position, event)
        check_state(position)
        check_ledger(before, position)
        check_moves(position)
        check_shown(position, event, effects)
        cards.check(before, event, position, effects)


def some_views(position: Position) -> list[Seen]:
    """The table's and the public view, and a seat's, another one at each event."""
    return [PUBLIC, TABLE, position.seq % position.state.seats]


def check_state(position: Position) -> None:
    """The keys of the contract, a phase of the ruleset, one thing at a time that the game waits for."""
    ruleset, state = position.ruleset, position.state
    for view in some_views(position):
        shown = view_position(position, view)
        assert list(shown) == STATE_KEYS
        assert orjson.loads(orjson.dumps(shown)) == shown
        assert [hand["count"] for hand in shown["hands"]] == [hand.bit_count() for hand in state.hands]
        for seat, hand in enumerate(shown["hands"]):
            seen = view in {TABLE, seat}
            assert hand.keys() == ({"count", "cards"} if seen else {"count"})
            assert not seen or len(set(hand["cards"])) == len(hand["cards"]) == hand["count"]
    assert state.phase in ruleset.phases
    assert state.dealer is None or state.dealer in range(state.seats)
    assert len(state.hands) == state.seats
    assert len(state.scores) == (state.seats if ruleset.sides == "seats" else 2)
    assert set(state.to_act) <= set(range(state.seats))
    assert len(set(state.to_act)) == len(state.to_act)
    assert [bool(state.to_act), state.call is not None, state.phase == OVER].count(True) == 1
    assert bool(state.winners) == (state.phase == OVER)
    assert set(state.winners) <= set(range(len(state.scores)))
    if state.call == DEAL:
        assert not any(state.hands)


def check_ledger(before: Position, after: Position) -> None:
    """Lines are only added, each with a rule that exists and events up to now; totals are their sums."""
    lines, earlier = after.state.lines, before.state.lines
    assert lines[: len(earlier)] == earlier
    totals = [0] * len(after.state.scores)
    for line in lines:
        totals[line.side] += line.points
    for line in lines[len(earlier) :]:
        assert line.rule in after.ruleset.rules
        assert line.round == before.state.round
        assert line.text
        assert line.events
        assert len(set(line.events)) == len(line.events)
        assert all(1 <= seq <= after.seq for seq in line.events)
        assert line.private_text is None or set(line.known_to) <= set(range(after.state.seats))
    assert totals == list(after.state.scores)
    ledger = view_ledger(after, TABLE)
    assert list(ledger) == ["seq", "lines", "totals", "winners"]
    assert ledger["totals"] == totals
    assert ledger["winners"] == list(after.state.winners)


def check_moves(position: Position) -> None:
    """A seat that is waited for has a move, another none but out of turn; each is listed once, and accepted.

    Of many moves some are tried, and one of those that a pattern stands for.
    """
    random = Random(position.seq)
    state = position.state
    before = slots(state)
    for seat in range(state.seats):
        listed = legal_moves(position, seat)
        in_turn = [move for move in listed if not state.moves[move["type"]].out_of_turn]
        assert bool(in_turn) == (seat in state.to_act)
        assert len({orjson.dumps(move) for move in listed}) == len(listed)
        for move in listed if len(listed) <= 8 else random.sample(listed, 8):
            made = whole(move, random)
            assert made in Listed([move])
            advance(position.copy(), {"seat": seat, **made})
    assert slots(state) == before, "a copy is not independent"


def check_shown(position: Position, event: Event, effects: Sequence[Effect]) -> None:
    """Events and effects can be written as JSON; a view without a part of an event says so."""
    assert view_event(position, event, TABLE) == event
    for view in some_views(position):
        shown = view_event(position, event, view)
        assert shown.pop("redacted", False) == (shown != event)
        for effect in view_effects(effects, view):
            assert effect["type"]
            assert orjson.loads(orjson.dumps(effect)) == effect
            assert view != TABLE or "redacted" not in effect


class Cards:
    """Where the cards of a round are, told from the record and the effects alone.

    A card comes into a hand from that seat's own part of the deal, from the top of the stock, or out of another hand;
    it leaves it for another hand, by a move that lays it, by an effect that names it, or because the round is over.
    """

    def __init__(self, seats: int) -> None:
        self.parts: list[set[str]] = [set()] * seats
        """What each seat was dealt and has not taken up yet."""
        self.stock: list[str] = []
        self.out: set[str] = set()
        """What has left the hands."""

    def check(self, before: Position, event: Event, after: Position, effects: Sequence[Effect]) -> None:
        """Accounts for every card that changed its place in an event."""
        pack = after.state.pack
        if "seat" not in event:
            self._deal(after, event)
        had = [set(pack.cards(hand)) for hand in before.state.hands]
        held = [set(pack.cards(hand)) for hand in after.state.hands]
        came = [now - then for now, then in zip(held, had, strict=True)]
        left = [then - now for now, then in zip(held, had, strict=True)]
        passed = union(came) & union(left)
        assert sum(map(len, held)) == len(union(held)), "a card in two hands"
        drawn: set[str] = set()
        for seat, cards in enumerate(came):
            drawn |= cards - passed - self.parts[seat]
            self.parts[seat] = self.parts[seat] - cards
        assert drawn == set(self.stock[: len(drawn)]), "a card from nowhere"
        del self.stock[: len(drawn)]
        said = set(card_names([event, view_effects(effects, TABLE)], pack.position))
        if after.state.round == before.state.round and after.status == "running":
            assert union(left) - passed <= said, "a card that left unsaid"
        if "seat" in event and all(each.known_to == "everyone" for each in after.state.moves[event["type"]].fields):
            laid = set(card_names(event, pack.position))
            assert laid <= had[event["seat"]], "a card laid that was not held"
            assert not laid & union(held), "a card laid that is still held"
        self.out |= union(left) - passed
        assert not self.out & union([*held, self.stock]), "a card that was out is back"

    def _deal(self, after: Position, event: Event) -> None:
        fields = {each.name: event[each.name] for each in after.state.chances[event["type"]].fields}
        if event["type"] == DEAL:
            self.parts = [set()] * after.state.seats
            self.stock = []
            self.out = set()
        for name in BY_SEAT & fields.keys():
            self.parts = [part | set(cards) for part, cards in zip(self.parts, fields[name], strict=True)]
        if "stock" in fields:
            assert not self.stock
            self.stock = list(fields["stock"])
        if event["type"] != DEAL:
            # made anew of all that is out but for what lies open
            assert set(self.stock) <= self.out
            assert not self.stock or self.out - set(self.stock) <= set(
                card_names(view_position(after, PUBLIC)["table"], after.state.pack.position)
            )
            self.out -= set(self.stock)


def union(sets: Iterable[Iterable[str]]) -> set[str]:
    """Every card that one of ``sets`` holds."""
    return set().union(*sets)


# --- refusals -------------------------------------------------------------------------------------------------------


def attempts(position: Position, known: Sequence[dict[str, Any]], random: Random) -> Iterator[dict[str, Any]]:
    """Moves of all sorts, most of them wrong: made up, spoiled, of another time or of another seat."""
    state = position.state
    kinds = sorted(state.moves)
    in_phase = [kind for kind in kinds if state.phase in state.moves[kind].phases]
    for seat in range(state.seats):
        listed = [{"seat": seat, **whole(move, random)} for move in legal_moves(position, seat)]
        for _ in range(20 if seat in state.to_act else 0):
            yield made_up(state, seat, in_phase, random)
        for _ in range(5):
            yield made_up(state, seat, kinds, random)
            yield spoiled(made_up(state, seat, kinds, random), state, random)
            yield {**random.choice(known), "seat": seat}
            if listed:
                yield spoiled(random.choice(listed), state, random)
                yield {**random.choice(listed), "seat": random.randrange(state.seats)}


def check_attempt(position: Position, attempt: Mapping[str, Any], listed: Mapping[int, Listed]) -> None:
    """An attempt is accepted if it is listed; else it is refused, under a rule that exists and with nothing changed."""
    seat = attempt["seat"]
    move = {name: value for name, value in attempt.items() if name != "seat"}
    legal = type(seat) is int and seat in listed and move in listed[seat]
    tried = position.copy()
    refusal = refused(tried, attempt)
    assert (refusal is None) == legal, (attempt, refusal)
    if refusal is not None:
        assert refusal.rule in COMMON_RULES or refusal.rule in position.ruleset.rules
        assert refusal.rule == broken_in_common(position, attempt) or refusal.rule not in ORDERED
        assert refusal.detail
        assert slots(tried.state) == slots(position.state), "a refused move changed the state"
        assert (tried.seq, tried.chances) == (position.seq, position.chances)


ORDERED: Final = COMMON_RULES[:5]


def broken_in_common(position: Position, attempt: Mapping[str, Any]) -> str | None:
    """The first of the common rules that a move breaks, told from its type's fields alone."""
    state = position.state
    move = state.moves.get(attempt["type"])
    if state.phase == OVER:
        return "common.over"
    seat = attempt["seat"]
    if move is None or type(seat) is not int or seat not in range(state.seats):
        return "common.shape"
    needed = {"seat", "type"} | {each.name for each in move.fields if not each.optional}
    taken = needed | {each.name for each in move.fields}
    if not needed <= attempt.keys() <= taken:
        return "common.shape"
    for each in move.fields:
        if each.name in attempt and not is_of(each.kind.schema, attempt[each.name]):
            return "common.shape"
    if state.phase not in move.phases:
        return "common.phase"
    if seat not in state.to_act and not move.out_of_turn:
        return "common.turn"
    for each in move.fields:
        value = attempt.get(each.name)
        for part in value if value and type(value) is list and type(value[0]) is list else [value]:
            named = card_names(part, state.pack.position)
            if len(set(named)) != len(named) or not set(named) <= set(state.pack.cards(state.hands[seat])):
                return "common.holds"
    return None


def is_of(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether a value is of a field's type. How many cards, and which numbers, is for the game's rules."""
    if "enum" in schema:
        return any(type(value) is type(one) and value == one for one in schema["enum"])
    if schema["type"] == "array":
        return type(value) is list and all(is_of(schema["items"], part) for part in value)
    return type(value) is {"boolean": bool, "integer": int}[schema["type"]]


def check_refusals(game: Game, random: Random) -> None:
    """At some moments of a game, of all sorts of moves exactly those that are listed are accepted."""
    known = [event for event in game.events if "seat" in event]
    moments = set(random.sample(range(len(game.events) + 1), min(5, len(game.events) + 1)))
    position = begin(game.ruleset, game.config, game.seats)
    for seq in range(len(game.events) + 1):
        if seq in moments or seq == len(game.events):
            listed = {seat: Listed(legal_moves(position, seat)) for seat in range(game.seats)}
            for attempt in attempts(position, known, random):
                check_attempt(position, attempt, listed)
            check_false_deals(position, random)
        if seq < len(game.events):
            advance(position, game.events[seq])


def check_false_deals(position: Position, random: Random) -> None:
    """A chance event that the state does not call for, or with a fault in its cards, is refused."""
    state = position.state
    for kind, chance in state.chances.items():
        if kind != state.call:
            event = {"type": kind, **{each.name: [] for each in chance.fields}}
            check_no_deal(position, event, "common.over" if state.phase == OVER else "common.deal")
    if state.call is None:
        return
    right = deal(state, random)
    advance(position.copy(), right)
    check_no_deal(position, {**right, "extra": 1}, "common.deal")
    for name in right.keys() - {"type"}:
        check_no_deal(position, {key: value for key, value in right.items() if key != name}, "common.deal")
        for value in false_values(right[name], state, random):
            check_no_deal(position, {**right, name: value}, "common.deal")


def false_values(value: Any, state: Any, random: Random) -> Iterator[Any]:
    """What can't stand in place of ``value`` in a chance event."""
    foreign = [name for name in [*standard_names(), LITTLE_JOKER, BIG_JOKER] if name not in state.pack.position]
    odd: tuple[Any, ...] = (None, {}, 1.5, "x", "", True, -1, 10**30, [[[]]])
    yield from odd
    if type(value) is str:
        yield from ([value], *foreign[:1])
    elif type(value) is int:
        yield from (state.seats, str(value), [value])
    elif value and type(value[0]) is str:
        place = random.randrange(len(value))
        rest = value[:place] + value[place + 1 :]
        yield rest
        yield [*value, random.choice(state.pack.names)]
        yield [*rest, random.choice([*foreign, "Xx", "", None, 1, [value[place]]])]
        if rest:
            yield [*rest, random.choice(rest)]
    elif value:
        place = random.randrange(len(value))
        before, after = value[:place], value[place + 1 :]
        yield before + after
        yield [*value, []]
        for part in false_values(value[place], state, random):
            yield [*before, part, *after]
        other = random.choice(before + after)
        if other:
            # a card of another seat's, twice in the deal
            yield [*before, [random.choice(other), *value[place][1:]], *after]


def check_no_deal(position: Position, event: Mapping[str, Any], rule: str) -> None:
    """A chance event is refused under ``rule``, with nothing changed."""
    tried = position.copy()
    refusal = refused(tried, event)
    assert refusal is not None
    assert refusal.rule == rule
    assert slots(tried.state) == slots(position.state)
    assert (tried.seq, tried.chances) == (position.seq, position.chances)


@every_game
@settings(searched, max_examples=60)
@given(st.data())
def test_exactly_the_moves_that_are_not_listed_are_refused(ruleset: Ruleset, data: st.DataObject) -> None:
    check_refusals(data.draw(games(ruleset, most=LONGEST)), Random(data.draw(st.integers(0, 2**32))))


@pytest.mark.long
@every_game
@searched_longer
@given(st.data())
def test_exactly_the_moves_that_are_not_listed_are_refused_in_many_games(ruleset: Ruleset, data: st.DataObject) -> None:
    check_refusals(data.draw(games(ruleset, most=LONGEST)), Random(data.draw(st.integers(0, 2**32))))


def every_value(schema: Mapping[str, Any], hand: Sequence[str]) -> Iterator[Any]:
    """Every value of a field that a legal move could have, and some more; of card lists one for each set of cards."""
    if "enum" in schema:
        yield from schema["enum"]
    elif schema["type"] == "boolean":
        yield from (False, True)
    elif schema["type"] == "integer":
        yield from range(-2, 60)
    elif "enum" in schema["items"]:
        for count in range(len(hand) + 1):
            yield from map(list, combinations(hand, count))
    else:
        # lists of card lists: each list by itself, and none
        yield []
        yield from ([part] for part in every_value(schema["items"], hand))


def every_move(state: Any, kind: str, hand: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Every move of a type, its fields set to every value and optional ones left out too."""
    moves: list[dict[str, Any]] = [{"type": kind}]
    for each in state.moves[kind].fields:
        given_ = [{each.name: value} for value in every_value(each.kind.schema, hand)]
        moves = [{**move, **field} for move in moves for field in [*given_, *([{}] if each.optional else [])]]
    yield from moves


MOST_HELD: Final = 10
"""Cards in a hand whose every set of cards is tried: up to 1,024 of them."""


@every_game
@searched
@given(st.data())
def test_of_every_move_there_is_exactly_the_listed_ones_are_accepted(ruleset: Ruleset, data: st.DataObject) -> None:
    game = data.draw(games(ruleset, most=LONGEST))
    cut = data.draw(st.integers(1, len(game.events)))
    position = game._replace(events=game.events[:cut]).position()
    state = position.state
    for seat in state.to_act:
        hand = state.pack.cards(state.hands[seat])[-MOST_HELD:]
        listed = Listed(legal_moves(position, seat))
        for kind, move in state.moves.items():
            for made in every_move(state, kind, hand) if state.phase in move.phases else ():
                accepted = refused(position.copy(), {"seat": seat, **made}) is None
                assert accepted == (made in listed), made


# --- what a dealer is asked for -------------------------------------------------------------------------------------


@every_game
@searched
@given(st.data())
def test_what_is_asked_for_is_what_the_dealer_deals(ruleset: Ruleset, data: st.DataObject) -> None:
    game = data.draw(games(ruleset, most=LONGEST))
    position = begin(game.ruleset, game.config, game.seats)
    for event in game.events:
        call = chance_call(position.state)
        assert (call is None) == ("seat" in event)
        if call is not None:
            assert call.pop("type") == event["type"]
            assert call.keys() <= event.keys()
            for name, asked in call.items():
                given_ = event[name]
                assert asked == ([len(part) for part in given_] if type(asked) is list else counted(given_))
        advance(position, event)


def counted(value: Any) -> int:
    """How many cards, or other things, a chance event's field holds."""
    return len(value) if type(value) is list else 1


# --- endings --------------------------------------------------------------------------------------------------------


@every_game
@searched
@given(st.data())
def test_every_game_ends(ruleset: Ruleset, data: st.DataObject) -> None:
    config, seats = data.draw(configs(ruleset))
    config |= {name: not value for name, value in ENDLESS.items() if name in config}
    game = playing.play(ruleset, config, seats, data.draw(st.integers(0, 2**32)), most=MUST_END_WITHIN)
    position = game.position()
    assert position.status == "finished"
    ledger = view_ledger(position, TABLE)
    assert ledger["winners"]
    best = max(ledger["totals"])
    assert ledger["winners"] == [side for side, total in enumerate(ledger["totals"]) if total == best]
    for seat in range(seats):
        assert legal_moves(position, seat) == []
    for event in game.events:
        check_no_deal(position, event, "common.over")


# --- configs --------------------------------------------------------------------------------------------------------


NO_OPTION_TAKES: Final[tuple[Any, ...]] = (
    None, -1, 10**30, 1.0, "", "x", "7H", {}, [], [1], ["c"], ["c", "c", "d", "h"],
)  # fmt: skip


@every_game
@searched
@given(st.data())
def test_every_config_of_the_options_starts_a_game(ruleset: Ruleset, data: st.DataObject) -> None:
    config, seats = data.draw(configs(ruleset, short=False))
    assert config.keys() == ruleset.options(seats).keys()
    assert read_config(ruleset, config, seats) == config
    check_whole_game(playing.play(ruleset, config, seats, 0, most=10))


@every_game
@searched
@given(st.data())
def test_a_config_with_a_wrong_value_is_refused(ruleset: Ruleset, data: st.DataObject) -> None:
    config, seats = data.draw(configs(ruleset, short=False))
    name = data.draw(st.sampled_from([*config, "unknown"]))
    value = data.draw(st.sampled_from(NO_OPTION_TAKES))
    with pytest.raises(ConfigError) as refusal:
        read_config(ruleset, {**config, name: value}, seats)
    assert refusal.value.errors.keys() == {name}


@every_game
def test_the_defaults_are_a_config(ruleset: Ruleset) -> None:
    for seats in ruleset.seats:
        assert read_config(ruleset, {}, seats) == {name: each.default for name, each in ruleset.options(seats).items()}
        assert all(option.text for option in ruleset.options(seats).values())


# --- rules and their texts ------------------------------------------------------------------------------------------


def folder(ruleset: Ruleset) -> Path:
    """The folder of a ruleset's code and texts."""
    return Path(inspect.getfile(ruleset.start)).parent


def rule_ids(source: str, prefix: str) -> set[str]:
    """Every rule id with ``prefix`` that stands in Python code as a string of its own."""
    pattern = re.compile(re.escape(prefix) + r"(\.[a-z][a-z-]*)+")
    constants = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return {value for value in constants if isinstance(value, str) and pattern.fullmatch(value)}


@every_game
def test_every_rule_id_in_the_code_is_one_of_the_ruleset(ruleset: Ruleset) -> None:
    sources = [path.read_text() for path in folder(ruleset).glob("*.py")]
    own = set().union(*(rule_ids(source, ruleset.id) for source in sources))
    assert own == set(ruleset.rules)
    shared = [path.read_text() for path in folder(ruleset).parent.glob("*.py")]
    assert set().union(*(rule_ids(source, "common") for source in sources + shared)) <= set(COMMON_RULES)


@every_game
def test_every_rule_has_its_text(ruleset: Ruleset) -> None:
    text = (folder(ruleset) / "rules.md").read_text()
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert [heading for heading in headings if heading.startswith(ruleset.id + ".")] == list(ruleset.rules)
    for section in re.split(r"^## ", text, flags=re.MULTILINE):
        assert len(section.splitlines()) > 1, section


def test_the_latest_version_of_each_game_is_registered() -> None:
    assert {(ruleset.id, ruleset.version) for ruleset in LATEST.values()} <= RULESETS.keys()
    for (name, version), ruleset in RULESETS.items():
        assert (ruleset.id, ruleset.version) == (name, version)
        assert LATEST[name].version >= version
