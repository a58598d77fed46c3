"""Replay: what a record's events lead to, one after the other, takebacks and abandonment included."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from api.games import rules
from api.games.rules import OVER, Effect, Event, IllegalMove, Ruleset, Seen
from api.games.shown import RETRACTED

TAKEBACK: Final = "takeback"
ABANDON: Final = "abandon"
TABLE_EVENTS: Final[Mapping[str, str]] = {TAKEBACK: "to", ABANDON: "reason"}
"""The events of a game's owner, each with its one field."""

REASON_MOST: Final = 500
# Control characters, line separators, and those that turn the direction of the text around them.
ONE_LINE: Final = r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+$"
"""A line of text to be seen."""
_REASON: Final = re.compile(f"{ONE_LINE[1:-2]}{{1,{REASON_MOST}}}")

SEEDING: Final = "seeding"
"""The phase before a game starts that waits for client seeds."""

Status = Literal["running", "finished", "abandoned"]


class Position:
    """Where a record stands: the state after event ``seq``, and how many chance events came so far.

    ``chances`` counts retracted ones too, so that no part of a seed's stream is ever dealt twice.
    """

    __slots__ = ("abandoned", "chances", "ruleset", "seq", "state")

    def __init__(self, ruleset: Ruleset, state: Any, seq: int = 0, chances: int = 0) -> None:
        self.ruleset = ruleset
        self.state = state
        self.seq = seq
        self.chances = chances
        self.abandoned = False

    def copy(self) -> "Position":
        """A position that can go its own way from here."""
        other = Position(self.ruleset, self.state.copy(), self.seq, self.chances)
        other.abandoned = self.abandoned
        return other

    @property
    def status(self) -> Status:
        if self.abandoned:
            return "abandoned"
        return "finished" if self.state.phase == OVER else "running"


class Step(NamedTuple):
    """An event of a record, what followed from it, and the position after it (which the next step changes).

    ``lines`` counts those that the score sheet had before it.
    """

    event: Event
    effects: Sequence[Effect]
    position: Position
    lines: int


def begin(ruleset: Ruleset, config: Mapping[str, Any], seats: int) -> Position:
    """The position before the first event; ``config`` whole."""
    return Position(ruleset, ruleset.start(config, seats))


def await_seeds(position: Position, seats: Sequence[int]) -> None:
    """Has a game that hasn't begun wait for the client seeds of ``seats`` (none: its owner's), before all else."""
    state = position.state
    state.phase = SEEDING
    state.call = None
    state.to_act = tuple(seats)


def play(position: Position, event: Event) -> Sequence[Effect]:
    """Plays the next move or chance event; IllegalMove leaves the position as it was."""
    effects = rules.apply(position.state, event, position.seq + 1)
    if "seat" not in event:
        position.chances += 1
    position.seq += 1
    return effects


def advance(position: Position, event: Event) -> Sequence[Effect]:
    """Plays the next event of a record, the abandonment too; a takeback needs the whole record (:func:`walk`)."""
    return abandon(position, event) if event["type"] == ABANDON else play(position, event)


def abandon(position: Position, event: Event) -> Sequence[Effect]:
    """Ends an unfinished game, its score sheet as far as it had come; IllegalMove (``common.over``, ``.shape``)."""
    state = position.state
    if state.phase == OVER:
        raise IllegalMove("common.over", "The game is over.")
    if event.keys() != {"type", "reason"} or not (type(event["reason"]) is str and _REASON.fullmatch(event["reason"])):
        raise IllegalMove(
            "common.shape", f"An abandonment has exactly the fields type and reason, a line of at most {REASON_MOST}."
        )
    position.abandoned = True
    position.seq += 1
    return [rules.finish(state, ())]


def walk(ruleset: Ruleset, config: Mapping[str, Any], seats: int, events: Sequence[Event]) -> Iterator[Step]:
    """Replays a whole record, event by event; IllegalMove at the first event that the rules refuse.

    A takeback goes on from a copy kept of the position it returns to, so that a record full of them needs no replay
    from the start for each.
    """
    position = begin(ruleset, config, seats)
    kept = {event.get("to") for event in events if event["type"] == TAKEBACK and type(event.get("to")) is int}
    saved = {0: (position.state.copy(), 0)}
    live: list[int] = []
    moves: list[int] = []
    for event in events:
        if event["type"] == TAKEBACK:
            to = _check_takeback(position, event, live, moves)
            retracted = live[bisect_right(live, to) :]
            del live[bisect_right(live, to) :], moves[bisect_right(moves, to) :]
            for seq in retracted:
                saved.pop(seq, None)
            state, count = saved[to]
            lines = position.state.lines[:count]
            position.state = state.copy()
            position.state.lines = lines
            position.seq += 1
            yield Step(event, [Effect(RETRACTED, {"events": retracted})], position, count)
            continue
        count = len(position.state.lines)
        effects = advance(position, event)
        live.append(position.seq)
        if "seat" in event:
            moves.append(position.seq)
        if position.seq in kept:
            # without its score lines, of which those of every later position are a continuation
            state = position.state.copy()
            saved[position.seq] = (state, len(state.lines))
            state.lines = []
        yield Step(event, effects, position, count)


def _check_takeback(position: Position, event: Event, live: Sequence[int], moves: Sequence[int]) -> int:
    """The seq a takeback returns to, or IllegalMove (``common.over``, ``common.takeback``)."""
    if position.state.phase == OVER:
        raise IllegalMove("common.over", "The game is over.")
    to = event.get("to")
    if event.keys() != {"type", "to"} or type(to) is not int:
        raise IllegalMove("common.takeback", "A takeback has exactly the fields type and to, a seq.")
    at = bisect_right(live, to)
    if to and (not at or live[at - 1] != to):
        raise IllegalMove(
            "common.takeback", "A takeback goes to 0 or to an event that is neither retracted nor a takeback."
        )
    if bisect_right(moves, to) == len(moves):
        raise IllegalMove("common.takeback", "A takeback must retract at least one move.")
    return int(to)


def last(ruleset: Ruleset, config: Mapping[str, Any], seats: int, events: Sequence[Event]) -> Position:
    """The position after a whole record; IllegalMove at the first event that the rules refuse."""
    position = begin(ruleset, config, seats)
    apply, state = rules.apply, position.state
    # play() written out: its bookkeeping event by event would be a tenth of a replay
    for seq, event in enumerate(events, 1):
        if event["type"] in TABLE_EVENTS:
            *_, step = walk(ruleset, config, seats, events)
            return step.position
        apply(state, event, seq)
    position.seq = len(events)
    position.chances = sum(["seat" not in event for event in events])
    return position


# --- views ----------------------------------------------------------------------------------------------------------


def view_event(position: Position, event: Event, view: Seen) -> dict[str, Any]:
    """``event`` as ``view`` may see it."""
    if event["type"] in TABLE_EVENTS:
        return dict(event)
    return rules.view_event(position.state, event, view)


def view_effects(effects: Sequence[Effect], view: Seen) -> list[dict[str, Any]]:
    """The effects of an event as ``view`` may see them."""
    return [rules.view_effect(effect, view) for effect in effects]


def view_position(position: Position, view: Seen) -> dict[str, Any]:
    """The state as ``view`` may see it, with ``seq`` and ``status``."""
    return {
        "seq": position.seq,
        "status": position.status,
        **rules.view_state(position.ruleset, position.state, view),
    }


def view_ledger(position: Position, view: Seen) -> dict[str, Any]:
    """The score sheet: ``seq``, ``lines``, ``totals`` and ``winners``."""
    state = position.state
    return {
        "seq": position.seq,
        "lines": [rules.view_line(line, view) for line in state.lines],
        "totals": list(state.scores),
        "winners": list(state.winners),
    }


def legal_moves(position: Position, seat: int) -> list[dict[str, Any]]:
    """What ``seat`` may do now, without ``seat``; empty when it has nothing to do."""
    return [] if position.state.phase in (OVER, SEEDING) else position.ruleset.legal(position.state, seat)
