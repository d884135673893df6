"""Performs canonical actions on an Android device through its `input` command.

Each returns an error text, or "" if the action was done.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from saccade.actions import Action, ActionType, as_performed, swipe_path
from saccade.geometry import Point, Size
from saccade.worlds.android.apps import Apps
from saccade.worlds.android.device import AndroidDevice, CommandResult
from saccade.worlds.android.keyboard import Keyboard
from saccade.worlds.android.keys import key_codes
from saccade.worlds.android.screenshots import focused_app
from saccade.worlds.android.shell import UnsendableError
from saccade.worlds.base import InfrastructureError
from saccade.worlds.secrets import NO_SECRETS, PLACEHOLDER, SecretError, Vault

SWIPE_MS = 300
HOLD_MS = 800
DRAG_MS = 1200
DOUBLE_TAP_SECONDS = 0.1
LONGEST_WAIT = 10.0
LONGEST_TEXT = 10_000

_COPY_KEYS = frozenset(("KEYCODE_COPY", "KEYCODE_CUT"))
_COPIES = _COPY_KEYS | {"KEYCODE_C", "KEYCODE_X", "KEYCODE_INSERT"}

ANDROID_ACTIONS: frozenset[ActionType] = frozenset(
    (
        "click",
        "long_press",
        "double_click",
        "swipe",
        "drag",
        "type",
        "press",
        "open_app",
        "open_url",
        "wait",
        "answer",
        "terminate",
    )
)


class AndroidInput:
    """Acts on a device whose screen currently has `size`."""

    def __init__(self, device: AndroidDevice) -> None:
        self.device = device
        self.keyboard = Keyboard(device)
        self.apps = Apps(device)
        self.vault: Vault = NO_SECRETS
        self.size = Size(0, 0)

    def do(self, action: Action) -> str:
        for point in (action.point, action.start, action.end):
            if point is not None and not (0 <= point.x < self.size.width and 0 <= point.y < self.size.height):
                return f"[{point.x:g}, {point.y:g}] is outside the screen of {self.size.width}×{self.size.height}"
        action = as_performed(action, self.size)
        if len(action.text or "") > LONGEST_TEXT:
            return f"a text of {len(action.text or '')} characters is too long: at most {LONGEST_TEXT}"
        handlers: dict[str, Callable[[Action], str]] = {
            "click": self._click,
            "long_press": self._long_press,
            "double_click": self._double_click,
            "swipe": self._swipe,
            "drag": self._drag,
            "type": self._type,
            "press": self._press,
            "open_app": self._open_app,
            "open_url": self._open_url,
            "wait": self._wait,
        }
        try:
            return handlers[action.type](action) if action.type in handlers else ""
        except UnsendableError as error:
            return f"{action.type} failed: {error}"

    # -- touch ------------------------------------------------------------------------------------------------------

    def _input(self, *words: str | int) -> CommandResult:
        return self.device.run("input", *words)

    def _place(self, point: Point | None) -> tuple[int, int]:
        """Whole pixels; `do` has checked that they are on the screen."""
        if point is None:
            return self.size.width // 2, self.size.height // 2
        return int(point.x), int(point.y)

    def _click(self, action: Action) -> str:
        return _problem(self._input("tap", *self._place(action.point)))

    def _long_press(self, action: Action) -> str:
        place = self._place(action.point)
        return _problem(self._input("swipe", *place, *place, HOLD_MS))

    def _double_click(self, action: Action) -> str:
        """Two taps over two connections: on many devices `input` takes longer to start than a double tap may last, so
        sequential taps would count as two single ones.
        """
        place, results = self._place(action.point), list[str]()

        def tap() -> None:
            try:
                results.append(_problem(self._input("tap", *place)))
            except InfrastructureError:
                results.append("the connection to the device broke off")

        first = threading.Thread(target=tap, name="saccade-tap", daemon=True)
        first.start()
        time.sleep(DOUBLE_TAP_SECONDS)
        second = _problem(self._input("tap", *place))
        first.join()
        return results[0] or second

    def _swipe(self, action: Action) -> str:
        start, end = map(self._place, swipe_path(action, self.size))
        return _problem(self._input("swipe", *start, *end, SWIPE_MS))

    def _drag(self, action: Action) -> str:
        """Hold, then move; older devices have only a slow swipe."""
        path = (*self._place(action.start), *self._place(action.end), DRAG_MS)
        if _problem(self._input("draganddrop", *path)):
            return _problem(self._input("swipe", *path))
        return ""

    # -- keys -------------------------------------------------------------------------------------------------------

    def _type(self, action: Action) -> str:
        if action.point is not None:
            if problem := self._click(action):
                return problem
            time.sleep(0.2)  # the field takes the focus
        problem = self._enter(action.text or "")
        if action.submit and not problem:
            return _problem(self._input("keyevent", "KEYCODE_ENTER"))
        return problem

    def _enter(self, text: str) -> str:
        """Type the text, with the names of secrets that belong to the foreground app replaced by their values."""
        if not PLACEHOLDER.search(text):
            return self.keyboard.type(text)
        try:
            problem = self.keyboard.type(self.vault.fill(text, focused_app(self.device)[0]))
        except SecretError as error:
            return str(error)
        return "the device could not type this secret" if problem else ""

    def _press(self, action: Action) -> str:
        codes = key_codes(str(action.key))
        if not codes:
            return f"there is no key {str(action.key)[:40]!r} on this device"
        if self.vault and _COPIES & set(codes) and (len(codes) > 1 or codes[0] in _COPY_KEYS):
            return "copying is off while there are secrets: they could be pasted anywhere"
        done = self._input("keyevent" if len(codes) == 1 else "keycombination", *codes)
        if len(codes) > 1 and _problem(done):
            return f"this device cannot press {str(action.key)[:40]}: key combinations need Android 13"
        return _problem(done)

    # -- apps -------------------------------------------------------------------------------------------------------

    def _open_app(self, action: Action) -> str:
        return self.apps.open(action.text or "")

    def _open_url(self, action: Action) -> str:
        url = (action.text or "").strip()
        url = url if "://" in url else f"https://{url}"
        try:
            parts = urlsplit(url)
        except ValueError:
            parts = urlsplit("")
        if parts.scheme not in ("http", "https") or not parts.hostname or len(url) > 2000:
            return f"{url[:200]!r} is not the address of a web page"
        done = self.device.run("am", "start", "-a", "android.intent.action.VIEW", "-d", url)
        return _problem(done) or (
            "" if "Error" not in done.out else f"{url[:200]} could not be opened: {done.first_line}"
        )

    def _wait(self, action: Action) -> str:
        time.sleep(min(1.0 if action.seconds is None else action.seconds, LONGEST_WAIT))
        return ""


def _problem(done: CommandResult) -> str:
    """The error in a command result, or "". `input` prints an exception or its usage, on some devices with status 0."""
    failed = done.status or "Exception" in done.out or done.out.lstrip().startswith(("Error", "Usage", "usage"))
    return f"the device refused: {done.first_line}" if failed else ""
