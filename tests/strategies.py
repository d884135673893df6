"""Hypothesis strategies for what the ground floor holds. Everything drawn here is valid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from saccade.actions import Action, ActionType, Direction, Status
from saccade.geometry import Box, Number, Point, Size
from saccade.types import Element, Step

NASTY = (
    "<think>",
    "</think>",
    "<link>",
    "</link>",
    "</blink>",
    "</ui>",
    "</answer>",
    "<answer>",
    "<summary>",
    "</tool_call>",
    "<element>",
    "</bbox>",
    "&lt;think>",
    "&amp;lt;think>",
    "&amp;amp;lt;/link>",
    "＜think＞",
    "＜/link＞",
    "＜／answer＞",
    "&LT;think>",
    "<",
    "＜",
    "＞",
    "&",
    '"',
    "'",
    "“",
    "”",
    "\\",
    '\\"',
    "\\n",
    "\\u003c",
    "\n",
    "\r\n",
    "\t",
    "\x00",
    "\u2028",
    "\u3000",
    "中文，文本：“你好”",
    "，",
    "😀",
    "👩‍👩‍👧",
    "```",
    "```json\n",
    "answer(",
    ")",
    "{",
    "}",
    "[1, 2]",
    "None",
    "null",
    "no input text",
    "So the next one action is:",
    "So the next one action is:{}",
    "\nG2: ",
    "\nG1:: ",
    "\n(P1： ",
    "P1: 0.5",
    "\\G1: ",
    "Located at [1, 2], ",
)
"""Pieces of text that some format gives a meaning to, or that break careless quoting."""

texts = st.lists(st.sampled_from(NASTY) | st.text(max_size=6), max_size=6).map("".join)
"""Any text without lone surrogates (those have no JSON), rich in what parsers trip over."""

trimmed = texts.map(str.strip)
"""Text of a tagged section: the white space around it is not part of it."""

coordinates: st.SearchStrategy[Number] = st.integers(-50, 5000) | st.floats(
    -50, 5000, allow_nan=False, allow_infinity=False
)
sizes = st.builds(Size, st.integers(1, 4000), st.integers(1, 4000))
screen_sizes = st.sampled_from(
    [Size(1080, 2400), Size(1920, 1080), Size(332, 214), Size(720, 1280), Size(2560, 1440), Size(1079, 2399)]
)
points = st.builds(Point, coordinates, coordinates)
directions: st.SearchStrategy[Direction] = st.sampled_from(["up", "down", "left", "right"])
statuses: st.SearchStrategy[Status] = st.sampled_from(["success", "failure"])
keys = st.sampled_from(["back", "home", "enter", "menu", "recent", "ctrl+a", "F5", "volume_up", "tab"])
seconds: st.SearchStrategy[Number] = st.integers(0, 60) | st.floats(0, 60)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    """Corners in order; an empty box is a point."""
    (x0, x1), (y0, y1) = (sorted([draw(coordinates), draw(coordinates)]) for _ in range(2))
    return Box(x0, y0, x1, y1)


polygons = st.lists(points, min_size=3, max_size=6).map(tuple)
_POINTED = ({"point": points}, {"box": boxes(), "polygon": polygons})
SHAPES: dict[ActionType, tuple[Mapping[str, st.SearchStrategy[Any]], Mapping[str, st.SearchStrategy[Any]]]] = {
    "click": _POINTED,
    "long_press": _POINTED,
    "double_click": _POINTED,
    "right_click": _POINTED,
    "hover": _POINTED,
    "swipe": ({"direction": directions}, {"start": points, "end": points}),
    "drag": ({"start": points, "end": points}, {}),
    "type": ({"text": texts}, {"point": points, "box": boxes(), "submit": st.booleans()}),
    "press": ({"key": keys}, {}),
    "select": ({"point": points, "text": texts}, {"box": boxes()}),
    "open_app": ({"text": texts}, {"box": boxes()}),
    "open_url": ({"text": texts}, {}),
    "wait": ({}, {"seconds": seconds}),
    "answer": ({"text": texts}, {}),
    "terminate": ({"status": statuses}, {"text": texts}),
}
"""The fields each type of action must have, and those it may have."""


@st.composite
def actions(draw: st.DrawFn, types: tuple[ActionType, ...] = tuple(SHAPES)) -> Action:
    """Any valid action of one of `types`."""
    type = draw(st.sampled_from(types))
    required, optional = SHAPES[type]
    return Action(type=type, **draw(st.fixed_dictionaries(dict(required), optional=dict(optional))))


elements = st.builds(
    Element,
    id=st.integers(0, 10_000),
    box=boxes(),
    type=st.sampled_from(["", "button", "text", "icon"]),
    text=texts,
    caption=texts,
    interactive=st.booleans(),
    leaf=st.booleans(),
)

steps = st.builds(
    Step,
    id=texts,
    episode=texts,
    step=st.integers(0, 100),
    instruction=texts,
    step_instruction=texts,
    screen=sizes,
    image=texts,
    history=st.lists(texts, max_size=2),
    context=texts,
    elements=st.lists(elements, max_size=2),
    key_elements=st.lists(elements, max_size=2),
    truth=st.lists(actions(), max_size=2),
    prediction=st.none() | actions(),
    output=st.none() | texts,
    paradigm=st.sampled_from(["", "btl"]),
    thought=texts,
    tags=st.dictionaries(texts, texts, max_size=2),
)
