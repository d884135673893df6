"""Elements of a page: a walk through its DOM, shadow roots and frames, told by a snapshot which nodes hear clicks."""

from __future__ import annotations

import math
from typing import Any, Protocol

from saccade.geometry import Box, Size
from saccade.screens.source import javascript
from saccade.types import Element

WALK = javascript("saccade.screens", "dom.js")


class Page(Protocol):
    """The part of a Playwright page that is needed here."""

    @property
    def frames(self) -> list[Any]: ...
    @property
    def main_frame(self) -> Any: ...


class Session(Protocol):
    async def send(self, method: str, params: dict[str, Any] | None = None) -> Any: ...


async def page_elements(page: Page, session: Session, scale: float, size: Size) -> list[Element]:
    """All visible elements, boxes in screenshot pixels, numbered from 1 in document order."""
    clickable = await _clickable(session)
    view = Box(0, 0, size.width / scale, size.height / scale)
    rows: list[tuple[Box, dict[str, Any]]] = []
    for frame in page.frames:
        place = view if frame == page.main_frame else await _place(frame, view)
        if place is None:
            continue
        clip = [max(0, -place.x0), max(0, -place.y0), min(place.x1, view.x1) - place.x0, min(place.y1, view.y1) - place.y0]
        try:
            found = await frame.evaluate(WALK, {"clickable": clickable, "clip": clip})
        except Exception as error:  # noqa: BLE001  (Playwright's own error type would make this room need it)
            if "playwright" not in type(error).__module__:
                raise
            continue  # the frame went away while we looked
        rows += [(Box(row["box"][0] + place.x0, row["box"][1] + place.y0, row["box"][2] + place.x0, row["box"][3] + place.y0), row) for row in found]
    return [_element(at, box, row, scale, size) for at, (box, row) in enumerate(rows, 1)]


async def _clickable(session: Session) -> list[str]:
    """`TAG|x|y|w|h` of every node with a click listener, relative to its document's view."""
    snapshot = await session.send("DOMSnapshot.captureSnapshot", {"computedStyles": []})
    names, keys = snapshot["strings"], []
    for document in snapshot["documents"]:
        listening = set(document["nodes"].get("isClickable", {}).get("index", ()))
        left, top = document.get("scrollOffsetX", 0), document.get("scrollOffsetY", 0)
        layout = document["layout"]
        for node, (x, y, width, height) in zip(layout["nodeIndex"], layout["bounds"], strict=True):
            if node in listening:
                tag = names[document["nodes"]["nodeName"][node]].upper()
                keys.append(f"{tag}|{_half_up(x - left)}|{_half_up(y - top)}|{_half_up(width)}|{_half_up(height)}")
    return keys


def _half_up(value: float) -> int:
    """JavaScript's rounding."""
    return math.floor(value + 0.5)


async def _place(frame: Any, view: Box) -> Box | None:
    """Where a frame's content lies on the page; None if it is not visible."""
    try:
        element = await frame.frame_element()
        box = await element.bounding_box()
        inset = await element.evaluate("node => [node.clientLeft, node.clientTop, node.clientWidth, node.clientHeight]")
    except Exception as error:  # noqa: BLE001
        if "playwright" not in type(error).__module__:
            raise
        return None
    if box is None:
        return None
    x, y = box["x"] + inset[0], box["y"] + inset[1]
    place = Box(x, y, x + inset[2], y + inset[3])
    return place if place.iou(view) > 0 else None


def _element(id: int, box: Box, row: dict[str, Any], scale: float, size: Size) -> Element:
    pixels = Box(
        max(0, round(box.x0 * scale)),
        max(0, round(box.y0 * scale)),
        min(size.width, round(box.x1 * scale)),
        min(size.height, round(box.y1 * scale)),
    )
    return Element(
        id, pixels, row["type"], row["text"], row["caption"], row["interactive"], row["leaf"], row["state"]
    )
