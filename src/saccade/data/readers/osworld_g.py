"""OSWorld-G: grounding on desktop screens, with boxes, polygons, and samples that must be refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from saccade.data.readers.arrays import fields
from saccade.data.readers.base import Sample, convert
from saccade.data.readers.grounding import GroundingSet, Pictures, grounding_step
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.types import SEVERAL

_FIELDS = {"image_path", "image_size", "box_type", "box_coordinates"}
CAPABILITIES: dict[str, frozenset[str]] = {
    "text matching": frozenset({"Label"}),
    "element recognition": frozenset({"Icon", "Image", "Button"}),
    "layout understanding": frozenset(
        {
            *("Tab", "Banner/Notification", "Accordion/Collapsible Panel", "Pagination Control", "Toolbar", "Menu Bar"),
            *("Dropdown Menu", "List", "Grid", "Tree View", "Dialog/Modal", "Panel/Container", "Sidebar", "Drawer"),
            "Window Hierarchy",
        }
    ),
    "fine-grained manipulation": frozenset(
        {
            *("Slider", "Stepper", "Divider", "Toggle/Switch", "Accordion/Collapsible Panel", "Checkbox"),
            *("Radio Button", "Color Picker", "Date Picker", "Table", "Text Field/Input Box", "Search Bar"),
            *("Text Field", "Input Box", "Window Border"),
        }
    ),
}
"""The authors' groups of GUI types (their `buckets.json`)."""
REFUSAL = "refusal"


class _Record(msgspec.Struct):
    """One sample as it is written."""

    id: str
    image_path: str
    image_size: Size
    instruction: str
    box_type: str
    box_coordinates: list[float]
    GUI_types: list[str] = []


class OSWorldG(GroundingSet):
    """OSWorld-G: 564 samples of desktop screens (Linux applications, 1920×1080 and 1280×720).

    The target is a box (`[x, y, width, height]` in pixels), a polygon (`[x, y, x, y, …]`), or a refusal: nothing on the
    screen is meant, and the right answer is to end with status `failure`. The authors' own evaluator reads a refusal
    as a point with two negative coordinates. The tag `type` holds the GUI types and the tag `capability` the authors'
    groups of them; a sample with several counts in each. `instructions=refined` reads `OSWorld-G_refined.json`, where
    every instruction names its element.
    """

    name = "osworld-g"
    title = "OSWorld-G"
    layout = "OSWorld-G.json (image_path, box_type, box_coordinates, GUI_types, …), here or in benchmark/, and images/"
    licence = "Apache-2.0"
    space = "refusable_grounding"
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"instructions": ("original", "refined")}

    @classmethod
    def files(cls, folder: Path) -> list[Path]:
        if folder.is_file():
            return [folder] if folder.suffix == ".json" and fields(folder) >= _FIELDS else []
        listed = sorted((folder / "benchmark").glob("*.json")) or sorted(folder.glob("*.json"))
        return [path for path in listed if path.stem.startswith("OSWorld-G") or fields(path) >= _FIELDS]

    def samples(self) -> Iterator[Sample]:
        files, wanted = self.files(self.folder), self.options["instructions"]
        if self.folder.is_dir():
            files = [path for path in files if ("refined" in path.stem.lower()) == (wanted == "refined")]
        if not files:
            other = "_refined" if wanted == "refined" else ""
            raise InputError(
                f"{self.folder}: expected OSWorld-G{other}.json, the {wanted} instructions, and found none"
            )
        for path in files:
            pictures = Pictures(self.root, path.parent / "images")
            for _, _, value, where in self.records([path]):
                try:
                    yield _sample(value, pictures, where)
                except ValueError as error:
                    self.bad(where, str(error))


def _sample(value: Any, pictures: Pictures, where: str) -> Sample:
    record: _Record = convert(value, _Record)
    if min(record.image_size) <= 0:
        raise ValueError(f"image_size: {list(record.image_size)} is no size of a screen")
    located = pictures.find(record.image_path, "image_path", record.image_size)
    target = _target(record.box_type, record.box_coordinates)
    tags = {
        "platform": "desktop",
        "target": record.box_type,
        "type": SEVERAL.join(sorted(set(record.GUI_types))),
        "capability": SEVERAL.join(capabilities(record.GUI_types, refused=target is None)),
    }
    return Sample(grounding_step(record.id, record.instruction, located, target, tags), located.picture, where)


def _target(kind: str, numbers: Sequence[float]) -> Box | list[Point] | None:
    """The box, the corners of the polygon, or None for a refusal."""
    match kind:
        case "bbox":
            if len(numbers) != 4:
                raise ValueError(f"box_coordinates: {len(numbers)} numbers; a bbox has x, y, width and height")
            return Box.from_xywh(*numbers)
        case "polygon":
            if len(numbers) < 6 or len(numbers) % 2:
                raise ValueError(
                    f"box_coordinates: {len(numbers)} numbers; a polygon has x and y of at least 3 corners"
                )
            return [Point(x, y) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
        case "refusal":
            return None
    raise ValueError(f"box_type: {kind[:40]!r} is unknown: expected bbox, polygon or refusal")


def capabilities(types: Sequence[str], refused: bool) -> list[str]:
    """The groups of a sample as the authors' script sorts it: each GUI type adds the first group that lists it and that
    the sample is not in yet (a collapsible panel is in two); a refused sample is in `refusal` as well.

    >>> capabilities(["Button", "Icon", "Label"], refused=False)
    ['text matching', 'element recognition']
    """
    found: set[str] = set()
    for each in types:
        found |= set([name for name, listed in CAPABILITIES.items() if each in listed and name not in found][:1])
    return [name for name in CAPABILITIES if name in found] + [REFUSAL] * refused
