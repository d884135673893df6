"""An agent that does the same on a screen that does not change is in a loop: it is told once, then stopped."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageChops

from saccade.actions import Action
from saccade.paradigms.base import Language
from saccade.types import Element, Screen

MOST = 3
"""So often the same action may be done on an unchanged screen."""
NEAR = 0.01
"""Taps that are this share of the screen apart are the same: models jitter."""
CHANGED = 0.0005
"""Share of the picture that must differ: less is a caret or a clock."""

_TOLD = {
    "en": "You did the same thing {n} times and the screen did not change. Do something else, or end the task.",
    "zh": "你已经连续 {n} 次执行相同的动作，界面没有变化。请换一种做法，或者结束任务。",
}


@dataclass
class Stuck:
    """Watches one attempt."""

    action: Action | None = None
    screen: Screen | None = None
    times: int = 0
    told: bool = False

    def watch(self, action: Action | None, before: Screen) -> None:
        """An action is about to be done on a screen."""
        if action is not None and self._same(action, before):
            self.times += 1
        else:
            self.action, self.times = action, 1
            self.told = False
        self.screen = before

    def check(self, after: Screen, language: Language) -> tuple[str, bool]:
        """After it was done: a note for the agent, and whether it must stop."""
        if self.times < MOST or self.screen is None or not unchanged(self.screen, after):
            return "", False
        if self.told:
            return "", True
        self.told = True
        return _TOLD[language].format(n=self.times), False

    def _same(self, action: Action, before: Screen) -> bool:
        if self.action is None or self.screen is None or not alike(action, self.action, before):
            return False
        return unchanged(self.screen, before)


def alike(one: Action, other: Action, screen: Screen) -> bool:
    """The same action, but for the jitter of a tap."""
    if one == other:
        return True
    if one.type != other.type or one.point is None or other.point is None or one.text != other.text:
        return False
    return one.point.distance(other.point) <= NEAR * max(screen.size)


def same(one: Sequence[Element], other: Sequence[Element]) -> bool:
    """Are these the same things at the same places? What was said of them elsewhere does not matter."""
    return len(one) == len(other) and all(
        a.box == b.box and a.text == b.text and a.state == b.state and a.type == b.type
        for a, b in zip(one, other, strict=True)
    )


def unchanged(one: Screen, other: Screen) -> bool:
    """Do two screens look the same, but for a caret or a clock?"""
    if one.picture is None or other.picture is None:
        return one.size == other.size and same(one.elements, other.elements)
    first, second = one.picture.data(), other.picture.data()
    if first == second:
        return True
    if one.size != other.size:
        return False
    a, b = (Image.open(io.BytesIO(data)).convert("L") for data in (first, second))
    histogram = ImageChops.difference(a, b).histogram()
    return sum(histogram[16:]) <= CHANGED * sum(histogram)
