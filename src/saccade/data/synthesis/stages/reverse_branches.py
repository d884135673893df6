"""Reverse synthesis (7): variants of graded trajectories that the walk itself proves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Annotated, ClassVar

import msgspec
from msgspec.structs import replace

from saccade.data.synthesis.records import Dropped, Record
from saccade.data.synthesis.stage import Settings, Tools, WholeStage
from saccade.data.synthesis.stages.reverse_grade import GRADE
from saccade.data.synthesis.state_changes import changes_of
from saccade.data.synthesis.state_claims import lasting
from saccade.data.synthesis.transitions import action_done, screen_key
from saccade.types import Step


class ReverseBranchesSettings(Settings, frozen=True):
    """Settings of `reverse_branches`."""

    most: Annotated[int, msgspec.Meta(ge=0)] = 3
    """Branches of one trajectory; 0: none."""


class ReverseBranches(WholeStage):
    """The same way to a screen, and then another element of it. Another walk, or another moment of the same one, did
    that on the same screen, so its outcome is known. Switches may stand otherwise; texts and types are equal.

    Only from trajectories that changed nothing before their last action: the way there is then no part of the effect.
    """

    name: ClassVar[str] = "reverse_branches"
    title: ClassVar[str] = "From the last screen of each trajectory, take other actions that a walk did there."
    kind: ClassVar[type[Settings]] = ReverseBranchesSettings

    def do(self, records: Iterator[Record], tools: Tools) -> Iterator[Record | Dropped]:
        """All trajectories, then their branches, which have no task yet."""
        known = list(records)
        yield from known
        ends: dict[tuple[str, str], dict[str, tuple[Step, Step]]] = defaultdict(dict)
        for record in known:
            for step, after in zip(record.steps, record.steps[1:], strict=False):
                ends[place(record, step)].setdefault(signature(step), (step, after))
        taken = {(place(record, record.steps[-2]), signature(record.steps[-2])) for record in known}
        made = 0
        for record in known:
            before, last = record.steps[:-2], record.steps[-2]
            if any(lasting(changes_of(step.tags)) for step in before):
                continue
            here = place(record, last)
            others = [end for name, end in ends[here].items() if (here, name) not in taken][: self.settings.most]
            for step, after in others:
                taken.add((here, signature(step)))
                made += 1
                yield branch(record, len(before), step, after)
        self.facts["branches"] = made


def place(record: Record, step: Step) -> tuple[str, str]:
    """Where a step is done: the language, and the screen whatever its switches say."""
    return record.language, screen_key(step, states=False)


def signature(step: Step) -> str:
    """What is done, apart from the exact point."""
    return step.step_instruction


def branch(record: Record, at: int, step: Step, after: Step) -> Record:
    """The way of a trajectory to its step `at`, then another end: a chain again, as `reverse_chains` makes them."""
    steps = [as_walked(each) for each in (*record.steps[:at], step)]
    last = replace(as_walked(after), prediction=None, step_instruction="")
    return replace(record, id=f"{record.id}-b{step.id.rpartition('-c')[2]}", steps=[*steps, last])


def as_walked(step: Step) -> Step:
    """A step of a trajectory as the walk had it: no task, and the action as what was done."""
    action = action_done(step)
    tags = {name: value for name, value in step.tags.items() if name not in (GRADE, "completion", "coherence")}
    done = replace(action, box=None) if action is not None else None
    return replace(step, instruction="", history=[], truth=[], prediction=done, tags=tags)
