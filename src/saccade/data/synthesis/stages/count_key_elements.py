"""Figures of key elements for the manifest: those that BTL-UI and UILoop print about their data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from msgspec.structs import replace

from saccade.data.synthesis.records import Dropped, Record
from saccade.data.synthesis.stage import Tools, WholeStage
from saccade.scoring.reasoning_coverage import coverage
from saccade.types import Step


class CountKeyElements(WholeStage):
    """Counts, and lets every record pass."""

    name: ClassVar[str] = "count_key_elements"
    title: ClassVar[str] = "Count elements and key elements, and how often the reasoning names them."

    def do(self, records: Iterator[Record], tools: Tools) -> Iterator[Record | Dropped]:
        """UILoop App. A: 60 elements a screen, less than 4 % of them key ones, exactly one in 26.5 % of the samples;
        its Figure 4: the share of key elements that the reasoning names, by action.
        """
        elements, slim = 0, list[Step]()
        for record in records:
            for step in record.steps:
                elements += len(step.elements)
                slim.append(replace(step, elements=[], history=[]))
            yield record
        self.facts |= key_element_facts(slim, elements, tools.seed)


def key_element_facts(steps: list[Step], elements: int, seed: int = 0) -> dict[str, Any]:
    """The figures; `elements` counts those of all screens."""
    counts = [len(step.key_elements) for step in steps if step.key_elements is not None]
    if not counts:
        return {"screens": len(steps), "elements": elements}
    named = coverage(steps, seed)
    return {
        "screens": len(steps),
        "elements": elements,
        "elements_per_screen": round(elements / len(steps), 1),
        "key_elements": sum(counts),
        "key_elements_per_screen": round(sum(counts) / len(counts), 2),
        "key_share_of_elements": round(sum(counts) / max(1, elements), 4),
        "screens_with_one_key_element": round(counts.count(1) / len(counts), 4),
        "screens_without_key_element": round(counts.count(0) / len(counts), 4),
        "key_elements_named_in_reasoning": {
            name: {"share": round(figure.value, 4), "elements": figure.n} for name, figure in named.items()
        },
    }
