"""Deliveries: what webhooks are told is sent by this worker, of which any number may run, on any machines.

The queue is procrastinate's, in the same database. A job is there for each delivery from the moment in which it is
written; it is done when the delivery is made or given up. That of a worker that died is another's after half a minute.
"""

import asyncio
import hmac
import logging
import os
import select
import signal
import socket
import ssl
import sys
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from http.client import HTTPException
from importlib.metadata import version
from random import uniform
from threading import Timer
from typing import Final, NamedTuple, NoReturn
from uuid import UUID

import psycopg
from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError

from api import logs, service, store, webhooks
from api.http.settings import read_settings

DELAYS: Final = (5, 60, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400)
"""Seconds after each attempt that failed until the next; after one more it is given up."""
DEADLINE: Final = 15.0
"""Seconds that a receiver has to answer."""
AGAIN_AFTER_FAULT: Final = 30.0
ANSWER_READ: Final = 4096
DAYS_KEPT: Final = 30

AT_ONCE: Final = 64
SHARE: Final = 16
"""As many of them at most deliver for one API key, so that receivers that don't answer don't keep others waiting."""
CONNECTIONS: Final = 4
LOOK_FOR_STALLED: Final = 10.0
STALLED_AFTER: Final = 30.0
RESTART: Final = 2.0
GRACE: Final = 2.0
"""Seconds that deliveries under way have to end when the worker is told to; what isn't done then is begun again."""

_log = logging.getLogger(__name__)


# --- one delivery ---------------------------------------------------------------------------------------------------


class Answer(NamedTuple):
    """The status that a receiver answered with, or what kept it from answering: one of ``webhooks.FAULTS``."""

    status: int | None
    fault: str | None


def sign(keys: Sequence[bytes], delivery: str, timestamp: int, body: bytes) -> str:
    """The ``webhook-signature`` header of Standard Webhooks: a signature with each key."""
    content = b".".join((delivery.encode(), str(timestamp).encode(), body))
    return " ".join(f"v1,{b64encode(hmac.digest(key, content, 'sha256')).decode()}" for key in keys)


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def send(url: str, private: bool, headers: dict[str, str], body: bytes) -> Answer:
    """Sends ``body`` by POST, to an address that was looked at before it is connected to, and follows no redirect."""
    parts = webhooks.read_url(url, private=True)
    host, secure = parts.hostname or "", parts.scheme == "https"
    end = time.monotonic() + DEADLINE
    try:
        found = socket.getaddrinfo(host, parts.port or (443 if secure else 80), type=socket.SOCK_STREAM)
    except OSError:
        return Answer(None, "connection")
    addresses = [(str(where[0]), int(where[1])) for *_, where in found if private or webhooks.is_public(str(where[0]))]
    if not addresses or (parts.scheme == "http" and not private):
        return Answer(None, "private-address")
    target = f"{parts.path or '/'}?{parts.query}".removesuffix("?")
    answer = Answer(None, "connection")
    for address, port in addresses:
        if time.monotonic() >= end:
            return Answer(None, "timeout")
        # the name is the certificate's and the Host header's, the address is what was looked at
        connection = (
            HTTPSConnection(address, port, server_hostname=host, ssl_context=_tls())
            if secure
            else HTTPConnection(address, port)
        )
        connection.timeout = end - time.monotonic()
        try:
            connection.connect()
            return _exchange(connection, end, target, headers | {"Host": parts.netloc}, body)
        except ssl.SSLCertVerificationError:
            return Answer(None, "certificate")
        except (OSError, HTTPError, HTTPException):
            answer = Answer(None, "timeout" if time.monotonic() >= end else "connection")
        finally:
            connection.close()
    return answer


def _exchange(connection: HTTPConnection, end: float, target: str, headers: dict[str, str], body: bytes) -> Answer:
    """The answer to the request; OSError, HTTPError or HTTPException where there is none."""
    # A timeout of the socket would count from each byte that arrives. The connection lets go of its socket where an
    # answer's head says that it is the last.
    cut = Timer(max(0.0, end - time.monotonic()), partial(_cut, connection.sock))
    cut.start()
    try:
        connection.request("POST", target, body, headers, preload_content=False, decode_content=False)
        answer = connection.getresponse()
        answer.read(ANSWER_READ)
    finally:
        cut.cancel()
    if time.monotonic() >= end:
        raise TimeoutError
    return Answer(answer.status, None)


def _cut(connected: socket.socket) -> None:
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)


def attempt(desk: service.Desk, private: bool, delivery: UUID, replay: int) -> float | None:
    """Tries a delivery once, and notes how it went; the seconds until it is to be tried again, None: it isn't."""
    with store.connection(desk.pool) as conn:
        begun = store.begin_attempt(conn, delivery, replay)
    if begun is None:
        return None
    answer = Answer(None, "paused") if begun.paused else _try(desk, private, begun)
    done = answer.status is not None and 200 <= answer.status < 300
    gone = answer.status == 410
    delay = None
    if not (done or gone or begun.paused) and begun.delivery.attempts <= len(DELAYS):
        delay = DELAYS[begun.delivery.attempts - 1] * uniform(1.0, 1.2)  # noqa: S311
    with store.connection(desk.pool) as conn:
        store.end_attempt(
            conn,
            begun,
            replay,
            status="delivered" if done else "failed" if delay is None else "pending",
            answer=answer.status,
            fault=answer.fault,
            delay=delay,
            pause=gone,
        )
    _log.info("Attempt %d at delivery %s: %s", begun.delivery.attempts, delivery, answer.status or answer.fault)
    return delay


def _try(desk: service.Desk, private: bool, begun: store.Attempt) -> Answer:
    try:
        body = webhooks.write_payload(desk, begun.webhook, begun.delivery)
        name, timestamp = str(begun.delivery.delivery), int(time.time())
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"Tricklog/{version('tricklog')}",
            "webhook-id": name,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": sign(begun.keys, name, timestamp, body),
        }
        return send(begun.url, private, headers, body)
    except store.Unavailable:
        raise
    except Exception:  # noqa: BLE001  # a fault of ours is one attempt that failed, as any other
        _log.exception("A delivery that can't be made")
        return Answer(None, "internal")


# --- the worker -----------------------------------------------------------------------------------------------------


class _AgainError(Exception):
    """The job isn't done; ``seconds`` until it is to be taken up again."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class _Again(BaseRetryStrategy):
    """Every job comes again until it ends by itself: the delivery counts the attempts."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision:
        seconds = AGAIN_AFTER_FAULT
        if isinstance(exception, _AgainError):
            seconds = exception.seconds
        elif isinstance(exception, asyncio.CancelledError):
            seconds = 0.0
        # behind those that are tried for the first time, among which it would have to be looked for
        return RetryDecision(retry_at=datetime.now(UTC) + timedelta(seconds=seconds), priority=-1)


def _app(dsn: str, desk: service.Desk, private: bool, threads: ThreadPoolExecutor) -> App:
    connector = PsycopgConnector(kwargs=store.session(dsn), min_size=1, max_size=CONNECTIONS)
    app = App(connector=connector)
    under_way: Counter[int] = Counter()

    @app.task(name="deliver", queue="deliveries", retry=_Again())
    async def deliver(owner: int, delivery: str, replay: int) -> None:
        if under_way[owner] >= SHARE:
            raise _AgainError(uniform(5.0, 15.0))  # noqa: S311
        under_way[owner] += 1
        try:
            run = partial(attempt, desk, private, UUID(delivery), replay)
            delay = await asyncio.get_running_loop().run_in_executor(threads, run)
        finally:
            under_way[owner] -= 1
        if delay is not None:
            raise _AgainError(delay)

    @app.periodic(cron="23 * * * *")
    @app.task(name="clean_up", queue="deliveries")
    async def clean_up(timestamp: int) -> None:
        # jobs that succeed go at once
        await app.job_manager.delete_old_jobs(nb_hours=24 * DAYS_KEPT, include_failed=True, include_aborted=True)
        await asyncio.get_running_loop().run_in_executor(threads, _clean_up, desk)

    return app


def _clean_up(desk: service.Desk) -> None:
    with store.connection(desk.pool) as conn:
        store.clean_up_webhooks(conn, DAYS_KEPT)


async def _retry_stalled(app: App, ended: asyncio.Event) -> None:
    """Has the jobs of workers that died taken up again, until it has ``ended``."""
    while not ended.is_set():
        for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED_AFTER):
            # another worker may be first
            with suppress(ConnectorException):
                await app.job_manager.retry_job(job)
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), LOOK_FOR_STALLED)


async def work(dsn: str, private: bool, *, wait: bool = True) -> None:
    """Delivers what there is, and with ``wait`` all that comes, until it is cancelled or loses the database.

    Threads that wait for receivers may outlive it, when it is cancelled: their deliveries are begun again.
    """
    threads = ThreadPoolExecutor(AT_ONCE)
    pool = store.open_pool(dsn, CONNECTIONS)
    ended = asyncio.Event()
    try:
        app = _app(dsn, service.Desk(pool), private, threads)
        async with app.open_async(), asyncio.TaskGroup() as tasks:
            stalled = tasks.create_task(_retry_stalled(app, ended))
            try:
                await app.run_worker_async(
                    concurrency=AT_ONCE,
                    wait=wait,
                    delete_jobs="successful",
                    stalled_worker_timeout=STALLED_AFTER,
                    shutdown_graceful_timeout=GRACE,
                    install_signal_handlers=False,
                )
            finally:
                # A connection that comes at the same moment as a cancellation swallows it.
                ended.set()
                stalled.cancel()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        pool.close()


async def _work_until(dsn: str, private: bool, ended: asyncio.Event) -> None:
    while not ended.is_set():
        working = asyncio.create_task(work(dsn, private))
        ending = asyncio.create_task(ended.wait())
        await asyncio.wait({working, ending}, return_when=asyncio.FIRST_COMPLETED)
        working.cancel()
        [failed] = await asyncio.gather(working, return_exceptions=True)
        while isinstance(failed, BaseExceptionGroup):
            failed = failed.exceptions[0]
        if isinstance(failed, ConnectorException | psycopg.OperationalError):
            _log.warning("deliveries wait for the database: %s", failed)
        elif isinstance(failed, Exception):
            _log.error("deliveries begin anew", exc_info=failed)
        with suppress(TimeoutError):
            await asyncio.wait_for(ending, RESTART)


def run(dsn: str, private: bool, parent: int | None = None) -> None:
    """Delivers until SIGINT or SIGTERM, or until the pipe ``parent`` is closed at its other end; ``leave`` then."""

    logs.log_from(read_settings().log)
    # what it says of each job is said of each attempt here
    logging.getLogger("procrastinate").setLevel(logging.WARNING)

    async def until_told() -> None:
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ended.set)
        if parent is not None:
            loop.add_reader(parent, ended.set)
        await _work_until(dsn, private, ended)

    asyncio.run(until_told())


def leave() -> NoReturn:
    """Ends this process, without waiting for the threads that still wait for receivers."""
    sys.stdout.flush()
    os._exit(0)  # it is public, whatever its name


def _closed(pipe: int, seconds: float) -> bool:
    """Whether the other end of ``pipe`` is closed, or will be within so many seconds."""
    return bool(select.select([pipe], [], [], seconds)[0])


def main() -> None:
    """What ``tricklog serve`` has beside it: keeps a worker running until standard input is closed at its other end."""
    parent = sys.stdin.fileno()
    while not _closed(parent, 0):
        worker = os.fork()
        if worker == 0:
            try:
                run(os.environ["DATABASE_URL"], read_settings().webhooks_private, parent)
            finally:
                leave()
        os.waitpid(worker, 0)
        _closed(parent, RESTART)
