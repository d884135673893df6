"""The tool calls of Qwen2.5-VL's and Qwen3-VL's cookbooks: `mobile_use` and `computer_use`.

Qwen3-VL writes coordinates on a 0-1000 scale, which is the default here; for Qwen2.5-VL set the frame to `resized`.
`computer_use` scrolls by `pixels`, positive up (and right): runners disagree on the unit, so only the sign is read.
Its drag begins where the pointer is, which an action of ours cannot say: it is read where the model gives a start.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from saccade.actions import Action, Convention
from saccade.geometry import PERMILLE, Frame
from saccade.paradigms import secagent
from saccade.paradigms.base import Reply, Situation
from saccade.paradigms.foreign.answers import THINKING, cut_thinking
from saccade.paradigms.foreign.base import Foreign, ForeignVocabulary
from saccade.paradigms.lenient import loads
from saccade.paradigms.secagent import tool_arguments
from saccade.paradigms.sections import guard
from saccade.paradigms.verbs import Space, Verb, dumps
from saccade.types import Screen

Tool = Literal["mobile_use", "computer_use"]
OPEN, CLOSE = "<tool_call>", "</tool_call>"
PIXELS = 500
"""What a scroll is written with: an action of ours has no length."""
_LABEL = re.compile(r"\s*(?:Thought|思考)[ \t]*[:：]\s*")

_PLACE = {"coordinate": "point"}
_WAIT = Verb("wait", "wait", {"time": "seconds"}, optional=frozenset({"time"}))
_TOUCH = ("click", "long_press", "swipe", "type", "answer", "system_button", "key", "open", "terminate")
_VERBS = {
    verb.name: dataclasses.replace(verb, paper=True, unkept={}) for verb in secagent.VERBS.verbs if verb.name in _TOUCH
}

MOBILE = ForeignVocabulary("action", [*_VERBS.values(), _WAIT])


class _Computer(ForeignVocabulary):
    """Scrolling goes by the sign of `pixels`, along the axis that the name says."""

    def listing(self, space: Space, language: str) -> list[dict[str, str]]:
        rows = super().listing(space, language)
        for row in rows:
            shown = row["format"].replace('"direction": "up|down|left|right"', f'"pixels": -{PIXELS}')
            row["format"] = shown.replace('"keys": "…"', '"keys": ["ctrl", "a"]')
        return rows

    def plain_call(self, call: Mapping[str, Any], repairs: list[str]) -> Mapping[str, Any]:
        name = call.get("action")
        if name in ("scroll", "hscroll"):
            call = {**call, "action": "scroll", "direction": _direction(name, call.get("pixels"))}
        elif name == "left_click_drag" and "coordinate2" in call:
            repairs.append("read `coordinate` and `coordinate2` as start and end")
            call = {**call, "start_coordinate": call.get("coordinate"), "coordinate": call["coordinate2"]}
        return call

    def own_call(self, call: dict[str, Any], action: Action) -> dict[str, Any]:
        if "keys" in call:
            call["keys"] = call["keys"].split("+")
        if direction := call.pop("direction", None):
            call["action"] = "scroll" if direction in ("up", "down") else "hscroll"
            call["pixels"] = PIXELS if direction in ("up", "right") else -PIXELS
        return call


COMPUTER = _Computer(
    "action",
    [
        Verb("left_click", "click", _PLACE, aliases=("click", "middle_click")),
        Verb("double_click", "double_click", _PLACE, aliases=("triple_click",)),
        Verb("right_click", "right_click", _PLACE),
        Verb("mouse_move", "hover", _PLACE),
        Verb("left_click_drag", "drag", {"start_coordinate": "start", "coordinate": "end"}),
        Verb("scroll", "swipe", {"coordinate": "start", "direction": "direction"}, optional=frozenset({"coordinate"})),
        Verb("key", "press", {"keys": "key"}),
        _WAIT,
        *(_VERBS[name] for name in ("type", "answer", "terminate")),
    ],
)
TOOLS: dict[str, ForeignVocabulary] = {"mobile_use": MOBILE, "computer_use": COMPUTER}


@dataclass(frozen=True, kw_only=True)
class Qwen(Foreign):
    """Free text or thinking, then one tool call. Both tools are read whichever is set; the setting decides what is
    written.
    """

    name = "qwen"
    vocabulary = MOBILE
    frame: Frame = PERMILLE
    swipe: Convention = "content"
    tool: Tool = "mobile_use"

    def variables(self, situation: Situation) -> dict[str, Any]:
        actions = TOOLS[self.tool].listing(self.space, self.language)
        return super().variables(situation) | {"tool": self.tool, "actions": actions}

    def _split(self, text: str, repairs: list[str]) -> tuple[str, str]:
        think, rest = cut_thinking(text, OPEN, repairs)
        before, tag, after = rest.partition(OPEN)
        if not tag:
            at = rest.find("{")
            if at < 0:
                return think or rest.strip(), ""
            repairs.append(f"did without {OPEN}")
            return think or rest[:at].strip(), rest[at:]
        body, closed, tail = after.partition(CLOSE)
        if not closed:
            repairs.append(f"added the missing {CLOSE}")
        if OPEN in tail:
            repairs.append("took the first of several calls")
        elif tail.strip():
            repairs.append("ignored text after the call")
        label = _LABEL.match(before)
        aloud = before[label.end() if label else 0 :].strip()
        return "\n".join(filter(None, [think, aloud])), body

    def _action(self, answer: str, screen: Screen, repairs: list[str]) -> Action:
        if not answer.strip():
            raise ValueError("there is no tool call")
        tool = _tool(answer) or self.tool
        call = tool_arguments(answer, tool, repairs)
        verbs, name = TOOLS[tool], call.get("action")
        if not verbs.knows(name):
            other = next((key for key, value in TOOLS.items() if value.knows(name)), tool)
            if other != tool:
                repairs.append(f"{name!r} belongs to {other}")
            verbs = TOOLS[other]
        return verbs.decode(call, screen.size, self.frame, self.swipe, self.space, repairs)

    def render(self, reply: Reply, screen: Screen) -> str:
        if reply.action is None:
            raise ValueError("there is no action to write")
        call = TOOLS[self.tool].encode(reply.action, screen.size, self.frame, self.swipe)
        think = f"<think>{guard(reply.think, THINKING)}</think>\n" if reply.think else ""
        body = dumps({"name": self.tool, "arguments": call}, (*THINKING, "tool_call"))
        return f"{think}{OPEN}\n{body}\n{CLOSE}"


def _tool(body: str) -> str | None:
    """Which of the two tools a call names."""
    value = loads(body, [])
    name = value.get("name") if isinstance(value, dict) else None
    return name if isinstance(name, str) and name in TOOLS else None


def _direction(name: Any, pixels: Any) -> str:
    if type(pixels) not in (int, float) or pixels == 0:
        raise ValueError(f"`pixels` of {name} must be a number other than 0")
    if name == "hscroll":
        return "right" if pixels > 0 else "left"
    return "up" if pixels > 0 else "down"
