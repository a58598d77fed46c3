"""The pages on proof: what they say is what the code does, to the last test vector."""

import json
import re
from importlib.resources import files
from typing import Any

import pytest

from api.games import LATEST
from api.games.rules import apply, read_config
from api.proofs import digests
from api.proofs.receipts import read_jwks, read_receipt
from api.proofs.shuffle import chance_event, commitment, shuffle, stream_key

SEED = bytes(range(32))


def blocks(page: str, language: str) -> list[str]:
    """The code blocks of a page in a language."""
    text = (files("api.proofs") / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


[PROGRAM] = blocks("dealing.md", "python")
[DEALING] = [json.loads(block) for block in blocks("dealing.md", "json")]
[RECORD] = [json.loads(block) for block in blocks("records.md", "json")]
GAMES: list[dict[str, Any]] = DEALING["games"]


@pytest.fixture(scope="module")
def program() -> dict[str, Any]:
    """The names that the page's own program defines."""
    defined: dict[str, Any] = {}
    exec(PROGRAM, defined)
    return defined


def test_there_are_vectors_for_every_game_and_every_kind_of_deal() -> None:
    dealt = {(game["ruleset"], event["type"]) for game in GAMES for event in game["events"]}
    reshuffled = DEALING["reshuffle"]
    dealt.add((reshuffled["ruleset"], reshuffled["event"]["type"]))
    assert dealt == {
        (ruleset.id, chance)
        for ruleset in LATEST.values()
        for chance in ruleset.start(read_config(ruleset, {}, ruleset.seats[0]), ruleset.seats[0]).chances
    }
    assert {bool(game["client_seeds"]) for game in GAMES} == {True, False}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game['ruleset']} of {game['seats']}")
def test_the_service_deals_the_vectors(game: dict[str, Any]) -> None:
    ruleset = LATEST[game["ruleset"]]
    key = stream_key(SEED, game["client_seeds"])
    assert key.hex() == game["key"]
    state = ruleset.start(read_config(ruleset, game["config"], game["seats"]), game["seats"])
    for chance, event in enumerate(game["events"]):
        assert chance_event(key, chance, state) == event
        apply(state, event, chance + 1)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game['ruleset']} of {game['seats']}")
def test_the_pages_own_program_deals_them_too(program: dict[str, Any], game: dict[str, Any]) -> None:
    ruleset = LATEST[game["ruleset"]]
    key = program["game_key"](SEED, game["client_seeds"])
    assert key.hex() == game["key"]
    state = ruleset.start(read_config(ruleset, game["config"], game["seats"]), game["seats"])
    for chance, event in enumerate(game["events"]):
        called = state.chances[event["type"]]
        assert {"type": state.call, **called.cut(state, program["shuffle"](key, chance, called.items(state)))} == event
        apply(state, event, chance + 1)


def test_commitment_stream_and_reshuffle_are_as_stated(program: dict[str, Any]) -> None:
    assert DEALING["commitment"] == commitment(SEED).hex() == program["commitment"](SEED)
    numbers = program["stream"](SEED, DEALING["stream"]["chance"])
    assert [next(numbers) for _ in DEALING["stream"]["numbers"]] == DEALING["stream"]["numbers"]
    again = DEALING["reshuffle"]
    assert bytes.fromhex(again["key"]) == SEED
    for work in (shuffle, program["shuffle"]):
        assert work(SEED, again["chance"], again["items"]) == again["event"]["stock"]


def test_a_number_of_an_incomplete_run_is_passed_over(program: dict[str, Any]) -> None:
    numbers = iter([2**32 - 1, 2**32 - 2, 7])
    assert program["below"](numbers, 3) == (2**32 - 2) % 3
    numbers = iter([2**32 - 1, 2**32 - 2, 2**32 - 4, 7])
    assert program["below"](numbers, 5) == (2**32 - 2) % 5


def test_the_record_vector_is_what_the_code_makes() -> None:
    event = {name: value for name, value in RECORD["event"].items() if name not in ("seq", "at")}
    seq, at = RECORD["event"]["seq"], RECORD["event"]["at"]
    salt = digests.salt(b"\7" * 32, seq)
    assert salt.hex() == RECORD["salt"]
    assert digests.canonical(RECORD["event"]).decode() == RECORD["canonical"]
    assert digests.digest(salt, seq, at, event).hex() == RECORD["digest"]
    start = digests.start(RECORD["facts"])
    assert start.hex() == RECORD["start"]
    head = digests.chain(start, bytes.fromhex(RECORD["digest"]))
    assert head.hex() == RECORD["head"]
    receipt = read_receipt(RECORD["receipt"], read_jwks(RECORD["key"]), RECORD["facts"]["game"])
    assert receipt == (RECORD["facts"]["game"], seq, head.hex())
