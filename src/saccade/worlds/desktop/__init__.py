"""The desktop world."""

from __future__ import annotations

from typing import Any

from saccade.worlds.base import World
from saccade.worlds.readiness import Readiness, check


def open_desktop(name: str, **options: Any) -> World:
    """An application on a desktop of its own (`mousepad`), one with a task (`mousepad.append_line`), or the display at
    hand (`` or `:0`).
    """
    from saccade.worlds.desktop.world import DesktopWorld, DisplayWorld  # noqa: PLC0415  (python-xlib is an extra)

    if not name or name.startswith(":"):
        return DisplayWorld(name, **options)
    if "." in name:
        from saccade.worlds.desktop.tasks.world import DesktopTaskWorld  # noqa: PLC0415

        return DesktopTaskWorld(name, **options)
    return DesktopWorld(name, **options)


def readiness() -> Readiness:
    return check("desktop/APPLICATION", "an application on an X desktop of its own", _programs)


def _programs() -> str:
    from saccade.worlds.desktop import display, session  # noqa: F401, PLC0415  (python-xlib is an extra)

    return session.find_programs()
