"""Events in words, as a log shows and a screen reader reads them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from api.games import RULESETS
from api.games.rules import PUBLIC, TABLE
from api.records.words import sentences
from tests.games.playing import Game

GOLDEN = Path(__file__).parent / "golden"
# names that could be taken for words of the sentences, for cards and for markup
PLAYERS = ["As", "Seat 1", "{seat}", "[team 0]", "<b>Eve</b>", "10 points"]


def recorded(path: Path) -> Game:
    found = json.loads(path.read_text(encoding="utf-8"))
    events = [each["event"] for each in found["events"]]
    return Game(RULESETS[found["ruleset"], found["version"]], found["config"], found["seats"], events)


@pytest.mark.parametrize("ruleset", [path.name for path in sorted(GOLDEN.iterdir())])
def test_every_event_of_every_golden_game_is_told_in_every_view(ruleset: str) -> None:
    for path in sorted((GOLDEN / ruleset).iterdir()):
        game = recorded(path)
        for view in (PUBLIC, 0, TABLE):
            for step in game.walk():
                told = sentences(step, PLAYERS[: game.seats], view)
                seat = step.event.get("seat")
                if seat is not None:
                    assert told[0].startswith(PLAYERS[seat] + " ")
                for sentence in told:
                    assert sentence.endswith(".")
                    for name in PLAYERS:
                        sentence = sentence.replace(name, "NN")  # noqa: PLW2901
                    # neither what words are made from, nor names for programs
                    assert not re.search(r"[{}\[\]]|\b[0-9TJQKA][cdhs]\b|[Ss]eat [0-9]|None|True|False", sentence)


def told(name: str, view: Any) -> list[list[str]]:
    game = recorded(GOLDEN / name)
    return [sentences(step, ["Ann", "Ben", "Cleo", "Dan"][: game.seats], view) for step in game.walk()]


def test_a_hand_is_read_to_its_player_alone() -> None:
    public, own, table = (told("thirteen/1-mixed-1.json", view)[0][0] for view in (PUBLIC, 1, TABLE))
    assert public == "The cards are dealt."
    assert own.startswith("The cards are dealt; Ben: 6 of spades, 9 of spades, 3 of hearts,")
    assert "Ann" not in own
    assert "Ann: 5 of diamonds" in table
    assert "Ben: 6 of spades" in table


def test_cards_passed_on_are_read_to_who_knows_them() -> None:
    passed = {
        view: next(each[0] for each in told("wodka/1-mixed-1.json", view) if "passes on" in each[0])
        for view in (PUBLIC, 3)
    }
    assert passed[PUBLIC] == "Dan passes on three cards."
    assert passed[3] == "Dan passes on three cards: 9 of diamonds, jack of diamonds, ace of hearts."


def test_what_follows_is_told_after_the_event_line_by_line() -> None:
    scored = next(each for each in told("quadruple-war/1-mixed-1.json", PUBLIC) if "Round 1 is scored." in each)
    assert scored[0] == "Ben plays the king of diamonds."
    assert scored[1] == "Cleo wins the trick with the 7 of spades, 12 so far."
    assert scored[3] == "0 points for Ann: Ann bid 4 and took 2: the bid is broken."


@pytest.mark.parametrize("ruleset", [path.name for path in sorted(GOLDEN.iterdir())])
def test_each_line_of_the_score_sheet_is_told_once(ruleset: str) -> None:
    for path in sorted((GOLDEN / ruleset).glob("*-seats.json")):
        game = recorded(path)
        state = game.position().state
        said = [sentence for step in game.walk() for sentence in sentences(step, PLAYERS[: game.seats], TABLE)]
        points = [sentence for sentence in said if re.match(r"(Minus )?[0-9]+ points? for ", sentence)]
        assert len(points) == len(state.lines)


def test_teams_are_told_by_their_players() -> None:
    shown = [sentence for each in told("kraken/1-mixed-1.json", PUBLIC) for sentence in each]
    assert any(
        sentence.startswith("The combinations of Ann and Cleo count: Cleo, 100 points, 8 of d") for sentence in shown
    )
    assert any(
        sentence.startswith("135 points for Ann and Cleo: Team Ann and Cleo took 7 tricks") for sentence in shown
    )
    assert any(sentence.startswith("Minus 52 points for Ann and Cleo") for sentence in shown)
