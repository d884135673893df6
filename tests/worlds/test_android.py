"""The android world, through the real adb protocol, on a phone whose screen is a live page in Chromium."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import pytest
from adb_server import FakeAdb
from android_look import SERIAL, find, picture, show
from fake_phone import FakePhone

from saccade.actions import Action
from saccade.geometry import Point, Size
from saccade.worlds import open_world
from saccade.worlds.android.world import AndroidWorld
from saccade.worlds.base import InfrastructureError
from saccade.worlds.browser.engine import BrowserEngine

pytest_plugins = ["android_fixtures"]


# -- looking ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(fake_adb: FakeAdb, android_engine: BrowserEngine) -> Iterator[AndroidWorld]:
    """A phone with all its pixels."""
    phone = FakePhone(android_engine, "whole")
    fake_adb.plug(phone)
    with AndroidWorld("whole", port=fake_adb.port, pause=0.0) as world:
        yield world
    fake_adb.unplug("whole")
    phone.close()


def test_reset_shows_the_home_screen(whole: AndroidWorld, fake_adb: FakeAdb) -> None:
    phone = fake_adb.phones["whole"]
    phone.show("counter")
    observation = whole.reset(seed=3)
    assert observation.app == "com.android.launcher3" and not observation.error
    assert observation.screen.size == Size(1080, 2400) == picture(observation).size
    assert [element.text for element in observation.screen.elements] == ["手机主页", "Counter", "笔记", "Items"]
    assert phone.keys == ["KEYCODE_WAKEUP", "KEYCODE_HOME"]


def test_reset_goes_on_to_an_app(android: AndroidWorld) -> None:
    assert android.reset(task="com.example.counter").app == "com.example.counter"
    assert "there is no app 'nope'" in android.reset(task="nope").error


@pytest.mark.skipif(shutil.which("adb") is None, reason="there is no adb on this machine: make setup installs it")
def test_the_real_adb_sees_the_same_screen(whole: AndroidWorld, fake_adb: FakeAdb) -> None:
    observation = whole.reset()
    argv = ["adb", "-P", str(fake_adb.port), "-s", "whole", "exec-out", "screencap", "-p"]
    shot = subprocess.run(argv, capture_output=True, timeout=20, check=True).stdout
    assert observation.screen.picture is not None and shot == observation.screen.picture.source


def test_elements_are_found_when_asked_for(android: AndroidWorld, phone: FakePhone) -> None:
    before = len(phone.lines)
    observation = show(android, phone, "notes")
    assert not any("uiautomator" in line for line in phone.lines[before:])
    kinds = {element.text or element.caption: element.type for element in observation.screen.elements}
    assert kinds["写点什么"] == "input" and kinds["Password"] == "password"
    assert sum("uiautomator" in line for line in phone.lines[before:]) == 1
    late = android.act(Action("wait", seconds=0))
    android.act(Action("wait", seconds=0))
    with pytest.raises(LookupError, match="it is gone"):
        list(late.screen.elements)


def test_a_password_stays_on_the_device(android: AndroidWorld, phone: FakePhone) -> None:
    observation = show(android, phone, "notes")
    observation = android.act(Action("type", text="hunter2", point=find(observation, "Password").center))
    assert phone.page("secret.value") == "hunter2"
    assert "hunter2" in phone._hierarchy()
    field = find(observation, "Password")
    assert (field.text, field.state) == ("", "filled focused")
    assert not any("hunter2" in repr(element) for element in observation.screen.elements)


def test_a_turned_device(whole: AndroidWorld, fake_adb: FakeAdb) -> None:
    phone = fake_adb.phones["whole"]
    assert whole.reset().screen.size == Size(1080, 2400)
    phone.turn(landscape=True)
    observation = whole.act(Action("wait", seconds=0))
    assert observation.screen.size == Size(2400, 1080) == picture(observation).size
    items = find(observation, "Items")
    assert items.box.x1 > 1080, "boxes are in the same orientation"
    right = Point(items.box.x1 - 30, items.center.y)
    assert whole.act(Action("click", point=right)).app == "com.example.items"
    assert "outside the screen of 2400×1080" in whole.act(Action("click", point=Point(500, 1500))).error
    phone.turn(landscape=False)
    assert whole.reset().screen.size == Size(1080, 2400)


def test_a_screen_that_never_rests_is_looked_at_all_the_same(fake_adb: FakeAdb, phone: FakePhone) -> None:
    with AndroidWorld(SERIAL, port=fake_adb.port, pause=0.0, settle_limit=0.4) as world:
        world.reset()
        assert world.act(Action("open_app", text="restless")).app == "com.example.restless"


# -- touching ---------------------------------------------------------------------------------------------------------


def test_a_tap_changes_the_next_screenshot(android: AndroidWorld, phone: FakePhone) -> None:
    before = show(android, phone, "counter")
    count = int(phone.page("document.getElementById('count').textContent"))
    after = android.act(Action("click", point=find(before, "加一").center))
    assert find(after, str(count + 1)).type == "text"
    assert picture(before).tobytes() != picture(after).tobytes()


def test_long_press_double_click_and_drag(android: AndroidWorld, phone: FakePhone) -> None:
    observation = show(android, phone, "counter")
    assert find(android.act(Action("long_press", point=find(observation, "Hold me").center)), "held")
    assert find(android.act(Action("click", point=find(observation, "Hold me").center)), "tapped")
    assert find(android.act(Action("double_click", point=find(observation, "Tap me twice").center)), "doubled")
    start = find(observation, "Puck").center
    dragged = android.act(Action("drag", start=start, end=Point(start.x + 100, start.y)))
    assert find(dragged, "dragged 100px")


def test_drag_on_a_device_without_the_command(
    android: AndroidWorld, phone: FakePhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = phone._input
    monkeypatch.setattr(
        phone, "_input", lambda verb, *w: (255, b"Error: ?") if verb == "draganddrop" else whole(verb, *w)
    )
    start = find(show(android, phone, "counter"), "Puck").center
    android.act(Action("drag", start=start, end=Point(start.x + 60, start.y)))
    assert phone.lines[-4].startswith("input swipe") and phone.lines[-4].endswith(" 1200")


def test_swipes(android: AndroidWorld, phone: FakePhone) -> None:
    def top() -> float:
        return float(phone.page("items.scrollTop"))

    observation = show(android, phone, "items-app")
    assert find(observation, "Item 1 项目") and "scroll" in {e.type for e in observation.screen.elements}
    android.act(Action("swipe", direction="up"))
    first = top()
    assert first > 100
    android.act(Action("swipe", direction="up", start=Point(180, 400), end=Point(180, 200)))
    second = top()
    assert second > first
    android.act(Action("swipe", direction="down", start=Point(180, 170)))
    assert top() < second
    assert not android.act(Action("swipe", direction="left")).error


def test_a_swipe_that_hardly_moves_is_a_tap(android: AndroidWorld, phone: FakePhone) -> None:
    spot = find(show(android, phone, "counter"), "Hold me").center
    done = len(phone.lines)
    after = android.act(Action("swipe", direction="up", start=spot, end=Point(spot.x, spot.y - 3)))
    assert find(after, "tapped")
    assert [line.split()[1] for line in phone.lines[done:] if line.startswith("input ")] == ["tap"]


def test_keys(android: AndroidWorld, phone: FakePhone) -> None:
    show(android, phone, "home")
    show(android, phone, "counter")
    assert android.act(Action("press", key="back")).app == "com.android.launcher3"
    show(android, phone, "counter")
    assert android.act(Action("press", key="home")).app == "com.android.launcher3"
    for key in ("recent", "volume_up", "menu", "power"):
        assert not android.act(Action("press", key=key)).error
    assert phone.keys[-4:] == ["KEYCODE_APP_SWITCH", "KEYCODE_VOLUME_UP", "KEYCODE_MENU", "KEYCODE_POWER"]
    before = len(phone.lines)
    assert "there is no key 'back; reboot'" in android.act(Action("press", key="back; reboot")).error
    assert not any(line.startswith("input") for line in phone.lines[before:])


# -- apps -------------------------------------------------------------------------------------------------------------


def test_apps(android: AndroidWorld, phone: FakePhone) -> None:
    for name, package in [
        ("Counter", "com.example.counter"),
        ("便签", "com.miui.notes"),
        ("com.example.items", "com.example.items"),
    ]:
        observation = android.act(Action("open_app", text=name))
        assert (observation.app, observation.error) == (package, "")
    assert (
        "there is no app 'countr': there are com.example.counter"
        in android.act(Action("open_app", text="countr")).error
    )
    several = android.act(Action("open_app", text="example")).error
    assert several.startswith("'example' may mean several apps: say which of com.example.counter")
    before = len(phone.lines)
    assert android.act(Action("open_app", text="$(reboot); ls")).error
    assert not any("reboot" in line for line in phone.lines[before:])


def test_an_app_on_an_old_device(fake_adb: FakeAdb, phone: FakePhone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phone, "_cmd", lambda *_: (127, b"sh: cmd: not found"))
    monkeypatch.setattr(phone, "features", "")
    with AndroidWorld(SERIAL, port=fake_adb.port, pause=0.0) as world:
        assert world.reset(task="counter").app == "com.example.counter"
    assert "monkey -p com.example.counter -c android.intent.category.LAUNCHER 1" in phone.lines


def test_addresses(android: AndroidWorld, phone: FakePhone) -> None:
    assert not android.act(Action("open_url", text="example.org/a?b='c'&d=$(e)")).error
    assert "am start -a android.intent.action.VIEW -d 'https://example.org/a?b='\\''c'\\''&d=$(e)'" in phone.lines
    for bad in ("file:///sdcard/x", "intent://x", "https://", "http://["):
        assert "not the address of a web page" in android.act(Action("open_url", text=bad)).error
    for bad, why in (("https://a.example/\0", "code 0"), ("https://a.example/" + "长" * 1900, "too long for a device")):
        assert why in android.act(Action("open_url", text=bad)).error


# -- the rest ---------------------------------------------------------------------------------------------------------


def test_what_is_said_is_not_done(android: AndroidWorld, phone: FakePhone) -> None:
    before = len(phone.keys)
    assert not android.act(Action("answer", text="42")).error
    assert not android.act(Action("terminate", status="success")).error
    assert "cannot do hover" in android.act(Action("hover", point=Point(1, 1))).error
    assert "cannot do select" in android.act(Action("select", point=Point(1, 1), text="x")).error
    assert len(phone.keys) == before


def test_outside_the_screen(android: AndroidWorld, phone: FakePhone) -> None:
    before = len(phone.lines)
    for action in (Action("click", point=Point(360, 5)), Action("drag", start=Point(1, 1), end=Point(1, -1))):
        assert "is outside the screen of 360×800" in android.act(action).error
    assert not any(line.startswith("input") for line in phone.lines[before:])


def test_before_reset_and_after_close(fake_adb: FakeAdb) -> None:
    world = open_world(f"android:{SERIAL}", port=fake_adb.port)
    with pytest.raises(InfrastructureError, match="not reset yet"):
        world.act(Action("wait"))
    world.close()
