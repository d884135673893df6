"""Where does what fills a slot begin, and where does it end? A linear model over what stands around it.

The decoder tells fillings by what they are like, and mistakes those it has not read: of a dish with four letters it
takes the three that it knows. What people say around a filling is more regular: `{what}共1份`, `called {name}, take`.
So each place of a task has a score for beginning a slot's filling and one for ending it, by the words next to it, and
each length has one; the probability of a stretch is a softmax over all stretches. Trained on the wordings of the reader
(`train.edges`), kept in the same file, and weighed together with the decoder (`model`).
"""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from saccade_mini.slots import SLOT, fillings

LONGEST = 24
"""Units from which on all lengths are the same."""
MOST = 40
"""Units of a filling."""
TRIED = 4
"""Stretches of each slot that are put together with those of the others."""
UNHEARD = -12.0
"""The logarithm of what is as good as impossible."""
_UNIT = re.compile(r"[A-Za-zÀ-ÿ]+(?:['’-][A-Za-z]+)*|\d+|[^\sA-Za-zÀ-ÿ\d]")
_QUOTE = frozenset('“”"')
_BEGIN, _END = "^", "$"


class Unit(NamedTuple):
    """A word, a number, or any other letter of a text."""

    begin: int
    end: int
    text: str

    @property
    def word(self) -> str:
        return "0" if self.text.isdigit() else self.text.lower()

    @property
    def shape(self) -> str:
        first = self.text[0]
        if first.isdigit():
            return "0"
        if "一" <= first <= "鿿":
            return "z"
        return ("A" if first.isupper() else "a") if first.isalpha() else self.text


Stretch = tuple[float, tuple[int, int]]
"""The logarithm of how likely a part of a task is, and where it begins and ends."""


class Filled(NamedTuple):
    """A wording with its slots filled, and the logarithm of how likely the stretches are."""

    text: str
    likely: float


def units(text: str) -> list[Unit]:
    return [Unit(*found.span(), found[0]) for found in _UNIT.finditer(text)]


def features(found: Sequence[Unit], slot: str, plain: str) -> tuple[list[list[int]], list[list[int]]]:
    """Of each unit: what speaks for a filling that begins with it, and for one that ends with it. Each is said three
    times: of any slot, of this one, and of this one in this wording.
    """
    words = [_BEGIN, *(unit.word for unit in found), _END]
    shapes = [_BEGIN, *(unit.shape for unit in found), _END]
    sides = ("", f"{slot}|", f"{slot}|{number(plain)}|")
    begins, ends = [], []
    for at in range(1, len(found) + 1):
        before = [words[max(0, at - back)] for back in (3, 2, 1)]
        behind = [words[min(len(words) - 1, at + ahead)] for ahead in (1, 2, 3)]
        begin = (before[2], " ".join(before[1:]), " ".join(before), f"s {shapes[at - 1]}{shapes[at]}",
                 f"f {words[at]}", f"w {before[2]} {shapes[at]}")  # fmt: skip
        end = (behind[0], " ".join(behind[:2]), " ".join(behind), f"s {shapes[at]}{shapes[at + 1]}",
               f"f {words[at]}", f"w {shapes[at]} {behind[0]}", f"b {words[at]} {behind[0]}")  # fmt: skip
        begins.append([number(f"b|{side}{size}{each}") for size, each in enumerate(begin) for side in sides])
        ends.append([number(f"e|{side}{size}{each}") for size, each in enumerate(end) for side in sides])
    return begins, ends


def lengths(slot: str, language: str) -> list[int]:
    """What speaks for each length, up to the longest."""
    return [number(f"n|{slot}|{language}|{count}") for count in range(LONGEST + 1)]


def number(feature: str) -> int:
    return zlib.crc32(feature.encode())


class Places(NamedTuple):
    """Where in a task each slot of a plain wording may be filled from."""

    plain: str
    task: str
    slots: dict[str, list[Stretch]]

    def fill(self, most: int) -> list[Filled]:
        """The likeliest ways to fill the slots, no word of the task in two of them."""
        able = [sorted(stretches, reverse=True)[:TRIED] for stretches in self.slots.values()]
        ways: list[Filled] = []
        for chosen in itertools.product(*able):
            spans = sorted(span for _, span in chosen)
            if all(one[1] <= other[0] for one, other in itertools.pairwise(spans)):
                values = {slot: self.task[slice(*span)] for slot, (_, span) in zip(self.slots, chosen, strict=True)}
                ways.append(Filled(put(self.plain, values), sum(likely for likely, _ in chosen)))
        return sorted(ways, key=lambda way: -way.likely)[:most]

    def likely(self, values: Mapping[str, str]) -> float:
        """The logarithm of how likely it is that the slots are filled like this."""
        return sum(
            max((likely for likely, span in self.slots[slot] if self.task[slice(*span)] == value), default=UNHEARD)
            for slot, value in values.items()
        )


class Edges:
    """The weights, at work."""

    def __init__(self, known: npt.NDArray[np.uint32], weights: npt.NDArray[np.float16]) -> None:
        self._weights: dict[int, float] = dict(zip(known.tolist(), weights.tolist(), strict=True))

    def read(self, plain: str, task: str, language: str) -> Places:
        """A task, as a plain wording would have it."""
        found = units(task)
        slots = dict.fromkeys(SLOT.findall(plain))
        return Places(plain, task, {slot: list(self.stretches(slot, plain, task, language, found)) for slot in slots})

    def stretches(self, slot: str, plain: str, task: str, language: str, found: Sequence[Unit]) -> Iterator[Stretch]:
        """All that could fill a slot, with the logarithm of how likely it is."""
        if not found:
            return
        scores, allowed = self.scores(slot, plain, language, found)
        formed = fillings(slot, task)
        if formed is not None:
            begins = {unit.begin: at for at, unit in enumerate(found)}
            ends = {unit.end: at for at, unit in enumerate(found)}
            form = np.zeros_like(allowed)
            for begin, end in formed:
                if begin in begins and end in ends:
                    form[begins[begin], ends[end]] = True
            allowed &= form
        if not allowed.any():
            return
        top = scores[allowed].max()
        logs = scores - (top + np.log(np.exp(scores[allowed] - top).sum()))
        for first, last in np.argwhere(allowed & (logs > UNHEARD)):
            yield float(logs[first, last]), (found[first].begin, found[last].end)

    def scores(self, slot: str, plain: str, language: str, found: Sequence[Unit]
               ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:  # fmt: skip
        """Of each stretch, by its first and its last unit, and whether it may be one: it begins and ends within the
        same quotation, or holds all of some, as `the group “Hikers”` does.
        """
        begins, ends = ([sum(map(self._weight, each)) for each in side] for side in features(found, slot, plain))
        sizes = np.array([self._weight(each) for each in lengths(slot, language)])
        places = np.arange(len(found))
        size = places[None, :] - places[:, None] + 1
        quote = np.array([unit.text in _QUOTE for unit in found])
        quotes = np.cumsum(quote)
        free = quotes[None, :] - quotes[:, None] + quote[:, None] == 0
        outside = quotes % 2 == 0  # behind a unit
        whole = (outside & ~quote)[:, None] & outside[None, :]
        allowed = (size >= 1) & (size <= MOST) & (free | whole)
        return np.add.outer(begins, ends) + sizes[size.clip(0, LONGEST)], allowed

    def _weight(self, feature: int) -> float:
        return self._weights.get(feature, 0.0)


def put(plain: str, values: Mapping[str, str]) -> str:
    return SLOT.sub(lambda slot: values[slot[1]], plain)
