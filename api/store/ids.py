"""The texts by which callers name games and prove who they are.

A secret is 32 random bytes, so its plain SHA-256 is hash enough: there is nothing to guess from. Parsing answers None
for every text but the one spelling that is written here, and what it reads fits PostgreSQL's integer.
"""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass, field
from typing import Final

INT4_MAX: Final = 2**31 - 1

DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Base 32, without the letters that are taken for another digit, or make words."""
NUMBER_DIGITS: Final = 7
NONCE_DIGITS: Final = 9
_VALUE: Final = {digit: value for value, digit in enumerate(DIGITS)}

_NUMBER: Final = "(0|[1-9][0-9]{0,9})"
_URL_SAFE: Final = "([A-Za-z0-9_-]{43})"
_GAME_ID: Final = re.compile(f"([{DIGITS}]{{{NUMBER_DIGITS}}})[{DIGITS}]{{{NONCE_DIGITS}}}")
_API_KEY: Final = re.compile(f"tlk_{_NUMBER}_{_URL_SAFE}")
_SEAT_TOKEN: Final = re.compile(f"tls_{_NUMBER}_{_NUMBER}_{_URL_SAFE}")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """The credential of a front end: the key's number, and the secret that whoever sent it claims to know."""

    number: int
    secret: str = field(repr=False)

    @property
    def text(self) -> str:
        return f"tlk_{self.number}_{self.secret}"

    def matches(self, stored: bytes) -> bool:
        """Whether ``stored`` is the hash of this secret."""
        return hmac.compare_digest(hashed(self.secret), stored)


@dataclass(frozen=True, slots=True)
class SeatToken:
    """The credential of a seat: its game's number, the seat from 0, and the secret claimed."""

    game: int
    seat: int
    secret: str = field(repr=False)

    @property
    def text(self) -> str:
        return f"tls_{self.game}_{self.seat}_{self.secret}"

    def matches(self, stored: bytes) -> bool:
        """Whether ``stored`` is the hash of this secret."""
        return hmac.compare_digest(hashed(self.secret), stored)


def parse_api_key(text: str) -> ApiKey | None:
    """The API key that ``text`` spells, right or wrong; None when it is none."""
    found = _API_KEY.fullmatch(text)
    if found is None or int(found[1]) > INT4_MAX:
        return None
    return ApiKey(int(found[1]), found[2])


def parse_seat_token(text: str) -> SeatToken | None:
    """The seat token that ``text`` spells, right or wrong; None when it is none."""
    found = _SEAT_TOKEN.fullmatch(text)
    if found is None or int(found[1]) > INT4_MAX or int(found[2]) > INT4_MAX:
        return None
    return SeatToken(int(found[1]), int(found[2]), found[3])


def new_secret() -> str:
    """A fresh secret: 43 characters that a header takes as they are."""
    return secrets.token_urlsafe(32)


def hashed(secret: str) -> bytes:
    """What is stored of a secret."""
    return hashlib.sha256(secret.encode()).digest()


def new_nonce() -> str:
    """The random part of a game's id: 45 bits, so that nobody finds public games by counting."""
    return _spell(secrets.randbits(5 * NONCE_DIGITS), NONCE_DIGITS)


def write_game_id(number: int, nonce: str) -> str:
    """The public id of the game stored under ``number``."""
    return _spell(number, NUMBER_DIGITS) + nonce


def parse_game_id(text: str) -> int | None:
    """The number under which the game would be stored whose id is ``text``; None when it is no id.

    Whether it *is* that game's id, nonce and all, only a comparison with ``Game.id`` says.
    """
    found = _GAME_ID.fullmatch(text)
    if found is None:
        return None
    number = 0
    for digit in found[1]:
        number = number << 5 | _VALUE[digit]
    return number if number <= INT4_MAX else None


def _spell(value: int, count: int) -> str:
    return "".join(DIGITS[value >> 5 * place & 31] for place in reversed(range(count)))
