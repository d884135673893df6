"""Run by Alembic. The connection comes from `saccade.studio.database.engine`."""

from __future__ import annotations

from alembic import context

from saccade.studio.database.base import Base

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
