"""JSON Schemas of configs, moves and events, from the registry of games: a new game has them by being there."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final

import orjson

from api.cards import BIG_JOKER, LITTLE_JOKER, RANKS, SUITS
from api.games import LATEST, RULESETS
from api.games.rules import Field, Ruleset, read_config

Shape = dict[str, Any]
Fields = dict[str, tuple[Field, Shape]]

NAMES: Final = {ruleset: "".join(part.capitalize() for part in ruleset.id.split("-")) for ruleset in LATEST.values()}
"""What the components of a ruleset start with."""

DIGEST: Final = {
    "type": "string",
    "pattern": "^[0-9a-f]{64}$",
    "description": "What binds the event, also where the view hides a part of it.",
}
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
                fields = {each.name: (each, dict(each.kind.schema)) for each in event.fields}
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
    shape = {"type": "integer", "minimum": 0, "maximum": most - 1, "description": "The seat that moves."}
    return {"seat": shape} if most else {}


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
    return {kind: _move(kind, fields, [ruleset]) for kind, fields in event_fields(ruleset)[0].items()}


def chance_shapes(ruleset: Ruleset) -> dict[str, Shape]:
    """Each type of chance event as the owner of a game dealt by the client sends it."""
    return {kind: _move(kind, fields, []) for kind, fields in event_fields(ruleset)[1].items()}


def _move(kind: str, fields: Fields, rulesets: Iterable[Ruleset]) -> Shape:
    """What is sent; ``rulesets`` are those whose seats make such a move, if seats do."""
    properties = {"type": {"type": "string", "const": kind}, **{name: shape for name, (_, shape) in fields.items()}}
    return _object({**_seat(rulesets), **properties}, ["type", *_required(fields)])


def _event(kind: str, fields: Fields, rulesets: Iterable[Ruleset], **more: Shape) -> Shape:
    """What the record shows: in some views a part is absent, or null in a list by seat."""
    mover = _seat(rulesets)
    properties = {
        "seq": {"type": "integer", "minimum": 1, "description": "Its number in the record."},
        "at": {"type": "string", "format": "date-time", "description": "When it was accepted."},
        **mover,
        "type": {"type": "string", "const": kind},
        **{
            name: _part_by_part(shape) if each.known_to == "own-part" else shape
            for name, (each, shape) in fields.items()
        },
        **more,
        "redacted": _REDACTED,
        "digest": DIGEST,
        "effects": {
            "type": "array",
            "items": {"$ref": "#/components/schemas/Effect"},
            "description": "What followed from it (in a frame of the replay it stands beside the event).",
        },
    }
    required = ["seq", "at", *mover, "type", *_visible(fields), *more, "digest"]
    return {"type": "object", "properties": properties, "required": required}


def _required(fields: Fields) -> list[str]:
    return [name for name, (each, _) in fields.items() if not each.optional]


def _visible(fields: Fields) -> list[str]:
    """Those that every view shows."""
    return [name for name, (each, _) in fields.items() if each.known_to == "everyone" and not each.optional]


def _part_by_part(shape: Shape) -> Shape:
    return {**shape, "items": {"anyOf": [shape["items"], {"type": "null"}]}}


def standalone(shape: Shape) -> Shape:
    """A schema that says of which dialect it is."""
    return {"$schema": _SCHEMA, **shape}


# --- components -----------------------------------------------------------------------------------------------------

_EFFECT: Final[Shape] = {
    "type": "object",
    "description": "What followed from an event: its facts differ by type. `redacted` says that the view may not see"
    " all.",
    "properties": {
        "type": {"type": "string", "description": "What happened.", "examples": ["trick-won"]},
        "lines": {
            "type": "array",
            "description": "The lines that it wrote on the score sheet.",
            "items": {"$ref": "#/components/schemas/Line"},
        },
        "redacted": _REDACTED,
    },
    "required": ["type"],
    "additionalProperties": True,
}
_CHANCE_CALL: Final[Shape] = {
    "type": ["object", "null"],
    "description": "The chance event that the game waits for, with how many cards for whom; null when it waits for"
    " none.",
    "properties": {"type": {"type": "string", "description": "Its type.", "examples": ["deal"]}},
    "required": ["type"],
    "additionalProperties": True,
}
_LEGAL_MOVE: Final[Shape] = {
    "type": "object",
    "description": (
        "A move in full, without `seat`; or, where there are too many, a pattern: `choose` so many cards `of` these, in"
        " order; or any set of combinations `among` these."
    ),
    "properties": {"type": {"type": "string", "description": "Its type.", "examples": ["play"]}},
    "required": ["type"],
    "additionalProperties": True,
}
_RECORDED_EVENT: Final[Shape] = {
    "type": "object",
    "description": "An event in full, with the time at which it was accepted; its `seq` is its place in the list.",
    "properties": {
        "type": {"type": "string", "description": "Its type.", "examples": ["play"]},
        "seat": {"type": "integer", "minimum": 0, "description": "The seat that moved; absent where none did."},
        "at": {"type": "string", "format": "date-time", "description": "When it was accepted."},
        "digest": DIGEST,
        "salt": {
            "type": "string",
            "pattern": "^[0-9a-f]{32}$",
            "description": "What the digest was salted with, once the game is over.",
        },
    },
    "required": ["type"],
    "additionalProperties": True,
}
_FRAMED_EVENT: Final[Shape] = {
    "type": "object",
    "description": "An event of a record as a view shows it: a part may be absent, or null in a list by seat.",
    "properties": {
        "seq": {"type": "integer", "minimum": 1, "description": "Its number in the record."},
        **{name: shape for name, shape in _RECORDED_EVENT["properties"].items() if name != "salt"},
        "redacted": {"const": True, "description": "That this view may not see all of it."},
    },
    "required": ["seq", "type"],
    "additionalProperties": True,
}


def _words(description: str) -> Shape:
    return {"type": "string", "maxLength": 64, "description": description}


def _listed(part: Shape, description: str) -> Shape:
    return {"type": "array", "items": part, "maxItems": 64, "description": description}


def _one_of(description: str, *values: str) -> Shape:
    return {"type": "string", "enum": list(values), "description": description}


_FIELD_SHOWN: Final = _words("The field of the state's `table` that it shows; where that is null or empty, nothing.")
_LABEL: Final = _words("What it is, in words.")
_ORDER: Final = {
    "by": _one_of("What cards are ordered by first.", "suit", "rank"),
    "suits": {"type": "string", "pattern": "^[cdhs]{1,4}$", "description": "The suits in their order, by letter."},
    "ranks": {"type": "string", "pattern": "^[2-9TJQKA]{1,13}$", "description": "The ranks in their order, by letter."},
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
                            "seats": {
                                "type": "integer",
                                "minimum": 2,
                                "maximum": 6,
                                "description": "In games of so many.",
                            },
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
    "properties": {"$schema": {"type": "string", "const": _SCHEMA}},
    "required": ["$schema"],
    "additionalProperties": True,
}
_TABLE_EVENTS: Final[dict[str, dict[str, Shape]]] = {
    "takeback": {"to": {"type": "integer", "minimum": 0, "description": "The event after which all is retracted."}},
    "abandon": {"reason": {"type": "string", "description": "Why the owner ended the game."}},
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
        "Effect": _EFFECT,
        "ChanceCall": _CHANCE_CALL,
        "LegalMove": _LEGAL_MOVE,
        "RecordedEvent": _RECORDED_EVENT,
        "FramedEvent": _FRAMED_EVENT,
        "Table": _TABLE,
        "JsonSchema": _JSON_SCHEMA,
        "JsonSchemas": {
            "type": "object",
            "description": "JSON Schemas by type.",
            "additionalProperties": _ref("JsonSchema"),
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
        f"{kind.capitalize()}Event": _event(kind, {}, (), **properties) for kind, properties in _TABLE_EVENTS.items()
    }
    found |= moves | events
    for union, parts, text in (
        ("Move", moves, "A move, or where the client deals a chance event, of one of the games."),
        ("Event", events, "An event of one of the games, or of its owner."),
    ):
        found[union] = {"description": text, "oneOf": [_ref(name) for name in parts]}
    return found


def _of_all_games(
    form: str, told_by: Callable[[Fields], list[str]], make: Callable[[str, Fields, list[Ruleset]], Shape]
) -> dict[str, Shape]:
    """What ``make`` makes of each type of event, whichever games have it, by name.

    What came may be of any game. So no two shapes fit the same: those of a type are told apart by the names of some of
    their fields.
    """
    found: dict[tuple[str, ...], tuple[Fields, list[Ruleset]]] = {}
    for ruleset in RULESETS.values():
        for events, movers in zip(event_fields(ruleset), ([ruleset], []), strict=True):
            for kind, fields in events.items():
                joined, rulesets = found.setdefault((kind, *told_by(fields)), ({}, []))
                _join(joined, {name: (each, _with_cards(shape)) for name, (each, shape) in fields.items()})
                rulesets += movers
    alike = Counter(kind for kind, *_ in found)
    return {
        "".join(part.capitalize() for part in (key if alike[key[0]] > 1 else key[:1])) + form: make(key[0], *of)
        for key, of in found.items()
    }


def _with_cards(shape: Any) -> Any:
    """The schema ``shape`` with cards of any game where it has those of one."""
    if isinstance(shape, dict):
        if set(shape.get("enum", [None])) <= set(_CARD["enum"]):
            return _ref("Card")
        return {key: _with_cards(part) for key, part in shape.items()}
    return shape


def _ref(name: str) -> Shape:
    return {"$ref": f"#/components/schemas/{name}"}


_BY_RULESET: Final = {"NewGame": "Options", "Game": "Config", "MadeGame": "Config", "Record": "Options"}
"""What differs by ruleset, and whether it may leave options out."""


def specialised(schemas: Mapping[str, Shape]) -> dict[str, Shape]:
    """The schemas of what names its ruleset, as they are for each, and their union under the old name."""
    found: dict[str, Shape] = {}
    for base, config in _BY_RULESET.items():
        names = {}
        for ruleset, name in NAMES.items():
            properties = dict(schemas[base]["properties"])
            properties["ruleset"] = {**properties["ruleset"], "const": ruleset.id}
            properties["config"] = {**properties["config"], **_ref(f"{name}{config}")}
            seats = {"minItems": min(ruleset.seats), "maxItems": max(ruleset.seats)}
            properties["players"] = {**properties["players"], **seats}
            names[ruleset.id] = re.sub("(Game|Record)", rf"{name}\1", base)
            found[names[ruleset.id]] = {**schemas[base], "properties": properties}
        refs = {id_: _ref(name) for id_, name in names.items()}
        found[base] = {
            "type": "object",
            "oneOf": list(refs.values()),
            "discriminator": {
                "propertyName": "ruleset",
                "mapping": {id_: ref["$ref"] for id_, ref in refs.items()},
            },
        }
    return found
