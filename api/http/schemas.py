"""What requests must be and what answers are, field by field.

Requests are loaded with these schemas. Answers are documented by them and made elsewhere, so that nothing is written
twice to be sent once.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from marshmallow import EXCLUDE, RAISE, Schema, ValidationError, fields, validates, validates_schema
from marshmallow.validate import Length, OneOf, Range

from api.games import LATEST, RULESETS, shown
from api.games.shown import SEATS_MOST, SEQ_MOST
from api.http.shapes import ANY_TEXT, EFFECTS_MOST, EVENTS_MOST, hexadecimal, time
from api.proofs.receipts import ALGORITHM
from api.records import replay
from api.records.disputes import OUTCOMES
from api.records.portable import CLIENT_SEED_LENGTH, FORMAT, players_message
from api.records.replay import ONE_LINE, REASON_MOST
from api.webhooks import FAULTS, TOLD_MOST, TYPES, URL, URL_MOST

NAME_MOST: Final = 80
STATEMENT_MOST: Final = 1000
MOVES_MOST: Final = 1000
LIMIT_MOST: Final = 1000
CARDS_MOST: Final = 60
ADDED_MOST: Final = 4 * MOVES_MOST  # a move can call for some to be dealt
LIMIT: Final = 100

STATUSES: Final = ("running", "finished", "abandoned")
DEALERS: Final = ("service", "client")
VISIBILITIES: Final = ("private", "public")

RULESET_IDS: Final = tuple(dict.fromkeys(ruleset.id for ruleset in RULESETS.values()))
CLIENT_SEEDS: Final = ("owner", "seats")
RECEIPTS_MOST: Final = 10_000
RECEIPT_MOST: Final = 1000

DELIVERED: Final = ("pending", "delivered", "failed")

INT4_MOST: Final = 2**31 - 1
HEX_32: Final = "^[0-9a-f]{64}$"
ORIGIN: Final = "^[!-~]+$"
PRINTED: Final = "^[ -~]*$"
ID: Final = "^[0-9a-z]{16}$"
SLUG: Final = "^[a-z][a-z0-9-]*$"
RULE: Final = r"^[a-z][a-z0-9.-]*$"
WEBHOOK_ID: Final = "7d3a1f0e-52c4-4b8e-9a6d-0c1e2f3a4b5c"
UUID: Final = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
AN_ID: Final[dict[str, Any]] = {"examples": [WEBHOOK_ID]}
WHSEC: Final = "^whsec_[A-Za-z0-9+/=]+$"
WEB_ADDRESS: Final = "^https?://[!-~]+$"
DISPUTE_ID: Final = "^[1-9][0-9]*$"
RECEIPT: Final = r"^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$"

_LINE: Final = re.compile(ONE_LINE[1:-1])


def one_line(text: str) -> None:
    """Refuses a text that is blank, or that isn't one line of characters to be seen."""
    if not _LINE.fullmatch(text) or not text.strip():
        raise ValidationError("Must be one line of text, without control characters.")


def text(most: int, **options: Any) -> fields.String:
    """A line of text for people."""
    metadata = {"pattern": ONE_LINE, **options.pop("metadata")}
    return fields.String(validate=[Length(1, most), one_line], metadata=metadata, **options)


def string(
    pattern: str, least: int, most: int, description: str, *, example: str | None = None, **options: Any
) -> fields.String:
    """A text of so many characters, all of which ``pattern`` says."""
    whole = re.compile(pattern.removeprefix("^").removesuffix("$"))

    def check(value: str) -> None:
        # not marshmallow's: its $ lets a line feed pass
        if not whole.fullmatch(value):
            raise ValidationError("String does not match expected pattern.")

    metadata: dict[str, Any] = {"pattern": pattern, "description": description}
    if example is not None:
        metadata["examples"] = [example]
    return fields.String(validate=[Length(least, most), check], metadata=metadata, **options)


class Shaped(fields.Raw):
    """A value that ``shape``, a JSON Schema, documents."""

    def __init__(self, shape: Mapping[str, Any], **options: Any) -> None:
        super().__init__(**options)
        self.shape = shape


def ref(name: str, **options: Any) -> Shaped:
    """A value that a component of the OpenAPI document documents."""
    return Shaped({"$ref": f"#/components/schemas/{name}"}, **options)


class Listed(fields.List[Any]):
    """A list whose length is judged before its parts are."""

    def __init__(self, part: fields.Field[Any], least: int, most: int, *, unique: bool = False, **options: Any) -> None:
        if unique:
            options["metadata"] = {**options["metadata"], "uniqueItems": True}
        super().__init__(part, validate=Length(least, most), **options)
        self.unique = unique
        self.least = least
        self.most = most

    def _deserialize(self, value: Any, *given: Any, **options: Any) -> list[Any]:
        if isinstance(value, list) and not self.least <= len(value) <= self.most:
            raise ValidationError(f"Must have {self.least} to {self.most} entries.")
        found: list[Any] = super()._deserialize(value, *given, **options)
        if self.unique and len(set(found)) < len(found):
            raise ValidationError("Must have each entry once.")
        return found


class JsonObject(Shaped):
    """A JSON object."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise ValidationError("Must be an object.")
        return value


class Typed(Shaped):
    """A list of moves or events: objects with a text ``type``, whose other fields are for the rules to judge.

    Not a field for each object in a list: what marshmallow does for each costs more than the rules of the game.
    """

    def __init__(self, part: Mapping[str, Any], least: int, most: int, **options: Any) -> None:
        super().__init__({"type": "array", "items": part, "minItems": least, "maxItems": most}, **options)
        self.least = least
        self.most = most

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> list[dict[str, Any]]:
        if type(value) is not list or not self.least <= len(value) <= self.most:
            raise ValidationError(f"Must be a list of {self.least} to {self.most} objects.")
        wrong = [
            index for index, each in enumerate(value) if type(each) is not dict or type(each.get("type")) is not str
        ]
        if wrong:
            raise ValidationError({index: ["Must be an object with a type, a text."] for index in wrong})
        return value


class Points(Shaped):
    """A whole number, or a list of them."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> int | list[int]:
        listed = value if type(value) is list else [value]
        if 0 < len(listed) <= SEATS_MOST and all(type(n) is int and abs(n) <= INT4_MOST for n in listed):
            return value  # type: ignore[no-any-return]
        raise ValidationError("Must be a whole number, or a list of them, one for each side.")


class QueryInteger(fields.Integer):
    """A whole number in a query, written with digits alone."""

    def _deserialize(self, value: Any, *given: Any, **options: Any) -> int:
        if not re.fullmatch(r"-?[0-9]{1,10}", value):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, *given, **options)


VIEW_DEFAULT: Final = (
    "the caller's own: its seat for a seat token, `public` otherwise, and `table` once the game is over"
)


class QueryView(Shaped):
    """A view: ``public``, ``table``, or the number of a seat, which is read as an int."""

    def __init__(self, default: str = VIEW_DEFAULT) -> None:
        super().__init__(
            {"type": "string", "maxLength": 6, "pattern": "^(public|table|[0-9])$", "examples": ["public"]},
            metadata={
                "description": "Whose eyes to look through: `public` (a bystander), `table` (everything) or a seat."
                f" Left out, it is {default}."
            },
        )

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str | int:
        if not re.fullmatch("public|table|[0-9]", value):
            raise ValidationError("Must be public, table, or the number of a seat.")
        return value if len(value) > 1 else int(value)


class Request(Schema):
    """A body or a query; what it doesn't name is refused."""

    class Meta:
        unknown = RAISE


# --- queries --------------------------------------------------------------------------------------------------------


def _limit(of_what: str) -> QueryInteger:
    return QueryInteger(
        load_default=LIMIT,
        validate=Range(1, LIMIT_MOST),
        metadata={"description": f"How many {of_what} to answer with, at most.", "examples": [10]},
    )


def _seq(description: str, **options: Any) -> QueryInteger:
    return QueryInteger(validate=Range(0, SEQ_MOST), metadata={"description": description, "examples": [17]}, **options)


def _at() -> QueryInteger:
    return _seq("The moment after this event of the record, 0 for the very beginning; left out, the present.")


class GamesQuery(Request):
    """Which of the caller's games."""

    ruleset = fields.String(validate=OneOf(list(LATEST)), metadata={"description": "Only games of this ruleset."})
    status = fields.String(validate=OneOf(STATUSES), metadata={"description": "Only games that stand like this."})
    player = text(
        NAME_MOST, metadata={"description": "Only games with a player of exactly this name.", "examples": ["Ada"]}
    )
    since = fields.AwareDateTime(
        format="iso",
        metadata={"description": "Only games made at this time or later.", "examples": ["2026-01-31T18:00:00Z"]},
    )
    until = fields.AwareDateTime(
        format="iso",
        metadata={"description": "Only games made before this time.", "examples": ["2026-02-28T18:00:00+01:00"]},
    )
    limit = _limit("games")
    cursor = string(ID, 16, 16, "Where the next page starts: `next` of the page before.", example="0000001k3m9x7qz2")


class AtQuery(Request):
    """What a caller looks at, and when."""

    view = QueryView()
    at = _at()


class LegalMovesQuery(Request):
    """Whose moves, and when."""

    seat = QueryInteger(
        validate=Range(0, SEATS_MOST - 1),
        metadata={
            "description": "The seat. The game's owner must name one; a seat token's own is the default.",
            "examples": [2],
        },
    )
    at = _at()


class EventsQuery(Request):
    """Which part of the record."""

    view = QueryView()
    after = _seq("Only events after this one.", load_default=0)
    limit = QueryInteger(
        validate=Range(1, LIMIT_MOST),
        metadata={
            "description": f"How many events to answer with, at most. Left out, it is {LIMIT} in JSON, and without"
            " limit in NDJSON; a stream takes none.",
            "examples": [10],
        },
    )
    follow = fields.Boolean(
        truthy={"true"},
        falsy={"false"},
        load_default=False,
        metadata={
            "description": "In NDJSON: go on with each event as it is accepted, until the game is over. An event stream"
            " does so by itself.",
            "examples": [False],
        },
    )


class ReplayQuery(Request):
    """Which frames."""

    view = QueryView()
    first = QueryInteger(
        data_key="from",
        load_default=1,
        validate=Range(1, SEQ_MOST),
        metadata={"description": "The first event to show.", "examples": [1]},
    )
    final = QueryInteger(
        data_key="to",
        validate=Range(1, SEQ_MOST),
        metadata={
            "description": f"The last event to show, with at most {LIMIT_MOST} in all. Left out, it is the newest,"
            f" or as far as {LIMIT_MOST} reach.",
            "examples": [10],
        },
    )


class DeliveriesQuery(Request):
    """Which of a webhook's deliveries."""

    status = fields.String(validate=OneOf(DELIVERED), metadata={"description": "Only deliveries that stand like this."})
    limit = _limit("deliveries")
    cursor = string(UUID, 36, 36, "Where the next page starts: `next` of the page before.", example=WEBHOOK_ID)


class RecordReplayQuery(ReplayQuery):
    """Which frames of a record that is sent."""

    view = QueryView("`table`")


class OembedQuery(Request):
    """What to embed."""

    url = string(
        WEB_ADDRESS,
        1,
        2000,
        "The address of a game in the viewer.",
        example="http://127.0.0.1:8000/replay/0000001dem000000#at=9",
        required=True,
    )
    format = fields.String(
        load_default="json", validate=OneOf(["json"]), metadata={"description": "The form of the answer: JSON alone."}
    )
    maxwidth = QueryInteger(
        validate=Range(1, 10000), metadata={"description": "The most pixels that it may be wide.", "examples": [640]}
    )
    maxheight = QueryInteger(
        validate=Range(1, 10000), metadata={"description": "The most pixels that it may be high.", "examples": [480]}
    )


# --- bodies ---------------------------------------------------------------------------------------------------------


class NewGameSchema(Request):
    """A game to be made."""

    ruleset = fields.String(
        required=True,
        validate=OneOf(list(LATEST)),
        metadata={"description": "The id of the ruleset; its newest version counts."},
    )
    config = JsonObject(
        {},
        load_default=dict,
        metadata={"description": "The options of the game; those left out take their defaults."},
    )
    players = Listed(
        text(NAME_MOST, metadata={"description": "A player's name."}),
        1,
        max(max(ruleset.seats) for ruleset in LATEST.values()),
        required=True,
        metadata={"description": "The names of the players, in order of seat."},
    )
    dealer = fields.String(
        required=True,
        validate=OneOf(DEALERS),
        metadata={"description": "Who deals: the service, or the client, who then sends the chance events."},
    )
    visibility = fields.String(
        required=True,
        validate=OneOf(VISIBILITIES),
        metadata={"description": "Whether everybody may see the public view, or only the owner and the seats."},
    )
    client_seeds = fields.String(
        validate=OneOf(CLIENT_SEEDS),
        metadata={
            "description": "Whose seeds are mixed into the service's: the game then waits for the owner's, or for one"
            " of each seat, before the first deal. Left out, the service deals from its seed alone."
        },
    )

    @validates_schema(skip_on_field_errors=True)
    def check_ruleset(self, data: Mapping[str, Any], **_: Any) -> None:
        """Refuses a number of players that the ruleset doesn't take."""
        ruleset = LATEST[data["ruleset"]]
        if len(data["players"]) not in ruleset.seats:
            raise ValidationError(players_message(ruleset), "players")
        if "client_seeds" in data and data["dealer"] != "service":
            raise ValidationError("Only a game that the service deals takes some.", "client_seeds")


class MovesSchema(Request):
    """Moves to be played, all or none."""

    moves = Typed(
        {"$ref": "#/components/schemas/Move"},
        1,
        MOVES_MOST,
        required=True,
        metadata={
            "description": "In the order in which they are played. With a seat token `seat` may be left out; the"
            " owner of a game dealt by the client sends the chance events among them, without `seat`."
        },
    )


class TakebackSchema(Request):
    """How far to go back."""

    to = fields.Integer(
        required=True,
        strict=True,
        validate=Range(0, SEQ_MOST),
        metadata={"description": "The event after which everything is retracted; 0 for the very beginning."},
    )


class AbandonSchema(Request):
    """Why a game ends unfinished."""

    reason = text(REASON_MOST, required=True, metadata={"description": "Why, in a line of text for people."})


class ClientSeedSchema(Request):
    """A part in every shuffle of a game."""

    seed = text(
        CLIENT_SEED_LENGTH,
        required=True,
        metadata={"description": "Any line of text; the harder to guess, the better."},
    )
    seat = fields.Integer(
        strict=True,
        validate=Range(0, SEATS_MOST - 1),
        metadata={"description": "Whose it is, where the owner sends a seat's; a seat token's own is the default."},
    )


POINTS: Final = shown.number("Points of one side.", -INT4_MOST, INT4_MOST)
POINTS_BY_SIDE: Final = shown.listed("The points of each side, in order.", POINTS, SEATS_MOST) | {"minItems": 1}


def _claimed() -> fields.Integer:
    return fields.Integer(
        strict=True, validate=Range(-INT4_MOST, INT4_MOST), metadata={"description": "Points of one side."}
    )


class ClaimSchema(Request):
    """A claimed score: `totals`, or the points of a `round`, or those of a `line`."""

    totals = Listed(_claimed(), 1, SEATS_MOST, metadata={"description": "The total claimed for each side, in order."})
    round = fields.Integer(strict=True, validate=Range(1, SEQ_MOST), metadata={"description": "A round, from 1."})
    line = fields.Integer(
        strict=True, validate=Range(0, SEQ_MOST), metadata={"description": "A line of the ledger: its place, from 0."}
    )
    side = fields.Integer(
        strict=True,
        validate=Range(0, SEATS_MOST - 1),
        metadata={"description": "The side whose points in a round are claimed, where `points` is one number."},
    )
    points = Points(
        {"anyOf": [POINTS, POINTS_BY_SIDE]},
        metadata={
            "description": "The points claimed: for a line one number; for a round one for each side, or one number for"
            " `side`, which for a seat token is its own by default."
        },
    )
    statement = text(STATEMENT_MOST, required=True, metadata={"description": "What the claimant says about it."})

    @validates_schema(skip_on_field_errors=True)
    def check_claim(self, data: Mapping[str, Any], **_: Any) -> None:
        """Refuses what isn't one claim."""
        what = [name for name in ("totals", "round", "line") if name in data]
        if len(what) != 1:
            raise ValidationError("Claim totals, or points of a round, or points of a line.")
        if ("points" in data) == ("totals" in data):
            raise ValidationError("Come with round and line, and not with totals.", "points")
        if "side" in data and ("round" not in data or type(data["points"]) is list):
            raise ValidationError("Comes with a round and one number of points.", "side")
        if "line" in data and type(data["points"]) is list:
            raise ValidationError("A line has one number of points.", "points")


class ResolutionSchema(Request):
    """How a dispute ended."""

    resolution = text(STATEMENT_MOST, required=True, metadata={"description": "What was agreed, in a line of text."})


class AuditRequestSchema(Request):
    """A record to be audited."""

    record = JsonObject(
        {"$ref": "#/components/schemas/Record"}, required=True, metadata={"description": "The record, true or not."}
    )
    receipts = Listed(
        string(PRINTED, 0, RECEIPT_MOST, "A receipt, true or not."),
        0,
        RECEIPTS_MOST,
        load_default=list,
        metadata={"description": "Receipts of this service to hold it against."},
    )

    @validates("record")
    def _check_length(self, record: dict[str, Any], **_: Any) -> None:
        events = record.get("events")
        if isinstance(events, list) and len(events) > EVENTS_MOST:
            raise ValidationError(f"Must have {EVENTS_MOST} events at most.")


class ReplayRequestSchema(AuditRequestSchema):
    """A record to be shown."""

    @validates("record")
    def _check_texts(self, record: dict[str, Any], **_: Any) -> None:
        # An audit takes any, but here they are answered.
        texts = RecordSchema(only=("game", "players", "client_seeds"), partial=True, unknown=EXCLUDE)
        if faults := texts.validate(record):
            raise ValidationError(faults)


def _url(**options: Any) -> fields.String:
    return fields.String(
        validate=Length(1, URL_MOST),
        metadata={
            "description": "Where deliveries are sent by POST: https on any port, without user, password and fragment."
            " An installation may allow http and private addresses.",
            "pattern": f"^{URL}$",
            "examples": ["https://example.org/tricklog"],
        },
        **options,
    )


def _types(**options: Any) -> Listed:
    return Listed(
        fields.String(validate=OneOf(TYPES), metadata={"description": "A type of delivery."}),
        1,
        len(TYPES),
        unique=True,
        metadata={"description": "What it is told of."},
        **options,
    )


def _description(**options: Any) -> fields.String:
    return text(NAME_MOST, metadata={"description": "What it is for, in a line of text for people."}, **options)


class NewWebhookSchema(Request):
    """A webhook to be made."""

    url = _url(required=True)
    types = _types(required=True)
    description = _description()


class WebhookChangesSchema(Request):
    """What is to be different about a webhook."""

    url = _url()
    types = _types()
    description = _description(allow_none=True)
    paused = fields.Boolean(
        truthy={True}, falsy={False}, metadata={"description": "Whether nothing is sent until this is false again."}
    )


class NewSecretSchema(Request):
    """Another secret."""

    others_until = fields.AwareDateTime(
        format="iso",
        metadata={
            "description": "When the secrets before it are no longer signed with. Left out, they are until they are"
            " deleted."
        },
    )


class NothingSchema(Request):
    """Nothing: an object without fields."""


class ResultSchema(Request):
    """How a game ended."""

    totals = Listed(_claimed(), 0, SEATS_MOST, required=True, metadata={"description": "The points of each side."})
    winners = Listed(
        fields.Integer(strict=True, validate=Range(0, SEATS_MOST - 1), metadata={"description": "A side."}),
        0,
        SEATS_MOST,
        required=True,
        metadata={"description": "The sides that won."},
    )


class RecordSchema(Request):
    """A whole game, from one installation to another."""

    format = fields.String(
        required=True, validate=OneOf([FORMAT]), metadata={"description": "The version of this format."}
    )
    game = string(ORIGIN, 1, 64, "The id under which the game was made.")
    ruleset = fields.String(
        required=True, validate=OneOf(RULESET_IDS), metadata={"description": "The id of the ruleset."}
    )
    version = fields.Integer(
        required=True, strict=True, validate=Range(1, 32767), metadata={"description": "The version of the ruleset."}
    )
    config = JsonObject({}, required=True, metadata={"description": "The options of the game."})
    players = Listed(
        text(NAME_MOST, metadata={"description": "A player's name."}),
        1,
        max(max(ruleset.seats) for ruleset in LATEST.values()),
        required=True,
        metadata={"description": "The names of the players, in order of seat."},
    )
    dealer = fields.String(required=True, validate=OneOf(DEALERS), metadata={"description": "Who dealt."})
    events = Typed(
        {"$ref": "#/components/schemas/RecordedEvent"},
        0,
        EVENTS_MOST,
        required=True,
        metadata={
            "description": "Every event in order, table events and retracted ones too; the place in the list, from"
            " 1, is its `seq`."
        },
    )
    commitment = string(HEX_32, 64, 64, "The SHA-256 of the seed from which the service dealt.")
    seed = string(HEX_32, 64, 64, "That seed, once the game is over.")
    client_seeds = Listed(
        text(CLIENT_SEED_LENGTH, allow_none=True, metadata={"description": "A client seed."}),
        1,
        SEATS_MOST,
        metadata={
            "description": "The client seeds that were mixed in: the owner's alone, or one for each seat; null for one"
            " that never came."
        },
    )
    head = string(HEX_32, 64, 64, "What chains the digests of the events.")
    result = fields.Nested(ResultSchema, metadata={"description": "How it ended, once the game is over."})


# --- answers --------------------------------------------------------------------------------------------------------


class Answer(Schema):
    """An answer; the schemas below document, and load nothing. Later versions may add to it."""

    class Meta:
        unknown = EXCLUDE


def _is(shape: Mapping[str, Any]) -> Shaped:
    return Shaped(shape, required=True)


def _may_be(shape: Mapping[str, Any]) -> Shaped:
    return Shaped(shape)


def _string(description: str, most: int, pattern: str, *examples: str) -> dict[str, Any]:
    shape: dict[str, Any] = {"type": "string", "maxLength": most, "pattern": pattern, "description": description}
    return shape | {"examples": list(examples)} if examples else shape


def _prose(description: str, most: int = 4000) -> dict[str, Any]:
    return _string(description, most, ANY_TEXT)


def _line(description: str, most: int) -> dict[str, Any]:
    return _string(description, most, ONE_LINE)


def _seqs(description: str) -> dict[str, Any]:
    return shown.listed(description, shown.seq("An event."), EVENTS_MOST)


def _nested(part: type[Schema], description: str, most: int) -> fields.List[Any]:
    return fields.List(
        fields.Nested(part), required=True, validate=Length(max=most), metadata={"description": description}
    )


def _listed_ref(name: str, description: str, most: int) -> Shaped:
    return _is(shown.listed(description, {"$ref": f"#/components/schemas/{name}"}, most))


GAME_ID: Final = _string("The id of the game.", 16, ID, "0000001k3m9x7qz2")
RULESET: Final = shown.word("The id of its ruleset.", *RULESET_IDS)
VERSION: Final = shown.number("The version of its rules, which stays.", 1, 32767)
STATUS: Final = shown.word("Whether it goes on, and how it ended.", *STATUSES)
NEWEST: Final = shown.number("The number of the newest event.", 0, SEQ_MOST) | {"examples": [17]}
AFTER: Final = shown.number("The event after which this is.", 0, SEQ_MOST)
TO_ACT: Final = shown.seats("The seats that the game waits for.")
WINNERS: Final = shown.sides("The sides that won; empty until the game is finished.")
SCORES: Final = shown.listed("The points of each side so far.", shown.points("A side's points."), SEATS_MOST)
CHANCE: Final = shown.or_null("What must be dealt next, or null.", {"$ref": "#/components/schemas/ChanceCall"})
SIGNED: Final = _string(
    "The service's signature over game, seq and head: a compact JWS with Ed25519.", RECEIPT_MOST, RECEIPT
)
PHASES: Final = tuple(dict.fromkeys([replay.SEEDING, *(each for game in RULESETS.values() for each in game.phases)]))


class PlayedSchema(Answer):
    """What a game is and where it stands."""

    ruleset = _is(RULESET)
    version = _is(VERSION)
    config = Shaped({}, required=True, metadata={"description": "All its options."})
    players = _is(
        shown.listed("The names of the players, in order of seat.", _line("A player's name.", NAME_MOST), SEATS_MOST)
    )
    dealer = _is(shown.word("Who deals.", *DEALERS))
    status = _is(STATUS)
    seq = _is(NEWEST)
    scores = _is(SCORES)
    to_act = _is(TO_ACT)
    chance = _is(CHANCE)
    winners = _is(WINNERS)
    commitment = _may_be(hexadecimal(64, "The SHA-256 of the seed from which the service deals."))
    seed = _may_be(hexadecimal(64, "That seed, in hex; only once the game is over."))
    client_seeds = _may_be(
        shown.listed(
            "The client seeds so far, of the owner or by seat, null for those to come; absent in lists, and in games"
            " without.",
            shown.or_null("A client seed.", _line("A line of text.", CLIENT_SEED_LENGTH)),
            SEATS_MOST,
        )
    )


class GameSchema(PlayedSchema):
    """A game, as everybody may know it who may see it."""

    id = _is(GAME_ID)
    visibility = _is(shown.word("Who may see it.", *VISIBILITIES))
    created_at = _is(time("When it was made."))
    updated_at = _is(time("When its newest event was accepted."))
    origin = _may_be(_string("The id that an imported game had where it came from.", 64, ORIGIN))


class MadeGameSchema(GameSchema):
    """A game just made, with what is shown only now."""

    seat_tokens = _is(
        shown.listed(
            "A token for each seat, in order of seat. They are never shown again.",
            _string("A seat's token.", 100, "^tls_[A-Za-z0-9_-]+$"),
            SEATS_MOST,
        )
    )


class GamesSchema(Answer):
    """A page of games, newest first."""

    games = _nested(GameSchema, "The games.", LIMIT_MOST)
    next = _may_be(_string("The `cursor` of the next page; absent on the last.", 16, ID))


class AcceptedSchema(Answer):
    """What was accepted, in the caller's own view."""

    seq = _is(NEWEST)
    events = _listed_ref("Event", "The events added, what the service dealt among them.", ADDED_MOST)
    to_act = _is(TO_ACT)
    status = _is(STATUS)
    receipt = _is(SIGNED)


class EventsSchema(Answer):
    """A page of the record."""

    events = _listed_ref("Event", "The events, in order.", LIMIT_MOST)
    next = _may_be(shown.seq("What to give as `after` for the next page; absent on the last.") | {"examples": [100]})


class HandSchema(Answer):
    """A hand, by count, and by card for who may see it."""

    count = _is(shown.number("How many cards it holds.", 0, CARDS_MOST))
    cards = _may_be(
        shown.listed(
            "Which; absent in a view that may not see them.",
            _string("A card: its rank, then its suit.", 2, "^([2-9TJQKA][cdhs]|[LB]J)$"),
            CARDS_MOST,
        )
    )


class SnapshotSchema(Answer):
    """Where a game stands, as a view may see it."""

    game = _is(_string("The id of the game; empty where a record does not say it.", 64, "^[!-~]*$"))
    ruleset = _is(RULESET)
    seq = _is(AFTER)
    status = _is(STATUS)
    round = _is(shown.number("The round, from 1.", 1, SEQ_MOST))
    phase = _is(shown.word("The phase, one of the ruleset's, or `seeding` while client seeds are to come.", *PHASES))
    dealer = _is(shown.or_null("Who deals; null in games without a dealer.", shown.seat("The seat that deals.")))
    to_act = _is(TO_ACT)
    chance = _is(CHANCE)
    hands = _nested(HandSchema, "The hand of each seat.", SEATS_MOST)
    scores = _is(SCORES)
    winners = _is(WINNERS)
    table = ref("LiesOpen", required=True, metadata={"description": "What lies open; its fields differ by game."})


class LegalMovesSchema(Answer):
    """What a seat may do."""

    seq = _is(AFTER)
    seat = _is(shown.seat("Whose moves these are."))
    moves = _listed_ref(
        "LegalMove", "Every legal move, without `seat`; empty for a seat with nothing to do.", EVENTS_MOST
    )


class LineSchema(Answer):
    """A line of the score sheet."""

    round = _is(shown.number("The round that it counts for.", 1, SEQ_MOST))
    side = _is(shown.side("The side that scores."))
    points = _is(shown.points("How much; it may be 0, or less."))
    rule = _is(_string("The id of the rule that awards it.", 64, RULE, "quadruple-war.score.made"))
    events = _is(_seqs("The events that it rests on."))
    text = _is(_prose("Why, in words."))
    place = _may_be(shown.number("The place taken, where the line is for one.", 1, SEATS_MOST))


class LedgerSchema(Answer):
    """The score sheet."""

    seq = _is(AFTER)
    lines = _nested(LineSchema, "Its lines, in order.", EVENTS_MOST)
    totals = _is(SCORES | {"description": "The sum of each side's lines."})
    winners = _is(WINNERS)


class CheckSchema(Answer):
    """One check of an audit."""

    check = _is(_string("What was checked.", 64, SLUG, "chain"))
    ok = _is(shown.flag("Whether it holds."))
    event = _may_be(shown.seq("The first bad event."))
    rule = _may_be(_string("The id of the rule that it breaks.", 64, RULE))
    detail = _is(_prose("What was found, in words."))


class AuditSchema(Answer):
    """What an audit found."""

    ok = _is(shown.flag("Whether every check holds."))
    checks = _nested(CheckSchema, "Every check with its outcome.", 100)
    ledger = fields.Nested(LedgerSchema, metadata={"description": "The score sheet of the valid part of the record."})


class DisputedLineSchema(LineSchema):
    """The first line of the score sheet where claim and record part."""

    line = _is(shown.number("Its place in the ledger, from 0.", 0, SEQ_MOST))


class FindingSchema(Answer):
    """What the record says to a claim."""

    outcome = _is(shown.word("Whether the claim is right.", *OUTCOMES))
    derived = _is(
        {
            "description": "What the record leads to, in the form of the claim; null for a line not there.",
            "anyOf": [POINTS, POINTS_BY_SIDE, {"type": "null"}],
        }
    )
    detail = _is(_prose("The finding in words."))
    line = fields.Nested(DisputedLineSchema, metadata={"description": "Where claim and ledger part first."})
    rule = fields.Nested("RuleSchema", metadata={"description": "The rule that awards that line, with its text."})
    events = _may_be(_seqs("The events on which that line rests."))


class ResolvedSchema(Answer):
    """How a dispute ended."""

    at = _is(time("When."))
    resolution = _is(_line("What was agreed.", STATEMENT_MOST))


class ClaimedSchema(Answer):
    """What was claimed: totals, or the points of a round or of a line."""

    totals = _may_be(POINTS_BY_SIDE | {"description": "The total claimed for each side, in order."})
    round = _may_be(shown.number("The round.", 1, SEQ_MOST))
    line = _may_be(shown.number("The line of the ledger: its place, from 0.", 0, SEQ_MOST))
    side = _may_be(shown.side("The side whose points in a round are claimed."))
    points = _may_be({"anyOf": [POINTS, POINTS_BY_SIDE], "description": "The points claimed for a round or a line."})


class DisputeSchema(Answer):
    """A claim held against the record."""

    dispute = _is(_string("Its id in the game.", 10, DISPUTE_ID, "1"))
    at = _is(time("When it was claimed."))
    seat = _is(shown.or_null("Who claims; null: the owner.", shown.seat("A seat.")))
    claim = fields.Nested(ClaimedSchema, required=True, metadata={"description": "What was claimed."})
    statement = _is(_line("What the claimant says about it.", STATEMENT_MOST))
    seq = _is(shown.number("The newest event when it was claimed.", 0, SEQ_MOST))
    head = _is(hexadecimal(64, "The head of the record then."))
    finding = fields.Nested(FindingSchema, required=True, metadata={"description": "What the record says to it."})
    resolution = fields.Nested(ResolvedSchema, metadata={"description": "How it ended, if the owner said so."})


class MadeDisputeSchema(DisputeSchema):
    """A dispute just made."""

    receipt = _is(SIGNED)


class DisputesSchema(Answer):
    """All disputes about a game."""

    disputes = _nested(DisputeSchema, "The disputes, oldest first.", 200)


def _id(of_what: str) -> Shaped:
    return _is(
        {"type": "string", "format": "uuid", "maxLength": 36, "description": f"The id of the {of_what}."} | AN_ID
    )


class SecretSchema(Answer):
    """One of a webhook's secrets, without the secret itself."""

    id = _id("secret")
    created_at = _is(time("When it was made."))
    expires_at = _may_be(time("When it is no longer signed with; absent while nobody said so."))


class MadeSecretSchema(SecretSchema):
    """A secret just made."""

    secret = _is(_string("The secret, in the form of Standard Webhooks. It is never shown again.", 100, WHSEC))


class WebhookSchema(Answer):
    """A webhook."""

    id = _id("webhook")
    url = _is(_string("Where deliveries are sent.", URL_MOST, f"^{URL}$"))
    types = _is(shown.listed("What it is told of.", shown.word("A type of delivery.", *TYPES), len(TYPES)))
    description = _is(shown.or_null("What it is for, or null.", _line("A line of text.", NAME_MOST)))
    paused = _is(shown.flag("Whether nothing is sent, because its owner or a 410 said so."))
    created_at = _is(time("When it was made."))
    secrets = _nested(
        SecretSchema, "The secrets that deliveries are signed with, oldest first, without the secrets.", 100
    )


class MadeWebhookSchema(WebhookSchema):
    """A webhook just made, with what is shown only now."""

    secret = _is(_string("Its first secret, in the form of Standard Webhooks. It is never shown again.", 100, WHSEC))


class WebhooksSchema(Answer):
    """All webhooks of an API key."""

    webhooks = _nested(WebhookSchema, "The webhooks, oldest first.", 1000)


class DeliverySchema(Answer):
    """Something that a webhook is told, and what became of it."""

    id = _id("delivery, which is the `webhook-id` of each attempt")
    type = _is(shown.word("What it tells of.", *TYPES, "webhook.ping"))
    game = _may_be(GAME_ID | {"description": "The id of the game; absent in a ping."})
    seq = _may_be(shown.seq("The newest event when it happened; absent in a ping."))
    created_at = _is(time("When it happened."))
    status = _is(shown.word("Whether it is still tried, was taken with a 2xx, or was given up.", *DELIVERED))
    attempts = _is(shown.number("How often it was tried, since it was last replayed by hand.", 0, 1000))
    answer = _is(shown.or_null("The status of the last answer, or null.", shown.number("A status.", 100, 599)))
    fault = _is(
        shown.or_null("What kept the last attempt from being answered, or null.", shown.word("A fault.", *FAULTS))
    )
    attempted_at = _may_be(time("When it was last tried; absent before."))
    next_attempt_at = _may_be(time("When it will be tried next; absent once it is delivered or given up."))


class DeliveriesSchema(Answer):
    """A page of deliveries, newest first."""

    deliveries = _nested(DeliverySchema, "The deliveries.", LIMIT_MOST)
    next = _may_be(_string("The `cursor` of the next page; absent on the last.", 64, PRINTED))


class FrameSchema(Answer):
    """An event and what it led to."""

    event = ref("Event", required=True, metadata={"description": "The event, without its effects."})
    effects = _listed_ref("Effect", "What followed from it.", EFFECTS_MOST)
    text = _is(
        shown.listed(
            "Event and effects in words, as the view may know them: a sentence for the event, then one for each thing"
            " that followed.",
            _prose("A sentence."),
            2 * EFFECTS_MOST,
        )
        | {"examples": [["Ann plays the ace of hearts.", "Ann wins the trick with the ace of hearts, 3 so far."]]}
    )
    state = fields.Nested(SnapshotSchema, required=True, metadata={"description": "The state after it."})


class RecordGameSchema(PlayedSchema):
    """A game as its record has it."""

    id = _may_be(_string("The id under which it was made, where the record says it.", 64, ORIGIN))


class RecordFrameSchema(FrameSchema):
    """An event of a record and what it led to."""

    event = ref(
        "FramedEvent",
        required=True,
        metadata={"description": "The event, with its time and its digest where the record has them."},
    )


NEXT_FRAME: Final = shown.seq("What to give as `from` for the next part; absent in the last.")


class ReplaySchema(Answer):
    """Frames for a viewer to step through."""

    frames = _nested(FrameSchema, "The frames, in order.", LIMIT_MOST)
    next = _may_be(NEXT_FRAME)


class RecordReplaySchema(Answer):
    """A record for a viewer to step through, as far as it follows the rules."""

    game = fields.Nested(
        RecordGameSchema, required=True, metadata={"description": "The game, at its last valid event."}
    )
    frames = _nested(RecordFrameSchema, "The frames, in order.", LIMIT_MOST)
    next = _may_be(NEXT_FRAME)
    ledger = fields.Nested(
        LedgerSchema, required=True, metadata={"description": "The score sheet at the last valid event, in the view."}
    )
    audit = fields.Nested(
        AuditSchema, required=True, metadata={"description": "What an audit of the record finds, as `POST /v1/audits`."}
    )


class RuleSchema(Answer):
    """A rule."""

    id = _is(_string("Its id.", 64, RULE, "quadruple-war.break"))
    text = _is(_prose("What it says, in Markdown."))


class RulesetSchema(Answer):
    """A game, at one version of its rules."""

    id = _is(RULESET | {"description": "The id of the ruleset."})
    version = _is(VERSION | {"description": "The version of its rules."})
    title = _is(_line("The name of the game.", 100))
    summary = _is(_line("What it is, in a sentence.", 1000))
    seats = _is(
        shown.listed("The numbers of players that it takes.", shown.number("So many.", 1, SEATS_MOST), SEATS_MOST)
    )
    sides = _is(shown.word("Who scores: each seat, or teams of two.", "seats", "teams"))
    phases = _is(shown.listed("The phases of a game.", shown.word("A phase.", *PHASES), 100))
    config = ref("JsonSchema", required=True, metadata={"description": "A JSON Schema of the config."})
    moves = ref("JsonSchemas", required=True, metadata={"description": "A JSON Schema of each type of move, by type."})
    chance_events = ref(
        "JsonSchemas", required=True, metadata={"description": "A JSON Schema of each type of chance event, by type."}
    )
    table = ref("Table", required=True, metadata={"description": "What its table looks like, for whatever draws it."})
    introduction = _is(_prose("Players, cards, options and moves in words, in Markdown.", 20_000))
    rules = _nested(RuleSchema, "The rules of the game, then those that it shares with every other.", 1000)


class RulesetsSchema(Answer):
    """All games."""

    rulesets = _nested(RulesetSchema, "The rulesets.", 100)


class OembedSchema(Answer):
    """How to embed a game, as oEmbed 1.0 has it."""

    version = _is(shown.word("That of oEmbed.", "1.0"))
    type = _is(shown.word("What is embedded: HTML.", "rich"))
    provider_name = _is(_line("The name of the service.", 100))
    provider_url = _is(_string("The address of this installation.", 2000, WEB_ADDRESS))
    title = _is(_line("The game and its players.", 1000))
    html = _is(_prose("The frame to put on a page."))
    width = _is(shown.number("How many pixels it is wide.", 1, 10_000))
    height = _is(shown.number("How many pixels it is high.", 1, 10_000))
    thumbnail_url = _is(_string("The address of the picture of the table.", 2000, WEB_ADDRESS))
    thumbnail_width = _is(shown.number("How many pixels that is wide.", 1, 10_000))
    thumbnail_height = _is(shown.number("How many pixels that is high.", 1, 10_000))


class DemonstrationSchema(Answer):
    """A game for everybody to look at."""

    id = _is(GAME_ID)
    ruleset = _is(RULESET)


class DemonstrationsSchema(Answer):
    """Games for everybody to look at."""

    games = _nested(DemonstrationSchema, "The games.", 100)


class KeySchema(Answer):
    """A public key that receipts are signed with, as a JWK (RFC 8037)."""

    kty = _is(shown.word("The type of key.", "OKP"))
    crv = _is(shown.word("The curve.", "Ed25519"))
    alg = _is(shown.word("What it signs with.", ALGORITHM))
    use = _is(shown.word("What it is for.", "sig"))
    kid = _is(_string("Its id, which stands in the header of a receipt.", 64, "^[0-9a-f]+$"))
    x = _is(_string("The key itself, in base64url.", 43, "^[A-Za-z0-9_-]{43}$"))


class KeySetSchema(Answer):
    """A JWK Set (RFC 7517)."""

    keys = _nested(KeySchema, "Every key that this service ever signed receipts with.", 10_000)


class HealthSchema(Answer):
    """That the service is there."""

    status = _is(shown.word("Always ok.", "ok"))


# --- what webhooks are told -----------------------------------------------------------------------------------------


class ToldSchema(Answer):
    """What a delivery tells, as it was after event `seq`."""

    game = _is(GAME_ID)
    ruleset = _is(RULESET)
    seq = _is(shown.number("The newest event then.", 0, SEQ_MOST))
    status = _is(STATUS)


class ToldMovesSchema(ToldSchema):
    """Events that were accepted in one request."""

    first = _is(shown.seq("The first of them; the last is `seq`."))
    more = _is(
        _string("Where they are to be had, and all that came since.", 200, "^/v1/games/.+$")
        | {"examples": ["/v1/games/0000001k3m9x7qz2/events?view=public&after=8"]}
    )
    events = _may_be(
        shown.listed(
            f"They, in the public view; absent where they are more than {TOLD_MOST}.",
            {"$ref": "#/components/schemas/Event"},
            TOLD_MOST,
        )
    )


class ToldEndSchema(ToldSchema):
    """The end of a game."""

    totals = _is(SCORES | {"description": "The points of each side."})
    winners = _is(WINNERS)


class ToldDisputeSchema(ToldSchema):
    """A score that was disputed."""

    dispute = _is(_string("The id of the dispute in the game.", 10, DISPUTE_ID, "1"))
    seat = _is(shown.or_null("Who claims; null: the owner.", shown.seat("A seat.")))
    claim = fields.Nested(ClaimedSchema, required=True, metadata={"description": "What was claimed."})
    statement = _is(_line("What the claimant says about it.", STATEMENT_MOST))


class ToldPingSchema(Answer):
    """A test."""

    webhook = _id("webhook")


TOLD: Final[Mapping[str, type[Schema]]] = {
    "game.moves": ToldMovesSchema,
    "game.finished": ToldEndSchema,
    "game.abandoned": ToldEndSchema,
    "dispute.opened": ToldDisputeSchema,
    "webhook.ping": ToldPingSchema,
}
"""What the ``data`` of a delivery is, by its type."""
