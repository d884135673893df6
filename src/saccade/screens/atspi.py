"""Elements of a desktop screen, from the accessibility trees (AT-SPI) of its applications and the order of its windows.

Applications do not know what covers them: an element counts only where its own window is the topmost one. Boxes are
pixels of the screen.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from saccade.geometry import Box, Point, Size
from saccade.screens.widgets import EDITABLE, PICTURES, squeeze
from saccade.types import Element

_NUMBERS: dict[str, tuple[int, ...]] = {
    "button": (43, 62, 129, 130),
    "canvas": (6, 18),
    "cell": (56,),
    "checkbox": (7,),
    "columnheader": (10, 57),
    "date": (5, 12),
    "dialog": (2, 16, 19, 22, 101),
    "document": (82, 92, 94, 95),
    "heading": (83,),
    "icon": (26,),
    "image": (27,),
    "input": (61, 76, 79),
    "link": (88,),
    "list": (30, 31, 98),
    "listitem": (32,),
    "menu": (41,),
    "menubar": (34,),
    "menuitem": (8, 33, 35, 45, 59),
    "password": (40,),
    "progressbar": (42, 103),
    "radio": (44,),
    "row": (90,),
    "rowheader": (47, 58),
    "scroll": (49, 68),
    "scrollbar": (48,),
    "select": (11,),
    "slider": (15, 51),
    "spinbutton": (52,),
    "tab": (37,),
    "table": (55,),
    "tablist": (38,),
    "terminal": (60,),
    "text": (29, 54, 73, 116),
    "toolbar": (63,),
    "tooltip": (64,),
    "tree": (65, 66),
    "treeitem": (91,),
    "window": (23, 28, 69),
}
ROLES = {number: word for word, numbers in _NUMBERS.items() for number in numbers}
"""AT-SPI role numbers in the words that pages and phones use; any other role is a group."""

CHECKED, EDITABLE_STATE, ENABLED, EXPANDED, FOCUSABLE, FOCUSED = 4, 7, 8, 10, 11, 12
PRESSED, SELECTED, SENSITIVE, SHOWING, VISIBLE = 20, 23, 24, 25, 30
"""Bit numbers of AT-SPI states."""
_SHOWN_STATES = {CHECKED: "checked", PRESSED: "checked", SELECTED: "selected", EXPANDED: "expanded", FOCUSED: "focused"}

IN_WINDOW, ANYWHERE, IN_POPUP = 0, 1, 2
"""Where a node is shown: in the window of its tree, in a popup (menus), or in either (GTK's popovers)."""
_MENU, _COMBO_BOX, _PUSH_BUTTON = 33, 11, 43
_POPUPS = frozenset((41, 64))
_LISTS = frozenset((31, 33, 55, 65, 66, 69, 98))
_TAG = re.compile(r"<[^<>]{1,200}>")
"""Qt describes things in HTML."""
_CLASS_NAME = re.compile(r"(Gtk|Adw|Gizmo)[A-Z]\w+")
_CLIPPING = frozenset(("scroll", "list", "table", "tree", "window", "dialog", "document"))
_ACTED_ON = frozenset(
    "button cell checkbox columnheader date input link listitem menuitem password radio rowheader select slider "
    "scrollbar spinbutton tab terminal treeitem".split()
)
_FOCUSED_WHOLE = frozenset("canvas document icon image list row table text tree".split())
"""Kinds that can be acted on if they can have the keyboard's focus."""


@dataclass(slots=True, eq=False)
class AccessibleNode:
    """One node of an application's tree. `box` is None where the node has no place on the screen."""

    role: int
    states: int
    name: str = ""
    box: Box | None = None
    description: str = ""
    text: str = ""
    """What a text field or a cell contains."""
    value: str = ""
    """The number that a slider or a spin button shows."""
    children: list[AccessibleNode] = field(default_factory=list)

    def has(self, state: int) -> bool:
        return bool(self.states >> state & 1)

    @property
    def kind(self) -> str:
        kind = ROLES.get(self.role, "group") if self.role != _MENU or self.name else "menu"
        return "input" if kind in ("text", "group") and self.has(EDITABLE_STATE) else kind

    @property
    def interactive(self) -> bool:
        kind = self.kind
        if kind in _ACTED_ON:
            return True
        return self.has(FOCUSABLE) and (kind in _FOCUSED_WHOLE or (kind == "group" and not self.children))


class StackedWindow(NamedTuple):
    """A window on the screen, with its borders. Lists of them go from the bottom to the top."""

    box: Box
    process: int = 0
    """The process of its application; 0 if it is not known."""
    popup: bool = False
    """A menu, tool tip or list that the window manager does not manage."""
    tooltip: bool = False
    """It goes away when the pointer moves, so it covers nothing."""
    title: str = ""
    inner: Box | None = None
    """The window without its borders and shadows."""
    buttons: tuple[tuple[str, Box], ...] = ()
    """Those in its title bar, where the window manager is known."""


class AccessibleApplication(NamedTuple):
    process: int
    windows: list[AccessibleNode]
    local: bool = False
    """Boxes count from the window's corner, and those in a popup from a point that nobody knows, as in GTK 4."""


@dataclass(slots=True)
class _Found:
    node: AccessibleNode
    box: Box
    said: str
    leaf: bool = True


def atspi_elements(
    applications: Sequence[AccessibleApplication], windows: Sequence[StackedWindow], size: Size
) -> list[Element]:
    """What a user can see, name or act on, numbered from 1 in the order of the trees, boxes clipped to the screen."""
    found: list[_Found] = []
    taken: set[int] = set()
    for application in applications:
        for top in application.windows:
            own = _own_window(top, application.process, windows, taken)
            if own is None:
                continue
            taken.add(own)
            walk = _Walk(windows, own, application.process, application.local, found)
            walk.shift = _shift(top, windows[own])
            walk.node(top, Box(0, 0, *size), None, IN_WINDOW)
            walk.title_bar(Box(0, 0, *size))
    return [_element(id, each) for id, each in enumerate(found, 1)]


def _own_window(
    top: AccessibleNode, process: int, windows: Sequence[StackedWindow], taken: Container[int]
) -> int | None:
    """The window of a tree: of its process, and of those the one that lies where the tree says it does; GTK 4 does not
    know where, so there the title decides. No two trees have the same window.
    """
    own = [at for at, window in enumerate(windows) if window.process == process and at not in taken]
    if not own or top.box is None:
        return None
    box = top.box
    return max(own, key=lambda at: (_overlap(box, windows[at].box), windows[at].title == top.name, at))


def _overlap(one: Box, other: Box) -> int:
    """In tenths: borders and shadows make small differences."""
    return round(10 * one.iou(other))


def _shift(top: AccessibleNode, window: StackedWindow) -> tuple[float, float]:
    """GTK 4 counts from its window's corner, inside the same border on all sides, and not from the screen's corner."""
    inner = window.inner or window.box
    if top.box is None or _overlap(top.box, window.box) >= 7 or top.box.x0 > 0 or top.box.y0 > 0:
        return 0, 0
    return inner.center.x - top.box.center.x, inner.center.y - top.box.center.y


def gtk_4_name(name: str) -> str:
    """A name as GTK 4 makes it up: its label twice, or a class of the program.

    >>> gtk_4_name("Save Save"), gtk_4_name("GtkMenuButton"), gtk_4_name("Undo")
    ('Save', '', 'Undo')
    """
    half = name[: len(name) // 2]
    if half and name == f"{half} {half}":
        return half
    return "" if _CLASS_NAME.fullmatch(name) else name


class _Walk:
    """Collects the visible nodes of one window's tree."""

    def __init__(
        self, windows: Sequence[StackedWindow], own: int, process: int, local: bool, found: list[_Found]
    ) -> None:
        self.windows, self.own, self.process, self.local, self.found = windows, own, process, local, found
        self.shift: tuple[float, float] = (0, 0)
        """From the tree's boxes to the screen's."""
        self.screen: Box | None = None

    def node(self, node: AccessibleNode, clip: Box, holder: _Found | None, where: int) -> None:
        if self.local and self.screen is not None:
            popup = self._popup_of(node)
            if popup is not None and node.box is not None:
                before, self.shift = self.shift, (popup.x0 - node.box.x0, popup.y0 - node.box.y0)
                self._node(node, popup, holder, IN_POPUP)
                self.shift = before
                return
            if node.kind == "menu":  # its place is not known
                return
        self._node(node, clip, holder, where)

    def title_bar(self, screen: Box) -> None:
        """The window manager's buttons, which are in no tree."""
        self.shift = (0, 0)
        for name, box in self.windows[self.own].buttons:
            states = 1 << SHOWING | 1 << ENABLED
            self._node(AccessibleNode(_PUSH_BUTTON, states, box=box, description=name), screen, None, IN_WINDOW)

    def _node(self, node: AccessibleNode, clip: Box, holder: _Found | None, where: int) -> None:
        self.screen = self.screen or clip
        box = self._box(node, clip)
        kept = self._keep(node, box, holder, where) if box is not None else None
        if kept is not None:
            self.found.append(kept)
            if holder is not None:
                holder.leaf = False
            holder = kept
        outside = node.box is not None and box is None
        if box is not None and node.kind in _CLIPPING:
            clip = box
        for child in _front_pages(node.children) if self.local else node.children:
            opens = _opens(node, child)
            if opens and not self.local:
                self.node(child, self.screen, holder, opens)
            elif not outside or self.local:
                self.node(child, clip, holder, where)

    def _popup_of(self, node: AccessibleNode) -> Box | None:
        """The popup window that is exactly as large as this node: a popover of GTK 4."""
        if node.box is None:
            return None
        size = node.box.width, node.box.height
        own = [window.box for window in self.windows if window.popup and window.process == self.process]
        return next((box for box in own if (box.width, box.height) == size), None)

    def _box(self, node: AccessibleNode, clip: Box) -> Box | None:
        if node.box is None:
            return None
        dx, dy = self.shift
        x0, y0, x1, y1 = node.box
        box = Box(max(x0 + dx, clip.x0), max(y0 + dy, clip.y0), min(x1 + dx, clip.x1), min(y1 + dy, clip.y1))
        return box if box.width >= 1 and box.height >= 1 else None

    def _keep(self, node: AccessibleNode, box: Box, holder: _Found | None, where: int) -> _Found | None:
        """Is there anything to act on, to read or to look at? A text that only repeats what holds it is not kept."""
        if not node.has(SHOWING) or not self._uncovered(box.center, where):
            return None
        said = _said(node)
        picture = node.kind in PICTURES and not node.children
        if not (node.interactive or said or picture):
            return None
        if holder is not None and node.kind == holder.node.kind == "cell" and not said and not node.children:
            return None
        if holder is not None and not node.interactive and (said == holder.said or (picture and not said)):
            return None
        return _Found(node, box, said or _inner_text(node))

    def _uncovered(self, point: Point, where: int) -> bool:
        """Is the topmost window at this point the tree's own or, for a menu's items, a popup of its application?"""
        for at in range(len(self.windows) - 1, -1, -1):
            window = self.windows[at]
            if window.box.contains(point) and (at == self.own or not window.tooltip):
                popup = window.popup and window.process == self.process
                return (at == self.own and where != IN_POPUP) or (popup and where != IN_WINDOW)
        return False


def _front_pages(children: Sequence[AccessibleNode]) -> Sequence[AccessibleNode]:
    """GTK 4 does not tell which page of a stack is shown. Pages have the same corner and width; if one of them has the
    focus, the others lie behind it.
    """
    boxes = [child.box[:3] if child.box is not None else () for child in children]
    if len(set(boxes)) == len(boxes):
        return children
    front = {box for box, child in zip(boxes, children, strict=True) if box and _has_focus(child)}
    return [child for box, child in zip(boxes, children, strict=True) if box not in front or _has_focus(child)]


def _has_focus(node: AccessibleNode) -> bool:
    return node.has(FOCUSED) or any(map(_has_focus, node.children))


def _opens(node: AccessibleNode, child: AccessibleNode) -> int:
    """Where a child is shown that may lie outside the node's box, as the items of a menu do; 0 for any other."""
    if node.role == _MENU or (node.role == _COMBO_BOX and child.role in _LISTS):
        return IN_POPUP
    return ANYWHERE if child.role in _POPUPS else IN_WINDOW


def _said(node: AccessibleNode) -> str:
    if node.kind == "password":
        return ""
    if node.kind in EDITABLE or node.kind in ("spinbutton", "slider", "progressbar"):
        return squeeze(node.text or node.value)
    return squeeze(node.name or node.text)


def _inner_text(node: AccessibleNode) -> str:
    """The texts inside a button or a row that says nothing itself."""
    if not node.interactive or node.kind in EDITABLE or node.kind not in _ACTED_ON:
        return ""
    inner = [child for child in _below(node) if not child.interactive or node.kind in ("select", child.kind)]
    return squeeze(" ".join(map(_said, inner)))


def _below(node: AccessibleNode) -> Iterator[AccessibleNode]:
    for child in node.children:
        if child.has(SHOWING):
            yield child
            yield from _below(child)


def _element(id: int, found: _Found) -> Element:
    node = found.node
    state = list(dict.fromkeys(word for bit, word in _SHOWN_STATES.items() if node.has(bit)))
    if not (node.has(ENABLED) or node.has(SENSITIVE)):
        state.append("disabled")
    if node.kind == "password" and node.text:
        state.append("filled")
    caption = squeeze(_TAG.sub(" ", node.description))
    if node.kind in EDITABLE or node.value:
        caption = squeeze(node.name) or caption
    caption = "" if caption == found.said else caption
    return Element(id, found.box, node.kind, found.said, caption, node.interactive, found.leaf, " ".join(state))
