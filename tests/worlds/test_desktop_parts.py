"""Parts of the desktop world that need no display: D-Bus messages, key names, pictures, what is missing."""

from __future__ import annotations

import io
import socket
import struct
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from saccade.actions import Action
from saccade.agents.approval.word_lists import WordList, word_lists
from saccade.errors import InputError, MissingError
from saccade.geometry import Box, Point, Size
from saccade.types import Element
from saccade.worlds.desktop.applications import find_application
from saccade.worlds.desktop.dbus import Bus, BusError, Call, Signal
from saccade.worlds.desktop.display import encode_png
from saccade.worlds.desktop.keyboard import keysym_of, keysyms_of
from saccade.worlds.desktop.risk_words import risk_words
from saccade.worlds.desktop.session import find_programs, server_command
from saccade.worlds.desktop.world import read_size


def reply(serial: int, signature: bytes, body: bytes) -> bytes:
    """A method return, written by hand after the D-Bus specification: type 2, fields 5 (reply serial) and 8
    (signature), each padded to 8 bytes.
    """
    fields = b"\x05\x01u\0" + struct.pack("<I", serial)
    fields += b"\x08\x01g\0" + bytes((len(signature),)) + signature + b"\0"
    head = struct.pack("<4BIII", 108, 2, 0, 1, len(body), 99, len(fields)) + fields
    return head + bytes(-len(head) % 8) + body


class FakeBus(threading.Thread):
    """Accepts one connection; answers the calls it is told to, in any order, and leaves the rest open."""

    def __init__(self, path: Path, answers: list[bytes]) -> None:
        super().__init__(daemon=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.answers = answers
        self.received = b""

    def run(self) -> None:
        link, _ = self.listener.accept()
        link.recv(4096)
        link.sendall(b"OK 0123\r\n")
        link.recv(4096)
        link.sendall(reply(1, b"s", struct.pack("<I", 4) + b":1.7\0"))
        link.sendall(b"".join(self.answers))
        while got := link.recv(4096):
            self.received += got


def test_answers_come_in_any_order_and_some_never(tmp_path: Path) -> None:
    answers = [
        reply(4, b"(iiii)", struct.pack("<4i", -5, 6, 70, 80)),
        reply(3, b"v", b"\x01s\0\0" + struct.pack("<I", 6) + "茶".encode() * 2 + b"\0"),
        # 15 bytes: a text of 4 + 2 + 1 bytes, one byte to fill up, and a path of as many
        reply(5, b"a(so)", struct.pack("<III", 15, 0, 2) + b":1\0\0" + struct.pack("<I", 2) + b"/a\0"),
    ]
    server = FakeBus(tmp_path / "bus", answers)
    server.start()
    bus = Bus(f"unix:path={tmp_path}/bus,guid=0")
    calls = [Call("x", "/x", "y", "Never"), Call("x", "/x", "y", "Name", "ss", ("é", "b")), Call("x", "/x", "y", "Box")]
    got = bus.call_all([*calls, Call("x", "/x", "y", "Children")], seconds=0.5)
    assert got == [None, "茶茶", (-5, 6, 70, 80), [(":1", "/a")]]
    bus.close()
    server.join(5)
    assert b"\x06\x01s\x00" in server.received and "é".encode() in server.received


def test_events_are_kept_until_somebody_looks(tmp_path: Path) -> None:
    """Type 4, fields 1 (path), 3 (member), 7 (sender) and 8 (signature): it comes before the answer."""
    fields = b"\x01\x01o\0" + struct.pack("<I", 2) + b"/a\0" + bytes(5)
    fields += b"\x03\x01s\0" + struct.pack("<I", 12) + b"StateChanged\0" + bytes(3)
    fields += b"\x07\x01s\0" + struct.pack("<I", 4) + b":1.2\0" + bytes(3)
    fields += b"\x08\x01g\0\x03sii\0"
    body = struct.pack("<I", 7) + b"showing\0" + struct.pack("<ii", 1, 0)
    head = struct.pack("<4BIII", 108, 4, 0, 1, len(body), 98, len(fields)) + fields
    event = head + bytes(-len(head) % 8) + body
    FakeBus(tmp_path / "bus", [event, reply(2, b"u", struct.pack("<I", 7))]).start()
    bus = Bus(f"unix:path={tmp_path}/bus")
    assert bus.call(Call("x", "/x", "y", "GetRole")) == 7
    assert list(bus.signals) == [Signal(":1.2", "/a", "StateChanged", "showing", 1)]
    bus.close()


def test_a_broken_message_is_no_crash(tmp_path: Path) -> None:
    FakeBus(tmp_path / "bus", [reply(2, b"s", struct.pack("<I", 400) + b"short")]).start()
    bus = Bus(f"unix:path={tmp_path}/bus")
    assert bus.call(Call("x", "/x", "y", "Name")) == "short"
    bus.close()
    FakeBus(tmp_path / "bus2", [reply(2, b"au", struct.pack("<I", 400) + b"short")]).start()
    bus = Bus(f"unix:path={tmp_path}/bus2")
    with pytest.raises(BusError, match="sent something that is no message"):
        bus.call(Call("x", "/x", "y", "Name"))
    bus.close()


def test_a_bus_that_is_not_there() -> None:
    with pytest.raises(BusError, match="cannot be reached: No such file"):
        Bus("unix:path=/nowhere/bus")
    with pytest.raises(BusError, match="is not the address of a bus on this machine"):
        Bus("tcp:host=localhost")


def test_names_of_keys() -> None:
    assert keysyms_of("ctrl+shift+A") == [0xFFE3, 0xFFE1, ord("a")]
    assert keysyms_of("A") == [ord("A")]
    assert keysyms_of("Page_Down") == keysyms_of("pagedown") == [0xFF56]
    assert keysyms_of("ctrl++") == keysyms_of("ctrl+plus") == [0xFFE3, ord("+")]
    assert keysyms_of("f5") == keysyms_of("F5") == [0xFFC2]
    assert keysyms_of("ArrowUp") == [0xFF52] and keysyms_of("+") == [ord("+")]
    assert keysyms_of("back") == keysyms_of("") == keysyms_of("ctrl+nonsense") == []
    assert [hex(keysym_of(letter)) for letter in "aÿ€\n"] == ["0x61", "0xff", "0x10020ac", "0xff0d"]


@given(st.integers(1, 40), st.integers(1, 30), st.randoms(use_true_random=False))
def test_pictures_are_exact(width: int, height: int, draw: object) -> None:
    pixels = draw.randbytes(4 * width * height)  # type: ignore[attr-defined]
    image = Image.open(io.BytesIO(encode_png(pixels, Size(width, height))))
    assert image.size == (width, height) and image.mode == "RGB"
    assert image.tobytes() == Image.frombytes("RGB", (width, height), pixels, "raw", "BGRX").tobytes()


def element(type: str, text: str = "", state: str = "") -> Element:
    return Element(1, Box(0, 0, 100, 20), type, text, state=state)


@pytest.mark.parametrize(
    ("action", "shown", "app", "list"),
    [
        (Action("press", key="Delete"), element("icon", "a.txt", "selected focused"), "pcmanfm", "delete"),
        (Action("press", key="Delete"), element("input", "text", "focused"), "mousepad", ""),
        (Action("press", key="alt+F4"), element("input", "text", "focused"), "mousepad", "delete"),
        (Action("press", key="ctrl+s"), element("input", "text", "focused"), "mousepad", ""),
        (Action("click", Point(5, 5)), element("button", "Close without Saving"), "gnumeric", "delete"),
        (Action("click", Point(5, 5)), element("button", "Don’t Save"), "mousepad", "delete"),
        (Action("click", Point(5, 5)), element("button", "Save"), "mousepad", ""),
        (Action("type", text="ls"), element("terminal", "$", "focused"), "editor", "install"),
        (Action("press", key="enter"), element("group"), "xfce4-terminal", "install"),
        (Action("type", text="ls"), element("input", "", "focused"), "mousepad", ""),
    ],
)
def test_risks_that_no_text_names_are_in_the_lists_of_approval(
    action: Action, shown: Element, app: str, list: str
) -> None:
    words = risk_words(action, [shown], app)
    found = {name for name in ("delete", "install", "send", "pay") if WordList(word_lists()[name]).find(words)}
    assert found == ({list} if list else set())


def items(*texts: str, down: int = 20, type: str = "menuitem", state: str = "") -> list[Element]:
    return [
        Element(at, Box(0, at * down, 100, at * down + 20), type, text, "", True, True, state)
        for at, text in enumerate(texts, 1)
    ]


@pytest.mark.parametrize(
    ("action", "shown", "risky"),
    [
        (Action("press", key="alt+d"), items("Delete all", "Keep", type="button"), True),
        (Action("press", key="Alt+Shift+D"), items("Delete all", type="button"), True),
        (Action("press", key="alt+k"), items("Delete all", "Keep", type="button"), False),
        (Action("press", key="alt+d"), items("删除(D)", type="button"), True),
        (Action("press", key="d"), items("Edit", "Delete"), True),
        (Action("press", key="d"), items("Edit", "Delete", down=0), False),
        (Action("press", key="e"), items("Edit", "Undo"), False),
        (Action("type", text="xd"), items("Edit", "Delete"), True),
        (Action("press", key="enter"), items("Edit", "Delete", state="selected"), True),
        (Action("press", key="space"), items("Edit", "Delete", state="selected"), True),
        (Action("press", key="enter"), [*items("Delete", type="button"), element("input", "", "focused")], True),
        (Action("press", key="enter"), [*items("Delete", type="button"), element("document", "", "focused")], False),
        (Action("press", key="ctrl+enter"), [element("document", "", "focused")], True),
    ],
)
def test_what_keys_press_elsewhere_on_the_screen_counts(action: Action, shown: list[Element], risky: bool) -> None:
    words = risk_words(action, shown, "mousepad")
    assert any(WordList(word_lists()[name]).find(words) for name in ("delete", "send")) is risky


def test_sizes() -> None:
    assert read_size("1920x1080") == read_size(" 1920 × 1080 ") == Size(1920, 1080)
    with pytest.raises(InputError, match="size is '5': use WIDTHxHEIGHT"):
        read_size("5")


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MissingError, match="apt-get install xvfb openbox dbus"):
        find_programs()
    with pytest.raises(
        MissingError, match="mousepad is not installed: run make setup-all, or apt-get install mousepad"
    ):
        find_application("text editor")
    with pytest.raises(MissingError, match="show needs Xephyr"):
        server_command(Size(1280, 800), show=True)
