"""Random walks in real worlds: applications in a browser, MiniWoB, Android through adb, a desktop application."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from real_applications import APPLICATIONS, Application, started

from saccade.agents.approval import load_approval_policy
from saccade.data.synthesis.walk import summarise
from saccade.data.synthesis.walk_episode import MOST_REFUSALS, Walk, WalkedEpisode
from saccade.types import Step
from saccade.worlds.android.world import AndroidWorld
from saccade.worlds.base import World
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import BrowserWorld
from saccade.worlds.desktop.world import DesktopWorld
from saccade.worlds.miniwob.world import MiniWobWorld

EMULATOR = "default: allow\nrules: [{include: careful}]\n"
pytest_plugins = ["android_fixtures", "desktop_fixtures"]


@pytest.fixture(scope="module")
def engine() -> Iterator[BrowserEngine]:
    engine = BrowserEngine(AllowList(frozenset(("127.0.0.1",))))
    yield engine
    engine.close()


def walked(world: World, length: int, seed: int = 0, policy: str = "browse") -> WalkedEpisode:
    found = Walk(world, "w", length, load_approval_policy(policy), {"world": world.name}).walk(
        seed, random.Random(seed)
    )
    assert found.done == length and len(found.shots) == len(found.steps)
    for step in found.steps:
        assert step.truth == [] and step.elements and step.tags["world"] == world.name
        assert (step.prediction is None) == ("changed" not in step.tags)
    return found


def chained(steps: list[Step]) -> bool:
    """Does each record begin where the one before it led to?"""
    inner = [(a, b) for a, b in pairwise(steps) if a.episode == b.episode]
    return all(a.tags.get("url_after") == b.tags.get("url") and b.step == a.step + 1 for a, b in inner)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("application", APPLICATIONS, ids=lambda application: application.name)
def test_an_application_that_nobody_here_wrote(application: Application, engine: BrowserEngine, tmp_path: Path) -> None:
    """Links to elsewhere, and buttons that delete or confirm something, are refused and counted."""
    if missing := application.missing():
        pytest.skip(missing)
    with started(application, tmp_path / "data") as address, BrowserWorld(address, engine=engine) as world:
        found = walked(world, 15)
    assert {urlsplit(step.tags["url"]).hostname for step in found.steps} == {"127.0.0.1"}
    assert chained(found.steps)
    told = summarise(found.steps, tmp_path)
    assert told.steps == 15 and told.changed >= 5 and told.distinct_screens >= 4
    assert sum(told.refused.values()) > 0
    assert {step.tags["language"] for step in found.steps} <= ({"zh"} if "django" in application.name else {"en"})


@pytest.mark.browser
def test_where_everything_is_refused_the_walk_ends(engine: BrowserEngine, server: str, tmp_path: Path) -> None:
    policy = tmp_path / "nothing.yaml"
    policy.write_text("default: deny\n", encoding="utf-8")
    with BrowserWorld(f"{server}/events.html", engine=engine) as world:
        found = Walk(world, "w", 1, load_approval_policy(str(policy)), {}).walk(0, random.Random(0))
    assert found.done == 0 and len(found.steps) == 1
    assert summarise(found.steps, tmp_path).refused == {"default": MOST_REFUSALS}


@pytest.mark.browser
def test_miniwob_begins_anew_where_an_episode_ends() -> None:
    engine = BrowserEngine(AllowList())
    with MiniWobWorld("click-button", scale=1, engine=engine) as world:
        found = walked(world, 8)
        again = walked(world, 8)
    engine.close()
    parts = list(dict.fromkeys(step.episode for step in found.steps))
    assert parts == [f"w-{at}" for at in range(len(parts))] and len(parts) > 1
    assert (again.steps, again.shots) == (found.steps, found.shots)
    assert not any("refused" in step.tags for step in found.steps)


@pytest.mark.browser
def test_android_through_adb(android: AndroidWorld, tmp_path: Path) -> None:
    """A real device: what the gate would ask about is not done. Only web pages show that a click is harmless, so a walk
    on a device that may be played with has a policy of its own (docs/DATA.md).
    """
    own = tmp_path / "emulator.yaml"
    own.write_text(EMULATOR)
    found = walked(android, 6, policy=str(own))
    assert all("app" in step.tags for step in found.steps) and chained(found.steps)
    assert any(step.tags.get("changed") == "yes" for step in found.steps)


@pytest.mark.desktop
def test_a_desktop_application(installed: None) -> None:
    with DesktopWorld("galculator") as world:
        found = walked(world, 8)
    assert any(step.tags.get("changed") == "yes" for step in found.steps)
