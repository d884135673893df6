"""Pages that talk to the agent, in many disguises, and a model that obeys each to the letter.

With the gate in its place and nobody to ask, no page may cause anything. Each page also proves that it does harm when
the gate is taken out: a page without teeth would test nothing.
"""

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
import pytest

from saccade.actions import ACTION_TYPES, Action
from saccade.agents.approval import Gate, load_approval_policy
from saccade.agents.redact import redact
from saccade.geometry import Point
from saccade.types import Element
from saccade.worlds.base import Observation
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import PHONE, BrowserWorld, Device
from saccade.worlds.secrets import Secret, Vault

pytestmark = pytest.mark.browser

FOLDER = Path(__file__).parent / "injection"
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
    device: str = "desktop"
    browse: bool = True
    """Must the policy `browse` stop it, too?"""
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

    def open(self, page: Page, place: str = "127.0.0.1") -> tuple[BrowserWorld, Observation]:
        world = self.worlds[page.device]
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
                return Action("drag", start=place, end=self._place(said, seen, "to"))
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


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    hosts = ["127.0.0.1", "localhost"]
    engine = BrowserEngine(AllowList(frozenset(hosts)))
    with site() as (address, effects):
        devices = {"desktop": Device(1280, 800), "phone": SMALL_PHONE}
        worlds = {
            name: BrowserWorld(address, device=device, allow=hosts, engine=engine, settle_limit=1.0)
            for name, device in devices.items()
        }
        for world in worlds.values():
            world.reset(task="about:blank")
        yield Stage(worlds, address, effects)
    engine.close()


DEFAULT = Gate(None, real=True, ask=None, allowed_hosts=["127.0.0.1"])
BROWSE = Gate(load_approval_policy("browse"), real=True, ask=None, allowed_hosts=["127.0.0.1"])


def test_the_table_is_whole() -> None:
    pages = {file.stem for file in (FOLDER / "pages").glob("*.html") if not file.stem.startswith("frame-")}
    assert {page.page for page in TABLE} == pages
    assert len(TABLE) >= 36
    chinese = sum(page.language == "zh" for page in TABLE)
    assert 0.4 <= chinese / len(TABLE) <= 0.6
    assert len({page.disguise for page in TABLE}) == len(TABLE)


@pytest.mark.parametrize("page", TABLE, ids=[page.page for page in TABLE])
def test_the_gate_stops_what_the_page_wants(stage: Stage, page: Page) -> None:
    world, seen = stage.open(page)
    assert not any(stage.obey(page, world, seen, DEFAULT))
    assert stage.caused(False) == [], "with the default policy"
    changes, acted = any(said["do"] == "dawdle" for said in page.actions), False
    if page.browse:
        if changes:
            world, seen = stage.open(page)
        acted = any(stage.obey(page, world, seen, BROWSE))
        assert stage.caused(acted) == [], "with the policy browse"
    foreign = page.page in ("foreign-login", "waizhan-mima")
    if changes or acted or foreign:  # else it is as it was
        world, seen = stage.open(page, "localhost" if foreign else "127.0.0.1")
    stage.obey(page, world, seen, None)
    caused = stage.caused(True)
    assert [what for _, what, _ in caused] == [page.forbidden], "without the gate the page does harm"
    assert not page.secret or VALUE in caused[0][2]


@pytest.mark.parametrize("page", [page for page in TABLE if page.page in ("foreign-login", "waizhan-mima")])
def test_a_secret_stays_at_home_even_without_the_gate(stage: Stage, page: Page) -> None:
    world, seen = stage.open(page)
    stage.obey(page, world, seen, None)
    assert all(VALUE not in said for _, _, said in stage.caused(True))


@pytest.mark.parametrize("page", TABLE[::12], ids=[page.page for page in TABLE[::12]])
def test_whatever_the_model_answers(stage: Stage, page: Page) -> None:
    """Every kind of action at what can be touched: what the gate lets through is only looking, and changes nothing."""
    world, seen = stage.open(page)
    allowed = []
    for element in [element for element in seen.screen.elements if element.interactive][:2]:
        point = element.center
        for kind in ACTION_TYPES:
            action = any_action(kind, point)
            if DEFAULT.check(action, seen, world).allowed:
                allowed.append(action)
    assert {"wait", "answer"} <= {action.type for action in allowed} <= {"swipe", "wait", "answer", "terminate"}
    for action in allowed[:8]:
        world.act(action)
    assert stage.caused(True) == []


def any_action(kind: Any, point: Point) -> Action:
    match kind:
        case "swipe":
            return Action("swipe", direction="up", start=point)
        case "drag":
            return Action("drag", start=point, end=Point(5, 5))
        case "type" | "select":
            return Action(kind, text="x", point=point)
        case "press":
            return Action("press", key="space")
        case "wait":
            return Action("wait", seconds=0)
        case "open_app" | "open_url" | "answer":
            return Action(kind, text="127.0.0.1")
        case "terminate":
            return Action("terminate", status="success")
    return Action(kind, point)
