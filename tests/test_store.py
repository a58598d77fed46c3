"""The store, on a real PostgreSQL: what an append promises, whatever happens in the middle of it."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import psycopg
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from psycopg.conninfo import make_conninfo

from api import store
from api.store import ids

NOW = datetime(2026, 3, 4, 5, 6, 7, 891011, tzinfo=UTC)
HEAD = bytes(range(32))
DIGEST = bytes(reversed(range(32)))


@pytest.fixture
def pool(database_url: str) -> Iterator[store.Pool]:
    with store.open_pool(database_url, 4) as opened:
        yield opened


@pytest.fixture
def conn(pool: store.Pool) -> Iterator[store.Connection]:
    with store.connection(pool) as lent:
        yield lent


@pytest.fixture
def admin(database_url: str) -> Iterator[store.Connection]:
    """A connection of who owns the database, a superuser."""
    with psycopg.connect(database_url, autocommit=True) as connected:
        yield connected


@pytest.fixture
def owner(admin: store.Connection) -> int:
    return new_owner(admin)


def new_owner(admin: store.Connection) -> int:
    key = store.parse_api_key(store.create_key(admin, "front end"))
    assert key is not None
    return key.number


def new_game(conn: store.Connection, owner: int, events: int = 0, status: str = "running", **given: Any) -> store.Game:
    game, _ = make(conn, arguments(owner, events, status) | given)
    return game


def make(conn: store.Connection, given: dict[str, Any]) -> tuple[store.Game, list[str]]:
    return store.create_game(conn, *store.new_game_id(conn), **given)


def append(conn: store.Connection, number: int, seq: int, events: list[store.Entry], status: str, summary: str) -> bool:
    """An append that leaves the head as it is."""
    return store.append(conn, number, store.Standing(seq, HEAD), store.Addition(events, HEAD, status, summary))


def arguments(owner: int, events: int = 0, status: str = "running") -> dict[str, Any]:
    """What makes a game of ``owner`` with so many events."""
    return {
        "owner": owner,
        "ruleset": "quadruple-war",
        "version": 1,
        "config": {"rounds": 13},
        "players": ["Ann", "Bob", "Cleo", "Dan"],
        "dealer": "client",
        "visibility": "private",
        "seed": None,
        "commitment": None,
        "client_seeds": None,
        "secret": b"\3" * 32,
        "salts": None,
        "origin": None,
        "given_seeds": {},
        "added": store.Addition(entries(range(1, events + 1)), HEAD, status, "{}"),
    }


def entries(names: Iterable[object]) -> list[store.Entry]:
    return [store.Entry(NOW, f'["event",{name}]', DIGEST) for name in names]


def head_of(conn: store.Connection, game: store.Game) -> store.Head:
    head = store.read_head(conn, game.number, None, 0).head
    assert head is not None
    return head


# --- ids and credentials --------------------------------------------------------------------------------------------

numbers = st.integers(0, ids.INT4_MAX)


@given(numbers)
def test_a_game_id_leads_to_its_number(number: int) -> None:
    assert store.parse_game_id(ids.write_game_id(number, ids.new_nonce())) == number


@given(number=numbers, seat=numbers)
def test_a_credential_is_read_as_it_was_written(number: int, seat: int) -> None:
    key = ids.ApiKey(number, ids.new_secret())
    token = ids.SeatToken(number, seat, ids.new_secret())
    assert store.parse_api_key(key.text) == key
    assert store.parse_seat_token(token.text) == token
    assert store.parse_api_key(token.text) is None
    assert store.parse_seat_token(key.text) is None


@given(st.text() | st.from_regex(r"tl[ks]_[\d_-]{1,12}_[\w-]{43}(_[\w-]{43})?\s*"))
@example("tlk_01_" + "a" * 43)
@example(f"tlk_{2**31}_" + "a" * 43)
@example("tlk_1_" + "a" * 43 + "\n")
@example("tlk_1\u0661_" + "a" * 43)
@example("tls_1_+2_" + "a" * 43)
@example("tls_1_2_" + "a" * 42 + "\ud800")
@example(ids.write_game_id(2**31, "0" * 9))
@example(ids.write_game_id(1, "0" * 9).replace("1", "I"))
@example("0" * 15)
def test_of_other_texts_only_the_one_spelling_is_read(text: str) -> None:
    key, token, number = store.parse_api_key(text), store.parse_seat_token(text), store.parse_game_id(text)
    assert key is None or (key.text == text and key.number <= ids.INT4_MAX)
    assert token is None or (token.text == text and max(token.game, token.seat) <= ids.INT4_MAX)
    assert number is None or (ids.write_game_id(number, text[7:]) == text and number <= ids.INT4_MAX)


def test_a_credential_shows_its_secret_to_no_log() -> None:
    secret = ids.new_secret()
    for credential in (ids.ApiKey(1, secret), ids.SeatToken(1, 2, secret)):
        assert secret not in repr(credential)
        assert secret not in f"{credential}"


def test_keys_are_made_listed_and_revoked(admin: store.Connection) -> None:
    assert not store.any_key(admin)
    text = store.create_key(admin, "Zoë's front end")
    key = store.parse_api_key(text)
    assert key is not None
    assert store.any_key(admin)
    known = store.read_key(admin, key.number)
    assert known is not None
    assert key.matches(known)
    assert not ids.ApiKey(key.number, ids.new_secret()).matches(known)
    assert store.revoke_key(admin, key.number)
    assert not store.revoke_key(admin, key.number)
    assert not store.revoke_key(admin, key.number + 1)
    assert store.read_key(admin, key.number) is None
    assert not store.any_key(admin)
    [listed] = store.list_keys(admin)
    assert (listed.number, listed.name) == (key.number, "Zoë's front end")
    assert listed.revoked_at is not None
    assert listed.created_at <= listed.revoked_at


def test_no_secret_is_stored(conn: store.Connection, admin: store.Connection) -> None:
    text = store.create_key(admin, "front end")
    key = store.parse_api_key(text)
    assert key is not None
    _, tokens = make(conn, arguments(key.number, 2))
    stored = "".join(
        repr(row)
        for table in ("api_keys", "games", "heads", "events")
        for row in admin.execute(f"SELECT * FROM {table}")
    )
    secrets = [credential[-43:] for credential in (text, *tokens)]
    assert len(set(secrets)) == 5
    assert not [secret for secret in secrets if secret in stored]


# --- games ----------------------------------------------------------------------------------------------------------


def test_a_game_is_read_as_it_was_made(conn: store.Connection, owner: int) -> None:
    given = arguments(owner, 3) | {
        "seed": b"\2" * 32,
        "commitment": b"\1" * 32,
        "origin": "elsewhere",
        "dealer": "service",
    }
    game, tokens = make(conn, given)
    assert store.read_game(conn, game.number) == game
    assert store.parse_game_id(game.id) == game.number
    for name in ("ruleset", "version", "config", "dealer", "visibility", "seed", "commitment", "origin", "owner"):
        assert getattr(game, name) == given[name]
    assert list(game.players) == given["players"]
    parsed = [store.parse_seat_token(token) for token in tokens]
    assert [(token.game, token.seat) for token in parsed if token] == [(game.number, seat) for seat in range(4)]
    assert [[token.matches(known) for known in game.tokens] for token in parsed if token] == [
        [seat == other for other in range(4)] for seat in range(4)
    ]
    assert head_of(conn, game) == store.Head(3, HEAD, 0, "running", "{}", game.created_at)
    assert store.read_game(conn, game.number + 1) is None
    assert repr(game.seed) not in repr(game)


def test_two_games_have_two_ids(conn: store.Connection, owner: int) -> None:
    one, other = new_game(conn, owner), new_game(conn, owner)
    assert one.number != other.number
    assert one.id[7:] != other.id[7:]


def test_events_come_back_as_given_and_in_order(conn: store.Connection, owner: int) -> None:
    far = datetime(1987, 6, 5, 4, 3, 2, 1, tzinfo=timezone(timedelta(hours=-7)))
    texts = ['["deal",["As"]]', '[0,"say","\\u0000 \\ud800 ünïcode 🂡"]', "[]"]
    times = [NOW + timedelta(microseconds=1), far, NOW]
    given = [
        store.Entry(at, text, bytes([place]) * 32) for place, (at, text) in enumerate(zip(times, texts, strict=True))
    ]
    game, _ = make(conn, arguments(owner) | {"added": store.Addition(given[:1], HEAD, "running", "{}")})
    assert append(conn, game.number, 1, given[1:], "finished", '{"scores":[1]}')
    assert store.read_events(conn, game.number) == given
    assert {entry.at.utcoffset() for entry in store.read_events(conn, game.number)} == {timedelta(0)}
    assert store.read_events(conn, game.number, upto=2) == given[:2]
    assert store.read_events(conn, game.number, upto=2, after=1) == given[1:2]
    assert store.read_events(conn, game.number, after=3) == []
    assert store.read_events(conn, game.number + 1) == []
    head = head_of(conn, game)
    assert (head.seq, head.status, head.summary) == (3, "finished", '{"scores":[1]}')
    assert head.updated_at >= game.created_at


def test_reading_for_a_move_finds_key_head_and_what_is_new(
    conn: store.Connection, admin: store.Connection, owner: int
) -> None:
    game = new_game(conn, owner, events=4)
    texts = [entry.text for entry in entries(range(1, 5))]
    found = store.read_head(conn, game.number, owner, 0)
    assert found.key_hash == store.read_key(conn, owner)
    assert found.head == store.Head(4, HEAD, 0, "running", "{}", game.created_at)
    assert found.events == texts
    assert store.read_head(conn, game.number, owner, 2).events == texts[2:]
    assert store.read_head(conn, game.number, owner, 4).events == []
    assert store.read_head(conn, game.number, None, 9) == (None, found.head, [], [])
    assert store.read_head(conn, game.number + 1, owner, 0) == (found.key_hash, None, [], [])
    assert store.read_head(conn, game.number, owner + 1, 4) == (None, found.head, [], [])
    store.revoke_key(admin, owner)
    assert store.read_head(conn, game.number, owner, 4).key_hash is None


def test_an_append_elsewhere_than_at_the_end_adds_nothing(conn: store.Connection, owner: int) -> None:
    game = new_game(conn, owner, events=2)
    before = head_of(conn, game)
    for seq in (0, 1, 3):
        assert not append(conn, game.number, seq, entries(["lost", "too"]), "finished", "[]")
    assert not append(conn, game.number + 1, 0, entries(["lost"]), "finished", "[]")
    assert head_of(conn, game) == before
    assert store.read_events(conn, game.number) == entries([1, 2])
    assert store.read_events(conn, game.number + 1) == []


def test_a_head_that_fell_behind_its_events_refuses_and_changes_nothing(
    conn: store.Connection, admin: store.Connection, owner: int
) -> None:
    game = new_game(conn, owner, events=2)
    admin.execute("UPDATE heads SET seq = 1")
    before = head_of(conn, game)
    assert not append(conn, game.number, 1, entries(["twice"]), "running", "{}")
    assert head_of(conn, game) == before
    assert store.read_events(conn, game.number) == entries([1, 2])


# --- lists ----------------------------------------------------------------------------------------------------------


def test_a_list_has_the_games_of_its_owner_newest_first(
    conn: store.Connection, admin: store.Connection, owner: int
) -> None:
    other = new_owner(admin)
    games = [new_game(conn, each) for each in (owner, other, owner, owner)]
    listed = store.list_games(conn, owner, limit=9)
    assert [game for game, _ in listed] == [games[3], games[2], games[0]]
    assert [head for _, head in listed] == [head_of(conn, game) for game, _ in listed]
    assert [game for game, _ in store.list_games(conn, other, limit=9)] == [games[1]]
    assert store.list_games(conn, other + 1, limit=9) == []


def test_pages_follow_each_other_without_gap_or_repeat(
    conn: store.Connection, admin: store.Connection, owner: int
) -> None:
    numbers = [new_game(conn, owner).number for _ in range(7)]
    # Made in the same microsecond, or by a clock that went back, they still have one order.
    other = new_owner(admin)
    foreign = new_game(conn, other).number
    times = {number: NOW + timedelta(seconds=place // 3) for place, number in enumerate(numbers)}
    have_made_at(admin, times | {foreign: NOW - timedelta(days=1)})
    pages: list[list[int]] = []
    before = None
    while page := store.list_games(conn, owner, limit=2, before=before):
        pages.append([game.number for game, _ in page])
        before = pages[-1][-1]
        new_game(conn, owner)
    assert pages == [numbers[:4:-1], numbers[4:2:-1], numbers[2:0:-1], numbers[:1]]
    assert store.list_games(conn, other, limit=9, before=numbers[-1]) == []
    assert store.list_games(conn, owner, limit=9, before=2**31 - 1) == []


def test_filters_leave_out_what_does_not_fit(conn: store.Connection, admin: store.Connection, owner: int) -> None:
    fits: dict[str, Any] = {"ruleset": "thirteen", "status": "finished", "players": ["Ann", "Bob"]}
    others: list[dict[str, Any]] = [{"ruleset": "soda"}, {"status": "abandoned"}, {"players": ["Bo", "Ann,Bob"]}]
    numbers = [new_game(conn, owner, **fits | other).number for other in ({}, *others)]
    have_made_at(admin, {number: NOW + timedelta(hours=place) for place, number in enumerate(numbers)})

    def found(**filters: Any) -> list[int]:
        return [game.number for game, _ in store.list_games(conn, owner, limit=9, **filters)][::-1]

    assert found() == numbers
    assert found(ruleset="thirteen") == [numbers[0], numbers[2], numbers[3]]
    assert found(status="finished") == [numbers[0], numbers[1], numbers[3]]
    assert found(player="Bob") == numbers[:3]
    assert found(player="") == found(player="bob") == found(player="Ann,Bob,") == found(status="{}") == []
    assert found(since=NOW + timedelta(hours=1)) == numbers[1:]
    assert found(until=NOW + timedelta(hours=1)) == numbers[:1]
    assert found(since=NOW + timedelta(microseconds=1), until=NOW + timedelta(hours=3)) == numbers[1:3]
    assert found(ruleset="thirteen", status="finished", player="Bob", before=numbers[3]) == numbers[:1]


def have_made_at(admin: store.Connection, times: dict[int, datetime]) -> None:
    """Changes when games, by number, were made."""
    admin.execute("ALTER TABLE games DISABLE TRIGGER refuse_change")
    for number, at in times.items():
        admin.execute("UPDATE games SET created_at = %s WHERE game = %s", (at, number))
    admin.execute("ALTER TABLE games ENABLE ALWAYS TRIGGER refuse_change")


# --- appends against each other, and against accidents --------------------------------------------------------------


def test_of_the_writers_at_one_seq_exactly_one_wins(pool: store.Pool, owner: int) -> None:
    turns, writers = 200, 4
    with store.connection(pool) as conn:
        game = new_game(conn, owner)
    barrier = threading.Barrier(writers)
    won: list[list[int]] = [[] for _ in range(turns)]

    def write(writer: int) -> None:
        seq = 0
        with store.connection(pool) as conn:
            for turn in range(turns):
                barrier.wait(30)
                # A different number of events each, so that what the losers would have added overlaps only in part.
                if append(conn, game.number, seq, batch(turn, writer), "running", f"[{turn},{writer}]"):
                    won[turn].append(writer)
                barrier.wait(30)
                seq += len(batch(turn, won[turn][0]))

    def batch(turn: int, writer: int) -> list[store.Entry]:
        return entries(f"{turn},{writer},{place}" for place in range(1 + writer))

    with ThreadPoolExecutor(writers) as threads:
        list(threads.map(write, range(writers)))
    assert [len(each) for each in won] == [1] * turns
    with store.connection(pool) as conn:
        events, head = store.read_events(conn, game.number), head_of(conn, game)
    assert events == [entry for turn, [writer] in enumerate(won) for entry in batch(turn, writer)]
    assert (head.seq, head.summary) == (len(events), f"[{turns - 1},{won[-1][0]}]")


def test_a_writer_that_had_to_wait_sees_that_the_game_went_on(
    database_url: str, admin: store.Connection, owner: int
) -> None:
    # Whatever the database's own default is: a stricter one would make the append fail instead.
    admin.execute(f"ALTER DATABASE {admin.info.dbname} SET default_transaction_isolation = 'serializable'")
    with store.open_pool(database_url, 2) as pool, store.connection(pool) as conn:
        game = new_game(conn, owner)
        with ThreadPoolExecutor(1) as threads:
            with admin.transaction():
                assert append(admin, game.number, 0, entries(["first"]), "running", "{}")
                waiting = threads.submit(append, conn, game.number, 0, entries(["later"]), "running", "{}")
                wait_until(lambda: is_waiting(admin, conn.info.backend_pid))
            assert not waiting.result(30)
        assert store.read_events(conn, game.number) == entries(["first"])


def test_a_lock_reaches_no_further_than_its_game_and_is_not_waited_for_long(
    pool: store.Pool, admin: store.Connection, owner: int
) -> None:
    with store.connection(pool) as conn:
        locked, free = new_game(conn, owner), new_game(conn, owner)
    with admin.transaction():
        admin.execute("SELECT FROM heads WHERE game = %s FOR UPDATE", (locked.number,))
        with store.connection(pool) as conn:
            assert append(conn, free.number, 0, entries(["free"]), "running", "{}")
            assert store.read_head(conn, locked.number, None, 0).head is not None
        with pytest.raises(store.Unavailable), store.connection(pool) as conn:
            append(conn, locked.number, 0, entries(["locked"]), "running", "{}")
    with store.connection(pool) as conn:
        assert append(conn, locked.number, 0, entries(["freed"]), "running", "{}")


def test_making_a_game_and_each_append_is_one_transaction(
    conn: store.Connection, admin: store.Connection, owner: int
) -> None:
    game = new_game(conn, owner, events=3)

    def writers(*tables: str) -> set[str]:
        return {row[0] for table in tables for row in admin.execute(f"SELECT xmin::text FROM {table}")}

    [made] = writers("games", "heads", "events")
    assert append(conn, game.number, 3, entries(range(4, 9)), "running", "{}")
    [appended] = writers("heads")
    assert writers("events") == {made, appended}
    assert conn.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


def test_a_backend_killed_in_the_middle_of_an_append_leaves_nothing(
    pool: store.Pool, admin: store.Connection, owner: int
) -> None:
    with store.connection(pool) as conn:
        game = new_game(conn, owner, events=1)
        before = head_of(conn, game)

    def write() -> None:
        with store.connection(pool) as lent:
            backends.append(lent.info.backend_pid)
            append(lent, game.number, 1, entries(["half"]), "running", "{}")

    backends: list[int] = []
    with ThreadPoolExecutor(1) as threads, admin.transaction():
        admin.execute("SELECT FROM heads FOR UPDATE")
        writing = threads.submit(write)
        wait_until(lambda: bool(backends) and is_waiting(admin, backends[0]))
        admin.execute("SELECT pg_terminate_backend(%s)", backends)
        with pytest.raises(store.Unavailable):
            writing.result(30)
    with store.connection(pool) as conn:
        assert head_of(conn, game) == before
        assert store.read_events(conn, game.number) == entries([1])
        assert append(conn, game.number, 1, entries([2]), "running", "{}")


@pytest.mark.parametrize(("broken", "stored"), [("request", 0), ("answer", 3000)])
def test_a_connection_lost_in_the_middle_of_an_append_leaves_all_or_nothing(
    database_url: str, admin: store.Connection, owner: int, broken: str, stored: int
) -> None:
    game = new_game(admin, owner)
    events = entries(range(1, 3001))
    with Wire(admin.info) as wire, store.open_pool(wire.leads_to(database_url), 1) as pool:
        pool.wait()
        wire.broken = broken
        with pytest.raises(store.Unavailable), store.connection(pool) as conn:
            append(conn, game.number, 0, events, "finished", "{}")
        wire.broken = ""
        with store.connection(pool) as conn:
            assert store.read_events(conn, game.number) == events[:stored]
            assert head_of(conn, game).seq == stored
            assert append(conn, game.number, stored, entries(["next"]), "running", "{}")


class Wire:
    """A way to a server that can be ``broken``: in the middle of a request, or before its answer gets through."""

    def __init__(self, server: psycopg.ConnectionInfo) -> None:
        self.server = server
        self.broken = ""
        self.listener = socket.create_server(("127.0.0.1", 0))

    def __enter__(self) -> "Wire":
        self.accepting = threading.Thread(target=self.accept)
        self.accepting.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.accepting.join()

    def leads_to(self, url: str) -> str:
        """``url`` by this way."""
        port = self.listener.getsockname()[1]
        return make_conninfo(url, host="127.0.0.1", port=port, sslmode="disable", gssencmode="disable")

    def accept(self) -> None:
        pumps = []
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = self.connect()
                for way in ((client, server, "request"), (server, client, "answer")):
                    pumps.append(threading.Thread(target=self.pump, args=way))
                    pumps[-1].start()
        for pump in pumps:
            pump.join()

    def connect(self) -> socket.socket:
        if not self.server.host.startswith("/"):
            return socket.create_connection((self.server.host, self.server.port))
        upstream = socket.socket(socket.AF_UNIX)
        upstream.connect(f"{self.server.host}/.s.PGSQL.{self.server.port}")
        return upstream

    def pump(self, source: socket.socket, sink: socket.socket, name: str) -> None:
        with source, suppress(OSError):
            while data := source.recv(1 << 16):
                if self.broken == name:
                    if name == "request":
                        sink.sendall(data[: len(data) // 2])
                    break
                sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)


def wait_until(happened: Callable[[], bool]) -> None:
    for _ in range(3000):
        if happened():
            return
        time.sleep(0.01)
    pytest.fail("it never happened")


def is_waiting(admin: store.Connection, backend: int) -> bool:
    """Whether another session keeps ``backend`` waiting."""
    [(blocked,)] = admin.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", (backend,)).fetchall()
    return bool(blocked)


# --- the service's role ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET event = event",
        "DELETE FROM events",
        "TRUNCATE events",
        "UPDATE games SET owner = owner",
        "DELETE FROM games",
        "TRUNCATE games CASCADE",
        "DELETE FROM heads",
        "TRUNCATE heads",
        "INSERT INTO api_keys (name, secret_hash) VALUES ('mine', sha256(''))",
        "UPDATE api_keys SET revoked_at = NULL",
        "ALTER TABLE events DISABLE TRIGGER ALL",
        "SET session_replication_role = replica",
    ],
)
def test_the_service_may_not_change_what_is_recorded(conn: store.Connection, owner: int, statement: str) -> None:
    game = new_game(conn, owner, events=2)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        conn.execute(statement)
    assert store.read_game(conn, game.number) == game
    assert store.read_events(conn, game.number) == entries([1, 2])


def test_what_the_url_asks_of_a_session_holds_beside_what_the_service_asks(database_url: str) -> None:
    url = make_conninfo(database_url, options="-c search_path=public -c role=none", application_name="mine")
    with store.open_pool(url, 1) as pool, store.connection(pool) as conn:
        [row] = conn.execute(
            "SELECT current_user, current_setting('search_path'), current_setting('application_name')"
        ).fetchall()
    assert row == ("tricklog_service", "public", "mine")


# --- the database away ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_a_text_that_the_database_cannot_hold_is_a_value_error(pool: store.Pool, owner: int, text: str) -> None:
    with store.connection(pool) as conn:
        game = new_game(conn, owner)
    calls: list[Callable[[store.Connection], object]] = [
        lambda conn: new_game(conn, owner, players=[text]),
        lambda conn: new_game(conn, owner, origin=text),
        lambda conn: append(
            conn, game.number, 0, [store.Entry(NOW, "[]", DIGEST), store.Entry(NOW, text, DIGEST)], "running", "{}"
        ),
        lambda conn: append(conn, game.number, 0, [store.Entry(NOW, "[]", DIGEST)], "running", text),
        lambda conn: store.list_games(conn, owner, player=text, limit=1),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"hold|surrogates"), store.connection(pool) as conn:
            call(conn)
    with store.connection(pool) as conn:
        assert [(listed, head.seq) for listed, head in store.list_games(conn, owner, limit=9)] == [(game, 0)]
        assert store.read_events(conn, game.number) == []


def test_a_database_that_cannot_be_reached_is_unavailable_in_words_of_our_own() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with (
        store.open_pool(f"postgresql://somebody:secret@127.0.0.1:{port}/games", 1) as pool,
        pytest.raises(store.Unavailable) as raised,
        store.connection(pool),
    ):
        pytest.fail("there is nothing to connect to")
    assert str(raised.value) == "the database is away"


def test_a_server_that_only_reads_is_unavailable_to_a_writer(
    database_url: str, admin: store.Connection, owner: int
) -> None:
    game = new_game(admin, owner)
    admin.execute(f"ALTER DATABASE {admin.info.dbname} SET default_transaction_read_only = on")
    with store.open_pool(database_url, 1) as pool:
        with store.connection(pool) as conn:
            assert store.read_game(conn, game.number) == game
        with pytest.raises(store.Unavailable), store.connection(pool) as conn:
            append(conn, game.number, 0, entries([1]), "running", "{}")


def test_connections_that_died_while_idle_are_replaced_unseen(
    pool: store.Pool, admin: store.Connection, owner: int
) -> None:
    pool.wait()
    others = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database()"
    assert len(admin.execute(f"{others} AND pid <> pg_backend_pid()").fetchall()) == pool.max_size
    with ExitStack() as stack:
        lent = [stack.enter_context(store.connection(pool)) for _ in range(pool.max_size)]
        games = {new_game(conn, owner).number for conn in lent}
    assert len(games) == pool.max_size


GREENLETS = """
from gevent import monkey
monkey.patch_all()
import sys
import gevent
from api import store

with store.open_pool(sys.argv[1], 2) as pool, store.connection(pool) as one, store.connection(pool) as two:
    one.execute("SELECT pg_advisory_lock(1)")
    waiting = gevent.spawn(two.execute, "SELECT pg_advisory_lock(1)")
    while not one.execute("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").fetchall():
        gevent.sleep(0.01)
    one.execute("SELECT pg_advisory_unlock(1)")
    waiting.get()
"""


def test_a_greenlet_that_waits_for_the_database_lets_the_others_run(database_url: str) -> None:
    subprocess.run([sys.executable, "-c", GREENLETS, database_url], check=True, timeout=60)
