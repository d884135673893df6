"""Tables on the terminal. They stay on a screen: own rows and the nearest published ones, columns in as many parts as
the width needs, each note once. The report has everything.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table as RichTable

from saccade.bench.table import (
    MANY,
    NOTHING,
    WIDEST,
    Cell,
    Table,
    TableRow,
    heads,
    number,
    shortened,
    source,
    units,
    wrapped,
)

NEAREST = 5
"""Published rows that the terminal shows."""
FEW = 3
"""With more own rows, interval and count stand beside the value, not below it."""
LABEL = 30
"""Most characters of a row's label before it is wrapped; a quarter of the terminal if that is less."""


def nearest(table: Table, most: int = NEAREST) -> Table:
    """The table with its own rows and the published rows that are nearest in the main figure, in their order. Rows of
    the table's own rule go before others.
    """
    ours = next((cell for row in table.rows if not row.published and (cell := row.cells[table.main])), None)
    theirs = [row for row in table.rows if row.published]

    def distance(row: TableRow) -> tuple[bool, bool, float]:
        cell = row.cells[table.main]
        return bool(row.rule), cell is None, abs(cell.value - ours.value) if cell and ours else 0.0

    kept = {id(row) for row in sorted(theirs, key=distance)[:most]}
    rows = [row for row in table.rows if not row.published or id(row) in kept]
    left = len(table.rows) - len(rows)
    more = [f"The report has {left:,} more published rows."] if left else []
    return replace(table, rows=rows, notes=[*table.notes, *more])


def notes_once(tables: Sequence[Table]) -> list[Table]:
    """The tables, each without the notes that stand below an earlier one."""
    seen: set[str] = set()
    made = []
    for table in tables:
        made.append(replace(table, notes=[note for note in table.notes if note not in seen]))
        seen.update(table.notes)
    return made


def console_tables(tables: Sequence[Table], console: Console) -> Group:
    """All tables with their notes, as they stand on this terminal."""
    parts: list[RenderableType] = []
    for table in notes_once(list(map(nearest, tables))):
        parts += column_parts(table, console)
        parts += [f"[dim]{escape(note)}[/]" for note in table.notes]
    return Group(*parts)


def column_parts(table: Table, console: Console) -> list[RichTable]:
    """The table in parts one below the other, each with as many columns as fit; the columns of one heading stay
    together where they can.
    """
    table = shortened(table)
    widths = [width for _, width in table.groups] or [1] * len(table.columns)
    whole = {sum(widths[: at + 1]) for at in range(len(widths))}
    made: list[RichTable] = []
    first, count = 0, len(table.columns)
    while first < count:
        ends = [end for end in range(first + 1, count + 1) if _fits(_part(table, first, end, console), console)]
        end = max([end for end in ends if end in whole] or ends or [first + 1])
        made.append(_part(table, first, end, console))
        first = end
    return made


def _fits(table: RichTable, console: Console) -> bool:
    return Measurement.get(console, console.options.update(width=10_000), table).maximum <= console.width


def _part(table: Table, first: int, end: int, console: Console) -> RichTable:
    """The columns from `first` to `end`, below the title in the first part. Intervals are rounded if there are many
    columns. The source of published rows stands once above them.
    """
    many = len(table.columns) > MANY
    beside = sum(not row.published for row in table.rows) > FEW and not many
    made = RichTable(
        box=SIMPLE_HEAD,
        title=escape(table.title) if not first else None,
        title_justify="left",
        title_style="bold",
        header_style="bold",
        padding=(0, 0 if many else 1, 0, 0),
    )
    made.add_column("", overflow="fold", max_width=min(LABEL, max(12, console.width // 4)))
    for group, name in heads(table)[first:end]:
        over = f"{group[:5]}." if many and len(group) > 6 else group
        under = wrapped(name, WIDEST // 2 if many else WIDEST)
        made.add_column(escape(f"{over}\n{under}" if table.groups else under), justify="right", no_wrap=True)
    above = ""
    for row in table.rows:
        if source(row) != above:
            above = source(row)
            made.add_row(escape(above), style="dim italic")
        found = list(zip(row.cells, units(table), strict=True))[first:end]
        cells = [_cell(cell, unit, many, " " if beside else "\n") for cell, unit in found]
        made.add_row(escape(row.label), *cells, style="dim" if row.published else "")
    return made


def _cell(cell: Cell | None, unit: str, many: bool, between: str) -> str:
    if cell is None:
        return NOTHING
    found = [number(cell.value, unit)]
    if cell.low is not None and cell.high is not None:
        ends = [f"{end:.0f}" if many and unit == "%" else number(end, unit) for end in (cell.low, cell.high)]
        found.append("[dim]" + (f"{ends[0]}…{ends[1]}" if cell.low < 0 else "–".join(ends)) + "[/]")
    if cell.n is not None:
        found.append(f"[dim]n {cell.n:,}[/]")
    return between.join(found)
