"""The shortest way through the interface to a screen, or to a value in its form: uniform-cost search over moves that
change nothing but what is shown.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import msgspec

from saccade.worlds.phone.changes import Need, See, fits, plain
from saccade.worlds.phone.machine import LAUNCHER, RECENTS, Machine
from saccade.worlds.phone.widgets import Op, Page, Widget, put

MoveKind = Literal["tap", "hold", "pull", "type", "enter", "press", "swipe", "open_app", "answer", "terminate"]
MOST_NODES = 4000
T = TypeVar("T")


class Move(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing to do, in the phone's own terms."""

    kind: MoveKind
    id: str = ""
    """The widget; for `press` the key, for `swipe` the direction, for `open_app` the app."""
    text: str = ""


def arrived(entry: Mapping[str, Any], aim: Need | See) -> bool:
    args = entry["args"]
    return entry["screen"] == aim.screen and all(args.get(name) == value for name, value in aim.args.items())


@dataclass(frozen=True)
class Branch:
    """A move in the search: what it costs, where it leads, and what it would be called if it came first."""

    cost: int
    to: Machine
    first: tuple[Move, ...]
    focus: str = ""


class Search:
    """Uniform-cost search over what changes only the screen.

    For a `field`, the aim is that this field of the aim's screen has its value; else, that the screen is shown.
    """

    def __init__(self, machine: Machine, aim: Need | See, focus: str = "", field: str = "") -> None:
        self.root = machine
        self.aim = aim
        self.focus = focus
        self.field = field
        self.values = dict(aim.values) if isinstance(aim, Need) else {}

    def run(self) -> tuple[float, list[Move]]:
        """The least cost, and every first move of a way that costs no more."""
        queue: list[tuple[int, int, Machine, str]] = [(0, 0, self.root, self.focus)]
        costs: dict[bytes, int] = {self.key(self.root, self.focus): 0}
        firsts: dict[bytes, dict[Move, None]] = {}
        count, best = 0, float("inf")
        moves: dict[Move, None] = {}
        while queue and count < MOST_NODES:
            cost, _, node, focus = heapq.heappop(queue)
            key = self.key(node, focus)
            if cost > best or cost > costs[key]:
                continue
            if self.there(node):
                best = cost
                moves |= firsts.get(key, {})
                continue
            for branch in self.branches(node, focus):
                count += 1
                total, after = cost + branch.cost, self.key(branch.to, branch.focus)
                first = firsts[key] if key in firsts else dict.fromkeys(branch.first)
                if total < costs.get(after, 1 << 30):
                    costs[after] = total
                    firsts[after] = dict(first)
                    heapq.heappush(queue, (total, count, branch.to, branch.focus))
                elif total == costs[after] and after in firsts:
                    firsts[after] |= first
        return best, list(moves)

    def key(self, node: Machine, focus: str) -> bytes:
        """What distinguishes places in this search: the screens of the app in front."""
        return msgspec.json.encode([node.nav["app"], node.stack, focus])

    def there(self, node: Machine) -> bool:
        if node.front != self.aim.app or not arrived(node.top, self.aim):
            return False
        return not self.field or fits(self.values[self.field], node.top["form"].get(self.field))

    # -- what can be done at a place ------------------------------------------------------------------------------

    def branches(self, node: Machine, focus: str) -> Iterator[Branch]:
        app = node.front
        page = node.shown()
        yield from self.buttons(node, page)
        if app == LAUNCHER and len(node.stack) == 1 and self.aim.app != LAUNCHER:
            for side in ("left", "right"):
                yield self.branch(node, Machine.turn, side, Move("swipe", side))
        for widget in page.walk():
            if widget.kind == "field":
                yield from self.typing(node, widget, focus)
            touches: tuple[tuple[MoveKind, Op | None], ...] = (("tap", widget.tap), ("hold", widget.hold))
            for kind, op in touches:
                if op is not None and self.follows(node, op):
                    yield self.branch(node, Machine.apply, op, Move(kind, widget.id))

    def buttons(self, node: Machine, page: Page) -> Iterator[Branch]:
        """The phone's own: back, home, recent apps."""
        inside = node.front == self.aim.app
        rooted = node.front == LAUNCHER and len(node.stack) == 1
        if self.field and node.front == self.aim.app and arrived(node.top, self.aim):
            return  # who leaves a form loses what is in it
        if (inside or node.front in (LAUNCHER, RECENTS)) and not rooted:
            shut = "scrim" if page.style != "page" else "bar:back" if len(node.stack) > 1 and not page.plain else ""
            moves = [Move("press", "back"), *([Move("tap", shut)] if shut else ())]
            yield self.branch(node, Machine.press, "back", *moves)
        if not inside:
            if not rooted:
                yield self.branch(node, Machine.press, "home", Move("press", "home"))
            if self.aim.app in node.nav["recents"] and node.front not in (RECENTS, LAUNCHER):
                yield self.branch(node, Machine.press, "recents", Move("press", "recent"))

    def branch(self, node: Machine, act: Callable[[Machine, T], object], argument: T, *first: Move) -> Branch:
        to = node.trial()
        act(to, argument)
        return Branch(1, to, first)

    def follows(self, node: Machine, op: Op) -> bool:
        """Can this op be part of the way? What leads to other things than those aimed at is left out."""
        if op.kind == "open":
            return op.name == self.aim.app
        if op.kind in ("go", "tab"):
            if (op.app or node.front) != self.aim.app and node.front != LAUNCHER:
                return False
            return all(self.about(name, value) for name, value in op.args.items())
        if op.kind == "back":
            return node.front == self.aim.app
        if op.kind == "put":
            return self.puts(node, op)
        if op.kind == "pick":
            return op.name == self.field and fits(self.values[self.field], op.value)
        return False

    def about(self, name: str, value: Any) -> bool:
        if name == "field":
            return bool(value == self.field)
        if name == "query":
            return bool(value == self.aim.query or value == self.aim.args.get("query"))
        if name in self.aim.args and self.aim.args[name] == value:
            return True
        return value in self.aim.through.get(name, ())

    def puts(self, node: Machine, op: Op) -> bool:
        """Values on the way only as far as they are named; at the aim, those that bring the field nearer."""
        if op.name in self.aim.through and op.value in self.aim.through[op.name]:
            return True
        if op.name == self.field and arrived(node.top, self.aim):
            return closer(self.values[self.field], node.top["form"].get(self.field), op.value)
        return False

    def typing(self, node: Machine, widget: Widget, focus: str) -> Iterator[Branch]:
        """A text field: tap, type, Enter. A wrong text is cleared first."""
        here = arrived(node.top, self.aim)
        wanted = self.aim.query if widget.style == "search" else ""
        if self.field == widget.id and here:
            wanted = str(plain(self.values[self.field]))
        if not wanted:
            return
        now, focused = str(node.top["form"].get(widget.id, "")), focus == widget.id
        tap, tapped = Move("tap", widget.id), 0 if focused else 1
        if now == wanted:
            if widget.submit is not None and self.follows(node, widget.submit):
                enter = Move("enter", widget.id) if focused else tap
                after = self.branch(node, Machine.apply, widget.submit, enter)
                yield Branch(1 + tapped, after.to, after.first)
        elif now == "":
            first = Move("type", widget.id, wanted) if focused else tap
            after = self.branch(node, Machine.apply, put(widget.id, wanted), first)
            yield Branch(1 + tapped, after.to, after.first, widget.id)
        else:
            cleared = self.branch(node, Machine.apply, put(widget.id, ""), Move("tap", f"{widget.id}:clear"))
            yield Branch(1, cleared.to, cleared.first, "")


def closer(wanted: Any, now: Any, then: Any) -> bool:
    """Does a field come nearer to what is wanted?"""
    if fits(wanted, then):
        return True
    if isinstance(wanted, list) and isinstance(now, list) and isinstance(then, list):
        return apart(wanted, then) < apart(wanted, now)
    if isinstance(wanted, int | float) and isinstance(now, int | float) and isinstance(then, int | float):
        return abs(wanted - then) < abs(wanted - now)
    return False


def apart(one: list[Any], other: list[Any]) -> int:
    return sum(item not in other for item in one) + sum(item not in one for item in other)
