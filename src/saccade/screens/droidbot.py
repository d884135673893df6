"""Elements of an Android screen, from the `state_*.json` that DroidBot writes beside each screenshot.

Old states carry no screen size; newer ones carry `width` and `height`, which may be swapped after a rotation or belong
to another density. So the image decides, and the bounds are brought to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from saccade.errors import readable
from saccade.geometry import Box, Number, Size, finite
from saccade.screens.widgets import EDITABLE, PICTURES, caption_of, squeeze, type_of
from saccade.typed_values import to_type
from saccade.types import Element

SAME_SHAPE = 0.01
"""Two screens have the same shape if their ratios of width to height differ by less than this share."""
HOLDERS = frozenset(("list", "scroll"))
"""What these hold is not what they say."""
NOWHERE = Box(0, 0, 0, 0)
_SECRET = re.compile(r"passw(or)?d|passcode|passphrase|(^|[/_])pwd($|_)", re.IGNORECASE)


class DroidBotView(msgspec.Struct):
    """One view as DroidBot writes it; what old versions leave out is optional."""

    bounds: tuple[tuple[Number, Number], tuple[Number, Number]]
    kind: str | None = msgspec.field(default=None, name="class")
    parent: int | None = None
    children: list[int] | None = None
    text: str | None = None
    content_description: str | None = None
    resource_id: str | None = None
    visible: bool | None = None
    enabled: bool | None = None
    clickable: bool | None = None
    long_clickable: bool | None = None
    checkable: bool | None = None
    checked: bool | None = None
    selected: bool | None = None
    focused: bool | None = None
    scrollable: bool | None = None
    editable: bool | None = None
    is_password: bool | None = None

    def __post_init__(self) -> None:
        if not finite([*self.bounds[0], *self.bounds[1]]):
            raise ValueError("`bounds` are not made of finite numbers")

    @property
    def secret(self) -> bool:
        """A field for a password. A password that is shown is no longer flagged, so its name counts too."""
        return bool(self.is_password or (self.editable and _SECRET.search(self.resource_id or "")))

    def attributes(self) -> dict[str, str]:
        """The view's attributes under uiautomator's names, which `widgets` expects."""
        flags = {
            "clickable": self.clickable,
            "long-clickable": self.long_clickable,
            "checkable": self.checkable,
            "scrollable": self.scrollable,
            "password": self.secret,
        }
        told = self.content_description or ""
        if self.secret and squeeze(told) == squeeze(self.text or ""):
            told = ""
        words = {"text": "" if self.secret else self.text or "", "content-desc": told}
        return words | {name: "true" for name, on in flags.items() if on} | {"resource-id": self.resource_id or ""}


class State(msgspec.Struct):
    views: list[DroidBotView]
    width: Number | None = None
    height: Number | None = None


@dataclass(slots=True, eq=False)
class DroidBotNode:
    """A view in its tree, with its box in the image."""

    view: DroidBotView
    parent: DroidBotNode | None
    box: Box = NOWHERE
    clip: Box = NOWHERE
    values: dict[str, str] = field(default_factory=dict)
    kind: str = ""
    text: str = ""
    children: list[DroidBotNode] = field(default_factory=list)
    leaf: bool = True

    @property
    def shown(self) -> bool:
        return self.view.visible is not False and self.box.width >= 1 and self.box.height >= 1

    @property
    def interactive(self) -> bool:
        view = self.view
        return bool(view.clickable or view.long_clickable or view.checkable or view.editable or self.kind in EDITABLE)

    @property
    def told(self) -> str:
        return squeeze(self.values["content-desc"])


def droidbot_elements(state: dict[str, Any], size: Size) -> list[Element]:
    """The elements a user can see, name or act on, numbered from 1 in tree order, boxes clipped to the image.

    `size` is the screenshot's. Raises `ValueError` that names the field for anything that is not a state, and where
    the views lie across the image, which happens when the screen turned between the two.
    """
    try:
        read = to_type(state, State)
    except msgspec.ValidationError as error:
        raise ValueError(readable(error)) from None
    nodes = _tree(read.views)
    _place(nodes, size, scale_of(read, size))
    for node in nodes:
        _describe(node)
    for node in nodes:
        if not node.text and node.interactive and node.kind not in EDITABLE | HOLDERS and not node.view.scrollable:
            node.text = squeeze(" ".join(_inner_texts(node)))
    kept = [node for node in nodes if node.shown and _keep(node)]
    return [_element(at, node) for at, node in enumerate(kept, 1)]


# -- the tree ---------------------------------------------------------------------------------------------------------


def _tree(views: list[DroidBotView]) -> list[DroidBotNode]:
    """Views in tree order: parents before children, siblings as `children` has them."""
    below: dict[int, list[int]] = {}
    for at, view in enumerate(views):
        parent = -1 if view.parent is None or view.parent < 0 else view.parent
        if parent >= len(views):
            raise ValueError(f"views[{at}].parent: there is no view {parent}")
        below.setdefault(parent, []).append(at)
    for parent, found in below.items():
        listed = {} if parent < 0 else {child: place for place, child in enumerate(views[parent].children or ())}
        found.sort(key=lambda child: listed.get(child, len(views)))
    order: list[DroidBotNode] = []
    stack: list[tuple[int, DroidBotNode | None]] = [(at, None) for at in reversed(below.get(-1, []))]
    while stack:
        at, parent_node = stack.pop()
        node = DroidBotNode(views[at], parent_node)
        if parent_node is not None:
            parent_node.children.append(node)
        order.append(node)
        stack += [(child, node) for child in reversed(below.get(at, []))]
    if len(order) < len(views):
        reached = {id(node.view) for node in order}
        lost = next(at for at, view in enumerate(views) if id(view) not in reached)
        raise ValueError(f"views[{lost}].parent: its parents go round in a circle")
    return order


def scale_of(state: State, size: Size) -> tuple[float, float]:
    """How many pixels of the image one unit of `bounds` is.

    Evidence, best first: the file's size is the image's, either way round; the root view begins in the corner and has
    the image's shape; the file's size has it. Else the views are taken as they are if they fit, or made to fit.
    """
    roots = [view.bounds for view in state.views if view.parent is None or view.parent < 0]
    wide, high = (max((corner[axis] for _, corner in roots), default=0) for axis in (0, 1))
    if wide <= 0 or high <= 0:
        return 1.0, 1.0
    fits = wide <= size.width and high <= size.height
    claimed = (state.width or 0, state.height or 0)
    if fits and (size in (claimed, claimed[::-1]) or wide == size.width or high == size.height):
        return 1.0, 1.0
    cornered = all(bounds[0] == (0, 0) for bounds in roots)
    for width, height in ((wide, high) if cornered else (0, 0), claimed, claimed[::-1]):
        if width >= wide and height >= high and _same_shape(width, height, size):
            return size.width / width, size.height / height
    if cornered and not fits and _same_shape(high, wide, size):
        raise ValueError(
            f"views[0].bounds: {wide:g}×{high:g} lies across the image of {size.width}×{size.height}: "
            "the screen turned between the two"
        )
    shrink = 1.0 if fits else min(size.width / wide, size.height / high)
    return shrink, shrink


def _same_shape(width: Number, height: Number, size: Size) -> bool:
    return abs(width * size.height - height * size.width) < SAME_SHAPE * height * size.width


def _place(nodes: list[DroidBotNode], size: Size, scale: tuple[float, float]) -> None:
    """Boxes in the image, cut where it ends and where a scrolling view that holds them does."""
    whole = Box(0, 0, size.width, size.height)
    for node in nodes:
        (x0, y0), (x1, y1) = node.view.bounds
        box = Box(round(x0 * scale[0]), round(y0 * scale[1]), round(x1 * scale[0]), round(y1 * scale[1]))
        above = node.parent.clip if node.parent else whole
        node.box = _meet(box, above)
        node.clip = node.box if node.view.scrollable else above


def _meet(a: Box, b: Box) -> Box:
    return Box(max(a.x0, b.x0), max(a.y0, b.y0), min(a.x1, b.x1), min(a.y1, b.y1))


# -- judging ----------------------------------------------------------------------------------------------------------


def _describe(node: DroidBotNode) -> None:
    """What a view is and what it says itself; an icon says its description."""
    node.values = node.view.attributes()
    node.kind = type_of(node.view.kind or "", node.values)
    if node.view.editable and node.kind not in EDITABLE:
        node.kind = "input"
    node.text = squeeze(node.values["text"])
    if not node.text and node.kind not in EDITABLE and (node.interactive or not node.children):
        node.text = node.told


def _inner_texts(node: DroidBotNode) -> Iterator[str]:
    """What is said inside a row or card that is clicked as a whole; not by the buttons within it."""
    stack = node.children[::-1]
    while stack:
        child = stack.pop()
        if child.shown and not child.interactive:
            yield child.text or child.told
            stack += child.children[::-1]


def _keep(node: DroidBotNode) -> bool:
    """Is there anything to act on, to read or to look at? Bare layout is not kept."""
    picture = node.kind in PICTURES and not node.children
    waiting = node.kind == "progressbar"
    if not (node.interactive or node.text or node.told or picture or waiting or node.view.scrollable):
        return False
    holder = node.parent
    while holder is not None and holder.leaf:
        holder.leaf = False
        holder = holder.parent
    return True


def _state(view: DroidBotView) -> str:
    flags = {
        "checked": view.checked,
        "selected": view.selected,
        "disabled": view.enabled is False,
        "filled": view.secret and bool(squeeze(view.text or "")),
        "focused": view.focused,
    }
    return " ".join(name for name, on in flags.items() if on)


def _element(id: int, node: DroidBotNode) -> Element:
    return Element(
        id, node.box, node.kind, node.text, caption_of(node.values), node.interactive, node.leaf, _state(node.view)
    )
