"""The transcript: a record as a person reads it, line by line, with the score sheet at its end."""

from collections.abc import Mapping, Sequence
from typing import Any

from api.games.rules import Event, Ruleset, Seen, view_line
from api.records.replay import ABANDON, TABLE_EVENTS, TAKEBACK, Step, view_effects, view_event

_TABLE_WORDS = {
    TAKEBACK: "the owner takes back every event after {to}",
    ABANDON: "the owner abandons the game: {reason}",
}


def transcript(
    *,
    game: str,
    ruleset: Ruleset,
    config: Mapping[str, Any],
    players: Sequence[str],
    steps: Sequence[tuple[str, Step]],
    view: Seen,
) -> str:
    """The whole record in words, as ``view`` may know it; ``steps`` are its events, each with its time."""
    lines = [
        f"{ruleset.title} ({ruleset.id}, version {ruleset.version}), game {game}",
        "Players: " + ", ".join(f"{name} (seat {seat})" for seat, name in enumerate(players)),
        "Options: " + (", ".join(f"{name} {_plain(value)}" for name, value in config.items()) or "none"),
        "",
    ]
    state = None
    for seq, (at, step) in enumerate(steps, 1):
        state = step.position.state
        lines.append(f"{seq:>5}  {at}  {_sentence(step, players, view)}")
        for effect in view_effects(step.effects, view):
            lines.extend(f"{'':>12}{line}" for line in _effect(effect))
    if state is not None:
        lines += ["", "Score sheet"]
        for each in state.lines:
            lines.append("  " + _score(view_line(each, view)))
        lines.append("  totals: " + ", ".join(f"{side}: {total}" for side, total in enumerate(state.scores)))
        if state.winners:
            lines.append("  won by: " + ", ".join(str(side) for side in state.winners))
    return "\n".join(lines) + "\n"


def _sentence(step: Step, players: Sequence[str], view: Seen) -> str:
    event: Event = view_event(step.position, step.event, view)
    kind = event["type"]
    state = step.position.state
    if kind in _TABLE_WORDS:
        words, names = _TABLE_WORDS[kind], [TABLE_EVENTS[kind]]
    else:
        spec = state.moves.get(kind) or state.chances[kind]
        words, names = spec.words, [field.name for field in spec.fields]
    hidden = "…" if event.get("redacted") else ""
    said = words.format_map({name: _plain(event[name]) if name in event else hidden for name in names}).rstrip()
    seat = event.get("seat")
    return f"{said[:1].upper()}{said[1:]}." if seat is None else f"{players[seat]} {said}."


def _effect(effect: Mapping[str, Any]) -> list[str]:
    facts = [f"{name} {_plain(value)}" for name, value in effect.items() if name not in ("type", "lines", "redacted")]
    told = effect["type"].replace("-", " ") + (": " + ", ".join(facts) if facts else "")
    return [told] + [_score(line) for line in effect.get("lines", ())]


def _score(line: Mapping[str, Any]) -> str:
    return f"round {line['round']}, side {line['side']}: {line['points']:+}  {line['text']} [{line['rule']}]"


def _plain(value: Any) -> str:
    if isinstance(value, list):
        if any(isinstance(part, list) for part in value):
            return "; ".join(_plain(part) for part in value)
        return " ".join(_plain(part) for part in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(part)}" for name, part in value.items())
    if value is None:
        return "…"
    return str(value).lower() if isinstance(value, bool) else str(value)
