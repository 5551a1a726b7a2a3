"""Alembic's entry: runs the migrations on the connection from `store.preparing`, in its transaction."""

from __future__ import annotations

from alembic import context

from palestra_server.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,  # SQLite alters a table by copying it
    transactional_ddl=False,  # the transaction is the caller's
)
context.run_migrations()
