"""`saccade parse`: finds the elements of a screen and shows them as a table, as JSON, and numbered on the picture."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table
from rich.text import Text

from saccade.cli.common import console
from saccade.errors import InputError, MissingError
from saccade.geometry import Size
from saccade.screens.element_source import TREE, ElementSource, elements_in_picture, open_element_source
from saccade.types import Element, Language
from saccade.untrusted import read_bytes
from saccade.worlds import InfrastructureError, Observation, open_world
from saccade.worlds.element_source_world import seen_through

ADDRESS = re.compile(r"(https?|file|about|data):", re.IGNORECASE)
DEFAULT_FOLDER = Path("parsed")
LONGEST_CELL = 70
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif")
ElementsOption = Annotated[
    str | None,
    typer.Option(
        help="Where elements come from: vision (the picture; for pictures by default) or tree (for addresses).",
        show_default=False,
    ),
]
LARGEST_FILE = 100_000_000
"""Bytes of a picture that is read at all."""


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
    target: Annotated[str, typer.Argument(help="A picture, a folder of pictures, or an address.", show_default=False)],
    tree: Annotated[
        Path | None,
        typer.Option(help="The picture's elements: a uiautomator dump or a DroidBot state.", show_default=False),
    ] = None,
    elements: ElementsOption = None,
    language: Annotated[str, typer.Option(help="Of the captions that icons get: en or zh.")] = "en",
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
        bool, typer.Option("--json", help="Print one JSON object a screen; files are written only with --out.")
    ] = False,
) -> None:
    """Find the elements of a screen and number them on its picture.

    Writes `elements.json`, `screen.png` and `marked.png`; of a folder, a folder of these for each picture. Elements of
    pictures are found by `saccade-vision`, unless --tree gives them.

    Examples:

        saccade parse screen.png

        saccade parse screens --language zh --out parsed

        saccade parse https://example.com

        saccade parse http://127.0.0.1:8000 --device phone --out shop

        saccade parse screen.png --tree window_dump.xml

        saccade parse states/screen_1.png --tree states/state_1.json --json
    """
    spoken = checked_language(language)
    folder = out or (None if as_json else DEFAULT_FOLDER)
    if ADDRESS.match(target):
        if tree is not None:
            raise InputError("--tree is for pictures only: a page has its own elements")
        source = open_element_source(elements or TREE)
        return report(parse_page(target, device or "desktop", allow or [], source, spoken), folder, as_json)
    if device is not None or allow:
        raise InputError(
            f"--device and --allow are for addresses only, and {target} is not one: start it with https://"
        )
    return parse_pictures(Path(target), tree, elements, spoken, folder, as_json)


def parse_pictures(
    target: Path, tree: Path | None, elements: str | None, language: Language, out: Path | None, as_json: bool
) -> None:
    """A picture, or all pictures of a folder."""
    if elements is not None and (tree is not None or elements == TREE):
        raise InputError("a picture's elements come from --tree FILE, or from an element source such as vision")
    source = open_element_source(elements or "vision") if tree is None else None
    if not target.is_dir():
        return report(parse_image(target, tree, source, language), out, as_json)
    if source is None:
        raise InputError(f"--tree is for one picture, and {target} is a folder")
    return parse_folder(target, source, language, out, as_json)


def checked_language(language: str) -> Language:
    if language not in ("en", "zh"):
        raise InputError(f"--language is {language!r}: use en or zh")
    return "zh" if language == "zh" else "en"


def report(parsed: ParsedScreen, folder: Path | None, as_json: bool) -> None:
    """Write the files and print the elements."""
    files = write(parsed, folder) if folder else []
    if as_json:
        typer.echo(parsed.to_json())
        return
    show(parsed)
    console.print(f"[dim]wrote {', '.join(map(str, files))}[/]", soft_wrap=True, highlight=False)


def parse_folder(target: Path, source: ElementSource, language: Language, out: Path | None, as_json: bool) -> None:
    """All pictures of a folder. One that cannot be read is told and left out; then the exit code is 1."""
    images = sorted(file for file in target.iterdir() if file.suffix.lower() in PICTURES and file.is_file())
    if not images:
        raise InputError(f"{target} contains no pictures ({', '.join(PICTURES)})")
    found, bad = 0, 0
    where = Console(stderr=True)
    for image in track(images, "parsing", console=where, transient=True, disable=as_json or not where.is_terminal):
        try:
            parsed = parse_image(image, None, source, language)
        except InputError as error:
            typer.echo(f"saccade: {error}", err=True)
            bad += 1
            continue
        found += len(parsed.elements)
        if out is not None:
            write(parsed, out / image.name)
        if as_json:
            typer.echo(parsed.to_json())
    if not as_json:
        console.print(f"{len(images) - bad} pictures, {found:,} elements → {escape(str(out))}")
    if bad:
        raise typer.Exit(1)


def parse_page(
    url: str, device: str, allow: list[str], source: ElementSource | None = None, language: Language = "en"
) -> ParsedScreen:
    """The first screen of a page."""
    try:
        with seen_through(open_world(url, device=device, allow=allow), source, language) as world:
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


def parse_image(image: Path, tree: Path | None, source: ElementSource | None, language: Language) -> ParsedScreen:
    """A saved screenshot, with the elements from a tree file, or as a source finds them in it."""
    from saccade.screens.marks import open_picture  # noqa: PLC0415  (Pillow is an extra)
    from saccade.screens.trees import read_tree  # noqa: PLC0415

    data = _read(image, "a picture, a folder of pictures, or an address that starts with https://")
    try:
        picture = open_picture(data)
    except ValueError as error:
        raise InputError(f"{image}: {error}") from None
    size = Size(*picture.size)
    if source is not None:
        source.reset()
        return ParsedScreen(str(image), size, data, elements_in_picture(source, picture, None, language))
    assert tree is not None
    try:
        return ParsedScreen(str(image), size, data, read_tree(_read(tree, "a file of elements"), size))
    except ValueError as error:
        raise InputError(f"{tree}: {error}") from None


def _read(path: Path, wanted: str) -> bytes:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(f"{path} has more than {LARGEST_FILE // 1_000_000} MB: give {wanted}")
        return read_bytes(path)
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
