"""Disputes: a claimed score held against the one that a record leads to."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from api.games.rules import ScoreLine, Seen, view_line
from api.records.replay import Position

UPHELD: Final = "upheld"
REJECTED: Final = "rejected"
IN_PART: Final = "in-part"
OUTCOMES: Final = (UPHELD, REJECTED, IN_PART)

CLAIM_FIELDS: Final = ("totals", "round", "line", "side", "points")

Line = tuple[int, ScoreLine]
"""A line of the ledger with its place there, from 0."""


class ClaimError(ValueError):
    """A claim that no score of the game could meet; ``field`` says which part of it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(field, message)
        self.field = field
        self.message = message


def find(position: Position, claim: Mapping[str, Any], view: Seen, rule_texts: Mapping[str, str]) -> dict[str, Any]:
    """What the record at ``position`` says to ``claim``, in words that only use what ``view`` may know.

    A claim is ``totals``, one for each side; or ``points`` of a ``round``, one for each side or one number for a
    ``side``; or ``points`` of a ``line``, by its place in the ledger, from 0. ClaimError for sides that aren't there.
    """
    lines = list(enumerate(position.state.lines))
    sides = len(position.state.scores)
    if "line" in claim:
        return _find_line(lines, claim, view, rule_texts)
    if "totals" in claim:
        what, claimed, among = "The totals are", claim["totals"], lines
    else:
        what, claimed = f"Round {claim['round']} gives", claim["points"]
        among = [(place, line) for place, line in lines if line.round == claim["round"]]
    derived = [sum(line.points for _, line in among if line.side == side) for side in range(sides)]
    if type(claimed) is int:
        side = claim.get("side")
        if side is None or side >= sides:
            raise ClaimError("side", "Must be a side of the game.")
        compared = {side: claimed}
        answer: int | list[int] = derived[side]
    else:
        if len(claimed) != sides:
            raise ClaimError("totals" if "totals" in claim else "points", f"Must be {sides}, one for each side.")
        compared = dict(enumerate(claimed))
        answer = derived
    wrong = {side: points - derived[side] for side, points in compared.items() if points != derived[side]}
    outcome = UPHELD if not wrong else REJECTED if len(wrong) == len(compared) else IN_PART
    found: dict[str, Any] = {"outcome": outcome, "derived": answer}
    if not wrong:
        return found | {"detail": f"{what} {answer}, as claimed."}
    parted = _where_they_part(among, wrong)
    told = f"{what} {answer}; the claim differs for {', '.join(f'side {side}' for side in wrong)}."
    if parted is None:
        return found | {"detail": f"{told} No line of the ledger gives these sides any points."}
    return found | {"detail": told} | _cite(parted, view, rule_texts)


def _where_they_part(lines: Sequence[Line], wrong: Mapping[int, int]) -> Line | None:
    """The first line that explains a difference by having been left out, or else the first of a side that differs."""
    of_them = [(place, line) for place, line in lines if line.side in wrong]
    left_out = [(place, line) for place, line in of_them if line.points == -wrong[line.side]]
    return next(iter(left_out or of_them), None)


def _find_line(
    lines: Sequence[Line], claim: Mapping[str, Any], view: Seen, rule_texts: Mapping[str, str]
) -> dict[str, Any]:
    if claim["line"] >= len(lines):
        told = f"The ledger has {len(lines)} lines so far, counted from 0."
        return {"outcome": REJECTED, "derived": None, "detail": told}
    found = lines[claim["line"]]
    points = found[1].points
    right = points == claim["points"]
    told = f"The line gives {points}, as claimed." if right else f"The line gives {points}, not {claim['points']}."
    cited = _cite(found, view, rule_texts)
    return {"outcome": UPHELD if right else REJECTED, "derived": points, "detail": told} | cited


def _cite(cited: Line, view: Seen, rule_texts: Mapping[str, str]) -> dict[str, Any]:
    place, line = cited
    return {
        "line": {"line": place, **view_line(line, view)},
        "rule": {"id": line.rule, "text": rule_texts.get(line.rule, "")},
        "events": list(line.events),
    }
