"""Summarises a data set in one pass: counts and length distributions, which reveal errors of a reader.

An action histogram without swipes, screens of a size that no phone has, or a tag with one value where the paper has
four: each points to a wrong reader, split or download.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Protocol

import msgspec

from saccade.actions import swipe_direction
from saccade.data.readers.base import Dataset, Sample
from saccade.data.write import is_file
from saccade.types import Step

MOST_VALUES = 1000
"""Most distinct values that are counted separately; a tag may contain a random seed."""
PARTS = ("step_instruction", "history", "context", "elements", "key_elements", "thought", "prediction", "output")


class Tally(msgspec.Struct):
    """How often each value occurs. Only the first `MOST_VALUES` values are counted separately, to bound memory."""

    counts: dict[str, int] = msgspec.field(default_factory=dict)
    others: int = 0
    """Occurrences of all further values."""

    def add(self, value: str) -> None:
        if value in self.counts:
            self.counts[value] += 1
        elif len(self.counts) < MOST_VALUES:
            self.counts[value] = 1
        else:
            self.others += 1

    @property
    def total(self) -> int:
        return sum(self.counts.values()) + self.others

    def common(self, most: int | None = None) -> list[tuple[str, int]]:
        """Values and counts, the most frequent first; ties in the order of their first occurrence."""
        return Counter(self.counts).most_common(most)


class Spread(msgspec.Struct, frozen=True):
    """A distribution of lengths: minimum, median, mean, maximum and count."""

    least: int
    median: float
    mean: float
    most: int
    n: int


class Description(msgspec.Struct, kw_only=True):
    """The summary of a data set."""

    dataset: str
    title: str
    folder: str
    options: dict[str, str]
    steps: int = 0
    whole: bool = True
    """False if a limit left out samples."""
    left_out: int = 0
    """Records that could not be read."""
    grounding: int = 0
    """Grounding steps, which ask only for a point."""
    several: int = 0
    """Steps with more than one right action."""
    no_truth: int = 0
    boxed: int = 0
    """Steps whose right action comes with a box."""
    episodes: int = 0
    episode_steps: Spread | None = None
    actions: Tally = msgspec.field(default_factory=Tally)
    """The first right action of each step, by type; keys and final states separately."""
    directions: Tally = msgspec.field(default_factory=Tally)
    """Finger directions of swipes and drags. Their shares show whether the reader took finger or content directions."""
    screens: Tally = msgspec.field(default_factory=Tally)
    scripts: Tally = msgspec.field(default_factory=Tally)
    """Scripts in which the instructions are written."""
    instruction_words: Spread | None = None
    """A Chinese character counts as a word."""
    pictures: dict[str, int] = msgspec.field(default_factory=dict)
    """present, missing (named, but no such file), inside (in the records), none."""
    parts: dict[str, int] = msgspec.field(default_factory=dict)
    """Number of steps that have a thought, elements …; fields that no step has are absent."""
    tags: dict[str, Tally] = msgspec.field(default_factory=dict)


class SampleObserver(Protocol):
    """Receives the samples of the same pass, such as the reservoir of a contact sheet."""

    def offer(self, sample: Sample) -> None: ...


def describe(dataset: Dataset, limit: int | None = None, observer: SampleObserver | None = None) -> Description:
    """Summarise a data set in one pass; with `limit`, only its first samples."""
    builder = _DescriptionBuilder(dataset)
    samples = dataset.samples()
    for sample in islice(samples, limit):
        builder.add(sample)
        if observer is not None:
            observer.offer(sample)
    cut = limit is not None and next(iter(samples), None) is not None
    return builder.finished(whole=not cut)


class _DescriptionBuilder:
    """Builds a description from samples."""

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self.made = Description(
            dataset=dataset.name, title=dataset.title, folder=str(dataset.folder), options=dict(dataset.options)
        )
        self.episodes: Counter[str] = Counter()
        self.words: Counter[int] = Counter()
        self.pictures: Counter[str] = Counter()
        self.parts: Counter[str] = Counter()
        self.last_file, self.last_found = "", ""

    def add(self, sample: Sample) -> None:
        made, step = self.made, sample.step
        made.steps += 1
        made.grounding += step.grounding
        self._count_truth(step)
        made.screens.add(f"{step.screen.width}×{step.screen.height}")
        text = step.instruction or step.step_instruction
        made.scripts.add(script_of(text))
        self.words[count_words(text)] += 1
        if step.episode:
            self.episodes[step.episode] += 1
        self.pictures[self._picture(sample)] += 1
        self.parts.update(name for name in PARTS if getattr(step, name))
        for name, value in step.tags.items():
            made.tags.setdefault(name, Tally()).add(value)

    def _count_truth(self, step: Step) -> None:
        made = self.made
        if not step.truth:
            made.no_truth += 1
            return
        first = step.truth[0]
        made.actions.add(first.name)
        made.several += len(step.truth) > 1
        made.boxed += first.box is not None
        if direction := swipe_direction(first):
            made.directions.add(direction)

    def _picture(self, sample: Sample) -> str:
        if sample.picture is None:
            return "none"
        source = sample.picture.source
        if not isinstance(source, str):
            return "inside"
        if source != self.last_file:
            self.last_file, self.last_found = source, "present" if is_file(Path(source)) else "missing"
        return self.last_found

    def finished(self, whole: bool) -> Description:
        made = self.made
        made.whole, made.left_out = whole, len(self.dataset.problems)
        made.episodes = len(self.episodes)
        made.episode_steps = spread(Counter(self.episodes.values()))
        made.instruction_words = spread(self.words)
        made.pictures = dict(self.pictures)
        made.parts = {name: self.parts[name] for name in PARTS if self.parts[name]}
        return made


def spread(lengths: Mapping[int, int]) -> Spread | None:
    """The distribution of lengths, given how often each occurs; None if there are none.

    >>> spread({1: 1, 4: 2, 9: 1})
    Spread(least=1, median=4.0, mean=4.5, most=9, n=4)
    """
    if not lengths:
        return None
    ordered = sorted(lengths.items())
    n = sum(lengths.values())
    middle = [_ranked(ordered, rank) for rank in ((n - 1) // 2, n // 2)]
    mean = sum(length * count for length, count in ordered) / n
    return Spread(ordered[0][0], sum(middle) / 2, mean, ordered[-1][0], n)


def _ranked(ordered: Iterable[tuple[int, int]], rank: int) -> int:
    for length, count in ordered:
        rank -= count
        if rank < 0:
            return length
    raise ValueError("the rank is larger than the number of lengths")


# -- letters ----------------------------------------------------------------------------------------------------------

_SCRIPTS = {
    "CJK": "chinese",
    "HIRAGANA": "japanese",
    "KATAKANA": "japanese",
    "HANGUL": "korean",
    "LATIN": "latin",
    "CYRILLIC": "cyrillic",
    "ARABIC": "arabic",
}


def script_of(text: str) -> str:
    """The script of most words; a Chinese character counts as a word. `none` for a text without letters.

    >>> script_of("打开Keep并开始跑步"), script_of("Find 北京 on the map"), script_of("9:30")
    ('chinese', 'latin', 'none')
    """
    if text.isascii():
        return "latin" if text.upper() != text.lower() else "none"
    words: Counter[str] = Counter()
    before = ""
    for letter in text:
        script = _script(letter)
        words[script] += script != before or script in ("chinese", "japanese")
        before = script
    words[""] = 0
    if words["japanese"]:
        words["japanese"] += words.pop("chinese", 0)
    script, count = words.most_common(1)[0]
    return script if count else "none"


def count_words(text: str) -> int:
    """Number of words separated by spaces; each Chinese or Japanese character counts as one.

    >>> count_words("Open the app"), count_words("打开 Keep")
    (3, 3)
    """
    if text.isascii():
        return len(text.split())
    spaced = "".join(f" {letter} " if _script(letter) in ("chinese", "japanese") else letter for letter in text)
    return len(spaced.split())


def _script(letter: str) -> str:
    if letter.isascii():
        return "latin" if letter.isalpha() else ""
    if "一" <= letter <= "鿿":
        return "chinese"
    if not letter.isalpha():
        return ""
    return _SCRIPTS.get(unicodedata.name(letter, "OTHER").split()[0], "other")
