"""Random whole games of any ruleset, from its data alone; each can be had again by its seed."""

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

import orjson
from hypothesis import strategies as st

from api.games.rules import OVER, Event, IllegalMove, Ruleset, read_config
from api.records.replay import TAKEBACK, Position, Step, advance, begin, last, legal_moves, walk

LENGTHS: Final = {"target", "rounds"}
"""The options, of whatever game, that say how long it lasts: small ones make short games."""


class Game(NamedTuple):
    """A record with all that replaying it takes."""

    ruleset: Ruleset
    config: dict[str, Any]
    seats: int
    events: list[dict[str, Any]]

    def walk(self) -> Iterator[Step]:
        """Its steps, by replay."""
        return walk(self.ruleset, self.config, self.seats, self.events)

    def position(self) -> Position:
        """The position after its last event."""
        return last(self.ruleset, self.config, self.seats, self.events)

    def __repr__(self) -> str:
        """What it takes to play it again, to be pasted anywhere."""
        return f"{self.ruleset.id} {self.seats} {orjson.dumps(self.config).decode()}\n" + "\n".join(
            f"{seq:4} {orjson.dumps(event).decode()}" for seq, event in enumerate(self.events, 1)
        )


# --- configs --------------------------------------------------------------------------------------------------------


def values(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Every value that a JSON Schema of the kinds of options and fields takes."""
    if "anyOf" in schema:
        return st.one_of([values(part) for part in schema["anyOf"]])
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if schema["type"] == "boolean":
        return st.booleans()
    if schema["type"] == "integer":
        return st.integers(schema.get("minimum"), schema.get("maximum"))
    assert schema["type"] == "array", schema
    return st.lists(
        values(schema["items"]),
        min_size=schema.get("minItems", 0),
        max_size=schema.get("maxItems"),
        unique=schema.get("uniqueItems", False),
    )


@st.composite
def configs(draw: st.DrawFn, ruleset: Ruleset, *, short: bool = True) -> tuple[dict[str, Any], int]:
    """A whole config and a number of seats; some options left to their defaults. Games end soon when ``short``."""
    seats = draw(st.sampled_from(ruleset.seats))
    config = {}
    for name, option in ruleset.options(seats).items():
        if short and name in LENGTHS:
            least = option.kind.schema["minimum"]
            config[name] = draw(st.integers(least, least + 2))
        elif draw(st.booleans()):
            config[name] = draw(values(option.kind.schema))
    return read_config(ruleset, config, seats), seats


@st.composite
def games(draw: st.DrawFn, ruleset: Ruleset, *, most: int) -> Game:
    """A random game of at most so many events, with random options and seats."""
    config, seats = draw(configs(ruleset))
    return play(ruleset, config, seats, draw(st.integers(0, 2**32)), most=most)


# --- moves and deals ------------------------------------------------------------------------------------------------


def whole(move: Mapping[str, Any], random: Random) -> dict[str, Any]:
    """A move as ``legal_moves`` lists it, with a choice made for each pattern in it."""
    return {name: _chosen(value, random) for name, value in move.items()}


def _chosen(value: Any, random: Random) -> Any:
    match value:
        case {"choose": count, "of": cards}:
            return random.sample(cards, count)
        case {"among": parts}:
            return random.sample(parts, random.randint(0, len(parts)))
        case _:
            return value


class Listed:
    """The moves that a list of legal moves stands for; the order of cards means nothing but in a pattern's choice."""

    def __init__(self, moves: Sequence[Mapping[str, Any]]) -> None:
        self.full = {_canonical(move) for move in moves}
        self.patterns = [move for move in moves if any(type(value) is dict for value in move.values())]

    def __contains__(self, move: Mapping[str, Any]) -> bool:
        return _canonical(move) in self.full or any(_fits(move, pattern) for pattern in self.patterns)


def _fits(move: Mapping[str, Any], pattern: Mapping[str, Any]) -> bool:
    return move.keys() == pattern.keys() and all(_stands_for(pattern[name], value) for name, value in move.items())


def _stands_for(pattern: Any, value: Any) -> bool:
    match pattern:
        case {"choose": count, "of": cards}:
            return (
                type(value) is list and len(value) == count and _distinct(value) and all(one in cards for one in value)
            )
        case {"among": parts}:
            known = [_canonical(part) for part in parts]
            return type(value) is list and _distinct(value) and all(_canonical(one) in known for one in value)
        case _:
            return _canonical(value) == _canonical(pattern)


def _distinct(parts: Sequence[Any]) -> bool:
    return len({_canonical(part) for part in parts}) == len(parts)


def _canonical(value: Any) -> str:
    # as JSON, so that neither true nor 1.0 passes for 1
    if type(value) is dict:
        value = {name: sorted(part, key=json.dumps) if type(part) is list else part for name, part in value.items()}
    elif type(value) is list:
        value = sorted(value, key=json.dumps)
    return json.dumps(value, sort_keys=True)


def deal(state: Any, random: Random) -> dict[str, Any]:
    """The chance event that ``state`` calls for.

    Half of the shuffles are poor ones: cards that stand together in the pack stay together, so that the rare
    combinations and one-sided hands come up.
    """
    called = state.chances[state.call]
    items = list(called.items(state))
    if random.random() < 0.5:
        random.shuffle(items)
    else:
        if random.random() < 0.5:
            items.sort(key=lambda item: str(item)[0])
        for _ in range(random.randint(0, len(items) // 2)):
            one, other = random.randrange(len(items)), random.randrange(len(items))
            items[one], items[other] = items[other], items[one]
        cut = random.randrange(len(items))
        items = items[cut:] + items[:cut]
    return {"type": state.call, **called.cut(state, items)}


def _any(moves: Sequence[dict[str, Any]], random: Random) -> dict[str, Any]:
    return random.choice(moves)


def _any_type(moves: Sequence[dict[str, Any]], random: Random) -> dict[str, Any]:
    kind = random.choice(sorted({move["type"] for move in moves}))
    return random.choice([move for move in moves if move["type"] == kind])


def _most_cards(moves: Sequence[dict[str, Any]], random: Random) -> dict[str, Any]:
    return max(moves, key=lambda move: (len(move.get("cards", ())), random.random()))


STYLES: Final = (_any, _any_type, _most_cards)


def next_event(position: Position, random: Random) -> dict[str, Any]:
    """A random event that the position accepts: the deal it calls for, or a legal move of any seat that has one."""
    if position.state.call is not None:
        return deal(position.state, random)
    listed = {seat: legal_moves(position, seat) for seat in range(position.state.seats)}
    able = [seat for seat, moves in listed.items() if moves]
    waiting = [seat for seat in able if seat in position.state.to_act]
    seat = random.choice(waiting if random.random() < 0.8 else able)
    return {"seat": seat, **whole(random.choice(STYLES)(listed[seat], random), random)}


def play_on(position: Position, random: Random, most: int) -> Iterator[dict[str, Any]]:
    """Plays random events on ``position`` until the game is over, at most so many."""
    for _ in range(most):
        if position.state.phase == OVER:
            return
        event = next_event(position, random)
        advance(position, event)
        yield event


def play(ruleset: Ruleset, config: Mapping[str, Any], seats: int, seed: int, *, most: int) -> Game:
    """The random game of that seed, its first ``most`` events."""
    position = begin(ruleset, config, seats)
    return Game(ruleset, dict(config), seats, list(play_on(position, Random(seed), most)))


def take_back(game: Game, random: Random, *, most: int) -> Game:
    """A running game with a random takeback after its last event, and at most so many events more."""
    live: list[int] = []
    for seq, event in enumerate(game.events, 1):
        live = [to for to in live if to <= event["to"]] if event["type"] == TAKEBACK else [*live, seq]
    moves = [seq for seq in live if "seat" in game.events[seq - 1]]
    if not moves or game.position().status != "running":
        return game
    taken = {"type": TAKEBACK, "to": random.choice([to for to in [0, *live] if to < moves[-1]])}
    rewound = game._replace(events=[*game.events, taken])
    return rewound._replace(events=[*rewound.events, *play_on(rewound.position(), random, most)])


# --- what a record leads to -----------------------------------------------------------------------------------------


def refused(position: Position, event: Event) -> IllegalMove | None:
    """Plays ``event``; why it was refused, if it was."""
    try:
        advance(position, event)
    except IllegalMove as refusal:
        return refusal
    return None


def slots(state: Any) -> dict[str, str]:
    """All that a state holds, written out, so that no list is shared with it."""
    names = (slot for kind in type(state).__mro__ for slot in getattr(kind, "__slots__", ()))
    shared = {"pack", "moves", "chances", "config"}
    return {name: repr(getattr(state, name)) for name in names if name not in shared}


def card_names(value: Any, pack: Container[str]) -> list[str]:
    """Every card that a JSON value names, each time it does."""
    if isinstance(value, str):
        return [value] if value in pack else []
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return []
    return [name for part in value for name in card_names(part, pack)]


# --- moves that need not be legal ------------------------------------------------------------------------------------

ODD_VALUES: Final[tuple[Any, ...]] = (
    None, True, False, -1, 0, 1, 2, 3, 5, 14, 10**6, 10**30, 1.0, 2.5, "", "x", "0", "true", "10h", "th", "Xx", "hT",
    "c", "BJ", [], [[]], {}, [None], [1], [["Th", 7]], ["Th", "Th"], [{}], {"choose": 3},
)  # fmt: skip


def value_like(schema: Mapping[str, Any], hand: Sequence[str], random: Random) -> Any:
    """A value of the type that a field's schema asks for, mostly of cards that the hand holds."""
    if "enum" in schema:
        held = [name for name in hand if name in schema["enum"]]
        return random.choice(held if held and random.random() < 0.7 else schema["enum"])
    if "anyOf" in schema:
        return value_like(random.choice(schema["anyOf"]), hand, random)
    if "const" in schema:
        return schema["const"]
    if schema["type"] == "boolean":
        return random.random() < 0.5
    if schema["type"] == "integer":
        return random.choice([-1, 0, 1, 2, 3, 7, 10, 13, 14, 18, 26, 27, 1000])
    assert schema["type"] == "array", schema
    items = schema["items"]
    if "enum" in items and hand and random.random() < 0.7:
        return random.sample(hand, min(len(hand), random.randint(1, 6)))
    return [value_like(items, hand, random) for _ in range(random.randint(0, 4))]


def made_up(state: Any, seat: int, kinds: Sequence[str], random: Random) -> dict[str, Any]:
    """A move of one of ``kinds``, with all its fields, each of its type."""
    kind = random.choice(kinds)
    move = {"seat": seat, "type": kind}
    for each in state.moves[kind].fields:
        if not each.optional or random.random() < 0.3:
            move[each.name] = value_like(each.kind.schema, state.pack.cards(state.hands[seat]), random)
    return move


def spoiled(move: dict[str, Any], state: Any, random: Random) -> dict[str, Any]:
    """``move`` with one thing changed; it may be as legal as before."""
    move = dict(move)
    fields = [name for name in move if name not in {"seat", "type"}]
    lists = [name for name in fields if type(move[name]) is list and move[name]]
    match random.randrange(8):
        case 0:
            move["seat"] = random.choice(
                [*range(state.seats), state.seats, -1, True, False, "0", 0.0, 1.5, None, [0], {}]
            )
        case 1:
            move[random.choice(["card", "cards", "tricks", "extra", "marriage", "suit"])] = random.choice(ODD_VALUES)
        case 2 if fields:
            del move[random.choice(fields)]
        case 3 if fields:
            move[random.choice(fields)] = random.choice(ODD_VALUES)
        case 4 if lists:
            name = random.choice(lists)
            move[name] = random.sample(move[name], random.randint(0, len(move[name])))
        case 5 if lists:
            name = random.choice(lists)
            move[name] = [*move[name], random.choice([*state.pack.names, *move[name], *ODD_VALUES])]
        case 6 if lists:
            name = random.choice(lists)
            changed = list(move[name])
            changed[random.randrange(len(changed))] = random.choice([*state.pack.names, *ODD_VALUES])
            move[name] = changed
        case _:
            move["type"] = random.choice([*state.moves, *state.chances, "takeback", "", "Play", "nothing"])
    return move
