"""The page without a game: records from files, and the games of a key."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.viewer.viewer import SEATS, Site, Viewer


def opened(viewer: Viewer, record: Any, tmp_path: Path) -> None:
    """Chooses a record's file on the page without a game."""
    file = tmp_path / "record.json"
    file.write_text(record if isinstance(record, str) else json.dumps(record))
    viewer.page.goto(f"{viewer.site.base}/replay")
    viewer.page.set_input_files("#file", file)


@pytest.mark.parametrize("ruleset", SEATS)
def test_record_from_a_file_is_replayed_and_audited(site: Site, viewer: Viewer, ruleset: str, tmp_path: Path) -> None:
    record = site.owner.get(f"/v1/games/{site.games[ruleset]['id']}/record")
    games = len(site.owner.get("/v1/games?limit=1000")["games"])
    opened(viewer, record, tmp_path)
    viewer.page.wait_for_selector("card-table .plate")
    viewer.settle()
    viewer.press("End")
    viewer.arrive(len(record["events"]))
    viewer.press("1")
    viewer.settle()
    assert viewer.hash()["view"] == "0"
    viewer.tab("proof")
    viewer.page.wait_for_selector("text=everything holds")
    viewer.page.click("text=Verify in this browser")
    viewer.page.wait_for_selector("proof-panel .ok >> text=deal")
    assert viewer.page.locator("proof-panel .bad").count() == 0
    viewer.tab("score")
    totals = viewer.page.locator("score-sheet .totals td").all_inner_texts()
    assert totals == [str(total) for total in record["result"]["totals"]]
    assert len(site.owner.get("/v1/games?limit=1000")["games"]) == games


def test_record_with_a_move_against_the_rules_is_replayed_as_far_as_it_goes(
    site: Site, viewer: Viewer, tmp_path: Path
) -> None:
    record = site.owner.get(f"/v1/games/{site.games['thirteen']['id']}/record")
    record["events"][5]["type"] = "win"
    opened(viewer, record, tmp_path)
    viewer.page.wait_for_selector("card-table .plate")
    viewer.settle()
    assert viewer.last == 5
    # it is not one that goes on
    assert viewer.page.inner_text(".status") == "unfinished"
    viewer.press("Home")
    viewer.settle()
    assert not viewer.page.is_visible(".more")
    # a moment of it has an address for as long as the page is there
    viewer.page.evaluate("location.hash = 'at=3'")
    viewer.arrive(3)
    viewer.tab("proof")
    viewer.page.wait_for_selector("text=something does not hold")
    assert viewer.page.locator(".audit .bad").count() >= 1


def test_address_that_is_no_text_is_none_of_a_game(viewer: Viewer) -> None:
    viewer.page.goto(f"{viewer.site.base}/replay/%E0%A4%A")
    viewer.page.wait_for_selector("text=There is no such game to be seen")
    # the browser says of the answer that it is a 404
    viewer.complaints.clear()


def test_record_is_taken_by_drop(site: Site, viewer: Viewer) -> None:
    record = site.owner.get(f"/v1/games/{site.games['soda']['id']}/record")
    viewer.page.goto(f"{site.base}/replay")
    viewer.page.wait_for_selector(".drop")
    viewer.page.evaluate(
        "(text) => { const dataTransfer = new DataTransfer(); dataTransfer.items.add(new File([text], 'record.json'));"
        " const drop = new DragEvent('drop', {dataTransfer, bubbles: true, cancelable: true});"
        " document.querySelector('.drop').dispatchEvent(drop); }",
        json.dumps(record),
    )
    viewer.page.wait_for_selector("card-table .plate")
    viewer.settle()
    assert viewer.last == len(record["events"])


@pytest.mark.parametrize("text", ["no JSON", "{}", '{"format": "tricklog/1"}', "[]", "3"])
def test_what_is_no_record_is_said_to_be_none(viewer: Viewer, text: str, tmp_path: Path) -> None:
    opened(viewer, text, tmp_path)
    viewer.page.wait_for_selector("[role=alert]:not(:empty)")
    # the browser says of the answer that it is refused
    viewer.complaints.clear()


def test_demonstration_games_are_offered(site: Site, viewer: Viewer) -> None:
    listed = {"games": [{"id": site.games["soda"]["id"], "ruleset": "soda"}]}
    viewer.page.route("**/v1/demonstrations", lambda route: route.fulfill(json=listed))
    viewer.page.goto(f"{site.base}/replay")
    assert viewer.page.get_attribute(".shown a", "href") == f"/replay/{site.games['soda']['id']}"
    assert viewer.page.inner_text(".shown a") == "Soda"


def test_games_of_a_key_are_listed_searched_and_opened(site: Site, viewer: Viewer) -> None:
    named = site.owner.make("thirteen", 2, players=["Zoë", "Yan"])
    viewer.page.goto(f"{site.base}/replay")
    viewer.page.fill("#key", site.key)
    viewer.page.click("text=Find games")
    viewer.page.wait_for_selector(".games li")
    assert viewer.page.locator(".games li").count() >= len(SEATS) + 1
    viewer.page.fill("#player", "Zoë")
    viewer.page.click("text=Find games")
    viewer.page.wait_for_function("() => document.querySelectorAll('.games li').length === 1")
    viewer.page.select_option("#ruleset", "kraken")
    viewer.page.click("text=Find games")
    viewer.page.wait_for_selector("text=No game is like that.")
    viewer.page.select_option("#ruleset", "thirteen")
    viewer.page.select_option("#status", "running")
    viewer.page.click("text=Find games")
    viewer.page.click(".games a")
    viewer.page.wait_for_selector("card-table .plate")
    viewer.settle()
    assert viewer.page.url.partition("#")[0] == f"{site.base}/replay/{named['id']}"
    # the key stays on the page
    assert site.key not in viewer.page.url
    assert all(site.key not in request.url for request in viewer.asked)


def test_wrong_key_is_said_to_be_wrong(site: Site, viewer: Viewer) -> None:
    viewer.page.goto(f"{site.base}/replay")
    viewer.page.fill("#key", "tlk_1_wrong")
    viewer.page.click("text=Find games")
    viewer.page.wait_for_selector("[role=alert]:not(:empty)")
    viewer.complaints.clear()
