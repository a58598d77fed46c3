"""Proof: audits, disputes, and the keys that receipts are signed with."""

from functools import partial
from typing import Any, Final

import orjson
from flask import Response

from api import audits, disputes, service
from api.games.rules import TABLE
from api.http.conditions import tagged
from api.http.declare import Blueprint, desk
from api.http.examples import AUDIT, CLAIM, RESOLUTION
from api.http.idempotency import answered
from api.http.problems import UNAVAILABLE
from api.http.responses import answer
from api.http.schemas import (
    AuditRequestSchema,
    AuditSchema,
    ClaimSchema,
    DisputeSchema,
    DisputesSchema,
    KeySetSchema,
    MadeDisputeSchema,
    RecordReplayQuery,
    RecordReplaySchema,
    ReplayRequestSchema,
    ResolutionSchema,
)

blueprint: Final = Blueprint("proofs", "Proof that needs no trust: audits of games and records, and disputed scores.")


@blueprint.route("/v1/games/<game>/audit", cost=5)
@blueprint.opens_stored()
@blueprint.response(200, AuditSchema)
def audit_game(stored: service.Stored) -> Response:
    """Audit a game

    Replays all that is stored of it and recomputes every deal, digest and score. A running game's is its owner's.
    """
    return answer(audits.audit_game(desk(), stored))


@blueprint.route("/v1/audits", methods=["POST"], cost=20)
@blueprint.takes_key()
@blueprint.body(AuditRequestSchema, most=lambda settings: settings.max_record, examples=AUDIT)
@blueprint.response(200, AuditSchema)
def audit_record(_: int, body: dict[str, Any]) -> Response:
    """Audit a record

    Checks a record from anywhere, with any receipts that this service gave for it, and stores nothing. A bad record is
    answered with what is wrong about it; only what is no record at all is refused.
    """
    return answer(audits.audit_record(desk(), body["record"], body["receipts"]))


@blueprint.route("/v1/replays", methods=["POST"], cost=20)
@blueprint.query(RecordReplayQuery)
@blueprint.body(ReplayRequestSchema, most=lambda settings: settings.max_record, examples=AUDIT, idempotency=False)
@blueprint.response(200, RecordReplaySchema)
@blueprint.fails(UNAVAILABLE)
def replay_record(query: dict[str, Any], body: dict[str, Any]) -> Response:
    """Replay a record

    A record from anywhere as frames for a viewer, as far as it follows the rules, with its score sheet and its audit.
    It takes no credential, since whoever has the record has all that is in it, and stores nothing.
    """
    shown = audits.replay_record(
        desk(),
        body["record"],
        body["receipts"],
        view=query.get("view", TABLE),
        first=query["first"],
        final=query.get("final"),
    )
    return answer(shown)


@blueprint.route("/v1/games/<game>/disputes", methods=["POST"])
@blueprint.opens_game(service.may_write)
@blueprint.body(ClaimSchema, most=lambda settings: settings.max_body, examples=CLAIM)
@blueprint.response(201, MadeDisputeSchema, headers={"Location": "Location"})
def dispute_score(opened: service.Opened, body: dict[str, Any]) -> Response:
    """Dispute a score

    Holds a claimed score against the record as it stands, and keeps both for good with what was found: whether the
    claim is right, and else the first line of the ledger where they part, its rule and its events.
    """

    def made(dispute: disputes.Shown) -> Response:
        return answer(dispute, 201, {"Location": f"/v1/games/{opened.game.id}/disputes/{dispute['dispute']}"})

    return answered(made, partial(disputes.claim, desk(), opened, body))


@blueprint.route("/v1/games/<game>/disputes")
@blueprint.opens_game()
@blueprint.caches(DisputesSchema)
def list_disputes(opened: service.Opened) -> Response:
    """List the disputes

    All claims about the game, with what was found and how they ended.
    """
    return tagged(orjson.dumps({"disputes": disputes.list_disputes(desk(), opened)}))


@blueprint.route("/v1/games/<game>/disputes/<dispute>")
@blueprint.opens_game()
@blueprint.caches(DisputeSchema)
def get_dispute(opened: service.Opened, dispute: str) -> Response:
    """Get a dispute

    One claim, with what was found and how it ended.
    """
    return tagged(orjson.dumps(disputes.get_dispute(desk(), opened, dispute)))


@blueprint.route("/v1/games/<game>/disputes/<dispute>/resolution", methods=["POST"])
@blueprint.opens_game(service.may_direct)
@blueprint.body(ResolutionSchema, most=lambda settings: settings.max_body, examples=RESOLUTION)
@blueprint.response(201, DisputeSchema)
def resolve_dispute(opened: service.Opened, body: dict[str, Any], dispute: str) -> Response:
    """Resolve a dispute

    The owner adds how it ended, once; claim and finding stay as they are.
    """
    resolving = partial(disputes.resolve_dispute, desk(), opened, dispute, body["resolution"])
    return answered(lambda resolved: answer(resolved, 201), resolving)


@blueprint.route("/.well-known/jwks.json")
@blueprint.caches(KeySetSchema)
def get_receipt_keys() -> Response:
    """Get the public keys of receipts

    A JWK Set with every key that this service ever signed receipts with.
    """
    return tagged(orjson.dumps(audits.receipt_keys(desk())))
