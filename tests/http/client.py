"""A client of the API that holds every answer it gets to the OpenAPI document."""

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any, Final

import psycopg
from flask import Flask
from jsonschema import Draft202012Validator, FormatChecker
from werkzeug.test import TestResponse

from api import store
from api.http.declare import Context
from tests.games.playing import whole

PROBLEM: Final = "application/problem+json"
OF_THE_MOMENT: Final = ("RateLimit", "X-Request-Id")


def closed(shape: Any) -> Any:
    """A JSON Schema in which objects have the properties that are documented and no others, where it leaves it open."""
    if isinstance(shape, list):
        return [closed(part) for part in shape]
    if not isinstance(shape, dict):
        return shape
    found = {key: closed(part) for key, part in shape.items()}
    if isinstance(shape.get("properties"), dict) and "type" in shape:
        found.setdefault("additionalProperties", False)
    return found


class Api:
    """The application, called as its users do."""

    def __init__(self, app: Flask, url: str) -> None:
        context: Context = app.extensions["tricklog"]
        self.document = context.published.document
        self.app = app
        self.url = url
        self._client = app.test_client()
        self._paths: dict[re.Pattern[str], dict[str, Any]] = {
            re.compile(re.sub(r"\{\w+\}", "[^/]+", path)): operations
            for path, operations in self.document["paths"].items()
        }
        self._components = closed(self.document["components"])
        self._validator = cache(self._validator_of)

    def new_key(self) -> str:
        """An API key of its own."""
        with psycopg.connect(self.url, autocommit=True) as conn:
            return store.create_key(conn, "a test")

    def call(self, method: str, path: str, token: str | None = None, body: Any = None, **options: Any) -> TestResponse:
        """The answer to a request with the JSON ``body``; it is what the document says that it may be."""
        headers = dict(options.pop("headers", {}))
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            options["json"] = body
        response = self._client.open(path, method=method, headers=headers, **options)
        self._check(method, path.partition("?")[0], response)
        return response

    def ok(self, method: str, path: str, token: str | None = None, body: Any = None, **options: Any) -> Any:
        """The JSON of an answer that is no problem."""
        response = self.call(method, path, token, body, **options)
        assert response.status_code < 300, response.get_data(as_text=True)
        return response.get_json()

    def refused(
        self, status: int, slug: str, method: str, path: str, token: str | None = None, body: Any = None, **options: Any
    ) -> dict[str, Any]:
        """The problem that a request ends in, of this status and type."""
        response = self.call(method, path, token, body, **options)
        assert response.mimetype == PROBLEM, response.get_data(as_text=True)
        problem: dict[str, Any] = response.get_json()
        assert (response.status_code, problem["type"]) == (status, f"/problems/{slug}"), problem
        return problem

    def new_game(self, key: str, ruleset: str = "quadruple-war", **options: Any) -> dict[str, Any]:
        """A game of three, dealt by the service and private unless ``options`` say otherwise."""
        body = {
            "ruleset": ruleset,
            "players": ["Ada", "Ben", "Cleo"],
            "dealer": "service",
            "visibility": "private",
            **options,
        }
        game: dict[str, Any] = self.ok("POST", "/v1/games", key, body)
        return game

    def play(self, game: str, key: str, moves: int, place: int = 0) -> dict[str, Any]:
        """The answer to the last of so many moves, each the one at this ``place`` of those that are legal."""
        state = self.ok("GET", f"/v1/games/{game}", key)
        for _ in range(moves):
            if state["status"] != "running":
                break
            seat = state["to_act"][0]
            listed = self.ok("GET", f"/v1/games/{game}/legal-moves?seat={seat}", key)["moves"]
            move = {"seat": seat, **whole(listed[place], Random(0))}
            state = self.ok("POST", f"/v1/games/{game}/moves", key, {"moves": [move]})
        return state  # type: ignore[no-any-return]

    def _check(self, method: str, path: str, response: TestResponse) -> None:
        assert method == "OPTIONS" or response.headers["X-Content-Type-Options"] == "nosniff"
        known = next((found for pattern, found in self._paths.items() if pattern.fullmatch(path)), {})
        operation = known.get("get" if method == "HEAD" else method.lower())
        if operation is None:
            assert response.status_code in (200, 404, 405, 429)
            return
        answers = responses(self.document, operation)
        status = str(response.status_code)
        assert status in answers, f"{method} {path} may not answer {status}: {response.get_data(as_text=True)}"
        if status in ("204", "304"):
            assert not response.data
            return
        contents = answers[status]["content"]
        assert response.mimetype in contents, f"{method} {path} may not answer with {response.mimetype}"
        for name in answers[status].get("headers", {}):
            assert name in response.headers or not self.document["components"]["headers"][name].get("required")
        if method != "HEAD" and response.mimetype in ("application/json", PROBLEM):
            validator = self._validator(operation["operationId"], status, response.mimetype)
            for error in validator.iter_errors(response.get_json()):
                raise AssertionError(f"{method} {path}: {error.json_path}: {error.message}")

    def _validator_of(self, operation_id: str, status: str, media_type: str) -> Draft202012Validator:
        found = next(
            operation
            for operations in self.document["paths"].values()
            for operation in operations.values()
            if isinstance(operation, dict) and operation.get("operationId") == operation_id
        )
        shape = responses(self.document, found)[status]["content"][media_type]["schema"]
        return Draft202012Validator({**closed(shape), "components": self._components}, format_checker=FormatChecker())


def lasting(answer: TestResponse) -> dict[str, str]:
    """The headers of an answer but for what they say of the moment."""
    return {name: value for name, value in answer.headers if name not in OF_THE_MOMENT}


def responses(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The answers of an operation by status, those that it shares with others too."""
    shared = document["components"]["responses"]
    return {
        status: shared[answer["$ref"].rpartition("/")[2]] if "$ref" in answer else answer
        for status, answer in operation["responses"].items()
    }


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every operation of an OpenAPI document: its method in capitals, its path, and what it says, with the parameters
    of the path and the answers that it shares with others."""
    for path, found in document["paths"].items():
        for method, operation in found.items():
            if method != "parameters":
                parameters = found.get("parameters", []) + operation.get("parameters", [])
                whole = {"parameters": parameters, "responses": responses(document, operation)}
                yield method.upper(), path, operation | whole
