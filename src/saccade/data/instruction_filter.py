"""Episodes whose instructions are far enough apart (SecAgent §3.3: at least 6 edits between any two)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from saccade.data.readers.base import Dataset, Sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK = 256
"""Texts that are compared with all others at a time, which bounds the memory."""


def far_apart(instructions: Iterable[str], least: int) -> list[bool]:
    """Which instructions are kept: each that is at least `least` edits (Levenshtein) from every one kept before it.

    Two texts are at least as many edits apart as their lengths differ, so only those of similar length are compared.
    """
    by_length: dict[int, list[str]] = defaultdict(list)
    seen: set[str] = set()
    kept = []
    for text in instructions:
        near = text in seen and least > 0
        lengths = range(len(text) - least + 1, len(text) + least)
        for length in () if near else lengths:
            found = by_length.get(length)
            if found and process.extractOne(text, found, scorer=Levenshtein.distance, score_cutoff=least - 1):
                near = True
                break
        kept.append(not near)
        if not near:
            by_length[len(text)].append(text)
            seen.add(text)
    return kept


def near_pairs(
    left: Sequence[str],
    right: Sequence[str],
    least: int,
    joined: Callable[[], tuple[NDArray[np.int64], NDArray[np.int64]]] | None = None,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Positions of the pairs of a text of `left` and one of `right` that are less than `least` edits apart, in parts.

    Only texts of similar length are compared, as in `far_apart`. Who looks for groups of near texts gives `joined`, the
    present labels of both sides' texts: most pairs with equal labels are then left out. Short texts are nearly all near
    each other, and without it each would be compared with each.
    """
    if least < 1 or not left or not right:
        return
    lengths_left, lengths_right = (np.array([len(text) for text in side]) for side in (left, right))
    order_left, order_right = np.argsort(lengths_left, kind="stable"), np.argsort(lengths_right, kind="stable")
    sorted_right = lengths_right[order_right]
    for at in range(0, len(left), CHUNK):
        rows = order_left[at : at + CHUNK]
        first = np.searchsorted(sorted_right, lengths_left[rows[0]] - least + 1, "left")
        last = np.searchsorted(sorted_right, lengths_left[rows[-1]] + least - 1, "right")
        columns = order_right[max(int(first), at) if left is right else first : last]
        parts = [(rows, columns)]
        if joined is not None:
            of_left, of_right = joined()
            usual = np.bincount(of_left[rows]).argmax()
            inside, outside = rows[of_left[rows] == usual], rows[of_left[rows] != usual]
            parts = [(inside, columns[of_right[columns] != usual]), (outside, columns)]
        for some, others in parts:
            yield _near(left, some, right, others, least)


def _near(
    left: Sequence[str], rows: NDArray[np.int64], right: Sequence[str], columns: NDArray[np.int64], least: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    distances = process.cdist(
        [left[each] for each in rows],
        [right[each] for each in columns],
        scorer=Levenshtein.distance,
        score_cutoff=least - 1,
        dtype=np.int32,
    )
    found = np.nonzero(distances < least)
    return rows[found[0]], columns[found[1]]


def distinct_episodes(dataset: Dataset, least: int) -> tuple[set[str], int]:
    """The episodes that are kept, and the number of all; of several too near each other, the first."""
    found: dict[str, str] = {}
    for sample in dataset.samples():
        found.setdefault(episode_of(sample), sample.step.instruction)
    kept = far_apart(found.values(), least)
    return {episode for episode, keep in zip(found, kept, strict=True) if keep}, len(found)


def episode_of(sample: Sample) -> str:
    """The episode of a sample; a step without one is one of its own."""
    return sample.step.episode or f"\0{sample.step.id}"
