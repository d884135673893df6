"""A device, or an adb server, that lies: dumps without an end, wrong lengths, answers that drip, and app names, texts
and settings that are commands of a shell. Each is told in one sentence or leaves the agent without elements; the device
gets one plain command at a time, and nothing runs on this machine.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from adb_server import FakeAdb
from posix_line import SecondCommandError, parse_line

from fuzz_inputs import picture, png_claiming
from saccade.actions import Action
from saccade.agents.run import start_run
from saccade.agents.settings import read_settings
from saccade.geometry import Point
from saccade.worlds.android.device import AndroidDevice
from saccade.worlds.android.server import Client, list_devices
from saccade.worlds.android.world import AndroidWorld
from saccade.worlds.base import InfrastructureError

IME = "com.android.adbkeyboard/.AdbIME"
COMMANDS = ("; touch HACKED #", "$(touch HACKED)", "`touch HACKED`", "' ; touch HACKED ; '", "a\nreboot", "&& reboot",
            "|reboot", "> /data/x", "\\'; reboot", "%0a;reboot", "*", "~", "${IFS}reboot", "\u2028reboot")  # fmt: skip
SIZE = (90, 200)


class LyingPhone:
    """What it prints for each command, by the command's first words; it counts as a device in `FakeAdb`."""

    def __init__(self, **says: bytes | Callable[[], bytes]) -> None:
        self.serial, self.state, self.features, self.breaks_off_at = "liar", "device", "shell_v2,cmd", ""
        self.says = says
        self.commands: list[list[str]] = []
        self.refused: list[str] = []

    def shell(self, line: str) -> tuple[int, bytes]:
        try:
            words = parse_line(line)
        except SecondCommandError:
            self.refused.append(line)
            return 2, b"two commands"
        self.commands.append(words)
        said = self.says.get(words[0], b"")
        said = said() if callable(said) else said
        if words[0] == "screencap" and not said:
            return 0, picture(size=SIZE)
        if words[0] == "uiautomator" and not said:
            return 0, dump("OK")
        return 0, said


def dump(text: str, more: str = "") -> bytes:
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;").replace("\n", "&#10;")
    return (
        f'<?xml version="1.0"?><hierarchy rotation="0"><node class="android.widget.Button" text="{safe}" '
        f'clickable="true" bounds="[0,0][90,50]"/>{more}</hierarchy>'
    ).encode()


@contextmanager
def world_of(phone: LyingPhone) -> Iterator[AndroidWorld]:
    with FakeAdb() as adb:
        adb.plug(phone)  # type: ignore[arg-type]
        with AndroidWorld(phone.serial, port=adb.port, pause=0.0, settle_limit=0.0) as world:
            yield world
    assert phone.refused == [], "a device was sent two commands in one"


# -- what it prints ----------------------------------------------------------------------------------------------------

NODE = b'<node class="a" text="x" bounds="[0,0][9,9]">'


@pytest.mark.parametrize(
    "printed",
    [
        b"<hierarchy>" + NODE * 200_000,
        b"<hierarchy>" + (NODE + b"</node>") * 30_000 + b"</hierarchy>",
        b"<hierarchy>" + b"x" * 20_000_000 + b"</hierarchy>",
        b"\0" * 7_000_000,
        b"<" * 7_000_000,
        b"&#55357;" * 900_000,
        b"<hierarchy>" + b"&#x" + b"9" * 7_000_000 + b";",
        b"<hierarchy>" + NODE.replace(b"9,9", b"9" * 4_000_000 + b",9") + b"</node></hierarchy>",
        b'<!DOCTYPE a [<!ENTITY b "c">]><hierarchy>&b;</hierarchy>',
        b"\xff\xfe" * 500_000,
    ],
    ids=["deep", "many", "long", "zeros", "brackets", "halves", "reference", "number", "entity", "no text"],
)
def test_a_dump_without_an_end_leaves_no_elements_and_says_so(printed: bytes) -> None:
    with world_of(LyingPhone(uiautomator=printed)) as world:
        seen, began = world.reset(), time.process_time()
        assert list(seen.screen.elements) == []
        after = world.act(Action("wait", seconds=0))
        assert len(after.events) == 1 and len(after.events[0]) < 400
        assert time.process_time() - began < 10


@pytest.mark.parametrize(
    "printed",
    [
        b"mFocusedApp=" + b"{" * 4_000_000,
        b"mFocusedApp={ " * 400_000,
        b"mCurrentFocus=Window{" * 300_000,
        b"mCurrentFocus=Window{a " + b"a." * 3_000_000,
        b"mCurrentFocus=Window{" + b" a" * 3_000_000 + b"}",
        b"\n" * 7_000_000,
        b"mCurrentFocus=Window{1 u0 com.a.b/" + b"c" * 7_000_000,
    ],
    ids=["braces", "apps", "windows", "dots", "words", "lines", "activity"],
)
def test_the_app_in_front_is_found_in_linear_time(printed: bytes) -> None:
    with world_of(LyingPhone(dumpsys=printed)) as world:
        began = time.process_time()
        assert len(world.reset().app) < 500
        assert time.process_time() - began < 10


def test_more_text_than_a_device_has_is_told() -> None:
    with (
        world_of(LyingPhone(dumpsys=bytes(9 << 20))) as world,
        pytest.raises(InfrastructureError, match="printed more than"),
    ):
        world.reset()


@pytest.mark.parametrize(
    "shown",
    [png_claiming(12_000, 12_000), png_claiming(90, 200, 0), picture(size=SIZE)[:-40] + picture(size=SIZE)[-12:]],
    ids=["huge", "no pixels", "cut in the middle"],
)
def test_a_picture_that_nobody_can_decode_ends_the_run_as_broken(shown: bytes, tmp_path: Path) -> None:
    """Not later, where somebody decodes it."""
    phone = LyingPhone(screencap=shown)
    with world_of(phone) as world:
        with pytest.raises(InfrastructureError, match=r"screenshot is damaged|gave no screenshot"):
            world.reset()
        (tmp_path / "x").write_text('"x"\n')
        said = {"world": f"android:{phone.serial}", "instruction": "x", "model": f"scripted/{tmp_path / 'x'}"}
        settings = read_settings(said | {"world_options": {"port": world.port}})
        outcome = start_run(settings, tmp_path / "run").run.outcome
        assert outcome is not None and outcome.status == "broken" and "screenshot" in outcome.reason


def test_a_device_that_lists_a_million_apps() -> None:
    apps = b"".join(b"  com.example.app%d/.Main\n" % number for number in range(250_000))
    with world_of(LyingPhone(cmd=apps)) as world:
        world.reset()
        began = time.process_time()
        said = world.act(Action("open_app", text="there is none like this")).error
        assert "there is no app" in said and len(said) < 1_000
        assert time.process_time() - began < 10


# -- names and texts that are commands ---------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", COMMANDS)
def test_what_a_device_says_is_never_part_of_a_command(
    bad: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    package = f"com.example.{bad}"
    phone = LyingPhone(
        cmd=f"  {package}/.Main{bad}\n  com.example.notes/.Main$Start\n".encode(),
        pm=f"package:{package}\n".encode(),
        dumpsys=f"mCurrentFocus=Window{{1 u0 {package}/{package}.Main}}\n".encode(),
        uiautomator=dump(bad),
        settings=f"{IME}{bad}\n".encode(),
        ime=f"{IME}\n{bad}\n".encode(),
        am=b"Broadcast completed: result=0\n",
    )
    with world_of(phone) as world:
        seen = world.reset()
        list(seen.screen.elements)
        for action in (
            Action("open_app", text=bad),
            Action("open_app", text=package),
            Action("open_app", text="notes"),
            Action("type", point=Point(5, 5), text=bad),
            Action("type", text=f"密码 {bad}"),
            Action("open_url", text=f"https://example.org/{bad}"),
            Action("press", key=bad),
        ):
            world.act(action)
    verbs = {words[0] for words in phone.commands}
    assert verbs <= {"input", "wm", "screencap", "dumpsys", "uiautomator", "cmd", "pm", "am", "monkey", "ime",
                     "settings", "rm", "cat", "true"}  # fmt: skip
    assert ["am", "start", "-a", "android.intent.action.MAIN", "-c", "android.intent.category.LAUNCHER", "-n",
            "com.example.notes/.Main$Start"] in phone.commands  # fmt: skip
    assert not list(tmp_path.iterdir())


# -- the wire ----------------------------------------------------------------------------------------------------------


@contextmanager
def raw_server(answer: Callable[[socket.socket, str], None]) -> Iterator[Client]:
    """A server on loopback that answers each request by this function."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                threading.Thread(target=one, args=(connection,), daemon=True).start()

    def one(connection: socket.socket) -> None:
        with connection, suppress(OSError, ValueError):
            while size := connection.recv(4):
                asked = connection.recv(int(size, 16)).decode()
                if asked == "host:version":
                    connection.sendall(b"OKAY00040029")
                elif asked.endswith(":features"):
                    connection.sendall(b"OKAY0008shell_v2")
                else:
                    answer(connection, asked)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield Client("127.0.0.1", server.getsockname()[1])
    finally:
        server.close()


@pytest.mark.parametrize(
    "said",
    [b"OKAYzzzz", b"OKAY-001", b"OKAY+fff", b"OKAY 12 ", b"OKAY\xff\xff\xff\xff", b"OKAY", b"FAILzzzz", b"FAIL", b"",
     b"OKAYffffabc", b"WHAT", b"\0" * 70_000, b"OKAY0004\xff\xfe\xfd\xfc"],
)  # fmt: skip
def test_wrong_lengths_are_told(said: bytes) -> None:
    def answer(connection: socket.socket, asked: str) -> None:
        connection.sendall(said)
        connection.shutdown(socket.SHUT_RDWR)

    with raw_server(answer) as client:
        with suppress(InfrastructureError):
            assert list_devices(client) == []
        with pytest.raises(InfrastructureError):
            AndroidDevice(client, "liar").run("true", seconds=3)


def test_an_answer_that_drips_ends_at_the_deadline() -> None:
    """Each byte comes in time; all together they do not."""

    def answer(connection: socket.socket, asked: str) -> None:
        connection.sendall(b"FAILffff")
        for _ in range(200):
            connection.sendall(b"x")
            time.sleep(0.1)

    with raw_server(answer) as client:
        began = time.monotonic()
        with pytest.raises(InfrastructureError):
            AndroidDevice(client, "liar").run("true", seconds=0.5)
        assert time.monotonic() - began < 12  # and then it is asked once whether the device is still there


def test_packets_whose_lengths_lie() -> None:
    def answer(connection: socket.socket, asked: str) -> None:
        if asked.startswith("host:tport"):
            connection.sendall(b"OKAY" + bytes(8))
        else:
            connection.sendall(b"OKAY" + b"\x01\xff\xff\xff\xff" + b"x" * 1_000)
            connection.shutdown(socket.SHUT_RDWR)

    with (
        raw_server(answer) as client,
        pytest.raises(InfrastructureError, match=r"ended in the middle|broke off|stopped"),
    ):
        AndroidDevice(client, "liar").run("true", seconds=3)
