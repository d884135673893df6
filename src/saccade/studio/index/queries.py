"""Lists of runs, steps, measurements and cases: filtered, sorted, and a page at a time by key."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine, Select, and_, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute

from saccade.errors import InputError
from saccade.studio.database.runs import IndexedMeasurement, IndexedRun, IndexedStep, MeasuredCase
from saccade.studio.index.search import SECONDS, search
from saccade.untrusted import decode_json

Model = TypeVar("Model")
PAGE = 50
STEPS_PAGE = 100
FILTERS = ("suite", "model", "paradigm", "app", "language", "status", "rule")
SORTS = ("started", "instruction", "status", "model", "steps", "problems", "tokens", "cost", "seconds")
MOST_CHOICES = 200


@dataclass(frozen=True)
class RunFilter:
    """What a reader wants to see of the runs."""

    values: Mapping[str, str] = field(default_factory=dict)
    """Column of `FILTERS` and its value."""
    query: str = ""
    sort: str = "started"
    descending: bool = True
    after: str = ""
    """The last row of the page before: its value and key, as JSON; empty: the first page."""

    def address(self, **changes: Any) -> dict[str, str]:
        """The parameters of a page's address, with some changed."""
        found: dict[str, Any] = {**self.values, "q": self.query, "sort": self.sort}
        found |= {"order": "" if self.descending else "up", "after": self.after} | changes
        left_out = {"sort": "started", "order": ""}
        return {name: str(value) for name, value in found.items() if value and left_out.get(name) != value}


@dataclass
class Page(Generic[Model]):
    """One page of rows, and the `after` of the next; empty: there is none."""

    rows: list[Model]
    following: str
    count: int | None
    """Of all rows; of a page behind the first one of a search: not known."""
    more: bool = False
    """Are there perhaps more than `count`?"""
    searched: int = 0
    """Of a search that ended before its page was full: how many runs it has looked at; 0: it has not."""


def read_filter(given: Mapping[str, str]) -> RunFilter:
    """The filter of an address."""
    values = {name: given[name] for name in FILTERS if given.get(name)}
    sort = given.get("sort") or "started"
    if sort not in SORTS:
        raise InputError(f"runs cannot be sorted by {sort[:40]!r}: give one of {', '.join(SORTS)}")
    return RunFilter(values, given.get("q", ""), sort, given.get("order") != "up", given.get("after", ""))


def runs_page(engine: Engine, wanted: RunFilter, most: int = PAGE, search_seconds: float = SECONDS) -> Page[IndexedRun]:
    """A page of runs. Equal values are told apart by the key, so no row is shown twice or left out."""
    column = getattr(IndexedRun, wanted.sort)
    order = [each.desc() if wanted.descending else each.asc() for each in (column, IndexedRun.key)]
    where = [getattr(IndexedRun, name) == value for name, value in wanted.values.items()]
    with engine.connect().execution_options(reads=True) as connection:
        if wanted.query.strip():
            where += [_after(wanted, column)] if wanted.after else []
            ordered = select(IndexedRun.key, IndexedRun.steps, column.label("value")).where(*where).order_by(*order)
            return _found(connection, wanted, ordered, order, most, search_seconds)
        count = select(func.count()).select_from(IndexedRun).where(*where).scalar_subquery()
        where += [_after(wanted, column)] if wanted.after else []
        found = connection.execute(
            select(*IndexedRun.__table__.c, count.label("count_of_all")).where(*where).order_by(*order).limit(most + 1)
        ).all()
    rows = [_plain(IndexedRun, row._mapping) for row in found]
    following = json.dumps([getattr(rows[most - 1], wanted.sort), rows[most - 1].key]) if len(rows) > most else ""
    return Page(rows[:most], following, found[0].count_of_all if found else 0)


def _found(
    connection: Connection, wanted: RunFilter, ordered: Select[Any], order: list[Any], most: int, seconds: float
) -> Page[IndexedRun]:
    """A page of a search among runs that are selected in order: key, steps, value sorted by."""
    end = time.monotonic() + seconds
    runs = connection.execute(ordered).all()
    hits = search(connection, wanted.query, [(key, steps) for key, steps, _ in runs], most + 1, end - time.monotonic())
    rows = _rows(
        connection, IndexedRun, select(IndexedRun).where(IndexedRun.key.in_(hits.keys[:most])).order_by(*order)
    )
    ended_early = hits.searched < len(runs)
    last = None
    if len(hits.keys) > most:
        last = next(run for run in runs if run.key == hits.keys[most - 1])
    elif ended_early:
        last = runs[hits.searched - 1]
    following = json.dumps([last.value, last.key]) if last is not None else ""
    searched = hits.searched if ended_early and len(hits.keys) <= most else 0
    return Page(rows, following, None if wanted.after else len(hits.keys), ended_early, searched)


def _after(wanted: RunFilter, column: InstrumentedAttribute[Any]) -> ColumnElement[bool]:
    try:
        value, key = decode_json(wanted.after)
        usable = isinstance(value, str | int | float) and isinstance(key, int) and abs(key) < 2**53
    except (ValueError, TypeError):
        usable = False
    if not usable or isinstance(value, str) is not issubclass(column.type.python_type, str):
        raise InputError("the address of the page is damaged: go back to the first page")
    if wanted.descending:
        return or_(column < value, and_(column == value, IndexedRun.key < key))
    return or_(column > value, and_(column == value, IndexedRun.key > key))


def _rows(connection: Connection, model: type[Model], query: Select[Any]) -> list[Model]:
    """Rows as plain objects that need no session."""
    return [_plain(model, row._mapping) for row in connection.execute(query)]


def _plain(model: type[Model], row: Mapping[Any, Any]) -> Model:
    columns: Any = model.__table__.c  # type: ignore[attr-defined]
    return model(**{name: row[name] for name in columns.keys()})  # noqa: SIM118  (the columns themselves are iterated)


def choices(engine: Engine) -> dict[str, list[tuple[str, int]]]:
    """The values of each filter, and how many runs have them; the most frequent first."""
    found = {}
    with engine.connect().execution_options(reads=True) as connection:
        for name in FILTERS:
            column = getattr(IndexedRun, name)
            query = select(column, func.count()).where(column != "").group_by(column)
            rows = connection.execute(query.order_by(func.count().desc(), column).limit(MOST_CHOICES))
            found[name] = [(value, count) for value, count in rows]
    return found


def totals(engine: Engine) -> tuple[int, int]:
    """How many runs and steps are indexed."""
    with engine.connect().execution_options(reads=True) as connection:
        runs, steps = connection.execute(select(func.count(), func.sum(IndexedRun.steps)).select_from(IndexedRun)).one()
    return runs, steps or 0


def find_run(engine: Engine, id: str) -> IndexedRun | None:
    """A run by the id in an address."""
    with engine.connect().execution_options(reads=True) as connection:
        return next(iter(_rows(connection, IndexedRun, select(IndexedRun).where(IndexedRun.id == id))), None)


def same_task(engine: Engine, run: IndexedRun, most: int = 20) -> list[IndexedRun]:
    """Other runs with the same instruction, the latest first."""
    where = [IndexedRun.instruction == run.instruction, IndexedRun.id != run.id]
    query = select(IndexedRun).where(*where).order_by(IndexedRun.started.desc(), IndexedRun.key).limit(most)
    with engine.connect().execution_options(reads=True) as connection:
        return _rows(connection, IndexedRun, query) if run.instruction else []


# -- steps -------------------------------------------------------------------------------------------------------------


def step_rows(engine: Engine, run: IndexedRun, first: int, most: int = STEPS_PAGE) -> list[IndexedStep]:
    """Steps of a run from a position on."""
    where = [IndexedStep.run == run.key, IndexedStep.position >= first]
    query = select(IndexedStep).where(*where).order_by(IndexedStep.position).limit(most)
    with engine.connect().execution_options(reads=True) as connection:
        return _rows(connection, IndexedStep, query)


def next_problem(engine: Engine, run: IndexedRun, after: int) -> int | None:
    """The first marked step behind a position; behind the last one, the first of the run."""
    query = select(func.min(IndexedStep.position)).where(IndexedStep.run == run.key, IndexedStep.mark != "")
    with engine.connect().execution_options(reads=True) as connection:
        found = connection.execute(query.where(IndexedStep.position > after)).scalar()
        return found if found is not None else connection.execute(query).scalar()


def step_classes(engine: Engine, runs: Select[Any]) -> dict[str, int]:
    """How many steps of some runs (a selection of their keys) failed in which way."""
    query = select(IndexedStep.error_class, func.count()).where(
        IndexedStep.run.in_(runs), IndexedStep.error_class != ""
    )
    with engine.connect().execution_options(reads=True) as connection:
        return dict(connection.execute(query.group_by(IndexedStep.error_class)).all())


# -- measurements ------------------------------------------------------------------------------------------------------


def measurements_page(engine: Engine, after: int = 0, most: int = PAGE) -> Page[IndexedMeasurement]:
    """Measurements, those found last first."""
    query = select(IndexedMeasurement).order_by(IndexedMeasurement.key.desc()).limit(most + 1)
    with engine.connect().execution_options(reads=True) as connection:
        count = connection.execute(select(func.count()).select_from(IndexedMeasurement)).scalar_one()
        rows = _rows(connection, IndexedMeasurement, query.where(IndexedMeasurement.key < after) if after else query)
    return Page(rows[:most], str(rows[most - 1].key) if len(rows) > most else "", count)


def find_measurement(engine: Engine, id: str) -> IndexedMeasurement | None:
    with engine.connect().execution_options(reads=True) as connection:
        query = select(IndexedMeasurement).where(IndexedMeasurement.id == id)
        return next(iter(_rows(connection, IndexedMeasurement, query)), None)


def cases_page(
    engine: Engine, measurement: IndexedMeasurement, end: str = "", after: int = -1, most: int = PAGE
) -> Page[MeasuredCase]:
    """Cases of a measurement that ended in one way; empty: all."""
    where = [MeasuredCase.measurement == measurement.key, *([MeasuredCase.end == end] if end else [])]
    query = select(MeasuredCase).where(*where, MeasuredCase.position > after).order_by(MeasuredCase.position)
    with engine.connect().execution_options(reads=True) as connection:
        count = connection.execute(select(func.count()).select_from(MeasuredCase).where(*where)).scalar_one()
        rows = _rows(connection, MeasuredCase, query.limit(most + 1))
    return Page(rows[:most], str(rows[most - 1].position) if len(rows) > most else "", count)


def error_classes(engine: Engine, measurement: IndexedMeasurement) -> dict[str, int]:
    """How many steps of a measurement failed in which way: of its runs, and of recordings that were answered."""
    found = step_classes(engine, select(IndexedRun.key).where(IndexedRun.measurement == measurement.id))
    query = select(MeasuredCase.classes).where(
        MeasuredCase.measurement == measurement.key, MeasuredCase.end == "failed"
    )
    counted: dict[str, int] = {}
    with engine.connect().execution_options(reads=True) as connection:
        for (classes,) in connection.execute(query.execution_options(yield_per=1000)):
            for name, count in classes.items():
                counted[name] = counted.get(name, 0) + count
    return counted or found  # a recording's kept samples are among its cases


def runs_named(engine: Engine, ids: Sequence[str]) -> list[IndexedRun]:
    """Runs by their ids."""
    with engine.connect().execution_options(reads=True) as connection:
        return _rows(connection, IndexedRun, select(IndexedRun).where(IndexedRun.id.in_(ids)))
