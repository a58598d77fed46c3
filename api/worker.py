"""gunicorn's worker for gevent, with an end to waiting: for a request's head, for its body, and for its answer to be
taken. What waits holds a connection and a greenlet, and keeps nobody else waiting.
"""

from contextlib import suppress
from typing import Any

import gevent
from gunicorn import util
from gunicorn.http.body import Body, EOFReader, LengthReader
from gunicorn.http.errors import InvalidResponseHeader, InvalidResponseHeaderName, ParseException
from gunicorn.http.message import Request
from gunicorn.http.parser import RequestParser
from gunicorn.workers.base_async import AsyncWorker
from gunicorn.workers.ggevent import GeventWorker

from api import logs

# How long, and how much, is still taken from a client that sends on after its answer: closed at once, it would not get
# to read the answer.
LINGER_SECONDS = 2
LINGER_BYTES = 16 * 1024 * 1024


class _Request(Request):  # type: ignore[misc]  # it has no types
    """A request whose connection ends with it, where its body was not read and is still to come."""

    def set_body_reader(self) -> None:
        self.body: Body
        super().set_body_reader()
        if isinstance(self.body.reader, EOFReader):
            self.body = Body(LengthReader(self.unreader, 0))

    def sends_on(self) -> bool:
        """Whether there is more of the body than was read or lies here."""
        reader = self.body.reader
        if isinstance(reader, LengthReader):
            return bool(reader.length > self.unreader.buf.tell())
        return reader.parser is not None

    def should_close(self) -> bool:
        return bool(super().should_close() or self.sends_on())


class Worker(GeventWorker):  # type: ignore[misc]  # it has no types
    """A worker process."""

    def init_process(self) -> None:
        RequestParser.mesg_class = _Request
        super().init_process()

    def load_wsgi(self) -> None:
        # Loaded here, for it may connect only after the standard library is patched.
        from api.http import settings  # noqa: PLC0415

        self.settings = settings.read_settings()
        super().load_wsgi()
        logs.log_all_uncaught()
        gevent.get_hub().print_exception = lambda _, *failed: logs.log_uncaught(*failed)

    def timeout_ctx(self) -> gevent.Timeout:
        return gevent.Timeout(self.settings.head_seconds, False)

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        # Longer than it may take for a head or a body: those are ended by deadlines of their own.
        client.settimeout(max(self.settings.head_seconds, self.settings.body_seconds))
        AsyncWorker.handle(self, listener, client, addr)

    def handle_request(self, listener_name: Any, req: _Request, sock: Any, addr: Any) -> None:
        try:
            super().handle_request(listener_name, req, sock, addr)
        except TimeoutError:
            # Its answer has not been taken.
            raise StopIteration from None
        except StopIteration:
            if req.sends_on():
                util.close_graceful(sock, LINGER_SECONDS, LINGER_BYTES)
            raise

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answer what is no HTTP, or what went wrong outside the application."""
        from api.http.access import refuse_unparsed  # noqa: PLC0415

        own = isinstance(exc, InvalidResponseHeader | InvalidResponseHeaderName)
        status = 400 if isinstance(exc, ParseException) and not own else 500
        if status == 500:
            self.log.error("A request failed outside the application", exc_info=exc)
        with suppress(OSError):
            util.write_nonblock(client, refuse_unparsed(status, addr[0] if addr else ""))
            util.close_graceful(client, LINGER_SECONDS, LINGER_BYTES)
