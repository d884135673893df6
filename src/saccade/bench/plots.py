"""Plots of cells: bars, lines, and a scatter of what an agent can do against what it costs. Every mark carries its
interval; colours are told apart by colour-blind eyes (Okabe and Ito), and each series has a mark of its own as well.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from saccade.bench.table import BODY, INK, PALE, SMALL, Cell, Table, breadth, canvas, heads, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#595959", "#8C6D1F")
MARKS = "osD^vP*X"
Series = Mapping[str, Sequence[Cell | None]]


class Dot(NamedTuple):
    """One run in a scatter."""

    label: str
    x: Cell
    y: Cell


def bars(names: Sequence[str], series: Series, path: Path, title: str = "", unit: str = "%") -> None:
    """A bar for each name and series, with its interval, value and count."""
    slim = max(1, len(series))
    longest = max((breadth(word, BODY - 1) for name in names for word in _folded(name).split("\n")), default=0.0)
    wide = max(4.0, 1.2 + len(names) * max(0.55, 0.1 + longest, 0.42 * slim))
    with canvas(path, wide, 3.4) as figure:
        axes = figure.add_subplot()
        width = 0.8 / slim
        for at, (label, cells) in enumerate(series.items()):
            places = [place + (at - (slim - 1) / 2) * width for place in range(len(names))]
            shown = [(place, cell) for place, cell in zip(places, cells, strict=True) if cell is not None]
            heights, arms = [cell.value for _, cell in shown], _arms([cell for _, cell in shown])
            axes.bar([place for place, _ in shown], heights, width * 0.9, color=colour(at), label=label, yerr=arms,
                     error_kw={"lw": 0.9, "capsize": 2, "ecolor": INK})  # fmt: skip
            for place, cell in shown:
                _over(axes, place, cell, unit)
        axes.set_xticks(range(len(names)), [_folded(name) for name in names])
        axes.tick_params(axis="x", length=0, labelsize=BODY - 1)
        _frame(axes, title, unit, list(series))
        figure.tight_layout()


def table_bars(table: Table, path: Path) -> None:
    """Our own rows of a table as bars; published ones stand in the table itself."""
    names = [f"{group} {name}".strip() for group, name in heads(table)]
    ours = {row.label: row.cells for row in table.rows if not row.published}
    bars(names, ours, path, table.title, table.unit)


def lines(xs: Sequence[str], series: Series, path: Path, xlabel: str, ylabel: str = "%", title: str = "") -> None:
    """One line for each series over the values of a setting; a value without a cell is a gap."""
    with canvas(path, max(4.5, 1.6 + 0.9 * len(xs)), 3.4) as figure:
        axes = figure.add_subplot()
        for at, (label, cells) in enumerate(series.items()):
            shown = [cell or Cell(nan) for cell in cells]
            axes.errorbar(range(len(xs)), [cell.value for cell in shown], _arms(shown), color=colour(at),
                          marker=MARKS[at % len(MARKS)], markersize=5, lw=1.6, capsize=2, elinewidth=0.9,
                          label=label)  # fmt: skip
        axes.set_xticks(range(len(xs)), [_folded(x) for x in xs])
        axes.set_xlim(-0.4, len(xs) - 0.6)
        axes.set_xlabel(xlabel)
        _frame(axes, title, ylabel, list(series), zero=False)
        figure.tight_layout()


def scatter(dots: Sequence[Dot], path: Path, xlabel: str, ylabel: str, title: str = "") -> None:
    """Runs by what they cost (x) and what they can do (y): the upper left corner is the better one."""
    with canvas(path, 6.2, 3.6) as figure:
        axes = figure.add_subplot()
        for at, dot in enumerate(dots):
            axes.errorbar([dot.x.value], [dot.y.value], _arms([dot.y]), _arms([dot.x]), color=colour(at),
                          marker=MARKS[at % len(MARKS)], markersize=6, lw=0, elinewidth=0.9, capsize=2,
                          label=dot.label)  # fmt: skip
        axes.margins(0.1)
        axes.set_xlabel(xlabel)
        _frame(axes, title, ylabel, [dot.label for dot in dots], zero=False)
        axes.grid(axis="x")
        figure.tight_layout()


def colour(at: int) -> str:
    return COLOURS[at % len(COLOURS)]


def _arms(cells: Sequence[Cell]) -> Any:
    """Lengths of the error bars, below and above; none for figures without an interval."""
    if all(cell.low is None for cell in cells):
        return None
    below = [max(0.0, cell.value - cell.low) if cell.low is not None else 0.0 for cell in cells]
    above = [max(0.0, cell.high - cell.value) if cell.high is not None else 0.0 for cell in cells]
    return [below, above]


def _over(axes: Axes, place: float, cell: Cell, unit: str) -> None:
    """Value and count over a bar."""
    top = max(cell.value, cell.high if cell.high is not None else cell.value)
    text = number(cell.value, unit) + (f"\nn {cell.n:,}" if cell.n is not None else "")
    axes.annotate(text, (place, top), (0, 3), textcoords="offset points", ha="center", va="bottom", fontsize=SMALL,
                  color=PALE, linespacing=0.95, bbox={"fc": "white", "ec": "none", "pad": 0.4})  # fmt: skip


def _frame(axes: Axes, title: str, label: str, series: Sequence[str], zero: bool = True) -> None:
    """Title, axis, grid, and a legend where there is something to tell apart."""
    if title:
        axes.set_title("\n".join(textwrap.wrap(title, 70)), loc="left", fontsize=BODY + 1, weight="bold", pad=12)
    axes.set_ylabel("per cent" if label == "%" else label)
    axes.grid(axis="y")
    low, high = axes.get_ylim()
    if label == "%":
        low, high = max(0.0, low) if not zero else 0.0, min(high, 104.0)
    axes.set_ylim(0.0 if zero else low, high + (0.14 * (high - low) if zero else 0.0))
    if label == "%":
        axes.set_yticks([tick for tick in axes.get_yticks() if low <= tick <= 100])
    if len(series) > 1:
        axes.legend(frameon=False, fontsize=BODY - 1, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _folded(name: str) -> str:
    """A tick's name in short lines, so that neighbours do not touch."""
    return "\n".join(textwrap.wrap(name.replace("_", " "), 11)) or name
