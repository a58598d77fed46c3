"""A game keeps the rules that it was made under: a finished one its result, when a new version of them lands."""

from dataclasses import replace
from random import Random
from typing import Any

import psycopg
import pytest

from api import audits, service, store
from api.games import LATEST, RULESETS
from api.records import replay
from tests.games.playing import next_event

ID = "quadruple-war"


def start_with_a_gift(config: Any, seats: int) -> Any:
    """Version 2: everybody starts from 7 points."""
    state = RULESETS[ID, 1].start(config, seats)
    state.scores = [7] * seats
    return state


def all_of(desk: service.Desk, game: store.Game, key: str) -> list[Any]:
    """Whatever can be asked about a finished game."""
    opened = service.open_game(desk, game.id, key)
    return [
        service.view_game(opened),
        service.view_state(opened, opened.position, "table"),
        replay.view_ledger(opened.position, "table"),
        service.view_events(desk, opened, "table", 0, 1000),
        service.record(desk, opened),
        service.transcript(desk, opened),
        audits.audit_game(desk, service.open_stored(desk, game.id, key)),
    ]


def test_a_finished_game_keeps_its_result_when_its_rules_change(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(database_url, autocommit=True) as admin, store.open_pool(database_url, 1) as pool:
        key = store.create_key(admin, "front end")
        owner = store.parse_api_key(key)
        assert owner is not None
        made: dict[str, Any] = {
            "ruleset": ID,
            "config": {"target": 20},
            "players": ["Ann", "Ben", "Cleo"],
            "dealer": "service",
            "visibility": "private",
        }
        desk = service.Desk(pool)
        opened, _ = service.create_game(desk, owner.number, **made)
        running, _ = service.create_game(desk, owner.number, **made)
        random = Random(1)
        while not opened.over:
            opened, *_ = service.play(desk, opened, [next_event(opened.position, random)])
        before = all_of(desk, opened.game, key)
        record = before[4]
        assert before[-1]["ok"]

        second = replace(RULESETS[ID, 1], version=2, start=start_with_a_gift)
        monkeypatch.setitem(RULESETS, (ID, 2), second)
        monkeypatch.setitem(LATEST, ID, second)

        # in the worker that has it at hand, and in one that derives it now
        for each in (desk, service.Desk(pool)):
            assert all_of(each, opened.game, key) == before
        # the same events lead elsewhere under the new version, which the audit doesn't take for the old one
        other = audits.audit_record(desk, record | {"version": 2}, [])
        assert {"chain", "result"} <= {check["check"] for check in other["checks"] if not check["ok"]}
        copy, _ = service.import_record(desk, owner.number, record)
        assert (copy.game.version, service.record(desk, copy)) == (1, record)
        # a game begun before goes on as it began, and a new one has the new rules
        went_on = service.open_game(service.Desk(pool), running.game.id, key)
        went_on, *_ = service.play(desk, went_on, [next_event(went_on.position, random)])
        assert (went_on.position.ruleset.version, went_on.position.state.scores) == (1, [0, 0, 0])
        newer, _ = service.create_game(desk, owner.number, **made)
        assert (newer.game.version, newer.position.state.scores) == (2, [7, 7, 7])
