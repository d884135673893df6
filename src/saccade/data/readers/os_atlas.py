"""OS-Atlas grounding: millions of elements of desktop, web and mobile screens, for training grounding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from saccade.data.readers.arrays import fields
from saccade.data.readers.base import Sample, convert
from saccade.data.readers.grounding import GroundingSet, Located, Pictures, from_unit, grounding_step, kind_tags
from saccade.geometry import Box

DOMAINS = ("desktop", "web", "mobile")
_OTHERS = {"data_source", "ui_type", "img_url"}
"""Fields of data sets that look alike."""


class _Screen(msgspec.Struct):
    """A screenshot with its elements, or with one element in the same object."""

    img_filename: str
    elements: list[Any] | None = None


class _Element(msgspec.Struct):
    """One instruction and the box it means."""

    instruction: str
    bbox: Box
    data_type: str | None = None


class OSAtlas(GroundingSet):
    """OS-Atlas grounding data: over 13 million elements as published, most of them of web pages (`fineweb_3m.json`).

    Two shapes, which may change within a file: a screenshot with a list of `elements`, or one element a record. Boxes
    are `[left, top, right, bottom]` as shares of the screen, so that each screenshot must be there to know its size;
    one zip file a part may stay packed, but parts that come in pieces (`…_aa`, `…_ab`) must be joined and unpacked.
    Instructions are often no more than the element's own text. The element's type, where given, is the tag `type`.
    `domain` picks one of the three folders; a single annotation file may be named instead of the folder.
    """

    name = "os-atlas"
    title = "OS-Atlas grounding data"
    layout = (
        "desktop_domain/, web_domain/ or mobile_domain/ (or one of them) with json files "
        "(img_filename, and elements[{instruction, bbox}] or instruction and bbox) and their screenshots"
    )
    licence = "Apache-2.0"
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"domain": ("all", *DOMAINS)}

    @classmethod
    def files(cls, folder: Path) -> list[Path]:
        if folder.is_file():
            return [folder] if folder.suffix == ".json" and _is_annotation(folder) else []
        places = (*(folder / f"{domain}_domain" for domain in DOMAINS), folder)
        return [path for place in places for path in sorted(place.glob("*.json")) if _is_annotation(path)]

    def samples(self) -> Iterator[Sample]:
        chosen = self.options["domain"]
        files = [path for path in self.files(self.folder) if chosen in ("all", _domain(path))]
        pictures = {path: Pictures(self.root, path.parent, hint=path.stem) for path in files}
        for path, number, value, where in self.records(files):
            try:
                screen: _Screen = convert(value, _Screen)
                located = pictures[path].find(screen.img_filename, "img_filename")
            except ValueError as error:
                self.bad(where, str(error))
                continue
            yield from self._elements(path, number, value, screen.elements, located)

    def _elements(
        self, path: Path, number: int, record: Any, elements: list[Any] | None, located: Located
    ) -> Iterator[Sample]:
        tags = {"platform": _domain(path), "source": path.stem}
        for at, value in enumerate([record] if elements is None else elements):
            where = f"{path}, record {number}" + (f", element {at}" if elements is not None else "")
            id = f"{path.stem}_{number}" + (f"_{at}" if elements is not None else "")
            try:
                element: _Element = convert(value, _Element)
                box = from_unit(element.bbox, located.size)
                step = grounding_step(id, element.instruction, located, box, tags | kind_tags(element.data_type))
            except ValueError as error:
                self.bad(where, str(error))
                continue
            yield Sample(step, located.picture, where)


def _domain(path: Path) -> str:
    """By the folder; a file elsewhere does not say."""
    return next((domain for domain in DOMAINS if path.parent.name == f"{domain}_domain"), "")


def _is_annotation(path: Path) -> bool:
    found = fields(path)
    return found >= {"img_filename", "bbox"} and not found & _OTHERS
