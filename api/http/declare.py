"""How an endpoint is declared: a stack of decorators that say who may call it, what it takes and what it answers.

They are flask-smorest's, in so far as they document. At run time its wrappers convert what views return, which these
views have done themselves, and cost a tenth of a millisecond: only the documentation is kept of them.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import islice
from typing import Any, Final

import flask_smorest
from flask import Response, current_app, request
from marshmallow import Schema, ValidationError

from api import live, service, store
from api.http.access import note
from api.http.conditions import expected_tags
from api.http.docs import Published
from api.http.headers import IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH
from api.http.idempotency import once
from api.http.limits import bearer, vouch
from api.http.negotiation import acceptable, read_body, read_object
from api.http.problems import (
    FORBIDDEN,
    IDEMPOTENCY_MISMATCH,
    IN_PROGRESS,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    LENGTH_REQUIRED,
    NOT_ACCEPTABLE,
    NOT_FOUND,
    PROBLEM_TYPES,
    RATE_LIMITED,
    STALE,
    TOO_LARGE,
    UNAUTHORIZED,
    UNAVAILABLE,
    UNSUPPORTED_MEDIA_TYPE,
    ProblemType,
    invalid,
    unauthorized,
)
from api.http.responses import JSON, PROBLEM
from api.http.schemas import WEBHOOK_ID
from api.http.settings import Settings

View = Callable[..., Response]
Declaration = Callable[[View], View]

API_KEY: Final = "apiKey"
SEAT_TOKEN: Final = "seatToken"  # noqa: S105

PATH_PARAMETERS: Final[Mapping[str, Mapping[str, Any]]] = {
    "game": {
        "description": "The id of the game.",
        "schema": {"type": "string", "maxLength": 64, "pattern": "^[0-9a-z]+$"},
        "example": "0000001k3m9x7qz2",
    },
    "dispute": {
        "description": "The id of the dispute.",
        "schema": {"type": "string", "maxLength": 10, "pattern": "^[1-9][0-9]*$"},
        "example": "1",
    },
    **{
        name: {
            "description": f"The id of the {what}.",
            "schema": {"type": "string", "format": "uuid", "maxLength": 36},
            "example": WEBHOOK_ID,
        }
        # a linter takes what is called a secret for one, and this is none
        for name, what in (("webhook", "webhook"), ("signing", "secret"), ("delivery", "delivery"))
    },
    "ruleset": {
        "description": "The id of the ruleset.",
        "schema": {"type": "string", "maxLength": 64, "pattern": "^[a-z][a-z0-9-]*$"},
        "example": "quadruple-war",
    },
    "page": {
        "description": "Which page: a guide, a game, `common`, `reference`, `shapes`, `problems`, `dealing` or"
        " `records`.",
        "schema": {"type": "string", "maxLength": 64, "pattern": "^[a-z][a-z0-9-]*$"},
        "example": "quick-start",
    },
    "problem": {
        "description": "The last part of a problem's `type`.",
        "schema": {"type": "string", "maxLength": 64, "pattern": "^[a-z][a-z0-9-]*$"},
        "example": "illegal-move",
    },
    "version": {
        "description": "The version of the viewer, as its page names it.",
        "schema": {"type": "string", "maxLength": 16, "pattern": "^[0-9a-f]+$"},
        "example": "0123456789abcdef",
    },
    "name": {
        "description": "The name of a part of the viewer, as its page and its scripts name it.",
        "schema": {"type": "string", "maxLength": 64, "pattern": "^[a-z.-]+$"},
        "example": "cards.svg",
    },
}
_ERRORS_MOST: Final = 20
_IN_PATH: Final = re.compile(r"<(\w+)>")


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]  # it has no types
    """A concern of the API.

    Outermost stands ``route``, then who may call (``opens_game`` or ``takes_key``), then ``query`` and ``body``, which
    are read in this order, then what is answered (``response``, ``fails``).
    """

    def __init__(self, name: str, description: str) -> None:
        super().__init__(name, __name__, description=description)
        self._prepare_doc_cbks.append(_document_problems)
        self.costs: dict[str, int] = {}

    def route(
        self, rule: str, *, methods: Iterable[str] = ("GET",), any_query: bool = False, cost: int = 1, **_: Any
    ) -> Declaration:
        """The address, and what holds for each: ``Accept`` names a declared answer, a query only what is declared.

        ``any_query`` is for pages that people share: other sites add to the links. A request counts as ``cost`` towards
        the rate limit.
        """
        parameters = [
            {"in": "path", "name": name, "required": True, **PATH_PARAMETERS[name]} for name in _IN_PATH.findall(rule)
        ]

        def register(view: View) -> View:
            document = _document(view)
            offered = tuple(document.pop("offers"))
            takes_query = document.pop("takes_query", any_query)
            _describe(view, operationId=_camel(view.__name__))
            # what anybody may call looks at no credential, but at its scheme, as all else does
            public = "security" not in document.get("manual_doc", {})
            if public:
                _may_end_in(view, UNAUTHORIZED)
            document["cost"] = cost
            _may_end_in(view, RATE_LIMITED)
            if cost != 1:
                self.costs[f"{self.name}.{view.__name__}"] = cost

            @wraps(view)
            def entry(**named: Any) -> Response:
                environ = request.environ
                if not environ.get("HTTP_HOST") and environ["SERVER_PROTOCOL"] != "HTTP/1.0":
                    raise invalid({"Host": ["Must be there."]}, 400)
                acceptable(offered)
                if not takes_query and environ["QUERY_STRING"]:
                    raise invalid(
                        {name: ["Unknown parameter."] for name in request.args} or {"query": ["Must be empty."]}
                    )
                if public:
                    credential()
                return view(**named)

            self.add_url_rule(rule, view.__name__, entry, methods=list(methods), parameters=parameters)
            return entry

        return register

    def opens_game(self, judge: Callable[[service.Opened], None] | None = None) -> Declaration:
        """Hands the view the game of the path, for who shows the credential; ``judge`` says what this caller may
        not.
        """

        def declare(view: View) -> View:
            anybody: list[dict[str, Any]] = [{}] if judge is None else []
            _describe(view, security=[{API_KEY: []}, {SEAT_TOKEN: []}, *anybody])
            _may_end_in(view, UNAUTHORIZED, NOT_FOUND, FORBIDDEN, UNAVAILABLE)

            @wraps(view)
            def opened(game: str, **named: Any) -> Response:
                found = service.open_game(desk(), game, credential())
                vouch()
                _note(found.game, found.role, found.seat)
                if judge is not None:
                    judge(found)
                return view(found, **named)

            return opened

        return declare

    def opens_stored(self) -> Declaration:
        """Hands the view the game of the path as the store has it, for who shows the credential and may audit it."""

        def declare(view: View) -> View:
            _describe(view, security=[{API_KEY: []}, {SEAT_TOKEN: []}, {}])
            _may_end_in(view, UNAUTHORIZED, NOT_FOUND, FORBIDDEN, UNAVAILABLE)

            @wraps(view)
            def opened(game: str, **named: Any) -> Response:
                found = service.open_stored(desk(), game, credential())
                vouch()
                _note(found.game, found.role)
                return view(found, **named)

            return opened

        return declare

    def takes_key(self) -> Declaration:
        """Hands the view the number of the caller's API key."""

        def declare(view: View) -> View:
            _describe(view, security=[{API_KEY: []}])
            _may_end_in(view, UNAUTHORIZED, FORBIDDEN, UNAVAILABLE)

            @wraps(view)
            def authenticated(**named: Any) -> Response:
                number = service.authenticate(desk(), credential())
                vouch()
                note(key=number)
                return view(number, **named)

            return authenticated

        return declare

    def query(self, schema: type[Schema]) -> Declaration:
        """Hands the view the query's parameters as ``schema`` loads them."""
        loaded = schema()

        def declare(view: View) -> View:
            _keep_document(view, self.arguments(loaded, location="query"))
            _document(view)["takes_query"] = True

            @wraps(view)
            def queried(*given: Any, **named: Any) -> Response:
                return view(*given, _load_query(loaded), **named)

            return queried

        return declare

    def body(
        self,
        schema: type[Schema],
        *,
        most: Callable[[Settings], int],
        examples: Mapping[str, Any],
        idempotency: bool = True,
    ) -> Declaration:
        """Hands the view the JSON object of the body, of at most so many bytes, as ``schema`` loads it.

        With an ``Idempotency-Key`` the view is called once for all requests that are the same; what it does is
        ``answered``. Not so without ``idempotency``, for a call that changes nothing and that anybody may make: kept
        answers would be anybody's to pile up.
        """
        loaded = schema()

        def declare(view: View) -> View:
            _keep_document(view, self.arguments(loaded, examples=dict(examples)))
            _may_end_in(view, LENGTH_REQUIRED, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE)
            if idempotency:
                _may_end_in(view, IN_PROGRESS, IDEMPOTENCY_MISMATCH)
                self.takes_header(IDEMPOTENCY_KEY)(view)

            @wraps(view)
            def fed(*given: Any, **named: Any) -> Response:
                environ, settings = request.environ, context().settings
                text = read_body(environ, most(settings), settings.body_seconds)
                body = _load(loaded, read_object(text))
                if not idempotency or "HTTP_IDEMPOTENCY_KEY" not in environ:
                    return view(*given, body, **named)
                token = credential()
                assert token is not None
                return once(desk(), token, text, lambda: view(*given, body, **named))

            return fed

        return declare

    def conditional(self) -> Declaration:
        """Hands the view the tags of the game that ``If-Match`` names, None where it leaves any."""

        def declare(view: View) -> View:
            _may_end_in(view, STALE)
            self.takes_header(IF_MATCH)(view)

            @wraps(view)
            def expecting(*given: Any, **named: Any) -> Response:
                return view(*given, expected_tags(), **named)

            return expecting

        return declare

    def response(
        self, status: int, schema: Any = None, *, content_type: str = JSON, **documentation: Any
    ) -> Declaration:
        """What the view answers with, as a ready response; more than one where it depends on ``Accept``."""
        documented = super().response(status, schema, content_type=content_type, **documentation)

        def declare(view: View) -> View:
            _keep_document(view, documented)
            _document(view)["offers"].insert(0, content_type)
            return view

        return declare

    def caches(self, schema: Any, content_type: str = JSON) -> Declaration:
        """The view answers with a tag, and with 304 to who has what it stands for."""
        answered = self.response(200, schema, content_type=content_type, headers={"ETag": "ETag"})
        unchanged = super().alt_response(
            304, description="What the caller has is still right.", headers={"ETag": "ETag"}
        )

        def declare(view: View) -> View:
            _keep_document(view, unchanged)
            return self.takes_header(IF_NONE_MATCH)(answered(view))

        return declare

    def ends_streams(self) -> Declaration:
        """The view answers with 204 to who would follow what has ended."""
        ended = super().alt_response(204, description="The game is over, and the caller of a stream has all of it.")

        def declare(view: View) -> View:
            _keep_document(view, ended)
            return view

        return declare

    def fails(self, *problems: ProblemType) -> Declaration:
        """The problems that the view itself can end in, beyond those of its other declarations."""

        def declare(view: View) -> View:
            _may_end_in(view, *problems)
            return view

        return declare

    def takes_header(self, header: Mapping[str, Any]) -> Declaration:
        """A header that the view looks at, as OpenAPI describes one."""

        def declare(view: View) -> View:
            _document(view)["headers"].append(header)
            return view

        return declare


def _document(view: View) -> dict[str, Any]:
    """What flask-smorest keeps with a view, and what these declarations add to it."""
    document: dict[str, Any] = view.__dict__.setdefault("_apidoc", {})
    document.setdefault("problems", [INVALID_REQUEST.slug, NOT_ACCEPTABLE.slug, INTERNAL_ERROR.slug])
    document.setdefault("offers", [])
    document.setdefault("headers", [])
    return document


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _describe(view: View, **described: Any) -> None:
    _document(view).setdefault("manual_doc", {}).update(described)


def _keep_document(view: View, decorator: Callable[[View], Any]) -> None:
    _document(view)
    view.__dict__["_apidoc"] = decorator(view).__dict__["_apidoc"]


def _may_end_in(view: View, *problems: ProblemType) -> None:
    _document(view)["problems"] += [problem.slug for problem in problems]


def _document_problems(doc: dict[str, Any], doc_info: dict[str, Any], **_: Any) -> dict[str, Any]:
    """The problems of an operation, by status, and its cost: the callback by which flask-smorest lets a blueprint add
    to its page.
    """
    by_status: dict[int, list[ProblemType]] = {}
    for slug in dict.fromkeys(doc_info["problems"]):
        for status in PROBLEM_TYPES[slug].statuses:
            by_status.setdefault(status, []).append(PROBLEM_TYPES[slug])
    for status in sorted(by_status):
        doc.setdefault("responses", {})[str(status)] = problem_response(status, by_status[status])
    doc.setdefault("parameters", []).extend(doc_info["headers"])
    doc["x-cost"] = doc_info["cost"]
    return doc


def problem_response(status: int, problems: Sequence[ProblemType]) -> dict[str, Any]:
    """The OpenAPI response object of ``problems``, which share a status."""
    schema: dict[str, Any] = {"$ref": f"#/components/schemas/{problem_name(problems[0])}"}
    if len(problems) > 1:
        mapping = {problem.uri: f"#/components/schemas/{problem_name(problem)}" for problem in problems}
        schema = {
            "oneOf": [{"$ref": ref} for ref in mapping.values()],
            "discriminator": {"propertyName": "type", "mapping": mapping},
        }
    response = {
        "description": "; or: ".join(problem.title for problem in problems) + ".",
        "content": {PROBLEM: {"schema": schema, "examples": dict(_problem_example(status, each) for each in problems)}},
    }
    headers = {name: name for problem in problems for name in problem.headers}
    if headers:
        response["headers"] = headers
    return response


def _problem_example(status: int, problem: ProblemType) -> tuple[str, dict[str, Any]]:
    value = {"type": problem.uri, "title": problem.title, "status": status, "detail": problem.detail}
    fields = {name: shape["examples"][0] for name, shape in problem.fields.items()}
    return problem.slug, {"summary": problem.title, "value": value | fields}


def problem_name(problem: ProblemType) -> str:
    """The name of a problem's component in the OpenAPI document."""
    return "".join(part.capitalize() for part in problem.slug.split("-")) + "Problem"


# --- what a request brings ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Context:
    """What the views of one application work with."""

    desk: service.Desk
    hub: live.Hub
    settings: Settings
    published: Published


def context() -> Context:
    """That of the present request's application."""
    found: Context = current_app.extensions["tricklog"]
    return found


def desk() -> service.Desk:
    """What the use cases work with."""
    return context().desk


def credential() -> str | None:
    """The token of the ``Authorization`` header, None without one; an unauthorized problem for any other scheme."""
    token = bearer(request.environ)
    if token is None and "HTTP_AUTHORIZATION" in request.environ:
        raise unauthorized()
    return token


def _note(game: store.Game, role: service.Role, seat: int | None = None) -> None:
    if role == "owner":
        note(key=game.owner, ruleset=game.ruleset)
    elif seat is not None:
        note(game=game.number, seat=seat, ruleset=game.ruleset)
    else:
        note(ruleset=game.ruleset)


def _load_query(schema: Schema) -> Any:
    parameters = request.args.to_dict(flat=False)
    repeated = {name: ["Must stand once."] for name, values in parameters.items() if len(values) > 1}
    if repeated:
        raise invalid(repeated)
    return _load(schema, {name: values[0] for name, values in parameters.items()})


def _load(schema: Schema, given: Mapping[str, Any]) -> Any:
    try:
        return schema.load(given)
    except ValidationError as error:
        raise invalid(dict(islice(_flat("", error.messages_dict), _ERRORS_MOST))) from None


def _flat(path: str, messages: Any) -> Iterable[tuple[str, list[str]]]:
    """marshmallow's nested messages by dotted path."""
    if not isinstance(messages, Mapping):
        yield path or "body", [str(message) for message in messages]
        return
    for name, inner in messages.items():
        yield from _flat(path if name == "_schema" else f"{path}.{name}" if path else str(name), inner)
