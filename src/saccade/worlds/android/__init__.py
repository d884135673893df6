"""The android world."""

from __future__ import annotations

from typing import Any

from saccade.worlds.base import World
from saccade.worlds.readiness import Readiness, check


def open_android(serial: str, **options: Any) -> World:
    """A phone or emulator through adb; without a serial number, the only connected one."""
    from saccade.worlds.android.world import AndroidWorld  # noqa: PLC0415  (adbutils is an extra)

    return AndroidWorld(serial, **options)


def readiness() -> Readiness:
    return check("android:SERIAL", "a phone or emulator through adb", _adb, _devices)


def _adb() -> str:
    from saccade.worlds.android.server import find_adb  # noqa: PLC0415  (adbutils is an extra)

    return f"adb at {find_adb()}"


def _devices() -> str:
    from saccade.worlds.android.server import attached_devices  # noqa: PLC0415  (adbutils is an extra)

    return attached_devices()
