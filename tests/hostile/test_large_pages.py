"""Pages that nest 20,000 deep, have 20,000 buttons, 120 frames or 8 MB, or go on to another address again and again
while they are looked at: told, and the run goes on. Time limits are shorter than the real ones, which hold for pages of
several times the size.
"""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from threading import Thread

import pytest

from saccade.actions import Action
from saccade.geometry import Point
from saccade.screens import dom
from saccade.worlds.browser import world as browser_world
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import BrowserWorld

pytestmark = pytest.mark.browser

PAGES = {
    "/deep": "<body>" + "<div>" * 20_000 + "<button>end</button>",
    "/many": "<body>" + "<button onclick='1'>b</button>" * 20_000,
    "/frames": "<body><button>top</button>" + "<iframe src='/small' width=40 height=20></iframe>" * 120,
    "/heavy": "<body><button>top</button>" + f"<p>{'word ' * 80}</p>" * 20_000,
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


@pytest.fixture(scope="module")
def engine() -> Iterator[BrowserEngine]:
    """One browser for all pages: it must outlive each of them."""
    engine = BrowserEngine(AllowList(frozenset(("127.0.0.1",))))
    yield engine
    engine.close()


@pytest.fixture(autouse=True)
def shorter_time_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sixth of the time for a list of elements, and a third for a screenshot: smaller pages exceed them, too."""
    monkeypatch.setattr(dom, "LISTING_SECONDS", 1.0)
    monkeypatch.setattr(browser_world, "SCREENSHOT_SECONDS", 3.0)


@pytest.mark.parametrize("page", ["/deep", "/moving"])
def test_the_world_goes_on_and_says_what_is_missing(engine: BrowserEngine, address: str, page: str) -> None:
    with BrowserWorld(address + page, engine=engine) as world:
        seen = world.reset()
        listed = [element.text for element in seen.screen.elements]
        seen = world.act(Action("click", Point(5, 5)))
        told = " ".join(seen.events)
        assert page == "/moving" or "elements" in told or "end" in listed  # all of it, or a note on what is missing
        seen = world.act(Action("open_url", text=f"{address}/small"))
        assert "s" in [element.text for element in seen.screen.elements]


@pytest.mark.parametrize(
    ("page", "first"),
    [*product(["/many", "/forever", "/reloads"], [True, False]), ("/frames", False), ("/heavy", False)],
)
def test_a_page_that_cannot_be_shown_does_not_end_a_run(
    engine: BrowserEngine, address: str, page: str, first: bool
) -> None:
    with BrowserWorld(address + (page if first else "/small"), engine=engine, settle_limit=0.5) as world:
        seen = world.reset()
        if not first:
            seen = world.act(Action("open_url", text=address + page))
        assert seen.screen.picture is not None
        list(seen.screen.elements)
        world.current_target(Action("click", Point(5, 5)))
        world.act(Action("click", Point(5, 5)))
        seen = world.act(Action("open_url", text=f"{address}/small"))
        assert "s" in [element.text for element in seen.screen.elements]
