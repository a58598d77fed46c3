"""The faces of the cards, our own drawing: one SVG sprite for web pages, and its symbols for pictures made here.

Ranks are strokes and suits are outlines, so that a card looks the same wherever it is drawn, whatever fonts there are.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from api.cards import BIG_JOKER, LITTLE_JOKER, RANKS, SUITS, standard_names

WIDTH: Final = 60
HEIGHT: Final = 84

COLOURS: Final = {
    "card": "#fdfdfb",
    "card-edge": "#8d8d86",
    "suit-c": "#15181c",
    "suit-d": "#c4161c",
    "suit-h": "#c4161c",
    "suit-s": "#15181c",
    "joker": "#6a1b9a",
    "back": "#23507f",
    "back-ink": "#c9dcf0",
}
"""What each part is painted with; a page paints it otherwise by a custom property of this name."""

Paint = Callable[[str], str]
"""How a part of the drawing, a key of COLOURS, is coloured, as the value of an attribute."""

# in a box of 14 x 21
_RANKS: Final = {
    "2": "M1.7 6C1.4-.4 12.6-.6 12.4 6C12.3 10.4 5.5 13 1.7 19.4H13",
    "3": "M2 1.7H12L6.3 8.4C10.3 8 12.7 10.4 12.7 13.6C12.7 21 2.6 21.2 1.4 15.4",
    "4": "M9.8 20V1.7L1.3 14.2H13.2",
    "5": "M12 1.7H3.6L2.6 9.4C6 6.7 12.7 7.5 12.7 13.5C12.7 21 2.7 21.3 1.5 15.9",
    "6": "M11 1.5C5 4 1.7 9 1.7 13.7C1.7 21.8 12.6 21.8 12.6 13.7C12.6 6.7 3.3 6.5 2 12.5",
    "7": "M1.5 1.7H12.6C8.5 7 6 13 5.6 20",
    "8": "M7 9.3C1.5 9.3 1.5 1.3 7 1.3C12.5 1.3 12.5 9.3 7 9.3C-.2 9.3-.2 19.8 7 19.8C14.2 19.8 14.2 9.3 7 9.3Z",
    "9": "M3 19.8C9 17.3 12.3 12.3 12.3 7.6C12.3-.5 1.4-.5 1.4 7.6C1.4 14.6 10.7 14.8 12 8.8",
    "T": "M.4 4.5L3 1.6V20M10.2 1.4C15.3 1.4 15.3 19.8 10.2 19.8C5.1 19.8 5.1 1.4 10.2 1.4Z",
    "J": "M5.5 1.7H11V14C11 21.5 1.7 21.5 1.7 14.8",
    "Q": "M7 1.3C14.8 1.3 14.8 19.6 7 19.6C-.8 19.6-.8 1.3 7 1.3ZM7.5 14L13.3 20.3",
    "K": "M2.2 1.3V20M12.6 1.3L2.6 12M6.2 8.6L13 20",
    "A": "M1.2 20L7 1.5L12.8 20M3.3 13.7H10.7",
}
# in a box of 24 x 24
_SUITS: Final = {
    "c": "M12 1.8A4.9 4.9 0 0 1 15.9 9.6A4.9 4.9 0 1 1 13.2 16.8C13.3 19.3 14.2 21.1 16 22.3H8"
    "C9.8 21.1 10.7 19.3 10.8 16.8A4.9 4.9 0 1 1 8.1 9.6A4.9 4.9 0 0 1 12 1.8Z",
    "d": "M12 1.3C14.4 5.5 17 9 20.7 12C17 15 14.4 18.5 12 22.7C9.6 18.5 7 15 3.3 12C7 9 9.6 5.5 12 1.3Z",
    "h": "M12 22.3C5.5 16.5 1.5 12 1.5 7.7C1.5 4.2 4 2 6.9 2C9.1 2 11 3.3 12 5.7C13 3.3 14.9 2 17.1 2"
    "C20 2 22.5 4.2 22.5 7.7C22.5 12 18.5 16.5 12 22.3Z",
    "s": "M12 1.5C15 6.5 21.9 9.6 21.9 15C21.9 19.6 15.6 20.6 13.2 16.9C13.3 19.3 14.2 21.1 16 22.3H8"
    "C9.8 21.1 10.7 19.3 10.8 16.9C8.4 20.6 2.1 19.6 2.1 15C2.1 9.6 9 6.5 12 1.5Z",
}
# in a box of 28 x 24, over the large suit of a court card: a cap with a feather, a tiara, a crown
_COURTS: Final = {
    "J": "M3 21H24V17.5H3ZM4.5 15C4 9 8 5.5 13.5 5.5C19 5.5 22.5 9 22.5 15ZM20 7.5C20 4 23 1.5 27 1.5"
    "C27 6 24.5 9 21.5 9.5Z",
    "Q": "M3 21H25V18H3ZM4 15.5L2.3 7.5A2 2 0 1 1 4.3 7L9.3 11.5L12.7 5.3A2.1 2.1 0 1 1 15.3 5.3"
    "L18.7 11.5L23.7 7A2 2 0 1 1 25.7 7.5L24 15.5Z",
    "K": "M3 21H25V18H3ZM3 15.5L1.5 5L8.5 9.5L12.6 5.5H10.5V3.3H12.8V1H15.2V3.3H17.5V5.5H15.4L19.5 9.5L26.5 5L25 15.5Z",
}
_STAR: Final = "M7 1L8.9 6.3L14.5 6.5L10.1 10L11.6 15.4L7 12.3L2.4 15.4L3.9 10L-.5 6.5L5.1 6.3Z"
# in a box of 32 x 32: a cap and bells, with a face under it
_JESTER: Final = (
    "M8 19C6.5 13.5 5 11.5 1.5 12.5A2.3 2.3 0 1 1-.8 13.5C0 7 8 5 12 10C12.5 5 14 2.5 16 .5"
    "C18 2.5 19.5 5 20 10C24 5 32 7 32.8 13.5A2.3 2.3 0 1 1 30.5 12.5C27 11.5 25.5 13.5 24 19Z"
    "M8.5 21H23.5C23.5 27 20.5 31.5 16 31.5C11.5 31.5 8.5 27 8.5 21Z"
)


def sprite() -> str:
    """Every face, both backs of a page's choice by its colours, and the suits alone, as symbols of one SVG document.

    The symbols are ``c-`` and the card's name, ``back``, and ``suit-`` and the suit's letter. A page paints them by
    custom properties named as in COLOURS.
    """
    names = [*standard_names(), LITTLE_JOKER, BIG_JOKER]
    body = symbols([*(f"c-{name}" for name in names), "back"], lambda part: f"var(--{part},{COLOURS[part]})")
    return f'<svg xmlns="http://www.w3.org/2000/svg">{body}</svg>\n'


def symbols(ids: Iterable[str], paint: Paint) -> str:
    """The symbols with these ids, and those that they are made of, painted."""
    faces = "".join(_face(each, paint) for each in ids)
    edge = f'fill="{paint("card")}" stroke="{paint("card-edge")}"'
    parts = [
        f'<rect id="paper" x=".5" y=".5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="5" {edge}/>',
        *(f'<path id="r-{rank}" d="{_RANKS[rank]}"/>' for rank in RANKS),
        *(f'<path id="k-{rank}" d="{shape}"/>' for rank, shape in _COURTS.items()),
        f'<path id="star" d="{_STAR}"/><path id="jester" d="{_JESTER}"/>',
        *(f'<path id="p-{suit}" d="{_SUITS[suit]}"/>' for suit in SUITS),
    ]
    suits = (
        f'<symbol id="suit-{suit}" viewBox="0 0 24 24"><use href="#p-{suit}" fill="{paint(f"suit-{suit}")}"/></symbol>'
        for suit in SUITS
    )
    return f"<defs>{''.join(parts)}</defs>{''.join(suits)}{faces}"


def _face(name: str, paint: Paint) -> str:
    drawn = _back(paint) if name == "back" else _card(name.removeprefix("c-"), paint)
    return f'<symbol id="{name}" viewBox="0 0 {WIDTH} {HEIGHT}">{drawn}</symbol>'


def _card(name: str, paint: Paint) -> str:
    if name in (LITTLE_JOKER, BIG_JOKER):
        return _joker(name == BIG_JOKER, paint)
    rank, suit = name[0], name[1]
    court = f'<use href="#k-{rank}" transform="translate(27 14)"/>' if rank in _COURTS else ""
    size, x, y = (1.45, 21, 43) if court else (1.55, 20, 41)
    return (
        f'<use href="#paper"/><g fill="{paint(f"suit-{suit}")}">'
        f'<use href="#r-{rank}" fill="none" stroke="{paint(f"suit-{suit}")}" stroke-width="3.4"'
        f' stroke-linejoin="round" transform="translate(4.5 6.5)scale(1.15)"/>'
        f'<use href="#p-{suit}" transform="translate(4 35)scale(.7)"/>{court}'
        f'<use href="#p-{suit}" transform="translate({x} {y})scale({size})"/></g>'
    )


def _joker(big: bool, paint: Paint) -> str:
    """The big one is painted, with two stars; the little one is black, with one."""
    second = '<use href="#star" transform="translate(5 25)"/>' if big else ""
    return (
        f'<use href="#paper"/><g fill="{paint("joker" if big else "suit-s")}"><use href="#star"'
        f' transform="translate(5 6)"/>{second}<use href="#jester" transform="translate(20 38)scale(1.1)"/></g>'
    )


def _back(paint: Paint) -> str:
    lattice = "".join(
        f"M{left} {top}L{right} {bottom}M{WIDTH - left} {top}L{WIDTH - right} {bottom}"
        for left, top, right, bottom in _diagonals(8, 8, 52, 76, 8)
    )
    return (
        f'<use href="#paper"/><rect x="4" y="4" width="52" height="76" rx="3" fill="{paint("back")}"/>'
        f'<path d="{lattice}" stroke="{paint("back-ink")}" stroke-width="1"/>'
        f'<rect x="6" y="6" width="48" height="72" rx="2" fill="none" stroke="{paint("back-ink")}" stroke-width="1.2"/>'
    )


def _diagonals(left: int, top: int, right: int, bottom: int, step: int) -> Iterator[tuple[int, int, int, int]]:
    """Lines down to the right through a rectangle, ``step`` apart, each from edge to edge."""
    for offset in range(left - bottom + step // 2, right - top, step):
        yield (
            max(left, top + offset),
            max(top, left - offset),
            min(right, bottom + offset),
            min(bottom, right - offset),
        )
