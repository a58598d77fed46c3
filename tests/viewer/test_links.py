"""Links to a moment and a view, tokens in them, what a seat's page is given, and frames on other pages."""

import json
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.games.playing import whole
from tests.viewer.viewer import SEATS, Site, Viewer, cards_in, hands_of


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing about it."""

    def log_message(self, *_: object) -> None:
        pass


def running(site: Site, ruleset: str, moves: int = 12) -> dict[str, Any]:
    """A private game under way, with an odd name among its players."""
    seats = SEATS[ruleset][0]
    players = ["<img src=x onerror=alert(1)>", *(f"Player {seat}" for seat in range(1, seats))]
    game = site.owner.make(ruleset, seats, players=players)
    site.owner.play(game["id"], Random(5), moves)
    return game


@pytest.mark.parametrize("ruleset", SEATS)
def test_link_leads_to_an_event_and_a_seat(site: Site, viewer: Viewer, ruleset: str) -> None:
    game = site.games[ruleset]["id"]
    viewer.open(game, "at=9&view=1")
    assert viewer.at == 9
    assert viewer.page.input_value("select[aria-label=View]") == "1"
    assert set(site.frames(game, "1")[9]["state"]["hands"][1]["cards"]) <= viewer.faces
    viewer.page.evaluate("location.hash = location.hash.replace('at=9', 'at=11').replace('view=1', 'view=0')")
    viewer.arrive(11)
    viewer.settle()
    assert viewer.page.input_value("select[aria-label=View]") == "0"
    viewer.press("ArrowRight")
    viewer.settle()
    assert (viewer.hash()["at"], viewer.hash()["view"]) == ("12", "0")
    viewer.page.reload()
    viewer.page.wait_for_selector("card-table .plate")
    viewer.settle()
    assert viewer.at == 12


@pytest.mark.parametrize("ruleset", SEATS)
def test_seats_page_holds_and_is_given_no_card_that_it_may_not_know(site: Site, viewer: Viewer, ruleset: str) -> None:
    game = running(site, ruleset)
    token = game["seat_tokens"][1]
    viewer.open(game["id"], "at=1", token)
    viewer.press("End")
    viewer.tab("score")
    viewer.tab("log")
    viewer.settle()
    assert viewer.page.locator("select[aria-label=View] option").evaluate_all(
        "(all) => all.map(({value}) => value)"
    ) == [
        "public",
        "1",
    ]
    viewer.press("1")
    viewer.press("3")
    viewer.press("0")
    viewer.settle()
    assert viewer.hash()["view"] == "1"
    whole_table = site.owner.get(f"/v1/games/{game['id']}/state?view=table")
    its_own = site.owner.as_(token)
    known = cards_in(its_own.get(f"/v1/games/{game['id']}/events")) | cards_in(
        its_own.get(f"/v1/games/{game['id']}/state")
    )
    hidden = set(hands_of(whole_table)) - known - cards_in(game["config"])
    assert hidden
    assert viewer.faces <= known
    shown = viewer.page.evaluate(
        "[...document.querySelectorAll('use')].filter((use) => !use.closest('.sprite'))"
        ".map((use) => use.getAttribute('href'))"
    )
    assert not {f"#c-{card}" for card in hidden} & set(shown)
    games = [answer for answer in viewer.given if f"/games/{game['id']}" in answer.url]
    assert len(games) >= 3
    for answer in games:
        if answer.ok and "follow=true" not in answer.url:
            assert not cards_in(answer.json()) & hidden, answer.url


def test_token_is_sent_in_a_header_and_stands_in_no_address(site: Site, viewer: Viewer) -> None:
    game = running(site, "thirteen")
    token = game["seat_tokens"][2]
    viewer.open(game["id"], "at=3", token)
    assert viewer.hash() == {"at": "3", "view": "2"}
    # this tab may load the page again
    viewer.page.reload()
    viewer.page.wait_for_selector("card-table .plate")
    viewer.settle()
    assert viewer.hash() == {"at": "3", "view": "2"}
    assert any(request.headers.get("authorization") == f"Bearer {token}" for request in viewer.asked)
    for request in viewer.asked:
        assert token not in request.url.partition("#")[0]
        assert token not in request.headers.get("referer", "")
    viewer.tab("share")
    link = viewer.page.input_value("#link")
    assert link == f"{site.base}/replay/{game['id']}#at=3&view=2"
    assert token not in viewer.page.input_value("#frame")
    viewer.page.check("#with-token")
    assert viewer.page.input_value("#link") == f"{link}&token={token}"


def test_links_and_frames_are_copied_and_files_taken_away(site: Site, viewer: Viewer) -> None:
    game = site.games["wodka"]["id"]
    viewer.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    viewer.open(game, "at=4&view=public")
    viewer.tab("share")
    viewer.page.click("text=Copy the link")
    viewer.page.wait_for_selector("text=Copied.")
    assert viewer.page.evaluate("navigator.clipboard.readText()") == f"{site.base}/replay/{game}#at=4&view=public"
    viewer.page.click("text=Copy the iframe")
    viewer.page.wait_for_function("async () => (await navigator.clipboard.readText()).startsWith('<iframe src=')")
    with viewer.page.expect_download() as taken:
        viewer.page.click("text=Download the record")
    assert json.loads(Path(taken.value.path()).read_bytes()) == site.owner.get(f"/v1/games/{game}/record")
    with viewer.page.expect_download() as taken:
        viewer.page.click("text=Download the transcript")
    assert Path(taken.value.path()).read_text().startswith("Wodka")


def test_page_of_another_site_may_frame_it(site: Site, viewer: Viewer, tmp_path: Path) -> None:
    public = site.owner.make("thirteen", 3, visibility="public")
    frame = f'<iframe src="{site.base}/replay/{public["id"]}#at=1" width="700" height="500"></iframe>'
    (tmp_path / "index.html").write_text(f"<!doctype html><link rel=icon href=data:,>{frame}")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path)) as other:
        Thread(target=other.serve_forever).start()
        viewer.page.goto(f"http://127.0.0.1:{other.server_port}/")
        viewer.page.frame_locator("iframe").locator("card-table .plate").first.wait_for()
        other.shutdown()


def test_names_never_become_markup(site: Site, viewer: Viewer) -> None:
    game = running(site, "wodka")
    viewer.open(game["id"], "at=3")
    for tab in ("score", "proof", "share", "log"):
        viewer.tab(tab)
    assert viewer.page.locator(".plate .name").first.text_content() == "<img src=x onerror=alert(1)>"
    assert viewer.page.locator("img").count() == 0


def test_game_that_is_not_to_be_seen_asks_for_a_token(site: Site, browser: Browser) -> None:
    game = running(site, "soda")
    with Viewer.opened(site, browser) as viewer:
        viewer.page.goto(f"{site.base}/replay/{game['id']}")
        viewer.page.fill("#token", game["seat_tokens"][0])
        # the browser says of every answer that it is a 404
        viewer.complaints.clear()
        viewer.page.click("text=Open >> nth=0")
        viewer.page.wait_for_selector("card-table .plate")
        viewer.settle()
        assert "token" not in viewer.hash()


def test_link_with_a_token_may_follow_in_the_same_tab(site: Site, browser: Browser) -> None:
    game = running(site, "soda")
    token = game["seat_tokens"][1]
    with Viewer.opened(site, browser) as viewer:
        viewer.page.goto(f"{site.base}/replay/{game['id']}")
        viewer.page.wait_for_selector("#token")
        viewer.complaints.clear()
        for _ in range(2):
            # and once more, when nothing has to be fetched anew
            viewer.page.evaluate("(token) => { location.hash = `at=3&token=${token}` }", token)
            viewer.page.wait_for_selector("card-table .plate")
            viewer.arrive(3)
            viewer.page.wait_for_function("!location.hash.includes('token')")
        viewer.settle()


def test_who_steps_back_while_much_is_new_stays_there(site: Site, viewer: Viewer) -> None:
    game = site.owner.make("thirteen", 3)
    viewer.open(game["id"])
    start = viewer.last
    viewer.page.route("**/v1/games/*", lambda route: route.abort())
    play(site, game["id"], 8)
    viewer.page.unroute("**/v1/games/*")
    play(site, game["id"], 1)
    viewer.page.wait_for_function("(seq) => document.querySelector('replay-viewer').at > seq", arg=start)
    viewer.press("Home")
    viewer.page.wait_for_timeout(1500)
    assert viewer.at == 0


def test_running_game_is_followed(site: Site, viewer: Viewer) -> None:
    game = running(site, "quadruple-war", 8)
    viewer.open(game["id"])
    start = viewer.at
    assert start == viewer.last
    assert viewer.page.inner_text(".status") == "live"
    play(site, game["id"], 2)
    viewer.arrive(start + 2)
    # who has stepped back stays there, and sees that there is more
    viewer.press("Home")
    play(site, game["id"], 1)
    viewer.page.wait_for_selector(f"text={start + 3} more, live")
    assert viewer.at == 0
    viewer.page.click(".more")
    viewer.arrive(start + 3)
    play(site, game["id"], 1)
    viewer.arrive(start + 4)
    site.owner.post(f"/v1/games/{game['id']}/abandon", {"reason": "It is late."})
    viewer.page.wait_for_selector(".status.abandoned")
    viewer.arrive(start + 5)
    viewer.settle()
    assert viewer.page.locator("select[aria-label=View] option").count() == 2 + len(game["players"])


def play(site: Site, game: str, moves: int) -> None:
    for _ in range(moves):
        seat = site.owner.get(f"/v1/games/{game}")["to_act"][0]
        listed = site.owner.get(f"/v1/games/{game}/legal-moves?seat={seat}")["moves"]
        site.owner.post(f"/v1/games/{game}/moves", {"moves": [{"seat": seat, **whole(listed[0], Random(1))}]})


def test_game_is_followed_from_before_its_first_event(site: Site, viewer: Viewer) -> None:
    game = site.owner.make("thirteen", 3, client_seeds="owner")
    viewer.open(game["id"])
    assert (viewer.at, viewer.last) == (0, 0)
    site.owner.post(f"/v1/games/{game['id']}/client-seed", {"seed": "heads"})
    viewer.arrive(1)
    assert viewer.backs == 39


def test_what_is_taken_back_is_struck_out(site: Site, viewer: Viewer) -> None:
    game = running(site, "quadruple-war", 8)
    seq = site.owner.get(f"/v1/games/{game['id']}")["seq"]
    viewer.open(game["id"])
    site.owner.post(f"/v1/games/{game['id']}/takeback", {"to": seq - 2})
    viewer.arrive(seq + 1)
    viewer.page.wait_for_selector(f"text=Taken back by event {seq + 1}.")
    assert viewer.page.locator("game-log li.retracted").count() == 2
