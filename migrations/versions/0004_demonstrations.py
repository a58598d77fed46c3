"""Which games are offered as demonstrations."""

from alembic import op

revision = "0004"
down_revision = "0003"

STATEMENTS = """
-- Everybody may see these private games, for as long as they stand here: their rows of games never change.
CREATE TABLE demonstrations (
    game integer PRIMARY KEY REFERENCES games
);
GRANT SELECT ON demonstrations TO tricklog_service;
"""


def upgrade() -> None:
    """Make the table, in the transaction of the caller."""
    op.execute(STATEMENTS)
