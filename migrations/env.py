"""Alembic's environment: runs the revisions on the connection that the caller hands over, in its transaction."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
