"""Every screen of every app, in both languages and in every kit: nothing cut, nothing too small for a finger."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import PHONE, Device
from saccade_phone.apps import SYSTEM_APPS, apps
from saccade_phone.phone_state import draw_theme, new_phone
from saccade_phone.screenshots import CHECK, screens
from saccade_phone.state_machine import Machine, tree
from saccade_phone.world import ADDRESS, RENDER, PhoneWorld

pytestmark = [pytest.mark.browser, pytest.mark.slow]
NAMES = ["launcher", *(name for name in apps() if name not in SYSTEM_APPS)]
DRAW_AND_CHECK = f"""async (trees) => {{
  const found = [];
  for (const tree of trees) {{
    await ({RENDER})(tree);
    found.push(({CHECK})());
  }}
  return found;
}}"""
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


@pytest.fixture(scope="module")
def logged(world: PhoneWorld) -> list[str]:
    """What the page complains about."""
    errors: list[str] = []

    async def listen() -> None:
        world.tabs.page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)

    world.engine.run(listen(), 5)
    return errors


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", NAMES)
def test_every_screen_is_drawn_whole(world: PhoneWorld, logged: list[str], name: str, language: Any) -> None:
    problems = []
    state, _ = new_phone(apps(), 9, language)
    found = list(screens(state, name))
    for theme, kit in LOOKS:
        looks = themed(theme, kit)
        trees = [tree(Machine({**shown, "theme": looks}, apps())) for _, shown in found]
        for (screen, _), wrong in zip(found, draw(world, trees), strict=True):
            problems += [f"{name}/{screen} {theme} {kit}: {problem}" for problem in wrong]
        problems += [f"{name} {theme} {kit}: {problem}" for problem in logged]
        logged.clear()
    assert not problems, "\n".join(problems[:40])


def themed(theme: str, kit: str) -> dict[str, Any]:
    """The theme of this name, with one kit for all apps, or with each app's own."""
    drawn = draw_theme(theme, Random(9), apps())
    return drawn | {"kits": dict.fromkeys(apps(), kit)} if kit else drawn


def draw(world: PhoneWorld, trees: list[dict[str, Any]]) -> list[list[str]]:
    """Draw one screen after the other, each as on another phone: what is wrong with each."""
    texts = []
    for each in trees:
        world.episode += 1
        texts.append(json.dumps(each | {"episode": world.episode}))
    found: list[list[str]] = world.engine.run(world.tabs.page.evaluate(DRAW_AND_CHECK, texts), 120)
    return found
