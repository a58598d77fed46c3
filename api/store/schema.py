"""The schema of the database: which revision it has, which it should have, and how it gets there."""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import psycopg

from api.store.signing import ensure_signing_key

# Any number will do, as long as every migration of Tricklog takes the same.
MIGRATION_LOCK = 0x747269636B


class SchemaError(Exception):
    """The schema can't be used or brought up; the message is one line that says what mends it."""


def revisions() -> list[str]:
    """Every revision that this installation knows, oldest first: one line of descent, as the files are numbered."""
    names = (entry.name for entry in files("migrations.versions").iterdir())
    return sorted(name.partition("_")[0] for name in names if name[0].isdigit())


def check(conn: psycopg.Connection[Any]) -> None:
    """Raise SchemaError unless the database of ``conn`` has the newest revision."""
    found = _current(conn.execute)
    _refuse_newer(found)
    if found is None:
        raise SchemaError("the database has no Tricklog schema yet: run `tricklog migrate`")
    newest = revisions()[-1]
    if found != newest:
        raise SchemaError(
            f"the database's schema ({found}) is older than this Tricklog's ({newest}): run `tricklog migrate`"
        )


def migrate(dsn: str) -> str:
    """Bring the database's schema to the newest revision, in one transaction, and return that revision.

    What a running service needs of the data is then there as well: a key to sign receipts with.

    Any number of these may run at once. SchemaError when the schema is too new or the user lacks a privilege.
    """
    # Alembic and SQLAlchemy are for this alone: nothing that serves loads them.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from sqlalchemy import NullPool, create_engine  # noqa: PLC0415
    from sqlalchemy.exc import DBAPIError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(files("migrations")).replace("%", "%%"))
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(dsn), poolclass=NullPool)
    try:
        with engine.begin() as connection:
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
            _refuse_newer(_current(connection.exec_driver_sql))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            ensure_signing_key(connection.exec_driver_sql)
    except DBAPIError as error:
        if isinstance(error.orig, psycopg.errors.InsufficientPrivilege):
            told = error.orig.diag
            raise SchemaError("; ".join(filter(None, [told.message_primary, told.message_hint]))) from None
        raise (error.orig or error) from None
    return revisions()[-1]


def _refuse_newer(found: str | None) -> None:
    if found is not None and found not in revisions():
        newest = revisions()[-1]
        raise SchemaError(
            f"the database's schema ({found}) is newer than this Tricklog's ({newest}): install the newer tricklog"
        )


def _current(execute: Callable[[str], Any]) -> str | None:
    if execute("SELECT to_regclass('alembic_version')").fetchone()[0] is None:
        return None
    row = execute("SELECT version_num FROM alembic_version").fetchone()
    return row and str(row[0])
