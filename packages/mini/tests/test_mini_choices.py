"""What is wanted of several buttons, and set already."""

from __future__ import annotations

import pytest

from saccade_mini.codec import Sheet
from saccade_mini.option_widgets import choices, weekdays
from saccade_mini.task_habits import View, deed

DAYS = {"en": "Mon Tue Wed Thu Fri Sat Sun".split(), "zh": "周一 周二 周三 周四 周五 周六 周日".split()}


def screen(*labels: str, language: str = "en") -> Sheet:
    """A button each, below each other; a star behind its label says that it is checked."""
    lines = [
        f'#{at} button {"checked " if "*" in label else ""}"{label.strip("*")}" [500, {at * 50}] '
        f"[{at}, {at * 50 - 20}, {900 + at}, {at * 50 + 20}]"
        for at, label in enumerate(labels, 1)
    ]  # fmt: skip
    return Sheet.read("\n".join([f"@btl {language}", "task: x", *lines]))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on weekdays", {0, 1, 2, 3, 4}), ("工作日", {0, 1, 2, 3, 4}), ("every day", set(range(7))),
        ("每天", set(range(7))), ("on Saturdays and Sundays", {5, 6}), ("周六和周日", {5, 6}), ("once", set()),
        ("仅一次", set()), ("Monday, Wednesday and Friday", {0, 2, 4}), ("周一、周三", {0, 2}),
        ("Sunday dinner", None), ("周末聚会", None), ("09:30", None), ("", None), ("and", None),
    ],
)  # fmt: skip
def test_days_of_a_repetition(text: str, days: set[int] | None) -> None:
    assert weekdays(text) == days


@pytest.mark.parametrize(("language", "text"), [("en", "on weekdays"), ("zh", "工作日")])
def test_days_that_are_missing_set_and_unwanted(language: str, text: str) -> None:
    mon, tue, wed, thu, fri, sat, sun = DAYS[language]
    sheet = screen(f"{mon}*", tue, f"{wed}*", thu, fri, f"{sat}*", sun, language=language)
    view = View(sheet, {"time": "07:10", "repeat": text})
    names = [view.deed("touch", at).name for at in range(7)]
    assert names == [
        "touch set", "touch =repeat", "touch set", "touch =repeat", "touch =repeat", "touch unwanted", f"touch {sun}",
    ]  # fmt: skip
    assert view.targets("touch =repeat") == [1, 3, 4]


def test_a_day_is_a_day_only_in_a_week() -> None:
    assert not choices(screen("Mon", "Tue"), {"repeat": "every day"})
    assert not choices(screen(*DAYS["en"]), {"name": "Sunday dinner"})


@pytest.mark.parametrize(
    ("words", "labels", "language"),
    [("color White and size US 8", ("Navy", "White", "US 8", "US 9"), "en"),
     ("颜色选白色，尺码选42", ("藏青", "白色", "42", "43"), "zh")],
)  # fmt: skip
def test_options_of_a_product(words: str, labels: tuple[str, ...], language: str) -> None:
    view = View(screen(*labels, language=language), {"name": "Shoes", "words": words})
    names = [view.deed("touch", at).name for at in range(4)]
    assert names[1:3] == ["touch =words"] * 2
    assert "=" not in names[0] + names[3]
    one, two, three, four = labels
    view = View(screen(one, f"{two}*", three, four, language=language), {"words": words})
    assert view.targets("touch =words") == [2], "the other is set"
    assert view.targets("touch set") == [1]
    assert not choices(screen(*labels), {"name": words}), "no options are told"


def test_other_options_on_the_line() -> None:
    buttons = ("Mild", 700), ("Hot", 700), ("Extra hot", 760), ("Add to cart", 900)
    lines = [f'#{at} button "{label}" [{at * 200}, {y}] [{at * 200}, {y}, {at * 200 + 90}, {y + 50}]'
             for at, (label, y) in enumerate(buttons, 1)]  # fmt: skip
    view = View(Sheet.read("\n".join(["@btl en", "task: x", *lines])), {"words": "flavor Hot"})
    names = [view.deed("touch", at).name for at in range(4)]
    assert names == ["touch other", "touch =words", "touch Extra hot", "touch Add to cart"]


def test_the_end_of_a_word_is_no_option() -> None:
    assert not choices(screen("ot", "or Hot", "Extra hot"), {"words": "flavor Hot"})


def test_an_address_is_any_address() -> None:
    assert deed("touch", "Home · Robin Hale 18 Maple Street, Apt 4B", {}).name == "touch Home ·"
    assert deed("touch", "家 · 程一诺 杭州市滨江区", {}).name == "touch 家 ·"
    assert deed("touch", "Place order · $28.49", {}).name == "touch Place order · $0.0"
    assert deed("touch", "Office · Robin Hale 18 Maple Street", {"where": "Office"}).name == "touch =where"
