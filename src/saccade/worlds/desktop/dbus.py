"""A small D-Bus client that sends many method calls at once and then collects their answers.

Accessibility trees take about a thousand calls a screen. A general library spends 0.2 ms on each in pure Python; this
one packs and unpacks only the types that AT-SPI uses, and waits once for a whole batch.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

SECONDS = 5.0
"""How long a batch of calls may take."""
_LARGEST = 1 << 27
_ALIGNMENT = {"y": 1, "g": 1, "v": 1, "n": 2, "q": 2, "x": 8, "t": 8, "d": 8, "(": 8, "{": 8}
_NUMBERS = {"y": "B", "n": "h", "q": "H", "i": "i", "u": "I", "b": "I", "x": "q", "t": "Q", "d": "d", "h": "I"}
_CALL, _RETURN, _SIGNAL = 1, 2, 4
_PATH, _MEMBER, _REPLY_SERIAL, _SENDER, _SIGNATURE = 1, 3, 5, 7, 8
_MOST_SIGNALS = 2000


class BusError(Exception):
    """The bus is gone, or did not answer in time."""


class Call(NamedTuple):
    """A method call. Arguments are texts (`s`) and numbers (`u`), as `signature` says."""

    destination: str
    path: str
    interface: str
    method: str
    signature: str = ""
    arguments: tuple[str | int, ...] = ()


class Signal(NamedTuple):
    """An event of an accessible node: `StateChanged` with the detail `showing` and the value 1, for example."""

    sender: str
    path: str
    member: str
    detail: str
    value: int


class Bus:
    """A connection to a bus at a Unix address (`unix:path=…` or `unix:abstract=…`), or straight to an application."""

    def __init__(self, address: str, straight: bool = False) -> None:
        self._serial = 0
        self._buffer, self._read = b"", 0
        self.signals: deque[Signal] = deque(maxlen=_MOST_SIGNALS)
        """What was told since somebody looked; `listen` says of what."""
        self._heads: dict[tuple[str, ...], bytes] = {}
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(SECONDS)
        try:
            self._socket.connect(_socket_path(address))
            self._socket.sendall(b"\0AUTH EXTERNAL " + str(os.geteuid()).encode().hex().encode() + b"\r\n")
            if not self._socket.recv(4096).startswith(b"OK"):
                raise BusError("the bus refused the connection")
            self._socket.sendall(b"BEGIN\r\n")
        except OSError as error:
            self._socket.close()
            raise BusError(f"the bus cannot be reached: {error.strerror or error}") from None
        if not straight:
            name = "org.freedesktop.DBus"
            self.call(Call(name, "/org/freedesktop/DBus", name, "Hello"))

    def close(self) -> None:
        self._socket.close()

    def call(self, call: Call) -> Any:
        """The first value of the answer; None if it is an error or empty."""
        return self.call_all([call])[0]

    def call_all(self, calls: Sequence[Call], seconds: float = SECONDS) -> list[Any]:
        """The first value of each answer, in the order of the calls; None for errors, and for what did not come in
        time from a program that hangs.
        """
        places = {self._serial + 1 + at: at for at in range(len(calls))}
        answers: list[Any] = [None] * len(calls)
        deadline = time.monotonic() + seconds
        try:
            self._socket.settimeout(seconds)
            self._socket.sendall(b"".join(map(self._packed, calls)))
            while places:
                kind, reply_to, body = self._receive(deadline)
                at = places.pop(reply_to, None)
                if at is not None and kind == _RETURN:
                    answers[at] = body
        except TimeoutError:
            return answers
        except (struct.error, IndexError):
            raise BusError("the bus sent something that is no message") from None
        except OSError as error:
            raise BusError(f"the bus broke off: {error.strerror or error}") from None
        return answers

    def listen(self, rule: str) -> None:
        """Get the signals that match a rule."""
        name = "org.freedesktop.DBus"
        self.call(Call(name, "/org/freedesktop/DBus", name, "AddMatch", "s", (f"type='signal',{rule}",)))

    def _packed(self, call: Call) -> bytes:
        self._serial += 1
        body = _pack(call.signature, call.arguments) if call.signature else b""
        key = call[:5]
        head = self._heads.get(key)
        if head is None:
            if len(self._heads) > 5000:
                self._heads.clear()
            head = self._heads[key] = _head(call)
        return struct.pack("<4BII", 108, _CALL, 0, 1, len(body), self._serial) + head + body

    def _receive(self, deadline: float) -> tuple[int, int, Any]:
        """The type of the next message, the call that it answers, and its first value."""
        self._fill(16, deadline)
        data, begin = self._buffer, self._read
        mark, kind = "<" if data[begin] == 108 else ">", data[begin + 1]
        length, _, fields = struct.unpack_from(mark + "III", data, begin + 4)
        start = 16 + (fields + 7) // 8 * 8
        if length + start > _LARGEST:
            raise BusError("the bus sent a message of an impossible length")
        self._fill(start + length, deadline)
        begin = self._read
        message = self._buffer[begin : begin + start + length]
        self._read += start + length
        found: dict[int, Any] = {}
        at = 16
        while at < 16 + fields:
            code, inner, at = message[at], chr(message[at + 2]), at + 4
            found[code], at = _unpack(message, at, inner, mark)
            at = (at + 7) & ~7
        reply_to, signature = found.get(_REPLY_SERIAL, 0), found.get(_SIGNATURE, "")
        if kind == _SIGNAL and signature.startswith("si"):
            detail, at = _unpack(message, start, "s", mark)
            value = _unpack(message, at, "i", mark)[0]
            sender, path, member = (found.get(code, "") for code in (_SENDER, _PATH, _MEMBER))
            self.signals.append(Signal(sender, path, member, detail, value))
        if kind != _RETURN or not signature:
            return kind, reply_to, None
        return kind, reply_to, _unpack(message, start, signature[: _end(signature, 0)], mark)[0]

    def _fill(self, size: int, deadline: float) -> None:
        """Until the message that begins where the last ended is here, as far as `size`."""
        while len(self._buffer) - self._read < size:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(left)
            got = self._socket.recv(1 << 18)
            if not got:
                raise BusError("the bus broke off")
            self._buffer, self._read = self._buffer[self._read :] + got, 0


def _socket_path(address: str) -> str:
    """The socket of the first Unix address of a list.

    >>> _socket_path("unix:path=/run/bus,guid=0123"), _socket_path("unix:abstract=/tmp/x")
    ('/run/bus', '\\x00/tmp/x')
    """
    for entry in address.split(";"):
        kind, _, rest = entry.partition(":")
        values = dict(part.split("=", 1) for part in rest.split(",") if "=" in part)
        if kind == "unix" and "path" in values:
            return values["path"]
        if kind == "unix" and "abstract" in values:
            return "\0" + values["abstract"]
    raise BusError(f"{address!r} is not the address of a bus on this machine")


# -- packing ----------------------------------------------------------------------------------------------------------


def _padding(size: int, alignment: int) -> bytes:
    return bytes(-size % alignment)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data + b"\0"


def _head(call: Call) -> bytes:
    """The header fields of a call: path, interface, method, destination, and the signature of its body."""
    fields = b""
    for code, kind, text in ((1, b"o", call.path), (2, b"s", call.interface), (3, b"s", call.method)):
        fields += _padding(len(fields), 8) + bytes((code, 1)) + kind + b"\0" + _text(text)
    fields += _padding(len(fields), 8) + b"\6\1s\0" + _text(call.destination)
    if call.signature:
        signature = call.signature.encode()
        fields += _padding(len(fields), 8) + b"\x08\1g\0" + bytes((len(signature),)) + signature + b"\0"
    return struct.pack("<I", len(fields)) + fields + _padding(len(fields), 8)


def _pack(signature: str, arguments: Iterable[str | int]) -> bytes:
    body = b""
    for kind, value in zip(signature, arguments, strict=True):
        body += _padding(len(body), 4)
        body += _text(value) if isinstance(value, str) else struct.pack("<" + _NUMBERS[kind], value)
    return body


# -- unpacking --------------------------------------------------------------------------------------------------------


def _end(signature: str, at: int) -> int:
    """Where the complete type that begins at `at` ends."""
    while signature[at] == "a":
        at += 1
    if signature[at] not in "({":
        return at + 1
    depth = 0
    for here in range(at, len(signature)):
        depth += (signature[here] in "({") - (signature[here] in ")}")
        if depth == 0:
            return here + 1
    raise BusError(f"the bus sent the type {signature!r}, which does not end")


def _unpack(data: bytes, at: int, signature: str, mark: str) -> tuple[Any, int]:
    """The value of one complete type at `at`, and where it ends."""
    kind = signature[0]
    alignment = _ALIGNMENT.get(kind, 4)
    at = (at + alignment - 1) // alignment * alignment
    if kind in _NUMBERS:
        code = mark + _NUMBERS[kind]
        return struct.unpack_from(code, data, at)[0], at + struct.calcsize(code)
    if kind in "sog":
        size = data[at] if kind == "g" else struct.unpack_from(mark + "I", data, at)[0]
        at += 1 if kind == "g" else 4
        return data[at : at + size].decode("utf-8", "replace"), at + size + 1
    if kind == "v":
        inner, at = _unpack(data, at, "g", mark)
        return _unpack(data, at, inner, mark)
    if kind == "a":
        inner = signature[1:]
        end = struct.unpack_from(mark + "I", data, at)[0]
        alignment = _ALIGNMENT.get(inner[0], 4)
        at = (at + 4 + alignment - 1) // alignment * alignment
        end += at
        values = []
        while at < end:
            value, at = _unpack(data, at, inner, mark)
            values.append(value)
        return values, at
    values, inside = [], 1
    while signature[inside] not in ")}":
        end = _end(signature, inside)
        value, at = _unpack(data, at, signature[inside:end], mark)
        values.append(value)
        inside = end
    return tuple(values), at
