"""GUI-Odyssey: tasks across several apps on six Android devices, one JSON file an episode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from saccade.actions import Action, direction_between
from saccade.data.readers.arrays import fields
from saccade.data.readers.base import Dataset, Sample, image_size
from saccade.errors import InputError, readable
from saccade.geometry import PERMILLE, Box, Point, Size
from saccade.paradigms.wording import in_words
from saccade.types import Picture, Screen, Step
from saccade.untrusted import decode_json, read_bytes

KEYS = {"KEY_HOME": "home", "KEY_BACK": "back", "KEY_APPSELECT": "recent", "KEY_RECENT": "recent"}
BUTTONS = {"HOME": "home", "BACK": "back", "RECENT": "recent"}


class _Device(msgspec.Struct):
    w: int
    h: int
    device_name: str = ""


class _Task(msgspec.Struct):
    instruction: str
    category: str = ""
    app: list[str] = []


class _Episode(msgspec.Struct):
    episode_id: str | int
    device_info: _Device
    task_info: _Task
    steps: list[msgspec.Raw]


class _Step(msgspec.Struct):
    step: int
    screenshot: str
    action: str
    info: str | list[Point] | None = None
    """Places from 0 to 1000, a key, or a text; the action says which."""
    ps: Any = None
    """For the last step the annotator's reason; for a scroll its whole path."""
    sam2_bbox: list[float] | None = None
    low_level_instruction: str | None = None
    intention: str | None = None
    context: str | None = None


class GUIOdyssey(Dataset):
    """GUI-Odyssey, first release (7,735 episodes) and second (8,334 episodes, 127,893 screens).

    The second has more for each step: the box of the element that was tapped (`sam2_bbox`, by segmentation), a
    low-level instruction, the reason (`intention`, here the thought) and what happened before (their `context`, here
    the step's `summary`: SecAgent's C_t; our `context` is that of the step before, C_{t-1}). Its authors report four
    splits, by chance, task, device and app, each with a training and a test part, named in `splits/`.

    On disk typing is called TEXT and giving up INCOMPLETE; system keys are clicks on KEY_HOME, KEY_BACK and
    KEY_APPSELECT. Coordinates and boxes run from 0 to 1000. A scroll is the finger's path, and its direction is read
    on that scale, as the authors' converter does; where the longer side of the screen would turn it around, the end
    point is left out, so that nobody reads another direction from it.

    The size of the screen is the picture's, or, where pictures are not there, the device's as the data give it. A few
    texts to type are empty in the data, and stay so. Screenshots lie in `screenshots/`, or in `screenshots/data_*/` as
    they were first published. `level=low` gives each step its own instruction; `high` leaves it out.
    """

    name = "gui-odyssey"
    title = "GUI-Odyssey"
    layout = "annotations/ with one .json an episode (device_info, task_info, steps), splits/ and screenshots/"
    licence = "CC-BY-4.0"
    profile = "odyssey"
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "split": ("random", "task", "device", "app", "all"),
        "part": ("test", "train"),
        "level": ("high", "low"),
    }

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        files = (path for path in (folder / "annotations").glob("*.json") if not path.name.startswith("."))
        return any({"device_info", "task_info"} <= fields(path) for path in islice(files, 5))

    @cached_property
    def screenshots(self) -> list[Path]:
        """The folders in which pictures may lie."""
        base = self.folder / "screenshots"
        return [base, *sorted(path for path in base.glob("data_*") if path.is_dir())]

    def samples(self) -> Iterator[Sample]:
        for file in self.counted(self._files()):
            yield from self._episode(file)

    def _files(self) -> list[Path]:
        """The annotation files of the chosen split."""
        annotations, split, part = self.folder / "annotations", self.options["split"], self.options["part"]
        if split == "all":
            return sorted(path for path in annotations.glob("*.json") if not path.name.startswith("."))
        file = self.folder / "splits" / f"{split}_split.json"
        try:
            parts = decode_json(read_bytes(file), dict[str, list[str]])
        except OSError:
            raise InputError(f"{self.name}: cannot read {file}: choose split=all to read every episode") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{file}: {readable(error)}") from None
        if part not in parts:
            raise InputError(f"{file}: {part}: missing; it has {', '.join(parts) or 'nothing'}")
        return [annotations / f"{Path(name).name.removesuffix('.json')}.json" for name in parts[part]]

    def _episode(self, file: Path) -> Iterator[Sample]:
        episode = self.decoded_file(file, _Episode)
        if episode is None:
            return
        name, history, tags, before = str(episode.episode_id), list[str](), self._tags(episode), ""
        if not episode.steps:
            self.bad(str(file), "steps: there are none")
        for row, where in self.in_order(episode.steps, _read, lambda row: row.step, str(file)):
            try:
                step, picture = self._step(row, episode.device_info)
            except (ValueError, OSError) as error:
                self.bad(where, readable(error))
                history += [row.low_level_instruction] if row.low_level_instruction else []
                continue
            step.id, step.episode, step.step = f"{name}-{row.step}", name, row.step
            step.context, before = before, step.summary
            step.instruction, step.history, step.tags = episode.task_info.instruction, list(history), dict(tags)
            history.append(row.low_level_instruction or in_words(step.truth[0], Screen(step.screen)))
            yield Sample(step, picture, where)

    def _tags(self, episode: _Episode) -> dict[str, str]:
        split = "" if self.options["split"] == "all" else f"{self.options['part']}-{self.options['split']}"
        tags = {
            "platform": "mobile",
            "language": "en",
            "level": self.options["level"],
            "split": split,
            "app": ", ".join(episode.task_info.app),
            "category": episode.task_info.category,
            "device": episode.device_info.device_name,
        }
        return {name: value for name, value in tags.items() if value}

    def _step(self, row: _Step, device: _Device) -> tuple[Step, Picture | None]:
        name = Path(row.screenshot).name
        if not name:
            raise ValueError("screenshot: names no file")
        path = next((place / name for place in self.screenshots if (place / name).is_file()), None)
        if path is None and min(device.w, device.h) <= 0:
            raise ValueError(f"device_info: a screen of {device.w}×{device.h} cannot be")
        size = image_size(path) if path else Size(device.w, device.h)
        step = Step(
            screen=size,
            image=(path or self.screenshots[0] / name).relative_to(self.folder).as_posix(),
            step_instruction=(row.low_level_instruction or "") if self.options["level"] == "low" else "",
            thought=row.intention or "",
            summary=row.context or "",
            truth=[_truth(row, size)],
        )
        return step, Picture(str(path), size) if path else None


def _read(raw: msgspec.Raw) -> _Step:
    return decode_json(raw, _Step, strict=False)


def _truth(row: _Step, size: Size) -> Action:
    match row.action:
        case "CLICK" | "LONG_PRESS" if isinstance(row.info, str):
            if row.info not in KEYS:
                raise ValueError(f"info: {row.info[:40]!r} is no key: expected a place or one of {', '.join(KEYS)}")
            return Action("press", key=KEYS[row.info])
        case "CLICK":
            return Action("click", point=_points(row, size, 1)[0], box=_box(row, size))
        case "LONG_PRESS":
            return Action("long_press", point=_points(row, size, 1)[0], box=_box(row, size))
        case "SCROLL":
            return _scroll(row, size)
        case "TEXT" | "TYPE":
            if not isinstance(row.info, str):
                raise ValueError("info: expected the text that is typed")
            return Action("type", text=row.info)
        case "COMPLETE":
            return Action("terminate", status="success", text=_reason(row))
        case "INCOMPLETE" | "IMPOSSIBLE":
            return Action("terminate", status="failure", text=_reason(row))
        case "HOME" | "BACK" | "RECENT":
            return Action("press", key=BUTTONS[row.action])
    raise ValueError(f"action: {row.action[:40]!r} is not an action of this data set")


def _points(row: _Step, size: Size, count: int) -> list[Point]:
    if not isinstance(row.info, list) or len(row.info) < count:
        raise ValueError(f"info: {row.action} needs {count} place{'s' if count > 1 else ''} as [x, y]")
    return [PERMILLE.decode(point, size) for point in row.info]


def _scroll(row: _Step, size: Size) -> Action:
    start, end, *_ = _points(row, size, 2)
    assert isinstance(row.info, list)
    if start == end:  # the authors' converter calls it so
        return Action("swipe", direction="down", start=start)
    direction = direction_between(row.info[0], row.info[1])
    kept = end if direction_between(start, end) == direction else None
    return Action("swipe", direction=direction, start=start, end=kept)


def _box(row: _Step, size: Size) -> Box | None:
    """The element that was tapped; steps without one have an empty list or null."""
    if not row.sam2_bbox:
        return None
    if len(row.sam2_bbox) != 4:
        raise ValueError(f"sam2_bbox: expected four numbers, got {len(row.sam2_bbox)}")
    return PERMILLE.decode_box(Box(*row.sam2_bbox), size)


def _reason(row: _Step) -> str | None:
    return row.ps.strip() or None if isinstance(row.ps, str) else None
