"""Live tasks: each a run of its own, with its log and its replay page."""

from __future__ import annotations

import shutil
from pathlib import Path
from statistics import fmean
from typing import Any

from msgspec.structs import replace

from saccade.agents.build import ModelCache
from saccade.agents.log import RunLog
from saccade.agents.replay import write_replay
from saccade.agents.run import RunOverrides, start
from saccade.agents.settings import Settings
from saccade.bench.cases import Result, Task
from saccade.models.base import Model
from saccade.scoring.judge import match_context
from saccade.scoring.profiles import get_profile
from saccade.worlds import open_world
from saccade.worlds.base import World

TRIES = 3
"""So often a task is tried if the world or the model breaks."""


class LiveWorker:
    """One process: worlds and models are opened once, and used for task after task."""

    def __init__(self, settings: Settings, out: Path, pages: bool = True) -> None:
        self.settings, self.out, self.pages = settings, out, pages
        self.worlds: dict[str, World] = {}
        self.shelf = ModelCache(settings)

    def do(self, task: Task) -> Result:
        problem = ""
        for tries in range(1, TRIES + 1):
            log = self.attempt(task)
            outcome = log.run.outcome
            assert outcome is not None
            if outcome.status != "broken":
                return self.result(task, log, tries)
            problem = outcome.reason
            self.forget()
        return Result(id=task.id, status="broken", problem=problem, tries=TRIES, tags=task.tags, run=f"runs/{task.id}")

    def attempt(self, task: Task) -> RunLog:
        folder = self.out / "runs" / task.id
        shutil.rmtree(folder, ignore_errors=True)
        settings = replace(self.settings, world=task.world, seed=task.seed)
        log = start(settings, folder, RunOverrides(world=self.world(task), model=self.own_model()))
        if self.pages:
            write_replay(folder)
        return log

    def world(self, task: Task) -> World:
        """The world of the task; one that takes tasks by name is kept, and told the task and its options."""
        kind, _, name = task.world.partition("/")
        if kind not in ("phone", "miniwob"):
            return open_world(task.world, **task.options)
        fixed, free = options_of(kind, {**self.settings.world_options, **task.options})
        if kind not in self.worlds:
            self.worlds[kind] = open_world(kind if kind == "phone" else task.world, **fixed)
        world: Any = self.worlds[kind]
        world.task = name
        for option, value in free.items():
            setattr(world, option, value)
        return self.worlds[kind]

    def own_model(self) -> Model | None:
        """A model that takes time to open is opened once; scripted ones and oracles belong to one run."""
        kind = self.settings.model.partition("/")[0]
        if kind in ("oracle", "scripted"):
            return None
        return self.shelf.model(self.settings.model)

    def result(self, task: Task, log: RunLog, tries: int) -> Result:
        run, profile = log.run, get_profile("cmgui")
        judged = [step for step in log.steps if step.truth]
        right = [profile.judge(step.prediction, step.truth, match_context(step)).right for step in judged]
        tokens = [step.seconds.first_token for step in log.steps if step.seconds.first_token is not None]
        return Result(
            id=task.id,
            tries=tries,
            tags=task.tags,
            outcome=run.outcome,
            attempts=len(run.attempts),
            turns=len(log.steps),
            right_steps=sum(right),
            judged_steps=len(judged),
            usage=run.usage,
            seconds=round(run.seconds, 3),
            model_seconds=round(sum(step.seconds.model for step in log.steps), 3),
            first_token=fmean(tokens) if tokens else None,
            run=f"runs/{task.id}",
        )

    def forget(self) -> None:
        """A world that broke is opened anew."""
        for world in self.worlds.values():
            world.close()
        self.worlds = {}

    def close(self) -> None:
        self.forget()
        self.shelf.close()


FREE = {"phone": ("language", "theme", "split", "interruptions"), "miniwob": ()}
"""What a world may be told anew for each task."""


def options_of(kind: str, options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    free = {name: value for name, value in options.items() if name in FREE[kind]}
    return {name: value for name, value in options.items() if name not in free}, free
