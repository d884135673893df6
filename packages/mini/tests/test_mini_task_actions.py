"""How actions of a task are named, which come next, and answers that are forced to take one."""

from __future__ import annotations

from typing import Any

import pytest
from golden_cases import golden

from saccade.actions import Action
from saccade.geometry import PERMILLE, Box, Point, Size
from saccade.models.base import Ask
from saccade.paradigms import get_paradigm
from saccade.typed_values import to_type
from saccade.types import Element, Screen
from saccade_mini.answer_search import AnswerSearch
from saccade_mini.codec import PROMPT, Sheet
from saccade_mini.generator import Generator
from saccade_mini.model import WEIGHTS
from saccade_mini.next_action_model import UNCHANGED, TaskState, possible, state_of
from saccade_mini.numeric_widgets import NumericWidgets
from saccade_mini.slots import torn
from saccade_mini.task_habits import ActionNames, with_notes

SIZE = Size(1000, 1000)
ALARM = {"old": "07:40", "time": "05:05"}


def wheel(first: int, x: int, labels: list[str], selected: str) -> list[str]:
    """A column of options, and the area that scrolls it."""
    lines = [f'#{first} scroll "" [{x}, 250] [{x - 100}, 150, {x + 100}, 350]']
    for at, label in enumerate(labels):
        state, y = " selected" if label == selected else "", 170 + 40 * at
        lines.append(f'#{first + 1 + at} option{state} "{label}" [{x}, {y}] [{x - 100}, {y - 20}, {x + 100}, {y + 20}]')
    return lines


def sheet_of(*lines: str, paradigm: str = "btl") -> Sheet:
    head = "@guidnav en k1" if paradigm == "guidnav" else f"@{paradigm} en"
    return Sheet.read("\n".join([head, "task: Move my 07:40 alarm to 05:05", *lines]))


def alarm(hour: str = "07", minute: str = "40", paradigm: str = "btl") -> Sheet:
    return sheet_of(
        '#1 scroll "" [500, 500] [0, 100, 1000, 900]',
        *wheel(2, 250, ["05", "06", "07", "08"], hour),
        *wheel(10, 750, ["30", "35", "40", "05"], minute),
        '#18 option "Rain" [500, 600] [0, 580, 1000, 620]',
        '#19 button "Save" [500, 950] [0, 900, 1000, 990]',
        paradigm=paradigm,
    )


# -- names -------------------------------------------------------------------------------------------------------------


def test_actions_are_named_by_what_they_set() -> None:
    for case in golden("action_names"):
        action = to_type(case["action"], Action) if case["action"] else None
        found = ActionNames(alarm(), ALARM).of(action, SIZE)
        assert (found.name if found else None) == case["name"], case


def test_labels_are_named_by_slots_without_numbers_and_dates() -> None:
    for case in golden("label_names"):
        sheet = sheet_of(f'#1 button "{case["label"]}" [500, 60] [400, 40, 600, 80]')
        found = ActionNames(sheet, case["slots"]).of(Action("click", Point(500, 60)), SIZE)
        assert found is not None and found.name == case["name"], case


def test_what_was_noted_on_an_earlier_screen_is_a_slot() -> None:
    for part, text, noted in [
        ("thought", "Noted: $5.20. I open Notes.", "$5.20"),
        ("context", "记下：洗洁精。", "洗洁精"),
    ]:
        sheet = Sheet("btl", "en", parts=[(part, text)])
        assert with_notes({"name": "Ann"}, sheet) == {"name": "Ann", "noted": noted}
    assert with_notes({}, Sheet("btl", "en", parts=[("task", "Noted: 5. Write it down")])) == {}


# -- numbers -----------------------------------------------------------------------------------------------------------


def test_where_wheels_stand() -> None:
    assert NumericWidgets(alarm(), ALARM).compared() == ["time.1 there", "time.2 there"]
    assert NumericWidgets(alarm("05", "05"), ALARM).compared() == ["time.1 same", "time.2 same"]
    assert NumericWidgets(alarm("", ""), {"time": "04:55"}).compared() == ["time.1 more", "time.2 less"]
    assert not NumericWidgets(alarm(), {"name": "Ann"}).compared()
    # an end time is set by the duration
    wheels = [*wheel(1, 100, ["09", "10"], "09"), *wheel(5, 400, ["00", "30"], "00")]
    wheels += wheel(9, 700, ["15 m", "30 m", "1 h 15 m"], "30 m")
    slots = {"start": "09:30", "end": "10:00"}
    assert NumericWidgets(sheet_of(*wheels), slots).compared() == ["start.1 same", "start.2 there", "end.length same"]


def test_days_of_a_month() -> None:
    for case in golden("calendar_days"):
        sheet = sheet_of(
            f'#1 text "{case["title"]}" [500, 100] [0, 50, 1000, 150]',
            '#2 gridcell "27" [100, 300] [50, 250, 150, 350]',
            '#3 button "Date Mon, Apr 20" [500, 600] [0, 550, 1000, 650]',
        )
        assert NumericWidgets(sheet, case["slots"]).compared() == case["counts"], case
        assert ActionNames(sheet, case["slots"]).item("touch", 1).name == case["name"], case


def test_the_number_beside_what_the_task_mentions_is_compared() -> None:
    sheet = sheet_of(
        '#1 button "Nuts $17" [500, 100] [0, 50, 1000, 150]',
        '#2 text "3" [600, 200] [590, 190, 610, 210]',
        '#3 button "Shoes" [500, 400] [0, 350, 1000, 450]',
        '#4 text "9" [600, 500] [590, 490, 610, 510]',
    )
    for told, how in (("2", "more"), ("3", "same"), ("4", "less")):
        assert state_of("x", (), sheet, {"name": "Nuts", "count": told}).counts == [f"count {how}"]
        assert not state_of("x", (), sheet, {"name": "Socks", "count": told}).counts, "they are not there"


def test_a_slot_does_not_tear_a_chinese_word() -> None:
    task = "今天刚认识了上官婉，电话15282345223"
    assert torn({"name": "官婉"}, task) == 1
    assert torn({"name": "上官婉", "phone": "15282345223"}, task) == 0
    assert torn({"name": "Ada"}, "Call Adam") == 0


# -- which are possible ------------------------------------------------------------------------------------------------


def test_what_is_possible_on_a_screen() -> None:
    seen = dict.fromkeys(["touch Save", "touch =time.1", "touch =time.2", "wheel 2", "touch Increase"], "")
    for case in golden("possible_actions"):
        found = possible(TaskState("x", (), seen, case["counts"]), [case["name"]])
        assert found == [case["name"]] * case["able"], case


def test_the_state_of_a_task() -> None:
    state = state_of("x", ["open Clock"], alarm(), ALARM)
    assert {"touch =time.1", "touch Save", "wheel 1", "wheel 2"} <= state.seen.keys()
    assert not state.unchanged
    for words in UNCHANGED:
        assert f'"{words}"' in PROMPT.read_text(encoding="utf-8")
        assert state_of("x", (), Sheet("btl", "en", parts=[("done", words)]), {}).unchanged


# -- forced ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def generator() -> Generator:
    return Generator(WEIGHTS, threads=1)


def search(generator: Generator, paradigm: str) -> AnswerSearch:
    switches: dict[str, Any] = {"k": 1} if paradigm == "guidnav" else {}
    made = get_paradigm(paradigm, frame=PERMILLE, template=PROMPT, space="phone", **switches)
    sheet = alarm(paradigm=paradigm)
    shown = [Element(item.id, Box(*item.box), item.kind, item.label) for item in sheet.items]
    return AnswerSearch(generator, made, Screen(SIZE, None, shown), sheet, ALARM, Ask())


@pytest.mark.parametrize("paradigm", ["btl", "uiloop", "secagent", "guidnav"])
def test_an_answer_is_forced_to_take_an_action(generator: Generator, paradigm: str) -> None:
    names = "touch =time.2, touch Save, hold Save, type =time, open Clock, press back, answer, end failure".split(", ")
    if paradigm != "guidnav":  # elements that lie inside what scrolls have the same mark
        names += ["swipe down wheel 2", "swipe up"]
    found = search(generator, paradigm)
    for name in names:
        answer = found.forced(name)
        assert answer is not None and answer.task_action is not None and answer.task_action.name == name, name
        assert answer.whole and answer.action is not None, name


def test_nothing_is_forced_that_is_not_there_or_not_declared(generator: Generator) -> None:
    found = search(generator, "btl")
    assert found.forced("touch Cancel") is None
    found.sheet.actions = ("Tap", "Swipe")
    assert found.forced("open Clock") is None
    assert found.forced("touch Save") is not None
