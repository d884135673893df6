"""Reverse synthesis with a policy (8): tries that the policy itself called done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

from saccade.data.synthesis.records import Dropped, Record
from saccade.data.synthesis.stage import Tools, WholeStage

FINISHED = "claimed"
WHY_NOT = {"gave up": "the policy gave the task up", "limit": "the policy did not say that the task is done"}
"""Of the other ends of tries, why they are no data."""


class KeepFinished(WholeStage):
    """Whether a finished try did what the task asks is the grader's question. The counts are for the manifest."""

    name: ClassVar[str] = "keep_finished"
    title: ClassVar[str] = "Keep the tries that the policy calls done, and count all."

    def do(self, records: Iterator[Record], tools: Tools) -> Iterator[Record | Dropped]:
        ends = Counter[str]()
        for record in records:
            end = record.fields["outcome"] if record.steps else ""
            ends[end] += 1
            if end == FINISHED:
                yield record
            elif not record.steps:
                yield Dropped(record.id, "the policy did nothing", record.fields["instruction"])
            else:
                yield Dropped(record.id, WHY_NOT.get(end, "the try did not come to its end"), record.step.instruction)
        self.facts |= {"played": ends.total(), "finished": ends[FINISHED]}
