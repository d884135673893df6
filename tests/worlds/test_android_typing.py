"""Typing on a phone: every text arrives in the page's field exactly, and none of it reaches the shell as a command."""

from __future__ import annotations

from typing import Any

import pytest
from adb_server import FakeAdb
from android_look import SERIAL, find, show
from fake_phone import ADB_KEYBOARD, SMALL, USUAL_KEYBOARD, FakePhone
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.actions import Action
from saccade.worlds.android.keyboard import Keyboard
from saccade.worlds.android.world import AndroidWorld
from saccade.worlds.browser.engine import BrowserEngine

pytest_plugins = ["android_fixtures"]
NASTY = [
    "; rm -rf / #",
    "$(reboot)",
    "`id`",
    "a'b\"c",
    "%s",
    "100%",
    "% s %%s",
    "\\n",
    "\\",
    "&& ls",
    "two\nlines",
    "'; reboot; '",
    "-v",
    "~/*",
    "a > b < c | d & e",
    "!history",
    "#",
    " leading and trailing ",
    "a  b",
    "x=y",
    "你好，世界",
    "😀👩\u200d👩\u200d👧",
    "ñ é ß",
    "'你好'; $(ls)",
    "한국어 и кириллица",
    "你\n好",
]
PLAIN_ROUTE = ("input ",)
OTHER_ROUTE = ("input ", "am broadcast ", "ime ", "settings ", "dumpsys ")


def note(phone: FakePhone) -> Any:
    return phone.page("note.value")


def clear(phone: FakePhone) -> None:
    phone.page("note.value = ''; note.focus()")


def check(phone: FakePhone, world: AndroidWorld, text: str) -> None:
    """Type it by keys, where they suffice, and by the keyboard app."""
    keyboard = Keyboard(world._ready().device)
    for _ in range(2):
        clear(phone)
        before = len(phone.lines)
        assert keyboard.type(text) == ""
        assert note(phone) == text
        route = OTHER_ROUTE if keyboard._switched or not text.isascii() else PLAIN_ROUTE
        assert all(line.startswith(route) for line in phone.lines[before:])
        assert keyboard._switch()
    keyboard.restore()
    assert phone.refused == []


@pytest.mark.parametrize("text", NASTY)
def test_texts_arrive_as_they_are(android: AndroidWorld, phone: FakePhone, text: str) -> None:
    phone.show("notes")
    check(phone, android, text)


@settings(max_examples=20)
@given(
    text=st.text(st.characters(blacklist_categories=["Cs", "Cc"]) | st.sampled_from("'\"\\$`;|&%s \n"), max_size=30)
    | st.text("'\"\\$`;|&%s \nabc", max_size=30)
)
def test_random_texts_arrive_as_they_are(fake_adb: FakeAdb, started_android: AndroidWorld, text: str) -> None:
    phone = fake_adb.phones[SERIAL]
    phone.show("notes")
    check(phone, started_android, text)


def test_typing_as_an_action(android: AndroidWorld, phone: FakePhone) -> None:
    observation = show(android, phone, "notes")
    clear(phone)
    observation = android.act(Action("type", text="买牛奶 & eggs", point=find(observation, "写点什么").center))
    assert find(observation, "买牛奶 & eggs").state == "focused"
    line = find(observation, "One line").center
    assert find(android.act(Action("type", text="50 % off", point=line, submit=True)), "sent: 50 % off")
    android.act(Action("press", key="ctrl+a"))
    android.act(Action("press", key="backspace"))
    assert phone.page("line.value") == ""
    for text, why in [("a\0b", "code 0"), ("\ud83d", "surrogate"), ("x" * 20_000, "too long")]:
        assert why in android.act(Action("type", text=text)).error
    assert not android.act(Action("type", text="")).error


def test_long_texts_go_in_pieces(android: AndroidWorld, phone: FakePhone) -> None:
    phone.show("notes")
    for text in ("0123456789 %s" * 20, "长文本😀" * 200):  # 260 keys and 800 signs: two pieces each
        clear(phone)
        assert android._ready().keyboard.type(text) == ""
        assert note(phone) == text


def test_the_users_keyboard_comes_back(fake_adb: FakeAdb, phone: FakePhone) -> None:
    phone.keyboard = USUAL_KEYBOARD
    with AndroidWorld(SERIAL, port=fake_adb.port, pause=0.0) as world:
        world.reset()
        world.act(Action("type", text="plain"))
        assert phone.keyboard == USUAL_KEYBOARD
        world.act(Action("type", text="你好"))
        assert phone.keyboard == ADB_KEYBOARD
    assert phone.keyboard == USUAL_KEYBOARD


def test_without_adbkeyboard(fake_adb: FakeAdb, android_engine: BrowserEngine) -> None:
    bare = FakePhone(android_engine, "bare", device=SMALL, keyboard=False)
    fake_adb.plug(bare)
    try:
        with AndroidWorld("bare", port=fake_adb.port, pause=0.0) as world:
            world.reset(task="便签")
            clear(bare)
            assert "cannot type '你': install ADBKeyboard" in world.act(Action("type", text="ok 你")).error
            assert note(bare) == ""
            bare.has_clipboard = True
            assert not world.act(Action("type", text="'你'; $(ls)")).error
            assert note(bare) == "'你'; $(ls)"
        assert bare.refused == []
    finally:
        fake_adb.unplug("bare")
        bare.close()
