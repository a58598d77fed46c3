"""The shuffle is the one that its documentation writes out, for ever; and a fair one."""

import hashlib
import hmac
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.games import RULESETS
from api.games.rules import Ruleset, read_config
from api.proofs import shuffle as module
from api.proofs.shuffle import SEED_BYTES, chance_event, commitment, shuffle
from api.records.replay import advance, begin
from tests.games.playing import LENGTHS, next_event

SEED = bytes(range(SEED_BYTES))


def shuffled_by_the_book(seed: bytes, chance: int, items: list[Any]) -> list[Any]:
    """The documented algorithm, written again from its words, a word at a time."""
    used = 0

    def word() -> int:
        nonlocal used
        block, place = divmod(used, 8)
        used += 1
        message = b"tricklog/1/shuffle" + chance.to_bytes(8, "big") + block.to_bytes(8, "big")
        digest = hmac.new(seed, message, hashlib.sha256).digest()
        return int.from_bytes(digest[4 * place : 4 * place + 4], "big")

    items = list(items)
    for last in reversed(range(1, len(items))):
        bound = last + 1
        while (drawn := word()) >= 2**32 // bound * bound:
            pass
        items[last], items[drawn % bound] = items[drawn % bound], items[last]
    return items


def test_the_commitment_is_the_sha_256_of_the_seed() -> None:
    assert commitment(SEED).hex() == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


@pytest.mark.parametrize(
    ("seed", "chance", "count", "order"),
    [
        (SEED, 0, 10, [5, 8, 2, 9, 1, 4, 0, 6, 3, 7]),
        (SEED, 1, 10, [1, 3, 9, 0, 4, 2, 8, 7, 5, 6]),
        (bytes(SEED_BYTES), 0, 10, [9, 5, 7, 1, 2, 0, 6, 8, 3, 4]),
        (SEED, 2**40, 10, [6, 7, 1, 2, 0, 9, 8, 4, 5, 3]),
    ],
)
def test_vectors(seed: bytes, chance: int, count: int, order: list[int]) -> None:
    assert shuffle(seed, chance, range(count)) == order


@given(st.binary(min_size=SEED_BYTES, max_size=SEED_BYTES), st.integers(0, 2**64 - 1), st.integers(0, 120))
def test_it_is_the_algorithm_that_is_written_down(seed: bytes, chance: int, count: int) -> None:
    assert shuffle(seed, chance, range(count)) == shuffled_by_the_book(seed, chance, list(range(count)))


def test_words_above_the_last_full_run_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    # below 3: 2**32 - 1 is the one word over; below 2 every word counts
    words = [2**32 - 1, 2**32 - 2, 2**32 - 1]
    monkeypatch.setattr(module, "_words", lambda seed, chance: iter(words))
    assert shuffle(SEED, 0, "abc") == ["a", "b", "c"]


def test_every_place_is_as_likely() -> None:
    rounds = 6000
    orders = Counter("".join(shuffle(SEED, chance, "abc")) for chance in range(rounds))
    assert orders.keys() == {"abc", "acb", "bac", "bca", "cab", "cba"}
    # chi-square, 5 degrees of freedom: one fair run in a thousand passes 20.5, and this run is always the same
    expected = rounds / 6
    assert sum((count - expected) ** 2 / expected for count in orders.values()) < 20.5


def test_it_depends_on_the_seed_and_on_the_count_of_chance_events() -> None:
    other = bytes([1, *SEED[1:]])
    orders = {tuple(shuffle(seed, chance, range(52))) for seed in (SEED, other) for chance in range(100)}
    assert len(orders) == 200


@pytest.mark.parametrize(
    "ruleset", [pytest.param(ruleset, id=f"{name}-{version}") for (name, version), ruleset in RULESETS.items()]
)
def test_what_a_seed_deals_is_what_the_game_calls_for(ruleset: Ruleset) -> None:
    for seats in ruleset.seats:
        short = {name: 1 for name in ruleset.options(seats) if name in LENGTHS}
        position = begin(ruleset, read_config(ruleset, short, seats), seats)
        random = Random(seats)
        dealt = []
        while position.status == "running" and position.seq < 1000:
            if position.state.call is None:
                advance(position, next_event(position, random))
                continue
            event = chance_event(SEED, position.chances, position.state)
            assert event == chance_event(SEED, position.chances, position.state)
            advance(position, event)
            dealt.append(event)
        assert len(dealt) == position.chances
