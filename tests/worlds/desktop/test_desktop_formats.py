"""Answers in the `computer_use` formats of three makers and pyautogui scripts of AgentNet's kind run as they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from desktop_helpers import EditorWorld, the, wait_until

from saccade.actions import Action
from saccade.data.readers.scripts import actions_of, parse_script
from saccade.geometry import Frame, Point
from saccade.paradigms import get_paradigm
from saccade.types import Screen

pytest_plugins = ["desktop_fixtures"]
pytestmark = [pytest.mark.desktop, pytest.mark.usefixtures("installed")]

Kind = str


def qwen(kind: Kind, at: Point, value: Any) -> str:
    named = {
        "click": {"action": "left_click"},
        "double": {"action": "double_click"},
        "right": {"action": "right_click"},
        "type": {"action": "type", "text": value},
        "keys": {"action": "key", "keys": value},
        "scroll": {"action": "scroll", "pixels": -5},
    }[kind]
    place = {} if kind in ("type", "keys") else {"coordinate": [round(at.x), round(at.y)]}
    call = {"name": "computer_use", "arguments": named | place}
    return f"<tool_call>\n{json.dumps(call)}\n</tool_call>"


def openai(kind: Kind, at: Point, value: Any) -> str:
    place = {"x": round(at.x), "y": round(at.y)}
    action = {
        "click": {"type": "click", "button": "left", **place},
        "double": {"type": "double_click", **place},
        "right": {"type": "click", "button": "right", **place},
        "type": {"type": "type", "text": value},
        "keys": {"type": "keypress", "keys": [str(key).upper() for key in value or ()]},
        "scroll": {"type": "scroll", "scroll_x": 0, "scroll_y": 300, **place},
    }[kind]
    return json.dumps({"type": "computer_call", "action": action})


def anthropic(kind: Kind, at: Point, value: Any) -> str:
    place = {"coordinate": [round(at.x), round(at.y)]}
    action = {
        "click": {"action": "left_click", **place},
        "double": {"action": "double_click", **place},
        "right": {"action": "right_click", **place},
        "type": {"action": "type", "text": value},
        "keys": {"action": "key", "text": "+".join(value or ())},
        "scroll": {"action": "scroll", "scroll_direction": "down", "scroll_amount": 5, **place},
    }[kind]
    return json.dumps({"type": "tool_use", "name": "computer", "input": action})


@pytest.mark.parametrize("write", [qwen, openai, anthropic])
def test_answers_of_three_makers_edit_a_file(editor: EditorWorld, write: Callable[..., str]) -> None:
    """Replace a word, append a line in Chinese, and save through the keyboard."""
    name = write.__name__
    paradigm = get_paradigm(name, frame=Frame.parse("pixel")) if name == "qwen" else get_paradigm(name)
    editor.text = "alpha beta\n"
    seen = editor.reset()
    box = the(seen.screen, type="input").box
    word = Point(box.x0 + 20, box.y0 + 10)

    def do(kind: Kind, at: Point = word, value: Any = None) -> None:
        nonlocal seen
        parsed = paradigm.parse(write(kind, at, value), Screen(seen.screen.size))
        assert parsed.reply.action is not None, (parsed.problem, write(kind, at, value))
        seen = editor.act(parsed.reply.action)
        assert not seen.error, seen.error

    do("double")
    do("type", value="omega")
    do("scroll")
    do("keys", value=["ctrl", "end"])
    do("type", value="第二行 ok")
    do("right")
    do("keys", value=["escape"])
    do("keys", value=["ctrl", "s"])
    assert editor.session is not None
    file = editor.session.home / "notes.txt"
    assert wait_until(lambda: file.read_text(encoding="utf-8").rstrip("\n") == "omega beta\n第二行 ok")


def test_a_pyautogui_script_runs_as_it_is(editor: EditorWorld) -> None:
    """Places are shares of the screen, as AgentNet writes them."""
    editor.text = "alpha beta\n"
    seen = editor.reset()
    box, size = the(seen.screen, type="input").box, seen.screen.size
    x, y = (box.x0 + 20) / size.width, (box.y0 + 10) / size.height
    script = f"""import pyautogui
pyautogui.moveTo(x={x:.4f}, y={y:.4f})
pyautogui.doubleClick(x={x:.4f}, y={y:.4f})
pyautogui.write(message='OMEGA')
pyautogui.press(keys=['end'])
pyautogui.press('left', presses=2)
pyautogui.hotkey(['ctrl', 'shift', 'left'])
pyautogui.write('-')
pyautogui.moveTo({x:.4f}, {y:.4f})
pyautogui.dragTo({x + 0.4:.4f}, {y:.4f})
pyautogui.scroll(-3)
pyautogui.hotkey('ctrl', 'c')
pyautogui.hotkey('ctrl', 'end')
pyautogui.hotkey('ctrl', 'v')
pyautogui.hotkey('ctrl', 's')
"""
    actions = actions_of(parse_script(script), size, unit=True)
    assert {action.type for action in actions} == {"double_click", "type", "press", "drag", "swipe"}
    for action in actions:
        seen = editor.act(action)
        assert not seen.error, (action, seen.error)
    assert editor.session is not None
    file = editor.session.home / "notes.txt"

    def copied() -> bool:
        """`OMEGA -ta` (the word before the last two letters was replaced), then what was dragged over."""
        first, _, last = file.read_text(encoding="utf-8").rstrip("\n").partition("\n")
        return first == "OMEGA -ta" and bool(last) and first.endswith(last)

    assert wait_until(copied), file.read_text(encoding="utf-8")
    assert Action("press", key="ctrl+s") == actions[-1]
