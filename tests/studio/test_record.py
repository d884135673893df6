"""A person records a task through the page; the recording replays to success."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from adb_server import FakeAdb
from android_fixtures import android_engine, fake_adb
from android_look import SERIAL
from live_pages import LiveStudio, live_studio, perform, phase, shown_size, step_done, steps_shown, touch
from playwright.sync_api import Page, expect
from studio_server import StudioProcess, browser, page

from loopback import serve
from saccade.actions import Action
from saccade.records import read_grown
from saccade.studio.live.recording import FILE
from saccade.types import Step
from saccade.worlds import World, open_world

__all__ = ["android_engine", "browser", "fake_adb", "live_studio", "page"]
TASK, SEED = "phone/chat.send", 3


@pytest.fixture(scope="module")
def phone() -> Iterator[World]:
    with open_world(TASK, scale=1.0) as world:
        yield world


def shown_by_the_oracle(world: World) -> list[Action]:
    """What a person who knows the way does, up to the end."""
    seen, teacher = world.reset(SEED), world.teacher()
    assert teacher is not None
    done = []
    while (action := teacher.teach(seen).truth[0]).type != "terminate":
        done.append(action)
        seen = world.act(action)
    return done


@pytest.mark.slow
@pytest.mark.browser
def test_a_phone_task_is_recorded_and_replays_to_success(page: Page, live_studio: LiveStudio, phone: World) -> None:
    way = shown_by_the_oracle(phone)
    live_studio.begin(page, kind="record", world=TASK, seed=str(SEED), world_options="scale=1")
    phase(page, "person")
    expect(page.locator("#task")).not_to_have_value("")
    task = page.locator("#task").input_value()
    for action in way:
        size, before = shown_size(page), page.locator("#steps li").count()
        perform(page, action, size)
        if action.type == "type" and action.point is not None:  # a touch, then the text
            steps_shown(page, before + 1)
            before += 1
        step_done(page, before)
    page.locator("#task").fill(task + "!")
    page.get_by_role("button", name="Finish").click()
    phase(page, "ended")
    expect(page.locator("#ended")).to_contain_text("Success")
    run, steps = live_studio.last()
    assert run.instruction == task + "!" and run.settings["model"] == "person"
    assert run.attempts[0].judged and run.attempts[0].verdict == "the person who recorded it"
    assert all(step.by == "person" and step.acted and not step.prompt for step in steps)
    expect(page.locator("#records")).to_contain_text(f"{len(steps)} step records")
    check_records(live_studio.newest(), task + "!", len(steps))

    seen = phone.reset(SEED)
    for step in steps:
        assert step.prediction is not None
        seen = phone.act(step.prediction)
    assert phone.succeeded(seen), "the recording replays to success in a fresh world"


def check_records(folder: Path, task: str, count: int) -> None:
    records = read_grown(folder / FILE, Step)[0]
    assert len(records) == count and {record.instruction for record in records} == {task}
    assert all((folder / record.image).is_file() and record.elements for record in records)
    clicks = [record.truth[0] for record in records if record.truth[0].type == "click"]
    assert clicks and all(click.box is not None and click.box.contains(click.point) for click in clicks if click.point)
    assert any(record.truth[0].type == "type" and record.truth[0].text for record in records)


LOGIN = """<!doctype html><title>Log in</title><body>
<input id=name aria-label=Name style="position:absolute;left:20px;top:20px;width:300px;height:40px">
<input id=code type=password aria-label=Password style="position:absolute;left:20px;top:80px;width:300px;height:40px">
<p id=said style="position:absolute;left:20px;top:140px">Nothing yet</p>
<script>
code.oninput = () => { said.textContent = code.value === "tulip-4242" ? "Right: " + code.value : "Wrong"; };
</script>
"""


@pytest.mark.slow
def test_a_password_reaches_the_page_and_nothing_else(page: Page, live_studio: LiveStudio, tmp_path: Path) -> None:
    """It is in no file of the recording, and where the page shows it, the picture is covered."""
    (tmp_path / "index.html").write_text(LOGIN, "utf-8")
    with serve(tmp_path) as port:
        address = f"http://127.0.0.1:{port}/index.html"
        live_studio.begin(page, kind="record", world=address, instruction="Log in")
        phase(page, "person")
        size = shown_size(page)
        for count, (place, text) in enumerate((((100, 40), "ada"), ((100, 100), "tulip-4242"))):
            touch(page, place, size=size)
            step_done(page, 2 * count)
            perform(page, Action("type", text=text), size)
            step_done(page, 2 * count + 1)
        page.get_by_role("button", name="Finish").click()
        phase(page, "ended")
    run, steps = live_studio.last()
    assert run.outcome is not None and (run.outcome.status, run.outcome.ended_by) == ("claimed", "person")
    typed = [step.prediction.text for step in steps if step.prediction and step.prediction.type == "type"]
    assert typed == ["ada", "{secret.typed_1}"]
    assert any("Right: {secret.typed_1}" in element.text for element in steps[-1].elements)
    for file in live_studio.newest().rglob("*"):
        assert not file.is_file() or b"tulip-4242" not in file.read_bytes(), file


def test_a_demonstration_that_went_wrong_leaves_no_records(page: Page, live_studio: LiveStudio) -> None:
    live_studio.begin(page, kind="record", instruction="Look for hats")
    phase(page, "person")
    touch(page, (150, 130), size=shown_size(page))
    step_done(page, 0)
    page.get_by_label("The demonstration is right").uncheck()
    page.get_by_role("button", name="Finish").click()
    phase(page, "ended")
    expect(page.locator("#records")).to_contain_text("No records were kept")
    assert not (live_studio.newest() / FILE).exists()
    assert live_studio.last()[0].attempts[0].judged is False


def test_a_recording_goes_on_after_all_was_killed(page: Page, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The studio and the process of the recording, by SIGKILL: what was done is there, and the person goes on."""
    own = LiveStudio(tmp_path_factory.mktemp("killed"), StudioProcess)
    own.begin(page, kind="record", instruction="Look for hats")
    phase(page, "person")
    touch(page, (150, 130), size=shown_size(page))
    step_done(page, 0)
    worker = int((own.newest() / ".lock").read_text())
    page.goto("about:blank")
    os.killpg(worker, signal.SIGKILL)
    assert isinstance(own.server, StudioProcess)
    own.server.kill()
    wait_for_end(worker)
    age(own.newest())
    again = StudioProcess(own.folder, database=f"sqlite:///{own.folder / 'studio.db'}")
    try:
        page.goto(f"{again.address}/runs")
        page.get_by_role("link", name="Look for hats").click()
        page.get_by_role("button", name="Go on").click()
        phase(page, "person")
        steps_shown(page, 1)
        touch(page, (150, 230), size=shown_size(page))
        step_done(page, 1)
        page.get_by_role("button", name="Finish").click()
        phase(page, "ended")
        expect(page.locator("#records")).to_contain_text("3 step records")
    finally:
        again.stop()
    run, steps = own.last()
    assert (
        run.resumed == 1 and [step.step for step in steps] == [0, 1, 2] and all(step.by == "person" for step in steps)
    )
    assert len(read_grown(own.newest() / FILE, Step)[0]) == 3


def wait_for_end(pid: int) -> None:
    end = time.monotonic() + 10
    while Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes():
        assert time.monotonic() < end, "the process of the recording goes on"
        time.sleep(0.05)


def age(folder: Path) -> None:
    """Files that changed lately are taken for a run that goes on, perhaps on another machine."""
    for path in (folder / "steps.jsonl", folder):
        os.utime(path, (0, 0))


def test_an_android_device_is_recorded(page: Page, live_studio: LiveStudio, fake_adb: FakeAdb) -> None:
    options = f"port={fake_adb.port}\npause=0"
    live_studio.begin(page, kind="record", world=f"android:{SERIAL}", instruction="Look", world_options=options)
    phase(page, "person")
    width, height = shown_size(page)
    touch(page, (width / 2, height / 4), size=(width, height))
    step_done(page, 0)
    page.get_by_role("button", name="Back", exact=True).click()
    step_done(page, 1)
    page.get_by_role("button", name="Finish").click()
    phase(page, "ended")
    _, steps = live_studio.last()
    assert [step.prediction.type for step in steps if step.prediction] == ["click", "press", "terminate"]
    assert all(step.acted for step in steps) and steps[0].elements and steps[0].app
    assert len(read_grown(live_studio.newest() / FILE, Step)[0]) == 3
