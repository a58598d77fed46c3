"""Digests and receipts: what they bind, and what nobody can do without their secrets."""

import base64
import hashlib
import hmac
import json
from typing import Any

import orjson
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from jwt.utils import base64url_encode

from api.games.rules import Ruleset
from api.proofs import digests
from api.proofs.receipts import ReceiptError, Signer, read_jwks, read_receipt, write_jwks
from api.proofs.shuffle import stream_key
from tests.games.test_contract import every_game

texts = st.text(st.characters(exclude_categories=["Cs"]))
names = st.text(st.characters(max_codepoint=127), min_size=1)
integers = st.integers(-(2**53) + 1, 2**53 - 1)
json_values = st.recursive(
    st.none() | st.booleans() | integers | texts,
    lambda inner: st.lists(inner) | st.dictionaries(names, inner),
    max_leaves=20,
)

HEAD = bytes(range(32))
SIGNER = Signer("one", b"\1" * 32)
KEYS = read_jwks(write_jwks({"one": SIGNER.public}))


# --- canonical JSON -------------------------------------------------------------------------------------------------


@given(json_values)
def test_canonical_json_is_that_of_rfc_8785(value: Any) -> None:
    assert digests.canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize("value", ["\ud800", {"a": {1, 2}}, 2**70])
def test_what_has_no_canonical_form_is_a_value_error(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        digests.canonical(value)


def kinds(schema: Any) -> set[str]:
    """Every type that a JSON Schema of a game's fields lets a value have, at any depth."""
    if "anyOf" in schema:
        return set().union(*(kinds(part) for part in schema["anyOf"]))
    if "const" in schema or "enum" in schema:
        return {type(each).__name__ for each in schema.get("enum", [schema.get("const")])}
    inner = kinds(schema["items"]) if "items" in schema else set()
    return {schema["type"], *inner}


@every_game
def test_no_event_and_no_config_holds_what_orjson_writes_otherwise(ruleset: Ruleset) -> None:
    for seats in ruleset.seats:
        options = ruleset.options(seats)
        state = ruleset.start({name: option.default for name, option in options.items()}, seats)
        fields = [each for event in [*state.moves.values(), *state.chances.values()] for each in event.fields]
        for schema in [each.kind.schema for each in [*fields, *options.values()]]:
            assert kinds(schema) <= {"str", "int", "bool", "string", "integer", "boolean", "array"}
        names = [each.name for each in fields] + list(options) + list(state.moves) + list(state.chances)
        assert all(name.isascii() for name in names)


# --- digests --------------------------------------------------------------------------------------------------------


def test_a_digest_is_what_the_documentation_says() -> None:
    event = {"type": "play", "seat": 2, "card": "Qs"}
    at = "2026-01-31T12:34:56.123456Z"
    salt = digests.salt(HEAD, 7)
    assert salt == hmac.new(HEAD, b"tricklog/1/salt" + bytes([0, 0, 0, 0, 0, 0, 0, 7]), hashlib.sha256).digest()[:16]
    text = b'{"at":"2026-01-31T12:34:56.123456Z","card":"Qs","seat":2,"seq":7,"type":"play"}'
    assert digests.digest(salt, 7, at, event) == hashlib.sha256(salt + text).digest()
    assert digests.chain(HEAD, b"\2" * 32) == hashlib.sha256(HEAD + b"\2" * 32).digest()
    assert digests.start({"b": 1, "a": [None]}) == hashlib.sha256(b'{"a":[null],"b":1}').digest()


def test_each_event_has_a_salt_of_its_own_and_so_has_each_game() -> None:
    salts = {digests.salt(bytes([game]) * 32, seq) for game in range(20) for seq in range(1, 501)}
    assert len(salts) == 10_000
    assert {len(salt) for salt in salts} == {digests.SALT_BYTES}
    assert digests.SALT_BYTES >= 16


@given(st.lists(st.none() | st.text(max_size=3), min_size=2, max_size=4))
def test_heads_of_seeds_coming_in_are_those_of_any_part_of_them(seeds: list[str | None]) -> None:
    facts = {"game": "one", "client_seeds": seeds}
    known = set(digests.earlier_starts(facts))
    for count in range(len(seeds) + 1):
        earlier = [each if place < count else None for place, each in enumerate(seeds)]
        assert digests.start(facts | {"client_seeds": earlier}) in known
    others = [None if each is None else each + "!" for each in seeds]
    if any(others):
        assert digests.start(facts | {"client_seeds": others}) not in known


def test_client_seeds_are_mixed_in_whole_and_in_order() -> None:
    seed = b"\5" * 32
    assert stream_key(seed) == seed
    mixed = [["a"], ["b"], ["a", "b"], ["b", "a"], ["ab", ""], ["", "ab"], ['a","b'], ["a,b"], ["ä"], ["a\u0308"]]
    assert len({stream_key(seed, each) for each in mixed} | {seed}) == len(mixed) + 1
    text = '["heads","tä\\"ils"]'.encode()
    expected = hmac.new(seed, b"tricklog/1/client-seeds" + text, hashlib.sha256).digest()
    assert stream_key(seed, ["heads", 'tä"ils']) == expected


# --- receipts -------------------------------------------------------------------------------------------------------


def test_a_receipt_is_a_jws_that_says_what_was_signed() -> None:
    text = SIGNER.sign("game", 7, HEAD)
    header, claims, signature = text.split(".")
    assert decoded(header) == {"alg": "EdDSA", "kid": "one"}
    assert decoded(claims) == {"game": "game", "seq": 7, "head": HEAD.hex()}
    assert len(signature) == 86
    assert read_receipt(text, KEYS, "game") == ("game", 7, HEAD.hex())


def decoded(part: str) -> Any:
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def encoded(value: Any) -> str:
    return base64url_encode(orjson.dumps(value)).decode()


def changed(text: str, part: int, value: str) -> str:
    parts = text.split(".")
    parts[part] = value
    return ".".join(parts)


TRUE = SIGNER.sign("game", 7, HEAD)
OTHERS = Signer("one", b"\2" * 32)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("a.b", id="two parts"),
        pytest.param(TRUE + "x", id="more after it"),
        pytest.param(TRUE[:-2] + ("AA" if TRUE[-2:] != "AA" else "BB"), id="another signature"),
        pytest.param(changed(TRUE, 1, encoded({"game": "game", "seq": 8, "head": HEAD.hex()})), id="other claims"),
        pytest.param(changed(TRUE, 0, encoded({"alg": "none", "kid": "one"})), id="no algorithm"),
        pytest.param(changed(TRUE, 0, encoded({"alg": "HS256", "kid": "one"})), id="another algorithm"),
        pytest.param(changed(TRUE, 0, encoded({"alg": "EdDSA", "kid": "two"})), id="an unknown key"),
        pytest.param(changed(TRUE, 0, encoded({"alg": "EdDSA"})), id="no key"),
        pytest.param(changed(TRUE, 0, encoded({"alg": "EdDSA", "kid": ["one"]})), id="a list of keys"),
        pytest.param(OTHERS.sign("game", 7, HEAD), id="another's key of that name"),
        pytest.param(SIGNER.sign("other", 7, HEAD), id="another game"),
        pytest.param("é.\ud800.", id="no ASCII"),
    ],
)
def test_what_the_key_did_not_sign_for_the_game_is_no_receipt(text: str) -> None:
    with pytest.raises(ReceiptError):
        read_receipt(text, KEYS, "game")


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"keys": []},
        {"keys": {}},
        {"keys": [{"kty": "RSA", "kid": "one"}]},
        {"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "one", "x": "AAAA"}]},
        {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "A" * 43}]},
    ],
)
def test_a_document_without_a_key_holds_no_keys(document: Any) -> None:
    with pytest.raises(ValueError, match="key"):
        read_jwks(document)


def test_one_key_alone_is_read_as_a_set_of_one() -> None:
    [alone] = write_jwks({"one": SIGNER.public})["keys"]
    assert read_receipt(TRUE, read_jwks(alone), "game").seq == 7
    assert "d" not in alone
