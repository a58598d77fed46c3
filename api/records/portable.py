"""The portable record: a whole game as one JSON object, from one installation to another. In words: ``records.md``."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from api.games import RULESETS
from api.games.rules import ConfigError, Event, Ruleset, read_config
from api.proofs import digests
from api.proofs.digests import DIGEST_BYTES, SALT_BYTES
from api.proofs.shuffle import SEED_BYTES
from api.records.replay import Position

FORMAT: Final = "tricklog/1"
CLIENT_SEED_LENGTH: Final = 256

_TIME: Final = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_HEX: Final = re.compile(r"(?:[0-9a-f]{2})*")


class RecordError(ValueError):
    """What is wrong with a record as a document; ``errors`` has messages by the path of the field."""

    def __init__(self, errors: Mapping[str, Sequence[str]]) -> None:
        super().__init__(errors)
        self.errors = errors


class Sealed(NamedTuple):
    """An event as a record holds it: its fields alone, when it was accepted, and what binds it."""

    event: Event
    at: str | None
    digest: bytes | None = None
    salt: bytes | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A record whose form is right; nothing of it has been replayed or checked against another part.

    ``config`` is whole. ``client_seeds`` has one text from the owner, or one for each seat; None for one that never
    came. ``facts`` is what the head is bound to, None without a game's id.
    Times, digests and salts are None for events that have none.
    """

    ruleset: Ruleset
    config: dict[str, Any]
    players: list[str]
    dealer: str
    events: list[Event]
    times: list[str | None]
    digests: list[bytes | None]
    salts: list[bytes | None]
    game: str | None
    commitment: bytes | None
    seed: bytes | None
    client_seeds: list[str | None]
    head: bytes | None
    result: Mapping[str, Any] | None
    facts: dict[str, Any] | None

    @property
    def sealed(self) -> bool:
        """Whether digests bind the record."""
        return self.head is not None or any(self.digests)


def chain_facts(
    *,
    game: str,
    ruleset: str,
    version: int,
    config: Mapping[str, Any],
    players: Sequence[str],
    dealer: str,
    commitment: bytes | None,
    client_seeds: Sequence[str | None],
) -> dict[str, Any]:
    """What a game is, as the head is bound to it; the record starts with the same fields."""
    facts: dict[str, Any] = {
        "format": FORMAT,
        "game": game,
        "ruleset": ruleset,
        "version": version,
        "config": dict(config),
        "players": list(players),
        "dealer": dealer,
    }
    if commitment is not None:
        facts["commitment"] = commitment.hex()
    if client_seeds:
        facts["client_seeds"] = list(client_seeds)
    return facts


def write_record(
    facts: Mapping[str, Any], position: Position, events: Sequence[Sealed], head: bytes, seed: bytes | None
) -> dict[str, Any]:
    """The record of a game at ``position``; seed, salts and result only once the game is over."""
    over = position.status != "running"
    listed = []
    for event, at, digest, salt in events:
        written = {**event, "at": at}
        if digest is not None:
            written["digest"] = digest.hex()
        if over and salt is not None:
            written["salt"] = salt.hex()
        listed.append(written)
    record = {**facts, "events": listed, "head": head.hex()}
    if over:
        if seed is not None:
            record["seed"] = seed.hex()
        record["result"] = write_result(position)
    return record


def write_result(position: Position) -> dict[str, Any]:
    """A record's ``result``."""
    return {"totals": list(position.state.scores), "winners": list(position.state.winners)}


# --- reading: the form alone ----------------------------------------------------------------------------------------


def require_record(record: Any) -> None:
    """RecordError for a JSON value that is no record at all, true or not: a part is lacking, or of another kind."""
    if type(record) is not dict:
        raise RecordError({"record": ["Must be an object."]})
    errors = {name: ["Missing data for required field."] for name in _REQUIRED if name not in record}
    for name, kind in _FIELDS.items():
        if name in record and type(record[name]) is not kind:
            errors[name] = [f"Must be {_IN_WORDS[kind]}."]
    if errors:
        raise RecordError(errors)
    if record["format"] != FORMAT:
        raise RecordError({"format": [f"Must be {FORMAT}."]})


def read_document(record: Any) -> Document:
    """Reads a record's form, whatever JSON value ``record`` is; RecordError for the first part that has another."""
    require_record(record)
    unknown = {name: ["Unknown field."] for name in record if name not in _FIELDS}
    if unknown:
        raise RecordError(unknown)
    ruleset = RULESETS.get((record["ruleset"], record["version"]))
    if ruleset is None:
        told = f"There is no ruleset {record['ruleset']} of version {record['version']}."
        raise RecordError({"ruleset": [told]})
    players = record["players"]
    if len(players) not in ruleset.seats or any(type(name) is not str for name in players):
        raise RecordError({"players": [players_message(ruleset)]})
    try:
        config = read_config(ruleset, record["config"], len(players))
    except ConfigError as error:
        raise RecordError({f"config.{name}": told for name, told in error.errors.items()}) from None
    if record["dealer"] not in ("service", "client"):
        raise RecordError({"dealer": ["Must be service or client."]})
    client_seeds = _client_seeds(record, len(players))
    seed = _hex(record, "seed", SEED_BYTES)
    commitment = _hex(record, "commitment", SEED_BYTES)
    if "result" in record:
        _check_result(record["result"])
    events, times, event_digests, salts = _events(record["events"])
    facts = None
    if "game" in record:
        facts = chain_facts(
            game=record["game"],
            ruleset=ruleset.id,
            version=ruleset.version,
            config=config,
            players=players,
            dealer=record["dealer"],
            commitment=commitment,
            client_seeds=client_seeds,
        )
        try:
            digests.canonical(facts)
        except ValueError:
            raise RecordError({"": ["Holds a text that is no Unicode, or a number too large."]}) from None
    elif any(event_digests) or "head" in record:
        raise RecordError({"game": ["Digests and head are bound to the game's id."]})
    head = _hex(record, "head", DIGEST_BYTES)
    if head is not None and events and not any(event_digests):
        raise RecordError({"head": ["Only a record whose events have digests has a head."]})
    return Document(
        ruleset=ruleset,
        config=config,
        players=players,
        dealer=record["dealer"],
        events=events,
        times=times,
        digests=event_digests,
        salts=salts,
        game=record.get("game"),
        commitment=commitment,
        seed=seed,
        client_seeds=client_seeds,
        head=head,
        result=record.get("result"),
        facts=facts,
    )


_REQUIRED: Final[Mapping[str, type]] = {
    "format": str,
    "ruleset": str,
    "version": int,
    "config": dict,
    "players": list,
    "dealer": str,
    "events": list,
}
_FIELDS: Final[Mapping[str, type]] = {
    **_REQUIRED,
    "game": str,
    "commitment": str,
    "seed": str,
    "client_seeds": list,
    "head": str,
    "result": dict,
}
_IN_WORDS: Final[Mapping[type, str]] = {str: "a text", int: "a whole number", dict: "an object", list: "a list"}


def players_message(ruleset: Ruleset) -> str:
    """What a refusal says about the number of players."""
    return (
        f"{ruleset.title} takes {ruleset.seats[0]} to {ruleset.seats[-1]} players."
        if len(ruleset.seats) > 1
        else f"{ruleset.title} takes {ruleset.seats[0]} players."
    )


def _hex(record: Mapping[str, Any], name: str, length: int) -> bytes | None:
    if name not in record:
        return None
    if name != "head" and record["dealer"] != "service":
        raise RecordError({name: ["Only a game that the service dealt has one."]})
    text = record[name]
    if len(text) != 2 * length or not _HEX.fullmatch(text):
        raise RecordError({name: [f"Must be {length} bytes in lower-case hex."]})
    return bytes.fromhex(text)


def _client_seeds(record: Mapping[str, Any], seats: int) -> list[str | None]:
    if "client_seeds" not in record:
        return []
    seeds: list[str | None] = record["client_seeds"]
    if record["dealer"] != "service":
        raise RecordError({"client_seeds": ["Only a game that the service dealt has some."]})
    if len(seeds) not in (1, seats):
        raise RecordError({"client_seeds": ["Must be one text from the owner, or one for each seat."]})
    for place, each in enumerate(seeds):
        if each is not None and not (type(each) is str and 0 < len(each) <= CLIENT_SEED_LENGTH):
            told = f"Must be a text of 1 to {CLIENT_SEED_LENGTH} characters, or null."
            raise RecordError({f"client_seeds.{place}": [told]})
    return seeds


def _check_result(result: Mapping[str, Any]) -> None:
    if result.keys() != {"totals", "winners"}:
        raise RecordError({"result": ["Must have the fields totals and winners."]})
    for name, value in result.items():
        if type(value) is not list or any(type(each) is not int for each in value):
            raise RecordError({f"result.{name}": ["Must be a list of whole numbers."]})


def _events(listed: Sequence[Any]) -> tuple[list[Event], list[str | None], list[bytes | None], list[bytes | None]]:
    events: list[Event] = []
    times: list[str | None] = []
    event_digests: list[bytes | None] = []
    salts: list[bytes | None] = []
    for index, given in enumerate(listed):
        if type(given) is not dict or type(given.get("type")) is not str:
            raise RecordError({f"events.{index}": ["Must be an object with a type, a text."]})
        event = given.copy()
        at = event.pop("at", None)
        digest = event.pop("digest", None)
        salt = event.pop("salt", None)
        if at is None:
            if "at" in given or digest is not None:
                raise RecordError({f"events.{index}.at": ["Must be a time; only without a digest may it be left out."]})
        else:
            _check_time(at, digest is not None, index)
        if salt is not None and digest is None:
            raise RecordError({f"events.{index}.salt": ["Must open a digest, and there is none."]})
        event_digests.append(digest if digest is None else _event_hex(digest, DIGEST_BYTES, index, "digest"))
        salts.append(salt if salt is None else _event_hex(salt, SALT_BYTES, index, "salt"))
        events.append(event)
        times.append(at)
    return events, times, event_digests, salts


def _check_time(at: Any, sealed: bool, index: int) -> None:
    """A digest is over the time as it is written, so there it takes the one form that records are written in."""
    if type(at) is str and _TIME.fullmatch(at) and not (sealed and (len(at) != 27 or at[-1] != "Z")):
        try:
            time = datetime.fromisoformat(at)
            if at[-1] != "Z":
                time.astimezone(UTC)
        except (OverflowError, ValueError):
            pass
        else:
            return
    form = "2026-01-31T12:34:56.123456Z" if sealed else "RFC 3339, to the microsecond at most"
    raise RecordError({f"events.{index}.at": [f"Must be a time in the form {form}."]})


def _event_hex(text: Any, length: int, index: int, name: str) -> bytes:
    if type(text) is str and len(text) == 2 * length:
        try:
            value = bytes.fromhex(text)
        except ValueError:
            value = b""
        if value.hex() == text:
            return value
    raise RecordError({f"events.{index}.{name}": [f"Must be {length} bytes in lower-case hex."]})
