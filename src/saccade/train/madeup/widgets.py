"""What a screen is made of, and where it stands: the geometry of the sandbox phone, 360 by 800."""

from __future__ import annotations

from dataclasses import dataclass, field

from saccade.geometry import Box, Point
from saccade.train.drills import BARS
from saccade.types import Element

LEAST = 18
"""Pixels of a row that must be in view before anybody would tap it."""
Op = tuple[str, ...]
"""What a tap does: its kind and what it is done to."""


@dataclass(slots=True)
class Widget:
    """One thing on a screen."""

    type: str
    text: str
    box: Box
    op: Op = ()
    hold: Op = ()
    state: str = ""
    caption: str = ""
    sub: tuple[str, ...] = ()
    """Further texts of a row: it says all of them."""

    @property
    def said(self) -> str:
        return " ".join((self.text, *self.sub))


@dataclass
class Page:
    """A screen: what stands fixed above, what scrolls, and what stands fixed below."""

    title: str = ""
    top: list[Widget] = field(default_factory=list)
    body: list[Widget] = field(default_factory=list)
    foot: list[Widget] = field(default_factory=list)
    y0: float = 76
    y1: float = 752
    offset: float = 0
    sheet: bool = False
    """Does it cover the status bar, and is nothing else to be seen?"""

    def next(self, height: float, gap: float = 0, x0: float = 0, x1: float = 360) -> Box:
        """Where the next thing of the body goes."""
        below = max((each.box.y1 for each in self.body[-4:]), default=self.y0)
        return Box(x0, below + gap, x1, below + gap + height)

    def row(self, text: str, op: Op, height: float, inset: float, *, sub: tuple[str, ...] = (), hold: Op = (),
            type: str = "button", state: str = "") -> None:  # fmt: skip
        box = self.next(height, 0 if self.body else 12, inset, 360 - inset)
        self.body.append(Widget(type, text, box, op, hold, state, "", sub))

    @property
    def far(self) -> float:
        """How far it can be scrolled."""
        low = max((each.box.y1 for each in self.body), default=0)
        return max(0.0, low + 8 - self.y1)

    def placed(self, widget: Widget) -> Box | None:
        """Where something of the body stands now; none if it is not in view."""
        box = widget.box
        y0, y1 = max(box.y0 - self.offset, self.y0), min(box.y1 - self.offset, self.y1)
        return Box(box.x0, y0, box.x1, y1) if y1 - y0 >= 4 else None

    def walk(self) -> list[tuple[Widget, Box]]:
        """Everything in view, in the order of the list."""
        found = [(each, each.box) for each in self.top]
        found += [(each, box) for each in self.body if (box := self.placed(each)) is not None]
        return found + [(each, each.box) for each in self.foot]

    def find(self, op: Op) -> tuple[Widget, Box] | None:
        """What does this, if enough of it is in view to be tapped."""
        for widget, box in self.walk():
            if op in (widget.op, widget.hold) and box.height >= min(LEAST, widget.box.height):
                return widget, box
        return None

    def hidden(self, op: Op) -> Widget | None:
        """What does this, wherever it stands in the body."""
        return next((each for each in self.body if each.op == op), None)

    def at(self, point: Point) -> Widget | None:
        hits = [each for each, box in self.walk() if box.contains(point) and (each.op or each.hold)]
        return hits[-1] if hits else None


def elements_of(page: Page, zh: bool, clock: tuple[str, str]) -> list[Element]:
    """The list that an agent is told."""
    found: list[Element] = []

    def add(box: Box, kind: str, text: str, caption: str = "", live: bool = False, leaf: bool = True, state: str = ""
            ) -> None:  # fmt: skip
        whole = Box(*(round(side) for side in box))
        found.append(Element(len(found) + 1, whole, kind, text, caption, live, leaf, state))

    def put(widget: Widget, box: Box) -> None:
        live = bool(widget.op or widget.hold)
        held = bool(widget.sub) and box.height > 30
        add(box, widget.type, widget.said, widget.caption, live, not held, widget.state)
        if held:
            for at, text in enumerate((widget.text, *widget.sub)):
                y0 = box.y0 + 10 + at * 20
                if y0 + 16 <= box.y1:
                    add(Box(box.x0 + 16, y0, box.x1 - 16, y0 + 18), "text", text)

    if not page.sheet:
        add(Box(16, 5, 49, 23), "text", clock[0])
        add(Box(322, 6, 344, 22), "text", clock[1])
    for widget in page.top:
        put(widget, widget.box)
    if page.far > 0 and page.body:
        add(Box(0, page.y0, 360, page.y1), "scroll", "", "", False, False)
    for widget in page.body:
        if (box := page.placed(widget)) is not None:
            put(widget, box)
    for widget in page.foot:
        put(widget, widget.box)
    for at, label in enumerate(BARS["zh" if zh else "en"]):
        add(Box(32 + 104 * at, 752, 120 + 104 * at, 800), "button", label, label, True)
    return found
