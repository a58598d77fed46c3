"""The portable record: a whole game as one JSON object, from one installation to another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from api.games import RULESETS
from api.games.rules import ConfigError, Event, IllegalMove, Ruleset, read_config
from api.proofs.shuffle import SEED_BYTES, chance_event, commitment
from api.records.replay import Position, Status, begin, walk

FORMAT: Final = "tricklog/1"


class RecordError(ValueError):
    """What is wrong with a record as a document; ``errors`` has messages by the path of the field."""

    def __init__(self, errors: Mapping[str, Sequence[str]]) -> None:
        super().__init__(errors)
        self.errors = errors


class IllegalRecord(Exception):
    """A record with an event that the rules refuse; ``index`` is its place in the list, from 0, ``seat`` who moved."""

    def __init__(self, refusal: IllegalMove, index: int, event: Event) -> None:
        super().__init__(refusal, index)
        self.refusal = refusal
        self.index = index
        seat = event.get("seat")
        self.seat = seat if type(seat) is int else None


@dataclass(frozen=True, slots=True)
class Record:
    """A record read and replayed: every event of it is legal, and its result, seed and commitment are true.

    ``events`` have their fields alone, ``times`` when each was accepted (None where the record doesn't say).
    """

    ruleset: Ruleset
    config: dict[str, Any]
    players: list[str]
    dealer: str
    events: list[Event]
    times: list[datetime | None]
    origin: str | None
    seed: bytes | None
    commitment: bytes | None
    position: Position


def write_record(
    *,
    game: str,
    position: Position,
    config: Mapping[str, Any],
    players: Sequence[str],
    dealer: str,
    events: Sequence[tuple[str, Event]],
    commitment: bytes | None,
    seed: bytes | None,
) -> dict[str, Any]:
    """The record of a game at ``position``: ``events`` with the time of each; the seed only once the game is over."""
    status: Status = position.status
    record: dict[str, Any] = {
        "format": FORMAT,
        "game": game,
        "ruleset": position.ruleset.id,
        "version": position.ruleset.version,
        "config": dict(config),
        "players": list(players),
        "dealer": dealer,
        "events": [{**event, "at": at} for at, event in events],
    }
    if commitment is not None:
        record["commitment"] = commitment.hex()
    if status != "running":
        if seed is not None:
            record["seed"] = seed.hex()
        record["result"] = _result(position)
    return record


def _result(position: Position) -> dict[str, Any]:
    return {"totals": list(position.state.scores), "winners": list(position.state.winners)}


def read_record(record: Mapping[str, Any]) -> Record:
    """Replays a record whose fields have the right JSON types (see the schema of the API).

    RecordError for what no rule is about (an unknown ruleset, a wrong total, a seed that isn't the commitment's),
    IllegalRecord for the first event that the rules, or the dealing from the record's seed, refuse.
    """
    key = (record["ruleset"], record["version"])
    ruleset = RULESETS.get(key)
    if ruleset is None:
        raise RecordError({"ruleset": [f"There is no ruleset {key[0]} of version {key[1]}."]})
    players = list(record["players"])
    if len(players) not in ruleset.seats:
        raise RecordError({"players": [players_message(ruleset)]})
    try:
        config = read_config(ruleset, record["config"], len(players))
    except ConfigError as error:
        raise RecordError({f"config.{name}": told for name, told in error.errors.items()}) from None
    seed, committed = _seed(record)
    events, times = _events(record["events"])
    position = begin(ruleset, config, len(players))
    steps = walk(ruleset, config, len(players), events)
    for index, event in enumerate(events):
        dealt = None
        if seed is not None and position.state.call is not None:
            dealt = chance_event(seed, position.chances, position.state)
        try:
            position = next(steps).position
        except IllegalMove as refusal:
            raise IllegalRecord(refusal, index, event) from None
        if dealt is not None and "seat" not in event and event["type"] == dealt["type"] and event != dealt:
            told = IllegalMove("common.deal", "These are not the cards that the record's seed deals.")
            raise IllegalRecord(told, index, event)
    if "result" in record and record["result"] != _result(position):
        raise RecordError({"result": [f"The events lead to {_result(position)}."]})
    return Record(
        ruleset=ruleset,
        config=config,
        players=players,
        dealer=record["dealer"],
        events=events,
        times=times,
        origin=record.get("game"),
        seed=seed,
        commitment=committed,
        position=position,
    )


def players_message(ruleset: Ruleset) -> str:
    """What a refusal says about the number of players."""
    return (
        f"{ruleset.title} takes {ruleset.seats[0]} to {ruleset.seats[-1]} players."
        if len(ruleset.seats) > 1
        else f"{ruleset.title} takes {ruleset.seats[0]} players."
    )


def _seed(record: Mapping[str, Any]) -> tuple[bytes | None, bytes | None]:
    read: dict[str, bytes] = {}
    for name in ("seed", "commitment"):
        if name not in record:
            continue
        if record["dealer"] != "service":
            raise RecordError({name: ["Only a game that the service dealt has one."]})
        try:
            read[name] = bytes.fromhex(record[name])
        except ValueError:
            raise RecordError({name: ["Must be lower-case hex."]}) from None
        if len(read[name]) != SEED_BYTES or record[name] != read[name].hex():
            raise RecordError({name: [f"Must be {SEED_BYTES} bytes in lower-case hex."]})
    seed = read.get("seed")
    if seed is not None and read.setdefault("commitment", commitment(seed)) != commitment(seed):
        raise RecordError({"seed": ["Is not the seed that the commitment commits to."]})
    return seed, read.get("commitment")


def _events(listed: Sequence[Mapping[str, Any]]) -> tuple[list[Event], list[datetime | None]]:
    events: list[Event] = []
    times: list[datetime | None] = []
    for index, given in enumerate(listed):
        event = dict(given)
        at = event.pop("at", None)
        try:
            times.append(None if at is None else _time(at))
        except (OverflowError, TypeError, ValueError):
            raise RecordError({f"events.{index}.at": ["Must be a time in RFC 3339 form."]}) from None
        if type(event.get("type")) is not str:
            raise RecordError({f"events.{index}": ["Must be an object with a type, a text."]})
        events.append(event)
    return events, times


def _time(text: Any) -> datetime:
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        raise ValueError
    # in UTC: at the ends of the calendar not every offset has a time that a database keeps
    return time.astimezone(UTC)
