"""Chosen samples of other data sets, as a data set: `write_dataset` writes it like any other, all of it or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from saccade.data.readers.base import Dataset, Sample


class SelectedPart(NamedTuple):
    """A data set, and which of its samples are taken."""

    dataset: Dataset
    choose: Callable[[Sample], Sample | None]
    """The sample as it is written; None leaves it out."""


class Selection(Dataset):
    """The chosen samples of its parts, one part after the other, each in reading order."""

    name = "selection"
    title = "a selection"
    layout = "made from other data sets"

    def __init__(self, folder: Path, parts: Sequence[SelectedPart]) -> None:
        self.parts = parts
        super().__init__(folder, keep_going=all(part.dataset.keep_going for part in parts))

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return True

    def samples(self) -> Iterator[Sample]:
        for part in self.parts:
            chosen = (part.choose(sample) for sample in part.dataset.samples())
            yield from (sample for sample in chosen if sample is not None)

    def gather_problems(self) -> None:
        """Note what the parts could not read, once each: they are read twice."""
        found = [problem for part in self.parts for problem in part.dataset.problems]
        self.problems = list(dict.fromkeys([*found, *self.problems]))
