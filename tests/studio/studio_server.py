"""A studio in a process of its own, and a browser that looks at it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra studio")
from playwright.sync_api import Browser, Page, expect, sync_playwright

from saccade.worlds.browser.engine import QUIET, find_chromium

WAIT = 60_000
"""Milliseconds that a page gets where other processes keep the machine busy."""


class StudioProcess:
    """`saccade studio`, as a user starts it, on a free port."""

    def __init__(self, *folders: Path, options: tuple[str, ...] = ()) -> None:
        command = [sys.executable, "-m", "saccade", "studio", *map(str, folders), "--port", "0", *options]
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert "http" in said, said
        self.address = said.split()[-1].rstrip("/")

    def kill(self) -> None:
        """As a crash would."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """As Ctrl-C would."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(10)
        if self.process.poll() is None:
            self.kill()

    def processor_seconds(self) -> float:
        """Processor time of the server, and of processes that it started and waited for."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def studio_process(*folders: Path, options: tuple[str, ...] = ()) -> Iterator[StudioProcess]:
    """A studio over these folders."""
    running = StudioProcess(*folders, options=options)
    try:
        yield running
    finally:
        running.stop()


@contextmanager
def studio(*folders: Path, options: tuple[str, ...] = ()) -> Iterator[str]:
    """The address of a studio over these folders."""
    with studio_process(*folders, options=options) as running:
        yield running.address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Of one module: while Playwright's loop runs in a process, nobody else can start one there."""
    expect.set_options(timeout=WAIT)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=find_chromium(), args=[*QUIET, "--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of 1280 × 800 in English; what its scripts throw, and what its policy blocks, fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
    found = context.new_page()
    troubles: list[str] = []
    found.on("pageerror", lambda error: troubles.append(str(error)))
    found.on("console", lambda line: troubles.append(line.text) if _blocked(line) else None)
    yield found
    context.close()
    assert not troubles, troubles


def _blocked(line: Any) -> bool:
    return line.type == "error" and "Content Security Policy" in line.text
