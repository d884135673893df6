"""Second thoughts: what to do instead of what was done here before, or what was meant by a text that is nearly right.

A small model is sure of itself: where a list ends it goes on scrolling, and drawing its answer eight times gives eight
times the same. On a phone that answers at once, the same on the same screen brings the same again. So an action that
was tried there twice is not chosen once more; the likeliest answer that does something else is.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz

from saccade_mini.codec import LABEL, Sheet
from saccade_mini.decode import Logits, Pick
from saccade_mini.task_habits import Deed, object_in, turn_of

TWICE = 2
"""So often the same may be done on the same screen: a list need not show everything that a touch changes."""
ALIKE = 50.0
"""From how many percent on a text is taken for one that was to be typed."""
BEFORE = ("done", "context", "thought")
"""Parts of a prompt that only a later step has."""
EMPTY = ([-100, -100], "", "no input text")
"""Values that say nothing."""
_TYPED = re.compile(
    r'("(?:function|action|action_type)": "type"[^{}]*?"(?:text|input_text)": ")([^"\\]+)(")', re.IGNORECASE
)
_OPENED = re.compile(
    r'"(?:function|action|action_type)": "(?:open|open_?app)"[^{}]*?"(?:text|input_text)": "([^"\\]+)"', re.IGNORECASE
)

LESSONS = {
    "en": ("I do something else where I was most in doubt.", "I took the task for “{}”. Now I take it for “{}”."),
    "zh": ("在最没有把握的地方换一种做法。", "我把任务理解成了“{}”，这次理解为“{}”。"),
}
"""What is learned from an attempt that failed, in words: to act otherwise, or that the task means something else."""

Did = tuple[int, str]
"""On which screen (`screen_of`), and what."""


class Attempt(NamedTuple):
    """A way to go about a task."""

    chance: float
    """How likely it was to be right, beside the first way that came to mind."""
    reading: int
    """Of what the task may mean, which one."""
    barred: frozenset[Did]
    """What it does otherwise."""


class Attempts:
    """The ways to go about one task. After one that failed, the likeliest is next that was not tried: to understand the
    task otherwise, or to do something else where an attempt was most in doubt. Sure of itself as the mini is, it would
    do the same again (GuidNav §3.4: an attempt learns from the one before).
    """

    def __init__(self) -> None:
        self.now = Attempt(1.0, 0, frozenset())
        self._others: list[Attempt] = []

    def reread(self, chance: float) -> None:
        """The task means what is next likely, and this attempt goes on with that."""
        self.now = Attempt(chance, self.now.reading + 1, frozenset())

    def reflect(self, doubt: tuple[float, Did] | None, next_reading: float) -> Attempt:
        """What was most in doubt in an attempt that failed, and how likely the next reading is; returns what to do."""
        chance, reading, barred = self.now
        if doubt is not None:
            self._others.append(Attempt(chance * doubt[0], reading, barred | {doubt[1]}))
        if next_reading and not barred:
            self._others.append(Attempt(next_reading, reading + 1, frozenset()))
        if self._others:
            self.now = max(self._others, key=lambda each: each.chance)
            self._others.remove(self.now)
        return self.now


class Tried:
    """What was done on which screen, in one attempt at a task."""

    def __init__(self) -> None:
        self.task = ""
        self._done: Counter[Did] = Counter()
        self.said: set[str] = set()
        """What was touched or typed, and what prompts told of it."""
        self.deeds: list[str] = []
        """The names of all that was done."""
        self.whole = False
        """Is it known from the first step on?"""
        self._offered: list[Deed] = []
        """Of which one was done, perhaps."""
        self.chosen = False
        """Was it not the first of them?"""
        self._doubts: list[tuple[float, Did]] = []
        """How likely the runner-up was of all that was done."""
        self.barred: frozenset[Did] = frozenset()
        """What an attempt before did in vain."""

    def begin(self, sheet: Sheet) -> None:
        """A prompt comes. Another task, or the first step of the same one once more, begins anew."""
        task, first = sheet.part("task"), is_first(sheet)
        if task != self.task or first:
            self.task, self._done, self.said, self.deeds = task, Counter(), set(), []
            self.whole, self._offered, self._doubts = first, [], []
        told = [text for part, text in sheet.parts if part == "done"]
        self.chosen = False
        if self._offered:
            said = " ".join(told[-2:])
            done = next((each for each in self._offered if each.said and each.said[:LABEL] in said), self._offered[0])
            self.chosen = done is not self._offered[0]
            self.deeds.append(done.name)
            self._offered = []
        self.said |= set(told)

    def add(self, sheet: Sheet, action: str, offered: Sequence[Deed | None], doubt: float = 0.0) -> None:
        """It does this now, or one of these if there are several: the next prompt will tell."""
        self._done[screen_of(sheet), action] += 1
        self._doubts.append((doubt, (screen_of(sheet), action)))
        self._offered = [each for each in offered if each is not None]
        if len(offered) == 1:
            self.said |= {each.said for each in self._offered if each.said}

    def forget(self) -> None:
        """What was done so far was not meant: what is meant begins here."""
        self._done, self.deeds, self._offered, self._doubts = Counter(), [], [], []

    @property
    def doubt(self) -> tuple[float, Did] | None:
        """Where this attempt was most in doubt: how likely the runner-up was, and what was done there."""
        return max(self._doubts, default=None)

    def enough(self, sheet: Sheet, action: str) -> bool:
        """Was it done here as often as may make sense, or in vain in an attempt before?"""
        key = screen_of(sheet), action
        return key in self.barred or self._done[key] >= TWICE


def action_of(text: str) -> str:
    """What an answer does, in any format: the values of its first object that holds no other. Of a swipe only where to:
    that a finger begins elsewhere on the same list changes nothing.
    """
    found, value = object_in(text)
    if value is None:
        return found
    if not {"swipe", "scroll"} & {each.lower() for each in value.values() if isinstance(each, str)}:
        return " ".join(str(each) for each in value.values() if each not in EMPTY)
    turn = turn_of(value)
    return f"swipe {turn}" if turn else found


def is_first(sheet: Sheet) -> bool:
    """Is it the prompt of a first step?"""
    return not any(part in BEFORE for part, _ in sheet.parts)


def screen_of(sheet: Sheet) -> int:
    """What distinguishes a screen from others."""
    return hash(tuple((item.kind, item.state, item.label, item.point) for item in sheet.items))


class Doubts:
    """A choice that remembers the runner-up at each token, and how likely that was."""

    def __init__(self, pick: Pick) -> None:
        self._pick = pick
        self.tokens: list[int] = []
        self._seconds: list[tuple[float, int, int]] = []
        """Logarithm of how likely, at which token, which one."""

    def __call__(self, logits: Logits) -> npt.NDArray[np.int64]:
        """Of one row."""
        tokens = self._pick(logits)
        scaled = logits[0].astype(np.float64) - float(logits[0].max())
        scaled -= np.log(np.exp(scaled).sum())
        scaled[tokens[0]] = -np.inf
        second = int(scaled.argmax())
        if np.isfinite(scaled[second]):
            self._seconds.append((float(scaled[second]), len(self.tokens), second))
        self.tokens.append(int(tokens[0]))
        return tokens

    def others(self, end: int, most: int) -> Iterator[tuple[float, list[int]]]:
        """How other answers begin: up to where it was most in doubt first, and with the runner-up there; and how likely
        that was.
        """
        found = [each for each in sorted(self._seconds, reverse=True) if each[2] != end]
        yield from ((math.exp(likely), [*self.tokens[:at], token]) for likely, at, token in found[:most])


class Begun:
    """A choice for rows whose answers have begun already, each with tokens of its own."""

    def __init__(self, begun: Sequence[Sequence[int]], pick: Pick) -> None:
        self._begun, self._pick, self._at = begun, pick, 0

    def __call__(self, logits: Logits) -> npt.NDArray[np.int64]:
        for row, tokens in enumerate(self._begun):
            if self._at < len(tokens):
                kept = logits[row, tokens[self._at]]
                logits[row] = -np.inf
                logits[row, tokens[self._at]] = kept
        self._at += 1
        return self._pick(logits)


def app_in(answer: str) -> str:
    """What the app is called that an answer opens; nothing where it opens none."""
    found = _OPENED.search(answer)
    return found[1] if found else ""


def typed_in(answer: str) -> str:
    """What an answer types; nothing where it types nothing."""
    found = _TYPED.search(answer)
    return found[2] if found else ""


def retyped(answer: str, text: str) -> str:
    """An answer that types this in place of what it types."""
    return answer if '"' in text or "\\" in text else _TYPED.sub(lambda found: found[1] + text + found[3], answer)


def typed_as_told(answer: str, told: Iterable[str]) -> str:
    """An answer that types what the task tells: a text that is part of it, or much like it, was to be it. A text that
    is like nothing told was read elsewhere, and stays.
    """
    able = [each for each in told if len(each) > 1]

    def meant(found: re.Match[str]) -> str:
        said = found[2]
        if said in able or not able:
            return found[0]
        best = max(able, key=lambda each: likeness(said, each))
        return found[0] if likeness(said, best) < ALIKE or '"' in best or "\\" in best else found[1] + best + found[3]

    return _TYPED.sub(meant, answer)


def likeness(said: str, told: str) -> float:
    """Percent: all of it where one text is a part of the other, or how much of what is told they begin with."""
    if said in told or told in said:
        return 100.0 - abs(len(told) - len(said)) / (len(told) + len(said))
    begun = sum(said.startswith(told[:size]) for size in range(1, len(told) + 1)) / len(told)
    return max(float(fuzz.ratio(said, told)), 100 * begun)
