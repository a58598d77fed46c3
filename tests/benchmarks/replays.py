"""What the engine alone costs, on one core: replay with every legality check, and listing legal moves."""

from functools import partial
from random import Random
from typing import Final

from api.games import LATEST
from api.games.rules import Ruleset, read_config
from api.records.replay import last, legal_moves
from tests.benchmarks.printing import best, line, median_of
from tests.games.playing import Game, play

EVENTS_A_SECOND: Final = {
    "quadruple-war": 500_000,
    "thirteen": 200_000,
    "kraken": 400_000,
    "soda": 500_000,
    "wodka": 200_000,
}
GAMES: Final = 30
LONGEST: Final = 2000


def games(ruleset: Ruleset) -> list[Game]:
    """Random games with the default options, four players where the ruleset allows."""
    seats = 4
    config = read_config(ruleset, {}, seats)
    return [play(ruleset, config, seats, seed, most=LONGEST) for seed in range(GAMES)]


def replay() -> None:
    """Events a second, effects and score lines included."""
    for ruleset in LATEST.values():
        played = games(ruleset)

        def work(played: list[Game] = played) -> None:
            for game in played:
                last(game.ruleset, game.config, game.seats, game.events)

        count = sum(len(game.events) for game in played)
        figure = f"{count / best(work):,.0f} events/s"
        line(f"replay with legality checks, {ruleset.id}", figure, f"{EVENTS_A_SECOND.get(ruleset.id, 0):,} events/s")
        if ruleset.id == "kraken":
            seconds = best(work) / len(played)
            line(f"a whole game of kraken, {count / len(played):.0f} events", f"{1000 * seconds:.2f} ms", "3 ms")


def legal() -> None:
    """Milliseconds to list the legal moves of the hand, among those of many random deals, that takes longest."""
    for ruleset in LATEST.values():
        worst = 0.0
        random = Random(1)
        for game in games(ruleset):
            for step in game.walk():
                to_act = step.position.state.to_act
                if to_act and random.random() < 0.2:
                    worst = max(worst, median_of(partial(legal_moves, step.position, to_act[0]), 3))
        line(f"legal moves of the slowest of many hands, {ruleset.id}", f"{1000 * worst:.2f} ms", "2 ms")
