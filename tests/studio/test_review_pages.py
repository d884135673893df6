"""Reviewing in a real browser: every kind, two people who disagree, undo, export and import."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra studio")
from playwright.sync_api import Browser, Page
from review_samples import BOXES, INSTRUCTION, database, filled
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session
from studio_server import browser, page, studio

from saccade.studio.database.engine import open_database
from saccade.studio.database.review import ReviewEvent, ReviewItem
from saccade.studio.review.kinds import KINDS

__all__ = ["browser", "page"]

FIRST, SECOND, THIRD = ([int(each) for each in box] for box in BOXES)


class Desk:
    """A studio over one run, with every kind in its queue."""

    def __init__(self, folder: Path, address: str, engine: Engine) -> None:
        self.folder, self.address, self.engine = folder, address, engine

    def decisions(self, kind: str) -> list[dict[str, Any]]:
        with Session(self.engine) as session:
            joined = select(ReviewEvent).join(ReviewItem, ReviewItem.id == ReviewEvent.item_id)
            found = session.scalars(joined.where(ReviewItem.kind == kind).order_by(ReviewEvent.id)).all()
            return [json.loads(event.decision or b"{}") | {"who": event.author} for event in found]

    def start(self, page: Page, kind: str) -> None:
        page.goto(f"{self.address}/review")
        page.click(f"button[value={kind}]")
        page.wait_for_selector("[data-ready]")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("review")
    filled(folder, "trajectory", "instruction", opinions=2).dispose()
    filled(folder, "step", "grounding", "key_elements", "personal_data").dispose()
    with studio(folder, database=database(folder), author="Lin") as server:
        yield Desk(folder, server.address, open_database(database(folder)))


def type_box(page: Page, box: list[int]) -> None:
    page.keyboard.press("b")
    for value in box:
        page.keyboard.press("Control+A")
        page.keyboard.type(str(value))
        page.keyboard.press("Tab")
    page.evaluate("document.activeElement.blur()")


def drag(page: Page, box: list[int], size: tuple[int, int] = (400, 600)) -> None:
    """Draw a box on the picture with the mouse."""
    place = page.locator("#canvas canvas").first.bounding_box()
    assert place is not None
    x, y = [place["width"] / size[0], place["height"] / size[1]]
    page.mouse.move(place["x"] + box[0] * x, place["y"] + box[1] * y)
    page.mouse.down()
    page.mouse.move(place["x"] + box[2] * x, place["y"] + box[3] * y, steps=4)
    page.mouse.up()


def numbers(page: Page) -> list[float]:
    return [float(page.input_value(f"#box [name={name}]") or -1) for name in ("x0", "y0", "x1", "y1")]


def next_page(page: Page, key: str = "Enter") -> None:
    with page.expect_navigation():
        page.keyboard.press(key)


def test_a_trajectory_to_its_first_error_by_keyboard(desk: Desk, page: Page) -> None:
    desk.start(page, "trajectory")
    assert page.inner_text(".instruction span") == INSTRUCTION, "markup in texts is shown, not run"
    assert numbers(page) == FIRST, "the box of the element that was touched"
    page.keyboard.press("y")
    page.keyboard.press("Enter")
    page.wait_for_selector("#message:not([hidden])")
    page.keyboard.press("n")
    page.select_option("#action [name=type]", "click")
    page.evaluate("document.activeElement.blur()")
    type_box(page, SECOND)
    assert page.locator("#steps button:disabled").count() == 1
    page.check("input[name=success][value=no]")
    next_page(page)
    assert "nothing-left" in page.url
    click = {"type": "click", "point": [200, 270], "box": SECOND}
    judged = [{"right": True, "box": FIRST}, {"right": False, "correction": click}]
    assert desk.decisions("trajectory") == [{"steps": judged, "success": False, "who": "Lin"}]


def test_two_people_disagree_and_a_third_decides(desk: Desk, page: Page, browser: Browser) -> None:
    def say(page: Page, who: str, keys: str) -> None:
        page.goto(f"{desk.address}/review")
        page.fill("input[name=name]", who)
        page.press("input[name=name]", "Enter")
        page.wait_for_load_state()
        desk.start(page, "instruction")
        for key in keys:
            page.keyboard.press(key)
        next_page(page)

    say(page, "Lin", "yyy")
    page.goto(f"{desk.address}/review")
    assert page.locator("button[value=instruction]").is_enabled(), "a second opinion is missing"
    page.click("button[value=instruction]")
    assert "nothing-left" in page.url, "but not hers"
    others = browser.new_context(locale="zh-CN", color_scheme="dark")
    other = others.new_page()
    say(other, "王", "ynn")
    other.goto(f"{desk.address}/review/disagreements")
    assert "清楚: 否" in other.inner_text("main") and "0.000" in other.inner_text("main")
    assert other.locator("section button").count() == 0, "a third person decides"
    other.goto(f"{desk.address}/review")
    other.fill("input[name=name]", "Zhao")
    other.press("input[name=name]", "Enter")
    other.goto(f"{desk.address}/review/disagreements")
    other.click("section button")
    other.wait_for_selector("[data-ready]")
    assert "清楚: 否" in other.inner_text(".panel") and "Lin" in other.inner_text(".panel")
    for key in "ynn":
        other.keyboard.press(key)
    other.fill("textarea", "Set an alarm for 7:30")
    other.click("#save")
    other.wait_for_url("**/review?message=*")
    others.close()
    assert [each["who"] for each in desk.decisions("instruction")] == ["Lin", "王", "Zhao"]
    page.goto(f"{desk.address}/review/events")
    assert "王" in page.inner_text("main") and "text: Set an alarm for 7:30" in page.inner_text("main")


def test_all_valid_actions_and_undo(desk: Desk, page: Page) -> None:
    desk.start(page, "step")
    assert page.inner_text("#actions li") == 'tapped "Alarm" (click) · [40, 60, 360, 160]'
    page.keyboard.press("y")
    page.select_option("#action [name=type]", "press")
    page.fill("#action [name=key]", "home")
    page.click("#add")
    page.select_option("#action [name=type]", "click")
    page.click("#add")
    drag(page, [50, 400, 350, 470])
    next_page(page)
    page.wait_for_selector("[data-ready]")
    said = desk.decisions("step")[-1]["actions"]
    assert [each["type"] for each in said] == ["click", "press", "click"] and said[0]["box"] == FIRST
    assert max(abs(a - b) for a, b in zip(said[2]["box"], [50, 400, 350, 470], strict=True)) <= 2
    next_page(page, "u")
    page.wait_for_selector("[data-ready]")
    assert page.locator("#actions li").count() == 1, "the decision was taken back; only the proposal is left"
    page.keyboard.press("r")
    page.keyboard.type("two windows")
    next_page(page)
    assert desk.decisions("step")[-2:] == [{"who": "Lin"}, {"rejected": "two windows", "who": "Lin"}]


def test_boxes_are_snapped_drawn_and_ordered(desk: Desk, page: Page) -> None:
    desk.start(page, "grounding")
    page.keyboard.press("s")
    assert numbers(page) == FIRST
    page.keyboard.press("x")
    page.keyboard.press("b")
    page.keyboard.type("12")
    page.evaluate("dispatchEvent(new Event('resize'))")
    assert page.input_value("#box [name=x0]") == "12", "what is being typed stays when the picture is fitted anew"
    page.fill("#box [name=x0]", "")
    page.evaluate("document.activeElement.blur()")
    drag(page, [100, 250, 300, 300])
    page.keyboard.press("s")
    page.fill("textarea", "Press the first button")
    page.evaluate("document.activeElement.blur()")
    next_page(page)
    assert desk.decisions("grounding")[-1] == {"box": FIRST, "instruction": "Press the first button", "who": "Lin"}
    desk.start(page, "key_elements")
    for number in ("3", "1"):
        page.fill("#by-number", number)
        page.click("#add")
    page.fill("#picked li:nth-child(2) input", "sets an alarm")
    page.click("#picked li:nth-child(2) button:has-text('↑')")
    page.click("#save")
    page.wait_for_url("**/review/items/*")
    page.wait_for_selector("[data-ready]")
    found = desk.decisions("key_elements")[-1]["elements"]
    assert found == [{"box": FIRST, "description": "sets an alarm"}, {"box": THIRD, "description": "Timer"}]


def test_personal_data_export_and_import(desk: Desk, page: Page) -> None:
    desk.start(page, "personal_data")
    page.click("#add")
    page.evaluate("document.activeElement.blur()")
    type_box(page, SECOND)
    next_page(page)
    assert desk.decisions("personal_data")[-1]["regions"] == [SECOND]
    page.goto(f"{desk.address}/review")
    with page.expect_download() as download:
        page.click("a[download]")
    with zipfile.ZipFile(download.value.path()) as archive:
        names = archive.namelist()
        decisions = archive.read("review/decisions.jsonl")
    assert {"review/agreement.md", "review/personal_data.jsonl", "review/decisions.jsonl"} <= set(names)
    (desk.folder / "decisions.jsonl").write_bytes(decisions)
    page.set_input_files("input[type=file]", desk.folder / "decisions.jsonl")
    page.click("#import button")
    page.locator("#imported", has_text="0 + 0").wait_for()
    page.set_input_files("input[type=file]", {"name": "x.json", "mimeType": "application/json", "buffer": b"[3]"})
    page.click("#import button")
    page.wait_for_selector("#message:not([hidden])")
    assert "not Label Studio's JSON" in page.inner_text("#message")


def test_what_is_not_there_or_not_yours(desk: Desk, page: Page) -> None:
    for path in ("/review/items/999", "/review/items/1/screens/77", "/review/items/999/data"):
        answer = page.goto(desk.address + path)
        assert answer is not None and answer.status == 400
    page.goto(f"{desk.address}/review/items/{3 + 1}")
    page.wait_for_selector("[data-ready]")
    headers = {"x-csrf-token": page.get_attribute("meta[name=csrf]", "content") or ""}
    wrong = page.request.post(f"{desk.address}/review/add", data={"kind": "step", "run": "none"}, headers=headers)
    assert wrong.status == 400 and "there is no run" in wrong.text()
    for name in KINDS.names():
        assert page.request.get(f"{desk.address}/static/review_kind_{name}.js").ok
