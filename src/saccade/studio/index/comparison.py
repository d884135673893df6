"""Two runs of the same task: which steps belong together, and where they first differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from sqlalchemy import Engine

from saccade.studio.database.runs import IndexedRun
from saccade.studio.index.queries import step_rows
from saccade.studio.index.step_view import StepView, read_views
from saccade.types import Language

MOST_STEPS = 500
"""Steps of each run that are compared."""


@dataclass(frozen=True)
class AlignedRow:
    """A step of each run; None: the other run did something that this one did not."""

    sides: tuple[StepView | None, StepView | None]
    same: bool


@dataclass(frozen=True)
class Comparison:
    """All rows, the first that differs, and whether steps were left out because there are too many."""

    rows: list[AlignedRow]
    first_difference: int | None
    cut: bool
    same_task: bool


def compare(engine: Engine, runs: tuple[IndexedRun, IndexedRun], language: Language) -> Comparison:
    """Align the first attempts of two runs, as far as there are, by what was done, in words."""
    views = [read_views(run, step_rows(engine, run, 0, MOST_STEPS), language) for run in runs]
    rows = [*align(*views)]
    first = next((at for at, row in enumerate(rows) if not row.same), None)
    same_task = runs[0].instruction == runs[1].instruction
    return Comparison(rows, first, any(run.steps > MOST_STEPS for run in runs), same_task)


def align(left: Sequence[StepView], right: Sequence[StepView]) -> Iterator[AlignedRow]:
    """Equal steps side by side; between them, unequal ones as they come. Steps are equal that did the same in the same
    attempt, so a detour of one run does not make all that follows unequal.
    """
    names = [[(view.row.attempt, view.row.action, view.words) for view in side] for side in (left, right)]
    for tag, a, a_end, b, b_end in SequenceMatcher(None, names[0], names[1], autojunk=False).get_opcodes():
        for at in range(max(a_end - a, b_end - b)):
            one = left[a + at] if a + at < a_end else None
            two = right[b + at] if b + at < b_end else None
            yield AlignedRow((one, two), tag == "equal")
