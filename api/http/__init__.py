"""The HTTP API: Flask, with every endpoint declared in a blueprint and described in one OpenAPI document."""

import weakref
from typing import Final

import yaml
from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from api import live, service, store
from api.buckets import Buckets
from api.http import games, moves, operation, proofs, replay, rulesets, views, webhooks
from api.http.declare import Context
from api.http.docs import Published
from api.http.limits import Limiter
from api.http.openapi import Document, describe
from api.http.problems import register_problems
from api.http.settings import read_settings

_BLUEPRINTS: Final = (
    rulesets.blueprint,
    games.blueprint,
    moves.blueprint,
    views.blueprint,
    proofs.blueprint,
    webhooks.blueprint,
    replay.blueprint,
    operation.blueprint,
)


def create_app(dsn: str, buckets: Buckets | None = None) -> Flask:
    """The WSGI application on the database at ``dsn``, with connections of its own: make one after each fork.

    ``buckets`` are those of the rate limits, which applications in several processes share.
    """
    app, document = _described()
    settings = read_settings()
    pool = store.open_pool(dsn, settings.connections)
    # Closed while its threads can still be waited for: at the end of the process at the latest.
    weakref.finalize(app, pool.close)
    desk = service.Desk(pool)
    hub = live.Hub(desk, settings.heartbeat)
    desk.announce = hub.announce
    weakref.finalize(app, hub.close)
    costs = {endpoint: cost for blueprint in _BLUEPRINTS for endpoint, cost in blueprint.costs.items()}
    limiter = Limiter(buckets or Buckets(), settings, costs)
    app.before_request(limiter.admit)
    app.after_request(limiter.settle)
    if settings.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=settings.proxies, x_proto=0, x_host=0)  # type: ignore[method-assign]
    app.extensions["tricklog"] = Context(desk, hub, settings, Published(document))
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
    return app, document
