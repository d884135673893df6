"""What a scripted solver may use: the instruction, the screen's elements and canonical actions, but not the page
itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from saccade.actions import Action, Direction
from saccade.geometry import Point
from saccade.types import Element
from saccade.worlds.miniwob.world import MiniWobObservation, MiniWobWorld

FIELDS = ("input", "password", "textbox", "searchbox", "spinbutton")
SPOTS = (5, 1, 9, 3, 7)
"""Tenths of a box to try for a click, the middle first."""


class LostError(Exception):
    """The screen does not show what the solver expects."""


class SolverSession:
    """One episode: finds elements and performs actions."""

    def __init__(self, world: MiniWobWorld, task: str, seed: int) -> None:
        self.world = world
        self.seen: MiniWobObservation = world.reset(seed, task)
        self.unit = world.device.scale
        """Screenshot pixels per CSS pixel."""

    # -- reading --------------------------------------------------------------------------------------------------

    @property
    def instruction(self) -> str:
        return self.seen.instruction

    def match_instruction(self, pattern: str) -> tuple[str, ...]:
        """The groups of a pattern in the instruction."""
        found = re.search(pattern, self.instruction)
        if found is None:
            raise LostError(f"{self.world.task}: {self.instruction!r} does not match {pattern!r}")
        return found.groups()

    def elements(self, *types: str) -> list[Element]:
        """Elements outside the strip with the instruction, in document order; only the given types, if any."""
        everything = list(self.seen.screen.elements)
        strip = everything[0].box if everything else None
        return [
            each
            for each in everything[1:]
            if (not types or each.type in types) and not (strip and strip.contains(each.center))
        ]

    def find(self, text: str, *types: str) -> Element | None:
        """The smallest interactive element with exactly this text."""
        named = [each for each in self.elements(*types) if each.interactive and each.text == text]
        return min(named, key=lambda each: each.box.area, default=None)

    def require(self, text: str, *types: str) -> Element:
        """Like `find`, but raises `LostError` if there is none."""
        found = self.find(text, *types)
        if found is None:
            shown = ", ".join(repr(each.text) for each in self.elements() if each.interactive)
            raise LostError(f"{self.world.task}: there is no {text!r} among {shown}")
        return found

    def fields(self) -> list[Element]:
        """All text fields, from top to bottom."""
        return self.elements(*FIELDS)

    def right_of(self, element: Element) -> Element:
        """The next element to the right in the same row."""
        row = [each for each in self.elements() if each.box.x0 >= element.center.x and _level(each, element)]
        row = [each for each in row if each is not element and each.id != element.id]
        if not row:
            raise LostError(f"{self.world.task}: there is nothing to the right of {element.text!r}")
        return min(row, key=lambda each: each.box.x0)

    # -- acting ---------------------------------------------------------------------------------------------------

    def act(self, action: Action) -> None:
        if self.seen.done:
            return
        self.seen = self.world.act(action)
        if self.seen.error:
            raise LostError(f"{self.world.task}: {self.seen.error}")

    def click(self, where: Element | str) -> None:
        self.act(Action("click", self.place(where)))

    def click_all(self, places: Iterable[Element | str]) -> None:
        for where in places:
            self.click(where)

    def place(self, where: Element | str) -> Point:
        """Where to click: the middle, or a point that no later element covers."""
        target = self.require(where) if isinstance(where, str) else where
        above = [each.box for each in self.elements() if each.id > target.id and each.leaf] if target.leaf else []
        box = target.box
        spots = [Point(box.x0 + box.width * x / 10, box.y0 + box.height * y / 10) for x in SPOTS for y in SPOTS]
        return next((spot for spot in spots if not any(other.contains(spot) for other in above)), target.center)

    def type(self, field: Element, text: str) -> None:
        self.act(Action("type", field.center, text=text))

    def retype(self, field: Element, text: str) -> None:
        """Replace the text of the field."""
        self.click(field)
        self.press("ctrl+a")
        self.act(Action("type", text=text))

    def press(self, key: str, times: int = 1) -> None:
        for _ in range(times):
            self.act(Action("press", key=key))

    def swipe(self, direction: Direction, start: Point) -> None:
        self.act(Action("swipe", direction=direction, start=start))

    def submit(self, *names: str) -> None:
        """Click the button that submits the form: one of `names`, or Submit."""
        for name in (*names, "Submit"):
            if (button := self.find(name)) is not None:
                return self.click(button)
        return self.click("Submit")


def _level(one: Element, other: Element) -> bool:
    return one.box.y0 <= other.center.y <= one.box.y1


def number(ordinal: str) -> int:
    """The number of an ordinal: 3 for `3rd`."""
    return int(re.sub(r"\D", "", ordinal))
