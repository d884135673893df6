"""Episodes whose instructions are far enough apart (SecAgent §3.3: at least 6 edits between any two)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from saccade.data.readers.base import Dataset, Sample


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
