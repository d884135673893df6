"""SecAgent: a running natural-language summary instead of old screenshots. Paper §4 and Figure 8.

P(C_t, H_t, A_t | I, X_t, C_{t-1}, X_{t-1}, A_{t-1}): from the instruction, the current screenshot, its own previous
summary and one previous screenshot with its action, the model writes the new summary, a thought and an action.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from saccade.actions import Action
from saccade.geometry import Size
from saccade.paradigms.base import AnswerPart, Notes, Paradigm, Parsed, Reply, Situation
from saccade.paradigms.lenient import loads
from saccade.paradigms.sections import expect_order, guard, split_sections, unguard
from saccade.paradigms.verbs import Verb, Vocabulary, dumps, with_path
from saccade.types import Screen, Step

TAGS = ("summary", "think", "tool_call")
TOOL = "mobile_use"
WAIT = 1.0
"""Seconds of a recorded wait that does not say how long it took."""

_PLACE = {"coordinate": "point"}
BUTTONS = {"Back": "back", "Home": "home", "Menu": "menu", "Enter": "enter"}
VERBS = Vocabulary(
    "action",
    [
        Verb("click", "click", _PLACE, aliases=("left_click",)),
        Verb("long_press", "long_press", _PLACE, unkept={"time": 1}),
        Verb("swipe", "swipe", {"coordinate": "start", "coordinate2": "end"}),
        Verb("type", "type", {"text": "text"}),
        Verb("system_button", "press", {"button": "key"}, values=BUTTONS),
        Verb("key", "press", {"text": "key"}),
        Verb("open", "open_app", {"text": "text"}),
        Verb("wait", "wait", {"time": "seconds"}),
        Verb("terminate", "terminate", {"status": "status", "text": "text"}, optional=frozenset({"text"})),
        Verb("answer", "answer", {"text": "text"}, paper=False),
        Verb("double_click", "double_click", _PLACE, paper=False),
        Verb("right_click", "right_click", _PLACE, paper=False),
        Verb("hover", "hover", _PLACE, paper=False, aliases=("mouse_move",)),
        Verb("drag", "drag", {"coordinate": "start", "coordinate2": "end"}, paper=False),
        Verb("select", "select", {**_PLACE, "text": "text"}, paper=False),
        Verb("open_url", "open_url", {"text": "text"}, paper=False),
    ],
)


@dataclass(frozen=True, kw_only=True)
class SecAgent(Paradigm):
    """Summary, thought, action. The switches are those of Table 4."""

    name = "secagent"
    vocabulary = VERBS
    pixels = (200_704, 501_760)
    grounding_as_navigation = True

    window: int = 1
    """N, how many previous screenshots the model sees (0, 1, 2 or 5 in the paper)."""
    semantic_context: bool = True
    thought: bool = True

    @property
    def tags(self) -> tuple[str, ...]:
        """The sections that are asked for."""
        wanted = {"summary": self.semantic_context, "think": self.thought, "tool_call": True}
        return tuple(tag for tag in TAGS if wanted[tag])

    @property
    def answer_parts(self) -> frozenset[AnswerPart]:
        parts: dict[AnswerPart, bool] = {"summary": self.semantic_context, "think": self.thought}
        return frozenset(part for part, written in parts.items() if written)

    @property
    def history_window(self) -> int:
        return self.window

    def prepare(self, step: Step) -> Step:
        """The format says where a swipe begins and ends, and how long a wait takes."""
        done = step.prediction and spelled_out(step.prediction, step.screen)
        return replace(step, truth=[spelled_out(action, step.screen) for action in step.truth], prediction=done)

    def variables(self, situation: Situation) -> dict[str, Any]:
        variables = super().variables(situation)
        variables["previous"] = list(situation.previous)[-self.window :] if self.window else []
        variables["context"] = situation.context if self.semantic_context else ""
        switches = {"window": self.window, "semantic_context": self.semantic_context, "thought": self.thought}
        return variables | switches | {"tool": TOOL}

    def _read(self, text: str, screen: Screen) -> Parsed:
        notes = Notes()
        sections = split_sections(text, TAGS)
        expect_order(sections, self.tags)
        notes.repairs = sections.repairs
        summary = unguard((sections.get("summary") or "").strip(), TAGS)
        think = unguard((sections.get("think") or "").strip(), TAGS)
        action = None
        body = sections.get("tool_call")
        try:
            if body is None:
                raise ValueError("there is no <tool_call> section")
            call = tool_arguments(body, TOOL, notes.repairs)
            action = VERBS.decode(call, screen.size, self.frame, self.swipe, self.space, notes.repairs)
        except ValueError as error:
            notes.fail(str(error))
        return notes.parsed(Reply(action, think=think, summary="" if summary == "None" else summary))

    def render(self, reply: Reply, screen: Screen) -> str:
        if reply.action is None:
            raise ValueError("there is no action to write")
        call = VERBS.encode(reply.action, screen.size, self.frame, self.swipe)
        bodies = {
            "summary": guard(reply.summary, TAGS) or "None",
            "think": guard(reply.think, TAGS),
            "tool_call": dumps({"name": TOOL, "arguments": call}, TAGS),
        }
        return "\n".join(f"<{tag}>{bodies[tag]}</{tag}>" for tag in self.tags)


def spelled_out(action: Action, size: Size) -> Action:
    """A swipe with both its ends, a wait with its length."""
    if action.type == "wait" and action.seconds is None:
        return replace(action, seconds=WAIT)
    if action.type == "swipe" and action.direction and (action.start is None or action.end is None):
        return with_path(replace(action, start=None, end=None), size)
    return action


def tool_arguments(body: str, tool: str, repairs: list[str]) -> dict[str, Any]:
    """The arguments of a `{"name": …, "arguments": {…}}` call."""
    value = loads(body, repairs)
    if not isinstance(value, dict):
        raise ValueError("the tool call is not an object")
    arguments = value.get("arguments")
    if isinstance(arguments, str):
        repairs.append("read arguments from a string")
        arguments = loads(arguments, repairs)
    if arguments is None and "action" in value:
        repairs.append("read a tool call without its wrapper")
        return value
    if not isinstance(arguments, dict):
        raise ValueError("the tool call has no `arguments`")
    if value.get("name") != tool:
        repairs.append(f"read a call of {str(value.get('name'))[:40]!r} as {tool}")
    return arguments
