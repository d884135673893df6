"""A screenshot and the elements that are found beside it describe the same moment of a page that has settled."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator

import pytest
from PIL import Image

from saccade.actions import Action
from saccade.geometry import Point
from saccade.worlds.base import Observation
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import BrowserWorld, Device

SMALL = Device(320, 240, touch=True)


@pytest.fixture(scope="module")
def engine() -> Iterator[BrowserEngine]:
    engine = BrowserEngine(AllowList.of([], "http://127.0.0.1"))
    yield engine
    engine.close()


@pytest.fixture
def world(engine: BrowserEngine, server: str) -> Iterator[BrowserWorld]:
    with BrowserWorld(f"{server}/late.html", device=SMALL, engine=engine) as world:
        yield world


def look(world: BrowserWorld) -> Observation:
    return world.act(Action("wait", seconds=0))


def buttons(seen: Observation) -> dict[str, Point]:
    return {each.text: each.center for each in seen.screen.elements if each.type == "button"}


def colour(seen: Observation) -> str:
    """The colour of the page's lower right corner."""
    assert seen.screen.picture is not None
    picture = Image.open(io.BytesIO(seen.screen.picture.data())).convert("L")
    return "white" if picture.getpixel((310, 230)) else "black"


def named(seen: Observation) -> str:
    """The colour that the page's text names."""
    return next(each.text for each in seen.screen.elements if each.text in ("white", "black"))


def test_elements_are_found_with_the_screenshot_once_somebody_asks_for_them(world: BrowserWorld) -> None:
    never_asked = world.reset()
    asked = look(world)
    with pytest.raises(LookupError):
        len(never_asked.screen.elements)
    assert "30" in buttons(asked)
    beside = look(world)
    never_asked = look(world)
    assert buttons(beside) == buttons(asked), "found without being asked for, and kept"
    look(world)
    with pytest.raises(LookupError):
        len(never_asked.screen.elements)


@pytest.mark.parametrize("delay", ["5", "30"])
def test_what_changes_soon_after_an_action_is_in_both(world: BrowserWorld, delay: str) -> None:
    place = buttons(world.reset())[delay]
    for expected in ("black", "white", "black"):
        seen = world.act(Action("click", place))
        assert (colour(seen), named(seen)) == (expected, expected)


def test_a_page_that_never_rests_is_taken_twice_at_most(world: BrowserWorld) -> None:
    world.act(Action("click", buttons(world.reset())["clock"]))
    started = time.monotonic()
    seen = look(world)
    assert not seen.error
    assert time.monotonic() - started < world.settle_limit


def test_a_page_that_is_about_to_lead_elsewhere_has_not_settled(world: BrowserWorld) -> None:
    """A busy browser takes a while from the click on a link to the request. Until then the old page is there, at rest;
    where no request follows, nobody waits for long.
    """
    world.reset()

    def seconds(asked: str, answered: str) -> float:
        world.tabs._navigation_requested({"frameId": asked, "disposition": "currentTab"})
        world.tabs._navigation_ended({"frameId": answered})
        started = time.monotonic()
        look(world)
        return time.monotonic() - started

    assert seconds("a", "another") > 0.9
    assert seconds("a", "a") < 0.9
