"""Finds the node, through all nested frames, that would receive the touch or the keys of an action on a page.

A screenshot shows what is drawn on top, but a click goes to the node that is hit. The two differ under transparent
frames, and when the page has changed since the screenshot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import ElementHandle, Error, Frame, Page

from saccade.screens.dom import PLACE, Place
from saccade.screens.source import javascript

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

Spot = tuple[float, float] | None
"""A point in CSS pixels, or None for the focused node."""


@dataclass
class ActionTarget:
    """What an action would hit, collected from all frames: texts, link addresses, kinds of fields."""

    words: list[str] = field(default_factory=list)
    leads: list[str] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)


async def find_target(page: Page, spots: Sequence[Spot], submit: bool, most: float) -> ActionTarget:
    """What is at each of the points. Frames that disappear meanwhile and nodes that cover more than `most` pixels are
    left out.
    """
    found = ActionTarget()
    for spot in spots:
        try:
            await _follow(page.main_frame, {"place": spot, "submit": submit, "most": most}, found, 0)
        except Error:
            continue
    return found


async def _follow(frame: Frame, asked: dict[str, Any], found: ActionTarget, depth: int) -> None:
    handle = await frame.evaluate_handle(TARGET, asked)
    target = await handle.evaluate("found => found.target")
    found.words += target["words"]
    found.leads += target["leads"]
    found.fields += target["fields"]
    node = (await handle.get_property("node")).as_element()
    inner = await node.content_frame() if node is not None and depth < DEEPEST else None
    if node is None or inner is None:
        return
    if spot := asked["place"]:
        box = Place(**await node.evaluate(PLACE)).inward([*spot, *spot])
        asked = asked | {"place": (box.x0, box.y0)}
    await _follow(inner, asked, found, depth + 1)


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
