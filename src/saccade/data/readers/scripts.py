"""Scripts of mouse and keyboard calls (`pyautogui.click(x=0.34, y=0.63)`), read as data: nothing is ever evaluated.

OmniACT and AgentNet write what was done as a few lines of Python. They are parsed, with a limit on their length, and
only what such lines consist of is understood: calls with texts, numbers, lists and the three constants. Anything else
is an error that names its line.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable
from textwrap import dedent
from typing import Any, NamedTuple

from msgspec.structs import replace

from saccade.actions import STATUSES, Action, Direction
from saccade.geometry import Number, Point, Size
from saccade.paradigms.foreign.keys import chord, key_name

LONGEST = 50_000
"""Characters of a script; the recorded ones have a few hundred."""
DEEPEST = 4
"""Lists in lists: no call needs more."""
FARTHEST = 10**6
"""Pixels; no screen reaches there."""
MOST_PRESSES = 100
"""One call may press a key several times; each is an action."""


class Call(NamedTuple):
    """One call: `name` is the last part (`click` of `pyautogui.click`), as written."""

    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    line: int = 0
    """Counted from 1."""


_FENCE = re.compile(r"```\w*+[ \t]*+$", re.MULTILINE)
"""Markdown around a script says nothing about what was done."""
_INDENT = re.compile(r"^[ \t]++", re.MULTILINE)
_NUMBER = re.compile(r"[-+]?(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][-+]?\d++)?+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_script(text: str) -> list[Call]:
    """The calls of a script in order; `ValueError` with the line where it is not one. The script is parsed by Python's
    own parser, and only its syntax tree is looked at.

    >>> parse_script("pyautogui.press(keys=['enter'])")
    [Call(name='press', args=(), kwargs={'keys': ['enter']}, line=1)]
    """
    if len(text) > LONGEST:
        raise ValueError(f"line 1: the script has {len(text):,} characters; at most {LONGEST:,} are read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a backslash before any letter is a warning to Python
            tree = _tree(dedent(_FENCE.sub("", text)))
    except SyntaxError as error:
        raise ValueError(f"line {error.lineno or 1}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"line 1: this cannot be parsed ({error})") from None
    calls = []
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            raise ValueError(f"line {node.lineno}: expected a call")
        calls.append(_call(node.value))
    return calls


def _tree(source: str) -> ast.Module:
    """Lines may be indented as they like: a script has no blocks."""
    try:
        return ast.parse(source)
    except IndentationError:
        return ast.parse(_INDENT.sub("", source))


def _call(node: ast.Call) -> Call:
    function: ast.expr = node.func
    while isinstance(function, ast.Attribute):
        function = function.value
    if not isinstance(function, ast.Name):
        raise ValueError(f"line {node.lineno}: expected a call by name")
    name = node.func.attr if isinstance(node.func, ast.Attribute) else function.id
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg in kwargs:
            said = f"`{keyword.arg}` is given twice" if keyword.arg else "expected an argument by name"
            raise ValueError(f"line {node.lineno}: {said}")
        kwargs[keyword.arg] = _value(keyword.value)
    return Call(name, tuple(_value(each) for each in node.args), kwargs, node.lineno)


def _value(node: ast.expr, depth: int = 0) -> Any:
    """A text, a number, a constant, or a list or tuple of them."""
    match node:
        case ast.Constant(value=str(text)):
            return _SURROGATE.sub("�", text)
        case ast.Constant(value=bool() | int() | float() | None as value):
            return _number(value)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=ast.Constant(value=int() | float() as value)):
            number = _number(value)
            return -number if isinstance(sign, ast.USub) else number
        case ast.List(elts=items) | ast.Tuple(elts=items) if depth < DEEPEST:
            return [_value(item, depth + 1) for item in items]
    raise ValueError(f"line {node.lineno}: expected a text, a number or a list")


def _number(value: Any) -> Any:
    """Integers that no arithmetic here needs exactly become floats."""
    return value if type(value) is not int or abs(value) < 10**18 else float(str(value))


def actions_of(calls: Iterable[Call], size: Size, unit: bool) -> list[Action]:
    """The actions of a script in order. The pointer stays where a call left it: a scroll or a drag begins there, and
    going there first is part of it.
    """
    done: list[Action] = []
    pointer: Point | None = None
    for call in calls:
        for single in _single_presses(call):
            action = action_of(single, size, unit, pointer)
            if action is None:
                continue
            if done and done[-1].type == "hover" and done[-1].point == (action.start or action.point):
                done.pop()
            done.append(action)
            pointer = action.end or action.point or pointer
    return done


def joined(actions: Iterable[Action]) -> list[Action]:
    """The actions of a step, where those that are one action here are one: typing and pressing enter, clicking a field
    and typing. `ValueError` if nothing is done.
    """
    merged: list[Action] = []
    for action in actions:
        last = merged[-1] if merged else None
        if last is not None and last.type == "type" and action == Action("press", key="enter") and not last.submit:
            merged[-1] = replace(last, submit=True)
        elif last is not None and last.type == "click" and action.type == "type":
            merged[-1] = replace(action, point=last.point)
        else:
            merged.append(action)
    if not merged:
        raise ValueError("nothing is done")
    return merged


def action_of(call: Call, size: Size, unit: bool, pointer: Point | None = None) -> Action | None:
    """What one call does; none if it does nothing on the screen. `unit`: places are shares of the screen, not pixels.

    `scroll` names the wheel: -5 is down the page, which a finger does by going up. A triple click counts as a double
    click, since there is no such action here. `ValueError` names the call and what is wrong with it.
    """
    name = call.name.replace("_", "").lower()
    reader = _Arguments(call, size, unit, pointer)
    match name:
        case "click" | "leftclick":
            return reader.click()
        case "doubleclick" | "tripleclick":
            return Action("double_click", point=reader.place())
        case "rightclick":
            return Action("right_click", point=reader.place())
        case "moveto" | "move" | "moverel" | "hover":
            return Action("hover", point=reader.place(relative=name in ("move", "moverel")))
        case "dragto" | "drag" | "dragrel":
            end = reader.place(relative=name != "dragto")
            if pointer is None:
                raise ValueError(f"{call.name}: nothing says where the drag begins")
            return Action("drag", start=pointer, end=end)
        case "scroll" | "vscroll":
            return reader.scroll("down", "up")
        case "hscroll":
            return reader.scroll("left", "right")
        case "write" | "typewrite" | "type":
            return reader.typed()
        case "press":
            return reader.press()
        case "hotkey":
            return reader.hotkey()
        case "sleep" | "wait":
            return reader.wait()
        case "terminate" | "done" | "fail":
            return reader.terminate(name)
        case "answer" | "response":
            return Action("answer", text=reader.text("text", "message", "answer", "content"))
        case "screenshot":
            return None
    raise ValueError(f"{call.name}: no such call is known")


class _Arguments:
    """The arguments of one call, by position or by name."""

    def __init__(self, call: Call, size: Size, unit: bool, pointer: Point | None) -> None:
        self.call, self.size, self.unit, self.pointer = call, size, unit, pointer

    def get(self, position: int, *names: str) -> Any:
        if position < len(self.call.args):
            return self.call.args[position]
        return next((self.call.kwargs[name] for name in names if name in self.call.kwargs), None)

    def number(self, position: int, *names: str) -> Number | None:
        """A number, also in quotes: OmniACT has `hscroll("10")`."""
        value = self.get(position, *names)
        if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
            value = float(value)
        if type(value) is int or type(value) is float:
            return value
        if value is None:
            return None
        raise ValueError(f"{self.call.name}: `{names[0]}` is {str(value)[:30]!r}: expected a number")

    def text(self, *names: str) -> str:
        value = self.get(0, *names)
        if not isinstance(value, str):
            raise ValueError(f"{self.call.name}: `{names[0]}` is missing or no text")
        return value

    def place(self, relative: bool = False) -> Point:
        """Where it happens: two numbers, a pair, or where the pointer is."""
        pair = self.get(0, "x", "xOffset")
        if isinstance(pair, list) and len(pair) == 2:
            return self.with_args(*pair).place(relative)
        x, y = self.number(0, "x", "xOffset"), self.number(1, "y", "yOffset")
        if (x is None or y is None or relative) and self.pointer is None:
            raise ValueError(f"{self.call.name}: `x` or `y` is missing, and nothing says where the pointer is")
        across, down = self.size if self.unit else (1, 1)
        here = self.pointer or Point(0, 0)
        if relative:
            place = Point(here.x + (x or 0) * across, here.y + (y or 0) * down)
        else:
            place = Point(here.x if x is None else x * across, here.y if y is None else y * down)
        if not (abs(place.x) < FARTHEST and abs(place.y) < FARTHEST):
            raise ValueError(f"{self.call.name}: `x` or `y` is on no screen")
        return place

    def with_args(self, *args: Any) -> _Arguments:
        return _Arguments(Call(self.call.name, args, {}), self.size, self.unit, self.pointer)

    def click(self) -> Action:
        times, button = self.number(2, "clicks") or 1, self.get(4, "button") or "left"
        if button not in ("left", "primary", "right", "secondary"):
            raise ValueError(f"{self.call.name}: `button` is {str(button)[:30]!r}: use left or right")
        if button in ("right", "secondary"):
            return Action("right_click", point=self.place())
        return Action("click" if times == 1 else "double_click", point=self.place())

    def scroll(self, forth: Direction, back: Direction) -> Action:
        amount = self.number(0, "clicks", "amount", "dy", "value")
        if not amount:
            raise ValueError(f"{self.call.name}: `clicks` is missing or 0, so it has no direction")
        x, y = self.number(1, "x"), self.number(2, "y")
        start = self.pointer
        if x is not None and y is not None:
            start = self.with_args(x, y).place()
        return Action("swipe", direction=forth if amount > 0 else back, start=start)

    def typed(self) -> Action:
        text = self.text("message", "text")
        if text.endswith("\n") and text.strip("\n"):
            return Action("type", text=text.removesuffix("\n"), submit=True)
        return Action("type", text=text)

    def press(self) -> Action:
        keys = self.get(0, "keys", "key")
        if isinstance(keys, list) and len(keys) == 1:
            keys = keys[0]
        if not isinstance(keys, str) or not keys:
            raise ValueError(f"{self.call.name}: `keys` is not one key")
        return Action("press", key=key_name(keys))

    def hotkey(self) -> Action:
        keys = self.call.args or (self.get(0, "keys", "args"),)
        if len(keys) == 1 and isinstance(keys[0], list):
            keys = tuple(keys[0])
        try:
            return Action("press", key=chord(keys))
        except ValueError as error:
            raise ValueError(f"{self.call.name}: {error}") from None

    def wait(self) -> Action:
        seconds = self.number(0, "seconds", "secs", "time", "duration")
        if seconds is not None and not 0 <= seconds < 10**6:
            raise ValueError(f"{self.call.name}: `seconds` is {seconds}: expected a length of time")
        return Action("wait", seconds=seconds)

    def terminate(self, name: str) -> Action:
        written = self.get(0, "status") or ("failure" if name == "fail" else "success")
        status = next((status for status in STATUSES if status == written), None)
        if status is None:
            raise ValueError(f"{self.call.name}: `status` is {str(written)[:30]!r}: use {', '.join(STATUSES)}")
        said = self.get(1, "answer", "text", "message")
        return Action("terminate", status=status, text=said if isinstance(said, str) and said else None)


def _single_presses(call: Call) -> list[Call]:
    """`press(['tab', 'enter'])` and `press('down', presses=3)` as single presses."""
    if call.name.lower() != "press":
        return [call]
    keys = call.args[0] if call.args else call.kwargs.get("keys", call.kwargs.get("key"))
    times = call.args[1] if len(call.args) > 1 else call.kwargs.get("presses", 1)
    keys = keys if isinstance(keys, list) else [keys]
    if type(times) is not int or not 1 <= times * max(1, len(keys)) <= MOST_PRESSES:
        raise ValueError(f"press: `presses` is {str(times)[:30]!r}: expected a count up to {MOST_PRESSES}")
    return [call._replace(args=(key,), kwargs={}) for key in keys * times] or [call]
