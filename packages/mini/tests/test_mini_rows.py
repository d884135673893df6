"""Which of several buttons that are called the same is meant."""

from __future__ import annotations

import pytest

from saccade_mini.codec import Sheet
from saccade_mini.next_action_model import scene_of
from saccade_mini.row_disambiguation import astray, listed
from saccade_mini.task_habits import View

WORDS = {"en": ("Increase", "Decrease", "Select", "Deselect"), "zh": ("增加", "减少", "选择", "取消选择")}


def cart(language: str, *rows: tuple[str, str, bool]) -> Sheet:
    """Things in a cart: the name, how many, and if it is selected."""
    more, less, select, deselect = WORDS[language]
    lines = ['#1 heading "Nuts and more" [500, 50] [20, 30, 980, 70]', '#2 button "Back" [60, 50] [10, 30, 110, 70]']
    for at, (name, many, selected) in enumerate(rows):
        y = 100 + 200 * at
        button = f"[{{x}}, {y + 120}] [{{x}}, {y + 100}, {{end}}, {y + 140}]"
        lines += [f'#{len(lines) + 1} button "{name} $5" [500, {y + 50}] [30, {y}, 970, {y + 100}]']
        for x, label in ((300, deselect if selected else select), (450, less), (600, many), (750, more)):
            kind = "text" if label == many else "button"
            lines.append(f'#{len(lines) + 1} {kind} "{label}" {button.format(x=x, end=x + 100)}')
    lines.append(f'#{len(lines) + 1} button "Back" [200, 970] [100, 950, 300, 990]')
    return Sheet.read("\n".join([f"@btl {language}", "task: x", *lines]))


def names(sheet: Sheet, slots: dict[str, str], label: str) -> list[str]:
    view = View(sheet, slots)
    return [view.deed("touch", at).name for at, item in enumerate(sheet.items) if item.label == label]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_row_of_what_the_task_names_is_meant(language: str) -> None:
    sheet = cart(language, ("Nuts", "1", False), ("Shoes", "2", True), ("Socks", "1", False))
    more, less, select, deselect = WORDS[language]
    slots = {"name": "Shoes", "count": "3"}
    for label in (more, less):
        assert names(sheet, slots, label) == [f"touch {label}{each}" for each in (" elsewhere", "", " elsewhere")]
    assert names(sheet, slots, select) == [f"touch {select} elsewhere"] * 2
    assert names(sheet, slots, deselect) == [f"touch {deselect} elsewhere"], "it is wanted"
    assert View(sheet, slots).targets(f"touch {more}") == [11]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_not_named_is_not_selected(language: str) -> None:
    sheet = cart(language, ("Nuts", "1", True), ("Shoes", "2", True), ("Socks", "1", False))
    _, _, select, deselect = WORDS[language]
    slots = {"zh": "Shoes和Socks" if language == "zh" else "Shoes and Socks"}
    assert names(sheet, slots, deselect) == [f"touch {deselect}", f"touch {deselect} elsewhere"]
    assert names(sheet, slots, select) == [f"touch {select}"]


def test_a_row_whose_title_is_out_of_view_is_nobodys() -> None:
    """Not to be deselected, though the task does not name what can be seen of it."""
    whole = cart("en", ("Nuts", "1", True), ("Shoes", "1", True), ("Socks", "1", True))
    lines = [f'#{at} {item.kind} {item.state} "{item.label}" [{item.point.x:.0f}, {item.point.y:.0f}] '
             f"[{item.box.x0:.0f}, {item.box.y0:.0f}, {item.box.x1:.0f}, {item.box.y1:.0f}]"
             for at, item in enumerate(whole.items, 2) if item.label != "Nuts $5"]  # fmt: skip
    lines.insert(2, '#1 scroll "" [500, 500] [0, 90, 1000, 900]')
    sheet = Sheet.read("\n".join(["@btl en", "task: x", *(" ".join(line.split()) for line in lines)]))
    assert names(sheet, {"name": "Shoes"}, "Deselect") == [
        "touch Deselect elsewhere", "touch Deselect elsewhere", "touch Deselect",
    ]  # fmt: skip


def test_of_what_there_is_enough_nothing_is_added() -> None:
    sheet = cart("en", ("Nuts", "1", True), ("Shoes", "2", True), ("Socks", "1", True))
    assert names(sheet, {"list": "2 Nuts and 2 × Shoes"}, "Increase") == [
        "touch Increase", "touch Increase elsewhere", "touch Increase elsewhere",
    ]  # fmt: skip
    assert names(sheet, {"list": "1 Nuts and 2 × Shoes"}, "Increase") == ["touch Increase elsewhere"] * 3, "all is done"
    assert names(sheet, {"list": "Nuts and Shoes"}, "Increase")[1:] == ["touch Increase", "touch Increase elsewhere"]


@pytest.mark.parametrize(
    ("slots", "total"),
    [({"en": "2 × Nuts and 1 × Shoes"}, 3), ({"zh": "1份艇仔粥和1份现炸油条", "time": "10:30"}, 2), ({"count": "3"}, 0),
     ({"name": "Nuts and Shoes"}, 0), ({"time": "10:30", "on": "June 3"}, 0), ({"what": "1 × Nuts"}, 1)],
)  # fmt: skip
def test_how_many_things_are_listed(slots: dict[str, str], total: int) -> None:
    assert listed(slots) == total
    if total:
        done = ["touch Increase", "touch 增加", "touch Increase elsewhere", "swipe up"]
        counts = scene_of("x", done, cart("en", ("Nuts", "1", False)), slots).counts
        assert f"list.adds {'less' if total > 2 else 'more' if total < 2 else 'same'}" in counts


def test_what_can_be_fewer_is_there() -> None:
    """On a menu the number stands in the row's own label, where nobody reads it."""
    sheet = cart("en", ("Nuts", "", True), ("Shoes", "", True), ("Socks", "", True))
    assert names(sheet, {"list": "1 × Nuts and 2 × Shoes", "time": "10:30"}, "Increase") == [
        "touch Increase elsewhere", "touch Increase", "touch Increase elsewhere",
    ]  # fmt: skip
    assert names(sheet, {"what": "Nuts", "count": "1"}, "Increase") == ["touch Increase elsewhere"] * 3
    assert names(sheet, {"what": "Nuts", "count": "2"}, "Increase")[0] == "touch Increase"


def test_numbers_without_end_count_nothing() -> None:
    long = "9" * 5000
    sheet = cart("en", ("Nuts", long, False), ("Shoes", "1", False))
    assert names(sheet, {"what": "Nuts", "count": long, "list": f"{long} × Hats"}, "Increase")[0] == "touch Increase"


@pytest.mark.parametrize(
    "slots", [{}, {"name": "Hats"}, {"name": "Nuts and more"}, {"name": "5"}, {"name": "N"}, {"name": "Increase"}]
)
def test_where_no_row_is_named_any_may_be_meant_but_nothing_is_added(slots: dict[str, str]) -> None:
    sheet = cart("en", ("Nutmeg", "1", False), ("Shoes", "5", False))
    assert {sheet.items[at].label for at in astray(sheet, slots)} <= {"Increase"}


def test_a_thing_that_was_read_too_long_is_still_that_thing() -> None:
    sheet = cart("zh", ("麻婆豆腐 月售3", "", False), ("回锅肉 月售8", "", False))
    for label in ("增加", "减少"):
        assert names(sheet, {"what": "菜单里选好麻婆豆腐"}, label) == [f"touch {label}", f"touch {label} elsewhere"]


def test_buttons_that_are_not_below_each_other_are_in_no_rows() -> None:
    sheet = cart("en", ("Nuts", "1", False))
    assert names(sheet, {"name": "Nuts"}, "Back") == ["touch Back", "touch Back"]
