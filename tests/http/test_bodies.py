"""Requests that aren't what they should be: each is refused, with what is wrong and where."""

from typing import Any

import pytest

from api.http.settings import Settings
from tests.http.client import Api

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def moves(api: Api, key: str) -> str:
    return f"/v1/games/{api.new_game(key)['id']}/moves"


NESTED = b'{"moves": [{"type": "play", "cards": ' + b"[" * 40 + b"]" * 40 + b"}]}"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        pytest.param(b" ", "Must be JSON", id="nothing"),
        pytest.param(b"hello", "Must be JSON", id="no JSON"),
        pytest.param(b'{"moves": []} x', "Must be JSON", id="more than JSON"),
        pytest.param(b'{"moves": [\xff]}', "Must be JSON", id="no UTF-8"),
        pytest.param('{"moves": []}'.encode("utf-16"), "Must be JSON", id="UTF-16"),
        pytest.param(b'\xef\xbb\xbf{"moves": []}', "Must be JSON", id="a byte order mark"),
        pytest.param(b'{"moves": [NaN]}', "Must be JSON", id="NaN"),
        pytest.param(b'{"moves": [-Infinity]}', "Must be JSON", id="Infinity"),
        pytest.param(b'{"moves": "\\ud800"}', "Must be JSON", id="a lone surrogate"),
        pytest.param(b'{"\\udfff": 1}', "Must be JSON", id="a lone surrogate in a key"),
        pytest.param(b'{"moves": "\x01"}', "Must be JSON", id="a control character"),
        pytest.param(b'{"moves": [1e999]}', "Must", id="a float too large"),
        pytest.param(b'{"moves": [' + b"9" * 5000 + b"]}", "Must", id="a number of thousands of digits"),
        pytest.param(
            b'{"moves": [9007199254740992]}', "Must not hold a whole number", id="a number not exact everywhere"
        ),
        pytest.param(b'{"moves": [], "moves": []}', "Must not name a key twice", id="a key twice"),
        pytest.param(b'{"moves": [{"type": "a", "type": "b"}]}', "Must not name a key twice", id="a key twice, inside"),
        pytest.param(b'{"moves": "\\u0000"}', "Must not hold the character NUL", id="NUL"),
        pytest.param(b'{"a\\\\\\u0000": 1}', "Must not hold the character NUL", id="NUL in a key, after a backslash"),
        pytest.param(NESTED, "Must not nest", id="nested too deep"),
        pytest.param(b"[" * 900 + b"]" * 900, "Must", id="nested far too deep"),
        pytest.param(b"[" * 500_000, "Must", id="nested without end"),
        pytest.param(b"[]", "Must be an object", id="a list"),
        pytest.param(b'"moves"', "Must be an object", id="a text"),
        pytest.param(b"null", "Must be an object", id="null"),
    ],
)
def test_body_that_is_no_plain_json_object(api: Api, key: str, moves: str, body: bytes, told: str) -> None:
    problem = api.refused(400, "invalid-request", "POST", moves, key, data=body, headers=JSON)
    assert problem["errors"].keys() == {"body"}
    assert problem["errors"]["body"][0].startswith(told)


def test_texts_that_only_look_like_nul_are_taken(api: Api, key: str) -> None:
    game = api.new_game(key, players=["\\u0000", "\\\\u0000", "\U0001f600"])
    assert game["players"] == ["\\u0000", "\\\\u0000", "\U0001f600"]


def test_nesting_up_to_the_limit_is_for_the_schema_to_judge(api: Api, key: str, moves: str) -> None:
    body = b'{"moves": ' + b"[" * 31 + b"]" * 31 + b"}"
    api.refused(422, "invalid-request", "POST", moves, key, data=body, headers=JSON)
    body = b'{"moves": ' + b"[" * 32 + b"]" * 32 + b"}"
    api.refused(400, "invalid-request", "POST", moves, key, data=body, headers=JSON)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        pytest.param({}, "moves", id="a field missing"),
        pytest.param({"moves": [{"type": "pass"}], "more": 1}, "more", id="a field unknown"),
        pytest.param({"moves": {}}, "moves", id="no list"),
        pytest.param({"moves": None}, "moves", id="null"),
        pytest.param({"moves": []}, "moves", id="no move"),
        pytest.param({"moves": [{"type": "pass"}] * 1001}, "moves", id="too many moves"),
        pytest.param({"moves": ["pass"]}, "moves.0", id="a move that is no object"),
        pytest.param({"moves": [{"type": "pass"}, {}]}, "moves.1", id="a move without a type"),
        pytest.param({"moves": [{"type": 1}]}, "moves.0", id="a move whose type is no text"),
        pytest.param({"moves": [None]}, "moves.0", id="a move that is null"),
    ],
)
def test_moves_that_are_none(api: Api, key: str, moves: str, body: Any, field: str) -> None:
    problem = api.refused(422, "invalid-request", "POST", moves, key, body)
    assert problem["errors"].keys() == {field}


def test_errors_are_told_of_a_few_fields_only(api: Api, key: str, moves: str) -> None:
    problem = api.refused(422, "invalid-request", "POST", moves, key, {"moves": [0] * 1000})
    assert 1 <= len(problem["errors"]) < 100


GAME: dict[str, Any] = {
    "ruleset": "quadruple-war",
    "players": ["Ada", "Ben"],
    "dealer": "service",
    "visibility": "private",
}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        pytest.param({"ruleset": "bridge"}, "ruleset", id="ruleset unknown"),
        pytest.param({"ruleset": 1}, "ruleset", id="ruleset no text"),
        pytest.param({"ruleset": ["thirteen"]}, "ruleset", id="ruleset a list"),
        pytest.param({"players": ["Ada"]}, "players", id="too few players"),
        pytest.param({"players": ["Ada"] * 6}, "players", id="too many players for the ruleset"),
        pytest.param({"players": ["Ada"] * 1000}, "players", id="a crowd"),
        pytest.param({"players": ["Ada", ""]}, "players.1", id="a name that is empty"),
        pytest.param({"players": ["Ada", " \u00a0"]}, "players.1", id="a name that is blank"),
        pytest.param({"players": ["Ada", "x" * 81]}, "players.1", id="a name too long"),
        pytest.param({"players": ["Ada\n", "Ben"]}, "players.0", id="a name with a line break at its end"),
        pytest.param({"players": ["A\u202eda", "Ben"]}, "players.0", id="a name that turns the text around"),
        pytest.param({"players": ["Ada", None]}, "players.1", id="a name that is null"),
        pytest.param({"players": "Ada"}, "players", id="players no list"),
        pytest.param({"dealer": "me"}, "dealer", id="dealer unknown"),
        pytest.param({"dealer": None}, "dealer", id="dealer null"),
        pytest.param({"visibility": "secret"}, "visibility", id="visibility unknown"),
        pytest.param({"config": []}, "config", id="config no object"),
        pytest.param({"config": {"target": 0}}, "config.target", id="option out of range"),
        pytest.param({"config": {"target": True}}, "config.target", id="option of another type"),
        pytest.param({"config": {"target": 500.0}}, "config.target", id="option no whole number"),
        pytest.param({"config": {"first_dealer": 2}}, "config.first_dealer", id="option names a seat there is not"),
        pytest.param({"config": {"shuffle": "well"}}, "config.shuffle", id="option unknown"),
        pytest.param({"seed": "00"}, "seed", id="field unknown"),
    ],
)
def test_game_that_can_not_be_made(api: Api, key: str, change: dict[str, Any], field: str) -> None:
    problem = api.refused(422, "invalid-request", "POST", "/v1/games", key, GAME | change)
    assert problem["errors"].keys() == {field}
    assert api.ok("GET", "/v1/games", key) == {"games": []}


@pytest.mark.parametrize("field", GAME)
def test_game_without_a_field_that_it_needs(api: Api, key: str, field: str) -> None:
    body = {name: value for name, value in GAME.items() if name != field}
    assert api.refused(422, "invalid-request", "POST", "/v1/games", key, body)["errors"].keys() == {field}


@pytest.mark.parametrize(
    ("call", "body", "field"),
    [
        ("takeback", {"to": "1"}, "to"),
        ("takeback", {"to": True}, "to"),
        ("takeback", {"to": -1}, "to"),
        ("takeback", {"to": 1.0}, "to"),
        ("takeback", {"to": 2**40}, "to"),
        ("takeback", {}, "to"),
        ("abandon", {"reason": ""}, "reason"),
        ("abandon", {"reason": 5}, "reason"),
        ("abandon", {"reason": "x" * 501}, "reason"),
        ("abandon", {"reason": "so\tbe it"}, "reason"),
        ("abandon", {"reason": "Late.", "by": 1}, "by"),
    ],
)
def test_table_events_that_are_none(api: Api, key: str, call: str, body: Any, field: str) -> None:
    path = f"/v1/games/{api.new_game(key)['id']}/{call}"
    assert api.refused(422, "invalid-request", "POST", path, key, body)["errors"].keys() == {field}


# --- length and media type ------------------------------------------------------------------------------------------


def test_body_without_a_length(api: Api, key: str, moves: str) -> None:
    # as a server hands it over that has taken it in chunks
    chunked = {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True}
    api.refused(411, "length-required", "POST", moves, key, data=b"{}", headers=JSON, environ_overrides=chunked)
    for length in ("", "-1", "ten"):
        unknown = {"CONTENT_LENGTH": length}
        api.refused(411, "length-required", "POST", moves, key, data=b"{}", headers=JSON, environ_overrides=unknown)


def test_body_of_no_length(api: Api, key: str, moves: str) -> None:
    none = {"CONTENT_LENGTH": "0"}
    api.refused(400, "invalid-request", "POST", moves, key, headers=JSON, environ_overrides=none)


def test_body_shorter_than_its_length(api: Api, key: str, moves: str) -> None:
    more = {"CONTENT_LENGTH": "20"}
    api.refused(400, "invalid-request", "POST", moves, key, data=b"{}", headers=JSON, environ_overrides=more)


def test_body_over_the_limit_is_not_read(api: Api, key: str, moves: str) -> None:
    limits = Settings()

    class Unread:
        def read(self, *_: int) -> bytes:
            raise AssertionError("read")

    for path, most in ((moves, limits.max_body), ("/v1/records", limits.max_record)):
        too_long = {"CONTENT_LENGTH": str(most + 1), "wsgi.input": Unread()}
        problem = api.refused(413, "too-large", "POST", path, key, headers=JSON, environ_overrides=too_long)
        assert str(most) in problem["detail"]


def test_body_up_to_the_limit_is_read(api: Api, key: str, moves: str) -> None:
    body = b'{"moves": []' + b" " * (Settings().max_body - 13) + b"}"
    api.refused(422, "invalid-request", "POST", moves, key, data=body, headers=JSON)
    api.refused(413, "too-large", "POST", moves, key, data=body + b" ", headers=JSON)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "application/json; charset=latin-1"},
        {"Content-Type": "application/jsonx"},
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
    ],
)
def test_other_media_types_are_refused(api: Api, key: str, moves: str, headers: dict[str, str]) -> None:
    api.refused(415, "unsupported-media-type", "POST", moves, key, data=b"{}", headers=headers)


def test_media_type_is_taken_however_it_is_written(api: Api, key: str) -> None:
    for written in ("APPLICATION/JSON", "application/json; charset=UTF-8", 'application/json;charset="utf-8"'):
        options = {"headers": {"Content-Type": written}}
        api.refused(422, "invalid-request", "POST", "/v1/games", key, data=b"{}", **options)


# --- queries --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("events?limit=0", "limit"),
        ("events?limit=1001", "limit"),
        ("events?limit=ten", "limit"),
        ("events?limit=1_0", "limit"),
        ("events?limit=%D9%A1", "limit"),
        ("events?limit=", "limit"),
        ("events?limit=+5", "limit"),
        ("events?after=-1", "after"),
        ("events?after=3", "after"),
        ("events?after=99999999999", "after"),
        ("events?follow=true", "follow"),
        ("events?after=0&after=1", "after"),
        ("state?at=-1", "at"),
        ("state?at=3", "at"),
        ("state?at=2.0", "at"),
        ("state?at=1e0", "at"),
        ("state?view=3", "view"),
        ("state?view=9", "view"),
        ("state?view=-1", "view"),
        ("state?view=Table", "view"),
        ("state?view=00", "view"),
        ("state?view=", "view"),
        ("state?colour=red", "colour"),
        ("ledger?at=3", "at"),
        ("legal-moves", "seat"),
        ("legal-moves?seat=3", "seat"),
        ("legal-moves?seat=-1", "seat"),
        ("legal-moves?seat=all", "seat"),
        ("legal-moves?seat=0&view=table", "view"),
        ("replay?from=0", "from"),
        ("replay?from=4", "from"),
        ("replay?to=3", "to"),
        ("replay?from=2&to=0", "to"),
        ("replay?from=1&to=1001", "to"),
        ("record?at=1", "at"),
        ("?view=table", "view"),
    ],
)
def test_query_that_can_not_be_answered(api: Api, key: str, query: str, field: str) -> None:
    game = api.new_game(key)
    assert game["seq"] == 2
    path = f"/v1/games/{game['id']}" + (query if query.startswith("?") else f"/{query}")
    assert api.refused(422, "invalid-request", "GET", path, key)["errors"].keys() == {field}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=1001", "limit"),
        ("status=lost", "status"),
        ("ruleset=bridge", "ruleset"),
        ("player=", "player"),
        ("player=%00", "player"),
        ("player=a%0Ab", "player"),
        ("since=yesterday", "since"),
        ("since=2026-01-01", "since"),
        ("since=2026-01-01T00:00:00", "since"),
        ("until=2026-13-01T00:00:00Z", "until"),
        ("cursor=", "cursor"),
        ("cursor=abc", "cursor"),
        ("cursor=%00", "cursor"),
        ("page=2", "page"),
        ("limit=5&limit=5", "limit"),
    ],
)
def test_list_that_can_not_be_asked_for(api: Api, key: str, query: str, field: str) -> None:
    assert api.refused(422, "invalid-request", "GET", f"/v1/games?{query}", key)["errors"].keys() == {field}


def test_parameters_where_none_are_taken(api: Api, key: str) -> None:
    assert api.refused(422, "invalid-request", "GET", "/v1/rulesets?x=1")["errors"].keys() == {"x"}
    path = f"/v1/games/{api.new_game(key)['id']}/moves?dry=1"
    assert api.refused(422, "invalid-request", "POST", path, key, {"moves": []})["errors"].keys() == {"dry"}
    api.refused(422, "invalid-request", "GET", "/healthz?&")
