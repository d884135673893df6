"""axe-core finds no serious problem on any page, in both languages and both modes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hostile_folders import FullStudio, measure_and_queue, open_page, review_items
from playwright.sync_api import Browser, Page
from run_folders import logged, write_run
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from studio_server import browser, page, studio
from test_datasets import step, write
from test_training_page import write_training

from saccade.npm_packages import NpmPackages
from saccade.studio import rendering
from saccade.studio.database.engine import open_database
from saccade.studio.database.review import ReviewItem
from saccade.studio.rendering import phrases
from saccade.studio.review.decisions import decide
from saccade.studio.review.queue import add_items, claim
from saccade.studio.review.sources import items_of

__all__ = ["browser", "page"]

AXE = NpmPackages("axe-core", Path(__file__).with_name("axe"), "the accessibility checker")
MOST_KINDS = 40
LOWEST = """Math.max(0, ...[...document.querySelectorAll("[data-fill]")]
    .filter(each => each.offsetHeight > (parseFloat(getComputedStyle(each).minHeight) || 0) + 1)
    .map(each => each.getBoundingClientRect().bottom + scrollY - innerHeight))"""
"""How far below the window's lower edge a part that reaches to it ends, where it is higher than it must be."""
RUN = "axe.run(document, {resultTypes: ['violations']}).then(found => found.violations)"


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FullStudio]:
    """A studio with something of each kind."""
    given = tmp_path_factory.mktemp("pages") / "given"
    database = f"sqlite:///{given.parent / 'studio.db'}"
    wrong = [step(0, truth=[{"type": "click", "point": [900, 10]}]), step(1)]
    prediction = {"type": "click", "point": [60, 100]}
    write(given / "data", wrong + [step(at, prediction=prediction) for at in range(2, 30)])
    write_training(given / "training", 5)
    measure_and_queue(given, database)
    for name in ("one", "two"):
        write_run(given / "runs" / name, [logged(0), logged(1, error="no such place")])
    disagree(given, database)
    with studio(given, database=database) as server:
        yield FullStudio(server, given, review_items(given.parent / "studio.db"))


def disagree(given: Path, database: str) -> None:
    """Two people judge an instruction differently."""
    engine = open_database(database)
    add_items(engine, "instruction", items_of("instruction", given / "runs" / "one", [given.resolve()]), 2)
    with Session(engine) as session:
        item = session.scalars(select(func.max(ReviewItem.id))).one()
    for person, clear in (("Lin", True), ("王", False)):
        assert claim(engine, person, item=item) == item
        decide(engine, person, item, json.dumps({"feasible": True, "clear": clear, "realistic": True}).encode())
    engine.dispose()


@pytest.mark.slow
@pytest.mark.parametrize(("locale", "mode"), [("en-US", "light"), ("zh-CN", "dark")])
def test_pages_can_be_used_by_everybody(full: FullStudio, browser: Browser, locale: str, mode: str) -> None:
    """One page of each kind that can be reached by links."""
    source = (AXE.ensure() / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    size = {"width": 1280, "height": 800} if mode == "light" else {"width": 1024, "height": 768}
    context = browser.new_context(viewport=size, locale=locale, color_scheme=mode)  # type: ignore[arg-type]
    page = context.new_page()
    live = full.start_live(page)
    waiting, problems = [*live, *full.first_pages(), "/nothing-here"], []
    kinds: set[str] = set()
    seen: set[str] = set()
    while waiting and len(kinds) < MOST_KINDS:
        path = waiting.pop(0)
        kind = kind_of(path)
        if path in seen or (kind in kinds and path not in (*full.items, *live)) or "." in path.rpartition("/")[2]:
            continue
        kinds.add(kind)
        seen.add(path)
        open_page(page, full.address + path)
        waiting += links(page)
        page.evaluate(source)
        problems += [
            f"{path}: {each['id']}: {each['help']}: {each['nodes'][0]['html'][:200]}"
            for each in page.evaluate(RUN)
            if each["impact"] in ("serious", "critical")
        ]
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        problems += [f"{path}: {wide} pixels wider than the window"] if wide > 0 else []
        low = page.evaluate(LOWEST)
        problems += [f"{path}: a part that fills the window ends {low} pixels below it"] if low > 0 else []
    context.close()
    assert not problems, "\n".join(problems)
    assert {"/datasets/*/sample/*", "/datasets/*/query", "/training/*/samples", "/measurements/*/cases/*"} <= kinds
    assert {"/runs/*", "/compare", "/review/disagreements", "/review/events", "/nothing-here"} <= kinds
    assert {*live} < seen


def kind_of(path: str) -> str:
    """An address without its ids."""
    parts = urlsplit(path).path.split("/")
    return "/".join("*" if any(letter.isdigit() for letter in part) else part for part in parts)


def links(page: Page) -> list[str]:
    found: list[str] = page.evaluate(
        "[...document.links].filter(a => a.origin === location.origin).map(a => a.pathname + a.search)"
    )
    return found


def test_a_wrong_text_is_told_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "PAGES", tmp_path)
    (tmp_path / "texts").mkdir()
    for text in ("act.on: [On]", "act.on: [On, 开]", "act.on: [", "act.on: [a, b]\nact.off: 1"):
        (tmp_path / "texts" / "odd.yaml").write_text(text, "utf-8")
        with pytest.raises(ValueError, match=r"^odd\.yaml: "):
            phrases.__wrapped__()


def test_every_text_is_there_in_both_languages() -> None:
    assert all(english.strip() and chinese.strip() for english, chinese in phrases().values())
    missing = [key for key, (_, chinese) in phrases().items() if chinese.isascii() and len(chinese) > 12]
    assert not missing, json.dumps(missing)
