"""The actions of CMGUI's records, whose field names are not documented: read under every likely spelling."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from saccade.actions import DIRECTIONS, Action, ActionType, Direction, direction_between
from saccade.data.readers.base import guessed_frame
from saccade.data.readers.tables import decoded
from saccade.geometry import Box, Frame, Number, Point, Size

SPELLINGS: dict[str, tuple[str, ...]] = {
    "id": ("episode_id", "id", "episode", "task_id", "traj_id", "trajectory_id", "uid"),
    "instruction": ("instruction", "instructions", "goal", "task", "query", "user_instruction", "question"),
    "steps": ("steps", "trajectory", "step_list", "step_annotations", "annotations", "actions", "data"),
    "image": (
        "image",
        "screenshot",
        "img",
        "image_path",
        "screenshot_path",
        "img_path",
        "image_name",
        "img_name",
        "screenshot_name",
        "img_filename",
        "file_name",
        "image_file",
        "screenshot_file",
    ),
    "action": (
        "action",
        "actions",
        "operation",
        "operations",
        "gt_action",
        "gt_actions",
        "choices",
        "candidates",
        "candidate_actions",
        "action_list",
        "multi_choice",
        "action_type",
        "ground_truth",
        "label",
        "tool_call",
    ),
    "type": ("action", "action_type", "type", "operation", "op", "name"),
    "arguments": ("arguments", "params", "parameters", "param", "args", "action_params", "action_param"),
    "boxes": (
        "bbox",
        "boxes",
        "bboxes",
        "box",
        "candidate_boxes",
        "candidate_bbox",
        "candidate_bboxes",
        "bounding_box",
        "bounding_boxes",
        "gt_bbox",
        "rect",
        "bounds",
    ),
    "point": ("coordinate", "point", "position", "coordinates", "click_point", "touch_point", "coord"),
    "start": ("start", "start_point", "start_coordinate", "from", "coordinate", "coordinate1", "point"),
    "end": ("end", "end_point", "end_coordinate", "to", "coordinate2", "point2"),
    "direction": ("direction", "swipe_direction", "scroll_direction"),
    "text": ("text", "input_text", "value", "content", "typed_text", "input"),
    "app": ("app", "app_name", "application", "app_cn", "package"),
    "button": ("button", "system_button", "key", "key_name", "text", "value"),
    "seconds": ("time", "seconds", "duration"),
    "status": ("status", "goal_status", "result"),
    "summary": ("summary", "semantic_context", "context"),
    "thought": ("thought", "think", "thoughts", "reasoning", "rationale"),
    "low": ("step_instruction", "low_level_instruction", "sub_instruction", "sub_task", "subtask", "step_description"),
    "language": ("lang", "language"),
    "size": ("image_size", "img_size", "screen_size", "resolution", "size"),
    "width": ("width", "image_width", "img_width", "screen_width", "w"),
    "height": ("height", "image_height", "img_height", "screen_height", "h"),
}
"""What is looked for, and the names under which it may stand, the likeliest first. Case, spaces, hyphens and
underscores do not count."""

VERBS: dict[str, tuple[ActionType, str]] = {
    **dict.fromkeys(("click", "tap", "touch", "点击"), ("click", "")),
    **dict.fromkeys(("longpress", "longclick", "longtouch", "长按"), ("long_press", "")),
    **dict.fromkeys(("doubleclick", "doubletap", "双击"), ("double_click", "")),
    **dict.fromkeys(("swipe", "scroll", "slide", "drag", "滑动"), ("swipe", "")),
    **dict.fromkeys(("type", "input", "inputtext", "typetext", "text", "输入"), ("type", "")),
    **dict.fromkeys(("systembutton", "key", "button", "press", "keyevent", "presskey"), ("press", "")),
    **dict.fromkeys(("back", "pressback", "navigateback", "返回"), ("press", "back")),
    **dict.fromkeys(("home", "presshome", "navigatehome"), ("press", "home")),
    **dict.fromkeys(("enter", "pressenter"), ("press", "enter")),
    **dict.fromkeys(("menu", "pressmenu"), ("press", "menu")),
    **dict.fromkeys(("open", "openapp", "launch", "launchapp", "打开"), ("open_app", "")),
    **dict.fromkeys(("wait", "sleep", "等待"), ("wait", "")),
    **dict.fromkeys(
        ("terminate", "stop", "finish", "finished", "complete", "completed", "done", "taskcomplete", "完成", "结束"),
        ("terminate", "success"),
    ),
    **dict.fromkeys(("impossible", "fail", "failed", "taskimpossible", "infeasible"), ("terminate", "failure")),
    **dict.fromkeys(("answer", "回答"), ("answer", "")),
}
SUCCESS = frozenset(("success", "successful", "succeeded", "complete", "completed", "finish", "finished", "done"))
FAILURE = frozenset(("failure", "fail", "failed", "impossible", "infeasible"))
_POINTED = ("click", "long_press", "double_click")
_CHINESE: dict[str, Direction] = {"上": "up", "下": "down", "左": "left", "右": "right"}


# -- looking up -------------------------------------------------------------------------------------------------------


def fold(name: Any) -> str:
    return _fold(str(name)[:64])


@lru_cache(maxsize=4096)
def _fold(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


_FOLDED = {what: tuple(fold(name) for name in names) for what, names in SPELLINGS.items()}


def get(value: Mapping[str, Any], what: str) -> Any:
    """The field under its likeliest spelling; None if there is none, or if it is null."""
    present = {fold(key): item for key, item in value.items()}
    return next((present[name] for name in _FOLDED[what] if present.get(name) is not None), None)


def need(value: Mapping[str, Any], what: str) -> Any:
    found = get(value, what)
    if found is None:
        names = SPELLINGS[what]
        has = ", ".join(str(key)[:30] for key in list(value)[:12]) or "nothing"
        raise ValueError(f"{names[0]}: missing; the record has {has} (looked for {', '.join(names)})")
    return found


def text_of(value: Any, what: str) -> str:
    """The value as text: empty for null, lists of lines joined."""
    if value is None:
        return ""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "\n".join(value)
    if isinstance(value, str):
        return value
    raise ValueError(f"{what}: expected text, found {type(value).__name__}")


def number(value: Any, what: str) -> Number:
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,9}(\.\d{1,9})?", value.strip()):
        value = float(value)
    if type(value) not in (int, float) or not math.isfinite(value) or abs(value) > 1e9:
        raise ValueError(f"{what}: {str(value)[:40]!r} is not a number")
    return value  # type: ignore[no-any-return]


# -- places -----------------------------------------------------------------------------------------------------------


def frame_of(value: Any, coordinates: str) -> Frame:
    """How these numbers are meant: shares of the screen if all are within 0 and 1, else pixels, unless told."""
    if coordinates != "auto":
        return Frame.parse(coordinates)
    return guessed_frame(list(_numbers(value)))


def _numbers(value: Any) -> Iterator[Number]:
    if isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _numbers(item)
    elif type(value) in (int, float):
        yield value


def point_in(value: Any, size: Size, frame: Frame, what: str) -> Point:
    if isinstance(value, Mapping):
        value = [value.get("x"), value.get("y")]
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"{what}: expected [x, y], found {str(value)[:60]!r}")
    x, y = (number(item, what) for item in value)
    return frame.decode(Point(x, y), size)


def box_list(value: Any, size: Size, frame: Frame) -> list[Box]:
    """One box or several: [x0, y0, x1, y1], two corners, or an object with named sides."""
    if isinstance(value, Mapping):
        return [_box(value, size, frame)]
    if not isinstance(value, list) or not value:
        raise ValueError(f"bbox: expected four numbers or a list of boxes, found {str(value)[:60]!r}")
    corners = len(value) == 2 and all(isinstance(item, list) and len(item) == 2 for item in value)
    if corners or not isinstance(value[0], Mapping | list):
        return [_box(value, size, frame)]
    return [_box(item, size, frame) for item in value]


def _box(value: Any, size: Size, frame: Frame) -> Box:
    if isinstance(value, Mapping):
        value = _sides(value)
    if isinstance(value, list) and len(value) == 2 and all(isinstance(item, list) for item in value):
        value = [*value[0], *value[1]]
    if not isinstance(value, list) or len(value) != 4:
        raise ValueError(f"bbox: expected four numbers, found {str(value)[:60]!r}")
    x0, y0, x1, y1 = (number(item, "bbox") for item in value)
    if x1 < x0 or y1 < y0:
        raise ValueError(f"bbox: {value} ends before it begins: expected [x0, y0, x1, y1]")
    start, end = frame.decode(Point(x0, y0), size), frame.decode(Point(x1, y1), size)
    return Box(*start, *end)


def _sides(value: Mapping[str, Any]) -> list[Any]:
    names = {fold(key): item for key, item in value.items()}
    for four in (
        ("x0", "y0", "x1", "y1"),
        ("x1", "y1", "x2", "y2"),
        ("left", "top", "right", "bottom"),
        ("xmin", "ymin", "xmax", "ymax"),
    ):
        if all(name in names for name in four):
            return [names[name] for name in four]
    if all(name in names for name in ("x", "y", "width", "height")):
        x, y, width, height = (number(names[name], "bbox") for name in ("x", "y", "width", "height"))
        return [x, y, x + width, y + height]
    raise ValueError(f"bbox: expected sides by name, found {', '.join(list(value)[:8]) or 'nothing'}")


# -- actions ----------------------------------------------------------------------------------------------------------


def right_actions(step: Mapping[str, Any], size: Size, coordinates: str) -> list[Action]:
    """Every action that is right at a step. Raises `ValueError` that names the field."""
    found = _parsed(need(step, "action"))
    listed = found if isinstance(found, list) else [found]
    right: list[Action] = []
    for at, one in enumerate(listed):
        what = f"action[{at}]" if isinstance(found, list) else "action"
        try:
            right += _actions(_call(one), step if len(listed) == 1 else {}, size, coordinates)
        except ValueError as error:
            raise ValueError(f"{what}.{error}") from None
    if not right:
        raise ValueError("action: the list is empty")
    return list(dict.fromkeys(right))


def _parsed(value: Any) -> Any:
    """A value that may be JSON in a string."""
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        value, error = decoded(value)
        if error:
            raise ValueError(f"action: {error}")
    return value


def _call(one: Any) -> Mapping[str, Any]:
    """An action by its name alone, with its arguments beside the name, or with them apart (`mobile_use`)."""
    if isinstance(one, str):
        return {"action": one}
    if not isinstance(one, Mapping):
        raise ValueError(f"type: expected a name or an object, found {type(one).__name__}")
    inner = _parsed(get(one, "arguments"))
    if not isinstance(inner, dict):
        return one
    return inner if get(inner, "type") is not None else {**one, **inner}


def _actions(call: Mapping[str, Any], step: Mapping[str, Any], size: Size, coordinates: str) -> Iterator[Action]:
    """A click in each of its boxes; of anything else just one."""

    def look(what: str) -> Any:
        found = get(call, what)
        return get(step, what) if found is None else found

    verb = VERBS.get(fold(need(call, "type")))
    if verb is None:
        raise ValueError(f"type: {str(get(call, 'type'))[:40]!r} is not an action that is known here")
    type, fixed = verb
    if type in _POINTED:
        boxes, point = look("boxes"), look("point")
        yield from _clicks(type, boxes or None, point, size, coordinates)
    elif type == "swipe":
        yield _swipe(look("start"), look("end"), look("direction"), size, coordinates)
    elif type in ("type", "answer"):
        yield Action(type, text=text_of(need({**step, **call}, "text"), "text"))
    elif type == "open_app":
        yield Action(type, text=text_of(look("text") or need({**step, **call}, "app"), "text"))
    elif type == "press":
        yield Action(type, key=fixed or text_of(need({**step, **call}, "button"), "button").strip().lower())
    elif type == "wait":
        seconds = look("seconds")
        yield Action(type, seconds=None if seconds is None else number(seconds, "time"))
    else:
        yield _last_word(fixed, look("status"), look("text"))


def _clicks(type: ActionType, boxes: Any, point: Any, size: Size, coordinates: str) -> Iterator[Action]:
    place = None
    if point is not None:
        place = point_in(point, size, frame_of(point, coordinates), "coordinate")
    if boxes is None:
        if place is None:
            raise ValueError("bbox: missing, and there is no coordinate either")
        yield Action(type, point=place)
        return
    for box in box_list(boxes, size, frame_of(boxes, coordinates)):
        yield Action(type, point=place if place and box.contains(place) else box.center, box=box)


def _swipe(start: Any, end: Any, direction: Any, size: Size, coordinates: str) -> Action:
    points = None
    if end is not None and start is not None:
        frame = frame_of([start, end], coordinates)
        points = point_in(start, size, frame, "coordinate"), point_in(end, size, frame, "coordinate2")
    if points is not None and points[0] != points[1]:
        return Action("swipe", start=points[0], end=points[1], direction=direction_between(*points))
    word = str(direction or "").strip().lower()
    word = next((english for chinese, english in _CHINESE.items() if chinese in word), word)
    if word not in DIRECTIONS:
        raise ValueError(f"direction: expected {', '.join(DIRECTIONS)} or two points, found {str(direction)[:40]!r}")
    return Action("swipe", direction=word)


def _last_word(fixed: str, status: Any, text: Any) -> Action:
    word = fold(status) if isinstance(status, str) and status else fixed
    if word not in SUCCESS | FAILURE:
        raise ValueError(f"status: {str(status)[:40]!r} is neither success nor failure")
    said = text if isinstance(text, str) and text else None
    return Action("terminate", status="success" if word in SUCCESS else "failure", text=said)
