"""Reverse synthesis with a policy (7): each written task is played from the start of the walk's episode."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from saccade.agents.log import RunLog
from saccade.agents.records import LoggedStep
from saccade.agents.run import RunOverrides
from saccade.data.collect.players import PLAYERS
from saccade.data.synthesis.records import Record
from saccade.data.synthesis.stage import Tools
from saccade.data.synthesis.stages.cut_at_first_error import as_done
from saccade.data.synthesis.stages.execute_tasks import ExecuteTasks, was_done
from saccade.data.synthesis.stages.reverse_grade import WANTED
from saccade.data.synthesis.state_changes import StateWatcher
from saccade.data.synthesis.state_claims import comparable_changes, wanted_changes
from saccade.data.synthesis.walk_episode import place_tags
from saccade.errors import InputError
from saccade.models import MODELS
from saccade.models.base import Model
from saccade.paradigms.wording import in_words
from saccade.types import Language, Step
from saccade.worlds.base import World


class PlayTasks(ExecuteTasks):
    """As `execute_tasks` plays instructions that a model wrote. Every step is tagged with what it changed, as those of
    a walk are, so that the same grader can judge it.
    """

    name: ClassVar[str] = "play_tasks"
    title: ClassVar[str] = "Let the policy play each task from where the walk's episode began."

    def check(self, policy: str) -> None:
        """A player that asks the world's teacher cannot do a task that the teacher does not know."""
        if not policy:
            raise InputError("nobody plays the written tasks: name a model with --policy")
        if policy in PLAYERS.names():
            raise InputError(f"--policy {policy} only plays tasks of the world's own, not written ones: name a model")
        if (kind := policy.partition("/")[0]) not in MODELS.names():
            raise InputError(f"--policy {policy}: there is no model {kind!r}: use one of {', '.join(MODELS.names())}")

    def _try(self, record: Record, number: int, tools: Tools) -> Record:
        """The try as a trajectory, together with what the walk's own chain did."""
        tried = super()._try(record, number, tools)
        changes = comparable_changes(record.steps)
        fields = dict(tried.fields)
        if changes is not None:
            fields[WANTED] = wanted_changes(record.step.instruction, record.language, changes)
        steps = [as_trajectory(step, record.language) for step in tried.steps]
        return replace(tried, steps=steps, fields=fields)

    def _overrides(self, world: World, model: Model) -> RunOverrides:
        watchers: list[StateWatcher] = []

        def begin(log: RunLog) -> None:
            watchers.append(StateWatcher(world))

        def tag(step: LoggedStep) -> None:
            if was_done(step):  # what a step changed that is left out belongs to the next one
                step.tags = {**step.tags, **place_tags(step), **watchers[-1].tags()}

        return RunOverrides(world=world, model=model, on_start=begin, on_step=tag)


def as_trajectory(step: Step, language: Language) -> Step:
    """A played step in the form of a walk's trajectory: what was done is right, and is said in words."""
    done = as_done(step)
    assert step.prediction is not None
    said = "" if step.prediction.type == "terminate" else in_words(step.prediction, step.view, language)
    return replace(done, step_instruction=said, tags={**step.tags, "language": language})
