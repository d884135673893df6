"""A line that several widgets share becomes a text for each."""

from __future__ import annotations

from saccade.geometry import Box
from saccade_vision.grouping import group_lines
from saccade_vision.line_splitting import split_line
from saccade_vision.types import DetectedWidget, TextLine


def line(text: str, x0: float = 0.0, width: float = 10.0) -> TextLine:
    """Characters of ten pixels each."""
    places = tuple(x0 + width * (at + 0.5) for at in range(len(text)))
    return TextLine(Box(x0, 0, x0 + width * len(text), 20), text, 0.9, places)


def entry(x0: float, x1: float, kind: str = "list item") -> DetectedWidget:
    return DetectedWidget(Box(x0, 0, x1, 20), kind, True, 0.8)


def test_a_menu_bar() -> None:
    found = group_lines([line("File Edit Help")], [entry(0, 45), entry(45, 92), entry(92, 150)])
    assert [(each.type, each.text) for each in found] == [
        ("list item", "File"),
        ("list item", "Edit"),
        ("list item", "Help"),
    ]


def test_tabs_in_chinese_without_spaces() -> None:
    found = group_lines([line("首页消息我的")], [entry(0, 20, "tab"), entry(20, 40, "tab"), entry(40, 60, "tab")])
    assert [each.text for each in found] == ["首页", "消息", "我的"]


def test_what_stands_between_widgets_is_a_text_of_its_own() -> None:
    parts = split_line(line("Open as Save"), [Box(0, 0, 42, 20), Box(78, 0, 130, 20)])
    assert [part.text for part in parts] == ["Open", "as", "Save"]
    assert parts[0].box.x0 == 0 and 35 <= parts[0].box.x1 <= 50 and parts[2].box.x1 == 120


def test_words_are_not_cut() -> None:
    parts = split_line(line("Preferences Help"), [Box(0, 0, 60, 20), Box(112, 0, 170, 20)])
    assert [part.text for part in parts] == ["Preferences", "Help"]


def test_a_line_in_one_widget_or_of_unknown_places_stays_whole() -> None:
    whole = line("File Edit")
    assert split_line(whole, [Box(0, 0, 200, 20)]) == [whole]
    assert split_line(whole, [Box(0, 0, 45, 20), Box(300, 0, 400, 20)]) == [whole]
    unknown = TextLine(whole.box, whole.text, 0.9)
    assert split_line(unknown, [Box(0, 0, 45, 20), Box(45, 0, 100, 20)]) == [unknown]
    below = [Box(0, 40, 45, 60), Box(45, 40, 100, 60)]
    assert split_line(whole, below) == [whole]


def test_a_sentence_is_not_cut_where_little_of_it_stands_in_widgets() -> None:
    whole = line("Book a table for four")
    assert split_line(whole, [Box(0, 0, 45, 20), Box(48, 0, 62, 20)]) == [whole]


def test_a_row_that_holds_the_line_keeps_it() -> None:
    found = group_lines([line("Wi-Fi On")], [entry(0, 300), entry(62, 90, "button")])
    assert found[0].text == "Wi-Fi On"
