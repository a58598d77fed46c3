"""JSON Schemas of configs, moves and events, from the registry of games: a new game has them by being there."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final, TypeVar

import orjson

from api.cards import BIG_JOKER, LITTLE_JOKER, RANKS, SUITS
from api.games import LATEST, RULESETS, shown
from api.games.rules import Field, Ruleset, read_config
from api.records.replay import ONE_LINE, REASON_MOST

Shape = dict[str, Any]
Fields = dict[str, tuple[Field, Shape]]

NAMES: Final = {ruleset: "".join(part.capitalize() for part in ruleset.id.split("-")) for ruleset in LATEST.values()}
"""What the components of a ruleset start with."""

ANY_TEXT: Final = r"^[^\u0000-\u0008\u000b-\u001f\u007f]*$"
"""Any number of lines."""
LARGEST: Final = 2**53 - 1
"""What every reader of JSON keeps exactly (RFC 7493)."""
EVENTS_MOST: Final = 100_000
EFFECTS_MOST: Final = 200
_LINES_MOST: Final = 200


def string(pattern: str, least: int, most: int, description: str) -> Shape:
    """A text of so many characters."""
    return {
        "type": "string",
        "minLength": least,
        "maxLength": most,
        "pattern": pattern,
        "description": description,
    }


def whole_text(description: str, example: str) -> Shape:
    """A body that is text of any number of lines."""
    return string(ANY_TEXT, 0, 10**8, description) | {"examples": [example]}


def hexadecimal(digits: int, description: str) -> Shape:
    """So many hex digits."""
    return string(f"^[0-9a-f]{{{digits}}}$", digits, digits, description)


def time(description: str) -> Shape:
    """A moment."""
    return {"type": "string", "format": "date-time", "maxLength": 35, "description": description}


def _type(kind: str) -> Shape:
    return {"type": "string", "const": kind, "description": "The type."}


def _ref(name: str) -> Shape:
    return {"$ref": f"#/components/schemas/{name}"}


_LINES: Final = shown.listed("The lines that it has written on the score sheet.", _ref("Line"), _LINES_MOST)
DIGEST: Final = hexadecimal(64, "What binds the event, also where the view hides a part of it.")
_REDACTED: Final = {"type": "boolean", "enum": [True], "description": "That this view may not see all of it."}
_SCHEMA: Final = "https://json-schema.org/draft/2020-12/schema"
_WIDER: Final = {"minimum": min, "maximum": max, "minItems": min, "maxItems": max}


def _widest(one: Any, other: Any) -> Any:
    """The schema that takes what either takes, of two for one kind of value; a text is that of the first."""
    if isinstance(one, dict):
        return {
            key: _WIDER[key](one[key], other[key]) if key in _WIDER else _widest(one[key], other[key])
            for key in one
            if key in other
        }
    if isinstance(one, list):
        if any(isinstance(each, dict) for each in one):
            return [_widest(*pair) for pair in zip(one, other, strict=True)]
        return list(dict.fromkeys([*one, *other]))
    return one


def _join(found: Fields, more: Fields) -> None:
    """Adds fields to those of the same type of event elsewhere."""
    for name, (each, shape) in more.items():
        found[name] = (each, _widest(found[name][1], shape) if name in found else shape)


@cache
def event_fields(ruleset: Ruleset) -> tuple[dict[str, Fields], dict[str, Fields]]:
    """The fields of each type of move, and of each type of chance event, with schemas for any number of seats."""
    moves: dict[str, Fields] = {}
    chances: dict[str, Fields] = {}
    for seats in ruleset.seats:
        state = ruleset.start(read_config(ruleset, {}, seats), seats)
        for found, events in ((moves, state.moves), (chances, state.chances)):
            for kind, event in events.items():
                fields = {each.name: (each, {**each.kind.schema, "description": each.text}) for each in event.fields}
                _join(found.setdefault(kind, {}), fields)
    return moves, chances


def _object(properties: Mapping[str, Any], required: Iterable[str], **more: Any) -> Shape:
    return {
        "type": "object",
        **more,
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _seat(rulesets: Iterable[Ruleset]) -> dict[str, Shape]:
    """The field that names the seat, where there are ``rulesets`` in which one does this."""
    most = max((max(ruleset.seats) for ruleset in rulesets), default=0)
    return {"seat": shown.number("The seat that moves.", 0, most - 1)} if most else {}


def config_shape(ruleset: Ruleset) -> Shape:
    """A config: every option with its default. (A seat that it names must be one of the game's.)"""
    properties: dict[str, Shape] = {}
    for seats in ruleset.seats:
        for name, option in ruleset.options(seats).items():
            shape = {**option.kind.schema, "default": option.default, "description": option.text}
            properties[name] = _widest(properties[name], shape) if name in properties else shape
    return _object(properties, (), description=f"The options of {ruleset.title}.")


def move_shapes(ruleset: Ruleset) -> dict[str, Shape]:
    """Each type of move as a front end sends it."""
    moves, _ = event_fields(ruleset)
    return {kind: _move(kind, fields, [ruleset], _sentence(ruleset, kind)) for kind, fields in moves.items()}


def chance_shapes(ruleset: Ruleset) -> dict[str, Shape]:
    """Each type of chance event as the owner of a game dealt by the client sends it."""
    _, chances = event_fields(ruleset)
    return {kind: _move(kind, fields, [], _sentence(ruleset, kind)) for kind, fields in chances.items()}


def _sentence(ruleset: Ruleset, kind: str) -> str:
    """What an event says."""
    state = _any_state(ruleset)
    return said(f"The player {state.moves[kind].words}" if kind in state.moves else state.chances[kind].words)


def said(words: str) -> str:
    """Words as a description: the fields in backticks, with what is left out where they are."""
    return re.sub(r"[][]", "", words.replace("{", "`").replace("}", "`")) + "."


def _any_state(ruleset: Ruleset) -> Any:
    seats = ruleset.seats[0]
    return ruleset.start(read_config(ruleset, {}, seats), seats)


def _move(kind: str, fields: Fields, rulesets: Iterable[Ruleset], text: str) -> Shape:
    """What is sent; ``rulesets`` are those whose seats make such a move, if seats do."""
    properties = {"type": _type(kind), **{name: shape for name, (_, shape) in fields.items()}}
    return _object({**_seat(rulesets), **properties}, ["type", *_required(fields)], description=text)


def _event(kind: str, fields: Fields, rulesets: Iterable[Ruleset], text: str, **more: Shape) -> Shape:
    """What the record shows: in some views a part is absent, or null in a list by seat."""
    mover = _seat(rulesets)
    properties = {
        "seq": shown.seq("Its number in the record."),
        "at": time("When it was accepted."),
        **mover,
        "type": _type(kind),
        **{
            name: _part_by_part(shape) if each.known_to == "own-part" else shape
            for name, (each, shape) in fields.items()
        },
        **more,
        "redacted": _REDACTED,
        "digest": DIGEST,
        "effects": shown.listed(
            "What followed from it (in a frame of the replay it stands beside the event).",
            _ref("Effect"),
            EFFECTS_MOST,
        ),
    }
    required = ["seq", "at", *mover, "type", *_visible(fields), *more, "digest"]
    return {"type": "object", "description": text, "properties": properties, "required": required}


def _required(fields: Fields) -> list[str]:
    return [name for name, (each, _) in fields.items() if not each.optional]


def _visible(fields: Fields) -> list[str]:
    """Those that every view shows."""
    return [name for name, (each, _) in fields.items() if each.known_to == "everyone" and not each.optional]


def _part_by_part(shape: Shape) -> Shape:
    return {**shape, "items": shown.or_null("A seat's; null for one that this view may not see.", shape["items"])}


def standalone(shape: Shape) -> Shape:
    """A schema that says of which dialect it is."""
    return {"$schema": _SCHEMA, **shape}


# --- components -----------------------------------------------------------------------------------------------------

_EVENT_TYPE: Final = string("^[a-z-]*$", 0, 64, "Its type.") | {"examples": ["play"]}
_RECORDED_EVENT: Final[Shape] = {
    "type": "object",
    "description": "An event in full: the fields of its type, and these. Its `seq` is its place in the list.",
    "properties": {
        "type": _EVENT_TYPE,
        "seat": shown.seat("The seat that moved; absent where none did."),
        "at": time("When it was accepted."),
        "digest": DIGEST,
        "salt": hexadecimal(32, "What the digest was salted with, once the game is over."),
    },
    "required": ["type"],
    "additionalProperties": True,
}
_FRAMED_EVENT: Final[Shape] = {
    "type": "object",
    "description": "An event of a record as a view shows it: a part may be absent, or null in a list by seat.",
    "properties": {
        "seq": shown.seq("Its number in the record."),
        **{name: shape for name, shape in _RECORDED_EVENT["properties"].items() if name != "salt"},
        "redacted": _REDACTED,
    },
    "required": ["seq", "type"],
    "additionalProperties": True,
}


def _words(description: str) -> Shape:
    return string(ONE_LINE, 1, 64, description)


def _listed(part: Shape, description: str) -> Shape:
    return {"type": "array", "items": part, "maxItems": 64, "description": description}


def _one_of(description: str, *values: str) -> Shape:
    return {"type": "string", "enum": list(values), "description": description}


_FIELD_SHOWN: Final = _words("The field of the state's `table` that it shows; where that is null or empty, nothing.")
_LABEL: Final = _words("What it is, in words.")
_ORDER: Final = {
    "by": _one_of("What cards are ordered by first.", "suit", "rank"),
    "suits": string("^[cdhs]{1,4}$", 1, 4, "The suits in their order, by letter."),
    "ranks": string("^[2-9TJQKA]{1,13}$", 1, 13, "The ranks in their order, by letter."),
}
_CARDS: Final = _listed(_words("A card."), "Cards by name.")
_TABLE: Final = _object(
    {
        "pack": _object(
            {
                **_ORDER,
                "jokers": {**_CARDS, "description": "The jokers, which come after all other cards."},
                "out": _listed(
                    _object(
                        {
                            "seats": shown.number("In games of so many.", 2, 6),
                            "jokers": {"type": "boolean", "description": "In games with jokers, or without."},
                            "cards": _CARDS,
                        },
                        ["seats", "jokers", "cards"],
                    ),
                    "The cards that are left out of some games.",
                ),
            },
            _ORDER,
            description="The pack, in the order from which it is shuffled.",
        ),
        "deals": {
            "type": "object",
            "description": "How each chance event is made from what was shuffled, by type.",
            "maxProperties": 64,
            "additionalProperties": _object(
                {
                    "items": _one_of(
                        "What is shuffled: the pack, the seats, or the very cards that the event has.",
                        "pack",
                        "seats",
                        "own",
                    ),
                    "to": _listed(_words("A field."), "The fields that are filled, one after the other."),
                    "without": _words("A type of event whose cards so far in the round are not shuffled again."),
                },
                ["items", "to"],
            ),
        },
        "hand": _object(_ORDER, _ORDER, description="How an open hand is laid out, left to right; jokers come first."),
        "lies": _object(
            {
                "event": _words("The type of move that lays cards."),
                "field": _words("The field of the state's `table` in which they lie: a list with `seat` and cards."),
                "layout": _one_of(
                    "Whether each card lies before its player, one combination upon another, or all in a row.",
                    "crossed",
                    "stacked",
                    "row",
                ),
                "taken": _listed(_words("A type of effect."), "The effects whose `seat` takes what lies."),
            },
            ["event", "field", "layout", "taken"],
            description="What has been played and lies on the table.",
        ),
        "piles": _listed(
            _object(
                {
                    "field": _FIELD_SHOWN,
                    "label": _LABEL,
                    "down": {"type": "boolean", "description": "Whether it lies face down."},
                    "other_pack": {
                        "type": "boolean",
                        "description": "Whether its cards aren't among those played with.",
                    },
                },
                ["field", "label"],
            ),
            "Piles and single cards beside what was played: a list of cards, one card, or `count` and `cards`.",
        ),
        "signs": _listed(
            _object(
                {
                    "field": _FIELD_SHOWN,
                    "label": _LABEL,
                    "as": _one_of(
                        "How: a suit, a word when true, a factor, a team's points, a type of combination.",
                        "suit",
                        "flag",
                        "times",
                        "points",
                        "kind",
                    ),
                },
                ["field", "label", "as"],
            ),
            "What concerns the whole table.",
        ),
        "badges": _listed(
            _object(
                {
                    "field": _FIELD_SHOWN,
                    "label": _LABEL,
                    "as": _one_of(
                        "How: the seat's number, its number `with` another of it, its cards, whether it is the seat or"
                        " among those named, its place among them, its word, its combinations.",
                        "count",
                        "of",
                        "cards",
                        "is",
                        "in",
                        "place",
                        "word",
                        "combinations",
                    ),
                    "with": _words("The field that stands before the other: tricks of a bid."),
                    "by": _one_of("Where there is one value for each team.", "team"),
                    "words": {
                        "type": "object",
                        "description": "What stands for each value.",
                        "additionalProperties": _words("A value in words."),
                        "maxProperties": 64,
                    },
                },
                ["field", "label", "as"],
            ),
            "What stands beside each player.",
        ),
        "shows": _listed(
            _object(
                {
                    "event": _words("A type of event whose cards are shown, one for each seat."),
                    "effect": _words("A type of effect whose `seat` shows cards."),
                    "field": _words("The field with the cards."),
                },
                ["field"],
            ),
            "Cards that are shown for the moment.",
        ),
    },
    ["pack", "deals", "hand", "lies", "piles", "signs", "badges", "shows"],
    description="What the table of a game looks like: which fields of the state's `table` are shown, where and how.",
)
_JSON_SCHEMA: Final[Shape] = {
    "type": "object",
    "description": "A JSON Schema (draft 2020-12).",
    "properties": {"$schema": {"type": "string", "const": _SCHEMA, "description": "The dialect."}},
    "required": ["$schema"],
    "additionalProperties": True,
}
_TABLE_EVENTS: Final[dict[str, tuple[str, dict[str, Shape]]]] = {
    "takeback": (
        "The owner takes back every event after `to`.",
        {"to": shown.number("The event after which all is retracted.", 0, shown.SEQ_MOST)},
    ),
    "abandon": (
        "The owner ends the game unfinished.",
        {"reason": string(ONE_LINE, 1, REASON_MOST, "Why the owner ended the game.")},
    ),
}


_CARD: Final[Shape] = {
    "type": "string",
    "description": "A card, rank and suit: `Th` is the ten of hearts; `BJ` and `LJ` are the big and the little joker.",
    "enum": [*(rank + suit for suit in SUITS for rank in RANKS), BIG_JOKER, LITTLE_JOKER],
    # What generators call them, as a name can't begin with a digit: suit and rank.
    "x-enum-varnames": [*(suit.upper() + rank for suit in SUITS for rank in RANKS), BIG_JOKER, LITTLE_JOKER],
}


def components() -> dict[str, Shape]:
    """The schemas of all games, by name, for the OpenAPI document."""
    found: dict[str, Shape] = {
        "Card": _CARD,
        "ChanceCall": _chance_call(),
        "RecordedEvent": _RECORDED_EVENT,
        "FramedEvent": _FRAMED_EVENT,
        "Table": _TABLE,
        "JsonSchema": _JSON_SCHEMA,
        "JsonSchemas": {
            "type": "object",
            "description": "JSON Schemas by type.",
            "additionalProperties": _ref("JsonSchema"),
            "maxProperties": 100,
        },
    }
    for ruleset, name in NAMES.items():
        options: dict[str, Shape] = config_shape(ruleset)["properties"]
        # A client that is generated would send a default as its own, and go on with it when ours is another.
        defaults = {option: shape.pop("default") for option, shape in options.items()}
        found[f"{name}Config"] = _object(options, options, description=f"All options of a game of {ruleset.title}.")
        for option, default in defaults.items():
            text = f"{options[option]['description']} Left out, it is `{orjson.dumps(default).decode()}`."
            options[option] = {**options[option], "description": text}
        found[f"{name}Options"] = _object(options, (), description=f"Some options of a game of {ruleset.title}.")
    moves = _of_all_games("Move", _required, _move)
    events = _of_all_games("Event", _visible, _event) | {
        f"{kind.capitalize()}Event": _event(kind, {}, (), text, **properties)
        for kind, (text, properties) in _TABLE_EVENTS.items()
    }
    patterns = _patterns()
    unlisted = {shape["properties"]["type"]["const"] for shape in patterns.values()}
    legal = {
        name: shape
        for name, shape in moves.items()
        if "seat" in shape["properties"] and shape["properties"]["type"]["const"] not in unlisted
    }
    effects = _effects()
    tables = {f"{name}LiesOpen": _with_cards(ruleset.lies_open) for ruleset, name in NAMES.items()}
    found |= moves | events | patterns | effects | tables
    for union, parts, text in (
        ("Move", moves, "A move, or where the client deals a chance event, of one of the games."),
        ("Event", events, "An event of one of the games, or of its owner."),
        ("LegalMove", legal | patterns, "A move in full, without `seat`, or what stands for too many to be listed."),
        ("Effect", effects, "What followed from an event. `redacted` says that the view may not see all of it."),
        ("LiesOpen", tables, "What lies open in one of the games."),
    ):
        found[union] = {"description": text, "oneOf": [_ref(name) for name in parts]}
    return found


def _of_all_games(
    form: str, told_by: Callable[[Fields], list[str]], make: Callable[[str, Fields, list[Ruleset], str], Shape]
) -> dict[str, Shape]:
    """What ``make`` makes of each type of event, whichever games have it, by name.

    What came may be of any game. So no two shapes fit the same: those of a type are told apart by the names of some of
    their fields.
    """
    found: dict[tuple[str, ...], tuple[Fields, list[Ruleset], list[str]]] = {}
    for ruleset in RULESETS.values():
        for events, movers in zip(event_fields(ruleset), ([ruleset], []), strict=True):
            for kind, fields in events.items():
                joined, rulesets, texts = found.setdefault((kind, *told_by(fields)), ({}, [], []))
                _join(joined, {name: (each, _with_cards(shape)) for name, (each, shape) in fields.items()})
                rulesets += movers
                texts.append(_sentence(ruleset, kind))
    return {
        name: make(key[0], fields, rulesets, _either(texts))
        for name, (key, (fields, rulesets, texts)) in _named(found, form).items()
    }


Value = TypeVar("Value")


def _named(found: Mapping[tuple[str, ...], Value], form: str) -> dict[str, tuple[tuple[str, ...], Value]]:
    """What is told apart by a type and the names of fields, by a name made of as much as that takes."""
    alike = Counter(kind for kind, *_ in found)
    return {
        "".join(
            part.capitalize() for name in (key if alike[key[0]] > 1 else key[:1]) for part in re.split("[-_]", name)
        )
        + form: (key, value)
        for key, value in found.items()
    }


def _either(texts: Iterable[str]) -> str:
    return " Or: ".join(dict.fromkeys(texts))


def _patterns() -> dict[str, Shape]:
    """What stands for the moves of a type that are too many to be listed."""
    return {
        f"{kind.capitalize()}Pattern": {
            "type": "object",
            "description": f"Every {kind} that there is.",
            "properties": {"type": _type(kind), name: _with_cards(each.pattern)},
            "required": ["type", name],
        }
        for ruleset in RULESETS.values()
        for kind, fields in event_fields(ruleset)[0].items()
        for name, (each, _) in fields.items()
        if each.pattern is not None
    }


def _effects() -> dict[str, Shape]:
    """Each type of effect, whichever games have it, by name; those of a type are told apart by their facts."""
    found: dict[tuple[str, ...], tuple[dict[str, Shape], dict[str, Shape], list[str], list[bool]]] = {}
    for effects in (shown.COMMON_EFFECTS, *(ruleset.effects for ruleset in RULESETS.values())):
        for kind, effect in effects.items():
            facts, private, texts, lines = found.setdefault((kind, *effect.facts), ({}, {}, [], []))
            for joined, more in ((facts, effect.facts), (private, effect.private)):
                for name, shape in more.items():
                    other = _with_cards(shape)
                    joined[name] = _widest(joined[name], other) if name in joined else other
            texts.append(said(effect.words or "The event says what has happened"))
            lines.append(effect.lines)
    return {
        name: {
            "type": "object",
            "description": _either(texts),
            "properties": {
                "type": _type(key[0]),
                **facts,
                **private,
                **({"lines": _LINES} if any(lines) else {}),
                **({"redacted": _REDACTED} if private else {}),
            },
            "required": ["type", *facts, *(["lines"] if all(lines) else [])],
        }
        for name, (key, (facts, private, texts, lines)) in _named(found, "Effect").items()
    }


def _chance_call() -> Shape:
    """What a game waits to be dealt, whichever it is."""
    counts: dict[str, Shape] = {}
    kinds: dict[str, None] = {}
    for ruleset in RULESETS.values():
        state = _any_state(ruleset)
        for kind, chance in state.chances.items():
            kinds[kind] = None
            for name, asked in chance.ask(state).items():
                one = shown.number("How many cards.", 0, len(_CARD["enum"]))
                counts[name] = (
                    shown.listed(f"How many cards each list of `{name}` has.", one, shown.SEATS_MOST)
                    if isinstance(asked, list)
                    else one
                )
    return {
        "type": "object",
        "description": "The chance event that the game waits for, with how many cards for whom.",
        "properties": {"type": shown.word("Its type.", *kinds), **counts},
        "required": ["type"],
    }


def _with_cards(shape: Any) -> Any:
    """The schema ``shape`` with cards of any game where it has those of one."""
    if isinstance(shape, dict):
        if set(shape.get("enum", [None])) <= set(_CARD["enum"]):
            return {**_ref("Card"), "description": shape.get("description", _CARD["description"])}
        return {key: _with_cards(part) for key, part in shape.items()}
    if isinstance(shape, list):
        return [_with_cards(part) for part in shape]
    return shape


_BY_RULESET: Final = {"NewGame": "Options", "Game": "Config", "MadeGame": "Config", "Record": "Options"}
"""What differs by ruleset, and whether it may leave options out."""


def specialised(schemas: Mapping[str, Shape]) -> dict[str, Shape]:
    """The schemas of what names its ruleset, as they are for each, and their union under the old name."""
    found: dict[str, Shape] = {}
    for base, config in _BY_RULESET.items():
        names = {}
        for ruleset, name in NAMES.items():
            properties = dict(schemas[base]["properties"])
            description = properties["ruleset"]["description"]
            properties["ruleset"] = {"type": "string", "const": ruleset.id, "description": description}
            properties["config"] = {**properties["config"], **_ref(f"{name}{config}")}
            seats = {"minItems": min(ruleset.seats), "maxItems": max(ruleset.seats)}
            properties["players"] = {**properties["players"], **seats}
            names[ruleset.id] = re.sub("(Game|Record)", rf"{name}\1", base)
            found[names[ruleset.id]] = {**schemas[base], "properties": properties}
        refs = {id_: _ref(name) for id_, name in names.items()}
        found[base] = {
            "type": "object",
            "description": schemas[base]["description"],
            "oneOf": list(refs.values()),
            "discriminator": {
                "propertyName": "ruleset",
                "mapping": {id_: ref["$ref"] for id_, ref in refs.items()},
            },
        }
    return found
