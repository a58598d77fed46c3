"""What is counted, for Prometheus: over all workers, each of which counts in a file of its own.

The files lie in PROMETHEUS_MULTIPROC_DIR, which gunicorn's parent makes; without it there is one process only.
"""

import os
import platform
from functools import cache
from importlib.metadata import version
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector

from api import live, store

_own: Final = CollectorRegistry()

_requests: Final = Counter(
    "tricklog_requests", "Requests answered, by route.", ("method", "route", "status"), registry=_own
)
_seconds: Final = Histogram(
    "tricklog_request_seconds",
    "How long requests took, until all of the answer was sent.",
    ("route",),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
    registry=_own,
)
_events: Final = Counter(
    "tricklog_events", "Events accepted, and dealt upon them, by ruleset.", ("ruleset",), registry=_own
)
_limited: Final = Counter(
    "tricklog_rate_limited", "Requests refused for coming too fast, by whose limit it was.", ("policy",), registry=_own
)
_connections: Final = Gauge(
    "tricklog_database_connections",
    "Connections to the database that workers hold.",
    multiprocess_mode="livesum",
    registry=_own,
)
_streams: Final = Gauge("tricklog_streams", "Streams that are open.", multiprocess_mode="livesum", registry=_own)
_waiting: Final = Gauge(
    "tricklog_database_waiting",
    "Requests that wait for a connection to the database.",
    multiprocess_mode="livesum",
    registry=_own,
)
Gauge(
    "tricklog_build_info",
    "The version that runs.",
    ("version", "python"),
    multiprocess_mode="livemax",
    registry=_own,
).labels(version("tricklog"), platform.python_version()).set(1)


@cache
def _of_requests(method: str, route: str, status: int) -> Counter:
    return _requests.labels(method, route, status)


@cache
def _of_seconds(route: str) -> Histogram:
    return _seconds.labels(route)


@cache
def _of_events(ruleset: str) -> Counter:
    return _events.labels(ruleset)


def count_request(method: str, route: str, status: int, seconds: float | None) -> None:
    """A request was answered, a stream in no particular time; ``route`` is its template, ``method`` one of a few."""
    _of_requests(method, route, status).inc()
    if seconds is not None:
        _of_seconds(route).observe(seconds)


def count_events(ruleset: str, events: int) -> None:
    """So many events were added to a record."""
    _of_events(ruleset).inc(events)


def count_limited(policy: str) -> None:
    """A request was refused by the limit of this kind."""
    _limited.labels(policy).inc()


def look_at(pool: store.Pool, hub: live.Hub) -> None:
    """Notes how many connections and streams this worker has now."""
    _streams.set(hub.streams)
    stats = pool.get_stats()
    _connections.set(stats["pool_size"])
    _waiting.set(stats.get("requests_waiting", 0))


def exposition(accept: str) -> tuple[bytes, str]:
    """All that was counted, and its media type: the format that ``accept`` likes best."""
    registry = _own
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type
