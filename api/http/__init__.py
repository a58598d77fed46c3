"""The HTTP API: Flask, with every endpoint declared in a blueprint and described in one OpenAPI document."""

import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final

import yaml
from flask import Flask, Response, request
from werkzeug.middleware.proxy_fix import ProxyFix

from api import live, service, store
from api.buckets import Buckets
from api.http import games, moves, operation, proofs, replay, rulesets, views, webhooks
from api.http.access import begin, identify
from api.http.cors import Cors
from api.http.declare import Context
from api.http.docs import Published
from api.http.limits import Limiter
from api.http.metrics import count_events
from api.http.openapi import Document, describe
from api.http.problems import register_problems
from api.http.settings import read_settings
from api.records.replay import Position

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

    def announce(number: int, position: Position, accepted: Sequence[service.Accepted]) -> None:
        count_events(position.ruleset.id, len(accepted))
        hub.announce(number, position, accepted)

    desk.announce = announce
    weakref.finalize(app, hub.close)
    costs = {endpoint: cost for blueprint in _BLUEPRINTS for endpoint, cost in blueprint.costs.items()}
    limiter = Limiter(buckets or Buckets(), settings, costs)
    _surround(app, limiter, Cors(settings.origins) if settings.origins else None)
    if settings.proxies:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=settings.proxies, x_proto=settings.proxies, x_host=0
        )
    app.extensions["tricklog"] = Context(desk, hub, settings, Published(document))
    return app


def openapi_yaml() -> str:
    """The OpenAPI document in YAML."""
    text: str = yaml.dump(_described()[1], Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)
    return text


def _surround(app: Flask, limiter: Limiter, cors: Cors | None) -> None:
    """Has each request of ``app`` noted and charged, and each answer say so."""

    @app.before_request
    def before() -> None:
        begin(request)
        limiter.admit(request)

    @app.after_request
    def after(response: Response) -> Response:
        environ = request.environ
        identify(environ, response)
        limiter.settle(environ, response)
        if cors is not None:
            cors.allow(environ, response)
        return response


class _App(Flask):
    """Flask, without its asking of each function, at each request, whether it waits for others: none does."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func


class _Dumper(yaml.SafeDumper):
    """Writes out what stands twice, and texts of several lines as such."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _dump_text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _dump_text)


def _described() -> tuple[Flask, Document]:
    app = _App("api.http", static_folder=None)
    # An address has one spelling: nothing here redirects.
    app.url_map.merge_slashes = False
    document = describe(app, _BLUEPRINTS)
    register_problems(app)
    return app, document
