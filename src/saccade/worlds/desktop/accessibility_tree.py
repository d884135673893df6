"""Reads the accessibility trees of all applications from the accessibility bus.

A tree is read level by level, each level with a few batches of calls. Subtrees that are not shown are left out: most
nodes of an application are items of closed menus. Screens change little from one step to the next, so all calls that
the last reading made are sent at once and first; only what is new takes more batches. Nothing is remembered but roles,
which never change, so every answer is of this moment.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from saccade.geometry import Box
from saccade.screens.atspi import (
    SHOWING,
    VISIBLE,
    AccessibleApplication,
    AccessibleNode,
    gtk_4_name,
)
from saccade.worlds.desktop.dbus import SECONDS, Bus, BusError, Call, Signal

MOST_NODES = 3000
MOST_CHILDREN = 300
"""A container with more children is probed at points: of a table's thousands of cells a screen shows few."""
FIRST_CHILDREN = 40
LONGEST_TEXT = 2000
MOST_APPEARED = 20
MENU_BORDER = 8
"""Pixels, at most, between a popup's side and its first or last item."""

_PREFIX = "org.a11y.atspi."
_ROOT = "/org/a11y/atspi/accessible/root"
_USUAL_PATH = "/org/a11y/atspi/accessible/"
"""Where GTK 3 and Qt have their nodes. GTK 4 has them elsewhere, and tells of most only that they are visible."""
_NULL = "/org/a11y/atspi/null"
_MENU, _COMBO_BOX = 33, 11
_POPUPS = frozenset((33, 41))
_TREES_WITHOUT_POPUPS = frozenset(("Qt",))
"""Tool kits that keep context menus out of their trees, but tell when one appears."""
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


_REGISTRY = _Place(_PREFIX + "Registry", _ROOT)


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
        self._straight: dict[str, Bus | None] = {}
        """Connections to the applications that offer one (GTK 2 and 3): a bus between costs a third of the time."""
        self._processes: dict[str, int] = {}
        self._appeared: dict[_Place, None] = {}
        """What was told to have appeared, by applications whose trees lack popups."""
        self._listening: set[str] = set()
        self._popup_boxes: Sequence[Box] = ()
        self._answers: dict[Call, Any] = {}
        """The answers of this reading, or the last one."""
        self._used: dict[Call, None] = {}
        """The calls that it needed."""

    def close(self) -> None:
        for connection in (self.bus, *self._straight.values()):
            if connection is not None:
                connection.close()

    def _call_all(self, calls: Sequence[Call], seconds: float = SECONDS) -> list[Any]:
        """The answers, from one application after the other."""
        groups: dict[str, list[int]] = {}
        for at, call in enumerate(calls):
            groups.setdefault(call.destination, []).append(at)
        answers: list[Any] = [None] * len(calls)
        for destination, group in groups.items():
            asked = [calls[at] for at in group]
            straight = self._connection(destination)
            try:
                got = (straight or self.bus).call_all(asked, seconds)
            except BusError:
                if straight is None:
                    raise
                straight.close()
                self._straight[destination] = None
                got = self.bus.call_all(asked, seconds)
            for at, answer in zip(group, got, strict=True):
                answers[at] = answer
        return answers

    def listen(self, event: str) -> None:
        """Have applications tell of an event, such as `object:state-changed:showing` or all of `object`: `take_events`
        has them. It costs the applications time.
        """
        if event not in self._listening:
            self._listening.add(event)
            kind, *members = (word.title().replace("-", "") for word in event.split(":")[:2])
            self.bus.listen(f"interface='{_PREFIX}Event.{kind}'" + "".join(f",member='{name}'" for name in members))
            registry = _PREFIX + "Registry"
            self.bus.call(Call(registry, "/org/a11y/atspi/registry", registry, "RegisterEvent", "s", (event,)))

    def _connection(self, destination: str) -> Bus | None:
        """A connection straight to an application; None if it offers none, or ended."""
        if destination.startswith(":") and destination not in self._straight:
            place = _Place(destination, _ROOT)
            if self.bus.call(place.property("Application", "ToolkitName")) in _TREES_WITHOUT_POPUPS:
                self.listen("object:state-changed:showing")
            address = self.bus.call(place.call("Application", "GetApplicationBusAddress"))
            self._straight[destination] = None
            with suppress(BusError):
                self._straight[destination] = Bus(address, straight=True) if address else None
        return self._straight.get(destination)

    def _places(self) -> list[_Place]:
        return [_Place(*each) for each in self.bus.call(_REGISTRY.call("Accessible", "GetChildren")) or ()]

    def wait_for_applications(self, seconds: float) -> list[int]:
        """Wait until every application answered twice: then it has read the input that was sent to it before. Returns
        their processes.
        """
        places = self._places()
        for _ in range(2):
            self._call_all([place.call("Accessible", "GetRole") for place in places], seconds)
        return [self._process(place.destination) for place in places]

    def applications(self, popups: Sequence[Box]) -> list[AccessibleApplication]:
        """All applications with the windows that are shown. `popups` are the popup windows of applications: where there
        is none, no menu is looked into.
        """
        self._popup_boxes, open_menus = popups, bool(popups)
        self._ask_again()
        found = self._ask([_REGISTRY.call("Accessible", "GetChildren")])[0]
        places = [_Place(*each) for each in found or ()]
        windows = self._ask([place.call("Accessible", "GetChildren") for place in places])
        tops = [(at, _Place(*each)) for at, found in enumerate(windows) for each in found or ()]
        nodes = self._read([place for _, place in tops], open_menus)
        told = self._popups({place for place, _ in nodes}) if open_menus else []
        self._describe([*nodes, *told])
        local = {place.destination for _, place in tops if not place.path.startswith(_USUAL_PATH)}
        result = [AccessibleApplication(self._process(at), [], at in local) for at, _ in places]
        for (at, _), (_, node) in zip(tops, nodes[: len(tops)], strict=True):
            if node is not None:
                result[at].windows.append(node)
        for place, node in told:
            for application, root in zip(result, places, strict=True):
                if node is not None and node.role in _POPUPS and place.destination == root.destination:
                    application.windows.append(node)
        return result

    def take_events(self) -> list[Signal]:
        """What applications told since this was asked last; see `listen`."""
        connections = [self.bus, *(each for each in self._straight.values() if each is not None)]
        told = [signal for each in connections for signal in each.signals]
        for each in connections:
            each.signals.clear()
        for signal in told:
            if signal.detail == "showing":
                place = _Place(signal.sender, signal.path)
                self._appeared.pop(place, None)
                self._appeared |= {place: None} if signal.value else {}
        return told

    def place_of(self, signal: Signal) -> Box | None:
        """Where the node is that an event came from."""
        extents = self.bus.call(_Place(signal.sender, signal.path).call("Component", "GetExtents", "u", 0))
        return Box.from_xywh(*extents) if extents else None

    def _popups(self, known: Container[_Place]) -> list[tuple[_Place, AccessibleNode | None]]:
        """Popups that were told of, and are in no tree; with what is in them."""
        self.take_events()
        places = list(self._appeared)[-MOST_APPEARED:]
        self._appeared = dict.fromkeys(place for place in places if place not in known)
        return self._read(list(self._appeared), True)

    def _ask_again(self) -> None:
        """Send the calls of the last reading, but for roles, in one batch."""
        answers, asked = self._answers, list[Call]()
        self._answers = {}
        for call in self._used:
            if call.method == "GetRole" and answers[call] is not None:
                self._answers[call] = answers[call]
            else:
                asked.append(call)
        self._used = {}
        self._answers.update(zip(asked, self._call_all(asked), strict=True))

    def _ask(self, calls: Sequence[Call]) -> list[Any]:
        """The answers to these calls, sending only those that were not sent in this reading."""
        lacking = [call for call in calls if call not in self._answers]
        if lacking:
            self._answers.update(zip(lacking, self._call_all(lacking), strict=True))
        self._used.update(dict.fromkeys(calls))
        return [self._answers[call] for call in calls]

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
            found = self._level(level, parents)
            read += zip(level, found, strict=True)
            for parent, node in zip(parents, found, strict=True):
                if parent is not None and node is not None:
                    parent.children.append(node)
            shown = [
                (place, node)
                for place, node, parent in zip(level, found, parents, strict=True)
                if node is not None and _looked_into(place, node, parent, open_menus)
            ]
            below = self._children(shown)
            level, parents = [], []
            for (_, node), children in zip(shown, below, strict=True):
                for child in children:
                    if child not in seen and child.path != _NULL:
                        seen.add(child)
                        level.append(child)
                        parents.append(node)
        return read

    def _level(self, places: Sequence[_Place], parents: Sequence[AccessibleNode | None]) -> list[AccessibleNode | None]:
        calls: list[Call] = []
        for place in places:
            calls += (place.call("Accessible", "GetState"), place.call("Accessible", "GetRole"))
            calls += (place.property("Accessible", "Name"), place.call("Component", "GetExtents", "u", 0))
        answers = iter(self._ask(calls))
        found: list[AccessibleNode | None] = []
        for place, states, role, name, extents in zip(places, answers, answers, answers, answers, strict=True):
            usual = place.path.startswith(_USUAL_PATH)
            bits = states[0] | states[1] << 32 if states and len(states) > 1 else 0
            if not usual and bits >> VISIBLE & 1:
                bits |= 1 << SHOWING
            if role is None:
                found.append(None)
                continue
            node = AccessibleNode(role, bits, (name or "") if usual else gtk_4_name(name or ""))
            if extents is not None and extents[2] > 0 and extents[3] > 0:
                node.box = Box.from_xywh(*extents)
            found.append(node)
        _show_open_menus(found, parents, self._popup_boxes)
        return [node if node is not None and node.has(SHOWING) else None for node in found]

    def _children(self, shown: Sequence[tuple[_Place, AccessibleNode]]) -> list[list[_Place]]:
        counted = [at for at, (_, node) in enumerate(shown) if node.role in _COUNTED]
        counts = self._ask([shown[at][0].property("Accessible", "ChildCount") for at in counted])
        large = {at for at, count in zip(counted, counts, strict=True) if count is not None and count > MOST_CHILDREN}
        calls = [place.call("Accessible", "GetChildren") for at, (place, _) in enumerate(shown) if at not in large]
        answers = iter(self._ask(calls))
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
        hits = [_Place(*hit) for hit in self._ask(asked) if hit]
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
        for (node, name), answer in zip(targets, self._ask(calls), strict=True):
            if answer is not None:
                setattr(node, name, f"{answer:g}" if isinstance(answer, float) else str(answer))


def _show_open_menus(
    nodes: Sequence[AccessibleNode | None], parents: Sequence[AccessibleNode | None], popups: Sequence[Box]
) -> None:
    """GTK 2 does not tell which items of a menu bar are shown. A menu is open if a popup has its items' extent."""
    menus: dict[int, list[AccessibleNode]] = {}
    for node, parent in zip(nodes, parents, strict=True):
        if node is not None and parent is not None and parent.role == _MENU:
            menus.setdefault(id(parent), []).append(node)
    for items in menus.values():
        boxes = [node.box for node in items if node.box is not None and node.has(VISIBLE)]
        if not boxes or any(node.has(SHOWING) for node in items):
            continue
        left, top, right, bottom = zip(*boxes, strict=True)
        extent = min(left), min(top), max(right), max(bottom)
        if any(all(abs(one - other) <= MENU_BORDER for one, other in zip(box, extent, strict=True)) for box in popups):
            for node in items:
                node.states |= (node.states >> VISIBLE & 1) << SHOWING


def _looked_into(place: _Place, node: AccessibleNode, parent: AccessibleNode | None, open_menus: bool) -> bool:
    """Can anything in it be on the screen? Not in closed menus and lists, nor in what Qt puts beyond the screen."""
    if node.role == _MENU:
        return open_menus
    if node.box is None:
        return parent is None or parent.role != _COMBO_BOX
    return node.box.x1 > 0 < node.box.y1 or not place.path.startswith(_USUAL_PATH)
