"""How the task pages reach Chromium, and how their time passes.

The pages never cross a network: requests to a host that cannot exist are answered from the installed package. Their
time stands still but for half a second after each action, so that animations end and the same seed and the same
actions give the same pixels, on a fast machine and a slow one.
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
"""What an action takes on the page's clock: the longest animation (0.4 s) or suggestion (0.3 s) is over by then."""
FRAME_SECONDS = 5.0
CLOCK = javascript("saccade.worlds.miniwob", "clock.js")
PASS = "milliseconds => window.saccadeClock && window.saccadeClock.pass(milliseconds)"
REST = "() => window.saccadeClock && window.saccadeClock.rest()"
PASS_IF_LOADED = f"async milliseconds => document.readyState === 'complete' && (await ({PASS})(milliseconds), true)"


def address(task: str) -> str:
    return f"http://{HOST}/miniwob/{task}.html"


class MiniWobTabs(Tabs):
    """Tabs that serve the installed pages and hold their clock."""

    step_ms: float = STEP_MS
    """How much of its time the page gets when it next settles."""

    async def start(self) -> None:
        await self.context.add_init_script(script=CLOCK)
        await super().start()
        await self.context.route(f"http://{HOST}/**", _serve)

    async def settle(self, quiet: float, limit: float) -> None:
        """Wait for loading, which takes real time, then let the page's own time pass."""
        end = time.monotonic() + limit
        while time.monotonic() < end and not self.crashed and self.pages:
            if not self._busy() and await self._within(self.page.main_frame, PASS_IF_LOADED, self.step_ms):
                break
            await asyncio.sleep(0.005)
        for frame in self.page.frames[1:] if self.pages else ():
            await self._within(frame, PASS, self.step_ms)

    async def rest(self) -> None:
        """Two to four seconds, up to a full beat: every episode begins on one."""
        for frame in self.page.frames:
            await self._within(frame, REST)

    async def _within(self, frame: Frame, script: str, argument: float | None = None) -> Any:
        try:
            return await asyncio.wait_for(frame.evaluate(script, argument), FRAME_SECONDS)
        except (TimeoutError, Error):
            self.note("the page did not come to rest")


async def _serve(route: Route) -> None:
    """A file of the package, and nothing outside its folder."""
    folder = pages()
    file = (folder / unquote(urlsplit(route.request.url).path).lstrip("/")).resolve()
    try:
        if file.is_relative_to(folder) and file.is_file():
            await route.fulfill(path=file, content_type=_kind(file.name))
        else:
            await route.fulfill(status=404, content_type="text/plain", body="there is no such page")
    except Error:
        return  # the page is gone, and its request with it


def _kind(name: str) -> str:
    """Their texts are UTF-8, which not all of them say."""
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") or "javascript" in kind else kind
