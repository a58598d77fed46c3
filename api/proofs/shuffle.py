"""Every shuffle, from the game's seed alone, by an algorithm that is written out and never changes.

The stream of chance event number ``n`` (from 0, retracted ones counted) is HMAC-SHA-256 in counter mode: block ``i`` is
HMAC(key = seed, message = ``b"tricklog/1/shuffle"`` + n + i), n and i as unsigned 64-bit big-endian; the blocks are
read as unsigned 32-bit big-endian words, in order. A number below ``k`` is the next word modulo ``k``, words from the
last incomplete run of ``k`` at the top being passed over, so that none is likelier than another. The shuffle is
Fisher-Yates from the end: for place ``j`` = last … 1, swap the items at ``j`` and at a number below ``j + 1``.
"""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from struct import iter_unpack, pack
from typing import Any, Final

SEED_BYTES: Final = 32
_CONTEXT: Final = b"tricklog/1/shuffle"


def commitment(seed: bytes) -> bytes:
    """The SHA-256 of a seed, published before the first card is dealt."""
    return hashlib.sha256(seed).digest()


def _words(seed: bytes, chance: int) -> Iterator[int]:
    block = 0
    while True:
        message = _CONTEXT + pack(">QQ", chance, block)
        for (word,) in iter_unpack(">I", hmac.digest(seed, message, "sha256")):
            yield word
        block += 1


def _below(words: Iterator[int], bound: int) -> int:
    limit = (1 << 32) - (1 << 32) % bound
    while True:
        word = next(words)
        if word < limit:
            return word % bound


def shuffle(seed: bytes, chance: int, items: Sequence[Any]) -> list[Any]:
    """``items`` in the order that ``seed`` gives them at chance event number ``chance`` (from 0)."""
    shuffled = list(items)
    words = _words(seed, chance)
    for place in range(len(shuffled) - 1, 0, -1):
        other = _below(words, place + 1)
        shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
    return shuffled


def chance_event(seed: bytes, chance: int, state: Any) -> dict[str, Any]:
    """The event that ``state`` calls for, as ``seed`` deals it at chance event number ``chance`` (from 0)."""
    called = state.chances[state.call]
    return {"type": state.call, **called.cut(state, shuffle(seed, chance, called.items(state)))}
