"""Tried as an attacker with the database in hand: what is changed, one thing at a time, and what finds it.

``ATTACKS`` is the list: by column, what is done to it, and what the audit answers. ``NOT_OF_THE_RECORD`` says why the
other columns aren't in it.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final, NamedTuple

import psycopg
import pytest

from api import audits, disputes, service, store
from tests.games.playing import next_event
from tests.records import resealed

TABLES: Final = ("games", "heads", "events", "client_seeds", "disputes", "signing_keys")
K: Final = 12
"""The event that is attacked, somewhere in the middle."""


class Attack(NamedTuple):
    """What is done to ``column``, by SQL about game ``%(a)s`` (``%(b)s`` is another, ``%(n)s`` its last event).

    ``found`` is the check that finds it, with the first bad event: a number, or ``n`` and so many more. ``in_copy``: it
    is done to a game that was imported.
    """

    column: str
    what: str
    sql: str
    found: Mapping[str, int | str | None]
    in_copy: bool = False


def event(what: str, change: str, seq: int | str = K, column: str = "event", **found: int | str | None) -> Attack:
    sql = f"UPDATE events SET {change} WHERE game = %(a)s AND seq = {seq}"
    return Attack(f"events.{column}", what, sql, found or {"chain": K})


def game(column: str, what: str, value: str, **found: int | str | None) -> Attack:
    return Attack(f"games.{column}", what, f"UPDATE games SET {column} = {value} WHERE game = %(a)s", found)


def head(column: str, what: str, value: str, **found: int | str | None) -> Attack:
    return Attack(f"heads.{column}", what, f"UPDATE heads SET {column} = {value} WHERE game = %(a)s", found)


# Renumbers from above, since each seq may stand only once at any moment.
SHIFT: Final = (
    "UPDATE events SET seq = seq + 10000 WHERE game = %(a)s AND seq >= {0};"
    "UPDATE events SET seq = seq - 10000 {1} WHERE game = %(a)s AND seq > 10000"
)
TWIST: Final = """
UPDATE events AS one SET ({0}) = (SELECT {0} FROM events AS other WHERE other.game = {1} AND other.seq = {2})
WHERE game = %(a)s AND seq = {3}
"""
FLIPPED: Final = "set_byte({0}, 0, get_byte({0}, 0) # 1)"

ATTACKS: Final = [
    # --- one event
    event(
        "another card", "event = left(event, -4) || CASE right(event, 4) WHEN '\"2c\"' THEN '\"3c\"' ELSE '\"2c\"' END"
    ),
    event("another seat", "event = (left(event, 1)::int + 1) %% 3 || substr(event, 2)"),
    event("no JSON", "event = 'x'"),
    event("nothing", "event = ''"),
    event("something that isn't read", "event = event || ',1'"),
    event("a space", "event = replace(event, ',', ', ')"),
    event("a microsecond", "at = at + interval '1 microsecond'", column="at"),
    event("a bit of its digest", f"digest = {FLIPPED.format('digest')}", column="digest"),
    event("its number, to the end", "seq = %(n)s + 1", column="seq", store=K, chain=K),
    event("its game", "game = %(b)s, seq = 9999", column="game", store=K, chain=K),
    Attack("events.event", "the text of the next", TWIST.format("event", "%(a)s", K + 1, K), {"chain": K}),
    Attack("events.event", "all of the next", TWIST.format("at, event, digest", "%(a)s", K + 1, K), {"chain": K}),
    Attack("events.event", "all of another game's", TWIST.format("at, event, digest", "%(b)s", K, K), {"chain": K}),
    Attack("events.event", "a deal of another game", TWIST.format("event", "%(b)s", 2, 2), {"chain": 2, "deals": 2}),
    Attack("events.seq", "deleted", f"DELETE FROM events WHERE game = %(a)s AND seq = {K}", {"store": K, "chain": K}),
    Attack(
        "events.seq",
        "deleted, those after it moved up",
        f"DELETE FROM events WHERE game = %(a)s AND seq = {K}; {SHIFT.format(K, '- 1')}",
        {"chain": K, "store": "n"},
    ),
    Attack(
        "events.seq",
        "inserted, those after it moved down",
        f"{SHIFT.format(K, '+ 1')};"
        f" INSERT INTO events SELECT game, {K}, at, digest, event FROM events WHERE game = %(a)s AND seq = {K - 1}",
        {"chain": K, "store": "n+1"},
    ),
    Attack(
        "events.seq",
        "inserted at the end",
        "INSERT INTO events SELECT game, seq + 1, at, digest, event FROM events WHERE game = %(a)s AND seq = %(n)s",
        {"moves": "n+1", "chain": "n+1", "store": "n+1"},
    ),
    Attack(
        "events.seq",
        "two swapped",
        f"UPDATE events SET seq = 10000 + seq WHERE game = %(a)s AND seq IN ({K}, {K + 1});"
        f"UPDATE events SET seq = {2 * K + 1} - (seq - 10000) WHERE game = %(a)s AND seq > 10000",
        {"chain": K},
    ),
    Attack(
        "events.seq",
        "the last one gone",
        "DELETE FROM events WHERE game = %(a)s AND seq = %(n)s",
        {"store": "n", "chain": None},
    ),
    # --- a whole game
    Attack(
        "events.event",
        "all events of another game",
        "DELETE FROM events WHERE game = %(a)s; UPDATE events SET game = %(a)s WHERE game = %(b)s",
        {"chain": 1},
    ),
    Attack("events.seq", "all events gone", "DELETE FROM events WHERE game = %(a)s", {"store": 1}),
    Attack(
        "events.seq",
        "cut in the middle",
        f"DELETE FROM events WHERE game = %(a)s AND seq >= {K}",
        {"store": K, "chain": None},
    ),
    Attack(
        "events.at",
        "all a day later",
        "UPDATE events SET at = at + interval '1 day' WHERE game = %(a)s",
        {"chain": 1},
    ),
    # --- what the game is
    game("nonce", "another id", "reverse(nonce)", chain=None),
    game("ruleset", "another game", "'thirteen'", form=None),
    game("ruleset", "no known game", "'bridge'", form=None),
    game("version", "another version", "2", form=None),
    game("config", "a longer game", "replace(config, '\"target\":20', '\"target\":21')", chain=None),
    game("config", "other rules", "replace(config, '\"jokers\":true', '\"jokers\":false')", deals=1),
    game("config", "an unknown option", "'{\"speed\":3}'", form=None),
    game("config", "no JSON", "'{'", form=None),
    game("players", "a name", "'{Ann,Ben,Eve}'", chain=None),
    game("players", "one less", "'{Ann,Ben}'", chain=None),
    game("players", "other seats", "ARRAY[players[2], players[1], players[3]]", chain=None),
    game("dealer", "who dealt", "'client'", form=None),
    game("seed", "another seed", FLIPPED.format("seed"), commitment=None, deals=1),
    game("seed", "no seed", "NULL", commitment=None, deals=None),
    game("commitment", "another commitment", FLIPPED.format("commitment"), commitment=None, chain=None),
    game("commitment", "no commitment", "NULL", commitment=None, chain=None),
    game("client_seeds", "whose seeds", "'owner'", deals=1, chain=None),
    game("client_seeds", "no seeds", "NULL", deals=1, chain=None),
    game("secret", "another secret", FLIPPED.format("secret"), chain=1),
    Attack(
        "games.salts",
        "a bit of a salt",
        f"UPDATE games SET salts = set_byte(salts, {16 * K - 1}, get_byte(salts, {16 * K - 1}) # 1) WHERE game = %(a)s",
        {"chain": K},
        in_copy=True,
    ),
    Attack(
        "games.salts",
        "cut",
        f"UPDATE games SET salts = substr(salts, 1, {16 * (K - 1)}) WHERE game = %(a)s",
        {"form": K},
        in_copy=True,
    ),
    Attack(
        "games.origin",
        "another origin",
        "UPDATE games SET origin = 'elsewhere' WHERE game = %(a)s",
        {"chain": None},
        in_copy=True,
    ),
    Attack(
        "games.game",
        "another game's place",
        "UPDATE games SET game = game + 1000000 WHERE game = %(b)s;"
        " UPDATE games SET game = %(b)s WHERE game = %(a)s; UPDATE games SET game = %(a)s WHERE game = %(b)s + 1000000",
        {"chain": 1},
    ),
    # --- what comes before the first deal
    Attack(
        "client_seeds.seed",
        "another seed",
        "UPDATE client_seeds SET seed = 'mine' WHERE game = %(a)s AND place = 1",
        {"deals": 1, "chain": None},
    ),
    Attack(
        "client_seeds.place",
        "two swapped",
        "UPDATE client_seeds SET place = 9 WHERE game = %(a)s AND place = 0;"
        "UPDATE client_seeds SET place = 0 WHERE game = %(a)s AND place = 1;"
        "UPDATE client_seeds SET place = 1 WHERE game = %(a)s AND place = 9",
        {"deals": 1, "chain": None},
    ),
    Attack(
        "client_seeds.game",
        "gone to another game",
        "UPDATE client_seeds SET game = -1 WHERE game = %(a)s AND place = 2",
        {"deals": 1, "chain": None},
    ),
    # --- where it stands
    head("seq", "one less", "seq - 1", store="n"),
    head("seq", "one more", "seq + 1", store="n+1"),
    head("head", "a bit of it", FLIPPED.format("head"), chain=None),
    head("head", "another game's", "(SELECT head FROM heads WHERE game = %(b)s)", chain=None),
    head("status", "abandoned", "'abandoned'", store=None),
    head("status", "running", "'running'", store=None),
    head("summary", "another score", "regexp_replace(summary, '\"scores\":.[0-9-]+', '\"scores\":[999')", store=None),
    head("summary", "another winner", "regexp_replace(summary, '\"winners\":.[0-9]', '\"winners\":[7')", store=None),
    head("summary", "no JSON", "'x'", store=None),
    head("disputes", "one less", "disputes - 1", disputes=None),
    head("disputes", "one more", "disputes + 1", disputes=None),
    # --- disputes
    Attack(
        "disputes.entry",
        "another finding",
        "UPDATE disputes SET entry = replace(entry, 'rejected', 'upheld') WHERE game = %(a)s",
        {"disputes": None},
    ),
    Attack(
        "disputes.entry",
        "another statement",
        "UPDATE disputes SET entry = replace(entry, 'I say so.', 'I give in.') WHERE game = %(a)s",
        {"disputes": None},
    ),
    Attack(
        "disputes.at",
        "a day earlier",
        "UPDATE disputes SET at = at - interval '1 day' WHERE game = %(a)s AND place = 1",
        {"disputes": None},
    ),
    Attack(
        "disputes.digest",
        "a bit of it",
        f"UPDATE disputes SET digest = {FLIPPED.format('digest')} WHERE game = %(a)s AND place = 1",
        {"disputes": None},
    ),
    Attack(
        "disputes.place", "the last gone", "DELETE FROM disputes WHERE game = %(a)s AND place = 2", {"disputes": None}
    ),
    Attack(
        "disputes.place", "the first gone", "DELETE FROM disputes WHERE game = %(a)s AND place = 1", {"disputes": None}
    ),
    Attack("disputes.game", "all gone", "UPDATE disputes SET game = -1 WHERE game = %(a)s", {"disputes": None}),
]

NOT_OF_THE_RECORD: Final = {
    "games.owner": "says who may act, not what happened: the owner's key opens the game no more",
    "games.tokens": "says who may act, not what happened: a seat's token opens the game no more",
    "games.visibility": "says who may look, not what happened",
    "games.created_at": "nothing rests on it: the events have times of their own, which are bound",
    "heads.game": "its key; without it there is no game to be had",
    "heads.updated_at": "nothing rests on it but caches",
    "client_seeds.at": "nothing rests on it, and nothing shows it",
    "signing_keys.key": "a receipt that names a key which isn't there fails (test_a_swapped_key_…)",
    "signing_keys.public": "a receipt that it signed fails (test_a_swapped_key_…)",
    "signing_keys.secret": "receipts signed with another fail (test_a_swapped_key_…)",
    "signing_keys.created_at": "nothing rests on it",
    "signing_keys.retired_at": "says which key signs, not what was signed",
}


class Scene(NamedTuple):
    """Two finished games and the copy of one, and a worker that has them all at hand."""

    admin: store.Connection
    desk: service.Desk
    key: str
    games: tuple[store.Game, store.Game]
    copy: store.Game
    receipts: list[str]
    """Of the first game."""


@pytest.fixture(scope="module")
def scene(shared_database_url: str) -> Iterator[Scene]:
    with (
        psycopg.connect(shared_database_url, autocommit=True) as admin,
        store.open_pool(shared_database_url, 2) as pool,
    ):
        key = store.create_key(admin, "attacked")
        owner = store.parse_api_key(key)
        assert owner is not None
        desk = service.Desk(pool)
        one, receipts = _play(desk, owner.number, 1)
        other, _ = _play(desk, owner.number, 2)
        record = service.record(desk, service.open_game(desk, one.id, key))
        copy, _ = service.import_record(desk, owner.number, record)
        for table in TABLES:
            admin.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
            admin.execute(f"CREATE TABLE saved_{table} AS TABLE {table}")
        yield Scene(admin, desk, key, (one, other), copy.game, receipts)


def _play(desk: service.Desk, owner: int, number: int) -> tuple[store.Game, list[str]]:
    random = Random(number)
    receipts = []
    opened, _ = service.create_game(
        desk,
        owner,
        ruleset="quadruple-war",
        config={"target": 20, "jokers": True, "first_dealer": "draw"},
        players=["Ann", "Ben", "Cleo"],
        dealer="service",
        visibility="public",
        client_seeds="seats",
    )
    for seat in range(3):
        opened, _, receipt = service.give_client_seed(desk, opened, f"seed {seat} of {number}", seat)
        receipts.append(receipt)
    while not opened.over:
        opened, _, receipt = service.play(desk, opened, [next_event(opened.position, random)])
        receipts.append(receipt)
    disputes.claim(desk, opened, {"totals": [1, 2, 3], "statement": "I say so."})
    disputes.resolve_dispute(desk, opened, "1", "The record stands.")
    return opened.game, receipts


@pytest.fixture
def attacked(scene: Scene) -> Iterator[Scene]:
    """The scene, which is as it was before when the test is over."""
    yield scene
    scene.admin.execute(f"TRUNCATE {', '.join(TABLES)} CASCADE")
    for table in TABLES:
        scene.admin.execute(f"INSERT INTO {table} SELECT * FROM saved_{table}")


def found_by(scene: Scene, game: store.Game) -> Iterator[dict[str, Any]]:
    """What the audit answers in a worker that has the game at hand, and in one that meets it now."""
    [(nonce,)] = scene.admin.execute("SELECT nonce FROM games WHERE game = %s", (game.number,)).fetchall()
    for desk, game_id in (
        (scene.desk, game.id),
        (service.Desk(scene.desk.pool), store.write_game_id(game.number, nonce)),
    ):
        yield audits.audit_game(desk, service.open_stored(desk, game_id, scene.key))


def test_what_nobody_touched_is_true(scene: Scene) -> None:
    for game in (*scene.games, scene.copy):
        for audited in found_by(scene, game):
            assert audited["ok"], audited["checks"]


@pytest.mark.parametrize("attack", [pytest.param(each, id=f"{each.column}, {each.what}") for each in ATTACKS])
def test_an_attack_is_found_and_the_first_bad_event_named(attacked: Scene, attack: Attack) -> None:
    target = attacked.copy if attack.in_copy else attacked.games[0]
    [(last,)] = attacked.admin.execute("SELECT seq FROM heads WHERE game = %s", (target.number,)).fetchall()
    names = {"a": target.number, "b": attacked.games[1].number, "n": last}
    for statement in attack.sql.split(";"):
        done = attacked.admin.execute(statement, names)
        assert done.rowcount > 0, statement
    expected = {
        check: {"n": last, "n+1": last + 1}.get(event) if isinstance(event, str) else event
        for check, event in attack.found.items()
    }
    for audited in found_by(attacked, target):
        assert not audited["ok"]
        found = {check["check"]: check.get("event") for check in audited["checks"] if not check["ok"]}
        assert expected.items() <= found.items(), found
        assert not [event for event in found.values() if event is not None and event < min(_events(expected))]


def _events(found: Mapping[str, int | None]) -> list[int]:
    return [event for event in found.values() if event is not None] or [0]


def test_every_column_is_attacked_or_has_nothing_to_do_with_the_record(scene: Scene) -> None:
    columns = {
        f"{table}.{column}"
        for table, column in scene.admin.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_name = ANY(%s)", (list(TABLES),)
        )
    }
    assert {attack.column for attack in ATTACKS} | NOT_OF_THE_RECORD.keys() == columns
    assert not {attack.column for attack in ATTACKS} & NOT_OF_THE_RECORD.keys()


@pytest.mark.parametrize(
    "sql",
    [
        f"UPDATE signing_keys SET public = {FLIPPED.format('public')}",
        "UPDATE signing_keys SET key = reverse(key)",
        "DELETE FROM signing_keys",
    ],
)
def test_a_swapped_key_fails_the_receipts_that_the_true_one_signed(attacked: Scene, sql: str) -> None:
    game = attacked.games[0]
    record = service.record(attacked.desk, service.open_game(attacked.desk, game.id, attacked.key))
    receipts = attacked.receipts
    assert audits.audit_record(attacked.desk, record, receipts)["ok"]
    attacked.admin.execute(sql)
    if sql.startswith("DELETE"):
        attacked.admin.execute("INSERT INTO signing_keys (key, public, secret) VALUES ('new', sha256(''), sha256(''))")
    audited = audits.audit_record(attacked.desk, record, receipts)
    assert [check["check"] for check in audited["checks"] if not check["ok"]] == ["receipts"]


def test_a_whole_game_forged_with_every_secret_parts_from_its_receipts(attacked: Scene) -> None:
    """Whoever has the secrets can make a chain that opens; not the signatures that others hold already."""
    one = attacked.games[0]
    record = service.record(attacked.desk, service.open_game(attacked.desk, one.id, attacked.key))
    receipts = attacked.receipts
    record["events"][K]["at"] = "2026-01-01T00:00:00.000000Z"
    forged = resealed(record)
    audited = audits.audit_record(attacked.desk, forged, receipts)
    [found] = [check for check in audited["checks"] if not check["ok"]]
    assert (found["check"], found["event"]) == ("receipts", K + 1)
    assert audits.audit_record(attacked.desk, forged, [])["ok"]
