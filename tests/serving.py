"""The application in this process, on a database of a test's own, as callers meet it."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from tests.games.playing import STYLES, whole


class Caller:
    """Who calls with one credential, or none."""

    def __init__(self, app: Flask, token: str | None = None) -> None:
        self.app = app
        self.client: FlaskClient = app.test_client()
        self.headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def as_(self, token: str | None) -> "Caller":
        """Another caller of the same application."""
        return Caller(self.app, token)

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """The status and the JSON of the answer."""
        answer = self.client.open(path, method=method, json=body, headers=self.headers)
        return answer.status_code, answer.get_json(force=True)

    def get(self, path: str) -> Any:
        """What is answered with 200."""
        status, content = self.ask("GET", path)
        assert status == 200, (path, status, content)
        return content

    def post(self, path: str, body: Any, status: int = 201) -> Any:
        """What is answered with the ``status`` expected."""
        answered, content = self.ask("POST", path, body)
        assert answered == status, (path, answered, content)
        return content

    def make(self, ruleset: str, seats: int, **given: Any) -> dict[str, Any]:
        """A game made by the owner of an API key, dealt by the service."""
        body = {"ruleset": ruleset, "players": [f"Player {seat}" for seat in range(seats)], "dealer": "service"}
        made: dict[str, Any] = self.post("/v1/games", body | {"visibility": "private"} | given)
        return made

    def play(self, game: str, random: Random, most: int = 5000) -> list[str]:
        """Plays random moves until the game is over, at most so many; the receipts given for them."""
        receipts = []
        path = f"/v1/games/{game}"
        to_act: Sequence[int] = self.get(path)["to_act"]
        for _ in range(most):
            if not to_act:
                break
            seat = random.choice(to_act)
            listed: list[Mapping[str, Any]] = self.get(f"{path}/legal-moves?seat={seat}")["moves"]
            move = {"seat": seat, **whole(random.choice(STYLES)(listed, random), random)}  # type: ignore[arg-type]
            accepted = self.post(f"{path}/moves", {"moves": [move]})
            receipts.append(accepted["receipt"])
            to_act = accepted["to_act"]
        return receipts
