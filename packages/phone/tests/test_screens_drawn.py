"""Every screen of every app, in both languages and in every kit: nothing cut, nothing too small for a finger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade_phone.apps import SYSTEM_APPS, apps
from saccade_phone.screenshots import CHECK, screens
from saccade_phone.session import Session
from saccade_phone.world import ADDRESS, PhoneWorld

pytestmark = [pytest.mark.browser, pytest.mark.slow]
NAMES = ["launcher", *(name for name in apps() if name not in SYSTEM_APPS)]
LOOKS = [("light", ""), ("large", "vant"), ("dark", "weui"), ("large", "f7-ios"), ("material-dark", "")]


@pytest.fixture(scope="module")
def world() -> Iterator[PhoneWorld]:
    engine = BrowserEngine(AllowList.of((), ADDRESS))
    yield PhoneWorld(theme="light", engine=engine)
    engine.close()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", NAMES)
def test_every_screen_is_drawn_whole(world: PhoneWorld, name: str, language: Any) -> None:
    problems = []
    for theme, kit in LOOKS:
        world.language, world.theme = language, theme
        world.reset(9)
        base = world.session.state
        if kit:
            base["theme"]["kits"] = dict.fromkeys(apps(), kit)
        logged = console(world)
        for screen, state in screens(base, name):
            found = world.engine.run(look(world, Session(state, base, world.session.goal, apps())), 20)
            problems += [f"{name}/{screen} {theme} {kit}: {problem}" for problem in found]
        problems += logged
    assert not problems, "\n".join(problems[:40])


def console(world: PhoneWorld) -> list[str]:
    """What the page complains about from now on."""
    logged: list[str] = []

    async def listen() -> None:
        world.tabs.page.on("console", lambda said: logged.append(said.text) if said.type == "error" else None)

    world.engine.run(listen(), 5)
    return logged


async def look(world: PhoneWorld, session: Session) -> list[str]:
    """Draw without a screenshot: there are many."""
    world._session = session
    world.episode += 1
    await world._render()
    found: list[str] = await world.tabs.page.evaluate(CHECK)
    return found
