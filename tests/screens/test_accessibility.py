"""Elements from android_env's accessibility forests."""

from __future__ import annotations

import random

import pytest

from readers import field, forest, node, screen
from saccade.geometry import Box, Point, Size
from saccade.screens.accessibility import Forest


def test_trees_hide_passwords_and_what_is_not_visible() -> None:
    tree = forest(
        [
            node(0, (0, 0, 100, 100), children=[1, 2, 3, 4]),
            node(1, (0, 0, 50, 10), "enabled visible editable password", kind="android.widget.EditText", text="geheim"),
            node(2, (0, 10, 50, 20), "enabled clickable", kind="android.widget.Button", text="not visible"),
            node(3, (0, 30, 50, 40), "visible clickable", kind="android.widget.Button", tooltip="Send"),
            node(
                4, (200, 0, 300, 10), "enabled visible clickable", kind="android.widget.Button", text="off the screen"
            ),
        ],
        [node(0, (-10, 50, 120, 60), "enabled visible checkable checked focused", kind="android.widget.CheckBox")],
    )
    screen = Forest(tree, Size(100, 100))
    told = [(each.type, each.text, each.state, each.box) for each in screen.elements()]
    assert told == [
        ("password", "", "filled", Box(0, 0, 50, 10)),
        ("button", "Send", "disabled", Box(0, 30, 50, 40)),
        ("checkbox", "", "checked focused", Box(0, 50, 100, 60)),
    ]
    assert "geheim" not in repr(screen.elements())
    assert screen.target(Point(5, 5)) is None and screen.target(Point(5, 55)) == Box(0, 50, 100, 60)


def test_a_torn_tree_is_read_as_far_as_it_hangs_together() -> None:
    """Children that are not there, circles, nodes that nobody holds."""
    tree = forest(
        [
            node(0, (0, 0, 100, 100), children=[1, 9], kind="android.widget.FrameLayout"),
            node(1, (0, 0, 100, 10), children=[2], kind="android.widget.TextView", text="a"),
            node(2, (0, 10, 100, 20), children=[1], kind="android.widget.TextView", text="b"),
            node(5, (0, 20, 100, 30), children=[5], kind="android.widget.TextView", text="c"),
            node(6, (0, 30, 100, 40), kind="android.widget.EditText", text="Name", hint="Name"),
        ]
    )
    told = [(each.id, each.type, each.text, each.caption) for each in Forest(tree, Size(100, 100)).elements()]
    assert told == [(1, "text", "a", ""), (2, "text", "b", ""), (3, "input", "", "Name"), (4, "text", "c", "")]


def test_unpacked_children_count_too() -> None:
    outer = node(0, (0, 0, 9, 9), "enabled visible clickable") + field(25, 1)
    inner = node(1, (0, 0, 9, 5), kind="android.widget.TextView", text="Row")
    (element,) = Forest(forest([outer, inner]), Size(9, 9)).elements()
    assert element.text == "Row" and element.leaf


def test_broken_forests_are_told_or_read() -> None:
    whole, chance = screen(12), random.Random(4)
    wrong = 0
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 5)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            Forest(
                bytes(data[: chance.randrange(len(data)) if chance.random() < 0.3 else None]), Size(1080, 2400)
            ).elements()
        except ValueError as error:
            assert str(error)
            wrong += 1
    assert 0 < wrong < 300


def test_an_endless_forest_is_refused() -> None:
    with pytest.raises(ValueError, match="more than 20000 nodes"):
        Forest(forest([node(0, (0, 0, 9, 9))] * 20_001), Size(9, 9))
