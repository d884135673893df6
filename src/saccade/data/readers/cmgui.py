"""CMGUI and CMGUI-Bench: Chinese phone apps, human-verified, several right actions a step (SecAgent §3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from saccade.data.readers.archives import ScreenshotFinder
from saccade.data.readers.base import DataError, Dataset, Sample
from saccade.data.readers.cmgui_actions import box_list, frame_of, get, need, number, right_actions, text_of
from saccade.data.readers.tables import TableRecord, json_records
from saccade.errors import InputError
from saccade.geometry import Size
from saccade.paradigms.wording import in_words, language_of
from saccade.types import Picture, Screen, Step

NAVIGATION = "episode_annotation_{split}.jsonl"
FOLDERS = ("", "images", "image", "screenshot", "screenshots", "screenshot_zip")


class CMGUI(Dataset):
    """`episode_annotation_{train,test}.jsonl`, one episode a line, with `screenshot_zip/screenshot_test.zip` and
    `screenshot_train.z01` … `.z33`, `.zip` (an archive in parts), which are read without unpacking.

    Published: 18 k episodes with 98 k steps of more than 50 apps; the test file is CMGUI-Bench, 386 episodes with 2,547
    steps of 44 apps (the paper says 390 and 2,574). The paper's 18,887 grounding samples are not among the published
    files as of this writing; a file with `grounding` in its name is read where there is one.

    The names of the fields are not documented in text, so each is looked up under all the spellings in
    `cmgui_actions.SPELLINGS`; a record that has none of them is an error that says what it has instead. Also not
    verified: boxes are taken as [x0, y0, x1, y1] in pixels, or as shares of the screen where all numbers are within
    0 and 1 (`coordinates` forces a reading); a swipe without points names the finger's direction, as SecAgent's does.
    A click has one right action for each of its boxes. `summary` is the one annotated at the step, C_t (what happened
    before it, as the answer writes it); `context` is that of the step before, C_{t-1}, which the prompt shows.
    """

    name = "cmgui"
    title = "CMGUI"
    layout = "episode_annotation_test.jsonl or episode_annotation_train.jsonl, and screenshot_zip/ with the screenshots"
    licence = "CC-BY-4.0"
    profile = "cmgui"
    choices: ClassVar = {
        "split": ("test", "train"),
        "part": ("navigation", "grounding"),
        "coordinates": ("auto", "pixel", "permille", "unit"),
    }

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return folder.is_dir() and any(folder.glob(NAVIGATION.format(split="*")))

    def samples(self) -> Iterator[Sample]:
        file = self._file()
        self.progress.total, self.progress.done = file.stat().st_size, 0
        album = ScreenshotFinder(*self._places())
        for record in json_records(file):
            self.progress.done += record.size
            if record.error:
                self.bad(record.where, record.error)
            elif not isinstance(record.value, dict):
                self.bad(record.where, f"expected an object, found {type(record.value).__name__}")
            elif self.options["part"] == "grounding":
                yield from self._grounding(record, album)
            else:
                yield from self._episode(record, album)

    def _file(self) -> Path:
        split = self.options["split"]
        if self.options["part"] == "navigation":
            file = self.folder / NAVIGATION.format(split=split)
            if not file.is_file():
                raise InputError(f"{self.folder} has no {file.name}: download it, or choose another split")
            return file
        named = [path for path in sorted(self.folder.glob("*grounding*.json*")) if path.is_file()]
        fitting = [path for path in named if split in path.name] or named
        if not fitting:
            raise InputError(f"{self.folder} has no file with `grounding` in its name")
        return fitting[0]

    def _places(self) -> tuple[list[Path], list[Path]]:
        """Folders and archives that may hold the screenshots; archives of the other split are left closed."""
        split = self.options["split"]
        names = [*FOLDERS, f"screenshot_{split}", f"screenshot_zip/screenshot_{split}"]
        folders = [self.folder / name for name in names if (self.folder / name).is_dir()]
        archives = [path for folder in folders for path in sorted(folder.glob("*.zip"))]
        return folders, [path for path in archives if split in path.name] or archives

    def _episode(self, record: TableRecord, album: ScreenshotFinder) -> Iterator[Sample]:
        value = record.value
        try:
            instruction = text_of(need(value, "instruction"), "instruction")
            steps = need(value, "steps")
            if not isinstance(steps, list):
                raise ValueError(f"steps: expected a list, found {type(steps).__name__}")
        except ValueError as error:
            self.bad(record.where, str(error))
            return
        episode = _name(value) or f"{self.options['split']}-{record.row}"
        history: list[str] = []
        before = ""
        for at, one in enumerate(steps):
            try:
                if not isinstance(one, dict):
                    raise ValueError(f"expected an object, found {type(one).__name__}")
                step, picture = self._step(one, value, instruction, album)
            except (ValueError, DataError) as error:
                self.bad(record.where, f"steps[{at}]: {error}")
                continue
            step.id, step.episode, step.step, step.history = f"{episode}-{at}", episode, at, list(history)
            step.context, before = before, step.summary
            history.append(step.step_instruction or _words(step))
            yield Sample(step, picture, f"{record.where}, step {at}")

    def _step(
        self, one: dict[str, Any], value: dict[str, Any], instruction: str, album: ScreenshotFinder
    ) -> tuple[Step, Picture | None]:
        image, picture, size = self._screen(one, album)
        step = Step(
            instruction=instruction,
            step_instruction=text_of(get(one, "low"), "step_instruction"),
            screen=size,
            image=image,
            summary=_unless_none(text_of(get(one, "summary"), "summary")),
            thought=text_of(get(one, "thought"), "thought"),
            truth=right_actions(one, size, self.options["coordinates"]),
            tags=self._tags(value, one, instruction),
        )
        return step, picture

    def _grounding(self, record: TableRecord, album: ScreenshotFinder) -> Iterator[Sample]:
        value = record.value
        try:
            instruction = text_of(need(value, "instruction"), "instruction")
            image, picture, size = self._screen(value, album)
            boxes = box_list(need(value, "boxes"), size, frame_of(need(value, "boxes"), self.options["coordinates"]))
        except (ValueError, DataError) as error:
            self.bad(record.where, str(error))
            return
        call = {"action": "click", "bbox": [list(box) for box in boxes]}
        step = Step(
            id=_name(value) or f"{Path(image).stem}-{record.row}",
            instruction=instruction,
            screen=size,
            image=image,
            truth=right_actions(call, size, "pixel"),
            thought=text_of(get(value, "thought"), "thought"),
            tags=self._tags(value, value, instruction) | {"task": "grounding"},
        )
        yield Sample(step, picture, record.where)

    def _screen(self, one: dict[str, Any], album: ScreenshotFinder) -> tuple[str, Picture | None, Size]:
        """Name, picture and size of the screenshot."""
        name = need(one, "image")
        name = name[0] if isinstance(name, list) and len(name) == 1 else name
        if not isinstance(name, str) or not name:
            raise ValueError(f"image: expected the name of a file, found {str(name)[:60]!r}")
        return album.screenshot(name, _told_size(one), self.folder)

    def _tags(self, value: dict[str, Any], one: dict[str, Any], instruction: str) -> dict[str, str]:
        told = str(get(one, "language") or get(value, "language") or "").lower()
        app = get(one, "app") or get(value, "app")
        language = "zh" if told.startswith(("zh", "cn", "chin")) else "en" if told.startswith("en") else ""
        tags = {"platform": "mobile", "split": self.options["split"], "app": app if isinstance(app, str) else ""}
        tags["language"] = language or language_of(instruction)
        return {key: tag for key, tag in tags.items() if tag}


def _name(value: Mapping[str, Any]) -> str:
    name = get(value, "id")
    return str(name) if isinstance(name, str | int) else ""


def _told_size(one: Mapping[str, Any]) -> Size | None:
    """Width and height where the record has them."""
    size = get(one, "size")
    if isinstance(size, Mapping):
        size = [get(size, "width"), get(size, "height")]
    if size is None:
        size = [get(one, "width"), get(one, "height")]
    if not isinstance(size, list) or len(size) != 2 or size == [None, None]:
        return None
    width, height = (number(side, "image_size") for side in size)
    if min(width, height) < 1:
        raise ValueError(f"image_size: {size} is not a width and a height")
    return Size(round(width), round(height))


def _words(step: Step) -> str:
    return in_words(step.truth[0], Screen(step.screen), "zh" if step.tags.get("language") == "zh" else "en")


def _unless_none(text: str) -> str:
    return "" if text.strip().lower() in ("none", "无") else text
