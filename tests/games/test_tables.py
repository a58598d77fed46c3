"""The description of each game's table, from which viewers and pictures are drawn, is true of the game."""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from api.games import LATEST, RULESETS
from api.games.rules import TABLE, Ruleset, read_config
from api.records.replay import view_effects, view_position
from api.rule_texts import table_description
from tests.games.playing import Game

GOLDEN: Final = Path(__file__).parents[1] / "golden"

every_game = pytest.mark.parametrize("ruleset", LATEST.values(), ids=lambda ruleset: ruleset.id)


def golden(ruleset: Ruleset) -> Iterator[Game]:
    for path in sorted((GOLDEN / ruleset.id).glob(f"{ruleset.version}-*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        events = [each["event"] for each in found["events"]]
        yield Game(RULESETS[found["ruleset"], found["version"]], found["config"], found["seats"], events)


@every_game
def test_table_names_only_what_the_game_shows(ruleset: Ruleset) -> None:
    described = table_description(ruleset)
    fields: dict[str, list[Any]] = {}
    facts: dict[str, set[str]] = {}
    seats = 0
    for game in golden(ruleset):
        seats = max(seats, game.seats)
        for step in game.walk():
            for name, value in view_position(step.position, TABLE)["table"].items():
                if value and value not in fields.setdefault(name, []):
                    fields[name].append(value)
            for effect in view_effects(step.effects, TABLE):
                facts.setdefault(effect["type"], set()).update(effect)
    shown = [described["lies"], *described["piles"], *described["signs"], *described["badges"]]
    named = [each["field"] for each in shown] + [each["with"] for each in shown if "with" in each]
    # every one of them, at some moment with something to draw
    assert set(named) <= {name for name, values in fields.items() if values}
    for each in described["badges"]:
        if each["as"] == "word":
            assert {word for value in fields[each["field"]] for word in value} <= {*each["words"], None}
    assert all("seat" in facts[effect] for effect in described["lies"]["taken"])
    for each in described["shows"]:
        if "effect" in each:
            assert {"seat", each["field"]} <= facts[each["effect"]]


@every_game
def test_table_knows_moves_deals_and_the_order_of_the_pack(ruleset: Ruleset) -> None:
    described = table_description(ruleset)
    pack = described["pack"]
    for seats, jokers in product(ruleset.seats, (False, True) if "jokers" in pack else (None,)):
        config = read_config(ruleset, {} if jokers is None else {"jokers": jokers}, seats)
        state = ruleset.start(config, seats)
        suits, ranks = pack["suits"], pack["ranks"]
        names = (
            [rank + suit for suit in suits for rank in ranks]
            if pack["by"] == "suit"
            else [rank + suit for rank in ranks for suit in suits]
        )
        out = {
            card
            for each in pack.get("out", ())
            if (each["seats"], each["jokers"]) == (seats, jokers)
            for card in each["cards"]
        }
        names = [name for name in names if name not in out] + (pack["jokers"] if jokers else [])
        assert names == list(state.pack.names)
        assert described["lies"]["event"] in state.moves
        assert described["deals"].keys() == state.chances.keys()
        for kind, deal in described["deals"].items():
            assert set(deal["to"]) == {field.name for field in state.chances[kind].fields}
        for each in described["shows"]:
            if "event" in each:
                events = {**state.moves, **state.chances}
                assert each["field"] in {field.name for field in events[each["event"]].fields}
        assert sorted(
            rank + suit for rank in described["hand"]["ranks"] for suit in described["hand"]["suits"]
        ) == sorted({*names, *out} - {"LJ", "BJ"})
