"""Answers that are kept under idempotency keys, for requests that come again."""

from alembic import op

revision = "0002"
down_revision = "0001"

# The answer is sealed under a key that follows from the caller's credential, of which the database has a hash only.
TABLE = """
CREATE TABLE answers (
    scope bytea PRIMARY KEY CHECK (octet_length(scope) = 32),
    fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
    claim bytea NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    answer bytea
);
CREATE INDEX answers_by_age ON answers (made_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON answers TO tricklog_service;
"""


def upgrade() -> None:
    """Make the table, in the transaction of the caller."""
    op.execute(TABLE)
