"""The browser world."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from saccade.errors import InputError
from saccade.worlds.base import World
from saccade.worlds.readiness import Readiness, check


def open_browser(url: str, device: str = "desktop", **options: Any) -> World:
    """Pages in Chromium, on a desktop or a phone screen."""
    import_module("saccade.worlds.browser.engine")  # first: its error says what to install without Playwright
    from saccade.worlds.browser.world import DEVICES, BrowserWorld  # noqa: PLC0415  (Playwright is an extra)

    if device not in DEVICES:
        raise InputError(f"unknown device {device!r}: use one of {', '.join(DEVICES)}")
    return BrowserWorld(url or "about:blank", device=DEVICES[device], **options)


def readiness() -> Readiness:
    return check("an address, as https://example.com", "pages in Chromium, on a desktop or a phone screen", chromium)


def chromium() -> str:
    """Which Chromium is used; `MissingError` if Chromium or Playwright is missing."""
    from saccade.worlds.browser.engine import find_chromium  # noqa: PLC0415  (Playwright is an extra)

    return f"Chromium at {find_chromium()}"
