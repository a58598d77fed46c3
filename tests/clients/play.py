"""A whole game of a ruleset, played as a front end would with the client that openapi-python-client makes.

Usage: play.py URL KEY RULESET. It is checked by mypy --strict before it runs.
"""

import json
import sys
from random import choice
from threading import Thread
from typing import Final

from tricklog_client import AuthenticatedClient
from tricklog_client.api.games import create_game, get_game
from tricklog_client.api.moves import play_moves
from tricklog_client.api.proofs import audit_game
from tricklog_client.api.views import get_ledger, list_legal_moves
from tricklog_client.models import (
    Accepted,
    Audit,
    BidMove,
    Dealer,
    DeclareMove,
    DeclarePattern,
    Events,
    ExchangeMove,
    ExchangePattern,
    GameOverEffect,
    IllegalMoveProblem,
    KrakenGame,
    KrakenOptions,
    Ledger,
    LegalMoves,
    MadeKrakenGame,
    MadeQuadrupleWarGame,
    MadeSodaGame,
    MadeThirteenGame,
    MadeWodkaGame,
    Moves,
    NewKrakenGame,
    NewQuadrupleWarGame,
    NewSodaGame,
    NewThirteenGame,
    NewWodkaGame,
    PlayCardEvent,
    PlayCardsEvent,
    QuadrupleWarGame,
    QuadrupleWarOptions,
    SodaGame,
    Status,
    ThirteenGame,
    Visibility,
    WodkaGame,
    WodkaOptions,
)

Made = MadeKrakenGame | MadeQuadrupleWarGame | MadeSodaGame | MadeThirteenGame | MadeWodkaGame
NewGame = NewKrakenGame | NewQuadrupleWarGame | NewSodaGame | NewThirteenGame | NewWodkaGame
Game = KrakenGame | QuadrupleWarGame | SodaGame | ThirteenGame | WodkaGame

FOUR: Final = ["Ada", "Ben", "Cleo", "Dan"]
NEW_GAMES: Final[dict[str, NewGame]] = {
    "kraken": NewKrakenGame("kraken", FOUR, Dealer.SERVICE, Visibility.PRIVATE, KrakenOptions(rounds=1)),
    "quadruple-war": NewQuadrupleWarGame(
        "quadruple-war", FOUR[:2], Dealer.SERVICE, Visibility.PRIVATE, QuadrupleWarOptions(target=1, bags=True)
    ),
    "soda": NewSodaGame("soda", FOUR[:3], Dealer.SERVICE, Visibility.PUBLIC),
    "thirteen": NewThirteenGame("thirteen", FOUR[:2], Dealer.SERVICE, Visibility.PRIVATE),
    "wodka": NewWodkaGame("wodka", FOUR, Dealer.SERVICE, Visibility.PRIVATE, WodkaOptions(target=1)),
}

url, key, ruleset = sys.argv[1:]
owner = AuthenticatedClient(base_url=url, token=key)

made = create_game.sync(client=owner, body=NEW_GAMES[ruleset])
assert isinstance(made, Made), made
seats = [AuthenticatedClient(base_url=url, token=token) for token in made.seat_tokens]


def chosen(listed: LegalMoves) -> Moves:
    """One of the moves listed, with a choice made where it stands for many."""
    move = choice(listed.moves)
    if isinstance(move, ExchangePattern):
        return Moves([ExchangeMove("exchange", move.cards.of[: move.cards.choose])])
    if isinstance(move, DeclarePattern):
        return Moves([DeclareMove("declare", move.combinations.among)])
    return Moves([move])


followed: list[str] = []


def follow(game: str) -> None:
    """Keeps the events of a stream of them, an event a line, until it ends."""
    headers = {"Accept": "application/x-ndjson"}
    params = {"follow": "true"}
    client = AuthenticatedClient(base_url=url, token=key).get_httpx_client()
    with client.stream("GET", f"/v1/games/{game}/events", headers=headers, params=params, timeout=60) as answer:
        followed.extend(line for line in answer.iter_lines() if line)


follower = Thread(target=follow, args=[made.id])
follower.start()

to_act = made.to_act
while to_act:
    seat = choice(to_act)
    listed = list_legal_moves.sync(made.id, client=seats[seat])
    assert isinstance(listed, LegalMoves), listed
    accepted = play_moves.sync(made.id, client=seats[seat], body=chosen(listed))
    assert isinstance(accepted, Accepted), accepted
    to_act = accepted.to_act

late = play_moves.sync_detailed(made.id, client=owner, body=Moves([BidMove("bid", 1, seat=0)]))
assert late.status_code == 422
assert isinstance(late.parsed, IllegalMoveProblem), late
assert (late.parsed.rule, late.parsed.index, late.parsed.seat) == ("common.over", 0, 0)

game = get_game.sync(made.id, client=owner)
assert isinstance(game, Game), game
assert game.status == Status.FINISHED
assert game.winners
if isinstance(game, QuadrupleWarGame):
    assert game.config.bags
    assert game.config.jokers

ledger = get_ledger.sync(made.id, client=owner)
assert isinstance(ledger, Ledger), ledger
sums = [sum(line.points for line in ledger.lines if line.side == side) for side in range(len(ledger.totals))]
assert sums == ledger.totals == game.scores

audit = audit_game.sync(made.id, client=owner)
assert isinstance(audit, Audit), audit
assert audit.ok, [each.detail for each in audit.checks]

follower.join(60)
events = Events.from_dict({"events": [json.loads(line) for line in followed]}).events
assert [event.seq for event in events] == list(range(1, game.seq + 1))
assert any(isinstance(event, PlayCardEvent | PlayCardsEvent) for event in events)
(over,) = (effect for effect in events[-1].effects or [] if isinstance(effect, GameOverEffect))
assert over.winners == game.winners
print(f"{game.ruleset}: {len(events)} events, totals {ledger.totals}")
