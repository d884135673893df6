"""What a task may do, and after what."""

from __future__ import annotations

import pytest

from saccade_mini.codec import Sheet
from saccade_mini.match import Matcher
from saccade_mini.retry_policy import Tried
from saccade_mini.task_habits import Deed, able, aware, deed, deed_in

SLOTS = {"name": "the group Board Games", "words": "See you at 8"}
KNOWN = {
    "touch Message": ["name"],
    "touch Send": ["name", "words"],
    "touch Back": [],
    "type =words": ["name"],
    "end success": ["name", "words"],
    "open Chat": [],
}
TASK = Matcher(["Tell the group Board Games in Chat: See you at 8"])


@pytest.mark.parametrize(
    ("answer", "label", "name"),
    [
        ('{"Plan": "x", "Action": {"function": "Tap", "position": [1, 2]}}', "Send", "touch Send"),
        ('{"Plan": "x", "Action": {"function": "LongPress", "position": [1, 2]}}', "3 Chats", "hold Chats 0"),
        ('[{"action": "click", "point": [1, 2], "input_text": "no input text"}]', "Board Games Ann: hi", "touch =name"),
        ('{"action": "long_press", "coordinate": [1, 2]}', "", None),
        ('{"action_type": "type", "text": "See you at 8"}', "", "type =words"),
        ('{"action_type": "type", "text": "hello"}', "Message", "type"),
        ('{"action": "open", "text": "Chat"}', "", "open Chat"),
        ('{"function": "Answer", "text": "42"}', "", "answer"),
        ('{"action_type": "task_complete"}', "", "end success"),
        ('{"action_type": "task_impossible"}', "", "end failure"),
        ('{"function": "Terminate", "status": "failure"}', "", "end failure"),
        ('[{"action": "terminate", "input_text": "success"}]', "", "end success"),
        ('{"function": "Swipe", "direction": "up", "position": [1, 2]}', "List", "swipe up"),
        ('[{"action": "scroll", "point": [1, 2], "input_text": "down"}]', "List", "swipe up"),
        ('{"action": "swipe", "coordinate": [500, 700], "coordinate2": [500, 200]}', "", "swipe up"),
        ('{"action_type": "scroll", "direction": "left", "id": 3}', "", "swipe left"),
        ('{"action": "swipe", "coordinate": [1, 2]}', "List", "swipe"),
        ('{"function": "Back"}', "", "press back"),
        ('[{"action": "press_home", "point": [-100, -100]}]', "", "press home"),
        ('{"action": "system_button", "button": "Enter"}', "", "press enter"),
        ('{"action_type": "navigate_back"}', "", "press back"),
        ('{"action": "wait", "time": 2}', "", None),
        ("{nothing", "List", None),
        ('{"broken": }', "List", None),
    ],
)
def test_deeds_of_answers_in_any_format(answer: str, label: str, name: str | None) -> None:
    lines = [f'#1 button "{label}" [500, 60] [400, 40, 600, 80]'] if label else []
    sheet = Sheet.read("\n".join(["@btl en", "task: Write", *lines]))
    found = deed_in(answer, sheet, 0 if label else None, SLOTS)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("kind", "said", "before", "right"),
    [
        ("touch", "Message", [], False),  # in a chat that was not asked for
        ("touch", "Message", ["Family Bob: hello"], False),
        ("touch", "Message", ["Board Games Ann: hi 09:30"], True),
        ("touch", "Send", ["Board Games Ann: hi 09:30"], False),
        ("touch", "Send", ["Board Games", "See you at 8"], True),
        ("touch", "Family Bob: hello", [], False),  # nobody speaks of it
        ("touch", "Board Games Ann: hi", [], True),
        ("touch", "Back", [], True),
        ("hold", "Board Games Ann: hi", [], False),  # such tasks hold nothing
        ("type", "See you at 8", [], False),
        ("type", "something", [], True),
        ("end", "success", ["Board Games"], False),
        ("end", "failure", [], True),
        ("open", "Shop", [], True),  # other rules say which apps are opened
    ],
)
def test_what_may_be_done_now(kind: str, said: str, before: list[str], right: bool) -> None:
    assert able(deed(kind, said, SLOTS), KNOWN, SLOTS, before, TASK) is right
    assert able(deed(kind, said, SLOTS), {}, SLOTS, before, TASK), "of a task of which nothing is known"


def test_a_good_part_of_a_slot_names_it() -> None:
    known, slots, task = {"touch Buy": ["place"]}, {"place": "Office soon"}, Matcher(["to the Office soon"])
    assert able(Deed("touch Buy", "Buy"), known, slots, ["office"], task)
    assert not able(Deed("touch Buy", "Buy"), known, slots, ["so"], task)


def test_what_was_named_is_remembered_until_the_next_attempt() -> None:
    first = Sheet("btl", "en", parts=[("task", "Write to Ann")])
    later = Sheet("btl", "en", parts=[("task", "Write to Ann"), ("done", 'tapped "Ann"')])
    tried = Tried()
    tried.begin(first)
    tried.add(first, "click", [Deed("touch Chats", "Chats")])
    tried.begin(later)
    assert tried.said == {"Chats", 'tapped "Ann"'}
    assert tried.whole
    assert tried.deeds == ["touch Chats"]
    tried.begin(first)
    assert not tried.said
    assert not tried.deeds
    other = Tried()
    other.begin(later)
    assert not other.whole, "nobody knows what was done before"


def test_which_of_several_was_done() -> None:
    first = Sheet("guidnav", "en", parts=[("task", "Write to Ann")])
    later = Sheet("guidnav", "en", parts=[("task", "Write to Ann"), ("done", 'tapped "Ann"')])
    offered = [Deed("swipe up"), Deed("touch =name", "Ann"), Deed("touch Send", "Send")]
    for at, wanted in ((0, "touch =name"), (2, "touch Send")):
        tried = Tried()
        tried.begin(first)
        tried.add(first, "swipe up", offered[at:])
        tried.begin(later)
        assert tried.deeds == [wanted], "what the prompt tells, or else the first"


def test_a_list_names_each_of_its_things() -> None:
    slots = {"en": "Ann Lee and Bob Ray", "name": "Walks", "empty": ""}
    assert deed("touch", "Bob Ray", slots).name == "touch =en"
    assert deed("touch", "Walks (2)", slots).name == "touch =name"
    assert deed("touch", "Cy Day", slots).name == "touch Cy Day"
    assert deed("touch", "王芳", {"zh": "李明和王芳"}).name == "touch =zh"


def test_a_number_is_named_as_a_whole() -> None:
    slots = {"minutes": "5", "time": "08:30"}
    assert deed("touch", "5 minutes", slots).name == "touch =minutes"
    assert deed("touch", "15 minutes", slots).name == "touch 0 minutes"
    assert deed("touch", "Alarm 08:30 daily", slots).name == "touch =time"
    assert deed("touch", "108:30", slots).name == "touch 0:0"


@pytest.mark.parametrize("label", ["Date Mon, Apr 20", "Date Sun, May 3", "Date 2026-06-06"])
def test_a_day_is_any_day(label: str) -> None:
    assert deed("touch", label, {}).name == "touch Date 0"
    assert deed("touch", "日期 6月6日 周六", {}).name == "touch 日期 0"
    assert deed("touch", "Mon", {}).name == "touch Mon"


def test_what_an_answer_touches() -> None:
    items = ['#1 button "Save" [500, 60] [400, 40, 600, 80]', '#2 scroll "List" [500, 500] [0, 100, 1000, 900]']
    sheet = Sheet.read("\n".join(["@btl en", "task: Save", *items]))
    assert sheet.touched("<b>Save<e0> then <p>Save<e0>") == 0
    assert sheet.touched("<p>Save<e0> but it swipes <s>List<e1><up>") is None
    assert sheet.touched("<p>Save<e7>") is None is sheet.touched("nothing")


@pytest.mark.parametrize(
    ("part", "text", "noted"),
    [
        ("thought", "Noted: $5.20. The task needs Notes, so I open it.", "$5.20"),
        ("context", "记下：洗洁精。打开应用“微聊”。", "洗洁精"),
        ("thought", "Noted: 05:05.", "05:05"),
        ("thought", "All that was asked for is done.", ""),
        ("task", "Noted: 5. Write it down", ""),
    ],
)
def test_what_was_noted_is_spoken_of(part: str, text: str, noted: str) -> None:
    found = aware({"name": "Ann"}, Sheet("btl", "en", parts=[(part, text)]))
    assert found == ({"name": "Ann", "noted": noted} if noted else {"name": "Ann"})
    assert deed("type", noted, found).name == ("type =noted" if noted else "type")
