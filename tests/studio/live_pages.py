"""What the tests of live runs share: a studio over a folder with a recording, and hands for its pages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Page, expect
from recordings import TAP, record, say
from studio_server import WAIT, StudioProcess, StudioThread

from saccade.actions import Action
from saccade.agents.log import read_run, read_steps
from saccade.agents.records import LoggedStep, Run
from saccade.geometry import Point

OTHER = Action("click", Point(150, 230))
DELETE = Action("click", Point(150, 430))


class LiveStudio:
    """A studio whose folder has a recording to act in: every action leads to its next screen."""

    def __init__(self, folder: Path, start: type[StudioThread | StudioProcess] = StudioThread) -> None:
        self.folder = folder
        self.recording = record(folder / "recording", (TAP,) * 12)
        self.server = start(folder, database=f"sqlite:///{folder / 'studio.db'}")
        self.address = self.server.address
        self._scripts = 0

    def script(self, *actions: Action) -> str:
        """A model that answers with these actions."""
        self._scripts += 1
        file = self.folder / f"script{self._scripts}.jsonl"
        file.write_text("\n".join(json.dumps(say("btl", action)) for action in actions), "utf-8")
        return f"scripted/{file}"

    def begin(self, page: Page, **fields: str) -> None:
        """Fill in the form and send it; `paused="yes"` checks the box, `kind="record"` records."""
        page.goto(f"{self.address}/act")
        values = {"world": f"replay:{self.recording}"} | fields
        page.get_by_text("More options").click()
        if values.pop("kind", "") == "record":
            page.get_by_label("I do it myself").check()
        if values.pop("paused", ""):
            page.get_by_label("Begin paused").check()
        if "person" in values:
            page.get_by_label("The agent may ask for a person").check()
        for name, value in values.items():
            field = page.locator(f"[name={name}]")
            field.select_option(value) if name in ("policy", "paradigm", "language") else field.fill(value)
        page.get_by_role("button", name="Start").click()
        page.wait_for_url("**/live/*")

    def last(self) -> tuple[Run, list[LoggedStep]]:
        """What the newest run left on disk."""
        folder = self.newest()
        return read_run(folder), read_steps(folder)[0]

    def newest(self) -> Path:
        return max((self.folder / "runs").iterdir(), key=lambda each: each.stat().st_mtime_ns)


@pytest.fixture(scope="module")
def live_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveStudio]:
    made = LiveStudio(tmp_path_factory.mktemp("live"))
    yield made
    made.server.stop()


def phase(page: Page, name: str) -> None:
    """Wait until the run is in a phase."""
    page.locator(f'#phase[data-phase="{name}"]').wait_for(timeout=WAIT)


def steps_shown(page: Page, count: int) -> None:
    expect(page.locator("#steps li")).to_have_count(count)


def touch(page: Page, *points: Sequence[float], size: Sequence[float]) -> None:
    """Press at the first of these pixels of the screenshot, move over the others, and let go."""
    assert min(size) > 0, size
    box = page.locator("#screen").bounding_box()
    assert box is not None
    places = [(box["x"] + x / size[0] * box["width"], box["y"] + y / size[1] * box["height"]) for x, y in points]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=4)
    page.mouse.up()


def perform(page: Page, action: Action, size: Sequence[float]) -> None:
    """Do an action as a person does it: with the mouse on the picture, and the fields beside it."""
    if action.type == "click":
        assert action.point is not None
        touch(page, action.point, size=size)
    elif action.type in ("swipe", "drag"):
        assert action.start is not None and action.end is not None
        touch(page, action.start, action.end, size=size)
    elif action.type == "type":
        if action.point is not None:
            touch(page, action.point, size=size)
        page.locator("#text").fill(action.text or "")
        page.locator("#submit").set_checked(bool(action.submit))
        page.get_by_role("button", name="Type", exact=True).click()
    elif action.type == "press":
        page.locator("#key").fill(action.key or "")
        page.get_by_role("button", name="Press", exact=True).click()
    elif action.type == "open_app":
        page.locator("#place").fill(action.text or "")
        page.get_by_role("button", name="Open", exact=True).click()
    else:
        raise AssertionError(f"a person cannot do {msgspec.to_builtins(action)}")


def step_done(page: Page, before: int) -> None:
    """Wait until the run has one step more, and the person may act again."""
    expect(page.locator("#steps li")).to_have_count(before + 1)
    phase(page, "person")


def shown_size(page: Page) -> tuple[Any, Any]:
    """The size of the picture in its own pixels, once it is there."""
    page.wait_for_timeout(50)
    expect(page.locator("#screen")).not_to_have_js_property("naturalWidth", 0)
    width, height = page.locator("#screen").evaluate("image => [image.naturalWidth, image.naturalHeight]")
    return width, height
