"""Games followed live: each event told as it is accepted, by this worker or any other.

The log is the truth, and what workers tell each other is only a hint. What a worker commits goes straight to its own
streams; the other workers are told the game's newest seq after the commit, and read the events for themselves. A hint
may be lost: at every heartbeat, and whenever it listens anew, a worker looks how far the games have come that it
follows.

A stream holds no more than its place in the record. The newest events of its game are shared by all streams of the
worker, replayed once and written once for each view; a stream that is further behind reads the record in pages.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Final

import orjson

from api import service, store
from api.games.rules import IllegalMove, Seen
from api.records.replay import Position

KEPT: Final = 32
"""How many of a game's newest events are shared."""
PAGE: Final = 200
"""How many events a stream that is further behind reads at once."""
WOKEN_AT_ONCE: Final = 16
"""How many streams of a game are woken together. Each wakes one more, and the worker does other work in between."""
GATHER: Final = 0.02
"""Seconds in which news gathers once some has been dealt with, so that many moves take few statements."""
RETRY: Final = 1.0
"""Seconds until a database that is away is asked again."""
TICK: Final = 0.5
"""Seconds until who listens looks whether it still should."""

_ANY: Final = 2**31 - 1

_log = logging.getLogger(__name__)


class _Told:
    """An event as streams share it."""

    __slots__ = ("accepted", "written")

    def __init__(self, accepted: service.Accepted) -> None:
        self.accepted = accepted
        self.written: dict[Seen, bytes] = {}

    def as_seen(self, position: Position, view: Seen) -> bytes:
        if view not in self.written:
            self.written[view] = _write(position, self.accepted, view)
        return self.written[view]


def _write(position: Position, accepted: service.Accepted, view: Seen) -> bytes:
    return orjson.dumps(service.view_accepted(position, accepted, view))


class _Followed:
    """A game that streams follow, as far as it has been told; ``newest`` are the last events up to ``position``.

    ``owned`` says that its owner's API key still holds, ``ended`` that nothing more comes from here.
    """

    __slots__ = ("changed", "ended", "game", "newest", "owned", "position", "streams")

    def __init__(self, opened: service.Opened, lock: threading.Lock) -> None:
        self.game = opened.game
        self.position = opened.position
        self.newest: deque[_Told] = deque(maxlen=KEPT)
        self.changed = threading.Condition(lock)
        self.streams = 0
        self.owned = True
        self.ended = False


class Hub:
    """The streams of a worker: ``streams`` are open. Each yields something every ``heartbeat`` seconds at least."""

    def __init__(self, desk: service.Desk, heartbeat: float) -> None:
        self.streams = 0
        self.heartbeat = heartbeat
        self._desk = desk
        self._closed = False
        self._lock = threading.Lock()
        self._followed: dict[int, _Followed] = {}
        # The number of a game, its newest seq, and whether it is for other workers to know.
        self._news: SimpleQueue[tuple[int, int, bool]] = SimpleQueue()
        self._look_at = 0.0
        self._threads: dict[str, threading.Thread] = {}

    def close(self) -> None:
        """Ends every stream, for their callers to go on elsewhere."""
        with self._lock:
            self._closed = True
            for followed in self._followed.values():
                followed.changed.notify_all()
        self._news.put((0, 0, False))
        for thread in self._threads.values():
            thread.join(2 * TICK)

    def announce(self, number: int, position: Position, accepted: Sequence[service.Accepted]) -> None:
        """Tells the game's streams of events that this worker has just committed, and has the other workers told."""
        if not accepted:
            return
        if not self._publish(number, position, accepted):
            self._news.put((number, position.seq, False))
        self._news.put((number, position.seq, True))
        self._run(self._relay)

    def follow(self, opened: service.Opened, view: Seen, after: int) -> Iterator[list[tuple[int, bytes]] | None]:
        """The events after seq ``after`` as they come, each with its seq, in JSON as ``view`` sees it.

        The first list comes at once, and an empty one is a heartbeat. None is the last when the game is over; without
        it there is more to come, but not from here.
        """
        by_owner = opened.role == "owner"
        followed = self._join(opened)
        del opened  # and its position, which grows old
        place, seconds = after, 0.0
        try:
            while True:
                try:
                    events = self._next(followed, by_owner, view, place, seconds)
                except store.Unavailable:
                    events = []
                    time.sleep(RETRY)
                if events is None:
                    return
                yield events
                place = events[-1][0] if events else place
                if followed.position.status != "running" and followed.position.seq <= place:
                    yield None
                    return
                seconds = self.heartbeat
        finally:
            self._leave(followed)

    def _join(self, opened: service.Opened) -> _Followed:
        number = opened.game.number
        with self._lock:
            followed = self._followed.get(number)
            known = -1 if followed is None else followed.position.seq
            if followed is None:
                followed = self._followed[number] = _Followed(opened, self._lock)
            followed.streams += 1
            self.streams += 1
        self._run(self._listen)
        self._run(self._relay)
        if known < opened.position.seq:
            # What nobody followed may have grown since it was opened.
            self._news.put((number, _ANY if known < 0 else opened.position.seq, False))
        return followed

    def _leave(self, followed: _Followed) -> None:
        with self._lock:
            self.streams -= 1
            followed.streams -= 1
            if not followed.streams:
                self._forget(followed)

    def _forget(self, followed: _Followed) -> None:
        if self._followed.get(followed.game.number) is followed:
            del self._followed[followed.game.number]

    def _next(
        self, followed: _Followed, by_owner: bool, view: Seen, place: int, seconds: float
    ) -> list[tuple[int, bytes]] | None:
        """The next events after ``place``, empty when none come within so many seconds; None when the stream ends."""

        def ends() -> bool:
            return self._closed or followed.ended or (by_owner and not followed.owned)

        with followed.changed:
            followed.changed.wait_for(lambda: followed.position.seq > place or ends(), seconds)
            position = followed.position
            if ends():
                return None
            if position.seq <= place:
                return []
            followed.changed.notify()
            told = position.seq - place
            if told <= len(followed.newest):
                newest = islice(followed.newest, len(followed.newest) - told, None)
                return [(each.accepted.seq, each.as_seen(position, view)) for each in newest]
        upto = min(position.seq, place + PAGE)
        accepted, position = service.read_accepted(self._desk, followed.game, place, upto)
        return [(each.seq, _write(position, each, view)) for each in accepted]

    def _publish(self, number: int, position: Position, accepted: Sequence[service.Accepted]) -> bool:
        """Tells the streams of a game those events that they haven't been told; False when some before are missing."""
        with self._lock:
            followed = self._followed.get(number)
            if followed is None:
                return True
            told = followed.position.seq
            if accepted[0].seq > told + 1:
                return False
            if position.seq > told:
                followed.newest.extend(_Told(each) for each in accepted if each.seq > told)
                followed.position = position
                followed.changed.notify(WOKEN_AT_ONCE)
            return True

    # --- what other workers do --------------------------------------------------------------------------------------

    def _run(self, work: Callable[[], None]) -> None:
        """Has a thread of its own do ``work`` from now on."""
        name = work.__name__
        if name not in self._threads:
            with self._lock:
                if name not in self._threads and not self._closed:
                    self._threads[name] = threading.Thread(target=work, name=f"tricklog{name}", daemon=True)
                    self._threads[name].start()

    def _listen(self) -> None:
        while not self._closed:
            told = store.listen(self._desk.pool, TICK)
            with suppress(store.Unavailable), closing(told):
                next(told)
                self._look_again()
                for grown in told:
                    if self._closed:
                        return
                    for number, seq in grown.items():
                        followed = self._followed.get(number)
                        if followed is not None and followed.position.seq < seq:
                            self._news.put((number, seq, False))
            time.sleep(RETRY)

    def _look_again(self) -> None:
        self._look_at = 0.0
        self._news.put((0, 0, False))

    def _relay(self) -> None:
        while not self._closed:
            ours, grown = self._gather()
            try:
                self._read(ours, grown)
            except store.Unavailable:
                # Whoever wasn't told looks for itself, as this worker does.
                self._look_at = 0.0
                time.sleep(RETRY)
            except Exception:  # noqa: BLE001  # one game's fault is not the others'
                _log.exception("news of games was lost")
                time.sleep(RETRY)
            time.sleep(GATHER)

    def _gather(self) -> tuple[dict[int, int], dict[int, int]]:
        """The newest seqs to tell other workers, and those that there is to read, by game, once there are any."""
        ours: dict[int, int] = {}
        grown: dict[int, int] = {}
        seconds = max(0.0, self._look_at - time.monotonic()) if self._followed else None
        with suppress(Empty):
            number, seq, own = self._news.get(timeout=seconds)
            while True:
                known = ours if own else grown
                known[number] = max(seq, known.get(number, 0))
                number, seq, own = self._news.get_nowait()
        return ours, grown

    def _read(self, ours: Mapping[int, int], grown: Mapping[int, int]) -> None:
        """Tells others of ``ours``, and the streams here of what has ``grown`` elsewhere."""
        with self._lock:
            positions = {number: followed.position for number, followed in self._followed.items()}
        behind = {number: positions[number].seq for number in grown.keys() & positions.keys()}
        behind = {number: seq for number, seq in behind.items() if seq < grown[number]}
        look = bool(positions) and time.monotonic() >= self._look_at
        if not (ours or behind or look):
            return
        with store.connection(self._desk.pool) as conn:
            if ours:
                store.notify(conn, ours)
            if look:
                self._look_at = time.monotonic() + self.heartbeat
                for number, tail in store.read_tails(conn, positions).items():
                    self._end(number, set_back=tail.seq < positions[number].seq, disowned=not tail.owned)
                    if tail.seq > positions[number].seq:
                        behind[number] = positions[number].seq
            news = store.read_news(conn, behind) if behind else {}
        for number, entries in news.items():
            followed = self._followed.get(number)
            if followed is not None:
                try:
                    accepted, position = service.go_on(self._desk, followed.game, positions[number], entries)
                except IllegalMove:
                    self._end(number, set_back=True)
                else:
                    self._publish(number, position, accepted)

    def _end(self, number: int, *, set_back: bool = False, disowned: bool = False) -> None:
        """Ends the streams of a game whose record is another now, or its owner's when the API key doesn't hold."""
        with self._lock:
            followed = self._followed.get(number)
            if followed is not None and (set_back or disowned):
                followed.owned = not disowned
                followed.ended = set_back
                followed.changed.notify_all()
                if set_back:
                    self._forget(followed)
