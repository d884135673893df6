"""Pictures of every screen of an app, for those who write one; and a contact sheet of all.

python -m saccade_phone.shots clock shop --out shots
python -m saccade_phone.shots --sheet docs/phone.jpg
"""

from __future__ import annotations

import argparse
import io
import sys
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

from saccade.screens.source import javascript
from saccade.types import Picture
from saccade.worlds.browser.engine import Engine
from saccade.worlds.browser.network import AllowList
from saccade_phone.app import State
from saccade_phone.apps import FURNITURE, apps
from saccade_phone.draw import Language
from saccade_phone.machine import Machine, clone
from saccade_phone.session import Session
from saccade_phone.widgets import Op
from saccade_phone.world import ADDRESS, PhoneWorld

CHECK = javascript("saccade_phone", "check.js")
DEEPEST = 7
VARIANTS = 16
SHEET_WIDTH = 180


def screens(state: State, app: str) -> Iterator[tuple[str, State]]:
    """The phone with each screen of an app in front, as found by tapping about without changing anything."""
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
    """What opens another screen: a few of each kind, for what is behind a row may depend on the row."""
    counts: Counter[tuple[str, str]] = Counter()
    for widget in node.shown().walk():
        for op in (widget.tap, widget.hold, widget.submit):
            if op is not None and op.kind in ("go", "tab") and not op.app:
                counts[op.kind, op.name] += 1
                if counts[op.kind, op.name] <= VARIANTS:
                    yield op


def look(world: PhoneWorld, state: State) -> tuple[Image.Image, list[str]]:
    """The picture of a state, and what is wrong with it."""
    seen = world.put(Session(clone(state), state, world.session.goal, apps()))
    problems = world.engine.run(world.tabs.page.evaluate(CHECK), 10)
    return picture(seen.screen.picture), list(problems)


def picture(shot: Picture | None) -> Image.Image:
    assert shot is not None
    return Image.open(io.BytesIO(shot.data())).convert("RGB")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("app", nargs="*", help="apps; all without one")
    options.add_argument("--out", type=Path, help="a folder for the pictures")
    options.add_argument("--sheet", type=Path, help="a file for one picture with a row for each app")
    options.add_argument("--themes", default="light", help="comma-separated: light, dark, large, material …")
    options.add_argument("--kit", default="", help="draw every app in this kit")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    names = given.app or ["launcher", *(name for name in apps() if name not in FURNITURE)]
    bad = 0
    with Engines() as engine:
        if given.sheet:
            sheet(engine, names, given.seed).save(given.sheet, quality=70)
            return 0
        for theme in given.themes.split(","):
            for language in ("en", "zh"):
                with world_of(engine, language, theme, given.seed, given.kit) as world:
                    for app in names:
                        for screen, state in screens(world.session.state, app):
                            image, problems = look(world, state)
                            bad += len(problems)
                            for problem in problems:
                                sys.stdout.write(f"{app}/{screen} {language} {theme}: {problem}\n")
                            if given.out:
                                given.out.mkdir(parents=True, exist_ok=True)
                                image.resize((360, 800)).save(given.out / f"{app}-{screen}-{language}-{theme}.png")
    return 1 if bad else 0


@contextmanager
def world_of(engine: Engine, language: Language, theme: str, seed: int, kit: str = "") -> Iterator[PhoneWorld]:
    world = PhoneWorld(language=language, theme=theme, engine=engine)
    world.reset(seed)
    if kit:
        world.session.state["theme"]["kits"] = dict.fromkeys(apps(), kit)
    yield world
    world.close()


LOOKS: tuple[tuple[Language, str, str], ...] = (
    ("en", "light", ""), ("zh", "light", ""), ("en", "dark", ""), ("zh", "dark", ""), ("en", "large", "vant"),
    ("zh", "large", "weui"), ("en", "material", ""), ("zh", "material-dark", ""),
)  # fmt: skip


def sheet(engine: Engine, names: list[str], seed: int) -> Image.Image:
    """One row an app: eight of its screens, each in other looks."""
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


class Engines:
    """A browser for all of it."""

    def __enter__(self) -> Engine:
        self.engine = Engine(AllowList.of((), ADDRESS))
        return self.engine

    def __exit__(self, *_: Any) -> None:
        self.engine.close()


if __name__ == "__main__":
    sys.exit(main())
