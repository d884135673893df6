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
_POSSESSIVE = re.compile(r"['’]s\Z")
_QUOTE = frozenset('“”"')
_BEGIN, _END = "^", "$"

Span = tuple[float, tuple[int, int]]
"""The log-probability of a part of a task, and where it begins and ends."""


class Unit(NamedTuple):
    """A word, a number, or any other character of a text."""

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


class Filling(NamedTuple):
    """One way to fill the slots of a wording."""

    slots: Slots
    log_probability: float


def units(text: str) -> list[Unit]:
    return [Unit(*found.span(), found[0]) for found in _UNIT.finditer(text)]


def features(found: Sequence[Unit], slot: str, wording: str) -> tuple[list[list[int]], list[list[int]]]:
    """Hashes of what speaks for a span that begins with each unit, and for one that ends with it: each feature for any
    slot, for this slot, and for this slot in this wording.
    """
    words = [_BEGIN, *(unit.word for unit in found), _END]
    shapes = [_BEGIN, *(unit.shape for unit in found), _END]
    sides = ("", f"{slot}|", f"{slot}|{_hash(wording)}|")
    begins, ends = [], []
    for at in range(1, len(found) + 1):
        before = [words[max(0, at - back)] for back in (3, 2, 1)]
        behind = [words[min(len(words) - 1, at + ahead)] for ahead in (1, 2, 3)]
        begin = [before[2], " ".join(before[1:]), " ".join(before), f"s {shapes[at - 1]}{shapes[at]}"]
        begin += [f"f {words[at]}", f"w {before[2]} {shapes[at]}"]
        end = [behind[0], " ".join(behind[:2]), " ".join(behind), f"s {shapes[at]}{shapes[at + 1]}"]
        end += [f"f {words[at]}", f"w {shapes[at]} {behind[0]}", f"b {words[at]} {behind[0]}"]
        begins.append([_hash(f"b|{side}{size}{each}") for size, each in enumerate(begin) for side in sides])
        ends.append([_hash(f"e|{side}{size}{each}") for size, each in enumerate(end) for side in sides])
    return begins, ends


def lengths(slot: str, language: str) -> list[int]:
    """Hashes of what speaks for each length, up to the longest."""
    return [_hash(f"n|{slot}|{language}|{count}") for count in range(LONGEST + 1)]


def _hash(feature: str) -> int:
    return zlib.crc32(feature.encode())


class SlotSpans:
    """The trained weights."""

    def __init__(self, known: npt.NDArray[np.uint32], weights: npt.NDArray[np.float16]) -> None:
        self._weights: dict[int, float] = dict(zip(known.tolist(), weights.tolist(), strict=True))

    def fillings(self, wording: str, task: str, language: str, most: int) -> list[Filling]:
        """The likeliest ways to fill a wording's slots with parts of a task, no part in two of them."""
        found, slots = units(task), list(dict.fromkeys(SLOT.findall(wording)))
        spans = [sorted(self.spans(slot, wording, task, language, found), reverse=True)[:TRIED] for slot in slots]
        ways: list[Filling] = []
        for chosen in itertools.product(*spans):
            places = sorted(place for _, place in chosen)
            if all(one[1] <= other[0] for one, other in itertools.pairwise(places)):
                texts = (_POSSESSIVE.sub("", task[slice(*place)]) for _, place in chosen)
                ways.append(Filling(dict(zip(slots, texts, strict=True)), sum(logarithm for logarithm, _ in chosen)))
        return sorted(ways, key=lambda way: -way.log_probability)[:most]

    def spans(self, slot: str, wording: str, task: str, language: str, found: Sequence[Unit]) -> Iterator[Span]:
        """All parts of a task that could fill a slot."""
        if not found:
            return
        scores, valid = self.scores(slot, wording, language, found)
        if (formed := fillings(slot, task)) is not None:
            begins = {unit.begin: at for at, unit in enumerate(found)}
            ends = {unit.end: at for at, unit in enumerate(found)}
            form = np.zeros_like(valid)
            for begin, end in formed:
                if begin in begins and end in ends:
                    form[begins[begin], ends[end]] = True
            valid &= form
        if not valid.any():
            return
        top = scores[valid].max()
        logs = scores - (top + np.log(np.exp(scores[valid] - top).sum()))
        for first, last in np.argwhere(valid & (logs > UNLIKELY)):
            yield float(logs[first, last]), (found[first].begin, found[last].end)

    def scores(
        self, slot: str, wording: str, language: str, found: Sequence[Unit]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Of each span, by its first and last unit, and whether it is valid: it begins and ends in the same quotation,
        or holds all of some, as `the group “Hikers”` does.
        """
        begins, ends = ([sum(map(self._weight, each)) for each in side] for side in features(found, slot, wording))
        sizes = np.array([self._weight(each) for each in lengths(slot, language)])
        places = np.arange(len(found))
        size = places[None, :] - places[:, None] + 1
        quote = np.array([unit.text in _QUOTE for unit in found])
        quotes = np.cumsum(quote)
        free = quotes[None, :] - quotes[:, None] + quote[:, None] == 0
        outside = quotes % 2 == 0  # behind a unit
        whole = (outside & ~quote)[:, None] & outside[None, :]
        valid = (size >= 1) & (size <= MOST) & (free | whole)
        return np.add.outer(begins, ends) + sizes[size.clip(0, LONGEST)], valid

    def _weight(self, feature: int) -> float:
        return self._weights.get(feature, 0.0)


def fill(wording: str, slots: Slots) -> str:
    """A wording with its slots filled."""
    return SLOT.sub(lambda slot: slots[slot[1]], wording)
