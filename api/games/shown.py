"""What a game shows of itself: the facts of its effects and what lies open on its table, said in JSON Schemas."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from api.cards import SUITS, Pack

Schema = dict[str, Any]

SEATS_MOST: Final = 10
POINTS_MOST: Final = 10**7
SEQ_MOST: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class EffectType:
    """A type of effect: what it says in ``words``, its ``facts`` by name, and those ``private`` to whom it concerns.

    One with ``lines`` has written some on the score sheet.
    """

    words: str
    facts: Mapping[str, Schema]
    private: Mapping[str, Schema] = field(default_factory=dict)
    lines: bool = False


def number(text: str, least: int, most: int) -> Schema:
    """A whole number."""
    return {"type": "integer", "format": "int32", "minimum": least, "maximum": most, "description": text}


def seat(text: str) -> Schema:
    """The number of a seat."""
    return number(text, 0, SEATS_MOST - 1)


def side(text: str) -> Schema:
    """The number of a seat or a team, whichever scores."""
    return number(text, 0, SEATS_MOST - 1)


def seq(text: str) -> Schema:
    """The number of an event."""
    return number(text, 1, SEQ_MOST)


def points(text: str) -> Schema:
    """Points, or how many are taken off."""
    return number(text, -POINTS_MOST, POINTS_MOST)


def flag(text: str) -> Schema:
    """True or false."""
    return {"type": "boolean", "description": text}


def word(text: str, *words: str) -> Schema:
    """One of ``words``."""
    return {"type": "string", "enum": list(words), "description": text}


def suit(text: str) -> Schema:
    """The letter of a suit."""
    return word(text, *SUITS)


def card(pack: Pack, text: str) -> Schema:
    """One card of ``pack``."""
    return word(text, *pack.names)


def cards(pack: Pack, text: str) -> Schema:
    """Some cards of ``pack``."""
    return listed(text, card(pack, "A card."), len(pack.names))


def listed(text: str, part: Schema, most: int) -> Schema:
    """A list of at most so many ``part``."""
    return {"type": "array", "items": part, "maxItems": most, "description": text}


def seats(text: str) -> Schema:
    """Some seats."""
    return listed(text, seat("A seat."), SEATS_MOST)


def sides(text: str) -> Schema:
    """Some seats or teams, whichever score."""
    return listed(text, side("A side."), SEATS_MOST)


def fields(text: str, optional: Mapping[str, Schema] | None = None, **always: Schema) -> Schema:
    """An object of these fields."""
    return {
        "type": "object",
        "description": text,
        "properties": {**always, **(optional or {})},
        "required": list(always),
    }


def or_null(text: str, schema: Schema) -> Schema:
    """What ``schema`` says, or null."""
    return {"description": text, "oneOf": [schema, {"type": "null"}]}


ROUND_SCORED: Final = "round-scored"
GAME_OVER: Final = "game-over"
RETRACTED: Final = "retracted"

COMMON_EFFECTS: Final = {
    ROUND_SCORED: EffectType(
        "Round {round} is scored", {"round": number("The round that is over.", 1, SEQ_MOST)}, lines=True
    ),
    GAME_OVER: EffectType(
        "The game is over[, won by {winners}]",
        {
            "winners": sides("The sides that have won; empty for a game that was abandoned."),
            "totals": listed("The points of each side.", points("A side's points."), SEATS_MOST),
        },
    ),
    # the event has said it all
    RETRACTED: EffectType("", {"events": listed("The events that count no longer.", seq("An event."), 100_000)}),
}
"""By type, what follows in every game."""
