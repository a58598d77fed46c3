"""Records of whole games: out of one place and into another, and what is no record."""

from copy import deepcopy
from typing import Any

import pytest

from api.games import LATEST
from tests.http.client import Api

TRANSCRIPT = {"Accept": "text/plain"}


@pytest.fixture(scope="module")
def finished(api: Api) -> dict[str, Any]:
    """The record of a short game that the service dealt, with a takeback in it."""
    key = api.new_key()
    game = api.new_game(key, config={"target": 1})
    api.play(game["id"], key, 5)
    api.ok("POST", f"/v1/games/{game['id']}/takeback", key, {"to": 4})
    assert api.play(game["id"], key, 200)["status"] == "finished"
    record: dict[str, Any] = api.ok("GET", f"/v1/games/{game['id']}/record", key)
    return record


def test_record_has_all_of_a_game(api: Api, finished: dict[str, Any]) -> None:
    assert finished["format"] == "tricklog/1"
    assert [event["type"] for event in finished["events"][:2]] == ["draw", "deal"]
    assert "takeback" in {event["type"] for event in finished["events"]}
    assert finished["result"]["winners"]
    assert len(finished["seed"]) == 64


@pytest.mark.parametrize("ruleset", LATEST.values(), ids=LATEST)
def test_record_comes_back_as_the_same_game(api: Api, key: str, ruleset: Any) -> None:
    names = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Fay"][: ruleset.seats[-1]]
    for over in (False, True):
        game = api.new_game(key, ruleset.id, players=names)
        path = f"/v1/games/{game['id']}"
        api.play(game["id"], key, 30)
        if over:
            api.ok("POST", f"{path}/abandon", key, {"reason": "Late."})
        record = api.ok("GET", f"{path}/record", key)
        other = api.new_key()
        made = api.ok("POST", "/v1/records", other, record)
        assert made["origin"] == game["id"]
        assert made["id"] != game["id"]
        assert made["visibility"] == "private"
        assert len(set(made["seat_tokens"])) == len(names)
        new = f"/v1/games/{made['id']}"
        assert api.ok("GET", f"{new}/ledger?view=table", other) == api.ok("GET", f"{path}/ledger?view=table", key)
        again = api.ok("GET", f"{new}/record", other)
        if over:
            # it is still the record of the game that it was made under
            assert again == record
            assert api.ok("GET", f"{new}/audit", other) == api.ok("GET", f"{path}/audit", key)
        else:
            assert [unsealed(each) for each in again["events"]] == [unsealed(each) for each in record["events"]]
        api.refused(404, "not-found", "GET", new, key)
        assert api.ok("GET", f"{new}/state", made["seat_tokens"][0])["seq"] == len(record["events"])


def unsealed(event: dict[str, Any]) -> dict[str, Any]:
    """An event without what binds it to its own game."""
    return {name: value for name, value in event.items() if name not in ("digest", "salt")}


def test_record_goes_in_as_often_as_it_is_sent(api: Api, key: str, finished: dict[str, Any]) -> None:
    ids = {api.ok("POST", "/v1/records", key, finished)["id"] for _ in range(3)}
    assert len(ids) == 3


def test_running_game_goes_on_where_it_was_taken(api: Api, key: str) -> None:
    game = api.new_game(key, dealer="client", config={"first_dealer": 0, "jokers": False})
    pack = [rank + suit for suit in "cdhs" for rank in "23456789TJQKA" if rank + suit != "2c"]
    deal = {"type": "deal", "hands": [pack[seat::3] for seat in range(3)]}
    api.ok("POST", f"/v1/games/{game['id']}/moves", key, {"moves": [deal]})
    record = api.ok("GET", f"/v1/games/{game['id']}/record", key)
    made = api.ok("POST", "/v1/records", key, record)
    assert api.play(made["id"], key, 5)["seq"] == 6


def test_record_by_hand_may_leave_out_what_only_services_know(api: Api, key: str) -> None:
    record = {
        "format": "tricklog/1",
        "ruleset": "quadruple-war",
        "version": 1,
        "config": {"jokers": False, "first_dealer": 1},
        "players": ["Ada", "Ben"],
        "dealer": "client",
        "events": [],
    }
    made = api.ok("POST", "/v1/records", key, record)
    assert "origin" not in made
    assert made["config"]["target"] == 500


def test_transcript_is_for_people(api: Api, key: str) -> None:
    game = api.new_game(key, config={"target": 1, "first_dealer": 0}, visibility="public")
    path = f"/v1/games/{game['id']}/record"
    api.play(game["id"], key, 200)
    response = api.call("GET", path, headers=TRANSCRIPT)
    assert response.content_type == "text/plain; charset=utf-8"
    text = response.get_data(as_text=True)
    for word in ("Quadruple War", "Ada", "Ben bids 1", "quadruple-war.score.made", game["id"]):
        assert word in text


def change(record: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    changed = deepcopy(record)
    *way, last = path.split(".")
    at: Any = changed
    for part in way:
        at = at[int(part)] if part.isdigit() else at[part]
    if value is REMOVED:
        del at[last]
    else:
        at[int(last) if last.isdigit() else last] = value
    return changed


REMOVED = object()


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        pytest.param("format", "tricklog/2", "format", id="another format"),
        pytest.param("format", REMOVED, "format", id="no format"),
        pytest.param("ruleset", "bridge", "ruleset", id="ruleset unknown"),
        pytest.param("version", 2, "ruleset", id="version unknown"),
        pytest.param("version", "1", "version", id="version no number"),
        pytest.param("version", 10**9, "version", id="version beyond all"),
        pytest.param("players", ["Ada"], "players", id="too few players"),
        pytest.param("players", ["Ada", "Ben", 3], "players.2", id="a player that is a number"),
        pytest.param("config", {"target": 0}, "config.target", id="option out of range"),
        pytest.param("config", None, "config", id="no config"),
        pytest.param("dealer", "nobody", "dealer", id="dealer unknown"),
        pytest.param("dealer", "client", "seed", id="a seed of nobody's"),
        pytest.param("events", {}, "events", id="no list of events"),
        pytest.param("events.3", "bid", "events.3", id="an event that is a text"),
        pytest.param("events.3", {"seat": 1}, "events.3", id="an event without a type"),
        pytest.param("events.3.at", "yesterday", "events.3.at", id="a time that is none"),
        pytest.param("events.3.at", 5, "events.3.at", id="a time that is a number"),
        pytest.param("events.3.at", "2026-01-01T00:00:00", "events.3.at", id="a time of nowhere"),
        pytest.param("events.3.at", "0001-01-01T00:00:00+23:59", "events.3.at", id="a time before all time"),
        pytest.param("seed", "00" * 32, "seed", id="another seed"),
        pytest.param("seed", "00", "seed", id="a seed too short"),
        pytest.param("commitment", "xyz", "commitment", id="no commitment"),
        pytest.param("result", {"totals": [1, 2, 3], "winners": [0]}, "result", id="other totals"),
        pytest.param("result", {"totals": [1, 2, 3]}, "result.winners", id="half a result"),
        pytest.param("game", 7, "game", id="an id that is a number"),
        pytest.param("game", "x" * 100, "game", id="an id beyond all"),
        pytest.param("salt", "00", "salt", id="a field unknown"),
    ],
)
def test_what_is_no_record(api: Api, key: str, finished: dict[str, Any], path: str, value: Any, field: str) -> None:
    problem = api.refused(422, "invalid-request", "POST", "/v1/records", key, change(finished, path, value))
    assert problem["errors"].keys() == {field}
    assert api.ok("GET", "/v1/games", key) == {"games": []}


@pytest.mark.parametrize(
    ("path", "value", "rule", "index"),
    [
        pytest.param("events.2.tricks", 0, "quadruple-war.bid", 2, id="a bid of nothing"),
        pytest.param("events.2.seat", "2", "common.shape", 2, id="a seat that is a text"),
        pytest.param("events.2.seat", 9, "common.shape", 2, id="a seat that there is not"),
        pytest.param("events.2", {"type": "abandon", "reason": "Late."}, "common.over", 3, id="more after the end"),
        pytest.param("events.2.why", 1, "common.shape", 2, id="a field unknown"),
        pytest.param("events.0.cards", ["2h", "2h", "3h"], "common.deal", 0, id="a card twice"),
        pytest.param("events.0.cards", ["2h", "4h", "3h"], "common.deal", 0, id="other cards than the seed's"),
        pytest.param("events.2", {"type": "nap"}, "common.shape", 2, id="an event unknown"),
    ],
)
def test_record_that_the_rules_refuse(
    api: Api, key: str, finished: dict[str, Any], path: str, value: Any, rule: str, index: int
) -> None:
    problem = api.refused(422, "illegal-move", "POST", "/v1/records", key, change(finished, path, value))
    assert (problem["rule"], problem["index"]) == (rule, index)
    assert api.ok("GET", "/v1/games", key) == {"games": []}
