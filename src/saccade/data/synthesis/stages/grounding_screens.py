"""The screens of a walk, each once, without what was done on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from saccade.data.synthesis.records import Dropped, Record
from saccade.data.synthesis.stage import Tools, WholeStage
from saccade.types import Step

KEPT_TAGS = ("app", "screen", "url", "language", "world", "platform", "split", "group", "mode", "font")
"""What is true of a screen, whatever was done on it."""


class GroundingScreens(WholeStage):
    """SecAgent §3.1 (1): grounding needs the screens of a walk. Equal pictures are the same screen."""

    name: ClassVar[str] = "grounding_screens"
    title: ClassVar[str] = "Take each screen once, by its picture, without what was done on it."

    def do(self, records: Iterator[Record], tools: Tools) -> Iterator[Record | Dropped]:
        """Pictures are named by their content: equal names are equal pictures."""
        seen = set[str]()
        for record in records:
            for step in record.steps:
                if not step.image:
                    yield Dropped(step.id, "the screen has no picture")
                elif step.image in seen:
                    yield Dropped(step.id, "the same picture was there before")
                else:
                    seen.add(step.image)
                    yield Record(id=step.id, steps=[screen_only(step)])


def screen_only(step: Step) -> Step:
    """The record of a screen without task and action."""
    tags = {name: value for name, value in step.tags.items() if name in KEPT_TAGS}
    return Step(id=step.id, screen=step.screen, image=step.image, elements=step.elements, tags=tags)
