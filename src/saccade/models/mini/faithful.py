"""Is a task that was put plainly still the same task?

What it is about must be told in its own words: a name, a time or a text that is not in the task was made up, and one
that the task quotes and the plain words do not was lost. A small model does both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

QUOTED = re.compile('“([^”]*)”|"([^"]*)"')
FAULT, ODD = 4.0, 2.0
"""How much less likely (its logarithm) a text is for a fault: one that is to be seen, and one that may be none."""
_NUMBER = re.compile(r"\d+(?:[:.-]\d+)*")
_EXAMPLE = re.compile(
    r"(?:\b(?:like|such as|e\.g\.|as in|for example)|如|像|类似)\s*[“\"]?\d[\d:./-]*"
    r"|\d[\d:./-]*[”\"]?(?=这样|这种|的形式|的格式|的样子)"
)
"""A number that only shows a form, as in `written like 09:30`, is not what a task is about."""


class Guess(NamedTuple):
    """A task, put plainly, and how likely the model finds it."""

    text: str
    likely: float
    odd: int = 0
    """Faults that its wording has in itself."""


def faults(task: str, plain: str) -> int:
    """How many quotations and numbers were made up or lost."""
    made_up = sum(piece not in task for piece in pieces(plain))
    lost = sum(piece not in plain for piece in pieces(_EXAMPLE.sub(" ", task)))
    return made_up + lost


def pieces(text: str) -> set[str]:
    """What is quoted, and numbers."""
    quoted = {(one or other).strip(" ,.，。") for one, other in QUOTED.findall(text)}
    return {piece for piece in quoted if piece} | set(_NUMBER.findall(text))


def ranked(task: str, guesses: Sequence[Guess]) -> list[Guess]:
    """The likeliest first, and later for each fault."""
    return sorted(guesses, key=lambda guess: FAULT * faults(task, guess.text) + ODD * guess.odd - guess.likely)
