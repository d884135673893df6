"""Reads the elements of a device's screen with its `uiautomator dump` command, which often fails."""

from __future__ import annotations

import re
import time

from saccade.geometry import Size
from saccade.screens.uiautomator import uiautomator_elements
from saccade.types import Element
from saccade.worlds.android.device import AndroidDevice

TRIES = 3
DUMP_SECONDS = 15.0
_BEGINNING = re.compile(r"<(\?xml|!DOCTYPE|hierarchy|displays)")
FILE = "/data/local/tmp/saccade-window.xml"


class DumpError(Exception):
    """The elements could not be read, although the device answers."""


class Dumper:
    """Lists elements, and remembers which of the two dump methods works on this device."""

    def __init__(self, device: AndroidDevice) -> None:
        self.device = device
        self._through_file = False

    def elements(self, size: Size) -> list[Element]:
        """The elements of the screen. `uiautomator` fails on moving screens, so it is tried several times."""
        end = time.monotonic() + DUMP_SECONDS
        problem = ""
        for _ in range(TRIES):
            try:
                return uiautomator_elements(hierarchy(self._dump()), size)
            except ValueError as error:
                problem = str(error)
            if time.monotonic() > end:
                break
        raise DumpError(f"the elements of the screen could not be read: {problem}")

    def _dump(self) -> str:
        """Dump to standard output, which not every device supports, or through a file."""
        if not self._through_file:
            said = self.device.read("uiautomator", "dump", "/dev/tty", seconds=DUMP_SECONDS).decode("utf-8", "replace")
            self._through_file = "<hierarchy" not in said and "ERROR" not in said
            return said
        self.device.run("rm", "-f", FILE)
        done = self.device.run("uiautomator", "dump", FILE, seconds=DUMP_SECONDS)
        if "dumped to" not in done.out:
            raise ValueError(done.first_line)
        said = self.device.read("cat", FILE).decode("utf-8", "replace")
        self.device.run("rm", "-f", FILE)
        return said


def hierarchy(said: str) -> str:
    """The XML in the output of the command."""
    start = _BEGINNING.search(said)
    if start is None:
        raise ValueError(" ".join(said.split())[:200] or "uiautomator printed nothing")
    return said[start.start() : said.rfind(">") + 1]
