"""Combinations: those that a hand can declare, and those that a trick's own cards hold."""

from typing import Final, NamedTuple

from api.games.kraken.pack import PACK, RANKS

RUN_POINTS: Final = (0, 0, 0, 20, 50, 100, 100, 100, 100)
"""By number of cards."""
FOURS: Final = {"T": ("tens", 100), "J": ("jacks", 200), "Q": ("queens", 100), "K": ("kings", 100), "A": ("aces", 100)}


class Combination(NamedTuple):
    """A run or four of a kind. The order of these fields is that of ``kraken.declare.score``: ``points``, then ``top``
    (the highest rank, 0 for a seven), then ``suit`` (of a run, 0 for clubs; -1 for a four of a kind). ``cards`` is its
    mask, ``names`` are their names, ``name`` is what it is called on the score sheet."""

    points: int
    top: int
    suit: int
    cards: int
    names: tuple[str, ...]
    name: str


def _runs(suit: int, ranks: int) -> tuple[Combination, ...]:
    """The runs of ``suit`` that stand in ``ranks``, a bit for each rank, as long as they can be."""
    found = []
    start = 0
    for end in range(len(RANKS) + 1):
        if ranks >> end & 1:
            continue
        if RUN_POINTS[end - start]:
            cards = (1 << end) - (1 << start) << len(RANKS) * suit
            names = tuple(PACK.cards(cards))
            found.append(
                Combination(RUN_POINTS[end - start], end - 1, suit, cards, names, "the run " + " ".join(names))
            )
        start = end + 1
    return tuple(found)


def _fours(ranks: int) -> tuple[Combination, ...]:
    """The fours of a kind among ``ranks``, a bit for each rank whose four cards are all there."""
    found = []
    for top, rank in enumerate(RANKS):
        if ranks >> top & 1 and rank in FOURS:
            plural, points = FOURS[rank]
            cards = 0x01010101 << top
            found.append(Combination(points, top, -1, cards, tuple(PACK.cards(cards)), "the four " + plural))
    return tuple(found)


_CLUBS, _DIAMONDS, _HEARTS, _SPADES = [tuple(_runs(suit, ranks) for ranks in range(256)) for suit in range(4)]
_KINDS = tuple(_fours(ranks) for ranks in range(256))


def combinations(cards: int) -> tuple[Combination, ...]:
    """Every combination in ``cards``: runs, each whole, from clubs to spades, then fours of a kind from the tens up."""
    return (
        _CLUBS[cards & 255]
        + _DIAMONDS[cards >> 8 & 255]
        + _HEARTS[cards >> 16 & 255]
        + _SPADES[cards >> 24]
        + _KINDS[cards & cards >> 8 & cards >> 16 & cards >> 24]
    )
