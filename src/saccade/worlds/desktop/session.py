"""A desktop of its own: X server, window manager, D-Bus session, accessibility bus and a home folder to throw away."""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from saccade.errors import InputError, MissingError
from saccade.geometry import Size
from saccade.untrusted import read_text
from saccade.worlds.base import InfrastructureError
from saccade.worlds.desktop.applications import Application
from saccade.worlds.desktop.supervisor import clean_up

START_SECONDS = 15.0
_BUS_SERVICE = "/usr/share/dbus-1/services/org.a11y.Bus.service"
_MEMORY, _ENOUGH = "/dev/shm", 256 << 20
TITLE_LAYOUT = "IMC"
"""The buttons right of a window's title, in Openbox's letters: minimize, maximize, close."""
_NEEDED = {"Xvfb": "xvfb", "openbox": "openbox", "dbus-daemon": "dbus"}
_GTK_SETTINGS = "[Settings]\ngtk-cursor-blink=0\ngtk-enable-animations=0\ngtk-primary-button-warps-slider=1\n"
_ACCESSIBLE = {
    "GTK_MODULES": "gail:atk-bridge",
    "QT_ACCESSIBILITY": "1",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
}
_KEYS = (
    '<keybind key="A-F4"><action name="Close"/></keybind>'
    '<keybind key="A-Tab"><action name="NextWindow"><finalactions><action name="Focus"/><action name="Raise"/>'
    "</finalactions></action></keybind>"
)
_PLAIN = {
    "GDK_BACKEND": "x11",
    "GIO_USE_VFS": "local",
    "GSETTINGS_BACKEND": "keyfile",
    "GSK_RENDERER": "cairo",
    "GTK_IM_MODULE": "gtk-im-context-simple",
    "GTK_OVERLAY_SCROLLING": "0",
    "GTK_USE_PORTAL": "0",
    "LIBGL_ALWAYS_SOFTWARE": "1",
    "NO_AT_BRIDGE": "0",
    "QT_QPA_PLATFORM": "xcb",
    "XMODIFIERS": "@im=none",
}
"""No input methods, portals, remote files or graphics cards: the same screen on every machine."""


def find_programs() -> str:
    """What a desktop needs. `MissingError` names the Debian packages of what is not there."""
    missing = [package for program, package in _NEEDED.items() if shutil.which(program) is None]
    missing += [] if Path(_BUS_SERVICE).is_file() else ["at-spi2-core"]
    if missing:
        needs, names = " and ".join(missing), " ".join(missing)
        raise MissingError(f"the desktop world needs {needs}: run make setup-all, or apt-get install {names}")
    return f"Xvfb at {shutil.which('Xvfb')}"


def server_command(size: Size, show: bool) -> list[str]:
    """The X server: without a screen, or in a window on the user's display."""
    shape = f"{size.width}x{size.height}"
    usual = ["-displayfd", "{fd}", "-nolisten", "tcp", "-noreset"]
    if not show:
        return ["Xvfb", "-screen", "0", f"{shape}x24", *usual]
    if shutil.which("Xephyr") is None:
        raise MissingError("show needs Xephyr: run make setup-all, or apt-get install xserver-xephyr")
    if not os.environ.get("DISPLAY"):
        raise InputError(
            "show opens a window on your display, and DISPLAY names none: start it from a graphical session"
        )
    return ["Xephyr", "-screen", shape, "-title", "Saccade", *usual]


def _place_for_folders() -> str | None:
    """Memory, where there is enough: programs that look at mount points (GIO) take a folder for read-only if it is on
    the same file system as the root, which the applications may only read.
    """
    try:
        free = shutil.disk_usage(_MEMORY).free
    except OSError:
        return None
    return _MEMORY if free >= _ENOUGH and os.access(_MEMORY, os.W_OK) else None


def _window_manager_settings() -> str:
    """Openbox's own settings with one desktop, no menu that ends it, and few keys: it binds all its keys anew, slowly,
    whenever the keyboard layout changes, which happens while Chinese is typed.
    """
    file = Path("/etc/xdg/openbox/rc.xml")
    text = read_text(file) if file.is_file() else "<openbox_config></openbox_config>"
    text = re.sub(r"<keyboard>.*?</keyboard>", f"<keyboard>{_KEYS}</keyboard>", text, count=1, flags=re.DOTALL)
    text = re.sub(r"<titleLayout>.*?</titleLayout>", f"<titleLayout>NL{TITLE_LAYOUT}</titleLayout>", text)
    text = re.sub(r'<context name="(Root|Desktop)">.*?</context>', "", text, flags=re.DOTALL)
    return re.sub(r"(<desktops>.*?<number>)\d+", r"\g<1>1", text, count=1, flags=re.DOTALL)


class DesktopSession:
    """Started by its constructor; `close` ends every process and removes the folder. A supervising process does the
    same if this one is killed.
    """

    def __init__(
        self,
        size: Size,
        *,
        show: bool = False,
        network: bool = False,
        locale: str = "C.UTF-8",
    ) -> None:
        find_programs()
        command = server_command(size, show)
        self.folder = Path(tempfile.mkdtemp(prefix="saccade-desktop-", dir=_place_for_folders()))
        self.home = self.folder / "home/user"
        """The home folder, as this process sees it. The applications see it as /home/user."""
        self.locale = locale
        self.display = ""
        self.not_isolated: list[str] = []
        """`network` and `files`, where the system did not let us keep the applications from them."""
        self.ended: list[str] = []
        """Names of applications that ended by themselves since somebody looked."""
        self.processes: dict[str, int] = {}
        """The X server, the window manager, the bus and the applications that run, by name."""
        self._buffer = b""
        self._failure = ""
        self._ready = False
        self._make_folders()
        self._supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={"PATH": os.environ.get("PATH", os.defpath)},
        )
        try:
            outer = {name: os.environ[name] for name in ("PATH", "DISPLAY", "XAUTHORITY", "HOME") if name in os.environ}
            folder = str(self.folder)
            self._send({"folder": folder, "server": command, "environment": outer, "network": network})
            self._wait_for(lambda: self._ready)
            self._start_services()
        except BaseException:
            self.close()
            raise

    @property
    def bus_address(self) -> str:
        return f"unix:path={self.folder}/run/bus"

    def start(self, application: Application, arguments: Sequence[str] = ()) -> None:
        """Start an application in the home folder. It is not waited for."""
        self._order(application.command[0], [*application.command, *arguments])

    def check(self, seconds: float = 0.0) -> None:
        """`InfrastructureError` if a part of the desktop died, or dies within `seconds`. An application that exits is
        no failure: `ended` has its name.
        """
        deadline = time.monotonic() + seconds
        while True:
            self._read(max(0.0, deadline - time.monotonic()))
            if time.monotonic() >= deadline:
                return

    def close(self) -> None:
        child = self._supervisor
        for pipe in (child.stdin, child.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        try:
            child.wait(5)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        if self.folder.exists():  # it was killed
            clean_up(str(self.folder), self.display)

    # -- parts --------------------------------------------------------------------------------------------------------

    def _make_folders(self) -> None:
        for name in ("home/user", "run", "tmp", "config/gtk-3.0", "config/gtk-4.0", "cache", "state"):
            (self.folder / name).mkdir(mode=0o700, parents=True)
        for version in ("3.0", "4.0"):
            (self.folder / f"config/gtk-{version}/settings.ini").write_text(_GTK_SETTINGS, encoding="utf-8")
        (self.folder / "config/openbox.xml").write_text(_window_manager_settings(), encoding="utf-8")
        (self.folder / "config/gtkrc-2.0").write_text("gtk-cursor-blink = 0\n", encoding="utf-8")

    def _environment(self) -> dict[str, str]:
        folder = str(self.folder)
        places = {
            "HOME": self._inner_home,
            "USER": "user",
            "TMPDIR": f"{folder}/tmp",
            "XDG_RUNTIME_DIR": f"{folder}/run",
            "GTK2_RC_FILES": f"{folder}/config/gtkrc-2.0",
        }
        places |= {f"XDG_{name.upper()}_HOME": f"{folder}/{name}" for name in ("config", "cache", "state")}
        places["XDG_DATA_HOME"] = f"{self._inner_home}/.local/share"  # the trash must be on the disk of the home folder
        words = {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": self.locale,
            "DISPLAY": f":{self.display}",
            "DBUS_SESSION_BUS_ADDRESS": self.bus_address,
        }
        return {**_PLAIN, **_ACCESSIBLE, **places, **words}

    @property
    def _inner_home(self) -> str:
        return str(self.home) if "files" in self.not_isolated else "/home/user"

    def _start_services(self) -> None:
        """An application that starts without the bus has no accessibility tree for ever, and a window that appears
        while Openbox starts is never shown: both are waited for. The bus starts the accessibility bus when the world
        asks for its address.
        """
        config, managing = f"{self.folder}/config/openbox.xml", self.folder / "run/window-manager"
        manager = [
            "openbox",
            "--sm-disable",
            "--config-file",
            config,
            "--startup",
            shlex.join(["touch", str(managing)]),
        ]
        self._order("the window manager", manager)
        bus = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + self.bus_address]
        self._order("the D-Bus session", bus)
        self._wait_for(lambda: managing.exists() and (self.folder / "run/bus").exists())

    def _order(self, name: str, command: list[str]) -> None:
        order = {"name": name, "command": command, "environment": self._environment(), "folder": self._inner_home}
        self._send(order)

    def _wait_for(self, there: Any) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not there():
            self._read(0.02)
            if time.monotonic() > deadline:
                raise InfrastructureError(f"the desktop did not start within {START_SECONDS:.0f} s: {self._log()}")

    def _log(self) -> str:
        """The last line that a part of the desktop wrote."""
        with suppress(OSError):
            lines = (self.folder / "log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
            return lines[-1][:200] if lines else "nothing was written to its log"
        return "its log is gone"

    # -- the supervising process --------------------------------------------------------------------------------------

    def _send(self, value: Mapping[str, Any]) -> None:
        try:
            assert self._supervisor.stdin is not None
            self._supervisor.stdin.write(json.dumps(value).encode() + b"\n")
            self._supervisor.stdin.flush()
        except (OSError, ValueError):
            raise InfrastructureError("the desktop's supervising process died") from None

    def _read(self, seconds: float) -> None:
        """Take up what the supervising process reported. The first part that died is told again and again."""
        if self._failure:
            raise InfrastructureError(self._failure)
        pipe = self._supervisor.stdout
        assert pipe is not None
        if pipe.closed:
            raise InfrastructureError("the desktop was closed")
        while select.select([pipe], [], [], seconds)[0]:
            got = os.read(pipe.fileno(), 1 << 16)
            if not got:
                raise InfrastructureError("the desktop's supervising process died")
            *lines, self._buffer = (self._buffer + got).split(b"\n")
            for line in lines:
                self._take(json.loads(line))
                if self._failure:
                    raise InfrastructureError(self._failure)
            seconds = 0.0

    def _take(self, report: dict[str, Any]) -> None:
        if "display" in report:
            self.display = report["display"]
            if not self.display:
                self._failure = f"the X server did not start: {self._log()}"
        if "open" in report:
            self.not_isolated, self._ready = report["open"], True
        if "started" in report:
            self.processes[report["started"]] = report["process"]
        if "ended" in report:
            name, status = report["ended"], report["status"]
            self.processes.pop(name, None)
            if status < 0:
                self._failure = f"{name} was killed by {signal.Signals(-status).name}"
            elif name.startswith("the ") or status == 127:
                self._failure = f"{name} ended with status {status}: {report.get('why') or self._log()}"
            else:
                self.ended.append(name)
