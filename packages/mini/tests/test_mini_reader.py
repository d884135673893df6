"""Which task is meant, and what fills its slots."""

import json
from pathlib import Path

import numpy as np
import pytest

from saccade.errors import InputError
from saccade_mini.intent_classifier import Reader, features
from saccade_mini.slot_decoding import Copying, Wording, bytes_of
from saccade_mini.slots import odd

CALL = "I would like to speak with Yusuf Demir right now"


def allowed(plain: str, task: str, said: str) -> bool:
    """May all of a text be written?"""
    wording = Wording(plain, task)
    return wording.whole(wording.after(wording.start(), said.encode()))


@pytest.mark.parametrize(
    ("plain", "task", "said", "may"),
    [
        ("Call {name}", CALL, "Call Yusuf Demir", True),
        ("Call {name}", CALL, "Call Yusuf", True),
        ("Call {name}", CALL, "Call Yus", False),  # not a part of a word
        ("Call {name}", CALL, "Call Demir Yusuf", False),
        ("Call {name}", CALL, "Call ", False),  # a slot holds something
        ("Call {name}", CALL, "Ring Yusuf Demir", False),
        ("Call {name} now", CALL, "Call Yusuf Demir now", True),
        ("Turn on “{name}”", "See to “Airplane mode” please", "Turn on “Airplane mode”", True),
        ("Turn on “{name}”", "See to “Airplane mode” please", "Turn on “Airplane”", False),  # all of a quotation
        ("Turn on “{name}”", "See to airplane mode please", "Turn on “airplane mode”", True),
        ("Delete {name}", "Throw “Ada” away", "Delete Throw “Ada", False),  # not over a quotation mark
        ("给{name}打电话", "我想跟陶志强说话", "给陶志强打电话", True),
        ("给{name}打电话", "我想跟陶志强说话", "给陶强打电话", False),
        ("{a} and {b}", "one two", "one and two", True),
        ("Open settings", CALL, "Open settings", True),
    ],
)
def test_slots_hold_stretches_of_the_task_and_nothing_else(plain: str, task: str, said: str, may: bool) -> None:
    assert allowed(plain, task, said) is may


def test_of_the_tokens_that_may_follow_the_likeliest_is_taken() -> None:
    tokens = [None, b"Call ", b"Yusuf", b" Demir", b"Anna", b"Ring "]
    pick = Copying(Wording("Call {name}", CALL), tokens, end=0)
    wish = np.array([[0, 1, 2, 3, 9, 1]], dtype=np.float32)  # Anna would be likeliest
    assert [pick(wish).tolist() for _ in range(3)] == [[1], [2], [3]]
    assert pick(np.array([[9, 0, 0, 0, 0, 0]], dtype=np.float32)).tolist() == [0]
    assert pick.whole()


def test_where_nothing_fits_it_ends() -> None:
    pick = Copying(Wording("Call {name}", CALL), [None, b"x"], end=0)
    assert pick(np.zeros((1, 2), np.float32)).tolist() == [0]
    assert not pick.whole(), "what stops half-way is no wording"


def test_bytes_of_tokens() -> None:
    assert bytes_of("Ġcall") == b" call"
    assert bytes_of("é") == b"\xe9"
    assert bytes_of("<e7>打") is None


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two tasks and none of them, told apart by one word each."""
    said = {"call": 0, "wake": 1, "weather": 2}
    known = sorted((features(word)[0], task) for word, task in said.items())
    words = np.zeros((3, 3), dtype=np.int8)
    for at, (_, task) in enumerate(known):
        words[at, task] = 100
    plain = {"en": ["Call {name}", "Add an alarm for {time}", ""], "zh": ["给{name}打电话", "设{time}的闹钟", ""]}
    np.savez(tmp_path / "reader.npz", known=np.array([number for number, _ in known], dtype=np.uint32), words=words,
             scale=np.float32(0.1), tasks=np.eye(3, dtype=np.float16), bias=np.zeros(3, dtype=np.float16),
             plain=np.array(json.dumps(plain, ensure_ascii=False)))  # fmt: skip
    return tmp_path / "reader.npz"


def test_the_reader_says_which_tasks_it_may_be(file: Path) -> None:
    reader = Reader(file)
    [one] = reader.likely("Please call Ada", "en")
    assert one.plain == "Call {name}"
    assert np.exp(one.likely) > 0.9
    both = reader.likely("call or wake", "zh")
    assert {choice.plain for choice in both} == {"给{name}打电话", "设{time}的闹钟"}
    assert reader.likely("What is the weather", "en") == []


def test_a_task_of_which_nothing_is_known_is_not_put_plainly(file: Path) -> None:
    reader = Reader(file)
    reader._bias += np.array([0, 0, 1], dtype=np.float32)
    assert reader.likely("xyzzy", "en") == []


def test_what_is_quoted_and_which_number_do_not_matter() -> None:
    assert features("Wake me at 09:35") == features("Wake me at 7:05")
    assert features("Delete “Tax”") == features("Delete “Plans for the garden”")
    assert features("Delete {name}")[0] == features("Delete")[0]
    assert features("") == []


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04"])
def test_a_broken_file_is_named(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "reader.npz").write_bytes(content)
    with pytest.raises(InputError, match=r"reader\.npz is not a mini's reader"):
        Reader(tmp_path / "reader.npz")


@pytest.mark.parametrize(
    ("plain", "task", "said", "may"),
    [
        ("Set an alarm for {time}", "Wake me at 07:30, not at 8", "Set an alarm for 07:30", True),
        ("Set an alarm for {time}", "Wake me at 07:30, not at 8", "Set an alarm for 8", False),
        ("Set an alarm for {time}", "Wake me at 07:30, not at 8", "Set an alarm for me", False),
        ("Add it {count} times", "2 of them on 07:30", "Add it 2 times", True),
        ("Add it {count} times", "2 of them on 07:30", "Add it 30 times", False),  # a part of a time
        ("Move it to {day}", "I can only make it on May 17 at 9:00", "Move it to May 17", True),
        ("把它改到{day}", "聚会挪到5月8日再说", "把它改到5月8日", True),
        ("把它改到{day}", "聚会挪到下周再说", "把它改到下周", False),
        ("Write to {phone}", "Text 555-101-8911 now", "Write to 555-101-8911", True),
        ("Write to {phone}", "Text 555-101-8911 now", "Write to 101", False),
    ],
)
def test_a_slot_of_a_form_holds_nothing_else(plain: str, task: str, said: str, may: bool) -> None:
    assert allowed(plain, task, said) is may


def test_without_the_rule_about_quotations_other_words_fill_a_quoted_slot() -> None:
    task, said = "He said “let me see”, so look up the tent", "How much is “tent”?"
    assert not allowed("How much is “{name}”?", task, said)
    wording = Wording("How much is “{name}”?", task, quoting=False)
    assert wording.whole(wording.after(wording.start(), said.encode()))


def test_what_stands_in_two_slots_is_odd() -> None:
    assert odd("Send {to} the number of {name}", "Send Ada the number of Ada") == 1
    assert odd("Send {to} the number of {name}", "Send Ada the number of Bo") == 0
    assert odd("Call {name}, {name}!", "Call Ada, Ada!") == 0, "one slot in two places"
    assert odd("Call {name}", "Ring Ada") == 0
    assert odd("Tell {name} the time of {title}", "Tell 09:30 the time of Lunch") == 1, "nobody is called so"
    assert odd("Send {name} “{words}”", "Send Bo “At 09:30 by the gate”") == 0, "but people say so"
    assert odd("Wake me at {time}", "Wake me at 09:30") == 0
