"""The phone: bilingual sandbox apps in the browser world, with tasks judged on state."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import cast

from saccade.errors import InputError
from saccade.worlds.base import World
from saccade.worlds.browser import chromium
from saccade.worlds.readiness import Readiness, check
from saccade.worlds.record_options import opened_from_records
from saccade_phone.seeded_random import Language, Split


@opened_from_records("scale", "language", "split", "theme", "interruptions", "animations")
def open_phone(
    task: str = "",
    *,
    scale: float = 3.0,
    language: str = "en",
    split: str | None = None,
    theme: str = "",
    interruptions: bool = False,
    animations: bool = False,
    wordings: str = "",
    by_sight: bool = False,
    pictures: bool = True,
    headless: bool = True,
) -> World:
    """A phone with a task by its name (`clock.add_alarm`), or one to play with.

    `scale` is the size of its screenshots, 3 for 1080×2400; `by_sight`: the oracle advises what one can know who only
    sees the screen; without `pictures`, observations have elements only. The rest is described at `PhoneWorld`.
    """
    import_module("saccade.worlds.browser.engine")  # first of all: it says what to install if there is no Playwright
    from saccade.worlds.browser.world import PHONE  # noqa: PLC0415  (Playwright is an extra)
    from saccade_phone.phone_state import check_options  # noqa: PLC0415
    from saccade_phone.world import PhoneWorld  # noqa: PLC0415

    if not isinstance(scale, int | float) or not 0.5 <= scale <= 4:
        raise InputError(f"the phone's scale is {scale!r}: use a number between 0.5 and 4")
    check_options(language, split, theme)
    return PhoneWorld(
        task,
        language=cast(Language, language),
        split=cast(Split | None, split),
        theme=theme,
        interruptions=interruptions,
        animations=animations,
        wordings=wordings,
        by_sight=by_sight,
        device=replace(PHONE, scale=scale),
        pictures=pictures,
        headless=headless,
    )


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
