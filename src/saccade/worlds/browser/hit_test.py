"""Finds the node that a touch, a click or a key would reach: the browser's own hit test, asked over DevTools.

A page's scripts cannot change the answer (`document.elementFromPoint` can be replaced, and does not see closed shadow
roots). It holds for frames at any depth, frames of other sites in processes of their own, and whatever is drawn over
or under the place.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil, floor
from typing import Any

from playwright.async_api import CDPSession, Error

from saccade.worlds.browser.tabs import Tabs

Spot = tuple[float, float] | None
"""A point in CSS pixels of the page's viewport, or None for the focused node."""
WORLD = "saccade"
"""The isolated world in which nodes are looked at: the page's scripts have changed nothing there."""
DEEPEST = 40
"""Frames of other sites in one another, or shadow roots that the focus is in, that are followed."""
SCROLLED = "function () { return [scrollX, scrollY]; }"
ZOOMED = "function () { return this.currentCSSZoom; }"
ACTIVE = """function () {
  const kind = this instanceof Document ? Document : ShadowRoot;
  return Object.getOwnPropertyDescriptor(kind.prototype, "activeElement").get.call(this);
}"""
OWNER = "function () { return this instanceof Element ? this : this.element; }"
"""The element itself, or the one that a pseudo-element (::before) belongs to."""
DOCUMENT, WINDOW = "function () { return document; }", "function () { return window; }"
Node = dict[str, Any]


@dataclass(frozen=True)
class HitNode:
    """A node in the frame that it belongs to."""

    session: CDPSession
    frame: str
    id: int
    """The browser's own number (`backendNodeId`), which lasts as long as the node."""
    object: str
    """Its handle in the isolated world of its frame."""

    @property
    def key(self) -> tuple[str, int]:
        return self.frame, self.id

    async def call(self, function: str, *arguments: dict[str, Any], by_value: bool = True) -> Any:
        """The result of a function on the node (`this`); a handle if not `by_value`."""
        found = await call(self.session, function, self.object, *arguments, by_value=by_value)
        return found.get("value") if by_value else found


async def call(
    session: CDPSession, function: str, on: str, *arguments: dict[str, Any], by_value: bool = False
) -> dict[str, Any]:
    """Call a function on an object in a page. One that throws raises `Error`, as everything else does here."""
    asked = {"functionDeclaration": function, "objectId": on, "arguments": list(arguments), "returnByValue": by_value}
    done = await session.send("Runtime.callFunctionOn", asked)
    if "exceptionDetails" in done:
        raise Error(f"the page's answer is an error: {done['exceptionDetails'].get('text', '')}")
    result: dict[str, Any] = done["result"]
    return result


async def hit_nodes(tabs: Tabs, spots: Sequence[Spot]) -> list[HitNode]:
    """All nodes that are hit at the points, or that have the focus. Raises `Error` where that cannot be found out.

    The browser answers for whole pixels only: a point between them may hit what is at each of those around it.
    """
    session = await tabs.session()
    found: dict[tuple[str, int], HitNode] = {}
    for spot in spots:
        nodes = [await _focused(tabs, session)] if spot is None else await _at(tabs, session, _whole(spot))
        found |= {node.key: node for node in nodes}
    return list(found.values())


def _whole(spot: tuple[float, float]) -> list[tuple[float, float]]:
    x, y = spot
    return list(product({floor(x), ceil(x)}, {floor(y), ceil(y)}))


async def nodes_near(tabs: Tabs, spots: Sequence[Spot], reach: float) -> list[HitNode]:
    """What else a finger at these points may hit: Chromium moves a tap to a control up to `reach` pixels away."""
    offsets = [round(reach * part / 2) for part in range(-2, 3)]
    around = [
        (round(spot[0]) + across, round(spot[1]) + down)
        for spot in spots
        if spot is not None
        for across, down in product(offsets, offsets)
    ]
    return await _at(tabs, await tabs.session(), around, near=True)


async def _at(
    tabs: Tabs, session: CDPSession, points: Sequence[tuple[float, float]], near: bool = False, depth: int = 0
) -> list[HitNode]:
    """The nodes at these points of the viewport. `near`: points beyond the edge of the page are left out."""
    top = await _document(session, await _top_frame(session))
    x, y = (await call(session, SCROLLED, top, by_value=True))["value"]
    asked = ({"x": round(left + x), "y": round(down + y)} for left, down in points)
    asking = (session.send("DOM.getNodeForLocation", each) for each in asked)
    hits = await asyncio.gather(*asking, return_exceptions=near)
    nodes: dict[tuple[int, str], list[tuple[float, float]]] = {}
    for point, hit in zip(points, hits, strict=True):
        if not isinstance(hit, BaseException):
            nodes.setdefault((hit["backendNodeId"], hit["frameId"]), []).append(point)
    found: list[HitNode] = []
    for (id, frame), hitting in nodes.items():
        node = await _resolved(session, frame, id)
        inner = (await session.send("DOM.describeNode", {"objectId": node.object}))["node"]
        if inner.get("frameId", frame) == frame or "contentDocument" in inner:
            found.append(node)
            continue
        apart = await tabs.frame_session(inner["frameId"])
        if apart is None or depth >= DEEPEST:
            raise Error("a frame cannot be looked into")
        inside = {whole for point in hitting for whole in _whole(await _inward(node, point))}
        found += await _at(tabs, apart, sorted(inside), near, depth + 1)
    return found


async def _inward(frame: HitNode, spot: tuple[float, float]) -> tuple[float, float]:
    """A point of the page as a point of what a frame from another site shows, which may be moved, scaled or turned."""
    if await frame.call(ZOOMED) not in (None, 1):
        raise Error("the frame is zoomed")
    model = (await frame.session.send("DOM.getBoxModel", {"objectId": frame.object}))["model"]
    (x0, y0, x1, y1, x2, y2, x3, y3), border = model["content"], model["border"]
    if abs(x0 + x2 - x1 - x3) + abs(y0 + y2 - y1 - y3) > 1:
        raise Error("the frame is drawn in perspective")
    (ax, ay), (bx, by) = (x1 - x0, y1 - y0), (x3 - x0, y3 - y0)
    area = ax * by - ay * bx
    across = ((border[2] - border[0]) ** 2 + (border[3] - border[1]) ** 2) ** 0.5 / (model["width"] or 1)
    down = ((border[6] - border[0]) ** 2 + (border[7] - border[1]) ** 2) ** 0.5 / (model["height"] or 1)
    if not (area and across and down):
        raise Error("the frame has no size")
    x, y = spot[0] - x0, spot[1] - y0
    share_x, share_y = (x * by - y * bx) / area, (ax * y - ay * x) / area
    return share_x * (ax * ax + ay * ay) ** 0.5 / across, share_y * (bx * bx + by * by) ** 0.5 / down


async def _focused(tabs: Tabs, session: CDPSession) -> HitNode:
    frame = await _top_frame(session)
    scope = await _document(session, frame)
    for _ in range(DEEPEST):
        active = await call(session, ACTIVE, scope)
        if "objectId" not in active:  # nothing has the focus: keys go to the document
            root = await call(session, "function () { return this.documentElement || this.host; }", scope)
            return await _known(session, frame, root["objectId"])
        node = await _known(session, frame, active["objectId"])
        about = (await session.send("DOM.describeNode", {"objectId": node.object}))["node"]
        roots = _own_roots(about)
        if roots:
            scope = (await _resolved(session, frame, roots[0]["backendNodeId"], False)).object
            if "objectId" not in await call(session, ACTIVE, scope):
                return node
        elif "frameId" in about:
            frame = about["frameId"]
            session = await tabs.frame_session(frame) or session
            scope = await _document(session, frame)
        else:
            return node
    raise Error("the focus is nested too deeply")


def _own_roots(about: Node) -> list[Node]:
    """The shadow root that a page gave this node; the browser's own are left out."""
    return [root for root in about.get("shadowRoots", ()) if root.get("shadowRootType") != "user-agent"]


async def own_root(node: HitNode, about: Node) -> dict[str, Any] | None:
    """The shadow root of a node near this one, open or closed, as an argument of a call; None if it has none."""
    own = _own_roots(about)
    if not own:
        return None
    return {"objectId": (await _resolved(node.session, node.frame, own[0]["backendNodeId"], False)).object}


async def listeners(session: CDPSession, ids: Sequence[int]) -> list[list[str]]:
    """The types of the events that scripts listen to at each of these nodes; those of document and window as the last.
    The browser lists them only for handles of the page's own world.
    """
    resolved = await asyncio.gather(*(session.send("DOM.resolveNode", {"backendNodeId": id}) for id in ids))
    handles = [each["object"]["objectId"] for each in resolved]
    handles += [(await call(session, own, handles[-1]))["objectId"] for own in (DOCUMENT, WINDOW)]
    asked = (session.send("DOMDebugger.getEventListeners", {"objectId": handle}) for handle in handles)
    return [_types(found["listeners"]) for found in await asyncio.gather(*asked)]


def _types(listeners: Sequence[dict[str, Any]]) -> list[str]:
    """The types of events, without those that Playwright's own script listens to at the window."""
    own = {each["scriptId"] for each in listeners if each["type"].startswith("__playwright")}
    return sorted({each["type"] for each in listeners if each["scriptId"] not in own})


async def _top_frame(session: CDPSession) -> str:
    tree = await session.send("Page.getFrameTree")
    return str(tree["frameTree"]["frame"]["id"])


async def _context(session: CDPSession, frame: str) -> int:
    world = await session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": WORLD})
    return int(world["executionContextId"])


async def _document(session: CDPSession, frame: str) -> str:
    asked = {"expression": "document", "contextId": await _context(session, frame)}
    found = await session.send("Runtime.evaluate", asked)
    return str(found["result"]["objectId"])


async def _resolved(session: CDPSession, frame: str, id: int, element: bool = True) -> HitNode:
    """The node with this number, in the isolated world of its frame; for a pseudo-element, its element."""
    asked = {"backendNodeId": id, "executionContextId": await _context(session, frame)}
    object = (await session.send("DOM.resolveNode", asked))["object"]["objectId"]
    if not element:
        return HitNode(session, frame, id, object)
    owner = await call(session, OWNER, object)
    return HitNode(session, frame, id, owner["objectId"])


async def _known(session: CDPSession, frame: str, object: str) -> HitNode:
    about = (await session.send("DOM.describeNode", {"objectId": object}))["node"]
    return HitNode(session, frame, about["backendNodeId"], object)
