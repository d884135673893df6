"""AndroidControl as UI-S1 publishes it: one episode a line, every action with the boxes in which it counts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from saccade.actions import Action, Status, direction_between, opposite
from saccade.data.readers.arrays import fields, lines
from saccade.data.readers.base import Dataset, Sample, image_size
from saccade.errors import InputError, readable
from saccade.geometry import Box, Number, Point, Size
from saccade.paradigms.wording import in_words
from saccade.types import Picture, Screen, Step

USUAL = (Size(1080, 2400), Size(1440, 3120))
"""What most of its phones have; the file itself does not say."""
BUTTONS = {"back": "back", "home": "home", "menu": "menu", "enter": "enter"}
STATUSES: dict[str, Status] = {"success": "success", "failure": "failure", "fail": "failure"}


class _Content(msgspec.Struct):
    """`action_content`; in the training files each field is there, null where it does not belong."""

    action: str
    coordinate: Point | None = None
    coordinate2: Point | None = None
    text: str | None = None
    button: str | None = None
    time: float | None = None
    status: str | None = None
    bbox: Box | None = None


class _Check(msgspec.Struct):
    """`check_options`: what the published evaluator compares with."""

    action: str
    candidate_bbox: list[Box] | None = None
    direction: str | None = None


class _Step(msgspec.Struct):
    action_content: _Content
    screenshot: str
    step_instruction: str | None = None
    check_options: _Check | None = None


class _Episode(msgspec.Struct):
    goal: str
    steps: list[msgspec.Raw]
    episode_id: int | str | None = None
    is_successful: bool | None = None


class AndroidControlStd(Dataset):
    """UI-S1's form of AndroidControl: 1,543 test episodes with 8,444 steps; its training files are read too.

    A click may fall into any of several boxes (`candidate_bbox`), so it has one valid action for each. Opening an app
    may have boxes as well: the app's icons. There is no terminate action in the test file.

    A swipe's two points are the finger's, and the direction is taken from them. The word in `check_options` is the
    content's for vertical swipes; for horizontal ones it agrees with the points, although the step instructions speak
    of the other side ("swipe left" is written as a path to the right). The released evaluator notes the same: up and
    down are swapped in the data, left and right are not.

    The file holds no screen size. Without the pictures it is `screen=WxH`, or what an episode's swipes tell (each goes
    from one quarter of the screen to another), or 1080×2400 as on most of its phones, or larger where a click says so;
    such steps are tagged `screen: assumed`. Boxes may reach over the screen's edge. Pictures are named by a path on
    their authors' machine: only the file name counts, and is looked for in `images/`, beside the file, or in the folder
    that the option `images` names.

    `level=low` gives each step its own instruction; `high` leaves it out, since a prompt would show it.
    """

    name = "androidcontrol-std"
    title = "AndroidControl in the form of UI-S1"
    layout = "a .jsonl file with one episode a line (goal, steps with action_content), perhaps with images/ beside it"
    licence = "MIT"
    profile = "qwen"
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"level": ("high", "low"), "screen": (), "images": ()}

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return any(True for _ in _files(folder))

    @property
    def root(self) -> Path:
        return self.folder.parent if self.folder.is_file() else self.folder

    def samples(self) -> Iterator[Sample]:
        assumed, images = _size(self.options["screen"]), self.options["images"]
        if images and not (self.root / images).is_dir():
            raise InputError(f"{self.name}: there is no folder {self.root / images}: `images` says where pictures are")
        files = list(_files(self.folder))
        self.progress.total, self.progress.done = sum(file.stat().st_size for file in files), 0
        for file in files:
            for number, line in lines(file):
                self.progress.done += len(line)
                if line.strip():
                    yield from self._episode(line, f"{file}:{number}", assumed)

    def _episode(self, line: bytes, where: str, assumed: Size | None) -> Iterator[Sample]:
        episode = self.decoded(line, _Episode, where)
        if episode is None:
            return
        if not episode.steps:
            self.bad(where, "steps: there are none")
        rows = list(self._rows(episode.steps, where))
        name, history = _name(episode, rows, where), list[str]()
        assumed = assumed or _guess([row.action_content for _, row in rows])
        for at, row in rows:
            try:
                step, picture = self._step(row, assumed)
            except (ValueError, OSError) as error:
                self.bad(f"{where} step {at}", readable(error))
                history += [row.step_instruction] if row.step_instruction else []
                continue
            step.id, step.episode, step.step = f"{name}-{at}", name, at
            step.instruction, step.history = episode.goal, list(history)
            if episode.is_successful is False:
                step.tags["outcome"] = "failure"
            history.append(row.step_instruction or in_words(step.truth[0], Screen(step.screen)))
            yield Sample(step, picture, f"{where} step {at}")

    def _rows(self, steps: list[msgspec.Raw], where: str) -> Iterator[tuple[int, _Step]]:
        for at, raw in enumerate(steps):
            row = self.decoded(raw, _Step, f"{where} step {at}")
            if row is not None:
                yield at, row

    def _step(self, row: _Step, assumed: Size) -> tuple[Step, Picture | None]:
        image, path = self._find(row.screenshot)
        tags = {"platform": "mobile", "language": "en", "level": self.options["level"]}
        if path is None:
            size = assumed
            tags["screen"] = "assumed"
        else:
            size = image_size(path)
        step = Step(
            screen=size,
            image=image,
            step_instruction=(row.step_instruction or "") if self.options["level"] == "low" else "",
            truth=list(_truth(row)),
            tags=tags,
        )
        return step, Picture(str(path), size) if path else None

    def _find(self, screenshot: str) -> tuple[str, Path | None]:
        """A picture's path inside the folder, and the file if it is there."""
        name = re.split(r"[/\\]", screenshot)[-1]
        if not name:
            raise ValueError("screenshot: names no file")
        places = [self.root / self.options["images"]] if self.options["images"] else [self.root / "images", self.root]
        path = next((place / name for place in places if (place / name).is_file()), None)
        return os.path.relpath(path or places[0] / name, self.root), path


def _files(folder: Path) -> Iterator[Path]:
    """The episode files of a folder, by their first bytes."""
    for file in [folder] if folder.is_file() else sorted(folder.glob("*.jsonl")):
        if {"steps", "action_content"} <= fields(file):
            yield file


def _size(written: str) -> Size | None:
    if not written:
        return None
    found = re.fullmatch(r"([1-9]\d{0,4})[x×]([1-9]\d{0,4})", written)
    if found is None:
        raise InputError(f"androidcontrol-std: screen is {written!r}: write it as 1080x2400")
    return Size(int(found[1]), int(found[2]))


def _guess(contents: list[_Content]) -> Size:
    """The screen of an episode without pictures, by what was done on it."""
    for content in contents:
        a, b = content.coordinate, content.coordinate2
        if content.action == "swipe" and a and b and _quarters(a.x, b.x) and _quarters(a.y, b.y):
            return Size(round(a.x + b.x), round(a.y + b.y))
    points = [content.coordinate for content in contents if content.coordinate]
    right, down = (max((point[axis] for point in points), default=0) for axis in (0, 1))
    larger = Size(max(USUAL[-1].width, round(right)), max(USUAL[-1].height, round(down)))
    return next((size for size in USUAL if right <= size.width and down <= size.height), larger)


def _quarters(a: Number, b: Number) -> bool:
    """Do the two lengths divide a whole into halves, or into a quarter and three quarters?"""
    return min(a, b) > 0 and max(a, b) in (min(a, b), 3 * min(a, b))


def _name(episode: _Episode, rows: list[tuple[int, _Step]], where: str) -> str:
    """The training files give no id; their pictures are named by it (`8193_0.png`)."""
    if episode.episode_id is not None:
        return str(episode.episode_id)
    named = re.search(r"([^/\\]+)_\d+\.\w+\Z", rows[0][1].screenshot) if rows else None
    return named[1] if named else f"line-{where.rpartition(':')[2]}"


def _truth(row: _Step) -> Iterator[Action]:
    content, check = row.action_content, row.check_options
    if check is not None and check.action != content.action:
        raise ValueError(f"check_options.action: is {check.action!r}, but action_content has {content.action!r}")
    boxes: list[Box | None] = [*((check and check.candidate_bbox) or [])] or [content.bbox]
    match content.action:
        case "click" | "long_press" as type:
            point = _needed(content.coordinate, "coordinate")
            yield from (Action(type, point=point, box=box) for box in boxes)
        case "open":
            yield from (Action("open_app", text=_needed(content.text, "text"), box=box) for box in boxes)
        case "swipe":
            yield _swipe(content, check)
        case "type":
            yield Action("type", text=_needed(content.text, "text"))
        case "answer":
            yield Action("answer", text=_needed(content.text, "text"))
        case "system_button":
            yield Action("press", key=_one_of(content.button, BUTTONS, "button"))
        case "wait":
            yield Action("wait", seconds=content.time)
        case "terminate":
            yield Action("terminate", status=_one_of(content.status, STATUSES, "status"))
        case other:
            raise ValueError(f"action_content.action: {other[:40]!r} is not an action of this data set")


def _swipe(content: _Content, check: _Check | None) -> Action:
    start, end = content.coordinate, content.coordinate2
    if start is not None and end is not None and start != end:
        return Action("swipe", direction=direction_between(start, end), start=start, end=end)
    said = check.direction if check else None
    match said:
        case "up" | "down":
            return Action("swipe", direction=opposite(said), start=start)
        case "left" | "right":
            return Action("swipe", direction=said, start=start)
    raise ValueError("action_content.coordinate2: missing, or where the swipe begins, and there is no direction")


def _needed(value: Any, field: str) -> Any:
    if value is None:
        raise ValueError(f"action_content.{field}: missing")
    return value


def _one_of(value: str | None, known: dict[str, Any], field: str) -> Any:
    word = str(_needed(value, field)).strip().lower()
    if word not in known:
        raise ValueError(f"action_content.{field}: is {word[:40]!r}, expected one of {', '.join(known)}")
    return known[word]
