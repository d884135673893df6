"""What counts as done: the wanted differences, and no other."""

from __future__ import annotations

from typing import Any

import pytest

from saccade.actions import Action
from saccade_phone.app import App
from saccade_phone.goal_changes import Removed, Says, Value, added, changed
from saccade_phone.judge import answers, differences, goal_progress, mentions, succeeded
from saccade_phone.tasks import Goal

APP = App("box", "Box", "盒子", "box", "#000", "vant")
APP.holds("things", volatile=("read",), defaults={"color": "red"})
APP.forgets("history")
APPS = {"box": APP}
DONE = Action("terminate", status="success")


def state(things: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {"apps": {"box": {"things": things, **values}}}


START = state({"a": {"name": "Ann", "color": "red", "read": False}, "b": {"name": "Bob", "color": "blue"}}, size=1)


def judged(goal: list[Any], now: dict[str, Any]) -> bool:
    return succeeded(APPS, Goal("", tuple(goal)), START, now, DONE)


def having(**more: Any) -> dict[str, Any]:
    return {**START["apps"]["box"]["things"], **more}


def test_a_new_entry_must_be_the_one() -> None:
    goal = [added("box.things", name="Cid")]
    assert judged(goal, state(having(c={"name": "Cid", "color": "red"}), size=1))
    assert judged(goal, state(having(c={"name": " cid.", "color": "red"}), size=1)), "case and blanks do not matter"
    assert not judged(goal, state(having(c={"name": "Cod", "color": "red"}), size=1))
    assert not judged(goal, state(having(c={"name": "Cid", "color": "blue"}), size=1)), "defaults count"
    assert not judged(goal, START)
    twice = having(c={"name": "Cid", "color": "red"}, d={"name": "Cid", "color": "red"})
    assert not judged(goal, state(twice, size=1))


def test_nothing_else_may_change() -> None:
    goal = [Removed("box.things", "b")]
    only_a = {"a": START["apps"]["box"]["things"]["a"]}
    assert judged(goal, state(only_a, size=1))
    assert not judged(goal, state({}, size=1))
    assert not judged(goal, state(only_a, size=2)), "an undeclared value counts too"
    assert judged(goal, state({"a": {**only_a["a"], "read": True}}, size=1)), "but not what is volatile"
    now = state(only_a, size=1)
    now["apps"]["box"]["history"] = ["x"]
    assert judged(goal, now)


def test_changed_fields_and_only_those() -> None:
    goal = [changed("box.things", "a", name="Amy"), changed("box.things", "a", color="green")]
    assert judged(goal, state(having(a={"name": "Amy", "color": "green"}), size=1))
    assert not judged(goal, state(having(a={"name": "Amy", "color": "red"}), size=1))
    assert not judged([goal[0]], state(having(a={"name": "Amy", "color": "green"}), size=1))
    assert not judged(goal, state({"b": START["apps"]["box"]["things"]["b"]}, size=1))


def test_deleted_and_made_again_as_it_was_is_no_difference() -> None:
    again = {"b": START["apps"]["box"]["things"]["b"], "z": {"name": "Ann", "color": "red"}}
    assert differences(APPS, START, state(again, size=1)) == []


def test_values() -> None:
    assert judged([Value("box.size", 3)], state(having(), size=3))
    assert not judged([Value("box.size", 3)], state(having(), size=2))
    assert goal_progress(APPS, Goal("", (Value("box.size", 3),)), START, state(having(), size=2)).extra == []


def test_texts_that_must_contain_something() -> None:
    goal = [added("box.things", name=Says("call 555 now", ("555",)))]
    assert judged(goal, state(having(c={"name": "his number: 555", "color": "red"}), size=1))
    assert not judged(goal, state(having(c={"name": "his number: 556", "color": "red"}), size=1))


@pytest.mark.parametrize(
    ("said", "wanted", "there"),
    [
        ("It is 07:30.", "07:30", True),
        ("17:30", "7:30", False),
        ("7:305", "7:30", False),
        ("$1,299", "1299", True),
        ("the total is 45.50 dollars", "45.5", False),
        ("45.5", "45.50", False),
        ("总共45.5元", "45.5", True),
        ("在人民公园", "人民公园", True),
        ("人民广场", "人民公园", False),
        ("Room  Maple", "room maple", True),
        ("", "x", False),
        ("x", "", False),
    ],
)
def test_mentions(said: str, wanted: str, there: bool) -> None:
    assert mentions(said, wanted) is there


def test_an_answer_must_not_hedge() -> None:
    goal = Goal("", answer="07:30", accept=("7:30",), decoys=("08:00", "30"))
    assert answers(goal, "At 7:30")
    assert not answers(goal, "07:30 or 08:00")
    assert not answers(goal, "08:00")
    assert not answers(goal, "")


def test_the_last_word_must_fit() -> None:
    failed, asked = Action("terminate", status="failure"), Action("answer", text="4")
    assert succeeded(APPS, Goal("", infeasible=True), START, START, failed)
    assert not succeeded(APPS, Goal("", infeasible=True), START, START, DONE)
    assert not succeeded(APPS, Goal("", infeasible=True), START, state({}, size=1), failed), "nor may it do harm"
    assert succeeded(APPS, Goal("", answer="4"), START, START, asked)
    assert not succeeded(APPS, Goal("", answer="4"), START, START, DONE)
    assert not succeeded(APPS, Goal("", answer="4"), START, state({}, size=1), asked)
