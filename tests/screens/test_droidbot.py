"""DroidBot states: real ones of an Android app, and the oddities that other recordings have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image

from saccade.geometry import Size
from saccade.screens.droidbot import droidbot_elements
from saccade.types import Element

SIZE = Size(1080, 2400)


def view(
    place: tuple[int, int, int, int], parent: int = 0, kind: str = "android.widget.TextView", **changes: Any
) -> dict[str, Any]:
    x0, y0, x1, y1 = place
    return {"bounds": [[x0, y0], [x1, y1]], "class": kind, "parent": parent, "visible": True, **changes}


def state(
    *views: dict[str, Any], root: tuple[int, int, int, int] = (0, 0, 1080, 2400), **fields: Any
) -> dict[str, Any]:
    holder = view(root, -1, kind="android.widget.FrameLayout")
    return {"views": [holder, *views], **fields}


def read(*views: dict[str, Any], size: Size = SIZE, **fields: Any) -> list[Element]:
    return droidbot_elements(state(*views, **fields), size)


def only(*views: dict[str, Any], **fields: Any) -> Element:
    (element,) = read(*views, **fields)
    return element


# -- the real ones ----------------------------------------------------------------------------------------------------


def real(folder: Path) -> list[tuple[dict[str, Any], Size]]:
    files = sorted((folder / "droidbot_yelp" / "states").glob("state_*.json"))
    assert len(files) == 16
    found = []
    for file in files:
        with Image.open(file.with_name(file.name.replace("state", "screen")).with_suffix(".png")) as image:
            found.append((json.loads(file.read_text(encoding="utf-8")), Size(*image.size)))
    return found


@pytest.mark.shared
def test_every_visible_text_is_an_element_and_all_are_on_the_image(shared_data: Path) -> None:
    texts = 0
    for raw, size in real(shared_data):
        found = droidbot_elements(raw, size)
        assert [element.id for element in found] == list(range(1, len(found) + 1))
        for element in found:
            assert 0 <= element.box.x0 < element.box.x1 <= size.width
            assert 0 <= element.box.y0 < element.box.y1 <= size.height
        places = {(element.text, tuple(element.box)) for element in found}
        for one in raw["views"]:
            if one["visible"] and one["text"] and not one["children"]:
                assert (" ".join(one["text"].split())[:300], (*one["bounds"][0], *one["bounds"][1])) in places
                texts += 1
    assert texts == 219


@pytest.mark.shared
def test_every_visible_control_is_an_element(shared_data: Path) -> None:
    for raw, size in real(shared_data):
        boxes = {tuple(element.box) for element in droidbot_elements(raw, size) if element.interactive}
        for one in raw["views"]:
            (x0, y0), (x1, y1) = one["bounds"]
            if one["visible"] and one["clickable"] and x0 < x1 and y0 < y1:
                assert [box for box in boxes if box[3] == y1 and box[2] == x1], one


# -- sizes ------------------------------------------------------------------------------------------------------------

BUTTON = view((100, 200, 500, 300), text="Go", clickable=True)


@pytest.mark.parametrize(
    ("root", "claimed", "size", "scale"),
    [
        ((0, 0, 1080, 2400), {}, Size(1080, 2400), 1),
        ((0, 0, 1080, 2400), {"width": 1080, "height": 2400}, Size(1080, 2400), 1),
        ((0, 0, 1080, 2400), {"width": 2400, "height": 1080}, Size(1080, 2400), 1),
        ((0, 0, 2400, 1080), {"width": 1080, "height": 2400}, Size(2400, 1080), 1),
        ((0, 0, 1080, 2400), {}, Size(540, 1200), 0.5),
        ((0, 0, 1080, 2400), {"width": 2400, "height": 1080}, Size(540, 1200), 0.5),
        ((0, 0, 540, 1200), {}, Size(1080, 2400), 2),
        ((0, 0, 1080, 2400), {"width": 1080, "height": 2400}, Size(720, 1600), 2 / 3),
        ((0, 0, 1080, 2274), {"width": 1080, "height": 2400}, Size(1080, 2400), 1),
        ((0, 0, 1080, 2274), {"width": 2400, "height": 1080}, Size(540, 1200), 0.5),
        ((0, 0, 1080, 2352), {}, Size(1080, 2400), 1),
        ((0, 0, 1080, 2274), {}, Size(540, 1200), 0.5),
        ((36, 150, 1044, 1441), {}, Size(1080, 2400), 1),
        ((36, 150, 1044, 1441), {"width": 1080, "height": 2400}, Size(540, 1200), 0.5),
        ((0, 0, 540, 1200), {"width": 1080, "height": 2400}, Size(1080, 2400), 1),
    ],
)
def test_the_image_decides_on_the_size(
    root: tuple[int, int, int, int], claimed: dict[str, int], size: Size, scale: float
) -> None:
    element = only(BUTTON, root=root, size=size, **claimed)
    assert element.box == tuple(round(side * scale) for side in (100, 200, 500, 300))


def test_screen_that_turned_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"views\[0\]\.bounds: 2400×1080 lies across the image of 1080×2400"):
        read(BUTTON, root=(0, 0, 2400, 1080))


# -- what is kept -----------------------------------------------------------------------------------------------------


def test_invisible_empty_and_off_screen_views_are_dropped() -> None:
    shown = view((0, 0, 100, 50), text="shown")
    gone = [
        view((0, 100, 100, 150), text="invisible", visible=False),
        view((1080, 100, 1200, 150), text="off the screen"),
        view((0, 2427, 1050, 2392), text="turned inside out"),
        view((300, 300, 300, 400), text="no width"),
        view((0, -80, 100, 0), text="above"),
    ]
    assert [element.text for element in read(shown, *gone)] == ["shown"]


def test_boxes_are_cut_by_the_image_and_by_scrolling_views() -> None:
    found = read(
        view((0, 100, 1080, 600), scrollable=True, children=[2, 3], kind="android.widget.ListView"),
        view((0, 550, 1080, 700), 1, text="half"),
        view((0, 700, 1080, 800), 1, text="out"),
        view((-20, 2300, 90, 2500), text="corner"),
    )
    assert [(e.type, e.text, tuple(e.box)) for e in found] == [
        ("list", "", (0, 100, 1080, 600)),
        ("text", "half", (0, 550, 1080, 600)),
        ("text", "corner", (0, 2300, 90, 2400)),
    ]
    assert [(element.interactive, element.leaf) for element in found] == [(False, False), (False, True), (False, True)]


def test_bare_layout_is_dropped_and_cards_say_what_they_hold() -> None:
    found = read(
        view((0, 0, 1080, 500), children=[2], kind="android.widget.LinearLayout"),
        view((0, 0, 1080, 500), 1, clickable=True, children=[3, 4, 5], kind="android.widget.LinearLayout"),
        view((0, 0, 500, 100), 2, text="Title"),
        view((0, 100, 500, 200), 2, text="Words  of\nthe card"),
        view((500, 0, 600, 100), 2, text="Buy", clickable=True, kind="android.widget.Button"),
    )
    assert [(element.type, element.text, element.leaf) for element in found] == [
        ("button", "Title Words of the card", False),
        ("text", "Title", True),
        ("text", "Words of the card", True),
        ("button", "Buy", True),
    ]


def test_order_is_the_tree_s() -> None:
    views = [
        view((0, 0, 1080, 2400), -1, children=[3, 1], kind="android.widget.FrameLayout"),
        view((0, 500, 100, 600), 0, text="second", children=[2]),
        view((0, 500, 50, 600), 1, text="third"),
        view((0, 0, 100, 100), 0, text="first"),
    ]
    assert [element.text for element in droidbot_elements({"views": views}, SIZE)] == ["first", "second", "third"]


# -- what it is -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "flags", "type"),
    [
        ("android.widget.Button", {"clickable": True}, "button"),
        ("android.widget.ImageButton", {"clickable": True}, "button"),
        ("android.widget.EditText", {"editable": True}, "input"),
        ("com.example.FancyField", {"editable": True, "clickable": True}, "input"),
        ("android.widget.TextView", {}, "text"),
        ("android.widget.TextView", {"clickable": True}, "button"),
        ("android.widget.ImageView", {}, "image"),
        ("android.widget.CheckBox", {"checkable": True, "clickable": True}, "checkbox"),
        ("android.widget.Switch", {"checkable": True, "clickable": True}, "switch"),
        ("android.widget.RadioButton", {"checkable": True, "clickable": True}, "radio"),
        ("android.widget.ScrollView", {"scrollable": True}, "scroll"),
        ("android.support.v7.widget.RecyclerView", {"scrollable": True}, "list"),
        ("android.support.v7.app.ActionBar$Tab", {"clickable": True}, "tab"),
        ("androidx.appcompat.widget.AppCompatSpinner", {"clickable": True}, "select"),
        ("androidx.appcompat.widget.AppCompatSeekBar", {"clickable": True}, "slider"),
        ("androidx.appcompat.widget.AppCompatToggleButton", {"checkable": True}, "switch"),
        ("android.view.View", {"clickable": True}, "button"),
        ("android.widget.ProgressBar", {}, "progressbar"),
    ],
)
def test_types(name: str, flags: dict[str, Any], type: str) -> None:
    element = only(view((0, 0, 300, 100), text="words", kind=name, **flags))
    assert (element.type, element.interactive) == (type, bool(flags.keys() - {"scrollable"}))


def test_icons_say_their_description_and_captions_fall_back_on_names() -> None:
    icon = view((0, 0, 90, 90), content_description="Navigate up", clickable=True, kind="android.widget.ImageView")
    named = view(
        (100, 0, 190, 90), resource_id="com.yelp.android:id/searchClearButton", kind="android.widget.ImageView"
    )
    both = view((200, 0, 290, 90), text="112", content_description="112 Friends")
    assert [(e.text, e.caption) for e in read(icon, named, both)] == [
        ("Navigate up", "Navigate up"),
        ("", "search clear button"),
        ("112", "112 Friends"),
    ]


def test_states() -> None:
    flags: dict[str, Any] = {"checked": True, "selected": True, "enabled": False, "focused": True}
    assert only(view((0, 0, 90, 90), text="x", **flags)).state == "checked selected disabled focused"


@pytest.mark.parametrize(
    "flags",
    [
        {"is_password": True},
        {"is_password": True, "content_description": "hunter2"},
        {"is_password": False, "resource_id": "com.app:id/password_field"},
        {"resource_id": "com.app:id/login_pwd"},
    ],
)
def test_passwords_are_never_kept(flags: dict[str, Any]) -> None:
    found = read(
        view((0, 0, 1080, 300), clickable=True, children=[2, 3], kind="android.widget.LinearLayout"),
        view((0, 0, 500, 100), 1, text="hunter2", editable=True, kind="android.widget.EditText", **flags),
        view((0, 100, 500, 200), 1, text="Sign in"),
    )
    assert [element.type for element in found] == ["button", "password", "text"]
    assert (found[1].state, found[1].text, found[0].text) == ("filled", "", "Sign in")
    assert "hunter2" not in msgspec.json.encode(found).decode()


# -- broken files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        ({}, "missing required field `views`"),
        ({"views": None}, "views: Expected `array`"),
        ({"views": [7]}, r"views\[0\]: Expected `object`"),
        ({"views": [{"class": "x"}]}, r"views\[0\]: .*missing required field `bounds`"),
        (state(view((0, 0, 1, 1), bounds=[[0, 0], [1]])), r"views\[1\]\.bounds\[1\]: Expected `array` of length 2"),
        (
            state(view((0, 0, 1, 1), bounds=[[0, 0], ["1", 1]])),
            r"views\[1\]\.bounds\[1\]\[0\]: Expected `int \| float`",
        ),
        (state(view((0, 0, 1, 1), bounds=[[0, 0], [float("nan"), 1]])), r"views\[1\]: `bounds` are not made of finite"),
        (state(view((0, 0, 1, 1), text=5)), r"views\[1\]\.text: Expected `str \| null`"),
        (state(view((0, 0, 1, 1), clickable="yes")), r"views\[1\]\.clickable: Expected `bool \| null`"),
        (state(view((0, 0, 1, 1), 77)), r"views\[1\]\.parent: there is no view 77"),
        (state(view((0, 0, 1, 1), 2), view((0, 0, 1, 1), 1)), r"views\[1\]\.parent: its parents go round"),
        (state(width="wide"), "width: Expected `int"),
        ([], "Expected `object`"),
    ],
)
def test_broken_files_name_the_field(broken: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        droidbot_elements(broken, SIZE)


def test_deep_trees_and_empty_ones() -> None:
    deep = [view((0, 0, 1080, 2400), at, kind="android.view.ViewGroup") for at in range(5000)]
    assert read(*deep, view((0, 0, 9, 9), 5000, text="bottom"))[0].text == "bottom"
    assert droidbot_elements({"views": []}, SIZE) == []
