"""The browser world on real pages in real Chromium."""

from __future__ import annotations

import io
import os
import signal
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from saccade.actions import Action, ActionType
from saccade.errors import MissingError
from saccade.geometry import Point
from saccade.types import Element
from saccade.worlds.base import InfrastructureError, Observation
from saccade.worlds.browser import engine as engine_module
from saccade.worlds.browser.engine import BrowserEngine, find_chromium
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import ACTION_SECONDS, DESKTOP, PHONE, BrowserWorld


@pytest.fixture(scope="module")
def engine() -> Iterator[BrowserEngine]:
    engine = BrowserEngine(AllowList.of([], "http://127.0.0.1"))
    yield engine
    engine.close()


@pytest.fixture(params=["desktop", "phone"])
def hands(request: pytest.FixtureRequest, engine: BrowserEngine, server: str) -> Iterator[BrowserWorld]:
    device = PHONE if request.param == "phone" else DESKTOP
    with BrowserWorld(f"{server}/hands.html", device=device, engine=engine) as world:
        world.reset()
        yield world


@pytest.fixture
def events(engine: BrowserEngine, server: str) -> Iterator[BrowserWorld]:
    with BrowserWorld(f"{server}/events.html", engine=engine, settle_limit=2) as world:
        world.reset()
        yield world


def look(world: BrowserWorld) -> Observation:
    return world.act(Action("wait", seconds=0))


def find(observation: Observation, name: str) -> Element:
    found = [e for e in observation.screen.elements if name in (e.text, e.caption)]
    assert found, (name, [e.text for e in observation.screen.elements])
    return found[0]


def texts(observation: Observation) -> list[str]:
    return [element.text for element in observation.screen.elements]


def press(world: BrowserWorld, name: str) -> Observation:
    return world.act(Action("click", find(look(world), name).center))


def log(observation: Observation) -> str:
    return next(text for text in texts(observation) if text.startswith("log"))


# -- hands -------------------------------------------------------------------------------------------------------


def test_screenshot_has_the_devices_size(hands: BrowserWorld) -> None:
    observation = look(hands)
    assert observation.screen.picture is not None
    image = observation.screen.picture.source
    assert isinstance(image, bytes)
    assert struct.unpack(">II", image[16:24]) == hands.device.pixels == observation.screen.size


def test_click_double_right_hover_hold(hands: BrowserWorld) -> None:
    place = find(look(hands), "pad").center
    heard = log(hands.act(Action("click", place)))
    assert "click" in heard
    assert ("touchstart" in heard) == hands.device.touch
    assert "dblclick" in log(hands.act(Action("double_click", place)))
    assert "contextmenu" in log(hands.act(Action("right_click", place)))
    if hands.device.touch:
        before = log(look(hands)).count("contextmenu")
        assert log(hands.act(Action("long_press", place))).count("contextmenu") > before
    else:
        hands.act(Action("hover", Point(5, 700)))
        assert log(hands.act(Action("hover", place))).endswith("hover")


def test_drag(hands: BrowserWorld) -> None:
    box = find(look(hands), "pad").box
    start, end = Point(box.x0 + 30, box.center.y), Point(box.x0 + 600, box.center.y)
    assert "dragged" in log(hands.act(Action("drag", start=start, end=end)))


@pytest.mark.parametrize("text", ["hello", "你好，世界", "a'b\"c\\ <b>", "混合 mixed 😀", "x" * 300])
def test_typing(hands: BrowserWorld, text: str) -> None:
    field = find(look(hands), "text")
    observation = hands.act(Action("type", text=text, point=field.center))
    assert observation.error == ""
    assert text[:300] in texts(observation)


def test_typing_nowhere_is_an_error(hands: BrowserWorld) -> None:
    hands.act(Action("click", find(look(hands), "pad").center))
    assert hands.act(Action("type", text="x")).error == "nothing to type into: no text field has the focus"


def test_chords_replace_the_text(hands: BrowserWorld) -> None:
    hands.act(Action("type", text="old", point=find(look(hands), "text").center))
    hands.act(Action("press", key="ctrl+a"))
    assert "new" in texts(hands.act(Action("type", text="new")))
    assert "ctrl+b" in log(hands.act(Action("press", key="ctrl+b")))
    assert "no key" in hands.act(Action("press", key="warp")).error


def test_select(hands: BrowserWorld) -> None:
    place = find(look(hands), "apple").center
    assert "fruit:pear" in log(hands.act(Action("select", place, text="pear")))
    assert "choose one of apple, pear, plum" in hands.act(Action("select", place, text="kiwi")).error
    assert "disabled" in hands.act(Action("select", place, text="plum")).error
    assert "no list" in hands.act(Action("select", Point(5, 5), text="pear")).error


def bottom(observation: Observation, name: str) -> float:
    """Where an element ends; 0 if it is out of view."""
    return max((e.box.y1 for e in observation.screen.elements if name in (e.text, e.caption)), default=0)


@pytest.mark.parametrize("type", ["swipe", "drag"])
def test_a_swipe_or_drag_that_hardly_moves_is_a_click(hands: BrowserWorld, type: ActionType) -> None:
    spot = find(look(hands), "pad").center
    more: dict[str, Any] = {"direction": "up"} if type == "swipe" else {}
    seen = hands.act(Action(type, start=spot, end=Point(spot.x, spot.y - 3), **more))
    assert log(seen).count("click") == 1, log(seen)


def test_swipe_scrolls_the_page_and_the_list(hands: BrowserWorld) -> None:
    width, height = hands.device.pixels
    low, high = Point(width // 2, height - 60), Point(width // 2, height - 500)
    before = find(look(hands), "pad").box
    hands.act(Action("swipe", direction="up", start=low, end=high))
    assert bottom(look(hands), "pad") < before.y1 - 20
    for _ in range(4):
        hands.act(Action("swipe", direction="down", start=high, end=low))
    rows = find(look(hands), "row 0").box
    hands.act(Action("swipe", direction="up", start=rows.center, end=Point(rows.center.x, rows.center.y - 150)))
    assert bottom(look(hands), "row 0") < rows.y1 - 20


def test_the_same_swipe_scrolls_as_far_each_time(engine: BrowserEngine, server: str) -> None:
    """By the way of the finger, less what it moves before the page counts it as moving; nothing is flung."""
    with BrowserWorld(f"{server}/bands.html", device=PHONE, engine=engine, pictures=False) as world:
        for _ in range(2):
            world.reset()
            world.act(Action("swipe", direction="up"))
            assert engine.run(world.tabs.page.evaluate("scrollY"), 5) == PHONE.height / 2 - 15


def test_back_home_and_url(hands: BrowserWorld, server: str) -> None:
    assert "no earlier page" in hands.act(Action("press", key="back")).error
    observation = hands.act(Action("open_url", text=f"{server}/second.html"))
    assert observation.url.endswith("second.html")
    assert hands.act(Action("press", key="back")).url.endswith("hands.html")
    hands.act(Action("open_url", text=f"{server}/second.html"))
    assert hands.act(Action("press", key="home")).url.endswith("hands.html")


def test_what_cannot_be_done_is_said(hands: BrowserWorld) -> None:
    assert "cannot do open_app" in hands.act(Action("open_app", text="Clock")).error
    assert "outside the screen" in hands.act(Action("click", Point(-1, 5))).error
    assert "outside the screen" in hands.act(Action("click", Point(5000, 5))).error
    assert hands.act(Action("answer", text="42")).error == ""


def test_the_picture_shows_what_the_elements_say_also_after_scrolling(engine: BrowserEngine, server: str) -> None:
    """Each band of the page has a colour of its own, and bears its name."""
    for device in (DESKTOP, PHONE):
        with BrowserWorld(f"{server}/bands.html", device=device, engine=engine) as world:
            seen = world.reset()
            for _ in range(3):
                assert seen.screen.picture is not None
                assert isinstance(seen.screen.picture.source, bytes)
                image = Image.open(io.BytesIO(seen.screen.picture.source)).convert("RGB")
                bands = [e for e in seen.screen.elements if e.text.startswith("#") and e.box.height > 40]
                assert len(bands) >= 3
                for band in bands:
                    at = (int(band.box.x1) - 20, int(band.center.y))
                    assert "#{:02x}{:02x}{:02x}".format(*image.getpixel(at)) == band.text  # type: ignore[misc]
                before = bands[0].text
                seen = world.act(Action("swipe", direction="up"))
                seen = world.act(Action("wait", seconds=0.5))
                assert next(e.text for e in seen.screen.elements if e.text.startswith("#")) != before


def test_a_page_made_for_desktops_can_be_used_on_the_phone(engine: BrowserEngine, server: str) -> None:
    """It is laid out 980 wide and shown smaller: boxes and taps must fit what the picture shows."""
    with BrowserWorld(f"{server}/wide.html", device=PHONE, engine=engine) as world:
        button = find(world.reset(), "far right")
        assert 700 < button.center.x < 1000
        assert "hit" in texts(world.act(Action("click", button.center)))


# -- what happens to a page --------------------------------------------------------------------------------------


def test_dialogs(events: BrowserWorld) -> None:
    assert press(events, "alert").events == ("the page showed a dialog (alert), which was closed: hello",)
    confirm = press(events, "confirm")
    assert "declined: sure?" in confirm.events[0]
    assert "confirm:false" in texts(confirm)
    assert "prompt:null" in texts(press(events, "prompt"))


def test_new_tab_is_shown_and_left_again(events: BrowserWorld) -> None:
    observation = press(events, "new tab")
    assert observation.url.endswith("second.html")
    assert "a new tab opened and is now shown" in observation.events
    closed = press(events, "close me")
    assert closed.url.endswith("events.html")
    assert "a tab was closed" in closed.events
    press(events, "new tab")
    assert events.act(Action("press", key="back")).url.endswith("events.html")


def test_the_last_tab_closing_is_not_the_end(events: BrowserWorld) -> None:
    events.act(Action("open_url", text=f"{events.url.rpartition('/')[0]}/second.html"))

    async def close() -> None:
        await events.tabs.page.close()

    events.engine.run(close(), 5)
    for action in (Action("click", Point(5, 5)), Action("wait", seconds=0)):
        observation = events.act(action)
        assert observation.url.endswith("events.html")
    assert events.reset().error == ""


def test_downloads_and_files(events: BrowserWorld) -> None:
    assert "refused: a.bin" in " ".join(press(events, "download").events)
    asked = press(events, "file")
    assert "the page asked for a file; none was given" in (*asked.events, *look(events).events)


def test_settling_waits_for_what_is_under_way(events: BrowserWorld) -> None:
    assert "fetched" in texts(press(events, "fetch"))
    assert "slid" in texts(press(events, "animate"))
    start = time.monotonic()
    press(events, "spin")  # an endless animation does not hold it up
    assert time.monotonic() - start < 1.5


def test_a_hanging_page_is_replaced(monkeypatch: pytest.MonkeyPatch, engine: BrowserEngine, server: str) -> None:
    monkeypatch.setitem(ACTION_SECONDS, "click", 1.0)
    with BrowserWorld(f"{server}/events.html", settle_limit=0.5) as world:
        world.reset()
        start = time.monotonic()
        observation = press(world, "hang")
        assert time.monotonic() - start < 30
        assert "stopped answering; the start page is shown again" in observation.error
        assert "alert" in texts(observation)


def test_a_crashed_page_is_replaced(events: BrowserWorld) -> None:
    async def crash() -> None:
        session = await events.tabs.session()
        await session.send("Page.crash")

    with suppress(InfrastructureError):  # a crashed page does not answer
        events.engine.run(crash(), 3)
    observation = look(events)
    assert "the page crashed" in observation.error
    assert "alert" in texts(observation)
    assert events.reset().error == ""


def test_elements_of_an_earlier_screen_are_gone(events: BrowserWorld) -> None:
    first = look(events)
    asked = look(events)
    names = texts(asked)
    look(events)
    assert texts(asked) == names
    with pytest.raises(LookupError, match="earlier screen"):
        texts(first)


# -- the network -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["redirect out", "frame out", "tab out"])
def test_other_hosts_are_blocked(events: BrowserWorld, name: str) -> None:
    observation = press(events, name)
    assert "blocked: blocked.example is not an allowed host" in (*observation.events, *look(events).events)


def test_sockets_are_blocked_too(events: BrowserWorld) -> None:
    assert "socket refused" in texts(press(events, "socket"))
    assert "not on an allowed host" in events.act(Action("open_url", text="http://blocked.example")).error
    assert "not on an allowed host" in events.act(Action("open_url", text="file:///etc/passwd")).error


@pytest.mark.parametrize(
    ("hosts", "url", "allowed"),
    [
        ([], "http://a.example/", False),
        (["a.example"], "http://a.example:8080/x", True),
        (["a.example"], "http://b.a.example/", False),
        (["*.a.example"], "http://b.a.example/", True),
        (["*.a.example"], "http://a.example/", True),
        (["*.a.example"], "http://evila.example/", False),
        (["a.example"], "http://a.example@evil.example/", False),
        (["*"], "http://anything/", True),
        (["a.example"], "file:///etc/passwd", False),
        ([], "about:blank", True),
        (["a.example"], "http://[broken", False),
    ],
)
def test_allow_list(hosts: list[str], url: str, allowed: bool) -> None:
    assert AllowList.of(hosts).allows(url) is allowed


# -- when the browser itself fails -------------------------------------------------------------------------------


def browser_pids(engine: BrowserEngine) -> list[int]:
    """The Chromium processes of this engine: children of its Playwright driver."""
    listing = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listing.splitlines()[1:]]
    children: dict[int, list[int]] = {}
    for pid, parent, _ in rows:
        children.setdefault(int(parent), []).append(int(pid))
    found, queue = [], [os.getpid()]
    while queue:
        for child in children.get(queue.pop(), ()):
            found.append(child)
            queue.append(child)
    return [pid for pid in found if any(int(p) == pid and "--type=" not in a and "chrom" in a for p, _, a in rows)]


@pytest.mark.browser
def test_a_killed_browser_is_an_infrastructure_error_and_comes_back(server: str) -> None:
    with BrowserWorld(f"{server}/hands.html") as world:
        for round in range(2):
            before = set(browser_pids(world.engine)) if round else set()
            world.reset()
            for pid in set(browser_pids(world.engine)) | before:
                with suppress(ProcessLookupError):  # one of the round before may be gone by now
                    os.kill(pid, signal.SIGKILL)
            start = time.monotonic()
            with pytest.raises(InfrastructureError, match=r"browser|closed"):
                for _ in range(50):
                    look(world)
            assert time.monotonic() - start < 30
        assert world.reset().error == ""


def test_two_worlds_share_a_browser_but_not_their_state(engine: BrowserEngine, server: str) -> None:
    address = f"{server}/hands.html"
    with BrowserWorld(address, engine=engine) as one, BrowserWorld(address, engine=engine) as two:
        one.reset(), two.reset()
        one.act(Action("type", text="mine", point=find(look(one), "text").center))
        assert "mine" in texts(look(one))
        assert "mine" not in texts(look(two))
        assert one.reset().screen.picture == two.reset().screen.picture


@pytest.fixture
def no_chromium(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder that is the whole PATH and has all of Playwright's downloads: empty."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.delenv("SACCADE_CHROMIUM", raising=False)
    monkeypatch.setattr(engine_module, "HEADLESS_NAMES", ("headless_shell",))
    return tmp_path


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o755)
    return str(path)


def test_missing_chromium_says_what_to_install(monkeypatch: pytest.MonkeyPatch, no_chromium: Path) -> None:
    with pytest.raises(MissingError, match="apt-get install chromium"):
        find_chromium()
    monkeypatch.setenv("SACCADE_CHROMIUM", str(no_chromium / "none"))
    with pytest.raises(MissingError, match="no such file"):
        find_chromium()


def test_without_windows_the_chromium_made_for_it_is_preferred(no_chromium: Path) -> None:
    download = program(no_chromium / "chromium_headless_shell-1200/chrome-headless-shell-linux64/chrome-headless-shell")
    assert find_chromium() == download
    with pytest.raises(MissingError):
        find_chromium(headless=False)
    chromium = program(no_chromium / "chromium")
    assert (find_chromium(), find_chromium(headless=False)) == (download, chromium)
    shell = program(no_chromium / "headless_shell")
    assert (find_chromium(), find_chromium(headless=False)) == (shell, chromium)


def test_a_chromium_with_windows_does_without_them(no_chromium: Path) -> None:
    chromium = program(no_chromium / "chromium-1200/chrome-linux/chrome")
    assert find_chromium() == find_chromium(headless=False) == chromium


def test_acting_before_reset(server: str) -> None:
    with BrowserWorld(f"{server}/hands.html") as world, pytest.raises(InfrastructureError, match="not reset"):
        world.act(Action("wait"))
