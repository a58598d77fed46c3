"""What gunicorn reads: its settings and the application, as ``python -m gunicorn -c python:api.server``.

This module and what it imports are loaded before gevent's worker patches the standard library, so it imports
nothing that connects: psycopg takes its way of waiting from what is patched when it is imported.
"""

import os
import resource
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gunicorn import util

from api import embedded
from api.buckets import Buckets

if TYPE_CHECKING:
    from flask import Flask

wsgi_app = "api.server:application()"
worker_class = "gevent"
# Each open stream is one.
worker_connections = 5000
# A worker that has not come round to its loop for so long is replaced.
timeout = 60
# Less than the ten seconds that containers are given to end in; idle connections are gone before it is over.
graceful_timeout = 8
keepalive = 5
limit_request_line = 4094
limit_request_fields = 64
limit_request_field_size = 8190
loglevel = "warning"
proc_name = "tricklog"
control_socket_disable = True
# Not the folder it was called from: gunicorn puts this one first on the path of imports.
chdir = str(Path(__file__).resolve().parents[1])

# Made before the fork, for all workers.
_buckets = Buckets()

# The descriptor of the data folder's lock, when the database is the embedded one.
_lock = os.environ.get("TRICKLOG_LOCK")
# The pipe that ends the deliveries beside it, and their process.
_deliveries = [int(number) for number in os.environ.get("TRICKLOG_DELIVERIES", "").split()]
_detached = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


# As many connections as the system allows.
with suppress(ValueError, OSError):
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)


def application() -> "Flask":
    """The WSGI application of one worker, with connections of its own to DATABASE_URL."""
    from api.http import create_app  # noqa: PLC0415

    return create_app(os.environ["DATABASE_URL"], _buckets)


def when_ready(_: object) -> None:
    """Take the signals that the command line held back while there was nobody to handle them."""
    # A closed terminal ends the service, unless nohup asked for the contrary: gunicorn would reload and stay.
    signal.signal(signal.SIGHUP, signal.SIG_IGN if _detached else lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})


def post_fork(_arbiter: object, _worker: object) -> None:
    """Leave to the parent what is the parent's."""
    # A terminal sends Ctrl-C to all of us; the parent tells its workers to end, and twice is once too many.
    # What it tells them waits until they are up: a worker that is told to end while it loads may never end.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGQUIT, signal.SIGTERM})
    # When the parent is killed the data folder is free at once, not when its workers notice.
    if _lock:
        os.close(int(_lock))
    if _deliveries:
        os.close(_deliveries[0])


def post_worker_init(worker: Any) -> None:
    """Listen to the parent, and refuse what is no HTTP in the form in which the application refuses."""
    from api.http.problems import unparsed  # noqa: PLC0415

    threading.Thread(target=_end_streams, args=[worker], daemon=True).start()
    util.write_error = lambda client, status, *_: util.write_nonblock(client, unparsed(status))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGQUIT, signal.SIGTERM})


def _end_streams(worker: Any) -> None:
    """End the streams once the worker is to end: it waits for all that is open."""
    while worker.alive:
        time.sleep(0.2)
    worker.wsgi.extensions["tricklog"].hub.close()


def on_exit(_: object) -> None:
    """Stop the deliveries and the embedded server after the last worker."""
    if _deliveries:
        pipe, process = _deliveries
        os.close(pipe)
        with suppress(ChildProcessError):
            os.waitpid(process, 0)
    if _lock:
        embedded.stop(Path(os.environ["TRICKLOG_DATA"]))
