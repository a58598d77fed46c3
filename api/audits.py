"""Audits: of records from anywhere, and of games as they stand in the store, of which nothing is taken for true."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import orjson

from api import service, store
from api.disputes import dispute_digest
from api.games import RULESETS
from api.games.rules import ConfigError, Event, Seen, read_config
from api.proofs.receipts import read_jwks, write_jwks
from api.records import replay
from api.records.audit import Audit, Check, audit
from api.records.codec import decode, encode
from api.records.portable import chain_facts, read_document, require_record
from api.records.replay import Position


def audit_record(desk: service.Desk, record: Mapping[str, Any], receipts: Sequence[str]) -> dict[str, Any]:
    """The audit of a record from anywhere, with receipts that this service signed; RecordError for what is none."""
    require_record(record)
    return audit(record, receipts, read_jwks(receipt_keys(desk)) if receipts else {}).written()


def replay_record(
    desk: service.Desk,
    record: Mapping[str, Any],
    receipts: Sequence[str],
    *,
    view: Seen,
    first: int,
    final: int | None,
) -> dict[str, Any]:
    """A record from anywhere for a viewer to step through, as far as the rules allow, with its score sheet and audit.

    RecordError for one whose form can't be read, OutOfRangeError for frames that it hasn't.
    """
    document = read_document(record)
    audited = audit(record, receipts, read_jwks(receipt_keys(desk)) if receipts else {})
    position = audited.position
    assert position is not None
    players = document.players
    if type(view) is int and view >= len(players):
        raise service.OutOfRangeError("view", "Must be public, table, or a seat of the game.")
    first, final = service.frame_span(first, final, position.seq)
    steps = replay.walk(document.ruleset, document.config, len(players), document.events[:final])
    stored = [
        {name: value for name, value in (("at", at), ("digest", digest and digest.hex())) if value is not None}
        for at, digest in zip(document.times[:final], document.digests[:final], strict=True)
    ]
    framed = islice(zip(stored, steps, strict=True), first - 1, None)
    game: dict[str, Any] = {name: record[name] for name in ("commitment", "seed", "client_seeds") if name in record} | {
        "ruleset": document.ruleset.id,
        "version": document.ruleset.version,
        "config": document.config,
        "players": players,
        "dealer": document.dealer,
        "status": position.status,
        "seq": position.seq,
        **service.summary(position),
    }
    if document.game is not None:
        game["id"] = document.game
    return {
        "game": game,
        "frames": service.framed(document.game or "", players, framed, view),
        **({"next": final + 1} if final < position.seq else {}),
        "ledger": replay.view_ledger(position, view),
        "audit": audited.written(),
    }


def receipt_keys(desk: service.Desk) -> dict[str, Any]:
    """The public keys of receipts, as a JWK Set."""
    with store.connection(desk.pool) as conn:
        return write_jwks({each.key: each.public for each in store.list_signing_keys(conn)})


def audit_game(desk: service.Desk, stored: service.Stored) -> dict[str, Any]:
    """The audit of a game as it stands in the store, of which nothing is taken for true."""
    with store.connection(desk.pool) as conn:
        evidence = store.read_evidence(conn, stored.game.number)
    if evidence is None:
        raise service.NotFoundError
    found = audit(_testimony(evidence), published=False)
    checks = [*found.checks, _check_store(evidence, found.position), _check_disputes(evidence)]
    return Audit(checks, found.position).written()


def _testimony(evidence: store.Evidence) -> dict[str, Any]:
    """The record that the store holds, whatever has become of it: with seed and salts, and not to be published."""
    row, players = evidence.columns, evidence.columns["players"]
    config = _parsed(row["config"])
    facts = chain_facts(
        game=evidence.id if row["secret"] is not None else row["origin"] or "",
        ruleset=row["ruleset"],
        version=row["version"],
        config=config if type(config) is dict else {},
        players=players,
        dealer=row["dealer"],
        commitment=row["commitment"],
        client_seeds=service.client_seeds_of(row["mode"], len(players), evidence.client_seeds),
    )
    salt = service.salts_of(row["secret"], row["salts"])
    tables = _tables(row, config)
    events = [
        {**_read_back(tables, text), "at": service.in_rfc3339(at), "digest": digest.hex(), "salt": salt(seq).hex()}
        for seq, (_, at, text, digest) in enumerate(evidence.events, 1)
    ]
    record = {**facts, "config": config, "events": events, "head": row["head"].hex()}
    if row["seed"] is not None:
        record["seed"] = row["seed"].hex()
    return record


def _parsed(text: str) -> Any:
    try:
        return orjson.loads(text)
    except ValueError:
        return None


def _tables(row: Mapping[str, Any], config: Any) -> Any:
    """A state that knows the game's moves and chance events; None where the store no longer says what game it is."""
    ruleset = RULESETS.get((row["ruleset"], row["version"]))
    seats = len(row["players"])
    if ruleset is None or seats not in ruleset.seats or type(config) is not dict:
        return None
    try:
        return ruleset.start(read_config(ruleset, config, seats), seats)
    except ConfigError:
        return None


def _read_back(tables: Any, text: str) -> Event:
    """The event that is stored as ``text``; one of no known type where this service would never have written that."""
    try:
        event = decode(tables, text)
        if encode(tables, event) == text:
            return event
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        pass
    return {"type": "unreadable"}


def _check_store(evidence: store.Evidence, position: Position | None) -> Check:
    """Whether the row that says where the game stands says what its events lead to."""
    row, count = evidence.columns, len(evidence.events)
    for place, (seq, *_) in enumerate(evidence.events, 1):
        if seq != place:
            return Check("store", False, f"Where event {place} belongs stands one numbered {seq}.", place)
    if row["seq"] != count:
        told = f"The store has {count} events, and counted {row['seq']}."
        return Check("store", False, told, min(row["seq"], count) + 1)
    if row["dealer"] == "service" and row["seed"] is None and row["secret"] is not None:
        return Check("store", False, "The service deals this game, and its seed is gone.")
    if not set(evidence.client_seeds) <= set(range(len(service.client_seeds_of(row["mode"], len(row["players"]), {})))):
        return Check("store", False, "There is a client seed of nobody's.")
    if position is None:
        return Check("store", False, "What is stored is no record to compare with.")
    if position.seq == count and row["status"] != position.status:
        return Check("store", False, f"The events lead to a game {position.status}, listed as {row['status']}.")
    if position.seq == count and not count and evidence.columns["mode"] is not None:
        return Check("store", True, "The game waits for its client seeds, or has just begun.")
    if position.seq == count and _parsed(row["summary"]) != _parsed(service.written_summary(position)):
        return Check("store", False, "The scores or whose turn it is are listed otherwise than the events lead to.")
    return Check("store", True, "The game is listed as its events lead to.")


def _check_disputes(evidence: store.Evidence) -> Check:
    """Whether claims and resolutions are as they were made, all of them."""
    for place, entry in enumerate(evidence.disputes, 1):
        if entry.place != place or dispute_digest(evidence.id, entry) != entry.digest:
            return Check("disputes", False, f"Entry {place} is not the one that was made.")
    count = len(evidence.disputes)
    if count != evidence.columns["disputes"]:
        return Check("disputes", False, f"There are {count} entries, and {evidence.columns['disputes']} were made.")
    return Check("disputes", True, f"All {count} entries are as they were made.")
