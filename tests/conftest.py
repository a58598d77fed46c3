"""The fixtures of all tests: one PostgreSQL for the session, and a database of its own for each test that asks."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from api import embedded
from api.store import schema

CHROMIUM = shutil.which("chromium")
"""The browser for the tests of the replay viewer, which are left out without it."""
_LEFT_OUT = CHROMIUM is None and "CI" not in os.environ


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    return True if _LEFT_OUT and "viewer" in (collection_path.name, collection_path.parent.name) else None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _LEFT_OUT:
        terminalreporter.write_line("Left out: the tests of the replay viewer (tests/viewer), which need chromium.")


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """The URL of a PostgreSQL whose user may make databases: TEST_DATABASE_URL, or a server of the session's own."""
    if given := os.environ.get("TEST_DATABASE_URL"):
        yield given
        return
    with _reachable_folder() as parent:
        folder = embedded.prepare(parent / "data")
        try:
            # The data doesn't outlive the session, so it needs no disk.
            yield embedded.start(folder, fsync="off", synchronous_commit="off", full_page_writes="off")
        finally:
            embedded.stop(folder)


@pytest.fixture(scope="session")
def template(server_url: str) -> Iterator[str]:
    """The name of a database with the newest schema and nothing in it."""
    with _database(server_url) as (name, url):
        schema.migrate(url)
        yield name


@pytest.fixture
def database_url(server_url: str, template: str) -> Iterator[str]:
    """The URL of a fresh database with the newest schema."""
    with _database(server_url, template) as (_, url):
        yield url


@pytest.fixture(scope="module")
def module_database_url(server_url: str, template: str) -> Iterator[str]:
    """The URL of a fresh database with the newest schema, for the tests of one module."""
    with _database(server_url, template) as (_, url):
        yield url


@pytest.fixture
def empty_database_url(server_url: str) -> Iterator[str]:
    """The URL of a fresh database without a schema."""
    with _database(server_url) as (_, url):
        yield url


@pytest.fixture(scope="module")
def reachable_folder() -> Iterator[Path]:
    """A folder for data folders of the embedded server, which root's may be in too."""
    with _reachable_folder() as folder:
        yield folder


@contextmanager
def _reachable_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tricklog-") as temporary:
        # For root the server is run by another user, who has to come in.
        Path(temporary).chmod(0o711)
        yield Path(temporary)


@pytest.fixture(scope="session")
def shared_database_url(server_url: str, template: str) -> Iterator[str]:
    """The URL of a database with the newest schema, one for all tests that make what they need themselves."""
    with _database(server_url, template) as (_, url):
        yield url


@contextmanager
def _database(server_url: str, template: str = "template1") -> Iterator[tuple[str, str]]:
    name = f"tricklog_test_{uuid4().hex}"
    with psycopg.connect(server_url, autocommit=True) as conn:
        conn.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(template)))
        try:
            yield name, urlsplit(server_url)._replace(path=f"/{name}").geturl()
        finally:
            conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
