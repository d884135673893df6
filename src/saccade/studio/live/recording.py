"""What a recorded demonstration leaves: step records whose truth is what the person did."""

from __future__ import annotations

from msgspec.structs import replace

from saccade.actions import Action
from saccade.agents.log import RunLog
from saccade.data.self_improvement import demonstrations
from saccade.records import write_steps
from saccade.types import Step

PERSON = "person"
"""The model's name in the settings of a recording."""
FILE = "demonstration.jsonl"


def write_demonstration(log: RunLog) -> int:
    """Write the records beside the run's own log; returns how many. A demonstration that the person, or the world,
    calls a failure leaves none: its actions are not the truth.
    """
    if not log.run.attempts[-1].judged:
        return 0
    tags = {"source": "demonstration", "world": str(log.run.settings.get("world", ""))}
    records = [
        replace(step, instruction=log.run.instruction, truth=[boxed(step.truth[0], step)], tags=step.tags | tags)
        for step in demonstrations(log.folder)
    ]
    return write_steps(log.folder / FILE, records) if records else 0


def boxed(action: Action, step: Step) -> Action:
    """The action with the box of the element that it touches: any point of it would have been right."""
    if action.point is None or action.box is not None:
        return action
    hit = step.view.element_at(action.point)
    return action if hit is None or hit.box.area <= 0 else replace(action, box=hit.box)
