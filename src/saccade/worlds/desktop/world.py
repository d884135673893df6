"""The desktop world: real applications on an X display, of its own or the one at hand."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from saccade.actions import Action
from saccade.errors import InputError, MissingError
from saccade.geometry import Size
from saccade.screens.atspi import atspi_elements
from saccade.types import Element, Picture, Screen
from saccade.worlds.base import CurrentTarget, InfrastructureError, LazyElements, Observation, World
from saccade.worlds.desktop.accessibility_tree import AccessibilityBus
from saccade.worlds.desktop.applications import Application, find_application
from saccade.worlds.desktop.dbus import BusError
from saccade.worlds.desktop.display import DesktopDisplay, encode_png
from saccade.worlds.desktop.input_actions import DESKTOP_ACTIONS, DesktopInput
from saccade.worlds.desktop.risk_words import risk_words
from saccade.worlds.desktop.session import TITLE_LAYOUT, DesktopSession

START_SECONDS = 12.0
TREE_SECONDS = 4.0
"""Seconds that an application with a window gets to tell its elements. Some never do."""
QUIET_SECONDS = 0.04
"""Seconds between two pictures that must be alike before the screen counts as settled."""
UNCHANGED_SECONDS = 0.2
"""Seconds that an application gets to show any reaction at all."""
CAUSE_SECONDS = 3.0
"""Seconds that the supervising process gets to say which part of a broken desktop died."""
_OPEN = {
    "network": "this system does not let us cut the applications off the network",
    "files": "this system does not let us protect files outside the home folder",
}


def read_size(size: str | Size) -> Size:
    """`1920x1080` as a size."""
    if isinstance(size, Size):
        return size
    found = re.fullmatch(r"\s*(\d{3,5})\s*[x×*]\s*(\d{3,5})\s*", str(size))
    if found is None:
        raise InputError(f"size is {size!r}: use WIDTHxHEIGHT, as 1280x800 or 1920x1080")
    return Size(int(found[1]), int(found[2]))


def _running(process: int) -> bool:
    """Is this process computing, or waiting for a processor? It may be about to draw something."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] == "R"


class DisplayWorld(World):
    """The display at hand (`$DISPLAY`, or one by its name), with whatever runs there."""

    name = "desktop"
    space = "desktop"

    def __init__(self, display: str = "", *, settle_limit: float = 2.0) -> None:
        self.actions = DESKTOP_ACTIONS
        self.settle_limit = settle_limit
        self._display_name = display
        self._display: DesktopDisplay | None = None
        self._bus: AccessibilityBus | None = None
        self._input: DesktopInput | None = None
        self._elements: LazyElements | None = None
        self._events: list[str] = []
        self._pixels = bytearray()

    # -- World interface ----------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        """Look at the display. Nothing on it is changed: seed and task are ignored."""
        self._expire()
        if self._display is None:
            self._connect()
        return self._observe("")

    def resume(
        self, done: Sequence[Action], url: str = "", seed: int | None = None, task: str | None = None
    ) -> Observation:
        """Continue with the display as it is: the actions done on it must not be repeated."""
        return self.reset(seed, task) if self.real else super().resume(done, url, seed, task)

    def act(self, action: Action) -> Observation:
        if self._input is None:
            raise InfrastructureError("the world was not reset yet")
        self._expire()
        try:
            self._check()
            if action.type not in self.actions:
                return self._observe(f"this world cannot do {action.type}")
            self._input.vault = self.vault
            return self._observe(self._input.do(action))
        except InfrastructureError as error:
            raise self._broken(error) from None

    def current_target(self, action: Action) -> CurrentTarget | None:
        """The current elements, the application that has the focus, and risks that no text on the screen names."""
        if self._display is None:
            return None
        app, elements = self._display.active()[0], self._find_elements()
        return CurrentTarget(elements, app=app, words=risk_words(action, elements, app), unknown=self._bus is None)

    def close(self) -> None:
        self._expire()
        if self._bus is not None:
            self._bus.close()
        if self._display is not None:
            self._display.close()
        self._bus = self._display = self._input = None

    # -- connection ---------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        name = self._display_name or os.environ.get("DISPLAY", "")
        if not name:
            raise InputError("there is no display at hand: set DISPLAY, or use desktop/mousepad for one of its own")
        self._open_display(name)
        self._open_bus(os.environ.get("DBUS_SESSION_BUS_ADDRESS", ""))

    def _open_display(self, name: str) -> DesktopDisplay:
        display = self._display = DesktopDisplay(name)
        doers = (self._find_elements, self._open_app, self._wait_until_idle)
        self._input = DesktopInput(display, display.size, *doers)
        return display

    def _open_bus(self, address: str) -> None:
        """Without an accessibility bus there are no elements, only pictures."""
        try:
            self._bus = AccessibilityBus(address)
        except BusError as error:
            self._events.append(f"there are no elements on this desktop: {error}")

    def _check(self) -> None:
        """`InfrastructureError` if a part of the desktop died."""

    def _broken(self, error: InfrastructureError) -> InfrastructureError:
        """The error to raise when the display failed."""
        return error

    def _open_app(self, name: str) -> str:
        return "applications can be opened by name only on a desktop of its own: open it with the mouse"

    # -- observation --------------------------------------------------------------------------------------------------

    def _observe(self, error: str) -> Observation:
        if self._display is None:
            raise InfrastructureError("the world was not reset yet")
        pixels = self._settled(self._display)
        self._check()
        size = self._display.size
        self._elements = LazyElements(self._find_elements)
        events, self._events = tuple(self._events), []
        screen = Screen(size, Picture(encode_png(pixels, size), size), self._elements)
        return Observation(screen, app=self._display.active()[0], error=error, events=events)

    def _settled(self, display: DesktopDisplay) -> bytearray:
        """The picture, once the applications have read their input and two pictures in a row are alike."""
        start = time.monotonic()
        processes = self._processes()
        last = display.pixels()
        while time.monotonic() < start + self.settle_limit:
            time.sleep(QUIET_SECONDS)
            idle = not any(map(_running, processes))  # asked before the X server is made to work
            now = display.pixels()
            if idle and now == last and (now != self._pixels or time.monotonic() > start + UNCHANGED_SECONDS):
                break
            last = now
        self._pixels = last
        return last

    def _processes(self) -> list[int]:
        """Wait until the applications have answered; returns the processes whose work shows on the screen."""
        if self._bus is not None:
            with suppress(BusError):  # `_find_elements` tells it
                return self._bus.wait_for_applications(self.settle_limit)
        return []

    def _wait_until_idle(self) -> None:
        processes = self._processes()
        deadline = time.monotonic() + self.settle_limit
        while True:
            time.sleep(QUIET_SECONDS)
            if not any(map(_running, processes)) or time.monotonic() > deadline:
                return

    def _find_elements(self) -> Sequence[Element]:
        if self._display is None or self._bus is None:
            return ()
        windows = self._display.windows()
        try:
            popups = [window.box for window in windows if window.popup and window.process]
            applications = self._bus.applications(popups)
        except BusError as error:
            self._check()
            raise self._broken(InfrastructureError(f"the accessibility bus is gone: {error}")) from None
        return atspi_elements(applications, windows, self._display.size)

    def _expire(self) -> None:
        if self._elements is not None:
            self._elements.expire()


class DesktopWorld(DisplayWorld):
    """An application on a desktop of its own, in a fresh home folder that is thrown away. `size`: of the screen;
    `show`: in a window on the user's display; `network`: may the applications reach it; `locale`: their language.
    """

    real = False

    def __init__(
        self,
        application: str,
        *,
        size: str | Size = "1280x800",
        show: bool = False,
        network: bool = False,
        locale: str = "C.UTF-8",
        settle_limit: float = 2.0,
    ) -> None:
        super().__init__(settle_limit=settle_limit)
        self.application = application
        self.find_application(application)
        self.size = read_size(size)
        self.show, self.network, self.locale = show, network, locale
        self.session: DesktopSession | None = None

    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        """A new desktop; `task` may name another application than the world's own."""
        self.close()
        try:
            self._start(task or self.application)
            return self._observe("")
        except InfrastructureError as error:
            raise self._broken(error) from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        super().close()
        if self.session is not None:
            self.session.close()
        self.session = None

    def find_application(self, name: str) -> Application:
        """How the application of this name or title is started. `InputError` or `MissingError` if it can't be."""
        return find_application(name)

    def prepare(self, home: Path, application: str) -> Sequence[str]:
        """Put files into the home folder before the application starts; returns what it is started with."""
        return ()

    # -- parts --------------------------------------------------------------------------------------------------------

    def _start(self, application: str) -> None:
        known = self.find_application(application)
        options = {"show": self.show, "network": self.network}
        session = self.session = DesktopSession(self.size, locale=self.locale, **options)
        self._events += [_OPEN[what] for what in session.not_isolated]
        display = self._open_display(f":{session.display}")
        display.title_layout = TITLE_LAYOUT
        display.tidy()
        self._open_bus(session.bus_address)
        session.start(known, self.prepare(session.home, application))
        self._wait_for_window(display)

    def _wait_for_window(self, display: DesktopDisplay) -> None:
        """Until the application has a window with elements, or one without them for a while."""
        deadline = time.monotonic() + START_SECONDS
        seen = False
        while time.monotonic() < deadline:
            self._check()
            if not seen and any(window.process for window in display.windows()):
                seen, deadline = True, time.monotonic() + TREE_SECONDS
            if seen and self._find_elements():
                return
            time.sleep(0.05)
        self._events.append(f"{self.application} has shown no {'elements' if seen else 'window'} yet")

    def _open_app(self, name: str) -> str:
        try:
            application = self.find_application(name)
        except (InputError, MissingError) as error:
            return str(error)
        assert self.session is not None  # an action needs a display
        before = len(self._find_elements())
        self.session.start(application)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and len(self._find_elements()) == before:
            self._check()
            time.sleep(0.1)
        return ""

    def _processes(self) -> list[int]:
        own = list(self.session.processes.values()) if self.session is not None else []
        return [*super()._processes(), *own]

    def _check(self) -> None:
        if self.session is None:
            raise InfrastructureError("the world was not reset yet")
        self.session.check()
        self._events += [f"{name} ended" for name in self.session.ended]
        self.session.ended.clear()

    def _broken(self, error: InfrastructureError) -> InfrastructureError:
        """Say which part died, if the supervising process knows, and end the rest."""
        if self.session is not None:
            try:
                self.session.check(CAUSE_SECONDS)
            except InfrastructureError as cause:
                error = cause
        self.close()
        return error
