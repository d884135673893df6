"""The way from any state to a goal, found by searching what the apps declare. One planner serves all tasks.

Goal → changes that are missing (or must be taken back) → where each is done (`Need`, from the app's own declaration)
→ the shortest way there through the interface, by uniform-cost search over moves that change nothing but the screen
→ the form's values → the deed. At each point *all* moves that bring the nearest of these closer are given: that is the
multi-choice truth of the step.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import msgspec

from saccade.worlds.phone.app import App, State, View
from saccade.worlds.phone.apps.system import HARMLESS
from saccade.worlds.phone.changes import Added, Change, Changed, Need, Removed, See, Value, Way, fits
from saccade.worlds.phone.judge import Difference, standing
from saccade.worlds.phone.machine import LAUNCHER, RECENTS, Machine
from saccade.worlds.phone.tasks.base import Goal
from saccade.worlds.phone.widgets import Op, Page, Widget, put

MoveKind = Literal["tap", "hold", "pull", "type", "enter", "press", "swipe", "open_app", "answer", "terminate"]
OPEN_COST = 2
"""What opening an app by name costs: as much as going home and tapping its icon, so that both are right."""
DEEPEST = 6
T = TypeVar("T")
MOST_NODES = 4000


class Move(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing to do, in the phone's own terms."""

    kind: MoveKind
    id: str = ""
    """The widget; for `press` the key, for `swipe` the direction, for `open_app` the app."""
    text: str = ""


@dataclass
class Plan:
    """What to do now: any of `moves`. `lost`: what cannot be put right any more."""

    moves: list[Move] = field(default_factory=list)
    aim: Need | See | None = None
    change: Change | None = None
    lost: str = ""
    done: bool = False
    """Only the last word is left to say."""


def plan(apps: Mapping[str, App], state: State, start: State, goal: Goal, focus: str = "") -> Plan:
    """The moves that make progress from here. `focus`: the text field that has it."""
    machine = Machine(state, apps)
    if machine.front == "system":
        return Plan(dismissals(machine.shown()))
    stand = standing(apps, goal, start, state)
    for each in stand.extra:
        if route(machine, each.undoing) is None:
            return Plan(lost=f"{each.path} {each.id} was {each.kind} and cannot be put back")
    unseen = [look for look in goal.sees if not seen(state, look)]
    if unseen:
        return nearest(machine, [(look, None) for look in unseen], focus)
    wanted: list[Change] = [best_change(machine, each, stand.extra) for each in stand.missing]
    wanted = [each for each in wanted if not isinstance(each, Removed)] or wanted  # an order empties the basket itself
    wanted = wanted or [each.undoing for each in stand.extra]
    if wanted:
        aims: list[tuple[Need | See, Change | None]] = []
        for change in wanted:
            found = route(machine, change)
            if found is None:
                return Plan(lost=f"{change} cannot be done", change=change)
            aims += [(need, change) for need in found]
        return nearest(machine, aims, focus)
    return Plan([last_word(goal)], done=True)


def last_word(goal: Goal) -> Move:
    if goal.answer is not None:
        return Move("answer", text=goal.answer)
    return Move("terminate", "failure" if goal.infeasible else "success")


def dismissals(page: Page) -> list[Move]:
    """A system dialog is answered by what only makes it go away."""
    found = [Move("tap", widget.id) for widget in page.walk() if widget.tap and widget.tap.name in HARMLESS]
    return [*found, Move("press", "back")]


def seen(state: State, look: See) -> bool:
    return any(
        app == look.app and screen == look.screen and all(args.get(name) == value for name, value in look.args.items())
        for app, screen, args in state["nav"]["journal"]
    )


# -- from changes to needs ---------------------------------------------------------------------------------------------


def best_change(machine: Machine, wanted: Change, extra: list[Difference]) -> Change:
    """Something wrong was just added: mend it rather than delete it and begin anew, if the app can."""
    if isinstance(wanted, Added):
        for each in extra:
            if each.kind == "added" and each.path == wanted.path:
                spec = machine.apps[each.path.partition(".")[0]].collections[each.path.partition(".")[2]]
                expected = {**spec.defaults, **wanted.fields}
                wrong = {name: value for name, value in expected.items() if not fits(value, each.new.get(name))}
                mended = Changed(wanted.path, each.id, wrong)
                if way(machine, mended) is not None:
                    return mended
    return wanted


def way(machine: Machine, change: Change) -> Way:
    """What the app says about bringing a change about."""
    name, _, part = change.path.partition(".")
    app = machine.apps[name]
    view = View(machine.state, name, {}, {})
    if isinstance(change, Value):
        return app.values[part](view, change.value) if part in app.values else None
    spec = app.collections.get(part)
    if spec is None:
        return None
    if isinstance(change, Added):
        return spec.create(view, change.fields) if spec.create else None
    if isinstance(change, Changed):
        return spec.update(view, change.id, change.fields) if spec.update else None
    return spec.remove(view, change.id) if spec.remove else None


def route(machine: Machine, change: Change, depth: int = 0) -> list[Need] | None:
    """The needs that can be worked on now for a change: its own, or those of what must come first."""
    found = way(machine, change)
    if found is None or depth > DEEPEST:
        return None
    if isinstance(found, Need):
        return [found]
    needs: list[Need] = []
    for prior in found:
        inner = route(machine, prior, depth + 1)
        if inner is None:
            return None
        needs += inner
    return needs or None


# -- from needs to moves -----------------------------------------------------------------------------------------------


def nearest(machine: Machine, aims: Iterable[tuple[Need | See, Change | None]], focus: str) -> Plan:
    """The moves towards the aim that is closest; towards all of them, if they are equally close."""
    best, found = float("inf"), Plan()
    for aim, change in aims:
        cost, moves = towards(machine, aim, focus)
        if cost < best:
            best, found = cost, Plan(list(moves), aim, change)
        elif cost == best:
            found.moves += [move for move in moves if move not in found.moves]
    if not found.moves:
        found.lost = f"no way leads to {[aim for aim, _ in aims]}"
    return found


def towards(machine: Machine, aim: Need | See, focus: str) -> tuple[float, list[Move]]:
    """How far an aim is, and the moves that bring it closer."""
    values = dict(aim.values) if isinstance(aim, Need) else {}
    page = below(machine, aim)
    if page is not None:
        wrong = [name for name, value in values.items() if not fits(value, page["form"].get(name))]
        if wrong:
            options = [Search(machine, aim, focus, name).run() for name in wrong]
            least = min(cost for cost, _ in options)
            on_top = page is machine.top
            moves = [move for cost, found in options if on_top or cost == least for move in found]
            return least + len(wrong), list(dict.fromkeys(moves))
        if page is machine.top and isinstance(aim, Need):
            return 1, list(deeds(machine.shown(), aim.commit, focus))
    cost, moves = Search(machine, aim, focus).run()
    if machine.front != aim.app and moves:
        by_name = Move("open_app", aim.app, machine.apps[aim.app].name(machine.state["language"]))
        moves = list(dict.fromkeys([*moves, by_name]))  # one action, whatever it is worth in the search
    return cost + len(values) + 1, moves


def below(machine: Machine, aim: Need | See) -> dict[str, Any] | None:
    """The aim's screen, if it is shown or only sheets and dialogs lie over it."""
    if machine.front != aim.app:
        return None
    for entry in reversed(machine.stack):
        if arrived(entry, aim):
            return entry
        if machine.apps[aim.app].screens[entry["screen"]].style == "page":
            return None
    return None


def arrived(entry: Mapping[str, Any], aim: Need | See) -> bool:
    args = entry["args"]
    return entry["screen"] == aim.screen and all(args.get(name) == value for name, value in aim.args.items())


def deeds(page: Page, commit: Op, focus: str) -> Iterator[Move]:
    """Every touch on this screen that does the deed."""
    for widget in page.walk():
        if widget.tap == commit:
            yield Move("tap", widget.id)
        elif widget.hold == commit:
            yield Move("hold", widget.id)
        elif widget.submit == commit:
            yield Move("enter", widget.id) if focus == widget.id else Move("tap", widget.id)
    if page.pull is not None and page.pull == commit:
        yield Move("pull")


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
        """The phone's own: back, home, recent apps, and opening an app by its name."""
        inside = node.front == self.aim.app
        rooted = node.front == LAUNCHER and len(node.stack) == 1
        if (inside or node.front in (LAUNCHER, RECENTS)) and not rooted:
            shut = "scrim" if page.style != "page" else "bar:back" if len(node.stack) > 1 and not page.plain else ""
            moves = [Move("press", "back"), *([Move("tap", shut)] if shut else ())]
            yield self.branch(node, Machine.press, "back", *moves)
        if not inside:
            if not rooted:
                yield self.branch(node, Machine.press, "home", Move("press", "home"))
            if self.aim.app in node.nav["recents"] and node.front not in (RECENTS, LAUNCHER):
                yield self.branch(node, Machine.press, "recents", Move("press", "recent"))
            if self.aim.app != LAUNCHER:
                name = node.apps[self.aim.app].name(node.state["language"])
                opened = self.branch(node, Machine.front_app, self.aim.app, Move("open_app", self.aim.app, name))
                yield Branch(OPEN_COST, opened.to, opened.first)

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
            value = self.values[self.field]
            wanted = value.text if hasattr(value, "text") else str(value)
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


__all__ = ["Move", "Plan", "plan"]
