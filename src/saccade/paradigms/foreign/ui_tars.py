"""UI-TARS: a thought and one call, `Action: click(start_box='(x,y)')`.

A place is spelled in several ways, by release: `'(x,y)'`, `'[x1,y1,x2,y2]'`, both also between `<|box_start|>` and
`<|box_end|>`, and `point='<point>x y</point>'`. All are read; the first is written. UI-TARS 1.0 writes a 0-1000 scale,
the default here; 1.5 writes pixels of the resized image: frame `resized:28,78400,12845056`. A scroll names the side
of the page one wants to see. Text that ends in a line break is to be submitted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from saccade.actions import Action, Convention
from saccade.geometry import PERMILLE, Box, Frame
from saccade.paradigms.base import Reply
from saccade.paradigms.foreign.answers import THINKING, cut_thinking
from saccade.paradigms.foreign.base import Foreign, ForeignVocabulary
from saccade.paradigms.foreign.calls import read_call, write_call
from saccade.paradigms.sections import guard, unguard
from saccade.paradigms.verbs import Space, Verb, with_path
from saccade.types import Screen

_PLACE = {"start_box": "point"}
_FROM = {"start_box": "start"}
_SAID = {"content": "text"}
_PLACES = {"point": "start_box", "start_point": "start_box", "end_point": "end_box"}
"""Names of later releases → the first's."""
_SHOWN = {
    "point": "(x,y)",
    "start": "(x,y)",
    "end": "(x,y)",
    "direction": "up|down|left|right",
    "text": "…",
    "key": "ctrl c",
}
"""How a user's template may show an argument."""


class _Vocabulary(ForeignVocabulary):
    """Places are boxes in text, keys are separated by spaces, and a line break at the end of a text submits it."""

    def listing(self, space: Space, language: str) -> list[dict[str, str]]:
        rows = super().listing(space, language)
        for row in rows:
            fields = self._by_name[row["name"]].arguments.items()
            row["format"] = write_call(row["name"], {key: _SHOWN[name] for key, name in fields if name in _SHOWN})
        return rows

    def plain_call(self, call: Mapping[str, Any], repairs: list[str]) -> Mapping[str, Any]:
        call = {_PLACES.get(name, name): value for name, value in call.items()}
        for name in ("start_box", "end_box"):
            if name in call:
                call[name] = _place(call[name])
        if call.get("action") == "scroll" and "start_box" not in call:
            repairs.append("did without `start_box`")
        if "key" in call:
            call["key"] = "+".join(call["key"].split())
        if call.get("action") == "type" and call.get("content", "").endswith("\n"):
            call |= {"content": call["content"][:-1], "submit": True}
        return call

    def own_call(self, call: dict[str, Any], action: Action) -> dict[str, Any]:
        for name in ("start_box", "end_box"):
            if name in call:
                x, y = call[name]
                call[name] = f"({x},{y})"
        if "key" in call:
            call["key"] = call["key"].replace("+", " ")
        if action.type == "type":
            if action.submit is False or (not action.submit and call["content"].endswith("\n")):
                raise ValueError("type submits what ends in a line break, and nothing else")
            call["content"] += "\n" if call.pop("submit", False) else ""
        return call


VERBS = _Vocabulary(
    "action",
    [
        Verb("click", "click", _PLACE, aliases=("left_single", "left_click")),
        Verb("left_double", "double_click", _PLACE, aliases=("double_click", "left_double_click")),
        Verb("right_single", "right_click", _PLACE, aliases=("right_click",)),
        Verb("long_press", "long_press", _PLACE),
        Verb("hover", "hover", _PLACE, aliases=("mouse_move",)),
        Verb("drag", "drag", {"start_box": "start", "end_box": "end"}, aliases=("select",)),
        Verb("scroll", "swipe", {**_FROM, "direction": "direction"}, optional=frozenset(_FROM)),
        Verb("type", "type", {**_SAID, "submit": "submit"}, optional=frozenset({"submit"})),
        Verb("press_home", "press", fixed={"key": "home"}),
        Verb("press_back", "press", fixed={"key": "back"}),
        Verb("hotkey", "press", {"key": "key"}, aliases=("press",)),
        Verb("open_app", "open_app", {"app_name": "text"}),
        Verb("wait", "wait"),
        Verb("finished", "terminate", _SAID, {"status": "success"}, optional=frozenset(_SAID)),
        Verb("call_user", "terminate", _SAID, {"status": "failure"}, optional=frozenset(_SAID)),
    ],
)

_HEAD = re.compile(r"(?:Action|动作|操作|行动)[ \t]*[:：]\s*+(?:```\w*+\s*+)?(?=[A-Za-z_]\w*+\s*+\()")
_LABEL = re.compile(r"\s*(?:Thought|Reflection|Action_Summary|思考)[ \t]*[:：]\s*")
_CALL = re.compile(r"([A-Za-z_](?<!\w[A-Za-z_])\w*+)\s*+\(")
_NUMBER = re.compile(r"[-+]?(?:\d++(?:\.\d++)?+|\.\d++)")


@dataclass(frozen=True, kw_only=True)
class UITars(Foreign):
    """Thought, then action."""

    name = "ui-tars"
    vocabulary = VERBS
    frame: Frame = PERMILLE
    swipe: Convention = "content"

    def _split(self, text: str, repairs: list[str]) -> tuple[str, str]:
        think, rest = cut_thinking(text, "Action:", repairs)
        head = _HEAD.search(rest)
        if head is None:
            head = _known_call(rest)
            if head is None:
                return think or rest.strip(), ""
            repairs.append("did without 'Action:'")
            start = head.start()
        else:
            start = head.end()
        before = rest[: head.start()]
        label = _LABEL.match(before)
        aloud = unguard(before[label.end() if label else 0 :].strip(), THINKING)
        return "\n".join(filter(None, [think, aloud])), rest[start:]

    def _action(self, answer: str, screen: Screen, repairs: list[str]) -> Action:
        if not answer:
            raise ValueError("there is no call after 'Action:'")
        name, arguments, rest = read_call(answer, repairs)
        if _known_call(rest):
            repairs.append("took the first of several actions")
        elif rest.strip("` \n"):
            repairs.append("ignored text after the action")
        call = {**arguments, "action": name}
        return VERBS.decode(call, screen.size, self.frame, self.swipe, self.space, repairs)

    def render(self, reply: Reply, screen: Screen) -> str:
        if reply.action is None:
            raise ValueError("there is no action to write")
        action = reply.action
        if action.type == "swipe" and action.start is None and action.end is None:
            action = replace(with_path(action, screen.size), end=None)
        call = VERBS.encode(action, screen.size, self.frame, self.swipe)
        think = _HEAD.sub(lambda head: re.sub("[:：]", "", head[0]), guard(reply.think, THINKING))
        return (f"Thought: {think}\n" if think else "") + f"Action: {write_call(call.pop('action'), call)}"


def _known_call(text: str) -> re.Match[str] | None:
    """The first call of an action, wherever it stands."""
    return next((call for call in _CALL.finditer(text) if VERBS.knows(call[1])), None)


def _place(written: str) -> list[int | float]:
    """The point that a box or a point in any of the spellings means."""
    if len(written) > 200:
        raise ValueError("a place is longer than 200 characters")
    found = [float(word) if "." in word else int(word) for word in _NUMBER.findall(written)]
    if len(found) == 4:
        return list(Box(*found).center)
    if len(found) != 2:
        raise ValueError(f"a place has two or four coordinates, got {len(found)}")
    return found
