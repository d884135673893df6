"""Drives Chromium through a blocking interface in which every call has a deadline.

Playwright runs on an event loop in its own thread. A page in an endless loop or a killed browser raises an exception
instead of blocking. Several worlds may share one engine, each with its own browser context.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from saccade.errors import MissingError
from saccade.worlds.base import InfrastructureError
from saccade.worlds.browser.network import AllowList

try:
    from playwright.async_api import Browser, BrowserContext, Error, Playwright, async_playwright
except ImportError as error:  # pragma: no cover
    raise MissingError(
        "the browser world needs playwright: run make setup, or pip install 'saccade[browser]'"
    ) from error

T = TypeVar("T")
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# Chromium without windows and what serves them: it starts in 0.6 of the time and opens a page's context in a third.
# Debian's command of that name is a shell that stays its parent, and a signal to that would not reach the browser.
HEADLESS_NAMES = ("/usr/lib/chromium/chromium-headless-shell", "chrome-headless-shell", "headless_shell")
DOWNLOADS = "chromium-*/chrome-linux*/chrome"  # of `playwright install`
HEADLESS_DOWNLOADS = "chromium_headless_shell-*/*/*headless?shell"
QUIET = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--disable-quic",
    "--disable-gpu",
    "--disable-partial-raster",  # otherwise edges of shapes keep traces of earlier content
    "--no-first-run",
    "--no-pings",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # `tabs.NO_WEBRTC` does the rest
    # the last two: otherwise a sideways swipe navigates back, and a list stops where Chromium expects the finger to be
    # by the next frame: where frames come late, that is beyond the place where it lifts
    "--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication,OverscrollHistoryNavigation,"
    "ResamplingScrollEvents",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
]
LAUNCH_SECONDS = 30.0


def find_chromium(*, headless: bool = True) -> str:
    """`SACCADE_CHROMIUM`, the system's Chromium, or Playwright's download; without windows rather one made for that."""
    if chosen := os.environ.get("SACCADE_CHROMIUM"):
        if Path(chosen).is_file():
            return chosen
        raise MissingError(f"SACCADE_CHROMIUM is {chosen}, but there is no such file")
    with_windows = _installed(NAMES, DOWNLOADS)
    if found := (_installed(HEADLESS_NAMES, HEADLESS_DOWNLOADS) or with_windows) if headless else with_windows:
        return found
    raise MissingError(
        "there is no Chromium on this machine: run make setup, or apt-get install chromium, "
        "or playwright install chromium"
    )


def _installed(names: Sequence[str], downloads: str) -> str | None:
    for name in names:
        if found := shutil.which(name):
            return found
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH", Path.home() / ".cache" / "ms-playwright"))
    return next((str(binary) for binary in sorted(folder.glob(downloads), reverse=True)), None)


class BrowserEngine:
    """One Chromium process and the event loop that drives it. Starts on first use, and again after it died."""

    def __init__(self, allow: AllowList, *, headless: bool = True) -> None:
        self.allow = allow
        self.headless = headless
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    def run(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """Run `work` on the event loop and wait for it, at most `seconds`."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="saccade-browser", daemon=True)
            self._thread.start()
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(seconds)
        except FutureTimeout:
            future.cancel()
            raise InfrastructureError(f"the browser did not answer within {seconds:.0f} s") from None
        except KeyboardInterrupt:
            future.cancel()
            raise
        except Error as error:
            raise InfrastructureError(f"the browser failed: {first_line(error)}") from None

    @property
    def alive(self) -> bool:
        return self._browser is not None and self._browser.is_connected()

    async def context(self, **options: Any) -> BrowserContext:
        """A new context in the running browser; a dead browser is started again."""
        if not self.alive:
            await self._launch()
        if self._browser is None:
            raise InfrastructureError("the browser did not start")
        return await self._browser.new_context(**options)

    async def _launch(self) -> None:
        if self._playwright is None:
            try:
                self._playwright = await async_playwright().start()
            except Exception as error:  # noqa: BLE001  (Playwright raises a bare Exception)
                raise MissingError(
                    f"Playwright cannot start ({first_line(error)}): run make setup, or apt-get install libatomic1"
                ) from None
        arguments = [*QUIET, *self.allow.launch_arguments()]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        self._browser = await self._playwright.chromium.launch(
            executable_path=find_chromium(headless=self.headless),
            headless=self.headless,
            args=arguments,
            timeout=1000 * LAUNCH_SECONDS,
            handle_sigint=False,
        )

    def close(self) -> None:
        if self._loop is None:
            return
        with suppress(InfrastructureError):  # it may have died already
            self.run(self._stop(), 10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        if self._thread is not None:
            self._thread.join(5)
        self._loop = self._thread = self._playwright = self._browser = None

    async def _stop(self) -> None:
        try:
            if self._browser is not None and self._browser.is_connected():
                await self._browser.close()
        finally:
            if self._playwright is not None:
                await self._playwright.stop()


def first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
