"""What callers do with games: open one with a credential, play on it, look at it, write it down.

Everything that is asked of a game starts at :func:`open_game`, which judges the credential and brings the game's
position up to the store's newest event. A position once derived is kept (:class:`Desk`) and only ever read: who goes on
from it works on a copy.
"""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial, reduce
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

import orjson

from api import store
from api.games import LATEST, RULESETS
from api.games.rules import (
    PUBLIC,
    TABLE,
    Effect,
    Event,
    IllegalMove,
    Ruleset,
    Seen,
    chance_call,
    read_config,
)
from api.proofs import digests
from api.proofs.digests import SALT_BYTES, SECRET_BYTES
from api.proofs.receipts import Signer
from api.proofs.shuffle import SEED_BYTES, chance_event, commitment, stream_key
from api.records import replay
from api.records.audit import read_record
from api.records.codec import decode, encode
from api.records.portable import Sealed, chain_facts, write_record
from api.records.replay import ABANDON, TAKEBACK, Position, Step
from api.records.transcript import transcript as write_transcript
from api.records.words import sentences
from api.store import schema

POSITIONS_KEPT: Final = 2048
FRAMES_MOST: Final = 1000
ROUNDS_OF_RETRY: Final = 50
SIGNER_SECONDS: Final = 60.0
"""How long a worker signs with a key before it looks whether there is a newer one."""

Role = Literal["owner", "seat", "bystander"]


class UnauthorizedError(Exception):
    """No credential where one is needed, or an unknown one."""


class ForbiddenError(Exception):
    """The caller may know of the thing, but not do this; the message says what."""


class NotFoundError(Exception):
    """There is no such thing, or none that the caller may know of."""


class StaleError(Exception):
    """The game has gone on since; ``seq`` is the present one."""

    def __init__(self, seq: int) -> None:
        super().__init__(seq)
        self.seq = seq


class OutOfRangeError(ValueError):
    """A parameter points outside the record; ``name`` is the parameter, the message says what it may be."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(name, message)
        self.name = name
        self.message = message


class RefusedError(Exception):
    """The rules refuse a move; ``index`` is its place among those sent, ``seat`` who moves (None: nobody)."""

    def __init__(self, refusal: IllegalMove, index: int, seat: int | None) -> None:
        super().__init__(refusal, index, seat)
        self.rule = refusal.rule
        self.detail = refusal.detail
        self.index = index
        self.seat = seat


ClientSeeds = Mapping[int, str]
"""The client seeds that a game has been given, by place: the seat, or 0 for the owner's."""


class Kept(NamedTuple):
    """A game as far as a worker has derived it; the position is only read."""

    game: store.Game
    position: Position
    head: bytes
    client_seeds: ClientSeeds


class Desk:
    """What a worker needs to serve games: connections, the key it signs with, and the games it derived last.

    ``announce`` is told of events once they are committed: the game's number, the position after them, and they.
    """

    __slots__ = ("_look_again", "_signer", "announce", "kept", "pool")

    def __init__(self, pool: store.Pool) -> None:
        self.pool = pool
        self.announce: Callable[[int, Position, Sequence[Accepted]], None] | None = None
        self.kept: OrderedDict[int, Kept] = OrderedDict()
        self._signer: Signer | None = None
        self._look_again = 0.0

    def keep(self, derived: Kept) -> None:
        """Keeps a game unless one further on is there; forgets the one that was asked for longest ago."""
        number = derived.game.number
        known = self.kept.get(number)
        if known is None or known.position.seq <= derived.position.seq:
            self.kept[number] = derived
        self.kept.move_to_end(number)
        if len(self.kept) > POSITIONS_KEPT:
            self.kept.popitem(last=False)

    def signer(self) -> Signer:
        """The key that signs receipts now."""
        if self._signer is None or time.monotonic() > self._look_again:
            with store.connection(self.pool) as conn:
                self._signer = store.read_signer(conn)
            self._look_again = time.monotonic() + SIGNER_SECONDS
        return self._signer


@dataclass(frozen=True, slots=True)
class Opened:
    """A game as its caller may have it, at the newest event when it was opened; ``position`` is only read."""

    game: store.Game
    role: Role
    seat: int | None
    position: Position
    head: bytes
    client_seeds: ClientSeeds
    updated_at: datetime

    @property
    def over(self) -> bool:
        return self.position.status != "running"


class Accepted(NamedTuple):
    """An event as accepted; it has its digest once all are there that are stored with it."""

    seq: int
    at: datetime
    event: Event
    effects: Sequence[Effect]
    digest: bytes = b""


Expected = frozenset[str] | None
"""The tags of the moments of the game at which a caller would have its move accepted; None: any."""

Attempt = tuple[Position, list[Accepted]]
"""What a change makes of a game: the position after it, and the events that it adds."""


class Outcome(NamedTuple):
    """A game after what was accepted, and the service's signature that it was."""

    opened: Opened
    accepted: list[Accepted]
    receipt: str


T = TypeVar("T")

KeepAnswer: TypeAlias = Callable[[store.Connection, T], None]
"""Keeps the answer to a request with what it did, in one transaction; what it raises undoes both."""


def one_commit(conn: store.Connection, keep_answer: KeepAnswer[Any] | None) -> AbstractContextManager[object]:
    """One transaction where there is an answer to keep with what is done; else each statement is one."""
    return nullcontext() if keep_answer is None else conn.transaction()


# --- credentials ----------------------------------------------------------------------------------------------------


def authenticate(desk: Desk, token: str | None) -> int:
    """The number of the API key that ``token`` is; UnauthorizedError, or ForbiddenError for a seat token."""
    if token is None:
        raise UnauthorizedError
    key = store.parse_api_key(token)
    with store.connection(desk.pool) as conn:
        if key is None:
            _check_seat_token(desk, conn, token, None)
            raise ForbiddenError("A seat token speaks for its seat at one game; this takes an API key.")
        known = store.read_key(conn, key.number)
    if known is None or not key.matches(known):
        raise UnauthorizedError
    return key.number


def _check_seat_token(desk: Desk, conn: store.Connection, token: str, game: store.Game | None) -> int | None:
    """The seat that ``token`` speaks for at ``game``; None: at another; UnauthorizedError: at none."""
    held = store.parse_seat_token(token)
    if held is None:
        raise UnauthorizedError
    own = game is not None and game.number == held.game
    of = game if own else _game(desk, conn, held.game)
    if of is None or held.seat >= len(of.tokens) or not held.matches(of.tokens[held.seat]):
        raise UnauthorizedError
    return held.seat if own else None


def _game(desk: Desk, conn: store.Connection, number: int | None) -> store.Game | None:
    if number is None:
        return None
    kept = desk.kept.get(number)
    return store.read_game(conn, number) if kept is None else kept.game


def open_game(desk: Desk, game_id: str, token: str | None) -> Opened:
    """The game ``game_id`` for who shows ``token``; NotFoundError or UnauthorizedError where it isn't to be had.

    One round trip for a game that this worker has at hand, with the API key and any newer events in it.
    """
    with store.connection(desk.pool) as conn:
        game, role, seat, kept, found = _admit(desk, conn, game_id, token)
        assert found.head is not None
        derived = _bring_up(desk, conn, game, kept, found)
    return _opened(derived, role, seat, found.head.updated_at)


@dataclass(frozen=True, slots=True)
class Stored:
    """A game that a caller may audit; nothing of it has been derived. ``status`` is what the store says."""

    game: store.Game
    role: Role
    status: str


def open_stored(desk: Desk, game_id: str, token: str | None) -> Stored:
    """The game ``game_id`` for an audit; raises what :func:`open_game` does, and ForbiddenError to who may not yet."""
    with store.connection(desk.pool) as conn:
        game, role, _, _, found = _admit(desk, conn, game_id, token)
    assert found.head is not None
    if found.head.status == "running" and role != "owner":
        raise ForbiddenError("Until the game is over, its audit is its owner's.")
    return Stored(game, role, found.head.status)


def _admit(
    desk: Desk, conn: store.Connection, game_id: str, token: str | None
) -> tuple[store.Game, Role, int | None, Kept | None, store.Reading]:
    """Judges the credential: the game, whose it is, what this worker has kept of it, and what the store has since."""
    number = store.parse_game_id(game_id)
    key = None if token is None else store.parse_api_key(token)
    seat = None
    game = _game(desk, conn, number)
    if game is not None and game.id != game_id:
        game = None
    if token is not None and key is None:
        seat = _check_seat_token(desk, conn, token, game)
        if seat is None:
            raise NotFoundError
    if token is None and not _open_to_all(conn, game):
        raise NotFoundError
    kept = None if game is None else desk.kept.get(game.number)
    found = store.read_head(
        conn,
        0 if game is None else game.number,
        None if key is None else key.number,
        0 if kept is None else kept.position.seq,
    )
    if key is not None and (found.key_hash is None or not key.matches(found.key_hash)):
        raise UnauthorizedError
    if game is None or found.head is None or (key is not None and game.owner != key.number):
        raise NotFoundError
    role: Role = "owner" if key is not None else "bystander" if seat is None else "seat"
    return game, role, seat, kept, found


def _open_to_all(conn: store.Connection, game: store.Game | None) -> bool:
    """Whether who shows no credential may see ``game``; it takes as long for one that there isn't as for a private."""
    if game is not None and game.visibility == "public":
        return True
    return store.is_offered(conn, 0 if game is None else game.number)


def _opened(derived: Kept, role: Role, seat: int | None, updated_at: datetime) -> Opened:
    game, position, head, client_seeds = derived
    return Opened(game, role, seat, position, head, client_seeds, updated_at)


def _bring_up(desk: Desk, conn: store.Connection, game: store.Game, kept: Kept | None, found: store.Reading) -> Kept:
    """The game at the head that was ``found``, from what was ``kept`` of it where that serves; keeps it in turn."""
    assert found.head is not None
    if kept is not None and (kept.position.seq, kept.head) == (found.head.seq, found.head.head):
        return kept
    client_seeds: ClientSeeds = {}
    if game.client_seeds is not None:
        # they are all there once there is an event
        settled = kept is not None and kept.position.seq
        client_seeds = kept.client_seeds if kept and settled else store.read_client_seeds(conn, game.number)
    # only when what came since leads from the head that was kept to the one found: a store may have been set back
    follows = kept is not None and reduce(digests.chain, found.digests, kept.head) == found.head.head
    before = kept.position if kept is not None and kept.position.seq and follows else None
    position = _catch_up(game, before, found.head.seq, found.events)
    if position is None:
        # a takeback, or another past: what was kept is of no use
        desk.kept.pop(game.number, None)
        entries = store.read_events(conn, game.number, found.head.seq)
        position = _derive(game, [entry.text for entry in entries])
    if position.seq == 0 and (lacking := _lacking(game, client_seeds)):
        _await_seeds(position, game.client_seeds, lacking)
    derived = Kept(game, position, found.head.head, client_seeds)
    desk.keep(derived)
    return derived


def _await_seeds(position: Position, mode: str | None, lacking: Iterable[int]) -> None:
    """Has ``position``, before the first event, wait for the client seeds that are lacking."""
    replay.await_seeds(position, tuple(lacking) if mode == "seats" else ())


def _lacking(game: store.Game, given: ClientSeeds) -> list[int]:
    """The places of the client seeds that a game still waits for."""
    seeds = client_seeds_of(game.client_seeds, len(game.players), given)
    return [place for place, each in enumerate(seeds) if each is None]


def client_seeds_of(mode: str | None, seats: int, given: ClientSeeds) -> list[str | None]:
    """The client seeds as a record has them: None for one that hasn't come."""
    count = 0 if mode is None else 1 if mode == "owner" else seats
    return [given.get(place) for place in range(count)]


def _ruleset(game: store.Game) -> Ruleset:
    return RULESETS[game.ruleset, game.version]


def _begin(game: store.Game) -> Position:
    return replay.begin(_ruleset(game), game.config, len(game.players))


def _catch_up(game: store.Game, kept: Position | None, seq: int, texts: Sequence[str]) -> Position | None:
    """The position at ``seq``, from the one kept and the events after it; None when the whole record is needed."""
    if kept is None:
        return _derive(game, texts) if len(texts) == seq else None
    if kept.seq + len(texts) != seq:
        return None
    position = kept.copy()
    for text in texts:
        event = decode(position.state, text)
        if event["type"] == TAKEBACK:
            return None
        replay.advance(position, event)
    return position


def _derive(game: store.Game, texts: Sequence[str]) -> Position:
    tables = _begin(game).state
    events = [decode(tables, text) for text in texts]
    return replay.last(_ruleset(game), game.config, len(game.players), events)


# --- views ----------------------------------------------------------------------------------------------------------


def resolve_view(opened: Opened, asked: Seen | None) -> Seen:
    """The view that the caller gets, who ``asked`` for one or leaves it to the default; ForbiddenError if it may not.

    A game that is over is open to everybody who may see it.
    """
    if asked is None:
        if opened.over:
            return TABLE
        return PUBLIC if opened.seat is None else opened.seat
    if asked not in (PUBLIC, TABLE) and not (type(asked) is int and 0 <= asked < len(opened.game.players)):
        raise OutOfRangeError("view", "Must be public, table, or a seat of the game.")
    if asked == PUBLIC or opened.over or opened.role == "owner" or (opened.seat is not None and asked == opened.seat):
        return asked
    raise ForbiddenError("Until the game is over, only its owner sees the table, and a seat's view is its own.")


# --- making games ---------------------------------------------------------------------------------------------------


def create_game(
    desk: Desk,
    owner: int,
    keep_answer: KeepAnswer[tuple[Opened, list[str]]] | None = None,
    *,
    ruleset: str,
    config: Mapping[str, Any],
    players: Sequence[str],
    dealer: str,
    visibility: str,
    client_seeds: str | None = None,
    nonce: str | None = None,
) -> tuple[Opened, list[str]]:
    """A new game of the newest version of ``ruleset``, dealt as far as the service deals, and its seat tokens.

    The caller has checked that there is such a ruleset for so many players, and that only a game that the service deals
    waits for client seeds; ConfigError for its config.
    """
    rules = LATEST[ruleset]
    whole = read_config(rules, config, len(players))
    seed = secrets.token_bytes(SEED_BYTES) if dealer == "service" else None
    position = replay.begin(rules, whole, len(players))
    lacking = len(client_seeds_of(client_seeds, len(players), {}))
    if lacking:
        _await_seeds(position, client_seeds, range(lacking))
    accepted = _deal(seed, position, datetime.now(UTC))
    return _store_game(
        desk,
        owner,
        position,
        accepted,
        keep_answer,
        config=whole,
        players=players,
        dealer=dealer,
        visibility=visibility,
        seed=seed,
        committed=None if seed is None else commitment(seed),
        client_seeds=client_seeds,
        nonce=nonce,
    )


def import_record(
    desk: Desk,
    owner: int,
    document: Mapping[str, Any],
    keep_answer: KeepAnswer[tuple[Opened, list[str]]] | None = None,
) -> tuple[Opened, list[str]]:
    """A new private game with the events of ``document``, every one replayed, and its seat tokens.

    A game that is over and has its salts is kept as it is, bound to the id that it was made under: its own record is
    then the same, and proves the same. Every other one is bound anew, to its own id. A game that the service elsewhere
    dealt and that isn't over goes on with its owner dealing: the seed that its record is committed to stays with that
    service. RecordError or IllegalRecord for a record that isn't a true one.
    """
    record = read_record(document)
    given, position = record.document, record.position
    now = datetime.now(UTC)
    accepted = [
        Accepted(seq, time or now, event, ())
        for seq, (event, time) in enumerate(zip(given.events, record.times, strict=True), 1)
    ]
    over = position.status != "running"
    seeds = given.client_seeds if over else []
    return _store_game(
        desk,
        owner,
        position,
        accepted,
        keep_answer,
        config=given.config,
        players=given.players,
        dealer=given.dealer if over else "client",
        visibility="private",
        seed=given.seed if over else None,
        committed=given.commitment if over else None,
        client_seeds=(None, "owner", "seats")[min(len(seeds), 2)],
        given_seeds={place: each for place, each in enumerate(seeds) if each is not None},
        origin=given.game,
        salts=b"".join([salt or b"" for salt in given.salts]) if over and any(given.salts) else None,
    )


def _store_game(
    desk: Desk,
    owner: int,
    position: Position,
    accepted: Sequence[Accepted],
    keep_answer: KeepAnswer[tuple[Opened, list[str]]] | None,
    *,
    config: dict[str, Any],
    players: Sequence[str],
    dealer: str,
    visibility: str,
    seed: bytes | None,
    committed: bytes | None,
    client_seeds: str | None,
    given_seeds: ClientSeeds = MappingProxyType({}),
    origin: str | None = None,
    salts: bytes | None = None,
    nonce: str | None = None,
) -> tuple[Opened, list[str]]:
    """Stores a game; with ``salts``, one for each event, it is bound to the id of its ``origin``, not to its own.

    Its id ends in a ``nonce`` of its own, unless one is given.
    """
    ruleset = position.ruleset
    with store.connection(desk.pool) as conn, one_commit(conn, keep_answer):
        number, drawn = store.new_game_id(conn)
        nonce = nonce or drawn
        secret = secrets.token_bytes(SECRET_BYTES) if salts is None else None
        facts = chain_facts(
            game=store.write_game_id(number, nonce) if origin is None or salts is None else origin,
            ruleset=ruleset.id,
            version=ruleset.version,
            config=config,
            players=players,
            dealer=dealer,
            commitment=committed,
            client_seeds=client_seeds_of(client_seeds, len(players), given_seeds),
        )
        accepted, head = _seal(digests.start(facts), salts_of(secret, salts), accepted)
        game, tokens = store.create_game(
            conn,
            number,
            nonce,
            owner=owner,
            ruleset=ruleset.id,
            version=ruleset.version,
            config=config,
            players=players,
            dealer=dealer,
            visibility=visibility,
            seed=seed,
            commitment=committed,
            client_seeds=client_seeds,
            secret=secret,
            salts=salts,
            origin=origin,
            given_seeds=given_seeds,
            added=_addition(position, accepted, head),
        )
        derived = Kept(game, position, head, given_seeds)
        made = _opened(derived, "owner", None, game.created_at), tokens
        if keep_answer is not None:
            keep_answer(conn, made)
    desk.keep(derived)
    return made


def _facts(game: store.Game, given: ClientSeeds) -> dict[str, Any]:
    """What a game is, as its head is bound to it."""
    return chain_facts(
        game=game.id if game.secret is not None or game.origin is None else game.origin,
        ruleset=game.ruleset,
        version=game.version,
        config=game.config,
        players=game.players,
        dealer=game.dealer,
        commitment=game.commitment,
        client_seeds=client_seeds_of(game.client_seeds, len(game.players), given),
    )


def salts_of(secret: bytes | None, brought: bytes | None) -> Callable[[int], bytes]:
    """The salt of each event by its seq: from the game's secret, or of those it brought along, one after the other."""
    if secret is not None:
        return partial(digests.salt, secret)
    return lambda seq: (brought or b"")[SALT_BYTES * (seq - 1) : SALT_BYTES * seq]


def _seal(head: bytes, salt: Callable[[int], bytes], accepted: Sequence[Accepted]) -> tuple[list[Accepted], bytes]:
    """The events with their digests, and the head after them."""
    sealed = []
    for each in accepted:
        digest = digests.digest(salt(each.seq), each.seq, in_rfc3339(each.at), each.event)
        head = digests.chain(head, digest)
        sealed.append(each._replace(digest=digest))
    return sealed, head


def summary(position: Position) -> dict[str, Any]:
    """What lists and the game itself show of where it stands; public, and derived anew with each append."""
    state = position.state
    return {
        "scores": state.scores,
        "to_act": state.to_act,
        "chance": chance_call(state),
        "winners": state.winners,
    }


def written_summary(position: Position) -> str:
    return orjson.dumps(summary(position)).decode()


def _addition(position: Position, accepted: Sequence[Accepted], head: bytes) -> store.Addition:
    events = [store.Entry(each.at, encode(position.state, each.event), each.digest) for each in accepted]
    return store.Addition(events, head, position.status, written_summary(position))


# --- playing --------------------------------------------------------------------------------------------------------


def _key(game: store.Game, given: ClientSeeds) -> bytes | None:
    """The key of the stream that a game is dealt from; None when its owner deals."""
    places = range(len(client_seeds_of(game.client_seeds, len(game.players), {})))
    return None if game.seed is None else stream_key(game.seed, [given[place] for place in places if place in given])


def _deal(key: bytes | None, position: Position, now: datetime) -> list[Accepted]:
    """Deals, where the service deals, until the game waits for a move."""
    dealt = []
    while key is not None and position.state.call is not None:
        event = chance_event(key, position.chances, position.state)
        effects = replay.play(position, event)
        dealt.append(Accepted(position.seq, now, event, effects))
    return dealt


def play(
    desk: Desk,
    opened: Opened,
    moves: Sequence[Mapping[str, Any]],
    expected: Expected = None,
    keep_answer: KeepAnswer[Outcome] | None = None,
) -> Outcome:
    """Plays ``moves``, all or none, and whatever the service deals after each; answers once they are committed.

    Each move is an object with a ``type``, a text. RefusedError names the rule that one of them breaks, StaleError says
    that the game isn't at an ``expected`` seq, ForbiddenError that a seat token speaks for another seat.

    A list ends where cards come out that its sender doesn't know yet (OutOfRangeError for what follows, unseen): how a
    later move was refused would tell them, with nothing played.
    """
    may_write(opened)
    moves = [_as_caller(opened, move) for move in moves]

    def attempt(opened: Opened, now: datetime) -> Attempt:
        position = opened.position.copy()
        key = _key(opened.game, opened.client_seeds)
        accepted = []
        for index, move in enumerate(moves):
            try:
                effects = replay.play(position, move)
            except IllegalMove as refusal:
                raise RefusedError(refusal, index, _seat(move)) from None
            accepted.append(Accepted(position.seq, now, move, effects))
            dealt = _deal(key, position, now)
            accepted += dealt
            drawn = opened.seat is not None and any(effect.private for effect in effects)
            if (dealt or drawn) and index + 1 < len(moves):
                raise OutOfRangeError(f"moves.{index + 1}", "Send it after the cards that the move before it brings.")
        return position, accepted

    return _append(desk, opened, expected, attempt, keep_answer)


def _seat(move: Mapping[str, Any]) -> int | None:
    seat = move.get("seat")
    return seat if type(seat) is int else None


def may_write(opened: Opened) -> None:
    """UnauthorizedError for a bystander, who may only look."""
    if opened.role == "bystander":
        raise UnauthorizedError


def _as_caller(opened: Opened, move: Mapping[str, Any]) -> Mapping[str, Any]:
    """``move`` with the seat that a seat token may leave out; ForbiddenError for what isn't that seat's to do."""
    if opened.role == "owner":
        return move
    if move["type"] in opened.position.state.chances:
        if opened.game.dealer == "client":
            raise ForbiddenError("The owner of the game deals.")
        return move
    if "seat" not in move:
        return {"seat": opened.seat, **move}
    if type(move["seat"]) is int and move["seat"] != opened.seat:
        raise ForbiddenError("A seat token moves for its own seat only.")
    return move


def abandon(
    desk: Desk,
    opened: Opened,
    reason: str,
    expected: Expected = None,
    keep_answer: KeepAnswer[Outcome] | None = None,
) -> Outcome:
    """Ends an unfinished game by its owner's word; RefusedError (``common.over``) when it is over."""
    may_direct(opened)
    event = {"type": ABANDON, "reason": reason}

    def attempt(opened: Opened, now: datetime) -> Attempt:
        position = opened.position.copy()
        try:
            effects = replay.abandon(position, event)
        except IllegalMove as refusal:
            raise RefusedError(refusal, 0, None) from None
        return position, [Accepted(position.seq, now, event, effects)]

    return _append(desk, opened, expected, attempt, keep_answer)


def take_back(
    desk: Desk,
    opened: Opened,
    to: int,
    expected: Expected = None,
    keep_answer: KeepAnswer[Outcome] | None = None,
) -> Outcome:
    """Retracts every event after ``to`` by its owner's word (``common.takeback``) and deals anew what must be."""
    may_direct(opened)
    event = {"type": TAKEBACK, "to": to}

    def attempt(opened: Opened, now: datetime) -> Attempt:
        events = [past for _, past in _read_entries(desk, opened.game, opened.position.seq)]
        try:
            *_, step = _walk(opened.game, [*events, event])
        except IllegalMove as refusal:
            raise RefusedError(refusal, 0, None) from None
        accepted = Accepted(step.position.seq, now, event, step.effects)
        return step.position, [accepted, *_deal(_key(opened.game, opened.client_seeds), step.position, now)]

    return _append(desk, opened, expected, attempt, keep_answer)


def give_client_seed(
    desk: Desk,
    opened: Opened,
    client_seed: str,
    seat: int | None = None,
    keep_answer: KeepAnswer[Outcome] | None = None,
) -> Outcome:
    """Adds a seat's or the owner's seed to a game that waits for it, and deals when it was the last.

    The owner may speak for a ``seat``. RefusedError when the game doesn't wait for it: each comes once, before the
    first deal.
    """
    may_write(opened)
    place = _seed_place(opened, seat)

    def attempt(opened: Opened, now: datetime) -> Attempt:
        state = opened.position.state
        if state.phase != replay.SEEDING:
            over = IllegalMove("common.phase", f"Client seeds are not accepted in the phase {state.phase}.")
            raise RefusedError(over, 0, seat)
        if place in opened.client_seeds:
            raise RefusedError(IllegalMove("common.turn", "This client seed has been sent."), 0, seat)
        given = {**opened.client_seeds, place: client_seed}
        position = _begin(opened.game)
        lacking = _lacking(opened.game, given)
        if lacking:
            _await_seeds(position, opened.game.client_seeds, lacking)
        return position, _deal(_key(opened.game, given), position, now)

    return _append(desk, opened, None, attempt, keep_answer, (place, client_seed))


def _seed_place(opened: Opened, seat: int | None) -> int:
    """Where the caller's client seed belongs; ForbiddenError when it has none to send."""
    mode = opened.game.client_seeds
    if mode is None:
        raise ForbiddenError("This game is dealt without client seeds.")
    if mode == "owner":
        may_direct(opened)
        if seat is not None:
            raise OutOfRangeError("seat", "The client seed of this game is its owner's, not a seat's.")
        return 0
    if opened.role == "seat":
        if seat not in (None, opened.seat):
            raise ForbiddenError("A seat token speaks for its own seat only.")
        seat = opened.seat
    if seat is None or not 0 <= seat < len(opened.game.players):
        raise OutOfRangeError("seat", "The owner names the seat that the client seed comes from.")
    return seat


def may_direct(opened: Opened) -> None:
    """ForbiddenError for a seat, UnauthorizedError for a bystander: this is the owner's."""
    may_write(opened)
    if opened.role != "owner":
        raise ForbiddenError("Only the owner of the game may do this.")


def _append(
    desk: Desk,
    opened: Opened,
    expected: Expected,
    attempt: Callable[[Opened, datetime], Attempt],
    keep_answer: KeepAnswer[Outcome] | None,
    given: tuple[int, str] | None = None,
) -> Outcome:
    """Stores what ``attempt`` makes of the game, and a client seed ``given`` with it.

    Tries again on a newer position when another writer was first.
    """
    game = opened.game
    signer = desk.signer()
    for _ in range(ROUNDS_OF_RETRY):
        standing = store.Standing(opened.position.seq, opened.head)
        if expected is not None and expected.isdisjoint((tag(opened), f'"{standing.seq}"')):
            raise StaleError(standing.seq)
        now = datetime.now(UTC)
        position, accepted = attempt(opened, now)
        client_seeds = opened.client_seeds if given is None else {**opened.client_seeds, given[0]: given[1]}
        head = opened.head if given is None else digests.start(_facts(game, client_seeds))
        accepted, head = _seal(head, salts_of(game.secret, None), accepted)
        addition = _addition(position, accepted, head)
        derived = Kept(game, position, head, client_seeds)
        receipt = signer.sign(game.id, position.seq, head)
        outcome = Outcome(_opened(derived, opened.role, opened.seat, now), accepted, receipt)
        with store.connection(desk.pool) as conn:
            with one_commit(conn, keep_answer):
                if given is None:
                    stored = store.append(conn, game.number, standing, addition)
                else:
                    stored = store.add_client_seed(conn, game.number, standing, *given, addition)
                if stored and keep_answer is not None:
                    keep_answer(conn, outcome)
            if stored:
                desk.keep(derived)
                if desk.announce is not None:
                    desk.announce(game.number, position, accepted)
                return outcome
            opened = _reopen(desk, conn, opened)
    raise store.Unavailable


def _reopen(desk: Desk, conn: store.Connection, opened: Opened) -> Opened:
    found = store.read_head(conn, opened.game.number, None, opened.position.seq)
    if found.head is None:
        raise NotFoundError
    kept = Kept(opened.game, opened.position, opened.head, opened.client_seeds)
    derived = _bring_up(desk, conn, opened.game, kept, found)
    return _opened(derived, opened.role, opened.seat, found.head.updated_at)


# --- looking --------------------------------------------------------------------------------------------------------


def _read_entries(desk: Desk, game: store.Game, upto: int) -> list[tuple[store.Entry, Event]]:
    tables = _begin(game).state
    with store.connection(desk.pool) as conn:
        entries = store.read_events(conn, game.number, upto)
    return [(entry, decode(tables, entry.text)) for entry in entries]


def _walk(game: store.Game, events: Sequence[Event]) -> Iterator[Step]:
    return replay.walk(_ruleset(game), game.config, len(game.players), events)


def _steps(desk: Desk, game: store.Game, upto: int) -> Iterator[tuple[store.Entry, Step]]:
    """The record replayed up to event ``upto``: each event as it is stored, and what it led to."""
    rows = _read_entries(desk, game, upto)
    return zip((entry for entry, _ in rows), _walk(game, [event for _, event in rows]), strict=True)


def read_accepted(desk: Desk, game: store.Game, after: int, upto: int) -> tuple[list[Accepted], Position]:
    """The events after seq ``after`` up to ``upto`` as they were accepted, and the position after the last."""
    position = _begin(game)
    accepted = []
    for seq, (entry, step) in enumerate(_steps(desk, game, upto), 1):
        position = step.position
        if seq > after:
            accepted.append(Accepted(seq, entry.at, step.event, step.effects, entry.digest))
    return accepted, position


def go_on(
    desk: Desk, game: store.Game, position: Position, entries: Sequence[store.Entry]
) -> tuple[list[Accepted], Position]:
    """The events that follow on ``position`` as they were accepted, and the position after the last."""
    events = [decode(position.state, entry.text) for entry in entries]
    if position.seq == 0 or any(event["type"] == TAKEBACK for event in events):
        return read_accepted(desk, game, position.seq, position.seq + len(entries))
    position = position.copy()
    return [
        Accepted(seq, entry.at, event, replay.advance(position, event), entry.digest)
        for seq, (entry, event) in enumerate(zip(entries, events, strict=True), position.seq + 1)
    ], position


def position_at(desk: Desk, opened: Opened, at: int | None) -> Position:
    """The position after event ``at`` (None: the newest); OutOfRangeError beyond the record."""
    if at is None or at == opened.position.seq:
        return opened.position
    within("at", at, 0, opened.position.seq)
    return read_accepted(desk, opened.game, at, at)[1]


def within(name: str, seq: int, least: int, most: int) -> None:
    """OutOfRangeError unless the parameter of that name, a ``seq``, lies in between."""
    if not least <= seq <= most:
        raise OutOfRangeError(name, f"Must be from {least} to {most}, as far as the record goes.")


def view_accepted(position: Position, accepted: Accepted, view: Seen) -> dict[str, Any]:
    """An event with ``seq``, ``at``, ``digest`` and ``effects``, as ``view`` may see it."""
    return {
        "seq": accepted.seq,
        "at": in_rfc3339(accepted.at),
        **replay.view_event(position, accepted.event, view),
        "digest": accepted.digest.hex(),
        "effects": replay.view_effects(accepted.effects, view),
    }


def tag(opened: Opened) -> str:
    """The tag of the game as it stands: its seq, and the client seeds so far while it waits for more."""
    seeding = opened.position.state.phase == replay.SEEDING
    return f'"{opened.position.seq}.{len(opened.client_seeds)}"' if seeding else f'"{opened.position.seq}"'


def view_game(opened: Opened) -> dict[str, Any]:
    """The game itself, the same in every view: what it is, and where it stands."""
    position = opened.position
    shown = _view_game(opened.game, position.seq, position.status, summary(position), opened.updated_at)
    if opened.role == "bystander":
        # so it is for whoever asks: a demonstration is private again once it isn't offered
        shown["visibility"] = "public"
    if opened.game.client_seeds is not None:
        shown["client_seeds"] = _facts(opened.game, opened.client_seeds)["client_seeds"]
    return shown


def _view_game(
    game: store.Game, seq: int, status: str, summary: Mapping[str, Any], updated_at: datetime
) -> dict[str, Any]:
    shown = {
        "id": game.id,
        "ruleset": game.ruleset,
        "version": game.version,
        "config": game.config,
        "players": game.players,
        "dealer": game.dealer,
        "visibility": game.visibility,
        "status": status,
        "seq": seq,
        **summary,
        "created_at": in_rfc3339(game.created_at),
        "updated_at": in_rfc3339(updated_at),
    }
    if game.commitment is not None:
        shown["commitment"] = game.commitment.hex()
    if game.seed is not None and status != "running":
        shown["seed"] = game.seed.hex()
    if game.origin is not None:
        shown["origin"] = game.origin
    return shown


def list_games(desk: Desk, owner: int, *, limit: int, cursor: str | None = None, **filters: Any) -> dict[str, Any]:
    """A page of the ``owner``'s games, newest first, and the cursor of the ``next``, which is the id of its last game.

    ``filters`` are the store's; OutOfRangeError for a cursor that is none.
    """
    before = None if cursor is None else store.parse_game_id(cursor)
    if cursor is not None and before is None:
        raise OutOfRangeError("cursor", "Must be the next of an earlier page.")
    with store.connection(desk.pool) as conn:
        found = store.list_games(conn, owner, before=before, limit=limit + 1, **filters)
    page: dict[str, Any] = {
        "games": [
            _view_game(game, head.seq, head.status, orjson.loads(head.summary), head.updated_at)
            for game, head in found[:limit]
        ]
    }
    if len(found) > limit:
        page["next"] = found[limit - 1][0].id
    return page


def list_demonstrations(desk: Desk) -> list[tuple[str, str]]:
    """The ruleset and the id of each game that everybody may see as a demonstration."""
    with store.connection(desk.pool) as conn:
        return store.list_offered(conn)


def in_rfc3339(time: datetime) -> str:
    """``time``, which is in UTC as all that the store answers, in RFC 3339 form to the microsecond."""
    return time.isoformat(timespec="microseconds")[: -len("+00:00")] + "Z"


def view_events(desk: Desk, opened: Opened, view: Seen, after: int, upto: int) -> list[dict[str, Any]]:
    """The events after seq ``after`` up to ``upto``, with their effects; OutOfRangeError beyond the record."""
    within("after", after, 0, opened.position.seq)
    accepted, position = read_accepted(desk, opened.game, after, min(upto, opened.position.seq))
    return [view_accepted(position, each, view) for each in accepted]


Framed = tuple[Mapping[str, Any], Step]
"""A step of a replay, and what is stored with its event: its time and digest, where there are some."""


def view_frames(desk: Desk, opened: Opened, view: Seen, first: int, final: int | None) -> dict[str, Any]:
    """The events from seq ``first`` to ``final``, each with the state after it, for a viewer to step through."""
    first, final = frame_span(first, final, opened.position.seq)
    steps = (
        ({"at": in_rfc3339(entry.at), "digest": entry.digest.hex()}, step)
        for entry, step in _steps(desk, opened.game, final)
    )
    frames = framed(opened.game.id, opened.game.players, islice(steps, first - 1, None), view)
    return {"frames": frames, **({"next": final + 1} if final < opened.position.seq else {})}


def frame_span(first: int, final: int | None, newest: int) -> tuple[int, int]:
    """The first and the last of the frames asked for, of a record of ``newest`` events; OutOfRangeError beyond."""
    within("from", first, 1, newest + 1)
    if final is None:
        return first, min(newest, first + FRAMES_MOST - 1)
    if final - first >= FRAMES_MOST:
        raise OutOfRangeError("to", f"Must be at most {FRAMES_MOST - 1} after from.")
    within("to", final, first - 1, newest)
    return first, final


def framed(game: str, players: Sequence[str], steps: Iterable[Framed], view: Seen) -> list[dict[str, Any]]:
    """Frames of the ``steps`` of the game with that id: event, effects, both in words, and the state after it."""
    return [
        {
            "event": {"seq": step.position.seq, **replay.view_event(step.position, step.event, view), **stored},
            "effects": replay.view_effects(step.effects, view),
            "text": sentences(step, players, view),
            "state": {
                "game": game,
                "ruleset": step.position.ruleset.id,
                **replay.view_position(step.position, view),
            },
        }
        for stored, step in steps
    ]


def view_state(opened: Opened, position: Position, view: Seen) -> dict[str, Any]:
    """The state at ``position`` as ``view`` may see it, with the ids of its game and ruleset."""
    return {"game": opened.game.id, "ruleset": opened.game.ruleset, **replay.view_position(position, view)}


def legal_moves(desk: Desk, opened: Opened, seat: int | None, at: int | None) -> dict[str, Any]:
    """What a seat may do: any that the owner names, a token's own; ForbiddenError for another's."""
    may_write(opened)
    if opened.role == "seat":
        if seat not in (None, opened.seat):
            raise ForbiddenError("A seat token asks for the moves of its own seat only.")
        seat = opened.seat
    if seat is None:
        raise OutOfRangeError("seat", "The owner names the seat whose moves are asked for.")
    if not 0 <= seat < len(opened.game.players):
        raise OutOfRangeError("seat", "Must be a seat of the game.")
    position = position_at(desk, opened, at)
    return {"seq": position.seq, "seat": seat, "moves": replay.legal_moves(position, seat)}


# --- records --------------------------------------------------------------------------------------------------------


def _may_read_record(opened: Opened) -> None:
    if not opened.over and opened.role != "owner":
        raise ForbiddenError("Until the game is over, its record is its owner's.")


def record(desk: Desk, opened: Opened) -> dict[str, Any]:
    """The portable record; a running game's is its owner's, and has no salts."""
    _may_read_record(opened)
    game = opened.game
    entries = _read_entries(desk, game, opened.position.seq)
    brought = None
    if game.secret is None:
        with store.connection(desk.pool) as conn:
            brought = store.read_salts(conn, game.number)
    salt = salts_of(game.secret, brought)
    events = [
        Sealed(event, in_rfc3339(entry.at), entry.digest, salt(seq) if opened.over else None)
        for seq, (entry, event) in enumerate(entries, 1)
    ]
    return write_record(_facts(game, opened.client_seeds), opened.position, events, opened.head, game.seed)


def transcript(desk: Desk, opened: Opened) -> str:
    """The record as a person reads it; a running game's is its owner's."""
    _may_read_record(opened)
    game = opened.game
    return write_transcript(
        game=game.id,
        ruleset=_ruleset(game),
        config=game.config,
        players=game.players,
        steps=[(in_rfc3339(entry.at), step) for entry, step in _steps(desk, game, opened.position.seq)],
        view=TABLE,
    )


# --- operation ------------------------------------------------------------------------------------------------------


def check_ready(desk: Desk) -> None:
    """Unavailable unless the database answers and has the schema that this version works with."""
    with store.connection(desk.pool) as conn:
        try:
            schema.check(conn)
        except schema.SchemaError as error:
            raise store.Unavailable from error
