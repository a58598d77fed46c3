"""The disputed scores that the documentation walks through: each is what its record, sent in, leads to."""

import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, Final

import pytest

from api.games import LATEST
from api.games.rules import COMMON_RULES, Ruleset
from api.rule_texts import disputed_game
from tests.http.client import Api

QUOTED: Final = re.compile(r"`([{\[\"][^`]*)`")
LINES, EVENTS, REQUESTS = (
    ["Round", "Side", "Points", "Rule", "Events", "Text"],
    ["Event", "Who", "In the record", "What it means"],
    ["Request", "What to see there"],
)
"""The headings of the tables that a text has."""


class Walk:
    """A disputed score, its record sent in as the documentation says."""

    def __init__(self, api: Api, key: str, ruleset: Ruleset) -> None:
        record, self.text = disputed_game(ruleset)
        self.record = json.loads(record)
        self.game = api.ok("POST", "/v1/records", key, self.record)["id"]
        self._api, self._key = api, key

    def get(self, path: str) -> Any:
        """The answer to this request about the game."""
        return self._api.ok("GET", path.replace("$GAME", self.game), self._key)

    def rows(self, heading: list[str]) -> list[list[str]]:
        """The rows of the one table with this heading."""
        lines = iter(self.text.splitlines())
        assert any(cells(line) == heading for line in lines), heading
        assert set(next(lines)) == {"|", "-"}
        return [cells(line) for line in iter(lambda: next(lines, ""), "")]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")[1:-1]]


def parts(value: Any) -> Iterator[Any]:
    """A JSON value and all that is in it."""
    yield value
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, list):
        return
    for part in value:
        yield from parts(part)


def says(answer: Any, quoted: str) -> bool:
    """Whether the JSON text ``quoted`` is somewhere in ``answer``; of an object it may leave fields out."""
    value = json.loads(quoted)
    if isinstance(value, dict):
        return any(isinstance(part, dict) and value.items() <= part.items() for part in parts(answer))
    return any(type(part) is type(value) and part == value for part in parts(answer))


@pytest.fixture(params=list(LATEST.values()), ids=list(LATEST))
def ruleset(request: pytest.FixtureRequest) -> Ruleset:
    found: Ruleset = request.param
    return found


@pytest.fixture
def walk(api: Api, key: str, ruleset: Ruleset) -> Walk:
    return Walk(api, key, ruleset)


def test_is_in_the_documentation_with_its_record(api: Api, ruleset: Ruleset) -> None:
    record, text = disputed_game(ruleset)
    page = api.call("GET", f"/docs/{ruleset.id}").get_data(as_text=True)
    told = page.partition('id="disputed"')[2].partition("</details>")[0]
    assert escape(record).replace("&#x27;", "&#39;").replace("&quot;", "&#34;") in told
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        assert f">{heading}<" in told


def test_record_is_over_and_says_how_it_ended(walk: Walk, ruleset: Ruleset) -> None:
    assert (walk.record["ruleset"], walk.record["version"]) == (ruleset.id, ruleset.version)
    ledger = walk.get("/v1/games/$GAME/ledger")
    assert walk.record["result"] == {"totals": ledger["totals"], "winners": ledger["winners"]}
    assert walk.get("/v1/games/$GAME")["status"] != "running"


def test_quoted_lines_stand_so_in_the_ledger(walk: Walk) -> None:
    ledger = [
        [f"`{value}`" if name == "rule" else str(value).strip("[]") for name, value in line.items() if name != "place"]
        for line in walk.get("/v1/games/$GAME/ledger")["lines"]
    ]
    quoted = walk.rows(LINES)
    assert quoted
    assert [line for line in ledger if line in quoted] == quoted


def test_quoted_events_stand_so_in_the_record(walk: Walk) -> None:
    rows = walk.rows(EVENTS)
    assert rows
    for number, who, quoted, meaning in rows:
        event = walk.record["events"][int(number) - 1]
        assert f"`{json.dumps(event, separators=(',', ':'))}`" == quoted
        assert who == walk.record["players"][event["seat"]]
        (frame,) = walk.get(f"/v1/games/$GAME/replay?from={number}&to={number}")["frames"]
        for effect in QUOTED.findall(meaning):
            assert says(frame["effects"], effect), effect


def test_events_named_are_among_those_quoted(walk: Walk) -> None:
    quoted = {row[0] for row in walk.rows(EVENTS)}
    named = re.findall(r"[Ee]vent (\d+)", walk.text)
    assert named
    assert set(named) <= quoted


def test_players_sit_where_it_says(walk: Walk) -> None:
    told = re.findall(r"(\w+)\s\(seat (\d)\)", walk.text)
    assert {int(seat): player for player, seat in told} == dict(enumerate(walk.record["players"]))


def test_rules_named_are_rules_of_the_game(walk: Walk, ruleset: Ruleset) -> None:
    named = re.findall(r"\[`([^`]+)`\]\(#([^)]+)\)", walk.text)
    assert named
    for rule, anchor in named:
        assert rule == anchor
        assert rule in (*ruleset.rules, *COMMON_RULES)
    assert {row[3].strip("`") for row in walk.rows(LINES)} <= {*ruleset.rules}


def test_requests_are_answered_as_it_says(walk: Walk, ruleset: Ruleset) -> None:
    rows = walk.rows(REQUESTS)
    for request, seen in rows:
        method, path = request.strip("`").split(" ")
        assert method == "GET"
        answer = walk.get(path)
        for quoted in QUOTED.findall(seen):
            assert says(answer, quoted), (request, quoted)
    asked = " ".join(request for request, _ in rows)
    for way in ("/ledger", "/replay?", "/state?at=", f"/v1/rulesets/{ruleset.id}"):
        assert way in asked


def test_nothing_is_quoted_outside_the_tables(walk: Walk) -> None:
    assert not QUOTED.findall("\n".join(line for line in walk.text.splitlines() if not line.startswith("|")))
