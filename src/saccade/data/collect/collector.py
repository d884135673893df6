"""Many episodes, several worlds at a time, in a folder as `data.episode_folder` describes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from saccade.agents.hidden_settings import settings_vault
from saccade.data.collect.episode import MAX_STEPS, play_episode
from saccade.data.collect.model_player import ModelPlayer
from saccade.data.collect.players import PLAYERS, FunctionPlayer, Player
from saccade.data.episode_folder import finished, gather, make_folders, prepare, publish_episode, write_episode
from saccade.engines import Engine
from saccade.engines.local import LocalEngine
from saccade.errors import InputError
from saccade.models import MODELS, open_model
from saccade.paradigms import get_paradigm
from saccade.records import lock_folder, read_grown
from saccade.screens.element_source import TREE, open_element_source
from saccade.types import Step
from saccade.worlds.base import InfrastructureError
from saccade.worlds.element_source_world import seen_through
from saccade.worlds.pool import WorldPool
from saccade.worlds.tasks import Task

TRIES = 3
"""How often an episode is tried where the world or the model breaks."""


class Request(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is to be collected."""

    world: str
    """A live suite's name, or a world's as on the command line."""
    episodes: int
    player: str = "oracle"
    """The name of a player, or of a model."""
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    """Of the suite, or of the world."""
    seed: int = 0
    paradigm: str = "secagent"
    """The format in which a model plays."""
    base_url: str | None = None
    temperature: float = 0.0
    """Of a model that plays."""
    max_steps: int = MAX_STEPS
    elements: str = TREE
    """Where the records' elements come from: the world's own tree, or the name of an element source."""
    agent: str = ""
    """The policy that drives a model (registry `saccade.policies`); empty: the model's own choice."""
    helped: bool = True
    """Does the teacher take a step for a model that repeats itself?"""


class Report(msgspec.Struct):
    """One episode is done, was there already (`kept`), or could not be played (`broken`)."""

    index: int
    outcome: str
    steps: int
    problem: str = ""


OnEpisode = Callable[[Report], None]


def open_player(request: Request) -> Player:
    """A player by name; a name with a slash, or a model's, is a model that plays."""
    kind = request.player.partition("/")[0]
    if "/" not in request.player and kind not in MODELS.names():
        return FunctionPlayer(PLAYERS.get(request.player))
    options = {"base_url": request.base_url} if request.base_url else {}
    model, paradigm = open_model(request.player, **options), get_paradigm(request.paradigm)
    return ModelPlayer(model, paradigm, request.temperature, request.agent, request.helped, settings_vault(options))


def episode_name(index: int) -> str:
    return f"e{index:06}"


def collect(
    request: Request,
    tasks: Sequence[Task],
    out: Path,
    workers: int = 1,
    on_episode: OnEpisode = lambda report: None,
    engine: Engine | None = None,
) -> list[Step]:
    """Play what is not there yet, one episode for each task, then write `steps.jsonl`; returns all records."""
    if len(tasks) < request.episodes:
        raise InputError(f"{request.world} has {len(tasks)} tasks for these options, fewer than --episodes")
    open_player(request).close()  # a wrong name is told before anything is begun
    open_element_source(request.elements)
    make_folders(out)
    with lock_folder(out, "collecting into", "wait for it, or choose another --out"):
        prepare(request, out, "episodes")
        names = [episode_name(index) for index in range(request.episodes)]
        done = finished(names, out)
        for index in sorted(done):
            on_episode(Report(index, "kept", 0))
        jobs = [(index, tasks[index]) for index in range(request.episodes) if index not in done]
        broken = list(_play(request, out, jobs, workers, on_episode, engine or LocalEngine())) if jobs else []
        if broken:
            raise InfrastructureError(
                f"{len(broken)} episodes could not be played, the first because {broken[0].problem}; "
                "run the same command again to go on"
            )
        gather(names, out)
        return read_grown(out / "steps.jsonl", Step)[0]


# -- several at a time -------------------------------------------------------------------------------------------------


def _play(
    request: Request,
    out: Path,
    jobs: Sequence[tuple[int, Task]],
    workers: int,
    on_episode: OnEpisode,
    engine: Engine,
) -> Iterator[Report]:
    """Play in as many processes as there are workers; yields what could not be played."""
    for (index, _), report, folder in engine.work_through(jobs, partial(EpisodeWorker, request), workers, out):
        if not report.problem:
            publish_episode(folder, out, episode_name(index))
        on_episode(report)
        if report.problem:
            yield report


class EpisodeWorker:
    """One process that plays one episode after another, in a world that stays open where that is possible."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.player = open_player(request)
        self.worlds = WorldPool()
        self.source = open_element_source(request.elements)

    def do(self, job: tuple[int, Task], folder: Path) -> Report:
        """Play an episode and write it to `folder`. What breaks is tried again: it is not the player's fault."""
        index, task = job
        request, problem = self.request, ""
        tags = {**task.tags, "player": request.player}
        for _ in range(TRIES):
            try:
                with self.worlds.world(task) as world:
                    recording = play_episode(
                        seen_through(world, self.source),
                        task.seed,
                        self.player,
                        episode_name(index),
                        tags=tags,
                        max_steps=request.max_steps,
                    )
                write_episode(folder, episode_name(index), recording.steps, recording.shots)
                return Report(index, recording.outcome, len(recording.steps))
            except InfrastructureError as error:
                problem = f"{task.world} (seed {task.seed}): {error}"
                self.worlds.close()
        return Report(index, "broken", 0, problem)

    def close(self) -> None:
        self.worlds.close()
        self.player.close()
