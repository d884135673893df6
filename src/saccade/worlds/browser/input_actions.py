"""Performs canonical actions as user input in a browser: mouse and wheel on a desktop, touch on a phone.

Each returns an error text, or "" if the action was done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from playwright.async_api import Error, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout

from saccade.actions import ACTION_TYPES, Action, ActionType, as_performed, swipe_path
from saccade.geometry import Point, Size
from saccade.screens.dom import ZOOM
from saccade.screens.source import javascript
from saccade.worlds.base import key_name, submits
from saccade.worlds.browser.action_target import INSERT, ActionTarget, find_target, focused_field
from saccade.worlds.browser.engine import first_line
from saccade.worlds.browser.hit_test import Spot, hit_nodes
from saccade.worlds.browser.tabs import Tabs
from saccade.worlds.keys import playwright_keys
from saccade.worlds.secrets import NO_SECRETS, PLACEHOLDER, SecretError, Vault, web_place

MOVES = 8
"""Touch or mouse moves of a swipe or drag."""
TAPS = frozenset(("click", "double_click", "long_press", "type"))
REACH = 10.0
"""Chromium moves a tap beside a control onto it, from up to this many CSS pixels away."""
HOLD_SECONDS = 0.65
REST_SECONDS = 0.08
"""A finger that has not moved for 40 ms does not fling in Chromium."""
LONGEST_WAIT = 10.0
NAVIGATION_MS = 15_000
FOCUS = javascript("saccade.worlds.browser", "focus.js")
CHOOSE = javascript("saccade.worlds.browser", "choose.js")
CONTEXT_MENU = """({ x, y }) => {
  const event = { bubbles: true, cancelable: true, composed: true, clientX: x, clientY: y, button: 2 };
  (document.elementFromPoint(x, y) || document.body).dispatchEvent(new PointerEvent("contextmenu", event));
}"""

CHANGED = "the page has changed where the action goes since it was checked: nothing was done"
NO_FIELD = "nothing to type into: no text field has the focus"

BROWSER_ACTIONS: frozenset[ActionType] = frozenset(set(ACTION_TYPES) - {"open_app"})


class BrowserInput:
    """Acts on the visible tab. Coordinates are screenshot pixels and are converted to CSS pixels."""

    by_keys: ClassVar[int] = 200
    """Texts of at most this many characters are typed key by key; longer ones are inserted at once."""
    swipe_moves: ClassVar[int] = MOVES

    def __init__(self, tabs: Tabs, size: Size, scale: float, touch: bool, home: str) -> None:
        self.tabs = tabs
        self.size = size
        self.scale = scale
        self.touch = touch
        self.home = home
        self.vault: Vault = NO_SECRETS
        self.place_of: Callable[[str], str] = web_place
        """The place (as in `Secret.place`) of a frame with this address."""
        self._view = (1.0, 0.0, 0.0)
        self._judged: tuple[Action, list[tuple[str, int]]] | None = None
        """The action that was looked at last (`target`), and the nodes that it would hit."""

    async def do(self, action: Action) -> str:
        self._view = await self._visual_view()
        for point in (action.point, action.start, action.end):
            if point is not None and not (0 <= point.x < self.size.width and 0 <= point.y < self.size.height):
                return f"[{point.x:g}, {point.y:g}] is outside the screen of {self.size.width}×{self.size.height}"
        action = as_performed(action, self.size)
        handlers: dict[str, Callable[[Action], Awaitable[str]]] = {
            "click": self._click,
            "long_press": self._long_press,
            "double_click": self._double_click,
            "right_click": self._right_click,
            "hover": self._hover,
            "swipe": self._swipe,
            "drag": self._drag,
            "type": self._type,
            "press": self._press,
            "select": self._select,
            "open_url": self._open_url,
            "wait": self._wait,
        }
        judged, self._judged = self._judged, None
        try:
            if judged is not None and judged[0] == action and not await self._still_there(*judged):
                return CHANGED
            if action.type in handlers:
                return await handlers[action.type](action)
        except PlaywrightTimeout as error:
            return f"{action.type} took too long: {first_line(error)}"
        except Error as error:
            return f"{action.type} failed: {first_line(error)}"
        return ""

    @property
    def page(self) -> Page:
        return self.tabs.page

    async def _visual_view(self) -> tuple[float, float, float]:
        """Zoom factor and offset of the visual viewport: phones shrink pages made for desktops."""
        if not self.touch:
            return 1.0, 0.0, 0.0
        try:
            zoom, left, top = await self.page.evaluate(ZOOM)
            return float(zoom), float(left), float(top)
        except (Error, TypeError, ValueError):  # the page is navigating, or a script of it has changed the answer
            return 1.0, 0.0, 0.0

    def _css(self, point: Point | None) -> tuple[float, float]:
        """Screenshot pixels to CSS pixels; without a point, the middle of the screen."""
        zoom, left, top = self._view
        x, y = point or (self.size.width / 2, self.size.height / 2)
        return x / self.scale / zoom + left, y / self.scale / zoom + top

    async def _touch(self, kind: str, x: float = 0, y: float = 0) -> None:
        points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
        session = await self.tabs.session()
        await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    async def _finger(self, path: list[tuple[float, float]], hold: float = 0.0) -> None:
        """Touch down at the first point, move along the path, rest at the last and lift there. A finger that lifts in
        motion flings the page, and how far depends on when its moves arrived: another length on a busy machine.
        """
        await self._touch("touchStart", *path[0])
        if hold:
            await asyncio.sleep(hold)
        for place in path[1:]:
            await self._touch("touchMove", *place)
            await asyncio.sleep(0.012)
        await asyncio.sleep(REST_SECONDS)
        await self._touch("touchMove", *path[-1])
        await self._touch("touchEnd")

    async def _click(self, action: Action) -> str:
        await self._tap(action.point)
        return ""

    async def _tap(self, point: Point | None) -> None:
        if not self.touch:
            await self.page.mouse.click(*self._css(point))
            return
        await self.tabs.session()  # of a new tab: the two touches must not both open one
        await asyncio.gather(self._touch("touchStart", *self._css(point)), self._touch("touchEnd"))

    async def _long_press(self, action: Action) -> str:
        if not self.touch:
            await self.page.mouse.click(*self._css(action.point), delay=1000 * HOLD_SECONDS)
            return ""
        x, y = self._css(action.point)
        session = await self.tabs.session()
        held = {"x": x, "y": y, "duration": round(1000 * HOLD_SECONDS), "gestureSourceType": "touch"}
        await asyncio.gather(
            session.send("Input.synthesizeTapGesture", held), self._context_menu(x, y, 0.8 * HOLD_SECONDS)
        )
        return ""

    async def _context_menu(self, x: float, y: float, after: float) -> None:
        """Phones open the context menu while the finger is still down; desktop Chromium does not, so send the event."""
        await asyncio.sleep(after)
        await self.page.evaluate(CONTEXT_MENU, {"x": x, "y": y})

    async def _double_click(self, action: Action) -> str:
        if self.touch:
            await self._tap(action.point)
            await asyncio.sleep(0.06)
            await self._tap(action.point)
        else:
            await self.page.mouse.dblclick(*self._css(action.point))
        return ""

    async def _right_click(self, action: Action) -> str:
        await self.page.mouse.click(*self._css(action.point), button="right")
        return ""

    async def _hover(self, action: Action) -> str:
        await self.page.mouse.move(*self._css(action.point))
        return ""

    async def _swipe(self, action: Action) -> str:
        """A touch move, or on a desktop the same distance by mouse wheel. Swiping up moves the content up."""
        start, end = map(self._css, swipe_path(action, self.size))
        if self.touch:
            await self._finger(line(start, end, self.swipe_moves))
        else:
            await self.page.mouse.move(*start)
            await self.page.mouse.wheel(start[0] - end[0], start[1] - end[1])
        return ""

    async def _drag(self, action: Action) -> str:
        path = line(self._css(action.start), self._css(action.end))
        if self.touch:
            await self._finger(path, HOLD_SECONDS)
            return ""
        mouse = self.page.mouse
        await mouse.move(*path[0])
        await mouse.down()
        for place in path[1:]:
            await mouse.move(*place)
        await mouse.up()
        return ""

    async def _type(self, action: Action) -> str:
        if action.point is not None:
            await self._tap(action.point)
            await asyncio.sleep(0.05)
        if problem := await self._enter(action.text or ""):
            return problem
        if action.submit:
            await self.page.keyboard.press("Enter")
        return ""

    async def _enter(self, text: str) -> str:
        """Type the text into the focused field."""
        if PLACEHOLDER.search(text):
            return await self._enter_secret(text)
        if not await self._focused():
            return NO_FIELD
        if len(text) > self.by_keys:
            await self.page.keyboard.insert_text(text)
        else:
            await self.page.keyboard.type(text)
        return ""

    async def _enter_secret(self, text: str) -> str:
        """Replace names of secrets by their values and insert them into the node that was checked. Key presses could
        end up elsewhere if the focus moves.
        """
        field = await focused_field(self.page)
        if field is None:
            return NO_FIELD
        frame, node = field
        try:
            filled = self.vault.fill(text, self.place_of(frame.url))
        except SecretError as error:
            return str(error)
        return "" if await node.evaluate(INSERT, filled) else "the field did not accept the text"

    async def target(self, action: Action) -> ActionTarget:
        """What this action would hit if it were done now. If it is done next, it must hit the same nodes."""
        action = as_performed(action, self.size)
        self._view = await self._visual_view()
        most = self.size.width * self.size.height / (self.scale * self._view[0]) ** 2 / 3
        submit = submits(action)
        typing = action.type == "type" or key_name(str(action.key)) in ("backspace", "delete")
        reach = REACH / self._view[0] if self.touch and action.type in TAPS else 0.0
        found = await find_target(self.tabs, self._spots(action), submit, most, typing, reach)
        self._judged = (action, [node.key for node in found.nodes])
        return found

    def _spots(self, action: Action) -> list[Spot]:
        if action.type == "swipe":
            return [self._css(swipe_path(action, self.size)[0])]
        points = (action.point, action.start, action.end)
        return [self._css(point) for point in points if point is not None] or [None]

    async def _still_there(self, action: Action, nodes: list[tuple[str, int]]) -> bool:
        """Would the action hit the nodes that were judged?"""
        return not nodes or [node.key for node in await hit_nodes(self.tabs, self._spots(action))] == nodes

    async def _focused(self) -> bool:
        """Does an editable element of any frame have the focus?"""
        for frame in self.page.frames:
            try:
                if await frame.evaluate(FOCUS):
                    return True
            except Error:
                continue
        return False

    async def _press(self, action: Action) -> str:
        key = str(action.key).strip()
        if key.lower() == "back":
            return await self._back()
        if key.lower() == "home":
            await self.page.goto(self.home, wait_until="commit", timeout=NAVIGATION_MS)
            return ""
        if self.vault and copies(key):
            return "copying is off while there are secrets: they could be pasted anywhere"
        try:
            await self.page.keyboard.press(playwright_keys(key))
        except Error:
            return f"there is no key {key[:40]!r}"
        return ""

    async def _back(self) -> str:
        if len(self.tabs.pages) > 1 and not await self._has_history():
            await self.page.close()
            return ""
        if not await self._has_history():
            return "there is no earlier page to go back to"
        session = await self.tabs.session()
        history = await session.send("Page.getNavigationHistory")
        entry = history["entries"][history["currentIndex"] - 1]
        self.tabs.show_again(entry["url"])
        await session.send("Page.navigateToHistoryEntry", {"entryId": entry["id"]})
        return ""

    async def _has_history(self) -> bool:
        session = await self.tabs.session()
        history: dict[str, Any] = await session.send("Page.getNavigationHistory")
        at = int(history["currentIndex"])
        return at > 0 and history["entries"][at - 1]["url"] != "about:blank"

    async def _select(self, action: Action) -> str:
        node = (await hit_nodes(self.tabs, [self._css(action.point)]))[0]
        return str(await node.call(CHOOSE, {"value": action.text}))

    async def _open_url(self, action: Action) -> str:
        url = (action.text or "").strip()
        if "://" not in url and not url.startswith(("about:", "data:")):
            url = f"https://{url}"
        if not self.tabs.allow.allows(url):
            return f"{url[:200]} is not on an allowed host"
        try:
            await self.page.goto(url, wait_until="commit", timeout=NAVIGATION_MS)
        except PlaywrightTimeout:
            return f"{url[:200]} did not answer in time"
        except Error as error:
            return f"{url[:200]} could not be opened: {first_line(error)}"
        return ""

    async def _wait(self, action: Action) -> str:
        await asyncio.sleep(min(1.0 if action.seconds is None else action.seconds, LONGEST_WAIT))
        return ""


def copies(key: str) -> bool:
    """Is this a key combination that copies or cuts?"""
    *held, last = playwright_keys(key).lower().split("+")
    return bool(held) and (
        last.removeprefix("key") in ("c", "x", "insert") or (last == "delete" and "shift" in held[0])
    )


def line(start: tuple[float, float], end: tuple[float, float], moves: int = MOVES) -> list[tuple[float, float]]:
    """Points from start to end at equal distances."""
    (x0, y0), (x1, y1) = start, end
    return [(x0 + (x1 - x0) * i / moves, y0 + (y1 - y0) * i / moves) for i in range(moves + 1)]
