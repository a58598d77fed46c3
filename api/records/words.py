"""Events in words: what happened and what followed from it, for logs, transcripts and screen readers.

The words of each type of move, chance event and effect are the game's (``words``, ``effects``): ``{name}`` stands for a
field, and what stands in ``[…]`` is left out where one of its fields is hidden or empty. Only what a view is shown is
told, so that its words depend on nothing else.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from api.cards import BIG_JOKER, LITTLE_JOKER, SUIT_NAMES
from api.games.rules import Effect, Seen, view_line
from api.games.shown import COMMON_EFFECTS
from api.records.replay import ABANDON, TAKEBACK, Position, Step, view_effects, view_event

_TABLE_EVENTS: Final = {
    TAKEBACK: "The owner takes back every event after {to}",
    ABANDON: "The owner abandons the game: {reason}",
}

_RANKS: Final = {"T": "10", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}
_SPOKEN: Final[Mapping[str, str]] = {BIG_JOKER: "big joker", LITTLE_JOKER: "little joker"} | {
    rank + suit: f"{_RANKS.get(rank, rank)} of {name}" for rank in "23456789TJQKA" for suit, name in SUIT_NAMES.items()
}
_OPTIONAL: Final = re.compile(r"\[([^]]*)\]")
_FIELD: Final = re.compile(r"\{(\w+)\}")
_IN_LINES: Final = re.compile(r"\b(?:[Ss]eat ([0-9])|[Tt]eam ([0-9])|([2-9TJQKA][cdhs]|[BL]J))\b")

_SEATS: Final = frozenset({"seat", "dealer", "from"})
_BY_SEAT: Final = frozenset({"hands", "draws"})
_SIDES: Final = frozenset({"team", "winners"})

Say = Callable[[str, Any], str]
"""A field's name and value in words; empty where there is nothing to say."""


def sentences(step: Step, players: Sequence[str], view: Seen) -> list[str]:
    """An event in full sentences, as it is read aloud: itself, then what followed from it, line by line.

    A line of the score sheet is told once, although the effect that ends a round has those of earlier events too.
    """
    say = sayer(step, players, lambda name: _SPOKEN[name], "the ")
    told = [event_words(step, players, view, say)]
    untold = {id(line) for line in step.position.state.lines[step.lines :]}
    for effect in step.effects:
        told += [words for words in [effect_words(step, effect, view, say)] if words]
        told += [_line(view_line(line, view), step, players) for line in effect.lines if id(line) in untold]
        untold.difference_update(map(id, effect.lines))
    return told


def event_words(step: Step, players: Sequence[str], view: Seen, say: Say) -> str:
    """The sentence for the event itself."""
    event = view_event(step.position, step.event, view)
    kind, state = event["type"], step.position.state
    spec = state.moves.get(kind) or state.chances.get(kind)
    words = _fill(_TABLE_EVENTS[kind] if spec is None else spec.words, event, say)
    seat = event.get("seat")
    return f"{words}." if seat is None else f"{players[seat]} {words}."


def effect_words(step: Step, effect: Effect, view: Seen, say: Say) -> str:
    """The sentence for something that followed; empty where the event has said it all."""
    (shown,) = view_effects([effect], view)
    kind = step.position.ruleset.effects.get(effect.type) or COMMON_EFFECTS[effect.type]
    told = _fill(kind.words, shown, say)
    return told and f"{told}."


def sayer(step: Step, players: Sequence[str], card: Callable[[str], str], article: str = "") -> Say:
    """What says the values of a step's fields, with names for seats and sides, and ``card`` for the name of a card.

    An ``article`` stands before a card that is alone.
    """
    pack = step.position.state.pack.position
    sides = side_names(step.position, players)

    def part(name: str, value: Any) -> str:
        if isinstance(value, list):
            if name in _BY_SEAT:
                return "; ".join(f"{players[seat]}: {part('', each)}" for seat, each in enumerate(value) if each)
            parts = [part(name, each) for each in value]
            return ("; " if any(isinstance(each, list | dict) for each in value) else ", ").join(parts)
        if isinstance(value, dict):
            return ", ".join(f"{each} points" if key == "points" else part(key, each) for key, each in value.items())
        if value is None:
            return ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if name in _SEATS:
            return players[int(value)]
        if name in _SIDES:
            return sides[int(value)]
        if name == "suit":
            return SUIT_NAMES[str(value)]
        return str(value) if name == "reason" or value not in pack else card(value)

    def say(name: str, value: Any) -> str:
        alone = value[0] if type(value) is list and len(value) == 1 else value
        return article * (name != "reason" and type(alone) is str and alone in pack) + part(name, value)

    return say


def side_names(position: Position, players: Sequence[str]) -> list[str]:
    """Each side by its players."""
    if position.ruleset.sides == "seats":
        return list(players)
    teams = len(position.state.scores)
    return [" and ".join(players[team::teams]) for team in range(teams)]


def _fill(words: str, facts: Mapping[str, Any], say: Say) -> str:
    said = {name: say(name, value) for name, value in facts.items()}

    def optional(found: re.Match[str]) -> str:
        return found[1] if all(said.get(name) for name in _FIELD.findall(found[1])) else ""

    return _OPTIONAL.sub(optional, words).format_map(said)


def _line(line: Mapping[str, Any], step: Step, players: Sequence[str]) -> str:
    """A line of the score sheet; its text names seats by number and cards by their short names."""
    sides = side_names(step.position, players)

    def named(found: re.Match[str]) -> str:
        seat, team, card = found.groups()
        return players[int(seat)] if seat else f"{found[0][:4]} {sides[int(team)]}" if team else _SPOKEN[card]

    points = line["points"]
    count = f"{'Minus ' * (points < 0)}{abs(points)} point{'s' * (abs(points) != 1)}"
    return f"{count} for {sides[line['side']]}: {_IN_LINES.sub(named, line['text'])}"
