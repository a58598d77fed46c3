"""Whether the service is there, and its documentation."""

from typing import Final

from flask import Response, request

from api import service
from api.http.conditions import tagged
from api.http.declare import Blueprint, context, desk
from api.http.docs import PAGE_HEADERS
from api.http.examples import EXAMPLE_PAGE, METRICS
from api.http.metrics import exposition
from api.http.problems import NOT_FOUND, UNAVAILABLE, Problem
from api.http.responses import HTML, OPEN_METRICS, TEXT, answer, respond
from api.http.schemas import HealthSchema
from api.http.shapes import whole_text

blueprint: Final = Blueprint("operation", "Whether the service is there, and what it says of itself.")


@blueprint.route("/healthz", cost=0)
@blueprint.response(200, HealthSchema)
def get_health() -> Response:
    """Tell that the process is alive

    Looks at nothing else.
    """
    return answer({"status": "ok"})


@blueprint.route("/readyz", cost=0)
@blueprint.response(200, HealthSchema)
@blueprint.fails(UNAVAILABLE)
def get_readiness() -> Response:
    """Tell whether the service can work

    The database answers, and its schema is the one that this version works with.
    """
    service.check_ready(desk())
    return answer({"status": "ok"})


@blueprint.route("/metrics", cost=0)
@blueprint.response(200, whole_text("Lines of metrics.", METRICS), content_type=TEXT)
@blueprint.response(200, whole_text("Lines of metrics.", METRICS), content_type=OPEN_METRICS)
def get_metrics() -> Response:
    """Get what was counted

    For Prometheus, in its own text format or in OpenMetrics': requests, events accepted, streams, connections, over all
    workers of this machine.
    """
    lines, content_type = exposition(request.environ.get("HTTP_ACCEPT", ""))
    return respond(lines, 200, content_type, {})


@blueprint.route("/openapi.json")
@blueprint.caches({"type": "object", "description": "This document."})
def get_openapi() -> Response:
    """Get this document

    OpenAPI 3.1, as JSON.
    """
    return tagged(context().published.json)


@blueprint.route("/docs")
@blueprint.caches(whole_text("A web page.", EXAMPLE_PAGE), content_type=HTML)
def get_docs() -> Response:
    """Read the documentation

    The page from which the others are reached.
    """
    return _page("/docs")


@blueprint.route("/docs/<page>")
@blueprint.caches(whole_text("A web page.", EXAMPLE_PAGE), content_type=HTML)
@blueprint.fails(NOT_FOUND)
def get_docs_page(page: str) -> Response:
    """Read a page of the documentation

    A guide, the rules of a game with each by its id, the operations, the shapes, the problems, how dealing and records
    are proved.
    """
    return _page(f"/docs/{page}")


@blueprint.route("/problems/<problem>")
@blueprint.caches(whole_text("A web page.", EXAMPLE_PAGE), content_type=HTML)
@blueprint.fails(NOT_FOUND)
def get_problem(problem: str) -> Response:
    """Read about a type of problem

    The page that the `type` of a problem leads to.
    """
    return _page(f"/problems/{problem}")


def _page(path: str) -> Response:
    published = context().published
    if path not in published.pages:
        raise Problem(NOT_FOUND, "There is no such page.")
    return tagged(published.html(path), content_type=f"{HTML}; charset=utf-8", headers=PAGE_HEADERS)
