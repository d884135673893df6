"""Grades a trajectory from 1 to 5 for completion and coherence, as OS-Genesis' trajectory reward does: a trajectory
that is not perfect still teaches, with less weight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, NamedTuple

import msgspec

from saccade.data.synthesis.roles.base import Role, UnansweredError, read_json
from saccade.data.synthesis.state_changes import Change, changes_of
from saccade.data.synthesis.state_claims import (
    changes_of_steps,
    comparable_changes,
    lasting,
    net_changes,
    task_truth,
    wanted_truth,
)
from saccade.data.synthesis.transitions import action_done, touched
from saccade.types import Language, Picture, Step

Grade = Annotated[int, msgspec.Meta(ge=1, le=5)]
LAST_SCREENS = 3


class Trajectory(NamedTuple):
    """A task with its steps; the last one is the screen to which they led."""

    steps: tuple[Step, ...]
    language: Language
    wanted: tuple[Change, ...] = ()
    """Of a trajectory that is not the walk's own: what the walk's changed of what the task asks for."""


class TrajectoryGrade(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer."""

    completion: Grade
    """5: all that the task asks for is done and nothing else; 1: none of it."""
    coherence: Grade
    """5: every step serves the task; 1: hardly any does."""
    reason: str

    @property
    def grade(self) -> int:
        return min(self.completion, self.coherence)


class TrajectoryGrader(Role[Trajectory, TrajectoryGrade]):
    """Sees the task, all steps in words, and the last screens."""

    name: ClassVar[str] = "trajectory_grader"
    max_tokens: ClassVar[int] = 512

    def variables(self, subject: Trajectory, picture: Callable[[str], Picture]) -> dict[str, Any]:
        return {
            "instruction": subject.steps[0].instruction,
            "steps": [step.step_instruction for step in subject.steps[:-1]],
            "pictures": [picture(step.image) for step in subject.steps[-LAST_SCREENS:] if step.image],
        }

    def read(self, text: str, subject: Trajectory) -> TrajectoryGrade:
        found = read_json(text, TrajectoryGrade)
        if not found.reason.strip():
            raise ValueError("there is no reason: write it in one sentence")
        return found

    def taught(self, subject: Trajectory) -> TrajectoryGrade:
        """By the sandbox's state.

        completion: 5 if every claim of the task has its change and nothing else changed for good; 4 if something else
        changed too; 2 if some claims have no such change; 1 if none has. coherence: 5, less one for each step that
        `superfluous` finds. A trajectory that is not the walk's own must have the walk's changes, as a claim does not
        say which switch is called so, and one is taken for each of its `detours`, too.
        """
        net = changes_of_steps(subject.steps)
        if net is None:
            raise UnansweredError("the world does not tell what changed")
        truth = task_truth(subject.steps[0].instruction, subject.language, net)
        if not truth.claims:
            raise UnansweredError("the task's wording is not the teacher's: a chat model must grade it")
        if subject.wanted:
            truth = wanted_truth(subject.wanted, comparable_changes(subject.steps) or [])
        if truth.false:
            completion, reason = (1 if truth.false == truth.claims else 2), "what the task asks for did not happen"
        elif truth.beside:
            completion, reason = 4, "something else changed as well"
        else:
            completion, reason = 5, "the change is the one that the task asks for"
        wasted = {*superfluous(subject.steps), *(detours(subject.steps) if subject.wanted else ())}
        if wasted:
            reason += f"; steps that do not serve it: {len(wasted)}"
        return TrajectoryGrade(completion, max(1, 5 - len(wasted)), reason)


def superfluous(steps: tuple[Step, ...]) -> list[int]:
    """Which steps the task could do without: a scroll before an element that was in view already, and a change of data
    or of a form that is not there any more at the end.
    """
    changes = [changes_of(step.tags) for step in steps[:-1]]
    net = {path for path, _, _ in net_changes(change for each in changes for change in each)}
    found = []
    for at, step in enumerate(steps[:-1]):
        action, following = action_done(step), touched(steps[at + 1])
        assert action is not None
        if action.type in ("swipe", "wait"):
            needed = following is not None and not any(
                (each.type, each.text) == (following.type, following.text) for each in step.elements
            )
            if not needed:
                found.append(at)
        elif (mine := lasting(changes[at])) and not any(path in net for path, _, _ in net_changes(mine)):
            found.append(at)
    return found


def detours(steps: tuple[Step, ...]) -> list[int]:
    """Which steps did nothing, or led away and back to where the sandbox was before. Chains of a walk have none. A
    scroll changes nothing but what is in view, so no detour begins or ends with one.
    """
    changes = [changes_of(step.tags) for step in steps[:-1]]
    deeds = [at for at, step in enumerate(steps[:-1]) if not is_scroll(step)]
    found = set[int]()
    for start in deeds:
        for end in deeds:
            if start <= end and not net_changes(change for each in changes[start : end + 1] for change in each):
                found |= set(range(start, end + 1))
    return sorted(found)


def is_scroll(step: Step) -> bool:
    action = action_done(step)
    return action is not None and action.type in ("swipe", "wait")
