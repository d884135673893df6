"""Anthropic's `computer` tool: `tool_use` blocks among text blocks.

`scroll_direction` is the content's. How far a scroll goes, and how long a key is held, an action of ours cannot say.
Asking to look (a screenshot, the pointer's position, a zoom) is a wait of no length.
A text without a use of the tool is the end: done, and what the text says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saccade.actions import Action, Convention
from saccade.paradigms.base import Reply
from saccade.paradigms.foreign.answers import final_message, read_items, said
from saccade.paradigms.foreign.base import Foreign, ForeignVocabulary
from saccade.paradigms.verbs import Verb, dumps
from saccade.types import Screen

TOOL = "computer"
LOOKS = ("screenshot", "cursor_position", "zoom")
CLICKS = 5
"""The `scroll_amount` that is written, in notches of the wheel."""

_PLACE = {"coordinate": "point"}
_FROM = {"coordinate": "start"}


class _Vocabulary(ForeignVocabulary):
    """A screenshot is read as a wait; a scroll has an amount."""

    def plain_call(self, call: Mapping[str, Any], repairs: list[str]) -> Mapping[str, Any]:
        if call.get("action") in LOOKS:
            return {"action": "wait", "duration": 0}
        if call.get("text") and call.get("action") not in ("type", "key", "hold_key"):
            repairs.append("let go of the keys held meanwhile")
        return call

    def own_call(self, call: dict[str, Any], action: Action) -> dict[str, Any]:
        return call | {"scroll_amount": CLICKS} if action.type == "swipe" else call


VERBS = _Vocabulary(
    "action",
    [
        Verb("left_click", "click", _PLACE, aliases=("middle_click",)),
        Verb("right_click", "right_click", _PLACE),
        Verb("double_click", "double_click", _PLACE, aliases=("triple_click",)),
        Verb("mouse_move", "hover", _PLACE),
        Verb("left_click_drag", "drag", {"start_coordinate": "start", "coordinate": "end"}),
        Verb("scroll", "swipe", {**_FROM, "scroll_direction": "direction"}, optional=frozenset(_FROM)),
        Verb("type", "type", {"text": "text"}),
        Verb("key", "press", {"text": "key"}, aliases=("hold_key",)),
        Verb("wait", "wait", {"duration": "seconds"}, optional=frozenset({"duration"})),
    ],
)


@dataclass(frozen=True, kw_only=True)
class Anthropic(Foreign):
    """Content blocks, one of them a use of the computer tool."""

    name = "anthropic"
    vocabulary = VERBS
    swipe: Convention = "content"

    def _split(self, text: str, repairs: list[str]) -> tuple[str, list[dict[str, Any]]]:
        blocks = read_items(text, "content", repairs)
        return said([block for block in blocks if block.get("type") in ("text", "thinking")]), blocks

    def _action(self, answer: list[dict[str, Any]], screen: Screen, repairs: list[str]) -> Action:
        if end := final_message(answer, "text", "thinking", repairs):
            return end
        return VERBS.decode(_input(answer, repairs), screen.size, self.frame, self.swipe, self.space, repairs)

    def render(self, reply: Reply, screen: Screen) -> str:
        if reply.action is None:
            raise ValueError("there is no action to write")
        call = VERBS.encode(reply.action, screen.size, self.frame, self.swipe)
        use = {"type": "tool_use", "name": TOOL, "input": call}
        return dumps([{"type": "text", "text": reply.think}, use] if reply.think else use)


def _input(blocks: list[dict[str, Any]], repairs: list[str]) -> dict[str, Any]:
    """The arguments of the first use of the computer tool, or of a call that stands alone."""
    uses = [block for block in blocks if block.get("type") == "tool_use" and block.get("name") == TOOL]
    if not uses:
        if len(blocks) == 1 and "action" in blocks[0]:
            repairs.append("read an action without its tool_use")
            return blocks[0]
        raise ValueError(f"there is no use of the tool {TOOL!r}")
    if len(uses) > 1:
        repairs.append(f"took the first of {len(uses)} actions")
    call = uses[0].get("input")
    if not isinstance(call, dict):
        raise ValueError("the tool use has no `input` object")
    return call
