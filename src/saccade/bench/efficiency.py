"""What an agent costs: tokens, seconds, turns and dollars, each with an interval over cases.

SecAgent's Table 4 counts per step (input tokens of text and pictures, time to the first token, tokens per second),
GuidNav's Table 4 per task (tokens, dollars, turns). Both are computed, so that either can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from saccade.bench.cases import Result
from saccade.bench.figures import done, load_measurement, main_figure, mean, ratio
from saccade.bench.notes import blind_mark
from saccade.bench.plots import ScatterPoint, scatter
from saccade.bench.published import published_notes, published_rows
from saccade.bench.suites import Suite, get_suite
from saccade.bench.table import Cell, Table, TableRow, cell_of
from saccade.errors import InputError
from saccade.scoring.intervals import Figure
from saccade.scoring.profiles import get_profile

COLUMNS = {
    "input": "input tokens per step",
    "output": "output tokens per step",
    "first": "first token (s)",
    "speed": "tokens per second",
    "turns": "turns per task",
    "tokens": "tokens per task",
    "cost": "cost per task ($)",
    "time": "time per task (s)",
}
_MEASURES: dict[str, Callable[[Sequence[Result]], Figure | None]] = {
    "input": lambda found: ratio([each.usage.input for each in found], [each.turns for each in found]),
    "output": lambda found: ratio([each.usage.output for each in found], [each.turns for each in found]),
    "first": lambda found: mean([each.first_token for each in found if each.first_token is not None]),
    "speed": lambda found: ratio([each.usage.output for each in found], [each.model_seconds for each in found]),
    "turns": lambda found: mean([each.turns for each in found]),
    "tokens": lambda found: mean([each.usage.tokens for each in found]),
    "cost": lambda found: mean([each.usage.cost for each in found]) if any(each.usage.cost for each in found) else None,
    "time": lambda found: mean([each.seconds for each in found]),
}


def headline(suite: Suite) -> str:
    return suite.title[:1].upper() + suite.title[1:]


def cost_cells(results: Sequence[Result]) -> dict[str, Cell | None]:
    """Mean costs of the cases, by the names of `COLUMNS`. Broken cases are not counted."""
    found = done(results)
    return {name: cell_of(measure(found) if found else None, 1) for name, measure in _MEASURES.items()}


def efficiency_table(suite: Suite, results: Sequence[Result], label: str, beside: bool = True) -> Table:
    """One row for this measurement, and the published rows of the same suite."""
    cells = cost_cells(results)
    theirs = published_rows(suite.name, list(COLUMNS), "efficiency") if beside else []
    what = "A task is a case: an episode, or a sample that belongs to none. " if suite.kind == "static" else ""
    notes = [
        f"{what}n counts tasks. Input tokens are those of text and pictures, as counted by the model. Tokens per "
        "second are output tokens over the model's whole time, with that to the first token. Time is wall time.",
        "Intervals: 95 % bootstrap over tasks.",
    ]
    if cells["cost"] is None:
        notes.append("No price is known for the model, or it costs nothing.")
    if cells["first"] is None:
        notes.append("The model does not stream, so the time to its first token is unknown.")
    notes += published_notes(suite.name, "efficiency") if theirs else []
    title = f"{headline(suite)}: costs"
    return Table(title, list(COLUMNS.values()), [TableRow(label, list(cells.values())), *theirs], unit="", notes=notes)


def accuracy_against_tokens(folders: Sequence[Path], path: Path, profile: str | None = None) -> None:
    """Plot several measurements of one suite: main figure against input tokens per step."""
    dots, names, suites = [], set(), set()
    for folder in folders:
        bench, results = load_measurement(folder)
        suite = get_suite(bench.suite)
        name, figure = main_figure(suite, results, get_profile(profile or suite.profile), bench.similarity)
        tokens, cell = cost_cells(results)["input"], cell_of(figure)
        if tokens is None or cell is None:
            raise InputError(f"{folder} has no completed case, so there is nothing to plot")
        dots.append(ScatterPoint((bench.label or folder.name) + blind_mark(results), tokens, cell))
        names.add(name)
        suites.add(suite.title)
    if len(suites) != 1:
        what = ", ".join(sorted(suites)) or "nothing"
        raise InputError(
            f"a scatter plot needs measurements of one suite, not of {what}: give folders of the same suite"
        )
    scatter(dots, path, "input tokens per step", f"{names.pop()}, per cent", f"{suites.pop()}: accuracy against tokens")
