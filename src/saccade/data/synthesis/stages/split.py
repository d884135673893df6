"""Isolated training and test sides: no shared screen, no shared instruction (UILoop App. A (6), SecAgent §3.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from msgspec.structs import replace

from saccade.data.synthesis.isolation import IsolationSettings, isolation_rows, split_dropping, violations
from saccade.data.synthesis.records import Dropped, Record
from saccade.data.synthesis.stage import Settings, Tools, WholeStage
from saccade.errors import InputError


class SplitSettings(Settings, frozen=True):
    """Settings of `split`."""

    share: float = 0.1
    """Of the test side; 0: all is for training, and nothing is compared."""
    least_edits: int = 6
    """Instructions less than so many edits apart are the same."""


class Split(WholeStage):
    """Draws episodes for the test side, and drops training samples that share a screen or an instruction with it."""

    name: ClassVar[str] = "split"
    title: ClassVar[str] = "Draw a test side, and drop training samples that share a screen or an instruction with it."
    kind: ClassVar[type[Settings]] = SplitSettings

    def do(self, records: Iterator[Record], tools: Tools) -> Iterator[Record | Dropped]:
        """Each step gets the tag `split`."""
        settings: SplitSettings = self.settings
        if not settings.share:
            yield from (with_side(record, "train") for record in records)
            return
        everything = list(records)
        owners = [record.id for record in everything for _ in record.steps]
        rows = isolation_rows((step for record in everything for step in record.steps), tools.picture)
        rules = IsolationSettings(least_edits=settings.least_edits)
        found = split_dropping(rows, settings.share, tools.seed, rules)
        test = {owners[at] for at in found.test}
        shared = {owners[at] for at in found.dropped} - test
        train = [row for row, owner in zip(rows, owners, strict=True) if owner not in test and owner not in shared]
        left = violations(train, [row for row, owner in zip(rows, owners, strict=True) if owner in test], rules)
        if left:
            raise InputError(f"the two sides share the {left[0].kind} of {left[0].train} and {left[0].test}")
        self.facts |= {"train": len(everything) - len(test) - len(shared), "test": len(test), "shared_after": 0}
        for record in everything:
            if record.id in shared:
                yield Dropped(record.id, "it shares a screen or an instruction with the test side")
            else:
                yield with_side(record, "test" if record.id in test else "train")


def with_side(record: Record, side: str) -> Record:
    """The record with the tag `split` on all steps."""
    return replace(record, steps=[replace(step, tags={**step.tags, "split": side}) for step in record.steps])
