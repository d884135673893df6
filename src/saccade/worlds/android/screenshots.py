"""Screenshots of a device: takes and checks them, waits until the screen has settled, finds the foreground app."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from PIL import ImageChops

from saccade.geometry import Size
from saccade.untrusted import PictureError, read_picture
from saccade.worlds.android.device import AndroidDevice
from saccade.worlds.base import InfrastructureError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
ENDING = b"IEND\xaeB`\x82"
LARGEST_SIDE = 20_000
SHOTS = 3
"""How often a screenshot is tried."""
STILL = 0.001
"""A change within this share of the screen is a blinking cursor or the clock and is ignored."""
LONGEST_VALUE = 400
"""Characters of a line of `dumpsys` that are looked at; a component's name has far fewer."""
_WINDOW = re.compile(rf"mCurrentFocus=(null|Window\{{[^}}\n]{{0,{LONGEST_VALUE}}})")
_PACKAGE = re.compile(r"\s([A-Za-z]\w*(?:\.\w+)+)/", re.ASCII)
_APP = re.compile(rf"mFocusedApp=[^\s{{]{{0,100}}\{{([^}}\n]{{0,{LONGEST_VALUE}}})")
_NAME = re.compile(r"\s([A-Za-z][\w.]*)/", re.ASCII)


@dataclass(frozen=True)
class Screenshot:
    """A screenshot and its size, which changes when the device is rotated."""

    png: bytes
    size: Size


def screenshot(device: AndroidDevice) -> Screenshot:
    """The screen as it is now."""
    problem = ""
    for _ in range(SHOTS):
        try:
            return read_png(device.read("screencap", "-p"))
        except ValueError as error:
            problem = str(error)
            device.run("true")  # raises if the device was unplugged
    raise InfrastructureError(f"device {device.serial} gave no screenshot: {problem}")


def read_png(content: bytes) -> Screenshot:
    """Check a PNG file. Devices with several displays print a warning before it."""
    start = content.find(SIGNATURE, 0, 4096)
    if start < 0:
        said = content[:80].decode("utf-8", "replace").strip()
        raise ValueError(f"screencap printed no PNG picture but {said!r}" if said else "screencap printed nothing")
    png = content[start:]
    if png[12:16] != b"IHDR" or not png.rstrip().endswith(ENDING):
        raise ValueError(f"screencap printed a PNG picture that is cut off after {len(png)} bytes")
    size = Size(int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big"))
    if not (0 < size.width <= LARGEST_SIDE and 0 < size.height <= LARGEST_SIDE):
        raise ValueError(f"screencap printed a picture of {size.width}×{size.height}")
    return Screenshot(png, size)


def settled_screen(device: AndroidDevice, pause: float, limit: float) -> tuple[Screenshot, str]:
    """Screenshot and foreground app once two screenshots agree and a window has the focus, or after `limit` seconds."""
    time.sleep(pause)
    end = time.monotonic() + limit
    before = screenshot(device)
    while True:
        shot = screenshot(device)
        late = time.monotonic() >= end
        if late or same_screenshot(before, shot):
            app, focused = focused_app(device)
            if late or focused:
                check_pixels(shot)
                return shot, app
        before = shot
        time.sleep(min(0.05, max(0.0, end - time.monotonic())))


def check_pixels(shot: Screenshot) -> None:
    """Can the picture be decoded? Whoever gets it later relies on that."""
    try:
        read_picture(shot.png)
    except PictureError as error:
        raise InfrastructureError(f"a screenshot is damaged: {error}") from None


def same_screenshot(one: Screenshot, other: Screenshot) -> bool:
    """Are two screenshots the same, apart from a small change?"""
    if one.png == other.png:
        return True
    if one.size != other.size:
        return False
    try:
        first, second = (read_picture(shot.png).convert("RGB") for shot in (one, other))
        box = ImageChops.difference(first, second).getbbox()
    except PictureError as error:
        raise InfrastructureError(f"a screenshot is damaged: {error}") from None
    return box is None or (box[2] - box[0]) * (box[3] - box[1]) <= STILL * one.size.width * one.size.height


def focused_app(device: AndroidDevice) -> tuple[str, bool]:
    """The foreground package, and whether a window has the focus: while apps switch, none has."""
    state = device.run("dumpsys", "window").out
    windows = _WINDOW.findall(state)
    named = [match[1] for window in windows if (match := _PACKAGE.search(window))]
    named = named or [match[1] for app in _APP.findall(state) if (match := _NAME.search(app))]
    return (named[-1] if named else ""), not windows or any(window != "null" for window in windows)
