"""The games that are there for everybody to look at: made by the service, offered, removed."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from api import store
from api.games import LATEST
from api.http import create_app
from tests.http.client import Api
from tests.test_cli import refusal, tricklog

README = Path(__file__).parents[1] / "README.md"


@pytest.fixture
def api(database_url: str) -> Iterator[Api]:
    app = create_app(database_url)
    yield Api(app, database_url)
    app.extensions["tricklog"].desk.pool.close()


def games(api: Api) -> list[str]:
    return [game["id"] for game in api.ok("GET", "/v1/demonstrations")["games"]]


def test_a_game_of_each_ruleset_is_offered_to_everybody(api: Api, database_url: str) -> None:
    assert games(api) == []
    tricklog("demonstrations", "create", DATABASE_URL=database_url)
    listed = api.ok("GET", "/v1/demonstrations")["games"]
    assert [game["ruleset"] for game in listed] == list(LATEST)
    # on a new database, where the README has a link to the first
    assert f":8000/replay/{listed[0]['id']}" in README.read_text()
    assert [game["id"] for game in listed] == [f"{number:07}dem000000" for number in range(1, len(LATEST) + 1)]
    printed = tricklog("demonstrations", "list", DATABASE_URL=database_url)
    assert [line.split() for line in printed.splitlines()] == [
        [game["ruleset"], f"/replay/{game['id']}"] for game in listed
    ]
    for number in games(api):
        path = f"/v1/games/{number}"
        game = api.ok("GET", path)
        assert (game["status"], game["visibility"], game["dealer"]) == ("finished", "public", "service")
        assert game["seed"]
        assert api.ok("GET", f"{path}/audit")["ok"]
        assert api.ok("GET", f"{path}/replay")["frames"]
        assert api.ok("GET", f"{path}/ledger")["winners"]
        assert b"og:title" in api.call("GET", f"/replay/{number}").data


def test_they_belong_to_nobody(api: Api, database_url: str) -> None:
    tricklog("demonstrations", "create", DATABASE_URL=database_url)
    with psycopg.connect(database_url, autocommit=True) as conn:
        (key,) = store.list_keys(conn)
        assert key.revoked_at is not None
    assert api.ok("GET", "/v1/games", api.new_key())["games"] == []


def test_removed_they_look_like_none_and_are_never_made_again(api: Api, database_url: str) -> None:
    tricklog("demonstrations", "create", DATABASE_URL=database_url)
    assert "already" in refusal("demonstrations", "create", DATABASE_URL=database_url)
    offered = games(api)
    page = api.call("GET", f"/replay/{offered[0]}").data
    tricklog("demonstrations", "remove", DATABASE_URL=database_url)
    assert games(api) == []
    assert tricklog("demonstrations", "list", DATABASE_URL=database_url) == ""
    for game in offered:
        # also for a worker that had them at hand
        api.refused(404, "not-found", "GET", f"/v1/games/{game}")
        api.refused(404, "not-found", "GET", f"/v1/games/{game}/replay")
    assert api.call("GET", f"/replay/{offered[0]}").data == api.call("GET", "/replay").data != page
    with psycopg.connect(database_url) as conn:
        assert conn.execute("SELECT count(*) FROM games").fetchall() == [(len(LATEST),)]
