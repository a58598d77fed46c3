"""Events as they come, written as an event stream (text/event-stream) or as lines (NDJSON)."""

import random
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple

from flask import Response, request

from api import service
from api.games.rules import Seen
from api.http.declare import context
from api.http.limits import held
from api.http.problems import invalid
from api.http.responses import EVENT_STREAM, NDJSON, respond

RETRY: Final = (1000, 5000)
"""Milliseconds from which a browser's wait until it connects anew is drawn: not all come back at once."""

_SEQ: Final = re.compile("[0-9]{1,10}")
_ESTABLISHED: Final = 1  # TCP_ESTABLISHED of Linux


class _Form(NamedTuple):
    """What is sent first, for each event, when there is none for long, and last when the game is over."""

    first: bytes
    event: bytes
    heartbeat: bytes
    end: bytes


_FORMS: Final[Mapping[str, _Form]] = {
    EVENT_STREAM: _Form(
        first=b"retry: %(retry)d\n\n",
        event=b"id: %(seq)d\nevent: message\ndata: %(event)b\n\n",
        heartbeat=b": \n\n",
        end=b"event: end\ndata: {}\n\n",
    ),
    NDJSON: _Form(first=b"", event=b"%(event)b\n", heartbeat=b"\n", end=b""),
}

# Nothing on the way keeps it, gathers it or packs it.
_HEADERS: Final = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}


def stream(opened: service.Opened, view: Seen, query: Mapping[str, Any], media_type: str) -> Response:
    """The events as ``view`` sees them, from where the caller has them on, live until the game is over.

    204 without anything when it is over and the caller has them all: that ends an EventSource.
    """
    if "limit" in query:
        raise invalid({"limit": ["A stream has no limit."]})
    newest = opened.position.seq
    after = last_event_id(newest)
    if after is None:
        after = query["after"]
        service.within("after", after, 0, newest)
    if opened.over and after == newest:
        return respond(None, 204, None, {})
    hub = context().hub
    events = hub.follow(opened, view, after)
    connection = request.environ.get("gunicorn.socket")
    if connection is not None:
        _limit_silence(connection, 2 * hub.heartbeat)
    return respond(held(_written(events, _FORMS[media_type], connection)), 200, media_type, _HEADERS)


def last_event_id(newest: int) -> int | None:
    """The seq that ``Last-Event-ID`` names, None without it; an invalid-request problem for what is none."""
    header = request.environ.get("HTTP_LAST_EVENT_ID")
    if header is None:
        return None
    if not _SEQ.fullmatch(header):
        raise invalid({"Last-Event-ID": ["Must be the id of an event, a whole number."]}, 400)
    service.within("Last-Event-ID", int(header), 0, newest)
    return int(header)


def _written(
    events: Iterator[list[tuple[int, bytes]] | None], form: _Form, connection: socket.socket | None
) -> Iterator[bytes]:
    yield form.first % {b"retry": random.randint(*RETRY)}  # noqa: S311
    for some in events:
        if connection is not None and _closed(connection):
            return
        if some is None:
            yield form.end
        else:
            yield b"".join([form.event % {b"seq": seq, b"event": event} for seq, event in some]) or form.heartbeat


def _limit_silence(connection: socket.socket, seconds: float) -> None:
    """Has the system close the connection of a caller that takes nothing for so long, or has vanished."""
    with suppress(AttributeError, OSError):  # another system, or no TCP
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * seconds))


def _closed(connection: socket.socket) -> bool:
    """Whether the caller has gone: a first write would still succeed then."""
    try:
        state = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
        # Takes the error away from whoever uses the connection next.
        return bool(connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)) or state != _ESTABLISHED
    except (AttributeError, OSError):
        # Then the second write fails.
        return False
