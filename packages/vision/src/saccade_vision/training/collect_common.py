"""What the collectors of widget data share: from elements of a tree to boxes that a picture can teach, and the folder
they are written to.

Trees tell more than a picture shows: containers, wrappers around wrappers, labels as wide as their column, controls
that are not drawn. What the network is to learn must be visible, so every box is compared with the pixels under it.
"""

from __future__ import annotations

import argparse
import io
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from saccade.geometry import Box
from saccade.types import Element
from saccade_vision.element_types import word_for
from saccade_vision.training.screen_folder import ScreenFolder, described

Pixels = NDArray[np.uint8]

LONGER_SIDE = 1280
QUALITY = 80
SMALLEST_SIDE = 6
LARGEST_SHARE = 0.9
"""A box that covers more of the screen than this names the screen itself."""
LARGEST_ICON = 64
WIDEST_ICON = 3
LARGEST_GROUP_SHARE = 0.03
SAME_BOX = 0.85
"""Overlap (intersection over union) from which two boxes are one thing with a wrapper around it."""
FIELD_SHARE = 0.35
"""Share of a pressed box that a field in it must fill to be all there is to see."""
MOST_HELD = 4
"""Controls inside a pressed thing from which it counts as a container."""
LEAST_CONTRAST = 12
"""Difference of brightness, of 255, below which a box shows nothing."""
INK = 16
"""Difference from the ground, of 255, from which a pixel belongs to a text."""
FEWEST_ELEMENTS = 6
MOST_INVISIBLE = 0.3
"""Share of controls without anything to see from which the boxes of a screen are not believed."""
SAME_SCREEN = 0.012
"""Share of different points of two pictures at 64×36 below which they are the same screen: a menu is more."""
DIFFERENT = 10
"""Difference, of 255, from which two points are different."""
_TIGHTENED = frozenset(("text", "checkbox", "radio"))
"""Trees give these the width of their column."""
_PRESSED = frozenset(("button", "icon", "link", "list item", "image"))


@dataclass(frozen=True, slots=True)
class LabelledBox:
    """One box of the training data."""

    box: tuple[float, float, float, float]
    type: str
    interactive: bool
    state: str = ""
    """What the tree says of it: checked, selected, disabled … separated by spaces."""


def text_width(text: str) -> float:
    """About how many pixels a text needs at the usual size of desktop fonts: 5 a letter, 10 a Chinese character."""
    return sum(10 if unicodedata.east_asian_width(each) in "WF" else 5 for each in text)


def shows_name(element: Element) -> bool:
    """Is the element's name written on it? Trees name tool buttons that show only an icon. A name that does not fit
    into the box is not shown; neither is one of several letters in a small square.
    """
    width, height = element.box.width, element.box.height
    needed = text_width(element.text)
    if not element.text or needed + 6 > width:
        return False
    return not (height <= 40 and width <= 1.35 * height and needed >= 15)


def labels_of(elements: Sequence[Element], pixels: Pixels, has_text: Any = shows_name) -> list[LabelledBox]:
    """The boxes of a screen that can be learned from its picture; none if too many of them show nothing."""
    height, width = pixels.shape[:2]
    gray = np.asarray(Image.fromarray(pixels).convert("L"))
    found: list[LabelledBox] = []
    invisible = controls = 0
    for element in elements:
        word = _word(element, has_text(element), width * height)
        box = _cut(element.box, width, height)
        if not word or box is None:
            continue
        controls += element.interactive
        if not _visible(gray, box):
            invisible += element.interactive
            continue
        if word == "link":
            word = look_of_link(pixels, box)
        if word in _TIGHTENED:
            left = box[0]
            box = ink_box(pixels, box)
            if word != "text":  # the mark is at the left edge, and may be faint
                box = (left, *box[1:])
        found.append(LabelledBox(box, word, element.interactive, element.state))
    if controls and invisible > MOST_INVISIBLE * controls:
        return []
    return _without_containers(_fields_whole(_without_wrappers(found)))


def _word(element: Element, has_text: bool, screen: int) -> str:
    word = word_for(element.type, element.interactive, has_text)
    box = element.box
    if word == "icon" and element.type == "icon" and element.interactive and has_text:
        word = "list item"  # a file in a folder, with its name
    if word == "icon" and box.width > WIDEST_ICON * box.height:
        word = "button"  # a drop-down list, whose text is another node
    elif word == "icon" and min(box.width, box.height) > LARGEST_ICON:
        word = "image"
    if word == "image" and not element.interactive and max(box.width, box.height) <= LARGEST_ICON * 0.75:
        word = "icon"
    if element.type == "group" and box.area > LARGEST_GROUP_SHARE * screen:
        return ""
    return word if box.area <= LARGEST_SHARE * screen else ""


def _cut(box: Box, width: int, height: int) -> tuple[float, float, float, float] | None:
    """The part on the picture; None if too little of the box is there."""
    x0, y0, x1, y1 = max(0, box.x0), max(0, box.y0), min(width, box.x1), min(height, box.y1)
    if x1 - x0 < SMALLEST_SIDE or y1 - y0 < SMALLEST_SIDE or (x1 - x0) * (y1 - y0) < 0.4 * box.area:
        return None
    return x0, y0, x1, y1


def _visible(gray: Pixels, box: tuple[float, float, float, float]) -> bool:
    """Is there anything in the box or on its edge?"""
    x0, y0, x1, y1 = (round(side) for side in box)
    part = gray[max(0, y0 - 1) : y1 + 1, max(0, x0 - 1) : x1 + 1]
    return bool(part.size) and int(part.max()) - int(part.min()) >= LEAST_CONTRAST


def _ground(part: NDArray[np.int16]) -> NDArray[np.float64]:
    """The most frequent colour."""
    flat = part.reshape(-1, 3)
    codes = (flat[:, 0] >> 3 << 10) | (flat[:, 1] >> 3 << 5) | (flat[:, 2] >> 3)
    values, counts = np.unique(codes, return_counts=True)
    ground: NDArray[np.float64] = np.median(flat[codes == values[counts.argmax()]], axis=0)
    return ground


def ink_box(pixels: Pixels, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    """The part of the box where something is drawn on its ground, two pixels wider; the ground is the most frequent
    colour. Lines along the edge, as around the cells of a table, do not count.
    """
    edge = 3 if box[3] - box[1] >= 22 and box[2] - box[0] >= 22 else 0
    x0, y0, x1, y1 = round(box[0]) + edge, round(box[1]) + edge, round(box[2]) - edge, round(box[3]) - edge
    part = pixels[y0:y1, x0:x1].astype(np.int16)
    ink = np.abs(part - _ground(part)).max(axis=2) > INK
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not rows.size or columns[-1] - columns[0] < 3 or rows[-1] - rows[0] < 3:
        return box
    return (
        max(x0, x0 + int(columns[0]) - 2),
        max(y0, y0 + int(rows[0]) - 2),
        min(x1, x0 + int(columns[-1]) + 3),
        min(y1, y0 + int(rows[-1]) + 3),
    )


def look_of_link(pixels: Pixels, box: tuple[float, float, float, float]) -> str:
    """What a link looks like: a button if its ground differs from what is around it, an item of a list or menu if it
    is much larger than its words.
    """
    x0, y0, x1, y1 = (round(side) for side in box)
    around = pixels[max(0, y0 - 4) : y1 + 4, max(0, x0 - 4) : x1 + 4].astype(np.int16)
    ring = np.concatenate([around[:3].reshape(-1, 3), around[-3:].reshape(-1, 3)])
    differs = np.abs(_ground(pixels[y0:y1, x0:x1].astype(np.int16)) - _ground(ring)).max() > LEAST_CONTRAST
    if differs and y1 - y0 >= 18:
        return "button"
    ink = ink_box(pixels, box)
    roomy = (ink[2] - ink[0]) < 0.5 * (x1 - x0) or (ink[3] - ink[1]) < 0.5 * (y1 - y0)
    return "list item" if roomy and y1 - y0 >= 22 else "link"


def _overlaps(boxes: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """For each pair of boxes the area of the intersection; and the area of each box."""
    low = np.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    shared = np.clip(high - low, 0, None).prod(axis=2)
    return shared, (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def _without_wrappers(found: list[LabelledBox]) -> list[LabelledBox]:
    """Of boxes that are nearly the same only the first; one that can be acted on comes before one that cannot."""
    if not found:
        return []
    shared, areas = _overlaps(np.array([each.box for each in found], float))
    same = shared / (areas[:, None] + areas[None, :] - shared) > SAME_BOX
    kept: list[int] = []
    for at in sorted(range(len(found)), key=lambda at: (not found[at].interactive, at)):
        if not any(same[at, other] for other in kept):
            kept.append(at)
    return [found[at] for at in sorted(kept)]


def _fields_whole(found: list[LabelledBox]) -> list[LabelledBox]:
    """A nameless pressed box around one field is the field with its border and arrow: it takes the field's place."""
    if not found:
        return []
    shared, areas = _overlaps(np.array([each.box for each in found], float))
    held = (shared / areas[None, :] > 0.9) & (areas[None, :] < areas[:, None])
    fields = np.array([each.type in ("input", "select") for each in found])
    result = list(found)
    gone: set[int] = set()
    for at, each in enumerate(found):
        inner = np.flatnonzero(held[at] & fields)
        if each.type == "icon" and each.interactive and len(inner) == 1 and areas[inner[0]] > FIELD_SHARE * areas[at]:
            result[at] = LabelledBox(each.box, found[inner[0]].type, True, found[inner[0]].state)
            gone.add(int(inner[0]))
    return [each for at, each in enumerate(result) if at not in gone]


def _without_containers(found: list[LabelledBox]) -> list[LabelledBox]:
    """Without pressed things that hold several other controls: they are panels with a listener."""
    if not found:
        return []
    shared, areas = _overlaps(np.array([each.box for each in found], float))
    held = shared / areas[None, :] > 0.9
    can_act = np.array([each.interactive for each in found])
    counts = (held & can_act[None, :] & (areas[None, :] < areas[:, None])).sum(axis=1)
    inputs = np.array([each.type == "input" for each in found])
    return [
        each
        for each, count, is_input in zip(found, counts, inputs, strict=True)
        if not ((each.type in _PRESSED and each.interactive and count >= MOST_HELD) or (is_input and count > MOST_HELD))
    ]


# -- the folder -------------------------------------------------------------------------------------------------------


class ScreenCollection:
    """A folder of screens that grows session by session. One that has some already is continued."""

    def __init__(self, folder: Path) -> None:
        self.folder = ScreenFolder(folder, QUALITY)
        self.counts = Counter(line["source"] for line in self.folder.lines)
        self._seen: list[NDArray[np.float32]] = []

    def __len__(self) -> int:
        return len(self.folder)

    def new_session(self) -> None:
        """Screens of different sessions are not compared."""
        self._seen.clear()

    def next_source(self, names: Sequence[str], random: Random) -> str:
        """One of the sources with the fewest screens so far."""
        fewest = min(self.counts[name] for name in names)
        return random.choice([name for name in names if self.counts[name] <= fewest + 1])

    def add(self, pixels: Pixels, labels: Sequence[LabelledBox], *, source: str, look: str, language: str) -> bool:
        """Store a screen; False if it shows too little, or what was stored in this session before."""
        image = Image.fromarray(pixels)
        small = np.asarray(image.resize((64, 36), Image.Resampling.BOX), np.float32)
        changed = [(np.abs(small - seen).max(axis=2) > DIFFERENT).mean() for seen in self._seen]
        if len(labels) < FEWEST_ELEMENTS or min(changed, default=1) < SAME_SCREEN:
            return False
        self._seen.append(small)
        scale = min(1.0, LONGER_SIDE / max(image.size))
        if scale < 1:
            image = image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS)
        rows = [
            described([scale * side for side in each.box], each.type, each.interactive, each.state) for each in labels
        ]
        stored = self.folder.add(image, rows, source=source, look=look, language=language)
        self.counts[source] += stored
        return stored


def pixels_of(png: bytes) -> Pixels:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def read_arguments(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, required=True, help="the folder; what is there is continued")
    parser.add_argument("--screens", type=int, default=900, help="how many screens the folder shall have")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", default=[], help="these sources only")
    parser.add_argument("--kits", type=Path, default=None, help="a folder of npm packages (node_modules), for pages")
    return parser.parse_args()


def progress_bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns)
