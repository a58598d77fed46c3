"""Frames of records that are sent in, and the words of frames."""

from copy import deepcopy
from typing import Any

import pytest

from tests.http.client import Api

Over = tuple[str, dict[str, Any]]
"""The path of a game that is over, and its record."""


def finished(api: Api, key: str, ruleset: str = "quadruple-war", **options: Any) -> Over:
    """A game that is over."""
    config = {"target": 1, "first_dealer": 0} if ruleset == "quadruple-war" else {}
    game = api.new_game(key, ruleset, **{"config": config, "visibility": "public", **options})
    path = f"/v1/games/{game['id']}"
    if api.play(game["id"], key, 60)["status"] == "running":
        api.ok("POST", f"{path}/abandon", key, {"reason": "Late."})
    return path, api.ok("GET", f"{path}/record", key)


@pytest.fixture(scope="module")
def over(api: Api) -> Over:
    """One that is only looked at."""
    return finished(api, api.new_key())


def replayed(api: Api, record: Any, query: str = "", **more: Any) -> Any:
    response = api.call("POST", f"/v1/replays{query}", None, {"record": record, **more})
    assert response.status_code == 200, response.get_data(as_text=True)
    return response.get_json()


def test_a_record_is_shown_as_its_game_is(api: Api, key: str) -> None:
    for ruleset in ("quadruple-war", "soda", "thirteen"):
        path, record = finished(api, key, ruleset)
        for view in ("public", "0", "table"):
            seen = replayed(api, record, f"?view={view}")
            assert seen["frames"] == api.ok("GET", f"{path}/replay?view={view}")["frames"]
            assert seen["ledger"] == api.ok("GET", f"{path}/ledger?view={view}")
        shown = replayed(api, record)
        assert shown["frames"] == api.ok("GET", f"{path}/replay?view=table")["frames"]
        game = api.ok("GET", path)
        assert shown["game"] == {
            name: value for name, value in game.items() if name not in ("visibility", "created_at", "updated_at")
        }
        assert shown["audit"] == api.ok("POST", "/v1/audits", key, {"record": record})


def test_receipts_are_audited_with_it(api: Api, over: Over) -> None:
    _, record = over
    assert replayed(api, record, receipts=["a.b.c"])["audit"]["ok"] is False


def test_it_comes_in_parts(api: Api, over: Over) -> None:
    _, record = over
    whole = replayed(api, record)["frames"]
    part = replayed(api, record, "?from=3&to=7")
    assert (part["frames"], part["next"]) == (whole[2:7], 8)
    assert replayed(api, record, f"?from={len(whole) + 1}")["frames"] == []
    for query, field in (("?from=2000", "from"), ("?to=2000", "to"), ("?from=5&to=3", "to"), ("?view=3", "view")):
        problem = api.refused(422, "invalid-request", "POST", f"/v1/replays{query}", None, {"record": record})
        assert list(problem["errors"]) == [field]


def test_nothing_is_stored(api: Api, key: str, over: Over) -> None:
    _, record = over
    before = api.ok("GET", "/v1/games", key)
    replayed(api, record)
    assert api.ok("GET", "/v1/games", key) == before


def test_a_record_by_hand_needs_no_times_or_digests(api: Api, over: Over) -> None:
    _, record = over
    events = [
        {name: value for name, value in event.items() if name not in ("at", "digest", "salt")}
        for event in record["events"]
    ]
    bare = {name: record[name] for name in ("format", "ruleset", "version", "config", "players")}
    shown = replayed(api, {**bare, "dealer": "client", "events": events}, "?view=public")
    assert not {"at", "digest"} & shown["frames"][0]["event"].keys()
    assert "id" not in shown["game"]
    assert shown["game"]["status"] == "finished"


def test_a_running_game_is_shown_without_seed_and_salts(api: Api, key: str) -> None:
    game = api.new_game(key)
    api.play(game["id"], key, 2)
    record = api.ok("GET", f"/v1/games/{game['id']}/record", key)
    shown = replayed(api, record)
    assert (shown["game"]["status"], len(shown["frames"])) == ("running", len(record["events"]))
    assert "seed" not in shown["game"]


def test_a_false_record_is_shown_as_far_as_it_is_true(api: Api, over: Over) -> None:
    _, record = over
    false = deepcopy(record)
    plays = [(place, event) for place, event in enumerate(false["events"]) if event["type"] == "play"]
    place, first = plays[0]
    first["card"] = plays[1][1]["card"]
    shown = replayed(api, false)
    assert len(shown["frames"]) == shown["game"]["seq"] == shown["ledger"]["seq"] == place
    assert {"check": "moves", "ok": False, "event": place + 1, "rule": "common.holds"}.items() <= next(
        check for check in shown["audit"]["checks"] if check["check"] == "moves"
    ).items()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"players": ["", "Ben", "Cem"]}, "record.players.0"),
        ({"players": ["Ann", "Ben\n", "Cem"]}, "record.players.1"),
        ({"game": "x" * 65}, "record.game"),
    ],
)
def test_what_it_shows_are_lines_of_text(api: Api, over: Over, change: dict[str, Any], field: str) -> None:
    _, record = over
    problem = api.refused(422, "invalid-request", "POST", "/v1/replays", None, {"record": {**record, **change}})
    assert list(problem["errors"]) == [field]


@pytest.mark.parametrize("reason", ["", "two\nlines", "x" * 501])
def test_a_game_is_abandoned_for_a_reason_in_a_line(api: Api, key: str, reason: str) -> None:
    _, record = finished(api, key)
    false = {name: record[name] for name in ("format", "ruleset", "version", "config", "players")}
    false |= {"dealer": "client", "events": [{"type": "abandon", "reason": reason}]}
    shown = replayed(api, false)
    assert shown["frames"] == []
    assert "common.shape" in [check.get("rule") for check in shown["audit"]["checks"]]
    api.refused(422, "illegal-move", "POST", "/v1/records", key, false)
    # what looks like a card is none
    false["events"][0]["reason"] = "7c"
    assert replayed(api, false)["frames"][0]["text"][0] == "The owner abandons the game: 7c."


@pytest.mark.parametrize(
    ("change", "field"),
    [({"ruleset": "bridge"}, "ruleset"), ({"players": ["Ann"]}, "players"), ({"events": [{"type": 1}]}, "events.0")],
)
def test_what_is_no_record_is_refused(api: Api, over: Over, change: dict[str, Any], field: str) -> None:
    _, record = over
    problem = api.refused(422, "invalid-request", "POST", "/v1/replays", None, {"record": {**record, **change}})
    assert list(problem["errors"]) == [field]


def test_frames_are_told_in_words_that_fit_the_view(api: Api, key: str) -> None:
    path, _ = finished(api, key, players=["Ann", "<i>Ben</i>", "Cleo"])
    table, public = (api.ok("GET", f"{path}/replay?view={view}")["frames"] for view in ("table", "public"))
    assert public[0]["text"] == ["The cards are dealt."]
    assert table[0]["text"][0].startswith("The cards are dealt; Ann: ")
    assert public[1]["text"] == ["<i>Ben</i> bids 1."]
    assert public[-1]["text"][-1].startswith("The game is over")
