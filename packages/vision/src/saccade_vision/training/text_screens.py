"""Screens of the sandbox phone with the lines of text that are on them, as truth for the text reader.

The page itself says what it shows (`text_truth.js`): each line of each text node with its box, in pixels. A folder
holds pictures and `screens.jsonl`, one line for each: {"image", "app", "language", "look", "lines": [{"text", "box",
"whole"}]}. Training screens are those of ten apps in the themes for training; held-out ones are screens of the apps
music and travel, and of all apps in the Material theme, which no training sees.

    python -m saccade_vision.training.text_screens --set train --screens 200 --out SCREENS/train
    python -m saccade_vision.training.text_screens --set test --screens 60 --out SCREENS/test
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from PIL import Image as Pictures

from saccade.geometry import Box
from saccade.screens.source import javascript
from saccade_vision.types import Image

TRUTH = javascript("saccade_vision.training", "text_truth.js")
SEEDS = {"train": 1_000, "test": 200_001_000}
"""The first phone of each set: seeds of the test split begin at 200,000,000 (docs/PHONE.md)."""


class TrueLine(msgspec.Struct):
    """A line of text that a page shows."""

    text: str
    box: Box
    whole: bool = True
    """False: partly covered, cut off or faded, so that it need not be read."""


class TextScreen(msgspec.Struct):
    """One picture and the lines on it."""

    image: str
    app: str
    language: str
    look: str
    lines: list[TrueLine]


@dataclass(frozen=True)
class ScreenPlan:
    """Which app is shown on which phone."""

    app: str
    language: str
    theme: str
    seed: int


def plans(kind: str, count: int) -> list[ScreenPlan]:
    """Apps and languages in turn, one phone for each round; the test set takes unseen apps and unseen looks in turn."""
    from saccade_phone.apps import SYSTEM_APPS, apps  # noqa: PLC0415  (the phone is needed for training only)
    from saccade_phone.splits import HELD_OUT_APPS  # noqa: PLC0415

    names = ["launcher", *(name for name in apps() if name not in SYSTEM_APPS)]
    held_out = sorted(HELD_OUT_APPS)
    known = [name for name in names if name not in HELD_OUT_APPS]
    found = []
    for at in range(count):
        language = "en" if at % 2 else "zh"
        seed = SEEDS[kind] + at // (2 * len(known))
        if kind == "train":
            found.append(ScreenPlan(known[at // 2 % len(known)], language, "", seed))
        elif at // 2 % 2:
            theme = "material-dark" if at // 4 % 3 == 2 else "material"
            found.append(ScreenPlan(known[at // 4 % len(known)], language, theme, SEEDS[kind] + at // 2))
        else:
            found.append(ScreenPlan(held_out[at // 4 % len(held_out)], language, "", SEEDS[kind] + at // 2))
    return found


def collect(kind: str, count: int) -> Iterator[tuple[Image, TextScreen]]:
    """Draw screens on the phone in Chromium, each a random one of its app, and ask the page for its lines."""
    from saccade_phone.screenshots import browser, look, screens, world_of  # noqa: PLC0415

    with browser() as engine, world_of(engine, "en", "", 0) as world:
        for at, plan in enumerate(plans(kind, count)):
            world.configure("", {"language": plan.language, "theme": plan.theme})
            world.reset(plan.seed)
            states = [state for _, state in screens(world.session.state, plan.app)]
            picture, _ = look(world, random.Random(f"{kind}/{at}").choice(states))
            found = engine.run(world.tabs.page.evaluate(TRUTH), 20)
            width = engine.run(world.tabs.page.evaluate("() => innerWidth"), 10)
            theme = world.session.state["theme"]
            scale = picture.width / width
            lines = [TrueLine(one["text"], Box(*(scale * x for x in one["box"])), one["whole"]) for one in found]
            name = f"{theme['kits'].get(plan.app, 'own')}-{theme['mode']}-{theme['font']}"
            yield np.asarray(picture), TextScreen(f"{at:04}.png", plan.app, plan.language, name, lines)


def write_screens(kind: str, count: int, out: Path) -> None:
    """Pictures and `screens.jsonl` in a folder."""
    out.mkdir(parents=True, exist_ok=True)
    with (out / "screens.jsonl").open("wb") as file:
        for image, screen in collect(kind, count):
            Pictures.fromarray(image).save(out / screen.image)
            file.write(msgspec.json.encode(screen) + b"\n")
            file.flush()


def read_screens(folder: Path) -> Iterator[tuple[Image, TextScreen]]:
    """What `write_screens` wrote."""
    for line in (folder / "screens.jsonl").read_bytes().splitlines():
        screen = msgspec.json.decode(line, type=TextScreen)
        yield np.asarray(Pictures.open(folder / screen.image).convert("RGB")), screen


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--set", choices=sorted(SEEDS), required=True)
    options.add_argument("--screens", type=int, default=200)
    options.add_argument("--out", type=Path, required=True)
    given = options.parse_args()
    write_screens(given.set, given.screens, given.out)


if __name__ == "__main__":
    main()
