"""The replay viewer as it is served: one page for every game, its parts, and what it tells other sites."""

import gzip
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from api.cards import Pack
from api.games import RULESETS
from api.games.rules import read_config
from tests.http.client import Api


class Page(HTMLParser):
    """The start tags of a page, with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    @property
    def properties(self) -> dict[str, str | None]:
        """What it tells by Open Graph."""
        return {given["property"] or "": given["content"] for _, given in self.tags if "property" in given}


def html(api: Api, path: str) -> str:
    response = api.call("GET", path)
    assert response.status_code == 200
    assert response.content_type == "text/html; charset=utf-8"
    return response.get_data(as_text=True)


def parts(api: Api) -> Iterator[str]:
    """The addresses of all that the page loads, and of what its scripts import."""
    found = [
        address
        for tag, given in Page(html(api, "/replay")).tags
        if (address := given.get("src" if tag == "script" else "href")) and tag in ("script", "link")
    ]
    folder = found[0].rpartition("/")[0]
    found.append(f"{folder}/cards.svg")
    for address in found:
        yield address
        if address.endswith(".js"):
            text = api.call("GET", address).get_data(as_text=True)
            for name in re.findall(r"""(?:from|import)\s*\(?\s*["']\./([^"']+)["']""", text):
                if f"{folder}/{name}" not in found:
                    found.append(f"{folder}/{name}")


def test_page_is_the_same_for_every_game_that_is_not_public(api: Api, key: str) -> None:
    private = api.new_game(key)["id"]
    pages = {html(api, path) for path in ("/replay", "/replay/nothing", f"/replay/{private}", "/replay/%3Cscript%3E")}
    assert len(pages) == 1
    (page,) = pages
    assert private not in page


def test_page_allows_itself_nothing_but_its_own_parts(api: Api) -> None:
    response = api.call("GET", "/replay/nothing")
    policy = dict(each.strip().partition(" ")[::2] for each in response.headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "*"
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    assert response.headers["Referrer-Policy"] == "no-referrer"
    page = Page(response.get_data(as_text=True))
    assert all(given.get("src") for tag, given in page.tags if tag == "script")
    assert not [tag for tag, given in page.tags if tag == "style" or any(name.startswith("on") for name in given)]
    assert not [tag for tag, given in page.tags if "style" in given]


@pytest.mark.parametrize("path", ["/docs", "/problems/stale"])
def test_no_other_page_can_be_framed(api: Api, path: str) -> None:
    assert "frame-ancestors 'none'" in api.call("GET", path).headers["Content-Security-Policy"]


def test_page_is_asked_for_again_by_its_tag(api: Api) -> None:
    first = api.call("GET", "/replay")
    assert first.headers["Cache-Control"] == "no-cache"
    again = api.call("GET", "/replay", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304


def test_page_is_there_whatever_other_sites_add_to_its_link(api: Api) -> None:
    assert html(api, "/replay/nothing?fbclid=1&utm_source=a") == html(api, "/replay/nothing")


def test_every_part_is_there_for_good_and_stays_as_it_is(api: Api) -> None:
    found = list(parts(api))
    assert {address.rpartition(".")[2] for address in found} == {"js", "css", "svg"}
    for address in found:
        plain = api.call("GET", address)
        assert plain.status_code == 200, address
        assert "immutable" in plain.headers["Cache-Control"]
        assert "Content-Encoding" not in plain.headers
        small = api.call("GET", address, headers={"Accept-Encoding": "br;q=1.0, gzip;q=0.8"})
        assert small.headers["Content-Encoding"] == "gzip"
        assert small.headers["Vary"] == "Accept-Encoding"
        assert gzip.decompress(small.data) == plain.data
        assert api.call("GET", address, headers={"Accept-Encoding": "gzip;q=0"}).data == plain.data


def test_all_of_it_is_small(api: Api) -> None:
    page = len(gzip.compress(html(api, "/replay").encode()))
    loaded = [api.call("GET", address, headers={"Accept-Encoding": "gzip"}).data for address in parts(api)]
    assert page + sum(map(len, loaded)) <= 60_000


def test_other_parts_there_are_none(api: Api) -> None:
    folder = next(parts(api)).rpartition("/")[0]
    for path in (f"{folder}/index.html", f"{folder}/..%2Freplay.py", f"{folder}/none.js", "/replay/assets/0/cards.svg"):
        api.refused(404, "not-found", "GET", path)
    assert api.call("GET", folder).status_code == 404


def test_faces_of_every_pack_are_in_the_sprite(api: Api) -> None:
    (address,) = [each for each in parts(api) if each.endswith("cards.svg")]
    sprite = api.call("GET", address).data
    assert len(gzip.compress(sprite)) <= 12_000
    found = [each.get("id") for each in ET.fromstring(sprite).iter() if each.get("id")]
    assert len(set(found)) == len(found)
    packs: list[Pack] = [
        ruleset.start(read_config(ruleset, {}, seats), seats).pack
        for ruleset in RULESETS.values()
        for seats in ruleset.seats
    ]
    assert {f"c-{name}" for pack in packs for name in pack.names} | {"back"} <= set(found)
    used = re.findall(r'href="([^"]*)"', sprite.decode())
    assert {each.removeprefix("#") for each in used} <= set(found)


def test_page_of_a_public_game_tells_other_sites_what_it_shows(api: Api, key: str) -> None:
    names = ['"><script>alert(1)</script>', "Ben & Co", "Cleo"]
    game = api.new_game(key, visibility="public", players=names)["id"]
    told = Page(html(api, f"/replay/{game}")).properties
    assert told["og:title"] == f"Quadruple War: {', '.join(names)}"
    assert told["og:url"] == f"http://localhost/replay/{game}"
    assert "<script>alert" not in html(api, f"/replay/{game}")
    assert Page(html(api, "/replay/nothing")).properties == {}
