"""Tables of figures, and their output as Markdown, HTML, JSON and PNG; `terminal` has that for a terminal.

A cell has its count and interval, the notes say what was measured and by which rule, and published figures are marked
as such in every output.
"""

from __future__ import annotations

import html as markup
import logging
import textwrap
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from saccade.errors import InputError, MissingError
from saccade.scoring.intervals import Figure as MeasuredFigure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NOTHING = "–"
CHINESE = ("Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei", "PingFang SC", "Microsoft YaHei", "SimHei")
"""Fonts with Latin and Chinese characters; the first installed one is used."""
INK, PALE, RULE, OURS = "#1f2328", "#5b6470", "#c9cfd6", "#eef4fb"
BODY, SMALL = 9.0, 6.5
"""Font sizes in points."""
LINE, GAP = 0.15, 0.1
"""Line height and row gap in inches."""
WIDEST = 13
"""Characters of a column name before it is wrapped."""
LONGEST_NAME, LONGEST_NOTE = 80, 2_000
"""Characters that outputs show of titles, names and labels, and of notes: tags of data become names of columns."""
NO_MATPLOTLIB = "drawing needs matplotlib: pip install 'saccade[bench]'"
MANY = 7
"""With more columns, the terminal shows rounded intervals, and the HTML page a smaller font."""


class Cell(msgspec.Struct, omit_defaults=True):
    """A figure in the unit of its column; per cent are 0 to 100. Published figures have only a value."""

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None


class TableRow(msgspec.Struct, omit_defaults=True):
    label: str
    cells: list[Cell | None]
    published: bool = False
    note: str = ""
    """For a published row: its paper and table."""
    rule: str = ""
    """For a published row that was made by another match rule than the table: that rule."""


class Table(msgspec.Struct, omit_defaults=True):
    title: str
    columns: list[str]
    """A column with its own unit ends with it: `first token (s)`."""
    rows: list[TableRow]
    groups: list[tuple[str, int]] = []
    """Headings above columns, with the number of columns: `("Mobile", 2)`; an empty name for single columns."""
    unit: str = "%"
    notes: list[str] = []
    """Data, count, rule, interval, versions, date."""
    main: int = -1
    """The column of the main figure; the last by default."""
    plot: str = ""
    """The name of the plot that its measured rows are drawn as; empty: none."""


def cell_of(figure: MeasuredFigure | None, scale: float = 100) -> Cell | None:
    """A measured figure as a cell; shares become per cent."""
    if figure is None:
        return None
    return Cell(scale * figure.value, scale * figure.low, scale * figure.high, figure.n)


# -- text of cells -----------------------------------------------------------------------------------------------------


def number(value: float, unit: str = "%") -> str:
    """Per cent with one decimal; other units with three significant digits, and as whole numbers from 100 on. Counts
    (`n`) are whole.

    >>> number(87.2), number(2239.4, "tokens"), number(0.1123, "s"), number(12.34, "s"), number(0.00104, "$")
    ('87.2', '2,239', '0.112', '12.3', '0.00104')
    >>> number(22.0, "n")
    '22'
    """
    if unit == "%":
        return f"{value:.1f}"
    size = abs(value)
    if size == 0 or size >= 100 or unit == "n":
        return f"{value:,.0f}"
    return f"{value:.{1 if size >= 10 else 2}f}" if size >= 1 else f"{value:.3g}"


def units(table: Table) -> list[str]:
    """The unit of each column."""
    return [name.rpartition("(")[2][:-1] if name.endswith(")") else table.unit for name in table.columns]


def lines(cell: Cell | None, unit: str) -> list[str]:
    """Value, interval and count of a cell, as lines; a published figure has only the value."""
    if cell is None:
        return [NOTHING]
    found = [number(cell.value, unit)]
    if cell.low is not None and cell.high is not None:
        found.append(f"[{number(cell.low, unit)}, {number(cell.high, unit)}]")
    if cell.n is not None:
        found.append(f"n = {cell.n:,}")
    return found


def heads(table: Table) -> list[tuple[str, str]]:
    """Each column's group and its own name."""
    over = [name for name, width in table.groups for _ in range(width)]
    over += [""] * (len(table.columns) - len(over))
    return list(zip(over, table.columns, strict=True))


def source(row: TableRow) -> str:
    """The source of a published row; empty for measured rows."""
    return ", ".join(filter(None, ("published" if row.published else "", row.note, row.rule)))


def wrapped(name: str, width: int = WIDEST) -> str:
    """A column name wrapped to lines of `width` characters."""
    return "\n".join(textwrap.wrap(name, width, break_long_words=False)) or name


def check(table: Table) -> Table:
    """Raise if a row or the column groups do not have as many cells as the table has columns."""
    width = len(table.columns)
    for row in table.rows:
        if len(row.cells) != width:
            raise ValueError(f"{table.title}: the row {row.label!r} has {len(row.cells)} cells for {width} columns")
    if table.groups and sum(width for _, width in table.groups) != width:
        raise ValueError(f"{table.title}: the column groups are not as wide as the {width} columns")
    return table


def shortened(table: Table) -> Table:
    """The checked table as outputs show it: long names cut in the middle, because a unit stands at their end."""
    check(table)
    rows = [replace(row, label=cut(row.label), note=cut(row.note, 200), rule=cut(row.rule)) for row in table.rows]
    groups = [(cut(name), width) for name, width in table.groups]
    notes = [cut(note, LONGEST_NOTE) for note in table.notes]
    columns = list(map(cut, table.columns))
    return replace(
        table, title=cut(table.title, 2 * LONGEST_NAME), columns=columns, rows=rows, groups=groups, notes=notes
    )


def cut(text: str, longest: int = LONGEST_NAME) -> str:
    """A text of at most so many characters.

    >>> cut("a tag of forty thousand letters (s)", 20)
    'a tag of fo…ters (s)'
    """
    return text if len(text) <= longest else f"{text[: longest - 9]}…{text[-8:]}"


# -- text --------------------------------------------------------------------------------------------------------------


def markdown(table: Table) -> str:
    """A title, the table, and its notes as a list."""
    table = shortened(table)
    names = [f"{group} {name}".strip() for group, name in heads(table)]
    head = ["| " + " | ".join(["", *map(_piped, names)]) + " |", "|:---|" + "---:|" * len(names)]
    notes = [f"- {note}" for note in table.notes]
    return "\n".join([f"### {table.title}", "", *head, *_markdown_rows(table), "", *notes]).rstrip() + "\n"


def _markdown_rows(table: Table) -> Iterator[str]:
    for row in table.rows:
        label = f"*{_piped(row.label)}*" if row.published else f"**{_piped(row.label)}**"
        label += f" ({_piped(source(row))})" if source(row) else ""
        cells = [" ".join(lines(cell, unit)) for cell, unit in zip(row.cells, units(table), strict=True)]
        yield "| " + " | ".join([label, *cells]) + " |"


def _piped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def html(table: Table) -> str:
    """The table as an HTML fragment without styles."""
    table = shortened(table)
    groups = ""
    if table.groups:
        over = "".join(f'<th colspan="{width}">{markup.escape(name)}</th>' for name, width in table.groups)
        groups = f"<tr><th></th>{over}</tr>"
    names = "".join(f"<th>{markup.escape(name)}</th>" for name in table.columns)
    body = "\n".join(_html_row(row, units(table)) for row in table.rows)
    notes = "".join(f"<li>{markup.escape(note)}</li>" for note in table.notes)
    size = "many" if len(table.columns) > MANY else "few"
    return (
        f'<figure class="{size}"><figcaption>{markup.escape(table.title)}</figcaption>\n'
        f"<table><thead>{groups}<tr><th></th>{names}</tr></thead><tbody>\n{body}\n</tbody></table>\n"
        f"<ul>{notes}</ul></figure>\n"
    )


def _html_row(row: TableRow, of: list[str]) -> str:
    label = markup.escape(row.label) + (f"<small>{markup.escape(source(row))}</small>" if source(row) else "")
    cells = ""
    for cell, unit in zip(row.cells, of, strict=True):
        value, *rest = lines(cell, unit)
        cells += f"<td>{value}{''.join(f'<small>{line}</small>' for line in rest)}</td>"
    return f'<tr class="{"published" if row.published else "ours"}"><th>{label}</th>{cells}</tr>'


def to_json(table: Table) -> bytes:
    return msgspec.json.format(msgspec.json.encode(check(table)), indent=2)


# -- pictures ----------------------------------------------------------------------------------------------------------


@contextmanager
def canvas(path: Path, width: float, height: float) -> Iterator[Figure]:
    """An empty matplotlib figure, size in inches, saved to `path` on exit. No window and no global state."""
    try:
        import matplotlib  # noqa: PLC0415
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415
        from matplotlib.font_manager import fontManager  # noqa: PLC0415
    except ImportError:
        raise MissingError(NO_MATPLOTLIB) from None
    installed = {font.name for font in fontManager.ttflist}
    chinese = [name for name in CHINESE if name in installed][:1]
    look: dict[Any, Any] = {
        "font.family": ["DejaVu Sans", *chinese],
        "font.size": BODY,
        "text.color": INK,
        "text.parse_math": False,
        "axes.edgecolor": PALE,
        "axes.labelcolor": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "grid.color": RULE,
        "grid.linewidth": 0.5,
        "xtick.color": INK,
        "ytick.color": INK,
    }
    fonts = logging.getLogger("matplotlib.font_manager")
    before = fonts.level
    fonts.setLevel(logging.ERROR)  # suppress the warning about Chinese fonts without a bold face
    try:
        with matplotlib.rc_context(look):
            figure = Figure(figsize=(width, height), facecolor="white")
            FigureCanvasAgg(figure)
            yield figure
            figure.savefig(path, dpi=160)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    finally:
        fonts.setLevel(before)


def text_width(text: str, points: float) -> float:
    """Approximate width of a text in inches."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return (0.62 * (len(text) - wide) + 1.05 * wide) * points / 72


def picture(table: Table, path: Path) -> None:
    """Write the table as a PNG: measured rows tinted, published rows grey, notes below."""
    table = shortened(table)
    widths = _widths(table)
    heights = [_height(row, table) for row in table.rows]
    total = sum(widths) + 0.3
    notes = [
        line for note in table.notes for line in textwrap.wrap(note, max(40, int(total / text_width("n", SMALL + 1))))
    ]
    head = (0.62 if table.groups else 0.42) + LINE * max(wrapped(name).count("\n") for name in table.columns)
    height = 0.45 + head + sum(heights) + 0.16 * len(notes) + 0.35
    with canvas(path, total, height) as figure:
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set(xlim=(0, total), ylim=(height, 0))
        axes.axis("off")
        axes.text(0.15, 0.25, table.title, fontsize=11, weight="bold", va="center")
        _draw_head(axes, table, widths, 0.45, head)
        top = 0.45 + head
        for row, tall in zip(table.rows, heights, strict=True):
            _draw_row(axes, row, units(table), widths, top, tall)
            top += tall
        axes.plot([0.15, total - 0.15], [top, top], color=INK, lw=0.8)
        for at, line in enumerate(notes):
            axes.text(0.15, top + 0.2 + 0.16 * at, line, fontsize=SMALL + 1, color=PALE, va="center")


def _widths(table: Table) -> list[float]:
    labels = [max(text_width(row.label, BODY), text_width(source(row), SMALL)) for row in table.rows]
    widths = [max(labels, default=1.0) + 0.25]
    for at, (name, unit) in enumerate(zip(table.columns, units(table), strict=True)):
        texts = [lines(row.cells[at], unit) for row in table.rows]
        body = [text_width(text[0], BODY) for text in texts] + [
            text_width(line, SMALL) for text in texts for line in text[1:]
        ]
        widths.append(max([*(text_width(line, BODY) for line in wrapped(name).split("\n")), *body]) + 0.16)
    at = 1
    for name, width in table.groups:
        short = text_width(name, BODY) + 0.16 - sum(widths[at : at + width])
        for column in range(at, at + width):
            widths[column] += max(0.0, short) / width
        at += width
    spare = text_width(table.title, 12) + 0.2 - sum(widths)
    widths[0] += max(0.0, spare)
    return widths


def _height(row: TableRow, table: Table) -> float:
    most = max([len(lines(cell, unit)) for cell, unit in zip(row.cells, units(table), strict=True)], default=1)
    return LINE * max(most, 1 + bool(source(row))) + GAP


def _draw_head(axes: Axes, table: Table, widths: list[float], top: float, head: float) -> None:
    left, total = 0.15, sum(widths) + 0.15
    axes.plot([left, total], [top, top], color=INK, lw=0.8)
    right, at = left + widths[0], 1
    for name, columns in table.groups:
        span = sum(widths[at : at + columns])
        axes.text(right + span / 2 + 0.04, top + 0.15, name, ha="center", va="center", weight="bold")
        if name:
            axes.plot([right + 0.1, right + span], [top + 0.28, top + 0.28], color=RULE, lw=0.8)
        right, at = right + span, at + columns
    right = left + widths[0]
    for name, width in zip(table.columns, widths[1:], strict=True):
        right += width
        axes.text(right, top + head - 0.13, wrapped(name), ha="right", va="baseline", weight="bold", linespacing=1.1)
    axes.plot([left, total], [top + head, top + head], color=INK, lw=0.8)


def _draw_row(axes: Axes, row: TableRow, of: list[str], widths: list[float], top: float, tall: float) -> None:
    left, total = 0.15, sum(widths)
    if not row.published:
        axes.fill_between([left - 0.05, left + total + 0.05], top, top + tall, color=OURS, lw=0)
    first = top + GAP / 2 + LINE / 2
    color = PALE if row.published else INK
    axes.text(left, first, row.label, color=color, va="center", weight="normal" if row.published else "bold")
    if where := source(row):
        axes.text(left, first + LINE, where, fontsize=SMALL, color=PALE, va="center")
    right = left + widths[0]
    for cell, unit, width in zip(row.cells, of, widths[1:], strict=True):
        right += width
        value, *rest = lines(cell, unit)
        axes.text(right, first, value, color=color, ha="right", va="center")
        for at, line in enumerate(rest, 1):
            axes.text(right, first + at * LINE, line, fontsize=SMALL, color=PALE, ha="right", va="center")
    axes.plot([left, left + total], [top + tall, top + tall], color=RULE, lw=0.4)
