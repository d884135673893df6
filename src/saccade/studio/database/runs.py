"""The index of runs and measurements. It can be lost and made again: the files in the folders are the truth."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from saccade.studio.database.base import Base

NAME = 200
"""Most characters of names: models, suites, apps."""


class FileColumns:
    """How far a file that only grows has been read."""

    stamp: Mapped[str] = mapped_column(String(80), default="")
    """Size, time of change and inode, when it was last looked at."""
    offset: Mapped[int] = mapped_column(BigInteger, default=0)
    """Where the first line begins that was not read."""
    skipping: Mapped[bool] = mapped_column(default=False)
    """Are we inside a line that is too long?"""
    head: Mapped[str] = mapped_column(String(40), default="")
    """Length and digest of its beginning: another beginning is another file."""
    bad_lines: Mapped[int] = mapped_column(default=0)
    note: Mapped[str] = mapped_column(Text, default="")
    """What could not be read, and why."""


class IndexedRun(FileColumns, Base):
    """A folder with a `run.json` or a `steps.jsonl`."""

    __tablename__ = "indexed_runs"
    __table_args__ = (Index("ix_indexed_runs_started_key", "started", "key"),)

    key: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(String(16), unique=True)
    """A digest of the path: addresses of pages carry it."""
    path: Mapped[str] = mapped_column(Text)
    about_stamp: Mapped[str] = mapped_column(String(80), default="")
    """The stamp of `run.json`."""
    measurement: Mapped[str] = mapped_column(String(16), default="", index=True)
    """The id of the measurement that it is a case of; empty: none."""
    name: Mapped[str] = mapped_column(Text, default="")
    instruction: Mapped[str] = mapped_column(Text, default="")
    answer: Mapped[str] = mapped_column(Text, default="")
    suite: Mapped[str] = mapped_column(String(NAME), default="")
    model: Mapped[str] = mapped_column(String(NAME), default="")
    paradigm: Mapped[str] = mapped_column(String(NAME), default="")
    world: Mapped[str] = mapped_column(String(NAME), default="")
    app: Mapped[str] = mapped_column(String(NAME), default="")
    language: Mapped[str] = mapped_column(String(NAME), default="")
    rule: Mapped[str] = mapped_column(String(NAME), default="")
    status: Mapped[str] = mapped_column(String(40), default="")
    """The outcome's, or `running` or `unfinished`."""
    ended_by: Mapped[str] = mapped_column(String(40), default="")
    reason: Mapped[str] = mapped_column(Text, default="")
    started: Mapped[float] = mapped_column(default=0.0)
    """Seconds since 1970."""
    seconds: Mapped[float] = mapped_column(default=0.0)
    attempts: Mapped[int] = mapped_column(default=0)
    steps: Mapped[int] = mapped_column(default=0)
    problems: Mapped[int] = mapped_column(default=0)
    """Steps with a mark (`IndexedStep.mark`)."""
    input_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    output_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    cost: Mapped[float] = mapped_column(default=0.0)


class IndexedStep(Base):
    """A line of a run's `steps.jsonl`: enough for lists, and where to read the rest."""

    __tablename__ = "indexed_steps"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012  (SQLAlchemy's way)

    run: Mapped[int] = mapped_column(ForeignKey("indexed_runs.key", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    """Its place among the lines that can be read; the first is 0."""
    number: Mapped[int] = mapped_column(default=0)
    attempt: Mapped[int] = mapped_column(default=0)
    action: Mapped[str] = mapped_column(String(40), default="")
    mark: Mapped[str] = mapped_column(String(20), default="")
    """The worst that can be said of it: error, refused, unreadable, wrong, repaired; empty: nothing."""
    error_class: Mapped[str] = mapped_column(String(20), default="")
    """Of a wrong step: locate, lingualize, leverage, not named (UILoop, App. D)."""
    seconds: Mapped[float] = mapped_column(default=0.0)
    tokens: Mapped[int] = mapped_column(default=0)
    cost: Mapped[float] = mapped_column(default=0.0)
    offset: Mapped[int] = mapped_column(BigInteger, default=0)
    length: Mapped[int] = mapped_column(default=0)


class SearchText(Base):
    """A piece of what can be searched of a run. On SQLite the text itself is only in the full-text index; on
    PostgreSQL it is here, in small letters, and signed."""

    __tablename__ = "search_texts"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012  (numbers in the full-text index are never reused)

    id: Mapped[int] = mapped_column(primary_key=True)
    run: Mapped[int] = mapped_column(ForeignKey("indexed_runs.key", ondelete="CASCADE"), index=True)
    text: Mapped[str] = mapped_column(Text, default="")
    signature: Mapped[bytes | None] = mapped_column(LargeBinary)


class IndexedMeasurement(FileColumns, Base):
    """A folder with a `bench.json`; the file that is read on is `results.jsonl`."""

    __tablename__ = "indexed_measurements"

    key: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(String(16), unique=True)
    path: Mapped[str] = mapped_column(Text)
    about_stamp: Mapped[str] = mapped_column(String(80), default="")
    name: Mapped[str] = mapped_column(Text, default="")
    suite: Mapped[str] = mapped_column(String(NAME), default="")
    label: Mapped[str] = mapped_column(String(NAME), default="")
    model: Mapped[str] = mapped_column(String(NAME), default="")
    paradigm: Mapped[str] = mapped_column(String(NAME), default="")
    started: Mapped[float] = mapped_column(default=0.0)
    planned: Mapped[int] = mapped_column(default=0)
    cases: Mapped[int] = mapped_column(default=0)
    successes: Mapped[int] = mapped_column(default=0)
    broken: Mapped[int] = mapped_column(default=0)
    tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    cost: Mapped[float] = mapped_column(default=0.0)
    seconds: Mapped[float] = mapped_column(default=0.0)


class MeasuredCase(Base):
    """A line of a measurement's `results.jsonl`."""

    __tablename__ = "measured_cases"
    __table_args__ = {"sqlite_with_rowid": False}  # noqa: RUF012  (SQLAlchemy's way)

    measurement: Mapped[int] = mapped_column(
        ForeignKey("indexed_measurements.key", ondelete="CASCADE"), primary_key=True
    )
    position: Mapped[int] = mapped_column(primary_key=True)
    case: Mapped[str] = mapped_column(Text, default="")
    end: Mapped[str] = mapped_column(String(20), default="")
    """right, failed or broken."""
    what: Mapped[str] = mapped_column(Text, default="")
    """Why it ended so, or what was asked."""
    app: Mapped[str] = mapped_column(String(NAME), default="")
    language: Mapped[str] = mapped_column(String(NAME), default="")
    turns: Mapped[int] = mapped_column(default=0)
    tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    cost: Mapped[float] = mapped_column(default=0.0)
    seconds: Mapped[float] = mapped_column(default=0.0)
    run: Mapped[str] = mapped_column(String(16), default="")
    """The id of its run, where one was kept."""
    classes: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    """How many of a recording's steps failed in which way (`IndexedStep.error_class`)."""
    offset: Mapped[int] = mapped_column(BigInteger, default=0)
    length: Mapped[int] = mapped_column(default=0)
