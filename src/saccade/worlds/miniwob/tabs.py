"""Serves the task pages to Chromium and controls their clock.

The pages need no network: requests to a host that cannot exist are answered from the installed package. Their clock
advances only by half a second after each action. So animations end, and the same seed and actions give the same pixels
on any machine.
"""

from __future__ import annotations

import asyncio
import mimetypes
import time
from typing import Any
from urllib.parse import unquote, urlsplit

from playwright.async_api import Error, Frame, Route

from saccade.screens.source import javascript
from saccade.worlds.browser.tabs import Tabs
from saccade.worlds.miniwob.catalog import pages

HOST = "miniwob.invalid"
STEP_MS = 500
"""Milliseconds that the page's clock advances after an action: longer than any animation (0.4 s) or suggestion (0.3 s).
"""
FRAME_SECONDS = 5.0
CLOCK = javascript("saccade.worlds.miniwob", "clock.js")
PASS = "milliseconds => window.saccadeClock && window.saccadeClock.pass(milliseconds)"
REST = "() => window.saccadeClock && window.saccadeClock.rest()"
PASS_IF_LOADED = f"async milliseconds => document.readyState === 'complete' && (await ({PASS})(milliseconds), true)"


def address(task: str) -> str:
    return f"http://{HOST}/miniwob/{task}.html"


class MiniWobTabs(Tabs):
    """Tabs that serve the installed pages and control their clock."""

    step_ms: float = STEP_MS
    """Milliseconds that the page's clock advances when it next settles."""

    async def start(self) -> None:
        await self.context.add_init_script(script=CLOCK)
        await super().start()
        await self.context.route(f"http://{HOST}/**", _serve)

    async def settle(self, quiet: float, limit: float) -> None:
        """Wait for loading, which takes real time, then advance the page's clock."""
        end = time.monotonic() + limit
        while time.monotonic() < end and not self.crashed and self.pages:
            if not self._busy() and await self._within(self.page.main_frame, PASS_IF_LOADED, self.step_ms):
                break
            await asyncio.sleep(0.005)
        for frame in self.page.frames[1:] if self.pages else ():
            await self._within(frame, PASS, self.step_ms)

    async def rest(self) -> None:
        """Advance the page's clock by 2 to 4 s to a multiple of 2 s, at which every episode begins."""
        for frame in self.page.frames:
            await self._within(frame, REST)

    async def _within(self, frame: Frame, script: str, argument: float | None = None) -> Any:
        try:
            return await asyncio.wait_for(frame.evaluate(script, argument), FRAME_SECONDS)
        except (TimeoutError, Error):
            self.note("the page did not settle")


async def _serve(route: Route) -> None:
    """Serve a file of the package, and nothing outside its folder."""
    folder = pages()
    file = (folder / unquote(urlsplit(route.request.url).path).lstrip("/")).resolve()
    try:
        if file.is_relative_to(folder) and file.is_file():
            await route.fulfill(path=file, content_type=_kind(file.name))
        else:
            await route.fulfill(status=404, content_type="text/plain", body="there is no such page")
    except Error:
        return  # the page was closed meanwhile


def _kind(name: str) -> str:
    """Content type of a file. All text files are UTF-8, but not all of them declare it."""
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") or "javascript" in kind else kind
