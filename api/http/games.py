"""Games: made, listed, looked up; records of whole games, in and out."""

from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

import orjson
from flask import Response, request

from api import service
from api.http.conditions import tagged
from api.http.declare import Blueprint, desk
from api.http.examples import NEW_GAME, RECORD, TRANSCRIPT
from api.http.idempotency import answered
from api.http.negotiation import acceptable
from api.http.problems import ILLEGAL_MOVE
from api.http.responses import JSON, REVALIDATED, TEXT, answer, respond
from api.http.schemas import GameSchema, GamesQuery, GamesSchema, MadeGameSchema, NewGameSchema, RecordSchema
from api.http.shapes import whole_text

blueprint: Final = Blueprint("games", "Games: made, listed and looked up, and taken from one installation to another.")


@blueprint.route("/v1/games", methods=["POST"])
@blueprint.takes_key()
@blueprint.body(NewGameSchema, most=lambda settings: settings.max_body, examples=NEW_GAME)
@blueprint.response(201, MadeGameSchema, headers={"Location": "Location", "ETag": "ETag"})
def create_game(owner: int, body: dict[str, Any]) -> Response:
    """Make a game

    The caller owns it. Each seat gets a token, which is shown this once. Where the service deals, it commits itself to
    the seed of every shuffle with `commitment`, and has dealt as far as the first move.
    """
    return answered(_made, partial(service.create_game, desk(), owner, **body))


@blueprint.route("/v1/records", methods=["POST"], cost=20)
@blueprint.takes_key()
@blueprint.body(RecordSchema, most=lambda settings: settings.max_record, examples=RECORD)
@blueprint.response(201, MadeGameSchema, headers={"Location": "Location", "ETag": "ETag"})
@blueprint.fails(ILLEGAL_MOVE)
def import_record(owner: int, body: dict[str, Any]) -> Response:
    """Import a record

    Replays every event of a record and stores it as a new private game of the caller's, with tokens for its seats and
    the old id as its `origin`. A record with an event that the rules refuse is refused as a whole.
    """
    return answered(_made, partial(service.import_record, desk(), owner, body))


def _made(made: tuple[service.Opened, list[str]]) -> Response:
    opened, tokens = made
    game = service.view_game(opened)
    headers = {"Location": f"/v1/games/{opened.game.id}", "ETag": service.tag(opened)}
    return answer({**game, "seat_tokens": tokens}, 201, headers)


@blueprint.route("/v1/games")
@blueprint.takes_key()
@blueprint.query(GamesQuery)
@blueprint.response(200, GamesSchema, headers={"Link": "Link"})
def list_games(owner: int, query: dict[str, Any]) -> Response:
    """List the caller's games

    Newest first, a page at a time; `next` is the `cursor` of the page that follows, and the `Link` header its address.
    """
    page = service.list_games(desk(), owner, **query)
    headers = dict(REVALIDATED)
    if "next" in page:
        headers["Link"] = f'</v1/games?{urlencode(request.args.to_dict() | {"cursor": page["next"]})}>; rel="next"'
    return answer(page, 200, headers)


@blueprint.route("/v1/games/<game>")
@blueprint.opens_game()
@blueprint.caches(GameSchema)
def get_game(opened: service.Opened) -> Response:
    """Get a game

    What it is and where it stands. Its `ETag` is its seq, to be given to `If-Match`.
    """
    return tagged(orjson.dumps(service.view_game(opened)), service.tag(opened))


@blueprint.route("/v1/games/<game>/record", cost=5)
@blueprint.opens_game()
@blueprint.response(200, RecordSchema)
@blueprint.response(200, whole_text("A transcript, event by event.", TRANSCRIPT), content_type=TEXT)
def get_record(opened: service.Opened) -> Response:
    """Get the record

    The whole game as one document, which another installation imports; or, as `text/plain`, a transcript for people. A
    running game's is its owner's.
    """
    if acceptable((JSON, TEXT)) == JSON:
        return answer(service.record(desk(), opened), 200, REVALIDATED)
    return respond(service.transcript(desk(), opened), 200, f"{TEXT}; charset=utf-8", REVALIDATED)
