"""Wrong actions for the reward model that are what tasks of the same kind do at other times.

A reward model that was taught with wrong actions drawn at random told nine of ten pairs apart, and still chose worse
than the policy: what a policy proposes, tasks of the kind often do, only not here. And a proposal may be right for
another task that this one was taken for; so now and then the model is told the plain wording of such a task, and has to
tell by the task's own words.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from msgspec.structs import replace

from saccade.actions import Action, Direction
from saccade.geometry import Point, Size
from saccade.train.backbone import HardNegatives
from saccade.types import Step
from saccade_mini.codec import SPAN, Sheet
from saccade_mini.slots import Slots
from saccade_mini.task_habits import TOUCH, ActionNames
from saccade_mini.training.next_action_training import walk
from saccade_mini.training.paraphrase import plain_wording, read_slots, slots_of, task_of
from saccade_mini.training.restating import mistaken_wording, shipped_classifier

LEAST = 0.005
"""The probability that the next-action model must give an action."""


class Understanding(NamedTuple):
    """A way to understand a task: a plain wording, and what fills its slots."""

    wording: str
    slots: Slots

    @property
    def text(self) -> str:
        return self.wording.format(**self.slots)


def hard_negatives(steps: Sequence[Step], chance: random.Random, tempting: int, misread: float) -> HardNegatives:
    """An episode with tempting wrong actions, as often as `misread` says with a misunderstood task."""
    task = understood(steps[0]) if steps else None
    if task is not None and chance.random() < misread and (other := misunderstood(steps[0], task, chance)):
        task, steps = other, [replace(step, step_instruction=other.text) for step in steps]
    found = tempting_actions(steps, task) if tempting and task else {}
    most = {step.id: tempting + len(step.truth) for step in steps}
    return HardNegatives(steps, {id: actions[: most[id]] for id, actions in found.items()})


def understood(step: Step) -> Understanding | None:
    """What a task means; none where it is not a known one."""
    task = (step.instruction, *task_of(step))
    wording, read = plain_wording(*task), read_slots(*task)
    return Understanding(wording, read[1]) if wording and read else None


def misunderstood(step: Step, right: Understanding, chance: random.Random) -> Understanding | None:
    """Another task that this one could be taken for. Its slots hold what the task says under their names, or anything
    else that it says.
    """
    if not (said := list(right.slots.values())):
        return None
    other = mistaken_wording(step.instruction, *task_of(step), right.wording, chance)
    return Understanding(
        other, {slot: right.slots.get(slot) or chance.choice(said) for slot in sorted(slots_of(other))}
    )


def tempting_actions(steps: Sequence[Step], task: Understanding) -> dict[str, list[Action]]:
    """By the id of each step, what tasks of this kind may do there, the likeliest first; none where the shipped mini
    does not know the task.
    """
    classifier = shipped_classifier()
    habits = classifier.habits.get(task.wording) if classifier else None
    if classifier is None or classifier.next_action is None or not habits:
        return {}
    found: dict[str, list[Action]] = {}
    for at in walk(steps, task.wording, task.slots):
        likely = classifier.next_action.probabilities(at.state, habits)
        names = [name for name, probability in likely.items() if probability >= LEAST]
        found[at.step.id] = [action for name in names for action in actions(name, at.sheet, at.step.screen, at.slots)]
    return found


def actions(name: str, sheet: Sheet, size: Size, slots: Slots) -> Iterator[Action]:
    """The action of this name on a screen; none where the name does not say all of it."""
    kind, _, rest = name.partition(" ")
    points = [sheet.items[at].point for at in ActionNames(sheet, slots).targets(name)]
    places = [Point(point.x * size[0] / SPAN, point.y * size[1] / SPAN) for point in points]
    match kind:
        case "touch" | "hold" if places:
            yield Action("click" if kind == TOUCH else "long_press", places[0])
        case "swipe":
            direction = cast(Direction, rest.split(" ")[0])
            yield Action("swipe", direction=direction, start=places[0] if places else None)
        case "press":
            yield Action("press", key=rest)
        case "end":
            yield Action("terminate", status=rest)  # type: ignore[arg-type]
        case "open":
            yield Action("open_app", text=rest)
        case "type" if rest.removeprefix("=") in slots:
            yield Action("type", text=slots[rest.removeprefix("=")])
