"""Elements of an Android screen, from the accessibility forest that android_env's forwarder records.

A forest (`AndroidAccessibilityForest`, as AndroidControl stores one beside each screenshot) has a window for each layer
of the screen, a window has a list of nodes, and nodes name their children by number. Bounds are in pixels of the
screen. The forest tells what is visible to the user, but not which window hides another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from saccade.geometry import Box, Point, Size
from saccade.screens.protobuf import VARINT, fields, signed, tag, text, varint
from saccade.screens.widgets import EDITABLE, PICTURES, caption_of, squeeze, type_of
from saccade.types import Element

MOST_NODES = 20_000
NOWHERE = Box(0, 0, 0, 0)

_WINDOW, _TREE, _NODE = tag(1), tag(11), tag(1)
_ID, _BOUNDS = tag(1, VARINT), tag(2)
_CHILDREN, _CHILD = tag(25), tag(25, VARINT)
_TEXTS = {
    tag(3): "class",
    tag(4): "content-desc",
    tag(5): "hint",
    tag(7): "text",
    tag(10): "resource-id",
    tag(31): "tooltip",
}
_FLAGS = {
    tag(12, VARINT): "checkable",
    tag(13, VARINT): "checked",
    tag(14, VARINT): "clickable",
    tag(15, VARINT): "editable",
    tag(16, VARINT): "enabled",
    tag(17, VARINT): "focusable",
    tag(18, VARINT): "focused",
    tag(19, VARINT): "long-clickable",
    tag(20, VARINT): "password",
    tag(21, VARINT): "scrollable",
    tag(22, VARINT): "selected",
    tag(23, VARINT): "visible",
}
"""Fields of a node by uiautomator's names for them, which the table of widgets speaks."""
_SECRET = re.compile(r"passw(or)?d|passcode|passphrase|(^|[/_])(pwd|pin)($|_)", re.IGNORECASE)


@dataclass(slots=True, eq=False)
class AccessibilityNode:
    """One view, with what matters of it."""

    values: dict[str, str]
    box: Box
    id: int
    below: list[int]
    """Its children's numbers."""
    kind: str = ""
    text: str = ""
    parent: AccessibilityNode | None = None
    children: list[AccessibilityNode] = field(default_factory=list)
    shown: bool = False
    kept: bool = False
    leaf: bool = True

    def on(self, flag: str) -> bool:
        return flag in self.values

    @property
    def clickable(self) -> bool:
        return self.on("clickable") or self.on("long-clickable") or self.on("checkable")

    @property
    def interactive(self) -> bool:
        return self.clickable or self.on("scrollable") or self.on("editable") or self.kind in EDITABLE

    @property
    def told(self) -> str:
        return squeeze(self.values.get("content-desc", ""))


class Forest:
    """All windows of a screen. `ValueError` if the bytes are no forest."""

    def __init__(self, data: bytes, size: Size) -> None:
        self.size = size
        self.nodes = [node for window in _windows(data) for node in _in_order(window)]
        """Window by window, parents before children."""
        for node in self.nodes:
            _describe(node, size)

    def elements(self) -> list[Element]:
        """What a user can see, name or act on, numbered from 1 in tree order, boxes clipped to the screen."""
        shown = [node for node in self.nodes if node.shown]
        for node in shown:
            if node.clickable and not node.text and node.kind not in EDITABLE and not node.on("scrollable"):
                node.text = squeeze(" ".join(_inner_texts(node)))
        kept = [node for node in shown if _keep(node)]
        return [_element(at, node) for at, node in enumerate(kept, 1)]

    def target(self, point: Point) -> Box | None:
        """The box of what a tap there hits: the smallest clickable node that contains the point."""
        hits = [node.box for node in self.nodes if node.shown and node.clickable and node.box.contains(point)]
        return min(hits, key=lambda box: box.area, default=None)


# -- reading ----------------------------------------------------------------------------------------------------------


def _windows(data: bytes) -> Iterator[list[AccessibilityNode]]:
    """The nodes of each window."""
    count = 0
    for outer, begin, end in fields(data, 0, len(data)):
        if outer != _WINDOW:
            continue
        for inner, low, high in fields(data, begin, end):
            if inner == _TREE:
                nodes = [_node(data, at, to) for key, at, to in fields(data, low, high) if key == _NODE]
                count += len(nodes)
                if count > MOST_NODES:
                    raise ValueError(f"the forest has more than {MOST_NODES} nodes: no real screen does")
                yield nodes


def _node(data: bytes, at: int, end: int) -> AccessibilityNode:
    values: dict[str, str] = {}
    box, id, below = NOWHERE, 0, list[int]()
    for key, low, high in fields(data, at, end):
        if key in _FLAGS:
            if low:
                values[_FLAGS[key]] = "true"
        elif key in _TEXTS:
            values[_TEXTS[key]] = text(data, low, high)
        elif key == _BOUNDS:
            sides = {side >> 3: signed(value, 32) for side, value, _ in fields(data, low, high) if side & 7 == VARINT}
            box = Box(*(sides.get(side, 0) for side in (1, 2, 3, 4)))
        elif key == _ID:
            id = signed(low, 32)
        elif key == _CHILDREN:
            while low < high:
                child, low = varint(data, low, high)  # noqa: PLW2901
                below.append(child)
        elif key == _CHILD:
            below.append(low)
    return AccessibilityNode(values, box, id, below)


def _in_order(nodes: list[AccessibilityNode]) -> Iterator[AccessibilityNode]:
    """Parents before children, siblings as their parent has them. A number that leads nowhere, or in a circle, is
    passed over: what is recorded while the screen changes may be torn.
    """
    by_id = {node.id: node for node in nodes}
    children = {number for node in nodes for number in node.below}
    seen: set[AccessibilityNode] = set()
    for root in [*(node for node in nodes if node.id not in children), *nodes]:
        stack: list[tuple[AccessibilityNode, AccessibilityNode | None]] = [(root, None)]
        while stack:
            node, parent = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if parent is not None:
                node.parent = parent
                parent.children.append(node)
            yield node
            stack += [(by_id[number], node) for number in reversed(node.below) if number in by_id]


# -- judging ----------------------------------------------------------------------------------------------------------


def _describe(node: AccessibilityNode, size: Size) -> None:
    """What a node is, where it is on the screen, and what it says itself. What a password field holds is forgotten."""
    values, box = node.values, node.box
    values.setdefault("content-desc", values.get("tooltip", ""))
    said = squeeze(values.get("text", ""))
    if node.on("password") or (node.on("editable") and _SECRET.search(values.get("resource-id", ""))):
        values |= {"password": "true", "text": ""} | ({"filled": "true"} if said else {})
        values["content-desc"] = "" if node.told == said else node.told
        said = ""
    node.kind = type_of(values.get("class", ""), values)
    if node.on("editable") and node.kind not in EDITABLE:
        node.kind = "input"
    node.box = Box(max(0, box.x0), max(0, box.y0), min(size.width, box.x1), min(size.height, box.y1))
    node.shown = node.on("visible") and node.box.width >= 1 and node.box.height >= 1
    if node.kind in EDITABLE:
        node.text = "" if said == squeeze(values.get("hint", "")) else said
    else:
        node.text = said or (node.told if node.interactive or node.kind in PICTURES else "")


def _inner_texts(node: AccessibilityNode) -> Iterator[str]:
    """The texts inside a row or card that is clicked as a whole; not those of buttons within it."""
    stack = node.children[::-1]
    while stack:
        child = stack.pop()
        if child.shown and not child.interactive:
            yield child.text or child.told
            stack += child.children[::-1]


def _keep(node: AccessibilityNode) -> bool:
    """Is there anything to act on, to read or to look at? A text that only repeats what holds it is not kept."""
    said = node.text or node.told
    picture = node.kind in PICTURES and not node.children
    if not (node.interactive or said or picture):
        return False
    holder = node.parent
    while holder is not None and not holder.kept:
        holder = holder.parent
    if holder is not None and not node.interactive and not picture and said == holder.text:
        return False
    node.kept = True
    while holder is not None and holder.leaf:
        holder.leaf = False
        holder = holder.parent
    return True


def _element(id: int, node: AccessibilityNode) -> Element:
    state = [flag for flag in ("checked", "selected") if node.on(flag)]
    state += ["disabled"] if not node.on("enabled") else []
    state += [flag for flag in ("filled", "focused") if node.on(flag)]
    caption = caption_of(node.values)
    return Element(id, node.box, node.kind, node.text, caption, node.interactive, node.leaf, " ".join(state))
