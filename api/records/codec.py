"""How an event is stored: compact JSON, its values by place instead of by name.

``{"seat": 2, "type": "play", "card": "Qs"}`` is kept as ``2,"play","Qs"``: a list without its brackets, two bytes that
every event would carry. A chance or table event is kept as its type and values. The order of a type's fields is part of
its ruleset's version and never changes.
"""

from collections.abc import Sequence
from typing import Any

import orjson

from api.games.rules import Event
from api.records.replay import TABLE_EVENTS


def _names(state: Any, kind: str) -> Sequence[str]:
    if kind in TABLE_EVENTS:
        return (TABLE_EVENTS[kind],)
    return [each.name for each in (state.moves.get(kind) or state.chances[kind]).fields]


def encode(state: Any, event: Event) -> str:
    """The stored text of an accepted event of a game with this state's moves and chance events."""
    kind = event["type"]
    values = [event.get(name) for name in _names(state, kind)]
    while values and values[-1] is None:
        values.pop()
    head = [event["seat"], kind] if "seat" in event else [kind]
    return orjson.dumps(head + values)[1:-1].decode()


def decode(state: Any, text: str) -> dict[str, Any]:
    """The event that :func:`encode` made ``text`` of."""
    values = orjson.loads(f"[{text}]")
    event: dict[str, Any] = {}
    if type(values[0]) is int:
        event["seat"] = values[0]
        del values[0]
    event["type"] = values[0]
    named = zip(_names(state, values[0]), values[1:], strict=False)
    event.update({name: value for name, value in named if value is not None})
    return event
