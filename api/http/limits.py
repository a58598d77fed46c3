"""Rate limits: whom a request is charged to, and what its answer says of it.

What shows a credential that is known to be good is charged to the credential, all else to the address that it comes
from. A credential is known once it has been judged good: a stranger who makes one up pays like one who shows none, and
whoever holds a good one doesn't suffer from strangers at the same address.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_network
from typing import Any, Final

from flask import Request, Response, request

from api.buckets import Buckets, Level
from api.http.access import parse_address
from api.http.metrics import count_limited
from api.http.problems import RATE_LIMITED, Problem
from api.http.settings import Rate, Settings

_CHARGE: Final = "tricklog.charge"
_STREAM_RETRY_AFTER: Final = 5  # seconds


class Policy:
    """A limit by credential or by address: a plain request takes ``each`` seconds of one that fills in ``size``, and so
    many ``streams`` may be open at a worker.
    """

    __slots__ = ("each", "header", "name", "size", "streams")

    def __init__(self, name: str, rate: Rate | None, streams: int) -> None:
        self.name = name
        self.streams = streams
        self.size = 0 if rate is None else rate.seconds
        self.each = 0.0 if rate is None else rate.seconds / rate.amount
        self.header = None if rate is None else f'"{name}";q={rate.amount};w={rate.seconds}'

    def price(self, cost: int) -> float:
        """The seconds that a request takes which counts as so many; it never takes more than there can be."""
        return min(cost * self.each, self.size)


@dataclass(slots=True)
class Charge:
    """What a request was charged, and to which bucket."""

    limiter: "Limiter"
    cost: int
    token: str | None
    policy: Policy
    bucket: int
    level: Level


class Limiter:
    """Charges the requests of one application; ``costs`` are those of the endpoints whose requests don't cost 1."""

    __slots__ = ("buckets", "by_address", "by_credential", "costs", "streams")

    def __init__(self, buckets: Buckets, settings: Settings, costs: Mapping[str, int]) -> None:
        self.buckets = buckets
        self.by_credential = Policy("credential", settings.rate_key, settings.streams)
        # a few strangers shall not take all the connections that a worker has
        self.by_address = Policy("address", settings.rate_address, -(-settings.streams // 10))
        self.costs = costs
        self.streams: Counter[int] = Counter()

    def admit(self, asked: Request) -> None:
        """Charges a request; a rate-limited problem when there is too little left for it."""
        environ = asked.environ
        cost = self.costs.get(asked.endpoint or "", 1)
        if not cost or environ["REQUEST_METHOD"] == "OPTIONS":
            return
        token = bearer(environ)
        charge = None
        if token is not None:
            charge = self._take(self.by_credential, token, cost, token, known=True)
        if charge is None:
            charge = self._take(self.by_address, network(environ.get("REMOTE_ADDR", "")), cost, token)
        environ[_CHARGE] = charge
        _refuse_unless_held(charge)

    def settle(self, environ: Mapping[str, Any], response: Response) -> None:
        """Gives back what a request turned out not to cost; says in the answer what is left."""
        charge: Charge | None = environ.get(_CHARGE)
        if charge is None:
            return
        if response.status_code == 304:
            charge.level = self._give_back(charge)
        elif response.status_code == 401 and charge.policy is self.by_credential:
            self.buckets.forget(charge.bucket)
            charge = self._take(self.by_address, network(environ.get("REMOTE_ADDR", "")), charge.cost, None)
        policy = charge.policy
        if policy.header is not None:
            left = int((policy.size - charge.level.lacks) / policy.each + 1e-6)
            response.headers.add("RateLimit-Policy", policy.header)
            response.headers.add("RateLimit", f'"{policy.name}";r={left};t={math.ceil(charge.level.lacks)}')

    def _take(self, policy: Policy, name: str, cost: int, token: str | None, *, known: bool = False) -> Any:
        bucket = self.buckets.bucket(f"{policy.name} {name}")
        level = self.buckets.take(bucket, policy.price(cost), policy.size, known=known)
        return None if level is None else Charge(self, cost, token, policy, bucket, level)

    def _give_back(self, charge: Charge) -> Level:
        level = self.buckets.take(charge.bucket, -charge.policy.price(charge.cost), charge.policy.size)
        assert level is not None
        return level

    def hold(self, charge: Charge, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The ``pieces`` of a stream, which counts as its caller's from the first to the last; a rate-limited problem
        when it has too many.
        """
        most = charge.policy.streams
        if self.streams[charge.bucket] >= most:
            count_limited(charge.policy.name)
            detail = f"There are {most} streams open already: end one before the next."
            raise Problem(RATE_LIMITED, detail, headers={"Retry-After": str(_STREAM_RETRY_AFTER)})
        return self._counted(charge.bucket, pieces)

    def _counted(self, bucket: int, pieces: Iterator[bytes]) -> Iterator[bytes]:
        self.streams[bucket] += 1
        try:
            yield from pieces
        finally:
            self.streams[bucket] -= 1
            if not self.streams[bucket]:
                del self.streams[bucket]

    def move(self, charge: Charge) -> None:
        """Has the present request's credential pay, which is a good one, where its address did."""
        if charge.policy is self.by_address and charge.token is not None:
            self._give_back(charge)
            moved = self._take(self.by_credential, charge.token, charge.cost, charge.token)
            request.environ[_CHARGE] = moved
            _refuse_unless_held(moved)


def vouch() -> None:
    """The credential of the present request, if it shows one, has been judged good: what it costs is its own."""
    charge: Charge | None = request.environ.get(_CHARGE)
    if charge is not None:
        charge.limiter.move(charge)


def held(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The ``pieces`` of the stream that the present request gets, which counts as its caller's."""
    charge: Charge | None = request.environ.get(_CHARGE)
    return pieces if charge is None else charge.limiter.hold(charge, pieces)


def _refuse_unless_held(charge: Charge) -> None:
    level, policy = charge.level, charge.policy
    if level.held:
        return
    count_limited(policy.name)
    wait = max(1, math.ceil(level.lacks + policy.price(charge.cost) - policy.size))
    whose = "this credential" if policy.name == "credential" else "this address"
    raise Problem(
        RATE_LIMITED,
        f"Too many requests by {whose}: wait {wait} s before the next.",
        headers={"Retry-After": str(wait)},
    )


def bearer(environ: Mapping[str, Any]) -> str | None:
    """The token that a request shows, None without one or for another scheme's."""
    scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    return token.strip(" ") if scheme.lower() == "bearer" else None


@lru_cache(maxsize=4096)
def network(address: str) -> str:
    """What is charged for ``address``: itself, or the /64 around one of IPv6; one for all that are no addresses."""
    parsed = parse_address(address)
    return str(ip_network((int(parsed), 64), strict=False) if isinstance(parsed, IPv6Address) else parsed)
