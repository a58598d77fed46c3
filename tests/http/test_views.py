"""Looking at games: pages of the record, states of any moment, score sheets, frames, lists."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from api.games import LATEST
from tests.http.client import Api

NDJSON = {"Accept": "application/x-ndjson"}


@pytest.fixture
def played(api: Api, key: str) -> str:
    """The path of a game with ten moves in it."""
    game = api.new_game(key, config={"first_dealer": 0}, visibility="public")
    assert api.play(game["id"], key, 10)["seq"] == 11
    return f"/v1/games/{game['id']}"


def test_events_come_in_pages(api: Api, key: str, played: str) -> None:
    whole = api.ok("GET", f"{played}/events", key)
    assert [event["seq"] for event in whole["events"]] == list(range(1, 12))
    assert "next" not in whole
    events, after = [], 0
    for size in (4, 4, 3):
        page = api.ok("GET", f"{played}/events?after={after}&limit=4", key)
        assert len(page["events"]) == size
        events += page["events"]
        after = page.get("next")
    assert after is None
    assert events == whole["events"]
    assert api.ok("GET", f"{played}/events?after=11", key) == {"events": []}


def test_events_as_lines(api: Api, key: str, played: str) -> None:
    whole = api.ok("GET", f"{played}/events", key)["events"]
    response = api.call("GET", f"{played}/events", key, headers=NDJSON)
    assert response.mimetype == "application/x-ndjson"
    assert [json.loads(line) for line in response.data.splitlines()] == whole
    response = api.call("GET", f"{played}/events?after=9", key, headers=NDJSON)
    assert [json.loads(line)["seq"] for line in response.data.splitlines()] == [10, 11]
    response = api.call("GET", f"{played}/events?after=2&limit=3", key, headers=NDJSON)
    assert [json.loads(line)["seq"] for line in response.data.splitlines()] == [3, 4, 5]
    assert api.call("GET", f"{played}/events?after=11", key, headers=NDJSON).data == b""


def test_lines_are_not_limited_as_pages_are(api: Api, key: str) -> None:
    game = api.new_game(key)
    for _ in range(60):
        api.play(game["id"], key, 1)
        api.ok("POST", f"/v1/games/{game['id']}/takeback", key, {"to": 2})
    page = api.ok("GET", f"/v1/games/{game['id']}/events", key)
    assert len(page["events"]) == 100
    assert page["next"] == 100
    assert len(api.call("GET", f"/v1/games/{game['id']}/events", key, headers=NDJSON).data.splitlines()) == 122


def test_state_at_every_moment_is_what_the_frames_show(api: Api, key: str, played: str) -> None:
    for view in ("public", "1", "table"):
        frames = api.ok("GET", f"{played}/replay?view={view}", key)["frames"]
        events = api.ok("GET", f"{played}/events?view={view}", key)["events"]
        assert [frame["event"] | {"effects": frame["effects"]} for frame in frames] == events
        for frame in frames:
            seq = frame["event"]["seq"]
            state = api.ok("GET", f"{played}/state?view={view}&at={seq}", key)
            assert state == frame["state"]
            assert state["seq"] == seq
        assert frames[-1]["state"] == api.ok("GET", f"{played}/state?view={view}", key)


def test_state_at_the_very_beginning(api: Api, key: str, played: str) -> None:
    state = api.ok("GET", f"{played}/state?at=0&view=table", key)
    assert (state["seq"], state["phase"], state["round"], state["dealer"]) == (0, "deal", 1, 0)
    assert state["chance"] == {"type": "deal", "hands": [18, 18, 18]}
    assert [hand["count"] for hand in state["hands"]] == [0, 0, 0]


def test_everything_at_a_moment_is_of_that_moment(api: Api, key: str, played: str) -> None:
    assert api.ok("POST", f"{played}/abandon", key, {"reason": "Late."})["seq"] == 12
    assert api.ok("GET", f"{played}/state?at=11", key)["status"] == "running"
    assert api.ok("GET", f"{played}/state", key)["status"] == "abandoned"
    assert api.ok("GET", f"{played}/ledger?at=5", key)["seq"] == 5


def test_legal_moves_now_and_earlier(api: Api, key: str, played: str) -> None:
    bids = api.ok("GET", f"{played}/legal-moves?seat=1&at=1", key)
    assert bids == {"seq": 1, "seat": 1, "moves": [{"type": "bid", "tricks": n} for n in range(1, 19)]}
    assert api.ok("GET", f"{played}/legal-moves?seat=2&at=1", key)["moves"] == []
    to_act = api.ok("GET", played, key)["to_act"][0]
    now = api.ok("GET", f"{played}/legal-moves?seat={to_act}", key)
    assert now["seq"] == 11
    assert {move["type"] for move in now["moves"]} == {"play"}


def test_legal_moves_of_a_seat(api: Api, key: str) -> None:
    game = api.new_game(key, config={"first_dealer": 0}, visibility="public")
    path = f"/v1/games/{game['id']}/legal-moves"
    assert api.ok("GET", path, game["seat_tokens"][1])["seat"] == 1
    assert api.ok("GET", f"{path}?seat=1", game["seat_tokens"][1])["moves"]
    assert api.ok("GET", path, game["seat_tokens"][2])["moves"] == []
    api.refused(403, "forbidden", "GET", f"{path}?seat=1", game["seat_tokens"][2])
    api.refused(401, "unauthorized", "GET", f"{path}?seat=1")


def test_frames_from_and_to(api: Api, key: str, played: str) -> None:
    def seqs(query: str) -> list[int]:
        return [frame["event"]["seq"] for frame in api.ok("GET", f"{played}/replay?{query}", key)["frames"]]

    assert seqs("from=10") == [10, 11]
    assert seqs("from=3&to=4") == [3, 4]
    assert seqs("to=2") == [1, 2]
    assert seqs("from=11&to=11") == [11]
    assert seqs("from=12") == []
    assert api.ok("GET", f"{played}/replay?to=4", key)["next"] == 5
    assert "next" not in api.ok("GET", f"{played}/replay?from=5", key)


def test_game_without_events(api: Api, key: str) -> None:
    game = api.new_game(key, dealer="client", config={"first_dealer": 0})
    path = f"/v1/games/{game['id']}"
    assert (game["seq"], game["to_act"]) == (0, [])
    assert game["chance"] == {"type": "deal", "hands": [18, 18, 18]}
    assert "commitment" not in game
    assert api.ok("GET", f"{path}/events", key) == {"events": []}
    assert api.ok("GET", f"{path}/replay", key) == {"frames": []}
    assert api.ok("GET", f"{path}/state?at=0", key)["seq"] == 0
    assert api.ok("GET", f"{path}/ledger", key) == {"seq": 0, "lines": [], "totals": [0, 0, 0], "winners": []}
    assert api.ok("GET", f"{path}/record", key)["events"] == []


@pytest.mark.parametrize("ruleset", LATEST.values(), ids=LATEST)
def test_every_game_is_shown_as_the_document_says(api: Api, key: str, ruleset: Any) -> None:
    names = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Fay"][: ruleset.seats[-1]]
    game = api.new_game(key, ruleset.id, players=names, visibility="public")
    path = f"/v1/games/{game['id']}"
    api.play(game["id"], key, 40, -1)
    for view in ("public", "0", "table"):
        for call in ("state", "events", "ledger", "replay"):
            api.ok("GET", f"{path}/{call}?view={view}", key)
    for seat, token in enumerate(game["seat_tokens"]):
        assert api.ok("GET", f"{path}/legal-moves", token)["seat"] == seat
    api.ok("GET", f"{path}/record", key)


# --- tags -----------------------------------------------------------------------------------------------------------

CALLS = ["", "/state", "/events", "/ledger", "/replay", "/legal-moves?seat=1", "/state?at=3", "/events?limit=2"]


@pytest.mark.parametrize("call", CALLS)
def test_who_has_the_answer_is_told_so(api: Api, key: str, played: str, call: str) -> None:
    first = api.call("GET", played + call, key)
    tag = first.headers["ETag"]
    assert tag.startswith('"')
    assert first.headers["Cache-Control"] == "private, no-cache"
    assert first.headers["Vary"] == "Authorization, Accept"
    for given in (tag, f"W/{tag}", f'"x", {tag}', "*"):
        again = api.call("GET", played + call, key, headers={"If-None-Match": given})
        assert again.status_code == 304
        assert again.headers["ETag"] == tag
        assert "Content-Type" not in again.headers
    for given in ('"x"', "x", ""):
        assert api.call("GET", played + call, key, headers={"If-None-Match": given}).status_code == 200


def test_tag_changes_with_what_it_stands_for(api: Api, key: str, played: str) -> None:
    def tags() -> dict[str, str]:
        return {call: api.call("GET", played + call, key).headers["ETag"] for call in CALLS}

    before = tags()
    api.play(played.rsplit("/", 1)[1], key, 1)
    changed = {call for call, tag in tags().items() if tag != before[call]}
    assert changed == {"", "/state", "/events", "/ledger", "/replay", "/legal-moves?seat=1"}


def test_tag_is_the_views_and_not_the_tokens(api: Api, key: str) -> None:
    game = api.new_game(key, config={"first_dealer": 0}, visibility="public")
    path = f"/v1/games/{game['id']}"
    one, other = game["seat_tokens"][1:]
    for call in ("/state", "/events", "/replay"):

        def tag(view: str, token: str | None, call: str = call) -> str:
            return api.call("GET", f"{path}{call}?view={view}", token).headers["ETag"]

        assert tag("public", one) == tag("public", other) == tag("public", None) == tag("public", key)
        assert tag("1", one) == tag("1", key)
        assert len({tag(view, key) for view in ("public", "0", "1", "2", "table")}) == 5


def test_tag_is_that_of_the_media_type(api: Api, key: str, played: str) -> None:
    lines = api.call("GET", f"{played}/events", key, headers=NDJSON).headers["ETag"]
    assert lines != api.call("GET", f"{played}/events", key).headers["ETag"]
    assert api.call("GET", f"{played}/events", key, headers=NDJSON | {"If-None-Match": lines}).status_code == 304
    assert api.call("GET", f"{played}/events", key, headers={"If-None-Match": lines}).status_code == 200


def test_what_is_not_to_be_had_is_not_unmodified_either(api: Api, key: str, played: str) -> None:
    everything = {"If-None-Match": "*"}
    api.refused(404, "not-found", "GET", played, api.new_key(), headers=everything)
    api.refused(422, "invalid-request", "GET", f"{played}/state?at=99", key, headers=everything)
    api.refused(403, "forbidden", "GET", f"{played}/state?view=1", headers=everything)


# --- lists ----------------------------------------------------------------------------------------------------------


def test_games_are_listed_newest_first_page_by_page(api: Api, key: str) -> None:
    made = [api.new_game(key)["id"] for _ in range(5)][::-1]
    assert [game["id"] for game in api.ok("GET", "/v1/games", key)["games"]] == made
    found, path = [], "/v1/games?limit=2"
    for _ in range(3):
        response = api.call("GET", path, key)
        page = response.get_json()
        found += [game["id"] for game in page["games"]]
        if "next" in page:
            link, relation = response.headers["Link"].split("; ")
            assert relation == 'rel="next"'
            path = link.strip("<>")
            assert f"cursor={page['next']}" in path
            assert "limit=2" in path
        else:
            assert "Link" not in response.headers
    assert found == made


def test_list_shows_each_game_as_it_is(api: Api, key: str) -> None:
    game = api.new_game(key)
    api.play(game["id"], key, 4)
    api.new_game(api.new_key())
    assert api.ok("GET", "/v1/games", key)["games"] == [api.ok("GET", f"/v1/games/{game['id']}", key)]


def test_filters(api: Api, key: str) -> None:
    war = api.new_game(key)
    climb = api.new_game(key, "thirteen", players=["Ada", "Zoë & Co"])
    over = api.new_game(key)
    api.ok("POST", f"/v1/games/{over['id']}/abandon", key, {"reason": "Late."})

    def listed(query: dict[str, str]) -> list[str]:
        return [game["id"] for game in api.ok("GET", "/v1/games", key, query_string=query)["games"]]

    assert listed({"ruleset": "thirteen"}) == [climb["id"]]
    assert listed({"status": "abandoned"}) == [over["id"]]
    assert listed({"status": "running"}) == [climb["id"], war["id"]]
    assert listed({"status": "finished"}) == []
    assert listed({"player": "Zoë & Co"}) == [climb["id"]]
    assert listed({"player": "ada"}) == []
    assert listed({"status": "running", "ruleset": "quadruple-war", "player": "Cleo"}) == [war["id"]]
    assert listed({"since": climb["created_at"]}) == [over["id"], climb["id"]]
    assert listed({"until": climb["created_at"]}) == [war["id"]]
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    assert listed({"since": later}) == []
    assert listed({"since": "0001-01-01T00:00:00+23:59", "until": "9999-12-31T23:59:59-23:59"}) == [
        over["id"],
        climb["id"],
        war["id"],
    ]


def test_filters_stay_in_the_link(api: Api, key: str) -> None:
    for _ in range(3):
        api.new_game(key, "thirteen", players=["Ada", "Zoë & Co"])
    query = {"player": "Zoë & Co", "limit": "1", "status": "running"}
    path: str | None = None
    found = []
    for _ in range(3):
        response = api.call("GET", path or "/v1/games", key, **({} if path else {"query_string": query}))
        found += [game["id"] for game in response.get_json()["games"]]
        path = response.headers.get("Link", "").partition(";")[0].strip("<>")
    assert len(set(found)) == 3
    assert path == ""


def test_cursor_of_another_is_of_no_use(api: Api, key: str) -> None:
    mine, other = api.new_key(), api.new_game(key)["id"]
    api.new_game(mine)
    assert api.ok("GET", f"/v1/games?cursor={other}", mine) == {"games": []}
