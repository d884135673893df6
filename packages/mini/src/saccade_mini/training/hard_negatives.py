"""Wrong actions that tempt: what tasks of the same kind do at other times.

A reward model that was taught with wrong actions drawn at random tells nine of ten pairs apart, and chose worse than
the policy did: what that proposes, tasks of the kind often do, only not here (`models.mini.routine`). So some of the
wrong ones are such. And what it proposes may be right for another task, which it took this one for: then the one that
it should have done instead must be told apart from what was understood, by the task's own words.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from saccade.actions import Action, Direction
from saccade.geometry import Point, Size
from saccade.types import Step
from saccade_mini.codec import SPAN, Sheet
from saccade_mini.task_habits import TOUCH, Slots, View
from saccade_mini.training.habit_extraction import walked
from saccade_mini.training.paraphrase import plain_wording, read_slots, slots_of, task_of
from saccade_mini.training.restating import mistaken, shipped_reader

LEAST = 0.005
"""How likely a deed must be to tempt."""


class Understood(NamedTuple):
    """A way to understand a task: a plain wording, and what fills its slots."""

    wording: str
    slots: Slots

    @property
    def text(self) -> str:
        return self.wording.format(**self.slots)


def rightly(step: Step) -> Understood | None:
    """What a task means; nothing where it is none that is known."""
    task = (step.instruction, *task_of(step))
    wording, read = plain_wording(*task), read_slots(*task)
    return Understood(wording, read[1]) if wording and read else None


def misread(steps: Sequence[Step], chance: random.Random) -> Understood | None:
    """What an episode's task could be taken for, in words of another: a task that the reader finds likely. Its slots
    hold what the task says under their names, or anything else that it says.
    """
    right = rightly(steps[0]) if steps else None
    if right is None or not (said := list(right.slots.values())):
        return None
    other = mistaken(steps[0].instruction, *task_of(steps[0]), right.wording, chance)
    return Understood(other, {slot: right.slots.get(slot) or chance.choice(said) for slot in sorted(slots_of(other))})


def tempted(steps: Sequence[Step], understood: Understood | None = None) -> dict[str, list[Action]]:
    """Of each step of an episode, by its name, what tasks of the kind may do there, or of the kind that it was taken
    for, the likeliest first; nothing where the task is none that the shipped mini knows.
    """
    reader, task = shipped_reader(), understood or (rightly(steps[0]) if steps else None)
    if reader is None or reader.routine is None or task is None or not reader.doing.get(task.wording):
        return {}
    found: dict[str, list[Action]] = {}
    for step, sheet, slots, scene, _ in walked(steps, task.wording, task.slots):
        chances = reader.routine.chances(scene, reader.doing[task.wording])
        likely = sorted((name for name, chance in chances.items() if chance >= LEAST), key=lambda name: -chances[name])
        found[step.id] = [action for name in likely for action in actions(name, sheet, step.screen, slots)]
    return found


def actions(name: str, sheet: Sheet, size: Size, slots: Slots) -> Iterator[Action]:
    """What does a deed of this name on a screen; nothing where that takes more than its name to say."""
    kind, _, rest = name.partition(" ")
    spots = [Point(sheet.items[at].point.x * size[0] / SPAN, sheet.items[at].point.y * size[1] / SPAN)
             for at in View(sheet, slots).targets(name)]  # fmt: skip
    match kind:
        case "touch" | "hold":
            yield from (Action("click" if kind == TOUCH else "long_press", spot) for spot in spots[:1])
        case "swipe":
            yield Action("swipe", direction=cast(Direction, rest.split(" ")[0]), start=spots[0] if spots else None)
        case "press":
            yield Action("press", key=rest)
        case "end":
            yield Action("terminate", status=rest)  # type: ignore[arg-type]
        case "open":
            yield Action("open_app", text=rest)
        case "type" if rest.removeprefix("=") in slots:
            yield Action("type", text=slots[rest.removeprefix("=")])
