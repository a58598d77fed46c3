"""The documentation: every page is safe to open, every link in it leads somewhere, and nothing is left out."""

import re
from html import unescape
from pathlib import Path

import pytest

from api.games import LATEST
from api.games.rules import COMMON_RULES, Ruleset
from api.games.shown import COMMON_EFFECTS
from api.http import docs
from api.http.problems import PROBLEM_TYPES
from tests.http.client import Api, operations
from tests.records import played

games = pytest.mark.parametrize("ruleset", LATEST.values(), ids=LATEST)


def page(api: Api, path: str) -> str:
    """The text of a page, which loads nothing, from wherever, and runs nothing."""
    response = api.call("GET", path)
    assert response.status_code == 200, path
    assert response.content_type == "text/html; charset=utf-8"
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    text = response.get_data(as_text=True)
    assert not re.search(r"<(script|img|link|iframe|object|embed|form)\b|@import|url\(|\son\w+=|style=", text)
    return text


def anchors(text: str) -> set[str]:
    """What a link may lead to within a page: each is there once."""
    found = re.findall(r'\sid="([^"]+)"', text)
    assert len(set(found)) == len(found)
    return set(found)


@pytest.fixture(scope="module")
def site(api: Api) -> dict[str, str]:
    """Every page that can be reached from the first one, by its path."""
    found: dict[str, str] = {}
    ahead = ["/docs"]
    while ahead:
        path = ahead.pop()
        if path not in found:
            found[path] = page(api, path)
            links = re.findall(r'href="(/[^"#]*)', found[path])
            ahead += [link for link in links if link.startswith(("/docs", "/problems/"))]
    return found


def test_every_link_leads_somewhere(api: Api, site: dict[str, str]) -> None:
    ids = {path: anchors(text) for path, text in site.items()}
    for path, text in site.items():
        for link in map(unescape, re.findall(r'href="([^"]*)"', text)):
            to, _, fragment = link.partition("#")
            if to in ("", *site):
                assert not fragment or fragment in ids[to or path], f"{path} links to {link}"
            else:
                assert api.call("GET", to).status_code == 200, f"{path} links to {link}"


def test_every_page_is_reached(api: Api, site: dict[str, str]) -> None:
    assert site.keys() == api.app.extensions["tricklog"].published.pages.keys()
    guides = Path(docs.__file__).parent / "guides"
    listed = {f"/docs/{file.stem}" for file in guides.iterdir()}
    assert listed <= site.keys(), "list the guide in api/http/docs.py"


def test_every_operation_is_documented(api: Api, site: dict[str, str]) -> None:
    found = anchors(site["/docs/reference"])
    told = [webhook["post"]["operationId"] for webhook in api.document["webhooks"].values()]
    assert set(told) <= found
    for method, path, operation in operations(api.document):
        assert operation["operationId"] in found
        for parameter in operation["parameters"]:
            assert f"<code>{parameter['name']}</code>" in site["/docs/reference"], f"{method} {path}"
    assert set(api.document["components"]["headers"]) <= found
    assert set(api.document["components"]["schemas"]) == anchors(site["/docs/shapes"]) - {"pages"}


@pytest.mark.parametrize("slug", PROBLEM_TYPES)
def test_every_type_of_problem_is_documented(site: dict[str, str], slug: str) -> None:
    problem = PROBLEM_TYPES[slug]
    assert f'<a href="{problem.uri}">' in site["/docs/problems"]
    assert f"<h1>{problem.title}</h1>" in site[problem.uri]
    for name in problem.fields:
        assert f"<code>{name}</code>" in site[problem.uri]


@games
def test_every_rule_and_option_of_a_game_is_documented(site: dict[str, str], ruleset: Ruleset) -> None:
    text = site[f"/docs/{ruleset.id}"]
    assert {*ruleset.rules, "disputed"} <= anchors(text)
    for seats in ruleset.seats:
        for option in ruleset.options(seats):
            assert f"<td><code>{option}</code></td>" in text


@games
def test_every_move_and_chance_event_of_a_game_is_documented(site: dict[str, str], ruleset: Ruleset) -> None:
    state = ruleset.start({name: o.default for name, o in ruleset.options(ruleset.seats[0]).items()}, ruleset.seats[0])
    for kind in (*state.moves, *state.chances):
        assert f'{{"type": "{kind}"' in unescape(site[f"/docs/{ruleset.id}"])


@games
def test_every_effect_and_field_of_the_table_of_a_game_is_documented(
    api: Api, key: str, site: dict[str, str], ruleset: Ruleset
) -> None:
    text, shared = site[f"/docs/{ruleset.id}"], site["/docs/common"]
    game = api.ok("POST", "/v1/records", key, played(ruleset, ruleset.seats[0], 1))["id"]
    seen: set[str] = set()
    for event in api.ok("GET", f"/v1/games/{game}/events?limit=1000", key)["events"]:
        for effect in event["effects"]:
            seen.add(effect["type"])
            (row,) = re.findall(rf"<tr><td><code>{effect['type']}</code></td>(.*?)</tr>", text + shared, re.DOTALL)
            for fact in effect.keys() - {"type", "redacted"}:
                assert f"<code>{fact}</code>" in row, effect["type"]
    assert {"round-scored", "game-over"} < seen
    for name in api.ok("GET", f"/v1/games/{game}/state", key)["table"]:
        assert f"<td><code>{name}</code></td>" in text
    for kind in ruleset.effects:
        assert f"<td><code>{kind}</code></td>" in text


def test_every_common_rule_and_effect_is_documented(site: dict[str, str]) -> None:
    assert set(COMMON_RULES) <= anchors(site["/docs/common"])
    for kind in COMMON_EFFECTS:
        assert f"<td><code>{kind}</code></td>" in site["/docs/common"]


def test_rule_of_a_refusal_is_where_its_link_leads(api: Api, site: dict[str, str], key: str) -> None:
    game = api.new_game(key)
    for move in ({"type": "bid", "tricks": 99}, {"type": "dance"}):
        sent = {"moves": [{"seat": game["to_act"][0], **move}]}
        response = api.call("POST", f"/v1/games/{game['id']}/moves", key, sent)
        to, _, fragment = re.findall(r'<([^>]+)>; rel="help"', response.headers["Link"])[0].partition("#")
        assert fragment == response.get_json()["rule"]
        assert fragment in anchors(site[to])


def test_page_is_kept_until_it_changes(api: Api) -> None:
    first = api.call("GET", "/docs/kraken")
    assert first.headers["Cache-Control"] == "public, max-age=300"
    assert "Vary" not in first.headers
    again = api.call("GET", "/docs/kraken", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    other = api.call("GET", "/docs/soda", headers={"If-None-Match": first.headers["ETag"]})
    assert other.status_code == 200


@pytest.mark.parametrize("path", ["/problems/boredom", "/docs/boredom", "/docs/../docs", "/docs/"])
def test_no_page_where_there_is_none(api: Api, path: str) -> None:
    api.refused(404, "not-found", "GET", path)
