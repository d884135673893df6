"""Make outcomes that are nearly right; the judge must reject each of them.

They are made from the state in which the oracle left the phone: nothing done, one change missing, one value replaced
(by another item, person or time from the same field elsewhere on the phone), one change too many, the wrong last
action.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from saccade.actions import Action
from saccade_phone.app import State
from saccade_phone.goal_changes import Added, Changed, Says, fits
from saccade_phone.judge import Difference, differences
from saccade_phone.session import Rollout, Session, last_action

OTHERS = 3


def wrong_outcomes(session: Session, outcome: Rollout) -> Iterator[tuple[str, bool]]:
    """Each wrong outcome in words, and whether the judge accepts it."""
    goal, last = session.goal, last_action(outcome.moves[-1])
    end = {**outcome.state, "apps": sharing(outcome.state["apps"], session.start["apps"])}

    def accepted(state: State, said: Action = last) -> bool:
        return Session(state, session.start, goal, session.apps).succeeded(said)

    yield "the other last word", accepted(end, opposite(last))
    for decoy in goal.decoys:
        yield f"answer {decoy!r}", accepted(end, Action("answer", text=decoy))
    if goal.changes or goal.infeasible:
        yield "nothing was done, nothing looked at", accepted(session.start)
    for each in differences(session.apps, session.start, end):
        yield f"{each.path} {each.id} is missing", accepted(without_change(end, each))
        if each.kind == "added":
            yield f"{each.path} {each.id} twice", accepted(with_duplicate(end, each))
        for what, state in with_other_value(session, end, each):
            yield what, accepted(state)
    for what, state in with_extra_change(session, end):
        yield what, accepted(state)


def opposite(last: Action) -> Action:
    if last.type == "answer":
        return Action("answer", text="42 and a half")
    return Action("terminate", status="failure" if last.status == "success" else "success")


def sharing(new: Any, old: Any) -> Any:
    """The new data, with the old in the place of every part that is equal: what is the same object is compared fast."""
    if new == old:
        return old
    if isinstance(new, dict) and isinstance(old, dict):
        return {name: sharing(value, old.get(name)) for name, value in new.items()}
    return new


def with_part(state: State, path: str, value: Any) -> State:
    """The state with something else in the place of one part of an app's data."""
    app, _, name = path.partition(".")
    return {**state, "apps": {**state["apps"], app: {**state["apps"][app], name: value}}}


def part(state: State, path: str) -> dict[str, Any]:
    app, _, name = path.partition(".")
    found: dict[str, Any] = state["apps"][app][name]
    return found


def without_change(state: State, each: Difference) -> State:
    if each.kind == "value":
        return with_part(state, each.path, each.old)
    entries = part(state, each.path)
    if each.kind == "added":
        return with_part(state, each.path, without_entry(entries, each.id))
    entry = each.old if each.kind == "removed" else {**entries[each.id], **each.old}
    return with_part(state, each.path, {**entries, each.id: entry})


def without_entry(entries: dict[str, Any], id: str) -> dict[str, Any]:
    return {other: entry for other, entry in entries.items() if other != id}


def with_duplicate(state: State, each: Difference) -> State:
    entries = part(state, each.path)
    return with_part(state, each.path, {**entries, f"{each.id}-again": entries[each.id]})


def with_other_value(session: Session, state: State, each: Difference) -> Iterator[tuple[str, State]]:
    """States in which one of the task's fields has another value."""
    if each.kind not in ("added", "changed"):
        return
    wanted = {
        name: value
        for change in session.goal.changes
        if isinstance(change, Added | Changed) and change.path == each.path
        for name, value in change.fields.items()
    }
    entries = part(state, each.path)
    for name in sorted(each.new.keys() & wanted.keys()):
        pool = [entry.get(name) for entry in entries.values()]
        others = [value for value in pool if not fits(wanted[name], value) and not fits(each.new[name], value)]
        for value in [*others[:OTHERS], another(each.new[name])]:
            if isinstance(wanted[name], Says) and wanted[name].matches(value):
                continue
            changed = {**entries, each.id: {**entries[each.id], name: value}}
            yield f"{each.path} {each.id} with {name}={value!r}", with_part(state, each.path, changed)


def another(value: Any) -> Any:
    """A value of the same kind that is not this one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, list):
        return value[1:] if value else ["something"]
    if isinstance(value, dict):
        return {**value, "something": 1}
    return f"{value} 9z" if isinstance(value, str) else "something"


def with_extra_change(session: Session, state: State) -> Iterator[tuple[str, State]]:
    """States with one more change in another collection: an entry removed or added."""
    touched = {change.path for change in session.goal.changes}
    for name, app in session.apps.items():
        for collection in app.collections:
            path = f"{name}.{collection}"
            entries = part(state, path)
            if len(entries) < 2 or path in touched:
                continue
            first = next(iter(entries))
            yield f"{path} has lost an entry", with_part(state, path, without_entry(entries, first))
            yield f"{path} has one more entry", with_part(state, path, {**entries, f"{first}-copy": {"copied": first}})
