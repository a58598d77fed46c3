"""The score sheet of a round."""

from collections.abc import Sequence

from api.games.kraken.pack import PACK
from api.games.kraken.state import HAND, MARRIAGE_POINTS, Kraken
from api.games.rules import ScoreLine


def lines(state: Kraken) -> list[ScoreLine]:
    """The lines of the round just played: each team's points (``kraken.points``), then how they are settled."""
    found: list[ScoreLine] = []
    tricks = [0, 0]
    bonus = [0, 0]
    for team in (0, 1):
        tricks[team] = _score_tricks(state, team, found)
        bonus[team] = _score_combinations(state, team, found) + _score_bonuses(state, team, found)
    return found + _settle(state, tricks, bonus)


def _score_tricks(state: Kraken, team: int, found: list[ScoreLine]) -> int:
    """What the spades factor multiplies, and what it adds; the sum."""
    config = state.config
    rule = "kraken.points"
    seqs = state.trick_seqs[team]
    rests_on = (state.trump_seq, *seqs)
    total = state.points[team]
    text = f"Team {team} took {len(seqs)} trick{'s' * (len(seqs) != 1)}: {state.trump.worth(state.won[team])}."
    found.append(ScoreLine(state.round, team, total, rule, rests_on, text))
    last = config["last_trick"]
    if last and state.best_seat % 2 == team:
        total += last
        text = f"Seat {state.best_seat} won the last trick with {PACK.names[state.best]}."
        found.append(ScoreLine(state.round, team, last, rule, seqs[-1:], text))
    march = config["march"]
    if march and len(seqs) == HAND:
        total += march
        found.append(ScoreLine(state.round, team, march, rule, seqs, f"Team {team} took every trick."))
    added = total * (config["spades_factor"] - 1) if state.trump.suit == "s" else 0
    if added:
        text = f"Spades are trumps: the {total} points of team {team}'s tricks count twice."
        found.append(ScoreLine(state.round, team, added, rule, rests_on, text))
    return total + added


def _score_combinations(state: Kraken, team: int, found: list[ScoreLine]) -> int:
    """``kraken.declare.score``; the sum. What an outranked combination was is known to its declarer only."""
    ahead = state.ahead
    if ahead is None:
        return 0
    rule = "kraken.declare.score"
    total = 0
    for seat in (team, team + 2):
        seq = state.declare_seqs[seat]
        for each in state.declared[seat] or ():
            declared = f"Seat {seat} declared {each.name}"
            if ahead % 2 == team:
                total += each.points
                found.append(ScoreLine(state.round, team, each.points, rule, (seq,), declared + "."))
                continue
            best = state.declared[ahead] or ()
            outranked = f"worth {each.points}, outranked by {best[0].name} of seat {ahead}: nothing."
            found.append(
                ScoreLine(
                    state.round,
                    team,
                    0,
                    rule,
                    (seq, state.declare_seqs[ahead]),
                    f"Seat {seat} declared a combination {outranked}",
                    private_text=f"{declared}, {outranked}",
                    known_to=(seat,),
                )
            )
    return total


def _score_bonuses(state: Kraken, team: int, found: list[ScoreLine]) -> int:
    """``kraken.marriage`` and ``kraken.bonus``, what was let go too; the sum."""
    total = 0
    if state.marriage_seq and state.married % 2 == team:
        total += MARRIAGE_POINTS
        text = (
            f"Seat {state.married} declared king and queen of trumps, {' '.join(PACK.cards(state.trump.pair)[::-1])}."
        )
        found.append(ScoreLine(state.round, team, MARRIAGE_POINTS, "kraken.marriage", (state.marriage_seq,), text))
    for bonus in state.bonuses:
        if bonus.team == team:
            points = bonus.points if bonus.claimed else 0
            total += points
            did = "claimed the bonus of a trick" if bonus.claimed else "let the bonus of a trick go"
            text = f"Seat {bonus.seat} {did}: {bonus.name}."
            found.append(ScoreLine(state.round, team, points, "kraken.bonus", (bonus.trick, bonus.answer), text))
    return total


def _settle(state: Kraken, tricks: Sequence[int], bonus: Sequence[int]) -> list[ScoreLine]:
    """``kraken.score.plain`` and ``kraken.score.challenged``: what is moved or multiplied, where it is not 0."""
    assert state.declarer is not None
    points = (tricks[0] + bonus[0], tricks[1] + bonus[1])
    # the team that must have more points: the declarers, or who doubled last
    tested = (state.declarer + len(state.doublings)) % 2
    taker = tested if points[tested] > points[1 - tested] else 1 - tested
    multiplier = state.multiplier
    once = 0 if state.config["multiply_bonus"] else bonus[0] + bonus[1]
    multiplied = points[0] + points[1] - once
    score = multiplied * multiplier + once
    have = f"has {points[tested]} points against {points[1 - tested]}"
    if multiplier == 1:
        if taker == tested:
            return []
        rule = "kraken.score.plain"
        why = f"Team {tested}, the declarers, {have}"
        sums = ""
    else:
        rule = "kraken.score.challenged"
        why = f"Team {tested} doubled last and {have}"
        sums = f"{multiplied} x {multiplier}{f' + {once} of bonus' if once else ''} = "
    scored = [(0, f"{why}: team {team} scores nothing.") for team in (0, 1)]
    scored[taker] = (score, f"{why}: team {taker} scores the points of both, {sums}{score}.")
    events = (state.trump_seq, *state.doublings)
    return [
        ScoreLine(state.round, team, now - points[team], rule, events, text)
        for team, (now, text) in enumerate(scored)
        if now != points[team]
    ]
