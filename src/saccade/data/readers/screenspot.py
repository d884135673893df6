"""ScreenSpot (SeeClick) and ScreenSpot-V2 (OS-Atlas): one instruction, one screenshot, one box to click into."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import msgspec

from saccade.data.readers.arrays import fields, items
from saccade.data.readers.base import DataError, Sample, convert
from saccade.data.readers.grounding import (
    GroundingSet,
    Located,
    Pictures,
    from_unit,
    grounding_step,
    kind_tags,
    says,
)
from saccade.data.readers.tables import ParquetTable, names_columns, picture_bytes, picture_size
from saccade.geometry import Box, Size
from saccade.types import Picture

Form = Literal["xywh", "xyxy", "unit"]
"""How a file writes its boxes: x, y, width, height in pixels; two corners in pixels; two corners as shares."""
FORMS: tuple[Form, ...] = get_args(Form)

_FIELDS = {"img_filename", "bbox", "instruction", "data_source"}
_COLUMNS = ("bbox", "instruction", "data_type", "data_source", "image")
_READ = ["img_filename", "file_name", "image", "bbox", "instruction", "data_type", "data_source"]
_NAME = re.compile(r"screenspot_(mobile|desktop|web)(_v2)?\.json", re.IGNORECASE)
_PLATFORMS = {
    "mobile": ("mobile", "ios", "android"),
    "desktop": ("desktop", "pc", "windows", "macos", "linux"),
    "web": ("web", "shop", "forum", "gitlab", "tool"),
}
_PLATFORM = {word: platform for platform, words in _PLATFORMS.items() for word in words}


class _Record(msgspec.Struct):
    """One sample as it is written."""

    bbox: Box
    instruction: str
    img_filename: str | None = None
    file_name: str | None = None
    data_type: str | None = None
    data_source: str | None = None
    image: Any = None


class Boxes(NamedTuple):
    """What the boxes of one file were taken for, and why."""

    form: Form
    seen: int = 0
    only_xywh: int = 0
    """Boxes that fit the screen as x, y, width, height, but not as two corners."""
    only_xyxy: int = 0
    forced: bool = False

    @property
    def sure(self) -> bool:
        return self.forced or self.form == "unit" or self.only_xywh != self.only_xyxy


class ScreenSpot(GroundingSet):
    """ScreenSpot: 1,272 samples on about 600 screens (mobile 502, desktop 334, web 436).

    The authors' files hold `[x, y, width, height]` in pixels, copies hold two corners in pixels, exports to parquet two
    corners from 0 to 1. Files do not say which: all boxes of a file are looked at, and the form under which they lie
    on their screens is taken. `boxes` forces one; `forms` and the tag `boxes` say what was taken. Where every box fits
    both ways, it is the authors' form. An id is the file's name and the sample's place in it.
    """

    name = "screenspot"
    title = "ScreenSpot"
    layout = (
        "screenspot_mobile.json, screenspot_desktop.json and screenspot_web.json with their screenshots in "
        "screenspot_imgs/, or parquet files with the columns image, bbox, instruction, data_type, data_source"
    )
    licence = "Apache-2.0"
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "platform": ("all", *_PLATFORMS),
        "boxes": ("auto", *FORMS),
    }

    def __init__(self, folder: Path, *, keep_going: bool = False, **options: str) -> None:
        super().__init__(folder, keep_going=keep_going, **options)
        self.forms: dict[str, Boxes] = {}
        """By file."""

    @classmethod
    def files(cls, folder: Path) -> list[Path]:
        """The annotation files: json; where there is none, parquet."""
        found = [path for path in _listed(folder, ".json") if _is_annotation(path)]
        found = cls.own(folder, found) or (cls.own(folder, _parquets(folder)) if not found else [])
        return sorted(found, key=lambda path: (_order(path), path))

    @classmethod
    def own(cls, folder: Path, files: list[Path]) -> list[Path]:
        """Those of this version."""
        return [] if says(folder, "screenspotv2") else [path for path in files if "v2" not in path.stem.lower()]

    def samples(self) -> Iterator[Sample]:
        files = self.files(self.folder)
        yield from self._rows(files) if files[0].suffix == ".parquet" else self._records(files)

    def _records(self, files: list[Path]) -> Iterator[Sample]:
        pictures = {path: Pictures(self.root, path.parent) for path in files}
        for path, number, value, where in self.records(files):
            boxes = self._boxes(path, _boxes_of_json(path, pictures[path]))
            try:
                record = convert(value, _Record)
                located = pictures[path].find(record.img_filename or record.file_name or "", "img_filename")
                sample = self._sample(path, number, record, located, boxes)
            except ValueError as error:
                self.bad(where, str(error))
                continue
            if sample is not None:
                yield sample._replace(where=where)

    def _rows(self, files: list[Path]) -> Iterator[Sample]:
        self.progress.done, self.progress.total = 0, sum(path.stat().st_size for path in files)
        for path in files:
            try:
                table = ParquetTable(path)
            except DataError as error:
                self.bad(str(path), str(error).removeprefix(f"{path}: "))
                continue
            boxes = self._boxes(path, ((row.value.get("bbox"), None) for row in table.records(["bbox"]) if row.value))
            for row in table.records(_READ):
                try:
                    if row.error:
                        raise ValueError(row.error)
                    sample = self._row(path, row.row, row.value, boxes)
                except ValueError as error:
                    self.bad(row.where, str(error))
                    continue
                if sample is not None:
                    yield sample._replace(where=row.where)
        self.progress.done = self.progress.total

    def _row(self, path: Path, number: int, value: Any, boxes: Boxes) -> Sample | None:
        record: _Record = convert(value, _Record)
        data = picture_bytes(record.image)
        self.progress.done = min(self.progress.total, self.progress.done + len(data))
        size = picture_size(data)
        located = Located(f"{path.relative_to(self.root).as_posix()}#{number}", Picture(data, size), size)
        name = record.image.get("path") if isinstance(record.image, dict) else None
        record.img_filename = record.img_filename or record.file_name or (name if isinstance(name, str) else None)
        return self._sample(path, number, record, located, boxes)

    def _sample(self, path: Path, number: int, record: _Record, located: Located, boxes: Boxes) -> Sample | None:
        platform = _platform(path, record)
        if self.options["platform"] not in ("all", platform):
            return None
        tags = {"platform": platform, "source": record.data_source, "boxes": boxes.form, **kind_tags(record.data_type)}
        box = in_pixels(record.bbox, boxes.form, located.size)
        step = grounding_step(f"{path.stem}_{number}", record.instruction, located, box, tags)
        return Sample(step, located.picture)

    def _boxes(self, path: Path, found: Iterable[tuple[Any, Size | None]]) -> Boxes:
        """What the boxes of this file are, decided once."""
        if str(path) in self.forms:
            return self.forms[str(path)]
        forced = next((form for form in FORMS if form == self.options["boxes"]), None)
        boxes = Boxes(forced, forced=True) if forced else decide(found)
        if not boxes.sure and boxes.only_xywh:
            fit = f"{boxes.only_xywh} boxes fit the screen only as xywh, and as many only as xyxy"
            self.bad(str(path), f"bbox: {fit}: set boxes=xywh or boxes=xyxy")
        self.forms[str(path)] = boxes
        return boxes


class ScreenSpotV2(ScreenSpot):
    """ScreenSpot-V2: ScreenSpot with its wrong labels mended; 1,272 samples. Papers count 501 on mobile, 334 on desktop
    and 437 on web screens, which was not checked here; the desktop file was replaced twice after its publication.

    In the wild in three forms, told apart as in `ScreenSpot`. A parquet export of either version has the same columns;
    without a name it counts as V2 where the folder or its README says so.
    """

    name = "screenspot-v2"
    title = "ScreenSpot-V2"
    layout = (
        "screenspot_mobile_v2.json, screenspot_desktop_v2.json and screenspot_web_v2.json with their screenshots in "
        "screenspotv2_image/ (or its zip file), or parquet files with the columns image, bbox, instruction, data_type, "
        "data_source"
    )

    @classmethod
    def own(cls, folder: Path, files: list[Path]) -> list[Path]:
        if says(folder, "screenspotv2") or any(path.suffix == ".parquet" for path in files):
            return files
        return [path for path in files if "v2" in path.stem.lower()]


def decide(boxes: Iterable[tuple[Any, Size | None]]) -> Boxes:
    """The form of a file's boxes, from all of them and the sizes of their screens where those are known.

    Two corners are in order and on the screen; x, y, width and height reach no further than the screen. Boxes that fit
    both ways or neither say nothing. On a screen of unknown size, numbers that could be two corners are two corners: of
    real boxes 4 % are both wider than their distance from the left and higher than that from the top.
    """
    count = shares = only_xywh = only_xyxy = 0
    for value, size in boxes:
        with suppress(ValueError):
            box: Box = convert(value, Box)
            count += 1
            shares += max(box) <= 1.05
            as_xyxy = _fits(box, size)
            as_xywh = _fits(Box.from_xywh(*box), size) if size else not as_xyxy
            only_xywh += as_xywh and not as_xyxy
            only_xyxy += as_xyxy and not as_xywh
    if count and shares > 0.9 * count:
        return Boxes("unit", count)
    return Boxes("xyxy" if only_xyxy > only_xywh else "xywh", count, only_xywh, only_xyxy)


def in_pixels(box: Box, form: Form, size: Size) -> Box:
    """Two corners in pixels."""
    if form == "unit":
        return from_unit(box, size)
    return Box.from_xywh(*box) if form == "xywh" else box


def _fits(box: Box, size: Size | None) -> bool:
    inside = size is None or (box.x1 <= size.width + 1 and box.y1 <= size.height + 1)
    return box.x0 < box.x1 and box.y0 < box.y1 and inside


def _boxes_of_json(path: Path, pictures: Pictures) -> Iterator[tuple[Any, Size | None]]:
    for item in items(path):
        if isinstance(item.value, dict):
            size = None
            with suppress(ValueError):
                size = pictures.find(str(item.value.get("img_filename", "")), "img_filename").size
            yield item.value.get("bbox"), size


def _platform(path: Path, record: _Record) -> str:
    """By the file's name, the screenshot's, or where the sample comes from."""
    named = _NAME.search(path.name)
    words = [named[1].lower() if named else "", (record.img_filename or "").rpartition("/")[2].partition("_")[0]]
    return next((_PLATFORM[word] for word in [*words, record.data_source or ""] if word in _PLATFORM), "")


def _order(path: Path) -> int:
    named = _NAME.search(path.name)
    return list(_PLATFORMS).index(named[1].lower()) if named else len(_PLATFORMS)


def _listed(folder: Path, suffix: str) -> list[Path]:
    if folder.is_file():
        return [folder] if folder.suffix == suffix else []
    places = (folder, folder / "metadata", folder / "annotations", folder / "data")
    return [path for place in places for path in sorted(place.glob(f"*{suffix}"))]


def _is_annotation(path: Path) -> bool:
    if _NAME.fullmatch(path.name):
        return True
    found = fields(path)
    return found >= _FIELDS and "ui_type" not in found


def _parquets(folder: Path) -> list[Path]:
    """Those with the right columns, and those cut off beside them."""
    listed = _listed(folder, ".parquet")
    right = [path for path in listed if names_columns(path, *_COLUMNS)]
    cut_off = [path for path in listed if not names_columns(path)]
    return sorted(right + cut_off) if right or says(folder, "screenspot") else []
