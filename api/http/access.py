"""What is noted of every request: its id, which its answer carries, its line in the log, and what is counted."""

import re
import secrets
import time
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any, Final

from flask import Request, Response, request

from api import logs
from api.http import metrics
from api.http.problems import unparsed

_ACCESS: Final = "tricklog.access"

# No longer than a UUID or so: a token or a seed would not pass.
_SANE: Final = re.compile(r"[A-Za-z0-9._-]{1,40}")
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Access:
    """A request, for its line; ``facts`` say who sent it and what game it was about."""

    __slots__ = ("facts", "id", "method", "remote", "route", "started", "streamed")

    def __init__(self, environ: Mapping[str, Any], route: str) -> None:
        self.started = time.perf_counter()
        method = environ["REQUEST_METHOD"]
        self.method = method if method in _METHODS else "other"
        self.route = route
        self.remote = environ.get("REMOTE_ADDR", "")
        given = environ.get("HTTP_X_REQUEST_ID", "")
        self.id = given if _SANE.fullmatch(given) else secrets.token_hex(8)
        self.streamed = False
        self.facts: dict[str, Any] = {}

    def done(self, status: int, sent: int) -> None:
        """Counts the request, which was answered with so many bytes, and writes its line."""
        seconds = time.perf_counter() - self.started
        metrics.count_request(self.method, self.route, status, None if self.streamed else seconds)
        if logs.access_lines():
            _write(self.id, self.method, self.route, status, seconds, sent, self.remote, self.facts)


def _write(
    id_: str, method: str, route: str, status: int, seconds: float, sent: int, remote: str, facts: Mapping[str, Any]
) -> None:
    address = parse_address(remote)
    logs.write_line(
        "info",
        "request",
        request=id_,
        method=method,
        route=route,
        status=status,
        ms=round(1000 * seconds, 2),
        bytes=sent,
        remote=None if address is None else str(address),
        **facts,
    )


def note(**facts: Any) -> None:
    """Adds to the present request's line who sent it, or what it was about."""
    access: Access | None = request.environ.get(_ACCESS)
    if access is not None:
        access.facts |= facts


def begin(asked: Request) -> None:
    """Notes that a request has come; :func:`done` ends it."""
    rule = asked.url_rule
    asked.environ[_ACCESS] = Access(asked.environ, "none" if rule is None else rule.rule)


def identify(environ: Mapping[str, Any], response: Response) -> None:
    """Has the answer carry the request's id."""
    access: Access | None = environ.get(_ACCESS)
    if access is not None:
        access.streamed = response.is_streamed
        response.headers.add("X-Request-Id", access.id)


def done(environ: Mapping[str, Any], status: int, sent: int) -> None:
    """The request of this environment has been answered, or its client is gone."""
    access: Access | None = environ.get(_ACCESS)
    if access is not None:
        access.done(status, sent)


def refuse_unparsed(status: int, remote: str) -> bytes:
    """The whole HTTP answer of this status to what never reached the application, which is noted too."""
    id_ = secrets.token_hex(8)
    answer = unparsed(status, {"X-Request-Id": id_})
    metrics.count_request("other", "unparsed", status, None)
    if logs.access_lines():
        _write(id_, "other", "unparsed", status, 0.0, len(answer), remote, {})
    return answer


@lru_cache(maxsize=4096)
def parse_address(text: str) -> IPv4Address | IPv6Address | None:
    """The address that ``text`` is, None if it is none; one of IPv4 in the clothes of IPv6 as itself."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address
