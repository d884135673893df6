"""What all tables have in common."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import JSON, MetaData
from sqlalchemy.orm import DeclarativeBase

NAMING = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """The base of all tables. Constraints have names, so that migrations can change them."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {dict: JSON, list: JSON}  # noqa: RUF012  (SQLAlchemy's way)


def now() -> datetime:
    """The present moment, as it is stored: UTC."""
    return datetime.now(UTC)
