"""AgentNet: people at desktop computers, recorded as calls of pyautogui (OpenCUA)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec
from msgspec.structs import replace

from saccade.actions import Action
from saccade.data.readers.arrays import fields, lines
from saccade.data.readers.base import Dataset, Sample, image_size
from saccade.data.readers.scripts import Call, actions_of, joined, parse_script
from saccade.errors import readable
from saccade.geometry import UNIT, Box, Point, Size
from saccade.paradigms.wording import in_words
from saccade.types import Picture, Screen, Step
from saccade.untrusted import decode_json

USUAL = Size(1920, 1080)
"""The frame for coordinates where the picture is missing: they are shares of the screen, so any would do."""
SYSTEMS = {"darwin": "macos", "windows": "windows", "linux": "ubuntu", "ubuntu": "ubuntu"}


class _Place(msgspec.Struct):
    rel_bbox: tuple[float, float, float, float]
    """x, y, width and height as shares of the screen."""


class _Metadata(msgspec.Struct):
    bboxes: list[_Place] = []


class _Position(msgspec.Struct):
    x: float
    y: float


class _Params(msgspec.Struct):
    position: _Position | None = None
    text: str | None = None
    content: str | None = None
    keys: list[str] | str | None = None
    amount: float | None = None
    status: str | None = None


class _Done(msgspec.Struct):
    """One action of the benchmark's truth."""

    type: str
    params: _Params
    metadata: _Metadata | None = None

    @property
    def call(self) -> Call:
        """The call it was made of."""
        place, given = self.params.position, self.params
        named = {
            "x": place and place.x,
            "y": place and place.y,
            "message": given.text if given.text is not None else given.content,
            "clicks": given.amount if self.type.lower().endswith("scroll") else None,
            "keys": given.keys,
            "status": given.status,
        }
        return Call(self.type, (), {name: value for name, value in named.items() if value is not None})


class _Monologue(msgspec.Struct):
    thought: str | None = None
    low_level_instruction: str | None = None


class _BenchStep(msgspec.Struct):
    step_num: int
    image: str
    ground_truth_actions: list[_Done]
    alternative_options: list[list[_Done]] | None = None
    inner_monologue: _Monologue | None = None
    milestone: bool = False


class _Meta(msgspec.Struct):
    system: str = ""
    domain: str = ""
    applications: list[str] = []
    websites: list[str] = []


class _Bench(msgspec.Struct):
    task_id: str
    steps: list[msgspec.Raw]
    high_level_task_description: str | None = None
    user_task_description: str | None = None
    meta_info: _Meta | None = None


class _Value(msgspec.Struct):
    code: str
    thought: str | None = None
    action: str | None = None
    last_step_correct: bool | None = None
    last_step_redundant: bool | None = None


class _TrainStep(msgspec.Struct):
    index: int
    image: str
    value: _Value


class _Train(msgspec.Struct):
    task_id: str
    instruction: str
    traj: list[msgspec.Raw]
    task_completed: bool | None = None
    domain: str | None = None


class _Row(NamedTuple):
    """A step of either form."""

    number: int
    image: str
    thought: str
    said: str
    tags: dict[str, str]
    field: str
    """Where the actions stand."""
    truth: Callable[[Size], tuple[list[Action], list[Action]]]
    """Every action that would be right, and what comes after the first."""


_Read = Callable[[msgspec.Raw], _Row]


class AgentNet(Dataset):
    """AgentNet: 22.6 K desktop tasks on Windows, macOS and Ubuntu, and AgentNetBench, 100 of them for tests.

    Two forms. AgentNetBench has one .json a task: `ground_truth_actions` with boxes, and `alternative_options` that
    are right as well. The training files (`agentnet_ubuntu_5k.jsonl`, `agentnet_win_mac_18k.jsonl`) have a task a line
    and a script for each step; some tasks come twice, the second as `ID#2`. Places are shares of the screen.

    A step may consist of several calls. Those that are one action here become one: going to a place and clicking,
    dragging or scrolling there, typing and pressing enter, clicking a field and typing. Of the rest the truth is the
    first action, and the tag `then` says in words what follows. A scroll is the wheel's: down the page is the finger
    going up. A triple click counts as a double click. The benchmark left out steps, so its numbers have gaps; here
    steps are counted anew, and the id keeps the number.

    The instruction is the one that the authors' evaluator shows (`high_level_task_description`). In the training files
    a model has marked wrong and redundant steps: they carry the tags `correct: no` and `redundant: yes`, and are left
    out, but stay in the history, with `steps=good`. The benchmark's own rule gives partial credit; it is not among the
    profiles here. Pictures are looked for in `images/`, `ubuntu_images/`, `win_mac_images/` and the folder itself;
    steps whose picture is missing have a screen of 1920×1080, and the tag `screen: assumed`.
    """

    name = "agentnet"
    title = "AgentNet or AgentNetBench"
    layout = "one .json a task with ground_truth_actions, or a .jsonl with a traj a line, and a folder of pictures"
    licence = "MIT"
    profile = "cmgui"
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"level": ("high", "low"), "steps": ("all", "good")}

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return bool(_bench_files(folder) or _train_files(folder))

    def samples(self) -> Iterator[Sample]:
        bench, train = _bench_files(self.folder), _train_files(self.folder)
        self.progress.done, self.progress.total = 0, sum(file.stat().st_size for file in [*bench, *train])
        for file in bench:
            yield from self._bench(file)
            self.progress.done += file.stat().st_size
        seen: dict[str, int] = {}
        for file in train:
            for number, line in lines(file):
                if line.strip():
                    yield from self._train(line, f"{file}:{number}", seen)
                self.progress.done += len(line)

    def _bench(self, file: Path) -> Iterator[Sample]:
        task = self.decoded_file(file, _Bench)
        if task is None:
            return
        instruction = task.high_level_task_description or task.user_task_description
        if not instruction:
            self.bad(str(file), "high_level_task_description: missing")
            return
        meta = task.meta_info or _Meta()
        system = SYSTEMS.get(meta.system.lower(), meta.system.lower())
        apps = ", ".join([*meta.applications, *meta.websites])
        tags = {"split": "test", "system": system, "app": apps, "domain": meta.domain}
        yield from self._steps(task.task_id, instruction, task.steps, _bench_row, tags, str(file))

    def _train(self, line: bytes, where: str, seen: dict[str, int]) -> Iterator[Sample]:
        task = self.decoded(line, _Train, where)
        if task is None:
            return
        seen[task.task_id] = times = seen.get(task.task_id, 0) + 1
        name = task.task_id if times == 1 else f"{task.task_id}#{times}"
        outcome = "failure" if task.task_completed is False else ""
        tags = {"split": "train", "domain": task.domain or "", "outcome": outcome}
        yield from self._steps(name, task.instruction, task.traj, _train_row, tags, where)

    def _steps(
        self, episode: str, instruction: str, raws: list[msgspec.Raw], read: _Read, tags: dict[str, str], where: str
    ) -> Iterator[Sample]:
        common = {"platform": "desktop", "level": self.options["level"]} | {k: v for k, v in tags.items() if v}
        history: list[str] = []
        if not raws:
            self.bad(where, "there are no steps")
        for at, (row, place) in enumerate(self.in_order(raws, read, lambda row: row.number, where)):
            try:
                step, picture = self._step(row)
            except (ValueError, OSError) as error:
                self.bad(place, readable(error))
                history += [row.said] if row.said else []
                continue
            step.id, step.episode, step.step = f"{episode}-{row.number}", episode, at
            step.instruction, step.history, step.tags = instruction, list(history), common | step.tags
            history.append(row.said or in_words(step.truth[0], Screen(step.screen)))
            if self.options["steps"] == "all" or not {"correct", "redundant"} & step.tags.keys():
                yield Sample(step, picture, place)

    def _step(self, row: _Row) -> tuple[Step, Picture | None]:
        image, path = self._find(row.image)
        size = image_size(path) if path else USUAL
        tags = dict(row.tags)
        try:
            truth, rest = row.truth(size)
        except ValueError as error:
            raise ValueError(f"{row.field}: {error}") from None
        if rest:
            tags["then"] = "; ".join(in_words(action, Screen(size)) for action in rest)
        if path is None:
            tags["screen"] = "assumed"
        low = row.said if self.options["level"] == "low" else ""
        step = Step(screen=size, image=image, thought=row.thought, step_instruction=low, truth=truth, tags=tags)
        return step, Picture(str(path), size) if path else None

    def _find(self, image: str) -> tuple[str, Path | None]:
        """A picture's path inside the folder, and the file if it is there."""
        root, name = self.folder.parent if self.folder.is_file() else self.folder, re.split(r"[/\\]", image)[-1]
        if not name:
            raise ValueError("image: names no file")
        places = [root / folder / name for folder in ("images", "ubuntu_images", "win_mac_images", "")]
        path = next((place for place in places if place.is_file()), None)
        return (path or places[0]).relative_to(root).as_posix(), path


def _bench_files(folder: Path) -> list[Path]:
    """All .json files of a folder, if one of the first is the benchmark's."""
    if folder.is_file():
        files = [folder] if folder.suffix == ".json" else []
    else:
        files = sorted(path for path in folder.glob("*.json") if not path.name.startswith("."))
    return files if any("ground_truth_actions" in fields(file) for file in files[:5]) else []


def _train_files(folder: Path) -> list[Path]:
    files = [folder] if folder.is_file() else sorted(folder.glob("*.jsonl"))
    return [file for file in files if file.suffix == ".jsonl" and {"task_id", "traj"} <= fields(file)]


def _bench_row(raw: msgspec.Raw) -> _Row:
    step = decode_json(raw, _BenchStep, strict=False)
    said = step.inner_monologue or _Monologue()
    tags = {"milestone": "yes"} if step.milestone else {}

    def truth(size: Size) -> tuple[list[Action], list[Action]]:
        right, rest = _truths(step.ground_truth_actions, size)
        others = [_truths(option, size)[0] for option in step.alternative_options or []]
        return [*right, *(action for option in others for action in option)], rest

    thought, low = said.thought or "", said.low_level_instruction or ""
    return _Row(step.step_num, step.image, thought, low, tags, "ground_truth_actions", truth)


def _train_row(raw: msgspec.Raw) -> _Row:
    step = decode_json(raw, _TrainStep, strict=False)
    value, tags = step.value, dict[str, str]()
    if value.last_step_correct is False:
        tags["correct"] = "no"
    if value.last_step_redundant:
        tags["redundant"] = "yes"

    def truth(size: Size) -> tuple[list[Action], list[Action]]:
        lead, *rest = joined(actions_of(parse_script(value.code), size, unit=True))
        return [lead], rest

    return _Row(step.index, step.image, value.thought or "", value.action or "", tags, "value.code", truth)


def _truths(done: list[_Done], size: Size) -> tuple[list[Action], list[Action]]:
    """The first thing to do, once for each box in which it counts, and what follows."""
    lead, *rest = joined(actions_of([each.call for each in done], size, unit=True))
    boxes = [
        Box.from_xywh(*place.rel_bbox)
        for each in done
        if (at := each.params.position) and lead.point == UNIT.decode(Point(at.x, at.y), size)
        for place in (each.metadata.bboxes if each.metadata else [])
    ]
    return [replace(lead, box=UNIT.decode_box(box, size)) for box in boxes] or [lead], rest
