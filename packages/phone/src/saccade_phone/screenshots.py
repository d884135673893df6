"""Take a picture of every screen of an app and check how it is drawn; paste the pictures into one contact sheet.

`saccade phone shots` is for those who write apps.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from PIL import Image

from saccade.screens.source import javascript
from saccade.types import Picture
from saccade.untrusted import read_picture
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade_phone.app import State
from saccade_phone.apps import apps
from saccade_phone.seeded_random import Language
from saccade_phone.session import Session
from saccade_phone.state_machine import Machine, clone
from saccade_phone.widgets import Op
from saccade_phone.world import ADDRESS, PhoneWorld

CHECK = javascript("saccade_phone", "check.js")
DEEPEST = 7
VARIANTS = 16
SHEET_WIDTH = 180


def screens(state: State, app: str) -> Iterator[tuple[str, State]]:
    """Name and state for each screen of an app, found breadth-first by ops that open screens and change no data."""
    first = Machine(state, apps()).trial()
    first.front_app(app)
    queue = deque([first])
    seen: set[str] = set()
    looked: Counter[str] = Counter()
    while queue:
        node = queue.popleft()
        name = str(node.top["screen"])
        looked[name] += 1
        if looked[name] == 1:
            yield name, node.state
        for op in moves(node) if looked[name] <= VARIANTS else ():
            to = node.trial()
            to.apply(op)
            key = repr([to.nav["app"], to.top["screen"], to.top["args"]])
            if to.nav["app"] == app and key not in seen and len(to.stack) < DEEPEST:
                seen.add(key)
                queue.append(to)


def moves(node: Machine) -> Iterator[Op]:
    """Ops that open another screen: at most VARIANTS of each kind, as what a row opens may depend on the row."""
    counts: Counter[tuple[str, str]] = Counter()
    for widget in node.shown().walk():
        for op in (widget.tap, widget.hold, widget.submit):
            if op is not None and op.kind in ("go", "tab") and not op.app:
                counts[op.kind, op.name] += 1
                if counts[op.kind, op.name] <= VARIANTS:
                    yield op


def look(world: PhoneWorld, state: State) -> tuple[Image.Image, list[str]]:
    """Draw a state; its picture, and what `check.js` finds drawn wrongly."""
    seen = world.put(Session(clone(state), state, world.session.goal, apps()))
    problems = world.engine.run(world.tabs.page.evaluate(CHECK), 10)
    return picture(seen.screen.picture), list(problems)


def picture(shot: Picture | None) -> Image.Image:
    assert shot is not None
    return read_picture(shot.data()).convert("RGB")


@dataclass(frozen=True)
class Shot:
    """One screen of one app in one language and theme."""

    name: str
    image: Image.Image
    problems: list[str]


def shoot(engine: BrowserEngine, names: list[str], themes: list[str], seed: int, kit: str = "") -> Iterator[Shot]:
    """Every screen of the apps in both languages."""
    languages: tuple[Language, ...] = ("en", "zh")
    for theme in themes:
        for language in languages:
            with world_of(engine, language, theme, seed, kit) as world:
                for app in names:
                    for screen, state in screens(world.session.state, app):
                        image, problems = look(world, state)
                        yield Shot(f"{app}-{screen}-{language}-{theme}", image, problems)


@contextmanager
def browser() -> Iterator[BrowserEngine]:
    """One browser for all pictures."""
    engine = BrowserEngine(AllowList.of((), ADDRESS))
    try:
        yield engine
    finally:
        engine.close()


@contextmanager
def world_of(engine: BrowserEngine, language: Language, theme: str, seed: int, kit: str = "") -> Iterator[PhoneWorld]:
    world = PhoneWorld(language=language, theme=theme, engine=engine)
    world.reset(seed)
    if kit:
        world.session.state["theme"]["kits"] = dict.fromkeys(apps(), kit)
    yield world
    world.close()


LOOKS: tuple[tuple[Language, str, str], ...] = (
    ("en", "light", ""),
    ("zh", "light", ""),
    ("en", "dark", ""),
    ("zh", "dark", ""),
    ("en", "large", "vant"),
    ("zh", "large", "weui"),
    ("en", "material", ""),
    ("zh", "material-dark", ""),
)
"""Language, theme and UI kit of each column of the contact sheet."""


def contact_sheet(engine: BrowserEngine, names: list[str], seed: int) -> Image.Image:
    """One row for each app: eight of its screens, one for each of `LOOKS`."""
    width, height, gap = SHEET_WIDTH, SHEET_WIDTH * 800 // 360, 8
    whole = Image.new("RGB", (len(LOOKS) * (width + gap) + gap, len(names) * (height + gap) + gap), "#999")
    for across, (language, theme, kit) in enumerate(LOOKS):
        with world_of(engine, language, theme, seed, kit) as world:
            for down, app in enumerate(names):
                found = [state for _, state in screens(world.session.state, app)]
                image, _ = look(world, found[across % len(found)])
                place = gap + across * (width + gap), gap + down * (height + gap)
                whole.paste(image.resize((width, height), Image.Resampling.LANCZOS), place)
    return whole
