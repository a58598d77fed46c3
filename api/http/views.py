"""Looking at a game: its record, its state at any moment, what may be done, the score sheet."""

from typing import Any, Final

import orjson
from flask import Response

from api import service
from api.http.conditions import tagged
from api.http.declare import Blueprint, desk
from api.http.examples import EVENTS_AS_LINES, EVENTS_AS_STREAM
from api.http.headers import LAST_EVENT_ID
from api.http.negotiation import acceptable
from api.http.problems import invalid
from api.http.responses import EVENT_STREAM, JSON, NDJSON
from api.http.schemas import (
    LIMIT,
    AtQuery,
    EventsQuery,
    EventsSchema,
    LedgerSchema,
    LegalMovesQuery,
    LegalMovesSchema,
    ReplayQuery,
    ReplaySchema,
    SnapshotSchema,
)
from api.http.shapes import whole_text
from api.http.streams import last_event_id, stream
from api.records import replay

blueprint: Final = Blueprint("views", "Looking at a game, now or at an earlier moment, in any view that one may use.")


@blueprint.route("/v1/games/<game>/events")
@blueprint.opens_game()
@blueprint.query(EventsQuery)
@blueprint.takes_header(LAST_EVENT_ID)
@blueprint.caches(EventsSchema)
@blueprint.response(200, whole_text("Events, each a line of JSON.", EVENTS_AS_LINES), content_type=NDJSON)
@blueprint.response(200, whole_text("Events, as server-sent events.", EVENTS_AS_STREAM), content_type=EVENT_STREAM)
@blueprint.ends_streams()
def list_events(opened: service.Opened, query: dict[str, Any]) -> Response:
    """List or follow the events

    The record of the game from `after` on: a page of it in JSON, or all the rest as NDJSON, an event a line. As an
    event stream, and as NDJSON with `follow`, it goes on live: each event as it is accepted, until the game is over.
    """
    view = service.resolve_view(opened, query.get("view"))
    after, newest = query["after"], opened.position.seq
    media_type = acceptable((JSON, NDJSON, EVENT_STREAM))
    if query["follow"] and media_type != NDJSON:
        raise invalid({"follow": [f"Goes with Accept: {NDJSON} only."]})
    if query["follow"] or media_type == EVENT_STREAM:
        return stream(opened, view, query, media_type)
    last_event_id(newest)  # says nothing here, but must be one
    if media_type == NDJSON:
        events = service.view_events(desk(), opened, view, after, after + (query.get("limit") or newest))
        return tagged(b"".join(orjson.dumps(event) + b"\n" for event in events), content_type=NDJSON)
    upto = after + (query.get("limit") or LIMIT)
    following = {"next": upto} if upto < newest else {}
    return tagged(orjson.dumps({"events": service.view_events(desk(), opened, view, after, upto), **following}))


@blueprint.route("/v1/games/<game>/state")
@blueprint.opens_game()
@blueprint.query(AtQuery)
@blueprint.caches(SnapshotSchema)
def get_state(opened: service.Opened, query: dict[str, Any]) -> Response:
    """Get the state

    Where the game stands, or stood at any moment of its record, derived by replaying it.
    """
    view = service.resolve_view(opened, query.get("view"))
    position = service.position_at(desk(), opened, query.get("at"))
    return tagged(orjson.dumps(service.view_state(opened, position, view)))


@blueprint.route("/v1/games/<game>/legal-moves")
@blueprint.opens_game(service.may_write)
@blueprint.query(LegalMovesQuery)
@blueprint.caches(LegalMovesSchema)
def list_legal_moves(opened: service.Opened, query: dict[str, Any]) -> Response:
    """List the legal moves

    Everything that a seat may do, now or at an earlier moment.
    """
    return tagged(orjson.dumps(service.legal_moves(desk(), opened, query.get("seat"), query.get("at"))))


@blueprint.route("/v1/games/<game>/ledger")
@blueprint.opens_game()
@blueprint.query(AtQuery)
@blueprint.caches(LedgerSchema)
def get_ledger(opened: service.Opened, query: dict[str, Any]) -> Response:
    """Get the score sheet

    Line by line, each with the rule that awards it and the events that it rests on.
    """
    view = service.resolve_view(opened, query.get("view"))
    position = service.position_at(desk(), opened, query.get("at"))
    return tagged(orjson.dumps(replay.view_ledger(position, view)))


@blueprint.route("/v1/games/<game>/replay", cost=5)
@blueprint.opens_game()
@blueprint.query(ReplayQuery)
@blueprint.caches(ReplaySchema)
def get_replay(opened: service.Opened, query: dict[str, Any]) -> Response:
    """Get frames for a viewer

    Each event with what followed from it and the state after it.
    """
    view = service.resolve_view(opened, query.get("view"))
    return tagged(orjson.dumps(service.view_frames(desk(), opened, view, query["first"], query.get("final"))))
