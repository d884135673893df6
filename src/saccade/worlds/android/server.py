"""Connects to the adb server and chooses a device.

adbutils talks to the server, with two changes: it would start a server on the default port whenever any port does not
answer, and it would ask for the server's version before each command.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from saccade.errors import InputError, MissingError
from saccade.worlds.base import InfrastructureError

try:
    from adbutils import AdbClient, AdbConnection, AdbError
except ImportError as error:  # pragma: no cover
    raise MissingError("the android world needs adbutils: run make setup, or pip install 'saccade[android]'") from error

DEFAULT_PORT = 5037
CONNECT_SECONDS = 3.0
START_SECONDS = 20.0
INSTALL = "run make setup, or apt-get install adb, or unpack Android's platform-tools and put them on the PATH"
_SERIAL = re.compile(r"[A-Za-z0-9\[][A-Za-z0-9._:@%()+ \[\]-]{0,199}")
_LENGTH = re.compile(r"[0-9a-fA-F]{4}")
_LOCAL = frozenset(("127.0.0.1", "localhost", "::1"))
_WHY = {
    "unauthorized": "it has not allowed this computer: confirm the question about USB debugging on its screen",
    "offline": "it does not answer: unplug it and plug it in again, or restart it",
    "no": "this user may not open it: add a udev rule for it, or run adb as root",
    "authorizing": "it is still connecting: try again in a moment",
    "recovery": "it is in recovery mode: start Android first",
}


class _Connection(AdbConnection):  # type: ignore[misc]
    """Ends at its deadline even if the answer comes a byte at a time, and tells of lengths that are none."""

    def __init__(self, host: str, port: int, seconds: float) -> None:
        self._end = time.monotonic() + seconds
        super().__init__(host, port)

    def _safe_connect(self) -> socket.socket:
        return self._create_socket()  # type: ignore[no-any-return]

    def _read_fully(self, n: int) -> bytes:
        content = b""
        while len(content) < n:
            left = self._end - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self.conn.settimeout(left)
            chunk = self.conn.recv(n - len(content))
            if not chunk:
                break
            content += chunk
        return content

    def read_string_block(self) -> str:
        length = self.read_string(4)
        if not _LENGTH.fullmatch(length):
            raise AdbError(f"the answer has {length!r} for a length" if length else "connection closed")
        return str(self.read_string(int(length, 16)))


class Client(AdbClient):  # type: ignore[misc]
    """adbutils' client, without side effects on other servers."""

    _version = 0

    def make_connection(self, timeout: float | None = None) -> _Connection:
        connection = _Connection(self.host, self.port, timeout or CONNECT_SECONDS)
        connection.conn.settimeout(timeout or CONNECT_SECONDS)
        return connection

    def server_version(self) -> int:
        if not self._version:
            self._version = int(super().server_version())
        return self._version


class ListedDevice(NamedTuple):
    """A device that the server lists: `state` is `device` when it can be used."""

    serial: str
    state: str


def server_address(host: str, port: int | str | None) -> tuple[str, int]:
    """Host and port of the adb server: as given, or from adb's own environment variables."""
    chosen = port if port not in (None, "") else os.environ.get("ANDROID_ADB_SERVER_PORT") or DEFAULT_PORT
    try:
        number = int(str(chosen))
    except ValueError:
        number = 0
    if not 0 < number < 65536:
        raise InputError(f"the port of the adb server is {str(chosen)[:40]!r}: it must be a number from 1 to 65535")
    return host or os.environ.get("ANDROID_ADB_SERVER_HOST") or "127.0.0.1", number


def check_serial(serial: str) -> str:
    if serial and not _SERIAL.fullmatch(serial):
        raise InputError(
            f"{serial[:80]!r} is not the serial number of a device: run adb devices to list the connected ones"
        )
    return serial


def connect(host: str, port: int) -> Client:
    """Connect to the running server; on this machine, start one if none is running."""
    if not _answers(host, port):
        if host not in _LOCAL:
            raise MissingError(
                f"no adb server answers at {host}:{port}: start one there with adb -a -P {port} nodaemon server"
            )
        _start(port)
    client = Client(host, port)
    try:
        client.server_version()
    except (AdbError, OSError, ValueError) as error:
        raise MissingError(f"what answers at {host}:{port} is not an adb server ({error}): give another port") from None
    return client


def choose_device(client: Client, serial: str) -> str:
    """The serial number of a usable device: the requested one, or the only one."""
    listed = list_devices(client)
    if serial:
        state = next((device.state for device in listed if device.serial == serial), None)
        if state == "device":
            return serial
        if state is not None:
            raise InputError(f"device {serial} cannot be used: {_WHY.get(state, f'its state is {state[:40]}')}")
        raise InputError(f"there is no device {serial}: {_connected(listed)}")
    usable = [device.serial for device in listed if device.state == "device"]
    if len(usable) == 1:
        return usable[0]
    if usable:
        raise InputError(f"there are {len(usable)} devices: choose one, as android:{usable[0]}; {_connected(listed)}")
    if listed:
        first = listed[0]
        raise InputError(
            f"device {first.serial} cannot be used: {_WHY.get(first.state, f'its state is {first.state[:40]}')}"
        )
    raise InputError(f"there is no device: {_connected(listed)}")


def list_devices(client: Client) -> list[ListedDevice]:
    try:
        return [ListedDevice(str(info.serial), str(info.state)) for info in client.list()]
    except (AdbError, OSError) as error:
        raise InfrastructureError(f"the adb server stopped answering ({error})") from None


def _connected(listed: list[ListedDevice]) -> str:
    if not listed:
        return "connect a phone with USB debugging switched on, or start an emulator; adb devices must list it"
    return "connected: " + ", ".join(f"{d.serial} ({d.state})" if d.state != "device" else d.serial for d in listed)


def attached_devices() -> str:
    """Which devices are attached, in words. No server is started to find out."""
    try:
        host, port = server_address("", None)
        if not _answers(host, port):
            return "no device known: no adb server runs yet"
        listed = list_devices(Client(host, port))
    except (InputError, InfrastructureError) as error:
        return str(error)
    return _connected(listed) if listed else "no device attached"


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), CONNECT_SECONDS):
            return True
    except OSError:
        return False


def find_adb() -> str:
    """Path of adb: `SACCADE_ADB`, then the PATH, then the Android SDK folders."""
    if chosen := os.environ.get("SACCADE_ADB"):
        if Path(chosen).is_file():
            return chosen
        raise MissingError(f"SACCADE_ADB is {chosen}, but there is no such file")
    if found := shutil.which("adb"):
        return found
    for variable in ("ANDROID_HOME", "ANDROID_SDK_ROOT"):
        if (home := os.environ.get(variable)) and (tool := Path(home, "platform-tools", "adb")).is_file():
            return str(tool)
    raise MissingError(f"there is no adb on this machine, and no adb server runs: {INSTALL}")


def _start(port: int) -> None:
    """Run `adb start-server`; the server keeps running afterwards, as usual with adb."""
    tool = find_adb()
    try:
        done = subprocess.run(
            [tool, "-P", str(port), "start-server"],
            timeout=START_SECONDS,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingError(f"{tool} could not start the adb server ({error}): {INSTALL}") from None
    if done.returncode or not _answers("127.0.0.1", port):
        raise MissingError(f"{tool} -P {port} start-server failed with status {done.returncode}: try it by hand")
