"""Browsing data: what is found, filters, problems, one sample, predictions of another file, questions in SQL."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image
from playwright.sync_api import Page
from studio_server import browser, page, studio

from saccade.errors import InputError
from saccade.studio.datasets.dataset_reading import DatasetReading
from saccade.studio.datasets.discovery import find_datasets
from saccade.studio.datasets.file_query import QueryAnswer, QueryRequest, ask, queryable_files
from saccade.studio.datasets.sample_index import SampleFilter
from saccade.studio.index.folders import FolderTree

__all__ = ["browser", "page"]

ASK_ALL = """
import sys, msgspec
from saccade.studio.datasets.query_process import QueryRequest, answer, limit_process

limit_process()
requests = msgspec.json.decode(sys.stdin.buffer.read(), type=list[QueryRequest])
sys.stdout.buffer.write(msgspec.json.encode([answer(each) for each in requests]))
"""
"""Many questions in one process, as `query_process` answers one."""
APPS = ("Clock", "Mail", "地图")


def step(at: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": f"s{at}",
        "episode": "e",
        "step": at,
        "instruction": f"Open {APPS[at % 3]} {at}",
        "screen": [200, 400],
        "image": f"screens/{at % 3}.png",
        "truth": [{"type": "click", "point": [50, 100], "box": [20, 80, 90, 120]}],
        "tags": {"app": APPS[at % 3], "split": "test"},
    } | changes


def write(folder: Path, steps: list[dict[str, Any]]) -> Path:
    (folder / "screens").mkdir(parents=True)
    for at, colour in enumerate(("white", "navy", "green")):
        Image.new("RGB", (200, 400), colour).save(folder / "screens" / f"{at}.png")
    (folder / "steps.jsonl").write_text("".join(json.dumps(each) + "\n" for each in steps))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("data").resolve()
    steps = [step(at) for at in range(30)]
    steps[4]["truth"][0]["box"] = [20, 80, 900, 120]
    steps[7]["truth"] = [{"type": "swipe", "direction": "up", "start": [100, 300], "end": [100, 50]}]
    write(root / "phone", steps)
    right, wrong = {"type": "click", "point": [60, 100]}, {"type": "click", "point": [190, 390]}
    answered = [step(at, prediction=right if at % 2 else wrong) for at in range(5)]
    write(root / "answers", answered)
    (root / "runs" / "one").mkdir(parents=True)
    write(root / "runs" / "one" / "run", [step(0)])
    (root / "runs" / "one" / "run" / "run.json").write_text("{}")
    write(root / "measured", [])
    (write(root / "blank", []) / "steps.jsonl").write_text("\n")
    collected = write(root / "collected", [step(0)])
    (collected / "run.json").write_text("{}")
    (collected / "episodes").mkdir()
    return root


@pytest.fixture(scope="module")
def address(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    database = tmp_path_factory.mktemp("base") / "studio.db"
    with studio(folder, database=f"sqlite:///{database}") as found:
        yield found.address


def press(page: Page, key: str) -> None:
    """Press a key when the page's scripts are there."""
    page.wait_for_load_state("load")
    page.keyboard.press(key)


def opened(folder: Path, label: str) -> DatasetReading:
    found = {each.label: each for _, each in find_datasets([folder])}[f"{folder.name}/{label}"]
    reading = DatasetReading(found, {}, [folder])
    assert reading.done.wait(10)
    return reading


def test_data_sets_are_found_and_runs_are_not(folder: Path) -> None:
    found = {each.label: each.kind.name for _, each in find_datasets([folder])}
    assert found == {f"{folder.name}/{name}": "steps" for name in ("answers", "blank", "collected", "phone")}
    runs = [path for path, _, _ in FolderTree([folder]).look()]
    assert runs == [str(folder / "runs" / "one" / "run")], "what is a data set is no run"


def test_a_lone_file_does_not_hide_the_data_sets_beside_it(folder: Path) -> None:
    record = (folder / "phone" / "steps.jsonl").read_text().splitlines()[0]
    lone = folder / "lone.jsonl"
    lone.write_text(record + "\n")
    try:
        found = {each.label for _, each in find_datasets([folder])}
    finally:
        lone.unlink()
    assert found == {f"{folder.name}/{name}" for name in ("answers", "blank", "collected", "phone", "lone.jsonl")}


@pytest.mark.shared
def test_published_data_sets_are_found(shared_data: Path) -> None:
    found = {each.label.partition("/")[2]: each.kind.name for _, each in find_datasets([shared_data])}
    assert found["aitz"] == "aitz" and found["osworld_g"] == "osworld-g" and found["screenspot_pro"] == "results"


def test_samples_are_filtered_and_paged(folder: Path) -> None:
    index = opened(folder, "phone").index
    rows, total = index.page(SampleFilter((("app", "Mail"),)), 4, 3)
    assert total == 10 and [row.n for row in rows] == [13, 16, 19]
    assert index.page(SampleFilter(words="open 地图 2"), 0, 5)[1] == 5, "2, 20, 23, 26 and 29"
    assert index.page(SampleFilter(words="50%"), 0, 5)[1] == 0
    assert [row.n for row in index.page(SampleFilter((("action", "swipe"),)), 0, 5)[0]] == [7]
    assert [row.n for row in index.page(SampleFilter(finding="box-outside"), 0, 5)[0]] == [4]
    assert index.neighbours(SampleFilter((("app", "Mail"),)), 4) == (1, 7)
    assert {facet.name for facet in index.facets()} == {"action", "app", "language"}


def test_a_cursor_goes_forward_and_back(folder: Path) -> None:
    reading = opened(folder, "phone")
    assert [reading.sample(n).step.id for n in (3, 29, 0)] == ["s3", "s29", "s0"]
    with pytest.raises(InputError, match="no sample 30"):
        reading.sample(30)


def test_questions_read_one_file_and_write_none(folder: Path, tmp_path: Path) -> None:
    path = folder / "phone"
    assert queryable_files(path) == ["steps.jsonl"]
    before = (path / "steps.jsonl").read_bytes()
    answer = ask(path, "steps.jsonl", "SELECT tags.app AS app, count(*) AS n FROM data GROUP BY 1 ORDER BY 1;")
    assert (answer.columns, answer.rows) == (["app", "n"], [["Clock", "10"], ["Mail", "10"], ["地图", "10"]])
    assert ask(path, "steps.jsonl", "SELECT * FROM range(1000)").more
    other = folder / "answers" / "steps.jsonl"
    forbidden = (
        f"SELECT * FROM read_text('{other}')",
        f"SELECT * FROM '{other}'",
        "SELECT * FROM glob('/*')",
        "SELECT 1) UNION ALL SELECT content FROM (SELECT * FROM read_text('/etc/passwd')",
        f"COPY (SELECT 1) TO '{path / 'steps.jsonl'}' (USE_TMP_FILE false)",
        f"COPY (SELECT 1) TO '{tmp_path / 'out.csv'}'",
        "SELECT 1; SELECT 2",
        "SET enable_external_access = true",
        "INSTALL httpfs",
        f"ATTACH '{tmp_path / 'x.db'}'",
    )
    requests = [QueryRequest(str(path / "steps.jsonl"), "json", question) for question in forbidden]
    command = [sys.executable, "-c", ASK_ALL]
    told = subprocess.run(command, input=msgspec.json.encode(requests), stdout=subprocess.PIPE, check=True).stdout
    for question, refused in zip(forbidden, msgspec.json.decode(told, type=list[QueryAnswer]), strict=True):
        assert refused.problem and not refused.rows, question
    assert (path / "steps.jsonl").read_bytes() == before and not list(tmp_path.iterdir())
    for name in ("../answers/steps.jsonl", "screens/0.png", ""):
        with pytest.raises(InputError, match="not a table"):
            ask(path, name, "SELECT 1")


def test_browse_filter_and_look_at_a_sample(address: str, page: Page) -> None:
    page.goto(f"{address}/datasets")
    page.get_by_role("link", name="/phone").click()
    page.locator("select[name='tag.app']").select_option("Mail")
    page.get_by_role("button", name="Filter").click()
    page.wait_for_url("**tag.app=Mail**")
    assert page.locator("ul.sheet li").count() == 10
    picture = page.locator("ul.sheet img").first
    picture.scroll_into_view_if_needed()
    page.wait_for_function("image => image.naturalWidth > 100", arg=picture.element_handle())
    page.locator("a[data-sample]").nth(1).click()
    page.get_by_role("heading", name="Open Mail 4").wait_for()
    page.get_by_text("box-outside").wait_for()
    assert page.locator(".shape.truth rect").is_visible()
    press(page, "t")
    assert not page.locator(".shape.truth rect").is_visible()
    press(page, "ArrowRight")
    page.wait_for_url("**/sample/7?**")
    assert page.locator(".shape.truth line").count() == 1
    press(page, "z")
    assert page.evaluate("document.querySelector('svg.picture').getBoundingClientRect().width") == 200


def test_predictions_of_another_file_are_laid_over(address: str, folder: Path, page: Page) -> None:
    page.goto(f"{address}/datasets")
    page.get_by_role("link", name="/phone").click()
    page.locator("a[data-sample]").nth(1).click()
    page.wait_for_url("**/sample/1?**")
    assert page.locator(".shape.prediction").count() == 0
    page.get_by_label("Predictions from").select_option(label=f"{folder.name}/answers")
    page.get_by_role("button", name="Show").click()
    page.locator(".shape.prediction circle").first.wait_for()
    assert "right" in page.inner_text("dd.prediction")
    press(page, "ArrowRight")
    page.wait_for_url("**/sample/2?**")
    assert "wrong" in page.inner_text("dd.prediction")


def test_a_data_set_without_samples_has_all_pages(address: str, page: Page) -> None:
    page.goto(f"{address}/datasets")
    page.get_by_role("link", name="/blank").click()
    page.get_by_text("Samples: 0").wait_for()
    for name in ("Problems", "Query"):
        page.get_by_role("link", name=name).click()
        page.locator(f"a[aria-current]:text-is('{name}')").wait_for()


def test_problems_and_a_question(address: str, page: Page) -> None:
    page.goto(f"{address}/datasets")
    page.get_by_role("link", name="/phone").click()
    page.get_by_role("link", name="Problems").click()
    page.get_by_role("link", name="4", exact=True).click()
    page.get_by_role("heading", name="Open Mail 4").wait_for()
    press(page, "u")
    page.get_by_role("link", name="Query").click()
    page.get_by_label("Question in SQL").fill("SELECT count(*) AS all_steps FROM data")
    press(page, "Control+Enter")
    page.get_by_role("columnheader", name="all_steps").wait_for()
    assert page.get_by_role("cell", name="30", exact=True).count() == 1
