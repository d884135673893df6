"""Other people's formats: golden cases, round trips, hostile input, and real answers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from saccade.actions import Action, direction_between, read_action
from saccade.errors import InputError
from saccade.geometry import PERMILLE, PIXEL, UNIT, Frame, Point, Size
from saccade.paradigms import Reply, Situation, get_paradigm
from saccade.paradigms.foreign.keys import key_name
from saccade.types import Screen
from strategies import actions, directions, screen_sizes, seconds, statuses, texts, trimmed

GOLDEN = Path(__file__).parents[1] / "golden" / "foreign"
SHARED = Path(__file__).parents[2].parent / "shared" / "data"
FORMATS = ("qwen", "ui-tars", "openai", "anthropic", "point")
SCREEN = Screen(Size(1080, 2400))


def golden() -> list[Any]:
    cases = []
    for file in sorted(GOLDEN.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            cases.append(pytest.param(file.stem, case, id=f"{file.stem}: {case['name']}"))
    return cases


@pytest.mark.parametrize(("name", "case"), golden())
def test_golden(name: str, case: dict[str, Any]) -> None:
    switches = {"frame": Frame.parse(case["frame"])} if "frame" in case else {}
    parsed = get_paradigm(name, **switches).parse(case["output"], Screen(Size(*case["screen"])))
    expected = None if case["action"] is None else read_action(case["action"])
    assert parsed.reply.action == expected, (parsed.problem, parsed.repairs)
    assert bool(parsed.problem) == (expected is None)
    assert parsed.strict == case.get("strict", parsed.strict), parsed.repairs


def test_every_format_has_its_cases() -> None:
    counts = {file.stem: len(file.read_text(encoding="utf-8").splitlines()) for file in GOLDEN.glob("*.jsonl")}
    assert sorted(counts) == sorted(FORMATS)
    assert min(counts.values()) >= 15


@pytest.mark.parametrize(
    ("name", "output", "think"),
    [
        ("qwen", "<think>\na\n</think>\nb\n<tool_call>{}</tool_call>", "a\nb"),
        ("qwen", "Thought: 点击设置\n<tool_call>{}</tool_call>", "点击设置"),
        ("ui-tars", "Thought: 点击 设置。\nAction: wait()", "点击 设置。"),
        ("ui-tars", "Reflection: no.\nAction_Summary: again\nAction: wait()", "no.\nAction_Summary: again"),
        (
            "openai",
            '[{"type": "reasoning", "summary": [{"text": "a"}]}, {"type": "message", "content": [{"text": "b"}]}]',
            "a\nb",
        ),
        ("anthropic", '[{"type": "thinking", "thinking": "a"}, {"type": "text", "text": "b"}]', "a\nb"),
        ("point", "<grounding_think>\na (1, 2)\n</grounding_think>\n<answer>none</answer>", "a (1, 2)"),
    ],
)
def test_thinking_is_kept_even_without_an_action(name: str, output: str, think: str) -> None:
    assert get_paradigm(name).parse(output, SCREEN).reply.think == think


# Round trips: what a format can say comes back as it was, and everything else is refused.

POINTED = {
    "qwen": ("click", "long_press"),
    "computer_use": ("click", "double_click", "right_click", "hover"),
    "ui-tars": ("click", "double_click", "right_click", "hover", "long_press"),
    "openai": ("click", "double_click", "right_click", "hover"),
    "anthropic": ("click", "double_click", "right_click", "hover"),
    "point": ("click",),
}
KEYS = st.sampled_from(
    ["enter", "ctrl+a", "shift+pagedown", "escape", "back", "home", "menu", "f5", "meta+plus", "ä", "-"]
)
words = texts.filter(lambda text: not text.endswith("\n"))


def places(size: Size, frame: Frame) -> st.SearchStrategy[Point]:
    """Points that the frame can write exactly."""
    width, height = frame.extent(size)
    scale = 10**frame.digits

    def place(x: int, y: int) -> Point:
        return frame.decode(Point(x / scale if frame.digits else x, y / scale if frame.digits else y), size)

    return st.builds(place, st.integers(0, int(width * scale)), st.integers(0, int(height * scale)))


def sayable(format: str, size: Size, frame: Frame) -> st.SearchStrategy[Action]:
    """All that a format can say exactly."""
    point = places(size, frame)
    paths = st.tuples(point, point).filter(lambda path: path[0] != path[1])
    kinds = [st.builds(Action, st.sampled_from(POINTED[format]), point=point)]
    if format == "point":
        return kinds[0]
    kinds += [st.builds(Action, st.just("press"), key=KEYS), st.builds(Action, st.just("type"), text=words)]
    if format in ("qwen", "openai"):
        kinds.append(paths.map(lambda p: Action("swipe", direction=direction_between(*p), start=p[0], end=p[1])))
    else:
        start = point if format == "ui-tars" else st.none() | point
        kinds.append(st.builds(Action, st.just("swipe"), direction=directions, start=start))
    if format != "qwen":
        kinds.append(paths.map(lambda p: Action("drag", start=p[0], end=p[1])))
    length = {"ui-tars": st.none(), "openai": st.sampled_from([None, 0])}.get(format, st.none() | seconds)
    kinds.append(st.builds(Action, st.just("wait"), seconds=length))
    if format in ("qwen", "computer_use", "ui-tars"):
        kinds.append(st.builds(Action, st.just("terminate"), status=statuses, text=st.none() | texts))
    if format in ("qwen", "computer_use"):
        kinds.append(st.builds(Action, st.just("answer"), text=texts))
    if format in ("qwen", "ui-tars"):
        kinds.append(st.builds(Action, st.just("open_app"), text=texts))
    if format == "ui-tars":
        kinds.append(st.builds(Action, st.just("type"), text=texts, submit=st.just(True)))
    return st.one_of(kinds)


def paradigm(format: str, **switches: Any) -> Any:
    if format == "computer_use":
        return get_paradigm("qwen", tool="computer_use", **switches)
    return get_paradigm(format, **switches)


@pytest.mark.parametrize("format", POINTED)
@given(data=st.data(), size=screen_sizes, frame=st.sampled_from([PIXEL, PERMILLE, UNIT]), think=trimmed)
@settings(max_examples=settings().max_examples // 2)
def test_round_trip(format: str, data: st.DataObject, size: Size, frame: Frame, think: str) -> None:
    action = data.draw(sayable(format, size, frame))
    format_, screen = paradigm(format, frame=frame), Screen(size)
    written = format_.render(Reply(action, think=think), screen)
    parsed = format_.parse(written, screen)
    assert parsed.reply == Reply(action, think=think), written
    assert parsed.strict, (written, parsed.repairs)


@pytest.mark.parametrize("format", POINTED)
@given(action=actions())
@example(action=Action("wait", seconds=2))
@example(action=Action("type", text="a", submit=False))
@example(action=Action("type", text="a\n"))
@example(action=Action("press", key="Return"))
@example(action=Action("swipe", direction="up", end=Point(1, 2)))
@example(action=Action("swipe", direction="up", start=Point(1, 2), end=Point(1, 2)))
@example(action=Action("swipe", direction="up", start=Point(1, 2), end=Point(1, 200)))
def test_what_cannot_be_said_is_refused(format: str, action: Action) -> None:
    """Any action is either refused, or written so that it comes back: its place to within the frame's rounding."""
    format_ = paradigm(format, frame=PIXEL)
    try:
        written = format_.render(Reply(action), SCREEN)
    except ValueError:
        return
    read = format_.parse(written, SCREEN).reply.action
    assert read is not None, written
    for name in ("type", "text", "key", "submit", "seconds", "status"):
        assert getattr(read, name) == getattr(action, name), written
    for name in ("point", "start", "end"):
        if (place := getattr(action, name)) is not None:
            assert getattr(read, name) == Point(round(place.x), round(place.y)), written
    if action.start is None or action.end is None:
        assert read.direction == action.direction


@pytest.mark.parametrize("name", ["qwen", "ui-tars", "openai", "anthropic"])
@pytest.mark.parametrize("convention", ["finger", "content"])
@given(direction=directions, start=st.none() | st.just(Point(100, 200)))
def test_a_swipe_keeps_its_direction(name: str, convention: str, direction: Any, start: Point | None) -> None:
    """A format that insists on points gets the usual ones; a start that is known stays."""
    format_ = get_paradigm(name, frame=PIXEL, swipe=convention)
    action = Action("swipe", direction=direction, start=start)
    read = format_.parse(format_.render(Reply(action), SCREEN), SCREEN).reply.action
    assert read is not None
    assert read.direction == direction
    assert start is None or read.start == start


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_to_write_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no action"):
        get_paradigm(name).render(Reply(), SCREEN)


# Hostile input: an answer or a reason, soon, and never anything else.

DEEP = 990
HOSTILE: dict[str, Callable[[], str]] = {
    "nested lists": lambda: "[" * 100_000,
    "nested objects": lambda: '{"a":' * 30_000,
    "closed nesting": lambda: "[" * DEEP + "[1],[2]" + "]" * DEEP,
    "tags": lambda: "<think>" * 25_000,
    "closing tags": lambda: "</think>" * 20_000 + "</answer>" * 2_000,
    "nested tags": lambda: "<think><tool_call><answer>" * 6_000,
    "answers": lambda: "<answer>(1" * 15_000,
    "calls": lambda: "Action: click(" * 12_000,
    "bare calls": lambda: "click (" * 25_000,
    "labels": lambda: "Action: \n" * 20_000,
    "quotes": lambda: "Action: type(content='" + "'" * 150_000,
    "unclosed quote": lambda: "Action: type(content='" + "a" * 150_000,
    "quotes and commas": lambda: "Action: type(content='" + "', a" * 40_000,
    "escapes": lambda: "Action: type(content='" + "\\" * 150_001,
    "arguments": lambda: "Action: click(" + "a=(b," * 35_000,
    "digits": lambda: "1" * 190_000,
    "digits in a list": lambda: "[" + "1" * 16_000 + "a]",
    "digits with points": lambda: "1." * 90_000,
    "digits with commas": lambda: "1," * 90_000,
    "digits with spaces": lambda: "1 " * 90_000,
    "brackets and digits": lambda: "(1, " * 45_000,
    "points": lambda: "<point>1 " * 20_000,
    "x": lambda: "x = 1, " * 25_000,
    "white space": lambda: " " * 199_000,
    "brackets and white space": lambda: "(" + " " * 150_000 + "1",
    "fence": lambda: "```" + " " * 150_000 + "x",
    "labels in JSON": lambda: '"label": "' * 15_000,
    "NaN": lambda: '{"coordinate": [NaN, Infinity]}',
    "surrogates": lambda: "\ud800" * 1_000 + '{"coordinate": [1, 2]}',
}
INSIDE = {
    "number": "1" + "0" * 400,
    "exponent": "1e999",
    "digits": '"' + "1" * 16_000 + 'a"',
    "nested": "[" * DEEP + "[1],[2]" + "]" * DEEP,
    "nested deeper": "[" * 50_000 + "]" * 50_000,
    "text": '"' + "x" * 150_000 + '"',
    "object": '{"x": {"x": 1}, "y": []}',
    "null": "null",
    "numbers": "[" + "1," * 50_000 + "1]",
    "booleans": "[true, false]",
}
FRAMES = {
    "qwen": '<tool_call>{"name": "NAME", "arguments": {"action": "ACTION", "ARGUMENT": VALUE}}</tool_call>',
    "ui-tars": "Action: ACTION(ARGUMENT=VALUE, direction='up')",
    "openai": '{"type": "computer_call", "action": {"type": "ACTION", "x": 1, "y": 2, "ARGUMENT": VALUE}}',
    "anthropic": '{"type": "tool_use", "name": "computer", "input": {"action": "ACTION", "ARGUMENT": VALUE}}',
    "point": '<answer>{"ARGUMENT": VALUE}</answer>',
}
ARGUMENTS = {
    "qwen": "click/coordinate scroll/pixels swipe/coordinate2 key/keys key/text wait/time"
    " terminate/status system_button/button",
    "ui-tars": "click/start_box scroll/start_box scroll/direction hotkey/key type/content wait/time",
    "openai": "click/x click/button scroll/scroll_y scroll/x drag/path keypress/keys type/text wait/seconds",
    "anthropic": "left_click/coordinate scroll/coordinate scroll/scroll_direction key/text wait/duration"
    " hold_key/duration",
    "point": "click/coordinate click/point_2d click/bbox_2d",
}


def hostile(name: str) -> Iterator[tuple[str, str]]:
    """What it is, and the whole answer."""
    for label, text in HOSTILE.items():
        yield label, text()
    for argument in ARGUMENTS[name].split():
        action, _, key = argument.partition("/")
        frame = FRAMES[name].replace("ACTION", action).replace("ARGUMENT", key)
        frame = frame.replace("NAME", "computer_use" if key in ("pixels", "keys") else "mobile_use")
        for label, value in INSIDE.items():
            yield f"{argument}: {label}", frame.replace("VALUE", value)


@pytest.mark.parametrize("name", FORMATS)
def test_hostile_input_is_answered_soon(name: str) -> None:
    format_ = get_paradigm(name)
    for case, text in hostile(name):
        assert len(text) <= 200_000, case
        taken = []
        for _ in range(3):
            start = time.process_time()
            parsed = format_.parse(text, SCREEN)
            taken.append(time.process_time() - start)
            if not 0.1 <= taken[-1] < 1:
                break
        assert min(taken) < 0.1, case
        assert (parsed.reply.action is None) == bool(parsed.problem), case
        assert len(parsed.problem) < 500, case


@pytest.mark.parametrize("name", FORMATS)
@given(text=st.lists(st.sampled_from(list("[](){}<>\"'\\,:=. 1a\n")) | texts, max_size=40).map("".join))
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    parsed = get_paradigm(name).parse(text, SCREEN)
    assert (parsed.reply.action is None) == bool(parsed.problem)


@given(st.text(min_size=1, max_size=40) | KEYS)
def test_a_key_has_one_name(written: str) -> None:
    try:
        name = key_name(written)
    except ValueError:
        return
    assert key_name(name) == name


# Prompts: these formats bring none, a user's template works.


@pytest.mark.parametrize("name", FORMATS)
def test_there_is_no_prompt_of_ours(name: str, tmp_path: Path) -> None:
    situation = Situation("open the settings", SCREEN)
    with pytest.raises(InputError, match=r"read only.*template"):
        get_paradigm(name).messages(situation)
    template = tmp_path / "mine.j2"
    template.write_text(
        "=== user ===\n{{ instruction }}: {% for a in actions %}{{ a.format }} {% endfor %}", encoding="utf-8"
    )
    (message,) = get_paradigm(name, template=template).messages(situation)
    assert message.text.startswith("open the settings: ")


SHOWN = {
    "qwen": '{"action": "click", "coordinate": [x, y]}',
    "computer_use": '{"action": "scroll", "pixels": -500}',
    "ui-tars": "scroll(start_box='(x,y)', direction='up|down|left|right')",
    "openai": '{"type": "click", "button": "right", "x": x, "y": y}',
    "anthropic": '{"action": "scroll", "scroll_direction": "up|down|left|right"}',
    "point": '{"coordinate": [x, y]}',
}


@pytest.mark.parametrize("format", POINTED)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_template_is_shown_the_actions_as_they_are_written(format: str, language: str) -> None:
    actions = paradigm(format, language=language).variables(Situation("", SCREEN))["actions"]
    assert SHOWN[format] in [action["format"] for action in actions]


# Real answers of a grounding model, with the point that its authors read from each.


@pytest.mark.shared
@pytest.mark.parametrize("benchmark", ["screenspot_v2", "screenspot_pro"])
def test_real_grounding_answers(benchmark: str) -> None:
    file = SHARED / benchmark / "predictions_half.jsonl"
    if not file.is_file():
        pytest.skip(f"the real samples are not here: there is no shared/data/{benchmark} beside the repository")
    format_ = get_paradigm("point")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert rows
    for row in rows:
        parsed = format_.parse(row["raw_response"], Screen(Size(*row["img_size"])))
        assert parsed.reply.action is not None, (row["id"], parsed.problem)
        assert parsed.reply.action.point == pytest.approx(row["pred"], abs=1e-6), row["id"]
        assert parsed.reply.think.startswith("Thought:"), row["id"]
