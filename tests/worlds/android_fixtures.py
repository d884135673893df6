"""What the tests of the android world share: a server, a phone whose page is small and so fast, and a world on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adb_server import FakeAdb
from android_look import SERIAL
from fake_phone import SMALL, FakePhone

from saccade.worlds.android.world import AndroidWorld
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList


@pytest.fixture(scope="session")
def android_engine() -> Iterator[BrowserEngine]:
    engine = BrowserEngine(AllowList(frozenset(("file",))))
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def fake_adb(android_engine: BrowserEngine) -> Iterator[FakeAdb]:
    with FakeAdb() as adb:
        adb.plug(FakePhone(android_engine, SERIAL, device=SMALL))
        yield adb


@pytest.fixture
def phone(fake_adb: FakeAdb) -> Iterator[FakePhone]:
    """The phone, and afterwards the question that matters most: was there ever a second command?"""
    phone = fake_adb.phones[SERIAL]
    yield phone
    assert phone.refused == []
    phone.page("document.querySelectorAll('input, textarea').forEach((field) => { field.value = ''; })")
    phone.dumps, phone.shots, phone.tty, phone.breaks_off_at = [], [], True, ""
    fake_adb.plug(phone)


@pytest.fixture(scope="session")
def started_android(fake_adb: FakeAdb) -> Iterator[AndroidWorld]:
    with AndroidWorld(SERIAL, port=fake_adb.port, pause=0.0) as world:
        world.reset()
        yield world


@pytest.fixture
def android(started_android: AndroidWorld, phone: FakePhone) -> Iterator[AndroidWorld]:
    """The world, and afterwards the user's keyboard again: a test that sets it must not meet a world that thinks
    it has switched to another.
    """
    yield started_android
    started_android._ready().keyboard.restore()
