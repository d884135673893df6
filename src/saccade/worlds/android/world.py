"""The Android world: a phone or emulator through the adb server."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

from saccade.actions import Action
from saccade.errors import InputError
from saccade.geometry import Size
from saccade.types import Element, Picture, Screen
from saccade.worlds.android.device import AndroidDevice
from saccade.worlds.android.dump import Dumper, DumpError
from saccade.worlds.android.input_actions import ANDROID_ACTIONS, AndroidInput
from saccade.worlds.android.screenshots import focused_app, settled_screen
from saccade.worlds.android.server import Client, check_serial, choose_device, connect, server_address
from saccade.worlds.base import CurrentTarget, InfrastructureError, LazyElements, Observation, World

RECONNECT_SECONDS = 5.0


class AndroidWorld(World):
    """A device by its serial number, or the only connected one. `pause`: seconds after an action until the screen
    starts to change; `settle_limit`: seconds until it must have settled.
    """

    name = "android"
    space = "phone"

    def __init__(
        self,
        serial: str = "",
        *,
        host: str = "",
        port: int | str | None = None,
        pause: float = 0.3,
        settle_limit: float = 3.0,
    ) -> None:
        self.serial = check_serial(serial.strip())
        self.host, self.port = server_address(host, port)
        self.actions = ANDROID_ACTIONS
        self.pause = pause
        self.settle_limit = settle_limit
        self._input: AndroidInput | None = None
        self._dumper: Dumper | None = None
        self._elements: LazyElements | None = None
        self._events: list[str] = []

    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        """Wake the device, go to its home screen, open the app `task`. The seed is ignored; the data stays."""
        self._expire()
        if self._input is None:
            self._input = AndroidInput(AndroidDevice(*self._find()))
        else:
            self._find_again()
        device = self._input.device
        device.run("input", "keyevent", "KEYCODE_WAKEUP")
        device.run("wm", "dismiss-keyguard")
        device.run("input", "keyevent", "KEYCODE_HOME")
        return self._observe(self._input.apps.open(task) if task else "")

    def resume(
        self, done: Sequence[Action], url: str = "", seed: int | None = None, task: str | None = None
    ) -> Observation:
        """Continue with the phone as it is: the actions done on it must not be repeated."""
        self._expire()
        self._input = self._input or AndroidInput(AndroidDevice(*self._find()))
        return self._observe("")

    def act(self, action: Action) -> Observation:
        user_input = self._ready()
        self._expire()
        if action.type not in self.actions:
            return self._observe(f"this world cannot do {action.type}")
        user_input.vault = self.vault
        return self._observe(user_input.do(action))

    def current_target(self, action: Action) -> CurrentTarget | None:
        """The current elements and the foreground app; unknown if the screen moves too much to be read."""
        user_input = self._ready()
        before = len(self._events)
        elements = self._find_elements(user_input.size)
        app = focused_app(user_input.device)[0]
        return CurrentTarget(elements, app=app, unknown=len(self._events) > before)

    def close(self) -> None:
        """Restore the user's keyboard. The adb server keeps running, because other programs may use it."""
        self._expire()
        if self._input is not None:
            with suppress(InfrastructureError):  # the device may be disconnected
                self._input.keyboard.restore()
        self._input = self._dumper = None

    # -- connection -------------------------------------------------------------------------------------------------

    def _find(self) -> tuple[Client, str]:
        client = connect(self.host, self.port)
        return client, choose_device(client, self.serial)

    def _find_again(self) -> None:
        """Connect again after a run. A device that was unplugged gets a few seconds to come back."""
        device = self._ready().device
        end = time.monotonic() + RECONNECT_SECONDS
        while True:
            try:
                choose_device(connect(self.host, self.port), device.serial)
                return
            except InputError as error:
                if time.monotonic() > end:
                    raise InfrastructureError(str(error)) from None
            time.sleep(0.25)

    def _ready(self) -> AndroidInput:
        if self._input is None:
            raise InfrastructureError("the world was not reset yet")
        return self._input

    # -- observation ------------------------------------------------------------------------------------------------

    def _observe(self, error: str) -> Observation:
        user_input = self._ready()
        shot, app = settled_screen(user_input.device, self.pause, self.settle_limit)
        user_input.size = shot.size
        self._elements = LazyElements(lambda: self._find_elements(shot.size))
        events, self._events = tuple(self._events), []
        return Observation(
            Screen(shot.size, Picture(shot.png, shot.size), self._elements), app=app, error=error, events=events
        )

    def _find_elements(self, size: Size) -> Sequence[Element]:
        """The elements, or none if the screen keeps moving; the next observation reports that as an event."""
        if self._dumper is None:
            self._dumper = Dumper(self._ready().device)
        try:
            return self._dumper.elements(size)
        except DumpError as error:
            self._events.append(str(error))
            return ()

    def _expire(self) -> None:
        if self._elements is not None:
            self._elements.expire()
