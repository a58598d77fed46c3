"""The schema: how a database gets it, what is refused on a wrong one, and who may do what in it."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from procrastinate.schema import SchemaManager
from psycopg import errors

import migrations
from api import embedded
from api.store import schema

NEWEST = schema.revisions()[-1]
every_change = pytest.mark.parametrize(
    "statement",
    [
        "UPDATE games SET nonce = 'm'",
        "DELETE FROM games",
        "TRUNCATE games CASCADE",
        "UPDATE events SET event = '[1]'",
        "DELETE FROM events",
        "TRUNCATE events",
        "UPDATE client_seeds SET seed = 'mine'",
        "DELETE FROM client_seeds",
        "TRUNCATE client_seeds",
        "UPDATE disputes SET entry = '{}'",
        "DELETE FROM disputes",
        "TRUNCATE disputes",
    ],
)


@pytest.fixture
def admin(database_url: str) -> Iterator[psycopg.Connection]:
    """A connection of the database's owner, a superuser, with a game of one event."""
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute("INSERT INTO api_keys (name, secret_hash) VALUES ('front end', sha256('secret'))")
        conn.execute(
            "INSERT INTO games (nonce, owner, ruleset, version, config, players, dealer, visibility, tokens, secret)"
            " VALUES ('n', 1, 'thirteen', 1, '{}', '{Ann,Ben}', 'client', 'private', '{}', sha256('secret'))"
        )
        conn.execute("INSERT INTO heads (game, seq, head, status, summary) VALUES (1, 1, sha256(''), 'running', '{}')")
        conn.execute("INSERT INTO events (game, seq, digest, event) VALUES (1, 1, sha256(''), '[]')")
        yield conn


@pytest.fixture
def server(reachable_folder: Path) -> Iterator[Callable[[str], str]]:
    """A server without anything of Tricklog, as the URLs of its databases by name."""
    folder = embedded.prepare(reachable_folder / uuid4().hex)
    url = embedded.start(folder, fsync="off")
    yield lambda name: urlsplit(url)._replace(path=f"/{name}").geturl()
    embedded.stop(folder)


def migrate_at_once(urls: list[str]) -> list[int]:
    """The exit statuses of as many processes as there are URLs, each of which migrates one."""
    program = "import sys; from api.store import schema; schema.migrate(sys.argv[1])"
    processes = [subprocess.Popen([sys.executable, "-c", program, url]) for url in urls]
    return [process.wait() for process in processes]


def revision(url: str) -> str:
    with psycopg.connect(url) as conn:
        schema.check(conn)
        row = conn.execute("SELECT version_num FROM alembic_version").fetchone()
    assert row is not None
    return str(row[0])


def test_the_numbers_of_the_files_are_the_line_of_descent() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    line = [script.revision for script in ScriptDirectory.from_config(config).walk_revisions()]
    assert line[::-1] == schema.revisions()


def test_the_queue_has_the_tables_of_the_installed_release() -> None:
    made = import_module("migrations.versions.0003_webhooks").NEWEST
    assert made == max(path.name for path in Path(SchemaManager.get_migrations_path()).glob("*.sql"))


def test_migrating_again_changes_nothing(empty_database_url: str) -> None:
    assert schema.migrate(empty_database_url) == NEWEST
    assert schema.migrate(empty_database_url) == NEWEST
    assert revision(empty_database_url) == NEWEST


def test_migrations_at_the_same_moment(empty_database_url: str) -> None:
    assert migrate_at_once([empty_database_url] * 4) == [0] * 4
    assert revision(empty_database_url) == NEWEST


def test_two_databases_of_a_new_server_at_the_same_moment(server: Callable[[str], str]) -> None:
    names = ["first", "second", "third"]
    with psycopg.connect(server("postgres"), autocommit=True) as conn:
        for name in names:
            conn.execute(f'CREATE DATABASE "{name}"')
    assert migrate_at_once([server(name) for name in names]) == [0] * 3


def test_an_owner_who_may_make_no_role_is_told_what_an_administrator_must_run(server: Callable[[str], str]) -> None:
    with psycopg.connect(server("postgres"), autocommit=True) as conn:
        conn.execute("CREATE ROLE plain LOGIN")
        conn.execute("CREATE DATABASE plain OWNER plain")
    url = server("plain").replace("postgres@", "plain@", 1)
    with pytest.raises(schema.SchemaError, match="plain may not make the role tricklog_service") as told:
        schema.migrate(url)
    needed = "CREATE ROLE tricklog_service NOLOGIN; GRANT tricklog_service TO plain;"
    assert needed in str(told.value)
    assert "\n" not in str(told.value)
    with psycopg.connect(server("postgres"), autocommit=True) as conn:
        conn.execute(needed)
    assert schema.migrate(url) == NEWEST
    with psycopg.connect(url, options="-c role=tricklog_service") as conn:
        conn.execute("SELECT FROM events")


def test_an_owner_who_may_make_roles_needs_no_administrator(server: Callable[[str], str]) -> None:
    with psycopg.connect(server("postgres"), autocommit=True) as conn:
        conn.execute("CREATE ROLE maker LOGIN CREATEROLE")
        conn.execute("CREATE DATABASE maker OWNER maker")
    url = server("maker").replace("postgres@", "maker@", 1)
    assert schema.migrate(url) == NEWEST
    with psycopg.connect(url, options="-c role=tricklog_service") as conn:
        conn.execute("SELECT FROM events")


def test_no_schema_is_refused(empty_database_url: str) -> None:
    with psycopg.connect(empty_database_url) as conn, pytest.raises(schema.SchemaError, match="`tricklog migrate`"):
        schema.check(conn)


def test_an_older_schema_is_refused(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = [*schema.revisions(), "9998"]
    monkeypatch.setattr(schema, "revisions", lambda: known)
    with psycopg.connect(database_url) as conn, pytest.raises(schema.SchemaError, match=r"older .*`tricklog migrate`"):
        schema.check(conn)


def test_a_newer_schema_is_refused_and_not_migrated(database_url: str) -> None:
    with psycopg.connect(database_url) as conn:
        conn.execute("UPDATE alembic_version SET version_num = '9999'")
    with psycopg.connect(database_url) as conn, pytest.raises(schema.SchemaError, match=r"newer .* install"):
        schema.check(conn)
    with pytest.raises(schema.SchemaError, match=r"newer .* install"):
        schema.migrate(database_url)


def test_the_service_has_just_the_privileges_it_needs(admin: psycopg.Connection) -> None:
    granted = admin.execute(
        "SELECT table_name, array_agg(privilege_type::text ORDER BY privilege_type)"
        " FROM information_schema.role_table_grants WHERE grantee = 'tricklog_service' GROUP BY 1"
    )
    assert {str(table): privileges for table, privileges in granted} == {
        "alembic_version": ["SELECT"],
        "answers": ["DELETE", "INSERT", "SELECT", "UPDATE"],
        "api_keys": ["SELECT"],
        "client_seeds": ["INSERT", "SELECT"],
        "demonstrations": ["SELECT"],
        "disputes": ["INSERT", "SELECT"],
        "events": ["INSERT", "SELECT"],
        "games": ["INSERT", "SELECT"],
        "heads": ["INSERT", "SELECT", "UPDATE"],
        "signing_keys": ["SELECT"],
        **{
            table: ["DELETE", "INSERT", "SELECT", "UPDATE"]
            for table in (
                "webhooks",
                "webhook_secrets",
                "deliveries",
                "procrastinate_events",
                "procrastinate_jobs",
                "procrastinate_periodic_defers",
                "procrastinate_workers",
            )
        },
    }


@every_change
def test_the_service_changes_no_record(admin: psycopg.Connection, statement: str) -> None:
    admin.execute("SET ROLE tricklog_service")
    with pytest.raises(errors.InsufficientPrivilege):
        admin.execute(statement)


@every_change
@pytest.mark.parametrize("replication_role", ["origin", "replica"])
def test_nobody_changes_a_record(admin: psycopg.Connection, statement: str, replication_role: str) -> None:
    admin.execute(f"SET session_replication_role = {replication_role}")
    with pytest.raises(errors.RestrictViolation, match="only ever added to"):
        admin.execute(statement)
    assert admin.execute("SELECT count(*) FROM games, events").fetchone() == (1,)


def test_an_event_is_only_ever_added_once(admin: psycopg.Connection) -> None:
    with pytest.raises(errors.UniqueViolation):
        admin.execute("INSERT INTO events (game, seq, digest, event) VALUES (1, 1, sha256(''), '[1]')")
