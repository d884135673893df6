"""The tables of the review: items, slots, events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002_review"
down_revision = "0001_runs"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create them."""
    op.create_table(
        "review_items",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("folder", sa.Text, nullable=False),
        sa.Column("records", sa.LargeBinary, nullable=False),
        sa.Column("opinions", sa.Integer, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.UniqueConstraint("key", name="uq_review_items_key"),
    )
    op.create_index("ix_review_items_kind_state", "review_items", ["kind", "state", "id"])
    op.create_table(
        "review_slots",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("item_id", sa.Integer, sa.ForeignKey("review_items.id"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("person", sa.String(80)),
        sa.Column("until", sa.Float, nullable=False),
        sa.Column("decided", sa.Boolean, nullable=False),
        sa.Column("event_id", sa.Integer),
        sa.UniqueConstraint("item_id", "number", name="uq_review_slots_item_number"),
        sa.UniqueConstraint("item_id", "person", name="uq_review_slots_item_person"),
    )
    op.create_index("ix_review_slots_queue", "review_slots", ["kind", "decided", "number", "id"])
    op.create_index("ix_review_slots_person", "review_slots", ["person", "decided", "until"])
    op.create_table(
        "review_events",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("uid", sa.String(32), nullable=False),
        sa.Column("item_id", sa.Integer, sa.ForeignKey("review_items.id"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("author", sa.String(80), nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("verb", sa.String(10), nullable=False),
        sa.Column("decision", sa.LargeBinary),
        sa.Column("replaces", sa.Integer),
        sa.UniqueConstraint("uid", name="uq_review_events_uid"),
    )
    op.create_index("ix_review_events_item", "review_events", ["item_id", "id"])
    op.create_index("ix_review_events_author", "review_events", ["author", "id"])


def downgrade() -> None:
    """Remove them."""
    for table in ("review_events", "review_slots", "review_items"):
        op.drop_table(table)
