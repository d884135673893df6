"""A world of elements that a test lays out, for tests of the gate."""

from __future__ import annotations

from collections.abc import Sequence

from saccade.actions import Action
from saccade.geometry import Box, Point, Size
from saccade.types import Element, Screen
from saccade.worlds.base import CurrentTarget, Observation, World

CLICK = Action("click", Point(50, 50))


class Table(World):
    """`later` is what is there when somebody looks again, and again."""

    name = "table"
    actions = frozenset(("click", "type", "press"))

    def __init__(self, later: Sequence[CurrentTarget | None] = ()) -> None:
        self.later = list(later)

    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        raise NotImplementedError

    def act(self, action: Action) -> Observation:
        raise NotImplementedError

    def close(self) -> None: ...

    def current_target(self, action: Action) -> CurrentTarget | None:
        return self.later.pop(0) if len(self.later) > 1 else self.later[0] if self.later else None


def element(text: str, box: tuple[int, int, int, int] = (0, 0, 100, 100), **more: str) -> Element:
    return Element(1, Box(*box), more.get("type", "button"), text, more.get("caption", ""), state=more.get("state", ""))


def shows(*elements: Element, url: str = "https://shop.example/", app: str = "") -> Observation:
    return Observation(Screen(Size(1000, 1000), None, elements), url=url, app=app)
