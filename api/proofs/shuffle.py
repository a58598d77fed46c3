"""Every shuffle, from the game's seeds alone, by an algorithm that is written out and never changes: ``dealing.md``."""

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from struct import Struct, pack
from typing import Any, Final

from api.proofs.digests import canonical

SEED_BYTES: Final = 32
_CONTEXT: Final = b"tricklog/1/shuffle"
_CLIENT_CONTEXT: Final = b"tricklog/1/client-seeds"
_WORDS: Final = 1 << 32
_BLOCK: Final = Struct(">8I").unpack


def commitment(seed: bytes) -> bytes:
    """The SHA-256 of a seed, published before the first card is dealt."""
    return hashlib.sha256(seed).digest()


def stream_key(seed: bytes, client_seeds: Sequence[str] = ()) -> bytes:
    """The key of a game's stream: its seed, with the client seeds mixed in where it has any."""
    return hmac.digest(seed, _CLIENT_CONTEXT + canonical(list(client_seeds)), "sha256") if client_seeds else seed


def _words(key: bytes, chance: int) -> Iterator[int]:
    prefix = _CONTEXT + pack(">Q", chance)
    block = 0
    while True:
        yield from _BLOCK(hmac.digest(key, prefix + pack(">Q", block), "sha256"))
        block += 1


def shuffle(key: bytes, chance: int, items: Sequence[Any]) -> list[Any]:
    """``items`` in the order that the stream of ``key`` gives them at chance event number ``chance`` (from 0)."""
    shuffled = list(items)
    words = _words(key, chance)
    for place in range(len(shuffled) - 1, 0, -1):
        bound = place + 1
        limit = _WORDS - _WORDS % bound
        # of the words above the last whole run of the bound, which would make some numbers likelier, none counts
        word = next(words)
        while word >= limit:
            word = next(words)
        other = word % bound
        shuffled[place], shuffled[other] = shuffled[other], shuffled[place]
    return shuffled


def chance_event(key: bytes, chance: int, state: Any) -> dict[str, Any]:
    """The event that ``state`` calls for, as the stream of ``key`` deals it at chance event ``chance`` (from 0)."""
    called = state.chances[state.call]
    return {"type": state.call, **called.cut(state, shuffle(key, chance, called.items(state)))}
