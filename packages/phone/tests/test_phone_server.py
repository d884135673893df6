"""The phone by hand: a real browser on a real server, and what others may not do."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

import pytest

from saccade.actions import Action
from saccade.types import Element
from saccade.worlds.browser.world import PHONE, BrowserWorld
from saccade_phone.phone_server import PhoneServer
from saccade_phone.session import Session


@pytest.fixture
def server() -> Iterator[PhoneServer]:
    server = PhoneServer(Session.begin("clock.toggle_alarm", 2, theme="light"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def post(server: PhoneServer, body: bytes, path: str = "event", **headers: str) -> int:
    request = urllib.request.Request(server.address + path, body, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def shown(world: BrowserWorld, text: str) -> Element:
    """An element, as soon as it is drawn: a page that talks to a server may take its time."""
    for _ in range(50):
        seen = world.act(Action("wait", seconds=0.1))
        for element in seen.screen.elements:
            if element.text == text:
                return element
    raise AssertionError(f"{text} is not shown")


def comes(true: Callable[[], bool]) -> bool:
    """Does it become true? A touch is on its way to the server for as long as the machine is busy."""
    for _ in range(100):
        if true():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.browser
def test_a_person_can_use_it(server: PhoneServer) -> None:
    machine = server.session.machine
    with BrowserWorld(server.address, device=PHONE) as world:
        world.reset()
        world.act(Action("click", shown(world, "Search apps").center))
        assert comes(lambda: machine.top["screen"] == "search")
        world.act(Action("click", shown(world, "Clock").center))
        assert comes(lambda: machine.front == "clock")
        assert not server.met


def test_a_page_that_is_closed_too_early_is_no_error(
    server: PhoneServer, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser is gone before it is answered: no traceback in the terminal, and the next page is served."""
    gone, answered = threading.Event(), threading.Event()
    drawn, finish = server.drawn, server.shutdown_request

    def late() -> bytes:
        gone.wait(5)
        return drawn() * 50

    def last(request: socket.socket) -> None:
        finish(request)
        answered.set()

    monkeypatch.setattr(server, "drawn", late)
    monkeypatch.setattr(server, "shutdown_request", last)
    page = socket.create_connection(("127.0.0.1", server.server_address[1]))
    page.sendall(b"GET /state HTTP/1.0\r\n\r\n")
    page.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    time.sleep(0.2)
    page.close()
    gone.set()
    assert answered.wait(5)
    assert "Traceback" not in capfd.readouterr().err
    with urllib.request.urlopen(server.address + "state", timeout=5) as answer:
        assert answer.status == 200


def test_events_are_checked(server: PhoneServer) -> None:
    home = json.dumps({"id": "nav:home", "kind": "tap"}).encode()
    assert post(server, home) == 200
    assert post(server, home, Origin="http://evil.example") == 403
    assert post(server, home, path="other") == 403
    assert post(server, b"not json") == 400
    assert post(server, b"[1, 2]") == 400
    assert post(server, b"x" * 200_000) == 403
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(server.address + "page/../assets.py", timeout=5)
