"""Performs canonical actions on a desktop with mouse and keyboard.

Each returns an error text, or "" if the action was done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import get_args

from Xlib import X
from Xlib.ext import xtest

from saccade.actions import Action, ActionType, as_performed, swipe_direction
from saccade.geometry import Point, Size
from saccade.types import Element
from saccade.worlds.desktop.display import DesktopDisplay, reported
from saccade.worlds.desktop.keyboard import DesktopKeyboard
from saccade.worlds.secrets import NO_SECRETS, PLACEHOLDER, SecretError, Vault

LEFT, RIGHT = 1, 3
WHEEL = {"up": 5, "down": 4, "left": 7, "right": 6}
"""The finger's direction → the button that stands for the wheel: a finger that goes up moves the content up."""
NOTCH_PIXELS = 60
USUAL_NOTCHES, MOST_NOTCHES = 5, 50
HOLD_SECONDS = 0.8
FOCUS_SECONDS = 0.08
POPUP_SECONDS = 0.4
DRAG_MOVES = 20
LONGEST_WAIT = 10.0
LONGEST_TEXT = 10_000

DESKTOP_ACTIONS: frozenset[ActionType] = frozenset(get_args(ActionType)) - {"open_url"}
"""Which browser would open an address is not known here."""


class DesktopInput:
    """Acts on a display. `elements` finds what is shown now, `open_app` starts an application by its name, and
    `wait_until_idle` waits until programs have read their input.
    """

    def __init__(
        self,
        display: DesktopDisplay,
        size: Size,
        elements: Callable[[], Sequence[Element]],
        open_app: Callable[[str], str],
        wait_until_idle: Callable[[], None],
    ) -> None:
        self.display = display
        self.keyboard = DesktopKeyboard(display, wait_until_idle)
        self.size = size
        self.elements = elements
        self.open_app = open_app
        self.vault: Vault = NO_SECRETS

    def do(self, action: Action) -> str:
        end = None if action.type == "swipe" else action.end  # how far a wheel turns may lead beyond the screen
        for point in (action.point, action.start, end):
            if point is not None and not (0 <= point.x < self.size.width and 0 <= point.y < self.size.height):
                return f"[{point.x:g}, {point.y:g}] is outside the screen of {self.size.width}×{self.size.height}"
        if len(action.text or "") > LONGEST_TEXT:
            return f"a text of {len(action.text or '')} characters is too long: at most {LONGEST_TEXT}"
        if action.type == "drag":  # a swipe turns the wheel, however short it is
            action = as_performed(action, self.size)
        handlers: dict[str, Callable[[Action], str]] = {
            "click": self._click,
            "long_press": lambda action: self._click(action, hold=HOLD_SECONDS),
            "double_click": lambda action: self._click(action, times=2),
            "right_click": lambda action: self._click(action, RIGHT),
            "hover": self._hover,
            "swipe": self._scroll,
            "drag": self._drag,
            "type": self._type,
            "press": self._press,
            "select": self._select,
            "open_app": lambda action: self.open_app(action.text or ""),
            "wait": self._wait,
        }
        with reported():
            return handlers[action.type](action) if action.type in handlers else ""

    # -- mouse --------------------------------------------------------------------------------------------------------

    def _move(self, point: Point | None) -> None:
        x, y = (self.size.width // 2, self.size.height // 2) if point is None else (int(point.x), int(point.y))
        xtest.fake_input(self.display.x, X.MotionNotify, x=x, y=y)
        self.display.x.sync()

    def _button(self, button: int, hold: float = 0.0) -> None:
        xtest.fake_input(self.display.x, X.ButtonPress, button)
        self.display.x.sync()
        time.sleep(hold)
        xtest.fake_input(self.display.x, X.ButtonRelease, button)
        self.display.x.sync()

    def _click(self, action: Action, button: int = LEFT, times: int = 1, hold: float = 0.02) -> str:
        self._move(action.point)
        time.sleep(0.02)  # programs highlight what the pointer enters; some accept clicks only then
        for _ in range(times):
            self._button(button, hold)
        return ""

    def _hover(self, action: Action) -> str:
        """Come from beside the point: programs react to movement."""
        if action.point is not None:
            self._move(Point(max(action.point.x - 3, 0), action.point.y))
        self._move(action.point)
        time.sleep(0.5)  # tool tips take their time
        return ""

    def _scroll(self, action: Action) -> str:
        """The mouse wheel: as far as from start to end, or a fixed number of notches."""
        notches = USUAL_NOTCHES
        if action.start is not None and action.end is not None:
            notches = round(action.start.distance(action.end) / NOTCH_PIXELS)
        direction = swipe_direction(action)
        self._move(action.start)
        for _ in range(min(max(notches, 1), MOST_NOTCHES)):
            self._button(WHEEL[str(direction)])
        return ""

    def _drag(self, action: Action) -> str:
        start, end = action.start, action.end
        assert start is not None and end is not None  # `Action` has checked it
        self._move(start)
        xtest.fake_input(self.display.x, X.ButtonPress, LEFT)
        self.display.x.sync()
        time.sleep(0.05)
        for step in range(1, DRAG_MOVES + 1):
            share = step / DRAG_MOVES
            self._move(Point(start.x + (end.x - start.x) * share, start.y + (end.y - start.y) * share))
            time.sleep(0.01)
        time.sleep(0.05)
        xtest.fake_input(self.display.x, X.ButtonRelease, LEFT)
        self.display.x.sync()
        return ""

    # -- keyboard -----------------------------------------------------------------------------------------------------

    def _type(self, action: Action) -> str:
        if action.point is not None:
            self._click(action)
            time.sleep(FOCUS_SECONDS)
        text = action.text or ""
        if PLACEHOLDER.search(text):
            try:
                text = self.vault.fill(text, self.display.active()[0])
            except SecretError as error:
                return str(error)
        problem = self.keyboard.type(text, self._buttons(text) if len(set(text)) < len(text) else ())
        return problem or (self.keyboard.press("enter") if action.submit else "")

    def _press(self, action: Action) -> str:
        *held, last = str(action.key).lower().split("+")
        if self.vault and held and last.strip() in ("c", "x", "insert"):
            return "copying is off while there are secrets: they could be pasted anywhere"
        key = str(action.key)
        return self.keyboard.press(key, self._buttons(key) if len(key) == 1 else ())

    def _buttons(self, text: str) -> set[str]:
        """The characters of this text that buttons on the screen have for a name."""
        letters = set(text)
        return {each.text for each in self.elements() if each.type == "button" and each.text in letters}

    # -- lists and applications ---------------------------------------------------------------------------------------

    def _select(self, action: Action) -> str:
        """Open the list at this point and choose the entry with this text."""
        wanted = " ".join((action.text or "").split()).casefold()
        self._click(action)
        deadline = time.monotonic() + 3 * POPUP_SECONDS
        while time.monotonic() < deadline:
            time.sleep(POPUP_SECONDS / 4)
            for element in self.elements():
                entry = element.type in ("menuitem", "listitem", "cell", "treeitem", "icon")
                if entry and element.text.casefold() == wanted:
                    return self._click(Action("click", element.center))
        self.keyboard.press("escape")
        return f"the list at this point has no entry {(action.text or '')[:80]!r}"

    def _wait(self, action: Action) -> str:
        time.sleep(min(1.0 if action.seconds is None else action.seconds, LONGEST_WAIT))
        return ""
