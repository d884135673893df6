"""Elements found in a picture are read as those of a page tree; those of a tree stay as they are."""

from __future__ import annotations

from saccade.geometry import Point
from saccade.types import Message
from saccade_mini.codec import Sheet
from saccade_mini.seen_elements import icon_names
from saccade_mini.task_habits import ActionNames, allowed
from saccade_mini.training.backbone import MiniBackbone


def sheet(*lines: str, head: str = "@btl en\ntask: Add Ann to my contacts") -> Sheet:
    return Sheet.read("\n".join([head, *lines]))


def kinds(read: Sheet) -> list[tuple[str, str]]:
    return [(item.kind, item.label) for item in read.items]


PICTURED = (
    '#1 icon "back" [80, 60] [40, 40, 120, 80]',
    '#2 icon "add" [900, 60] [860, 40, 940, 80]',
    '#3 listitem "Ann Lee Records" [500, 200] [20, 160, 980, 240]',
    '#4 input "Search contacts" [500, 120] [40, 100, 960, 140]',
    '#5 icon "" [500, 960] [400, 940, 600, 1000]',
)


def test_rows_are_buttons_and_icons_have_the_names_of_trees() -> None:
    add = icon_names()["en"]["add"][0]
    assert [label for _, label in kinds(sheet(*PICTURED))] == ["Back", add, "Ann Lee Records", "Search contacts"]
    assert [kind for kind, _ in kinds(sheet(*PICTURED))] == ["button", "button", "button", "input"]
    assert kinds(sheet('#1 icon "beer" [80, 60] [40, 40, 120, 80]')) == [("button", "Beer")]


def test_the_task_decides_between_names() -> None:
    names = icon_names()["en"]["add"]
    read = sheet(*PICTURED)
    for name in names:
        assert kinds(read.for_task({f"touch {name}", "touch Save"}))[1] == ("button", name)
    assert kinds(read.for_task({"touch Save"})) == kinds(read)
    asked = ("@btl en\ntask: Set an alarm for 06:05", '#1 icon "edit" [80, 60] [40, 40, 120, 80]', *PICTURED[1:])
    prompt = MiniBackbone(None, None).chat([Message("user", ("\n".join(asked),))])["prompt"]
    assert "Edit" in prompt and kinds(sheet(*asked[1:]))[0][1] == "Compose", "training knows the task, too"


def test_what_is_read_in_a_picture_may_differ_by_a_sign() -> None:
    habits = {"touch Move to…", "touch 0 · $0.0"}
    for text, known in {"Move to...": True, "Q Move to": True, "Move to 8": True, "Move": False, "17": False}.items():
        read = sheet(f'#1 listitem "{text}" [500, 100] [0, 60, 999, 140]', *PICTURED)
        assert allowed(ActionNames(read, {}).item("touch", 0), habits, read.matcher()) == known, text
        assert not allowed(ActionNames(read, {}).item("hold", 0), habits, read.matcher())


def test_a_field_that_was_touched_has_the_focus() -> None:
    read = sheet(*PICTURED)
    assert [item.state for item in read.for_task((), Point(300, 121)).items] == ["", "", "", "focused"]
    assert [item.state for item in read.for_task((), Point(300, 500)).items] == [""] * 4


def test_numbers_below_each_other_are_a_wheel() -> None:
    rows = [
        f'#{at} listitem "{at:02}" [300, {100 + 50 * at}] [{100 + at}, {80 + 50 * at}, {500 - at}, {120 + 50 * at}]'
        for at in range(1, 6)
    ]
    others = [f'#{y} listitem "{y // 10}" [800, {y}] [700, {y - 20}, 900, {y + 20}]' for y in (250, 300, 350)]
    read = sheet(*rows, *others, '#9 listitem "7" [600, 600] [580, 580, 620, 620]')
    assert [item.kind for item in read.items] == ["option"] * 8 + ["button"]
    assert len({(item.box.x0, item.box.x1) for item in read.items[:5]}) == 1
    assert [item.label for item in read.items if item.state == "selected"] == ["03", "25"], "in the longer one's middle"


def test_a_picture_at_the_left_end_of_a_row_is_part_of_it() -> None:
    row = '#1 listitem "Calendar Version 8.8" [490, 144] [0, 112, 980, 176]'
    at_end = '#3 icon "more" [900, 144] [880, 130, 940, 158]'
    read = sheet(row, '#2 icon "calendar" [85, 144] [48, 128, 122, 160]', at_end)
    assert [label for _, label in kinds(read)] == ["Calendar Version 8.8", icon_names()["en"]["more"][0]]


def test_a_switch_stands_for_its_row() -> None:
    row = '#1 listitem "Contacts Read all" [440, 420] [0, 386, 880, 454]'
    other = '#3 listitem "Camera" [440, 520] [0, 486, 880, 554]'
    read = sheet(row, '#2 switch on "Contacts" [900, 418] [815, 388, 986, 448]', other)
    assert kinds(read) == [("switch", "Contacts"), ("button", "Camera")]


def test_numbers_in_rows_are_the_days_of_a_month() -> None:
    days = [
        f'#{day} listitem "{day}" [{70 + 140 * (day % 7)}, {200 + 50 * (day // 7)}] '
        f"[{5 + 140 * (day % 7)}, {180 + 50 * (day // 7)}, {135 + 140 * (day % 7)}, {220 + 50 * (day // 7)}]"
        for day in range(5, 32)
    ]
    rows = '#40 listitem "7" [500, 700] [20, 680, 980, 720]', '#41 listitem "Ann" [500, 800] [0, 780, 999, 820]'
    read = sheet(*days, *rows)
    assert [item.kind for item in read.items] == ["gridcell"] * 27 + ["button"] * 2


def test_elements_of_a_tree_stay_as_they_are() -> None:
    lines = (
        '#1 text "10:09" [80, 20] [40, 10, 120, 30]',
        '#2 icon "" [80, 60] [40, 40, 120, 80]',
        '#3 button "add" [900, 60] [860, 40, 940, 80]',
        '#4 input "Search contacts" [500, 120] [40, 100, 960, 140]',
        '#5 option selected "06" [300, 300] [100, 280, 500, 320]',
    )
    read = sheet(*lines)
    assert not read.pictured
    assert read.for_task({"touch New contact"}, Point(500, 120)) is read
    assert kinds(read) == [("text", "10:09"), ("button", "add"), ("input", "Search contacts"), ("option", "06")]
