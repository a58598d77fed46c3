"""What the service writes on stderr: one JSON object a line.

Nothing that came with a request may stand in them but what is named in an access line. So an exception is written as
its types and where it went, without its message: one of the database names the values of a row.
"""

import logging
import os
import sys
import threading
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final

import orjson
from gunicorn import glogging

STDERR: Final = 2

_log = logging.getLogger(__name__)


def write_line(level: str, message: str, **facts: Any) -> None:
    """One line on stderr, at once and whole."""
    line = {"time": datetime.now(UTC), "level": level, "message": message, **facts}
    # Who has closed stderr, or lets it fill up, goes without lines, not without answers.
    with suppress(OSError):
        os.write(STDERR, orjson.dumps(line, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE))


def access_lines() -> bool:
    """Whether each request is to have a line."""
    return logging.getLogger().isEnabledFor(logging.INFO)


class Handler(logging.Handler):
    """Writes a record as a line."""

    def emit(self, record: logging.LogRecord) -> None:
        facts: dict[str, Any] = {"logger": record.name}
        # what an exception comes with may be filled in with what the request said
        message = str(record.msg) if record.exc_info else record.getMessage()
        if record.exc_info and record.exc_info[1]:
            facts["exception"] = list(_told(record.exc_info[1]))
        write_line(record.levelname.lower(), message, **facts)


def _told(error: BaseException | None) -> Any:
    """The types of an exception and of those that led to it, each with the places it came through."""
    while error is not None:
        frames = traceback.extract_tb(error.__traceback__)
        yield {
            "type": f"{type(error).__module__}.{type(error).__qualname__}",
            "at": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
        }
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


class Logger(glogging.Logger):  # type: ignore[misc]  # it has no types
    """gunicorn's, which has all that is logged in a process written in one way."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        root = logging.getLogger()
        self.error_log.handlers = root.handlers = [Handler()]
        root.setLevel(self.loglevel)


def log_uncaught(_: type[BaseException], error: BaseException | None, __: TracebackType | None) -> None:
    """Writes an exception that nobody caught."""
    if error is not None and not isinstance(error, SystemExit):
        _log.error("An exception that nobody caught", exc_info=error)


def log_all_uncaught() -> None:
    """Has what ends a thread, or the process, written as everything else is."""
    sys.excepthook = log_uncaught
    threading.excepthook = lambda failed: log_uncaught(failed.exc_type, failed.exc_value, failed.exc_traceback)
    sys.unraisablehook = lambda failed: log_uncaught(failed.exc_type, failed.exc_value, failed.exc_traceback)


def log_from(level: str) -> None:
    """Has all that is logged in this process, from this level on, written as a line each."""
    root = logging.getLogger()
    root.handlers = [Handler()]
    root.setLevel(level.upper())
    log_all_uncaught()
