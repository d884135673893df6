"""Many episodes, several worlds at a time, on disk so that nothing is lost and nothing is there twice.

    OUT/run.json             what was asked for; a folder takes no other request
    OUT/episodes/NAME.jsonl  one file an episode, put in place whole when the episode is over
    OUT/screens/NAME/NN.png  its screenshots, there before the file is
    OUT/steps.jsonl          all records in order, written when the last episode is done

A process that is killed leaves at most an episode without its file, which is played again.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from saccade.agents.hidden_settings import hidden
from saccade.data.collect.episode import MAX_STEPS, Recording, play_episode
from saccade.data.collect.model_player import ModelPlayer
from saccade.data.collect.players import PLAYERS, FunctionPlayer, Player
from saccade.engines.worker_pool import work_through
from saccade.errors import InputError
from saccade.models import MODELS, open_model
from saccade.paradigms import get_paradigm
from saccade.records import write_whole
from saccade.types import Step
from saccade.worlds.base import InfrastructureError
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
    return ModelPlayer(open_model(request.player, **options), get_paradigm(request.paradigm), request.temperature)


def episode_name(index: int) -> str:
    return f"e{index:06}"


def collect(
    request: Request,
    tasks: Sequence[Task],
    out: Path,
    workers: int = 1,
    on_episode: OnEpisode = lambda report: None,
) -> list[Step]:
    """Play what is not there yet, one episode for each task, then write `steps.jsonl`; returns all records."""
    if len(tasks) < request.episodes:
        raise InputError(f"{request.world} has {len(tasks)} tasks for these options, fewer than --episodes")
    open_player(request).close()  # a wrong name is told before anything is begun
    prepare(request, out)
    done = finished(request, out)
    for index in sorted(done):
        on_episode(Report(index, "kept", 0))
    jobs = [(index, tasks[index]) for index in range(request.episodes) if index not in done]
    if jobs:
        broken = list(_play(request, out, jobs, workers, on_episode))
        if broken:
            raise InfrastructureError(
                f"{len(broken)} episodes could not be played, the first because {broken[0].problem}; "
                "run the same command again to go on"
            )
    return gather(request, out)


def prepare(request: Request, out: Path) -> None:
    """The folder, with what it is for, less its secrets; a half-written file of an earlier try goes."""
    request = msgspec.convert(hidden(msgspec.to_builtins(request)), Request)
    try:
        (out / "episodes").mkdir(parents=True, exist_ok=True)
        (out / "screens").mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write to {out}: {error.strerror}") from None
    asked = out / "run.json"
    if asked.exists():
        try:
            before = msgspec.json.decode(asked.read_bytes(), type=Request)
        except msgspec.MsgspecError as error:
            raise InputError(f"{asked} is not what a collection leaves ({error}): choose another --out") from None
        if msgspec.structs.replace(before, episodes=request.episodes) != request:
            options = msgspec.json.encode(before).decode()
            raise InputError(
                f"{out} holds a collection made with other options ({options}): use the same, or another --out"
            )
    elif any((out / "episodes").iterdir()):
        raise InputError(f"{out} has episodes but no run.json: choose another --out")
    write_whole(asked, msgspec.json.format(msgspec.json.encode(request), indent=2))
    for stray in (out / "episodes").glob("*.part"):
        stray.unlink()


def finished(request: Request, out: Path) -> set[int]:
    """Which episodes are there, whole."""
    names = {episode_name(index): index for index in range(request.episodes)}
    return {names[file.stem] for file in (out / "episodes").glob("*.jsonl") if file.stem in names}


def gather(request: Request, out: Path) -> list[Step]:
    """All records in one file, in order."""
    files = [out / "episodes" / f"{episode_name(index)}.jsonl" for index in range(request.episodes)]
    write_whole(out / "steps.jsonl", b"".join(file.read_bytes() for file in files))
    decoder = msgspec.json.Decoder(Step)
    return [step for file in files for step in decoder.decode_lines(file.read_bytes())]


def keep(out: Path, name: str, recording: Recording) -> None:
    """Write an episode: pictures first, then the records that point to them."""
    folder = out / "screens" / name
    shutil.rmtree(folder, ignore_errors=True)
    for at, image in enumerate(recording.shots):
        if image is None:
            continue
        folder.mkdir(exist_ok=True)
        (folder / f"{at:02}.png").write_bytes(image)
        recording.steps[at].image = f"screens/{name}/{at:02}.png"
    lines = b"".join(msgspec.json.encode(step) + b"\n" for step in recording.steps)
    write_whole(out / "episodes" / f"{name}.jsonl", lines)


# -- several at a time -------------------------------------------------------------------------------------------------


def _play(
    request: Request, out: Path, jobs: Sequence[tuple[int, Task]], workers: int, on_episode: OnEpisode
) -> Iterator[Report]:
    """Play in as many processes as there are workers; yields what could not be played."""
    count = max(1, min(workers, len(jobs)))
    for _, report in work_through(jobs, partial(EpisodeWorker, request, out), count):
        on_episode(report)
        if report.problem:
            yield report


class EpisodeWorker:
    """One process that plays one episode after another, in a world that stays open where that is possible."""

    def __init__(self, request: Request, out: Path) -> None:
        self.request, self.out = request, out
        self.player = open_player(request)
        self.worlds = WorldPool()

    def do(self, job: tuple[int, Task]) -> Report:
        """Play an episode and keep it. What breaks is tried again: it is not the player's fault."""
        index, task = job
        request, problem = self.request, ""
        tags = {**task.tags, "player": request.player}
        for _ in range(TRIES):
            try:
                with self.worlds.world(task) as world:
                    recording = play_episode(
                        world, task.seed, self.player, episode_name(index), tags=tags, max_steps=request.max_steps
                    )
                keep(self.out, episode_name(index), recording)
                return Report(index, recording.outcome, len(recording.steps))
            except InfrastructureError as error:
                problem = f"{task.world} (seed {task.seed}): {error}"
                self.worlds.close()
        return Report(index, "broken", 0, problem)

    def close(self) -> None:
        self.worlds.close()
        self.player.close()
