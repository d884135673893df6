"""Elements of a screen as a role is told them, and elements of one source found again among those of another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from saccade.types import Element

SAME_PLACE = 0.5
"""Intersection over union from which on two boxes are of the same element."""


def bounded(elements: Sequence[Element], most: int) -> list[Element]:
    """At most so many, in their order: those that can be used or say something stay before the others."""
    if len(elements) <= most:
        return list(elements)
    useful = sorted(elements, key=lambda each: not (each.interactive or each.text or each.caption))[:most]
    chosen = set(map(id, useful))
    return [element for element in elements if id(element) in chosen]


def items(elements: Iterable[Element]) -> list[dict[str, Any]]:
    """Elements for a prompt: the fields that BTL-UI's parser gives (§3.2), the state, and the box in whole pixels."""
    return [
        {
            "id": element.id,
            "box": list(map(round, element.box)),
            "type": element.type or "element",
            "text": element.text,
            "caption": element.caption if element.caption != element.text else "",
            "state": element.state,
            "interactive": element.interactive,
        }
        for element in elements
    ]


def by_id(elements: Iterable[Element]) -> Mapping[int, Element]:
    """Elements by their ids; of two with the same id, the first."""
    found: dict[int, Element] = {}
    for element in elements:
        found.setdefault(element.id, element)
    return found


def find_again(wanted: Element, elements: Sequence[Element]) -> Element | None:
    """The element at the place of one that another source found: a teacher's element of the tree, seen from pixels."""
    best = max(elements, key=lambda each: each.box.iou(wanted.box), default=None)
    return best if best is not None and best.box.iou(wanted.box) >= SAME_PLACE else None


def check_ids(ids: Sequence[int], elements: Iterable[Element]) -> list[str]:
    """What is wrong with the ids of an answer, in sentences."""
    known = by_id(elements)
    problems = [f"there is no element {id}" for id in dict.fromkeys(ids) if id not in known]
    return problems + [f"element {id} is named twice" for id in dict.fromkeys(ids) if ids.count(id) > 1]
