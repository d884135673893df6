"""Judge a task on the phone's state: everything asked for was done, and nothing else was changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from saccade.actions import Action
from saccade_phone.app import App, Collection, State
from saccade_phone.goal_changes import Added, Change, Changed, Removed, Value, fits, fold
from saccade_phone.tasks.base import Goal


@dataclass(frozen=True)
class Difference:
    """One difference between two states."""

    kind: Literal["added", "changed", "removed", "value"]
    path: str
    id: str = ""
    old: Any = None
    new: Any = None

    @property
    def undoing(self) -> Change:
        """The change that would revert it."""
        if self.kind == "added":
            return Removed(self.path, self.id)
        if self.kind == "removed":
            return Added(self.path, self.old)
        if self.kind == "changed":
            return Changed(self.path, self.id, self.old)
        return Value(self.path, self.old)


def differences(apps: Mapping[str, App], start: State, now: State) -> list[Difference]:
    """All differences between two states of the phone, without volatile data."""
    found: list[Difference] = []
    for name, app in apps.items():
        before, after = start["apps"].get(name, {}), now["apps"].get(name, {})
        if before is after:
            continue
        for key in before.keys() | after.keys():
            old, new, path = before.get(key), after.get(key), f"{name}.{key}"
            if key in app.volatile or old is new or old == new:
                continue
            if key in app.collections:
                found += _entries(path, app.collections[key], old or {}, new or {})
            else:
                found.append(Difference("value", path, "", old, new))
    return sorted(found, key=lambda each: (each.path, each.id))


def _entries(path: str, spec: Collection, old: dict[str, Any], new: dict[str, Any]) -> list[Difference]:
    found: list[Difference] = []
    gone = {id: _lasting(spec, entry) for id, entry in old.items() if id not in new}
    for id, entry in new.items():
        if old.get(id) == entry:
            continue
        lasting = _lasting(spec, entry)
        if id not in old:
            twin = next((other for other, was in gone.items() if was == lasting), None)
            if twin is None:
                found.append(Difference("added", path, id, None, lasting))
            else:
                del gone[twin]  # deleted, and made again as it was
        elif (was := _lasting(spec, old[id])) != lasting:
            names = [name for name in was.keys() | lasting.keys() if was.get(name) != lasting.get(name)]
            before = {name: was.get(name) for name in names}
            found.append(Difference("changed", path, id, before, {name: lasting.get(name) for name in names}))
    return found + [Difference("removed", path, id, entry) for id, entry in gone.items()]


def lasting_data(apps: Mapping[str, App], state: State) -> dict[str, Any]:
    """The data of all apps without what is volatile: two phones of which this is equal have no `differences`."""
    found: dict[str, Any] = {}
    for name, data in state["apps"].items():
        app = apps[name]
        found[name] = {
            key: {id: _lasting(app.collections[key], entry) for id, entry in part.items()}
            if key in app.collections
            else part
            for key, part in data.items()
            if key not in app.volatile
        }
    return found


def _lasting(spec: Collection, entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in spec.volatile}


@dataclass
class GoalProgress:
    """What is still missing for a goal, and what was changed besides."""

    missing: list[Change]
    """Changes that were asked for and are not made."""
    extra: list[Difference]
    """Changes that were not asked for."""

    @property
    def met(self) -> bool:
        return not self.missing and not self.extra


def goal_progress(apps: Mapping[str, App], goal: Goal, start: State, now: State) -> GoalProgress:
    """Match the differences with the changes asked for, one to one."""
    extra = differences(apps, start, now)
    missing: list[Change] = []
    for wanted in merged(goal.changes):
        app, _, name = wanted.path.partition(".")
        if isinstance(wanted, Added):
            found = next(
                (
                    each
                    for each in extra
                    if each.kind == "added"
                    and each.path == wanted.path
                    and fits_entry(apps[app].collections[name], wanted, each.new)
                ),
                None,
            )
        elif isinstance(wanted, Changed):
            entry = now["apps"][app][name].get(wanted.id)
            if entry is None or not all(fits(value, entry.get(field)) for field, value in wanted.fields.items()):
                missing.append(wanted)
            extra = [rest for each in extra if (rest := _besides(each, wanted)) is not None]
            continue
        else:
            found = next((each for each in extra if each.path == wanted.path and _done(wanted, each)), None)
            if found is None and isinstance(wanted, Value) and fits(wanted.value, now["apps"][app][name]):
                continue
        if found is None:
            missing.append(wanted)
            extra = [each for each in extra if not (isinstance(wanted, Value) and each.path == wanted.path)]
        else:
            extra.remove(found)
    return GoalProgress(missing, extra)


def _done(wanted: Removed | Value, each: Difference) -> bool:
    if isinstance(wanted, Removed):
        return each.kind == "removed" and each.id == wanted.id
    return each.kind == "value" and fits(wanted.value, each.new)


def _besides(each: Difference, wanted: Changed) -> Difference | None:
    """The rest of a difference without the wanted fields."""
    if each.kind != "changed" or (each.path, each.id) != (wanted.path, wanted.id):
        return each
    names = each.new.keys() - wanted.fields.keys()
    if not names:
        return None
    old, new = ({name: part[name] for name in names} for part in (each.old, each.new))
    return Difference("changed", each.path, each.id, old, new)


def fits_entry(spec: Collection, wanted: Added, entry: Mapping[str, Any]) -> bool:
    """Whether an added entry is the one wanted. Fields that the task does not name must have their defaults."""
    expected = {**spec.defaults, **wanted.fields}
    return all(fits(value, entry.get(name)) for name, value in expected.items())


def merged(changes: tuple[Change, ...]) -> list[Change]:
    """Merge changes of the same entry."""
    found: list[Change] = []
    for change in changes:
        twin = next(
            (
                each
                for each in found
                if isinstance(each, Changed)
                and isinstance(change, Changed)
                and (each.path, each.id) == (change.path, change.id)
            ),
            None,
        )
        if twin is not None and isinstance(twin, Changed) and isinstance(change, Changed):
            found[found.index(twin)] = Changed(twin.path, twin.id, {**twin.fields, **change.fields})
        else:
            found.append(change)
    return found


def answers(goal: Goal, said: str) -> bool:
    """Whether the answer names what was asked for, and none of the decoys (values of similar things)."""
    right = [goal.answer or "", *goal.accept]
    wrong = [decoy for decoy in goal.decoys if not any(mentions(each, decoy) for each in right)]
    return any(mentions(said, each) for each in right) and not any(mentions(said, each) for each in wrong)


def mentions(said: str, wanted: str) -> bool:
    """Whether the answer contains `wanted` as a whole word or number."""
    text, word = fold(said.replace(",", "").replace("，", " ")), fold(wanted.replace(",", "").replace("，", " "))
    if not word:
        return False
    if word.isascii():  # blanks are gone, so only digits can run on
        before = r"(?<![\d.])" if word[0].isdigit() else ""
        after = r"(?![\d]|\.\d)" if word[-1].isdigit() else ""
        return re.search(before + re.escape(word) + after, text) is not None
    return word in text


def looked(goal: Goal, now: State) -> bool:
    """Whether the app was opened: an agent that reports a task as infeasible must have looked there."""
    return all(any(app == look.app for app, *_ in now["nav"]["journal"]) for look in goal.sees)


def succeeded(apps: Mapping[str, App], goal: Goal, start: State, now: State, last: Action) -> bool:
    """Whether the attempt succeeded: the agent ended it with the right last action, and the state is right."""
    if goal.answer is not None:
        ended = last.type == "answer" and answers(goal, last.text or "")
    elif goal.infeasible:
        ended = last.type == "terminate" and last.status == "failure" and looked(goal, now)
    else:
        ended = last.type == "answer" or (last.type == "terminate" and last.status == "success")
    return ended and goal_progress(apps, goal, start, now).met
