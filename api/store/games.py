"""Games and their events: made once, only ever added to.

A game is three things: its row of ``games``, which never changes; its events, each with the next ``seq`` from 1; and
its row of ``heads``, which says where the events end. Whoever appends moves the head first, in the same statement, so
that of two writers at one seq the later finds it moved. Times are aware datetimes; those answered are in UTC.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, NamedTuple

import orjson
from psycopg.errors import UniqueViolation

from api.store.ids import INT4_MAX, SeatToken, hashed, new_nonce, new_secret, write_game_id
from api.store.pool import Connection


class Entry(NamedTuple):
    """An event as it is stored: when it was accepted, its text, and its digest."""

    at: datetime
    text: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class Game:
    """What a game is from its first moment to its last; ``tokens`` are the hashes of its seats' secrets, by seat.

    Salts follow from its ``secret``; a game without one came whole from elsewhere, and brought its own.
    """

    number: int
    id: str
    owner: int
    ruleset: str
    version: int
    config: dict[str, Any]
    players: tuple[str, ...]
    dealer: str
    visibility: str
    tokens: tuple[bytes, ...] = field(repr=False)
    seed: bytes | None = field(repr=False)
    commitment: bytes | None
    client_seeds: str | None
    secret: bytes | None = field(repr=False)
    origin: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Head:
    """Where a game stands; ``summary`` is the JSON text that came with its newest event, ``disputes`` their count."""

    seq: int
    head: bytes
    disputes: int
    status: str
    summary: str
    updated_at: datetime


class Reading(NamedTuple):
    """What :func:`read_head` finds, all of one moment."""

    key_hash: bytes | None
    head: Head | None
    events: list[str]
    digests: list[bytes]


class Standing(NamedTuple):
    """Where a game stands: the seq of its newest event, and the head after that."""

    seq: int
    head: bytes


@dataclass(frozen=True, slots=True)
class Addition:
    """What is added to a game: events, the head after them, and what its row of heads then says."""

    events: Sequence[Entry]
    head: bytes
    status: str
    summary: str


CREATE: Final = """
WITH game AS (
    INSERT INTO games (game, nonce, owner, ruleset, version, config, players, dealer, visibility, tokens, seed,
                       commitment, client_seeds, secret, salts, origin)
    VALUES (%(game)s, %(nonce)s, %(owner)s, %(ruleset)s, %(version)s, %(config)s, %(players)s, %(dealer)s,
            %(visibility)s, %(tokens)s, %(seed)s, %(commitment)s, %(client_seeds)s, %(secret)s, %(salts)s, %(origin)s)
    RETURNING game, created_at
), head AS (
    INSERT INTO heads (game, seq, head, status, summary, updated_at)
    SELECT game, %(seq)s, %(head)s, %(status)s, %(summary)s, created_at FROM game
), seeds AS (
    INSERT INTO client_seeds (game, place, seed)
    SELECT game, key::smallint, value FROM game, json_each_text(%(given_seeds)s)
), log AS (
    INSERT INTO events (game, seq, at, event, digest)
    SELECT game, place, (entry->>0)::timestamptz, entry->>1, decode(entry->>2, 'hex')
    FROM game, json_array_elements(%(events)s) WITH ORDINALITY AS given (entry, place)
)
SELECT created_at FROM game
"""


def new_game_id(conn: Connection) -> tuple[int, str]:
    """The number and the nonce of a game to be made, which :func:`write_game_id` makes its id of."""
    [(number,)] = conn.execute("SELECT nextval('games_game_seq')").fetchall()
    return number, new_nonce()


def create_game(
    conn: Connection,
    number: int,
    nonce: str,
    *,
    owner: int,
    ruleset: str,
    version: int,
    config: Mapping[str, Any],
    players: Sequence[str],
    dealer: str,
    visibility: str,
    seed: bytes | None,
    commitment: bytes | None,
    client_seeds: str | None,
    secret: bytes | None,
    salts: bytes | None,
    origin: str | None,
    given_seeds: Mapping[int, str],
    added: Addition,
) -> tuple[Game, list[str]]:
    """Makes a game with its first events and client seeds (by place), in one commit.

    Answers the game and the text of each seat's token, which is kept nowhere, in order of seat.
    """
    given = [new_secret() for _ in players]
    row: dict[str, Any] = {
        "owner": owner,
        "ruleset": ruleset,
        "version": version,
        "dealer": dealer,
        "visibility": visibility,
        "seed": seed,
        "commitment": commitment,
        "client_seeds": client_seeds,
        "secret": secret,
        "origin": origin,
    }
    tokens = [hashed(each) for each in given]
    made = conn.execute(
        CREATE,
        row
        | {
            "game": number,
            "nonce": nonce,
            "config": _json(config),
            "players": list(players),
            "tokens": tokens,
            "salts": salts,
            "given_seeds": _json({str(place): text for place, text in given_seeds.items()}),
            "events": _entries(added.events),
            "seq": len(added.events),
            "head": added.head,
            "status": added.status,
            "summary": added.summary,
        },
    )
    [(created_at,)] = made.fetchall()
    game = Game(
        number=number,
        id=write_game_id(number, nonce),
        config=dict(config),
        players=tuple(players),
        tokens=tuple(tokens),
        created_at=created_at,
        **row,
    )
    return game, [SeatToken(number, seat, each).text for seat, each in enumerate(given)]


# The array is only gathered when there is something newer than what the caller has.
READ_HEAD: Final = """
SELECT (SELECT secret_hash FROM api_keys WHERE key = %(key)s AND revoked_at IS NULL),
       CASE WHEN heads.seq > %(after)s THEN
           ARRAY(SELECT event FROM events WHERE game = heads.game AND seq > %(after)s ORDER BY seq)
       END,
       CASE WHEN heads.seq > %(after)s THEN
           ARRAY(SELECT digest FROM events WHERE game = heads.game AND seq > %(after)s ORDER BY seq)
       END,
       heads.seq, heads.head, heads.disputes, heads.status, heads.summary, heads.updated_at
FROM (VALUES (0)) AS always LEFT JOIN heads ON heads.game = %(game)s
"""


def read_head(conn: Connection, number: int, key: int | None, after: int) -> Reading:
    """What judging a caller and bringing a game up to date takes, in one round trip.

    The hash of the secret of the API key ``key`` (None when there is no such key, or it is revoked), the head of the
    game (None when there is no such game), and the texts and digests of its events after seq ``after``, in order.
    """
    [(key_hash, events, digests, *head)] = conn.execute(
        READ_HEAD, {"game": number, "key": key, "after": after}
    ).fetchall()
    return Reading(key_hash, None if head[0] is None else Head(*head), events or [], digests or [])


GAME: Final = (
    "games.game, games.nonce, games.owner, games.ruleset, games.version, games.config, games.players, games.dealer,"
    " games.visibility, games.tokens, games.seed, games.commitment, games.client_seeds, games.secret,"
    " games.origin, games.created_at"
)


def read_game(conn: Connection, number: int) -> Game | None:
    """The game stored under ``number``; it never changes, so it may be kept."""
    row = conn.execute(f"SELECT {GAME} FROM games WHERE game = %s", (number,)).fetchone()  # noqa: S608
    return None if row is None else _game(row)


def _game(row: Sequence[Any]) -> Game:
    number, nonce, owner, ruleset, version, config, players, dealer, visibility, tokens, *rest = row
    return Game(
        number,
        write_game_id(number, nonce),
        owner,
        ruleset,
        version,
        _config(config),
        tuple(players),
        dealer,
        visibility,
        tuple(tokens),
        *rest,
    )


def _config(text: str) -> dict[str, Any]:
    try:
        config: dict[str, Any] = orjson.loads(text)
    except ValueError:
        # Nobody can play on with it; but the audit has to open the game to say so.
        return {}
    return config


def read_salts(conn: Connection, number: int) -> bytes | None:
    """The salts that an imported game brought with it, one after the other; None when they follow from its secret."""
    row = conn.execute("SELECT salts FROM games WHERE game = %s", (number,)).fetchone()
    return None if row is None else row[0]


def read_client_seeds(conn: Connection, number: int) -> dict[int, str]:
    """The client seeds that a game has been given so far, by place."""
    return dict(conn.execute("SELECT place, seed FROM client_seeds WHERE game = %s ORDER BY place", (number,)))


def read_events(conn: Connection, number: int, upto: int = INT4_MAX, after: int = 0) -> list[Entry]:
    """The events of a game from seq ``after + 1`` to ``upto`` or the newest, in order: no seq is ever left out."""
    rows = conn.execute(
        "SELECT at, event, digest FROM events WHERE game = %s AND seq > %s AND seq <= %s ORDER BY seq",
        (number, after, upto),
        binary=True,
    )
    return [Entry(*row) for row in rows]


MOVE_HEAD: Final = """
WITH head AS (
    UPDATE heads SET seq = %(seq)s, head = %(head)s, status = %(status)s, summary = %(summary)s, updated_at = now()
    WHERE game = %(game)s AND seq = %(expected)s AND head = %(expected_head)s
    RETURNING game
), told AS (
    INSERT INTO deliveries (webhook, type, game, first, last)
    SELECT webhook, type, game, %(expected)s + 1, %(seq)s
    FROM head JOIN games USING (game) JOIN webhooks USING (owner)
    CROSS JOIN unnest(ARRAY['game.moves', 'game.' || %(status)s]) AS type
    WHERE type = ANY (types) AND NOT paused AND %(seq)s > %(expected)s
)"""
ADD_EVENTS: Final = """
INSERT INTO events (game, seq, at, event, digest)
SELECT game, %(expected)s + place, (entry->>0)::timestamptz, entry->>1, decode(entry->>2, 'hex')
FROM head, json_array_elements(%(events)s) WITH ORDINALITY AS given (entry, place)
"""
APPEND: Final = MOVE_HEAD + ADD_EVENTS
SET_CLIENT_SEED: Final = """
INSERT INTO client_seeds (game, place, seed) SELECT game, %(place)s, %(client_seed)s FROM head
"""
ADD_CLIENT_SEED: Final = f"{MOVE_HEAD}, log AS ({ADD_EVENTS}) {SET_CLIENT_SEED}"


def append(conn: Connection, number: int, expected: Standing, added: Addition) -> bool:
    """Adds events, at least one, to a game that stands as ``expected``, in one commit.

    False when it stands elsewhere, because another writer was first: then nothing was added.
    """
    return _add(conn, APPEND, number, expected, added)


def add_client_seed(
    conn: Connection, number: int, expected: Standing, place: int, client_seed: str, added: Addition
) -> bool:
    """Adds a client seed to a game that stands as ``expected``, with the events that it leads to, if any.

    False when it stands elsewhere, or has a seed at that place: then nothing was added.
    """
    return _add(conn, ADD_CLIENT_SEED, number, expected, added, place=place, client_seed=client_seed)


def _add(conn: Connection, statement: str, number: int, expected: Standing, added: Addition, **more: int | str) -> bool:
    try:
        done = conn.execute(
            statement,
            {
                "game": number,
                "expected": expected.seq,
                "expected_head": expected.head,
                "events": _entries(added.events),
                "seq": expected.seq + len(added.events),
                "head": added.head,
                "status": added.status,
                "summary": added.summary,
                **more,
            },
        )
    except UniqueViolation:
        return False
    return done.rowcount > 0


def _entries(events: Sequence[Entry]) -> str:
    return _json([(at, text, digest.hex()) for at, text, digest in events])


def _json(value: object) -> str:
    # Events travel so too: as two arrays they cost five times as much here.
    try:
        return orjson.dumps(value).decode()
    except TypeError as error:
        raise ValueError(str(error)) from None


FILTERS: Final = {
    "ruleset": "games.ruleset = %(ruleset)s",
    "status": "heads.status = %(status)s",
    "player": "games.players @> ARRAY[%(player)s::text]",
    "since": "games.created_at >= %(since)s",
    "until": "games.created_at < %(until)s",
    "before": "(games.created_at, games.game) <"
    " (SELECT created_at, game FROM games WHERE game = %(before)s AND owner = %(owner)s)",
}


def list_games(
    conn: Connection,
    owner: int,
    *,
    ruleset: str | None = None,
    status: str | None = None,
    player: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    before: int | None = None,
    limit: int,
) -> list[tuple[Game, Head]]:
    """The newest ``limit`` games of ``owner``, newest first.

    Only those with the ruleset, the status, and a player named ``player``; made at ``since`` or later, and before
    ``until``; and that follow the game numbered ``before``, which was the last of the page before.
    """
    asked = {
        "ruleset": ruleset,
        "status": status,
        "player": player,
        "since": since,
        "until": until,
        "before": before,
    }
    conditions = "".join(f" AND {FILTERS[name]}" for name, value in asked.items() if value is not None)
    rows = conn.execute(
        f"SELECT heads.seq, heads.head, heads.disputes, heads.status, heads.summary, heads.updated_at, {GAME} "  # noqa: S608
        f"FROM games JOIN heads USING (game) WHERE games.owner = %(owner)s{conditions} "
        "ORDER BY games.created_at DESC, games.game DESC LIMIT %(limit)s",
        {"owner": owner, "limit": limit, **asked},
    )
    return [(_game(row[6:]), Head(*row[:6])) for row in rows]
