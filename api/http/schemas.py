"""What requests must be and what answers are, field by field.

Requests are loaded with these schemas. Answers are documented by them and made elsewhere, so that nothing is written
twice to be sent once.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from marshmallow import EXCLUDE, RAISE, Schema, ValidationError, fields, validates, validates_schema
from marshmallow.validate import Length, OneOf, Range, Regexp

from api.games import LATEST
from api.records.disputes import OUTCOMES
from api.records.portable import CLIENT_SEED_LENGTH, FORMAT, players_message
from api.webhooks import FAULTS, TYPES, URL, URL_MOST

NAME_MOST: Final = 80
STATEMENT_MOST: Final = 1000
REASON_MOST: Final = 500
MOVES_MOST: Final = 1000
EVENTS_MOST: Final = 100_000
LIMIT_MOST: Final = 1000
LIMIT: Final = 100
SEQ_MOST: Final = 2**31 - 1

STATUSES: Final = ("running", "finished", "abandoned")
DEALERS: Final = ("service", "client")
VISIBILITIES: Final = ("private", "public")

CLIENT_SEEDS: Final = ("owner", "seats")
RECEIPTS_MOST: Final = 10_000

DELIVERED: Final = ("pending", "delivered", "failed")

HEX_32: Final = "^[0-9a-f]{64}$"

# Control characters, line separators, and those that turn the direction of the text around them.
_LINE: Final = re.compile(r"[^\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+")


def one_line(text: str) -> None:
    """Refuses a text that is blank, or that isn't one line of characters to be seen."""
    if not _LINE.fullmatch(text) or not text.strip():
        raise ValidationError("Must be one line of text, without control characters.")


def text(most: int, **options: Any) -> fields.String:
    """A line of text for people."""
    metadata = {"pattern": f"^{_LINE.pattern}$", **options.pop("metadata")}
    return fields.String(validate=[Length(1, most), one_line], metadata=metadata, **options)


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
        if type(value) is int or (type(value) is list and 0 < len(value) <= 10 and all(type(n) is int for n in value)):
            return value
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
            {"type": "string", "pattern": "^(public|table|[0-9])$", "examples": ["public"]},
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
        metadata={"description": f"How many {of_what} to answer with, at most."},
    )


def _seq(description: str, **options: Any) -> QueryInteger:
    return QueryInteger(validate=Range(0, SEQ_MOST), metadata={"description": description}, **options)


def _at() -> QueryInteger:
    return _seq("The moment after this event of the record, 0 for the very beginning; left out, the present.")


class GamesQuery(Request):
    """Which of the caller's games."""

    ruleset = fields.String(validate=OneOf(list(LATEST)), metadata={"description": "Only games of this ruleset."})
    status = fields.String(validate=OneOf(STATUSES), metadata={"description": "Only games that stand like this."})
    player = text(NAME_MOST, metadata={"description": "Only games with a player of exactly this name."})
    since = fields.AwareDateTime(format="iso", metadata={"description": "Only games made at this time or later."})
    until = fields.AwareDateTime(format="iso", metadata={"description": "Only games made before this time."})
    limit = _limit("games")
    cursor = fields.String(
        validate=Length(1, 64),
        metadata={"description": "Where the next page starts: `next` of the page before."},
    )


class AtQuery(Request):
    """What a caller looks at, and when."""

    view = QueryView()
    at = _at()


class LegalMovesQuery(Request):
    """Whose moves, and when."""

    seat = QueryInteger(
        validate=Range(0, 9),
        metadata={"description": "The seat. The game's owner must name one; a seat token's own is the default."},
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
            " limit in NDJSON; a stream takes none."
        },
    )
    follow = fields.Boolean(
        truthy={"true"},
        falsy={"false"},
        load_default=False,
        metadata={
            "description": "In NDJSON: go on with each event as it is accepted, until the game is over. An event stream"
            " does so by itself."
        },
    )


class ReplayQuery(Request):
    """Which frames."""

    view = QueryView()
    first = QueryInteger(
        data_key="from",
        load_default=1,
        validate=Range(1, SEQ_MOST),
        metadata={"description": "The first event to show."},
    )
    final = QueryInteger(
        data_key="to",
        validate=Range(1, SEQ_MOST),
        metadata={
            "description": f"The last event to show, with at most {LIMIT_MOST} in all. Left out, it is the newest,"
            f" or as far as {LIMIT_MOST} reach."
        },
    )


class DeliveriesQuery(Request):
    """Which of a webhook's deliveries."""

    status = fields.String(validate=OneOf(DELIVERED), metadata={"description": "Only deliveries that stand like this."})
    limit = _limit("deliveries")
    cursor = fields.String(
        validate=Length(1, 64),
        metadata={"description": "Where the next page starts: `next` of the page before."},
    )


class RecordReplayQuery(ReplayQuery):
    """Which frames of a record that is sent."""

    view = QueryView("`table`")


# --- bodies ---------------------------------------------------------------------------------------------------------


class NewGameSchema(Request):
    """A game to be made."""

    ruleset = fields.String(
        required=True, metadata={"description": "The id of the ruleset; its newest version counts."}
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
        metadata={"description": "The names of the players, in order of seat.", "examples": [["Ada", "Ben"]]},
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
        """Refuses a ruleset that isn't there and a number of players that it doesn't take."""
        ruleset = LATEST.get(data["ruleset"])
        if ruleset is None:
            raise ValidationError(f"Must be one of {', '.join(LATEST)}.", "ruleset")
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
        validate=Range(0, 9),
        metadata={"description": "Whose it is, where the owner sends a seat's; a seat token's own is the default."},
    )


class ClaimSchema(Request):
    """A claimed score: `totals`, or the points of a `round`, or those of a `line`."""

    totals = Listed(
        fields.Integer(strict=True), 1, 10, metadata={"description": "The total claimed for each side, in order."}
    )
    round = fields.Integer(strict=True, validate=Range(1, SEQ_MOST), metadata={"description": "A round, from 1."})
    line = fields.Integer(
        strict=True, validate=Range(0, SEQ_MOST), metadata={"description": "A line of the ledger: its place, from 0."}
    )
    side = fields.Integer(
        strict=True,
        validate=Range(0, 9),
        metadata={"description": "The side whose points in a round are claimed, where `points` is one number."},
    )
    points = Points(
        {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}, "maxItems": 10}]},
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
        fields.String(),
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

    totals = Listed(
        fields.Integer(strict=True), 0, 10, required=True, metadata={"description": "The points of each side."}
    )
    winners = Listed(fields.Integer(strict=True), 0, 10, required=True, metadata={"description": "The sides that won."})


class RecordSchema(Request):
    """A whole game, from one installation to another."""

    format = fields.String(
        required=True, validate=OneOf([FORMAT]), metadata={"description": "The version of this format."}
    )
    game = fields.String(validate=Length(1, 64), metadata={"description": "The id under which the game was made."})
    ruleset = fields.String(required=True, metadata={"description": "The id of the ruleset."})
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
    commitment = fields.String(
        validate=Regexp(HEX_32), metadata={"description": "The SHA-256 of the seed from which the service dealt."}
    )
    seed = fields.String(validate=Regexp(HEX_32), metadata={"description": "That seed, once the game is over."})
    client_seeds = fields.List(
        fields.String(allow_none=True, validate=Length(1, CLIENT_SEED_LENGTH)),
        metadata={
            "description": "The client seeds that were mixed in: the owner's alone, or one for each seat; null for one"
            " that never came."
        },
    )
    head = fields.String(validate=Regexp(HEX_32), metadata={"description": "What chains the digests of the events."})
    result = fields.Nested(ResultSchema, metadata={"description": "How it ended, once the game is over."})


# --- answers --------------------------------------------------------------------------------------------------------


class Answer(Schema):
    """An answer; the schemas below document, and load nothing. Later versions may add to it."""

    class Meta:
        unknown = EXCLUDE


def _integers(description: str, **options: Any) -> fields.List[Any]:
    return fields.List(fields.Integer(), required=True, metadata={"description": description, **options})


def _status() -> fields.String:
    return fields.String(
        required=True, validate=OneOf(STATUSES), metadata={"description": "Whether it goes on, and how it ended."}
    )


def _newest() -> fields.Integer:
    return fields.Integer(
        required=True, validate=Range(0), metadata={"description": "The number of the newest event.", "examples": [17]}
    )


def _time(description: str, **options: Any) -> fields.AwareDateTime:
    return fields.AwareDateTime(metadata={"description": description}, **options)


WEBHOOK_ID: Final = "7d3a1f0e-52c4-4b8e-9a6d-0c1e2f3a4b5c"
TO_ACT: Final = "The seats that the game waits for."
WINNERS: Final = "The sides that won; empty until the game is finished."
SCORES: Final = "The points of each side so far."


class PlayedSchema(Answer):
    """What a game is and where it stands."""

    ruleset = fields.String(required=True, metadata={"description": "The id of its ruleset."})
    version = fields.Integer(required=True, metadata={"description": "The version of its rules, which stays."})
    config = Shaped({}, required=True, metadata={"description": "All its options."})
    players = fields.List(
        fields.String(), required=True, metadata={"description": "The names of the players, in order of seat."}
    )
    dealer = fields.String(required=True, validate=OneOf(DEALERS), metadata={"description": "Who deals."})
    status = _status()
    seq = _newest()
    scores = _integers(SCORES)
    to_act = _integers(TO_ACT)
    chance = ref("ChanceCall", required=True, metadata={"description": "What must be dealt next, or null."})
    winners = _integers(WINNERS)
    commitment = fields.String(
        validate=Regexp(HEX_32), metadata={"description": "The SHA-256 of the seed from which the service deals."}
    )
    seed = fields.String(
        validate=Regexp(HEX_32), metadata={"description": "That seed, in hex; only once the game is over."}
    )
    client_seeds = fields.List(
        fields.String(allow_none=True),
        metadata={
            "description": "The client seeds so far, of the owner or by seat, null for those to come; absent in lists,"
            " and in games without."
        },
    )


class GameSchema(PlayedSchema):
    """A game, as everybody may know it who may see it."""

    id = fields.String(required=True, metadata={"description": "The id of the game.", "examples": ["0000001k3m9x7qz2"]})
    visibility = fields.String(required=True, validate=OneOf(VISIBILITIES), metadata={"description": "Who may see it."})
    created_at = _time("When it was made.", required=True)
    updated_at = _time("When its newest event was accepted.", required=True)
    origin = fields.String(metadata={"description": "The id that an imported game had where it came from."})


class MadeGameSchema(GameSchema):
    """A game just made, with what is shown only now."""

    seat_tokens = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "A token for each seat, in order of seat. They are never shown again."},
    )


class GamesSchema(Answer):
    """A page of games, newest first."""

    games = fields.List(fields.Nested(GameSchema), required=True, metadata={"description": "The games."})
    next = fields.String(metadata={"description": "The `cursor` of the next page; absent on the last."})


def _receipt() -> fields.String:
    return fields.String(
        required=True,
        metadata={"description": "The service's signature over game, seq and head: a compact JWS with Ed25519."},
    )


class AcceptedSchema(Answer):
    """What was accepted, in the caller's own view."""

    receipt = _receipt()

    seq = _newest()
    events = fields.List(
        ref("Event"), required=True, metadata={"description": "The events added, what the service dealt among them."}
    )
    to_act = _integers(TO_ACT)
    status = _status()


class EventsSchema(Answer):
    """A page of the record."""

    events = fields.List(ref("Event"), required=True, metadata={"description": "The events, in order."})
    next = fields.Integer(
        metadata={"description": "What to give as `after` for the next page; absent on the last.", "examples": [100]}
    )


class HandSchema(Answer):
    """A hand, by count, and by card for who may see it."""

    count = fields.Integer(required=True, metadata={"description": "How many cards it holds."})
    cards = fields.List(fields.String(), metadata={"description": "Which; absent in a view that may not see them."})


class SnapshotSchema(Answer):
    """Where a game stands, as a view may see it."""

    game = fields.String(required=True, metadata={"description": "The id of the game."})
    ruleset = fields.String(required=True, metadata={"description": "The id of its ruleset."})
    seq = fields.Integer(required=True, metadata={"description": "The event after which this is."})
    status = _status()
    round = fields.Integer(required=True, metadata={"description": "The round, from 1."})
    phase = fields.String(required=True, metadata={"description": "The phase, one of the ruleset's."})
    dealer = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The seat that deals; null in games without one."}
    )
    to_act = _integers(TO_ACT)
    chance = ref("ChanceCall", required=True, metadata={"description": "What must be dealt next, or null."})
    hands = fields.List(fields.Nested(HandSchema), required=True, metadata={"description": "The hand of each seat."})
    scores = _integers(SCORES)
    winners = _integers(WINNERS)
    table = Shaped(
        {"type": "object", "additionalProperties": True},
        required=True,
        metadata={"description": "What lies open; its fields differ by game."},
    )


class LegalMovesSchema(Answer):
    """What a seat may do."""

    seq = fields.Integer(required=True, metadata={"description": "The event after which this holds."})
    seat = fields.Integer(required=True, metadata={"description": "Whose moves these are."})
    moves = fields.List(
        ref("LegalMove"),
        required=True,
        metadata={"description": "Every legal move, without `seat`; empty for a seat with nothing to do."},
    )


class LineSchema(Answer):
    """A line of the score sheet."""

    round = fields.Integer(required=True, metadata={"description": "The round that it counts for."})
    side = fields.Integer(required=True, metadata={"description": "The side that scores."})
    points = fields.Integer(required=True, metadata={"description": "How much; it may be 0, or less."})
    rule = fields.String(
        required=True,
        metadata={"description": "The id of the rule that awards it.", "examples": ["quadruple-war.score.made"]},
    )
    events = _integers("The events that it rests on.")
    text = fields.String(required=True, metadata={"description": "Why, in words."})
    place = fields.Integer(metadata={"description": "The place taken, where the line is for one."})


class LedgerSchema(Answer):
    """The score sheet."""

    seq = fields.Integer(required=True, metadata={"description": "The event after which this is."})
    lines = fields.List(fields.Nested(LineSchema), required=True, metadata={"description": "Its lines, in order."})
    totals = _integers("The sum of each side's lines.")
    winners = _integers(WINNERS)


class CheckSchema(Answer):
    """One check of an audit."""

    check = fields.String(required=True, metadata={"description": "What was checked.", "examples": ["chain"]})
    ok = fields.Boolean(required=True, metadata={"description": "Whether it holds."})
    event = fields.Integer(metadata={"description": "The first bad event."})
    rule = fields.String(metadata={"description": "The id of the rule that it breaks."})
    detail = fields.String(required=True, metadata={"description": "What was found, in words."})


class AuditSchema(Answer):
    """What an audit found."""

    ok = fields.Boolean(required=True, metadata={"description": "Whether every check holds."})
    checks = fields.List(
        fields.Nested(CheckSchema), required=True, metadata={"description": "Every check with its outcome."}
    )
    ledger = fields.Nested(LedgerSchema, metadata={"description": "The score sheet of the valid part of the record."})


class DisputedLineSchema(LineSchema):
    """The first line of the score sheet where claim and record part."""

    line = fields.Integer(required=True, metadata={"description": "Its place in the ledger, from 0."})


class FindingSchema(Answer):
    """What the record says to a claim."""

    outcome = fields.String(
        required=True, validate=OneOf(OUTCOMES), metadata={"description": "Whether the claim is right."}
    )
    derived = Shaped(
        {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}, {"type": "null"}]},
        required=True,
        metadata={"description": "What the record leads to, in the form of the claim; null for a line not there."},
    )
    detail = fields.String(required=True, metadata={"description": "The finding in words."})
    line = fields.Nested(DisputedLineSchema, metadata={"description": "Where claim and ledger part first."})
    rule = fields.Nested("RuleSchema", metadata={"description": "The rule that awards that line, with its text."})
    events = fields.List(fields.Integer(), metadata={"description": "The events on which that line rests."})


class ResolvedSchema(Answer):
    """How a dispute ended."""

    at = _time("When.", required=True)
    resolution = fields.String(required=True, metadata={"description": "What was agreed."})


class DisputeSchema(Answer):
    """A claim held against the record."""

    dispute = fields.String(required=True, metadata={"description": "Its id in the game.", "examples": ["1"]})
    at = _time("When it was claimed.", required=True)
    seat = fields.Integer(required=True, allow_none=True, metadata={"description": "Who claims; null: the owner."})
    claim = Shaped(
        {"type": "object", "additionalProperties": True},
        required=True,
        metadata={"description": "What was claimed: totals, or the points of a round or of a line."},
    )
    statement = fields.String(required=True, metadata={"description": "What the claimant says about it."})
    seq = fields.Integer(required=True, metadata={"description": "The newest event when it was claimed."})
    head = fields.String(
        required=True, validate=Regexp(HEX_32), metadata={"description": "The head of the record then."}
    )
    finding = fields.Nested(FindingSchema, required=True, metadata={"description": "What the record says to it."})
    resolution = fields.Nested(ResolvedSchema, metadata={"description": "How it ended, if the owner said so."})


class MadeDisputeSchema(DisputeSchema):
    """A dispute just made."""

    receipt = _receipt()


class DisputesSchema(Answer):
    """All disputes about a game."""

    disputes = fields.List(
        fields.Nested(DisputeSchema), required=True, metadata={"description": "The disputes, oldest first."}
    )


def _id(of_what: str) -> fields.String:
    return fields.String(required=True, metadata={"description": f"The id of the {of_what}.", "examples": [WEBHOOK_ID]})


class SecretSchema(Answer):
    """One of a webhook's secrets, without the secret itself."""

    id = _id("secret")
    created_at = _time("When it was made.", required=True)
    expires_at = _time("When it is no longer signed with; absent while nobody said so.")


class MadeSecretSchema(SecretSchema):
    """A secret just made."""

    secret = fields.String(
        required=True,
        metadata={"description": "The secret, in the form of Standard Webhooks. It is never shown again."},
    )


class WebhookSchema(Answer):
    """A webhook."""

    id = _id("webhook")
    url = fields.String(required=True, metadata={"description": "Where deliveries are sent."})
    types = fields.List(
        fields.String(validate=OneOf(TYPES)), required=True, metadata={"description": "What it is told of."}
    )
    description = fields.String(required=True, allow_none=True, metadata={"description": "What it is for, or null."})
    paused = fields.Boolean(
        required=True,
        metadata={"description": "Whether nothing is sent, because its owner or a 410 said so."},
    )
    created_at = _time("When it was made.", required=True)
    secrets = fields.List(
        fields.Nested(SecretSchema),
        required=True,
        metadata={"description": "The secrets that deliveries are signed with, oldest first, without the secrets."},
    )


class MadeWebhookSchema(WebhookSchema):
    """A webhook just made, with what is shown only now."""

    secret = fields.String(
        required=True,
        metadata={"description": "Its first secret, in the form of Standard Webhooks. It is never shown again."},
    )


class WebhooksSchema(Answer):
    """All webhooks of an API key."""

    webhooks = fields.List(
        fields.Nested(WebhookSchema), required=True, metadata={"description": "The webhooks, oldest first."}
    )


class DeliverySchema(Answer):
    """Something that a webhook is told, and what became of it."""

    id = fields.String(
        required=True,
        metadata={"description": "Its id, which is the `webhook-id` of each attempt.", "examples": [WEBHOOK_ID]},
    )
    type = fields.String(
        required=True, validate=OneOf([*TYPES, "webhook.ping"]), metadata={"description": "What it tells of."}
    )
    game = fields.String(metadata={"description": "The id of the game; absent in a ping."})
    seq = fields.Integer(
        allow_none=True, metadata={"description": "The newest event that it tells of; null for a dispute."}
    )
    created_at = _time("When it happened.", required=True)
    status = fields.String(
        required=True,
        validate=OneOf(DELIVERED),
        metadata={"description": "Whether it is still tried, was taken with a 2xx, or was given up."},
    )
    attempts = fields.Integer(
        required=True, metadata={"description": "How often it was tried, since it was last replayed by hand."}
    )
    answer = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The status of the last answer, or null."}
    )
    fault = fields.String(
        required=True,
        allow_none=True,
        validate=OneOf([*FAULTS, None]),
        metadata={"description": "What kept the last attempt from being answered, or null."},
    )
    attempted_at = _time("When it was last tried; absent before.")
    next_attempt_at = _time("When it will be tried next; absent once it is delivered or given up.")


class DeliveriesSchema(Answer):
    """A page of deliveries, newest first."""

    deliveries = fields.List(fields.Nested(DeliverySchema), required=True, metadata={"description": "The deliveries."})
    next = fields.String(metadata={"description": "The `cursor` of the next page; absent on the last."})


class FrameSchema(Answer):
    """An event and what it led to."""

    event = ref("Event", required=True, metadata={"description": "The event, without its effects."})
    effects = fields.List(ref("Effect"), required=True, metadata={"description": "What followed from it."})
    text = fields.List(
        fields.String(),
        required=True,
        metadata={
            "description": "Event and effects in words, as the view may know them: a sentence for the event, then one"
            " for each thing that followed.",
            "examples": [["Ann plays the ace of hearts.", "Ann wins the trick with the ace of hearts, 3 so far."]],
        },
    )
    state = fields.Nested(SnapshotSchema, required=True, metadata={"description": "The state after it."})


class RecordGameSchema(PlayedSchema):
    """A game as its record has it."""

    id = fields.String(metadata={"description": "The id under which it was made, where the record says it."})


class RecordFrameSchema(FrameSchema):
    """An event of a record and what it led to."""

    event = ref(
        "FramedEvent",
        required=True,
        metadata={"description": "The event, with its time and its digest where the record has them."},
    )


class ReplaySchema(Answer):
    """Frames for a viewer to step through."""

    frames = fields.List(fields.Nested(FrameSchema), required=True, metadata={"description": "The frames, in order."})
    next = fields.Integer(metadata={"description": "What to give as `from` for the next part; absent in the last."})


class RecordReplaySchema(Answer):
    """A record for a viewer to step through, as far as it follows the rules."""

    game = fields.Nested(
        RecordGameSchema, required=True, metadata={"description": "The game, at its last valid event."}
    )
    frames = fields.List(
        fields.Nested(RecordFrameSchema), required=True, metadata={"description": "The frames, in order."}
    )
    next = fields.Integer(metadata={"description": "What to give as `from` for the next part; absent in the last."})
    ledger = fields.Nested(
        LedgerSchema, required=True, metadata={"description": "The score sheet at the last valid event, in the view."}
    )
    audit = fields.Nested(
        AuditSchema, required=True, metadata={"description": "What an audit of the record finds, as `POST /v1/audits`."}
    )


class RuleSchema(Answer):
    """A rule."""

    id = fields.String(required=True, metadata={"description": "Its id.", "examples": ["quadruple-war.break"]})
    text = fields.String(required=True, metadata={"description": "What it says, in Markdown."})


class RulesetSchema(Answer):
    """A game, at one version of its rules."""

    id = fields.String(required=True, metadata={"description": "The id of the ruleset."})
    version = fields.Integer(required=True, metadata={"description": "The version of its rules."})
    title = fields.String(required=True, metadata={"description": "The name of the game."})
    summary = fields.String(required=True, metadata={"description": "What it is, in a sentence."})
    seats = _integers("The numbers of players that it takes.")
    sides = fields.String(
        required=True,
        validate=OneOf(["seats", "teams"]),
        metadata={"description": "Who scores: each seat, or teams of two."},
    )
    phases = fields.List(fields.String(), required=True, metadata={"description": "The phases of a game."})
    config = ref("JsonSchema", required=True, metadata={"description": "A JSON Schema of the config."})
    moves = ref("JsonSchemas", required=True, metadata={"description": "A JSON Schema of each type of move, by type."})
    chance_events = ref(
        "JsonSchemas", required=True, metadata={"description": "A JSON Schema of each type of chance event, by type."}
    )
    table = ref("Table", required=True, metadata={"description": "What its table looks like, for whatever draws it."})
    introduction = fields.String(
        required=True, metadata={"description": "Players, cards, options and moves in words, in Markdown."}
    )
    rules = fields.List(
        fields.Nested(RuleSchema),
        required=True,
        metadata={"description": "The rules of the game, then those that it shares with every other."},
    )


class RulesetsSchema(Answer):
    """All games."""

    rulesets = fields.List(fields.Nested(RulesetSchema), required=True, metadata={"description": "The rulesets."})


class DemonstrationSchema(Answer):
    """A game for everybody to look at."""

    id = fields.String(required=True, metadata={"description": "Its id.", "examples": ["0000001dem000000"]})
    ruleset = fields.String(required=True, metadata={"description": "The id of its ruleset.", "examples": ["kraken"]})


class DemonstrationsSchema(Answer):
    """Games for everybody to look at."""

    games = fields.List(fields.Nested(DemonstrationSchema), required=True, metadata={"description": "The games."})


class HealthSchema(Answer):
    """That the service is there."""

    status = fields.String(required=True, validate=OneOf(["ok"]), metadata={"description": "Always ok."})
