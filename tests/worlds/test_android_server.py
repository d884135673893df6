"""The real adb and adbutils against the test server; which device is meant; what happens when one is not there."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from adb_server import FakeAdb
from adbutils import AdbClient
from fake_phone import FakePhone

from saccade.errors import InputError, MissingError
from saccade.worlds import open_world
from saccade.worlds.android.device import AndroidDevice, _unpack
from saccade.worlds.android.screenshots import read_png, same_screenshot
from saccade.worlds.android.server import Client, attached_devices, choose_device, connect, find_adb, server_address
from saccade.worlds.base import InfrastructureError
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList

ADB = shutil.which("adb")
needs_adb = pytest.mark.skipif(ADB is None, reason="there is no adb on this machine: make setup installs it")
UNUSED = BrowserEngine(AllowList())
"""Starts nothing until a page is needed, and none is here."""


def png(width: int = 4, height: int = 2, colour: int = 255) -> bytes:
    import io  # noqa: PLC0415

    from PIL import Image  # noqa: PLC0415

    file = io.BytesIO()
    Image.new("RGB", (width, height), (colour, 0, 0)).save(file, "PNG")
    return file.getvalue()


def phone(serial: str, state: str = "device") -> FakePhone:
    made = FakePhone(UNUSED, serial)
    made.state = state
    return made


@pytest.fixture
def adb() -> Iterator[FakeAdb]:
    with FakeAdb() as server:
        yield server


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run_adb(adb: FakeAdb, *words: str) -> subprocess.CompletedProcess[bytes]:
    assert ADB is not None
    return subprocess.run([ADB, "-P", str(adb.port), *words], capture_output=True, timeout=20, check=False)


# -- the double is one that real clients believe ----------------------------------------------------------------------


@needs_adb
def test_the_real_adb_lists_and_reads(adb: FakeAdb) -> None:
    adb.plug(phone("emulator-5554"))
    adb.plug(phone("R58M12ABC"))
    adb.plug(phone("192.168.0.7:5555", "unauthorized"))
    listed = run_adb(adb, "devices").stdout.decode().splitlines()[1:4]
    assert [line.split() for line in listed] == [
        ["emulator-5554", "device"],
        ["R58M12ABC", "device"],
        ["192.168.0.7:5555", "unauthorized"],
    ]
    adb.phones["R58M12ABC"].shots = [png()]
    shot = run_adb(adb, "-s", "R58M12ABC", "exec-out", "screencap", "-p")
    assert shot.stdout == png() and shot.returncode == 0
    assert run_adb(adb, "-s", "R58M12ABC", "get-state").stdout == b"device\n"
    said = run_adb(adb, "-s", "emulator-5554", "shell", "echo", "'a; b'")
    assert said.stdout == b"a; b" and not adb.phones["emulator-5554"].refused
    assert run_adb(adb, "-s", "emulator-5554", "shell", "nonsense").returncode == 127
    assert run_adb(adb, "-s", "gone", "shell", "true").returncode == 1
    assert not any("kill" in asked for asked in adb.requests), "a version the client dislikes"


@needs_adb
def test_the_real_adb_is_refused_a_second_command(adb: FakeAdb) -> None:
    adb.plug(phone("one"))
    assert run_adb(adb, "shell", "true; reboot").returncode == 2
    assert len(adb.phones["one"].refused) == 1


def test_adbutils_tracks_devices(adb: FakeAdb) -> None:
    adb.plug(phone("one"))
    events = AdbClient("127.0.0.1", adb.port).track_devices()
    assert next(events).serial == "one"
    threading.Timer(0.1, adb.unplug, ["one"]).start()
    gone = next(events)
    assert (gone.serial, gone.present) == ("one", False)
    assert AdbClient("127.0.0.1", adb.port).list() == []


# -- which device -----------------------------------------------------------------------------------------------------


def test_the_only_device_is_taken(adb: FakeAdb) -> None:
    adb.plug(phone("only"))
    adb.plug(phone("locked", "unauthorized"))
    assert choose_device(connect("127.0.0.1", adb.port), "") == "only"


@pytest.mark.parametrize(
    ("states", "serial", "message"),
    [
        ({}, "", "there is no device: connect a phone"),
        ({"a": "device", "b": "device"}, "", "there are 2 devices: choose one, as android:a; connected: a, b"),
        ({"a": "device", "b": "offline"}, "c", r"there is no device c: connected: a, b \(offline\)"),
        ({"a": "unauthorized"}, "", "device a cannot be used: it has not allowed this computer"),
        ({"a": "unauthorized"}, "a", "device a cannot be used: it has not allowed this computer"),
        ({"a": "sideload"}, "a", "device a cannot be used: its state is sideload"),
    ],
)
def test_no_device_or_several(adb: FakeAdb, states: dict[str, str], serial: str, message: str) -> None:
    for name, state in states.items():
        adb.plug(phone(name, state))
    with pytest.raises(InputError, match=message):
        open_world(f"android:{serial}", port=adb.port).reset()


def test_the_list_of_worlds_says_what_is_attached(
    adb: FakeAdb, monkeypatch: pytest.MonkeyPatch, closed_port: int
) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(adb.port))
    assert attached_devices() == "no device attached"
    adb.plug(phone("pixel"))
    adb.plug(phone("locked", "unauthorized"))
    assert attached_devices() == "connected: pixel, locked (unauthorized)"
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(closed_port))
    assert "no adb server runs" in attached_devices()


@pytest.mark.parametrize("serial", ["a;b", "a\nb", "$(id)", "a'b", "-x", "x" * 300, "host:kill\0"])
def test_a_serial_number_is_checked(serial: str) -> None:
    with pytest.raises(InputError, match="not the serial number"):
        open_world(f"android:{serial}")


@pytest.mark.parametrize("port", ["x", 0, 70000, -1])
def test_a_port_is_checked(port: str | int) -> None:
    with pytest.raises(InputError, match="port of the adb server"):
        open_world("android:a", port=port)


def test_the_address_comes_from_adbs_own_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANDROID_ADB_SERVER_PORT", raising=False)
    monkeypatch.delenv("ANDROID_ADB_SERVER_HOST", raising=False)
    assert server_address("", None) == ("127.0.0.1", 5037)
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "5038")
    assert server_address("", None) == ("127.0.0.1", 5038)
    assert server_address("::1", 6000) == ("::1", 6000)


# -- what is not there ------------------------------------------------------------------------------------------------


def test_no_adb(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, closed_port: int) -> None:
    for name in ("SACCADE_ADB", "ANDROID_HOME", "ANDROID_SDK_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match=r"there is no adb on this machine.*apt-get install adb"):
        open_world("android:a", port=closed_port).reset()
    monkeypatch.setenv("SACCADE_ADB", str(tmp_path / "adb"))
    with pytest.raises(MissingError, match="no such file"):
        find_adb()
    broken = tmp_path / "adb"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(MissingError, match="start-server failed with status 1"):
        connect("127.0.0.1", closed_port)


def test_no_server_elsewhere(closed_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saccade.worlds.android.server._answers", lambda *_: False)
    with pytest.raises(MissingError, match="no adb server answers at phones:5037: start one there"):
        connect("phones", 5037)


def test_something_else_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:

        def answer() -> None:
            for _ in range(2):
                connection, _address = other.accept()
                with connection:
                    connection.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(MissingError, match="is not an adb server"):
            connect("127.0.0.1", other.getsockname()[1])


@needs_adb
def test_a_real_server_is_started_on_the_port_asked_for(closed_port: int) -> None:
    assert ADB is not None
    try:
        with pytest.raises(InputError, match="there is no device"):
            open_world("android:no-such-device", port=closed_port).reset()
    finally:
        subprocess.run([ADB, "-P", str(closed_port), "kill-server"], capture_output=True, timeout=20, check=False)


# -- one device -------------------------------------------------------------------------------------------------------


@pytest.fixture
def device(adb: FakeAdb) -> AndroidDevice:
    adb.plug(phone("one"))
    return AndroidDevice(Client("127.0.0.1", adb.port), "one")


def test_commands_with_and_without_the_second_protocol(adb: FakeAdb, device: AndroidDevice) -> None:
    assert device.run("echo", "a b", "'").out == "a b '"
    assert device.run("nonsense").status == 127
    adb.phones["one"].features = "cmd"
    old = AndroidDevice(Client("127.0.0.1", adb.port), "one")
    assert old.run("echo", "a b").out == "a b"
    assert adb.requests[-1] == "shell:echo 'a b'"


def test_an_unplugged_device(adb: FakeAdb, device: AndroidDevice) -> None:
    device.run("true")
    adb.unplug("one")
    with pytest.raises(InfrastructureError, match="device one is gone: it was unplugged or switched off"):
        device.run("true")


def test_unplugged_in_the_middle_of_a_command(adb: FakeAdb, device: AndroidDevice) -> None:
    adb.phones["one"].breaks_off_at = "echo"
    with pytest.raises(InfrastructureError, match="device one is gone"):
        device.run("echo", "x" * 1000)


def test_a_device_that_stops_being_usable(adb: FakeAdb, device: AndroidDevice) -> None:
    device.run("true")
    adb.phones["one"].state = "offline"
    with pytest.raises(InfrastructureError, match="its state is offline"):
        device.run("true")


def test_a_server_that_dies() -> None:
    with FakeAdb() as adb:
        adb.plug(phone("one"))
        device = AndroidDevice(Client("127.0.0.1", adb.port), "one")
        device.run("true")
    with pytest.raises(InfrastructureError, match="the adb server stopped answering"):
        device.run("true")


def test_a_device_that_hangs(adb: FakeAdb, device: AndroidDevice) -> None:
    device.run("true")
    lock = adb.phones["one"].lock
    with lock:
        began = time.monotonic()
        with pytest.raises(InfrastructureError, match="did not answer within"):
            device.run("true", seconds=0.2)
        assert time.monotonic() - began < 2


def test_packets_that_lie_end() -> None:
    assert _unpack(b"") == (None, b"")
    assert _unpack(b"\x01\xff\xff\xff\x7fab") == (None, b"ab")
    assert _unpack(b"\x01\x02\x00\x00\x00hi\x02\x01\x00\x00\x00!\x03\x01\x00\x00\x00\x07") == (7, b"hi!")


# -- screenshots ------------------------------------------------------------------------------------------------------


def test_a_screenshot_is_checked() -> None:
    assert read_png(png(4, 2)).size == (4, 2)
    assert read_png(b"[Warning] Multiple displays were found\n" + png(4, 2)).png == png(4, 2)
    for content, message in [
        (b"", "printed nothing"),
        (b"error: no display", "no PNG picture but 'error: no display'"),
        (png()[:-20], "cut off"),
        (png()[:16] + b"\0\0\0\0" + png()[20:], "a picture of 0×2"),
    ]:
        with pytest.raises(ValueError, match=message):
            read_png(content)


def test_small_changes_count_as_rest() -> None:
    still = read_png(png(400, 400))
    assert same_screenshot(still, read_png(png(400, 400)))
    assert not same_screenshot(still, read_png(png(400, 400, colour=9)))
    assert not same_screenshot(still, read_png(png(400, 200)))
    with pytest.raises(InfrastructureError, match="damaged"):
        same_screenshot(still, read_png(png(400, 400)[:60] + png(400, 400)[-12:]))
