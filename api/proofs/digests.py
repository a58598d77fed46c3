"""Digests that bind a record: each event's over a salt, and the head that chains them. In words: ``records.md``."""

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from struct import pack
from typing import Any, Final

import orjson

SECRET_BYTES: Final = 32
SALT_BYTES: Final = 16
DIGEST_BYTES: Final = 32
_SALT_CONTEXT: Final = b"tricklog/1/salt"
_SORTED: Final = orjson.OPT_SORT_KEYS
_sha256 = hashlib.sha256


def canonical(value: Any) -> bytes:
    """The JSON of ``value`` in the one form of RFC 8785; ValueError for what has none.

    It holds for what records are made of: texts, whole numbers below 2^53, true, false, null, lists, and objects whose
    names are ASCII. (Fractions, and names beyond the Basic Multilingual Plane, would be written differently.)
    """
    try:
        return orjson.dumps(value, option=_SORTED)
    except TypeError as error:
        raise ValueError(str(error)) from None


def salt(secret: bytes, seq: int) -> bytes:
    """The salt of event ``seq``: 16 bytes from the game's secret, by which nobody finds another's."""
    return hmac.digest(secret, _SALT_CONTEXT + pack(">Q", seq), "sha256")[:SALT_BYTES]


def digest(salted: bytes, seq: int, at: str, event: Mapping[str, Any]) -> bytes:
    """The digest of event ``seq``, accepted ``at`` that time (in the form of records), over its salt."""
    return _sha256(salted + canonical({**event, "seq": seq, "at": at})).digest()


def start(facts: Mapping[str, Any]) -> bytes:
    """The head before the first event: the digest of what the game is."""
    return _sha256(canonical(facts)).digest()


def chain(head: bytes, added: bytes) -> bytes:
    """The head after an event with the digest ``added``."""
    return _sha256(head + added).digest()


def earlier_starts(facts: Mapping[str, Any]) -> Iterator[bytes]:
    """Every head that the game can have had before its first event, while its client seeds came in one by one."""
    seeds: Sequence[str | None] = facts.get("client_seeds", ())
    for given in product(*[{None, each} for each in seeds]):
        yield start({**facts, "client_seeds": list(given)} if seeds else facts)
