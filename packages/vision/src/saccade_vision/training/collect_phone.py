"""Phone screens with the boxes of their page, for the widget network (package `saccade-phone`).

    python -m saccade_vision.training.collect_phone --out DIR --screens 1200 --seed 1 --set train

Each phone (language, light or dark, type size, UI kits, screen size) is drawn from the seed. On it, some screens of an
app are opened directly, then a task is played by the oracle with random touches and swipes in between. The apps and
looks of a set never overlap with those of another: see `SETS`.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from saccade.actions import Action
from saccade.geometry import Box
from saccade.types import Element
from saccade.worlds.base import InfrastructureError, Observation
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.world import Device
from saccade_phone.apps import SYSTEM_APPS, apps
from saccade_phone.oracle import Oracle
from saccade_phone.phone_state import HELD_OUT_KIT, KITS
from saccade_phone.screenshots import browser, picture, screens
from saccade_phone.session import Session
from saccade_phone.splits import HELD_OUT_APPS
from saccade_phone.state_machine import clone
from saccade_phone.tasks import tasks
from saccade_phone.world import PhoneWorld
from saccade_vision.element_types import word_for
from saccade_vision.training.screen_folder import ScreenFolder, described

VALIDATION_APP = "notes"
"""Its screens choose between networks; those of `HELD_OUT_APPS` and Material only report."""
DEVICES = (
    Device(360, 800, 1.2, touch=True),
    Device(412, 916, 432 / 412, touch=True),
    Device(320, 711, 1.35, touch=True),
)
"""Three sizes of one glass of 432×960 pixels: usual, small and large content."""
ROWS = frozenset(("cell", "switch", "check", "choice", "row"))
TALLEST_ICON = 64
BLANK_SHARE = 0.1
"""Something larger that is pressed and shows nothing is the dimmed ground behind a sheet or dialog, not a widget."""
DIRECT, PLAYED, RANDOM_SHARE = 5, 10, 0.35


@dataclass(frozen=True)
class ScreenSet:
    """Which apps are shown, in which kits and modes."""

    apps: frozenset[str]
    kits: tuple[str, ...] = KITS
    first_seed: int = 0
    system: bool = False
    """Are the launcher and the system's own screens kept, too?"""


def screen_sets() -> dict[str, ScreenSet]:
    """The sets by name. No app is in two of train, validation and apps; the kit of `material` is in no other."""
    shown = frozenset(apps()) - frozenset(SYSTEM_APPS)
    trained = shown - HELD_OUT_APPS - {VALIDATION_APP}
    return {
        "train": ScreenSet(trained, system=True),
        "validation": ScreenSet(frozenset({VALIDATION_APP}), first_seed=100_000_000),
        "apps": ScreenSet(HELD_OUT_APPS, first_seed=200_000_000),
        "material": ScreenSet(trained, (HELD_OUT_KIT,), first_seed=300_000_000),
    }


def elements_of(observation: Observation, rows: Sequence[Box]) -> list[dict[str, Any]]:
    """The page's elements in the network's words; `rows` are the boxes of an app's own list rows."""
    found = []
    blank = BLANK_SHARE * observation.screen.size.width * observation.screen.size.height
    for element in observation.screen.elements:
        word = _word(element, rows)
        if element.interactive and word == "image" and element.box.area > blank:
            continue
        box = [round(float(side), 1) for side in element.box]
        if word and box[2] - box[0] >= 4 and box[3] - box[1] >= 4:
            found.append(described(box, word, element.interactive, element.state))
    return found


def _word(element: Element, rows: Sequence[Box]) -> str:
    shown = element.text if element.text != element.caption or element.type == "input" else ""
    if shown and not any(letter.isalnum() or letter in "★·:%-+" for letter in shown):
        shown = ""  # an emoji is a picture
        if not element.interactive:
            return "image"
    word = word_for(element.type, element.interactive, bool(shown))
    if word == "icon" and element.box.height > TALLEST_ICON:
        return "image"
    if word in ("button", "link") and any(element.box.iou(row) > 0.9 for row in rows):
        return "list item"
    return word


class PhoneScreens:
    """Yields observations of one phone after another, in the worlds of one browser."""

    def __init__(self, engine: BrowserEngine, chosen: ScreenSet, seed: int) -> None:
        self.chosen, self.seed = chosen, chosen.first_seed + seed * 100_000
        self.chance = random.Random(f"phone screens/{self.seed}")
        self.worlds = [PhoneWorld(device=device, engine=engine) for device in DEVICES]

    def close(self) -> None:
        for world in self.worlds:
            world.close()

    def phone(self, number: int) -> Iterator[tuple[PhoneWorld, Observation]]:
        """Screens of the number-th phone: some opened directly, some met while a task is played."""
        world = self.chance.choices(self.worlds, (6, 2, 2))[0]
        world.language = self.chance.choice(("en", "zh"))
        app = sorted(self.chosen.apps)[number % len(self.chosen.apps)]
        own = [name for name, task in sorted(tasks().items()) if app in task.apps]
        world.interruptions = self.chance.random() < 0.3
        world.reset(self.seed + number, self.chance.choice(own))
        self._draw_theme(world)
        all_screens = [state for _, state in screens(world.session.state, app)]
        for state in self.chance.sample(all_screens, min(DIRECT, len(all_screens))):
            yield world, world.put(Session(clone(state), world.session.start, world.session.goal, apps()))
        seen = world.reset(self.seed + number)
        self._draw_theme(world)
        seen = world.put(world.session)
        for _ in range(PLAYED):
            yield world, seen
            seen = world.act(self._next_action(world, seen))
            if seen.done:
                return

    def _draw_theme(self, world: PhoneWorld) -> None:
        theme = world.session.state["theme"]
        if self.chance.random() < 0.6 or HELD_OUT_KIT in self.chosen.kits:
            theme["kits"] = dict.fromkeys(apps(), self.chance.choice(self.chosen.kits))
        theme["mode"] = self.chance.choice(("light", "light", "dark"))
        theme["font"] = self.chance.choice(("normal", "normal", "large"))

    def _next_action(self, world: PhoneWorld, seen: Observation) -> Action:
        if self.chance.random() > RANDOM_SHARE:
            advice = Oracle(world).advise()
            if advice.actions:
                return advice.actions[0]
        if self.chance.random() < 0.4:
            return Action("swipe", direction=self.chance.choice(("up", "up", "down")))
        pressed = [element for element in seen.screen.elements if element.interactive]
        return Action("click", point=self.chance.choice(pressed).center) if pressed else Action("press", key="back")

    def shows_allowed_app(self, world: PhoneWorld) -> bool:
        """Random touches may open another app, which may belong to another set."""
        app = world.session.state["nav"]["app"]
        return app in self.chosen.apps or (self.chosen.system and app in SYSTEM_APPS)


def rows_on(world: PhoneWorld) -> list[Box]:
    """Boxes of the rows that the app itself calls rows, in pixels."""
    names = [widget.id for widget in world.session.machine.shown().walk() if widget.kind in ROWS and widget.id]
    places = world.ground(names)["places"]
    scale = world.device.scale
    return [Box(*(side * scale for side in place["box"])) for place in places.values() if place and place["seen"]]


def collect(out: Path, wanted: int, seed: int, chosen: ScreenSet) -> int:
    """Fill a folder up to `wanted` screens; goes on after what is there."""
    folder = ScreenFolder(out)
    with browser() as engine:
        source = PhoneScreens(engine, chosen, seed + len(folder))
        number = 0
        while len(folder) < wanted:
            number += 1
            try:
                for world, seen in source.phone(number):
                    if len(folder) < wanted and source.shows_allowed_app(world):
                        _keep(folder, world, seen)
            except InfrastructureError as error:
                sys.stderr.write(f"phone {number}: {error}\n")
            sys.stderr.write(f"\r{len(folder)}/{wanted} screens, {number} phones ")
        source.close()
    sys.stderr.write("\n")
    return len(folder)


def _keep(folder: ScreenFolder, world: PhoneWorld, seen: Observation) -> None:
    state = world.session.state
    app = state["nav"]["app"]
    theme = state["theme"]
    look = f"{theme['kits'].get(app) or apps()[app].kit}/{theme['mode']}/{theme['font']}"
    image = picture(seen.screen.picture)
    folder.add(image, elements_of(seen, rows_on(world)), source=f"phone/{app}", look=look, language=state["language"])


def main(arguments: Sequence[str] | None = None) -> None:
    sets = screen_sets()
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--screens", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", dest="chosen", choices=sorted(sets), default="train")
    given = parser.parse_args(arguments)
    collect(given.out, given.screens, given.seed, sets[given.chosen])


if __name__ == "__main__":
    main()
