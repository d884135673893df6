"""What numbers on a screen set, and which way to turn them."""

from __future__ import annotations

import time
from typing import Any

import pytest

from saccade.geometry import Point
from saccade.models.base import Ask
from saccade_mini.codec import Sheet
from saccade_mini.forced_decoding import VERBS, aimed
from saccade_mini.model import WEIGHTS, MiniModel
from saccade_mini.next_action_model import Scene, possible, scene_of
from saccade_mini.numeric_widgets import Figures, date_of, month_of, value_of
from saccade_mini.task_habits import View, deed_in

SLOTS = {"old": "07:40", "time": "05:05"}


def wheel(first: int, x: int, labels: list[str], selected: str) -> list[str]:
    """A column of options behind what scrolls it."""
    lines = [f'#{first} scroll "" [{x}, 250] [{x - 100}, 150, {x + 100}, 350]']
    for at, label in enumerate(labels):
        state, y = " selected" if label == selected else "", 170 + 40 * at
        lines.append(f'#{first + 1 + at} option{state} "{label}" [{x}, {y}] [{x - 100}, {y - 20}, {x + 100}, {y + 20}]')
    return lines


def screen(hour: str = "07", minute: str = "40", paradigm: str = "btl") -> Sheet:
    hours, minutes = ["05", "06", "07", "08"], ["30", "35", "40", "05"]
    head = "@guidnav en k1" if paradigm == "guidnav" else f"@{paradigm} en"
    lines = [
        head, "task: Move my 07:40 alarm to 05:05", "step: Move my 07:40 alarm to 05:05",
        '#1 scroll "" [500, 500] [0, 100, 1000, 900]', *wheel(2, 250, hours, hour), *wheel(10, 750, minutes, minute),
        '#18 option "Rain" [500, 600] [0, 580, 1000, 620]', '#19 button "Save" [500, 950] [0, 900, 1000, 990]',
    ]  # fmt: skip
    return Sheet.read("\n".join(lines))


def at(sheet: Sheet, number: int) -> int:
    return next(at for at, item in enumerate(sheet.items) if item.id == number)


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("05", (False, 5)), ("45 m", (True, 45)), ("1 h", (True, 60)), ("1 h 15 m", (True, 75)), ("2小时", (True, 120)),
        ("1小时 30分", (True, 90)), ("Rain", None), ("", None), ("07:40", None), ("2026", None),
    ],
)  # fmt: skip
def test_numbers_of_labels(label: str, value: tuple[bool, int] | None) -> None:
    assert value_of(label) == value


def test_a_number_is_called_by_what_it_sets() -> None:
    sheet = screen()
    names = {number: View(sheet, SLOTS).deed("touch", at(sheet, number)).name for number in (3, 4, 5, 13, 14, 18, 19)}
    assert names == {
        3: "touch =time.1", 4: "touch wheel 1", 5: "touch wheel 1", 13: "touch wheel 2", 14: "touch =time.2",
        18: "touch Rain", 19: "touch Save",
    }  # fmt: skip


def test_where_wheels_stand() -> None:
    assert Figures(screen(), SLOTS).compared() == ["time.1 there", "time.2 there"], "not where it stood before"
    assert Figures(screen("05", "05"), SLOTS).compared() == ["time.1 same", "time.2 same"]
    assert Figures(screen("", ""), {"time": "04:55"}).compared() == ["time.1 more", "time.2 less"]
    assert not Figures(screen(), {"name": "Ann"}).compared()


def test_how_long_it_lasts() -> None:
    lengths = ["45 m", "1 h", "1 h 15 m", "1 h 30 m"]
    sheet = Sheet.read("\n".join(["@btl en", "task: x", *wheel(1, 250, lengths, "1 h")]))
    slots = {"start": "23:15", "end": "00:30"}
    assert Figures(sheet, slots).compared() == ["end.length there"]
    assert View(sheet, slots).deed("touch", at(sheet, 4)).name == "touch =end.length"


def test_the_end_is_set_by_how_long_it_lasts() -> None:
    hours, minutes, lengths = ["09", "10", "11"], ["00", "15", "30"], ["15 m", "30 m", "45 m"]
    wheels = [*wheel(1, 100, hours, "09"), *wheel(5, 400, minutes, "00"), *wheel(9, 700, lengths, "30 m")]
    slots = {"start": "09:30", "end": "10:00"}
    figures = Figures(Sheet.read("\n".join(["@btl en", "task: x", *wheels])), slots)
    assert figures.compared() == ["start.1 same", "start.2 there", "end.length same"], "00 is no minute of the end"


def test_which_wheel_is_turned() -> None:
    sheet = screen()
    assert View(sheet, SLOTS).swipe("down", Point(750, 250)).name == "swipe down wheel 2"
    assert {View(sheet, SLOTS).swipe("up", each).name for each in (Point(500, 700), None)} == {"swipe up"}
    scene = scene_of("x", (), sheet, SLOTS)
    names = ["swipe down wheel 2", "swipe up", "swipe up wheel 3", "touch =time.2", "touch =time.3"]
    assert possible(scene, names) == ["swipe up", "touch =time.2"], "05 is there already"
    later = scene_of("x", (), sheet, {"time": "05:00"})
    assert possible(later, [*names, "swipe up wheel 2"]) == ["swipe down wheel 2", "swipe up"]
    free = scene_of("x", (), sheet, {"name": "Ann"})
    assert possible(free, names) == ["swipe down wheel 2", "swipe up"], "nobody knows where to"
    assert possible(Scene("x", (), {"touch Save": ""}), names) == ["swipe up"]
    assert View(sheet, SLOTS).targets("swipe down wheel 2") == [at(sheet, 10)]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("April 27", (4, 27)), ("Date Mon, Apr 20", (4, 20)), ("6月6日 周六", (6, 6)), ("2026-06-06 at 20:00", (6, 6)),
        ("Marching 5", None), ("mars", None), ("", None), ("May", None),
    ],
)  # fmt: skip
def test_dates_of_texts(text: str, date: tuple[int, int] | None) -> None:
    assert date_of(text) == date


@pytest.mark.parametrize(
    ("label", "month"), [("June 2026", 6), ("2026年12月", 12), ("June 6", 0), ("下个月", 0), ("", 0)]
)
def test_months_of_labels(label: str, month: int) -> None:
    assert month_of(label) == month


@pytest.mark.parametrize(
    ("title", "slots", "counts", "name"),
    [
        ("April 2026", {"on": "April 27"}, ["on.month same", "on other"], "touch =on.day"),
        ("May 2026", {"on": "April 27"}, ["on.month more", "on other"], "touch 0"),
        ("2026年3月", {"on": "4月20日"}, ["on.month less", "on shown"], "touch 0"),
        ("April 2026", {"name": "Ann"}, [], "touch 0"),
    ],
)
def test_days_of_a_month(title: str, slots: dict[str, str], counts: list[str], name: str) -> None:
    lines = [
        f'#1 text "{title}" [500, 100] [0, 50, 1000, 150]', '#2 gridcell "27" [100, 300] [50, 250, 150, 350]',
        '#3 button "Date Mon, Apr 20" [500, 600] [0, 550, 1000, 650]',
    ]  # fmt: skip
    sheet = Sheet.read("\n".join(["@btl en", "task: x", *lines]))
    assert Figures(sheet, slots).compared() == counts
    assert View(sheet, slots).deed("touch", at(sheet, 2)).name == name


@pytest.mark.parametrize(
    ("counts", "able"),
    [
        (["count less"], True),
        (["count more"], False),
        (["count same"], False),
        ([], True),
        (["count more", "stars less"], True),
    ],
)
def test_nobody_adds_to_what_is_enough(counts: list[str], able: bool) -> None:
    names = ["touch Remove", "touch Increase"]
    scene = Scene("x", (), dict.fromkeys(names, ""), counts)
    assert possible(scene, names) == (names if able else names[:1])


@pytest.fixture(scope="module")
def mini() -> MiniModel:
    return MiniModel(WEIGHTS)


@pytest.mark.parametrize("paradigm", sorted(VERBS))
@pytest.mark.parametrize("name", ["touch =time.2", "touch =time.1", "swipe down wheel 2"])
def test_answers_are_led_to_the_right_one(mini: MiniModel, paradigm: str, name: str) -> None:
    sheet = screen(paradigm=paradigm)
    pick: Any = aimed(mini.writer, sheet, name, SLOTS, Ask())
    _, [answer] = mini.writer.write(sheet, mini.writer.prompt(sheet), 1, 200, pick, Ask(), time.monotonic())
    raw = mini.writer.decode(answer.tokens)
    found = deed_in(sheet.expand(raw), sheet, sheet.touched(raw), SLOTS)
    assert found is not None
    assert found.name == name, raw
