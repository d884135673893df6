"""The collectors of training screens: which boxes are kept, and real screens of a page and an application."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from saccade.geometry import Box, Size
from saccade.types import Element
from saccade_vision.training.collect_common import LabelledBox, ScreenCollection, ink_box, labels_of, shows_name
from saccade_vision.training.web_kits import KITS
from saccade_vision.training.web_pages import BLOCKS, PageMaker

PAGE = """<!doctype html><meta charset="utf-8"><style>* { margin: 0 } #icon, button { position: absolute; left: 20px }
</style><h1 style="width: 700px; height: 40px">Orders</h1>
<button style="top: 60px; width: 90px; height: 30px">Save</button>
<button id="icon" aria-label="Settings" style="top: 100px; width: 30px; height: 30px">
<svg width="16" height="16"><circle cx="8" cy="8" r="6"/></svg></button>
<input style="position: absolute; left: 20px; top: 140px; width: 200px; height: 24px" placeholder="Name">
<input type="checkbox" style="position: absolute; left: 20px; top: 180px; width: 16px; height: 16px">
<a href="#x" style="position: absolute; left: 20px; top: 220px">More about it</a>
<a href="#y" style="position: absolute; left: 20px; top: 260px; width: 120px; height: 32px; background: #25c">Buy</a>"""


@pytest.fixture
def screen() -> np.ndarray:
    """White, with a dark rectangle from (20, 20) to (119, 49) and a small mark at (200, 30)."""
    pixels = np.full((400, 600, 3), 255, np.uint8)
    pixels[20:50, 20:120] = 40
    pixels[30:40, 200:230] = 0
    return pixels


def test_labels_are_what_a_picture_shows(screen: np.ndarray) -> None:
    elements = [
        Element(1, Box(20, 20, 120, 50), "button", "Save"),
        Element(2, Box(21, 21, 119, 49), "text", "Save", interactive=False),  # a wrapper's content, nearly the same box
        Element(3, Box(180, 20, 400, 50), "text", "Total", interactive=False),  # a label as wide as its column
        Element(4, Box(0, 0, 600, 400), "window", "Orders", interactive=False),
        Element(5, Box(590, 20, 640, 50), "button", "Next"),  # nearly all of it outside
        Element(6, Box(300, 200, 340, 220), "text", "hidden", interactive=False),  # nothing is drawn there
    ]
    found = labels_of(elements, screen)
    assert found == [LabelledBox((20, 20, 120, 50), "button", True), LabelledBox((198, 28, 232, 42), "text", False)]


def test_a_screen_whose_boxes_are_elsewhere_is_not_believed(screen: np.ndarray) -> None:
    off = [Element(at, Box(300, 100 + 40 * at, 380, 130 + 40 * at), "button", "Save") for at in range(1, 5)]
    assert labels_of([Element(9, Box(20, 20, 120, 50), "button", "Save"), *off], screen) == []


def test_a_pressed_panel_around_controls_is_a_container() -> None:
    pixels = np.tile(np.array([[0, 255]], np.uint8).repeat(5, 1), (400, 60))[:, :, None].repeat(3, 2)
    inner = [Element(at, Box(20, 50 * at, 120, 50 * at + 30), "button", "Save") for at in range(1, 6)]
    found = labels_of([Element(9, Box(10, 40, 300, 300), "button", "Save Save Save"), *inner], pixels)
    assert [each.box[1] for each in found] == [50, 100, 150, 200, 250]


@pytest.mark.parametrize(
    ("text", "width", "height", "shown"),
    [
        ("OK", 80, 30, True),
        ("7", 24, 24, True),
        ("Open file", 24, 24, False),
        ("打开", 26, 26, False),
        ("", 90, 30, False),
    ],
)
def test_names_of_tool_buttons_are_not_written_on_them(text: str, width: int, height: int, shown: bool) -> None:
    assert shows_name(Element(1, Box(0, 0, width, height), "button", text)) is shown


def test_ink_ignores_the_lines_of_a_table(screen: np.ndarray) -> None:
    screen[100:130, [300, 399]] = 0
    screen[[100, 129], 300:400] = 0
    screen[110:118, 310:340] = 0
    assert ink_box(screen, (300, 100, 400, 130)) == (308, 108, 342, 120)


def test_a_folder_is_continued_and_large_screens_are_reduced(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 255, (9, 16, 3), np.uint8).repeat(120, 0).repeat(120, 1)
    labels = [LabelledBox((30 * at, 30, 30 * at + 20, 60), "icon", True) for at in range(8)]
    screens = ScreenCollection(tmp_path)
    about = {"source": "desktop/mousepad", "look": "Adwaita", "language": "en"}
    assert screens.add(pixels, labels, **about)
    assert not screens.add(pixels, labels, **about)  # the same screen
    again = ScreenCollection(tmp_path)
    assert len(again) == 1 and again.counts["desktop/mousepad"] == 1
    line = again.folder.lines[0]
    assert line["size"] == [1280, 720] and line["elements"][3]["box"] == [60, 20, 73.3, 40]
    assert again.next_source(["desktop/mousepad", "desktop/gimp"], Random(0)) in ("desktop/mousepad", "desktop/gimp")


def test_pages_are_made_the_same_again(tmp_path: Path) -> None:
    maker = PageMaker(tmp_path)
    assert maker.names == ["plain"]  # the other kits need their packages
    assert maker.page("plain", Random(4), "zh") == maker.page("plain", Random(4), "zh")


def test_every_kit_can_show_every_block() -> None:
    parts = {part for block in BLOCKS.values() for part in block} | {"nav", "side", "tree", "modal"}
    templates = [kit.template(part) for kit in KITS.values() for part in parts]
    assert all(template.count("[[") == template.count("]]") for template in templates)


@pytest.mark.browser
def test_boxes_of_a_known_page(tmp_path: Path) -> None:
    from saccade.worlds.browser.world import BrowserWorld, Device  # noqa: PLC0415
    from saccade_vision.training.collect_common import pixels_of  # noqa: PLC0415
    from saccade_vision.training.collect_web import PageServer, drawn_text, serving  # noqa: PLC0415

    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    with (
        serving(PageServer(PageMaker(tmp_path), {})) as base,
        BrowserWorld(f"{base}/kits/page.html", device=Device(800, 400)) as world,
    ):
        seen = world.reset()
        assert seen.screen.picture is not None
        found = labels_of(seen.screen.elements, pixels_of(seen.screen.picture.data()), drawn_text)
    words = {each.type: each.box for each in found}
    assert [each.type for each in found] == ["text", "button", "icon", "input", "checkbox", "link", "button"]
    assert words["icon"] == (20, 100, 50, 130) and words["button"] == (20, 260, 140, 292)
    assert words["text"][2] < 200  # the heading's words, not the 700 pixels of its block


@pytest.mark.desktop
def test_two_screens_of_an_editor(tmp_path: Path) -> None:
    from saccade.worlds.desktop.applications import find_application  # noqa: PLC0415
    from saccade_vision.training.collect_desktop import collect_session  # noqa: PLC0415
    from saccade_vision.training.desktop_looks import DesktopLook  # noqa: PLC0415

    own: dict[str, Any] = {
        "gtk": "Adwaita",
        "icons": "hicolor",
        "borders": "Clearlooks",
    }  # come with the programs; others may be missing
    look = replace(DesktopLook.draw(Random(1)), **own, layout="NLIMC", size=Size(1280, 800), maximised=False)
    screens = ScreenCollection(tmp_path)
    assert collect_session(screens, "mousepad", look, Random(1), 2) == 2
    first, second = screens.folder.lines
    assert first["source"] == "desktop/mousepad" and first["image"] != second["image"]
    words = {each["type"] for line in (first, second) for each in line["elements"]}
    assert {"input", "list item", "icon", "text"} <= words  # text area, menus, the window's buttons and its title
    assert find_application("text editor").command[0] == "mousepad"  # the looks stay in the collector's own worlds
