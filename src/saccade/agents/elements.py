"""Which elements of the screen a prompt lists: UILoop's interventions (Table 3), for any paradigm."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal, get_args

from msgspec.structs import replace

from saccade.errors import InputError
from saccade.types import Element, Screen
from saccade.worlds.base import Observation
from saccade.worlds.teachers import Teacher

ElementHints = Literal["none", "parsed", "key", "false"]
ELEMENT_HINTS: tuple[ElementHints, ...] = get_args(ElementHints)


def hinted_elements(
    hints: ElementHints, seen: Observation, teacher: Teacher | None, seed: int = 0
) -> Sequence[Element]:
    """The elements that a prompt lists: none, all that were found, the ones that matter, or false ones."""
    if hints == "none":
        return ()
    if hints == "parsed":
        return seen.screen.elements
    if teacher is None:
        raise InputError(
            f"--hints {hints} needs a world that has a teacher: a task of the phone, a recording, a plug-in's world"
        )
    key = teacher.teach(seen).key_elements or ()
    return key if hints == "key" else false_elements(key, seen.screen, seed)


def false_elements(key: Sequence[Element], screen: Screen, seed: int) -> list[Element]:
    """The key elements' descriptions at the boxes of other elements, so that every tap on one is wrong. The same seed
    gives the same elements.

    With fewer other elements than key elements, only as many are returned; with none, the key elements swap boxes.
    """
    boxes = {element.box for element in key}
    others = [element for element in screen.elements if element.box not in boxes and element.interactive]
    chance = random.Random(f"{seed}/{len(screen.elements)}")
    if not others:
        turned = [*key[1:], *key[:1]]
        return [replace(element, box=other.box) for element, other in zip(key, turned, strict=True)]
    places = chance.sample(others, min(len(key), len(others)))
    return [replace(element, id=place.id, box=place.box) for element, place in zip(key, places, strict=False)]
