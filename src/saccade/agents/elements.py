"""What a prompt tells of the screen's elements: UILoop's interventions (Table 3), for any paradigm."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal, get_args

from msgspec.structs import replace

from saccade.agents.teachers import Teacher
from saccade.errors import InputError
from saccade.types import Element, Screen
from saccade.worlds.base import Observation

Told = Literal["none", "parsed", "key", "false"]
TOLD: tuple[Told, ...] = get_args(Told)


def told_elements(told: Told, seen: Observation, teacher: Teacher | None, seed: int = 0) -> Sequence[Element]:
    """None; all that were found; those that matter; or false ones."""
    if told == "none":
        return ()
    if told == "parsed":
        return seen.screen.elements
    if teacher is None:
        raise InputError(f"--elements {told} needs to know which elements matter: the phone's tasks and recordings do")
    key = teacher.teach(seen).key_elements
    return key if told == "key" else false_elements(key, seen.screen, seed)


def false_elements(key: Sequence[Element], screen: Screen, seed: int) -> list[Element]:
    """What is said of the key elements, at the places of others: wrong wherever one taps. The same seed gives the same.

    With fewer others than key elements, as many as there are; with none, the key elements trade places.
    """
    boxes = {element.box for element in key}
    others = [element for element in screen.elements if element.box not in boxes and element.interactive]
    chance = random.Random(f"{seed}/{len(screen.elements)}")
    if not others:
        turned = [*key[1:], *key[:1]]
        return [replace(element, box=other.box) for element, other in zip(key, turned, strict=True)]
    places = chance.sample(others, min(len(key), len(others)))
    return [replace(element, id=place.id, box=place.box) for element, place in zip(key, places, strict=False)]
