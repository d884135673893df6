"""A device that misbehaves: dumps that fail, pictures that break off, a cable that is pulled."""

from __future__ import annotations

import threading

import pytest
from adb_server import FakeAdb
from android_look import SERIAL, find, show
from fake_phone import FakePhone

from saccade.actions import Action
from saccade.agents.approval import Gate
from saccade.geometry import Point
from saccade.worlds.android.world import AndroidWorld
from saccade.worlds.base import InfrastructureError

pytest_plugins = ["android_fixtures"]


def test_dumps_that_fail_at_first(android: AndroidWorld, phone: FakePhone) -> None:
    observation = show(android, phone, "home")
    phone.dumps = ["ERROR: could not get idle state.", "ERROR: null root node returned by UiTestAutomationBridge."]
    assert find(observation, "Counter").interactive


def test_a_device_that_dumps_to_files_only(fake_adb: FakeAdb, phone: FakePhone) -> None:
    phone.tty, before = False, len(phone.lines)
    with AndroidWorld(SERIAL, port=fake_adb.port, pause=0.0) as world:
        for _ in range(2):
            assert find(world.reset(), "笔记").text == "笔记"
    assert phone.files == {}, "nothing is left on the device"
    assert sum("/dev/tty" in line for line in phone.lines[before:]) == 1, "it was asked for once only"


@pytest.mark.parametrize(
    ("dump", "message"),
    [
        ("ERROR: could not get idle state.", "could not get idle state"),
        ("<hierarchy><node", "not XML"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><hierarchy></hierarchy>", "document type"),
        ("<hierarchy><node text='a'/></hierarchy>", "no `bounds`"),
    ],
)
def test_a_broken_dump_gives_no_elements_and_says_so(
    android: AndroidWorld, phone: FakePhone, dump: str, message: str
) -> None:
    observation = show(android, phone, "home")
    phone.dumps = [dump] * 3
    assert list(observation.screen.elements) == []
    after = android.act(Action("wait", seconds=0))
    assert len(after.events) == 1 and message in after.events[0]
    assert find(after, "Counter") and not android.act(Action("wait", seconds=0)).events


def test_a_screen_that_cannot_be_read_is_asked_about(android: AndroidWorld, phone: FakePhone) -> None:
    seen, swipe = show(android, phone, "home"), Action("swipe", direction="up")
    list(seen.screen.elements)
    assert Gate().check(swipe, seen, android).allowed
    phone.dumps = ["ERROR: could not get idle state."] * 3
    approval = Gate().check(swipe, seen, android)
    assert (approval.allowed, approval.rule) == (False, "unknown-target")


def test_a_refused_action_is_an_error_not_an_exception(
    android: AndroidWorld, phone: FakePhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        phone, "_input", lambda *_: (255, b"java.lang.SecurityException: Injecting requires permission\n")
    )
    assert "the device refused: java.lang.SecurityException" in android.act(Action("click", point=Point(1, 1))).error


def test_unplugged_in_the_middle_and_plugged_in_again(fake_adb: FakeAdb, phone: FakePhone) -> None:
    with AndroidWorld(SERIAL, port=fake_adb.port, pause=0.0) as world:
        observation = world.reset()
        fake_adb.unplug(SERIAL)
        with pytest.raises(InfrastructureError, match=f"device {SERIAL} is gone: it was unplugged or switched off"):
            world.act(Action("click", point=Point(5, 5)))
        with pytest.raises(LookupError):
            list(observation.screen.elements)
        threading.Timer(0.3, fake_adb.plug, [phone]).start()
        assert not world.reset().error


@pytest.mark.parametrize("line", ["screencap", "uiautomator", "input"])
def test_unplugged_while_it_answers(fake_adb: FakeAdb, phone: FakePhone, line: str) -> None:
    with AndroidWorld(SERIAL, port=fake_adb.port, pause=0.0) as world:
        observation = world.reset()
        phone.breaks_off_at = line
        with pytest.raises(InfrastructureError, match="is gone"):
            if line == "uiautomator":
                list(observation.screen.elements)
            else:
                world.act(Action("click", point=Point(5, 5)))


def test_a_picture_that_breaks_off_once(android: AndroidWorld, phone: FakePhone) -> None:
    phone.shots = [b"", b"\x89PNG\r\n\x1a\n"]
    assert not android.act(Action("wait", seconds=0)).error
    phone.shots = [b"screencap: cannot open display"] * 3
    with pytest.raises(InfrastructureError, match="gave no screenshot: screencap printed no PNG picture"):
        android.act(Action("wait", seconds=0))
