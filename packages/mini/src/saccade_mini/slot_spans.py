"""Finds the parts of a task that fill the slots of a wording: a linear model over the words around them.

What people say around a slot is regular: `{what}共1份`, `called {name}, take`. So each place of a task has a score for
beginning a slot's text and one for ending it, by the words next to it, and each length has one; a softmax over all
spans gives their probabilities. Trained on the same wordings as the intent classifier, kept in `reader.npz`, and
weighed together with the decoder (`task_normalizer`).
"""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from saccade_mini.slots import SLOT, Slots, fillings

LONGEST = 24
"""Units from which on all lengths count the same."""
MOST = 40
"""Units of the longest span."""
TRIED = 4
"""Spans of each slot that are combined with those of the others."""
UNLIKELY = -12.0
"""Spans with a smaller log-probability are not listed."""
_UNIT = re.compile(r"[A-Za-zÀ-ÿ]+(?:['’-][A-Za-z]+)*|\d+|[^\sA-Za-zÀ-ÿ\d]")
"""A word, a number, or any other character of a text."""
_POSSESSIVE = re.compile(r"['’]s\Z")
_QUOTE = frozenset('“”"')
_BEGIN, _END = "^", "$"

Span = tuple[float, tuple[int, int]]
"""The log-probability of a part of a task, and where it begins and ends."""


class Filling(NamedTuple):
    """One way to fill the slots of a wording."""

    slots: Slots
    log_probability: float


def shape(unit: str) -> str:
    """A number, a Chinese character, a word in upper or lower case, or any other character."""
    if unit.isdigit():
        return "0"
    if "一" <= unit[0] <= "鿿":
        return "z"
    return ("A" if unit[0].isupper() else "a") if unit[0].isalpha() else unit


def features(units: Sequence[str], slot: str, wording: str) -> tuple[list[list[int]], list[list[int]]]:
    """Hashes of what speaks for a span that begins with each unit, and for one that ends with it: each feature for any
    slot, for this slot, and for this slot in this wording.
    """
    words = [_BEGIN, *("0" if unit.isdigit() else unit.lower() for unit in units), _END]
    shapes = [_BEGIN, *map(shape, units), _END]
    sides = ("", f"{slot}|", f"{slot}|{_hash(wording)}|")
    begins, ends = [], []
    for at in range(1, len(units) + 1):
        before = [words[max(0, at - back)] for back in (3, 2, 1)]
        behind = [words[min(len(words) - 1, at + ahead)] for ahead in (1, 2, 3)]
        begin = [before[2], " ".join(before[1:]), " ".join(before), f"s {shapes[at - 1]}{shapes[at]}"]
        begin += [f"f {words[at]}", f"w {before[2]} {shapes[at]}"]
        end = [behind[0], " ".join(behind[:2]), " ".join(behind), f"s {shapes[at]}{shapes[at + 1]}"]
        end += [f"f {words[at]}", f"w {shapes[at]} {behind[0]}", f"b {words[at]} {behind[0]}"]
        begins.append([_hash(f"b|{side}{size}{each}") for size, each in enumerate(begin) for side in sides])
        ends.append([_hash(f"e|{side}{size}{each}") for size, each in enumerate(end) for side in sides])
    return begins, ends


def _hash(feature: str) -> int:
    return zlib.crc32(feature.encode())


class SlotSpans:
    """The trained weights."""

    def __init__(self, known: npt.NDArray[np.uint32], weights: npt.NDArray[np.float16]) -> None:
        self._weights: dict[int, float] = dict(zip(known.tolist(), weights.tolist(), strict=True))

    def fillings(self, wording: str, task: str, language: str, most: int) -> list[Filling]:
        """The likeliest ways to fill a wording's slots with parts of a task, no part in two of them."""
        slots = list(dict.fromkeys(SLOT.findall(wording)))
        spans = [sorted(self.spans(slot, wording, task, language), reverse=True)[:TRIED] for slot in slots]
        ways: list[Filling] = []
        for chosen in itertools.product(*spans):
            places = sorted(place for _, place in chosen)
            if all(one[1] <= other[0] for one, other in itertools.pairwise(places)):
                texts = (_POSSESSIVE.sub("", task[slice(*place)]) for _, place in chosen)
                ways.append(Filling(dict(zip(slots, texts, strict=True)), sum(logarithm for logarithm, _ in chosen)))
        return sorted(ways, key=lambda way: -way.log_probability)[:most]

    def spans(self, slot: str, wording: str, task: str, language: str) -> Iterator[Span]:
        """All parts of a task that could fill a slot. None breaks a quotation; it may hold all of one."""
        found = list(_UNIT.finditer(task))
        units, places = [each[0] for each in found], np.arange(len(found))
        size = places[None, :] - places[:, None] + 1
        quote = np.array([unit in _QUOTE for unit in units], dtype=bool)
        quotes = np.cumsum(quote)
        free = quotes[None, :] - quotes[:, None] + quote[:, None] == 0
        outside = quotes % 2 == 0  # behind a unit
        whole = (outside & ~quote)[:, None] & outside[None, :]
        valid = (size >= 1) & (size <= MOST) & (free | whole)
        if (formed := fillings(slot, task)) is not None:
            valid &= np.array([[(one.start(), other.end()) in formed for other in found] for one in found], dtype=bool)
        if not valid.any():
            return
        begins, ends = ([sum(map(self._weight, each)) for each in side] for side in features(units, slot, wording))
        sizes = np.array([self._weight(_hash(f"n|{slot}|{language}|{count}")) for count in range(LONGEST + 1)])
        scores = np.add.outer(begins, ends) + sizes[size.clip(0, LONGEST)]
        top = scores[valid].max()
        logs = scores - (top + np.log(np.exp(scores[valid] - top).sum()))
        for first, last in np.argwhere(valid & (logs > UNLIKELY)):
            yield float(logs[first, last]), (found[first].start(), found[last].end())

    def _weight(self, feature: int) -> float:
        return self._weights.get(feature, 0.0)


def fill(wording: str, slots: Slots) -> str:
    """A wording with its slots filled."""
    return SLOT.sub(lambda slot: slots[slot[1]], wording)
