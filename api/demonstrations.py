"""Demonstration games: one of each ruleset, played by simple players through the service, for everybody to look at.

They belong to a key that nobody holds. As games they are private, and stay in the database like all that was ever
recorded; everybody may see them for as long as they are offered.
"""

import random
from collections.abc import Mapping
from typing import Any, Final

import psycopg

from api import service, store
from api.games import LATEST
from api.games.rules import Ruleset
from api.records import replay
from api.records.replay import Position
from api.simulate import concrete
from api.store import demonstrations

NONCE: Final = "dem000000"
"""What is drawn at random in the ids of other games: on every new database these have the same ids."""

PLAYERS: Final = ("Ann", "Ben", "Cleo", "Dan")
SHORT: Final[Mapping[str, Mapping[str, Any]]] = {
    "quadruple-war": {"target": 100},
    "wodka": {"target": 5},
    "kraken": {"rounds": 4},
}
"""Options by which a game is soon over, and still shows what there is to it."""

SELDOM: Final[Mapping[str, float]] = {
    "pass": 0.15,
    "accept": 0.15,
    "trump": 0.1,
    "challenge": 0.02,
    "re": 0.05,
    "superkraken": 0.05,
    "wodka": 0.01,
}
"""How likely a type of move is taken beside one that always would be."""


def offer(dsn: str) -> None:
    """Plays the games on the database at ``dsn``, by the service, and offers them all when the last is over."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        key = store.parse_api_key(store.create_key(conn, "demonstrations"))
        assert key is not None
        store.revoke_key(conn, key.number)
        with store.open_pool(dsn, 1) as pool:
            desk = service.Desk(pool)
            demonstrations.offer(conn, [_play(desk, key.number, ruleset) for ruleset in LATEST.values()])


def _play(desk: service.Desk, owner: int, ruleset: Ruleset) -> int:
    """The number of a finished game."""
    opened, _ = service.create_game(
        desk,
        owner,
        ruleset=ruleset.id,
        config=SHORT.get(ruleset.id, {}),
        players=PLAYERS if len(PLAYERS) in ruleset.seats else PLAYERS[: max(ruleset.seats)],
        dealer="service",
        visibility="private",
        nonce=NONCE,
    )
    chance = random.Random(opened.game.number)  # noqa: S311
    while not opened.over:
        # as far as the cards go that have been dealt
        position = opened.position.copy()
        moves = []
        while position.state.to_act:
            seat = chance.choice(position.state.to_act)
            moves.append({"seat": seat, **concrete(_choose(position, seat, chance), chance)})
            replay.play(position, moves[-1])
        opened = service.play(desk, opened, moves).opened
    return opened.game.number


def _choose(position: Position, seat: int, chance: random.Random) -> dict[str, Any]:
    """A move that a beginner might make: as many cards at once as can be, the lowest first, and few gambles."""
    moves = replay.legal_moves(position, seat)
    kinds = sorted({move["type"] for move in moves})
    [kind] = chance.choices(kinds, [SELDOM.get(each, 1.0) for each in kinds])
    likely = [move for move in moves if move["type"] == kind]
    if "tricks" in likely[0]:
        high = sum(name[0] in "AK" or name[1] == "J" for name in position.state.pack.cards(position.state.hands[seat]))
        return likely[min(high, len(likely)) - 1 if high else 0]
    return max(
        enumerate(likely),
        key=lambda each: (
            len(each[1].get("cards", ())),
            each[1].get("marriage", False),
            each[1].get("claim", False),
            not each[1].get("call", False),
            -each[0] if "cards" in each[1] else chance.random(),
        ),
    )[1]
