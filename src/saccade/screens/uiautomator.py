"""Elements of an Android screen, from the XML that `uiautomator dump` writes.

The text comes from a device, so it is not trusted: it is read as a stream, without document types or entities, and with
limits on length, depth and number of nodes. Passwords never leave this file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.etree.ElementTree import ParseError, XMLParser

from saccade.geometry import Box, Size
from saccade.screens.widgets import EDITABLE, PICTURES, caption_of, squeeze, type_of
from saccade.types import Element

MOST_CHARACTERS = 8_000_000
MOST_NODES = 20_000
DEEPEST = 400
"""Real screens nest 20 to 60 views."""
HOLDERS = frozenset(("hierarchy", "displays", "display", "window"))
"""What wraps nodes without being one; the last three come with `--windows`."""

_BOUNDS = re.compile(r"\[(-?\d{1,7}),(-?\d{1,7})\]\[(-?\d{1,7}),(-?\d{1,7})\]", re.ASCII)
_FORBIDDEN = re.compile(r"<!(DOCTYPE|ENTITY)", re.IGNORECASE)
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PAIR = re.compile(r"&#(5[56]\d{3});&#(5[67]\d{3});")
_REFERENCE = re.compile(r"&#(?:x([0-9a-fA-F]+)|([0-9]+));")
_SECRET = re.compile(r"passw(or)?d|passcode|passphrase|(^|[/_])(pwd|pin)($|_)", re.IGNORECASE)
_CONTROLS = frozenset((9, 10, 13))


@dataclass(slots=True, eq=False)
class UiNode:
    """One view of the dump, with what matters of it."""

    values: dict[str, str]
    box: Box
    parent: UiNode | None
    kind: str
    children: list[UiNode] = field(default_factory=list)
    text: str = ""
    shown: bool = True
    kept: bool = False
    leaf: bool = True

    def on(self, flag: str) -> bool:
        return self.values.get(flag) == "true"

    @property
    def clickable(self) -> bool:
        return self.on("clickable") or self.on("long-clickable") or self.on("checkable")

    @property
    def interactive(self) -> bool:
        return self.clickable or self.on("scrollable") or (self.kind in EDITABLE and self.on("focusable"))


def uiautomator_elements(xml: str, size: Size) -> list[Element]:
    """The elements a user can see, name or act on, numbered from 1 in document order, boxes clipped to the screen.

    Bounds are in the screen's current orientation, as the screenshot is, so `size` must be that of the screenshot.
    Raises `ValueError` for anything that is not a dump.
    """
    nodes = _read(xml)
    for node in nodes:
        node.shown = not _empty(_clipped(node.box, size)) and node.values.get("visible-to-user") != "false"
        node.text = _own_text(node)
    shown = [node for node in nodes if node.shown]
    for node in shown:
        if node.clickable and not node.text and node.kind not in EDITABLE and not node.on("scrollable"):
            node.text = squeeze(" ".join(_inner_texts(node)))
    kept = [node for node in shown if _keep(node)]
    return [_element(at, node, size) for at, node in enumerate(kept, 1)]


# -- reading ----------------------------------------------------------------------------------------------------------


class _Builder:
    """The parser's target: makes nodes as tags open, so that nothing is built of a dump that goes too far."""

    def __init__(self) -> None:
        self.nodes: list[UiNode] = []
        self._open: list[UiNode | None] = []

    def start(self, tag: str, values: dict[str, str]) -> None:
        if not self._open and tag not in ("hierarchy", "displays"):
            raise ValueError(f"the dump begins with <{tag[:40]}>, not with <hierarchy>: it is not from uiautomator")
        if len(self._open) >= DEEPEST:
            raise ValueError(f"the dump nests more than {DEEPEST} views: no real screen does")
        if len(self.nodes) >= MOST_NODES:
            raise ValueError(f"the dump has more than {MOST_NODES} views: no real screen does")
        above = self._open[-1] if self._open else None
        node = None if tag in HOLDERS else self._node(tag, values, above)
        self._open.append(node)

    def _node(self, tag: str, values: dict[str, str], parent: UiNode | None) -> UiNode:
        name = values.get("class") or (tag if tag != "node" else "")
        _hide_password(values, name)
        node = UiNode(values, self._box(values.get("bounds"), name), parent, type_of(name, values))
        if parent is not None:
            parent.children.append(node)
        self.nodes.append(node)
        return node

    def _box(self, bounds: str | None, name: str) -> Box:
        where = f"view {len(self.nodes) + 1} of the dump ({name[:80] or 'without a class'})"
        if bounds is None:
            raise ValueError(f"{where} has no `bounds`")
        match = _BOUNDS.fullmatch(bounds)
        if match is None:
            raise ValueError(f"{where} has `bounds` {bounds[:60]!r}: they must look like [x0,y0][x1,y1]")
        return Box(*(int(number) for number in match.groups()))

    def end(self, tag: str) -> None:
        self._open.pop()

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        raise ValueError("the dump declares a document type: uiautomator never does, so it is refused")

    def close(self) -> None:
        """Part of what a parser's target must have."""


def _hide_password(values: dict[str, str], name: str) -> None:
    """Forget what a password field holds, but for the fact that it holds something. One whose password is being shown
    is no longer flagged, so its name counts too.
    """
    if values.get("password") != "true" and not (
        type_of(name, values) in EDITABLE and _SECRET.search(values.get("resource-id", ""))
    ):
        return
    text = squeeze(values.get("text", ""))
    if squeeze(values.get("content-desc", "")) == text:
        values["content-desc"] = ""
    values |= {"password": "true", "text": "", "filled": str(text not in ("", squeeze(values.get("hint", "")))).lower()}


def _read(xml: str) -> list[UiNode]:
    if len(xml) > MOST_CHARACTERS:
        raise ValueError(f"the dump has {len(xml)} characters, more than {MOST_CHARACTERS}: no real screen needs that")
    if _FORBIDDEN.search(xml):
        raise ValueError("the dump declares a document type or entities: uiautomator never does, so it is refused")
    builder = _Builder()
    parser = XMLParser(target=builder)
    try:
        parser.feed(_legal(_without_tail(xml.strip())))
        parser.close()
    except ParseError as error:
        raise ValueError(f"the dump is not XML: {error}; it begins with {xml.strip()[:60]!r}") from None
    return builder.nodes


def _without_tail(xml: str) -> str:
    """The dump without its last line, in which `uiautomator dump` says where it was written."""
    return xml[: xml.rfind(">") + 1] or xml


def _legal(xml: str) -> str:
    """Android writes emoji as two character references, half a character each, and lets control characters through;
    XML allows neither.
    """
    xml = _NOT_XML.sub("\ufffd", xml)
    xml = _PAIR.sub(_joined, xml)
    return _REFERENCE.sub(_checked, xml)


def _joined(match: re.Match[str]) -> str:
    high, low = int(match[1]), int(match[2])
    if not (0xD800 <= high < 0xDC00 <= low < 0xE000):
        return match[0]
    return chr(0x10000 + (high - 0xD800) * 0x400 + low - 0xDC00)


def _checked(match: re.Match[str]) -> str:
    digits = match[1] or match[2]
    code = int(digits[:12], 16 if match[1] else 10)
    legal = code in _CONTROLS or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000
    return match[0] if legal else "\ufffd"


# -- judging ----------------------------------------------------------------------------------------------------------


def _clipped(box: Box, size: Size) -> Box:
    return Box(max(0, box.x0), max(0, box.y0), min(size.width, box.x1), min(size.height, box.y1))


def _empty(box: Box) -> bool:
    return box.width < 1 or box.height < 1


def _own_text(node: UiNode) -> str:
    """What the view itself says; of an empty field not its hint."""
    values = node.values
    text = squeeze(values.get("text", ""))
    if node.kind in EDITABLE:
        return "" if text == squeeze(values.get("hint", "")) else text
    if not text and (node.interactive or node.kind in PICTURES):
        return squeeze(values.get("content-desc", ""))
    return text


def _inner_texts(node: UiNode) -> list[str]:
    """The texts inside a row or card that is clicked as a whole; not those of buttons within it."""
    found: list[str] = []
    for child in node.children:
        if child.shown and not child.interactive and not child.on("password"):
            said = child.text or squeeze(child.values.get("content-desc", ""))
            found += [said] if said else []
            found += _inner_texts(child)
    return found


def _keep(node: UiNode) -> bool:
    """Is there anything to act on, to read or to look at? A text that only repeats what holds it is not kept."""
    said = node.text or squeeze(node.values.get("content-desc", ""))
    picture = node.kind in PICTURES and not node.children
    if not (node.interactive or said or picture or node.on("password")):
        return False
    holder = node.parent
    while holder is not None and not holder.kept:
        holder = holder.parent
    if holder is not None and not node.interactive and not picture and said and said == holder.text:
        return False
    node.kept = True
    while holder is not None:
        holder.leaf = False
        holder = holder.parent
    return True


def _state(node: UiNode) -> str:
    state = [flag for flag in ("checked", "selected") if node.on(flag)]
    if node.values.get("enabled") == "false":
        state.append("disabled")
    if node.on("filled"):
        state.append("filled")
    if node.on("focused"):
        state.append("focused")
    return " ".join(state)


def _element(id: int, node: UiNode, size: Size) -> Element:
    return Element(
        id=id,
        box=_clipped(node.box, size),
        type=node.kind,
        text=node.text,
        caption=caption_of(node.values),
        interactive=node.interactive,
        leaf=node.leaf,
        state=_state(node),
    )
