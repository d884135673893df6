"""The phone as a world: the machine behind Chromium's glass.

Touches are real: a finger on the page, an event to the machine, the next tree drawn. A reset puts another state in
place without loading anything.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Mapping
from typing import Any, cast

from playwright.async_api import Error, Route

from saccade.actions import ACTION_TYPES, Action, ActionType
from saccade.screens.source import javascript
from saccade.untrusted import decode_json
from saccade.worlds.base import InfrastructureError, Observation
from saccade.worlds.browser.engine import BrowserEngine, first_line
from saccade.worlds.browser.input_actions import NAVIGATION_MS, BrowserInput
from saccade.worlds.browser.tabs import Tabs
from saccade.worlds.browser.world import PHONE, STEP_SECONDS, BrowserWorld, Device
from saccade.worlds.teachers import Teacher
from saccade_phone.app import State
from saccade_phone.apps import SYSTEM_APPS, apps
from saccade_phone.assets import asset
from saccade_phone.judge import lasting_data
from saccade_phone.phone_state import check_options
from saccade_phone.phone_teacher import PhoneTeacher
from saccade_phone.seeded_random import Language, Split
from saccade_phone.session import Session
from saccade_phone.state_machine import clone, tree
from saccade_phone.tasks import find_task, tasks
from saccade_phone.ui_kits import UI_KITS
from saccade_phone.wordings import key_of, read_wordings

ADDRESS = "http://phone.invalid/"
PHONE_ACTIONS: frozenset[ActionType] = frozenset(set(ACTION_TYPES) - {"open_url", "right_click", "hover", "select"})
RENDER = "text => window.phone.render(JSON.parse(text))"
IDLE = "() => window.phone ? window.phone.idle() : null"
GROUND = javascript("saccade_phone", "ground.js")
READY_MS = 10_000
LIMIT_SECONDS = 5.0
HOLD_SECONDS = 0.1


class PhoneTabs(Tabs):
    """The page comes from the package, and tells by itself when it has come to rest."""

    animated = False

    async def start(self) -> None:
        await super().start()
        await self.context.route(f"{ADDRESS}**", _serve)

    async def settle(self, quiet: float, limit: float) -> None:
        """Nothing moves on its own here, unless it is told to: until the last touch is answered and drawn."""
        await self.idle()
        if self.animated:
            await super().settle(quiet, limit)

    async def idle(self) -> None:
        """Until every touch is answered and drawn."""
        if not self.pages or self.crashed:
            return
        try:
            await asyncio.wait_for(self.page.evaluate(IDLE), LIMIT_SECONDS)
        except (TimeoutError, Error):
            self.note("the phone did not come to rest")


class PhoneInput(BrowserInput):
    """Fingers on a page that is never zoomed; typing comes as from a keyboard app, a text at a time."""

    by_keys = 0
    swipe_moves = 5

    async def _long_press(self, action: Action) -> str:
        """The page opens its menus on the event that phones send while the finger is down."""
        x, y = self._css(action.point)
        await self._touch("touchStart", x, y)
        await self._context_menu(x, y, HOLD_SECONDS)
        await self._touch("touchEnd")
        return ""

    async def _visual_view(self) -> tuple[float, float, float]:
        return 1.0, 0.0, 0.0

    async def _type(self, action: Action) -> str:
        if action.point is not None:
            await self._tap(action.point)
            await cast(PhoneTabs, self.tabs).idle()
        if problem := await self._enter(action.text or ""):
            return problem
        if action.submit:
            await cast(PhoneTabs, self.tabs).idle()
            await self.page.keyboard.press("Enter")
        return ""


class PhoneWorld(BrowserWorld):
    """One phone. `task` is a template's name, or empty for a phone to play with.

    `reward` is 1 when the agent ends rightly (`terminate`, or `answer` where something was asked), and `done` then.
    """

    name = "phone"
    real = False
    tabs_type = PhoneTabs
    input_type = PhoneInput
    task_options = frozenset({"language", "split", "theme", "interruptions", "by_sight"})

    def __init__(
        self,
        task: str = "",
        *,
        language: Language = "en",
        split: Split | None = None,
        theme: str = "",
        interruptions: bool = False,
        animations: bool = False,
        wordings: str = "",
        by_sight: bool = False,
        device: Device = PHONE,
        engine: BrowserEngine | None = None,
        headless: bool = True,
        pictures: bool = True,
    ) -> None:
        self.task = find_task(task, tasks()).name if task else ""
        UI_KITS.ensure()
        super().__init__(ADDRESS, device=device, engine=engine, headless=headless, pictures=pictures)
        self.actions = PHONE_ACTIONS
        self.language: Language = language
        self.split: Split | None = split
        self.theme = theme
        self.interruptions = interruptions
        self.animations = animations
        self.wordings = read_wordings(wordings) if wordings else {}
        """What tasks are called in other words."""
        self.by_sight = by_sight
        """Does the teacher advise what one can know who only sees the screen?"""
        self.seed = 0
        self.episode = 0
        self._session: Session | None = None
        self._over: Observation | None = None

    # -- the verbs ------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        """A phone with this seed, at its home screen. Without a seed, one is drawn and kept in `self.seed`."""
        if task:
            self.task = find_task(task, tasks()).name
        self.seed = random.randrange(2**31) if seed is None else seed
        options: dict[str, Any] = {"theme": self.theme, "interruptions": self.interruptions}
        if self.task:
            session = Session.begin(self.task, self.seed, self.language, split=self.split, **options)
        else:
            session = Session.free(self.seed, self.language, **options)
        return self.put(session)

    def put(self, session: Session) -> Observation:
        """Show this session, whatever its state."""
        self._session, self._over = session, None
        self.episode += 1
        return self.engine.run(self._show(), STEP_SECONDS)

    def act(self, action: Action) -> Observation:
        if self._tabs is None or self._session is None:
            raise InfrastructureError("the world was not reset yet")
        return self.engine.run(self._act(action), STEP_SECONDS)

    def configure(self, task: str, options: Mapping[str, Any]) -> None:
        """Another task in another language or theme for the next `reset`; nothing is loaded."""
        self.task = find_task(task, tasks()).name if task else ""
        check_options(options.get("language"), options.get("split"), options.get("theme"))
        for name, value in options.items():
            setattr(self, name, value)

    def teacher(self, *, by_sight: bool | None = None, **options: Any) -> Teacher | None:
        """The oracle; a phone without a task has none. `by_sight` instead of the world's own."""
        return PhoneTeacher(self, self.by_sight if by_sight is None else by_sight) if self.task else None

    # -- the state ------------------------------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        if self._session is None:
            raise InfrastructureError("the world was not reset yet")
        return self._session

    @property
    def state(self) -> State:
        """The whole phone, a copy: change it as you like, and set it."""
        return clone(self.session.state)

    def sandbox_state(self) -> dict[str, Any]:
        """The screen in front with its form, and the data of all apps without what the judge ignores (read marks,
        recent searches); no clock, battery, theme, toast or banner.
        """
        machine = self.session.machine
        front = {"app": machine.front, **machine.top}
        return clone({"front": front, "apps": lasting_data(machine.apps, machine.state)})

    def set_state(self, state: State) -> Observation:
        """Put a state in place, without loading anything; the task stays."""
        session = self.session
        return self.put(Session(state, session.start, session.goal, session.apps))

    @property
    def instruction(self) -> str:
        """What is said to the agent: the task's own words, unless others are given for it."""
        return self.wordings.get(key_of(self.task, self.seed, self.language)) or self.session.goal.instruction

    @property
    def judges(self) -> bool:  # type: ignore[override]
        """A phone to play with has nothing to judge."""
        return bool(self.task)

    def ground(self, ids: list[str], text: str = "") -> dict[str, Any]:
        """Where widgets are on the glass, which one has the focus, and where a text stands."""
        asked = {"ids": ids, "text": text}
        found: dict[str, Any] = self.engine.run(self.tabs.page.evaluate(GROUND, asked), LIMIT_SECONDS)
        return found

    # -- on the engine's loop -------------------------------------------------------------------------------------

    async def _show(self) -> Observation:
        tabs = self._tabs
        if tabs is None or not self.engine.alive or tabs.crashed or not tabs.pages:
            await self._open_context(ADDRESS)
            await self.tabs.context.expose_binding("saccadeEmit", lambda _, text: self._event(text))
            cast(PhoneTabs, self.tabs).animated = self.animations
            await self._load()
        elif not await self._there():
            await self._load()
        if self._elements is not None:
            self._elements.expire()
        await self._render()
        self.tabs.take_events()
        return await self._observe("")

    async def _there(self) -> bool:
        """Does the page still show the phone? A browser may have thrown it away, or gone elsewhere."""
        try:
            return bool(await self.tabs.page.evaluate("() => window.phone !== undefined"))
        except Error:
            return False

    async def _load(self) -> None:
        page = self.tabs.page
        try:
            await page.goto(ADDRESS, wait_until="load", timeout=NAVIGATION_MS)
            await page.wait_for_function("() => window.phone !== undefined", timeout=READY_MS)
        except Error as error:
            raise InfrastructureError(f"the phone's page did not load: {first_line(error)}") from None

    def _tree(self) -> str:
        shown = tree(self.session.machine, self.animations) | {"episode": self.episode}
        return json.dumps(shown, ensure_ascii=False)

    async def _render(self) -> None:
        try:
            await self.tabs.page.evaluate(RENDER, self._tree())
        except Error as error:
            raise InfrastructureError(f"the phone's page failed: {first_line(error)}") from None

    def _event(self, text: str) -> str:
        """A touch, as the page tells it."""
        problem = self.session.machine.touch(decode_json(text))
        if problem:
            self.tabs.note(problem)
        return self._tree()

    async def _act(self, action: Action) -> Observation:
        if not self.engine.alive:
            raise InfrastructureError("the browser died")
        if self._over is not None:
            return Observation(self._over.screen, error="the episode is over: reset the world", done=True)
        if action.type in ("terminate", "answer"):
            seen = await self._observe("")
            seen.done, seen.reward = True, float(self.session.succeeded(action))
            self._over = seen
            return seen
        return await super()._act(action)

    async def _do(self, action: Action) -> str:
        """What the phone does besides touches: its buttons, opening apps; then something may get in the way."""
        own: dict[str, Callable[[Action], str | None]] = {"press": self._press, "open_app": self._open}
        problem = own[action.type](action) if action.type in own else None
        drawn = problem is None
        if problem is None:
            problem = await super()._do(action)
            await cast(PhoneTabs, self.tabs).idle()
        before = self._signature()
        self.session.tick()
        if not drawn or before != self._signature():
            await self._render()
        return problem

    def _place_of(self, url: str) -> str:
        """Secrets belong to an app here."""
        return str(self.session.state["nav"]["app"])

    def _signature(self) -> tuple[int, bool]:
        nav = self.session.state["nav"]
        return len(nav["system"]), nav["banner"] is not None

    def _press(self, action: Action) -> str | None:
        """The phone's own buttons; None for keys that the page takes."""
        key = str(action.key).lower()
        if key not in ("back", "home", "recent", "recents"):
            return None
        self.session.state["toast"] = ""
        self.session.machine.press(key)
        return ""

    def _open(self, action: Action) -> str | None:
        """An app by its name in either language."""
        wanted = (action.text or "").strip().casefold()
        if self.session.state["nav"]["system"]:
            return "a dialog of the system must be answered first"
        for name, app in apps().items():
            if name not in SYSTEM_APPS and wanted in (name, app.en.casefold(), app.zh.casefold()):
                self.session.state["toast"] = ""
                self.session.machine.front_app(name)
                return ""
        return f"there is no app {action.text!r} on this phone"

    async def _observe(self, error: str) -> Observation:
        seen = await super()._observe(error)
        seen.app, seen.instruction = self.session.state["nav"]["app"], self.instruction
        return seen

    async def _recover(self, what: str, home: str | None = None) -> str:
        """An episode cannot go on on another page: that is nobody's failure but the browser's."""
        self._tabs = None
        raise InfrastructureError(what)


async def _serve(route: Route) -> None:
    found = asset(route.request.url.removeprefix(ADDRESS.rstrip("/")).partition("?")[0])
    try:
        if found is None:
            await route.fulfill(status=404, content_type="text/plain", body="there is no such file")
        else:
            await route.fulfill(body=found[0], content_type=found[1])
    except Error:
        return  # the page is gone, and its request with it
