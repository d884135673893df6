"""What a page cannot do in the browser world, in real Chromium: reach other hosts by WebRTC, have a form sent twice."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

import pytest

from saccade.actions import Action
from saccade.geometry import Point
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import BrowserWorld

TOP = Point(100, 50)
"""In the button or the link, which are at the top left of each page."""
PLACED = "style='position: fixed; left: 0; top: 0; width: 300px; height: 100px'"


class Shop(BaseHTTPRequestHandler):
    """A form, the page that answers it, and pages around them; counts the forms that were sent."""

    sent: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        port = self.server.server_port  # type: ignore[attr-defined]
        pages = {
            "/form": f"<form method=post action=/order#top><button {PLACED}>Order</button></form>",
            "/own-back": f"<button {PLACED} onclick='history.back()'>Back</button>",
            "/frame": f"<iframe {PLACED} src=/form frameborder=0></iframe>",
            "/other-site": f"<iframe {PLACED} src=http://localhost:{port}/form frameborder=0></iframe>",
        }
        self.answer(pages.get(self.path, f"<p>{self.path} without a form"))

    def do_POST(self) -> None:
        self.sent.append(self.path)
        self.answer(f"<p>Ordered <a href=/own-back {PLACED}>next</a>")

    def answer(self, page: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *_: object) -> None: ...


@pytest.fixture(scope="module")
def engine() -> Iterator[BrowserEngine]:
    engine = BrowserEngine(AllowList(frozenset(("127.0.0.1", "localhost"))))
    yield engine
    engine.close()


@pytest.fixture
def shop() -> Iterator[str]:
    Shop.sent.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shop)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@contextmanager
def ordered(engine: BrowserEngine, start: str) -> Iterator[BrowserWorld]:
    """A world that has sent the form once and then gone on to the next page."""
    with BrowserWorld(start, engine=engine, allow=["localhost"]) as world:
        world.reset()
        seen = world.act(Action("click", TOP))
        for _ in range(50):  # on a busy machine the form is still shown for a while, and would be sent again
            if "next" in [element.text for element in seen.screen.elements]:
                break
            seen = world.act(Action("wait", seconds=0.1))
        world.act(Action("click", TOP))
        assert Shop.sent == ["/order"]
        yield world


@pytest.mark.parametrize("path", ["/form", "/frame", "/other-site"])
def test_back_does_not_send_a_form_again(engine: BrowserEngine, shop: str, path: str) -> None:
    with ordered(engine, shop + path) as world:
        seen = world.act(Action("press", key="back"))
        assert Shop.sent == ["/order"]
        assert [event for event in seen.events if "not sent again" in event]
        assert "/order without a form" in [element.text for element in seen.screen.elements]


def test_neither_do_the_pages_own_back_button_key_chords_and_reload(engine: BrowserEngine, shop: str) -> None:
    with ordered(engine, f"{shop}/form") as world:
        assert "/order without a form" in [e.text for e in world.act(Action("click", TOP)).screen.elements]
        world.act(Action("open_url", text=f"{shop}/own-back"))
        world.act(Action("press", key="alt+left"))
        assert Shop.sent == ["/order"]
        world.act(Action("open_url", text=f"{shop}/form"))
        world.act(Action("click", TOP))
        assert Shop.sent == ["/order"] * 2, "a form may be sent as often as its button is pressed"
        world.act(Action("press", key="F5"))
        engine.run(world.tabs.page.evaluate("location.reload()"), 5)
        seen = world.act(Action("wait", seconds=0.5))
        assert Shop.sent == ["/order"] * 2 and "/order without a form" in [e.text for e in seen.screen.elements]


CONNECT = """async ([host, udp, tcp]) => {
  const found = [];
  for (const frame of [window, document.body.appendChild(document.createElement("iframe")).contentWindow]) {
    const Connection = frame.RTCPeerConnection || frame.webkitRTCPeerConnection;
    if (!Connection) continue;
    const turn = { urls: `turn:${host}:${tcp}?transport=tcp`, username: "a", credential: "b" };
    const connection = new Connection({ iceServers: [{ urls: `stun:${host}:${udp}` }, turn] });
    connection.createDataChannel("x");
    connection.onicecandidate = (event) => event.candidate && found.push(event.candidate.candidate);
    await connection.setLocalDescription(await connection.createOffer());
  }
  await new Promise((resolve) => setTimeout(resolve, 1000));
  return found;
}"""


def test_webrtc_reaches_nothing(engine: BrowserEngine, shop: str) -> None:
    """127.0.0.2 is not an allowed host: without WebRTC no packet arrives there, and no address is found out."""
    with socket.socket(type=socket.SOCK_DGRAM) as udp, socket.create_server(("127.0.0.2", 0)) as tcp:
        udp.bind(("127.0.0.2", 0))
        udp.settimeout(0.2)
        tcp.settimeout(0.2)
        place = ["127.0.0.2", udp.getsockname()[1], tcp.getsockname()[1]]
        with BrowserWorld(f"{shop}/page", engine=engine) as world:
            world.reset()
            assert engine.run(world.tabs.page.evaluate(CONNECT, place), 10) == []
            with pytest.raises(TimeoutError):
                udp.recv(2000)
            with pytest.raises(TimeoutError):
                tcp.accept()
