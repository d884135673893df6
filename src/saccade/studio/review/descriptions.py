"""Decisions in a few short lines, for lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from saccade.studio.review.kinds import Decision, ReviewKind
from saccade.studio.review.marks import Mark, Rectangle, Words
from saccade.types import Step

LONGEST = 300
MOST_LINES = 40


def described(
    kind: type[ReviewKind], decision: Decision, steps: Sequence[Step], word: Callable[[str], str] = str
) -> list[str]:
    """One line for each answer, box and text; of a trajectory, each begins with the step's number. `word` gives names
    and answers in the reader's language.
    """
    if decision.rejected:
        return [f"{word('rejected')}: {decision.rejected[:LONGEST]}"]
    marks = kind.to_marks(decision, steps)
    several = len(steps) > 1 and any(mark.page for mark in marks)
    lines = [(f"{mark.page + 1}. " if several else "") + _line(mark, word) for mark in marks]
    more = len(lines) - MOST_LINES
    return lines if more <= 0 else [*lines[:MOST_LINES], f"… {more}"]


def _line(mark: Mark, word: Callable[[str], str]) -> str:
    if isinstance(mark, Rectangle):
        place = ", ".join(f"{each:g}" for each in mark.box)
        return f"{word(mark.label)} [{place}]" + (f" {mark.text[:LONGEST]}" if mark.text else "")
    return f"{word(mark.name)}: {(mark.text if isinstance(mark, Words) else word(mark.value))[:LONGEST]}"
