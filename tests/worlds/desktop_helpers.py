"""What the tests of the desktop world share: an editor with a file, and ways to find an element and to wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from saccade.types import Element, Screen
from saccade.worlds.desktop.world import DesktopWorld


class EditorWorld(DesktopWorld):
    """Mousepad with the file notes.txt open."""

    text = ""

    def prepare(self, home: Path, application: str) -> list[str]:
        (home / "notes.txt").write_text(self.text, encoding="utf-8")
        return ["notes.txt"]


def the(screen: Screen, text: str = "", type: str = "") -> Element:
    """The only element with this text and type."""
    found = [each for each in screen.elements if (not text or each.text == text) and (not type or each.type == type)]
    assert len(found) == 1, f"{len(found)} elements are {text!r} {type}: {[(e.type, e.text) for e in screen.elements]}"
    return found[0]


def wait_until(true: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
