"""Webhooks, their secrets and deliveries, and the queue that has deliveries made: procrastinate's."""

from importlib.resources import files

from alembic import op

revision = "0003"
down_revision = "0002"

NEWEST = "03.04.00_50_post_add_retry_failed_job_procedure.sql"
"""The last of procrastinate's migrations that belongs here; those of a later release need a revision of their own."""

TABLES = """
-- The places bound how many an owner may have.
CREATE TABLE webhooks (
    webhook uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    owner integer NOT NULL REFERENCES api_keys,
    place smallint NOT NULL CHECK (place BETWEEN 1 AND 20),
    url text NOT NULL,
    types text[] NOT NULL,
    description text,
    paused boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (owner, place)
);

-- In the clear, since each delivery is signed with them.
CREATE TABLE webhook_secrets (
    secret uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    webhook uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    place smallint NOT NULL CHECK (place BETWEEN 1 AND 5),
    key bytea NOT NULL CHECK (octet_length(key) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    UNIQUE (webhook, place)
);

-- What is to be told to whom, written with what happened. No foreign key: an append must never wait for somebody who
-- removes a webhook.
CREATE TABLE deliveries (
    delivery uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    webhook uuid NOT NULL,
    type text NOT NULL,
    game integer,
    first integer,
    last integer,
    dispute integer,
    created_at timestamptz NOT NULL DEFAULT now(),
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
    replay integer NOT NULL DEFAULT 0,
    attempts smallint NOT NULL DEFAULT 0,
    attempted_at timestamptz,
    next_attempt_at timestamptz DEFAULT now(),
    answer smallint,
    fault text,
    CHECK ((next_attempt_at IS NULL) = (status <> 'pending'))
);
CREATE INDEX deliveries_by_webhook ON deliveries (webhook, created_at, delivery);
CREATE INDEX deliveries_by_age ON deliveries USING brin (created_at);
"""

# In the transaction that writes the row: there is none without its job, and no job for what was rolled back.
TRIGGER = """
CREATE FUNCTION defer_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM procrastinate_defer_jobs_v1(ARRAY[ROW(
        'deliveries', 'deliver', 0, NULL, NULL,
        jsonb_build_object(
            'owner', (SELECT owner FROM webhooks WHERE webhook = NEW.webhook),
            'delivery', NEW.delivery,
            'replay', NEW.replay
        ),
        NULL
    )::procrastinate_job_to_defer_v1]);
    RETURN NULL;
END
$$;
CREATE TRIGGER defer_delivery AFTER INSERT OR UPDATE OF replay ON deliveries
    FOR EACH ROW EXECUTE FUNCTION defer_delivery();
"""

GRANTS = """
GRANT SELECT, INSERT, UPDATE, DELETE ON webhooks, webhook_secrets, deliveries,
    procrastinate_jobs, procrastinate_events, procrastinate_periodic_defers, procrastinate_workers TO tricklog_service;
GRANT USAGE ON SEQUENCE procrastinate_jobs_id_seq, procrastinate_events_id_seq, procrastinate_periodic_defers_id_seq
    TO tricklog_service;
"""


def upgrade() -> None:
    """Make everything, in the transaction of the caller."""
    # procrastinate's migrations one after the other, since its schema.sql is another with each release
    queue = files("procrastinate.sql") / "migrations"
    names = sorted(each.name for each in queue.iterdir() if each.name.endswith(".sql") and each.name <= NEWEST)
    for statements in (*((queue / name).read_text("utf-8") for name in names), TABLES, TRIGGER, GRANTS):
        # a colon in a text for Alembic begins a parameter
        op.execute(statements.replace(":", r"\:"))
