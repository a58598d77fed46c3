"""What is added to a game's record: moves, and its owner's word."""

from functools import partial
from typing import Any, Final

from flask import Response

from api import service
from api.http.declare import Blueprint, desk
from api.http.examples import ABANDON, CLIENT_SEED, MOVES, TAKEBACK
from api.http.idempotency import answered
from api.http.problems import ILLEGAL_MOVE
from api.http.responses import answer
from api.http.schemas import AbandonSchema, AcceptedSchema, ClientSeedSchema, MovesSchema, TakebackSchema

blueprint: Final = Blueprint("moves", "Playing: what is added to the record of a game.")


@blueprint.route("/v1/games/<game>/moves", methods=["POST"])
@blueprint.opens_game(service.may_write)
@blueprint.conditional()
@blueprint.body(MovesSchema, most=lambda settings: settings.max_body, examples=MOVES)
@blueprint.response(201, AcceptedSchema, headers={"ETag": "ETag"})
@blueprint.fails(ILLEGAL_MOVE)
def play_moves(opened: service.Opened, expected: service.Expected, body: dict[str, Any]) -> Response:
    """Play moves

    All of them, in order, or none: the first that the rules refuse is named. Where the service deals, it adds what is
    to be dealt by itself.
    """
    return answered(_accepted, partial(service.play, desk(), opened, body["moves"], expected))


@blueprint.route("/v1/games/<game>/takeback", methods=["POST"])
@blueprint.opens_game(service.may_direct)
@blueprint.conditional()
@blueprint.body(TakebackSchema, most=lambda settings: settings.max_body, examples=TAKEBACK)
@blueprint.response(201, AcceptedSchema, headers={"ETag": "ETag"})
@blueprint.fails(ILLEGAL_MOVE)
def take_back(opened: service.Opened, expected: service.Expected, body: dict[str, Any]) -> Response:
    """Take moves back

    The owner retracts every event after `to`. The record keeps them, and the game goes on from there.
    """
    return answered(_accepted, partial(service.take_back, desk(), opened, body["to"], expected))


@blueprint.route("/v1/games/<game>/abandon", methods=["POST"])
@blueprint.opens_game(service.may_direct)
@blueprint.conditional()
@blueprint.body(AbandonSchema, most=lambda settings: settings.max_body, examples=ABANDON)
@blueprint.response(201, AcceptedSchema, headers={"ETag": "ETag"})
@blueprint.fails(ILLEGAL_MOVE)
def abandon_game(opened: service.Opened, expected: service.Expected, body: dict[str, Any]) -> Response:
    """Abandon a game

    The owner ends it unfinished. Its score sheet stays as far as it had come, and nobody has won.
    """
    return answered(_accepted, partial(service.abandon, desk(), opened, body["reason"], expected))


@blueprint.route("/v1/games/<game>/client-seed", methods=["POST"])
@blueprint.opens_game(service.may_write)
@blueprint.body(ClientSeedSchema, most=lambda settings: settings.max_body, examples=CLIENT_SEED)
@blueprint.response(201, AcceptedSchema, headers={"ETag": "ETag"})
@blueprint.fails(ILLEGAL_MOVE)
def give_client_seed(opened: service.Opened, body: dict[str, Any]) -> Response:
    """Send a client seed

    A player's or the owner's part in every shuffle, for a game that was made with `client_seeds` and waits for it. It
    comes after the commitment, once, and everybody sees it. The last one has the first cards dealt.
    """
    return answered(_accepted, partial(service.give_client_seed, desk(), opened, body["seed"], body.get("seat")))


def _accepted(outcome: service.Outcome) -> Response:
    opened, accepted, receipt = outcome
    position = opened.position
    view = service.resolve_view(opened, None)
    content = {
        "seq": position.seq,
        "events": [service.view_accepted(position, each, view) for each in accepted],
        "to_act": position.state.to_act,
        "status": position.status,
        "receipt": receipt,
    }
    return answer(content, 201, {"ETag": service.tag(opened)})
