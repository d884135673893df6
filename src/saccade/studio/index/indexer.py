"""Keeps the index up to date: one look over the folders after another, in a thread of its own.

Files are read outside of transactions, and what was read is written in small transactions, so that people who review at
the same time do not wait.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Row, Table, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from saccade.studio.database.base import Base
from saccade.studio.database.runs import IndexedMeasurement, IndexedRun, IndexedStep, MeasuredCase, SearchText
from saccade.studio.index.changes import GrowingFolder, MeasurementChange, RunChange, read_change
from saccade.studio.index.folders import FolderTree, Kind
from saccade.studio.index.growing_file import stamp_of
from saccade.studio.index.measurement_reader import id_of, read_bench
from saccade.studio.index.run_reader import still_running
from saccade.studio.index.search import add_texts

EVERY = 1.0
"""Seconds between two looks at least. Looks that find nothing and take long come less often: they take a twentieth."""
MOST_ROWS, MOST_CHARACTERS, MOST_FOLDERS = 1_000, 400_000, 50
"""Of one transaction: rows of steps and cases, searched text, runs and measurements."""
PAUSE = 0.003
"""Seconds between two transactions, in which another writer can begin."""
FILES: dict[Kind, tuple[str, str]] = {
    "run": ("run.json", "steps.jsonl"),
    "measurement": ("bench.json", "results.jsonl"),
}
MODELS: dict[Kind, type[IndexedRun] | type[IndexedMeasurement]] = {"run": IndexedRun, "measurement": IndexedMeasurement}
log = logging.getLogger("saccade.studio")


@dataclass
class _Known:
    """What is remembered of a folder between looks."""

    kind: Kind
    about: str
    grown: str
    status: str = ""


@dataclass
class _Pending:
    """What was read and is not written yet."""

    changes: list[RunChange | MeasurementChange] = field(default_factory=list)
    rows: int = 0
    characters: int = 0

    def add(self, change: RunChange | MeasurementChange) -> None:
        self.changes.append(change)
        self.rows += len(change.rows)
        self.characters += sum(map(len, change.texts))

    @property
    def full(self) -> bool:
        return self.rows >= MOST_ROWS or self.characters >= MOST_CHARACTERS or len(self.changes) >= MOST_FOLDERS


class Indexer:
    """The index of some folders."""

    def __init__(self, engine: Engine, folders: Sequence[Path]) -> None:
        self.engine, self.folders = engine, folders
        self.tree = FolderTree(folders)
        self.generation = 0
        """Counts writes: pages ask whether something is new."""
        self.looked = threading.Event()
        """Set after the first whole look."""
        self._known: dict[str, _Known] = {}
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._suites: dict[str, str] = {}
        self.choices: tuple[int, dict[str, list[tuple[str, int]]]] | None = None
        """The choices of filters, and the generation they were counted in."""
        self._load()

    @property
    def ending(self) -> bool:
        """Is the server about to stop?"""
        return self._stop.is_set()

    # -- the thread ---------------------------------------------------------------------------------------------------

    def start(self) -> None:
        self._thread = threading.Thread(target=self._work, name="studio-index", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(10)

    def _work(self) -> None:
        told = ""
        while not self._stop.is_set():
            begun, changed = time.monotonic(), 0
            try:
                changed = self.look()
                told = ""
            except Exception as error:  # the thread goes on: the disk may be full only now
                if told != repr(error):
                    log.exception("the index could not be brought up to date; it is tried again")
                told = repr(error)
                self._load_again()
            self._stop.wait(EVERY if changed else max(EVERY, 20 * (time.monotonic() - begun)))

    def _load_again(self) -> None:
        """What is written holds, whatever was meant to be."""
        try:
            self._load()
        except SQLAlchemyError:
            self._known = {}

    def _load(self) -> None:
        """What the database knows of our folders. Other folders in it are another studio's."""
        self._known = {}
        with self.engine.connect().execution_options(reads=True) as connection:
            for kind, model in MODELS.items():
                columns: list[Any] = [model.path, model.about_stamp, model.stamp]
                status = [model.status] if model is IndexedRun else []
                for path, about, grown, *rest in connection.execute(select(*columns, *status)):
                    if any(Path(path).is_relative_to(folder) for folder in self.folders):
                        self._known[path] = _Known(kind, about, grown, rest[0] if rest else "")

    # -- one look -----------------------------------------------------------------------------------------------------

    def look(self) -> int:
        """Bring the index up to date; returns how many folders had something new."""
        pending, changed, there = _Pending(), 0, set()
        measurements: list[str] = []
        for path, kind, measurement in self.tree.look():
            if self._stop.is_set():
                return changed
            there.add(path)
            if kind == "measurement":
                measurements.append(path)
            else:
                changed += self._look_at(path, kind, measurement, pending)
        for path in measurements:  # after their runs, of which their results tell more
            changed += self._look_at(path, "measurement", "", pending)
        self._write(pending)
        gone = [path for path in self._known if path not in there]
        for path in gone:
            self._forget(path)
        self.looked.set()
        return changed + len(gone)

    def _look_at(self, path: str, kind: Kind, measurement: str, pending: _Pending) -> bool:
        folder = Path(path)
        about, grown = (stamp_of(folder / name) for name in FILES[kind])
        known = self._known.get(path)
        if known is not None and known.kind != kind:
            self._forget(path)
            known = None
        same = known is not None and (known.about, known.grown) == (about, grown)
        if known is not None and same and (known.status != "running" or still_running(folder)):
            return False
        before = self._row(path, kind) if known is not None else None
        state = GrowingFolder(folder, kind, measurement, self._suite(measurement), before)
        while True:
            change = read_change(state, about)
            pending.add(change)
            if pending.full or change.more:
                self._write(pending)
            if not change.more or self._stop.is_set():
                return True

    def _suite(self, measurement: str) -> str:
        """The suite of the measurement that a run belongs to."""
        if measurement and measurement not in self._suites:
            self._suites[measurement] = read_bench(Path(measurement) / "bench.json")[0].get("suite", "")
        return self._suites.get(measurement, "")

    def _row(self, path: str, kind: Kind) -> dict[str, Any] | None:
        model = MODELS[kind]
        with self.engine.connect().execution_options(reads=True) as connection:
            row: Row[Any] | None = connection.execute(
                select(model.__table__).where(model.__table__.c.id == id_of(path))
            ).first()
        return None if row is None else dict(row._mapping)

    # -- writing ------------------------------------------------------------------------------------------------------

    def _write(self, pending: _Pending) -> None:
        if not pending.changes:
            return
        try:
            with self.engine.begin() as connection:
                for kind in MODELS:
                    if changes := [change for change in pending.changes if change.kind == kind]:
                        self._write_changes(connection, kind, changes)
        except IntegrityError:  # another studio wrote the same at the same time
            pending.changes, pending.rows, pending.characters = [], 0, 0
            self._load()
            return
        for change in pending.changes:
            status = str(change.row.get("status", ""))
            self._known[change.row["path"]] = _Known(
                change.kind, change.row["about_stamp"], change.row["stamp"], status
            )
        pending.changes, pending.rows, pending.characters = [], 0, 0
        self.generation += 1
        time.sleep(PAUSE)

    def _write_changes(self, connection: Connection, kind: Kind, changes: list[RunChange | MeasurementChange]) -> None:
        """Few statements with many rows each: a statement costs more than a row."""
        table, (inner, owner) = _table(MODELS[kind]), _inner(kind)
        known = [change.row | {"its_key": change.row["key"]} for change in changes if "key" in change.row]
        new = [change.row for change in changes if "key" not in change.row]
        if known:
            connection.execute(update(table).where(table.c.key == bindparam("its_key")), known)
        if new:
            connection.execute(insert(table), new)
            ids = select(table.c.id, table.c.key).where(table.c.id.in_([row["id"] for row in new]))
            keys = dict(connection.execute(ids).all())
            for row in new:
                row["key"] = keys[row["id"]]
        for change in changes:
            if change.anew:
                self._empty(connection, kind, change.row["key"])
        if rows := [{owner: change.row["key"], **row} for change in changes for row in change.rows]:
            connection.execute(insert(inner), rows)
        add_texts(connection, [(change.row["key"], text) for change in changes for text in change.texts])
        told = [{"its_id": run, **tags} for change in changes for run, tags in change.tags.items()]
        if told:
            connection.execute(update(_table(IndexedRun)).where(IndexedRun.id == bindparam("its_id")), told)

    def _empty(self, connection: Connection, kind: Kind, key: int) -> None:
        inner, owner = _inner(kind)
        connection.execute(delete(inner).where(inner.c[owner] == key))
        if kind == "run":
            connection.execute(delete(SearchText).where(SearchText.run == key))

    def _forget(self, path: str) -> None:
        """Take a folder that is gone out of the index."""
        kind = self._known.pop(path).kind
        table = _table(MODELS[kind])
        with self.engine.begin() as connection:
            key = connection.execute(select(table.c.key).where(table.c.id == id_of(path))).scalar()
            if key is not None:
                self._empty(connection, kind, key)
                connection.execute(delete(table).where(table.c.key == key))
        self.generation += 1


def _table(model: type[Base]) -> Table:
    table = model.__table__
    assert isinstance(table, Table)
    return table


def _inner(kind: Kind) -> tuple[Table, str]:
    """The table of a folder's lines, and its column that names the folder."""
    return (_table(IndexedStep), "run") if kind == "run" else (_table(MeasuredCase), "measurement")
