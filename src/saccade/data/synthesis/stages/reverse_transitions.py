"""Reverse synthesis (1): the transitions of a walk that changed something."""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar

from msgspec.structs import replace

from saccade.data.synthesis.records import Dropped, Outcome, Record
from saccade.data.synthesis.stage import ItemStage, Tools
from saccade.data.synthesis.transitions import screen_key, short_name, touched
from saccade.types import Step


class ReverseTransitions(ItemStage):
    """OS-Genesis calls them triples (screen, action, screen). An action that changed nothing is left out: the screens
    around it are the same, so what remains is still one sequence.
    """

    name: ClassVar[str] = "reverse_transitions"
    title: ClassVar[str] = "Keep the actions of each walk that changed something."

    def do(self, record: Record, tools: Tools) -> Outcome:
        """One record for each episode, its last screen included."""
        steps, gone = list[Step](), list[Dropped]()
        for step, after in zip(record.steps, [*record.steps[1:], None], strict=True):
            if after is None:  # its last screen; an action whose screen after is unknown teaches nothing
                steps.append(replace(step, prediction=None))
            elif (reason := why_not(step, after)) == "":
                steps.append(step)
            else:
                gone.append(Dropped(step.id, reason))
        if len(steps) < 2:
            gone.append(Dropped(record.id, "no action of the walk changed anything"))
            return Outcome([], gone)
        return Outcome([replace(record, steps=with_app_names(steps))], gone)


def with_app_names(steps: list[Step]) -> list[Step]:
    """Tag steps with what the screens call their app, where an action of the episode opened it: the label of the icon
    that was touched.
    """
    names: dict[str, str] = {}
    for step, after in pairwise(steps):
        element, app = touched(step), after.tags.get("app", "")
        if element is not None and element.leaf and app != step.tags.get("app", ""):
            names.setdefault(app, short_name(element, step.elements))
    return [
        replace(step, tags={**step.tags, "app_name": name}) if (name := names.get(step.tags.get("app", ""))) else step
        for step in steps
    ]


def why_not(step: Step, after: Step) -> str:
    """Why a step is no transition; empty if it is one. Records of other sources say nothing about what changed: their
    screens are compared.
    """
    if step.prediction is None:
        return "no action is known for the screen"
    if "error" in step.tags:
        return "the world could not do the action"
    told = step.tags.get("changed")
    changed = told == "yes" if told else screen_key(step) != screen_key(after)
    return "" if changed else "the action changed nothing"
