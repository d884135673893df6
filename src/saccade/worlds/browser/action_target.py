"""What an action would do on a page: the node that it hits, that node's texts and addresses, and the evidence that it
is harmless.

A screenshot shows what is drawn on top, but a click goes to the node that is hit. The two differ under transparent
frames, and when the page has changed since the screenshot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import ElementHandle, Error, Frame, Page

from saccade.screens.source import javascript
from saccade.worlds.browser.hit_test import HitNode, Spot, hit_nodes, listeners, nodes_near, own_root
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
MOST_ROUNDS = 8
"""Closed shadow roots in one another that are looked into."""


@dataclass
class ActionTarget:
    """What an action would hit, collected from all its points."""

    words: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    """Those of the words that links say themselves, and not what stands around them."""
    leads: list[str] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    """For each node, why it is harmless: `link`, `page` or `search`; empty where nothing says so."""
    control: bool = False
    unknown: bool = False
    """Could it not be found out for all points?"""
    nodes: list[HitNode] = field(default_factory=list)


async def find_target(
    tabs: Tabs, spots: Sequence[Spot], submit: bool, most: float, typing: bool = False, reach: float = 0.0
) -> ActionTarget:
    """What is at each of the points, and what controls are within `reach` pixels of them. Nodes that cover more than
    `most` pixels, and are no controls, are left out.
    """
    found = ActionTarget()
    asked = {"submit": submit, "most": most, "type": typing, "touch": None not in spots}
    try:
        found.nodes = await hit_nodes(tabs, spots)
        hit = {node.key for node in found.nodes}
        near = [node for node in await nodes_near(tabs, spots, reach) if node.key not in hit] if reach else []
        for node in (*found.nodes, *near):
            target = await _described(node, asked)
            if node.key not in hit and not target["control"] and target["evidence"] == "page":
                continue  # nothing there reacts to a finger
            found.words += target["words"]
            found.labels += target["labels"]
            found.leads += target["leads"]
            found.fields += target["fields"]
            found.evidence.append(target["evidence"])
            found.control |= target["control"]
            found.unknown |= target["unknown"]
    except Error:  # a script failed, a frame is gone, or the page is navigating
        found.unknown = True
    return found


async def _described(node: HitNode, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer of action_target.js, told which closed shadow roots and which listeners are around the node."""
    roots: list[dict[str, Any]] = []
    for _ in range(MOST_ROUNDS):
        path = await _path(node, roots)
        asking = (node.session.send("DOM.describeNode", {"objectId": each}) for each in path)
        about = [each["node"] for each in await asyncio.gather(*asking)]
        inside = [await own_root(node, each) for each in about]
        pairs = [({"objectId": host}, root) for host, root in zip(path, inside, strict=True) if root is not None]
        if 2 * len(pairs) == len(roots):
            break
        roots = [part for pair in pairs for part in pair]
    else:
        raise Error("the shadow roots are nested too deeply")
    heard = await listeners(node.session, [each["backendNodeId"] for each in about])
    target: dict[str, Any] = await node.call(TARGET, {"value": asked | {"heard": heard}}, *roots)
    return target


async def _path(node: HitNode, roots: Sequence[dict[str, Any]]) -> list[str]:
    """Handles of the node and of the nodes around it, from inside out."""
    listed = await node.call(TARGET, {"value": {"list": True}}, *roots, by_value=False)
    asked = {"objectId": listed["objectId"], "ownProperties": True}
    properties = (await node.session.send("Runtime.getProperties", asked))["result"]
    return [each["value"]["objectId"] for each in properties if each["name"].isdigit()]


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
