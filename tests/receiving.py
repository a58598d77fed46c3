"""A receiver of webhooks on this machine, and what it was sent."""

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from typing import Any, NamedTuple

from standardwebhooks.webhooks import Webhook

Answer = int | Callable[[BaseHTTPRequestHandler], None]
"""The status to answer with, or what answers."""


class Received(NamedTuple):
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    body: bytes

    def verified(self, secret: str) -> Any:
        """The payload, which bears the signature of ``secret``."""
        return Webhook(secret).verify(self.body, self.headers)


class Receiver:
    """Answers each request as it is told to."""

    def __init__(self, tls: ssl.SSLContext | None, host: str) -> None:
        self.received: Queue[Received] = Queue()
        self.answer: Answer = 200
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.received.put(Received(self.path, headers, body))
                if callable(receiver.answer):
                    receiver.answer(self)
                else:
                    self.send_response(receiver.answer)
                    self.send_header("Location", f"{receiver.url}elsewhere")
                    self.send_header("Content-Length", "0")
                    self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Is silent."""

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: Any) -> None:
                """Whoever sent the request may leave."""

        self.server = Server((host, 0), Handler)
        if tls is not None:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}/"

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    def all(self) -> list[Received]:
        """What came in since this was asked last."""
        return [self.received.get() for _ in range(self.received.qsize())]

    def next(self) -> Received:
        """What comes in next."""
        return self.received.get(timeout=60)


@contextmanager
def receiving(tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> Iterator[Receiver]:
    receiver = Receiver(tls, host)
    thread = threading.Thread(target=receiver.server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield receiver
    finally:
        receiver.server.shutdown()
        thread.join()
        receiver.server.server_close()
