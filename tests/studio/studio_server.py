"""A studio in a process of its own or in a thread of this one, and a browser that looks at it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra studio")
import uvicorn
from playwright.sync_api import Browser, Page, expect, sync_playwright

from saccade.studio.app import create_app
from saccade.studio.server import address_of, open_socket
from saccade.studio.settings import StudioSettings, read_folders
from saccade.worlds.browser.engine import QUIET, find_chromium

WAIT = 60_000
"""Milliseconds that a page gets where other processes keep the machine busy."""


class StudioProcess:
    """`saccade studio`, as a user starts it, on a free port."""

    def __init__(self, *folders: Path, database: str) -> None:
        command = [sys.executable, "-m", "saccade", "studio", *map(str, folders), "--port", "0", "--database", database]
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
def studio_process(*folders: Path, database: str) -> Iterator[StudioProcess]:
    """A studio over these folders in a process of its own."""
    running = StudioProcess(*folders, database=database)
    try:
        yield running
    finally:
        running.stop()


class StudioThread:
    """The same application in a thread, on a free port: a process takes more than a second only to start."""

    def __init__(self, *folders: Path, database: str, author: str = "me") -> None:
        settings = StudioSettings(read_folders(list(folders)), database, port=0, author=author)
        listening = open_socket(settings)
        settings = replace(settings, port=listening.getsockname()[1])
        self.address = address_of(settings).rstrip("/")
        self._server = uvicorn.Server(uvicorn.Config(create_app(settings), log_level="warning", lifespan="on"))
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [listening]}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(20)


@contextmanager
def studio(*folders: Path, database: str, author: str = "me") -> Iterator[StudioThread]:
    """A studio over these folders in a thread."""
    running = StudioThread(*folders, database=database, author=author)
    try:
        yield running
    finally:
        running.stop()


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
