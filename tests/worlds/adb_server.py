"""A server that speaks adb's host protocol, for tests: the real `adb` and adbutils are its clients, fake phones its
devices. A request is four hexadecimal digits of length and that many bytes; the answer is OKAY or FAIL and a message.
"""

from __future__ import annotations

import re
import socket
import socketserver
import struct
import threading
from typing import Self

from fake_phone import FakePhone

VERSION = 41
TRACK_SECONDS = 0.05


class FakeAdb:
    """Listens on a free port of 127.0.0.1 while in its `with` block."""

    def __init__(self) -> None:
        self.phones: dict[str, FakePhone] = {}
        self.requests: list[str] = []
        self.closing = threading.Event()
        self._sockets: dict[str, set[socket.socket]] = {}
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.adb = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="fake-adb", daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def plug(self, phone: FakePhone) -> None:
        self.phones[phone.serial] = phone

    def unplug(self, serial: str) -> None:
        """As if the cable were pulled: the device leaves the list and its connections break."""
        self.phones.pop(serial, None)
        for connection in self._sockets.pop(serial, set()):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # it ended by itself

    def listing(self, long: bool = False) -> str:
        phones = list(self.phones.values())
        if long:
            return "".join(
                f"{phone.serial:22} {phone.state} product:fake model:Fake transport_id:1\n" for phone in phones
            )
        return "".join(f"{phone.serial}\t{phone.state}\n" for phone in phones)

    def hold(self, serial: str, connection: socket.socket) -> None:
        self._sockets.setdefault(serial, set()).add(connection)

    def release(self, serial: str, connection: socket.socket) -> None:
        self._sockets.get(serial, set()).discard(connection)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    adb: FakeAdb


class _RefusedError(Exception):
    """What a client asked cannot be done; the reason goes back to it."""


class _Handler(socketserver.BaseRequestHandler):
    server: _Server
    request: socket.socket

    def handle(self) -> None:
        self.adb = self.server.adb
        try:
            while (asked := self._ask()) is not None:
                self.adb.requests.append(asked)
                try:
                    if not self._host(asked):
                        return
                except _RefusedError as error:
                    self._say(b"FAIL" + _block(str(error)))
                    return
        except OSError:
            return  # the client went away

    # -- the wire -----------------------------------------------------------------------------------------------------

    def _ask(self) -> str | None:
        size = self._exactly(4)
        return self._exactly(int(size, 16)).decode() if size else None

    def _exactly(self, count: int) -> bytes:
        content = b""
        while len(content) < count:
            chunk = self.request.recv(count - len(content))
            if not chunk:
                return b""
            content += chunk
        return content

    def _say(self, content: bytes) -> None:
        self.request.sendall(content)

    # -- requests -----------------------------------------------------------------------------------------------------

    def _host(self, asked: str) -> bool:
        """Answer one request; False when the connection is used up."""
        if match := re.fullmatch(r"host:(?:transport|tport:serial):(.+)", asked):
            return self._transport(self._phone(match[1]), "tport" in asked)
        if asked in ("host:transport-any", "host:tport:any"):
            return self._transport(self._only(), "tport" in asked)
        if match := re.fullmatch(r"host-serial:(.+):([\w-]+)", asked):
            return self._about(self._phone(match[1]), match[2])
        if match := re.fullmatch(r"host:(get-state|features|get-serialno)", asked):
            return self._about(self._only(), match[1])
        if asked == "host:track-devices":
            return self._track()
        answers = {
            "host:version": f"{VERSION:04x}",
            "host:devices": self.adb.listing(),
            "host:devices-l": self.adb.listing(long=True),
            "host:host-features": "shell_v2,cmd",
        }
        if asked not in answers:
            raise _RefusedError(f"unknown host service {asked!r}")
        self._say(b"OKAY" + _block(answers[asked]))
        return False

    def _phone(self, serial: str) -> FakePhone:
        phone = self.adb.phones.get(serial)
        if phone is None:
            raise _RefusedError(f"device '{serial}' not found")
        if phone.state != "device":
            raise _RefusedError(f"device {phone.state}")
        return phone

    def _only(self) -> FakePhone:
        if len(self.adb.phones) != 1:
            raise _RefusedError("more than one device/emulator" if self.adb.phones else "no devices/emulators found")
        return self._phone(next(iter(self.adb.phones)))

    def _about(self, phone: FakePhone, what: str) -> bool:
        answers = {"get-state": phone.state, "features": phone.features, "get-serialno": phone.serial}
        if what not in answers:
            raise _RefusedError(f"unknown service {what!r}")
        self._say(b"OKAY" + _block(answers[what]))
        return False

    def _track(self) -> bool:
        self._say(b"OKAY")
        told = None
        while not self.adb.closing.is_set():
            now = self.adb.listing()
            if now != told:
                self._say(_block(now))
                told = now
            self.adb.closing.wait(TRACK_SECONDS)
        return False

    # -- services of a device -----------------------------------------------------------------------------------------

    def _transport(self, phone: FakePhone, with_id: bool) -> bool:
        self._say(b"OKAY" + (struct.pack("<Q", 1) if with_id else b""))
        self.adb.hold(phone.serial, self.request)
        try:
            asked = self._ask()
            if asked is not None:
                self.adb.requests.append(asked)
                self._service(phone, asked)
        finally:
            self.adb.release(phone.serial, self.request)
        return False

    def _service(self, phone: FakePhone, asked: str) -> None:
        kind, _, line = asked.partition(":")
        name, *options = kind.split(",")
        if name not in ("shell", "exec"):
            raise _RefusedError("closed")
        self._say(b"OKAY")
        status, out = phone.shell(line)
        packed = b"\x01" + struct.pack("<I", len(out)) + out if "v2" in options else out
        if phone.breaks_off_at and line.startswith(phone.breaks_off_at):
            self._say(packed[: len(packed) // 2])
            self.adb.unplug(phone.serial)
            return
        self._say(packed + (b"\x03" + struct.pack("<IB", 1, status) if "v2" in options else b""))
        self._finish()

    def _finish(self) -> None:
        """Let the client read everything before the connection goes: it may still be sending its own end."""
        self.request.shutdown(socket.SHUT_WR)
        self.request.settimeout(1)
        while self.request.recv(4096):
            continue


def _block(text: str) -> bytes:
    content = text.encode()
    return f"{len(content):04x}".encode() + content
