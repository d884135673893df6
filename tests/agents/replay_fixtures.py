"""What the tests of the replay page share: a browser, and a way to open pages that must not complain."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from replay_runs import Opening, chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def opening(browser: Browser) -> Iterator[Opening]:
    opening = Opening(browser)
    yield opening
    opening.check()
