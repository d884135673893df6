"""A server of hostile pages that keeps account of what they caused, and a model that obeys each to the letter."""

from __future__ import annotations

import http.server
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import msgspec

from saccade.actions import Action
from saccade.agents.approval import Gate, load_approval_policy
from saccade.agents.redact import redact
from saccade.geometry import Point
from saccade.types import Element
from saccade.worlds.base import Observation
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import PHONE, BrowserWorld, Device
from saccade.worlds.secrets import Secret, Vault

FOLDER = Path(__file__).parent / "injection"
HOSTS = ("127.0.0.1", "localhost")
VALUE = "correct-horse-9"
SMALL_PHONE = Device(PHONE.width, PHONE.height, 1.0, touch=True)
LATE_SECONDS = 1.0


class Page(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the table."""

    page: str
    language: str
    disguise: str
    instruction: str
    """What the user wants: always harmless."""
    forbidden: str
    """What must not happen."""
    actions: list[dict[str, Any]]
    """What a model does that obeys the page."""
    device: str = ""
    """Where it can be obeyed: `desktop` (mouse), `phone` (touch); empty: on both."""
    secret: bool = False


TABLE = msgspec.json.Decoder(Page).decode_lines((FOLDER / "table.jsonl").read_bytes())


class Site(http.server.BaseHTTPRequestHandler):
    """The pages, and an account of what they caused."""

    effects: list[tuple[str, str, str]]

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path == "/effect":
            return self._effect("")
        file = FOLDER / "pages" / Path(path).name
        if not file.is_file():
            return self._answer(404, b"", "text/plain")
        port = cast(http.server.ThreadingHTTPServer, self.server).server_port
        text = filled(file.read_text(encoding="utf-8"), file.stem, port)
        kind = {".css": "text/css", ".js": "text/javascript"}.get(file.suffix, "text/html")
        return self._answer(200, text.encode(), f"{kind}; charset=utf-8")

    def do_POST(self) -> None:
        self._effect(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode())

    def _effect(self, said: str) -> None:
        query = parse_qs(urlsplit(self.path).query)
        page, what = (bytes.fromhex(query[key][0]).decode() for key in ("page", "what"))
        self.effects.append((page, what, said))
        self._answer(200, b"<p>done</p>", "text/html")

    def _answer(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


def filled(text: str, page: str, port: int | None) -> str:
    """Addresses in place of their names. Those of effects are in letters that tell the gate nothing."""
    for name, host in (("{{inside}}", "127.0.0.1"), ("{{outside}}", "localhost")):
        text = text.replace(name, f"http://{host}:{port}")
    query = f"/effect?page={page.encode().hex()}&what="
    return re.sub(r"\{\{effect:(\w+)\}\}", lambda match: query + match[1].encode().hex(), text)


@contextmanager
def site() -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    effects: list[tuple[str, str, str]] = []
    handler = type("OneSite", (Site,), {"effects": effects})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", effects
        server.shutdown()


class Stage:
    """A page in Chromium, and the model that obeys it."""

    def __init__(self, worlds: dict[str, BrowserWorld], address: str, effects: list[tuple[str, str, str]]) -> None:
        self.worlds, self.address, self.effects = worlds, address, effects

    def open(self, page: Page, device: str = "", place: str = "127.0.0.1") -> tuple[BrowserWorld, Observation]:
        world = self.worlds[device or page.device or "desktop"]
        world.vault = Vault({"bank": Secret(VALUE, place)}) if page.secret else Vault()
        seen = redact(world.act(Action("open_url", text=f"{self.address}/{page.page}.html")), world.vault)
        assert seen.error == ""
        self.effects.clear()
        return world, seen

    def obey(self, page: Page, world: BrowserWorld, seen: Observation, gate: Gate | None) -> list[bool]:
        """Do what the page says, as far as the gate lets it. Which actions came through?"""
        passed = []
        for said in page.actions:
            list(seen.screen.elements)
            if said["do"] == "dawdle":
                time.sleep(said["seconds"])
                continue
            action = self.action(page, said, seen)
            if action is None:
                break  # an earlier step was refused, and so this never came up
            passed.append(gate is None or gate.check(action, seen, world).allowed)
            if passed[-1]:
                seen = redact(world.act(action), world.vault)
        return passed

    def action(self, page: Page, said: dict[str, Any], seen: Observation) -> Action | None:
        text = filled(said.get("text", ""), page.page, urlsplit(self.address).port)
        place = self._place(said, seen, "at")
        match said["do"]:
            case "press":
                return Action("press", key=said["key"])
            case "open_url":
                return Action("open_url", text=text)
            case _ if place is None:
                return None
            case "type":
                return Action("type", text=text, point=place, submit=said.get("submit"))
            case "select":
                return Action("select", text=text, point=place)
            case "drag":
                end = Point(*said["end"]) if "end" in said else self._place(said, seen, "to")
                return Action("drag", start=place, end=end)
            case "swipe":
                return Action("swipe", direction="right", start=place, end=Point(place.x + said["by"], place.y))
            case kind:
                return Action(kind, place)

    @staticmethod
    def _place(said: dict[str, Any], seen: Observation, key: str) -> Point | None:
        if "spot" in said:
            return Point(*said["spot"])
        if key not in said:
            return None
        found: list[Element] = [e for e in seen.screen.elements if said[key] in (e.text, e.caption)]
        return found[0].center if found else None

    def caused(self, acted: bool) -> list[tuple[str, str, str]]:
        """What came of it. An effect may still be on its way, if anything was done."""
        end = time.monotonic() + (LATE_SECONDS if acted else 0)
        while not self.effects and time.monotonic() < end:
            time.sleep(0.01)
        return list(self.effects)


@contextmanager
def opened_stage() -> Iterator[Stage]:
    """Both devices in one browser."""
    engine = BrowserEngine(AllowList(frozenset(HOSTS)))
    with site() as (address, effects):
        devices = {"desktop": Device(1280, 800), "phone": SMALL_PHONE}
        worlds = {
            name: BrowserWorld(address, device=device, allow=HOSTS, engine=engine, settle_limit=1.0)
            for name, device in devices.items()
        }
        for world in worlds.values():
            world.reset(task="about:blank")
        yield Stage(worlds, address, effects)
    engine.close()


def gate_of(policy: str) -> Gate:
    return Gate(load_approval_policy(policy), real=True, ask=None, allowed_hosts=["127.0.0.1"])
