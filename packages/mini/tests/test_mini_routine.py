"""What tasks do next: the linear model, its training, and answers that are led there."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from saccade.models.base import Ask
from saccade_mini.codec import PROMPT, Sheet
from saccade_mini.forced_decoding import VERBS, aimed
from saccade_mini.model import WEIGHTS, MiniModel
from saccade_mini.next_action_model import UNCHANGED, Routine, Scene, alike, counted, in_view, possible, scene_of, vain
from saccade_mini.task_habits import View, deed_in
from saccade_mini.training.next_action_training import Moment, train_routine

CALL = "Call {name}"
KNOWN = {CALL: ["end success", "open Contacts", "swipe up", "touch =name", "touch Call", "touch Search"]}
SLOTS = {"name": "Ann Lee"}
LINES = [
    "task: Call Ann Lee", "step: Call Ann Lee",
    '#1 button "Search contacts" [500, 60] [0, 40, 1000, 80]', '#2 button "Ann Lee" [500, 300] [0, 250, 1000, 350]',
    '#3 button "Bob" [500, 500] [0, 450, 1000, 550]', '#4 scroll "Contacts" [500, 500] [0, 100, 1000, 900]',
]  # fmt: skip


def moment(done: list[str], seen: list[str], right: str) -> Moment:
    return Moment(Scene(CALL, done, dict.fromkeys(seen, "")), {right})


EPISODE = [
    moment([], ["touch Clock"], "open Contacts"),
    moment(["open Contacts"], ["touch Search"], "swipe up"),
    moment(["open Contacts", "swipe up"], ["touch Search", "touch =name"], "touch =name"),
    moment(["open Contacts", "swipe up", "touch =name"], ["touch Call"], "touch Call"),
    moment(["open Contacts", "swipe up", "touch =name", "touch Call"], ["touch End"], "end success"),
]


@pytest.fixture(scope="module")
def routine() -> Routine:
    return Routine(*train_routine(EPISODE * 12, KNOWN))


def test_what_comes_next_is_learned(routine: Routine) -> None:
    for scene, right in EPISODE:
        chances = routine.chances(scene, KNOWN[CALL])
        assert sum(chances.values()) == pytest.approx(1)
        assert max(chances, key=lambda name: chances[name]) in right
    unseen = Scene(CALL, ["open Contacts", "swipe up", "swipe up"], {"touch Search": "", "touch =name": ""})
    chances = routine.chances(unseen, KNOWN[CALL])
    assert chances["touch =name"] > chances["swipe up"], "who is in view is touched"
    assert "touch Call" not in chances, "it is not there"


def test_nothing_is_known_of_other_tasks(routine: Routine) -> None:
    assert routine.chances(Scene("Dance", [], {}), []) == {}
    assert possible(Scene("Dance", [], {"touch A": ""}), ["touch A", "touch B", "answer"]) == ["touch A", "answer"]
    empty = Routine(*train_routine(EPISODE[:1], KNOWN))
    chances = empty.chances(EPISODE[0].scene, KNOWN[CALL])
    assert len(set(chances.values())) == 1, "too little was seen to tell them apart"
    with pytest.raises(ValueError, match="each hint has one weight"):
        Routine(np.zeros(2, np.uint32), np.zeros(1, np.int8), 1.0)


def view(sheet: Sheet) -> dict[str, str]:
    return in_view(View(sheet, SLOTS))


def test_what_could_be_touched() -> None:
    sheet = Sheet.read("\n".join(["@btl en", *LINES]))
    assert list(view(sheet)) == ["touch Search contacts", "touch =name", "touch Bob"]
    assert View(sheet, SLOTS).targets("touch =name") == [1] == View(sheet, SLOTS).targets("hold =name")
    assert not View(sheet, SLOTS).targets("swipe up")
    assert possible(Scene(CALL, [], view(sheet)), ["hold =name", "hold Bill"]) == ["hold =name"]


@pytest.mark.parametrize(("told", "counts"), [("2", "count more"), ("3", "count same"), ("4", "count less"), ("", "")])
def test_how_numbers_compare(told: str, counts: str) -> None:
    lines = [
        '#1 button "Nuts $17" [500, 100] [0, 50, 1000, 150]', '#2 text "3" [600, 200] [590, 190, 610, 210]',
        '#3 button "Shoes" [500, 400] [0, 350, 1000, 450]', '#4 text "9" [600, 500] [590, 490, 610, 510]',
    ]  # fmt: skip
    sheet = Sheet.read("\n".join(["@btl en", f"task: Change the quantity of Nuts to {told}", *lines]))
    assert " ".join(counted(sheet, {"name": "Nuts", "count": told})) == counts
    assert not counted(sheet, {"name": "Socks", "count": told}), "they are not there"


@pytest.fixture(scope="module")
def mini() -> MiniModel:
    return MiniModel(WEIGHTS)


@pytest.mark.parametrize("paradigm", sorted(VERBS))
@pytest.mark.parametrize(
    "name", ["touch Bob", "hold =name", "touch =name", "swipe up", "press back", "end success", "open Contacts"]
)
def test_answers_that_are_led(mini: MiniModel, paradigm: str, name: str) -> None:
    head = f"@{paradigm} en k1" if paradigm == "guidnav" else f"@{paradigm} en"
    sheet = Sheet.read("\n".join([head, *LINES]))
    pick: Any = aimed(mini.writer, sheet, name, SLOTS, Ask())
    prompt = mini.writer.prompt(sheet)
    _, [answer] = mini.writer.write(sheet, prompt, 1, 200, pick, Ask(), time.monotonic())
    raw = mini.writer.decode(answer.tokens)
    found = deed_in(sheet.expand(raw), sheet, sheet.touched(raw), SLOTS)
    assert answer.whole
    assert found is not None
    kind = name.partition(" ")[0]
    assert found.name == name if kind in ("touch", "hold") else found.name.startswith(kind), raw


def test_nobody_is_led_to_what_is_not_there(mini: MiniModel) -> None:
    sheet = Sheet.read("\n".join(["@btl en", *LINES]))
    assert aimed(mini.writer, sheet, "touch Send", SLOTS, Ask()) is None
    assert aimed(mini.writer, Sheet("restate", "en"), "swipe up", SLOTS, Ask()) is None


@pytest.mark.parametrize(
    ("name", "counts", "found"),
    [
        ("touch Save", ["time.1 same", "time.2 less"], True), ("touch 保存", ["time.1 same", "time.2 same"], False),
        ("touch Save", ["on.month more", "count less"], False),  # no wheels
        ("touch Save", ["start.1 same", "end.1 there"], False), ("touch Save", ["start.1 less", "end.1 more"], True),
        ("touch =time.1", ["time.1 same", "time.2 less"], True), ("touch =time.2", ["time.2 there"], False),
        ("touch =start.1+end.1", ["start.1 same", "end.1 less"], False), ("touch =on.day", ["on.month same"], False),
        ("touch Increase", ["count same"], True), ("touch 增加", ["count less"], False), ("touch Increase", [], False),
        ("touch Increase elsewhere", [], True), ("touch Remove elsewhere", [], False),
        ("touch Decrease", ["count less"], True), ("touch 减少", ["count more"], False),
        ("swipe up wheel 2", ["time.2 more"], True), ("swipe up wheel 2", ["time.2 less"], False),
        ("swipe up wheel 2", ["time.1 more"], False), ("swipe up", ["count same"], False), ("open Clock", [], False),
    ],
)  # fmt: skip
def test_what_is_done_in_vain(name: str, counts: list[str], found: bool) -> None:
    assert vain(name, counts) == found


def test_figures_are_alike_whichever_slot_tells_them() -> None:
    assert alike("time.2 more") == alike("start.2 more") == "2 more"
    assert alike("count less") == " less"
    assert alike("on.month same") == "month same"


def test_the_prompt_says_that_nothing_changed_in_these_words() -> None:
    assert all(f'"{each}"' in PROMPT.read_text(encoding="utf-8") for each in UNCHANGED)
    for each in UNCHANGED:
        assert scene_of(CALL, (), Sheet("btl", "en", parts=[("task", "x"), ("done", each)]), {}).still
    assert not scene_of(CALL, (), Sheet("btl", "en", parts=[("task", UNCHANGED[0])]), {}).still
