"""The index of runs and measurements, and what searches in it."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001_runs"
down_revision = None
branch_labels = None
depends_on = None

NAME, TEXT = sa.String(200), sa.Text()


def _file() -> list[sa.Column[Any]]:
    return [
        sa.Column("stamp", sa.String(80), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("skipping", sa.Boolean(), nullable=False),
        sa.Column("head", sa.String(40), nullable=False),
        sa.Column("bad_lines", sa.Integer(), nullable=False),
        sa.Column("note", TEXT, nullable=False),
    ]


def _columns(kind: sa.types.TypeEngine[Any], *names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, kind, nullable=False) for name in names]


def upgrade() -> None:
    op.create_table(
        "indexed_runs",
        sa.Column("key", sa.Integer(), primary_key=True),
        sa.Column("id", sa.String(16), nullable=False, unique=True),
        sa.Column("about_stamp", sa.String(80), nullable=False),
        sa.Column("measurement", sa.String(16), nullable=False),
        *_columns(TEXT, "path", "name", "instruction", "answer", "reason"),
        *_columns(NAME, "suite", "model", "paradigm", "world", "app", "language", "rule"),
        *_columns(sa.String(40), "status", "ended_by"),
        *_columns(sa.Double(), "started", "seconds", "cost"),
        *_columns(sa.Integer(), "attempts", "steps", "problems"),
        *_columns(sa.BigInteger(), "input_tokens", "output_tokens", "tokens"),
        *_file(),
    )
    op.create_index("ix_indexed_runs_measurement", "indexed_runs", ["measurement"])
    op.create_index("ix_indexed_runs_started_key", "indexed_runs", ["started", "key"])
    op.create_table(
        "indexed_steps",
        sa.Column("run", sa.Integer(), sa.ForeignKey("indexed_runs.key", ondelete="CASCADE"), primary_key=True),
        sa.Column("position", sa.Integer(), primary_key=True, autoincrement=False),
        *_columns(sa.Integer(), "number", "attempt", "tokens", "length"),
        *_columns(sa.String(40), "action"),
        *_columns(sa.String(20), "mark", "error_class"),
        *_columns(sa.Double(), "seconds", "cost"),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "indexed_measurements",
        sa.Column("key", sa.Integer(), primary_key=True),
        sa.Column("id", sa.String(16), nullable=False, unique=True),
        sa.Column("about_stamp", sa.String(80), nullable=False),
        *_columns(TEXT, "path", "name"),
        *_columns(NAME, "suite", "label", "model", "paradigm"),
        *_columns(sa.Double(), "started", "seconds", "cost"),
        *_columns(sa.Integer(), "planned", "cases", "successes", "broken"),
        *_columns(sa.BigInteger(), "tokens"),
        *_file(),
    )
    op.create_table(
        "measured_cases",
        sa.Column(
            "measurement", sa.Integer(), sa.ForeignKey("indexed_measurements.key", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("position", sa.Integer(), primary_key=True, autoincrement=False),
        *_columns(TEXT, "case", "what"),
        *_columns(sa.String(20), "end"),
        *_columns(NAME, "app", "language"),
        *_columns(sa.Integer(), "turns", "length"),
        *_columns(sa.BigInteger(), "tokens", "offset"),
        *_columns(sa.Double(), "cost", "seconds"),
        sa.Column("run", sa.String(16), nullable=False),
        sa.Column("classes", sa.JSON(), nullable=False),
        sqlite_with_rowid=False,
    )
    _create_search()


def _create_search() -> None:
    """SQLite: a full-text index of trigrams, so that parts of words and Chinese are found. PostgreSQL: the texts in
    small letters, read through at each search; they are stored as they are, because unpacking them would take longer
    than reading.
    """
    op.create_table(
        "search_texts",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("run", sa.Integer(), sa.ForeignKey("indexed_runs.key", ondelete="CASCADE"), nullable=False),
        sa.Column("text", TEXT, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_search_texts_run", "search_texts", ["run"])
    if op.get_bind().dialect.name == "sqlite":
        op.execute("CREATE VIRTUAL TABLE search_index USING fts5(text, content='', tokenize='trigram')")
        op.execute("CREATE VIRTUAL TABLE search_words USING fts5vocab(search_index, 'row')")
    else:
        op.execute("ALTER TABLE search_texts ALTER COLUMN text SET STORAGE EXTERNAL")


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE search_words")
        op.execute("DROP TABLE search_index")
    for name in ("search_texts", "measured_cases", "indexed_measurements", "indexed_steps", "indexed_runs"):
        op.drop_table(name)
