"""The settings app of `handmade_walk` as a world that can be acted in, and a model that plays there by a plan.

A plug-in file. `handmade` is marked as a world that records may open, `unmarked` is the same one without the mark.
The model `planned/FILE` reads which task it is asked for, and does what the JSON file says for words of its text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

from handmade_walk import SIZE, page
from PIL import Image

from saccade.actions import Action
from saccade.geometry import Frame, Point
from saccade.models.base import Ask, Completion, Model, Usage
from saccade.paradigms import get_paradigm
from saccade.paradigms.base import Reply
from saccade.types import Element, Language, Message, Picture, Screen
from saccade.worlds.base import Observation, World
from saccade.worlds.record_options import opened_from_records

OPENED: list[str] = []
"""The worlds that were opened in this process."""
LEADS = {"home": {1: "list"}, "list": {2: "sound", 3: "name"}, "sound": {2: "list"}, "name": {2: "list"}}
"""Screen → number of an element → the screen that it opens."""


class HandmadeWorld(World):
    """Two switches behind two taps, and a form. With a seed that 7 does not divide, vibration is on already."""

    name = "handmade"
    actions = frozenset({"click", "wait", "terminate"})
    real = False
    space = "phone"

    def __init__(self, language: Language) -> None:
        self.language = language
        self.front, self.on, self.chosen = "home", False, False

    def reset(self, seed: int | None = None, task: str | None = None) -> Observation:
        self.front, self.on, self.chosen = "home", bool((seed or 0) % 7), False
        return self.observe()

    def act(self, action: Action) -> Observation:
        hit = next((each.id for each in self.elements() if action.point and each.box.contains(action.point)), 0)
        if self.front == "sound":
            self.on ^= hit == 3
            self.chosen |= hit == 4
        self.front = LEADS[self.front].get(hit, self.front)
        return self.observe()

    def elements(self) -> list[Element]:
        return page(self.language, self.front, self.on, self.chosen)

    def observe(self) -> Observation:
        drawn = BytesIO()
        Image.new("RGB", SIZE, (40 + 30 * len(self.front), 90 + 60 * self.on, 90 + 60 * self.chosen)).save(drawn, "PNG")
        app = "launcher" if self.front == "home" else "settings"
        return Observation(Screen(SIZE, Picture(drawn.getvalue(), SIZE), self.elements()), app=app)

    def sandbox_state(self) -> Mapping[str, Any]:
        sound = {"vibrate": self.on, "tone": "Dawn" if self.chosen else "Noon"}
        app = "launcher" if self.front == "home" else "settings"
        return {"front": {"app": app, "screen": self.front}, "apps": {"settings": {"sound": sound}}}

    def close(self) -> None:
        self.front = "home"


def open_unmarked(task: str = "", *, language: Language = "en", colour: str = "") -> World:
    """A world that only the user may open."""
    OPENED.append(f"{task}{colour}")
    return HandmadeWorld(language)


@opened_from_records("language")
def open_handmade(task: str = "", *, language: Language = "en", colour: str = "") -> World:
    """A world that records may open; its colour only the user may set."""
    return open_unmarked(task, language=language, colour=colour)


class PlannedModel(Model):
    """Does one action of its plan after the other, and begins again when the last one is done."""

    coordinates = "permille"

    def __init__(self, file: str) -> None:
        self.name = f"planned/{file}"
        self.plans: dict[str, list[Any]] = json.loads(Path(file).read_bytes())
        self.done: dict[str, int] = {}

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        """Of the plans of whose key all words stand in the prompt, that with the most words."""
        told = " ".join(part for message in messages for part in message.content if isinstance(part, str))
        key = max((key for key in self.plans if all(word in told for word in key.split())), key=len)
        at = self.done.get(key, 0)
        self.done[key] = (at + 1) % len(self.plans[key])
        form = replace(get_paradigm("secagent"), frame=Frame.parse(self.coordinates))
        text = form.render(Reply(planned(self.plans[key][at]), think="As planned."), Screen(SIZE))
        return [Completion(text, Usage(10, 10, calls=1))]


def planned(said: Any) -> Action:
    """A point to touch, how the task ends, or `wait`."""
    if said == "wait":
        return Action("wait", seconds=1)
    if said in ("success", "failure"):
        return Action("terminate", status=said)
    return Action("click", Point(*said))


SACCADE = {
    "worlds": {"handmade": open_handmade, "unmarked": open_unmarked},
    "models": {"planned": lambda file, **options: PlannedModel(f"/{file}" if not file.startswith("/") else file)},
}
