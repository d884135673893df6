"""Whose text is whose: golden cases by hand, one rule each; and the order of reading."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.geometry import Box
from saccade_vision.grouping import group_lines, joined
from saccade_vision.parser import Parser
from saccade_vision.reading_order import holders, reading_order
from saccade_vision.types import DetectedWidget, IconMeaning, Image, TextLine


def line(x: int, y: int, text: str, width: int = 100, height: int = 20) -> TextLine:
    return TextLine(Box(x, y, x + width, y + height), text, 0.9)


def widget(type: str, x0: int, y0: int, x1: int, y1: int, interactive: bool = True) -> DetectedWidget:
    return DetectedWidget(Box(x0, y0, x1, y1), type, interactive, 0.8)


CASES: list[tuple[str, list[TextLine], list[DetectedWidget] | None, list[tuple[str, str, bool]]]] = [
    (
        "a text inside a button is the button's",
        [line(110, 20, "Save")],
        [widget("button", 100, 10, 300, 50)],
        [("button", "Save", True)],
    ),
    (
        "an input's placeholder is its text",
        [line(20, 20, "Search mail")],
        [widget("input", 10, 10, 300, 50)],
        [("input", "Search mail", True)],
    ),
    (
        "title, subtitle and value of a list item are joined; the title names its only switch",
        [line(20, 20, "Wi-Fi"), line(20, 45, "Office"), line(220, 30, "On", 30)],
        [widget("list item", 0, 10, 400, 75), widget("switch", 330, 25, 390, 60)],
        [("list item", "Wi-Fi Office On", True), ("switch", "Wi-Fi", True)],
    ),
    (
        "a switch right behind a row, and a box to tick that begins before it, are the row's",
        [line(20, 20, "07:20"), line(20, 45, "Run"), line(80, 120, "Sort the basement", 200)],
        [
            widget("list item", 0, 10, 300, 75),
            widget("switch", 310, 10, 390, 75),
            widget("list item", 10, 105, 400, 155),
            widget("checkbox", 5, 108, 45, 152),
        ],
        [
            ("list item", "07:20 Run", True),
            ("switch", "07:20", True),
            ("checkbox", "Sort the basement", True),
            ("list item", "Sort the basement", True),
        ],
    ),
    (
        "a switch far behind a row is not the row's",
        [line(20, 30, "Wi-Fi")],
        [widget("list item", 0, 10, 200, 75), widget("switch", 330, 25, 390, 60)],
        [("list item", "Wi-Fi", True), ("switch", "", True)],
    ),
    (
        "of two switches in a row, nobody knows which one it names",
        [line(20, 30, "Wi-Fi")],
        [widget("list item", 0, 10, 400, 75), widget("switch", 260, 25, 320, 60), widget("switch", 330, 25, 390, 60)],
        [("list item", "Wi-Fi", True), ("switch", "", True), ("switch", "", True)],
    ),
    (
        "a switch found twice, one in the other, is one",
        [line(20, 30, "Wi-Fi")],
        [
            widget("list item", 0, 10, 400, 75),
            widget("switch", 330, 25, 390, 60),
            widget("switch", 325, 20, 395, 65, False),
        ],
        [("list item", "Wi-Fi", True), ("switch", "Wi-Fi", True)],
    ),
    (
        "a switch has the text to its left, unless another control stands there, too",
        [line(20, 30, "Wi-Fi"), line(20, 130, "Sound")],
        [
            widget("switch", 330, 25, 390, 60),
            widget("switch", 230, 125, 290, 160),
            widget("switch", 330, 125, 390, 160),
        ],
        [
            ("text", "Wi-Fi", False),
            ("switch", "Wi-Fi", True),
            ("text", "Sound", False),
            ("switch", "", True),
            ("switch", "", True),
        ],
    ),
    (
        "a value at the end of a row, as high as the row, belongs to it; a smaller button does not",
        [line(20, 30, "From"), line(320, 30, "21:30", 50), line(20, 130, "Ann"), line(320, 130, "Follow", 50)],
        [
            widget("list item", 0, 10, 400, 75),
            widget("select", 300, 12, 390, 74),
            widget("list item", 0, 110, 400, 175),
            widget("button", 300, 125, 390, 160),
        ],
        [("list item", "From 21:30", True), ("list item", "Ann", True), ("button", "Follow", True)],
    ),
    (
        "Chinese texts that stand apart in a row keep apart",
        [line(20, 30, "铃声", 40), line(320, 30, "晨曦>", 50)],
        [widget("button", 0, 10, 400, 75)],
        [("button", "铃声 晨曦", True)],
    ),
    (
        "the mark at the end of a row is no text",
        [line(20, 30, "Display"), line(370, 30, ">", 20)],
        [widget("list item", 0, 10, 400, 75)],
        [("list item", "Display", True)],
    ),
    (
        "a widget found twice is one",
        [line(120, 30, "Search apps")],
        [widget("button", 10, 10, 390, 75), widget("button", 100, 12, 300, 74)],
        [("button", "Search apps", True)],
    ),
    (
        "of two widgets around a line, the smaller gets it",
        [line(120, 30, "Buy")],
        [widget("list item", 0, 0, 400, 80), widget("button", 110, 20, 240, 60)],
        [("list item", "", True), ("button", "Buy", True)],
    ),
    (
        "texts outside widgets stand alone",
        [line(20, 5, "Settings"), line(20, 105, "Note")],
        [widget("button", 10, 40, 300, 80)],
        [("text", "Settings", False), ("button", "", True), ("text", "Note", False)],
    ),
    (
        "texts in a picture are not the picture's",
        [line(20, 20, "Summer sale")],
        [widget("image", 0, 0, 400, 200, False)],
        [("image", "", False), ("text", "Summer sale", False)],
    ),
    (
        "one or two characters in an icon are the icon, misread",
        [line(10, 10, "Q", 30, 30)],
        [widget("icon", 5, 5, 45, 45)],
        [("icon", "", True)],
    ),
    (
        "an icon with a word in it is a button",
        [line(10, 10, "Skip", 30, 30)],
        [widget("icon", 5, 5, 45, 45)],
        [("button", "Skip", True)],
    ),
    (
        "an icon in a tab belongs to the tab",
        [line(20, 50, "Home", 60)],
        [widget("tab", 0, 0, 100, 80), widget("icon", 35, 10, 65, 40, False)],
        [("tab", "Home", True)],
    ),
    (
        "an icon that is pressed stands by itself on a card that is pressed, too",
        [line(20, 20, "Belgian Waffle", 200)],
        [widget("button", 0, 0, 400, 200), widget("icon", 320, 120, 380, 180), widget("icon", 20, 90, 60, 130, False)],
        [("button", "Belgian Waffle", True), ("icon", "", True)],
    ),
    (
        "the label to the right of a box to tick is its text",
        [line(40, 10, "Remember me"), line(40, 60, "Something else")],
        [widget("checkbox", 10, 10, 30, 30)],
        [("checkbox", "Remember me", True), ("text", "Something else", False)],
    ),
    (
        "a text that the detector groups is one element; one without lines is none",
        [line(10, 10, "把文字分成", 200), line(10, 35, "两行显示", 200)],
        [widget("text", 5, 5, 300, 60, False), widget("text", 5, 100, 300, 120, False)],
        [("text", "把文字分成两行显示", False)],
    ),
    (
        "without a detector, short lines may be tapped and sentences may not",
        [line(10, 10, "Send"), line(10, 50, "This sentence is too long to be the name of a button", 500)],
        None,
        [("text", "Send", True), ("text", "This sentence is too long to be the name of a button", False)],
    ),
]


@pytest.mark.parametrize(("name", "lines", "widgets", "expected"), CASES, ids=[case[0] for case in CASES])
def test_groups(
    name: str, lines: list[TextLine], widgets: list[DetectedWidget] | None, expected: list[tuple[str, str, bool]]
) -> None:
    found = group_lines(lines, widgets)
    assert [(each.type, each.text, each.interactive) for each in found] == expected


FIELD = [widget("input", 10, 35, 300, 75)]
LABELS: list[tuple[str, list[TextLine], list[DetectedWidget], list[str]]] = [
    ("the line above a field", [line(12, 10, "Title")], [widget("input", 10, 35, 300, 75)], ["Title"]),
    (
        "each field has the line above it, also where another field is above that",
        [line(12, 10, "Title"), line(12, 85, "Place")],
        [widget("input", 10, 35, 300, 75), widget("select", 10, 110, 300, 150)],
        ["Title", "Place"],
    ),
    (
        "the line to the left, where none is above",
        [line(10, 20, "Name"), line(10, 80, "Phone")],
        [widget("input", 150, 10, 400, 50), widget("input", 150, 70, 400, 110)],
        ["Name", "Phone"],
    ),
    (
        "a value in the field is not its label",
        [line(12, 10, "Title"), line(20, 45, "Lunch")],
        [widget("input", 10, 35, 300, 75)],
        ["Title"],
    ),
    ("a sentence explains", [line(12, 10, "Everybody in the house can read what is here")], FIELD, [""]),
    ("a line far above", [line(12, -60, "Title")], FIELD, [""]),
    ("a line that begins elsewhere", [line(190, 10, "Help")], FIELD, [""]),
    ("a line to the right", [line(310, 45, "km")], FIELD, [""]),
]


@pytest.mark.parametrize(("name", "lines", "widgets", "expected"), LABELS, ids=[case[0] for case in LABELS])
def test_labels_of_fields(name: str, lines: list[TextLine], widgets: list[DetectedWidget], expected: list[str]) -> None:
    found = group_lines(lines, widgets)
    assert [each.label.text if each.label else "" for each in found if each.type != "text"] == expected
    assert len(found) >= len(lines)  # a label stays an element of its own


def test_lines_are_joined_with_a_space_unless_a_chinese_text_goes_on() -> None:
    assert joined([line(10, 10, "打开"), line(10, 40, "Wi-Fi")]) == "打开 Wi-Fi"
    assert joined([line(10, 40, "设置"), line(10, 10, "打开")]) == "打开设置"
    assert joined([line(10, 10, "标题"), line(10, 40, "副标题")], spaced=True) == "标题 副标题"
    assert joined([line(10, 10, "two"), line(10, 40, "lines")]) == "two lines"


# -- reading order -----------------------------------------------------------------------------------------------------


def order(boxes: dict[str, tuple[int, int, int, int]]) -> list[str]:
    names = list(boxes)
    return [names[at] for at in reading_order([Box(*box) for box in boxes.values()])]


def test_rows_then_left_to_right() -> None:
    row = {"time": (10, 0, 60, 20), "battery": (300, 2, 360, 18), "title": (10, 40, 200, 70)}
    assert order({"battery": row["battery"], "title": row["title"], "time": row["time"]}) == [
        "time",
        "battery",
        "title",
    ]


def test_what_is_inside_follows_its_holder() -> None:
    boxes = {
        "switch": (300, 110, 360, 140),
        "next": (0, 160, 400, 210),
        "row": (0, 100, 400, 150),
        "top": (0, 0, 400, 90),
    }
    assert order(boxes) == ["top", "row", "switch", "next"]


def test_a_sidebar_is_read_before_the_page_beside_it() -> None:
    side = {f"side{at}": (0, 50 * at, 150, 50 * at + 20) for at in range(8)}
    page = {f"page{at}": (200, 37 * at + 9, 900, 37 * at + 29) for at in range(10)}
    mixed = dict(sorted((side | page).items(), key=lambda item: item[1][1]))
    assert order(mixed) == [*side, *page]


def test_neighbours_that_overlap_are_read_from_left_to_right() -> None:
    assert order({"name": (372, 495, 1278, 585), "badge": (312, 512, 402, 565)}) == ["badge", "name"]


def test_a_table_is_read_by_rows() -> None:
    cells = {
        f"{column}{row}": (200 * column, 40 * row, 200 * column + 90, 40 * row + 20)
        for row in range(6)
        for column in range(3)
    }
    assert order(dict(reversed(cells.items()))) == list(cells)


@given(st.lists(st.tuples(*[st.integers(0, 300)] * 2, *[st.integers(1, 200)] * 2), max_size=25))
def test_every_box_once_and_holders_first(sides: list[tuple[int, int, int, int]]) -> None:
    boxes = [Box.from_xywh(*each) for each in sides]
    found = reading_order(boxes)
    assert sorted(found) == list(range(len(boxes)))
    place = {at: rank for rank, at in enumerate(found)}
    for at, holder in enumerate(holders(boxes)):
        assert holder is None or place[holder] < place[at]


# -- the parser around it ----------------------------------------------------------------------------------------------


class Given:
    """Parts that find what they are told, and remember which icons were asked for."""

    def __init__(self, lines: list[TextLine], widgets: list[DetectedWidget], meaning: IconMeaning | None) -> None:
        self.lines, self.widgets, self.meaning = lines, widgets, meaning
        self.asked: list[Box] = []

    def read(self, image: Image) -> list[TextLine]:
        return self.lines

    def find(self, image: Image, limit: int = 100) -> list[DetectedWidget]:
        return self.widgets

    def name(self, image: Image, boxes: Any) -> list[IconMeaning | None]:
        self.asked += boxes
        return [self.meaning for _ in boxes]


def test_icons_are_named_in_the_language_and_what_has_text_is_not_looked_at() -> None:
    import numpy as np  # noqa: PLC0415

    meaning = IconMeaning("search", "search", "搜索", "opens the search", "打开搜索", 0.9)
    widgets = [
        widget("icon", 0, 0, 40, 40),
        widget("button", 100, 0, 300, 40),
        widget("input", 0, 60, 300, 100),
        widget("icon", 5, 65, 35, 95, False),
        widget("button", 0, 120, 300, 160),
    ]
    parts = Given([line(110, 10, "Save")], widgets, meaning)
    image = np.zeros((200, 400, 3), dtype=np.uint8)
    found = Parser(parts, parts, parts).parse(image, "zh")
    assert [(each.id, each.type, each.text, each.caption) for each in found] == [
        (1, "icon", "", "搜索"),
        (2, "button", "Save", ""),
        (3, "input", "", "搜索"),
        (4, "button", "", ""),
    ]
    assert parts.asked == [Box(0, 0, 40, 40), Box(5, 65, 35, 95)], "the wide button has no icon"
    assert found[0].confidence == 0.8
    unknown = Given([], widgets[:1], None)
    assert Parser(unknown, unknown, unknown).parse(image)[0].caption == ""
    assert Parser(parts).parse(image)[0].type == "text", "text alone is useful, too"
