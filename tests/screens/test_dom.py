"""What is found on real pages in a real Chromium: everything that can be seen, nothing that cannot."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from loopback import serve
from saccade.actions import Action
from saccade.types import Element
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import DESKTOP, PHONE, BrowserWorld

pytestmark = pytest.mark.browser

PAGES = Path(__file__).parent / "pages"
HOSTS = ("127.0.0.1", "localhost")
Look = Callable[..., list[Element]]


@pytest.fixture(scope="module")
def engine() -> Iterator[BrowserEngine]:
    engine = BrowserEngine(AllowList.of(HOSTS))
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def ports() -> Iterator[tuple[int, int]]:
    with serve(PAGES) as first, serve(PAGES) as second:
        yield first, second


@pytest.fixture(scope="module")
def look(engine: BrowserEngine, ports: tuple[int, int]) -> Iterator[Look]:
    """Opens a page of `pages/` and gives what is found on it."""
    worlds = {
        device: BrowserWorld(f"http://127.0.0.1:{ports[0]}/empty.html", device=device, engine=engine, allow=HOSTS)
        for device in (DESKTOP, PHONE)
    }
    for world in worlds.values():
        world.reset()

    def find(page: str, *actions: Action, phone: bool = False) -> list[Element]:
        world = worlds[PHONE if phone else DESKTOP]
        seen = world.act(Action("open_url", text=f"http://127.0.0.1:{ports[0]}/{page}"))
        for action in actions:
            assert not seen.error
            seen = world.act(action)
        assert not seen.error
        found = list(seen.screen.elements)
        check_all(found, world)
        return found

    yield find
    for world in worlds.values():
        world.close()


def check_all(found: list[Element], world: BrowserWorld) -> None:
    """What holds on any page."""
    width, height = world.device.pixels
    assert [element.id for element in found] == list(range(1, len(found) + 1))
    for element in found:
        box = element.box
        assert 0 <= box.x0 < box.x1 <= width
        assert 0 <= box.y0 < box.y1 <= height
        assert element.type == element.type.lower()
        assert element.type


def named(found: list[Element], text: str) -> Element:
    """The one element that says `text`."""
    matching = [element for element in found if element.text == text]
    assert len(matching) == 1, f"{text!r} is found {len(matching)} times in {[element.text for element in found]}"
    return matching[0]


def texts(found: list[Element]) -> str:
    return " | ".join(f"{element.text} / {element.caption}" for element in found)


# -- shadow trees and frames ------------------------------------------------------------------------------------------


def test_shadow_trees_within_shadow_trees(look: Look) -> None:
    found = look("shadow.html")
    deep = named(found, "Deep button")
    assert (deep.type, deep.interactive, deep.box.width) == ("button", True, 120)
    assert named(found, "Card title").type == "text"
    assert named(found, "Fallback words").leaf
    assert named(found, "Slotted words").box.height < 30
    assert named(found, "Slotted link").type == "link"
    assert named(found, "Save it").type == "button"
    assert named(found, "Shown instead").type == "text"
    assert "never rendered" not in texts(found)


@pytest.mark.parametrize("host", HOSTS)
def test_frames_of_the_same_and_of_another_origin(look: Look, ports: tuple[int, int], host: str) -> None:
    """Another port is another origin; another host name is another site, with a process of its own."""
    found = look(f"frames.html?other=http://{host}:{ports[1]}", Action("wait", seconds=0.2))
    assert named(found, "same first").box == (35, 65, 155, 95)
    assert named(found, "other first").box == (410, 60, 530, 90)
    assert named(found, "nested second").box == (550, 200, 670, 230)
    for name in ("same", "other", "nested"):
        assert named(found, f"{name} listens").interactive
    order = [element.text for element in found if element.text]
    assert order.index("Before the frames") < order.index("same first") < order.index("other first")
    assert order.index("other first") < order.index("After the frames")
    frame = next(element for element in found if element.type == "frame")
    assert (frame.box, frame.leaf) == ((20, 50, 330, 260), False)


def test_frames_that_are_covered_clipped_scaled_or_away(look: Look, ports: tuple[int, int]) -> None:
    found = look(f"frames.html?other=http://127.0.0.1:{ports[1]}", Action("wait", seconds=0.2))
    assert "covered first" not in texts(found)
    assert named(found, "covered second").box == (30, 450, 150, 480)
    assert named(found, "clipped listens").box == (410, 350, 530, 360)
    assert "clipped second" not in texts(found)
    assert named(found, "small first").box == (805, 55, 865, 70)
    assert "away" not in texts(found)
    assert "below the frame's edge" not in texts(found)


# -- what is cut off or covered ---------------------------------------------------------------------------------------


def test_scroll_containers_cut_what_they_hold(look: Look) -> None:
    found = look("scroll.html")
    scroll = next(element for element in found if element.type == "scroll")
    assert (scroll.box, scroll.interactive, scroll.leaf) == ((20, 20, 220, 120), False, False)
    assert named(found, "Row 3").box.y1 <= 120
    assert "Row 4" not in texts(found)
    assert named(found, "Wider than its holder").box == (300, 20, 400, 50)
    assert named(found, "Escapes the crop").box == (500, 80, 650, 110)
    assert named(found, "Fixed").box == (1160, 740, 1260, 780)
    assert named(found, "Half").box == (0, 300, 50, 330)
    assert "Far below" not in texts(found)
    assert "Left of the screen" not in texts(found)


def test_scrolled_page(look: Look) -> None:
    found = look("scroll.html", Action("press", key="End"), Action("wait", seconds=0.3))
    assert "Far below" in texts(found)
    assert "Row 1" not in texts(found)
    assert named(found, "Fixed").box == (1160, 740, 1260, 780)


def test_what_a_dialog_covers_is_gone(look: Look) -> None:
    found = look("overlay.html")
    assert "Under the dialog" not in texts(found)
    assert "Words under the dialog" not in texts(found)
    for text in ("Uncovered", "Half under the dialog", "Yes", "No", "Under a veil", "Does not hear"):
        assert named(found, text).type == "button"
    assert named(found, "Delete it?").type == "heading"


def test_cards_under_an_empty_sheet_can_be_read(look: Look) -> None:
    found = look("overlay.html")
    assert named(found, "Whole card").type == "link"
    assert named(found, "Words of the card").type == "text"
    assert "Words behind paint" not in texts(found)


# -- layout -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def layout(look: Look) -> list[Element]:
    return look("layout.html")


def test_layout(layout: list[Element]) -> None:
    found = layout
    assert named(found, "Words of the body itself").box.height < 30
    assert named(found, "Words without a box").box.x0 == 20
    assert named(found, "In contents").box == (20, 100, 120, 130)
    assert named(found, "Turned").box == (330, 70, 370, 170)
    scaled = named(found, "Scaled")
    assert (scaled.box, scaled.interactive) == ((500, 100, 700, 180), True)
    fraction = named(found, "Fraction")
    assert (fraction.box, fraction.interactive) == ((20, 201, 120, 231), True)
    assert named(found, "Flows out of its box").box.y0 == 200
    assert named(found, "Visible again").type == "button"
    assert named(found, "Inside open details").type == "text"
    assert named(found, "Open details").state == "expanded"
    assert named(found, "a link that wraps onto the next line").type == "link"


@pytest.mark.parametrize(
    "text",
    "No size|Not displayed|Hidden holder|Transparent|For screen readers only|Cut away|Off to the right|Above|"
    "Inside closed details".split("|"),
)
def test_what_cannot_be_seen_is_absent(layout: list[Element], text: str) -> None:
    assert text not in texts(layout)


# -- controls ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def controls(look: Look) -> list[Element]:
    return look("controls.html")


@pytest.mark.parametrize(
    ("text", "type", "state", "caption"),
    [
        ("Ada", "input", "focused", "Full name"),
        ("Search here", "input", "", "Search here"),
        ("Japan", "select", "", "Country"),
        ("Again", "password", "", "Again"),
        ("Small", "radio", "", "Small"),
        ("Large", "radio", "checked", "Large"),
        ("Styled tick", "checkbox", "checked", "Styled tick"),
        ("Tick without a box", "checkbox", "", "Tick without a box"),
        ("Cannot", "button", "disabled", ""),
        ("Cannot either", "button", "disabled", ""),
        ("Says it cannot", "button", "disabled", ""),
        ("Wi-Fi", "switch", "checked", "Wi-Fi"),
        ("7", "slider", "", "Volume"),
        ("Lima", "input", "", "City"),
        ("Listens", "button", "", ""),
        ("Same size", "button", "", ""),
        ("Pointer inside", "button", "", ""),
        ("Close", "button", "", "Close"),
        ("Settings", "link", "", "Settings"),
        ("Dear diary", "input", "", "Notes"),
        ("Home", "tab", "selected", ""),
        ("Here", "link", "selected", ""),
        ("More", "button", "expanded", ""),
        ("Bold", "button", "checked", ""),
        ("All of it", "input", "readonly", "Terms"),
        ("Go home", "link", "", ""),
    ],
)
def test_controls(controls: list[Element], text: str, type: str, state: str, caption: str) -> None:
    element = named(controls, text)
    assert (element.type, element.state, element.caption, element.interactive) == (type, state, caption, True)


def test_pictures_and_texts(controls: list[Element]) -> None:
    for text, type in [("Gear", "icon"), ("Warning", "icon"), ("Heart", "image"), ("A cat", "image")]:
        assert (named(controls, text).type, named(controls, text).interactive) == (type, False)
    dot = next(element for element in controls if element.type == "circle")
    assert (dot.interactive, dot.box.width, dot.box.height) == (True, 24, 24)
    assert (named(controls, "Axis words").type, named(controls, "Full name").type) == ("text", "text")


def test_checkbox_and_its_label(controls: list[Element]) -> None:
    box, label = [element for element in controls if element.text == "Newsletter"]
    assert (box.type, box.state, box.interactive) == ("checkbox", "checked", True)
    assert (label.type, label.interactive) == ("text", False)


def test_one_listener_for_a_whole_page_makes_no_button(controls: list[Element]) -> None:
    assert not [element for element in controls if element.box.height > 300]


def test_passwords_appear_nowhere(controls: list[Element]) -> None:
    everything = json.dumps([msgspec.to_builtins(element) for element in controls]) + repr(controls)
    for secret in ("correct", "horse", "battery", "staple"):
        assert secret not in everything
    assert [element.state for element in controls if element.type == "password"] == ["filled", "", "filled"]


def test_typed_password_appears_nowhere(look: Look, controls: list[Element]) -> None:
    field = named(controls, "Again").center
    found = look("controls.html", Action("type", text="tr0ub4dor&3", point=field))
    assert [element.state for element in found if element.type == "password"] == ["filled", "filled focused", "filled"]
    assert "tr0ub" not in msgspec.json.encode(found).decode()


# -- phones -----------------------------------------------------------------------------------------------------------


def test_phone_boxes_are_screenshot_pixels(look: Look) -> None:
    found = look("phone.html", phone=True)
    assert named(found, "Ten twenty").box == (30, 60, 330, 180)
    listens = named(found, "Listens")
    assert listens.interactive
    assert listens.box == pytest.approx((31.5, 241.5, 333, 361.5), abs=1)
    assert named(found, "Cut by the lower edge of the screen").box.y1 == 2400
