"""Collects screens of web pages with the boxes of their elements.

    npm install --prefix kits bootstrap bulma antd ...      # any of those in web_kits.py; what is missing is left out
    python -m saccade_vision.training.collect_web --out DIR --screens 900 --seed 0 --kits kits/node_modules

Pages are made up from npm UI kits, taken from the packages themselves (demonstrations, admin panels), from MiniWoB
where it is installed, and from the documentation of the system. A server of this process shows them to Chromium.
"""

from __future__ import annotations

import importlib.util
import io
import mimetypes
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from PIL import Image

from saccade.actions import Action
from saccade.errors import InputError
from saccade.types import Element
from saccade.worlds.base import InfrastructureError
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import BrowserWorld, Device
from saccade_vision.training.collect_common import (
    ScreenCollection,
    labels_of,
    pixels_of,
    progress_bar,
    read_arguments,
    shows_name,
)
from saccade_vision.training.web_pages import PageMaker

SIZES = ((1280, 720), (1280, 800), (1366, 768), (1440, 900), (1600, 900), (1920, 1080), (1024, 768), (768, 1024))
PHONE_SIZE = (432, 936)
ZOOMS = (0.8, 0.9, 1.0, 1.0, 1.0, 1.1, 1.25, 1.5, 1.6)
SCREENS_A_PAGE = 4
SYSTEM_PAGES = Path("/usr/share/doc")
PACKAGED = "gentelella/production admin-lte/pages foundation-sites spectre.css carbon-components picnic jsgrid"
"""Folders of packages with whole pages."""
_SMALLEST_PAGE, _LARGEST_PAGE = 1500, 2_000_000
_OPENING = ("select", "tab", "menuitem", "button", "checkbox", "switch", "date")


def drawn_text(element: Element) -> bool:
    """A name that only describes is not written on the element."""
    return element.text != element.caption and shows_name(element)


class PageServer:
    """Made-up pages under /page/KIT/LANGUAGE/NUMBER, packages under /kits/, other files under /file/ROOT/."""

    def __init__(self, maker: PageMaker, roots: dict[str, Path]) -> None:
        self.maker, self.roots = maker, {"kits": maker.kits, **roots}

    def answer(self, path: str) -> tuple[str, bytes] | None:
        parts = [urllib.parse.unquote(each) for each in urllib.parse.urlsplit(path).path.strip("/").split("/")]
        if parts[0] == "page" and len(parts) == 4:
            page = self.maker.page(parts[1], Random(path), parts[2])
            return "text/html; charset=utf-8", page.encode()
        if parts[0] == "picture":
            return "image/png", _picture(Random(path))
        root = self.roots.get(parts[0])
        file = root.joinpath(*parts[1:]).resolve() if root is not None else None
        if root is None or file is None or not file.is_relative_to(root.resolve()) or not file.is_file():
            return None
        return mimetypes.guess_type(file.name)[0] or "application/octet-stream", file.read_bytes()


def _picture(random: Random) -> bytes:
    """A photograph-like picture: smooth colours with some noise."""
    noise = np.random.default_rng(random.randint(0, 1 << 30))
    coarse = Image.fromarray(noise.integers(0, 255, (random.randint(2, 5), random.randint(2, 6), 3), np.uint8))
    image = np.asarray(coarse.resize((320, 200), Image.Resampling.BICUBIC), np.int16)
    image = np.clip(image + noise.normal(0, 6, image.shape), 0, 255).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(image).save(file, "PNG")
    return file.getvalue()


@contextmanager
def serving(pages: PageServer) -> Iterator[str]:
    """The address of a server on this machine that shows the pages."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = pages.answer(self.path)
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", found[0] if found else "text/plain")
            self.end_headers()
            self.wfile.write(found[1] if found else b"there is no such page")

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def other_pages(kits: Path) -> tuple[dict[str, Path], dict[str, list[str]]]:
    """Folders to serve by name, and for each source the paths of its pages."""
    roots: dict[str, Path] = {}
    pages: dict[str, list[str]] = {}
    for word in PACKAGED.split():
        name = word.partition("/")[0]
        found = sorted((kits / word).rglob("*.html"))
        pages[f"web/package-{name}"] = [f"/kits/{file.relative_to(kits)}" for file in found if _usable(file)]
    spec = importlib.util.find_spec("miniwob")
    if spec is not None and spec.submodule_search_locations:
        roots["miniwob"] = Path(spec.submodule_search_locations[0]) / "html"
        found = sorted((roots["miniwob"] / "miniwob").glob("*.html"))
        pages["web/miniwob"] = [f"/miniwob/miniwob/{file.name}" for file in found]
    roots["doc"] = SYSTEM_PAGES
    found = [file for file in sorted(SYSTEM_PAGES.rglob("*.html")) if not file.is_symlink() and _usable(file)]
    pages["web/documentation"] = [f"/doc/{file.relative_to(SYSTEM_PAGES)}" for file in found]
    return roots, {name: paths for name, paths in pages.items() if paths}


def _usable(file: Path) -> bool:
    return _SMALLEST_PAGE <= file.stat().st_size <= _LARGEST_PAGE


def draw_device(source: str, random: Random) -> Device:
    if source == "web/miniwob":
        zoom = random.choice((1.5, 2.0, 2.5, 3.0))
        return Device(random.choice((200, 320, 420)), 240, zoom)
    if random.random() < 0.08:
        return Device(round(PHONE_SIZE[0] / 1.2), round(PHONE_SIZE[1] / 1.2), 1.2, touch=True)
    (width, height), zoom = random.choice(SIZES), random.choice(ZOOMS)
    return Device(round(width / zoom), round(height / zoom), zoom)


def next_action(elements: list[Element], source: str, random: Random) -> Action:
    """Click what may open something, or scroll."""
    candidates = [each for each in elements if each.interactive and each.type in _OPENING]
    if source == "web/documentation" or not candidates or random.random() < 0.5:
        return Action("swipe", direction="up")
    return Action("click", random.choice(candidates).center)


class WebCollector:
    def __init__(self, screens: ScreenCollection, kits: Path, only: list[str]) -> None:
        self.screens = screens
        self.maker = PageMaker(kits)
        self.roots, self.pages = other_pages(kits)
        sources = [f"web/{name}" for name in self.maker.names] + list(self.pages)
        self.sources = [name for name in sources if not only or name.partition("/")[2] in only]
        if not self.sources:
            raise InputError("there is no such source of pages: install the npm packages first")

    def collect(self, base: str, engine: BrowserEngine, random: Random) -> int:
        """One page in one look. Returns how many screens were stored."""
        self.screens.new_session()
        source = self.screens.next_source(self.sources, random)
        language = random.choice(("en", "zh")) if source not in self.pages else "en"
        name = source.partition("/")[2]
        made = f"/page/{name}/{language}/{random.randint(0, 1 << 30)}"
        path = random.choice(self.pages[source]) if source in self.pages else made
        device, dark = draw_device(source, random), random.random() < 0.3
        world = BrowserWorld(base + path, device=device, engine=engine, dark=dark, settle_limit=2.0)
        look = f"{name}{'/dark' if dark else ''}/{device.width}x{device.height}@{device.scale:g}"
        stored = 0
        try:
            seen = world.reset()
            if source == "web/miniwob":  # a cover over the page waits for a click
                seen = world.act(Action("click", (device.pixels.width / 4, device.pixels.height / 3)))  # type: ignore[arg-type]
            for step in range(SCREENS_A_PAGE):
                elements = list(seen.screen.elements)
                if seen.error or seen.screen.picture is None:
                    break
                pixels = pixels_of(seen.screen.picture.data())
                labels = labels_of(elements, pixels, drawn_text)
                stored += self.screens.add(pixels, labels, source=source, look=look, language=language)
                if step + 1 < SCREENS_A_PAGE:
                    seen = world.act(next_action(elements, source, random))
        finally:
            world.close()
        if not stored:
            self.screens.counts[source] += 1  # the others have their turn before it is tried again
        return stored


def main() -> None:
    options = read_arguments("Collect screens of web pages with the boxes of their elements.")
    screens = ScreenCollection(options.out)
    collector = WebCollector(screens, options.kits or Path("node_modules"), options.only)
    engine = BrowserEngine(AllowList.of(["127.0.0.1"]))
    failures = 0
    with serving(PageServer(collector.maker, collector.roots)) as base, progress_bar() as bar:
        task = bar.add_task("web", total=options.screens, completed=len(screens))
        while len(screens) < options.screens and failures < 50:
            random = Random(f"{options.seed}/{len(screens)}/{failures}")
            try:
                failures = 0 if collector.collect(base, engine, random) else failures + 1
            except InfrastructureError as error:
                failures += 1
                bar.console.print(f"a page failed: {error}")
            bar.update(task, completed=len(screens))
    engine.close()


if __name__ == "__main__":
    main()
