"""The replay viewer: one web page that learns all it shows from the API, its parts, and how other pages embed it."""

import gzip
import hashlib
from importlib.resources import files
from typing import Final

import orjson
from flask import Response, request
from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from api import service
from api.http import faces
from api.http.conditions import tagged
from api.http.declare import Blueprint, desk
from api.http.problems import NOT_FOUND, UNAVAILABLE, Problem
from api.http.responses import CSS, HTML, JAVASCRIPT, SVG, respond
from api.http.schemas import DemonstrationsSchema

blueprint: Final = Blueprint("replay", "The replay viewer: a web page to look at a game and step through it.")

PAGE: Final = "index.html"
TYPES: Final = {"js": JAVASCRIPT, "css": CSS, "svg": SVG}
"""The media types of the page's parts, by suffix."""

_POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; "
_PAGE_HEADERS: Final = {
    "Content-Security-Policy": _POLICY
    + "script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; frame-ancestors *",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
    "Vary": "Accept",
}

_templates = Environment(
    loader=PackageLoader("api.http", "viewer"), autoescape=True, trim_blocks=True, lstrip_blocks=True
)


_discovery_tags: Final = Environment(
    loader=PackageLoader("api.http"), autoescape=True, trim_blocks=True, lstrip_blocks=True
).get_template("discovery.html")
_TOLD: Final = {
    "running": "A game in round {round}, to be followed card by card.",
    "finished": "The whole game, card by card, with the score and the proof of it.",
    "abandoned": "A game that ended unfinished, card by card.",
}


def _read_parts() -> dict[str, bytes]:
    folder = files("api.http") / "viewer"
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.name != PAGE}


PARTS: Final = {
    name: gzip.compress(text, mtime=0)
    for name, text in sorted({**_read_parts(), "cards.svg": faces.sprite().encode()}.items())
}
"""The parts of the page, compressed, by name."""

VERSION: Final = hashlib.sha256(b"".join(name.encode() + text for name, text in PARTS.items())).hexdigest()[:16]


@blueprint.route("/replay", any_query=True)
@blueprint.caches({"type": "string"}, HTML)
def open_viewer() -> Response:
    """Open the viewer without a game

    A web page that replays a record from a file, and lists the games of an API key.
    """
    return _page(Markup())


@blueprint.route("/replay/<game>", any_query=True)
@blueprint.caches({"type": "string"}, HTML)
@blueprint.fails(UNAVAILABLE)
def open_game_viewer(game: str) -> Response:
    """Open the viewer on a game

    The same web page for every id, whether there is such a game or not: it asks the API with the credential of whoever
    looks. Only of a public game does it also tell other sites what it shows (Open Graph, oEmbed).
    """
    try:
        opened = service.open_game(desk(), game, None)
    except service.NotFoundError:
        return _page(Markup())
    return _page(_discovery(opened))


@blueprint.route("/v1/demonstrations")
@blueprint.caches(DemonstrationsSchema)
@blueprint.fails(UNAVAILABLE)
def list_demonstrations() -> Response:
    """List the demonstration games

    The games that this installation offers everybody to look at, none or one of each ruleset.
    """
    offered = service.list_demonstrations(desk())
    return tagged(orjson.dumps({"games": [{"id": game, "ruleset": ruleset} for ruleset, game in offered]}))


def _discovery(opened: service.Opened) -> Markup:
    """What a page about a public game tells other sites."""
    game, position = opened.game, opened.position
    properties = {
        "og:type": "website",
        "og:site_name": "Tricklog",
        "og:title": f"{position.ruleset.title}: {', '.join(game.players)}",
        "og:description": _TOLD[position.status].format(round=position.state.round),
        "og:url": f"{request.host_url}replay/{game.id}",
    }
    return Markup(_discovery_tags.render(properties=properties))  # noqa: S704


def _page(discovery: Markup) -> Response:
    html = _templates.get_template(PAGE).render(assets=f"/replay/assets/{VERSION}", discovery=discovery)
    response = tagged(html.encode(), content_type=f"{HTML}; charset=utf-8")
    response.headers.update(_PAGE_HEADERS)
    return response


@blueprint.route("/replay/assets/<version>/<name>", cost=0)
@blueprint.response(200, {"type": "string"}, content_type=JAVASCRIPT)
@blueprint.response(200, {"type": "string"}, content_type=CSS)
@blueprint.response(200, {"type": "string"}, content_type=SVG)
@blueprint.fails(NOT_FOUND)
def get_viewer_part(version: str, name: str) -> Response:
    """Get a part of the viewer

    A script, a style sheet or the cards, at the address that the page names; it never changes there.
    """
    if version != VERSION or name not in PARTS:
        raise Problem(NOT_FOUND, "The viewer has no such part.")
    compressed = PARTS[name]
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Content-Security-Policy": f"{_POLICY}frame-ancestors 'none'",
        "Referrer-Policy": "no-referrer",
        "Vary": "Accept-Encoding",
    }
    content_type = f"{TYPES[name.rpartition('.')[2]]}; charset=utf-8"
    if request.accept_encodings["gzip"]:
        return respond(compressed, 200, content_type, {**headers, "Content-Encoding": "gzip"})
    return respond(gzip.decompress(compressed), 200, content_type, headers)
