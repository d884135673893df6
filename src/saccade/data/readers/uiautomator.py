"""A folder of uiautomator dumps with their screenshots: screens without a task."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from saccade.data.readers.base import Dataset, Sample, image_size
from saccade.screens.uiautomator import uiautomator_elements
from saccade.types import Picture, Step
from saccade.untrusted import open_file, read_bytes

PICTURES = (".png", ".jpg", ".jpeg", ".webp")
BESIDE = ("", "screenshots", "images", "../screenshots", "../images")
"""Folders, seen from a dump, where its screenshot may lie."""
LARGEST = 1 << 25
LOOKED_AT = 50
"""Files that are opened to tell whether a folder is of this kind."""
_PACKAGE = re.compile(r'\spackage="([^"<>]{1,200})"')


class UIAutomatorFolder(Dataset):
    """`uiautomator dump` files (`.xml`), each with a screenshot of the same name, in the folder or below it.

    There is no task and no action: `truth` is empty, so these screens cannot be scored. They are for parsing, for
    grounding pipelines and for synthesis. Elements are those of `screens/uiautomator.py`; what password fields hold is
    never read.
    """

    name = "uiautomator"
    title = "a folder of uiautomator dumps"
    layout = "NAME.xml files that begin with <hierarchy>, each with NAME.png or NAME.jpg beside it"

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        if not folder.is_dir():
            return False
        near = chain.from_iterable(folder.glob(depth) for depth in ("*.xml", "*/*.xml", "*/*/*.xml"))
        return any(_is_dump(file) for file in islice(near, LOOKED_AT))

    def samples(self) -> Iterator[Sample]:
        files = sorted(file for file in self.folder.rglob("*.xml") if file.is_file())
        self.progress.total, self.progress.done = len(files), 0
        for file in files:
            self.progress.done += 1
            try:
                yield self._sample(file)
            except ValueError as error:
                self.bad(str(file), str(error))

    def _sample(self, file: Path) -> Sample:
        picture = _screenshot(file)
        size = image_size(picture)
        text = _read(file)
        package = _PACKAGE.search(text)
        name = file.relative_to(self.folder).with_suffix("").as_posix()
        step = Step(
            id=name,
            screen=size,
            image=_relative(picture, self.folder),
            elements=uiautomator_elements(text, size),
            tags={"platform": "mobile"} | ({"app": package[1]} if package else {}),
        )
        return Sample(step, Picture(str(picture), size), str(file))


def _is_dump(file: Path) -> bool:
    try:
        with open_file(file) as opened:
            head = opened.read(512)
    except OSError:
        return False
    return b"<hierarchy" in head or b"<displays" in head


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > LARGEST:
            raise ValueError(f"it has more than {LARGEST:,} bytes: no dump does")
        return read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 text at byte {error.start}") from None
    except OSError as error:
        raise ValueError(f"it cannot be read: {error.strerror}") from None


def _screenshot(file: Path) -> Path:
    for place in BESIDE:
        for suffix in PICTURES:
            picture = file.parent / place / (file.stem + suffix)
            if picture.is_file():
                return picture
    raise ValueError(f"image: there is no {file.stem}.png or .jpg beside it, or in screenshots/ or images/")


def _relative(path: Path, folder: Path) -> str:
    """The path as seen from the folder; as it is where it lies outside."""
    try:
        return path.resolve().relative_to(folder.resolve()).as_posix()
    except ValueError:
        return str(path)
