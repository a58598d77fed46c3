"""Every error that a caller can meet: RFC 9457 problems, each of a type with a page of its own."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from api import service, store
from api.games import shown
from api.games.rules import ConfigError
from api.http.responses import PROBLEM, respond
from api.http.shapes import ANY_TEXT, LARGEST, string
from api.records.audit import IllegalRecord
from api.records.portable import RecordError

RETRY_AFTER: Final = 2  # seconds

Errors = Mapping[str, Sequence[str]]

_log = logging.getLogger(__name__)

_ERRORS: Final = {
    "type": "object",
    "description": "Messages by field: a path into the body such as `moves.0`, a query parameter, a header, or `body`.",
    "additionalProperties": {
        "type": "array",
        "items": {"type": "string", "maxLength": 1000, "pattern": ANY_TEXT, "description": "What is wrong there."},
        "description": "What is wrong with one field.",
        "minItems": 1,
        "maxItems": 20,
    },
    "minProperties": 1,
    "maxProperties": 1000,
    "examples": [{"config.target": ["Must be a whole number from 1 to 10000."]}],
}


@dataclass(frozen=True, slots=True)
class ProblemType:
    """A type of problem: its ``slug`` under /problems/, the statuses and headers it comes with, its page in Markdown,
    an example of its ``detail``, and the JSON Schemas, with examples, of what it adds to the usual fields."""

    slug: str
    statuses: tuple[int, ...]
    title: str
    page: str
    detail: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    headers: tuple[str, ...] = ()

    @property
    def uri(self) -> str:
        return f"/problems/{self.slug}"


INVALID_REQUEST: Final = ProblemType(
    "invalid-request",
    (400, 408, 422),
    "The request is not valid",
    "Something in the request is not as the documentation says. `errors` names each field with what is wrong about"
    " it: a path into the body such as `players`, `config.target` or `moves.0`, a parameter of the query, or a"
    " header. The status is 400 when the body can't be read at all (it is no JSON in UTF-8, names a key twice, holds"
    " a number or a nesting beyond any use), 408 when it comes too slowly, and 422 when it was"
    " read and a value is refused. Mend it; the same request will be refused again.",
    "The request is not valid; `errors` says where.",
    {"errors": _ERRORS},
)
UNAUTHORIZED: Final = ProblemType(
    "unauthorized",
    (401,),
    "Credentials are needed",
    "The call needs an API key or a seat token, and there was none, or one that is unknown, mistyped or revoked."
    " Send it as `Authorization: Bearer …`. Nothing else of the request was looked at.",
    "Send an API key or a seat token that this service gave out, as `Authorization: Bearer …`.",
    headers=("WWW-Authenticate",),
)
FORBIDDEN: Final = ProblemType(
    "forbidden",
    (403,),
    "Not allowed",
    "The credential is a good one, and the game is one that it may see, but not for this: a seat asks for what is its"
    " owner's, or for another seat's. `detail` says what is missing.",
    "Only the owner of the game may do this.",
)
NOT_FOUND: Final = ProblemType(
    "not-found",
    (404,),
    "Not found",
    "There is nothing at this address, or nothing that the caller may know of: a private game looks like none at all to"
    " whoever is not its owner and holds no seat in it.",
    "There is no such game.",
)
METHOD_NOT_ALLOWED: Final = ProblemType(
    "method-not-allowed",
    (405,),
    "Method not allowed",
    "There is something at this address, but it takes other methods. The `Allow` header names them.",
    "This address does not take that method.",
    headers=("Allow",),
)
NOT_ACCEPTABLE: Final = ProblemType(
    "not-acceptable",
    (406,),
    "No acceptable representation",
    "The `Accept` header asks for media types that this address does not answer with. The documentation lists those of"
    " each call.",
    "This address answers with application/json.",
)
LENGTH_REQUIRED: Final = ProblemType(
    "length-required",
    (411,),
    "Length required",
    "The request has no `Content-Length`. Bodies are taken with their length announced only, not in chunks.",
    "Send the body with its Content-Length, not in chunks.",
)
IN_PROGRESS: Final = ProblemType(
    "in-progress",
    (409,),
    "The first request is not done yet",
    "A request with this `Idempotency-Key` is being carried out at this moment, or was when its worker ended. Send the"
    " same again after `Retry-After` seconds, until its answer is there: see [retries](/docs/retries). After a minute"
    " without one it is carried out anew.",
    "The first request with this key is not done yet.",
    headers=("Retry-After",),
)
STALE: Final = ProblemType(
    "stale",
    (412,),
    "The game has gone on",
    "`If-Match` named another state of the game than the present one, so nothing was done. `seq` is the present one:"
    " fetch what came since, decide again, and send the request with the new tag.",
    "The game is at 17 now.",
    {"seq": shown.number("The number of the newest event.", 0, shown.SEQ_MOST) | {"examples": [17]}},
)
TOO_LARGE: Final = ProblemType(
    "too-large",
    (413,),
    "Too large",
    "The body is longer than this installation accepts. `detail` says how long it may be.",
    "The body may be 1048576 bytes long at most.",
)
UNSUPPORTED_MEDIA_TYPE: Final = ProblemType(
    "unsupported-media-type",
    (415,),
    "Unsupported media type",
    "Bodies are JSON in UTF-8, sent with `Content-Type: application/json` and without a content coding.",
    "Send JSON in UTF-8 as application/json.",
)
IDEMPOTENCY_MISMATCH: Final = ProblemType(
    "idempotency-mismatch",
    (422,),
    "Another request had this key",
    "The caller has sent this `Idempotency-Key` with another request, of which the address, the body, `If-Match` or"
    " `Accept` was not the same, and nothing was done. A key stands for [one request](/docs/retries): send this"
    " one with a new key.",
    "Another request had this key.",
)
ILLEGAL_MOVE: Final = ProblemType(
    "illegal-move",
    (422,),
    "The rules refuse the move",
    "A move breaks a rule of its game, and nothing of the request was played. `rule` is the rule's id, with its text in"
    " the documentation of its game or of [what every game shares](/docs/common), where the `Link` header of the answer"
    " leads; `index` says which of the moves sent it was, counted from 0 (of a record: which event), and `seat` whose.",
    "Spades may not be led before one has been played in this hand, unless the leader holds nothing else.",
    {
        "rule": string("^[a-z][a-z0-9.-]*$", 1, 64, "The id of the rule that the move breaks.")
        | {"examples": ["quadruple-war.break"]},
        "index": shown.number("Which of those sent, from 0.", 0, shown.SEQ_MOST) | {"examples": [0]},
        "seat": shown.or_null(
            "The seat that moved; null for a chance or table event, or where none can be read.",
            {
                "type": "integer",
                "format": "int64",
                "minimum": -LARGEST,
                "maximum": LARGEST,
                "description": "As it was sent: it may be none of the game's.",
            },
        )
        | {"examples": [2]},
    },
)
RATE_LIMITED: Final = ProblemType(
    "rate-limited",
    (429,),
    "Too many requests",
    "More came than the rate limit lets through, by one credential, or by one address without a credential that is"
    " known to be good; or it has more streams open than one may. Nothing of the request was carried out."
    " `Retry-After` says how many seconds to wait;"
    " `RateLimit-Policy` and `RateLimit` on every answer say how much is left, so that it need not come to this.",
    "Too many requests by this credential: wait 2 s before the next.",
    headers=("Retry-After",),
)
INTERNAL_ERROR: Final = ProblemType(
    "internal-error",
    (500,),
    "Internal error",
    "A fault of the service. It was noted for those who run it. Whether the request was carried out is not certain:"
    " send it again with the [`Idempotency-Key`](/docs/retries) that it had, and it is carried out once in all, or look"
    " at the game first.",
    "The service made a mistake, and has noted it.",
)
UNAVAILABLE: Final = ProblemType(
    "unavailable",
    (503,),
    "Unavailable for the moment",
    "The database is away. `Retry-After` says how many seconds to wait. Whether a move was still stored is not"
    " certain: send it again with the [`Idempotency-Key`](/docs/retries) that it had, and it is carried out once in"
    " all, or look at the game first.",
    "The database is away. Try again in a moment.",
    headers=("Retry-After",),
)

PROBLEM_TYPES: Final = {
    each.slug: each
    for each in (
        INVALID_REQUEST,
        UNAUTHORIZED,
        FORBIDDEN,
        NOT_FOUND,
        METHOD_NOT_ALLOWED,
        NOT_ACCEPTABLE,
        IN_PROGRESS,
        LENGTH_REQUIRED,
        STALE,
        TOO_LARGE,
        UNSUPPORTED_MEDIA_TYPE,
        IDEMPOTENCY_MISMATCH,
        ILLEGAL_MOVE,
        RATE_LIMITED,
        INTERNAL_ERROR,
        UNAVAILABLE,
    )
}


class Problem(Exception):
    """A request ends with this answer; ``fields`` are those of its type."""

    def __init__(
        self,
        kind: ProblemType,
        detail: str,
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(kind.slug, detail)
        self.kind = kind
        self.detail = detail
        self.status = status or kind.statuses[0]
        self.headers = headers or {}
        self.fields = fields

    def response(self) -> Response:
        """The answer."""
        body = {
            "type": self.kind.uri,
            "title": self.kind.title,
            "status": self.status,
            "detail": self.detail,
            **self.fields,
        }
        return respond(orjson.dumps(body), self.status, PROBLEM, self.headers)


def invalid(errors: Errors, status: int = 422) -> Problem:
    """The request is refused for what ``errors`` say, by field."""
    return Problem(INVALID_REQUEST, "The request is not valid; `errors` says where.", status=status, errors=errors)


def illegal(rule: str, detail: str, index: int, seat: int | None) -> Problem:
    """The rules refuse an event, for the ``detail``; ``rule`` links to its text."""
    help_ = {"Link": f'</docs/{rule.partition(".")[0]}#{rule}>; rel="help"'}
    return Problem(ILLEGAL_MOVE, detail, headers=help_, rule=rule, index=index, seat=seat)


def unauthorized() -> Problem:
    """No credential where one is needed, or one that isn't known."""
    return Problem(
        UNAUTHORIZED,
        "Send an API key or a seat token that this service gave out, as `Authorization: Bearer …`.",
        headers={"WWW-Authenticate": 'Bearer realm="Tricklog"'},
    )


# What the use cases raise, and the problem that it is to the caller.
_RAISED: Final[dict[type[Exception], Callable[[Any], Problem]]] = {
    Problem: lambda error: error,
    service.UnauthorizedError: lambda _: unauthorized(),
    service.ForbiddenError: lambda error: Problem(FORBIDDEN, str(error)),
    service.NotFoundError: lambda error: Problem(NOT_FOUND, str(error) or "There is no such game."),
    service.StaleError: lambda error: Problem(STALE, f"The game is at {error.seq} now.", seq=error.seq),
    service.OutOfRangeError: lambda error: invalid({error.name: [error.message]}),
    service.RefusedError: lambda error: illegal(error.rule, error.detail, error.index, error.seat),
    ConfigError: lambda error: invalid({f"config.{name}": messages for name, messages in error.errors.items()}),
    RecordError: lambda error: invalid(error.errors),
    IllegalRecord: lambda error: illegal(error.refusal.rule, error.refusal.detail, error.index, error.seat),
    store.Unavailable: lambda _: Problem(
        UNAVAILABLE, "The database is away. Try again in a moment.", headers={"Retry-After": str(RETRY_AFTER)}
    ),
}

# What Flask and Werkzeug raise by themselves.
_BY_STATUS: Final = {
    404: (NOT_FOUND, "There is nothing at this address."),
    405: (METHOD_NOT_ALLOWED, "This address does not take that method."),
}


def problem_of(error: Exception) -> Problem | None:
    """The problem that an exception is to the caller; None for what nobody foresaw."""
    told = _RAISED.get(type(error))
    return None if told is None else told(error)


_MISTAKE: Final = "The service made a mistake, and has noted it."


def register_problems(app: Flask) -> None:
    """Makes every exception of ``app`` a problem, the unforeseen ones too, which are logged and told to nobody."""
    for kind, problem in _RAISED.items():
        app.register_error_handler(kind, lambda error, problem=problem: problem(error).response())
    app.register_error_handler(HTTPException, _from_werkzeug)
    app.register_error_handler(Exception, _unforeseen)


def unparsed(status: int, headers: Mapping[str, str]) -> bytes:
    """The whole HTTP answer, an error of this status in the server's eyes, to a request that never reached the
    application.
    """
    problem = invalid({"request": ["Must be HTTP as this service takes it."]}, 400)
    if status >= 500:
        problem = Problem(INTERNAL_ERROR, _MISTAKE)
    response = problem.response()
    response.headers.extend({"Connection": "close", **headers})
    return f"HTTP/1.1 {response.status}\r\n{response.headers}".encode("latin-1") + response.get_data()


def _from_werkzeug(error: HTTPException) -> Any:
    status = error.code or 500
    if status < 400:
        return error
    if status >= 500:
        return _unforeseen(error)
    if status not in _BY_STATUS:
        return invalid({"request": [error.name + "."]}, 400).response()
    kind, detail = _BY_STATUS[status]
    response = Problem(kind, detail).response()
    allowed = getattr(error, "valid_methods", None)
    if allowed:
        response.headers["Allow"] = ", ".join(sorted(allowed))
    return response


def _unforeseen(error: Exception) -> Response:
    _log.exception("%s of %s failed", request.method, request.endpoint, exc_info=error)
    return Problem(INTERNAL_ERROR, _MISTAKE).response()
