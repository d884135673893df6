"""Adapter: runs an agent in BrowserGym, with its observations as input and its action strings as output.

BrowserGym is not imported here. A `BrowserGymAgent` has the two methods its experiment loop calls, `obs_preprocessor`
and `get_action`, and speaks its coordinate actions, so make the environment with
`HighLevelActionSet(subsets=["coord", "nav", "chat", "infeas"])`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from typing import Any

from PIL import Image

from saccade.actions import Action, as_performed, swipe_direction
from saccade.geometry import Box, Size
from saccade.types import Element, Picture, Screen
from saccade.worlds.base import Observation
from saccade.worlds.keys import playwright_keys

ActionFunction = Callable[[str, Observation], Action]
"""A function from an instruction and an observation to the next action."""

STRIDE = 0.5
"""Share of the screen that a swipe scrolls."""


class BrowserGymAgent:
    """Wraps a function that chooses actions for BrowserGym's experiment loop."""

    def __init__(self, policy: ActionFunction) -> None:
        self.policy = policy

    def obs_preprocessor(self, obs: dict[str, Any]) -> dict[str, Any]:
        return obs

    def get_action(self, obs: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        observation = read_observation(obs)
        action = self.policy(instruction_of(obs), observation)
        return action_string(action, observation.screen.size), {}


def instruction_of(obs: Mapping[str, Any]) -> str:
    """The goal: text, or the text parts of a message."""
    goal = obs.get("goal") or obs.get("goal_object") or ""
    if isinstance(goal, str):
        return goal
    return "\n".join(part.get("text", "") for part in goal if isinstance(part, Mapping))


def read_observation(obs: Mapping[str, Any]) -> Observation:
    """BrowserGym's screenshot (an RGB array) and its per-element properties."""
    image = Image.fromarray(obs["screenshot"])
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=1)
    size = Size(*image.size)
    screen = Screen(size, Picture(buffer.getvalue(), size), read_elements(obs))
    return Observation(screen, url=str(obs.get("url", "")), error=str(obs.get("last_action_error") or ""))


def read_elements(obs: Mapping[str, Any]) -> list[Element]:
    """Visible nodes with a box; names and roles from the accessibility tree."""
    said = {}
    for node in (obs.get("axtree_object") or {}).get("nodes", ()):
        if bid := node.get("browsergym_id"):
            said[bid] = (_value(node, "role"), _value(node, "name"))
    elements: list[Element] = []
    for bid, properties in (obs.get("extra_element_properties") or {}).items():
        box = properties.get("bbox")
        if not box or properties.get("visibility", 0) < 0.5:
            continue
        role, name = said.get(bid, ("", ""))
        if name or properties.get("clickable"):
            live = bool(properties.get("clickable"))
            elements.append(Element(len(elements) + 1, Box.from_xywh(*box), role, name, interactive=live))
    return elements


def _value(node: Mapping[str, Any], name: str) -> str:
    return str((node.get(name) or {}).get("value") or "")


def action_string(action: Action, size: Size) -> str:
    """The action as a BrowserGym call. BrowserGym evaluates it, so every text is a quoted literal."""
    action = as_performed(action, size)
    point = action.point or action.start
    at = f"{point.x:g}, {point.y:g}" if point else ""
    match action.type:
        case "click" | "select" | "long_press":
            return f"mouse_click({at})"
        case "double_click":
            return f"mouse_dblclick({at})"
        case "right_click":
            return f"mouse_click({at}, button='right')"
        case "hover":
            return f"mouse_move({at})"
        case "drag" if action.end is not None:
            return f"mouse_drag_and_drop({at}, {action.end.x:g}, {action.end.y:g})"
        case "swipe":
            dx = {"left": STRIDE, "right": -STRIDE}.get(str(swipe_direction(action)), 0.0) * size.width
            dy = {"up": STRIDE, "down": -STRIDE}.get(str(swipe_direction(action)), 0.0) * size.height
            return f"scroll({dx:g}, {dy:g})"
        case "type":
            focus = f"mouse_click({at})\n" if point else ""
            enter = "\nkeyboard_press('Enter')" if action.submit else ""
            return f"{focus}keyboard_type({_literal(action.text)}){enter}"
        case "press" if action.key == "back":
            return "go_back()"
        case "press":
            return f"keyboard_press({_literal(playwright_keys(action.key or ''))})"
        case "open_url":
            return f"goto({_literal(action.text)})"
        case "answer":
            return f"send_msg_to_user({_literal(action.text)})"
        case "terminate" if action.status == "failure":
            return f"report_infeasible({_literal(action.text)})"
        case "terminate":
            return f"send_msg_to_user({_literal(action.text or 'done')})"
        case "wait":
            return f"noop({1000 * (1 if action.seconds is None else action.seconds):g})"
    return "noop()"


def _literal(text: str | None) -> str:
    return json.dumps(text or "")
