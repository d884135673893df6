"""What the readers of grounding sets share: their records, finding screenshots, and the one action that is right."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, NamedTuple

from saccade.actions import Action
from saccade.data.readers.archives import Archive, size_in
from saccade.data.readers.arrays import items
from saccade.data.readers.base import DataError, Dataset, image_size
from saccade.geometry import UNIT, Box, Point, Size, inner_point
from saccade.paradigms.verbs import Space
from saccade.types import Picture, Step
from saccade.untrusted import read_text

KINDS = ("text", "icon")
MOST_FOLDERS = 200
"""Folders that are searched for screenshots."""


class Annotation(NamedTuple):
    """One object of an annotation file."""

    path: Path
    number: int
    value: Any
    where: str


class GroundingSet(Dataset):
    """A data set of annotation files, each a json array, beside screenshots."""

    profile = "screenspot"
    space: ClassVar[Space] = "grounding"
    table = "grounding"

    @classmethod
    @abstractmethod
    def files(cls, folder: Path) -> list[Path]:
        """The annotation files in a folder; or the file itself, if it is one."""

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return bool(cls.files(folder))

    @property
    def root(self) -> Path:
        """Where paths begin: the folder, or that of the file."""
        return self.folder if self.folder.is_dir() else self.folder.parent

    def records(self, files: list[Path]) -> Iterator[Annotation]:
        """Every object of every file, streamed; a damaged one is reported with `bad`."""
        sizes = [path.stat().st_size for path in files]
        self.progress.done, self.progress.total = 0, sum(sizes)
        for at, path in enumerate(files):
            for item in items(path):
                self.progress.done = sum(sizes[:at]) + item.end
                where = f"{path}, record {item.number}"
                if item.error:
                    self.bad(where, item.error)
                else:
                    yield Annotation(path, item.number, item.value, where)
            self.progress.done = sum(sizes[: at + 1])


class Located(NamedTuple):
    """A screenshot that was found: where it lies, for a step record, and the picture itself."""

    image: str
    picture: Picture
    size: Size


class Pictures:
    """Screenshots by the names that annotations give them: beside the annotations, in a folder there, or in a zip file
    there that nobody has unpacked. What a zip file holds is called `FILE.zip#MEMBER`.

    Where several hold a picture of that name, those beside the annotations come first, and the first word of `hint`
    tells which is meant (`linux_splited`: `linux_images/`). If it does not, that is an error, since a wrong screenshot
    would go unnoticed.
    """

    def __init__(self, root: Path, annotations: Path, hint: str = "") -> None:
        self.root = root
        self.annotations = annotations
        self.folders = list(dict.fromkeys([*_with_folders(annotations), *_with_folders(root)]))
        self.hint = hint.partition("_")[0].lower()
        self.complaints: list[str] = []
        self._zips: dict[str, list[tuple[Archive, str]]] | None = None
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
        except FileExistsError as error:
            raise ValueError(f"{field}: {name[:80]!r} is in several places: {error}") from None
        except FileNotFoundError:
            if size is not None:
                place = self.annotations / path
                return Located(self._relative(place), Picture(str(place), size), size)
        complaint = f" ({'; '.join(self.complaints)})" if self.complaints else ""
        raise ValueError(f"{field}: there is no picture {name[:80]!r} in {self.root}{complaint}")

    def _locate(self, name: str, size: Size | None) -> Located:
        for folder in (self.annotations, self.root):
            if _is_file(folder / name):
                return self._file(folder / name, size)
        places = {self._relative(place): place for folder in self.folders if _is_file(place := folder / name)}
        if places:
            return self._file(places[self._meant(list(places))], size)
        return self._in_zip(name, size)

    def _file(self, place: Path, size: Size | None) -> Located:
        found = size or image_size(place)
        return Located(self._relative(place), Picture(str(place), found), found)

    def _in_zip(self, name: str, size: Size | None) -> Located:
        if self._zips is None:
            self._zips = self._index()
        places = {
            f"{self._relative(archive.path)}#{member}": (archive, member)
            for archive, member in self._zips.get(name.rpartition("/")[2], [])
            if f"/{member}".endswith(f"/{name}")
        }
        if not places:
            raise FileNotFoundError(name)
        archive, member = places[place := self._meant(list(places))]
        try:
            found = size or size_in(archive, member)
        except DataError as error:
            raise ValueError(f"image: {error}") from None
        return Located(place, Picture(partial(archive.read, member), found), found)

    def _meant(self, places: list[str]) -> str:
        near = f"{self._relative(self.annotations)}/"
        for narrower in (
            [place for place in places if place.startswith(near)],
            [place for place in places if self.hint and self.hint in place.lower()],
        ):
            places = [place for place in places if place in narrower] or places
        if len(places) > 1:
            raise FileExistsError(", ".join(places[:3]))
        return places[0]

    def _index(self) -> dict[str, list[tuple[Archive, str]]]:
        """Members of all zip files by their last name."""
        found: dict[str, list[tuple[Archive, str]]] = {}
        for path in (path for folder in self.folders for path in sorted(folder.glob("*.zip"))):
            try:
                archive = Archive(path)
            except DataError as error:
                self.complaints.append(str(error))
                continue
            for member in archive.entries:
                if not member.endswith("/") and not member.startswith("__MACOSX"):
                    found.setdefault(member.rpartition("/")[2], []).append((archive, member))
        return found

    def _relative(self, place: Path) -> str:
        return place.relative_to(self.root).as_posix() if place.is_relative_to(self.root) else place.as_posix()


def grounding_step(
    id: str,
    instruction: str,
    located: Located,
    target: Box | Sequence[Point] | None,
    tags: Mapping[str, str | None],
    point: Point | None = None,
) -> Step:
    """A step whose only right action is a click into `target`, a box or the corners of a polygon in pixels; without a
    target nothing on the screen is meant, and the right answer is to refuse. `ValueError` if the box is none.
    """
    if target is None:
        right = Action("terminate", status="failure")
    elif isinstance(target, Box):
        if not (target.x0 <= target.x1 and target.y0 <= target.y1):
            raise ValueError(f"bbox: {list(target)} ends before it begins")
        right = Action("click", point=point or target.center, box=target)
    else:
        right = Action("click", point=point or inner_point(target), polygon=tuple(target))
    return Step(
        id=id,
        instruction=instruction,
        screen=located.size,
        image=located.image,
        truth=[right],
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
    """Does the folder's name or its README contain this word?"""
    texts = [folder.name, folder.parent.name if folder.is_file() else ""]
    with suppress(OSError, UnicodeDecodeError):
        texts.append(read_text(folder / "README.md")[:20_000])
    return any(word in text.lower().replace("-", "").replace("_", "").replace(" ", "") for text in texts)


def _with_folders(folder: Path) -> Iterator[Path]:
    """A folder, its folders, and theirs."""
    yield folder
    inner = list(_folders(folder))
    yield from inner[:MOST_FOLDERS]
    yield from islice((entry for parent in inner for entry in _folders(parent)), MOST_FOLDERS)


def _folders(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        with os.scandir(folder) as entries:
            yield from sorted(Path(entry.path) for entry in entries if entry.is_dir())


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name too long for the disk
        return False
