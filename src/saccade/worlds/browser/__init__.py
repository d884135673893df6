"""The browser world."""

from __future__ import annotations

from typing import Any

from saccade.errors import InputError
from saccade.worlds.base import World


def open_browser(url: str, device: str = "desktop", **options: Any) -> World:
    """Pages in Chromium, on a desktop or a phone screen."""
    from saccade.worlds.browser.world import DEVICES, BrowserWorld  # noqa: PLC0415  (Playwright is an extra)

    if device not in DEVICES:
        raise InputError(f"unknown device {device!r}: use one of {', '.join(DEVICES)}")
    return BrowserWorld(url or "about:blank", device=DEVICES[device], **options)
