"""Finds the node, through all nested frames, that would receive the touch or the keys of an action on a page.

A screenshot shows what is drawn on top, but a click goes to the node that is hit. The two differ under transparent
frames, and when the page has changed since the screenshot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import CDPSession, ElementHandle, Error, Frame, Page

from saccade.screens.dom import PLACE, Place
from saccade.screens.source import javascript
from saccade.worlds.browser.tabs import Tabs

TARGET = javascript("saccade.worlds.browser", "action_target.js")
HAS_FOCUS = javascript("saccade.worlds.browser", "focus.js")
FOCUSED = """() => {
  let node = document.activeElement;
  while (node && node.shadowRoot && node.shadowRoot.activeElement) node = node.shadowRoot.activeElement;
  return node;
}"""
INSERT = """(node, text) => {
  let focused = document.activeElement;
  while (focused && focused.shadowRoot && focused.shadowRoot.activeElement) focused = focused.shadowRoot.activeElement;
  return focused === node && document.execCommand("insertText", false, text);
}"""
DEEPEST = 8
"""How many nested frames are followed."""
BY_VALUE = {"returnByValue": True}

Spot = tuple[float, float] | None
"""A point in CSS pixels, or None for the focused node."""


@dataclass
class ActionTarget:
    """What an action would hit, collected from all frames: texts, link addresses, kinds of fields."""

    words: list[str] = field(default_factory=list)
    leads: list[str] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    control: bool = False
    unknown: bool = False
    """Could it not be found out for all points?"""


async def find_target(tabs: Tabs, spots: Sequence[Spot], submit: bool, most: float) -> ActionTarget:
    """What is at each of the points. Nodes that cover more than `most` pixels are left out."""
    found = ActionTarget()
    session = await tabs.session()
    for spot in spots:
        try:
            tree = await session.send("Page.getFrameTree")
            asked = {"place": spot, "submit": submit, "most": most}
            await _follow(tabs, session, tree["frameTree"]["frame"]["id"], asked, found, 0)
        except Error:  # a script failed, a frame is gone, or the page is navigating
            found.unknown = True
    return found


async def _follow(
    tabs: Tabs, session: CDPSession, frame: str, asked: dict[str, Any], found: ActionTarget, depth: int
) -> None:
    """Look into a frame, and into the frame that is hit in it. The page's own scripts cannot change the answer: it is
    found in an isolated world.
    """
    world = await session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "saccade"})
    context = {"executionContextId": world["executionContextId"], "arguments": [{"value": asked}]}
    hit = {"objectId": (await _call(session, TARGET, context))["objectId"]}
    target = (await _call(session, "function () { return this.target; }", hit | BY_VALUE))["value"]
    found.words += target["words"]
    found.leads += target["leads"]
    found.fields += target["fields"]
    found.control |= target["control"]
    found.unknown |= target["unknown"]
    node = await _call(session, "function () { return this.node; }", hit)
    if "objectId" not in node:
        return
    node = {"objectId": node["objectId"]}
    inner = (await session.send("DOM.describeNode", node))["node"].get("frameId")
    if inner is None:
        return
    if depth >= DEEPEST:
        found.unknown = True
        return
    if spot := asked["place"]:
        place = await _call(session, f"function () {{ return ({PLACE})(this); }}", node | BY_VALUE)
        box = Place(**place["value"]).inward([*spot, *spot])
        asked = asked | {"place": (box.x0, box.y0)}
    await _follow(tabs, await tabs.frame_session(inner) or session, inner, asked, found, depth + 1)


async def _call(session: CDPSession, function: str, where: dict[str, Any]) -> dict[str, Any]:
    """The result of a function in a page; a script that fails raises `Error`, as everything else does here."""
    done = await session.send("Runtime.callFunctionOn", {"functionDeclaration": function, **where})
    if "exceptionDetails" in done:
        raise Error(f"the page's answer is an error: {done['exceptionDetails'].get('text', '')}")
    result: dict[str, Any] = done["result"]
    return result


async def focused_field(page: Page) -> tuple[Frame, ElementHandle] | None:
    """The field that would receive typed text, and its frame. Each frame is asked separately, so a hostile frame can
    claim the focus only for its own address.
    """
    found = []
    for frame in page.frames:
        try:
            if await frame.evaluate("() => document.hasFocus()") and await frame.evaluate(HAS_FOCUS):
                node = (await frame.evaluate_handle(FOCUSED)).as_element()
                found += [(frame, node)] if node is not None else []
        except Error:
            continue
    return found[0] if len(found) == 1 else None
