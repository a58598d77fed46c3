"""The 32 cards, and what each choice of trumps makes of them."""

from collections.abc import Mapping
from typing import Final

from api.cards import SUITS, Pack, standard_names

RANKS: Final = "789TJQKA"
"""The natural order, lowest first. A card's position is eight times its suit plus its place in this order."""

PACK: Final = Pack(standard_names(RANKS))
SUIT_OF: Final = tuple(0xFF << (place & ~7) for place in range(len(PACK.names)))
"""For each card, the mask of its suit."""

# highest first, with their card points
TRUMP_POINTS: Final[Mapping[str, int]] = {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3, "8": 0, "7": 0}
PLAIN_POINTS: Final[Mapping[str, int]] = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0, "8": 0, "7": 0}


class Trump:
    """The pack under one trump suit.

    ``cards`` is the mask of the trumps, ``pair`` that of their king and queen. By card: its ``points``, and in
    ``beats`` the mask of those that beat it once it is winning a trick.
    """

    __slots__ = ("_worth", "beats", "cards", "pair", "points", "suit")

    def __init__(self, suit: str) -> None:
        orders = [TRUMP_POINTS if name[1] == suit else PLAIN_POINTS for name in PACK.names]
        self.suit = suit
        self.cards = PACK.mask(name for name in PACK.names if name[1] == suit)
        self.pair = PACK.mask(name for name in PACK.names if name[1] == suit and name[0] in "KQ")
        self.points = tuple(order[name[0]] for name, order in zip(PACK.names, orders, strict=True))
        self.beats = tuple(
            PACK.mask(rank + name[1] for rank in _above(order, name[0])) | self.cards * (name[1] != suit)
            for name, order in zip(PACK.names, orders, strict=True)
        )
        self._worth = [_worth(TRUMP_POINTS if each == suit else PLAIN_POINTS, each) for each in SUITS]

    def worth(self, cards: int) -> str:
        """Which of ``cards`` have points, and how many, in words."""
        clubs, diamonds, hearts, spades = self._worth
        suits = (clubs[cards & 255], diamonds[cards >> 8 & 255], hearts[cards >> 16 & 255], spades[cards >> 24])
        return ", ".join([text for text in suits if text]) or "no card points"


def _worth(points: Mapping[str, int], suit: str) -> tuple[str, ...]:
    """For each set of ranks, a bit for each in natural order, those of ``suit`` that have points, the dearest first."""
    texts = [(1 << RANKS.index(rank), f"{rank}{suit} {worth}") for rank, worth in points.items() if worth]
    return tuple(", ".join(text for bit, text in texts if ranks & bit) for ranks in range(256))


def _above(order: Mapping[str, int], rank: str) -> str:
    return "".join(order).partition(rank)[0]


NO_TRUMPS: Final = Trump("")
"""As long as none are chosen."""

TRUMPS: Final[Mapping[str, Trump]] = {suit: Trump(suit) for suit in SUITS}
