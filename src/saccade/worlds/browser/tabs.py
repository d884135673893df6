"""The tabs of a browser context, and their events: dialogs, new tabs, downloads, crashes, blocked requests."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Any
from urllib.parse import urldefrag, urlsplit

from playwright.async_api import (
    BrowserContext,
    CDPSession,
    Dialog,
    Download,
    Error,
    FileChooser,
    Frame,
    Page,
    Request,
    Route,
)

from saccade.screens.source import javascript
from saccade.worlds.base import InfrastructureError
from saccade.worlds.browser.network import AllowList, host_of

MOST_EVENTS = 20
SETTLE = javascript("saccade.worlds.browser", "settle.js")
CHANGED = javascript("saccade.worlds.browser", "changed.js")
CHANGED_SECONDS = 2.0
NO_WEBRTC = 'for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete globalThis[name];'
"""Peer connections do not ask the host resolver, so they would reach hosts that are not allowed. Chromium's switch for
them (in `engine.QUIET`) stops UDP only.
"""
FIRST_TIME = ("differentDocument", "sameDocument")
"""Kinds of navigation (DevTools protocol) that follow a link or send a form. All others show a page again: back,
forward, reload.
"""


class Tabs:
    """The pages of a context. The newest is the visible one; when it closes, the one before it is."""

    def __init__(self, context: BrowserContext, allow: AllowList, metrics: dict[str, Any]) -> None:
        self.context = context
        self.allow = allow
        self.metrics = metrics
        self.pages: list[Page] = []
        self.events: list[str] = []
        self._sessions: dict[Page, CDPSession] = {}
        self._frame_sessions: dict[Frame, CDPSession] = {}
        self._pending: dict[Request, float] = {}
        self._asked_for: dict[str, float] = {}
        """Frames that a page wants to lead elsewhere, and since when: the browser has not sent the request yet."""
        self._crashed: set[Page] = set()
        self._shown_again: set[str] = set()
        self._opening = False
        self._settled: Page | None = None
        """The page that has settled and has been watched since."""

    async def start(self) -> None:
        await self.context.add_init_script(script=NO_WEBRTC)
        await self.context.route("**/*", self._route)
        self.context.on("page", self._new_page)
        self.context.on("request", self._request_started)
        self.context.on("requestfinished", self._request_finished)
        self.context.on("requestfailed", self._request_failed)
        await self.open()

    async def open(self) -> Page:
        """Open a new tab."""
        self._opening = True
        try:
            page = await self.context.new_page()
        finally:
            self._opening = False
        await self.session(page)
        return page

    @property
    def page(self) -> Page:
        if not self.pages:
            raise InfrastructureError("no page is open: the browser died, or its last tab was closed")
        return self.pages[-1]

    @property
    def crashed(self) -> bool:
        return bool(self.pages) and self.page in self._crashed

    def note(self, event: str) -> None:
        if len(self.events) < MOST_EVENTS and event not in self.events:
            self.events.append(event)

    def take_events(self) -> tuple[str, ...]:
        taken, self.events = tuple(self.events), []
        return taken

    async def session(self, page: Page | None = None) -> CDPSession:
        """A DevTools protocol session with the page, for input, screenshots and snapshots. It sets the screen metrics:
        a screenshot with a clip would otherwise drop Playwright's. Detaching it would reset the layout.
        """
        page = page or self.page
        if page not in self._sessions:
            session = await self.context.new_cdp_session(page)
            await session.send("Emulation.setDeviceMetricsOverride", self.metrics)
            await self._watch_navigations(session)
            self._sessions[page] = session
        return self._sessions[page]

    async def _watch_navigations(self, session: CDPSession) -> None:
        session.on("Page.frameRequestedNavigation", self._navigation_requested)
        session.on("Page.frameStartedNavigating", self._navigation_started)
        session.on("Page.frameStoppedLoading", self._navigation_ended)
        await session.send("Page.enable")

    async def _frame_navigated(self, frame: Frame) -> None:
        """Also watch the navigations of a frame from another site, which has a process and a session of its own."""
        if frame.parent_frame is None:
            return
        with suppress(Error):  # the frame is in the process of its page, or gone
            if (before := self._frame_sessions.pop(frame, None)) is not None:
                await before.detach()
            self._frame_sessions[frame] = session = await self.context.new_cdp_session(frame)
            await self._watch_navigations(session)

    async def frame_session(self, id: str) -> CDPSession | None:
        """The session of the frame with this id, if the frame is from another site than the frame around it."""
        for session in list(self._frame_sessions.values()):
            with suppress(Error):  # its frame is gone
                if (await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"] == id:
                    return session
        return None

    async def frames_apart(self) -> list[tuple[str, CDPSession]]:
        """The visible tab's frames from other sites, by their ids, each with its session."""
        found = []
        for frame, session in list(self._frame_sessions.items()):
            with suppress(Error):  # it is gone
                if frame.page is self.page:
                    found.append(((await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"], session))
        return found

    def _frame_detached(self, frame: Frame) -> None:
        self._frame_sessions.pop(frame, None)

    def _new_page(self, page: Page) -> None:
        if not self._opening:
            self.note("a new tab opened and is now shown")
        self.pages.append(page)
        page.set_default_timeout(10_000)
        page.on("dialog", self._dialog)
        page.on("download", self._download)
        page.on("filechooser", self._file_chooser)
        page.on("framenavigated", self._frame_navigated)
        page.on("framedetached", self._frame_detached)
        page.on("crash", self._crash)
        page.on("close", self._closed)

    def _closed(self, page: Page) -> None:
        self._sessions.pop(page, None)
        if page in self.pages:
            self.pages.remove(page)
            self.note("a tab was closed")

    def _crash(self, page: Page) -> None:
        self._crashed.add(page)

    async def _dialog(self, dialog: Dialog) -> None:
        """Close alerts, decline questions, and let pages be left; the text of the dialog becomes an event."""
        accept = dialog.type in ("alert", "beforeunload")
        if dialog.type != "beforeunload":
            done = "closed" if accept else "declined"
            self.note(f"the page showed a dialog ({dialog.type}), which was {done}: {dialog.message[:300]}")
        try:
            await (dialog.accept() if accept else dialog.dismiss())
        except Error:
            self.note("the dialog was already gone")

    async def _download(self, download: Download) -> None:
        self.note(f"the page offered a download, which was refused: {download.suggested_filename[:200]}")
        try:
            await download.cancel()
        except Error:
            self.note("the download ended by itself")

    def _file_chooser(self, _: FileChooser) -> None:
        self.note("the page asked for a file; none was given")

    def _navigation_requested(self, event: dict[str, Any]) -> None:
        if event.get("disposition") == "currentTab":
            self._asked_for[event["frameId"]] = time.monotonic()

    def _navigation_ended(self, event: dict[str, Any]) -> None:
        self._asked_for.pop(event["frameId"], None)

    def _navigation_started(self, event: dict[str, Any]) -> None:
        self.show_again(event["url"], event.get("navigationType") not in FIRST_TIME)

    def show_again(self, url: str, again: bool = True) -> None:
        """The next navigation to this address shows a page again: a form that it came from is not sent twice."""
        change = self._shown_again.add if again else self._shown_again.discard
        change(urldefrag(url).url)

    def _is_shown_again(self, url: str) -> bool:
        return urldefrag(url).url in self._shown_again

    async def _route(self, route: Route) -> None:
        request = route.request
        try:
            if not self.allow.allows(request.url):
                self._blocked(request.url)
                await route.abort("blockedbyclient")
            elif request.method == "POST" and request.is_navigation_request() and self._is_shown_again(request.url):
                self.note("the page came from a form, which was not sent again: it was opened without the form's data")
                await route.continue_(method="GET", post_data=b"", headers=_without_body(request.headers))
            else:
                await route.continue_()
        except Error:
            return  # the page was closed meanwhile

    def _request_started(self, request: Request) -> None:
        self._pending[request] = time.monotonic()

    def _request_finished(self, request: Request) -> None:
        self._pending.pop(request, None)

    def _request_failed(self, request: Request) -> None:
        """Redirects to hosts that are not allowed are stopped by the resolver and are reported here."""
        self._pending.pop(request, None)
        if not self.allow.allows(request.url):
            self._blocked(request.url)

    def _blocked(self, url: str) -> None:
        self.note(f"blocked: {host_of(url) or urlsplit(url).scheme} is not an allowed host")

    def _busy(self) -> bool:
        """Does a page want to lead elsewhere, or are there pending requests that are likely to end soon? Long polls and
        streams do not count. A page may want to lead where no request is ever sent: nobody waits long for that.
        """
        now = time.monotonic()
        self._asked_for = {frame: since for frame, since in self._asked_for.items() if now - since < 1}
        return bool(self._asked_for) or any(
            now - since < 2 and request.resource_type not in ("eventsource", "websocket", "ping", "media")
            for request, since in self._pending.items()
        )

    async def settle(self, quiet: float, limit: float) -> None:
        """Wait until the page has settled: no DOM changes, animations or pending requests; at most `limit` seconds."""
        end = time.monotonic() + limit
        self._settled = None
        while (left := end - time.monotonic()) > 0 and not self.crashed and self.pages:
            try:
                page, options = self.page, {"quiet": 1000 * quiet, "limit": 1000 * left}
                rested = await asyncio.wait_for(page.evaluate(SETTLE, options), left + 1)
            except TimeoutError:
                self.note("the page did not settle")
                return
            except Error:  # the page is navigating: try again
                await asyncio.sleep(0.02)
                continue
            if not self._busy():
                self._settled = page if rested else None
                return
            await asyncio.sleep(0.02)

    async def changed(self, quiet: float) -> bool:
        """Has the page changed since it settled, or within `quiet` seconds of its last change? False for one that never
        settled, so that nobody waits in vain.
        """
        if self._settled is None:
            return False
        try:
            return self._settled is not self.page or bool(
                await asyncio.wait_for(self._settled.evaluate(CHANGED, 1000 * quiet), CHANGED_SECONDS)
            )
        except TimeoutError:  # it hangs, and will not change any more
            return False
        except Error:  # the page is navigating
            return True


def _without_body(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in ("content-type", "content-length", "origin")}
