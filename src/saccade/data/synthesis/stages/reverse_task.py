"""Reverse synthesis (4, 5): a task in a person's words for each chain, and the walk itself as its trajectory."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from saccade.actions import Action
from saccade.data.synthesis.records import Outcome, Record, dropped, kept
from saccade.data.synthesis.roles.task_writer import Chain, TaskWriter
from saccade.data.synthesis.stage import ItemStage, Tools
from saccade.data.synthesis.transitions import touched
from saccade.paradigms.wording import in_words
from saccade.types import Step

KEPT_TAGS = ("walked", "language", "world", "app", "app_name", "url", "changed", "after", "state_changes", "element")
"""Tags of a walk's steps that hold in the trajectory too; `walked` names the step of the walk."""


class ReverseTask(ItemStage):
    """Records that have a task already go on as they are: the stage stands twice in the pipeline, as branches are made
    from trajectories that were graded.
    """

    name: ClassVar[str] = "reverse_task"
    title: ClassVar[str] = "Write a task for each chain; its actions become the trajectory."
    roles = (TaskWriter(),)

    def do(self, record: Record, tools: Tools) -> Outcome:
        """The chain with its task, or nothing where the writer sees no purpose in it."""
        if record.step.instruction:
            return kept(record)
        language = record.language
        chain = Chain(tuple(record.steps), language, tools.chance("task", record.id).random())
        answer = tools.ask(self.roles[0], chain, language)
        if not answer.instruction:
            return dropped(record, "the writer sees no purpose in the chain", answer.reason)
        return kept(trajectory(record, answer.instruction))


def trajectory(record: Record, instruction: str) -> Record:
    """The chain as an episode: the actions that were done are the right ones, and on the last screen the task ends."""
    language, history, steps = record.language, list[str](), list[Step]()
    for at, step in enumerate(record.steps):
        truth = right_action(step)
        tags = {name: step.tags[name] for name in KEPT_TAGS if name in step.tags}
        steps.append(
            replace(
                step,
                id=f"{record.id}-{at:02}",
                episode=record.id,
                step=at,
                instruction=instruction,
                history=list(history),
                truth=[truth],
                prediction=None,
                tags={"walked": step.id, **tags, "language": language},
            )
        )
        if step.prediction is not None:
            history.append(in_words(step.prediction, step.view, language))
    return replace(record, steps=steps)


def right_action(step: Step) -> Action:
    """The action that was done, anywhere on the element that it touched; on the last screen, the end."""
    action, element = step.prediction, touched(step)
    if action is None:
        return Action("terminate", status="success")
    if element is None or action.box is not None or not element.box.contains(action.point or element.center):
        return action
    return replace(action, box=element.box)
