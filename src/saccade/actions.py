"""The one action type that every paradigm, world, data set and scorer shares.

Coordinates are pixels of the screenshot. A swipe's direction is the finger's; who means the content's direction
converts with `opposite`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import hypot
from typing import Any, Literal, NamedTuple, get_args

import msgspec
from msgspec.structs import astuple, force_setattr

from saccade.errors import readable
from saccade.geometry import Box, Point, Size, bounding_box, finite, polygon_contains
from saccade.typed_values import to_type

ActionType = Literal[
    "click",
    "long_press",
    "double_click",
    "right_click",
    "hover",
    "swipe",
    "drag",
    "type",
    "press",
    "select",
    "open_app",
    "open_url",
    "wait",
    "answer",
    "terminate",
]
Direction = Literal["up", "down", "left", "right"]
Convention = Literal["finger", "content"]
"""Whose movement a swipe's direction names. AndroidControl writes the content's, GUI-Odyssey and AITZ the finger's."""
Status = Literal["success", "failure"]

ACTION_TYPES: tuple[ActionType, ...] = get_args(ActionType)
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)
STATUSES: tuple[Status, ...] = get_args(Status)


class Fields(NamedTuple):
    """Which fields an action type must and may have."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()


_POINTED = Fields(("point",), ("box", "polygon"))
FIELDS: dict[ActionType, Fields] = {
    "click": _POINTED,
    "long_press": _POINTED,
    "double_click": _POINTED,
    "right_click": _POINTED,
    "hover": _POINTED,
    "swipe": Fields(("direction",), ("start", "end")),
    "drag": Fields(("start", "end")),
    "type": Fields(("text",), ("point", "box", "submit")),
    "press": Fields(("key",)),
    "select": Fields(("point", "text"), ("box",)),
    "open_app": Fields(("text",), ("box",)),
    "open_url": Fields(("text",)),
    "wait": Fields((), ("seconds",)),
    "answer": Fields(("text",)),
    "terminate": Fields(("status",), ("text",)),
}


PLACES: dict[int, type[Point] | type[Box]] = {1: Point, 2: Box, 3: Point, 4: Point}
"""The fields of `Action` by position that are places: point, box, start, end."""


class Action(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """One thing an agent does. A *truth* may also say in which `box` the point may lie (for `open_app`: the icon's), or
    in which `polygon`, whose bounding box is then its `box` unless another is given. That nothing on the screen is
    meant (a grounding sample to be refused) is the truth `terminate` with status `failure`.
    """

    type: ActionType
    point: Point | None = None
    box: Box | None = None
    start: Point | None = None
    end: Point | None = None
    direction: Direction | None = None
    text: str | None = None
    key: str | None = None
    submit: bool | None = None
    seconds: int | float | None = None
    status: Status | None = None
    polygon: tuple[Point, ...] | None = None

    def __post_init__(self) -> None:
        if self.polygon is not None:
            self._check_polygon(self.polygon)
        values = astuple(self)
        _check_shape(self.type, tuple([value is not None for value in values]))
        for at, place in enumerate(values[1:5], 1):
            if place is not None and type(place) is not PLACES[at]:
                place = _set_place(self, self.__struct_fields__[at], place, PLACES[at])  # noqa: PLW2901
            if place is not None and not finite(place):
                name = self.__struct_fields__[values.index(place)]
                raise ValueError(f"`{name}` of {self.type} is not a finite number")
        if self.direction is not None and self.direction not in DIRECTIONS:
            raise ValueError(f"`direction` is {self.direction!r}: use one of {', '.join(DIRECTIONS)}")
        if self.status is not None and self.status not in STATUSES:
            raise ValueError(f"`status` is {self.status!r}: use one of {', '.join(STATUSES)}")
        if self.seconds is not None and not (finite((self.seconds,)) and self.seconds >= 0):
            raise ValueError("`seconds` must be a finite number of at least 0")

    def _check_polygon(self, corners: tuple[Point, ...]) -> None:
        if len(corners) < 3 or not all(len(corner) == 2 and finite(corner) for corner in corners):
            raise ValueError("`polygon` needs at least three corners, each of two finite numbers")
        force_setattr(self, "polygon", tuple(Point(*corner) for corner in corners))
        if self.box is None:
            force_setattr(self, "box", bounding_box(corners))

    def holds(self, point: Point) -> bool | None:
        """Is this point inside the truth's polygon or box, edges included? None if it has neither."""
        if self.polygon is not None:
            return polygon_contains(self.polygon, point)
        return self.box.contains(point) if self.box is not None else None

    @property
    def refuses(self) -> bool:
        """Is it a refusal: the task cannot be done, or the element is not on the screen?"""
        return self.type == "terminate" and self.status == "failure"

    @property
    def name(self) -> str:
        """The type as most data sets name it, where each button and each final status is a type of its own
        (PRESS_BACK, PRESS_HOME, COMPLETE, IMPOSSIBLE).
        """
        if self.type == "press":
            return f"press:{str(self.key).lower()}"
        if self.type == "terminate":
            return f"terminate:{self.status}"
        return self.type


def _set_place(action: Action, name: str, place: object, kind: type[Point] | type[Box]) -> Point | Box:
    """A plain tuple or list of numbers, as code may give it, becomes a `Point` or a `Box`."""
    numbers = list(place) if isinstance(place, tuple | list) else []
    if len(numbers) != len(kind._fields) or not all(isinstance(n, int | float) and n is not True for n in numbers):
        raise ValueError(
            f"`{name}` of {action.type} is {place!r}: use {kind.__name__}({', '.join(kind._fields)}) with numbers"
        )
    made: Point | Box = kind(*numbers)
    force_setattr(action, name, made)
    return made


@cache
def _check_shape(type: ActionType, given: tuple[bool, ...]) -> None:
    """Has an action of this type just these fields? There are few shapes, and each is looked at once."""
    if type not in FIELDS:
        raise ValueError(f"`type` is {type!r}: use one of {', '.join(ACTION_TYPES)}")
    fields = FIELDS[type]
    present = {name for name, there in zip(Action.__struct_fields__, given, strict=True) if there} - {"type"}
    for name in fields.required:
        if name not in present:
            raise ValueError(f"`{name}` is missing: {type} needs it")
    for name in sorted(present - {*fields.required, *fields.optional}):
        raise ValueError(f"`{name}` does not belong to {type}")


def read_action(value: Any) -> Action:
    """An action from parsed JSON. Fields that are null count as absent: tables (Arrow, pandas) fill them in.

    Raises `ValueError` with the name of the field that is wrong.
    """
    if isinstance(value, Action):
        return value
    if not isinstance(value, dict):
        raise ValueError(f"an action is an object with a `type`, got {type(value).__name__}")
    try:
        return to_type(value, Action)
    except msgspec.ValidationError:
        present = {key: item for key, item in value.items() if item is not None}
    try:
        return to_type(present, Action)
    except msgspec.ValidationError as error:
        raise ValueError(readable(error)) from None


_OPPOSITE: dict[Direction, Direction] = {"up": "down", "down": "up", "left": "right", "right": "left"}


def opposite(direction: Direction) -> Direction:
    """The finger goes up, the content goes down."""
    return _OPPOSITE[direction]


def to_finger(direction: Direction, convention: Convention) -> Direction:
    """A direction written under `convention`, as the finger's. It is its own inverse."""
    return direction if convention == "finger" else opposite(direction)


def direction_between(start: Point, end: Point) -> Direction:
    """Where a finger went: along the larger axis; ties count as vertical."""
    dx, dy = end.x - start.x, end.y - start.y
    if abs(dx) > abs(dy):
        return "right" if dx > 0 else "left"
    return "down" if dy > 0 else "up"


def swipe_direction(action: Action) -> Direction | None:
    """The finger's direction of a swipe or drag; None for other actions. Points, where given, outrank the word."""
    if action.start is not None and action.end is not None and action.start != action.end:
        return direction_between(action.start, action.end)
    return action.direction


SWIPE_SLOP, DRAG_SLOP = 0.05, 0.01
"""Shorter swipes and drags are clicks; as shares of the shorter side of the screen. A drag may be short on purpose, as
that of a slider is; a swipe never is.
"""


def swipe_path(action: Action, size: Size) -> tuple[Point, Point]:
    """Where a swipe begins and ends on a screen of this size: worlds give one without points a place and a length."""
    if action.start is not None and action.end is not None:
        return action.start, action.end
    width, height = size
    dx = {"left": -0.3, "right": 0.3}.get(str(action.direction), 0.0) * width
    dy = {"up": -0.25, "down": 0.25}.get(str(action.direction), 0.0) * height
    if action.start is None:
        return Point(width / 2 - dx, height / 2 - dy), Point(width / 2 + dx, height / 2 + dy)
    x, y = action.start.x + dx, action.start.y + dy
    return action.start, Point(min(max(x, 1), width - 2), min(max(y, 1), height - 2))


def as_performed(action: Action, size: Size) -> Action:
    """The action as a screen takes it: a finger that hardly moves before it lifts has clicked. Worlds perform this
    action, and approval is asked for this one.
    """
    if action.type not in ("swipe", "drag"):
        return action
    start, end = swipe_path(action, size)
    slop = (SWIPE_SLOP if action.type == "swipe" else DRAG_SLOP) * min(size)
    return action if hypot(end.x - start.x, end.y - start.y) > slop else Action("click", start)


def plainest(truth: Sequence[Action]) -> Action:
    """Of several right actions, the one to teach: a touch rather than a shortcut, so that like screens teach alike."""
    return next((action for action in truth if action.box is not None), truth[0])
