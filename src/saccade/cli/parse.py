"""`saccade parse`: finds the elements of a screen and shows them as a table, as JSON, and numbered on the picture."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from saccade.cli.common import console
from saccade.errors import InputError, MissingError
from saccade.geometry import Size
from saccade.types import Element
from saccade.worlds import InfrastructureError, Observation, open_world

ADDRESS = re.compile(r"(https?|file|about|data):", re.IGNORECASE)
DEFAULT_FOLDER = Path("parsed")
LONGEST_CELL = 70


@dataclass(frozen=True)
class ParsedScreen:
    """A screen: its picture and its elements."""

    source: str
    size: Size
    picture: bytes
    elements: list[Element]

    def to_json(self) -> bytes:
        return msgspec.json.encode({"source": self.source, "screen": self.size, "elements": self.elements})


def parse(
    target: Annotated[str, typer.Argument(help="An address, or an image with --tree.", show_default=False)],
    tree: Annotated[
        Path | None,
        typer.Option(help="The image's elements: a uiautomator dump or a DroidBot state.", show_default=False),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the files; `parsed` by default.", show_default=False)
    ] = None,
    device: Annotated[
        str | None, typer.Option(help="Screen to open an address on: desktop (default) or phone.", show_default=False)
    ] = None,
    allow: Annotated[
        list[str] | None, typer.Option(help="Another host the page may reach; may be repeated.", show_default=False)
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object; files are written only with --out.")
    ] = False,
) -> None:
    """Find the elements of a screen and number them on its picture.

    Writes `elements.json`, `screen.png` and `marked.png`.

    Examples:

        saccade parse https://example.com

        saccade parse http://127.0.0.1:8000 --device phone --out shop

        saccade parse screen.png --tree window_dump.xml

        saccade parse states/screen_1.png --tree states/state_1.json --json
    """
    if ADDRESS.match(target):
        if tree is not None:
            raise InputError("--tree is for images only: a page has its own elements")
        parsed = parse_page(target, device or "desktop", allow or [])
    else:
        if device is not None or allow:
            raise InputError(
                f"--device and --allow are for addresses only, and {target} is not one: start it with https://"
            )
        parsed = parse_image(Path(target), tree)
    folder = out or (None if as_json else DEFAULT_FOLDER)
    files = write(parsed, folder) if folder else []
    if as_json:
        typer.echo(parsed.to_json())
        return
    show(parsed)
    console.print(f"[dim]wrote {', '.join(map(str, files))}[/]", soft_wrap=True, highlight=False)


def parse_page(url: str, device: str, allow: list[str]) -> ParsedScreen:
    """The first screen of a page."""
    try:
        with open_world(url, device=device, allow=allow) as world:
            seen = world.reset()
            if seen.error:
                raise InputError(_complaint(seen))
            picture = seen.screen.picture
            if picture is None:
                raise InputError(f"{url} gave no screenshot")
            return ParsedScreen(url, seen.screen.size, picture.data(), list(seen.screen.elements))
    except InfrastructureError as error:
        raise MissingError(f"Chromium does not work on this machine: {error}") from None


def _complaint(seen: Observation) -> str:
    """Why a page could not be opened; if a host was blocked, also how to allow it."""
    blocked = [match[1] for event in seen.events if (match := re.match(r"blocked: (\S+) ", event))]
    reason = re.sub(r"Page\.goto: |\s+at https?://\S+", "", seen.error)
    return reason + (f" (it leads to {blocked[0]}: allow it with --allow {blocked[0]})" if blocked else "")


def parse_image(image: Path, tree: Path | None) -> ParsedScreen:
    """A saved screenshot, with the elements from a tree file."""
    from saccade.screens.marks import open_picture  # noqa: PLC0415  (Pillow is an extra)
    from saccade.screens.trees import read_tree  # noqa: PLC0415

    data = _read(image, "an image, or an address that starts with https://")
    if tree is None:
        raise InputError(f"{image} needs --tree FILE with its elements: a uiautomator dump or a DroidBot state")
    try:
        size = Size(*open_picture(data).size)
    except ValueError as error:
        raise InputError(f"{image}: {error}") from None
    try:
        return ParsedScreen(str(image), size, data, read_tree(_read(tree, "a file of elements"), size))
    except ValueError as error:
        raise InputError(f"{tree}: {error}") from None


def _read(path: Path, wanted: str) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"there is no file {path}: give {wanted}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read {path} ({reason}): give {wanted}") from None


def write(parsed: ParsedScreen, folder: Path) -> list[Path]:
    """Write the three files; returns their paths."""
    from saccade.screens.marks import Marked, draw_marks, open_picture  # noqa: PLC0415

    image = open_picture(parsed.picture)
    contents = {
        "elements.json": msgspec.json.format(parsed.to_json()) + b"\n",
        "screen.png": parsed.picture if image.format == "PNG" else Marked(image.convert("RGB"), {}, {}).png(),
        "marked.png": draw_marks(image, parsed.elements).png(),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror}") from None
    return [folder / name for name in contents]


def show(parsed: ParsedScreen) -> None:
    """Print a table of the elements; those that are not interactive are dimmed."""
    acting = sum(element.interactive for element in parsed.elements)
    size = f"{parsed.size.width}×{parsed.size.height}"
    title = Text(parsed.source, "bold")
    title.append(f"  {size}, {len(parsed.elements)} elements, {acting} interactive", "dim not bold")
    console.print(title)
    made = Table(box=SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0))
    made.add_column("id", justify="right")
    for column in ("type", "text", "box"):
        made.add_column(column, no_wrap=True)
    for element in parsed.elements:
        kind = Text(f"{element.type} {element.state}".strip(), "" if element.interactive else "dim")
        text = element.text or (f"({element.caption})" if element.caption else "")
        cell = Text(text[: LONGEST_CELL - 1] + "…" if len(text) > LONGEST_CELL else text)
        made.add_row(str(element.id), kind, cell, Text(", ".join(f"{side:g}" for side in element.box), "dim"))
    console.print(made)
