"""Tries up to their first error (SecAgent §3.2 (4)): the right action there, and nothing of what comes after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec.structs import replace

from saccade.actions import Action
from saccade.data.synthesis.records import Dropped, Outcome, Record, dropped
from saccade.data.synthesis.stage import ItemStage, Settings, Tools
from saccade.scoring.judge import match_context
from saccade.scoring.profiles import get_profile
from saccade.types import Step


class FirstErrorSettings(Settings, frozen=True):
    """Settings of `cut_at_first_error`."""

    profile: str = "cmgui"
    """The rule by which an action is right."""


class CutAtFirstError(ItemStage):
    """With a teacher, each step's truth is known: the first wrong step gets it and is the last one. Where people
    reviewed a try, they did this. Where nobody knows what is right, only tries that succeeded are data, and what was
    done is the truth, as in `data.self_improvement`.
    """

    name: ClassVar[str] = "cut_at_first_error"
    title: ClassVar[str] = "Keep each try up to its first error, and put the right action there."
    kind: ClassVar[type[Settings]] = FirstErrorSettings

    def do(self, record: Record, tools: Tools) -> Outcome:
        if not record.steps:
            return dropped(record, "no step was taken", record.fields.get("outcome", ""))
        if all(step.tags.get("reviewed") == "yes" for step in record.steps):
            return Outcome([record], [])
        if all(step.truth for step in record.steps):
            return self._by_truth(record)
        if record.fields.get("success"):
            return Outcome([replace(record, steps=list(map(as_done, record.steps)))], [])
        return dropped(record, "it failed, and nobody knows where", record.fields.get("verdict", ""))

    def _by_truth(self, record: Record) -> Outcome:
        steps = record.steps
        wrong = first_error(steps, self.settings.profile)
        if wrong is None:
            return Outcome([record], [])
        mended = replace(steps[wrong], tags={**steps[wrong].tags, "right": "no", "mended": "yes"})
        after = [Dropped(step.id, "a step after the first error") for step in steps[wrong + 1 :]]
        return Outcome([replace(record, steps=[*steps[:wrong], mended])], after)


def first_error(steps: Sequence[Step], profile: str) -> int | None:
    """The first step whose action is not right; None if all are."""
    rule = get_profile(profile)
    for at, step in enumerate(steps):
        if step.prediction is None or not rule.judge(step.prediction, step.truth, match_context(step)).right:
            return at
    return None


def as_done(step: Step) -> Step:
    """What was done as the truth; a touch may lie anywhere on the element that it hit."""
    assert step.prediction is not None
    return replace(step, truth=[on_element(step.prediction, step)])


def on_element(action: Action, step: Step) -> Action:
    """The action with the box of the element that it touches, where one is known."""
    if action.point is None or action.box is not None:
        return action
    element = step.view.element_at(action.point)
    return action if element is None else replace(action, box=element.box)
