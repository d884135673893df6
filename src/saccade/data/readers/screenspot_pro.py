"""ScreenSpot-Pro: grounding on screenshots of professional applications at full size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from saccade.data.readers.arrays import fields
from saccade.data.readers.base import Sample, convert
from saccade.data.readers.grounding import GroundingSet, Pictures, grounding_step, kind_tags
from saccade.geometry import Box, Size

_FIELDS = {"img_filename", "bbox", "img_size", "ui_type"}


class _Record(msgspec.Struct):
    """One sample as it is written."""

    img_filename: str
    bbox: Box
    img_size: Size
    id: str
    instruction: str | None = None
    instruction_cn: str | None = None
    application: str | None = None
    platform: str | None = None
    ui_type: str | None = None
    group: str | None = None


class ScreenSpotPro(GroundingSet):
    """ScreenSpot-Pro: 1,581 samples, 23 applications in six groups, three systems; a file each.

    Boxes are two corners in pixels. `language=zh` takes the Chinese wording of the instruction. Every screen is a
    desktop's: the record's own `platform` (windows, macos, linux) is the tag `os`. Screen sizes come from the record,
    so that the annotations can be read without the screenshots (5 GB).
    """

    name = "screenspot-pro"
    title = "ScreenSpot-Pro"
    layout = "annotations/ with json files (img_filename, bbox, img_size, ui_type, …), and images/"
    licence = "MIT"
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"language": ("en", "zh")}

    @classmethod
    def files(cls, folder: Path) -> list[Path]:
        if folder.is_file():
            return [folder] if folder.suffix == ".json" and fields(folder) >= _FIELDS else []
        listed = sorted((folder / "annotations").glob("*.json")) or sorted(folder.glob("*.json"))
        right = [path for path in listed if fields(path) >= _FIELDS]
        return listed if right and right[0].parent.name == "annotations" else right

    def samples(self) -> Iterator[Sample]:
        pictures = Pictures(self.root, self.root / "images")
        for path, _, value, where in self.records(self.files(self.folder)):
            try:
                sample = self._sample(path, value, pictures, where)
            except ValueError as error:
                self.bad(where, str(error))
                continue
            yield sample

    def _sample(self, path: Path, value: Any, pictures: Pictures, where: str) -> Sample:
        record: _Record = convert(value, _Record)
        field = "instruction" if self.options["language"] == "en" else "instruction_cn"
        instruction = record.instruction if field == "instruction" else record.instruction_cn
        if instruction is None:
            raise ValueError(f"{field}: missing")
        if min(record.img_size) <= 0:
            raise ValueError(f"img_size: {list(record.img_size)} is no size of a screen")
        located = pictures.find(record.img_filename, "img_filename", record.img_size)
        tags = {
            "platform": "desktop",
            "os": record.platform,
            "app": record.application,
            "group": record.group,
            "language": self.options["language"],
            "source": path.stem,
            **kind_tags(record.ui_type),
        }
        return Sample(grounding_step(record.id, instruction, located, record.bbox, tags), located.picture, where)
