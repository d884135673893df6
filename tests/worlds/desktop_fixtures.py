"""Real applications for tests of the desktop world; without the Debian packages such tests are skipped."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from desktop_helpers import EditorWorld

from saccade.errors import MissingError
from saccade.worlds.desktop.applications import APPLICATIONS, find_application
from saccade.worlds.desktop.session import find_programs
from saccade.worlds.desktop.world import DesktopWorld


@pytest.fixture(scope="session")
def installed() -> None:
    """Skips a test where the Debian packages of the desktop are not installed."""
    try:
        find_programs()
        for name in APPLICATIONS:
            find_application(name)
    except MissingError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def editor(installed: None) -> Iterator[EditorWorld]:
    with EditorWorld("mousepad") as world:
        yield world


@pytest.fixture(scope="module")
def calculator(installed: None) -> Iterator[DesktopWorld]:
    with DesktopWorld("galculator") as world:
        world.reset()
        yield world
