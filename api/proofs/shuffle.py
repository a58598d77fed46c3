"""Every shuffle, from the game's seeds alone, by an algorithm that is written out and never changes: ``dealing.md``."""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from struct import iter_unpack, pack
from typing import Any, Final

from api.proofs.digests import canonical

SEED_BYTES: Final = 32
_CONTEXT: Final = b"tricklog/1/shuffle"
_CLIENT_CONTEXT: Final = b"tricklog/1/client-seeds"


def commitment(seed: bytes) -> bytes:
    """The SHA-256 of a seed, published before the first card is dealt."""
    return hashlib.sha256(seed).digest()


def stream_key(seed: bytes, client_seeds: Sequence[str] = ()) -> bytes:
    """The key of a game's stream: its seed, with the client seeds mixed in where it has any."""
    return hmac.digest(seed, _CLIENT_CONTEXT + canonical(list(client_seeds)), "sha256") if client_seeds else seed


def _words(key: bytes, chance: int) -> Iterator[int]:
    block = 0
    while True:
        message = _CONTEXT + pack(">QQ", chance, block)
        for (word,) in iter_unpack(">I", hmac.digest(key, message, "sha256")):
            yield word
        block += 1


def _below(words: Iterator[int], bound: int) -> int:
    limit = (1 << 32) - (1 << 32) % bound
    while True:
        word = next(words)
        if word < limit:
            return word % bound


def shuffle(key: bytes, chance: int, items: Sequence[Any]) -> list[Any]:
    """``items`` in the order that the stream of ``key`` gives them at chance event number ``chance`` (from 0)."""
    shuffled = list(items)
    words = _words(key, chance)
    for place in range(len(shuffled) - 1, 0, -1):
        other = _below(words, place + 1)
        shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
    return shuffled


def chance_event(key: bytes, chance: int, state: Any) -> dict[str, Any]:
    """The event that ``state`` calls for, as the stream of ``key`` deals it at chance event ``chance`` (from 0)."""
    called = state.chances[state.call]
    return {"type": state.call, **called.cut(state, shuffle(key, chance, called.items(state)))}
