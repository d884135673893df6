"""What a desktop may reach, how it ends, and what is left of it: processes, folders, sockets."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from desktop_helpers import the, wait_until

from saccade.actions import Action
from saccade.errors import InputError
from saccade.geometry import Point, Size
from saccade.worlds import open_world
from saccade.worlds.base import InfrastructureError
from saccade.worlds.desktop.applications import Application
from saccade.worlds.desktop.display import DesktopDisplay
from saccade.worlds.desktop.session import DesktopSession
from saccade.worlds.desktop.supervisor import MARK, clean_up, ending, server_process
from saccade.worlds.desktop.world import DesktopWorld

pytest_plugins = ["desktop_fixtures"]
pytestmark = [pytest.mark.desktop, pytest.mark.usefixtures("installed")]


def processes_of(folder: Path) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={folder}".encode() in (entry / "environ").read_bytes():
                found.append((entry / "comm").read_text().strip())
        except OSError:
            continue
    return found


def nothing_left(folder: Path, display: str) -> bool:
    """No process, no folder and no socket, at the latest after five seconds. A test beside this one may have the
    display's number by then: its server lives.
    """
    place = Path(f"/tmp/.X11-unix/X{display}")

    def gone() -> bool:
        return bool(server_process(display)) or not place.exists()

    return wait_until(lambda: not (processes_of(folder) or folder.exists()) and gone(), 5)


def test_cleaning_up_spares_a_server_that_took_over_the_number(tmp_path: Path) -> None:
    place = Path("/tmp/.X11-unix/X3977")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))
        server.listen()
        assert server_process("3977") == os.getpid()
        clean_up(str(tmp_path / "folder"), "3977")
        assert place.exists()
    clean_up(str(tmp_path / "folder"), "3977")
    assert not place.exists()


def test_a_process_that_ended_and_was_not_waited_for_is_ending() -> None:
    child = subprocess.Popen(["true"])
    assert wait_until(lambda: ending(child.pid))
    child.wait()
    assert ending(child.pid) and not ending(os.getpid())


def test_closing_leaves_nothing() -> None:
    world = DesktopWorld("galculator")
    world.reset()
    assert world.session is not None
    folder, display = world.session.folder, world.session.display
    assert {"Xvfb", "openbox", "galculator", "dbus-daemon"} <= set(processes_of(folder))
    world.close()
    assert nothing_left(folder, display)
    with pytest.raises(InfrastructureError, match="not reset"):
        world.act(Action("wait"))


@pytest.mark.parametrize(
    "victim", ["galculator", "the X server", "the D-Bus session", "the desktop's supervising process"]
)
def test_a_killed_part_is_an_infrastructure_error(victim: str) -> None:
    with DesktopWorld("galculator") as world:
        world.reset()
        session = world.session
        assert session is not None
        folder, display = session.folder, session.display
        supervising = session._supervisor.pid
        os.kill(session.processes.get(victim, supervising), signal.SIGKILL)
        with pytest.raises(InfrastructureError, match=rf"{victim} (was killed by SIGKILL|died)"):
            for _ in range(3):
                world.act(Action("wait", seconds=0.1))
        assert nothing_left(folder, display)
        assert the(world.reset().screen, "sqrt").interactive, "it starts anew"


def test_an_application_that_is_closed_is_no_failure() -> None:
    with DesktopWorld("galculator") as world:
        world.reset()
        seen = world.act(Action("press", key="alt+F4"))
        seen = world.act(Action("wait", seconds=0.3)) if not seen.events else seen
        assert seen.events == ("galculator ended",) and not seen.error
        assert not seen.screen.elements


SCRIPT = """
import os, sys
from saccade.worlds.desktop.world import DesktopWorld
world = DesktopWorld("galculator")
world.reset()
print(world.session.folder, world.session.display, flush=True)
sys.stdin.read()
"""


def test_a_killed_world_leaves_nothing() -> None:
    child = subprocess.Popen([sys.executable, "-c", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    folder, display = child.stdout.readline().split()
    assert processes_of(Path(folder))
    child.kill()
    child.wait()
    assert nothing_left(Path(folder), display)


PROBE = """
cd ~; echo $HOME > report
(: > /tmp/intruder) 2>/dev/null && echo wrote >> report
(: > /etc/intruder) 2>/dev/null && echo wrote >> report
cat /proc/net/dev | grep -c : >> report
echo done >> report
"""


def test_applications_reach_neither_the_network_nor_foreign_files() -> None:
    """Where the system lets us; where not, `not_isolated` says so."""
    session = DesktopSession(Size(640, 480))
    try:
        if session.not_isolated:
            pytest.skip(f"this system does not isolate {session.not_isolated}")
        session.start(Application(("sh", "-c", PROBE), "", ""))
        report = session.home / "report"
        assert wait_until(lambda: report.exists() and "done" in report.read_text())
        assert report.read_text().split() == ["/home/user", "1", "done"], "one network device: the loopback"
        assert not Path("/tmp/intruder").exists()
    finally:
        session.close()


def test_the_network_can_be_allowed() -> None:
    session = DesktopSession(Size(640, 480), network=True)
    try:
        session.start(Application(("sh", "-c", "readlink /proc/self/ns/net > report; echo done >> report"), "", ""))
        report = session.home / "report"
        assert wait_until(lambda: report.exists() and "done" in report.read_text())
        assert report.read_text().split()[0] == str(Path("/proc/self/ns/net").readlink())
    finally:
        session.close()


def test_four_desktops_at_once() -> None:
    texts: dict[int, str] = {}

    def work(number: int) -> None:
        with DesktopWorld("galculator") as world:
            seen = world.reset()
            for key in (str(number), "+", "5", "="):
                seen = world.act(Action("click", the(seen.screen, key, "button").center))
            texts[number] = the(seen.screen, type="input").text.split()[0]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == {1: "6", 2: "7", 3: "8", 4: "9"}


def test_a_desktop_is_shown_in_a_window_of_the_users_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(InputError, match="DISPLAY names none"), DesktopWorld("galculator", show=True) as world:
        world.reset()
    outer = DesktopSession(Size(1400, 900))
    try:
        monkeypatch.setenv("DISPLAY", f":{outer.display}")
        with DesktopWorld("galculator", show=True) as world:
            seen = world.reset()
            for key in ("4", "*", "6", "="):
                seen = world.act(Action("click", the(seen.screen, key, "button").center))
            assert the(seen.screen, type="input").text.split()[0] == "24"
            display = DesktopDisplay(f":{outer.display}")
            assert wait_until(lambda: any("Saccade" in window.title for window in display.windows()))
            display.close()
    finally:
        outer.close()


def test_the_display_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(InputError, match="there is no display at hand"), open_world("desktop:") as world:
        world.reset()
    with pytest.raises(InfrastructureError, match="the X display is gone"), open_world("desktop::987") as world:
        world.reset()
    session = DesktopSession(Size(800, 600))
    try:
        session.start(Application(("galculator",), "", ""))
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", session.bus_address)
        with open_world(f"desktop::{session.display}") as world:
            assert world.real
            for _ in range(100):
                seen = world.reset()
                if seen.screen.elements:
                    break
                time.sleep(0.1)
            for key in ("4", "*", "6", "="):
                seen = world.act(Action("click", the(seen.screen, key, "button").center))
            assert the(seen.screen, type="input").text.split()[0] == "24"
            assert "only on a desktop of its own" in world.act(Action("open_app", text="mousepad")).error
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "")
        with open_world(f"desktop::{session.display}") as world:
            seen = world.reset()
            assert not seen.screen.elements and "no elements on this desktop" in seen.events[0]
            target = world.current_target(Action("click", Point(5, 5)))
            assert target is not None and target.unknown
        session.check()
    finally:
        session.close()
