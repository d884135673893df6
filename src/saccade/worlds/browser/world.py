"""The browser world: real pages in Chromium, on a desktop or a phone screen."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlsplit

from playwright.async_api import CDPSession, Error

from saccade.actions import Action, ActionType
from saccade.geometry import Box, Size
from saccade.screens.dom import LONGEST_TEXT, page_elements
from saccade.types import Element, Picture, Screen
from saccade.worlds.base import CurrentTarget, InfrastructureError, LazyElements, Observation, World
from saccade.worlds.browser.engine import BrowserEngine, first_line
from saccade.worlds.browser.input_actions import BROWSER_ACTIONS, NAVIGATION_MS, BrowserInput
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.shown_secrets import Cover, shown_secrets
from saccade.worlds.browser.tabs import Tabs
from saccade.worlds.secrets import web_place

BLANK = "about:blank"
STEP_SECONDS = 60.0
SCREENSHOT_SECONDS = 10.0
SCREENSHOT_TRIES = 5
LISTING_TRIES = 2
WHOLE_TEXT = 20_000
ACTION_SECONDS: dict[ActionType, float] = {"open_url": 20.0, "press": 20.0, "wait": 15.0, "type": 15.0}
"""Seconds an action may take before the page counts as hanging; 5 s for all other actions."""


@dataclass(frozen=True)
class Device:
    """Size and input of a screen. The phone's 360×800 at scale 3 is exactly 1080×2400."""

    width: int
    height: int
    scale: float = 1.0
    touch: bool = False

    @property
    def pixels(self) -> Size:
        return Size(round(self.width * self.scale), round(self.height * self.scale))

    def metrics(self) -> dict[str, Any]:
        return {"width": self.width, "height": self.height, "deviceScaleFactor": self.scale, "mobile": self.touch}


DESKTOP = Device(1280, 800)
PHONE = Device(360, 800, 3.0, touch=True)
DEVICES = {"desktop": DESKTOP, "phone": PHONE}


class BrowserWorld(World):
    """Pages in Chromium. Only the start page's host and those in `allow` can be reached."""

    name = "browser"
    tabs_type: ClassVar[type[Tabs]] = Tabs
    """How pages are served and how they settle; worlds with their own pages use a subclass."""
    input_type: ClassVar[type[BrowserInput]] = BrowserInput

    def __init__(
        self,
        url: str = "about:blank",
        *,
        device: Device = DESKTOP,
        allow: Iterable[str] = (),
        locale: str = "en-US",
        timezone: str = "UTC",
        dark: bool = False,
        engine: BrowserEngine | None = None,
        headless: bool = True,
        quiet: float = 0.04,
        settle_limit: float = 3.0,
        pictures: bool = True,
    ) -> None:
        self.url = url
        self.pictures = pictures
        """If False, observations have elements only: faster, and enough for policies that read element lists."""
        self.device = device
        self.actions = BROWSER_ACTIONS
        self.space = "phone" if device.touch else "web"
        self.allow = AllowList.of(allow, url)
        self.quiet = quiet
        self.settle_limit = settle_limit
        self._options = {"locale": locale, "timezone_id": timezone, "color_scheme": "dark" if dark else "light"}
        self._own_engine = engine is None
        self.engine = engine or BrowserEngine(self.allow, headless=headless)
        self._tabs: Tabs | None = None
        self._input: BrowserInput | None = None
        self._elements: LazyElements | None = None

    # -- World interface ------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        """A new context, without cookies or storage of the last one, at `task` (an address) or the start page."""
        return self.engine.run(self._reset(task or self.url), STEP_SECONDS)

    def resume(
        self, done: Sequence[Action], url: str = "", seed: int | None = None, task: str | None = None
    ) -> Observation:
        """A real site is opened at the last address: the actions done there must not be repeated."""
        return self.reset(seed, url or task) if self.real else super().resume(done, url, seed, task)

    def act(self, action: Action) -> Observation:
        if self._tabs is None:
            raise InfrastructureError("the world was not reset yet")
        return self.engine.run(self._act(action), STEP_SECONDS)

    def current_target(self, action: Action) -> CurrentTarget | None:
        """What the action would hit now; unknown for a page that does not answer."""
        if self._input is None or self._tabs is None:
            return None
        try:
            return self.engine.run(self._current_target(action, self._input), SCREENSHOT_SECONDS)
        except InfrastructureError:
            if not self.engine.alive:
                raise
            return CurrentTarget(url=self.tabs.page.url if self.tabs.pages else "", unknown=True)

    def close(self) -> None:
        if self._own_engine:
            self.engine.close()
        elif self._tabs is not None and self.engine.alive:
            self.engine.run(self._tabs.context.close(), 10)
        self._tabs = None

    # -- on the engine's event loop -----------------------------------------------------------------------------------

    @property
    def tabs(self) -> Tabs:
        if self._tabs is None:
            raise InfrastructureError("the world was not reset yet")
        return self._tabs

    async def _reset(self, url: str) -> Observation:
        user_input = await self._open_context(url)
        error = await user_input.do(Action("open_url", text=url)) if url != BLANK else ""
        return await self._observe(error)

    async def _open_context(self, home: str) -> BrowserInput:
        if self._tabs is not None and self.engine.alive:
            await self._tabs.context.close()
        device = self.device
        context = await self.engine.context(
            viewport={"width": device.width, "height": device.height},
            device_scale_factor=device.scale,
            has_touch=device.touch,
            is_mobile=device.touch,
            service_workers="block",
            **self._options,
        )
        self._tabs = self.tabs_type(context, self.allow, device.metrics())
        await self._tabs.start()
        self._input = self.input_type(self._tabs, device.pixels, device.scale, device.touch, home)
        return self._input

    async def _act(self, action: Action) -> Observation:
        if self._elements is not None:
            self._elements.expire()
        if action.type not in self.actions:
            return await self._observe(f"this world cannot do {action.type}")
        try:
            error = await asyncio.wait_for(self._do(action), ACTION_SECONDS.get(action.type, 5.0))
        except TimeoutError:
            error = f"the page did not react to {action.type}"
            if not await self._answers():
                error = await self._recover("the page stopped answering")
        except InfrastructureError:
            if not self.engine.alive:
                raise
            error = ""  # the last tab was closed: `_observe` reports it
        return await self._observe(error)

    async def _do(self, action: Action) -> str:
        """Perform the action; worlds with buttons of their own override this."""
        if self._input is None:
            raise InfrastructureError("the world was not reset yet")
        self._input.vault, self._input.place_of = self.vault, self._place_of
        return await self._input.do(action)

    def _place_of(self, url: str) -> str:
        return web_place(url)

    async def _current_target(self, action: Action, user_input: BrowserInput) -> CurrentTarget:
        elements = await self._page_elements()
        found = await user_input.target(action)
        said = (tuple(found.words), tuple(found.labels))
        reached = (*said, tuple(found.leads), tuple(found.fields), found.control, tuple(found.evidence))
        hidden = not elements and bool(found.words or found.leads)  # the page kept its elements from being listed
        return CurrentTarget(elements, self.tabs.page.url, "", *reached, unknown=found.unknown or hidden)

    async def _answers(self) -> bool:
        try:
            await asyncio.wait_for(self.tabs.page.evaluate("1"), 3)
        except (TimeoutError, Error):
            return False
        return True

    async def _observe(self, error: str) -> Observation:
        """Wait until the page has settled, then take the screenshot and report events. The second half of the quiet
        time passes while the screenshot is taken: `_capture` finds out whether it was quiet.
        """
        tabs = self.tabs
        await tabs.settle(self.quiet / 2 if self.pictures else self.quiet, self.settle_limit)
        if tabs.crashed or not tabs.pages:
            error = await self._recover("the page crashed" if tabs.crashed else "the last tab was closed")
        image, elements = None, None
        try:
            if self.pictures:
                image, elements = await self._capture()
        except (TimeoutError, Error) as failure:
            if not self.engine.alive:
                raise InfrastructureError("the browser died") from None
            reason = "stopped answering" if isinstance(failure, TimeoutError) else f"broke ({first_line(failure)})"
            is_start = without_query(tabs.page.url) == without_query(self.url)
            error = await self._recover(f"the page {reason}", BLANK if is_start else self.url)
            image = await asyncio.wait_for(self._screenshot(), SCREENSHOT_SECONDS)
        self._elements = LazyElements(self._find_elements, elements)
        pixels = self.device.pixels
        secrets = await self._shown_secrets(pixels) if self.vault else ()
        screen = Screen(pixels, Picture(image, pixels) if image is not None else None, self._elements)
        return Observation(screen, url=tabs.page.url, error=error, events=tabs.take_events(), secrets=secrets)

    async def _shown_secrets(self, pixels: Size) -> tuple[Cover, ...]:
        """Where secrets are shown. If the page does not let it be found out, all of the picture is covered."""
        try:
            finding = shown_secrets(self.tabs, self.vault, self.device.scale, pixels)
            return await asyncio.wait_for(finding, SCREENSHOT_SECONDS)
        except (TimeoutError, Error):
            return ((next(iter(self.vault.secrets)), Box(0, 0, pixels.width, pixels.height)),)

    async def _recover(self, what: str, home: str | None = None) -> str:
        """Replace a page that crashed or hangs by the start page, or by another one."""
        home = self.url if home is None else home
        tabs = self.tabs
        broken = list(tabs.pages)
        page = await tabs.open()
        for other in broken:
            try:
                await asyncio.wait_for(other.close(), 2)
            except (TimeoutError, Error):
                tabs.pages.remove(other) if other in tabs.pages else None
        if tabs.page is not page:
            tabs.pages.append(page)
        tabs.take_events()
        if home != BLANK:
            try:
                await page.goto(home, wait_until="commit", timeout=NAVIGATION_MS)
            except Error:
                return f"{what}, and the start page could not be opened again"
        await tabs.settle(self.quiet, self.settle_limit)
        return f"{what}; {'a blank page is shown now' if home == BLANK else 'the start page is shown again'}"

    async def _capture(self) -> tuple[bytes, list[Element] | None]:
        """The screenshot, and at the same time the elements if those of the last screen were asked for. Both are taken
        once more if the page changed meanwhile: they must describe the same moment, and a page that has settled.
        """
        wanted = self._elements is not None and self._elements.asked
        for again in (True, False):
            finding = asyncio.create_task(self._elements_now() if wanted else asyncio.sleep(0))
            try:
                image = await asyncio.wait_for(self._screenshot(), SCREENSHOT_SECONDS)
                elements = await finding
            finally:
                finding.cancel()
            if not (again and await self.tabs.changed(self.quiet)):
                break
            await self.tabs.settle(self.quiet, self.settle_limit)
        return image, elements

    async def _screenshot(self) -> bytes:
        """The page as it looks now; of one that navigates at this very moment, in another try."""
        for left in reversed(range(SCREENSHOT_TRIES)):
            session = await self.tabs.session()
            try:
                shot = await session.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
                break
            except Error:
                if not left:
                    raise
                if left <= SCREENSHOT_TRIES // 2:
                    await self._hold_still(session)
                await asyncio.sleep(0.1)
        return base64.b64decode(shot["data"])

    async def _hold_still(self, session: CDPSession) -> None:
        """Stop a page that goes on to another address again and again before it can be shown."""
        with suppress(Error):
            await session.send("Page.stopLoading")
            self.tabs.note("the page went on to another address again and again, and was stopped")

    def _find_elements(self) -> Sequence[Element]:
        """The elements; of a page that changes while they are listed, in another try. A page that cannot be listed at
        all is no reason to end a run: what it shows is on the screenshot.
        """
        for _ in range(LISTING_TRIES):
            try:
                return self.engine.run(self._page_elements(), SCREENSHOT_SECONDS)
            except InfrastructureError:
                if not self.engine.alive:
                    raise
        self.tabs.note("the elements of the page could not be listed: it is too large, or does not hold still")
        return []

    async def _elements_now(self) -> list[Element] | None:
        """The elements, or None if the page did not let them be found now: they are looked for when asked for."""
        try:
            return await asyncio.wait_for(self._page_elements(), SCREENSHOT_SECONDS)
        except (TimeoutError, Error):
            return None

    async def _page_elements(self) -> list[Element]:
        """The elements of the page. If there are secrets, texts are not cut, so that secrets in them are found."""
        session, longest = await self.tabs.session(), WHOLE_TEXT if self.vault else LONGEST_TEXT
        try:
            return await page_elements(
                self.tabs.page, session, self.device.scale, self.device.pixels, longest, self.tabs.note
            )
        except (LookupError, TypeError, ValueError):  # a script of the page has changed what answers are made of
            self.tabs.note("the elements of the page could not be read")
            return []


def without_query(url: str) -> str:
    """The address without what a page may change of its own to go on for ever."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"
