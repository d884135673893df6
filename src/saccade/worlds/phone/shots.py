"""Pictures of every screen of an app, for those who draw or write one; and a contact sheet of all.

python -m saccade.worlds.phone.shots clock shop --out shots
python -m saccade.worlds.phone.shots --sheet docs/phone.jpg
"""

from __future__ import annotations

import argparse
import io
import sys
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image

from saccade.screens.source import javascript
from saccade.types import Picture
from saccade.worlds.browser.engine import Engine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.phone.app import State
from saccade.worlds.phone.apps import FURNITURE, apps
from saccade.worlds.phone.machine import Machine, clone
from saccade.worlds.phone.session import Session
from saccade.worlds.phone.widgets import Op
from saccade.worlds.phone.world import ADDRESS, PhoneWorld

CHECK = javascript("saccade.worlds.phone", "check.js")
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
    assert shot is not None and isinstance(shot.source, bytes)
    return Image.open(io.BytesIO(shot.source)).convert("RGB")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("app", nargs="*", help="apps; all without one")
    options.add_argument("--out", type=Path, help="a folder for the pictures")
    options.add_argument("--sheet", type=Path, help="a file for one picture of all")
    options.add_argument("--themes", default="light", help="comma-separated: light, dark, large, material …")
    options.add_argument("--kit", default="", help="draw every app in this kit")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    names = given.app or [name for name in apps() if name not in FURNITURE]
    strip: list[tuple[str, list[Image.Image]]] = []
    bad = 0
    with Engines() as engine:
        for theme in given.themes.split(","):
            for language in ("en", "zh"):
                world = PhoneWorld(language=language, theme=theme, engine=engine)
                world.reset(given.seed)
                for app in names:
                    row = []
                    base = world.session.state
                    if given.kit:
                        base["theme"]["kits"] = dict.fromkeys(apps(), given.kit)
                    for screen, state in screens(base, app):
                        image, problems = look(world, state)
                        bad += len(problems)
                        for problem in problems:
                            sys.stdout.write(f"{app}/{screen} {language} {theme}: {problem}\n")
                        row.append(image)
                        if given.out:
                            given.out.mkdir(parents=True, exist_ok=True)
                            image.resize((360, 800)).save(given.out / f"{app}-{screen}-{language}-{theme}.png")
                    strip.append((app, row))
                world.close()
    if given.sheet:
        sheet(strip).save(given.sheet, quality=80)
    return 1 if bad else 0


def sheet(rows: list[tuple[str, list[Image.Image]]], most: int = 10) -> Image.Image:
    """One row an app, its first screens side by side."""
    width, height = SHEET_WIDTH, SHEET_WIDTH * 800 // 360
    whole = Image.new("RGB", (most * (width + 8) + 8, len(rows) * (height + 8) + 8), "#888")
    for down, (_, images) in enumerate(rows):
        for across, image in enumerate(images[:most]):
            whole.paste(image.resize((width, height)), (8 + across * (width + 8), 8 + down * (height + 8)))
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
