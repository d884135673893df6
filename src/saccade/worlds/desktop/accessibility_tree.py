"""Reads the accessibility trees of all applications from the accessibility bus.

A tree is read level by level, each level with one batch of calls. Subtrees that are not shown are left out: most nodes
of an application are items of closed menus.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from saccade.geometry import Box
from saccade.screens.atspi import SHOWING, VISIBLE, AccessibleApplication, AccessibleNode, gtk_4_name
from saccade.worlds.desktop.dbus import Bus, BusError, Call

MOST_NODES = 3000
MOST_CHILDREN = 300
"""A container with more children is probed at points: of a table's thousands of cells a screen shows few."""
FIRST_CHILDREN = 40
LONGEST_TEXT = 2000

_PREFIX = "org.a11y.atspi."
_ROOT = "/org/a11y/atspi/accessible/root"
_USUAL_PATH = "/org/a11y/atspi/accessible/"
"""Where GTK 3 and Qt have their nodes. GTK 4 has them elsewhere, and tells of most only that they are visible."""
_NULL = "/org/a11y/atspi/null"
_MENU = 33
_COUNTED = frozenset((30, 31, 55, 65, 66, 92, 98))
"""Roles of containers that may have very many children: lists, tables, trees."""
_TEXTS = frozenset(("input", "cell", "icon", "listitem", "text", "terminal", "spinbutton", "document", "password"))
_VALUES = frozenset(("slider", "spinbutton", "progressbar"))


class _Place(NamedTuple):
    """Where a node is asked."""

    destination: str
    path: str

    def call(self, interface: str, method: str, signature: str = "", *arguments: str | int) -> Call:
        return Call(self.destination, self.path, _PREFIX + interface, method, signature, arguments)

    def property(self, interface: str, name: str) -> Call:
        words = (_PREFIX + interface, name)
        return Call(self.destination, self.path, "org.freedesktop.DBus.Properties", "Get", "ss", words)


class AccessibilityBus:
    """A connection to the accessibility bus of a D-Bus session."""

    def __init__(self, session_address: str) -> None:
        session = Bus(session_address)
        try:
            address = session.call(Call("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress"))
        finally:
            session.close()
        if not address:
            raise BusError("the D-Bus session has no accessibility bus")
        self.bus = Bus(address)
        self._processes: dict[str, int] = {}

    def close(self) -> None:
        self.bus.close()

    def _places(self) -> list[_Place]:
        registry = _Place(_PREFIX + "Registry", _ROOT)
        return [_Place(*each) for each in self.bus.call(registry.call("Accessible", "GetChildren")) or ()]

    def wait_for_applications(self, seconds: float) -> list[int]:
        """Wait until every application answered twice: then it has read the input that was sent to it before. Returns
        their processes.
        """
        places = self._places()
        for _ in range(2):
            self.bus.call_all([place.call("Accessible", "GetRole") for place in places], seconds)
        return [self._process(place.destination) for place in places]

    def applications(self, open_menus: bool = True) -> list[AccessibleApplication]:
        """All applications with the windows that are shown. Where no menu is open, none is looked into."""
        places = self._places()
        windows = self.bus.call_all([place.call("Accessible", "GetChildren") for place in places])
        tops = [(at, _Place(*each)) for at, found in enumerate(windows) for each in found or ()]
        nodes = self._read([place for _, place in tops], open_menus)
        self._describe(nodes)
        result = [AccessibleApplication(self._process(place.destination), []) for place in places]
        for (at, _), (_, node) in zip(tops, nodes[: len(tops)], strict=True):
            if node is not None:
                result[at].windows.append(node)
        return result

    def _process(self, destination: str) -> int:
        if destination not in self._processes:
            name, path = "org.freedesktop.DBus", "/org/freedesktop/DBus"
            asked = Call(name, path, name, "GetConnectionUnixProcessID", "s", (destination,))
            self._processes[destination] = self.bus.call(asked) or 0
        return self._processes[destination]

    def _read(self, level: list[_Place], open_menus: bool) -> list[tuple[_Place, AccessibleNode | None]]:
        """The nodes at these places and below them, level by level; None for those that are not shown."""
        read: list[tuple[_Place, AccessibleNode | None]] = []
        seen: set[_Place] = set()
        parents: list[AccessibleNode | None] = [None] * len(level)
        while level and len(read) < MOST_NODES:
            found = self._level(level)
            read += zip(level, found, strict=True)
            for parent, node in zip(parents, found, strict=True):
                if parent is not None and node is not None:
                    parent.children.append(node)
            shown = [(place, node) for place, node in zip(level, found, strict=True) if node is not None]
            shown = [(place, node) for place, node in shown if open_menus or node.role != _MENU]
            below = self._children(shown)
            level, parents = [], []
            for (_, node), children in zip(shown, below, strict=True):
                for child in children:
                    if child not in seen and child.path != _NULL:
                        seen.add(child)
                        level.append(child)
                        parents.append(node)
        return read

    def _level(self, places: Sequence[_Place]) -> list[AccessibleNode | None]:
        kinds = [place.call("Accessible", method) for place in places for method in ("GetState", "GetRole")]
        answers = self.bus.call_all(kinds)
        found: list[AccessibleNode | None] = []
        calls: list[Call] = []
        for at, place in enumerate(places):
            states, role = answers[2 * at], answers[2 * at + 1]
            bits = states[0] | states[1] << 32 if states and len(states) > 1 else 0
            if not place.path.startswith(_USUAL_PATH) and bits >> VISIBLE & 1:
                bits |= 1 << SHOWING
            node = AccessibleNode(role, bits) if role is not None and bits >> SHOWING & 1 else None
            found.append(node)
            if node is not None:
                calls += (place.property("Accessible", "Name"), place.call("Component", "GetExtents", "u", 0))
        answers = self.bus.call_all(calls)
        shown = [(place, node) for place, node in zip(places, found, strict=True) if node is not None]
        for at, (place, node) in enumerate(shown):
            name, extents = answers[2 * at] or "", answers[2 * at + 1]
            node.name = name if place.path.startswith(_USUAL_PATH) else gtk_4_name(name)
            if extents is not None and extents[2] > 0 and extents[3] > 0:
                node.box = Box.from_xywh(*extents)
        return found

    def _children(self, shown: Sequence[tuple[_Place, AccessibleNode]]) -> list[list[_Place]]:
        counted = [at for at, (_, node) in enumerate(shown) if node.role in _COUNTED]
        counts = self.bus.call_all([shown[at][0].property("Accessible", "ChildCount") for at in counted])
        large = {at for at, count in zip(counted, counts, strict=True) if count is not None and count > MOST_CHILDREN}
        calls = [place.call("Accessible", "GetChildren") for at, (place, _) in enumerate(shown) if at not in large]
        answers = iter(self.bus.call_all(calls))
        return [
            self._probe(place, node) if at in large else [_Place(*child) for child in next(answers) or ()]
            for at, (place, node) in enumerate(shown)
        ]

    def _probe(self, place: _Place, node: AccessibleNode) -> list[_Place]:
        """The first children, which are a table's headers, and those at the points of a grid, finer downwards than
        sideways, as rows are.
        """
        if node.box is None:
            return []
        x0, y0, x1, y1 = (int(side) for side in node.box)
        points = [(x, y) for y in range(y0 + 4, y1, 12) for x in range(x0 + 8, x1, 48)][:2000]
        asked = [place.call("Accessible", "GetChildAtIndex", "i", at) for at in range(FIRST_CHILDREN)]
        asked += [place.call("Component", "GetAccessibleAtPoint", "iiu", x, y, 0) for x, y in points]
        hits = [_Place(*hit) for hit in self.bus.call_all(asked) if hit]
        return [hit for hit in dict.fromkeys(hits) if hit != place]

    def _describe(self, nodes: Sequence[tuple[_Place, AccessibleNode | None]]) -> None:
        """Ask for texts, values and descriptions, of nodes whose kind has them."""
        calls: list[Call] = []
        targets: list[tuple[AccessibleNode, str]] = []
        for place, node in nodes:
            if node is None or node.box is None or not (node.interactive or node.kind == "text"):
                continue
            kind = node.kind
            if kind in _VALUES:
                calls.append(place.property("Value", "CurrentValue"))
                targets.append((node, "value"))
            if kind in _TEXTS and (not node.name or kind in ("input", "terminal", "document", "password")):
                calls.append(place.call("Text", "GetText", "ii", 0, LONGEST_TEXT if kind != "password" else 1))
                targets.append((node, "text"))
            if not node.name:
                calls.append(place.property("Accessible", "Description"))
                targets.append((node, "description"))
        for (node, name), answer in zip(targets, self.bus.call_all(calls), strict=True):
            if answer is not None:
                setattr(node, name, f"{answer:g}" if isinstance(answer, float) else str(answer))
