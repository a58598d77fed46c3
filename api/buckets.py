"""Rate limits that all workers of one machine share: buckets in memory that their parent maps before it forks them.

Of a bucket only the time is kept at which it is full again (the generic cell rate algorithm). One that is full is as
good as none, so a table of a fixed size does, which forgets the fullest first.
"""

import fcntl
import hashlib
import mmap
import os
import struct
import tempfile
import time
import weakref
from pathlib import Path
from typing import Final, NamedTuple

_MEMORY: Final = "/dev/shm"  # noqa: S108
_SETS: Final = 8192
_WAYS: Final = 8
_SET: Final = struct.Struct("=" + _WAYS * "Qd")
_SLOT: Final = struct.Struct("=Qd")
# Sums of seconds since the machine started are exact to less than this.
_ROUNDING: Final = 1e-6


def memory_folder() -> str | None:
    """Where files lie in memory, writable though the rest may not be; None where there is no such place."""
    return _MEMORY if os.access(_MEMORY, os.W_OK) else None


class Level(NamedTuple):
    """What came of taking from a bucket: whether it held that much, and how many seconds it now lacks of being full."""

    held: bool
    lacks: float


class Buckets:
    """A table of buckets; made before the fork, it is the same one in every process."""

    __slots__ = ("__weakref__", "_key", "_lock", "_memory")

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SETS * _SET.size)
        # A file to lock, with nothing in it: a process that is killed lets go of its locks.
        self._lock, path = tempfile.mkstemp(dir=memory_folder())
        Path(path).unlink()
        weakref.finalize(self, os.close, self._lock)
        self._key = os.urandom(16)

    def bucket(self, name: str) -> int:
        """The number of the bucket called ``name``: a keyed hash, from which nobody finds the name."""
        digest = hashlib.blake2b(name.encode(), digest_size=8, key=self._key).digest()
        return int.from_bytes(digest, "little") or 1

    def take(self, bucket: int, seconds: float, size: float, *, known: bool = False) -> Level | None:
        """Takes ``seconds`` (gives them back, where they are negative) of a bucket that fills up in ``size`` seconds.

        Nothing is taken of one that doesn't hold them. None where only a ``known`` bucket is asked for and there is
        none: otherwise one that is unknown is full.
        """
        place = bucket % _SETS
        offset = place * _SET.size
        fcntl.lockf(self._lock, fcntl.LOCK_EX, 1, place)
        try:
            slots = _SET.unpack_from(self._memory, offset)
            now = time.monotonic()
            if bucket in slots[::2]:
                way = slots[::2].index(bucket)
                full = max(slots[2 * way + 1], now)
            elif known:
                return None
            else:
                way = min(range(_WAYS), key=slots[1::2].__getitem__)
                full = now
            lacks = full + seconds - now
            if lacks > size + _ROUNDING:
                return Level(held=False, lacks=full - now)
            _SLOT.pack_into(self._memory, offset + way * _SLOT.size, bucket, full + seconds)
            return Level(held=True, lacks=max(lacks, 0.0))
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN, 1, place)

    def forget(self, bucket: int) -> None:
        """Makes a bucket unknown."""
        place = bucket % _SETS
        offset = place * _SET.size
        fcntl.lockf(self._lock, fcntl.LOCK_EX, 1, place)
        try:
            slots = _SET.unpack_from(self._memory, offset)[::2]
            if bucket in slots:
                _SLOT.pack_into(self._memory, offset + slots.index(bucket) * _SLOT.size, 0, 0.0)
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN, 1, place)
