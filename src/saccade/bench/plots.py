"""Plots of table cells: bars, lines, and a scatter plot of accuracy against cost.

Every mark has its interval. The colours are safe for colour-blind readers (Okabe and Ito), and each series also has its
own marker.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from saccade.bench.table import BODY, INK, PALE, SMALL, Cell, Table, canvas, heads, number, shortened, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#595959", "#8C6D1F")
MARKS = "osD^vP*X"
Series = Mapping[str, Sequence[Cell | None]]


class ScatterPoint(NamedTuple):
    """One run in a scatter plot."""

    label: str
    x: Cell
    y: Cell


def bars(names: Sequence[str], series: Series, path: Path, title: str = "", unit: str = "%") -> None:
    """A bar for each name and series, with its interval, value and count."""
    slim = max(1, len(series))
    longest = max((text_width(word, BODY - 1) for name in names for word in _wrapped(name).split("\n")), default=0.0)
    wide = max(4.0, 1.2 + len(names) * max(0.55, 0.1 + longest, 0.42 * slim))
    with canvas(path, wide, 3.4) as figure:
        axes = figure.add_subplot()
        width = 0.8 / slim
        for at, (label, cells) in enumerate(series.items()):
            places = [place + (at - (slim - 1) / 2) * width for place in range(len(names))]
            shown = [(place, cell) for place, cell in zip(places, cells, strict=True) if cell is not None]
            heights, arms = [cell.value for _, cell in shown], _error_bars([cell for _, cell in shown])
            style: dict[str, Any] = {"lw": 0.9, "capsize": 2, "ecolor": INK}
            centres = [place for place, _ in shown]
            axes.bar(centres, heights, width * 0.9, color=colour(at), label=label, yerr=arms, error_kw=style)
            for place, cell in shown:
                _annotate(axes, place, cell, unit)
        axes.set_xticks(range(len(names)), [_wrapped(name) for name in names])
        axes.tick_params(axis="x", length=0, labelsize=BODY - 1)
        _frame(axes, title, unit, list(series))
        figure.tight_layout()


def table_bars(table: Table, path: Path) -> None:
    """The rows of a table that were measured here, as bars; published rows are left out."""
    table = shortened(table)
    names = [f"{group} {name}".strip() for group, name in heads(table)]
    ours = {row.label: row.cells for row in table.rows if not row.published}
    bars(names, ours, path, table.title, table.unit)


def lines(xs: Sequence[str], series: Series, path: Path, xlabel: str, ylabel: str = "%", title: str = "") -> None:
    """One line for each series over the values of a setting; a missing cell is a gap."""
    with canvas(path, max(4.5, 1.6 + 0.9 * len(xs)), 3.4) as figure:
        axes = figure.add_subplot()
        for at, (label, cells) in enumerate(series.items()):
            shown = [cell or Cell(nan) for cell in cells]
            heights = [cell.value for cell in shown]
            style: dict[str, Any] = {"color": colour(at), "marker": MARKS[at % len(MARKS)], "markersize": 5, "lw": 1.6}
            bars_style: dict[str, Any] = {"capsize": 2, "elinewidth": 0.9}
            axes.errorbar(range(len(xs)), heights, _error_bars(shown), label=label, **style, **bars_style)
        axes.set_xticks(range(len(xs)), [_wrapped(x) for x in xs])
        axes.set_xlim(-0.4, len(xs) - 0.6)
        axes.set_xlabel(xlabel)
        _frame(axes, title, ylabel, list(series), zero=False)
        figure.tight_layout()


def scatter(dots: Sequence[ScatterPoint], path: Path, xlabel: str, ylabel: str, title: str = "") -> None:
    """Runs by cost (x) and accuracy (y): the upper left corner is best."""
    with canvas(path, 6.2, 3.6) as figure:
        axes = figure.add_subplot()
        for at, dot in enumerate(dots):
            style: dict[str, Any] = {"color": colour(at), "marker": MARKS[at % len(MARKS)], "markersize": 6, "lw": 0}
            bars_style: dict[str, Any] = {"capsize": 2, "elinewidth": 0.9}
            style |= {"yerr": _error_bars([dot.y]), "xerr": _error_bars([dot.x])}
            axes.errorbar([dot.x.value], [dot.y.value], label=dot.label, **style, **bars_style)
        axes.margins(0.1)
        axes.set_xlabel(xlabel)
        _frame(axes, title, ylabel, [dot.label for dot in dots], zero=False)
        axes.grid(axis="x")
        figure.tight_layout()


def colour(at: int) -> str:
    return COLOURS[at % len(COLOURS)]


def _error_bars(cells: Sequence[Cell]) -> Any:
    """Lengths of the error bars, below and above; None if no figure has an interval."""
    if all(cell.low is None for cell in cells):
        return None
    below = [max(0.0, cell.value - cell.low) if cell.low is not None else 0.0 for cell in cells]
    above = [max(0.0, cell.high - cell.value) if cell.high is not None else 0.0 for cell in cells]
    return [below, above]


def _annotate(axes: Axes, place: float, cell: Cell, unit: str) -> None:
    """Write value and count above a bar."""
    top = max(cell.value, cell.high if cell.high is not None else cell.value)
    text = number(cell.value, unit) + (f"\nn {cell.n:,}" if cell.n is not None else "")
    position: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "bottom"}
    style: dict[str, Any] = {"fontsize": SMALL, "color": PALE, "linespacing": 0.95}
    background = {"fc": "white", "ec": "none", "pad": 0.4}
    axes.annotate(text, (place, top), (0, 3), **position, **style, bbox=background)


def _frame(axes: Axes, title: str, label: str, series: Sequence[str], zero: bool = True) -> None:
    """Title, axis, grid, and a legend if there is more than one series."""
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


def _wrapped(name: str) -> str:
    """A tick label in short lines, so that neighbours do not overlap."""
    return "\n".join(textwrap.wrap(name.replace("_", " "), 11)) or name
