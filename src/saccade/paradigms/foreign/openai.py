"""The OpenAI Responses API's `computer_call` items.

A scroll gives a place and how far the page goes, `scroll_y` positive down: here a swipe whose finger goes the other
way by as much. A drag's path keeps its two ends. A request for a screenshot is a wait of no length.
A message without a call is the end: done, and what the message says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saccade.actions import Action
from saccade.paradigms.base import Reply
from saccade.paradigms.foreign.answers import final_message, read_items, said
from saccade.paradigms.foreign.base import Foreign, ForeignVocabulary
from saccade.paradigms.verbs import Space, Verb, dumps, numbers
from saccade.types import Screen

_PLACE = {"point": "point"}
_PATH = {"start": "start", "end": "end"}
_SHOWN = {
    "click": '{"type": "click", "button": "left", "x": x, "y": y}',
    "right_click": '{"type": "click", "button": "right", "x": x, "y": y}',
    "double_click": '{"type": "double_click", "x": x, "y": y}',
    "move": '{"type": "move", "x": x, "y": y}',
    "scroll": '{"type": "scroll", "x": x, "y": y, "scroll_x": 0, "scroll_y": 500}',
    "drag": '{"type": "drag", "path": [{"x": x, "y": y}, {"x": x, "y": y}]}',
    "keypress": '{"type": "keypress", "keys": ["CTRL", "A"]}',
}
"""How a user's template may show an action."""
_DIGITS = 6
"""Distances are differences of places: rounding takes the noise off."""
_BUTTONS = {"left": "click", "right": "right_click", "wheel": "click"}


class _Vocabulary(ForeignVocabulary):
    """The API writes a point as two arguments, and tells right clicks from left ones by the button."""

    def listing(self, space: Space, language: str) -> list[dict[str, str]]:
        return [row | {"format": _SHOWN.get(row["name"], row["format"])} for row in super().listing(space, language)]

    def plain_call(self, call: Mapping[str, Any], repairs: list[str]) -> Mapping[str, Any]:
        kind = call.get("type")
        call = dict(call)
        if "x" in call or "y" in call:
            call["point"] = numbers([call.get("x"), call.get("y")], repairs)
        if kind == "click":
            call["type"] = _button(call.get("button", "left"), repairs)
        elif kind == "scroll":
            call |= _scrolled(call)
        elif kind == "drag":
            call |= _ends(call.get("path"), repairs)
        elif kind == "screenshot":
            call |= {"type": "wait", "seconds": 0}
        return call

    def own_call(self, call: dict[str, Any], action: Action) -> dict[str, Any]:
        match call["type"]:
            case "click" | "right_click" as kind:
                button = "left" if kind == "click" else "right"
                return {"type": "click", "button": button, **_xy(call["point"])}
            case "double_click" | "move" as kind:
                return {"type": kind, **_xy(call["point"])}
            case "scroll":
                (x, y), (to_x, to_y) = call["start"], call["end"]
                if (x, y) == (to_x, to_y):
                    raise ValueError("the scroll is too short to write")
                by = {"scroll_x": round(x - to_x, _DIGITS), "scroll_y": round(y - to_y, _DIGITS)}
                return {"type": "scroll", "x": x, "y": y, **by}
            case "drag":
                return {"type": "drag", "path": [_xy(call["start"]), _xy(call["end"])]}
            case "keypress":
                return {
                    "type": "keypress",
                    "keys": [key.upper() if key.isascii() else key for key in call["keys"].split("+")],
                }
            case "wait" if action.seconds == 0:
                return {"type": "screenshot"}
            case "wait" if action.seconds is not None:
                raise ValueError("wait cannot carry `seconds`")
        return call


VERBS = _Vocabulary(
    "type",
    [
        Verb("click", "click", _PLACE),
        Verb("right_click", "right_click", _PLACE),
        Verb("double_click", "double_click", _PLACE),
        Verb("move", "hover", _PLACE),
        Verb("scroll", "swipe", _PATH),
        Verb("drag", "drag", _PATH),
        Verb("type", "type", {"text": "text"}),
        Verb("keypress", "press", {"keys": "key"}),
        Verb("wait", "wait", {"seconds": "seconds"}, optional=frozenset({"seconds"})),
    ],
)


@dataclass(frozen=True, kw_only=True)
class OpenAI(Foreign):
    """Output items, one of them a computer call."""

    name = "openai"
    vocabulary = VERBS

    def _split(self, text: str, repairs: list[str]) -> tuple[str, list[dict[str, Any]]]:
        items = read_items(text, "output", repairs)
        return said([item for item in items if item.get("type") in ("reasoning", "message")]), items

    def _action(self, answer: list[dict[str, Any]], screen: Screen, repairs: list[str]) -> Action:
        if end := final_message(answer, "message", "reasoning", repairs):
            return end
        return VERBS.decode(_call(answer, repairs), screen.size, self.frame, self.swipe, self.space, repairs)

    def render(self, reply: Reply, screen: Screen) -> str:
        if reply.action is None:
            raise ValueError("there is no action to write")
        call = {"type": "computer_call", "action": VERBS.encode(reply.action, screen.size, self.frame, self.swipe)}
        if not reply.think:
            return dumps(call)
        return dumps([{"type": "reasoning", "summary": [{"type": "summary_text", "text": reply.think}]}, call])


def _call(items: list[dict[str, Any]], repairs: list[str]) -> dict[str, Any]:
    """The first action: of a computer call (its `action`, or the first of its `actions`), or standing alone."""
    calls = [item for item in items if item.get("type") == "computer_call"]
    if not calls:
        if len(items) == 1 and items[0].get("type") not in ("reasoning", "message"):
            repairs.append("read an action without its computer_call")
            return items[0]
        raise ValueError("there is no computer_call")
    if calls[0].get("pending_safety_checks"):
        repairs.append("left pending safety checks to the caller")
    batch = calls[0].get("actions")
    found = [call.get("action") for call in calls] if not isinstance(batch, list) else batch
    if len(found) > 1 or len(calls) > 1:
        repairs.append("took the first of several actions")
    if not found or not isinstance(found[0], dict):
        raise ValueError("the computer_call has no `action` object")
    return found[0]


def _button(button: Any, repairs: list[str]) -> str:
    if not isinstance(button, str) or button not in _BUTTONS:
        raise ValueError(f"{str(button)[:20]!r} is not a button that clicks: use left, right or wheel")
    if button == "wheel":
        repairs.append("read a click of the wheel as a click")
    return _BUTTONS[button]


def _scrolled(call: Mapping[str, Any]) -> dict[str, Any]:
    by = [call.get("scroll_x") or 0, call.get("scroll_y") or 0]
    if not all(type(n) in (int, float) for n in by) or by == [0, 0]:
        raise ValueError("the scroll has no `scroll_x` or `scroll_y` other than 0")
    if "point" not in call:
        raise ValueError("`x` and `y` of scroll are missing")
    x, y = call["point"]
    return {"start": [x, y], "end": [round(x - by[0], _DIGITS), round(y - by[1], _DIGITS)]}


def _ends(path: Any, repairs: list[str]) -> dict[str, Any]:
    if not isinstance(path, list) or len(path) < 2:
        raise ValueError("`path` of drag must be a list of at least two points")
    if len(path) > 2:
        repairs.append(f"kept the two ends of a path of {len(path)} points")
    start, end = ([p.get("x"), p.get("y")] if isinstance(p, dict) else p for p in (path[0], path[-1]))
    return {"start": start, "end": end}


def _xy(point: list[Any]) -> dict[str, Any]:
    return {"x": point[0], "y": point[1]}
