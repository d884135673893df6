"""What an agent costs beside what it can do: tokens, seconds, turns and money, each with an interval over cases.

SecAgent's Table 4 counts a step (input tokens of text and pictures, time to the first token, tokens a second),
GuidNav's Table 4 a task (tokens, dollars, turns). Both are here, so that either can stand beside ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from saccade.bench.cases import Result
from saccade.bench.figures import done, load, main_figure, mean, ratio
from saccade.bench.plots import Dot, scatter
from saccade.bench.published import notes_beside, rows_beside
from saccade.bench.suites import Suite, get_suite
from saccade.bench.table import Cell, Table, TableRow, cell_of
from saccade.errors import InputError
from saccade.scoring.intervals import Figure
from saccade.scoring.profiles import get_profile

COLUMNS = {
    "input": "input tokens a step",
    "output": "output tokens a step",
    "first": "first token (s)",
    "speed": "tokens a second",
    "turns": "turns a task",
    "tokens": "tokens a task",
    "cost": "cost a task ($)",
    "time": "time a task (s)",
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


def spent(results: Sequence[Result]) -> dict[str, Cell | None]:
    """What the cases took, by the names of `COLUMNS`. Broken cases count nowhere."""
    found = done(results)
    return {name: cell_of(measure(found) if found else None, 1) for name, measure in _MEASURES.items()}


def efficiency_table(suite: Suite, results: Sequence[Result], label: str, beside: bool = True) -> Table:
    """One row for this measurement, and the published ones of the same suite."""
    cells = spent(results)
    theirs = rows_beside(suite.name, list(COLUMNS), "efficiency") if beside else []
    what = "A task is a case: an episode, or a sample that belongs to none. " if suite.kind == "static" else ""
    notes = [
        f"{what}n counts tasks. Input tokens are those of text and pictures, as the model counts them. Tokens a second "
        "are the output over the model's whole time, that to the first token included. Time is all that passed.",
        "Intervals: 95 % bootstrap over tasks.",
    ]
    if cells["cost"] is None:
        notes.append("No price is known for the model, or it costs nothing.")
    if cells["first"] is None:
        notes.append("The model does not stream, so nobody knows when its first token came.")
    notes += notes_beside(suite.name, "efficiency") if theirs else []
    title = f"{headline(suite)}: what it takes"
    return Table(title, list(COLUMNS.values()), [TableRow(label, list(cells.values())), *theirs], unit="", notes=notes)


def accuracy_against_tokens(folders: Sequence[Path], path: Path, profile: str | None = None) -> None:
    """Several measurements of one suite: what each can do, over the input tokens that a step costs it."""
    dots, names, suites = [], set(), set()
    for folder in folders:
        bench, results = load(folder)
        suite = get_suite(bench.suite)
        name, figure = main_figure(suite, results, get_profile(profile or suite.profile))
        tokens, cell = spent(results)["input"], cell_of(figure)
        if tokens is None or cell is None:
            raise InputError(f"{folder} has no case that is done, so there is nothing to draw")
        dots.append(Dot(bench.label or folder.name, tokens, cell))
        names.add(name)
        suites.add(suite.title)
    if len(suites) != 1:
        what = ", ".join(sorted(suites)) or "nothing"
        raise InputError(f"a scatter is of one suite, not of {what}: name folders of the same suite")
    scatter(dots, path, "input tokens a step", f"{names.pop()}, per cent", f"{suites.pop()}: accuracy against tokens")
