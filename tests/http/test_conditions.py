"""Conditional requests: what `If-Match` and `If-None-Match` are held against, wherever they are answered."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import psycopg
import pytest

from api.games import LATEST
from tests.http.client import Api, lasting, operations
from tests.http.test_access import body_for, world
from tests.http.test_retries import game_of, held_up, seq_of, waiting

VIEWED: Final = ("state", "events", "ledger", "replay")
NDJSON: Final = "application/x-ndjson"

# The tags of some addresses as an application of its own process gives them, in order.
TAGS: Final = """
import json, sys
from api.http import create_app
url, token, *paths = sys.argv[1:]
app = create_app(url)
client = app.test_client()
headers = {"Authorization": f"Bearer {token}"}
print(json.dumps([client.get(path, headers=headers).headers["ETag"] for path in paths]))
app.extensions["tricklog"].desk.pool.close()
"""


@pytest.fixture
def games(api: Api, key: str) -> dict[str, str]:
    """The path of a game of each ruleset, some moves on, by ruleset."""
    found = {}
    for ruleset in LATEST.values():
        players = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Fay"][: ruleset.seats[-1]]
        game = api.new_game(key, ruleset.id, players=players, visibility="public")
        api.play(game["id"], key, 30, -1)
        found[ruleset.id] = f"/v1/games/{game['id']}"
    return found


def tag(api: Api, path: str, token: str | None, **headers: str) -> str:
    return api.call("GET", path, token, headers=headers).headers["ETag"]


def test_tag_is_the_same_from_every_process(api: Api, key: str, games: dict[str, str]) -> None:
    """However its worker came to the answer, and in whichever order it keeps what has none."""
    paths = [f"{path}/{call}" for path in games.values() for call in (*VIEWED, "legal-moves?seat=1")]
    paths += [f"{path}/{call}?view={view}" for path in games.values() for call in VIEWED for view in ("0", "table")]
    here = [tag(api, path, key) for path in [*games.values(), *paths]]
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", TAGS, api.url, key, *games.values(), *paths],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        assert json.loads(done.stdout) == here


def test_tag_is_the_same_for_two_tokens_of_a_view(api: Api, key: str) -> None:
    game = api.new_game(key, config={"first_dealer": 0}, visibility="public")
    path = f"/v1/games/{game['id']}"
    seat, other = game["seat_tokens"][:2]
    everybody = (key, seat, other, None)
    assert len({tag(api, path, token) for token in everybody}) == 1
    for accept in ("application/json", NDJSON):
        assert len({tag(api, f"{path}/events?view=public", token, Accept=accept) for token in everybody}) == 1
    for call in VIEWED:
        assert len({tag(api, f"{path}/{call}?view=public", token) for token in everybody}) == 1
        assert tag(api, f"{path}/{call}", key) == tag(api, f"{path}/{call}", None)
        assert tag(api, f"{path}/{call}", seat) == tag(api, f"{path}/{call}?view=0", key)
    assert tag(api, f"{path}/legal-moves", seat) == tag(api, f"{path}/legal-moves?seat=0", key)
    api.ok("POST", f"{path}/abandon", key, {"reason": "Late."})
    for call in VIEWED:
        assert len({tag(api, f"{path}/{call}", token) for token in everybody}) == 1


def test_tag_goes_with_one_answer(api: Api, key: str, games: dict[str, str]) -> None:
    """Those of one address, in whichever view, form or media type, differ where the answers do."""
    for path in games.values():
        for call in VIEWED:
            answers: dict[str, set[bytes]] = {}
            for query in ("", "?view=0", "?view=table", "?view=1"):
                for accept in ("*/*", NDJSON) if call == "events" else ("*/*",):
                    answer = api.call("GET", f"{path}/{call}{query}", key, headers={"Accept": accept})
                    answers.setdefault(answer.headers["ETag"], set()).add(answer.data)
            assert all(len(same) == 1 for same in answers.values())


@pytest.mark.parametrize("call", ["", "/state", "/events", "/ledger", "/replay", "/legal-moves?seat=1", "/disputes"])
def test_head_is_told_what_get_is(api: Api, key: str, call: str) -> None:
    path = f"/v1/games/{api.new_game(key)['id']}{call}"
    for headers in ({}, {"If-None-Match": tag(api, path, key)}, {"If-None-Match": '"other"'}):
        get, head = (api.call(method, path, key, headers=headers) for method in ("GET", "HEAD"))
        assert get.status_code == (304 if headers.get("If-None-Match") == get.headers["ETag"] else 200)
        assert (head.status_code, lasting(head), head.data) == (get.status_code, lasting(get), b"")


# --- If-Match -------------------------------------------------------------------------------------------------------


def test_tag_of_a_game_that_waits_for_seeds_is_a_condition_too(api: Api, key: str) -> None:
    path = f"/v1/games/{api.new_game(key, client_seeds='seats')['id']}"
    before = tag(api, path, key)
    api.ok("POST", f"{path}/client-seed", key, {"seed": "one", "seat": 0})
    body = {"reason": "Late."}
    problem = api.refused(412, "stale", "POST", f"{path}/abandon", key, body, headers={"If-Match": before})
    assert problem["seq"] == 0
    api.ok("POST", f"{path}/abandon", key, body, headers={"If-Match": tag(api, path, key)})


def test_condition_is_held_again_where_another_was_first(api: Api, key: str) -> None:
    """What is read before the append and what is there at it: the present seq is that of then."""
    path, token, body = game_of(api, key)
    seq = seq_of(api, key, path)
    with psycopg.connect(api.url, autocommit=True) as conn, ThreadPoolExecutor(2) as threads:
        with held_up(conn, path):
            writers = [
                threads.submit(api.call, "POST", f"{path}/{call}", who, what, headers={"If-Match": f'"{seq}"'})
                for call, who, what in (("moves", token, body), ("abandon", key, {"reason": "Late."}))
            ]
            waiting(conn, 2)
        answers = sorted((each.result() for each in writers), key=lambda answer: answer.status_code)
    assert [answer.status_code for answer in answers] == [201, 412]
    assert answers[1].get_json()["seq"] == seq + 1
    assert seq_of(api, key, path) == seq + 1


def test_every_documented_condition_is_held(api: Api) -> None:
    conditional = [
        (path, operation["operationId"])
        for method, path, operation in operations(api.document)
        if any(parameter["name"] == "If-Match" for parameter in operation["parameters"])
    ]
    assert conditional
    for template, operation_id in conditional:
        made = world(api, "private")
        owner = str(made.tokens["owner"])
        path = template.format(game=made.game)
        body = body_for(api, operation_id, made, "owner")
        seq = seq_of(api, owner, f"/v1/games/{made.game}")
        for given in (f'W/"{seq}"', f'"{seq + 1}","{seq - 1}"'):
            problem = api.refused(412, "stale", "POST", path, owner, body, headers={"If-Match": given})
            assert problem["seq"] == seq
        assert seq_of(api, owner, f"/v1/games/{made.game}") == seq
