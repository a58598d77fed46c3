"""The headers that requests and answers carry, as OpenAPI describes them."""

from typing import Any, Final

TAGS_MOST: Final = 1000
_TAGS_FORM: Final = r'^(\*|(W/)?"[!#-~]*"(, ?(W/)?"[!#-~]*")*)$'

IF_MATCH: Final[dict[str, Any]] = {
    "in": "header",
    "name": "If-Match",
    "description": "Act only while the game is at this seq: the `ETag` of the game. A list of them, or `*` for any,"
    " is taken too. At another the answer is a `stale` problem, and nothing was done.",
    "schema": {"type": "string", "maxLength": TAGS_MOST, "pattern": _TAGS_FORM},
    "example": '"17"',
}
IF_NONE_MATCH: Final[dict[str, Any]] = {
    "in": "header",
    "name": "If-None-Match",
    "description": "The `ETag` of what the caller has: while it is still the same, the answer is 304 without a body. A"
    " list of them, or `*`, is taken too, and anything else is as nothing.",
    "schema": {"type": "string", "maxLength": TAGS_MOST, "pattern": "^.*$"},
    "example": '"17"',
}
IDEMPOTENCY_KEY: Final[dict[str, Any]] = {
    "in": "header",
    "name": "Idempotency-Key",
    "description": "Any name for this one request, a random UUID say: 1 to 255 visible ASCII characters, in quotes"
    " (RFC 9651) or not. Sent again under it, at least 24 hours long, the request is not carried out again: the answer"
    " is the first one's.",
    "schema": {
        "type": "string",
        "minLength": 1,
        "maxLength": 512,
        "pattern": r'^(?:([!#-~][!-~]{0,254})|"((?:[!#-\[\]-~]|\\["\\]){1,255})")$',
    },
    "example": "8e03978e-40d5-43dd-bc93-6894a57f9324",
}

LAST_EVENT_ID: Final[dict[str, Any]] = {
    "in": "header",
    "name": "Last-Event-ID",
    "description": "Where a stream goes on: the `id` of the last event that the caller has, which is its seq. It goes"
    " before `after`, and says nothing outside streams.",
    "schema": {"type": "string", "pattern": "^[0-9]{1,10}$", "maxLength": 10},
    "example": "17",
}

_TAG_FORM: Final = {"type": "string", "maxLength": 100, "pattern": '^"[!#-~]+"$'}

HEADERS: Final[dict[str, dict[str, Any]]] = {
    "ETag": {
        "description": "A strong tag of this answer: the same for everybody who gets the same. A stream has none.",
        "schema": _TAG_FORM,
        "example": '"17"',
    },
    "Idempotency-Replayed": {
        "description": "There, as `true`, where this is the answer to an earlier request with the same"
        " `Idempotency-Key`, and nothing was done again.",
        "schema": {"type": "string", "enum": ["true"]},
        "example": "true",
    },
    "Link": {
        "description": 'The next page, as `rel="next"`; absent on the last.',
        "schema": {"type": "string", "maxLength": 2000, "pattern": '^<.+>; rel="next"$'},
        "example": '</v1/games?limit=100&cursor=0000001k3m9x7qz2>; rel="next"',
    },
    "Location": {
        "description": "Where the new thing is.",
        "required": True,
        "schema": {"type": "string", "maxLength": 200, "pattern": "^/v1/[!-~]+$"},
        "example": "/v1/games/0000001k3m9x7qz2",
    },
    "WWW-Authenticate": {
        "description": "How to authenticate.",
        "required": True,
        "schema": {"type": "string", "maxLength": 100, "pattern": "^Bearer "},
        "example": 'Bearer realm="Tricklog"',
    },
    "Retry-After": {
        "description": "How many seconds to wait.",
        "required": True,
        "schema": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 1_000_000},
        "example": 2,
    },
    "Access-Control-Allow-Origin": {
        "description": "The origin of the page that asks, where the installation lets its pages ask; absent otherwise.",
        "schema": {"type": "string", "maxLength": 1000, "pattern": r"^(\*|null|[a-z]+://[!-~]+)$"},
        "example": "https://example.org",
    },
    "RateLimit-Policy": {
        "description": "The limit that the request was charged to: `q` requests in `w` seconds, by `credential` or by"
        " `address`. Absent where there is none.",
        "schema": {"type": "string", "maxLength": 100, "pattern": '^"[a-z]+";q=[0-9]+;w=[0-9]+$'},
        "example": '"credential";q=60000;w=60',
    },
    "RateLimit": {
        "description": "What is left of it: `r` requests, and `t` seconds until all of it is there again.",
        "schema": {"type": "string", "maxLength": 100, "pattern": '^"[a-z]+";r=[0-9]+;t=[0-9]+$'},
        "example": '"credential";r=59999;t=1',
    },
}

EVERYWHERE: Final = ("RateLimit-Policy", "RateLimit", "Access-Control-Allow-Origin")
"""What may stand in every answer."""
