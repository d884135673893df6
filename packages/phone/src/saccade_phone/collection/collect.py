"""Many episodes, several phones at a time, on disk so that nothing is lost and nothing is there twice.

    OUT/run.json             what was asked for; a folder takes no other request
    OUT/episodes/NAME.jsonl  one file an episode, put in place whole when the episode is over
    OUT/screens/NAME/NN.png  its screenshots, there before the file is
    OUT/steps.jsonl          all records in order, written when the last episode is done

A process that is killed leaves at most an episode without its file, which is played again.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec

from saccade.engines.worker_pool import work_through
from saccade.errors import InputError
from saccade.models import MODELS, open_model
from saccade.paradigms import get_paradigm
from saccade.records import write_whole
from saccade.types import Step
from saccade.worlds.base import InfrastructureError
from saccade.worlds.browser.engine import Engine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import PHONE, Device
from saccade_phone.collection.episode import Played, play_episode
from saccade_phone.collection.player import ModelPlayer
from saccade_phone.collection.policies import POLICIES, Policy
from saccade_phone.draw import Language, Split
from saccade_phone.splits import Group, episode
from saccade_phone.wordings import read_wordings
from saccade_phone.world import ADDRESS, PhoneWorld

ATTEMPTS = 3


class Request(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is to be collected."""

    episodes: int
    policy: str = "oracle"
    split: Split = "train"
    group: Group | None = None
    only: tuple[str, ...] = ()
    languages: tuple[Language, ...] = ("en", "zh")
    interruptions: bool = True
    seed: int = 0
    scale: float = 3.0
    """Pixels of the screenshots for each of the page's 360×800."""
    pictures: bool = True
    """Without, records have elements only, and are made faster."""
    paradigm: str = "secagent"
    base_url: str | None = None
    temperature: float = 0.0
    """Of a model that plays."""
    by_sight: bool = False
    """Is right what makes sense to one who does not know where things lie?"""
    wordings: str = ""
    """A file of other words, in which tasks are told to who plays; records have the task's own."""


class Report(msgspec.Struct):
    """One episode is done (or could not be)."""

    index: int
    outcome: str
    steps: int
    problem: str = ""


def player_of(request: Request) -> Policy:
    """A policy by name; a name with a slash is a model's, and `mini` is one without."""
    if "/" not in request.policy and request.policy not in MODELS.names():
        return POLICIES.get(request.policy)
    options = {"base_url": request.base_url} if request.base_url else {}
    return ModelPlayer(open_model(request.policy, **options), get_paradigm(request.paradigm), request.temperature)


def name_of(index: int) -> str:
    return f"e{index:06}"


def collect(request: Request, out: Path, workers: int, tell: Callable[[Report], None] = lambda _: None) -> list[Step]:
    """Play what is not there yet, then write `steps.jsonl`; returns all records."""
    player_of(request)
    if request.wordings:
        read_wordings(request.wordings)
    episode(request.split, 0, group=request.group, only=request.only, languages=request.languages)
    prepare(request, out)
    done = finished(request, out)
    for index in sorted(done):
        tell(Report(index, "kept", 0))
    missing = [index for index in range(request.episodes) if index not in done]
    if missing:
        failed = list(spread(request, out, missing, max(1, min(workers, len(missing))), tell))
        if failed:
            raise InfrastructureError(
                f"{len(failed)} episodes could not be played, the first because {failed[0].problem}; "
                "run the same command again to go on"
            )
    return gather(request, out)


def prepare(request: Request, out: Path) -> None:
    """The folder, with what it is for; a half-written picture folder of an earlier try goes."""
    (out / "episodes").mkdir(parents=True, exist_ok=True)
    (out / "screens").mkdir(exist_ok=True)
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
    names = {name_of(index): index for index in range(request.episodes)}
    return {names[file.stem] for file in (out / "episodes").glob("*.jsonl") if file.stem in names}


def gather(request: Request, out: Path) -> list[Step]:
    """All records in one file, in order."""
    files = [out / "episodes" / f"{name_of(index)}.jsonl" for index in range(request.episodes)]
    write_whole(out / "steps.jsonl", b"".join(file.read_bytes() for file in files))
    decoder = msgspec.json.Decoder(Step)
    return [step for file in files for step in decoder.decode_lines(file.read_bytes())]


def keep(out: Path, name: str, played: Played) -> None:
    """Pictures first, then the records that point to them."""
    folder = out / "screens" / name
    shutil.rmtree(folder, ignore_errors=True)
    for at, image in enumerate(played.shots):
        if image is None:
            continue
        folder.mkdir(exist_ok=True)
        (folder / f"{at:02}.png").write_bytes(image)
        played.steps[at].image = f"screens/{name}/{at:02}.png"
    write_whole(out / "episodes" / f"{name}.jsonl", b"".join(msgspec.json.encode(s) + b"\n" for s in played.steps))


# -- several at a time -------------------------------------------------------------------------------------------------


def spread(request: Request, out: Path, indices: list[int], workers: int, tell: Callable[[Report], None]
           ) -> Iterator[Report]:  # fmt: skip
    """Play in as many processes as there are phones; yields what could not be played."""
    for _, report in work_through(indices, partial(Phone, request, out), workers):
        tell(report)
        if report.problem:
            yield report


class Phone:
    """One process: one browser, one phone, episode after episode."""

    def __init__(self, request: Request, out: Path) -> None:
        self.request, self.out = request, out
        self.policy = player_of(request)
        self.engine = Engine(AllowList.of((), ADDRESS))
        device = Device(PHONE.width, PHONE.height, request.scale, touch=True)
        self.world = PhoneWorld(split=request.split, interruptions=request.interruptions, device=device,
                                engine=self.engine, pictures=request.pictures, wordings=request.wordings)  # fmt: skip

    def do(self, index: int) -> Report:
        """Play an episode and keep it. What breaks is tried again: it is not the policy's fault."""
        request = self.request
        chosen = episode(request.split, index, seed=request.seed, group=request.group, only=request.only,
                         languages=request.languages)  # fmt: skip
        tags = {"policy": request.policy, "split": request.split, "group": chosen.group}
        problem = ""
        for _ in range(ATTEMPTS):
            try:
                played = play_episode(
                    self.world, chosen, self.policy, name_of(index), tags=tags, by_sight=request.by_sight
                )
                keep(self.out, name_of(index), played)
                return Report(index, played.outcome, len(played.steps))
            except (InfrastructureError, LookupError) as error:
                problem = f"{chosen.task} ({chosen.language}, seed {chosen.seed}): {error}"
        return Report(index, "broken", 0, problem)

    def close(self) -> None:
        self.engine.close()
