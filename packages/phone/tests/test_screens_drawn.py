"""Every screen of every app, in both languages and in every kit: nothing cut, nothing too small for a finger."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import PHONE, Device
from saccade_phone.apps import SYSTEM_APPS, apps
from saccade_phone.phone_state import draw_theme
from saccade_phone.screenshots import CHECK, screens
from saccade_phone.session import Session
from saccade_phone.world import ADDRESS, RENDER, PhoneWorld

pytestmark = [pytest.mark.browser, pytest.mark.slow]
NAMES = ["launcher", *(name for name in apps() if name not in SYSTEM_APPS)]
DRAW_AND_CHECK = f"async (tree) => {{ await ({RENDER})(tree); return ({CHECK})() }}"
LOOKS = [("light", ""), ("large", "vant"), ("dark", "weui"), ("large", "f7-ios"), ("material-dark", "")]


@pytest.fixture(scope="module")
def world() -> Iterator[PhoneWorld]:
    """A phone that lays out its screens and paints nothing, which would take half of the time."""
    engine = BrowserEngine(AllowList.of((), ADDRESS))
    world = PhoneWorld(device=Device(PHONE.width, PHONE.height, 1.0, touch=True), engine=engine)
    world.reset(9)
    engine.run(world.tabs.page.add_style_tag(content="html { visibility: hidden }"), 10)
    yield world
    engine.close()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", NAMES)
def test_every_screen_is_drawn_whole(world: PhoneWorld, name: str, language: Any) -> None:
    problems = []
    world.language = language
    world.reset(9)
    base = world.session.state
    logged = console(world)
    found_screens = list(screens(base, name))
    for theme, kit in LOOKS:
        for screen, state in found_screens:
            state["theme"] = themed(theme, kit)
            found = world.engine.run(look(world, Session(state, base, world.session.goal, apps())), 20)
            problems += [f"{name}/{screen} {theme} {kit}: {problem}" for problem in found + logged]
            logged.clear()
    assert not problems, "\n".join(problems[:40])


def themed(theme: str, kit: str) -> dict[str, Any]:
    """The theme of this name, with one kit for all apps, or with each app's own."""
    drawn = draw_theme(theme, Random(9), apps())
    return drawn | {"kits": dict.fromkeys(apps(), kit)} if kit else drawn


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
    found: list[str] = await world.tabs.page.evaluate(DRAW_AND_CHECK, world._tree())
    return found
