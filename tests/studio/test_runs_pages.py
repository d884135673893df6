"""Runs and measurements in a real browser: the list, a run step by step, a run that goes on, two side by side."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the extra studio")
from playwright.sync_api import Page, expect
from run_folders import SIZE, begin, logged, picture, write_measurement, write_run
from studio_server import browser, page, studio

from saccade.actions import Action
from saccade.agents.records import Outcome, ScoredCandidate
from saccade.geometry import Box, Point

__all__ = ["browser", "page"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of two models at one task, one with a problem; a run with 120 steps; a measurement."""
    root = tmp_path_factory.mktemp("watched")
    there = root / "in"
    there.mkdir()
    away = Action("click", point=Point(20, 20))
    truth = [Action("click", point=Point(200, 240), box=Box(100, 200, 300, 280))]
    candidates = [ScoredCandidate(away, probability=0.75, score=0.25), ScoredCandidate(truth[0], probability=0.25)]
    script = "<script>document.title='taken over'</script>"
    write_run(there / "a", [logged(0, "look for the clock"), logged(1, script, outputs=[script])])
    wrong = logged(1, prediction=away, truth=truth, candidates=candidates, choice="probability", rewards={"link": 0.5})
    wrong.episode = "b"
    write_run(there / "b", [logged(0, episode="b"), wrong], status="failure", model="mini")
    write_run(there / "long", [logged(at, prediction=Action("wait")) for at in range(120)], "等一会儿", model="slow")
    write_measurement(there / "phone")
    (root / "secret.png").write_bytes(picture("red").data())
    with (there / "a/steps.jsonl").open("ab") as file:
        file.write(json.dumps({"step": 2, "screen": SIZE, "image": "../../secret.png"}).encode() + b"\n")
    return there


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with studio(folder, database=f"sqlite:///{folder.parent / 'studio.db'}") as found:
        yield found.address


def open_run(page: Page, address: str, query: str) -> str:
    """Open the run that a filter leaves; returns its address."""
    page.goto(f"{address}/runs?{query}")
    link = page.locator("td.instruction a").first
    expect(link).to_be_visible()
    link.click()
    page.wait_for_load_state("load")
    expect(page.locator("#step")).to_be_visible()
    return page.url.partition("?")[0]


def test_the_list_is_filtered_sorted_and_searched(address: str, page: Page) -> None:
    page.goto(f"{address}/runs")
    expect(page.locator("#rows tbody tr")).to_have_count(4)
    page.get_by_label("Model").select_option("mini")
    expect(page.locator("#rows tbody tr")).to_have_count(1)
    expect(page.locator(".status")).to_have_text("failure")
    page.get_by_role("link", name="Clear").click()
    expect(page.locator("#rows tbody tr")).to_have_count(4)
    page.wait_for_load_state("load")
    page.keyboard.press("/")
    page.keyboard.type("look for the clock")
    page.keyboard.press("Enter")
    expect(page.locator("#rows tbody tr")).to_have_count(1)
    page.goto(f"{address}/runs")
    page.get_by_role("link", name="Steps").click()
    expect(page.locator("#rows tbody tr").first).to_contain_text("等一会儿")
    expect(page.locator("th[aria-sort]")).to_have_attribute("aria-sort", "descending")


def test_a_run_step_by_step_with_true_zoom(address: str, page: Page) -> None:
    open_run(page, address, "model=mini")
    expect(page.locator("#steps a")).to_have_count(2)
    page.keyboard.press("e")  # the next problem
    expect(page.locator("#step")).to_have_attribute("data-step", "1")
    facts = page.locator(".facts")
    for text in ("wrong", "Locate", "0.750", "0.250", "chosen: probability", "link", "0.500", "100 read, 10 written"):
        expect(facts).to_contain_text(text)
    assert page.url.endswith("?step=1")
    shot = page.locator(".frame img")
    page.keyboard.press("0")
    assert shot.evaluate("e => e.clientHeight <= e.closest('.viewer').clientHeight")
    page.keyboard.press("1")
    assert shot.evaluate("e => [e.clientWidth, e.clientHeight, e.naturalWidth]") == [SIZE[0], SIZE[1], SIZE[0]]
    page.keyboard.press("+")
    assert shot.evaluate("e => e.clientWidth") == 500
    page.get_by_role("button", name="100 %").click()
    box = page.locator(".viewer").bounding_box()
    assert box is not None
    page.locator(".viewer").evaluate("e => { e.scrollTop = 120; }")
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 300)
    page.mouse.up()
    assert page.locator(".viewer").evaluate("e => e.scrollTop") == 20
    tap = page.locator("circle.dot").last
    assert (tap.get_attribute("cx"), tap.get_attribute("cy")) == ("20", "20")
    expect(page.locator(".shape.elements").first).to_be_hidden()
    page.keyboard.press("l")
    expect(page.locator(".shape.elements").first).to_be_visible()


def test_a_run_is_sent_to_review(address: str, page: Page) -> None:
    open_run(page, address, "model=mini")
    page.get_by_role("button", name="Send to review").click()
    expect(page.locator("#review-said")).to_have_text("It is in the review queue.")
    page.goto(f"{address}/review")
    expect(page.locator("main")).to_contain_text("Trajectories")


def test_a_long_run_is_paged(address: str, page: Page) -> None:
    open_run(page, address, "model=slow")
    expect(page.locator("#steps a")).to_have_count(100)
    page.keyboard.press("End")
    expect(page.locator("#steps a")).to_have_count(20)
    expect(page.locator("#steps a[aria-current]")).to_contain_text("120")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#step")).to_have_attribute("data-step", "118")


def test_texts_run_no_script_and_pictures_stay_inside(address: str, page: Page) -> None:
    where = open_run(page, address, "q=look+for+the+clock")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".facts")).to_contain_text("<script>document.title=")
    assert "taken over" not in page.title()
    kept = page.request.get(f"{where}/screens/1")
    assert kept.ok and kept.headers["content-type"] == "image/png"
    outside = page.request.get(f"{where}/screens/2")
    assert outside.status == 400 and "is not a file of this folder" in outside.text()
    assert page.request.get(f"{where}/screens/99").status == 404
    assert page.request.get(f"{address}/runs/..%2f..%2fsecret.png").status == 404


def test_two_runs_side_by_side(address: str, page: Page) -> None:
    page.goto(f"{address}/runs?q=set+an+alarm")
    chosen = page.get_by_role("button", name="Compare the two chosen")
    expect(chosen).to_be_disabled()
    for name in ("openai/a-3b", "mini"):
        page.locator("#rows tr", has_text=name).filter(has_not_text="phone").locator("[data-pick]").check()
    chosen.click()
    page.wait_for_load_state("load")
    expect(page.get_by_text("First difference: row 2")).to_be_visible()
    expect(page.locator("#aligned tr[aria-current]")).to_contain_text("first difference")
    expect(page.locator(".side img")).to_have_count(2)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#aligned tr[aria-current]")).to_contain_text('1. tapped "Alarm"')


def test_a_measurement_leads_to_every_case(address: str, page: Page) -> None:
    page.goto(f"{address}/measurements")
    page.get_by_role("link", name="phone").click()
    expect(page.locator("figure").first).to_contain_text("50.0")
    expect(page.locator("tr.published")).to_contain_text("published: A paper")
    expect(page.locator(".bars")).to_contain_text("Locate")
    page.get_by_role("link", name="succeeded").click()
    page.get_by_role("link", name="alarm-en-0").click()
    expect(page.get_by_role("link", name="Part of a measurement")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="failed").click()
    page.get_by_role("link", name="recorded/3").click()
    expect(page.locator(".facts")).to_contain_text("Right actions")
    expect(page.locator("svg .shape.truth")).to_have_count(1)


@pytest.mark.slow
def test_a_run_that_goes_on_is_shown_step_by_step(address: str, folder: Path, page: Page) -> None:
    """New rows and new steps appear by themselves, and the end too."""
    page.goto(f"{address}/runs?q=live+task")
    expect(page.locator("#rows tbody")).to_contain_text("No run fits.")
    with begin(folder / "live", "live task") as log:
        log.attempt()
        log.step(logged(0, instruction="live task"), picture())
        row = page.locator("#rows tbody tr", has_text="live task")
        expect(row).to_contain_text("running")
        row.get_by_role("link").click()
        expect(page.locator("#steps a")).to_have_count(1)
        for at in (1, 2):
            log.step(logged(at, f"thought {at}", instruction="live task"), picture("navy"))
            expect(page.locator("#steps a")).to_have_count(at + 1)
            expect(page.locator(".facts")).to_contain_text(f"thought {at}")
        log.end(Outcome("success", "agent", "all is well"))
    expect(page.locator("#head")).to_contain_text("all is well")


def test_chinese(address: str, page: Page) -> None:
    open_run(page, address, "model=mini")
    page.get_by_role("button", name="中文").click()
    expect(page.locator(".facts h2")).to_have_text(re.compile("第 1 步: 点击“Alarm”"))
