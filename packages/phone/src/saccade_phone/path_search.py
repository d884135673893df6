"""Find the shortest path to a screen, or to a value in its form: uniform-cost search over moves that change no data.

The search knows the whole state. An agent that sees the phone for the first time does not: with `FirstLook`, scrolling
costs its swipes, opening a folder that nothing mentioned costs extra, and a named thing can be found with the app's own
search.
"""

from __future__ import annotations

import heapq
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import msgspec

from saccade_phone.goal_changes import Need, See, fits, plain
from saccade_phone.state_machine import LAUNCHER, RECENTS, Machine
from saccade_phone.widgets import Op, Page, Widget, put

MoveKind = Literal["tap", "hold", "pull", "type", "enter", "press", "swipe", "open_app", "answer", "terminate"]
MOST_NODES = 4000
SCREENFUL, SWIPED = 8, 5
"""Rows on one screen, and rows that one swipe brings into view."""
GUESS = 4
"""Cost of opening something that may not contain what is looked for."""
NAMES = ("name", "title", "subject")
"""Fields that hold an entry's name."""
T = TypeVar("T")


class Move(msgspec.Struct, frozen=True, omit_defaults=True):
    """One step in terms of widgets, before it becomes an action on the screen."""

    kind: MoveKind
    id: str = ""
    """The widget; for `press` the key, for `swipe` the direction, for `open_app` the app."""
    text: str = ""


def arrived(entry: Mapping[str, Any], aim: Need | See) -> bool:
    args = entry["args"]
    return entry["screen"] == aim.screen and all(args.get(name) == value for name, value in aim.args.items())


@dataclass(frozen=True)
class FirstLook:
    """What an agent knows that sees the phone for the first time."""

    told: str
    """The instruction, and the facts noted so far."""
    swipes: Mapping[str, int] = field(default_factory=dict)
    """Swipes that bring each widget of the shown page into view."""

    def tells(self, text: str) -> bool:
        """Whether the text was mentioned. A number counts only by itself, not as part of a time."""
        if text.isdigit():
            return re.search(rf"(?<![\d:]){text}(?![\d:])", self.told) is not None
        return bool(text) and text in self.told

    def name(self, machine: Machine, aim: Need | See) -> str:
        """The name of the aim's entry, if it was mentioned."""
        return next(filter(self.tells, names(machine, aim)), "")

    def unnamed(self, machine: Machine, aim: Need | See) -> bool:
        """Whether the aim's entry has a name that was not mentioned."""
        known = names(machine, aim)
        return bool(known) and not any(map(self.tells, known))


def names(machine: Machine, aim: Need | See) -> list[str]:
    """The names of the entries that an aim's arguments refer to."""
    apps = machine.state["apps"]
    tables = [*apps[aim.app].values(), apps["contacts"]["people"]] if aim.app in apps else []
    return list(called(aim.args.values(), tables))


def called(keys: Iterable[object], tables: Iterable[object], by: Sequence[str] = NAMES) -> Iterator[str]:
    """The names of the entries with these keys, in any of these tables. Values that are no keys, and data that is no
    table, are ignored.
    """
    entries = [each for each in tables if isinstance(each, dict)]
    for key, table in itertools.product(keys, entries):
        if isinstance(key, str) and isinstance(entry := table.get(key), dict):
            yield from (entry[each] for each in by if isinstance(entry.get(each), str))


@dataclass(frozen=True)
class Branch:
    """A move in the search: its cost, the state it leads to, and the first moves it stands for."""

    cost: int
    to: Machine
    first: tuple[Move, ...]
    focus: str = ""


class Search:
    """Uniform-cost search over moves that change only the screen.

    With `field`, the goal is that this field of the aim's screen has its value; else that the screen is shown.
    """

    def __init__(
        self, machine: Machine, aim: Need | See, focus: str = "", field: str = "", sight: FirstLook | None = None
    ) -> None:
        self.root = machine
        self.aim = aim
        self.focus = focus
        self.field = field
        self.values = dict(aim.values) if isinstance(aim, Need) else {}
        self.sight = sight
        self.query = aim.query or (sight.name(machine, aim) if sight else "")

    def run(self) -> tuple[float, list[Move]]:
        """The least cost, and the first moves of all paths with that cost."""
        start = self.key(self.root, self.focus)
        queue: list[tuple[int, int, Machine, str, bytes]] = [(0, 0, self.root, self.focus, start)]
        costs: dict[bytes, int] = {start: 0}
        firsts: dict[bytes, dict[Move, None]] = {}
        count, best = 0, 0 if self.there(self.root) else float("inf")
        moves: dict[Move, None] = {}
        while queue and (count < MOST_NODES or best < float("inf")):
            cost, _, node, focus, key = heapq.heappop(queue)
            if cost > best:
                break
            if cost > costs[key]:
                continue
            if self.there(node):
                moves |= firsts.get(key, {})
            if cost == best:
                continue  # what can be done here leads no nearer: most of the work is saved
            for branch in self.branches(node, focus):
                count += 1
                total, after = cost + branch.cost, self.key(branch.to, branch.focus)
                if total > best:
                    continue
                first = firsts[key] if key in firsts else dict.fromkeys(branch.first)
                if total < costs.get(after, 1 << 30):
                    costs[after] = total
                    firsts[after] = dict(first)
                    heapq.heappush(queue, (total, count, branch.to, branch.focus, after))
                    if self.there(branch.to):
                        best = total
                elif total == costs[after] and after in firsts:
                    firsts[after] |= first
        return best, list(moves)

    def key(self, node: Machine, focus: str) -> bytes:
        """The key of a search state: the open screens of the app in front."""
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
        rows = depths(page) if self.sight else {}
        for widget in page.walk():
            if widget.kind == "field":
                yield from self.typing(node, widget, focus)
            touches: tuple[tuple[MoveKind, Op | None], ...] = (("tap", widget.tap), ("hold", widget.hold))
            for kind, op in touches:
                if op is not None and self.follows(node, op):
                    effort = self.effort(node, widget, op, rows)
                    yield self.branch(node, Machine.apply, op, Move(kind, widget.id), effort=effort)

    def effort(self, node: Machine, widget: Widget, op: Op, rows: Mapping[str, int]) -> int:
        """Extra cost of a touch with `FirstLook`."""
        if self.sight is None:
            return 0
        below = max(0, rows.get(widget.id, 0) - SCREENFUL)
        here = page_of(node) == page_of(self.root)
        swipes = self.sight.swipes.get(widget.id, 0) if here else -(-below // SWIPED)
        return swipes + (GUESS if self.guesses(op) and not self.sight.tells(widget.text) else 0)

    def guesses(self, op: Op) -> bool:
        """Whether only knowledge of the state makes this touch useful."""
        given = {op.name: op.value} if op.kind == "put" else op.args
        return any(
            value in self.aim.through.get(name, ()) and self.aim.args.get(name) != value
            for name, value in given.items()
        )

    def buttons(self, node: Machine, page: Page) -> Iterator[Branch]:
        """Moves by the phone's buttons: back, home, recent apps."""
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

    def branch(
        self, node: Machine, act: Callable[[Machine, T], object], argument: T, *first: Move, effort: int = 0
    ) -> Branch:
        to = node.trial()
        act(to, argument)
        return Branch(1 + effort, to, first)

    def follows(self, node: Machine, op: Op) -> bool:
        """Whether an op can be part of the path. Ops that open other entries than the aim's are left out."""
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
            return bool(value == self.query or value == self.aim.args.get("query"))
        if name in self.aim.args and self.aim.args[name] == value:
            return True
        return value in self.aim.through.get(name, ())

    def puts(self, node: Machine, op: Op) -> bool:
        """Values on the path only if the aim names them; on the aim's screen, those that bring the field closer."""
        if op.name in self.aim.through and op.value in self.aim.through[op.name]:
            return True
        if op.name == self.field and arrived(node.top, self.aim):
            return closer(self.values[self.field], node.top["form"].get(self.field), op.value)
        return False

    def typing(self, node: Machine, widget: Widget, focus: str) -> Iterator[Branch]:
        """Moves for a text field: tap, type, Enter. A wrong text is cleared first."""
        here = arrived(node.top, self.aim)
        wanted = self.query if widget.style == "search" else ""
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


def page_of(node: Machine) -> tuple[Any, ...]:
    """Cached facts about a page that do not depend on its form."""
    return node.front, node.top["screen"], node.top["args"]


def depths(page: Page) -> dict[str, int]:
    """About how many rows are above each widget of a page."""
    found: dict[str, int] = {}
    row = 0.0
    for block in page.body:
        share = 2 / max(1, int(block.value or 1)) if block.kind == "grid" else 1.0
        for widget in block.walk():
            found[widget.id] = int(row)
            row += 0.0 if widget.children else share
    return found


def closer(wanted: Any, now: Any, then: Any) -> bool:
    """Whether a field's value comes closer to the wanted one."""
    if fits(wanted, then):
        return True
    if isinstance(wanted, list) and isinstance(now, list) and isinstance(then, list):
        return apart(wanted, then) < apart(wanted, now)
    if isinstance(wanted, int | float) and isinstance(now, int | float) and isinstance(then, int | float):
        return abs(wanted - then) < abs(wanted - now)
    return False


def apart(one: list[Any], other: list[Any]) -> int:
    return sum(item not in other for item in one) + sum(item not in one for item in other)
