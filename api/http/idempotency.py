"""Requests carried out once, however often they are sent: what ``Idempotency-Key`` asks for.

The answer is kept in the transaction of what the request did, and given again to who sends the same under the same key.
It holds what is its caller's alone, such as tokens and hands. So it is kept sealed, under a secret that follows from
the caller's credential and the key; the database has neither.
"""

import hmac
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import Final, TypeVar

import orjson
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from flask import Response, request

from api import service, store
from api.http.headers import IDEMPOTENCY_KEY
from api.http.problems import IDEMPOTENCY_MISMATCH, IN_PROGRESS, Problem, invalid, problem_of

NONCE_BYTES: Final = 12
RETRY_AFTER: Final = 1  # seconds

_KEY: Final = re.compile(IDEMPOTENCY_KEY["schema"]["pattern"])
_ESCAPED: Final = re.compile(r"\\(.)")

T = TypeVar("T")


class _Claim:
    """A request that is being carried out under its key; ``answer`` is what has been kept for it."""

    __slots__ = ("_claim", "_desk", "_scope", "_secret", "answer")

    def __init__(self, desk: service.Desk, scope: bytes, secret: bytes) -> None:
        self.answer: Response | None = None
        self._desk = desk
        self._scope = scope
        self._secret = AESGCM(secret)
        self._claim = secrets.token_bytes(16)

    def make(self, fingerprint: bytes) -> Response | None:
        """Claims the key for a request; the answer to it where there is one already, problems if it may not go on."""
        with store.connection(self._desk.pool) as conn:
            found = store.claim_answer(conn, self._scope, fingerprint, self._claim)
        if found.claimed:
            return None
        if found.fingerprint is not None and not hmac.compare_digest(found.fingerprint, fingerprint):
            raise Problem(IDEMPOTENCY_MISMATCH, "This Idempotency-Key was sent with another request.")
        if found.answer is None:
            raise _in_progress()
        nonce, sealed = found.answer[:NONCE_BYTES], found.answer[NONCE_BYTES:]
        head, _, body = self._secret.decrypt(nonce, sealed, None).partition(b"\n")
        status, headers = orjson.loads(head)
        return Response(body, status, [*headers, ("Idempotency-Replayed", "true")])

    def keep(self, conn: store.Connection, answer: Response) -> None:
        """Keeps the answer; an in-progress problem when another carries the request out by now."""
        head = orjson.dumps((answer.status_code, list(answer.headers)))
        nonce = secrets.token_bytes(NONCE_BYTES)
        sealed = nonce + self._secret.encrypt(nonce, head + b"\n" + answer.get_data(), None)
        if not store.keep_answer(conn, self._scope, self._claim, sealed):
            raise _in_progress()
        self.answer = answer

    def release(self) -> None:
        """Lets who sends the request again carry it out, unless it was."""
        # while the database is away nobody can; then it is free when its time is up
        with suppress(store.Unavailable), store.connection(self._desk.pool) as conn:
            store.release_answer(conn, self._scope, self._claim)


_present: Final[ContextVar[_Claim | None]] = ContextVar("_present", default=None)
"""The claim of the request at hand. Flask's ``g`` would have every request without a key pay two microseconds."""


def _in_progress() -> Problem:
    detail = "A request with this Idempotency-Key is being carried out. Send the same again in a moment."
    return Problem(IN_PROGRESS, detail, headers={"Retry-After": str(RETRY_AFTER)})


def once(desk: service.Desk, token: str, body: bytes, work: Callable[[], Response]) -> Response:
    """The answer that ``work`` leads to, which is done unless it has been: for a request with an idempotency key.

    ``token`` is the caller's credential, which was found to be good, and ``body`` that of the request, which was read.
    """
    scope, mark, secret = _derive(token, _read_key(request.environ["HTTP_IDEMPOTENCY_KEY"]))
    claim = _Claim(desk, scope, secret)
    known = claim.make(hmac.digest(mark, _asked() + body, "sha256"))
    if known is not None:
        return known
    before = _present.set(claim)
    try:
        answer = _refused_or_done(work)
        if claim.answer is None:
            with store.connection(desk.pool) as conn:
                claim.keep(conn, answer)
    except Exception:
        claim.release()
        raise
    finally:
        _present.reset(before)
    return answer


def answered(render: Callable[[T], Response], work: Callable[[service.KeepAnswer[T] | None], T]) -> Response:
    """``render`` of what ``work`` does; where the request has a key, kept in the same transaction."""
    claim = _present.get()
    if claim is None:
        return render(work(None))
    work(lambda conn, done: claim.keep(conn, render(done)))
    assert claim.answer is not None
    return claim.answer


def _refused_or_done(work: Callable[[], Response]) -> Response:
    """What ``work`` answers, or the problem that it ends in; raises what is the service's fault."""
    try:
        return work()
    except Exception as error:
        problem = problem_of(error)
        if problem is None or problem.status >= 500:
            raise
        return problem.response()


def _read_key(header: str) -> str:
    """The key that a header holds, bare or as a quoted string (RFC 9651)."""
    found = _KEY.fullmatch(header)
    if found is None:
        raise invalid({IDEMPOTENCY_KEY["name"]: ["Must be 1 to 255 visible ASCII characters, quoted or not."]}, 400)
    bare, quoted = found.groups()
    return bare or _ESCAPED.sub(r"\1", quoted)


def _derive(token: str, key: str) -> tuple[bytes, bytes, bytes]:
    """What follows from a credential and a key: where the answer is kept, what marks its request, what seals it."""
    kdf = HKDF(SHA256(), length=96, salt=None, info=b"tricklog answer " + key.encode())
    derived = kdf.derive(token.encode())
    return derived[:32], derived[32:64], derived[64:]


def _asked() -> bytes:
    """What besides the body makes two requests the same."""
    names = ("REQUEST_METHOD", "PATH_INFO", "QUERY_STRING", "HTTP_IF_MATCH", "HTTP_ACCEPT")
    return orjson.dumps([request.environ.get(name) for name in names])
