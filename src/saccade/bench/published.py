"""Published figures, shown below measured ones. They are always marked as published: the authors' data and rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from saccade.bench.table import Cell, TableRow
from saccade.typed_values import to_type
from saccade.untrusted import read_yaml

FILE = Path(__file__).with_name("published.yaml")
PUBLISHED_NOTE = (
    "Published rows are the authors' figures, on their data and by their rules; they were not measured here."
)


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One table of a paper, or the part of it that belongs to one suite."""

    paper: str
    table: str
    suite: str
    beside: str = "main"
    """The table to which it belongs: main, efficiency, live, or the name of an ablation."""
    metric: str
    profile: str = ""
    """The match profile of the paper's own rows; empty if the paper does not state it."""
    unit: str = "%"
    note: str = ""
    columns: tuple[str, ...]
    rows: dict[str, tuple[float | None, ...]]

    def __post_init__(self) -> None:
        for label, values in self.rows.items():
            if len(values) != len(self.columns):
                raise ValueError(f"{self.where}, {label}: {len(values)} figures for {len(self.columns)} columns")

    @property
    def where(self) -> str:
        return f"{self.paper}, {self.table}" if self.table.startswith("App") else f"{self.paper}, Table {self.table}"

    def row(self, label: str, keys: Sequence[str], rule: str = "") -> TableRow:
        """One of its rows with the columns `keys` of another table, marked if it was made by another rule than that
        table's.
        """
        values = dict(zip(self.columns, self.rows[label], strict=True))
        found = [None if (value := values.get(key)) is None else Cell(value) for key in keys]
        other = f"rule {self.profile or 'not stated'}" if rule and self.profile != rule else ""
        return TableRow(label, found, True, self.where, other)


@cache
def all_published() -> tuple[Published, ...]:
    return tuple(to_type(read_yaml(FILE), list[Published]))


def published(suite: str, beside: str = "main") -> list[Published]:
    """The published tables for one of a suite's tables."""
    return [each for each in all_published() if (each.suite, each.beside) == (suite, beside)]


def published_rows(suite: str, keys: Sequence[str], beside: str = "main", rule: str = "") -> list[TableRow]:
    """All published rows that have a figure in one of these columns; those made by the rule of the table come first,
    and all others are marked.
    """
    rows = [each.row(label, keys, rule) for each in published(suite, beside) for label in each.rows]
    return sorted((row for row in rows if any(row.cells)), key=lambda row: bool(row.rule))


def published_notes(suite: str, beside: str = "main") -> list[str]:
    """Notes on the published tables: metric, rule, and remarks."""
    found = published(suite, beside)
    if not found:
        return []
    return [PUBLISHED_NOTE, *map(_note, found)]


def _note(table: Published) -> str:
    rule = f"rule {table.profile}" if table.profile else "rule not stated"
    return f"{table.where}: {table.metric}; {rule}" + (f"; {table.note}" if table.note else "") + "."
