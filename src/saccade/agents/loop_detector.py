"""Detects loops: an agent that repeats an action on an unchanged screen is warned once, then stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import ImageChops

from saccade.actions import Action
from saccade.paradigms.base import Language
from saccade.types import Element, Screen
from saccade.untrusted import read_picture

MOST_REPEATS = 3
"""How often the same action may be done on an unchanged screen."""
NEAR = 0.01
"""Taps at most this share of the screen apart count as the same: models vary a little."""
CHANGED = 0.0005
"""Share of the pixels that must differ: less is a caret or a clock."""

_WARNING = {
    "en": "You did the same thing {n} times and the screen did not change. Do something else, or end the task.",
    "zh": "你已经连续 {n} 次执行相同的动作，界面没有变化。请换一种做法，或者结束任务。",
}


@dataclass
class LoopDetector:
    """Watches the actions of one attempt."""

    action: Action | None = None
    screen: Screen | None = None
    times: int = 0
    warned: bool = False

    def watch(self, action: Action | None, before: Screen) -> None:
        """Note an action before it is done on the screen `before`."""
        if action is not None and self._same(action, before):
            self.times += 1
        else:
            self.action, self.times = action, 1
            self.warned = False
        self.screen = before

    def check(self, after: Screen, language: Language) -> tuple[str, bool]:
        """After the action: a warning for the agent (or ""), and whether the attempt must stop."""
        if self.times < MOST_REPEATS or self.screen is None or not unchanged(self.screen, after):
            return "", False
        if self.warned:
            return "", True
        self.warned = True
        return _WARNING[language].format(n=self.times), False

    def _same(self, action: Action, before: Screen) -> bool:
        if self.action is None or self.screen is None or not same_action(action, self.action, before):
            return False
        return unchanged(self.screen, before)


def same_action(one: Action, other: Action, screen: Screen) -> bool:
    """Are two actions the same, apart from a small difference in the tapped point?"""
    if one == other:
        return True
    if one.type != other.type or one.point is None or other.point is None or one.text != other.text:
        return False
    return one.point.distance(other.point) <= NEAR * max(screen.size)


def same_elements(one: Sequence[Element], other: Sequence[Element]) -> bool:
    """Do two element lists agree in boxes, texts, states and types? Captions do not matter."""
    return len(one) == len(other) and all(
        a.box == b.box and a.text == b.text and a.state == b.state and a.type == b.type
        for a, b in zip(one, other, strict=True)
    )


def unchanged(one: Screen, other: Screen) -> bool:
    """Do two screens look the same, apart from a caret or a clock?"""
    if one.picture is None or other.picture is None:
        return one.size == other.size and same_elements(one.elements, other.elements)
    first, second = one.picture.data(), other.picture.data()
    if first == second:
        return True
    if one.size != other.size:
        return False
    a, b = (read_picture(data).convert("L") for data in (first, second))
    histogram = ImageChops.difference(a, b).histogram()
    return sum(histogram[16:]) <= CHANGED * sum(histogram)
