"""What gunicorn reads: its settings and the application, as ``python -m gunicorn -c python:api.server``.

This module and what it imports are loaded before gevent's worker patches the standard library, so it imports
nothing that connects: psycopg takes its way of waiting from what is patched when it is imported.
"""

import fcntl
import gc
import os
import resource
import shutil
import signal
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api import embedded
from api.buckets import Buckets, memory_folder

if TYPE_CHECKING:
    from flask import Flask

wsgi_app = "api.server:application()"
worker_class = "api.worker.Worker"
logger_class = "api.logs.Logger"
# Each open stream is one.
worker_connections = 5000
# A worker that has not come round to its loop for so long is replaced.
timeout = 60
# Containers are given ten seconds to end in, and deliveries and the embedded server end after this. Idle connections
# are gone before it is over.
graceful_timeout = 6
limit_request_line = 4094
limit_request_fields = 64
limit_request_field_size = 8190
# As the command line has checked it.
loglevel = os.environ.get("TRICKLOG_LOG", "info")
proc_name = "tricklog"
control_socket_disable = True
# Not the folder it was called from: gunicorn puts this one first on the path of imports.
chdir = str(Path(__file__).resolve().parents[1])

_COUNTED = "tricklog-counted-"
_MAKING_SECONDS = 5

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


def on_starting(_: object) -> None:
    """Make the folder in which the workers count, in memory where there is a place for it."""
    folder = Path(tempfile.mkdtemp(prefix=_COUNTED, dir=memory_folder()))
    # The workers hold it too: it is free when the last of them has ended, however it did.
    fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX)
    for other in folder.parent.glob(f"{_COUNTED}*"):
        _remove_if_left(other)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)


def _remove_if_left(folder: Path) -> None:
    """Remove a folder of counts that a killed service left, and no other's."""
    with suppress(OSError):
        lock = os.open(folder, os.O_RDONLY)
        try:
            # One that is just being made isn't held yet.
            if time.time() - folder.stat().st_mtime > _MAKING_SECONDS:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
        finally:
            os.close(lock)


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
    """Listen to the parent."""
    # To go through the objects of thousands of streams takes a tenth of a second, in which nobody is answered: what
    # the application is made of is left out, and the whole of the rest is gone through a twentieth as often.
    gc.freeze()
    gc.set_threshold(700, 10, 200)
    threading.Thread(target=_attend, args=[worker], daemon=True).start()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGQUIT, signal.SIGTERM})


def _attend(worker: Any) -> None:
    """Note every now and then how the worker stands; end the streams once it is to end, which waits for all."""
    from api.http.metrics import look_at  # noqa: PLC0415

    context = worker.wsgi.extensions.get("tricklog")
    while worker.alive and context:
        look_at(context.desk.pool, context.hub)
        time.sleep(0.2)
    if context:
        context.hub.close()


def pre_request(_worker: object, _request: object) -> None:
    """Log nothing, as gunicorn would."""


def post_request(_worker: object, _request: object, environ: dict[str, Any], response: Any) -> None:
    """Have the request counted and logged."""
    from api.http.access import done  # noqa: PLC0415

    if response is not None and response.status is not None:
        done(environ, response.status_code, response.sent)


def child_exit(_arbiter: object, worker: Any) -> None:
    """Forget what a worker was at when it ended; what it had counted stays."""
    # Where it counts it takes from the environment when it is imported.
    from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415

    mark_process_dead(worker.pid)


def on_exit(_: object) -> None:
    """Stop the deliveries and the embedded server after the last worker."""
    if _deliveries:
        pipe, process = _deliveries
        os.close(pipe)
        with suppress(ChildProcessError):
            os.waitpid(process, 0)
    shutil.rmtree(os.environ["PROMETHEUS_MULTIPROC_DIR"], ignore_errors=True)
    if _lock:
        embedded.stop(Path(os.environ["TRICKLOG_DATA"]))
