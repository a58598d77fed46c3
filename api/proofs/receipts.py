"""Receipts: the service's signature over game, seq and head, as a compact JWS (RFC 7515) with Ed25519 (RFC 8037)."""

import binascii
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import jwt
import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.utils import base64url_decode, base64url_encode

ALGORITHM: Final = "EdDSA"
_JWS: Final = jwt.PyJWS([ALGORITHM])

Keys = Mapping[str, Ed25519PublicKey]
"""Public keys by id."""


class ReceiptError(ValueError):
    """A text that is no receipt, or none that the key signed; the message says which."""


class Receipt(NamedTuple):
    """What a receipt says: after event ``seq`` of ``game`` the head was ``head``, in hex."""

    game: str
    seq: int
    head: str


class Signer:
    """A key that signs, from its 32 secret bytes; ``key`` is its id."""

    __slots__ = ("_headers", "_private", "key")

    def __init__(self, key: str, secret: bytes) -> None:
        self.key = key
        self._private = Ed25519PrivateKey.from_private_bytes(secret)
        self._headers = {"kid": key, "typ": ""}

    def sign(self, game: str, seq: int, head: bytes) -> str:
        """The receipt for ``game`` at ``seq``."""
        claims = orjson.dumps({"game": game, "seq": seq, "head": head.hex()})
        return _JWS.encode(claims, self._private, ALGORITHM, headers=self._headers)

    @property
    def public(self) -> bytes:
        """The 32 bytes of the public key."""
        return self._private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def write_jwks(keys: Mapping[str, bytes]) -> dict[str, Any]:
    """The JWK Set of public keys, each 32 bytes by its id."""
    return {
        "keys": [
            {
                "kty": "OKP",
                "crv": "Ed25519",
                "alg": ALGORITHM,
                "use": "sig",
                "kid": key,
                "x": base64url_encode(public).decode(),
            }
            for key, public in keys.items()
        ]
    }


def read_jwks(document: Any) -> dict[str, Ed25519PublicKey]:
    """The Ed25519 keys with an id in a JWK Set, or in one JWK; ValueError when ``document`` holds none."""
    listed = document.get("keys", [document]) if isinstance(document, dict) else ()
    keys = {}
    for each in listed if isinstance(listed, list) else ():
        match each:
            case {"kty": "OKP", "crv": "Ed25519", "kid": str(key), "x": str(public)}:
                try:
                    keys[key] = Ed25519PublicKey.from_public_bytes(base64url_decode(public))
                except (ValueError, binascii.Error):
                    raise ValueError(f"The key {key} is no Ed25519 public key.") from None
    if not keys:
        raise ValueError("There is no Ed25519 public key with a kid in it.")
    return keys


def read_receipt(text: str, keys: Keys, of: str | None) -> Receipt:
    """What a receipt of the game ``of`` says that one of ``keys`` signed; ReceiptError for every other text."""
    try:
        key = _JWS.get_unverified_header(text).get("kid")
        public = keys.get(key) if isinstance(key, str) else None
        if public is None:
            raise ReceiptError("It names no key that is known here.")
        claims = orjson.loads(_JWS.decode(text, public, [ALGORITHM]))
    except jwt.InvalidSignatureError:
        raise ReceiptError("Its signature is not that of the key it names.") from None
    except (jwt.PyJWTError, ValueError) as error:
        if isinstance(error, ReceiptError):
            raise
        raise ReceiptError("It is no compact JWS with Ed25519.") from None
    match claims:
        case {"game": str(game), "seq": int(seq), "head": str(head)} if type(seq) is int:
            if game != of:
                raise ReceiptError(f"It is for another game, {game}.")
            return Receipt(game, seq, head)
    raise ReceiptError("It lacks the claims game, seq and head.")


def claimed_game(text: str) -> str | None:
    """The game that a receipt says it is for, whoever signed it; None when it says none."""
    try:
        claims = orjson.loads(base64url_decode(text.split(".")[1]))
    except (ValueError, IndexError):
        return None
    game = claims.get("game") if type(claims) is dict else None
    return game if type(game) is str else None
