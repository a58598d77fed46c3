"""The replay viewer: one web page that learns all it shows from the API, its parts, and how other pages embed it."""

import gzip
import hashlib
import re
from importlib.resources import files
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

import orjson
from flask import Response, request
from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from api import service
from api.http import faces, picture
from api.http.conditions import tagged
from api.http.declare import Blueprint, desk
from api.http.examples import EXAMPLE_PAGE
from api.http.problems import NOT_FOUND, UNAVAILABLE, Problem
from api.http.responses import CSS, HTML, JAVASCRIPT, REVALIDATED, SVG, answer, respond
from api.http.schemas import AtQuery, DemonstrationsSchema, OembedQuery, OembedSchema
from api.http.shapes import whole_text
from api.records.words import side_names
from api.rule_texts import table_description

blueprint: Final = Blueprint("replay", "The replay viewer: a web page to look at a game and step through it.")

PAGE: Final = "index.html"
PROVIDER: Final = "Tricklog"
FRAME_SIZE: Final = (800, 600)
TYPES: Final = {"js": JAVASCRIPT, "css": CSS, "svg": SVG}
"""The media types of the page's parts, by suffix."""

_GAME: Final = re.compile(r"([^/?#]+)(?:\?[^#]*)?(?:#(.*))?")
"""What follows ``/replay/`` in a link: a game, whatever other sites have added, and the moment."""
_POLICY: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; "
_PAGE_HEADERS: Final = {
    "Content-Security-Policy": _POLICY
    + "script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; frame-ancestors *",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
    "Vary": "Accept",
}

_ALONE: Final = {
    "Content-Security-Policy": f"{_POLICY}frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
"""The headers of what loads nothing."""

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
@blueprint.caches(whole_text("A web page.", EXAMPLE_PAGE), HTML)
def open_viewer() -> Response:
    """Open the viewer without a game

    A web page that replays a record from a file, and lists the games of an API key.
    """
    return _page(Markup())


@blueprint.route("/replay/<game>", any_query=True)
@blueprint.caches(whole_text("A web page.", EXAMPLE_PAGE), HTML)
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


@blueprint.route("/v1/games/<game>/picture.svg", cost=5)
@blueprint.opens_game()
@blueprint.query(AtQuery)
@blueprint.caches(whole_text("A picture.", '<svg xmlns="http://www.w3.org/2000/svg"/>\n'), SVG)
def get_picture(opened: service.Opened, query: dict[str, Any]) -> Response:
    """Get a picture of the table

    The table at a moment, as SVG of 1200 by 630, with nothing in it that the view may not see: for previews of links,
    or to be put on a page.
    """
    view = service.resolve_view(opened, query.get("view"))
    newest = opened.position.seq
    at = query.get("at", newest)
    service.within("at", at, 0, newest)
    if at:
        *before, last = service.view_frames(desk(), opened, view, max(1, at - 1), at)["frames"]
    else:
        state = service.view_state(opened, service.position_at(desk(), opened, 0), view)
        before, last = [], {"event": None, "effects": [], "text": [], "state": state}
    scene = picture.Scene(
        title=opened.position.ruleset.title,
        described=table_description(opened.position.ruleset),
        players=opened.game.players,
        sides=side_names(opened.position, opened.game.players),
        state=last["state"],
        before=before[0]["state"] if before else None,
        event=last["event"],
        effects=last["effects"],
        words=last["text"],
        newest=newest,
    )
    return tagged(picture.draw(scene).encode(), content_type=SVG, headers={**REVALIDATED, **_ALONE})


def _discovery(opened: service.Opened) -> Markup:
    """What a page about a public game tells other sites."""
    page, position = _address(opened.game.id), opened.position
    properties = {
        "og:type": "website",
        "og:site_name": PROVIDER,
        "og:title": _title(opened),
        "og:description": _TOLD[position.status].format(round=position.state.round),
        "og:url": page,
        "og:image": _picture(opened.game.id),
        "og:image:type": SVG,
        "og:image:width": picture.WIDTH,
        "og:image:height": picture.HEIGHT,
        "og:image:alt": "The table, with the cards that lie on it",
    }
    oembed = f"{request.host_url}oembed?{urlencode({'url': page, 'format': 'json'})}"
    return Markup(_discovery_tags.render(properties=properties, oembed=oembed, title=_title(opened)))  # noqa: S704


def _title(opened: service.Opened) -> str:
    return f"{opened.position.ruleset.title}: {', '.join(opened.game.players)}"


def _address(game: str) -> str:
    return f"{request.host_url}replay/{game}"


def _picture(game: str) -> str:
    return f"{request.host_url}v1/games/{game}/picture.svg"


@blueprint.route("/oembed")
@blueprint.query(OembedQuery)
@blueprint.response(200, OembedSchema)
@blueprint.fails(NOT_FOUND, UNAVAILABLE)
def get_oembed(query: dict[str, Any]) -> Response:
    """Tell how to embed a game

    oEmbed 1.0: the frame that shows a public game's page in the viewer on another one, at the moment and in the view
    that its link names. There is nothing to embed at any other address.
    """
    url, here = query["url"], _address("")
    found = _GAME.fullmatch(url.removeprefix(here)) if url.startswith(here) else None
    if found is None:
        raise Problem(NOT_FOUND, "The address is not that of a game in this installation's viewer.")
    opened = service.open_game(desk(), found[1], None)
    moment = urlencode([(name, value) for name, value in parse_qsl(found[2] or "") if name in ("at", "view")])
    width, height = (
        min(size, query.get(most, size)) for size, most in zip(FRAME_SIZE, ("maxwidth", "maxheight"), strict=True)
    )
    frame = Markup('<iframe src="{}" width="{}" height="{}" title="{}" allowfullscreen></iframe>').format(
        _address(opened.game.id) + (f"#{moment}" if moment else ""), width, height, _title(opened)
    )
    scale = min(1, width / picture.WIDTH, height / picture.HEIGHT)
    return answer(
        {
            "version": "1.0",
            "type": "rich",
            "provider_name": PROVIDER,
            "provider_url": request.host_url,
            "title": _title(opened),
            "html": frame,
            "width": width,
            "height": height,
            "thumbnail_url": _picture(opened.game.id),
            "thumbnail_width": int(picture.WIDTH * scale),
            "thumbnail_height": int(picture.HEIGHT * scale),
        }
    )


def _page(discovery: Markup) -> Response:
    html = _templates.get_template(PAGE).render(assets=f"/replay/assets/{VERSION}", discovery=discovery)
    response = tagged(html.encode(), content_type=f"{HTML}; charset=utf-8")
    response.headers.update(_PAGE_HEADERS)
    return response


@blueprint.route("/replay/assets/<version>/<name>", cost=0)
@blueprint.response(200, whole_text("A script.", "export const cards = [];\n"), content_type=JAVASCRIPT)
@blueprint.response(200, whole_text("A style sheet.", "body { margin: 0 }\n"), content_type=CSS)
@blueprint.response(200, whole_text("Pictures.", '<svg xmlns="http://www.w3.org/2000/svg"/>\n'), content_type=SVG)
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
        "Vary": "Accept-Encoding",
        **_ALONE,
    }
    content_type = f"{TYPES[name.rpartition('.')[2]]}; charset=utf-8"
    if request.accept_encodings["gzip"]:
        return respond(compressed, 200, content_type, {**headers, "Content-Encoding": "gzip"})
    return respond(gzip.decompress(compressed), 200, content_type, headers)
