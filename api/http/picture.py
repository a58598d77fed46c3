"""A picture of a game's table at a moment: an SVG of its own, with the faces of the viewer, drawn from the description
of the game's table.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from markupsafe import escape

from api.http import faces

WIDTH: Final = 1200
HEIGHT: Final = 630

_MIDDLE: Final = (600, 315)
_LONGEST_NAME: Final = 18
_SHAPE: Final = faces.HEIGHT / faces.WIDTH
_NOT_IN_XML: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Scene(NamedTuple):
    """All that a picture shows: the table's description, who plays, and what a view sees.

    ``state`` is the state as the view sees it, ``before`` that before the newest ``event`` with its ``effects``;
    ``sides`` names each side, ``newest`` is the seq of the record's newest event.
    """

    title: str
    described: Mapping[str, Any]
    players: Sequence[str]
    sides: Sequence[str]
    state: Mapping[str, Any]
    before: Mapping[str, Any] | None
    event: Mapping[str, Any] | None
    effects: Sequence[Mapping[str, Any]]
    words: Sequence[str]
    newest: int


class _Card(NamedTuple):
    face: str
    x: float
    y: float
    width: float

    def __str__(self) -> str:
        size = f'width="{self.width:.0f}" height="{self.width * _SHAPE:.0f}"'
        return f'<use href="#{self.face}" x="{self.x:.1f}" y="{self.y:.1f}" {size}/>'


def draw(scene: Scene) -> str:
    """The picture as an SVG document without script, style sheet or anything from elsewhere."""
    places = _places(len(scene.players))
    cards = [card for seat, place in enumerate(places) for card in _hand(scene, seat, *place)]
    cards += _lying(scene, places)
    piles, labels = _piles(scene)
    ids = dict.fromkeys(card.face for card in [*cards, *piles])
    named = f"{scene.title}: {', '.join(scene.players)}"
    told = f"Round {scene.state['round']}, after event {scene.state['seq']} of {scene.newest}. {' '.join(scene.words)}"
    body = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#17452f"/>',
        '<ellipse cx="600" cy="315" rx="560" ry="285" fill="#1f6143" stroke="#123a27" stroke-width="10"/>',
        *map(str, cards),
        *map(str, piles),
        *labels,
        *(_plate(scene, seat, *place) for seat, place in enumerate(places)),
        _text(30, 48, scene.title, 30, weight=700),
        _text(30, 80, f"Round {scene.state['round']} · {scene.state['seq']} of {scene.newest}", 20),
        *_signs(scene),
        *_scores(scene),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" fill="#fff">'
        f'<title id="title">{_safe(named)}</title>'
        f'<desc id="desc">{_safe(told)}</desc>'
        f"{faces.symbols(ids, faces.COLOURS.__getitem__)}{''.join(body)}</svg>\n"
    )


def _safe(text: str) -> str:
    return str(escape(_NOT_IN_XML.sub("", text)))


def _text(x: float, y: float, text: str, size: int, *, anchor: str = "start", weight: int = 400) -> str:
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}">'
        f"{_safe(text)}</text>"
    )


def _places(seats: int) -> list[tuple[float, float]]:
    """The middle of each player's place, clockwise from the bottom."""
    turns = [math.pi / 2 + 2 * math.pi * seat / seats for seat in range(seats)]
    return [(_MIDDLE[0] + 450 * math.cos(turn), _MIDDLE[1] + 215 * math.sin(turn)) for turn in turns]


def _row(names: Sequence[str], x: float, y: float, width: float, most: float) -> Iterator[_Card]:
    """Cards side by side around ``x``, one over the other where there is too little room."""
    step = min(width + 4, (most - width) / max(1, len(names) - 1))
    left = x - (step * (len(names) - 1) + width) / 2
    for place, name in enumerate(names):
        yield _Card(name, left + step * place, y, width)


def _hand(scene: Scene, seat: int, x: float, y: float) -> Iterator[_Card]:
    hand = scene.state["hands"][seat]
    names = ["back"] * hand["count"]
    if "cards" in hand:
        names = [f"c-{name}" for name in sorted(hand["cards"], key=lambda name: _order(scene, name))]
    wide = abs(x - _MIDDLE[0]) < 1
    return _row(names, x, y - 62, 60, 460 if wide else 225)


def _order(scene: Scene, name: str) -> tuple[int, ...]:
    """Where a card stands in an open hand: jokers first, then trumps."""
    if name[1] == "J":
        return (0, -ord(name[0]))
    order = scene.described["hand"]
    trumps = {scene.state["table"].get(sign["field"]) for sign in scene.described["signs"] if sign["as"] == "suit"}
    suit, rank = order["suits"].index(name[1]), order["ranks"].index(name[0])
    if order["by"] == "rank":
        return (1, rank, suit)
    return (1, name[1] not in trumps, suit, rank)


def _plays(value: Iterable[Mapping[str, Any]]) -> list[tuple[int, list[str]]]:
    return [(each["seat"], each.get("cards") or [each["card"]]) for each in value]


def _lying(scene: Scene, places: Sequence[tuple[float, float]]) -> Iterator[_Card]:
    """What lies: the trick or the combinations; what was just taken, with the card that ended it."""
    lies = scene.described["lies"]
    layout = lies["layout"]
    plays = _plays(scene.state["table"][lies["field"]])
    taken = any(effect["type"] in lies["taken"] for effect in scene.effects)
    if not plays and taken and scene.before is not None:
        own = [scene.event] if scene.event and scene.event["type"] == lies["event"] else []
        plays = _plays([*scene.before["table"][lies["field"]], *own])
    for each in scene.described["shows"]:
        if scene.event and each.get("event") == scene.event["type"]:
            layout, plays = "crossed", [(seat, [name]) for seat, name in enumerate(scene.event[each["field"]])]
    x, y = _MIDDLE
    if layout == "crossed":
        for seat, names in plays:
            there = places[seat]
            yield from _row(
                [f"c-{name}" for name in names], x + 0.26 * (there[0] - x), y + 0.34 * (there[1] - y) - 45, 64, 200
            )
    elif layout == "row":
        yield from _row([f"c-{name}" for _, names in plays for name in names], x, y - 49, 70, 420)
    else:
        for depth, (_, names) in reversed(list(enumerate(reversed(plays[-3:])))):
            yield from _row([f"c-{name}" for name in names], x - 26 * depth, y - 49 - 30 * depth, 70, 420)


def _piles(scene: Scene) -> tuple[list[_Card], list[str]]:
    """The piles at the bottom left, and their labels with how many cards there are."""
    cards: list[_Card] = []
    labels = []
    x = 30.0
    for pile in scene.described["piles"]:
        value = scene.state["table"].get(pile["field"])
        if not value:
            continue
        listed = value if isinstance(value, list) else [value] if isinstance(value, str) else value.get("cards", [])
        count = value["count"] if isinstance(value, dict) else len(listed)
        if not count:
            continue
        names = ["back"] if pile.get("down") else [f"c-{name}" for name in listed[-3:]]
        width = 48 + 20 * (len(names) - 1)
        cards += _row(names, x + width / 2, 530, 48, width)
        labels.append(_text(x, 618, pile["label"] + (f" {count}" if count > 1 else ""), 16))
        x += max(width, 9 * len(pile["label"]) + 24) + 16
    return cards, labels


def _signs(scene: Scene) -> Iterator[str]:
    """What concerns the whole table, at the top right."""
    y = 48
    for sign in scene.described["signs"]:
        value = scene.state["table"].get(sign["field"])
        told = sign["label"]
        if not value or (sign["as"] == "times" and value == 1):
            continue
        if sign["as"] == "suit":
            yield f'<rect x="1136" y="{y - 27}" width="36" height="36" rx="6" fill="{faces.COLOURS["card"]}"/>'
            yield f'<use href="#suit-{value}" x="1140" y="{y - 23}" width="28" height="28"/>'
            yield _text(1126, y, told, 22, anchor="end")
        else:
            if sign["as"] == "times":
                told += f" x{value}"
            elif sign["as"] == "points":
                told += f" {value['points']}, {scene.sides[value['team']]}"
            elif sign["as"] == "kind":
                told += f": {value['type']}"
            yield _text(1170, y, told, 22, anchor="end")
        y += 40


def _scores(scene: Scene) -> Iterator[str]:
    """The points of each side, at the bottom right."""
    count = len(scene.sides)
    for side, points in enumerate(scene.state["scores"]):
        won = side in scene.state["winners"]
        told = f"{'★ ' * won}{_short(scene.sides[side], 24)}  {points}"
        yield _text(1170, HEIGHT - 20 - 24 * (count - 1 - side), told, 19, anchor="end", weight=700 if won else 400)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _plate(scene: Scene, seat: int, x: float, y: float) -> str:
    """A player's name, and what is to be said of it."""
    told = " · ".join(_badges(scene, seat))
    width = max(150, 12 * min(len(scene.players[seat]), _LONGEST_NAME) + 30, 8.2 * len(told) + 24)
    x = min(max(x, width / 2 + 8), WIDTH - 8 - width / 2)
    to_act = seat in scene.state["to_act"]
    edge = ' stroke="#ffd54a" stroke-width="4"' if to_act else ""
    return (
        f'<rect x="{x - width / 2:.0f}" y="{y + 12:.0f}" width="{width:.0f}" height="{58 if told else 36}" rx="9"'
        f' fill="#0d1f17"{edge}/>'
        + _text(x, y + 37, _short(scene.players[seat], _LONGEST_NAME), 20, anchor="middle", weight=700)
        + (_text(x, y + 60, told, 16, anchor="middle") if told else "")
    )


def _badges(scene: Scene, seat: int) -> Iterator[str]:
    if scene.state["dealer"] == seat:
        yield "Dealer"
    table = scene.state["table"]
    for badge in scene.described["badges"]:
        value, label = table.get(badge["field"]), badge["label"]
        if value is None:
            continue
        shown = badge["as"]
        if shown in ("is", "in"):
            if seat == value or (shown == "in" and seat in value):
                yield label
            continue
        if shown == "place":
            if seat in value:
                yield f"{label} {value.index(seat) + 1}"
            continue
        own = value[seat % len(value) if badge.get("by") else seat]
        if own is None or own == []:
            continue
        if shown == "of":
            yield f"{label} {table[badge['with']][seat]}/{own}"
        elif shown == "cards":
            yield f"{label} {len(own)}"
        elif shown == "word":
            yield badge["words"][own]
        elif shown == "combinations":
            yield f"{label} {', '.join(str(each['points']) for each in own)}"
        else:
            yield f"{label} {own}"
