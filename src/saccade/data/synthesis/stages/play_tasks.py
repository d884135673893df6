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
from saccade.worlds.tasks import Task


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

    def _overrides(self, world: World, model: Model, task: Task) -> RunOverrides:
        """All tries begin in the walk's own world."""
        tagger = StepTagger(world)
        return RunOverrides(world=world, model=model, world_seed=task.seed, on_start=tagger.begin, on_step=tagger.tag)


class StepTagger:
    """Tags the steps of a run as a walk tags its own: with where they were done, and what they changed."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.watcher: StateWatcher | None = None

    def begin(self, log: RunLog) -> None:
        """The world is ready."""
        self.watcher = StateWatcher(self.world)

    def tag(self, step: LoggedStep) -> None:
        """After each step. What is left out later is not tagged: what it changed belongs to the next one."""
        if self.watcher is not None and was_done(step):
            step.tags = {**step.tags, **place_tags(step), **self.watcher.tags()}


def as_trajectory(step: Step, language: Language) -> Step:
    """A played step in the form of a walk's trajectory: what was done is right, and is said in words."""
    done = as_done(step)
    assert step.prediction is not None
    said = "" if step.prediction.type == "terminate" else in_words(step.prediction, step.view, language)
    return replace(done, step_instruction=said, tags={**step.tags, "language": language})
