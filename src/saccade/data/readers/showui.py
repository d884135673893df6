"""ShowUI-desktop: elements of desktop screenshots with several wordings each, for training grounding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from saccade.data.readers.arrays import fields
from saccade.data.readers.base import Sample, convert
from saccade.data.readers.grounding import GroundingSet, Pictures, from_unit, grounding_step, kind_tags
from saccade.geometry import UNIT, Box, Point, Size

_FIELDS = {"img_url", "img_size", "element"}


class _Screen(msgspec.Struct):
    """A screenshot with its elements as it is written."""

    img_url: str
    img_size: Size
    element: list[Any]


class _Element(msgspec.Struct):
    """One instruction and the box it means."""

    instruction: str
    bbox: Box
    point: Point | None = None
    data_type: str | None = None


class ShowUIDesktop(GroundingSet):
    """ShowUI-desktop: 7,496 instructions on about 100 screenshots of OmniACT, reworded by a model for appearance,
    place and purpose. One sample per element of the metadata; the parquet copy in `data/` holds the same.

    Boxes and points are shares of the screen. A point that the data gives is the truth's point, even where it is not
    the centre; it was rounded to two digits, so it may lie outside a small box.
    """

    name = "showui-desktop"
    title = "ShowUI-desktop"
    layout = "metadata/ with a json file (img_url, img_size, element[]), and images/"

    @classmethod
    def files(cls, folder: Path) -> list[Path]:
        if folder.is_file():
            return [folder] if folder.suffix == ".json" and fields(folder) >= _FIELDS else []
        listed = [path for place in (folder / "metadata", folder) for path in sorted(place.glob("*.json"))]
        return [path for path in listed if fields(path) >= _FIELDS]

    def samples(self) -> Iterator[Sample]:
        pictures = Pictures(self.root, self.root / "images")
        for path, number, value, where in self.records(self.files(self.folder)):
            try:
                screen: _Screen = convert(value, _Screen)
                if min(screen.img_size) <= 0:
                    raise ValueError(f"img_size: {list(screen.img_size)} is no size of a screen")
            except ValueError as error:
                self.bad(where, str(error))
                continue
            for at, element in enumerate(screen.element):
                here = f"{where}, element {at}"
                try:
                    sample = _sample(f"{path.stem}_{number}_{at}", screen, element, pictures)
                except ValueError as error:
                    self.bad(here, str(error))
                    continue
                yield sample._replace(where=here)


def _sample(id: str, screen: _Screen, value: Any, pictures: Pictures) -> Sample:
    element: _Element = convert(value, _Element)
    located = pictures.find(screen.img_url, "img_url", screen.img_size)
    box = from_unit(element.bbox, screen.img_size)
    point = UNIT.decode(element.point, screen.img_size) if element.point else None
    tags = {"platform": "desktop", **kind_tags(element.data_type)}
    return Sample(grounding_step(id, element.instruction, located, box, tags, point), located.picture)
