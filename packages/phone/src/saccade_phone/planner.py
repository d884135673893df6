"""Find the next moves from any state to a goal, by searching what the apps declare. One planner serves all tasks.

Goal → changes that are missing (or must be taken back) → where each is done (`Need`, from the app's own declaration) →
the shortest way there through the interface, by uniform-cost search over moves that change nothing but the screen →
the form's values → the command. At each point *all* moves that bring the nearest of these closer are given: that is
the multi-choice truth of the step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from saccade_phone.app import App, State, View
from saccade_phone.apps.system import HARMLESS
from saccade_phone.goal_changes import Added, Change, Changed, Need, Removed, See, Value, Way, fits
from saccade_phone.judge import Difference, GoalProgress, goal_progress
from saccade_phone.path_search import FirstLook, Move, Search, arrived
from saccade_phone.state_machine import Machine
from saccade_phone.tasks.base import Goal
from saccade_phone.widgets import Op, Page

DEEPEST = 6
UNNAMED_COST = 100
"""Extra cost of an aim whose name the agent has not read or been told."""


@dataclass
class Plan:
    """The next moves, each of them right. `lost`: why the goal cannot be reached any more."""

    moves: list[Move] = field(default_factory=list)
    aim: Need | See | None = None
    lost: str = ""
    done: bool = False
    """Only the final `answer` or `terminate` is left."""


def plan(
    apps: Mapping[str, App], state: State, start: State, goal: Goal, focus: str = "", sight: FirstLook | None = None
) -> Plan:
    """The moves that make progress from here. `focus`: the text field that has the focus. `sight`: use only moves that
    make sense with this knowledge; without it, the planner uses the whole state.
    """
    machine = Machine(state, apps)
    if machine.front == "system":
        return Plan(dismissals(machine.shown()))
    stand = goal_progress(apps, goal, start, state)
    for each in stand.extra:
        if route(machine, each.undoing) is None:
            return Plan(lost=f"{each.path} {each.id} was {each.kind} and cannot be put back")
    unseen = [look for look in goal.sees if not seen(state, look)]
    if unseen:
        return nearest(machine, unseen, focus, sight)
    wanted = next_changes(machine, stand)
    if wanted:
        aims: list[Need] = []
        for change in wanted:
            found = route(machine, change)
            if found is None:
                return Plan(lost=f"{change} cannot be done")
            aims += found
        return nearest(machine, aims, focus, sight)
    return Plan([last_word(goal)], done=True)


def last_word(goal: Goal) -> Move:
    if goal.answer is not None:
        return Move("answer", text=goal.answer)
    return Move("terminate", "failure" if goal.infeasible else "success")


def dismissals(page: Page) -> list[Move]:
    """The moves that close a system dialog without any other effect."""
    found = [Move("tap", widget.id) for widget in page.walk() if widget.tap and widget.tap.name in HARMLESS]
    return [*found, Move("press", "back")]


def seen(state: State, look: See) -> bool:
    """Whether the screen was shown at some time."""
    visits = state["nav"]["journal"]
    return any(app == look.app and arrived({"screen": screen, "args": args}, look) for app, screen, args in visits)


# -- from changes to needs ---------------------------------------------------------------------------------------------


def next_changes(machine: Machine, stand: GoalProgress) -> list[Change]:
    """The changes to work on: first wrong changes of the wanted entries, then missing changes (removals last, because
    an order empties the basket by itself), then other changes to revert.
    """
    touched = {(each.path, each.id) for each in stand.missing if isinstance(each, Changed)}
    first: list[Change] = [each.undoing for each in stand.extra if (each.path, each.id) in touched]
    missing, _ = mended(machine, stand.missing, stand.extra)
    made: list[Change] = [each for each in missing if not isinstance(each, Removed)]
    return first or made or missing or repairs(machine, stand.extra)


def repairs(machine: Machine, extra: list[Difference]) -> list[Change]:
    """The changes that revert everything. An entry that was deleted and made again wrongly is corrected, not deleted
    again.
    """
    gone = [each.undoing for each in extra if each.kind == "removed"]
    back, used = mended(machine, gone, extra)
    return back + [each.undoing for each in extra if each.kind != "removed" and each.id not in used]


def mended(machine: Machine, wanted: list[Change], extra: list[Difference]) -> tuple[list[Change], set[str]]:
    """Replace additions by corrections of entries that were wrongly added, where the app can do that. Returns the
    changes and the ids of the entries used.
    """
    found: list[Change] = []
    used: set[str] = set()
    for change in wanted:
        better = next(mendings(machine, change, extra, used), change) if isinstance(change, Added) else change
        if isinstance(better, Changed) and better is not change:
            used.add(better.id)
        found.append(better)
    return found, used


def mendings(machine: Machine, wanted: Added, extra: list[Difference], used: set[str]) -> Iterator[Changed]:
    """Changes that turn a wrongly added entry into the wanted one."""
    app, _, name = wanted.path.partition(".")
    expected = {**machine.apps[app].collections[name].defaults, **wanted.fields}
    for each in extra:
        if each.kind == "added" and each.path == wanted.path and each.id not in used:
            wrong = {name: value for name, value in expected.items() if not fits(value, each.new.get(name))}
            if way(machine, change := Changed(wanted.path, each.id, wrong)) is not None:
                yield change


def way(machine: Machine, change: Change) -> Way:
    """How the app makes a change."""
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
    if change.id not in machine.state["apps"][name][part]:
        return None  # it is gone, and what comes in its place is another
    if isinstance(change, Changed):
        return spec.update(view, change.id, change.fields) if spec.update else None
    return spec.remove(view, change.id) if spec.remove else None


def route(machine: Machine, change: Change, depth: int = 0) -> list[Need] | None:
    """The needs that can be worked on now for a change: its own, or those of its preconditions."""
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


def nearest(machine: Machine, aims: Sequence[Need | See], focus: str, sight: FirstLook | None = None) -> Plan:
    """The moves towards the nearest aim, or towards all aims that are equally near. With `sight`, aims that were not
    named come last, and if no move makes sense with that knowledge, any right move is taken.
    """
    best, found = float("inf"), Plan()
    for aim in aims:
        cost, moves = towards(machine, aim, focus)
        if sight is not None:
            cost += UNNAMED_COST if sight.unnamed(machine, aim) else 0
            moves = towards(machine, aim, focus, sight)[1] or moves if cost <= best else moves
        if cost < best:
            best, found = cost, Plan(list(moves), aim)
        elif cost == best:
            found.moves += [move for move in moves if move not in found.moves]
    if not found.moves:
        found.lost = f"no way leads to {list(aims)}"
    return found


def towards(machine: Machine, aim: Need | See, focus: str, sight: FirstLook | None = None) -> tuple[float, list[Move]]:
    """The cost of an aim, and the moves that bring it closer."""
    values = dict(aim.values) if isinstance(aim, Need) else {}
    page = below(machine, aim)
    if page is not None:
        wrong = [name for name, value in values.items() if not fits(value, page["form"].get(name))]
        if wrong:
            picking = machine.top["args"].get("field") if page is not machine.top else None
            begun = picking or focus  # a picker that is open and a field that has the focus are finished first
            names = [begun] if begun in wrong else wrong
            options = [Search(machine, aim, focus, name, sight).run() for name in names]
            least = min(cost for cost, _ in options)
            on_top = page is machine.top
            moves = [move for cost, found in options if on_top or cost == least for move in found]
            return least + len(wrong), list(dict.fromkeys(moves))
        if page is machine.top and isinstance(aim, Need):
            return 1, list(commands(machine.shown(), aim.commit, focus))
    cost, moves = Search(machine, aim, focus, sight=sight).run()
    if machine.front != aim.app and moves:
        by_name = Move("open_app", aim.app, machine.apps[aim.app].name(machine.state["language"]))
        moves = list(dict.fromkeys([by_name, *moves]))  # right as well, wherever its icon may be
    return cost + len(values) + 1, moves


def below(machine: Machine, aim: Need | See) -> dict[str, Any] | None:
    """The aim's screen, if it is shown or only covered by sheets and dialogs."""
    if machine.front != aim.app:
        return None
    for entry in reversed(machine.stack):
        if arrived(entry, aim):
            return entry
        if machine.apps[aim.app].screens[entry["screen"]].style == "page":
            return None
    return None


def commands(page: Page, commit: Op, focus: str) -> Iterator[Move]:
    """Every touch on this screen that runs the command."""
    for widget in page.walk():
        if widget.tap == commit:
            yield Move("tap", widget.id)
        elif widget.hold == commit:
            yield Move("hold", widget.id)
        elif widget.submit == commit:
            yield Move("enter", widget.id) if focus == widget.id else Move("tap", widget.id)
    if page.pull is not None and page.pull == commit:
        yield Move("pull")
