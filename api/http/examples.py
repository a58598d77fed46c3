"""The examples of the documentation: a hand of Quadruple War, played here by the rules themselves."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from api import service, store
from api.games import LATEST
from api.games.rules import PUBLIC, read_config
from api.http.schemas import WEBHOOK_ID
from api.http.shapes import config_shape, move_shapes, standalone
from api.proofs import digests
from api.proofs.receipts import Signer, write_jwks
from api.records import replay
from api.records.audit import audit
from api.records.disputes import find
from api.records.portable import Sealed, chain_facts, write_record
from api.records.transcript import transcript
from api.records.words import sentences
from api.rule_texts import game_texts, table_description
from api.webhooks import write_secret

_RULESET: Final = LATEST["quadruple-war"]
_GAME: Final = "0000001k3m9x7qz2"
_PLAYERS: Final = ("Ada", "Ben", "Cleo", "Dan")
_MADE: Final = datetime(2026, 1, 31, 18, 0, 0, tzinfo=UTC)
_CONFIG: Final = read_config(_RULESET, {"jokers": False, "first_dealer": 0}, len(_PLAYERS))

_NAMES: Final = _RULESET.start(_CONFIG, len(_PLAYERS)).pack.names
_EVENTS: Final[list[dict[str, Any]]] = [
    {"type": "deal", "hands": [list(_NAMES[seat::4]) for seat in range(4)]},
    {"seat": 1, "type": "bid", "tricks": 4},
    {"seat": 2, "type": "bid", "tricks": 3},
    {"seat": 3, "type": "bid", "tricks": 3},
    {"seat": 0, "type": "bid", "tricks": 2},
    {"seat": 1, "type": "play", "card": "3c"},
    {"seat": 2, "type": "play", "card": "Qc"},
    {"seat": 3, "type": "play", "card": "Kc"},
    {"seat": 0, "type": "play", "card": "Tc"},
]


def _times(seq: int) -> datetime:
    return _MADE.replace(second=seq)


def _one(name: str, value: Any) -> dict[str, Any]:
    return {name: {"summary": name, "value": value}}


_FACTS: Final = chain_facts(
    game=_GAME,
    ruleset=_RULESET.id,
    version=_RULESET.version,
    config=_CONFIG,
    players=_PLAYERS,
    dealer="client",
    commitment=None,
    client_seeds=[],
)
_SECRET: Final = bytes(range(32))
_SIGNER: Final = Signer("2f1c6d8e9a0b3c47", bytes(reversed(range(32))))


def _digest(seq: int, event: dict[str, Any]) -> bytes:
    return digests.digest(digests.salt(_SECRET, seq), seq, service.in_rfc3339(_times(seq)), event)


def _game() -> tuple[service.Opened, list[dict[str, Any]]]:
    position = replay.begin(_RULESET, _CONFIG, len(_PLAYERS))
    events = []
    head = digests.start(_FACTS)
    for seq, step in enumerate(replay.walk(_RULESET, _CONFIG, len(_PLAYERS), _EVENTS), 1):
        position = step.position
        digest = _digest(seq, _EVENTS[seq - 1])
        head = digests.chain(head, digest)
        accepted = service.Accepted(seq, _times(seq), step.event, step.effects, digest)
        events.append(service.view_accepted(position, accepted, PUBLIC))
    game = store.Game(
        number=1,
        id=_GAME,
        owner=1,
        ruleset=_RULESET.id,
        version=_RULESET.version,
        config=_CONFIG,
        players=_PLAYERS,
        dealer="client",
        visibility="public",
        tokens=(),
        seed=None,
        commitment=None,
        client_seeds=None,
        secret=_SECRET,
        origin=None,
        created_at=_MADE,
    )
    return service.Opened(game, "owner", None, position, head, {}, _times(len(_EVENTS))), events


_OPENED, _SHOWN = _game()
_SHOWN_GAME: Final = service.view_game(_OPENED)
_OF_THE_SERVICE: Final = ("visibility", "created_at", "updated_at")
_STATE: Final = service.view_state(_OPENED, _OPENED.position, PUBLIC)
*_, _STEP = replay.walk(_RULESET, _CONFIG, len(_PLAYERS), _EVENTS)
_FRAME: Final = {
    "event": {name: value for name, value in _SHOWN[-1].items() if name != "effects"},
    "effects": _SHOWN[-1]["effects"],
    "text": sentences(_STEP, _PLAYERS, PUBLIC),
    "state": _STATE,
}

NEW_GAME: Final = {
    "dealt by the service": {
        "summary": "The service deals",
        "value": {
            "ruleset": "quadruple-war",
            "config": {"target": 200, "bags": True},
            "players": ["Ada", "Ben", "Cleo", "Dan"],
            "dealer": "service",
            "visibility": "private",
        },
    },
    "dealt by the client": {
        "summary": "A game at a real table",
        "value": {
            "ruleset": "thirteen",
            "players": ["Ada", "Ben"],
            "dealer": "client",
            "visibility": "public",
        },
    },
}
MOVES: Final = {
    "by the owner": {
        "summary": "The owner, for any seat",
        "value": {"moves": [{"seat": 2, "type": "play", "card": "Qc"}]},
    },
    "by a seat": {"summary": "A seat, with its token", "value": {"moves": [{"type": "bid", "tricks": 3}]}},
}
TAKEBACK: Final = {"to the bids": {"summary": "Back to the last bid", "value": {"to": 5}}}
ABANDON: Final = {"for a reason": {"summary": "A game that ends early", "value": {"reason": "The last train leaves."}}}
RECORD: Final = {
    "a game so far": {
        "summary": "The first trick of a game",
        "value": write_record(
            _FACTS,
            _OPENED.position,
            [
                Sealed(event, service.in_rfc3339(_times(seq)), _digest(seq, event))
                for seq, event in enumerate(_EVENTS, 1)
            ],
            _OPENED.head,
            None,
        ),
    }
}
_RECEIPT: Final = _SIGNER.sign(_GAME, _OPENED.position.seq, _OPENED.head)
CLIENT_SEED: Final = {"by a seat": {"summary": "A seat, with its token", "value": {"seed": "heads, tails, heads"}}}
AUDIT: Final = {
    "with a receipt": {
        "summary": "A record, and a receipt for it",
        "value": {"record": RECORD["a game so far"]["value"], "receipts": [_RECEIPT]},
    }
}
CLAIM: Final = {
    "totals": {
        "summary": "The totals",
        "value": {"totals": [20, 40, 31, 30], "statement": "Seat 0 made its bid of two."},
    },
    "a round": {
        "summary": "A side's points in a round",
        "value": {"round": 1, "side": 1, "points": 40, "statement": "Four bid, four won."},
    },
    "a line": {"summary": "A line", "value": {"line": 0, "points": 41, "statement": "There was an overtrick."}},
}
RESOLUTION: Final = {
    "agreed": {"summary": "What was agreed", "value": {"resolution": "The table went through the tricks: it stands."}}
}
NEW_WEBHOOK: Final = {
    "two types": {
        "summary": "What ends in a ranking",
        "value": {
            "url": "https://example.org/tricklog",
            "types": ["game.finished", "dispute.opened"],
            "description": "The club's ranking",
        },
    }
}
WEBHOOK_CHANGES: Final = {
    "a pause": {"summary": "Sends nothing for a while", "value": {"paused": True}},
    "a move": {"summary": "Sends elsewhere", "value": {"url": "https://example.org/v2/tricklog"}},
}
NOTHING: Final = {"nothing": {"summary": "Nothing", "value": {}}}
NEW_SECRET: Final = {
    "for a day": {"summary": "The others for some time", "value": {"others_until": "2026-02-01T18:00:00Z"}},
    "until deleted": {"summary": "The others until they are deleted", "value": {}},
}
_DISPUTE: Final = {
    "dispute": "1",
    "at": service.in_rfc3339(_times(30)),
    "seat": 0,
    "claim": {"totals": [20, 0, 0, 0]},
    "statement": "Seat 0 made its bid of two.",
    "seq": _OPENED.position.seq,
    "head": _OPENED.head.hex(),
    "finding": find(_OPENED.position, {"totals": [20, 0, 0, 0]}, PUBLIC, {}),
}
_RESOLVED: Final = _DISPUTE | {
    "resolution": {"at": service.in_rfc3339(_times(40)), "resolution": "The table went through the tricks: it stands."}
}
_AUDITED: Final = audit(RECORD["a game so far"]["value"]).written()

_SECRET_MADE: Final = {"id": WEBHOOK_ID, "created_at": service.in_rfc3339(_MADE)}
_WEBHOOK: Final = {
    "id": WEBHOOK_ID,
    "url": "https://example.org/tricklog",
    "types": ["game.finished", "dispute.opened"],
    "description": "The club's ranking",
    "paused": False,
    "created_at": service.in_rfc3339(_MADE),
    "secrets": [_SECRET_MADE],
}
_SHOWN_SECRET: Final = {"secret": write_secret(_SECRET)}
_DELIVERY: Final = {
    "id": WEBHOOK_ID,
    "type": "game.finished",
    "game": _GAME,
    "seq": 57,
    "created_at": service.in_rfc3339(_times(30)),
    "status": "pending",
    "attempts": 1,
    "answer": 503,
    "fault": None,
    "attempted_at": service.in_rfc3339(_times(30)),
    "next_attempt_at": service.in_rfc3339(_times(35)),
}
_REPLAYED: Final = _DELIVERY | {"attempts": 0}
_PING: Final = {
    "id": WEBHOOK_ID,
    "type": "webhook.ping",
    "created_at": service.in_rfc3339(_times(30)),
    "status": "pending",
    "attempts": 0,
    "answer": None,
    "fault": None,
    "next_attempt_at": service.in_rfc3339(_times(30)),
}
EXAMPLE_PAGE: Final = '<!doctype html>\n<html lang="en">…</html>\n'
TRANSCRIPT: Final = transcript(
    game=_GAME,
    ruleset=_RULESET,
    config=_CONFIG,
    players=_PLAYERS,
    steps=[
        (service.in_rfc3339(_times(seq)), step)
        for seq, step in enumerate(replay.walk(_RULESET, _CONFIG, len(_PLAYERS), _EVENTS), 1)
    ],
    view=PUBLIC,
)
_THIRTEEN: Final = LATEST["thirteen"]
_DESCRIBED: Final = {
    "id": _THIRTEEN.id,
    "version": _THIRTEEN.version,
    "title": _THIRTEEN.title,
    "summary": _THIRTEEN.summary,
    "seats": list(_THIRTEEN.seats),
    "sides": _THIRTEEN.sides,
    "phases": list(_THIRTEEN.phases),
    "config": standalone(config_shape(_THIRTEEN)),
    "moves": {"pass": standalone(move_shapes(_THIRTEEN)["pass"])},
    "chance_events": {},
    "table": table_description(_THIRTEEN),
    "introduction": "Players get rid of their cards …",
    "rules": [{"id": "thirteen.pass", "text": game_texts(_THIRTEEN).rules["thirteen.pass"]}],
}
EVENTS_AS_LINES: Final = "".join(f"{orjson.dumps(event).decode()}\n" for event in _SHOWN[1:3])
EVENTS_AS_STREAM: Final = "retry: 3000\n\n" + "".join(
    f"id: {event['seq']}\nevent: message\ndata: {orjson.dumps(event).decode()}\n\n" for event in _SHOWN[1:3]
)

ANSWERS: Final[Mapping[str, Any]] = {
    "getHealth": {"status": "ok"},
    "getOembed": {
        "version": "1.0",
        "type": "rich",
        "provider_name": "Tricklog",
        "provider_url": "https://example.org/",
        "title": "Quadruple War: Ada, Ben, Cleo, Dan",
        "html": f'<iframe src="https://example.org/replay/{_GAME}" width="640" height="480"></iframe>',
        "width": 640,
        "height": 480,
        "thumbnail_url": f"https://example.org/v1/games/{_GAME}/picture.svg",
        "thumbnail_width": 640,
        "thumbnail_height": 480,
    },
    "getReadiness": {"status": "ok"},
    "getOpenapi": {"openapi": "3.1.0", "info": {"title": "Tricklog", "version": "0.1.0"}, "paths": {}},
    "getRuleset": _DESCRIBED,
    "listRulesets": {"rulesets": [_DESCRIBED]},
    "createGame": _SHOWN_GAME | {"seat_tokens": [f"tls_1_{seat}_{'A' * 42}{seat}" for seat in range(4)]},
    "importRecord": _SHOWN_GAME
    | {"origin": "0000002q8w4n5t7c", "seat_tokens": [f"tls_1_{seat}_{'A' * 42}{seat}" for seat in range(4)]},
    "listGames": {"games": [_SHOWN_GAME]},
    "getGame": _SHOWN_GAME,
    "getRecord": RECORD["a game so far"]["value"],
    "auditGame": _AUDITED,
    "auditRecord": _AUDITED,
    "disputeScore": _DISPUTE | {"receipt": _RECEIPT},
    "listDisputes": {"disputes": [_RESOLVED]},
    "getDispute": _RESOLVED,
    "resolveDispute": _RESOLVED,
    "getReceiptKeys": write_jwks({_SIGNER.key: _SIGNER.public}),
    "giveClientSeed": {
        "seq": 0,
        "events": [],
        "to_act": [1, 2, 3],
        "status": "running",
        "receipt": _RECEIPT,
    },
    "createWebhook": _WEBHOOK | _SHOWN_SECRET,
    "listWebhooks": {"webhooks": [_WEBHOOK]},
    "getWebhook": _WEBHOOK,
    "changeWebhook": _WEBHOOK | {"paused": True},
    "createWebhookSecret": _SECRET_MADE | _SHOWN_SECRET,
    "listDeliveries": {"deliveries": [_DELIVERY]},
    "replayDelivery": _REPLAYED,
    "pingWebhook": _PING,
    "playMoves": {
        "seq": _OPENED.position.seq,
        "events": _SHOWN[-1:],
        "to_act": [3],
        "status": "running",
        "receipt": _RECEIPT,
    },
    "takeBack": {
        "seq": 10,
        "events": [
            {
                "seq": 10,
                "at": service.in_rfc3339(_times(10)),
                "type": "takeback",
                "to": 5,
                "digest": _digest(10, {"type": "takeback", "to": 5}).hex(),
                "effects": [{"type": "retracted", "events": [6, 7, 8, 9]}],
            }
        ],
        "to_act": [1],
        "status": "running",
        "receipt": _RECEIPT,
    },
    "abandonGame": {
        "seq": 10,
        "events": [
            {
                "seq": 10,
                "at": service.in_rfc3339(_times(10)),
                "type": "abandon",
                "reason": "The last train leaves.",
                "digest": _digest(10, {"type": "abandon", "reason": "The last train leaves."}).hex(),
                "effects": [{"type": "game-over", "winners": [], "totals": [0, 0, 0, 0]}],
            }
        ],
        "to_act": [],
        "status": "abandoned",
        "receipt": _RECEIPT,
    },
    "listEvents": {"events": _SHOWN[:2], "next": 2},
    "getState": _STATE,
    "listLegalMoves": {
        "seq": _OPENED.position.seq,
        "seat": 3,
        "moves": replay.legal_moves(_OPENED.position, 3),
    },
    "getReplay": {"frames": [_FRAME]},
    "listDemonstrations": {"games": [{"id": "0000001dem000000", "ruleset": "kraken"}]},
    "replayRecord": {
        "game": {name: value for name, value in _SHOWN_GAME.items() if name not in _OF_THE_SERVICE},
        "frames": [_FRAME],
        "ledger": replay.view_ledger(_OPENED.position, PUBLIC),
        "audit": audit(RECORD["a game so far"]["value"]).written(),
    },
    "getLedger": {
        "seq": 57,
        "lines": [
            {
                "round": 1,
                "side": 1,
                "points": 40,
                "rule": "quadruple-war.score.made",
                "events": [2, 9, 13, 21, 37],
                "text": "Seat 1 bid 4 and took 4: 4 x 10 for the bid made.",
            }
        ],
        "totals": [0, 40, 0, 0],
        "winners": [],
    },
}

METRICS: Final = """\
# HELP tricklog_requests_total Requests answered, by route.
# TYPE tricklog_requests_total counter
tricklog_requests_total{method="POST",route="/v1/games/<game>/moves",status="201"} 4711.0
"""

_THEN: Final = {"game": _GAME, "ruleset": _RULESET.id, "seq": 9, "status": "running"}
_ENDED: Final = {"totals": [80, 210, 60, 40], "winners": []}
TOLD_EXAMPLES: Final[Mapping[str, Any]] = {
    kind: {"type": kind, "timestamp": service.in_rfc3339(_times(9)), "data": data}
    for kind, data in {
        "game.moves": _THEN
        | {"first": 9, "more": f"/v1/games/{_GAME}/events?view=public&after=8", "events": _SHOWN[-1:]},
        "game.finished": _THEN | {"seq": 57, "status": "finished"} | _ENDED | {"winners": [1]},
        "game.abandoned": _THEN | {"status": "abandoned"} | _ENDED,
        "dispute.opened": _THEN | {name: _DISPUTE[name] for name in ("dispute", "seat", "claim", "statement")},
        "webhook.ping": {"webhook": WEBHOOK_ID},
    }.items()
}
