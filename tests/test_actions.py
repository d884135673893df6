"""The canonical action and the records that carry it."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given

from saccade.actions import (
    ACTION_TYPES,
    DIRECTIONS,
    Action,
    ActionType,
    Direction,
    as_performed,
    direction_between,
    opposite,
    read_action,
    swipe_direction,
    swipe_path,
    to_finger,
)
from saccade.geometry import Box, Point, Size
from saccade.types import Element, Episode, Screen, Step, episodes
from strategies import SHAPES, actions, elements, steps

MINIMAL: dict[str, dict[str, Any]] = {
    "click": {"point": [1, 2]},
    "long_press": {"point": [1, 2]},
    "double_click": {"point": [1, 2]},
    "right_click": {"point": [1, 2]},
    "hover": {"point": [1, 2]},
    "swipe": {"direction": "up"},
    "drag": {"start": [1, 2], "end": [3, 4]},
    "type": {"text": "a"},
    "press": {"key": "back"},
    "select": {"point": [1, 2], "text": "option"},
    "open_app": {"text": "Maps"},
    "open_url": {"text": "http://example.org"},
    "wait": {},
    "answer": {"text": "42"},
    "terminate": {"status": "success"},
}
"""Every type of action with nothing but what it requires."""
OPTIONAL: dict[str, dict[str, Any]] = {
    "click": {"box": [0, 0, 9, 9]},
    "swipe": {"start": [1, 2], "end": [1, 9]},
    "type": {"point": [1, 2], "submit": True},
    "wait": {"seconds": 1.5},
    "terminate": {"text": "because"},
}
ARGUMENTS: dict[str, Any] = {
    "point": [1, 2],
    "box": [0, 0, 9, 9],
    "start": [1, 2],
    "end": [3, 4],
    "direction": "up",
    "text": "a",
    "key": "back",
    "submit": True,
    "seconds": 1,
    "status": "success",
}
WRONG: dict[str, list[Any]] = {
    "point": [[1], [1, 2, 3], "1,2", [True, 1], [None, 1], {"x": 1, "y": 2}, ["1", "2"], 5],
    "start": [[1], "1,2"],
    "end": [[1, 2, 3]],
    "box": [[1, 2, 3], [1, 2, 3, 4, 5], "1,2,3,4"],
    "direction": ["Up", "sideways", "", 1],
    "text": [5, True, ["a"], {}],
    "key": [5, ["back"]],
    "submit": ["yes", 1],
    "seconds": ["1", True, -1, math.nan, math.inf],
    "status": ["done", "Success", True],
}


def test_the_types_are_those_of_the_spec() -> None:
    assert set(ACTION_TYPES) == set(MINIMAL) == set(SHAPES)


@pytest.mark.parametrize("type", MINIMAL)
def test_minimal_action_is_valid_and_writes_back_what_it_read(type: str) -> None:
    record = {"type": type, **MINIMAL[type]}
    assert msgspec.json.decode(msgspec.json.encode(read_action(record))) == record


@pytest.mark.parametrize(("type", "field"), [(t, f) for t, fields in OPTIONAL.items() for f in fields])
def test_optional_field_is_kept(type: str, field: str) -> None:
    record = {"type": type, **MINIMAL[type], field: OPTIONAL[type][field]}
    assert msgspec.json.decode(msgspec.json.encode(read_action(record))) == record


@pytest.mark.parametrize(("type", "field"), [(t, f) for t, fields in MINIMAL.items() for f in fields])
@pytest.mark.parametrize("null", [False, True])
def test_missing_field_is_named(type: str, field: str, null: bool) -> None:
    record = {"type": type, **MINIMAL[type]}
    if null:
        record[field] = None
    else:
        del record[field]
    with pytest.raises(ValueError, match=f"`{field}`"):
        read_action(record)


@pytest.mark.parametrize("type", MINIMAL)
def test_field_of_another_type_is_refused_by_name(type: ActionType) -> None:
    required, optional = SHAPES[type]
    for field in ARGUMENTS.keys() - required.keys() - optional.keys():
        with pytest.raises(ValueError, match=f"`{field}`"):
            read_action({"type": type, **MINIMAL[type], field: ARGUMENTS[field]})


@pytest.mark.parametrize("type", MINIMAL)
def test_unknown_field_is_named(type: str) -> None:
    with pytest.raises(ValueError, match="`colour`"):
        read_action({"type": type, **MINIMAL[type], "colour": "red"})


@pytest.mark.parametrize(("field", "value"), [(f, v) for f, values in WRONG.items() for v in values])
def test_value_of_the_wrong_type_is_refused_by_name(field: str, value: Any) -> None:
    type = next(t for t, (required, optional) in SHAPES.items() if field in required or field in optional)
    with pytest.raises(ValueError, match=field):
        read_action({"type": type, **MINIMAL[type], field: value})


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 10**400], ids=["nan", "inf", "-inf", "huge"])
@pytest.mark.parametrize(
    ("type", "field"), [("click", "point"), ("click", "box"), ("drag", "start"), ("drag", "end"), ("swipe", "end")]
)
def test_coordinates_are_finite(bad: float, type: str, field: str) -> None:
    values = [*ARGUMENTS[field][:-1], bad]
    with pytest.raises(ValueError, match=field):
        read_action({"type": type, **MINIMAL[type], field: values})
    with pytest.raises(ValueError, match=f"`{field}`"):
        msgspec.structs.replace(read_action({"type": type, **MINIMAL[type]}), **{field: tuple(values)})


@pytest.mark.parametrize("value", [None, [], "click", 5, {}, {"point": [1, 2]}, {"type": "tap"}, {"type": 5}, {1: 2}])
def test_what_is_no_action_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_action(value)


def test_unknown_type_is_named() -> None:
    with pytest.raises(ValueError, match="tap"):
        read_action({"type": "tap", "point": [1, 2]})


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "tap"},
        {"type": "click"},
        {"type": "click", "point": Point(math.nan, 1)},
        {"type": "click", "point": Point(1, 10**400)},
        {"type": "swipe", "direction": "north"},
        {"type": "terminate", "status": "done"},
        {"type": "wait", "seconds": -1},
        {"type": "wait", "text": "a"},
    ],
)
def test_an_action_built_in_code_is_checked_too(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"`"):
        Action(**fields)


def test_plain_tuples_become_places() -> None:
    action = Action("click", (10, 20), (0, 0, 30, 40))  # type: ignore[arg-type]
    assert type(action.point) is Point and type(action.box) is Box
    assert action == Action("click", Point(10, 20), Box(0, 0, 30, 40))
    assert Action("drag", start=[1, 2], end=[3, 4]).end == Point(3, 4)  # type: ignore[arg-type]


@pytest.mark.parametrize("point", ["10,20", (1,), (1, 2, 3), ("1", "2"), 5, (1, None), {"x": 1, "y": 2}])
def test_what_is_no_place_is_refused_by_name(point: Any) -> None:
    with pytest.raises(ValueError, match=r"`point` of click is .*: use Point\(x, y\)"):
        Action("click", point)


def test_null_fields_count_as_absent() -> None:
    row = dict.fromkeys(ARGUMENTS) | {"type": "click", "point": [1, 2]}
    assert read_action(row) == Action("click", Point(1, 2))


def test_an_action_is_itself() -> None:
    action = Action("wait")
    assert read_action(action) is action


@given(actions())
def test_action_survives_json(action: Action) -> None:
    data = msgspec.json.encode(action)
    assert msgspec.json.decode(data, type=Action) == action
    assert read_action(msgspec.json.decode(data)) == action


@given(elements)
def test_element_survives_json(element: Element) -> None:
    assert msgspec.json.decode(msgspec.json.encode(element), type=Element) == element


@given(steps)
def test_step_survives_json_on_one_line(step: Step) -> None:
    data = msgspec.json.encode(step)
    assert b"\n" not in data
    assert msgspec.json.decode(data, type=Step) == step


def test_spec_step_record_is_read() -> None:
    line = """{"id": "s1", "episode": "e1", "step": 0, "instruction": "…", "screen": [1080, 2400],
      "image": "relative/path.png", "history": ["…"],
      "elements": [{"id": 3, "box": [0, 1, 2, 3], "type": "button", "text": "…", "caption": "…", "interactive": true}],
      "key_elements": [{"id": 3, "box": [0, 1, 2, 3]}],
      "truth": [{"type": "click", "point": [1, 2], "box": [0, 1, 2, 3]}, {"type": "press", "key": "back"}],
      "prediction": null, "output": "raw completion", "paradigm": "btl",
      "tags": {"platform": "mobile", "kind": "icon"}}"""
    step = msgspec.json.decode(line, type=Step)
    assert step.screen == Size(1080, 2400)
    assert step.truth == [Action("click", Point(1, 2), Box(0, 1, 2, 3)), Action("press", key="back")]
    assert step.key_elements is not None
    assert step.key_elements[0].box == Box(0, 1, 2, 3)
    assert step.prediction is None


@pytest.mark.parametrize("field", ['"truth": [{"type": "click"}]', '"screen": [0, 5]', '"step": "a"'])
def test_wrong_step_is_refused(field: str) -> None:
    record = field if field.startswith('"screen"') else f'"screen": [10, 20], {field}'
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode("{" + record + "}", type=Step)


def test_element_box_is_finite() -> None:
    for bad in (math.inf, math.nan, 10**400):
        with pytest.raises(msgspec.ValidationError, match="box"):
            msgspec.convert({"id": 1, "box": [0, 0, bad, 1]}, Element)


# directions


@pytest.mark.parametrize(("direction", "other"), [("up", "down"), ("down", "up"), ("left", "right"), ("right", "left")])
def test_content_moves_against_the_finger(direction: Direction, other: Direction) -> None:
    assert opposite(direction) == other
    assert to_finger(direction, "finger") == direction
    assert to_finger(direction, "content") == other


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_conversion_is_its_own_inverse(direction: Direction) -> None:
    assert to_finger(to_finger(direction, "content"), "content") == direction


@pytest.mark.parametrize(
    ("end", "direction"),
    [
        ((5, 0), "right"),
        ((-5, 0), "left"),
        ((0, 5), "down"),
        ((0, -5), "up"),
        ((5, 4), "right"),
        ((4, 5), "down"),
        ((-5, -4), "left"),
        ((-4, -5), "up"),
        ((5, 5), "down"),
        ((-5, 5), "down"),
        ((5, -5), "up"),
        ((-5, -5), "up"),
    ],
)
def test_direction_is_the_larger_axis_and_ties_are_vertical(end: tuple[int, int], direction: Direction) -> None:
    assert direction_between(Point(0, 0), Point(*end)) == direction
    assert direction_between(Point(7, 9), Point(7 + end[0], 9 + end[1])) == direction


def test_swipe_direction() -> None:
    start, end = Point(5, 5), Point(5, 50)
    assert swipe_direction(Action("swipe", direction="left")) == "left"
    assert swipe_direction(Action("swipe", direction="left", start=start)) == "left"
    assert swipe_direction(Action("swipe", direction="left", start=start, end=start)) == "left"
    assert swipe_direction(Action("swipe", direction="left", start=start, end=end)) == "down"
    assert swipe_direction(Action("drag", start=start, end=end)) == "down"
    assert swipe_direction(Action("click", start)) is None


@pytest.mark.parametrize(
    ("action", "name"),
    [
        (Action("click", Point(1, 2)), "click"),
        (Action("press", key="Back"), "press:back"),
        (Action("terminate", status="failure"), "terminate:failure"),
    ],
)
def test_name(action: Action, name: str) -> None:
    assert action.name == name


# screens and episodes


def test_element_at_prefers_the_nearest_centre_then_the_smaller() -> None:
    outer, inner, far = Element(1, Box(0, 0, 100, 100)), Element(2, Box(40, 40, 60, 60)), Element(3, Box(0, 0, 52, 52))
    screen = Screen(Size(200, 200), elements=[outer, inner, far])
    assert screen.element_at(Point(50, 50)) == inner
    assert screen.element_at(Point(25, 25)) == far
    assert screen.element_at(Point(90, 10)) == outer
    assert screen.element_at(Point(150, 150)) is None
    assert screen.element(3) == far
    assert screen.element(9) is None


def test_episodes_group_in_order_of_appearance() -> None:
    size = Size(10, 10)
    lines = [
        Step(screen=size, episode="b", step=1),
        Step(screen=size, episode="a", step=0, instruction="go"),
        Step(screen=size),
        Step(screen=size, episode="b", step=0),
    ]
    found = episodes(lines)
    assert [(e.id, [s.step for s in e.steps]) for e in found] == [("b", [0, 1]), ("a", [0])]
    assert found[1] == Episode(id="a", instruction="go", steps=[lines[1]])


# -- what a screen makes of a swipe -----------------------------------------------------------------------------------

PHONE = Size(1080, 2400)
"""Its shorter side is 1080: swipes of up to 54 pixels and drags of up to 10.8 are clicks."""


@pytest.mark.parametrize(
    ("type", "end", "clicks"),
    [
        ("swipe", (500, 900), True),
        ("swipe", (500, 903), True),
        ("swipe", (500, 954), True),
        ("swipe", (532, 943), True),  # √(32² + 43²) = 53.6
        ("swipe", (500, 955), False),
        ("swipe", (540, 940), False),  # √(40² + 40²) = 56.6
        ("drag", (500, 900), True),
        ("drag", (500, 910), True),
        ("drag", (500, 911), False),
    ],
)
def test_a_finger_that_hardly_moves_clicks(type: ActionType, end: tuple[int, int], clicks: bool) -> None:
    more: dict[str, Any] = {"direction": "down"} if type == "swipe" else {}
    action = Action(type, start=Point(500, 900), end=Point(*end), **more)
    assert as_performed(action, PHONE) == (Action("click", Point(500, 900)) if clicks else action)


def test_a_swipe_at_the_edge_of_the_screen_has_no_way_to_go() -> None:
    """It would go up by a quarter of 2400, but ends at 1: 29 pixels from y 30, 69 from y 70."""
    edge, inside = (Action("swipe", direction="up", start=Point(500, y)) for y in (30, 70))
    assert swipe_path(edge, PHONE) == (Point(500, 30), Point(500, 1))
    assert as_performed(edge, PHONE) == Action("click", Point(500, 30))
    assert as_performed(inside, PHONE) == inside


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_other_actions_are_performed_as_they_are(direction: Direction) -> None:
    for action in (Action("swipe", direction=direction), Action("long_press", Point(1, 1)), Action("wait")):
        assert as_performed(action, PHONE) == action
