"""Records made without a service: whole games that a seed deals, sealed as a service would."""

import secrets
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from api.games.rules import Event, Ruleset, read_config
from api.proofs import digests
from api.proofs.shuffle import chance_event, commitment, stream_key
from api.records.portable import Sealed, chain_facts, write_record
from api.records.replay import advance, begin
from tests.games.playing import LENGTHS, next_event


def sealed(facts: Mapping[str, Any], events: Sequence[Event]) -> tuple[list[Sealed], bytes]:
    """The events with times, digests and salts, and the head after them."""
    secret = secrets.token_bytes(digests.SECRET_BYTES)
    head = digests.start(facts)
    listed = []
    for seq, event in enumerate(events, 1):
        at = f"2026-01-31T{seq // 3600 % 24:02}:{seq // 60 % 60:02}:{seq % 60:02}.000001Z"
        salt = digests.salt(secret, seq)
        digest = digests.digest(salt, seq, at, event)
        head = digests.chain(head, digest)
        listed.append(Sealed(event, at, digest, salt))
    return listed, head


def played(
    ruleset: Ruleset,
    seats: int,
    number: int,
    *,
    config: Mapping[str, Any] | None = None,
    client_seeds: Sequence[str] = (),
    most: int = 5000,
) -> dict[str, Any]:
    """The record of a random whole game that its service dealt, a short one where ``config`` leaves that open.

    The same for each ``number``, but for salts.
    """
    random = Random(number)
    seed = random.randbytes(32)
    key = stream_key(seed, client_seeds)
    short = {name: option.kind.schema["minimum"] for name, option in ruleset.options(seats).items() if name in LENGTHS}
    whole = read_config(ruleset, short | dict(config or {}), seats)
    position = begin(ruleset, whole, seats)
    events: list[dict[str, Any]] = []
    while position.status == "running" and len(events) < most:
        event = (
            next_event(position, random)
            if position.state.call is None
            else chance_event(key, position.chances, position.state)
        )
        advance(position, event)
        events.append(event)
    facts = chain_facts(
        game=f"game{number}",
        ruleset=ruleset.id,
        version=ruleset.version,
        config=whole,
        players=[f"Player {seat}" for seat in range(seats)],
        dealer="service",
        commitment=commitment(seed),
        client_seeds=client_seeds,
    )
    listed, head = sealed(facts, events)
    return write_record(facts, position, listed, head, seed)


def resealed(record: dict[str, Any]) -> dict[str, Any]:
    """The record as somebody would forge it who has the game's salts: every digest and the head made anew."""
    facts = {name: value for name, value in record.items() if name not in ("events", "head", "seed", "result")}
    head = digests.start(facts)
    events = []
    for seq, event in enumerate(record["events"], 1):
        fields = {name: value for name, value in event.items() if name not in ("at", "digest", "salt")}
        digest = digests.digest(bytes.fromhex(event["salt"]), seq, event["at"], fields)
        head = digests.chain(head, digest)
        events.append(event | {"digest": digest.hex()})
    return record | {"events": events, "head": head.hex()}
