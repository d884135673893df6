"""Live runs in a real browser: watch, pause, step, edit, take over and hand back, approve and refuse, ask a person."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest
from live_pages import DELETE, OTHER, LiveStudio, live_studio, phase, steps_shown, touch
from playwright.sync_api import Browser, Page, expect
from recordings import DONE, SIZE, TAP
from studio_server import StudioProcess, browser, page

from saccade.actions import Action
from saccade.agents.control import REQUEST
from saccade.geometry import Point

__all__ = ["browser", "live_studio", "page"]


@pytest.fixture(autouse=True)
def ended(page: Page) -> Iterator[None]:
    """No run outlives its test."""
    yield
    stop = page.locator('[data-do="stop"]')
    if stop.count() and stop.is_visible():
        stop.click()


def test_wrong_input_is_said_in_a_sentence_and_the_form_is_kept(page: Page, live_studio: LiveStudio) -> None:
    page.goto(f"{live_studio.address}/act")
    page.locator("[name=world]").fill("nowhere/x")
    page.locator("[name=model]").fill("oracle")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_contain_text("unknown world 'nowhere'")
    expect(page.locator("[name=world]")).to_have_value("nowhere/x")


def test_watch_a_run_to_its_end_and_what_cannot_begin(page: Page, live_studio: LiveStudio) -> None:
    live_studio.begin(page, model=live_studio.script(TAP, TAP, DONE))
    phase(page, "ended")
    steps_shown(page, 3)
    expect(page.locator("#ended")).to_contain_text("Claimed done")
    expect(page.locator("h1")).to_contain_text("Look for hats")
    run, steps = live_studio.last()
    assert run.outcome is not None and run.outcome.status == "claimed" and len(steps) == 3
    assert (live_studio.newest() / "replay.html").is_file()
    live_studio.begin(page, model=live_studio.script(), instruction="x")
    phase(page, "ended")
    expect(page.locator("#ended")).to_contain_text("the script has only 0 answers")
    live_studio.begin(page, model="scripted/none")
    phase(page, "ended")
    expect(page.get_by_role("alert")).to_contain_text("cannot read the script none")


def test_pause_step_edit_and_continue_with_the_keyboard(page: Page, live_studio: LiveStudio) -> None:
    live_studio.begin(page, model=live_studio.script(TAP, TAP, TAP, DONE), paused="yes")
    phase(page, "paused")
    expect(page.locator("#proposal")).to_contain_text("tap @ [150, 130] · Search")
    page.keyboard.press("s")
    steps_shown(page, 1)
    phase(page, "paused")
    touch(page, OTHER.point or (), size=SIZE)
    expect(page.locator("#action")).to_have_value('{"type":"click","point":[150,230]}')
    page.get_by_role("button", name="Do this instead").click()
    steps_shown(page, 2)
    expect(page.locator("#steps li").last).to_contain_text("edited")
    phase(page, "paused")
    page.locator("#action").fill('{"type": "fly"}')
    page.get_by_role("button", name="Do this instead").click()
    expect(page.get_by_role("alert")).to_contain_text("that cannot be done")
    page.locator("h1").click()
    page.keyboard.press("p")
    phase(page, "ended")
    _, steps = live_studio.last()
    assert [(step.by, step.edited_from) for step in steps] == [
        ("agent", None),
        ("person", TAP),
        ("agent", None),
        ("agent", None),
    ]
    assert steps[1].prediction == OTHER


def test_take_over_at_any_zoom_and_hand_back(page: Page, live_studio: LiveStudio) -> None:
    """Clicks hit the pixel that they are on, at every zoom; what the person did is in the log, then the agent goes on
    with the hint.
    """
    live_studio.begin(page, model=live_studio.script(TAP, TAP, DONE), paused="yes")
    phase(page, "paused")
    page.keyboard.press("t")
    for count, (zoom, point) in enumerate((("fit", (33, 441)), ("50", (300, 20)), ("200", (120, 140))), 1):
        phase(page, "person")
        page.locator("#zoom").select_option(zoom)
        touch(page, point, size=SIZE)
        steps_shown(page, count)
    page.locator("#zoom").select_option("100")
    phase(page, "person")
    touch(page, (150, 500), (150, 200), size=SIZE)
    steps_shown(page, 4)
    phase(page, "person")
    page.locator("#screen").hover()
    page.mouse.wheel(0, 200)
    steps_shown(page, 5)
    page.locator("#hint-text").fill("only hats")
    page.get_by_role("button", name="Give the hint").click()
    page.get_by_role("button", name="Hand back").click()
    phase(page, "paused")
    page.keyboard.press("p")
    phase(page, "ended")
    _, steps = live_studio.last()
    assert [step.by for step in steps] == ["person"] * 5 + ["agent"] * 2
    assert [step.prediction.point for step in steps[:3] if step.prediction] == [
        Point(33, 441),
        Point(300, 20),
        Point(120, 140),
    ]
    swipe, wheel = (step.prediction for step in steps[3:5])
    assert swipe == Action("swipe", start=Point(150, 500), end=Point(150, 200), direction="up")
    assert wheel is not None and (wheel.type, wheel.direction) == ("swipe", "up")
    assert steps[0].edited_from == TAP and steps[5].hint == "only hats"
    assert "A person says: only hats" in steps[5].notes


def test_the_gate_asks_on_the_page(page: Page, live_studio: LiveStudio) -> None:
    """Refused, allowed, and refused because nobody answered in time."""
    live_studio.begin(page, model=live_studio.script(DELETE, DELETE, DELETE, DONE), policy="careful", answer="3")
    phase(page, "question")
    expect(page.locator("#question")).to_contain_text("it deletes or ends something")
    expect(page.locator("#question")).to_contain_text("Delete")
    page.get_by_role("button", name="Refuse").click()
    steps_shown(page, 1)
    phase(page, "question")
    page.keyboard.press("y")
    steps_shown(page, 2)
    phase(page, "ended")
    _, steps = live_studio.last()
    found = [(step.approval.allowed, step.approval.by) for step in steps[:3] if step.approval is not None]
    assert found == [(False, "person"), (True, "person"), (False, "nobody")]


def test_the_agent_asks_for_a_person(page: Page, live_studio: LiveStudio) -> None:
    asks = Action("terminate", status="failure", text=f"{REQUEST} log in, please")
    live_studio.begin(page, model=live_studio.script(asks, asks, DONE), person="60")
    phase(page, "request")
    expect(page.locator("#request")).to_contain_text("log in, please")
    expect(page.locator("#left")).to_contain_text("s left")
    page.keyboard.press("t")
    phase(page, "person")
    touch(page, (150, 330), size=SIZE)
    steps_shown(page, 2)
    phase(page, "person")
    page.locator("h1").click()
    page.keyboard.press("t")
    phase(page, "request")
    page.get_by_role("button", name="Nobody can").click()
    phase(page, "ended")
    _, steps = live_studio.last()
    assert [step.by for step in steps] == ["agent", "person", "agent", "agent"]
    assert steps[0].asked == "log in, please" and not steps[0].acted
    assert any("Nobody came" in note for note in steps[3].notes)


def test_two_browsers_see_the_same_run_and_a_new_instruction(
    page: Page, browser: Browser, live_studio: LiveStudio
) -> None:
    live_studio.begin(page, model=live_studio.script(TAP, TAP, DONE), paused="yes")
    phase(page, "paused")
    context = browser.new_context(locale="zh-CN", color_scheme="dark")
    other = context.new_page()
    other.goto(page.url)
    phase(other, "paused")
    expect(other.locator("#phase")).to_contain_text("已暂停")
    page.locator("#instruction-text").fill("Look for <b>coats</b>")
    page.get_by_role("button", name="Set the instruction").click()
    expect(other.locator("h1")).to_contain_text("Look for <b>coats</b>")
    other.get_by_role("button", name="停止").click()
    phase(page, "ended")
    expect(page.locator("#ended")).to_contain_text("Stopped")
    assert live_studio.last()[0].instruction == "Look for <b>coats</b>"
    context.close()


@pytest.mark.browser
def test_runs_end_with_a_studio_that_was_killed(tmp_path_factory: pytest.TempPathFactory, page: Page) -> None:
    own = LiveStudio(tmp_path_factory.mktemp("killed"), StudioProcess)
    own.begin(page, model=own.script(TAP, DONE), paused="yes")
    phase(page, "paused")
    pid = int((own.newest() / ".lock").read_text())
    page.goto("about:blank")
    assert isinstance(own.server, StudioProcess)
    own.server.kill()
    for _ in range(100):
        if not running(pid):
            break
        time.sleep(0.1)
    assert not running(pid)
    run, _ = own.last()
    assert run.outcome is not None and run.outcome.status == "interrupted", "it can be resumed"


def running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
