"""From the declarations to the last trick of a round."""

from collections.abc import Sequence

from api.games.kraken import scoring
from api.games.kraken.combinations import Combination, combinations
from api.games.kraken.pack import PACK
from api.games.kraken.state import BONUS, MARRIAGE_POINTS, PLAY, SEATS, Bonus, Kraken, clear
from api.games.rules import Effect, IllegalMove, award, finish, leaders, round_scored
from api.games.tricks import clear_trick, lay


def declare(state: Kraken, seq: int, seat: int, named: Sequence[Sequence[int]]) -> Sequence[Effect]:
    """``kraken.declare``: once each, from the dealer's left; the fourth settles ``kraken.declare.score``."""
    chosen: tuple[Combination, ...] = ()
    if named:
        masks = {sum([1 << place for place in cards]) for cards in named}
        # the best first: the points are public, so their order must not tell more than they do
        chosen = tuple(sorted([each for each in combinations(state.hands[seat]) if each.cards in masks], reverse=True))
    if len(chosen) < len(named):
        raise IllegalMove(
            "kraken.declare",
            "Only a whole run of three or more cards of a suit, or four aces, kings, queens, jacks or tens may be "
            "declared, and each once.",
        )
    state.declared[seat] = chosen
    state.declare_seqs[seat] = seq
    state.to_act = ((seat + 1) % SEATS,)
    effects = [Effect("combinations-declared", {"seat": seat, "points": [each.points for each in chosen]})]
    if seat == state.dealer:
        state.phase = PLAY
        effects += _show(state)
    return effects


def _show(state: Kraken) -> list[Effect]:
    """The winning team's combinations, now public."""
    best = max([(declared[0], seat) for seat, declared in enumerate(state.declared) if declared], default=None)
    if best is None:
        return []
    state.ahead = best[1]
    team = state.ahead % 2
    shown = [
        {"seat": seat, "points": each.points, "cards": list(each.names)}
        for seat in (team, team + 2)
        for each in state.declared[seat] or ()
    ]
    return [Effect("combinations-shown", {"team": team, "combinations": shown})]


def playable(state: Kraken, seat: int) -> int:
    """The mask of what ``seat`` may play: ``kraken.follow``, ``.overtrump``, ``.amsterdam`` and ``.rotterdam``."""
    hand = state.hands[seat]
    led = state.led
    if not led:
        return hand
    trumps = state.trump.cards
    following = hand & led
    if following:
        if led == trumps:
            return following & state.beating or following
        return following
    held = hand & trumps
    winning = held & state.beating
    if state.config["play"] == "rotterdam":
        return winning or held or hand
    if winning and (seat ^ state.best_seat) & 1:
        return winning
    # without a trump in the trick every trump would win it
    return hand & ~held | winning or hand


def _refusal(state: Kraken, seat: int, place: int) -> IllegalMove:
    if state.hands[seat] & state.led:
        if not 1 << place & state.led:
            return IllegalMove("kraken.follow", "A player who holds the suit led must play it.")
        return IllegalMove(
            "kraken.overtrump", "On a lead of trumps, one higher than those in the trick must be played."
        )
    if state.config["play"] == "rotterdam":
        return IllegalMove(
            "kraken.rotterdam", "Without the suit led a trump must be played, a winning one if possible."
        )
    return IllegalMove(
        "kraken.amsterdam",
        "Without the suit led a player must trump a trick that the opponents are winning, if it can win it so, and may "
        "not play a lower trump than the highest in the trick.",
    )


def may_marry(state: Kraken, seat: int, place: int) -> bool:
    """``kraken.marriage``: whether ``seat`` may declare king and queen of trumps with this card."""
    return seat == state.married and not state.marriage_seq and bool(state.trump.pair >> place & 1)


def play(state: Kraken, seq: int, seat: int, place: int, marriage: bool | None) -> Sequence[Effect]:
    """A card to the trick, and the marriage with it."""
    if not playable(state, seat) >> place & 1:
        raise _refusal(state, seat, place)
    effects: list[Effect] = []
    if marriage:
        if not may_marry(state, seat, place):
            raise IllegalMove(
                "kraken.marriage",
                "Only who was dealt both king and queen of trumps may declare them, once, with either of the two.",
            )
        state.marriage_seq = seq
        effects.append(Effect("marriage-declared", {"seat": seat, "points": MARRIAGE_POINTS}))
    if lay(state, seat, place):
        _take_trick(state, seq, effects)
    return effects


def _take_trick(state: Kraken, seq: int, effects: list[Effect]) -> None:
    """``kraken.trick``, and whether it holds a bonus (``kraken.bonus``)."""
    trump = state.trump
    first, second, third, fourth = state.trick
    cards = 1 << first | 1 << second | 1 << third | 1 << fourth
    worth = trump.points
    points = worth[first] + worth[second] + worth[third] + worth[fourth]
    team = state.best_seat & 1
    state.won[team] |= cards
    state.points[team] += points
    state.trick_seqs[team] += (seq,)
    effects.append(Effect("trick-won", {"seat": state.best_seat, "card": PACK.names[state.best], "points": points}))
    found = combinations(cards)
    paired = cards & trump.pair == trump.pair
    if not found and not paired:
        _go_on(state, effects)
        return
    parts = [(each.points, each.name) for each in found]
    if paired:
        parts.append((MARRIAGE_POINTS, "king and queen of trumps"))
    bonus = sum([part for part, _ in parts])
    state.due = Bonus(team, bonus, " and ".join([f"{name} ({part})" for part, name in parts]), seq)
    state.phase = BONUS
    state.to_act = (team, team + 2)
    effects.append(Effect("bonus-due", {"team": team, "points": bonus}))


def answer_bonus(state: Kraken, seq: int, seat: int, claim: bool) -> Sequence[Effect]:
    """``kraken.bonus``: claimed or let go, for both players of the team."""
    assert state.due is not None
    state.bonuses.append(state.due._replace(seat=seat, claimed=claim, answer=seq))
    state.due = None
    state.phase = PLAY
    state.to_act = (state.best_seat,)
    effects: list[Effect] = []
    _go_on(state, effects)
    return effects


def _go_on(state: Kraken, effects: list[Effect]) -> None:
    """To the next trick, the next round or the end (``kraken.end``)."""
    clear_trick(state)
    if state.hands[state.best_seat]:
        return
    for line in scoring.lines(state):
        award(state, line)
    effects.append(round_scored(state))
    if state.round == state.config["rounds"]:
        effects.append(finish(state, leaders(state.scores)))
        return
    state.round += 1
    state.dealer = state.first
    clear(state)
