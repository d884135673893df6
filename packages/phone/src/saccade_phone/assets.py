"""Answer the phone page's requests for files: our own page, and the UI kits (see `ui_kits`).

The page asks for everything by address, so one function serves it, behind an HTTP server (`serve`) or a browser's
request router (`world`).
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path

from saccade_phone.ui_kits import UI_KITS

PAGE = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
}


@lru_cache(maxsize=512)
def asset(path: str) -> tuple[bytes, str] | None:
    """Bytes and content type of a requested file; None if there is none. MissingError without installed UI kits."""
    if path == "/page/icons.js":
        return _icons(), TYPES[".js"]
    if path in ("", "/"):
        UI_KITS.need()  # without them the page would stay blank
        return _read(PAGE, "index.html")
    if path.startswith("/page/"):
        return _read(PAGE, path.removeprefix("/page/"))
    if path.startswith("/kits/"):
        return _read(UI_KITS.need(), path.removeprefix("/kits/"))
    return None


def _read(root: Path, name: str) -> tuple[bytes, str] | None:
    """A file below `root`: neither `..` nor a link may lead out of it."""
    file = (root / name).resolve()
    kind = TYPES.get(file.suffix)
    if kind is None or not file.is_relative_to(root.resolve()) or not file.is_file():
        return None
    return file.read_bytes(), kind


def _icons() -> bytes:
    """All lucide icons in one JavaScript module: a screen may name any of them, and none is fetched by itself."""
    folder = UI_KITS.need() / "lucide-static/icons"
    icons = {file.stem: _inner(file.read_text("utf-8")) for file in sorted(folder.glob("*.svg"))}
    return f"export default {json.dumps(icons, separators=(',', ':'))};\n".encode()


def _inner(svg: str) -> str:
    """The content of the svg element, on one line."""
    found = re.search(r"<svg[^>]*>(.*)</svg>", svg, re.DOTALL)
    return re.sub(r"\s+", " ", found[1].replace("\n", "")).replace("> <", "><").strip() if found else ""
