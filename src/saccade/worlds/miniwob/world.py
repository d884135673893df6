"""MiniWoB++ tasks in the browser world: seeded, repeatable to the pixel, many episodes per page load."""

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
    """An observation with the parts of the instruction."""

    fields: dict[str, str] = field(default_factory=dict)
    """The parts of the instruction by name, on the few pages that provide them."""


class MiniWobWorld(BrowserWorld):
    """One task at a time. `reward` is the page's own, from -1 to 1, without its decay over time; `done` is set when the
    page has judged the episode. The page's clock stands still between actions.
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
        """How often a page was loaded, for benchmarks."""
        self._loaded_task = ""
        """The task whose page is loaded."""
        self._last_call_finished = False
        """False after a call that was interrupted."""
        self._final: MiniWobObservation | None = None

    # -- World interface ----------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, task: str | None = None) -> MiniWobObservation:
        """A new episode. Without a seed, one is drawn and stored in `self.seed`; without a task, the last one is
        repeated.
        """
        name = check_task(task) if task else self.task
        self.seed = random.randrange(2**31) if seed is None else seed
        return self._run(self._begin(name, fresh=not self._last_call_finished))

    def configure(self, task: str, options: Mapping[str, Any]) -> None:
        """Set the task for the next `reset`; the browser stays open."""
        self.task = check_task(task or "click-test")

    def act(self, action: Action) -> MiniWobObservation:
        if self._tabs is None:
            raise InfrastructureError("the world was not reset yet")
        return self._run(self._act(action))

    def _run(self, work: Coroutine[Any, Any, Observation]) -> MiniWobObservation:
        """Run a call and note whether it finished: after an interrupted one the page is opened afresh."""
        self._last_call_finished = False
        seen = self.engine.run(work, STEP_SECONDS)
        self._last_call_finished = True
        return cast(MiniWobObservation, seen)

    # -- on the engine's event loop -----------------------------------------------------------------------------------

    @property
    def miniwob_tabs(self) -> MiniWobTabs:
        """The tabs, with their type."""
        return cast(MiniWobTabs, self.tabs)

    async def _begin(self, task: str, fresh: bool) -> MiniWobObservation:
        tabs = self._tabs
        if fresh or tabs is None or not self.engine.alive or tabs.crashed or len(tabs.pages) != 1:
            await self._open_context(address(task))
            self._loaded_task = ""
        self.task, self.url, self._final = task, address(task), None
        if self._elements is not None:
            self._elements.expire()
        page = self.tabs.page
        if self._loaded_task != task or task in RELOADED or page.url.partition("#")[0] != self.url:
            await self._load()
        await self.miniwob_tabs.rest()
        try:
            await page.mouse.move(self.device.width - 1, self.device.height - 1)
            await page.evaluate(START, self.seed)
            await self._ready()
        except Error as error:
            self._loaded_task = ""
            raise InfrastructureError(f"the page of {task} failed: {first_line(error)}") from None
        self.tabs.take_events()
        self.miniwob_tabs.step_ms = STEP_MS
        return await self._observe("")

    async def _load(self) -> None:
        """Load the task's page, up to the point where a person would press START."""
        self._loaded_task = ""
        await self.tabs.page.goto(self.url, wait_until="load", timeout=NAVIGATION_MS)
        self.loads += 1
        self._loaded_task = self.task

    async def _ready(self) -> None:
        """Wait until the page is ready (pages with a frame load it first), then read the instruction."""
        end = time.monotonic() + READY_SECONDS
        while not (verdict := await self.tabs.page.evaluate(JUDGE, True))["ready"]:
            if time.monotonic() > end:
                raise InfrastructureError(f"the page of {self.task} did not get ready within {READY_SECONDS:.0f} s")
            await asyncio.sleep(0.02)
        self.instruction, self.fields = verdict["instruction"], verdict["fields"]

    async def _act(self, action: Action) -> Observation:
        if not self.engine.alive:
            raise InfrastructureError("the browser died")
        if self._final is not None:
            return replace(self._final, error="the episode is over: reset the world")
        self.miniwob_tabs.step_ms = STEP_MS
        if action.type == "wait":
            self.miniwob_tabs.step_ms = 1000 * (1.0 if action.seconds is None else min(action.seconds, LONGEST_WAIT))
            action = Action("wait", seconds=0)  # the wait happens on the page's clock
        if action.type == "press" and str(action.key).lower() in ("back", "home"):
            return await self._observe(f"there is no {action.key} button here")
        return await super()._act(action)

    async def _observe(self, error: str) -> MiniWobObservation:
        """The screen, with the page's own judgement. Leaving the task's page ends the episode."""
        seen = await super()._observe(error)
        try:
            verdict: dict[str, Any] | None = await self.tabs.page.evaluate(JUDGE, False)
        except Error:
            verdict = None
        observation = MiniWobObservation(
            **{each.name: getattr(seen, each.name) for each in fields(seen)}, fields=self.fields
        )
        observation.instruction = self.instruction
        observation.app = f"{self.name}/{self.task}"
        if verdict is None:
            self._loaded_task = ""
            observation.done, observation.error = (
                True,
                observation.error or "the task's page was left: the episode is over",
            )
        else:
            observation.done, observation.reward = bool(verdict["done"]), float(verdict["reward"])
        self._final = observation if observation.done else None
        return observation

    async def _recover(self, what: str, home: str | None = None) -> str:
        """An episode cannot continue on another page, so a crash is an infrastructure error, not a failed task."""
        raise InfrastructureError(what)
