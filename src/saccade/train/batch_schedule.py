"""Which rows each step trains on.

The batches depend on the recipe and the step's number and on nothing else, so that a run that was killed goes on as if
it had not been.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from torch.utils.data import Sampler

from saccade.errors import InputError
from saccade.train.backbone import Backbone
from saccade.train.processes import process_count, process_number
from saccade.train.recipe import Recipe
from saccade.train.samples import RowSet

PRACTICE_EPOCH = 4096
"""Practice samples that count as an epoch."""
SAME_LENGTH = 16
"""Rows whose lengths differ by fewer tokens may share a batch."""


class RowRequest(NamedTuple):
    """A row, as it is to be read this time."""

    row: int
    elements: int | None
    """How many elements are kept at most."""
    epoch: str
    """Phase and epoch: what is left to chance is drawn anew in each. Empty while measuring: nothing is."""
    practice: bool = False


@dataclass(frozen=True)
class ScheduledPhase:
    """A phase of the training with the lengths of its rows."""

    lengths: Sequence[int]
    elements: int | None = None
    share: float = 1.0
    practice: bool = False
    tokens: int | None = None
    """Tokens of a step, where they are not the recipe's."""
    rows: Sequence[int] | None = None
    """Only these rows; none: all."""


def schedule_phases(rows: RowSet, backbone: Backbone) -> list[ScheduledPhase]:
    """The backbone's phases, or all rows alike. Shorter lists of elements make shorter rows."""
    found = []
    for at, phase in enumerate(backbone.phases(), 1):
        if (phase.elements is not None and phase.elements < 1) or phase.share <= 0:
            raise InputError(f"phase {at} of the training needs at least one element and a share above 0")
        if phase.extra_only and not rows.extra:
            raise InputError(f"phase {at} of the training takes only extra rows, and there are none")
        lengths: Sequence[int] = rows.thinned.get(phase.elements or 0, rows.lengths)
        if phase.practice:
            lengths = practice_lengths(backbone, phase.elements or 1)
        chosen = rows.extra if phase.extra_only else None
        found.append(ScheduledPhase(lengths, phase.elements, phase.share, phase.practice, phase.tokens, chosen))
    return found or [ScheduledPhase(rows.lengths)]


def practice_lengths(backbone: Backbone, elements: int) -> list[int]:
    """Practice samples are drawn when they are needed; for the size of batches all count as the longest of a few."""
    drawn = [backbone.practice(random.Random(at), elements) for at in range(50)]
    return [max(len(each["input_ids"]) for each in drawn)] * PRACTICE_EPOCH


class BatchSchedule(Sampler[list[RowRequest]]):  # type: ignore[misc]
    """The batches of the whole training, one after the other. Of several devices each takes every so many-th, so that
    together they see in a step what one device would see in as many steps more gathered.
    """

    def __init__(
        self, recipe: Recipe, phases: Sequence[ScheduledPhase], devices: int | None = None, device: int | None = None
    ) -> None:
        if min(recipe.batch, recipe.accumulate) < 1 or (recipe.tokens is not None and recipe.tokens < 1):
            raise InputError("batch, tokens and accumulate must be at least 1")
        self.recipe, self.phases = recipe, phases
        self.devices = process_count() if devices is None else devices
        self.device = process_number() if device is None else device
        self.steps_of = self._steps()
        self.steps = sum(self.steps_of)
        if self.steps < 1:
            raise InputError("there is no step to train: raise steps or epochs")

    def _steps(self) -> list[int]:
        """How many steps each phase has."""
        whole, recipe = sum(phase.share for phase in self.phases), self.recipe
        shares = [phase.share / whole for phase in self.phases]
        if recipe.steps is not None:
            ends = [round(recipe.steps * end) for end in itertools.accumulate(shares)]
            return [end - begin for begin, end in itertools.pairwise([0, *ends])]
        found = []
        for at, phase in enumerate(self.phases):
            batches = len(self._cut(phase, random.Random(f"{recipe.seed}/{at}/0")))
            found.append(math.ceil(shares[at] * recipe.epochs * batches / (recipe.accumulate * self.devices)))
        return found

    def __len__(self) -> int:
        return self.steps * self.recipe.accumulate

    def __iter__(self) -> Iterator[list[RowRequest]]:
        for at, phase in enumerate(self.phases):
            end = self.steps_of[at] * self.recipe.accumulate * self.devices
            yield from itertools.islice(self._batches(at, phase), self.device, end, self.devices)

    def _batches(self, at: int, phase: ScheduledPhase) -> Iterator[list[RowRequest]]:
        for epoch in itertools.count():
            for batch in self._cut(phase, random.Random(f"{self.recipe.seed}/{at}/{epoch}")):
                yield [RowRequest(row, phase.elements, f"{at}/{epoch}", phase.practice) for row in batch]

    def _cut(self, phase: ScheduledPhase, chance: random.Random) -> list[list[int]]:
        """An epoch in batches: of so many rows, or of so many tokens with rows of similar length together."""
        order = list(range(len(phase.lengths)) if phase.rows is None else phase.rows)
        chance.shuffle(order)
        most = phase.tokens or self.recipe.tokens
        if most is None:
            size = self.recipe.batch
            return [order[begin : begin + size] for begin in range(0, len(order), size)]
        order.sort(key=lambda row: phase.lengths[row] // SAME_LENGTH)
        batches: list[list[int]] = []
        longest = 0
        for row in order:
            longest = max(longest, phase.lengths[row])
            if not batches or longest * (len(batches[-1]) + 1) > most:
                batches.append([])
                longest = phase.lengths[row]
            batches[-1].append(row)
        chance.shuffle(batches)
        return batches


def measuring_batches(rows: int, size: int) -> list[list[RowRequest]]:
    """All rows once, in order and as they are."""
    found = [RowRequest(row, None, "") for row in range(rows)]
    return [found[begin : begin + size] for begin in range(0, rows, size)]
