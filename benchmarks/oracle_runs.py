"""Runs the oracle in each paradigm's own format: 40 phone tasks (20 zh, 20 en) and 20 MiniWoB tasks must all succeed,
and the loop itself must take little time compared with world and model.

    python benchmarks/oracle_runs.py [--phone 40] [--miniwob 20] [--paradigms btl,uiloop,secagent,guidnav] [--scale 3]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from saccade.actions import Action
from saccade.agents.log import RunLog
from saccade.agents.oracle import OracleModel
from saccade.agents.run import RunOverrides, start_run
from saccade.agents.settings import Settings
from saccade.models.families import VisionSettings
from saccade.paradigms import get_paradigm
from saccade.worlds.base import Observation
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import PHONE, Device
from saccade.worlds.miniwob.catalog import MINIWOB_20
from saccade.worlds.miniwob.solvers import solve
from saccade.worlds.miniwob.tabs import address
from saccade.worlds.miniwob.world import MiniWobObservation, MiniWobWorld
from saccade.worlds.teachers import Lesson, Teacher
from saccade_phone.splits import Chosen, episode
from saccade_phone.world import PhoneWorld

PARADIGMS = ("btl", "uiloop", "secagent", "guidnav")
MINIWOB = tuple("enter-time" if task == "enter-date" else task for task in MINIWOB_20)
"""`enter-date` is replaced: its field has three parts, and a tap on its mark (GuidNav) hits an arbitrary one."""


def phone_tasks(count: int) -> list[Chosen]:
    """`count` different tasks, half of them Chinese."""
    found: dict[str, Chosen] = {}
    index = 0
    while len(found) < count:
        language = ("en", "zh")[len(found) % 2]
        chosen = episode("train", index, languages=(language,))  # type: ignore[arg-type]
        found.setdefault(chosen.task, chosen)
        index += 1
    return list(found.values())


def phone_runs(world: PhoneWorld, tasks: list[Chosen], paradigm: str, out: Path) -> Iterator[tuple[str, RunLog]]:
    for at, chosen in enumerate(tasks):
        world.language, world.theme, world.task = chosen.language, chosen.theme, chosen.task
        settings = Settings(world=f"phone/{chosen.task}", paradigm=paradigm, model="oracle", seed=chosen.seed)
        yield (
            f"{chosen.task} {chosen.language}",
            start_run(settings, out / f"phone-{paradigm}-{at}", RunOverrides(world=world)),
        )


class Recorder(MiniWobWorld):
    """Records the actions of a solver."""

    def __init__(self, engine: BrowserEngine) -> None:
        super().__init__(engine=engine)
        self.done: list[Action] = []
        self.shown: Observation | None = None

    def reset(self, seed: int | None = None, task: str | None = None) -> MiniWobObservation:
        self.shown = seen = super().reset(seed, task)
        return seen

    def act(self, action: Action) -> MiniWobObservation:
        self.done.append(action)
        self.shown = seen = super().act(action)
        return seen


@dataclass
class ScriptTeacher(Teacher):
    """Teaches a list of actions, one for each screen."""

    actions: Sequence[Action]
    at: int = 0

    def _teach(self, seen: Observation) -> Lesson:
        if self.at >= len(self.actions):
            return Lesson(lost=f"the script has only {len(self.actions)} actions")
        self.at += 1
        action = self.actions[self.at - 1]
        element = seen.screen.element_at(action.point) if action.point is not None else None
        return Lesson([action], [element] if element else [], "The script says so.", action.name)


def recorded(world: Recorder, task: str, seed: int) -> list[Action]:
    """A solver's actions in a form that all paradigms can express: first the tap on a field, then the text."""
    world.done = []
    solve(world, task, seed)
    actions = []
    for action in world.done:
        if action.type == "type" and action.point is not None:
            actions += [Action("click", action.point), Action("type", text=action.text)]
        else:
            actions.append(action)
    return actions


def miniwob_run(world: Recorder, task: str, paradigm: str, out: Path, seed: int = 7) -> RunLog:
    actions = recorded(world, task, seed)
    world.task = task
    form = get_paradigm(paradigm, space=world.space)
    form = get_paradigm(paradigm, space=world.space, frame=VisionSettings.of("oracle", form.pixels).frame)

    def look() -> Observation:
        assert world.shown is not None
        return world.shown

    model = OracleModel(ScriptTeacher(actions), form, look)
    settings = Settings(world=f"miniwob/{task}", paradigm=paradigm, seed=seed)
    return start_run(settings, out / f"miniwob-{paradigm}-{task}", RunOverrides(world=world, model=model))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phone", type=int, default=40)
    parser.add_argument("--miniwob", type=int, default=20)
    parser.add_argument("--paradigms", default=",".join(PARADIGMS))
    parser.add_argument("--scale", type=float, default=3.0)
    given = parser.parse_args()
    failed = 0
    overheads: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        engine = BrowserEngine(AllowList.of((), "http://phone.invalid/", address("click-test")))
        try:
            device = Device(PHONE.width, PHONE.height, given.scale, touch=True)
            phone, miniwob = PhoneWorld(device=device, engine=engine), Recorder(engine)
            for paradigm in given.paradigms.split(","):
                runs = [*phone_runs(phone, phone_tasks(given.phone), paradigm, Path(folder))]
                runs += [
                    (task, miniwob_run(miniwob, task, paradigm, Path(folder))) for task in MINIWOB[: given.miniwob]
                ]
                good = [log.run.outcome is not None and log.run.outcome.status == "success" for _, log in runs]
                overheads += [step.seconds.overhead for _, log in runs for step in log.steps]
                steps = sum(len(log.steps) for _, log in runs)
                print(f"{paradigm:9} {sum(good)} of {len(runs)} tasks, {steps} steps")
                failed += len(runs) - sum(good)
                for (name, log), fine in zip(runs, good, strict=True):
                    if not fine:
                        print(f"  {name}: {log.run.outcome}")
        finally:
            engine.close()
    overheads.sort()
    middle, high = statistics.median(overheads), overheads[int(0.95 * len(overheads))]
    print(f"loop overhead per step: median {1000 * middle:.1f} ms, p95 {1000 * high:.1f} ms (goal: median under 60)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
