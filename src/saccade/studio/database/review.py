"""The tables of the review: items, the opinions that are wanted on each, and the events that decide them.

Events are only added, never changed: they are the truth. `ReviewItem.state` and `ReviewSlot.event_id` are computed from
them in the same transaction, so that the queue can be read with one query.
"""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from saccade.studio.database.base import Base


class ReviewItem(Base):
    """Something to be judged: the step records, and how many opinions are wanted."""

    __tablename__ = "review_items"
    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(64), unique=True)
    """A hash of kind and records: what is added twice is one item."""
    kind: Mapped[str] = mapped_column(String(40))
    title: Mapped[str] = mapped_column(Text)
    folder: Mapped[str] = mapped_column(Text)
    """Where pictures are named from. It never leaves the server."""
    records: Mapped[bytes] = mapped_column(LargeBinary)
    """Step records, one JSON object a line."""
    opinions: Mapped[int]
    state: Mapped[str] = mapped_column(String(10))
    """open, disputed, done or rejected."""
    created: Mapped[float]
    """Seconds since 1970, as all times here: SQLite keeps no time zones."""
    __table_args__ = (Index("ix_review_items_kind_state", "kind", "state", "id"),)


class ReviewSlot(Base):
    """One opinion on an item: free, claimed by a person until a moment, or decided by that person. A person has at most
    one slot of an item, so that a second opinion is another person's.
    """

    __tablename__ = "review_slots"
    id: Mapped[int] = mapped_column(primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("review_items.id"))
    number: Mapped[int]
    """From 0. The number `ReviewItem.opinions` is the slot of the one who decides a disagreement."""
    kind: Mapped[str] = mapped_column(String(40))
    person: Mapped[str | None] = mapped_column(String(80))
    until: Mapped[float]
    """When the claim ends; 0 without one."""
    decided: Mapped[bool]
    event_id: Mapped[int | None]
    """The event that stands."""
    __table_args__ = (
        UniqueConstraint("item_id", "number", name="uq_review_slots_item_number"),
        UniqueConstraint("item_id", "person", name="uq_review_slots_item_person"),
        Index("ix_review_slots_queue", "kind", "decided", "number", "id"),
        Index("ix_review_slots_person", "person", "decided", "until"),
    )


class ReviewEvent(Base):
    """One decision, or one that was taken back."""

    __tablename__ = "review_events"
    id: Mapped[int] = mapped_column(primary_key=True)
    uid: Mapped[str] = mapped_column(String(32), unique=True)
    """The same in every database: an event that is imported twice is there once."""
    item_id: Mapped[int] = mapped_column(ForeignKey("review_items.id"))
    number: Mapped[int]
    """Of the slot."""
    author: Mapped[str] = mapped_column(String(80))
    at: Mapped[float]
    verb: Mapped[str] = mapped_column(String(10))
    """decide or undo."""
    decision: Mapped[bytes | None] = mapped_column(LargeBinary)
    """JSON, of the struct that the item's kind says; none for undo."""
    replaces: Mapped[int | None]
    """The event that stood before; for undo, the one that is taken back."""
    __table_args__ = (
        Index("ix_review_events_item", "item_id", "id"),
        Index("ix_review_events_author", "author", "id"),
    )
