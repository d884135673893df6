"""Reverse synthesis (6): trajectories graded from 1 to 5, and kept by their grade."""

from __future__ import annotations

from typing import Annotated, ClassVar

import msgspec
from msgspec.structs import replace

from saccade.data.synthesis.records import Outcome, Record, dropped, kept
from saccade.data.synthesis.roles.trajectory_grader import Trajectory, TrajectoryGrader
from saccade.data.synthesis.stage import ItemStage, Settings, Tools

WANTED = "wanted"
"""The field of a trajectory that is not the walk's own: what the walk's changed of what the task asks for."""
GRADE = "grade"
"""The tag of a step's trajectory: how much it may weigh in training."""


class ReverseGradeSettings(Settings, frozen=True):
    """Settings of `reverse_grade`."""

    least: Annotated[int, msgspec.Meta(ge=1, le=5)] = 3
    """Trajectories below this grade are dropped. The grade is the lower of completion and coherence."""


class ReverseGrade(ItemStage):
    """Records that were graded before go on as they are."""

    name: ClassVar[str] = "reverse_grade"
    title: ClassVar[str] = "Grade each trajectory for completion and coherence, and keep those that are good enough."
    kind: ClassVar[type[Settings]] = ReverseGradeSettings
    roles = (TrajectoryGrader(),)

    def do(self, record: Record, tools: Tools) -> Outcome:
        """The trajectory with its grade in the tags of every step."""
        if GRADE in record.step.tags:
            return kept(record)
        wanted = tuple((path, before, after) for path, before, after in record.fields.get(WANTED, ()))
        found = tools.ask(self.roles[0], Trajectory(tuple(record.steps), record.language, wanted), record.language)
        if found.grade < self.settings.least:
            low = "completion" if found.completion <= found.coherence else "coherence"
            return dropped(record, f"its grade is too low for {low}", f"{record.step.instruction}: {found.reason}")
        tags = {GRADE: str(found.grade), "completion": str(found.completion), "coherence": str(found.coherence)}
        return kept(replace(record, steps=[replace(step, tags={**step.tags, **tags}) for step in record.steps]))
