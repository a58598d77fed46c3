"""Pictures of the table, and what other sites are told of a game: Open Graph and oEmbed."""

import re
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest

from api.games import LATEST
from api.http import create_app
from tests.http.client import Api
from tests.http.test_access import cards_in
from tests.http.test_viewer import Page, html

NAMES = ['"><script>alert(1)</script>', "Ben & Co", "Cleo\uffff\ufffe"]


def picture(api: Api, path: str, token: str | None = None) -> ET.Element:
    response = api.call("GET", path, token)
    assert response.status_code == 200, response.get_data(as_text=True)
    assert response.mimetype == "image/svg+xml"
    return ET.fromstring(response.data)


def faces(drawn: ET.Element) -> set[str]:
    """The cards that a picture has a face of."""
    ids = {each.get("id", "") for each in drawn.iter()}
    return {each.removeprefix("c-") for each in ids if each.startswith("c-")}


def new_game(api: Api, key: str, ruleset: str, moves: int, **options: Any) -> str:
    seats = max(LATEST[ruleset].seats)
    players = [f"Player {seat}" for seat in range(seats)]
    game: str = api.new_game(key, ruleset, **{"players": players, "visibility": "public", **options})["id"]
    api.play(game, key, moves, -1)
    return f"/v1/games/{game}"


@pytest.mark.parametrize("ruleset", LATEST)
def test_picture_shows_what_its_view_knows_at_each_moment(api: Api, key: str, ruleset: str) -> None:
    path = new_game(api, key, ruleset, 30)
    newest = api.ok("GET", path)["seq"]
    for at in range(0, newest + 1, 5):
        for view in ("public", "1", "table"):
            drawn = picture(api, f"{path}/picture.svg?at={at}&view={view}", key)
            state = api.ok("GET", f"{path}/state?at={at}&view={view}", key)
            known = cards_in(state)
            if at:
                known |= cards_in(api.ok("GET", f"{path}/replay?from={max(1, at - 1)}&to={at}&view={view}", key))
            assert faces(drawn) <= known
            assert {card for hand in state["hands"] for card in hand.get("cards", ())} <= faces(drawn)


def test_picture_needs_nothing_from_elsewhere_and_runs_nothing(api: Api, key: str) -> None:
    path = new_game(api, key, "quadruple-war", 8, players=NAMES)
    response = api.call("GET", f"{path}/picture.svg")
    text = response.get_data(as_text=True)
    drawn = ET.fromstring(text)
    assert {each.tag.partition("}")[2] for each in drawn.iter()} <= {
        *("svg", "title", "desc", "defs", "symbol", "use", "path", "rect", "ellipse", "g", "text")
    }
    links = [value for each in drawn.iter() for name, value in each.attrib.items() if name.endswith("href")]
    assert links
    ids = {each.get("id") for each in drawn.iter()}
    assert {link.removeprefix("#") for link in links} <= ids
    assert not re.search(r"url\(|style=|\son\w+=", text)
    assert (drawn.get("width"), drawn.get("height")) == ("1200", "630")
    told = {each.tag.partition("}")[2]: each.text for each in drawn if each.text}
    assert told["title"] == f"Quadruple War: {NAMES[0]}, Ben & Co, Cleo"
    assert told["desc"].startswith("Round 1, after event ")
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]


def test_trick_that_was_just_taken_is_still_drawn(api: Api, key: str) -> None:
    path = new_game(api, key, "quadruple-war", 40, players=["Ann", "Ben", "Cleo"])
    events = api.ok("GET", f"{path}/events")["events"]
    end = next(event["seq"] for event in events if any(each["type"] == "trick-won" for each in event["effects"]))
    assert faces(picture(api, f"{path}/picture.svg?at={end}")) == {event["card"] for event in events[end - 3 : end]}


def test_picture_is_asked_for_again_by_its_tag(api: Api, key: str) -> None:
    path = new_game(api, key, "thirteen", 3)
    tag = api.call("GET", f"{path}/picture.svg?at=2").headers["ETag"]
    again = {"If-None-Match": tag}
    assert api.call("GET", f"{path}/picture.svg?at=2", headers=again).status_code == 304
    assert api.call("GET", f"{path}/picture.svg?at=3", headers=again).status_code == 200


def test_picture_of_what_a_caller_may_not_see_there_is_none(api: Api, key: str) -> None:
    path = new_game(api, key, "thirteen", 3)
    api.refused(403, "forbidden", "GET", f"{path}/picture.svg?view=table")
    problem = api.refused(422, "invalid-request", "GET", f"{path}/picture.svg?at=1000")
    assert list(problem["errors"]) == ["at"]


# --- other sites ----------------------------------------------------------------------------------------------------


class Frame(HTMLParser):
    """The attributes of the one tag of an embedding."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag == "iframe"
        self.found.append(dict(attrs))


def oembed(api: Api, link: str, more: str = "") -> Any:
    return api.ok("GET", f"/oembed?url={quote(link, safe='')}{more}")


def test_public_game_tells_other_sites_of_its_picture_and_frame(api: Api, key: str) -> None:
    game = new_game(api, key, "quadruple-war", 8, players=NAMES).rpartition("/")[2]
    page = Page(html(api, f"/replay/{game}"))
    image = page.properties["og:image"]
    assert image
    picture(api, image.removeprefix("http://localhost"))
    (found,) = [given["href"] for tag, given in page.tags if given.get("type") == "application/json+oembed"]
    assert found
    told = api.ok("GET", found.removeprefix("http://localhost"))
    assert (told["version"], told["type"]) == ("1.0", "rich")
    (frame,) = Frame(told["html"]).found
    assert frame["src"] == page.properties["og:url"] == f"http://localhost/replay/{game}"
    assert frame["title"] == told["title"] == page.properties["og:title"] == f"Quadruple War: {', '.join(NAMES)}"
    assert told["thumbnail_url"] == image


def test_links_behind_a_proxy_are_those_of_the_proxy(api: Api, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = new_game(api, key, "thirteen", 3)
    link = f"https://games.example/replay/{path.rpartition('/')[2]}"
    monkeypatch.setenv("TRICKLOG_PROXIES", "1")
    app = create_app(api.url)
    headers = {"Host": "games.example", "X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.1"}
    try:
        behind = Api(app, api.url)
        (frame,) = Frame(behind.ok("GET", f"/oembed?url={quote(link, safe='')}", headers=headers)["html"]).found
        page = behind.call("GET", link.removeprefix("https://games.example"), headers=headers)
    finally:
        app.extensions["tricklog"].desk.pool.close()
    assert frame["src"] == link == Page(page.get_data(as_text=True)).properties["og:url"]


def test_frame_is_at_the_moment_of_the_link_and_holds_no_token(api: Api, key: str) -> None:
    path = new_game(api, key, "thirteen", 3)
    link = f"http://localhost/replay/{path.rpartition('/')[2]}"
    (frame,) = Frame(oembed(api, f"{link}?fbclid=1#token=tls_1_0_secret&at=2&view=1\"'<b>")["html"]).found
    assert frame["src"] == f"{link}#at=2&view=1%22%27%3Cb%3E"


def test_frame_is_no_larger_than_asked_for(api: Api, key: str) -> None:
    path = new_game(api, key, "thirteen", 3)
    link = f"http://localhost/replay/{path.rpartition('/')[2]}"
    told = oembed(api, link, "&maxwidth=300&maxheight=5000")
    assert (told["width"], told["height"]) == (300, 600)
    assert told["thumbnail_width"] <= 300
    (frame,) = Frame(told["html"]).found
    assert (frame["width"], frame["height"]) == ("300", "600")
    assert list(api.refused(422, "invalid-request", "GET", f"/oembed?url={link}&format=xml")["errors"]) == ["format"]


def test_there_is_nothing_to_embed_elsewhere_or_of_a_game_that_is_not_public(api: Api, key: str) -> None:
    private = api.new_game(key)["id"]
    public = api.new_game(key, visibility="public")["id"]
    links = (
        f"http://localhost/replay/{private}",
        "http://localhost/replay/0000001000000000",
        f"http://elsewhere.example/replay/{public}",
        f"http://localhost/v1/games/{public}",
        "http://[",
    )
    problems = [api.refused(404, "not-found", "GET", f"/oembed?url={quote(link, safe='')}") for link in links]
    assert problems[0] == problems[1]
    script = f"javascript:alert(1)//http://localhost/replay/{public}"
    refused = api.refused(422, "invalid-request", "GET", f"/oembed?url={quote(script, safe='')}")
    assert refused["errors"].keys() == {"url"}
