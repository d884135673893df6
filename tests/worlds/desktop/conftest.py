"""Real applications for the tests of the desktop world; without the Debian packages these tests are skipped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from desktop_fixtures import EditorWorld

from saccade.errors import MissingError
from saccade.worlds.desktop.applications import APPLICATIONS, find_application
from saccade.worlds.desktop.session import find_programs
from saccade.worlds.desktop.world import DesktopWorld


@pytest.fixture(scope="session", autouse=True)
def _installed() -> None:
    try:
        find_programs()
        for name in APPLICATIONS:
            find_application(name)
    except MissingError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def editor() -> Iterator[EditorWorld]:
    with EditorWorld("mousepad") as world:
        yield world


@pytest.fixture(scope="module")
def calculator() -> Iterator[DesktopWorld]:
    with DesktopWorld("galculator") as world:
        world.reset()
        yield world
