"""Elements of a page: a walk through its DOM, shadow roots and frames, told by a snapshot which nodes hear clicks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from saccade.geometry import Box, Size
from saccade.screens.source import javascript
from saccade.types import Element
from saccade.untrusted import decode_json

WALK = javascript("saccade.screens", "dom.js")
THROUGH = javascript("saccade.screens", "through.js")
PLACE = """node => {
  const box = node.getBoundingClientRect();
  const [across, down] = [box.width / node.offsetWidth || 1, box.height / node.offsetHeight || 1];
  const corner = [box.left + across * node.clientLeft, box.top + down * node.clientTop];
  return { whole: [box.left, box.top, box.right, box.bottom], corner: corner, scale: [across, down] };
}"""
ZOOM = "() => [visualViewport.scale, visualViewport.offsetLeft, visualViewport.offsetTop]"
"""Phones show pages that were made for desktops smaller."""
FRAME_MS = 500
LISTING_SECONDS = 6.0
MINIMUM_SECONDS = 0.2
MOST_FRAMES = 100
LONGEST_TEXT = 300
ELEMENT, SHADOW_ROOT = 1, 11
"""Node types of the DOM."""

Row = dict[str, Any]
Listening = dict[str, list[str]]
"""For each document, where its nodes with a click listener are: `0/1/s/2|DIV` is the third child in the shadow root of
the second child of the root element.
"""


class PlaywrightPage(Protocol):
    """The part of a Playwright page that is needed here."""

    @property
    def frames(self) -> list[Any]: ...
    @property
    def main_frame(self) -> Any: ...


class CdpSession(Protocol):
    async def send(self, method: str, params: dict[str, Any] | None = None) -> Any: ...


async def page_elements(
    page: PlaywrightPage,
    session: CdpSession,
    scale: float,
    size: Size,
    longest: int = LONGEST_TEXT,
    tell: Callable[[str], object] = lambda _: None,
) -> list[Element]:
    """All visible elements, boxes in screenshot pixels, numbered from 1 in document order; what a frame shows follows
    the frame. Texts are cut at `longest`; who wants more also gets boxes that hold all of a text that overflows.

    A page with too many elements or frames to be listed within `LISTING_SECONDS` is cut off there, and `tell` is told.
    """
    end = asyncio.get_running_loop().time() + LISTING_SECONDS
    inner = [frame for frame in page.frames if frame != page.main_frame][:MOST_FRAMES]
    await asyncio.gather(*map(_loaded, inner))
    (zoom, left, top), listening = await asyncio.gather(page.main_frame.evaluate(ZOOM), _listening_soon(session))
    scale *= zoom
    view = Box(left, top, left + size.width / scale, top + size.height / scale)
    rows = await _rows(page.main_frame, listening, view, longest, end, session)
    whole = [row for row in rows if "cut" not in row]
    if len(whole) < len(rows) or len(page.frames) > MOST_FRAMES + 1:
        tell("the page has more elements than can be listed in time: some are missing from the list")
    return [_element(at, row, view, scale, size) for at, row in enumerate(whole, 1)]


async def _listening_soon(session: CdpSession) -> Listening:
    """What listens for clicks; nothing where the page is so large that it takes too long to tell."""
    try:
        return await asyncio.wait_for(_listening(session), LISTING_SECONDS / 2)
    except TimeoutError:
        return {}


async def _loaded(frame: Any) -> None:
    """Wait until a frame is loaded: its listeners exist only when its scripts have run."""
    with _may_vanish():
        await frame.wait_for_load_state("domcontentloaded", timeout=FRAME_MS)


async def _listening(session: CdpSession) -> Listening:
    snapshot = await session.send("DOMSnapshot.captureSnapshot", {"computedStyles": []})
    strings = snapshot["strings"]
    found: Listening = {}
    for document in snapshot["documents"]:
        nodes = document["nodes"]
        keys = found.setdefault(strings[document["documentURL"]], [])
        listening = nodes.get("isClickable", {}).get("index", ())
        places = _places(nodes) if listening else {}
        keys += [f"{places[at]}|{strings[nodes['nodeName'][at]].upper()}" for at in listening if at in places]
    return found


async def _listening_apart(frame: Any) -> Listening:
    """The same for a frame from another site: it lives in a process of its own, and not in the page's snapshot."""
    session = await frame.page.context.new_cdp_session(frame)
    try:
        return await _listening(session)
    finally:
        await session.detach()


def _places(nodes: dict[str, Any]) -> dict[int, str]:
    """The place of each element in a snapshot's flat list, counting elements only: pages cannot see pseudo-elements."""
    pseudo = set(nodes.get("pseudoType", {}).get("index", ()))
    places: dict[int, str] = {}
    counts: dict[int, int] = {}
    for node, (parent, kind) in enumerate(zip(nodes["parentIndex"], nodes["nodeType"], strict=True)):
        if kind == SHADOW_ROOT and parent in places:
            places[node] = f"{places[parent]}/s"
        elif kind == ELEMENT and node not in pseudo:
            at = counts.get(parent, 0)
            counts[parent] = at + 1
            places[node] = f"{places[parent]}/{at}" if parent in places else str(at)
    return places


async def _walk(frame: Any, session: CdpSession | None, asked: dict[str, Any]) -> list[Row]:
    """The rows of one frame. With a session, the frame must be its page's main one: the walk then runs in an isolated
    world, where the page's scripts have changed nothing, and its answer comes as one text. Playwright takes
    other answers apart value by value, which for 350 elements takes twice as long as the walk itself.
    """
    rows: list[Row]
    if session is None:
        rows = await frame.evaluate(WALK, asked)
        return rows
    tree = await session.send("Page.getFrameTree")
    named = {"frameId": tree["frameTree"]["frame"]["id"], "worldName": "saccade"}
    world = await session.send("Page.createIsolatedWorld", named)
    function = f"asked => JSON.stringify(({WALK})(asked))"
    call = {"functionDeclaration": function, "arguments": [{"value": asked}], "returnByValue": True}
    done = await session.send("Runtime.callFunctionOn", call | {"executionContextId": world["executionContextId"]})
    if "exceptionDetails" in done:
        raise ValueError(f"the page's answer is an error: {done['exceptionDetails'].get('text', '')}")
    rows = decode_json(done["result"]["value"], list[Row])
    return rows


async def _rows(
    frame: Any, listening: Listening, clip: Box, longest: int, end: float, session: CdpSession | None = None
) -> list[Row]:
    """What a frame and the frames in it show, boxes in the frame's own coordinates. `session` for the main frame."""
    found: list[Row] = []
    with _may_vanish():
        if frame.url not in listening:
            listening = listening | await _listening_apart(frame)
    with _may_vanish():
        left = max(MINIMUM_SECONDS, (end - asyncio.get_running_loop().time()) / 2)
        asked = {"listening": listening, "clip": list(clip), "longest": longest, "milliseconds": 1000 * left}
        found = await _walk(frame, session, asked)
    frames = {tuple(row.pop("frame")): at for at, row in enumerate(found) if "frame" in row}
    inner: dict[int, list[Row]] = {}
    for child in frame.child_frames[:MOST_FRAMES] if frames else ():
        if asyncio.get_running_loop().time() > end:
            found.append({"cut": True})
            break
        with _may_vanish():
            element = await child.frame_element()
            place = Place(**await element.evaluate(PLACE))
            at = frames.get(tuple(place.whole))
            if at is None:
                continue  # it cannot be seen
            inside = await _rows(child, listening, place.inward(found[at]["box"]), longest, end)
            rows = [place.outward(row) for row in inside if "cut" not in row]
            shown = await element.evaluate(THROUGH, [row["box"] for row in rows])
            inner[at] = [row for row, seen in zip(rows, shown, strict=True) if seen]
            found[at]["leaf"] = not inner[at]
    return [part for at, row in enumerate(found) for part in (row, *inner.get(at, ()))]


@contextmanager
def _may_vanish() -> Iterator[None]:
    """Ignore Playwright's errors about a frame that went away. They are told by their module: nothing is imported."""
    try:
        yield
    except Exception as error:
        if "playwright" not in type(error).__module__:
            raise


class Place(NamedTuple):
    """Where a frame's content lies in the page around it."""

    whole: list[float]
    corner: list[float]
    scale: list[float]

    def inward(self, box: list[float]) -> Box:
        (x, y), (across, down) = self.corner, self.scale
        return Box((box[0] - x) / across, (box[1] - y) / down, (box[2] - x) / across, (box[3] - y) / down)

    def outward(self, row: Row) -> Row:
        (x, y), (across, down), box = self.corner, self.scale, row["box"]
        return row | {"box": [x + across * box[0], y + down * box[1], x + across * box[2], y + down * box[3]]}


def _element(id: int, row: Row, view: Box, scale: float, size: Size) -> Element:
    corner = (view.x0, view.y0, view.x0, view.y0)
    x0, y0, x1, y1 = (round((side - edge) * scale) for side, edge in zip(row["box"], corner, strict=True))
    box = Box(max(0, x0), max(0, y0), min(size.width, x1), min(size.height, y1))
    return Element(id, box, row["type"], row["text"], row["caption"], row["interactive"], row["leaf"], row["state"])
