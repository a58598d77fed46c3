"""Cards and packs: names outside, bit positions inside.

A card's name is its rank then its suit (``Th`` is the ten of hearts); the jokers are ``BJ`` (big) and ``LJ`` (little).
A hand is an int mask over the positions of its pack, so that holding, following and comparing are single operations.
"""

from collections.abc import Iterable, Iterator

RANKS = "23456789TJQKA"
SUITS = "cdhs"
LITTLE_JOKER = "LJ"
BIG_JOKER = "BJ"

SUIT_NAMES = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}


class Pack:
    """The cards that a game is played with, in that game's own order, lowest first.

    A card's position in ``names`` is its bit in a hand's mask, so a game picks the order in which comparing two
    positions means something to it.
    """

    __slots__ = ("bits", "full", "names", "position")

    def __init__(self, names: Iterable[str]) -> None:
        self.names: tuple[str, ...] = tuple(names)
        self.position: dict[str, int] = {name: place for place, name in enumerate(self.names)}
        self.bits: tuple[int, ...] = tuple(1 << place for place in range(len(self.names)))
        self.full: int = (1 << len(self.names)) - 1
        if len(self.position) != len(self.names):
            raise ValueError("a pack names a card twice")

    def mask(self, names: Iterable[str]) -> int:
        """The hand that holds ``names``; KeyError for a card from outside the pack, ValueError for one named twice."""
        hand = 0
        for name in names:
            bit = 1 << self.position[name]
            if hand & bit:
                raise ValueError(f"{name} is named twice")
            hand |= bit
        return hand

    def cards(self, hand: int) -> list[str]:
        """The names of the cards in ``hand``, lowest first."""
        names = self.names
        named = []
        # positions() written out: on hands as small as they are, the generator would take longer than the loop
        while hand:
            lowest = hand & -hand
            named.append(names[lowest.bit_length() - 1])
            hand ^= lowest
        return named


def positions(hand: int) -> Iterator[int]:
    """The bit positions set in ``hand``, lowest first."""
    while hand:
        lowest = hand & -hand
        yield lowest.bit_length() - 1
        hand ^= lowest


def standard_names(ranks: str = RANKS, suits: str = SUITS) -> list[str]:
    """Every card of ``ranks`` and ``suits``, suit by suit, ranks in the order given."""
    return [rank + suit for suit in suits for rank in ranks]
