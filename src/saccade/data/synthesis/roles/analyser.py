"""The analyser: which elements of a screen matter for the task, most important first (BTL-UI §3.2).

It gets elements, instruction, history and context. It is not told the right action: what a model is to learn to see
before it decides must not depend on the decision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import msgspec

from saccade.data.synthesis.element_list import check_ids, find_again, items
from saccade.data.synthesis.heuristic_analyser import rank
from saccade.data.synthesis.roles.base import Role, UnansweredError, read_json
from saccade.types import Element, Picture, Step

MOST = 6
"""Elements that are asked for: the largest λ of BTL-UI's ablation. Fewer are kept by the stage, so that one answer
serves every λ.
"""
LONGEST_CAPTION = 200
Kind = Literal["dynamic", "static"]


class ScreenTask(msgspec.Struct, frozen=True):
    """What the analyser is asked about."""

    step: Step
    elements: list[Element]
    """Those of the step that are listed."""


class RankedElement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One element that matters."""

    id: int
    kind: Kind
    """BTL-UI's caption: `dynamic` can be used, `static` only shows something."""
    caption: str
    """What it is for in this task."""


class Ranking(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The elements that matter, most important first; none where nothing on the screen does."""

    elements: list[RankedElement]


def problems_of(elements: Sequence[RankedElement], task: ScreenTask) -> list[str]:
    """What is wrong with a ranking, in sentences."""
    found = check_ids([each.id for each in elements], task.elements)
    if len(elements) > MOST:
        found.append(f"{len(elements)} elements are named, more than {MOST}")
    for each in elements:
        if not each.caption.strip() or len(each.caption) > LONGEST_CAPTION or "\n" in each.caption:
            found.append(f"the caption of element {each.id} must be one line of 1 to {LONGEST_CAPTION} characters")
    return found


class Analyser(Role[ScreenTask, Ranking]):
    """Filters and ranks elements by how much they matter for the task."""

    name: ClassVar[str] = "analyser"

    def variables(self, subject: ScreenTask, picture: Callable[[str], Picture]) -> dict[str, Any]:
        """The screen, its elements, the task and what was done; not the right action, and not the step's own
        instruction, which often names the target.
        """
        step = subject.step
        return {
            "image": picture(step.image) if step.image else "",
            "width": step.screen.width,
            "height": step.screen.height,
            "instruction": step.instruction,
            "history": list(step.history),
            "context": step.context,
            "items": items(subject.elements),
            "most": MOST,
        }

    def read(self, text: str, subject: ScreenTask) -> Ranking:
        answer = read_json(text, Ranking)
        if problems := problems_of(answer.elements, subject):
            raise ValueError("; ".join(problems))
        return answer

    def taught(self, subject: ScreenTask) -> Ranking:
        """The key elements that the world's teacher wrote down, found again among the screen's elements."""
        taught = subject.step.key_elements
        if taught is None:
            raise UnansweredError("the teacher did not say which elements matter")
        found: dict[int, RankedElement] = {}
        for wanted in taught:
            element = find_again(wanted, subject.elements)
            if element is not None and element.id not in found:
                found[element.id] = _ranked(element, wanted.caption)
        if taught and not found:
            raise UnansweredError("no element was found at the places that the teacher names")
        return Ranking(list(found.values())[:MOST])

    def guessed(self, subject: ScreenTask) -> Ranking:
        """The first of the heuristic ranking."""
        return Ranking([_ranked(each, each.caption) for each in rank(subject.step, subject.elements)[:MOST]])


def _ranked(element: Element, caption: str) -> RankedElement:
    said = " ".join((caption or element.text or element.type or "element").split())[:LONGEST_CAPTION]
    return RankedElement(element.id, "dynamic" if element.interactive else "static", said)


ANALYSER = Analyser()
