"""Pages that nest 20,000 deep, have 100,000 buttons, 400 frames or 40 MB, or go on to another address again and again
while they are looked at: told, and the run goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from threading import Thread

import pytest

from saccade.actions import Action
from saccade.geometry import Point
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import BrowserWorld

PAGES = {
    "/deep": "<body>" + "<div>" * 20_000 + "<button>end</button>",
    "/many": "<body>" + "<button onclick='1'>b</button>" * 100_000,
    "/frames": "<body><button>top</button>" + "<iframe src='/small' width=40 height=20></iframe>" * 400,
    "/heavy": "<body><button>top</button>" + f"<p>{'word ' * 80}</p>" * 100_000,
    "/forever": "<button>b</button><script>location = '/forever?' + (Number(location.search.slice(1)) + 1)</script>",
    "/reloads": "<button>b</button><script>onload = () => location.reload()</script>",
    "/small": "<button>s</button>",
    "/moving": "<button>b</button><script>const at = Number(location.search.slice(1)); "
    "if (at < 8) setTimeout(() => location = '/moving?' + (at + 1), 60)</script>",
}


class Server(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGES.get(self.path.partition("?")[0], "").encode())

    def log_message(self, *_: object) -> None: ...


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.mark.browser
@pytest.mark.parametrize("page", ["/deep", "/moving"])
def test_the_world_goes_on_and_says_what_is_missing(address: str, page: str) -> None:
    engine = BrowserEngine(AllowList(frozenset(("127.0.0.1",))))
    try:
        with BrowserWorld(address + page, engine=engine) as world:
            seen = world.reset()
            listed = [element.text for element in seen.screen.elements]
            seen = world.act(Action("click", Point(5, 5)))
            told = " ".join(seen.events)
            assert page == "/moving" or "elements" in told or "end" in listed  # all of it, or a note on what is missing
            seen = world.act(Action("open_url", text=f"{address}/small"))
            assert "s" in [element.text for element in seen.screen.elements]
    finally:
        engine.close()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("page", "first"),
    [*product(["/many", "/forever", "/reloads"], [True, False]), ("/frames", False), ("/heavy", False)],
)
def test_a_page_that_cannot_be_shown_does_not_end_a_run(address: str, page: str, first: bool) -> None:
    engine = BrowserEngine(AllowList(frozenset(("127.0.0.1",))))
    try:
        with BrowserWorld(address + (page if first else "/small"), engine=engine, settle_limit=1.0) as world:
            seen = world.reset()
            if not first:
                seen = world.act(Action("open_url", text=address + page))
            assert seen.screen.picture is not None
            list(seen.screen.elements)
            world.current_target(Action("click", Point(5, 5)))
            world.act(Action("click", Point(5, 5)))
            seen = world.act(Action("open_url", text=f"{address}/small"))
            assert "s" in [element.text for element in seen.screen.elements]
    finally:
        engine.close()
