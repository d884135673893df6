"""The phone behind real glass: Chromium, fingers, pixels."""

from __future__ import annotations

import hashlib
import io
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image

from saccade.actions import Action, as_performed
from saccade.errors import InputError
from saccade.geometry import Point
from saccade.types import Element
from saccade.worlds import open_world
from saccade.worlds.base import InfrastructureError, Observation
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import PHONE, Device
from saccade_phone.oracle import Oracle
from saccade_phone.session import Session
from saccade_phone.world import ADDRESS, PhoneWorld

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def engine() -> Iterator[BrowserEngine]:
    engine = BrowserEngine(AllowList.of((), ADDRESS))
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def world(engine: BrowserEngine) -> PhoneWorld:
    """With small pictures, which take much less time."""
    return PhoneWorld(theme="light", engine=engine, device=Device(PHONE.width, PHONE.height, 1.0, touch=True))


@pytest.fixture(scope="module")
def sharp_world(engine: BrowserEngine) -> PhoneWorld:
    """With all pixels of a phone."""
    return PhoneWorld(theme="light", engine=engine)


def pixels(seen: Observation) -> bytes:
    assert seen.screen.picture is not None
    source = seen.screen.picture.source
    assert isinstance(source, bytes)
    image = Image.open(io.BytesIO(source))
    assert image.size == (1080, 2400)
    return hashlib.sha256(image.tobytes()).digest()


def named(seen: Observation, text: str, type: str = "") -> Element:
    found = [e for e in seen.screen.elements if text in (e.text or e.caption) and (not type or e.type == type)]
    assert found, f"{text!r} is not among {[e.text for e in seen.screen.elements]}"
    return min(found, key=lambda e: e.box.area)


def finish(world: PhoneWorld, seen: Observation, chance: random.Random) -> Observation:
    """Let the oracle do it, each time by any of the right actions."""
    oracle, steps = Oracle(world), 0
    while not seen.done and steps < 40:
        advice = oracle.advise()
        assert not advice.lost, advice.lost
        seen = world.act(chance.choice(advice.actions))
        assert not seen.error, seen.error
        steps += 1
    return seen


def test_a_swipe_that_hardly_moves_is_a_tap(sharp_world: PhoneWorld) -> None:
    icon = named(sharp_world.reset(7, "clock.add_alarm"), "Clock").center
    assert sharp_world.act(Action("swipe", direction="up", start=icon, end=Point(icon.x, icon.y - 6))).app == "clock"


def test_the_oracle_swipes_are_no_taps(sharp_world: PhoneWorld) -> None:
    """Also where what it wants to see lies just beyond the edge: of a page, or of a wheel 200 pixels high."""
    oracle, world = Oracle(sharp_world), sharp_world
    for frame in ([0, 56, 360, 744], [40, 300, 140, 500]):
        for away in (-400, -40, -1, 1, 2, 40, 400):
            swipe = oracle.swipe([float(side) for side in frame], away)
            assert as_performed(swipe, world.device.pixels) == swipe, (frame, away)


def test_the_same_seed_gives_the_same_pixels(sharp_world: PhoneWorld, engine: BrowserEngine) -> None:
    world = sharp_world
    first = [pixels(world.reset(7, "clock.add_alarm")), pixels(world.act(Action("open_app", text="Clock")))]
    world.reset(8, "clock.add_alarm")
    world.act(Action("open_app", text="shop"))
    again = [pixels(world.reset(7, "clock.add_alarm")), pixels(world.act(Action("open_app", text="Clock")))]
    assert first == again
    other = PhoneWorld(theme="light", engine=engine)
    try:
        assert pixels(other.reset(7, "clock.add_alarm")) == first[0]
    finally:
        other.close()


def test_buttons_apps_and_what_cannot_be_done(world: PhoneWorld) -> None:
    world.language = "zh"
    seen = world.reset(3)
    assert seen.app == "launcher"
    assert world.act(Action("open_app", text="时钟")).app == "clock"
    assert world.act(Action("press", key="home")).app == "launcher"
    assert world.act(Action("press", key="recent")).app == "recents"
    assert world.act(Action("press", key="back")).app == "launcher"
    assert "there is no app" in world.act(Action("open_app", text="Solitaire")).error
    assert "cannot do" in world.act(Action("open_url", text="https://example.com")).error
    assert "outside the screen" in world.act(Action("click", Point(5000, 10))).error
    assert "nothing to type into" in world.act(Action("type", text="x")).error


def test_fingers_tap_hold_type_swipe_and_turn_pages(world: PhoneWorld) -> None:
    world.language = "en"
    seen = world.reset(3)
    before = {element.text for element in seen.screen.elements}
    seen = world.act(Action("swipe", direction="left"))
    assert {element.text for element in seen.screen.elements} != before
    seen = world.act(Action("open_app", text="clock"))
    seen = world.act(Action("click", named(seen, "Add alarm").center))
    assert world.session.machine.top["screen"] == "edit"
    seen = world.act(Action("click", named(seen, "Label", "input").center))
    assert world.ground([])["focus"] == "label"
    seen = world.act(Action("type", text="跑步 Run"))
    assert world.state["nav"]["stacks"]["clock"][-1]["form"]["label"] == "跑步 Run"
    seen = world.act(Action("type", text="!"))
    assert world.state["nav"]["stacks"]["clock"][-1]["form"]["label"] == "跑步 Run!"
    seen = world.act(Action("press", key="back"))
    row = max((e for e in seen.screen.elements if ":" in e.text and e.interactive), key=lambda e: e.box.width)
    seen = world.act(Action("long_press", Point(row.box.x0 + 20, row.center.y)))
    assert world.session.machine.top["screen"] == "menu"


def test_scrolling_brings_in_what_lies_below(world: PhoneWorld) -> None:
    world.language = "en"
    world.reset(3)
    seen = world.act(Action("open_app", text="contacts"))
    first = {element.text for element in seen.screen.elements}
    seen = world.act(Action("swipe", direction="up"))
    assert {element.text for element in seen.screen.elements} - first
    seen = world.act(Action("swipe", direction="down"))
    seen = world.act(Action("swipe", direction="down"))
    assert {element.text for element in seen.screen.elements} == first


@pytest.mark.parametrize("option", [{"language": "xx"}, {"split": "all"}, {"theme": 7}])
def test_an_open_phone_takes_no_option_that_a_new_one_would_refuse(world: PhoneWorld, option: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(option))):
        world.configure("clock.add_alarm", option)


def test_a_state_is_put_in_place_quickly_and_without_loading(world: PhoneWorld) -> None:
    world.language = "en"
    world.reset(3, "clock.add_alarm")
    loaded = world.engine.run(world.tabs.page.evaluate("() => performance.timeOrigin"), 5)
    kept = world.state
    world.act(Action("open_app", text="clock"))
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        seen = world.set_state(kept)
        times.append(time.perf_counter() - begin)
        assert seen.app == "launcher"
    assert world.state == kept
    assert world.engine.run(world.tabs.page.evaluate("() => performance.timeOrigin"), 5) == loaded
    assert min(times) < 1.0, "benchmarks/phone.py measures it in earnest"


TASKS = ["clock.delete_alarm", "across.send_number", "across.asked_todo", "across.unknown_number", "across.quiet_night"]


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_oracle_on_the_glass(world: PhoneWorld, name: str, language: Any) -> None:
    world.language = language
    seen = finish(world, world.reset(5, name), random.Random(name))
    assert (seen.done, seen.reward) == (True, 1.0)
    assert "over" in world.act(Action("press", key="back")).error


def test_a_page_that_was_lost_is_loaded_again(world: PhoneWorld) -> None:
    """Or one lost page would break every episode after it."""
    world.reset(1)
    world.engine.run(world.tabs.page.goto("about:blank"), 10)
    assert world.reset(1).screen.elements


def test_saying_done_too_early_earns_nothing(world: PhoneWorld) -> None:
    world.language = "en"
    world.reset(5, "clock.delete_alarm")
    seen = world.act(Action("terminate", status="success"))
    assert (seen.done, seen.reward) == (True, 0.0)


def test_advice_has_boxes_thoughts_and_key_elements(world: PhoneWorld) -> None:
    world.language = "zh"
    world.reset(5, "clock.add_alarm")
    seen = world.act(Action("open_app", text="clock"))
    advice = Oracle(world).advise(list(seen.screen.elements))
    click = advice.actions[0]
    assert click.type == "click" and click.box is not None and click.point is not None
    assert click.box.contains(click.point)
    assert advice.key_elements[0].box.iou(click.box) > 0.9
    assert "新建闹钟" in advice.key_elements[0].caption
    assert len(advice.thoughts) == len(advice.actions) == len(advice.phrases)
    assert all(any("一" <= letter <= "鿿" for letter in thought) for thought in advice.thoughts)


def test_a_notification_in_the_way_is_closed_first(world: PhoneWorld) -> None:
    world.language = "en"
    world.reset(5, "clock.add_alarm")
    session = world.session
    sender = {"id": "u1", "name": "Ann", "phone": "", "email": "", "emoji": "🙂"}
    session.state["interruptions"] = [{"after": 1, "kind": "message", "args": {"sender": sender, "at": 0}}]
    world.put(Session(session.state, session.start, session.goal, session.apps))
    seen = world.act(Action("open_app", text="clock"))
    assert any("Ann" in element.text for element in seen.screen.elements)
    seen = finish(world, seen, random.Random(1))
    assert seen.reward == 1.0


@pytest.mark.parametrize("kit", ["vant", "weui", "f7-ios", "f7-md"])
def test_a_toast_is_in_nobodys_way(world: PhoneWorld, kit: str) -> None:
    world.language = "en"
    world.reset(5)
    world.act(Action("open_app", text="files"))
    state = world.state
    state["theme"]["kits"] = {"files": kit}
    rows = [widget.id for widget in world.session.machine.shown().walk() if widget.tap]
    world.set_state(state)
    without = {id: (place or {}).get("seen") for id, place in world.ground(rows)["places"].items()}
    world.set_state({**state, "toast": "Something was done, and this says so"})
    assert {id: (place or {}).get("seen") for id, place in world.ground(rows)["places"].items()} == without
    assert sum(map(bool, without.values())) > 5


def test_system_dialogs_are_answered(world: PhoneWorld) -> None:
    world.language = "en"
    world.reset(5, "clock.toggle_alarm")
    world.session.state["interruptions"] = [
        {"after": 1, "kind": kind, "args": args}
        for kind, args in (
            ("permission", {"app": "chat", "permission": "location"}),
            ("coupon", {"worth": 5}),
            ("update", {}),
        )
    ]
    seen = world.act(Action("open_app", text="clock"))
    assert named(seen, "Don't allow").interactive
    assert finish(world, seen, random.Random(2)).reward == 1.0


def test_a_killed_browser_is_an_infrastructure_error_and_a_reset_brings_it_back() -> None:
    with open_world("phone/clock.add_alarm", theme="light", scale=1) as world:
        world.reset(1)
        assert isinstance(world, PhoneWorld)
        world.engine.run(world.engine._browser.close(), 10)  # type: ignore[union-attr]
        with pytest.raises(InfrastructureError):
            world.act(Action("press", key="home"))
        assert world.reset(1).instruction


def test_the_oracle_finds_what_stands_on_a_page_and_on_the_sheet_over_it(world: PhoneWorld) -> None:
    """The folder's page has a button for a new folder, and so has the sheet that asks where to move a file."""
    world.task, world.language, world.theme, world.split = "files.file_new", "en", "light", "test"
    seen = world.reset(seed=200000048)
    world.split = None
    way = ("Search apps", "Files", "Internal storage", "Documents", "Reading list.txt", "Move to…", "Documents")
    for text in way:
        kind = "long_press" if text.endswith(".txt") else "click"
        seen = world.act(Action(kind, named(seen, text, "button").center))  # type: ignore[arg-type]
    advice = Oracle(world).advise(list(seen.screen.elements))
    if advice.key_elements[0].text == "Close":  # a message has come meanwhile, and lies over the sheet
        seen = world.act(Action("click", advice.key_elements[0].center))
        advice = Oracle(world).advise(list(seen.screen.elements))
    assert not advice.lost
    assert [element.text for element in advice.key_elements][:1] == ["New folder"]
    assert finish(world, seen, random.Random(0)).reward == 1
