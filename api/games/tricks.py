"""Tricks: what the trick-taking games share. Which card beats which is a table that each of them brings."""

from collections.abc import Sequence
from typing import Any, Final

from api.cards import Pack
from api.games import shown
from api.games.rules import State

EVERY_CARD: Final = -1


class TrickState(State):
    """Slots of its own: ``suits`` (for each card, the mask of its suit) and ``beats`` (for each card, the mask of those
    that beat it while it is winning a trick), the game's tables; ``trick`` (the cards laid, from ``leader``), ``led``
    (the mask of the suit led, 0 before the lead), ``best`` (the card winning the trick), ``best_seat`` and ``beating``
    (the mask of the cards that would win it now)."""

    __slots__ = ("beating", "beats", "best", "best_seat", "leader", "led", "suits", "trick")

    beating: int
    beats: Sequence[int]
    best: int
    best_seat: int
    leader: int
    led: int
    suits: Sequence[int]
    trick: list[int]


def clear_trick(state: TrickState) -> None:
    """Takes the trick off the table."""
    state.trick = []
    state.led = 0
    state.beating = EVERY_CARD


def lay(state: TrickState, seat: int, place: int) -> bool:
    """Lays a card from the hand of ``seat``; whether the trick is complete.

    ``to_act`` is then the next seat, or the one that won the trick.
    """
    bit = 1 << place
    state.hands[seat] ^= bit
    trick = state.trick
    if not trick:
        state.leader = seat
        state.led = state.suits[place]
    if bit & state.beating:
        state.best = place
        state.best_seat = seat
        state.beating = state.beats[place]
    trick.append(place)
    if len(trick) < state.seats:
        seat += 1
        state.to_act = (seat,) if seat < state.seats else (0,)
        return False
    state.to_act = (state.best_seat,)
    return True


def shown_trick(state: TrickState) -> list[dict[str, Any]]:
    """The trick on the table, ``seat`` and ``card`` of each play, from its leader."""
    names = state.pack.names
    return [
        {"seat": (state.leader + turn) % state.seats, "card": names[place]} for turn, place in enumerate(state.trick)
    ]


def trick_schema(pack: Pack) -> shown.Schema:
    """The JSON Schema of :func:`shown_trick`."""
    laid = shown.fields(
        "A card in the trick.", seat=shown.seat("Who played it."), card=shown.card(pack, "The card played.")
    )
    return shown.listed("The trick on the table, from its leader; empty between tricks.", laid, shown.SEATS_MOST)
