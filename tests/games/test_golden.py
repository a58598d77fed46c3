"""Golden records: whole games of every registered version, held to what every view showed of them and to their ledger.

``tests/golden/<ruleset>/<version>-<case>.json`` has, event by event, the event, its effects as the table sees them, and
for each view a digest of the event, effects and state as that view sees them; then some of these in full, and the
ledger. ``pytest tests/games/test_golden.py --golden-update`` writes them anew: the records stay, what is shown of them
is replaced, and a case without a file gets a random game. A published version's files change only in what is shown
beside its results.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple
from zlib import crc32

import orjson
import pytest

from api.games import RULESETS
from api.games.rules import PUBLIC, TABLE, ConfigError, IllegalMove, Ruleset, Seen, read_config
from api.records.replay import TAKEBACK, Step, view_effects, view_event, view_ledger, view_position
from tests.games.playing import LENGTHS, Game, play, slots, take_back

FOLDER: Final = Path(__file__).parents[1] / "golden"

LONGEST: Final = 600
TRIED: Final = 50
AT_MOST: Final = 1000
MIXED: Final = 3
"""Games of each ruleset with all options drawn at random, and a takeback."""


class Case(NamedTuple):
    """A game that has to be among the golden records, with these options and one of so many numbers of seats."""

    name: str
    ruleset: Ruleset
    options: dict[str, Any]
    seats: tuple[int, ...]

    @property
    def path(self) -> Path:
        """Where its record lies."""
        return FOLDER / self.ruleset.id / f"{self.ruleset.version}-{self.name}.json"

    def config(self, seats: int, others: Mapping[str, Any]) -> dict[str, Any]:
        """A whole config for it, with ``others`` for its other options and lengths of one above the least."""
        options = self.ruleset.options(seats)
        lengths = {name: option.kind.schema["minimum"] + 1 for name, option in options.items() if name in LENGTHS}
        return read_config(self.ruleset, {**others, **lengths, **self.options}, seats)


def some_values(schema: Mapping[str, Any]) -> list[Any]:
    """The values of an option that a game is recorded with: all of a few, the ends of a range, an order reversed."""
    if "anyOf" in schema:
        return [value for part in schema["anyOf"] for value in some_values(part)]
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return list(schema["enum"])
    if schema["type"] == "boolean":
        return [False, True]
    if schema["type"] == "integer":
        return [schema["minimum"], schema["maximum"]]
    return [list(reversed(schema["items"]["enum"]))]


def cases(ruleset: Ruleset) -> Iterator[Case]:
    """The cases of a ruleset: each number of seats, each option at each of its values, and all options at random."""
    for seats in ruleset.seats:
        yield Case(f"{seats}-seats", ruleset, {}, (seats,))
    for name, option in ruleset.options(ruleset.seats[-1]).items():
        for value in some_values(option.kind.schema):
            if value != option.default and name not in LENGTHS:
                told = "-".join(value) if type(value) is list else str(value).lower()
                able = [seats for seats in ruleset.seats if takes(ruleset, {name: value}, seats)]
                yield Case(f"{name}-{told}", ruleset, {name: value}, tuple(able))
    for number in range(1, MIXED + 1):
        random = Random(number)
        seats = random.choice(ruleset.seats)
        options = {
            name: random.choice(some_values(option.kind.schema))
            for name, option in ruleset.options(seats).items()
            if name not in LENGTHS
        }
        yield Case(f"mixed-{number}", ruleset, options, (seats,))


def takes(ruleset: Ruleset, config: Mapping[str, Any], seats: int) -> bool:
    """Whether a game of so many seats can have ``config``."""
    try:
        read_config(ruleset, config, seats)
    except ConfigError:
        return False
    return True


def new_game(case: Case) -> Game:
    """A random game for a case: of many that in which most happens, one in which its options matter if any does."""
    first = crc32(case.name.encode())
    games = (random_game(case, Random(seed)) for seed in range(first, first + AT_MOST))
    tried = list(islice(games, TRIED))
    able = [game for game in tried if matter(case, game)] or list(islice((g for g in games if matter(case, g)), 1))
    return max(able or tried, key=lambda game: len(happenings(game)))


def random_game(case: Case, random: Random) -> Game:
    """A game with the options of a case, half of the times with others beside them; a mixed one is taken back once."""
    seats = random.choice(case.seats)
    config = case.config(seats, some_options(case.ruleset, seats, random))
    game = play(case.ruleset, config, seats, random.randrange(2**32), most=LONGEST)
    if not case.name.startswith("mixed"):
        return game
    return take_back(game._replace(events=game.events[: len(game.events) // 2]), random, most=LONGEST)


def some_options(ruleset: Ruleset, seats: int, random: Random) -> dict[str, Any]:
    """No options, or values for all of them."""
    if random.random() < 0.5:
        return {}
    return {name: random.choice(some_values(option.kind.schema)) for name, option in ruleset.options(seats).items()}


def matter(case: Case, game: Game) -> bool:
    """Whether a game would have gone otherwise with the options of its case at their defaults, if that is another."""
    options = case.ruleset.options(game.seats)
    other = game._replace(config={**game.config, **{name: options[name].default for name in case.options}})
    try:
        return other.config == game.config or slots(other.position().state) != slots(game.position().state)
    except IllegalMove:
        return True


def happenings(game: Game) -> set[str]:
    """Every word that comes up in a game but for names of cards: phases, moves, combinations, effects, rules."""
    names = game.position().state.pack.position
    found: set[str] = set()
    for step in game.walk():
        found |= words([shown(step, TABLE), [line.rule for line in step.position.state.lines]]) - names.keys()
    return found


def words(value: Any) -> set[str]:
    """The texts in a JSON value that are one word."""
    if isinstance(value, str):
        return set() if " " in value else {value}
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else []
    return {word for part in parts for word in words(part)}


# --- what is shown --------------------------------------------------------------------------------------------------


def shown(step: Step, view: Seen) -> dict[str, Any]:
    """An event as a view sees it, its effects, and the state after it."""
    return {
        "event": view_event(step.position, step.event, view),
        "effects": view_effects(step.effects, view),
        "state": view_position(step.position, view),
    }


def digest(value: Any) -> str:
    """A short digest of a JSON value, whatever the order of its keys."""
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()[:12]


def golden(game: Game) -> dict[str, Any]:
    """All that a golden record holds of a game."""
    views: list[Seen] = [PUBLIC, *range(game.seats)]
    events = []
    in_full = []
    phases = set()
    for seq, step in enumerate(game.walk(), 1):
        seen = {str(view): shown(step, view) for view in [*views, TABLE]}
        events.append(
            {
                "event": step.event,
                "effects": view_effects(step.effects, TABLE),
                "views": {view: digest(what) for view, what in seen.items()},
            }
        )
        phase = step.position.state.phase
        if seq == len(game.events) // 2:
            in_full += [{"view": view, **what} for view, what in seen.items()]
        elif phase not in phases or step.event["type"] == TAKEBACK:
            in_full.append({"view": PUBLIC, **seen[PUBLIC]})
        phases.add(phase)
    return {
        "ruleset": game.ruleset.id,
        "version": game.ruleset.version,
        "seats": game.seats,
        "config": game.config,
        "events": events,
        "in_full": in_full,
        "ledger": view_ledger(game.position(), TABLE),
    }


def written(record: Mapping[str, Any]) -> str:
    """A golden record as text, an event or a score line to a line."""
    parts = {**record, "ledger": {**record["ledger"], "lines": []}}
    parts["events"] = parts["in_full"] = []
    text = json.dumps(parts, indent=1)
    for name, rows in (
        ("events", record["events"]),
        ("in_full", record["in_full"]),
        ("lines", record["ledger"]["lines"]),
    ):
        lines = ",\n".join("  " + json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in rows)
        text = text.replace(f'"{name}": []', f'"{name}": [\n{lines}\n ]', 1)
    return text + "\n"


def recorded(case: Case) -> Game:
    """The record in the file of a case."""
    record = json.loads(case.path.read_text())
    return Game(case.ruleset, record["config"], record["seats"], [each["event"] for each in record["events"]])


def update(case: Case) -> None:
    """Writes the file of a case: the record that is there, or a new one, with what is shown of it now."""
    game = recorded(case) if case.path.exists() else new_game(case)
    case.path.parent.mkdir(parents=True, exist_ok=True)
    case.path.write_text(written(golden(game)))


CASES: Final = [case for ruleset in RULESETS.values() for case in cases(ruleset)]


@pytest.mark.parametrize("case", [pytest.param(case, id=str(case.path.relative_to(FOLDER))) for case in CASES])
def test_a_recorded_game_shows_what_it_always_showed(case: Case, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--golden-update", default=False):
        update(case)
    expected = json.loads(case.path.read_text())
    game = recorded(case)
    assert game.seats in case.seats
    assert game.config == case.config(game.seats, game.config)
    actual = json.loads(written(golden(game)))
    for seq, (then, now) in enumerate(zip(expected["events"], actual["events"], strict=True), 1):
        assert now == then, f"after event {seq}"
    for then, now in zip(expected["in_full"], actual["in_full"], strict=True):
        assert now == then
    for then, now in zip(expected["ledger"]["lines"], actual["ledger"]["lines"], strict=True):
        assert now == then
    assert actual == expected


def test_every_golden_record_belongs_to_a_case() -> None:
    assert set(FOLDER.glob("*/*.json")) == {case.path for case in CASES}
