"""Completions that try to break a reader: every one is answered within 100 ms, with an action or with a reason.

A reward function reads thousands of completions of a model that is paid for whatever makes it misbehave, so the time
limit is a requirement of the format readers, not a benchmark.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paradigm_checks import PROMPTED, check_sound, places
from saccade.actions import Action
from saccade.geometry import Box, Frame, Point, Size
from saccade.paradigms import Candidate, Paradigm, Reply, get_paradigm
from saccade.paradigms.base import MAX_OUTPUT
from saccade.paradigms.lenient import MAX_LENGTH
from saccade.types import Element, Screen
from strategies import NASTY, texts

LIMIT = 0.1
"""Seconds a completion may take."""
LONGEST, TOO_LONG = 190_000, 1_000_000
"""Characters: nearly all that is read, and far more than that."""

SCREEN = Screen(Size(1080, 2400), elements=[Element(i, Box(0, 10 * i, 100, 10 * i + 9)) for i in range(200)])
READERS: dict[str, Paradigm] = {name: get_paradigm(name) for name in PROMPTED}
"""test_foreign.py attacks the others."""

TEXTS: dict[str, str] = {
    "spaces": " ",
    "newlines": "\n",
    "mixed white space": " \t\n\r\u3000",
    "NUL": "\x00",
    "lone surrogate": "\ud800",
    "emoji": "😀",
    "Chinese punctuation": "，：｛｝［］（）【】、“‘",
    "backslashes": "\\",
    "escaped quotes": '\\"',
    "double quotes": '"',
    "single quotes": "'",
    "quote and space": '" ',
    "quote comma": '",',
    "single quote comma": "',",
    "quotes that could end": "' x",
    "curly quotes": "“",
    "open braces": "{",
    "open brackets": "[",
    "open parentheses": "(",
    "full-width brackets": "［",
    "close braces": "}",
    "empty objects": "{},",
    "empty lists": "[],",
    "nested objects": '{"a":',
    "nested Python": "{'a':(",
    "pairs": "1:1,",
    "words": "a,",
    "numbers": "1,",
    "digits": "9",
    "large integers": "9" * 25 + ",",
    "huge integers": "9" * 400 + ",",
    "full-width digits": "１２３，",
    "fractions": "0.",
    "many signs": "-+",
    "exponents": "1e999,",
    "NaN": "NaN,",
    "fences": "```",
    "fence and space": "``` ",
    "answer(": "answer(",
    "answer()": "answer() ",
    "ampersands": "&amp;",
    "guarded tags": "&amp;lt;think>",
    "less-than": "<",
    "full-width less-than": "＜",
    "open boxes": "<bbox>",
    "boxes": "<bbox>1",
    "full boxes": "<bbox>[1,2,3,4]</bbox>",
    "boxes of spaces": "<bbox>" + " " * 199 + "<",
    "elements": "<element><id>1</id><bbox>[1, 2, 3, 4]</bbox><caption>static</caption></element>",
    "spaced elements": "<element> <id>1</id> <bbox>[1, 2, 3, 4]</bbox> <caption>static</caption> </element>",
    "open elements": "<element><id>1</id><bbox>[1, 2, 3, 4]",
    "labelled": '{"bbox_2d": [1, 2, 3, 4], "label": "a"},',
    "labels missing": '{"bbox_2d": [1, 2, 3, 4]},',
    "open points": "[1,",
    "points": "[1, 2], ",
    "spaced bracket": "[ ",
    "located": "Located at [1, 2], ",
    "ui": "<ui>",
    "closed ui": "<ui></ui>",
    "ui elements": "<ui> Located at [1, 2], a </ui>",
    "loose ui elements": "<ui>(1, 2) a</ui>",
    "closing ui": "</ui>",
    "think": "<think>",
    "answers": "<answer>",
    "links": "<link>",
    "tool calls": "<tool_call>",
    "full-width tags": "＜think＞",
    "blink link": "<blink></link>",
    "heads": "G1:\n",
    "probabilities": "P1: 0.5\n",
    "candidates": 'G1: a So the next one action is:{"action_type": "enter"}\nP1: 0.5\n',
    "heads without end": "G1: {'a': 1\n",
    "indented heads": " \t(",
    "guarded heads": "\\",
    "leads": "So the next one action is:",
}
"""What is repeated."""

OWN_PLACES: dict[str, tuple[str, ...]] = {
    "btl": (
        "§",
        "<blink>§</blink><think>a</think><link>{}</link>",
        "<blink><element>§</element></blink>",
        "<blink><element><id>1</id><bbox>[§]</bbox></element></blink>",
        "<blink>[§]</blink>",
        "<blink>```json\n[§]\n```</blink>",
        "<blink>None</blink><think>§</think><link>",
        "<blink>None</blink><think>a</think><link>§</link>",
        "<blink>None</blink><think>a</think><link>answer(§</link>",
        "<blink>None</blink><think>a</think><link>```§</link>",
        '<link>{"Plan": "", "Action": {"function": "Type", "text": "§"}}</link>',
        '<link>{"Plan": "", "Action": {"function": "Tap", "position": [§]}}</link>',
        '<link>{"Plan": "", "Action": {"function": "§"}}</link>',
    ),
    "uiloop": (
        "§",
        "<ui>§</ui><think>a</think><answer>[{}]</answer>",
        "<ui> Located at [§], a</ui>",
        "<ui> Located at [1, 2], a§b</ui>",
        "<ui>(§) a</ui>",
        "<ui>(1, 2) a§b</ui>",
        "<think>§</think>",
        "<answer>§</answer>",
        "<answer>[§]</answer>",
        "<answer>[{'action': 'type', 'point': [-100, -100], 'input_text': '§'}]</answer>",
        '<answer>[{"action": "click", "point": [§], "input_text": "no input text"}]</answer>',
    ),
    "secagent": (
        "§",
        "<summary>§</summary><think>a</think><tool_call>{}</tool_call>",
        "<think>§</think>",
        "<tool_call>§</tool_call>",
        '<tool_call>{"name": "mobile_use", "arguments": §}</tool_call>',
        '<tool_call>{"name": "mobile_use", "arguments": "§"}</tool_call>',
        '<tool_call>{"name": "mobile_use", "arguments": {"action": "click", "coordinate": [§]}}</tool_call>',
        '<tool_call>{"name": "mobile_use", "arguments": {"action": "type", "text": "§"}}</tool_call>',
        '<tool_call>{"name": "§", "arguments": {"action": "wait"}}</tool_call>',
    ),
    "guidnav": (
        "§",
        "G1: §",
        "G1: a So the next one action is:§\nP1: 0.5",
        'G1: a So the next one action is:{"action_type": "type", "text": "§"}\nP1: 0.5',
        'G1: a So the next one action is:{"action_type": "click", "id": [§]}\nP1: 0.5',
        'G1: a So the next one action is:{"action_type": "enter"}\nP1: §',
        'G1: a So the next one action is:{"action_type": "enter"}\nP1: 1.§',
    ),
}
"""Where it is put, at §, so that every inner reader meets it."""
PLACES = {name: OWN_PLACES.get(name) or places(reader) for name, reader in READERS.items()}
"""A format without a list of its own, as a plug-in's, gets holes cut into its answers."""

WHOLE: dict[str, Callable[[int], str]] = {
    "answers, then ui": lambda n: "<answer>" * (n // 16) + "<ui>" * (n // 8),
    "ui in thoughts": lambda n: "<think><ui>" * (n // 11),
    "twelve candidates of pairs": lambda n: candidates(12, "{" + "1:1," * (n // 52)),
    "ten candidates of lists": lambda n: candidates(10, "[" + "1," * (n // 22)),
    "ten candidates that are read": lambda n: candidates(10, "[" + "1," * 499) + " " * (n - 20_000),
    "many candidates": lambda n: candidates(n // 80, '{"action_type": "click", "id": 199}'),
    "many bad candidates": lambda n: candidates(n // 50, "{'a"),
    "two loose objects": lambda n: f"<blink>[{'1,' * 8000}</blink><link>{{{'1:1,' * 4000}" + " " * (n - 40_000),
    "loose object in a string": lambda n: '<tool_call>{"arguments": "{' + r"\"a\":1," * (n // 9) + '"}',
    "string without end": lambda n: '<link>{"a": "' + "x" * n,
    "string of quotes": lambda n: '<link>{"a": "' + 'x" ' * 5000 + " " * (n - 20_000),
    "space after a string": lambda n: '<link>{"a": "b"' + " " * 16_000 + ",}</link>" + " " * (n - 20_000),
    "space in a point": lambda n: ("<ui>[1" + " " * 3900 + "2]</ui>" + "<ui>[" + " " * 3900 + "2]</ui>") * (n // 8000),
    "digits in a point": lambda n: f"<ui>Located at [{'1' * n}, 2], a</ui>",
    "digits in a box": lambda n: (
        f"<blink><element><id>1</id><bbox>[{'1' * (n // 2)}, {'2' * (n // 2)}]</bbox></element>"
    ),
    "space in an element": lambda n: "<blink><element>" + " " * n + "</element></blink>",
    "closing parentheses": lambda n: "<link>answer(" + ") " * (n // 2) + "x</link>",
    "ampersand": lambda n: "<think>&" + "amp;" * (n // 4) + "</think>",
    "backslashed head": lambda n: "G1: a\n" + "\\" * n + "G2 So the next one action is:{}",
}
"""Whole completions of about the given length."""


def candidates(count: int, action: str) -> str:
    return "".join(f"G{i}: So the next one action is:{action}\nP{i}: 0.5\n" for i in range(1, count + 1))


def fill(unit: str, length: int, end: str = "") -> str:
    return unit * (length // len(unit)) + end


def check(reader: Paradigm, text: str) -> None:
    """The better of two tries counts; where the machine was busy with something else, the time spent on this alone."""
    wall, own = [], []
    for _ in range(2):
        start, own_start = time.perf_counter(), time.thread_time()
        parsed = reader.parse(text, SCREEN)
        own.append(time.thread_time() - own_start)
        wall.append(time.perf_counter() - start)
        if wall[-1] < LIMIT:
            break
    assert min(wall) < LIMIT or min(own) < LIMIT, f"{min(own) * 1000:.0f} ms for {text[:80]!r}"
    check_sound(parsed)


@pytest.mark.slow
@pytest.mark.parametrize("paradigm", READERS)
def test_repetition(paradigm: str) -> None:
    for unit in TEXTS.values():
        for place in PLACES[paradigm]:
            check(READERS[paradigm], place.replace("§", fill(unit, LONGEST)))
            check(READERS[paradigm], place.replace("§", fill(unit, LONGEST, "a")))


@pytest.mark.parametrize("paradigm", READERS)
def test_repetition_within_what_is_read_leniently(paradigm: str) -> None:
    for unit in TEXTS.values():
        for place in PLACES[paradigm]:
            check(READERS[paradigm], place.replace("§", fill(unit, MAX_LENGTH - 200, "a")))


@pytest.mark.parametrize("paradigm", READERS)
def test_composition(paradigm: str) -> None:
    for name, build in WHOLE.items():
        text = build(LONGEST)
        assert LONGEST / 2 < len(text) <= MAX_OUTPUT, name
        check(READERS[paradigm], text)


@pytest.mark.parametrize("paradigm", READERS)
def test_far_too_long(paradigm: str) -> None:
    for text in [fill(unit, TOO_LONG) for unit in TEXTS.values()] + [build(TOO_LONG) for build in WHOLE.values()]:
        check(READERS[paradigm], text)
        for place in PLACES[paradigm][1:3]:
            check(READERS[paradigm], place.replace("§", text))


@pytest.mark.parametrize("paradigm", READERS)
def test_just_over_the_limit_is_refused_by_its_length(paradigm: str) -> None:
    parsed = READERS[paradigm].parse("a" * (MAX_OUTPUT + 1), SCREEN)
    assert "200,001" in parsed.problem


# odd values where an argument is expected

ODD = [
    *(
        "[" * depth + inner + "]" * depth
        for depth in (2, 31, 33, 100, 900, 970, 985, 1000, 5000)
        for inner in ("", "1, 2")
    ),
    *('{"a":' * depth + "1" + "}" * depth for depth in (31, 33, 100, 900, 985, 5000)),
    *("9" * length for length in (25, 308, 309, 400, 5000)),
    *(f"[{'9' * length}, 1]" for length in (25, 308, 309, 400)),
    f"[1{'0' * 308}, 1, 1, 1]",
    "[1e308, 1e308, 1e308, 1e308]",
    "1e400",
    "[1e400, 1]",
    "NaN",
    "[NaN, 1]",
    "[-Infinity, 1]",
    "-1",
    "1.5",
    "true",
    "null",
    '""',
    "[]",
    "{}",
    "[true, false]",
    "[null, 1]",
    "[1]",
    "[1, 2, 3]",
    "[[1, 2], [3, 4]]",
    '{"x": 1}',
    '{"x": [1], "y": {}}',
    '"(1, 2)"',
    '"' + "9" * 400 + '"',
    '["' + "9" * 30 + '", "1"]',
    r'"\ud800"',
    '"\ud800"',
    '"\x00"',
    "'",
    '"',
]
OWN_SLOTS: dict[str, tuple[str, ...]] = {
    "btl": (
        "<blink>§</blink>",
        '<blink>[{"bbox_2d": §, "label": "a"}]</blink>',
        '<blink>[{"bbox_2d": [1, 2, 3, 4], "label": §}]</blink>',
        '<blink>[{"bbox_2d": [1, 2, 3, 4], "label": "a", "other": §}]</blink>',
        "<blink><element><id>§</id><bbox>[1, 2, 3, 4]</bbox><caption>static</caption></element></blink>",
        "<blink><element><id>1</id><bbox>§</bbox><caption>static</caption></element></blink>",
        "<link>§</link>",
        '<link>{"Plan": §, "Action": {"function": "Back"}}</link>',
        '<link>{"Plan": "", "Action": §}</link>',
        '<link>{"Plan": "", "Action": {"function": §}}</link>',
        '<link>{"Plan": "", "Action": {"function": "Tap", "position": §}}</link>',
        '<link>{"Plan": "", "Action": {"function": "Type", "text": §}}</link>',
        '<link>{"Plan": "", "Action": {"function": "Swipe", "direction": §}}</link>',
        '<link>{"Plan": "", "Action": {"function": "Wait", "seconds": §}}</link>',
        '<link>{"Plan": "", "Action": {"function": "Terminate", "status": §}}</link>',
        '<link>[{"point_2d": §}]</link>',
    ),
    "uiloop": (
        "<ui>Located at §, a</ui>",
        "<answer>§</answer>",
        '<answer>[{"action": "click", "point": §, "input_text": ""}]</answer>',
        '<answer>[{"action": "type", "point": [-100, -100], "input_text": §}]</answer>',
        '<answer>[{"action": "scroll", "point": [-100, -100], "input_text": §}]</answer>',
        '<answer>[{"action": §, "point": [1, 2]}]</answer>',
    ),
    "secagent": (
        "<tool_call>§</tool_call>",
        '<tool_call>{"name": §, "arguments": {"action": "wait", "time": 1}}</tool_call>',
        '<tool_call>{"name": "mobile_use", "arguments": §}</tool_call>',
        '<tool_call>{"name": "mobile_use", "arguments": {"action": "system_button", "button": §}}</tool_call>',
        '<tool_call>{"name": "mobile_use", "arguments": {"action": "click", "coordinate": §}}</tool_call>',
        '<tool_call>{"name": "mobile_use", "arguments": {"action": "wait", "time": §}}</tool_call>',
    ),
    "guidnav": (
        "G1: So the next one action is:§",
        'G1: So the next one action is:{"action_type": "click", "id": §}',
        'G1: So the next one action is:{"action_type": "type", "text": §}',
        'G1: So the next one action is:{"action_type": "wait", "seconds": §}',
        'G1: So the next one action is:{"action_type": "enter"}\nP1: §',
    ),
}


SLOTS = {name: OWN_SLOTS.get(name, PLACES[name]) for name in READERS}


@pytest.mark.parametrize("frame", ["pixel", "unit", "permille:999", "resized"])
@pytest.mark.parametrize("paradigm", READERS)
def test_odd_values(paradigm: str, frame: str) -> None:
    reader = get_paradigm(paradigm, frame=Frame.parse(frame), space="desktop")
    for slot in SLOTS[paradigm]:
        for value in ODD:
            check_sound(reader.parse(slot.replace("§", value), SCREEN))


# fuzz

TAP = Action("click", Point(50, 1014.5))
SAMPLES = {
    paradigm: [
        reader.render(reply, SCREEN)
        for reply in (
            Reply(TAP, (Element(1, Box(1, 2, 3, 4), caption="a field"),), "因为，搜索", "plan", "summary"),
            Reply(Action("type", text='他说"好"，<b>\n'), (Element(1, Box(1, 2, 3, 4), caption="字段"),), "think"),
            Reply(TAP, candidates=(Candidate(TAP, "a", 0.5), Candidate(Action("press", key="back"), "b", 0.25))),
        )
    ]
    for paradigm, reader in READERS.items()
}
pieces = (
    st.sampled_from(NASTY) | st.text(max_size=4) | st.sampled_from(["'", '"', ",", "}", "]", "NaN", "1e999", "None"])
)


@st.composite
def mutants(draw: st.DrawFn, paradigm: str) -> str:
    """A well-formed completion with a few cuts, copies and insertions."""
    text = draw(st.sampled_from(SAMPLES[paradigm]))
    for _ in range(draw(st.integers(1, 4))):
        a, b = sorted(draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
        text = text[:a] + draw(st.sampled_from(["", text[a:b] * 2]) | pieces) + text[b:]
    return text


@pytest.mark.parametrize("paradigm", READERS)
@given(data=st.data())
@settings(max_examples=3 * settings().max_examples)
def test_mutants_are_read_or_refused(paradigm: str, data: st.DataObject) -> None:
    check_sound(READERS[paradigm].parse(data.draw(mutants(paradigm)), SCREEN))


@pytest.mark.parametrize("paradigm", READERS)
@given(text=st.text(st.characters(exclude_categories=())) | texts)
def test_any_text_is_read_or_refused(paradigm: str, text: str) -> None:
    check_sound(READERS[paradigm].parse(text, SCREEN))


@pytest.mark.parametrize("paradigm", READERS)
@given(text=texts)
def test_any_text_in_any_place(paradigm: str, text: str) -> None:
    for place in PLACES[paradigm]:
        check_sound(READERS[paradigm].parse(place.replace("§", text), SCREEN))


@pytest.mark.parametrize("paradigm", READERS)
def test_every_beginning_of_an_answer(paradigm: str) -> None:
    """A completion that ran out of tokens."""
    for text in SAMPLES[paradigm]:
        for end in range(len(text)):
            check_sound(READERS[paradigm].parse(text[:end], SCREEN))
