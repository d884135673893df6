"""Runs commands on one device through the adb server, each with a deadline.

Connection problems raise an `InfrastructureError`; a command that ran and failed is a `CommandResult` with a status.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from adbutils import AdbConnection, AdbError, AdbTimeout

from saccade.worlds.android.server import Client, list_devices
from saccade.worlds.android.shell import command
from saccade.worlds.base import InfrastructureError

COMMAND_SECONDS = 20.0
MOST_BYTES = 64 * 1024 * 1024
"""Of raw output, such as a screenshot."""
MOST_TEXT = 8 * 1024 * 1024
"""Of output that is read as text; `dumpsys` prints up to a megabyte."""
_CHUNK = 1 << 18
_OUT, _ERR, _EXIT = 1, 2, 3
_HEADER = 5


class CommandResult(NamedTuple):
    """The output of a command on the device, and its exit status (0 if the device does not report it)."""

    status: int
    out: str

    @property
    def first_line(self) -> str:
        return next((line.strip()[:200] for line in self.out.splitlines() if line.strip()), "no output")


class AndroidDevice:
    """Runs commands. Arguments are passed separately and quoted here."""

    def __init__(self, client: Client, serial: str) -> None:
        self.client = client
        self.serial = serial
        self._device = client.device(serial)
        self._v2: bool | None = None

    def run(self, *words: str | int, seconds: float = COMMAND_SECONDS) -> CommandResult:
        """Run a command; returns its output (including stderr) and status."""
        line = command(*words)
        if self._v2 is None:
            self._v2 = self._has_v2()
        raw = self._service(("shell,v2:" if self._v2 else "shell:") + line, seconds, MOST_TEXT)
        status, out = _unpack(raw) if self._v2 else (0, raw)
        if status is None:
            raise self._gone("the connection ended in the middle of a command")
        return CommandResult(status, out.decode("utf-8", "replace"))

    def read(self, *words: str | int, seconds: float = COMMAND_SECONDS) -> bytes:
        """Run a command; returns the raw bytes of its output."""
        return self._service("exec:" + command(*words), seconds, MOST_BYTES)

    def _has_v2(self) -> bool:
        try:
            return "shell_v2" in str(self._device.get_features()).split(",")
        except (AdbError, OSError, EOFError) as error:
            raise self._gone(str(error)) from None

    def _service(self, service: str, seconds: float, most: int) -> bytes:
        end = time.monotonic() + seconds
        try:
            connection = self._device.open_transport(timeout=seconds)
            try:
                connection.send_command(service)
                connection.check_okay()
                return _read_all(connection, end, most)
            finally:
                connection.conn.close()
        except (TimeoutError, AdbTimeout):
            raise InfrastructureError(f"device {self.serial} did not answer within {seconds:.0f} s") from None
        except (AdbError, OSError, EOFError) as error:
            raise self._gone(str(error)) from None

    def _gone(self, reason: str) -> InfrastructureError:
        """The error with its likely cause: no server, no such device, or something else."""
        try:
            state = next((d.state for d in list_devices(self.client) if d.serial == self.serial), None)
        except InfrastructureError as error:
            return error
        if state is None:
            return InfrastructureError(f"device {self.serial} is gone: it was unplugged or switched off")
        if state != "device":
            return InfrastructureError(f"device {self.serial} cannot be used any more: its state is {state[:40]}")
        return InfrastructureError(f"the connection to device {self.serial} broke off: {reason[:200]}")


def _read_all(connection: AdbConnection, end: float, most: int) -> bytes:
    """Read until the other side closes. adbutils' own loop copies a screenshot hundreds of times, so it is not used."""
    content = bytearray()
    while True:
        left = end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.conn.settimeout(left)
        chunk = connection.conn.recv(_CHUNK)
        if not chunk:
            return bytes(content)
        content += chunk
        if len(content) > most:
            raise AdbError(f"a command printed more than {most} bytes")


def _unpack(raw: bytes) -> tuple[int | None, bytes]:
    """Status and output from packets of shell protocol 2: one byte for the kind, four for the length, content."""
    out, at, status = bytearray(), 0, None
    while at + _HEADER <= len(raw):
        kind, length = raw[at], int.from_bytes(raw[at + 1 : at + _HEADER], "little")
        content = raw[at + _HEADER : at + _HEADER + length]
        if kind in (_OUT, _ERR):
            out += content
        elif kind == _EXIT and content:
            status = content[0]
        at += _HEADER + length
    return status, bytes(out)
