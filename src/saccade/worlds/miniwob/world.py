"""MiniWoB++ tasks in the browser world: seeded, repeatable to the pixel, many episodes for one page load."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

from playwright.async_api import Error

from saccade.actions import Action
from saccade.screens.source import javascript
from saccade.worlds.base import InfrastructureError, Observation
from saccade.worlds.browser.engine import BrowserEngine, first_line
from saccade.worlds.browser.input_actions import BROWSER_ACTIONS, LONGEST_WAIT, NAVIGATION_MS
from saccade.worlds.browser.world import STEP_SECONDS, BrowserWorld, Device
from saccade.worlds.miniwob.catalog import RELOADED, check_task
from saccade.worlds.miniwob.tabs import STEP_MS, MiniWobTabs, address

START = javascript("saccade.worlds.miniwob", "start.js")
JUDGE = javascript("saccade.worlds.miniwob", "judge.js")
READY_SECONDS = 10.0


@dataclass(slots=True)
class MiniWobObservation(Observation):
    """An observation that also says what the instruction is made of."""

    fields: dict[str, str] = field(default_factory=dict)
    """The instruction's parts by name, on the few pages that tell them."""


class MiniWobWorld(BrowserWorld):
    """One task at a time. `reward` is the page's own, from -1 to 1 and without its decay over time; `done` when the
    page has judged. Time stands still while nobody acts.
    """

    name = "miniwob"
    real = False
    judges = True
    tabs_type = MiniWobTabs

    def __init__(
        self,
        task: str = "click-test",
        *,
        width: int = 332,
        height: int = 240,
        scale: float = 2.0,
        engine: BrowserEngine | None = None,
        headless: bool = True,
    ) -> None:
        self.task = check_task(task)
        super().__init__(address(self.task), device=Device(width, height, scale), engine=engine, headless=headless)
        self.actions = BROWSER_ACTIONS - {"open_url"}
        self.instruction = ""
        self.fields: dict[str, str] = {}
        self.seed = 0
        self.loads = 0
        """How often a page was loaded, for those who count."""
        self._shown = ""
        """The task whose page is loaded."""
        self._whole = False
        """Did the last call come to its end?"""
        self._over: MiniWobObservation | None = None

    # -- the verbs ------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, task: str | None = None) -> MiniWobObservation:
        """A new episode. Without a seed, one is drawn and kept in `self.seed`; without a task, the last one's."""
        name = check_task(task) if task else self.task
        self.seed = random.randrange(2**31) if seed is None else seed
        return self._run(self._begin(name, fresh=not self._whole))

    def configure(self, task: str, options: Mapping[str, Any]) -> None:
        """Another task for the next `reset`; the browser stays."""
        self.task = check_task(task or "click-test")

    def act(self, action: Action) -> MiniWobObservation:
        if self._tabs is None:
            raise InfrastructureError("the world was not reset yet")
        return self._run(self._act(action))

    def _run(self, work: Coroutine[Any, Any, Observation]) -> MiniWobObservation:
        """A call that breaks off leaves a page behind that nobody should trust."""
        self._whole = False
        seen = self.engine.run(work, STEP_SECONDS)
        self._whole = True
        return cast(MiniWobObservation, seen)

    # -- on the engine's loop -------------------------------------------------------------------------------------

    @property
    def clocked(self) -> MiniWobTabs:
        """The tabs, known to be ours."""
        return cast(MiniWobTabs, self.tabs)

    async def _begin(self, task: str, fresh: bool) -> MiniWobObservation:
        tabs = self._tabs
        if fresh or tabs is None or not self.engine.alive or tabs.crashed or len(tabs.pages) != 1:
            await self._open_context(address(task))
            self._shown = ""
        self.task, self.url, self._over = task, address(task), None
        if self._elements is not None:
            self._elements.expire()
        page = self.tabs.page
        if self._shown != task or task in RELOADED or page.url.partition("#")[0] != self.url:
            await self._load()
        await self.clocked.rest()
        try:
            await page.mouse.move(self.device.width - 1, self.device.height - 1)
            await page.evaluate(START, self.seed)
            await self._ready()
        except Error as error:
            self._shown = ""
            raise InfrastructureError(f"the page of {task} failed: {first_line(error)}") from None
        self.tabs.take_events()
        self.clocked.step_ms = STEP_MS
        return await self._observe("")

    async def _load(self) -> None:
        """The task's page, up to where a person would press START."""
        self._shown = ""
        await self.tabs.page.goto(self.url, wait_until="load", timeout=NAVIGATION_MS)
        self.loads += 1
        self._shown = self.task

    async def _ready(self) -> None:
        """Pages with a frame inside say when that has come up."""
        end = time.monotonic() + READY_SECONDS
        while not (verdict := await self.tabs.page.evaluate(JUDGE, True))["ready"]:
            if time.monotonic() > end:
                raise InfrastructureError(f"the page of {self.task} did not get ready within {READY_SECONDS:.0f} s")
            await asyncio.sleep(0.02)
        self.instruction, self.fields = verdict["instruction"], verdict["fields"]

    async def _act(self, action: Action) -> Observation:
        if not self.engine.alive:
            raise InfrastructureError("the browser died")
        if self._over is not None:
            return replace(self._over, error="the episode is over: reset the world")
        self.clocked.step_ms = STEP_MS
        if action.type == "wait":
            self.clocked.step_ms = 1000 * (1.0 if action.seconds is None else min(action.seconds, LONGEST_WAIT))
            action = Action("wait", seconds=0)  # on the page's clock, not on ours
        if action.type == "press" and str(action.key).lower() in ("back", "home"):
            return await self._observe(f"there is no {action.key} button here")
        return await super()._act(action)

    async def _observe(self, error: str) -> MiniWobObservation:
        """What the browser shows, and the page's verdict. Who leaves the page gives up."""
        seen = await super()._observe(error)
        try:
            verdict: dict[str, Any] | None = await self.tabs.page.evaluate(JUDGE, False)
        except Error:
            verdict = None
        told = MiniWobObservation(**{each.name: getattr(seen, each.name) for each in fields(seen)}, fields=self.fields)
        told.instruction = self.instruction
        told.app = f"{self.name}/{self.task}"
        if verdict is None:
            self._shown = ""
            told.done, told.error = True, told.error or "the task's page was left: the episode is over"
        else:
            told.done, told.reward = bool(verdict["done"]), float(verdict["reward"])
        self._over = told if told.done else None
        return told

    async def _recover(self, what: str) -> str:
        """An episode cannot go on on another page: that is nobody's failure but the browser's."""
        raise InfrastructureError(what)
