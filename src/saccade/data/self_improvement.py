"""GuidNav's self-improvement (§5.2): successful trajectories of the guided policy become training data for the policy.

What an agent did in a run that succeeded is taken for right: its actions become the truth of step records, and its
thoughts and summaries what an answer says. Runs that failed give nothing, and of a run with several attempts only the
last one counts.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from saccade.agents.log import read_run, read_steps
from saccade.agents.records import LoggedStep, Run
from saccade.errors import InputError
from saccade.records import write_steps
from saccade.types import Step


def run_folders(folder: Path) -> list[Path]:
    """A run's own folder, or all runs of a measurement of live tasks."""
    found = (
        [folder] if (folder / "run.json").is_file() else sorted(each.parent for each in folder.glob("runs/*/run.json"))
    )
    if not found:
        raise InputError(f"{folder} has no runs: name the folder of saccade run, or of saccade bench on a live suite")
    return found


def succeeded(run: Run) -> bool:
    """By the world's word; where the world does not judge, the agent's claim and the evaluator's verdict together."""
    if run.outcome is None or not run.attempts:
        return False
    return run.outcome.status == "success" or (run.outcome.status == "claimed" and run.attempts[-1].judged is True)


def demonstrations(folder: Path) -> list[Step]:
    """The last attempt of a successful run as step records, without steps that were refused or had no effect."""
    run = read_run(folder)
    if not succeeded(run):
        return []
    last = [step for step in read_steps(folder)[0] if step.attempt == len(run.attempts) - 1]
    done = [step for step in last if step.prediction is not None and step.acted and not step.error]
    fields = [name for name in Step.__struct_fields__ if name not in ("prediction", "output", "truth", "episode")]
    return [
        Step(**{name: getattr(step, name) for name in fields}, episode=folder.name, truth=[step.prediction])
        for step in map(without_thoughts, done)
        if step.prediction is not None
    ]


def without_thoughts(step: LoggedStep) -> LoggedStep:
    """Where a person chose the action, what the agent thought was about another one."""
    return step if step.by == "agent" else replace(step, thought="", summary="", plan="")


def write_demonstrations(folders: Sequence[Path], out: Path, most: int | None = None) -> tuple[int, int, int]:
    """Write `steps.jsonl` and the screenshots of the first `most` successful runs (GuidNav Table 3: 300, and 800);
    returns the numbers of runs, of those written, and of steps.
    """
    places = [place for folder in folders for place in run_folders(folder)]
    found = ((place, steps) for place in places if (steps := demonstrations(place)))
    kept = dict(islice(found, most))

    def records() -> Iterator[Step]:
        for at, (place, steps) in enumerate(kept.items()):
            for step in steps:
                image = f"screens/{at:05}-{Path(step.image).name}" if step.image else ""
                if image:
                    shutil.copyfile(place / step.image, out / image)
                yield replace(step, image=image, id=f"{at:05}-{step.step:03}", episode=f"{at:05}-{step.episode}")

    (out / "screens").mkdir(parents=True, exist_ok=True)
    return len(places), len(kept), write_steps(out / "steps.jsonl", records())
