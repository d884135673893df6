"""Random walks in any world: screens, their elements, and what actions did (UILoop App. A, SecAgent §3.1).

The folder is that of `data.episode_folder`. Each screen is a step record: `prediction` is the action that was done on
it, `truth` is empty, because nobody said that it was right, and the tags say what came of it:

    changed                  yes: the screen after it differs, and there was no error (an action that succeeded)
    after                    the image of the screen after it; its elements are in the next record
    app, url, app_after …    where the screen is, and where the action led
    element                  the id of the element that was touched
    refused                  rules by which the approval gate refused other actions on this screen
    state_changes            in a sandbox that knows its state: what really changed
    start                    of an episode's first record: the world, options and seed that it began with

The last screen of an episode is a record without an action. All chance comes from the seed and the episode's number.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from saccade.agents.approval import ApprovalPolicy, load_approval_policy
from saccade.data.episode_folder import (
    finished,
    gather,
    make_folders,
    name_images,
    prepare,
    publish_episode,
    write_episode,
)
from saccade.data.synthesis.walk_episode import Walk, point_to_next_images
from saccade.engines import Engine
from saccade.engines.local import LocalEngine
from saccade.errors import InputError
from saccade.records import lock_folder, read_lines
from saccade.screens.element_source import TREE, open_element_source
from saccade.types import SEVERAL, Step
from saccade.untrusted import JsonDecoder, read_bytes
from saccade.worlds.base import InfrastructureError
from saccade.worlds.element_source_world import seen_through
from saccade.worlds.pool import WorldPool
from saccade.worlds.tasks import Task

TRIES = 3
"""How often an episode is tried where the world breaks."""
KEPT_TAGS = ("task", "language", "split", "group")
"""Tags of a task that hold for a walk that begins where the task begins."""


class WalkRequest(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is to be walked through."""

    worlds: list[str]
    """Live suites, or worlds as on the command line; episodes take turns."""
    steps: int
    """How many actions in all, rounded up to whole episodes."""
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    """Of the suites or worlds."""
    seed: int = 0
    episode_steps: int = 20
    elements: str = TREE
    """Where the records' elements come from: the world's own tree, or the name of an element source."""
    policy: str = "browse"
    """The approval policy in worlds that are real. What it would ask about is not done."""

    @property
    def episodes(self) -> int:
        return -(-self.steps // self.episode_steps)


class WalkReport(msgspec.Struct):
    """One episode is done, was there already (`kept`), or could not be walked (`problem`)."""

    index: int
    steps: int
    kept: bool = False
    problem: str = ""


OnWalk = Callable[[WalkReport], None]


class WalkSummary(msgspec.Struct):
    """What a walk found."""

    episodes: int = 0
    steps: int = 0
    """Actions done."""
    changed: int = 0
    """Actions that did something."""
    screens: int = 0
    distinct_screens: int = 0
    """By app, address, and types and texts of the elements; without elements, by the picture."""
    actions: dict[str, int] = msgspec.field(default_factory=dict)
    refused: dict[str, int] = msgspec.field(default_factory=dict)
    """Proposals that the approval gate refused, by rule."""
    errors: int = 0
    """Actions that the world could not do."""


def walk_name(index: int) -> str:
    return f"w{index:06}"


def walk(
    request: WalkRequest,
    tasks: Sequence[Task],
    out: Path,
    workers: int = 1,
    on_walk: OnWalk = lambda report: None,
    engine: Engine | None = None,
) -> WalkSummary:
    """Walk through what is not there yet, one episode for each task, then write `steps.jsonl`."""
    if len(tasks) < request.episodes:
        raise InputError(f"there are {len(tasks)} tasks for {request.episodes} episodes")
    policy = load_approval_policy(request.policy)
    open_element_source(request.elements)  # a wrong name is told before anything is begun
    make_folders(out)
    with lock_folder(out, "walking into", "wait for it, or choose another --out"):
        prepare(request, out, "steps")
        names = [walk_name(index) for index in range(request.episodes)]
        done = finished(names, out)
        for index in sorted(done):
            on_walk(WalkReport(index, request.episode_steps, kept=True))
        jobs = [(index, tasks[index]) for index in range(request.episodes) if index not in done]
        broken = list(_work(request, policy, out, jobs, workers, on_walk, engine or LocalEngine())) if jobs else []
        if broken:
            raise InfrastructureError(
                f"{len(broken)} episodes could not be walked, the first because {broken[0].problem}; "
                "run the same command again to go on"
            )
        gather(names, out)
    return summarise(walked_steps(out), out)


def walked_steps(out: Path) -> Iterator[Step]:
    """All records of a walk, one after another."""
    decoder = JsonDecoder(Step)
    return (decoder.decode(line) for _, line in read_lines(out / "steps.jsonl"))


def summarise(steps: Iterable[Step], out: Path) -> WalkSummary:
    """Count what a walk found; `out` is where images are named from."""
    made, actions, refused = WalkSummary(), Counter[str](), Counter[str]()
    seen, jobs = set[bytes](), set[str]()
    for step in steps:
        made.screens += 1
        seen.add(content_key(step, out))
        jobs.add(step.episode.rpartition("-")[0])
        refused.update(rule for rule in step.tags.get("refused", "").split(SEVERAL) if rule)
        if step.prediction is not None:
            made.steps += 1
            made.changed += step.tags.get("changed") == "yes"
            made.errors += "error" in step.tags
            actions[step.prediction.name] += 1
    made.episodes, made.distinct_screens = len(jobs), len(seen)
    made.actions, made.refused = dict(actions.most_common()), dict(refused.most_common())
    return made


def content_key(step: Step, out: Path) -> bytes:
    """What makes two screens the same: where they are, and the types and texts of their elements."""
    shown = [(element.type, element.text) for element in step.elements]
    if not shown and step.image:
        return hashlib.blake2b(read_bytes(out / step.image), digest_size=16).digest()
    where = (step.tags.get("app", ""), step.tags.get("url", ""))
    return hashlib.blake2b(msgspec.json.encode((where, shown)), digest_size=16).digest()


# -- several at a time -------------------------------------------------------------------------------------------------


def _work(
    request: WalkRequest,
    policy: ApprovalPolicy,
    out: Path,
    jobs: Sequence[tuple[int, Task]],
    workers: int,
    on_walk: OnWalk,
    engine: Engine,
) -> Iterator[WalkReport]:
    """Walk in as many processes as there are workers; yields what could not be walked."""
    make = partial(WalkWorker, request, policy)
    for (index, _), report, folder in engine.work_through(jobs, make, workers, out):
        if not report.problem:
            publish_episode(folder, out, walk_name(index))
        on_walk(report)
        if report.problem:
            yield report


class WalkWorker:
    """One process that walks one episode after another, in a world that stays open where that is possible."""

    def __init__(self, request: WalkRequest, policy: ApprovalPolicy) -> None:
        self.request, self.policy = request, policy
        self.worlds = WorldPool()
        self.source = open_element_source(request.elements)

    def do(self, job: tuple[int, Task], folder: Path) -> WalkReport:
        """Walk an episode and write it to `folder`. Where the world breaks, the episode is walked again from its
        start: its chance is the same.
        """
        index, task = job
        request, name, problem = self.request, walk_name(index), ""
        given = request.worlds[index % len(request.worlds)]
        tags = {tag: value for tag, value in task.tags.items() if tag in KEPT_TAGS} | {"world": given}
        for _ in range(TRIES):
            try:
                with self.worlds.world(task) as world:
                    own = seen_through(world, self.source)
                    chance = random.Random(f"{request.seed}/{index}")
                    walked = Walk(own, name, request.episode_steps, self.policy, tags, task).walk(task.seed, chance)
            except InfrastructureError as error:
                problem = f"{task.world} (seed {task.seed}): {error}"
                self.worlds.close()
                continue
            name_images(name, walked.steps, walked.shots)
            point_to_next_images(walked.steps)
            write_episode(folder, name, walked.steps, walked.shots)
            return WalkReport(index, walked.done)
        return WalkReport(index, 0, problem=problem)

    def close(self) -> None:
        self.worlds.close()
