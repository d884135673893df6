"""Hostile folders: no script runs, nothing outside is served, every page answers soon."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from hostile_folders import NAME, SECRET, FullStudio, measure_and_queue, open_page, review_items, write_hostile
from playwright.sync_api import Dialog, Page
from studio_server import WAIT, StudioProcess, browser, page, studio_process

__all__ = ["browser", "page"]

MOST_PAGES = 100
MOST_OF_A_KIND = {"/datasets/sample": 12, "/datasets": 8, "/compare": 2, "/runs": 8}
"""Pages that are opened of those whose addresses differ by ids only; 4 of others."""
SECONDS = 3.0
"""Processor time that the server may need for a page; how long a page takes depends on what else the machine does."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FullStudio]:
    root = tmp_path_factory.mktemp("hostile")
    given, database = write_hostile(root), f"sqlite:///{root / 'studio.db'}"
    measure_and_queue(given, database)
    with studio_process(given, database=database) as server:
        yield FullStudio(server, given, review_items(root / "studio.db"))


@pytest.mark.slow
def test_every_page_of_a_hostile_folder_is_harmless(hostile: FullStudio, page: Page) -> None:
    """Follows every link from the first page on; the fixture also fails on anything that the policy had to block."""
    address, server = hostile.address, hostile.server
    assert isinstance(server, StudioProcess)
    dialogs: list[str] = []

    def note(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", note)
    secret = (hostile.given.parent / "secret.png").read_bytes()
    page.on("response", lambda answer: _check(answer.url, answer.status, dialogs))
    live = hostile.start_live(page)
    waiting = live + hostile.first_pages()
    seen: set[str] = set()
    kinds: dict[str, int] = {}
    while waiting and len(seen) < MOST_PAGES:
        path = waiting.pop(0)
        kind = "/".join(part for part in urlsplit(path).path.split("/") if not any(c.isdigit() for c in part))
        if path in seen or kinds.get(kind, 0) >= MOST_OF_A_KIND.get(kind, 4):
            continue
        seen.add(path)
        if "." in path.rpartition("/")[2]:  # a download
            assert page.request.get(address + path).status < 500, path
            continue
        kinds[kind] = kinds.get(kind, 0) + 1
        before = server.processor_seconds()
        open_page(page, address + path)
        assert server.processor_seconds() - before < SECONDS, path
        assert page.evaluate("window.ran") is None, path
        assert SECRET not in page.content(), path
        waiting += page.evaluate(
            "[...document.links].filter(a => a.origin === location.origin).map(a => a.pathname + a.search)"
        )
        for source in page.evaluate(
            "[...document.querySelectorAll('img, svg image')].map(i => i.src || i.href.baseVal)"
        ):
            answer = page.request.get(source if source.startswith("http") else address + source)
            assert answer.body() != secret, source
            assert answer.status < 500, source
    assert not dialogs
    parts = ("/sample/", "/samples", "/cases/")
    assert {*live} < seen and all(any(part in path for path in seen) for part in parts), kinds


def _check(url: str, status: int, troubles: list[str]) -> None:
    if status >= 500:
        troubles.append(f"{status} {url}")


def test_texts_are_shown_as_texts(hostile: FullStudio, page: Page) -> None:
    address = hostile.address
    page.goto(f"{address}/datasets")
    page.get_by_role("link", name=f"given/{NAME}").first.click()
    page.locator("a[data-sample]").first.click()
    assert "<script>window.ran=1</script>" in page.inner_text("h1")
    page.wait_for_function("document.querySelector('svg image') !== null")


def test_what_leads_out_is_told(hostile: FullStudio, page: Page) -> None:
    address = hostile.address
    for name, sentence in (("links/file", "leads out"), ("links/below", "leads out"), ("broken/long", "longer than")):
        page.goto(f"{address}/datasets")
        page.get_by_role("link", name=f"given/{name}").click()
        page.get_by_text(sentence).wait_for(timeout=WAIT)
    assert page.locator("a[data-sample]").count() == 1, "what came before the long line is shown"


def test_a_long_line_of_a_log_is_left_out(hostile: FullStudio, page: Page) -> None:
    address = hostile.address
    page.goto(f"{address}/training")
    page.get_by_role("link", name="given/training").first.click()
    page.get_by_text("loss: 0.5 (3)").first.wait_for(timeout=WAIT)
