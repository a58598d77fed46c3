"""The HTTP API: Flask, with every endpoint declared in a blueprint and described in one OpenAPI document."""

from typing import Final

import yaml
from flask import Flask, Response, request

from api import service, store
from api.http import games, moves, operation, proofs, rulesets, views
from api.http.declare import Context
from api.http.docs import Published
from api.http.openapi import Document, describe
from api.http.problems import invalid, register_problems
from api.http.settings import read_settings

_BLUEPRINTS: Final = (
    rulesets.blueprint,
    games.blueprint,
    moves.blueprint,
    views.blueprint,
    proofs.blueprint,
    operation.blueprint,
)


def create_app(dsn: str) -> Flask:
    """The WSGI application on the database at ``dsn``, with connections of its own: make one after each fork."""
    app, document = _described()
    settings = read_settings()
    desk = service.Desk(store.open_pool(dsn, settings.connections))
    app.extensions["tricklog"] = Context(desk, settings, Published(document))
    return app


def openapi_yaml() -> str:
    """The OpenAPI document in YAML."""
    text: str = yaml.dump(_described()[1], Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return text


class _Dumper(yaml.SafeDumper):
    """Writes out what stands twice, and texts of several lines as such."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _dump_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _dump_text)


def _described() -> tuple[Flask, Document]:
    app = Flask("api.http", static_folder=None)
    # An address has one spelling: nothing here redirects.
    app.url_map.merge_slashes = False
    document = describe(app, _BLUEPRINTS)
    register_problems(app)
    app.before_request(_check_host)
    app.after_request(_guard)
    return app, document


def _check_host() -> None:
    if "HTTP_HOST" not in request.environ and request.environ["SERVER_PROTOCOL"] != "HTTP/1.0":
        raise invalid({"Host": ["Must be there."]}, 400)


def _guard(response: Response) -> Response:
    headers = response.headers
    headers["X-Content-Type-Options"] = "nosniff"
    headers.setdefault("Cache-Control", "no-store")
    headers.setdefault("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
    return response
