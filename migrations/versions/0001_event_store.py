"""API keys, games and their events; the role that the service takes, and what it may do."""

from alembic import op

revision = "0001"
down_revision = None

TABLES = """
CREATE TABLE api_keys (
    key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);

CREATE TABLE games (
    game integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    nonce text NOT NULL,
    owner integer NOT NULL REFERENCES api_keys,
    ruleset text NOT NULL,
    version smallint NOT NULL,
    config text NOT NULL,
    players text[] NOT NULL,
    dealer text NOT NULL CHECK (dealer IN ('service', 'client')),
    visibility text NOT NULL CHECK (visibility IN ('private', 'public')),
    tokens bytea[] NOT NULL,
    seed bytea CHECK (octet_length(seed) = 32),
    commitment bytea CHECK (octet_length(commitment) = 32),
    origin text,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX games_by_owner ON games (owner, created_at, game);

-- Every append updates the row of its game: room on the page keeps those updates out of the index.
CREATE TABLE heads (
    game integer PRIMARY KEY REFERENCES games,
    seq integer NOT NULL CHECK (seq >= 0),
    status text NOT NULL CHECK (status IN ('running', 'finished', 'abandoned')),
    summary text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- No foreign key: the statement that appends takes the game's row of heads first.
CREATE TABLE events (
    game integer NOT NULL,
    seq integer NOT NULL CHECK (seq > 0),
    at timestamptz NOT NULL DEFAULT now(),
    event text NOT NULL,
    PRIMARY KEY (game, seq)
);
"""

# ENABLE ALWAYS: they fire for a superuser with session_replication_role = replica as well.
TRIGGERS = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % refused: a record is only ever added to', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON games
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE games ENABLE ALWAYS TRIGGER refuse_change;

CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE events ENABLE ALWAYS TRIGGER refuse_change;
"""

# Roles belong to the whole server: another database may make this one at the same moment.
ROLE = """
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tricklog_service') THEN
        BEGIN
            CREATE ROLE tricklog_service NOLOGIN;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
    END IF;
    BEGIN
        SET LOCAL ROLE tricklog_service;
        RESET ROLE;
    EXCEPTION WHEN insufficient_privilege THEN
        GRANT tricklog_service TO CURRENT_USER;
    END;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO tricklog_service', current_schema());
EXCEPTION WHEN insufficient_privilege THEN
    RAISE insufficient_privilege USING
        MESSAGE = format('%s may not make the role tricklog_service or take it', current_user),
        HINT = format('an administrator must run: CREATE ROLE tricklog_service NOLOGIN; '
                      'GRANT tricklog_service TO %I;', current_user);
END
$$;
"""

GRANTS = """
GRANT SELECT ON alembic_version, api_keys TO tricklog_service;
GRANT SELECT, INSERT ON games, events TO tricklog_service;
GRANT SELECT, INSERT, UPDATE ON heads TO tricklog_service;
"""


def upgrade() -> None:
    """Make everything, in the transaction of the caller."""
    for statements in (TABLES, TRIGGERS, ROLE, GRANTS):
        op.execute(statements)
