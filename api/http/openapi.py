"""The OpenAPI document: what the endpoints declare, with the shapes of every registered game."""

import re
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any, Final

import flask_smorest
import orjson
from flask import Flask
from marshmallow import Schema, fields

from api.cards import SUITS
from api.games import LATEST, shown
from api.http.declare import API_KEY, SEAT_TOKEN, problem_name
from api.http.examples import ANSWERS, TOLD_EXAMPLES
from api.http.headers import EVERYWHERE, HEADERS, IDEMPOTENCY_KEY
from api.http.problems import PROBLEM_TYPES, ProblemType
from api.http.responses import JSON, PROBLEM
from api.http.schemas import CLIENT_SEEDS, DEALERS, STATUSES, TOLD, VISIBILITIES, Shaped
from api.http.shapes import ANY_TEXT, components, specialised, string, time

Document = dict[str, Any]

_DESCRIPTION: Final = """\
Keeps the score of card games: checks every move against the rules, keeps the record, and derives states, legal moves
and the score sheet from it.

A front end holds an API key and owns the games that it makes; each seat of a game has a token of its own. Both are
sent as `Authorization: Bearer …`. Without credentials, the public view of a public game is there to see.

Times are RFC 3339 in UTC, ids are opaque. A field or a parameter that isn't documented is refused. Errors are
`application/problem+json`; the `type` of each is the address of a page about it.
"""

# Those who run an installation answer for it, and say on what terms: nothing here can.
_CONTACT: Final = {"name": "Whoever runs this installation"}
_LICENSE: Final = {"name": "None stated: ask whoever runs this installation", "identifier": "LicenseRef-None-Stated"}
_SERVER: Final = "The installation that this document comes from, in production over https or a local one."

_SECURITY: Final = {
    API_KEY: {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "tlk_…",
        "description": "The key of a front end: it owns the games that it makes, moves for every seat and has every"
        " view.",
    },
    SEAT_TOKEN: {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "tls_…",
        "description": "The token of one seat of one game: it moves for that seat and has its view.",
    },
}


_DOCUMENT_ORDER: Final = ("openapi", "info", "servers", "tags", "security", "paths", "webhooks", "components")
_OPERATION_ORDER: Final = (
    "operationId",
    "summary",
    "description",
    "tags",
    "security",
    "parameters",
    "requestBody",
    "responses",
)

_NOT_CHARGED: Final = "Not charged towards the rate limit: only what stands before the service may answer with 429."
_REPLAY_HEADER: Final = "Idempotency-Replayed"
_REPLAYED: Final = ("200", "201", "202", "403", "404", "412", "422")
"""The statuses of answers that may have been given to an earlier request with the same idempotency key."""

_NAMED: Final[dict[str, dict[str, Any]]] = {
    "RulesetId": shown.word("The id of a ruleset.", *LATEST),
    "Dealer": shown.word("Who deals.", *DEALERS),
    "Visibility": shown.word("Who may see a game without credentials: nobody, or everybody.", *VISIBILITIES),
    "Status": shown.word("Whether a game goes on, and how it ended.", *STATUSES),
    "ClientSeeds": shown.word("Whose seeds are mixed into the service's.", *CLIENT_SEEDS),
    "Suit": shown.word("A suit.", *SUITS),
}
"""The enumerations that stand in many places: each is one component, and so one type of a client that is generated."""

_REFERENCE: Final = re.compile(r'"#/components/schemas/(\w+)"')


class Api(flask_smorest.Api):  # type: ignore[misc]  # it has no types
    """flask-smorest's, without a default error: every operation declares its own."""

    DEFAULT_ERROR_RESPONSE_NAME = None


def describe(app: Flask, blueprints: Iterable[flask_smorest.Blueprint]) -> Document:
    """Registers the ``blueprints`` with ``app`` and returns the document of all that they declare."""
    app.config |= {"API_TITLE": "Tricklog", "API_VERSION": version("tricklog"), "OPENAPI_VERSION": "3.1.0"}
    api = Api(
        app,
        spec_kwargs={
            "info": {"description": _DESCRIPTION, "contact": _CONTACT, "license": _LICENSE},
            "servers": [{"url": "/", "description": _SERVER, "x-internal": False}],
            "security": [],
        },
    )
    api.ma_plugin.converter.add_attribute_function(_shape)
    for name, header in HEADERS.items():
        api.spec.components.header(name, header)
    for name, scheme in _SECURITY.items():
        api.spec.components.security_scheme(name, scheme)
    for name, shape in components().items():
        api.spec.components.schema(name, shape)
    for problem in PROBLEM_TYPES.values():
        api.spec.components.schema(problem_name(problem), _problem_shape(problem))
    for blueprint in blueprints:
        api.register_blueprint(blueprint)
    for told in dict.fromkeys(TOLD.values()):
        api.spec.components.schema(_named(told), schema=told)
    document: Document = api.spec.to_dict()
    document["webhooks"] = {kind: {"post": _told(kind, schema)} for kind, schema in TOLD.items()}
    schemas = document["components"]["schemas"]
    for (schema, *_), name in api.ma_plugin.converter.refs.items():
        schemas[name]["description"] = schema.__doc__
    schemas |= specialised(schemas)
    document = _with_names(document)
    document["components"]["schemas"] |= _NAMED
    document["paths"] = {
        path: {
            method: _finished(operation) if method != "parameters" else operation for method, operation in each.items()
        }
        for path, each in document["paths"].items()
    }
    _share_problems(document)
    _prune(document)
    # Tuples become lists: it is compared with what is read.
    ordered: Document = orjson.loads(orjson.dumps(_in_order(document, _DOCUMENT_ORDER)))
    return ordered


def _with_names(part: Any) -> Any:
    """The document with a reference to each enumeration that has a name, and what it means there beside it."""
    if isinstance(part, list):
        return [_with_names(each) for each in part]
    if not isinstance(part, dict):
        return part
    for name, shape in _NAMED.items():
        if part.get("enum") == shape["enum"]:
            meaning = {key: part[key] for key in ("description",) if key in part}
            return {"$ref": f"#/components/schemas/{name}", **meaning}
    return {key: _with_names(each) for key, each in part.items()}


def _share_problems(document: Document) -> None:
    """Writes the answers that are problems once: many operations end in each of them."""
    shared = document["components"]["responses"] = {}
    for path in document["paths"].values():
        for method, operation in path.items():
            if method == "parameters":
                continue
            for status, response in operation["responses"].items():
                content = response.get("content", {}).get(PROBLEM)
                if content is not None:
                    kinds = "Or".join(
                        "".join(part.capitalize() for part in slug.split("-")) for slug in content["examples"]
                    )
                    name = f"{kinds}{status}" + "Kept" * (_REPLAY_HEADER in response["headers"])
                    shared[name] = response
                    operation["responses"][status] = {"$ref": f"#/components/responses/{name}"}


def _prune(document: Document) -> None:
    """Removes the schemas that nothing refers to: flask-smorest's own, and problems that no operation ends in."""
    schemas = document["components"]["schemas"]
    used: set[str] = set()
    roots = [document["paths"], document["webhooks"], document["components"]["responses"]]
    found = _REFERENCE.findall(orjson.dumps(roots).decode())
    while found:
        name = found.pop()
        if name not in used:
            used.add(name)
            found += _REFERENCE.findall(orjson.dumps(schemas[name]).decode())
    document["components"]["schemas"] = {name: shape for name, shape in schemas.items() if name in used}


_SIGNED: Final = (
    ("webhook-id", 36, "What this delivery is called at every attempt."),
    ("webhook-timestamp", 20, "When this attempt was made, in seconds since 1970."),
    ("webhook-signature", 500, "A signature with each secret of the webhook, as Standard Webhooks says."),
)


def _named(schema: type[Schema]) -> str:
    return schema.__name__.removesuffix("Schema")


def _told(kind: str, data: type[Schema]) -> dict[str, Any]:
    """The delivery of that type, as a receiver meets it."""
    properties = {
        "type": {"type": "string", "const": kind, "description": "The type of the delivery."},
        "timestamp": time("When that happened which it tells of."),
        "data": {"$ref": f"#/components/schemas/{_named(data)}", "description": "What it tells."},
    }
    body = {"type": "object", "properties": properties, "required": list(properties)}
    return {
        "operationId": "tell" + "".join(part.capitalize() for part in kind.split(".")),
        "summary": f"Tell of {kind}",
        "description": f"{data.__doc__} Sent to the webhooks that ask for it; `/docs/webhooks` says how to verify it.",
        "tags": ["webhooks"],
        "security": [],
        "parameters": [
            {
                "in": "header",
                "name": name,
                "required": True,
                "description": text,
                "schema": {"type": "string", "maxLength": most, "pattern": "^[!-~ ]+$"},
            }
            for name, most, text in _SIGNED
        ],
        "requestBody": {"required": True, "content": {JSON: {"schema": body, "example": TOLD_EXAMPLES[kind]}}},
        "responses": {
            "2XX": {"description": "It is delivered."},
            "410": {"description": "The webhook is paused: nothing more is sent."},
            "default": {"description": "It is tried again."},
        },
    }


def _shape(_: Any, field: Any, **__: Any) -> dict[str, Any]:
    match field:
        case Shaped():
            return dict(field.shape)
        case fields.Integer():
            return {"format": "int32"}
        case fields.AwareDateTime():
            return {"maxLength": 35}
    return {}


def _finished(operation: dict[str, Any]) -> dict[str, Any]:
    answered = operation["responses"]
    if "requestBody" not in operation:
        answered.pop("408")
    cost = operation["x-cost"]
    if cost != 1:
        counts = f"Counts as {cost} requests towards the rate limit." if cost else _NOT_CHARGED
        operation["description"] += f"\n\n{counts}"
    for response in answered.values():
        response.setdefault("headers", {}).update(
            {name: {"$ref": f"#/components/headers/{name}"} for name in EVERYWHERE}
        )
    for status in answered:
        if JSON in answered[status].get("content", {}) and operation["operationId"] in ANSWERS:
            answered[status]["content"][JSON]["example"] = ANSWERS[operation["operationId"]]
        if status in _REPLAYED and IDEMPOTENCY_KEY in operation.get("parameters", ()):
            answered[status]["headers"][_REPLAY_HEADER] = {"$ref": f"#/components/headers/{_REPLAY_HEADER}"}
    operation.setdefault("security", [{}])
    operation["responses"] = _in_order(answered, sorted(answered))
    return _in_order(operation, _OPERATION_ORDER)


def _in_order(found: Mapping[str, Any], order: Iterable[str]) -> dict[str, Any]:
    return {key: found[key] for key in order if found.get(key) is not None}


def _problem_shape(problem: ProblemType) -> dict[str, Any]:
    properties = {
        "type": {
            "type": "string",
            "const": problem.uri,
            "description": "The type of the problem, and the address of a page about it.",
        },
        "title": {"type": "string", "const": problem.title, "description": "The type in words."},
        "status": {
            **shown.number("The status of the answer.", min(problem.statuses), max(problem.statuses)),
            "enum": list(problem.statuses),
        },
        "detail": string(ANY_TEXT, 1, 4000, "What is wrong this time."),
        **problem.fields,
    }
    return {
        "type": "object",
        "description": f"{problem.title}. ({PROBLEM})",
        "properties": properties,
        "required": list(properties),
    }
