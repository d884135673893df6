"""Is a task that was put plainly still the same task?

What it is about must be told in its own words: a name, a time or a text that is not in the task was made up, and one
that the task quotes and the plain words do not was lost. A small model does both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

QUOTED = re.compile('“([^”]*)”|"([^"]*)"')
FAULT, ODD, JOINED = 4.0, 2.0, 1.0
"""How much less likely (its logarithm) a text is for a fault: one that is to be seen, one that may be none, and a slot
that seems to hold more than one thing.
"""
_NUMBER = re.compile(r"\d+(?:[:.-]\d+)*")
_EXAMPLE = re.compile(
    r"(?:\b(?:like|such as|e\.g\.|as in|for example)|如|像|类似)\s*[“\"]?\d[\d:./-]*"
    r"|\d[\d:./-]*[”\"]?(?=这样|这种|的形式|的格式|的样子)"
)
"""A number that only shows a form, as in `written like 09:30`, is not what a task is about."""

_SURNAME = re.compile(
    "(?=((?:欧阳|上官|司马|诸葛|南宫|濮阳|皇甫|尉迟|公孙|慕容|令狐|钟离|宇文|长孙|司徒|司空|夏侯|端木|东方|西门|轩辕|百里|"
    "呼延|赫连|澹台|太史|申屠|仲孙|独孤)[一-鿿]))"
)
"""Of two letters, with the first letter of the name behind it: a model that has not read it takes a part."""
_NAME = re.compile(r"(?<![.!?:;”] )\b[A-Z]\w+(?: [A-Z]\w+)+")
"""Two words or more with capitals, as people and shops have them. A sentence begins with one for another reason."""


class Guess(NamedTuple):
    """A task, put plainly, and how likely the model finds it."""

    text: str
    likely: float
    odd: int = 0
    """Faults that its wording has in itself."""
    joined: int = 0
    """Slots that seem to hold more than one thing."""


def faults(task: str, plain: str) -> int:
    """How many quotations and numbers were made up or lost, and how many names lost or torn."""
    made_up = sum(piece not in task for piece in pieces(plain))
    lost = sum(piece not in plain for piece in pieces(_EXAMPLE.sub(" ", task)))
    torn = sum(name not in plain and (name[1:] in plain or name[:2] in plain) for name in _SURNAME.findall(task))
    return made_up + lost + torn + sum(name not in plain for name in names(task))


def names(text: str) -> set[str]:
    """Of people and shops, in English."""
    return set(_NAME.findall(". " + QUOTED.sub("“”", text)))


def pieces(text: str) -> set[str]:
    """What is quoted, and numbers."""
    quoted = {(one or other).strip(" ,.，。") for one, other in QUOTED.findall(text)}
    return {piece for piece in quoted if piece} | set(_NUMBER.findall(text))


def against(task: str, guess: Guess) -> float:
    """How unlikely it is (the logarithm), and more so for each fault."""
    return FAULT * faults(task, guess.text) + ODD * guess.odd + JOINED * guess.joined - guess.likely


def ranked(task: str, guesses: Sequence[Guess]) -> list[Guess]:
    """The likeliest first."""
    return sorted(guesses, key=lambda guess: against(task, guess))
