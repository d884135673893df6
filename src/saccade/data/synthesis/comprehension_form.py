"""Step records in the form of UI Comprehension-Bench (UILoop appendix A), as `readers.ui_comprehension` reads it.

One action a record: the first right one. A scroll's direction is the content's, as in AndroidControl.
"""

from __future__ import annotations

from typing import Any

from saccade.actions import Action, swipe_direction, to_finger
from saccade.data.readers.ui_comprehension import NO_TEXT, NOWHERE
from saccade.types import Step

NAMES = {
    "click": "click",
    "long_press": "long_press",
    "double_click": "double_click",
    "right_click": "right_click",
    "hover": "hover",
    "type": "type",
    "select": "select",
    "open_app": "open_app",
    "answer": "answer",
    "wait": "wait",
}
KEYS = {"back": "press_back", "home": "press_home", "enter": "press_enter"}
ENDINGS = {"success": "complete", "failure": "impossible"}
POINTED = ("click", "long_press", "double_click", "right_click", "hover", "select")


def action_name(action: Action) -> str:
    """`gt_action`; empty where the form has no name for it (drags, other keys, addresses)."""
    if action.type == "swipe":
        return "scroll" if swipe_direction(action) else ""
    if action.type == "press":
        return KEYS.get(str(action.key), "")
    if action.type == "terminate":
        return ENDINGS.get(str(action.status), "")
    return NAMES.get(action.type, "")


def input_text(action: Action) -> str:
    """`gt_input_text`, empty where there is none: a text, or the direction of a scroll."""
    if action.type == "swipe" and (direction := swipe_direction(action)) is not None:
        return to_finger(direction, "content")
    return (action.text or "") if action.type in ("type", "select", "open_app", "answer") else ""


def comprehension_record(step: Step, group: str = "") -> dict[str, Any]:
    """The record of a step. `group` is the platform, for steps whose tags do not tell it."""
    action = step.truth[0]
    place = (action.box or action.point) if action.type in POINTED else None
    key = [
        f"Located at [{round(each.center.x)}, {round(each.center.y)}], {each.caption}"
        for each in step.key_elements or ()
    ]
    return {
        "id": step.id,
        "instruction": step.instruction,
        "image": step.image,
        "gt_action": action_name(action),
        "gt_bbox": [_plain(number) for number in place] if place is not None else NOWHERE,
        "gt_input_text": input_text(action) or NO_TEXT,
        "history": "\n".join(f"Step {at}: {' '.join(line.split())}" for at, line in enumerate(step.history, 1))
        or "None",
        "image_size": list(step.screen),
        "group": step.tags.get("platform") or group,
        "Key UI Elements": key,
        "Reasoning_Chains": step.thought.split("\n") if step.thought else [],
    }


def _plain(number: float) -> float:
    return int(number) if number == int(number) else round(number, 1)
