"""Which elements a task speaks of."""

import pytest

from saccade_mini.codec import Sheet
from saccade_mini.match import Matcher

TASKS = ("I would like to speak with Yusuf Demir, so look up the card", "给“陶艺体验”设一个08:25的提醒")


@pytest.mark.parametrize(
    ("label", "mark"),
    [
        ("Yusuf Demir", "="),
        ("yusuf demir", "="),
        ("👩🏽 Yusuf Demir Willow Textiles", "++"),
        ("Demir", "="),
        ("Demir Textiles", "+"),
        ("陶艺体验", "="),
        ("陶艺体验 周五", "++"),
        ("提醒我", "+"),
        ("08:25 School run", "++"),
        ("the", ""),
        ("up", ""),
        ("的", ""),
        ("Ana Costa", ""),
        ("card 给", "+"),  # no match reaches from one text into the next
        ("", ""),
        ("👩🏽", ""),
    ],
)
def test_a_label_is_marked_by_what_the_task_says_of_it(label: str, mark: str) -> None:
    assert Matcher(TASKS).mark(label) == mark


def test_marks_stand_before_the_label_and_nowhere_outside() -> None:
    chat, mail = '#1 button "Chat" [500, 500] [400, 400, 600, 600]', '#2 button "Mail" [1, 1] [0, 0, 2, 2]'
    sheet = Sheet.read(f"@btl en\ntask: Open Chat\n{chat}\n{mail}")
    assert "<x5><y10>= Chat<e0>" in sheet.prompt()
    assert "<x0><y0> Mail<e1>" in sheet.prompt()
    assert sheet.expand("[<p>Chat<e0>]") == "[500, 500]"


def test_without_a_task_nothing_is_marked() -> None:
    sheet = Sheet.read('@btl en\n#1 button "Chat" [500, 500] [400, 400, 600, 600]')
    assert "= Chat" not in sheet.prompt()
