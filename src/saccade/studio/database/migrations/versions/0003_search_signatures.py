"""Signatures of searched texts, by which PostgreSQL passes over texts unread (`index.text_signatures`).

On PostgreSQL the index is emptied: it is made again from the files at the next look. SQLite has a full-text index and
leaves the column empty.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003_search_signatures"
down_revision = "0002_review"
branch_labels = None
depends_on = None

INDEX = "search_texts, indexed_steps, indexed_runs, measured_cases, indexed_measurements"


def upgrade() -> None:
    """Add them."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f"TRUNCATE {INDEX}")
    op.add_column("search_texts", sa.Column("signature", sa.LargeBinary(), nullable=True))
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE search_texts ALTER COLUMN signature SET STORAGE PLAIN")
        # The table of runs is small, so the planner would not search for them with two processes by itself.
        op.execute("ALTER TABLE indexed_runs SET (parallel_workers = 2)")


def downgrade() -> None:
    """Remove them."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("ALTER TABLE indexed_runs RESET (parallel_workers)")
        op.execute(f"TRUNCATE {INDEX}")
    op.drop_column("search_texts", "signature")
