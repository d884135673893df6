"""Live tasks: each a run of its own, with its log and its replay page. A worker of `saccade.engines` does them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from statistics import fmean

from msgspec.structs import replace

from saccade.agents.build import ModelCache
from saccade.agents.log import RunLog
from saccade.agents.replay_page import leave_replay
from saccade.agents.run import RunOverrides, start_run
from saccade.agents.settings import Settings
from saccade.bench.cases import Result
from saccade.models.base import Model
from saccade.scoring.judge import match_context
from saccade.scoring.profiles import get_profile
from saccade.worlds.pool import WorldPool
from saccade.worlds.tasks import Task

TRIES = 3
"""How often a task is tried where the world or the model breaks."""


def run_folder(task: Task) -> str:
    """Where the run of a task is published, relative to the folder of the measurement."""
    return f"runs/{task.id}"


class LiveWorker:
    """One process that does live tasks one after another. Models stay open, and so do worlds that can take another
    task.
    """

    def __init__(self, settings: Settings, pages: bool = True) -> None:
        self.settings, self.pages = settings, pages
        self.worlds = WorldPool(settings.world_options)
        self.models = ModelCache(settings)

    def do(self, task: Task, folder: Path) -> Result:
        """Do a task; its run is written to `folder`."""
        problem = ""
        for tries in range(1, TRIES + 1):
            log = self.attempt(task, folder)
            outcome = log.run.outcome
            assert outcome is not None
            if outcome.status != "broken":
                return self.result(task, log, tries)
            problem = outcome.reason
            self.worlds.close()  # a world that broke is opened anew
        return Result(id=task.id, status="broken", problem=problem, tries=TRIES, tags=task.tags, run=run_folder(task))

    def attempt(self, task: Task, folder: Path) -> RunLog:
        shutil.rmtree(folder, ignore_errors=True)
        options = {**self.settings.world_options, **task.options}
        settings = replace(self.settings, world=task.world, seed=task.seed, world_options=options)
        with self.worlds.world(task) as world:
            log = start_run(settings, folder, RunOverrides(world=world, model=self.model()))
        if self.pages:
            leave_replay(folder, lambda said: sys.stderr.write(f"saccade: {said}\n"))
        return log

    def model(self) -> Model | None:
        """The open model; None where each run opens its own (a script, the oracle)."""
        model = self.models.of_agent(self.settings.model)
        return None if model is None or model.per_run else model

    def result(self, task: Task, log: RunLog, tries: int) -> Result:
        run, profile = log.run, get_profile(log.run.profile)
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
            weighting=run.weighting,
            run=run_folder(task),
        )

    def close(self) -> None:
        self.worlds.close()
        self.models.close()
