"""Who may call from a web page: the origins that the operator names. Never with cookies, which mean nothing here."""

from collections.abc import Mapping
from typing import Any, Final

from flask import Response

_EXPOSED: Final = (
    "ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate,"
    " X-Request-Id"
)
_ALLOWED: Final = "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Last-Event-ID, X-Request-Id"
_KEPT_SECONDS: Final = 7200


class Cors:
    """What the answers of an application say of ``origins``, of which ``*`` is any; without one, nothing."""

    __slots__ = ("_any", "_origins")

    def __init__(self, origins: tuple[str, ...]) -> None:
        self._any = "*" in origins
        self._origins = frozenset(origins)

    def allow(self, environ: Mapping[str, Any], response: Response) -> None:
        """Says in the answer whether the page that asked may read it, and to who asks first whether it may ask."""
        if not self._any:
            # for every cache, whoever asked
            response.vary.add("Origin")
            if environ.get("HTTP_ORIGIN") not in self._origins:
                return
        headers = response.headers
        headers["Access-Control-Allow-Origin"] = "*" if self._any else environ["HTTP_ORIGIN"]
        headers["Access-Control-Expose-Headers"] = _EXPOSED
        if environ["REQUEST_METHOD"] == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ:
            headers["Access-Control-Allow-Methods"] = headers.get("Allow", "")
            headers["Access-Control-Allow-Headers"] = _ALLOWED
            headers["Access-Control-Max-Age"] = str(_KEPT_SECONDS)
