"""JSON Schemas of configs, moves and events, from the registry of games: a new game has them by being there."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from api.games import LATEST, RULESETS
from api.games.rules import Field, Ruleset, read_config

Shape = dict[str, Any]
Fields = list[tuple[Field, Shape]]

NAMES: Final[dict[Ruleset, str]] = {
    ruleset: "".join(part.capitalize() for part in ruleset.id.split("-"))
    + (f"V{ruleset.version}" if ruleset.version > 1 else "")
    for ruleset in RULESETS.values()
}
"""What the components of a ruleset start with."""

DIGEST: Final = {
    "type": "string",
    "pattern": "^[0-9a-f]{64}$",
    "description": "What binds the event, also where the view hides a part of it.",
}
_SCHEMA: Final = "https://json-schema.org/draft/2020-12/schema"
_WIDER: Final = {"minimum": min, "maximum": max, "minItems": min, "maxItems": max}


def _widest(one: Any, other: Any) -> Any:
    """The schema that takes what either takes, of two that one function made for other packs or numbers of seats."""
    if one == other:
        return one
    if isinstance(one, dict):
        return {
            key: _WIDER[key](one[key], other[key]) if key in _WIDER else _widest(one[key], other[key]) for key in one
        }
    if isinstance(one, list) and not any(isinstance(each, dict) for each in one):
        return list(dict.fromkeys([*one, *other]))
    return [_widest(*pair) for pair in zip(one, other, strict=True)]


@cache
def event_fields(ruleset: Ruleset) -> tuple[dict[str, Fields], dict[str, Fields]]:
    """The fields of each type of move, and of each type of chance event, with schemas for any number of seats."""
    moves: dict[str, Fields] = {}
    chances: dict[str, Fields] = {}
    for seats in ruleset.seats:
        state = ruleset.start(read_config(ruleset, {}, seats), seats)
        for found, events in ((moves, state.moves), (chances, state.chances)):
            for kind, event in events.items():
                known = {each.name: shape for each, shape in found.get(kind, ())}
                found[kind] = [
                    (each, _widest(known.get(each.name, each.kind.schema), each.kind.schema)) for each in event.fields
                ]
    return moves, chances


def _object(properties: Mapping[str, Any], required: Iterable[str], **more: Any) -> Shape:
    return {
        "type": "object",
        **more,
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def _seat(ruleset: Ruleset) -> Shape:
    return {"type": "integer", "minimum": 0, "maximum": max(ruleset.seats) - 1, "description": "The seat that moves."}


def config_shape(ruleset: Ruleset) -> Shape:
    """A config: every option with its default. (A seat that it names must be one of the game's.)"""
    properties: dict[str, Shape] = {}
    for seats in ruleset.seats:
        for name, option in ruleset.options(seats).items():
            shape = {**option.kind.schema, "default": option.default, "description": option.text}
            properties[name] = _widest(properties.get(name, shape), shape)
    return _object(properties, (), description=f"The options of {ruleset.title}.")


def move_shapes(ruleset: Ruleset) -> dict[str, Shape]:
    """Each type of move as a front end sends it."""
    return {
        kind: _object(
            {"seat": _seat(ruleset), "type": {"const": kind}} | {each.name: shape for each, shape in fields},
            ["type", *(each.name for each, _ in fields if not each.optional)],
        )
        for kind, fields in event_fields(ruleset)[0].items()
    }


def chance_shapes(ruleset: Ruleset) -> dict[str, Shape]:
    """Each type of chance event as the owner of a game dealt by the client sends it."""
    return {
        kind: _object(
            {"type": {"const": kind}} | {each.name: shape for each, shape in fields},
            ["type", *(each.name for each, _ in fields)],
        )
        for kind, fields in event_fields(ruleset)[1].items()
    }


def event_shapes(ruleset: Ruleset) -> dict[str, Shape]:
    """Each type of event as the record shows it: in some views a part is absent, or null in a list by seat."""
    moves, chances = event_fields(ruleset)
    return {kind: _event(kind, {"seat": _seat(ruleset)}, fields) for kind, fields in moves.items()} | {
        kind: _event(kind, {}, fields) for kind, fields in chances.items()
    }


def _event(kind: str, mover: Shape, fields: Fields) -> Shape:
    properties = {
        "seq": {"type": "integer", "minimum": 1, "description": "Its number in the record."},
        "at": {"type": "string", "format": "date-time", "description": "When it was accepted."},
        **mover,
        "type": {"const": kind},
        **{each.name: _part_by_part(shape) if each.known_to == "own-part" else shape for each, shape in fields},
        "redacted": {"const": True, "description": "That this view may not see all of it."},
        "digest": DIGEST,
        "effects": {
            "type": "array",
            "items": {"$ref": "#/components/schemas/Effect"},
            "description": "What followed from it (in a frame of the replay it stands beside the event).",
        },
    }
    known = [each.name for each, _ in fields if each.known_to == "everyone" and not each.optional]
    return {"type": "object", "properties": properties, "required": ["seq", "at", *mover, "type", *known, "digest"]}


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
        "redacted": {"const": True, "description": "That this view may not see all of it."},
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
_JSON_SCHEMA: Final[Shape] = {
    "type": "object",
    "description": "A JSON Schema (draft 2020-12).",
    "properties": {"$schema": {"const": _SCHEMA}},
    "required": ["$schema"],
    "additionalProperties": True,
}
_TABLE_EVENTS: Final = {
    "takeback": {"to": {"type": "integer", "minimum": 0, "description": "The event after which all is retracted."}},
    "abandon": {"reason": {"type": "string", "description": "Why the owner ended the game."}},
}


def components() -> dict[str, Shape]:
    """The schemas of all games, by name, for the OpenAPI document."""
    found: dict[str, Shape] = {
        "Effect": _EFFECT,
        "ChanceCall": _CHANCE_CALL,
        "LegalMove": _LEGAL_MOVE,
        "RecordedEvent": _RECORDED_EVENT,
        "JsonSchema": _JSON_SCHEMA,
        "JsonSchemas": {
            "type": "object",
            "description": "JSON Schemas by type.",
            "additionalProperties": _ref("JsonSchema"),
        },
    }
    tables = {}
    for kind, properties in _TABLE_EVENTS.items():
        event = _event(kind, {}, [])
        event["properties"] |= properties
        event["required"] += properties
        found[f"{kind.capitalize()}Event"] = event
        tables[kind] = f"{kind.capitalize()}Event"
    for ruleset, name in NAMES.items():
        sent = move_shapes(ruleset) | chance_shapes(ruleset)
        found |= {_component(name, kind, "Move"): shape for kind, shape in sent.items()}
        shown = event_shapes(ruleset)
        found |= {_component(name, kind, "Event"): shape for kind, shape in shown.items()}
        found[f"{name}Move"] = _by("type", {kind: _component(name, kind, "Move") for kind in sent})
        found[f"{name}Event"] = _by("type", {kind: _component(name, kind, "Event") for kind in shown} | tables)
    found |= {f"{NAMES[ruleset]}Config": config_shape(ruleset) for ruleset in LATEST.values()}
    for union, text in (
        ("Move", "A move, or where the client deals a chance event, of one of the games."),
        ("Event", "An event of one of the games, or of its owner."),
    ):
        found[union] = {"description": text, "anyOf": [_ref(f"{name}{union}") for name in NAMES.values()]}
    found["Config"] = {
        "description": "The options of one of the games.",
        "anyOf": [_ref(f"{NAMES[ruleset]}Config") for ruleset in LATEST.values()],
    }
    return found


def _component(name: str, kind: str, form: str) -> str:
    return name + "".join(part.capitalize() for part in kind.split("-")) + form


def _ref(name: str) -> Shape:
    return {"$ref": f"#/components/schemas/{name}"}


def _by(property_: str, names: Mapping[str, str]) -> Shape:
    refs = {value: _ref(name) for value, name in names.items()}
    return {
        "type": "object",
        "oneOf": list(refs.values()),
        "discriminator": {
            "propertyName": property_,
            "mapping": {value: ref["$ref"] for value, ref in refs.items()},
        },
    }


def specialised(new_game: Shape) -> dict[str, Shape]:
    """The schema of a game to be made, as it is for each ruleset, and their union under its own name."""
    found = {}
    for ruleset in LATEST.values():
        shape = {**new_game, "properties": dict(new_game["properties"])}
        properties = shape["properties"]
        properties["ruleset"] = {**properties["ruleset"], "const": ruleset.id}
        properties["config"] = {**properties["config"], **_ref(f"{NAMES[ruleset]}Config")}
        properties["players"] = {
            **properties["players"],
            "minItems": min(ruleset.seats),
            "maxItems": max(ruleset.seats),
        }
        found[f"New{NAMES[ruleset]}Game"] = shape
    found["NewGame"] = _by("ruleset", {ruleset.id: f"New{NAMES[ruleset]}Game" for ruleset in LATEST.values()})
    return found
