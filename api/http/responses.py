"""Answers, as they leave."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final

import orjson
from flask import Response

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
PROBLEM: Final = "application/problem+json"
EVENT_STREAM: Final = "text/event-stream"
TEXT: Final = "text/plain"
OPEN_METRICS: Final = "application/openmetrics-text"
HTML: Final = "text/html"
JAVASCRIPT: Final = "text/javascript"
CSS: Final = "text/css"
SVG: Final = "image/svg+xml"

REVALIDATED: Final = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept"}
"""The headers of what a caller may keep, and must ask for again."""

PUBLIC: Final = {"Cache-Control": "public, max-age=300"}
"""The headers of what is the same for everybody, and may be kept for a while."""

_EVERYWHERE: Final = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}


PIECE: Final = 1024 * 1024
"""How many bytes of an answer are sent as one, in the time that a client has to take so many."""


def respond(
    body: bytes | str | Iterable[bytes] | None, status: int, content_type: str | None, headers: Mapping[str, str]
) -> Response:
    """An answer, which nobody keeps or takes for another media type unless ``headers`` say otherwise."""
    pieces: Any = body
    if isinstance(body, bytes | str) and len(body) > PIECE:
        pieces = [body[start : start + PIECE] for start in range(0, len(body), PIECE)]
    return Response(pieces, status, {**_EVERYWHERE, **headers}, content_type=content_type)


def answer(content: Any, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None) -> Response:
    """``content`` as JSON."""
    return respond(orjson.dumps(content), status, JSON, headers or {})
