"""Scripts of mouse and keyboard calls (`pyautogui.click(x=0.34, y=0.63)`), read as data: nothing is ever evaluated.

OmniACT and AgentNet write what was done as a few lines of Python. Only what such lines consist of is understood: calls
with texts, numbers, lists and the three constants. Anything else is an error that names its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from saccade.actions import STATUSES, Action, Direction
from saccade.geometry import Number, Point, Size
from saccade.paradigms.foreign.keys import chord, key_name

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


_BLANK = re.compile(r"(?:[ \t\r\f]++|\\\r?\n|#[^\n]*+)*+")
_GAP = re.compile(r"(?:[\s;]++|\\\r?\n|#[^\n]*+|```\w*+|(?:import|from)[ \t][^\n;]*+)*+")
"""Between calls: comments, imports and the fences of Markdown say nothing about what was done."""
_INSIDE = re.compile(r"(?:\s++|\\\r?\n|#[^\n]*+)*+")
_HEAD = re.compile(r"(?:[A-Za-z_]\w*+\s*+\.\s*+)*+([A-Za-z_]\w*+)[ \t]*+\(")
_KEYWORD = re.compile(r"([A-Za-z_]\w*+)\s*+=(?!=)")
_NUMBER = re.compile(r"[-+]?(?:\d++(?:\.\d*+)?+|\.\d++)(?:[eE][-+]?\d++)?+(?![\w.])")
_TEXT = re.compile(r"""([rRuU]?)('''|\"""|'|")""")
_WORD = re.compile(r"(?:True|False|None)\b")
_WORDS = {"True": True, "False": False, "None": None}
_ESCAPE = re.compile(r"\\(?:([abfnrtv'\"\\])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|\r?\n)")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_BODIES = {
    quote: re.compile(rf"((?:{ordinary}|\\.)*+){quote}", re.DOTALL)
    for quote, ordinary in {
        "'": r"[^'\\\n]",
        '"': r'[^"\\\n]',
        "'''": r"(?!''')[^\\]",
        '"""': r'(?!""")[^\\]',
    }.items()
}


def parse_script(text: str) -> list[Call]:
    """The calls of a script in order; `ValueError` with the line where it is not one.

    >>> parse_script("pyautogui.press(keys=['enter'])")
    [Call(name='press', args=(), kwargs={'keys': ['enter']}, line=1)]
    """
    reader, calls = _Reader(text), []
    while reader.skip(_GAP):
        calls.append(reader.call())
        reader.skip(_BLANK)
        if not reader.at_end and not text.startswith(("\n", ";", "```"), reader.at):
            raise reader.error("a new line")
    return calls


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


class _Reader:
    """A place in a script, and what can be read from there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    @property
    def at_end(self) -> bool:
        return self.at >= len(self.text)

    def skip(self, pattern: re.Pattern[str]) -> bool:
        """Leave out what says nothing; is there something after it?"""
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return not self.at_end

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def error(self, expected: str) -> ValueError:
        line = self.text.count("\n", 0, self.at) + 1
        rest = self.text[self.at : self.at + 30].partition("\n")[0]
        return ValueError(f"line {line}: expected {expected}, found {rest!r}" if rest else f"line {line}: ends early")

    def call(self) -> Call:
        line = self.text.count("\n", 0, self.at) + 1
        head = self.take(_HEAD)
        if head is None:
            raise self.error("a call")
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        while not self.closes(")"):
            keyword = self.take(_KEYWORD)
            self.skip(_INSIDE)
            if keyword is None and kwargs:
                raise self.error("an argument by name")
            if keyword is not None and keyword[1] in kwargs:
                raise ValueError(f"line {line}: `{keyword[1]}` is given twice")
            if keyword is None:
                args.append(self.value())
            else:
                kwargs[keyword[1]] = self.value()
            self.separator(")")
        return Call(head[1], tuple(args), kwargs, line)

    def closes(self, bracket: str) -> bool:
        self.skip(_INSIDE)
        if not self.text.startswith(bracket, self.at):
            return False
        self.at += len(bracket)
        return True

    def separator(self, bracket: str) -> None:
        self.skip(_INSIDE)
        if self.text.startswith(",", self.at):
            self.at += 1
        elif not self.text.startswith(bracket, self.at):
            raise self.error(f"a comma or {bracket!r}")

    def value(self, depth: int = 0) -> Any:
        if number := self.take(_NUMBER):
            return _number(number[0])
        if quote := self.take(_TEXT):
            text = self.string(quote)
            while self.skip(_INSIDE) and (quote := self.take(_TEXT)):  # texts side by side are one
                text += self.string(quote)
            return text
        if word := self.take(_WORD):
            return _WORDS[word[0]]
        for opening, closing in ("[]", "()"):
            if self.text.startswith(opening, self.at) and depth < DEEPEST:
                self.at += 1
                return self.items(closing, depth + 1)
        raise self.error("a text, a number or a list")

    def items(self, bracket: str, depth: int) -> list[Any]:
        found = []
        while not self.closes(bracket):
            found.append(self.value(depth))
            self.separator(bracket)
        return found

    def string(self, quote: re.Match[str]) -> str:
        body = self.take(_BODIES[quote[2]])
        if body is None:
            raise self.error("the end of a text")
        return body[1] if quote[1] in ("r", "R") else _ESCAPE.sub(_unescape, body[1])


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
            value = _number(value.strip())
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


def _number(written: str) -> int | float:
    if re.fullmatch(r"[-+]?\d{1,18}", written):
        return int(written)
    return float(written)


def _unescape(match: re.Match[str]) -> str:
    plain, *codes, octal = match.groups()
    if plain is not None:
        return _ESCAPES.get(plain, plain)
    if octal is not None:
        return chr(int(octal, 8))
    code = next((int(digits, 16) for digits in codes if digits is not None), None)
    if code is None:
        return ""  # a line that goes on
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "�"
