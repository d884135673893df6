"""The phone: bilingual sandbox apps in the browser world, with tasks judged on state."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

from saccade.errors import InputError
from saccade.worlds.base import World
from saccade.worlds.browser import chromium
from saccade.worlds.readiness import Readiness, check


def open_phone(task: str = "", scale: float = 3.0, **options: Any) -> World:
    """A phone with a task by its name (`clock.add_alarm`), or one to play with. Options are those of `PhoneWorld`;
    `scale` is the size of its screenshots, 3 for 1080×2400.
    """
    import_module("saccade.worlds.browser.engine")  # first of all: it says what to install if there is no Playwright
    from saccade.worlds.browser.world import PHONE  # noqa: PLC0415  (Playwright is an extra)
    from saccade_phone.world import PhoneWorld  # noqa: PLC0415

    if not 0.5 <= scale <= 4:
        raise InputError(f"the phone's scale is {scale:g}: use a number between 0.5 and 4")
    return PhoneWorld(task, **{"device": replace(PHONE, scale=scale), **options})


def readiness() -> Readiness:
    about = "a phone with bilingual apps and tasks judged on state"
    return check("phone/TASK", about, _kits, _tasks, chromium)


def _kits() -> str:
    from saccade_phone.assets import asset  # noqa: PLC0415

    asset("/")
    return "UI kits"


def _tasks() -> str:
    from saccade_phone.tasks import tasks  # noqa: PLC0415

    return f"{len(tasks())} tasks"


__all__ = ["open_phone"]
