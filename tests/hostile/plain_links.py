"""Plain links that a stranger may have written, risky and harmless ones, each on a page of its own, and a server that
keeps account of which were opened.

`tests/golden/plain_links.jsonl` was written before the rule about such links. Half of it (`choose`) was looked at while
the rule was made, the other half (`report`) was not.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Literal

import msgspec

from saccade.actions import Action
from saccade.agents.approval import Gate
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import BrowserWorld, Device


class PlainLink(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the list."""

    set: Literal["choose", "report"]
    kind: Literal["risky", "harmless"]
    language: Literal["en", "zh"]
    label: str
    address: str


LINKS = msgspec.json.Decoder(PlainLink).decode_lines(
    (Path(__file__).parents[1] / "golden" / "plain_links.jsonl").read_bytes()
)


class Site(BaseHTTPRequestHandler):
    """`/here/N` is the page of the N-th link."""

    opened: list[str]

    def do_GET(self) -> None:
        page = b"<!doctype html><meta charset=utf-8><p>done</p>"
        if self.path.startswith("/here/"):
            link = LINKS[int(self.path.removeprefix("/here/"))]
            anchor = f'<a href="{html.escape(link.address)}">{html.escape(link.label)}</a>'
            page = f"<!doctype html><meta charset=utf-8><body style='margin:40px'><p>{anchor}</p>".encode()
        elif self.path != "/favicon.ico":
            self.opened.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None: ...


@contextmanager
def opened_engine() -> Iterator[BrowserEngine]:
    """A browser that reaches this machine only."""
    engine = BrowserEngine(AllowList(frozenset(("127.0.0.1",))))
    try:
        yield engine
    finally:
        engine.close()


def opened_links(
    links: Sequence[PlainLink], gate: Gate | None, device: Device, engine: BrowserEngine
) -> Iterator[tuple[PlainLink, bool]]:
    """Each link, and whether its address was opened when a model tapped it, as far as the gate let it."""
    opened: list[str] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), type("OneSite", (Site,), {"opened": opened})) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        try:
            with BrowserWorld(address, device=device, engine=engine, settle_limit=1.0, pictures=False) as world:
                world.reset(task="about:blank")
                for link in links:
                    seen = world.act(Action("open_url", text=f"{address}/here/{LINKS.index(link)}"))
                    opened.clear()
                    place = next(each.center for each in seen.screen.elements if each.type == "link")
                    action = Action("click", place)
                    if gate is None or gate.check(action, seen, world).allowed:
                        world.act(action)
                    yield link, bool(opened)
        finally:
            server.shutdown()
