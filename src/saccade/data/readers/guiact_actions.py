"""GUIAct's actions: places in tags (`<box>0.1, 0.2, 0.3, 0.4</box>`), absolute or as shares of the image."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from saccade.actions import Action, Direction, direction_between
from saccade.data.readers.base import guessed_frame
from saccade.data.readers.tables import decoded
from saccade.geometry import PIXEL, UNIT, Box, Frame, Number, Point, Size
from saccade.screens.widgets import squeeze
from saccade.types import Element

_NUMBER = r"\s*-?\d{1,9}(?:\.\d{1,17})?\s*"
_PLACE = re.compile(rf"\s*(?:<(?:box|point)>)?({_NUMBER}(?:[, ]{_NUMBER})*)(?:</(?:box|point)>)?\s*")
_PLAIN = {
    "enter": Action("press", key="enter"),
    "copy": Action("press", key="ctrl+c"),
    "copy_text": Action("press", key="ctrl+c"),
    "go_back": Action("press", key="back"),
    "go_home": Action("press", key="home"),
    "task_complete": Action("terminate", status="success"),
    "task_impossible": Action("terminate", status="failure"),
}


def actions_of(label: Any, size: Size) -> list[Action]:
    """The actions of `actions_label`, one or a list, in their order. Raises `ValueError` that names the field."""
    listed = label if isinstance(label, list) else [label]
    actions = []
    for at, one in enumerate(listed):
        what = f"actions_label[{at}]" if isinstance(label, list) else "actions_label"
        if not isinstance(one, Mapping):
            raise ValueError(f"{what}: expected an object, found {type(one).__name__}")
        try:
            actions.append(_action({key: value for key, value in one.items() if value is not None}, size))
        except ValueError as error:
            raise ValueError(f"{what}.{error}") from None
    if not actions:
        raise ValueError("actions_label: there is no action")
    return actions


def _action(call: dict[str, Any], size: Size) -> Action:
    name = str(call.get("name", "")).lower()
    if name in _PLAIN:
        return _PLAIN[name]
    match name:
        case "click" | "hover":
            box = _box(call, size)
            return Action("click" if name == "click" else "hover", point=box.center, box=box)
        case "select":
            box = _box(call, size)
            return Action("select", point=box.center, box=box, text=_text(call))
        case "tap":
            return Action("click", point=Point(*_place(call, "point", size, 2)))
        case "input" if call.get("element"):
            box = _box(call, size)
            return Action("type", text=_text(call), point=box.center, box=box)
        case "input":
            return Action("type", text=_text(call))
        case "answer":
            return Action("answer", text=_text(call))
        case "scroll":
            return Action("swipe", direction=_scroll(call.get("scroll")))
        case "swipe" | "select_text":
            start, end = _pair(call, size)
            if name == "select_text":
                return Action("drag", start=start, end=end)
            return Action("swipe", start=start, end=end, direction=direction_between(start, end))
    raise ValueError(f"name: {str(call.get('name'))[:40]!r} is not one of GUIAct's actions")


def _text(call: Mapping[str, Any]) -> str:
    text = call.get("text", call.get("value"))
    if isinstance(text, int | float) and not isinstance(text, bool):
        text = str(text)
    if not isinstance(text, str):
        raise ValueError(f"text: expected text, found {type(text).__name__}")
    return text


def _box(call: Mapping[str, Any], size: Size) -> Box:
    box = Box(*_place(call, "element", size, 4))
    if box.width < 0 or box.height < 0:
        raise ValueError(f"element: {str(call['element'])[:80]!r} ends before it begins")
    return box


def _place(call: Mapping[str, Any], name: str, size: Size, count: int) -> list[Number]:
    """The numbers of a box or point, in pixels."""
    if name not in call:
        raise ValueError(f"{name}: missing")
    value, frame = _framed(call[name], name)
    return _pixels(value, frame, name, size, count)


def _framed(value: Any, name: str) -> tuple[Any, Frame | None]:
    """What stands under `absolute` or `related`; a bare value has no frame, and its numbers tell."""
    if not isinstance(value, Mapping):
        return value, None
    for key, frame in (("absolute", PIXEL), ("related", UNIT)):
        if value.get(key) is not None:
            return value[key], frame
    raise ValueError(f"{name}: expected `absolute` or `related`, found {', '.join(map(str, value)) or 'nothing'}")


def _pixels(value: Any, frame: Frame | None, name: str, size: Size, count: int) -> list[Number]:
    numbers = _numbers(value, name)
    if len(numbers) != count:
        raise ValueError(f"{name}: expected {count} numbers, found {str(value)[:60]!r}")
    frame = frame or guessed_frame(numbers)
    points = [frame.decode(Point(*numbers[at : at + 2]), size) for at in range(0, count, 2)]
    return [side for point in points for side in point]


def _numbers(value: Any, name: str) -> list[Number]:
    if isinstance(value, str) and (found := _PLACE.fullmatch(value)):
        words = re.split(r"[,\s]+", found[1].strip())
        return [float(word) if "." in word else int(word) for word in words]
    if isinstance(value, list) and all(type(n) in (int, float) and abs(n) < 1e9 for n in value):
        return value
    raise ValueError(f"{name}: expected a place such as <box>1, 2, 3, 4</box>, found {str(value)[:60]!r}")


def _pair(call: Mapping[str, Any], size: Size) -> tuple[Point, Point]:
    value, frame = _framed(call.get("dual_point"), "dual_point")
    if not isinstance(value, Mapping) or "from" not in value or "to" not in value:
        raise ValueError(f"dual_point: expected `from` and `to`, found {str(value)[:60]!r}")
    start, end = (Point(*_pixels(value[key], frame, f"dual_point.{key}", size, 2)) for key in ("from", "to"))
    return start, end


def _scroll(value: Any) -> Direction:
    """Where the finger goes when the page goes `down` and `right` so far; ties are vertical."""
    value, _ = _framed(value, "scroll")
    if not isinstance(value, Mapping):
        raise ValueError(f"scroll: expected `down` and `right`, found {str(value)[:60]!r}")
    down, right = (_distance(value.get(key, 0), f"scroll.{key}") for key in ("down", "right"))
    if abs(right) > abs(down):
        return "left" if right > 0 else "right"
    return "up" if down > 0 else "down"


def _distance(value: Any, name: str) -> float:
    try:
        distance = float(value) if isinstance(value, str | int | float) else float("nan")
    except (ValueError, OverflowError):
        distance = float("nan")
    if not abs(distance) < 1e9:
        raise ValueError(f"{name}: {str(value)[:40]!r} is not a number")
    return distance


def elements_of(value: Any) -> list[Element]:
    """The column `elements`: web pages give `rect` and `uid`, phones `position`, `id`, `text` and `ui_type`."""
    if isinstance(value, str):
        value, error = decoded(value)
        if error:
            raise ValueError(f"elements: {error}")
    if value is None:
        return []
    if not isinstance(value, Sequence):
        raise ValueError(f"elements: expected a list, found {type(value).__name__}")
    return [_element(at, one) for at, one in enumerate(value)]


def _element(at: int, one: Any) -> Element:
    what = f"elements[{at}]"
    if not isinstance(one, Mapping):
        raise ValueError(f"{what}: expected an object, found {type(one).__name__}")
    place = one.get("rect") or one.get("position")
    if not isinstance(place, Mapping):
        raise ValueError(f"{what}.rect: missing, and so is position")
    names = ("left", "top", "right", "bottom") if "right" in place else ("x", "y", "width", "height")
    a, b, c, d = (_distance(place.get(name), f"{what}.{name}") for name in names)
    box = Box(a, b, c, d) if "right" in place else Box.from_xywh(a, b, c, d)
    return Element(at + 1, box, squeeze(str(one.get("ui_type") or "")).lower(), squeeze(str(one.get("text") or "")))
