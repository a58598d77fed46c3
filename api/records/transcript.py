"""The transcript: a record as a person reads it, line by line, with the score sheet at its end."""

from collections.abc import Mapping, Sequence
from typing import Any

from api.games.rules import Ruleset, Seen, view_line
from api.records.replay import Step
from api.records.words import effect_words, event_words, sayer


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
        say = sayer(step, players, str)
        lines.append(f"{seq:>5}  {at}  {event_words(step, players, view, say)}")
        for effect in step.effects:
            told = [effect_words(step, effect, view, say), *(_score(view_line(line, view)) for line in effect.lines)]
            lines.extend(f"{'':>12}{line}" for line in told if line)
    if state is not None:
        lines += ["", "Score sheet"]
        for each in state.lines:
            lines.append("  " + _score(view_line(each, view)))
        lines.append("  totals: " + ", ".join(f"{side}: {total}" for side, total in enumerate(state.scores)))
        if state.winners:
            lines.append("  won by: " + ", ".join(str(side) for side in state.winners))
    return "\n".join(lines) + "\n"


def _score(line: Mapping[str, Any]) -> str:
    return f"round {line['round']}, side {line['side']}: {line['points']:+}  {line['text']} [{line['rule']}]"


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(_plain(part) for part in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
