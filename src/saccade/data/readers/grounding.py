"""What the readers of grounding sets share: finding screenshots, the one action that is right, rows of parquet files."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from io import BytesIO
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from PIL import Image

from saccade.actions import Action
from saccade.data.readers.base import Dataset, image_size
from saccade.errors import MissingError
from saccade.geometry import UNIT, Box, Point, Size
from saccade.types import Picture, Step

KINDS = ("text", "icon")
_UNREADABLE = (OSError, SyntaxError, ValueError, Image.DecompressionBombError)
"""What Pillow raises."""
MOST_FOLDERS = 200
"""Folders that are searched for screenshots."""


class Located(NamedTuple):
    """A screenshot that was found: where it lies, for a step record, and the picture itself."""

    image: str
    picture: Picture
    size: Size


class Pictures:
    """Screenshots by the names that annotations give them: beside the annotations, in a folder there, or in a zip file
    there that nobody has unpacked. What a zip file holds is called `FILE.zip#MEMBER`.
    """

    def __init__(self, root: Path, annotations: Path) -> None:
        self.root = root
        self.folders = list(dict.fromkeys([*_with_folders(annotations), *_with_folders(root)]))
        self.complaints: list[str] = []
        self._zips: dict[str, list[tuple[zipfile.ZipFile, str]]] | None = None
        self._sized = lru_cache(maxsize=4096)(self._locate)

    def find(self, name: str, field: str, size: Size | None = None) -> Located:
        """The screenshot `name`; `ValueError` that names the field if there is none. Where its size is known it need
        not exist: that is for a check of the data to say.
        """
        path = PurePosixPath(name.replace("\\", "/"))
        if not path.name or path.is_absolute() or ".." in path.parts:
            raise ValueError(f"{field}: {name[:80]!r} is no path inside the folder")
        try:
            return self._sized(str(path), size)
        except FileNotFoundError:
            if size is not None:
                place = self.folders[0] / path
                return Located(self._relative(place), Picture(str(place), size), size)
        complaint = f" ({'; '.join(self.complaints)})" if self.complaints else ""
        raise ValueError(f"{field}: there is no picture {name[:80]!r} in {self.root}{complaint}")

    def _locate(self, name: str, size: Size | None) -> Located:
        for at, folder in enumerate(self.folders):
            place = folder / name
            if _is_file(place):
                self.folders.insert(0, self.folders.pop(at))  # the next is likely to be there too
                found = size or image_size(place)
                return Located(self._relative(place), Picture(str(place), found), found)
        return self._in_zip(name, size)

    def _in_zip(self, name: str, size: Size | None) -> Located:
        if self._zips is None:
            self._zips = self._index()
        for archive, member in self._zips.get(name.rpartition("/")[2], []):
            if f"/{member}".endswith(f"/{name}"):
                found = size or _member_size(archive, member)
                place = f"{self._relative(Path(str(archive.filename)))}#{member}"
                return Located(place, Picture(lambda: archive.read(member), found), found)
        raise FileNotFoundError(name)

    def _index(self) -> dict[str, list[tuple[zipfile.ZipFile, str]]]:
        """Members of all zip files by their last name."""
        found: dict[str, list[tuple[zipfile.ZipFile, str]]] = {}
        for path in (path for folder in self.folders for path in sorted(folder.glob("*.zip"))):
            try:
                archive = zipfile.ZipFile(path)
            except (zipfile.BadZipFile, OSError) as error:
                self.complaints.append(f"{path.name} cannot be read: {error}")
                continue
            for member in archive.namelist():
                if not member.endswith("/") and not member.startswith("__MACOSX"):
                    found.setdefault(member.rpartition("/")[2], []).append((archive, member))
        return found

    def _relative(self, place: Path) -> str:
        return place.relative_to(self.root).as_posix() if place.is_relative_to(self.root) else place.as_posix()


def picture_of_bytes(data: Any, image: str) -> Located:
    """A screenshot that lies in the record itself."""
    if not isinstance(data, bytes):
        raise ValueError(f"image: expected the bytes of a picture, found {type(data).__name__}")
    try:
        with Image.open(BytesIO(data)) as opened:
            size = Size(*opened.size)
    except _UNREADABLE as error:
        raise ValueError(f"image: cannot be read: {error}") from None
    return Located(image, Picture(data, size), size)


def grounding_step(
    id: str, instruction: str, located: Located, box: Box, tags: Mapping[str, str | None], point: Point | None = None
) -> Step:
    """A step whose only right action is a click into `box` (pixels); `ValueError` if the box is none."""
    if not (box.x0 <= box.x1 and box.y0 <= box.y1):
        raise ValueError(f"bbox: {list(box)} ends before it begins")
    return Step(
        id=id,
        instruction=instruction,
        screen=located.size,
        image=located.image,
        truth=[Action("click", point=point or box.center, box=box)],
        tags={"task": "grounding"} | {name: tag for name, tag in tags.items() if tag},
    )


def from_unit(box: Box, size: Size) -> Box:
    """A box of shares of the screen in pixels."""
    if max(box) > 2 or min(box) < -1:
        raise ValueError(f"bbox: {list(box)}: expected shares of the screen from 0 to 1")
    return UNIT.decode_box(box, size)


def kind_tags(data_type: str | None) -> dict[str, str | None]:
    """`text` and `icon` are a kind; other words name the type of the element."""
    word = (data_type or "").strip()
    return {"kind": word.lower()} if word.lower() in KINDS else {"type": word}


def says(folder: Path, word: str) -> bool:
    """Does a folder call itself so, by its name or in its README?"""
    texts = [folder.name, folder.parent.name if folder.is_file() else ""]
    with suppress(OSError, UnicodeDecodeError):
        texts.append((folder / "README.md").read_text(encoding="utf-8")[:20_000])
    return any(word in text.lower().replace("-", "").replace("_", "").replace(" ", "") for text in texts)


def footer(path: Path) -> bytes | None:
    """The end of a parquet file, where its columns' names stand; none if it has no whole one. Needs no pyarrow."""
    with suppress(OSError), path.open("rb") as file:
        if file.read(4) == b"PAR1":
            file.seek(-8, 2)
            tail = file.read(8)
            length = int.from_bytes(tail[:4], "little")
            if tail[4:] == b"PAR1" and 0 < length <= file.tell() - 12:
                file.seek(-8 - length, 2)
                return file.read(length)
    return None


def rows(dataset: Dataset, path: Path, wanted: list[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a parquet file, a few at a time; what cannot be read is told to the data set."""
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise MissingError("reading parquet files needs pyarrow: pip install 'saccade[data]'") from None
    try:
        file = parquet.ParquetFile(path)
        there = [name for name in wanted if name in file.schema_arrow.names]
        starts = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    except (arrow.ArrowException, OSError) as error:
        dataset.bad(str(path), f"is cut off or no parquet file: {_first_line(error)}")
        return
    with file:
        for group, count in enumerate(starts):
            at = sum(starts[:group])
            try:
                for batch in file.iter_batches(8, row_groups=[group], columns=there):
                    for row in batch.to_pylist():
                        yield at, row
                        at += 1
            except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
                last = sum(starts[:group]) + count - 1
                dataset.bad(f"{path}, rows {at} to {last}", f"cannot be read: {_first_line(error)}")


def _with_folders(folder: Path) -> Iterator[Path]:
    """A folder and those in it, two floors down."""
    yield folder
    inner = [entry for entry in sorted(folder.iterdir()) if entry.is_dir()] if folder.is_dir() else []
    yield from inner[:MOST_FOLDERS]
    below = (entry for parent in inner for entry in sorted(parent.iterdir()) if entry.is_dir())
    yield from islice(below, MOST_FOLDERS)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name too long for the disk
        return False


def _member_size(archive: zipfile.ZipFile, member: str) -> Size:
    try:
        with archive.open(member) as file, Image.open(file) as image:
            return Size(*image.size)
    except (*_UNREADABLE, EOFError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"image: {archive.filename}#{member} cannot be read: {error}") from None


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]
