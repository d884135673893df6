"""ScreenAgent: sessions at Linux and Windows desktops over VNC, planned, acted and judged in turn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import msgspec
from msgspec.structs import replace

from saccade.actions import FIELDS, Action
from saccade.data.readers.arrays import fields
from saccade.data.readers.base import Dataset, Sample, image_size
from saccade.data.readers.scripts import Call, actions_of
from saccade.geometry import Box, Point, Size
from saccade.paradigms.wording import in_words, language_of
from saccade.types import Picture, Screen, Step

_FIELDS = {"task_prompt", "actions", "saved_image_name", "video_width"}
_MADE_UP = re.compile(r"_neg_(?:plan|eval)$")
_SUBTASK = re.compile(r'^(?:现在的子任务是|The current subtask is) ?"(.*)"[。.]\s*$', re.MULTILINE)
_SYSTEM = re.compile(r"\b(Linux|Windows)\b", re.ASCII)
_CODE = re.compile(r"```(?:json)?.*?(?:```|\Z)", re.DOTALL)
_MOUSE = {
    "click": "click",
    "double_click": "doubleClick",
    "move": "moveTo",
    "drag": "dragTo",
    "scroll_up": "scroll",
    "scroll_down": "scroll",
}
"""Its mouse actions as calls of `scripts`. `down` and `up` alone are half of an action and are refused."""
DONE = "sub_task_success"


class _Position(msgspec.Struct):
    width: float
    height: float

    @property
    def point(self) -> Point:
        return Point(self.width, self.height)


class _Area(msgspec.Struct):
    upper_left_position: _Position
    lower_right_position: _Position

    @property
    def box(self) -> Box:
        return Box(*self.upper_left_position.point, *self.lower_right_position.point)


class _Action(msgspec.Struct):
    """One action as it is written; which fields it has depends on its type."""

    action_type: str
    mouse_action_type: str | None = None
    mouse_button: str | None = None
    mouse_position: _Position | None = None
    scroll_repeat: float | None = None
    clickable_area: _Area | None = None
    keyboard_action_type: str | None = None
    keyboard_key: str | list[str] | None = None
    keyboard_text: str | None = None
    wait_time: float | None = None
    situation: str | None = None


class _Record(msgspec.Struct):
    """One file: what was asked of the planner, the actor or the evaluator at a screen, and the corrected answer."""

    task_prompt: str
    saved_image_name: str
    video_width: int
    video_height: int
    actions: list[_Action]
    send_prompt: str = ""
    send_prompt_en: str | None = None
    send_prompt_zh: str | None = None
    task_prompt_en: str | None = None
    task_prompt_zh: str | None = None
    current_task: str | None = None
    LLM_response_editer: str | None = None
    LLM_response_editer_en: str | None = None
    LLM_response_editer_zh: str | None = None

    def text(self, field: str, language: str) -> str:
        """A text in this language where it was translated, else as it was recorded."""
        return getattr(self, f"{field}_{language}", None) or getattr(self, field) or ""


class _Turn(NamedTuple):
    """A record of the actor, or the evaluator's last word, with where it stands."""

    number: int
    record: _Record
    where: str
    evaluation: str
    """What the evaluator said next; empty if nothing."""


class ScreenAgent(Dataset):
    """ScreenAgent: 273 sessions as published (203 for training, 70 for tests), 1024×768 desktops of Linux and Windows.

    A session is a folder of records, one a file in the order of their time stamps: the planner lists sub-tasks
    (PlanAction), the actor acts (MouseAction, KeyboardAction, WaitAction), the evaluator judges the sub-task
    (EvaluateSubTaskAction). Steps here are the actor's records; a session whose last word is `sub_task_success` ends
    with `terminate`. Plans, the other evaluations, and the records made up for training (`…_neg_plan`, `…_neg_eval`)
    are no actions on a screen: they are left out and counted. What the evaluator says of a step is its tag
    `evaluation`. A record may hold several actions for one screen: the truth is the first, and the tag `then` says in
    words what follows. Moving the pointer to where a click or drag begins is part of it. A scroll is the wheel's.

    Training sessions are in Chinese and English, one of them a translation (`language`); test sessions are in one
    language, and the tag `language` says which. Texts that were typed are not translated. The tag `system` is what the
    prompt says, which is not always what the screen shows. Test sessions have the area that may be clicked
    (`clickable_area`), training sessions only the point. The authors' own rule aligns sequences and gives partial
    credit (BLEU of texts); it is not among the profiles here.
    """

    name = "screenagent"
    title = "ScreenAgent"
    layout = "a folder a session (in train/ and test/) with .json files (task_prompt, actions, …), and images/ in each"
    licence = "Apache-2.0 (data)"
    profile = "cmgui"
    space = "desktop"
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "split": ("all", "train", "test"),
        "language": ("en", "zh"),
        "level": ("high", "low"),
    }

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        first = next((session for session in _sessions(folder) if session), None)
        return first is not None and any(fields(file) >= _FIELDS for file in first[:5])

    def samples(self) -> Iterator[Sample]:
        self.no_steps.clear()
        sessions = [files for files in _sessions(self.folder) if self._chosen_split(files[0].parent)]
        for files in self.counted(sessions):
            yield from self._session(files)

    def _chosen_split(self, session: Path) -> bool:
        return self.options["split"] in ("all", session.parent.name)

    def _session(self, files: Sequence[Path]) -> Iterator[Sample]:
        folder, history = files[0].parent, list[str]()
        for at, turn in enumerate(self._turns(files)):
            try:
                sample = self._sample(folder, turn)
            except ValueError as error:
                self.bad(turn.where, str(error))
                continue
            step, session = sample.step, folder.name
            step.id, step.episode, step.step = f"{session}-{turn.number}", session, at
            step.history = list(history)
            said = in_words(step.truth[0], Screen(step.screen), language_of(step.instruction))
            history.append("; ".join(filter(None, (said, step.tags.get("then")))))
            yield sample

    def _turns(self, files: Sequence[Path]) -> Iterator[_Turn]:
        """The actor's records, each with the evaluation after it, and the last evaluation if all is done."""
        records: list[tuple[int, _Record, str]] = []
        for number, file in enumerate(files):
            if _MADE_UP.search(file.stem):
                self.no_steps["record made up for training"] += 1
            elif (record := self.decoded_file(file, _Record)) is not None:
                if record.actions:
                    records.append((number, record, str(file)))
                else:
                    self.bad(str(file), "actions: there are none")
        for at, (number, record, where) in enumerate(records):
            following = records[at + 1][1].actions[0] if at + 1 < len(records) else None
            match record.actions[0].action_type:
                case "PlanAction":
                    self.no_steps["plan"] += 1
                case "EvaluateSubTaskAction" if following is not None or record.actions[0].situation != DONE:
                    self.no_steps["evaluation of a sub-task"] += 1
                case _:
                    yield _Turn(number, record, where, (following and following.situation) or "")

    def _sample(self, folder: Path, turn: _Turn) -> Sample:
        record, language = turn.record, self.options["language"]
        size = Size(record.video_width, record.video_height)
        path = folder / "images" / _file_name(record.saved_image_name)
        if path.is_file() and image_size(path) != size:
            raise ValueError(f"video_width: the screen is {size[0]}×{size[1]}, its picture {image_size(path)}")
        instruction = record.text("task_prompt", language)
        prompt, thought = record.text("send_prompt", language), record.text("LLM_response_editer", language)
        lead, rest = _truth(record.actions, size)
        words = [in_words(action, Screen(size), language_of(instruction)) for action in rest]
        system = _SYSTEM.search(record.send_prompt[:200])
        tags = {
            "platform": "desktop",
            "system": system[1].lower() if system else "",
            "language": language_of(instruction),
            "level": self.options["level"],
            "split": folder.parent.name if folder.parent.name in ("train", "test") else "",
            "evaluation": turn.evaluation,
            "then": "; ".join(words),
        }
        step = Step(
            instruction=instruction,
            step_instruction=_subtask(record, prompt) if self.options["level"] == "low" else "",
            screen=size,
            image=path.relative_to(self.folder).as_posix(),
            thought="" if thought.lstrip()[:1] in ("[", "{") else _CODE.sub("", thought).strip(),
            truth=[lead],
            tags={name: tag for name, tag in tags.items() if tag},
        )
        return Sample(step, Picture(str(path), size) if path.is_file() else None, turn.where)


def _sessions(folder: Path) -> Iterator[list[Path]]:
    """The records of each session in their order: of the folder itself, of its folders, or of those in its splits."""
    if not folder.is_dir():
        return
    for pattern in ("images", "*/images", "*/*/images"):
        found = [sorted(each.parent.glob("*.json")) for each in sorted(folder.glob(pattern)) if each.is_dir()]
        if any(found):
            yield from (files for files in found if files)
            return


def _truth(actions: Sequence[_Action], size: Size) -> tuple[Action, list[Action]]:
    """The first action with the area in which it counts, and what follows."""
    if actions[0].action_type == "EvaluateSubTaskAction":
        return Action("terminate", status="success"), []
    found = actions_of([_call(action) for action in actions], size, unit=False)
    if not found:
        raise ValueError("actions: nothing is done")
    lead, *rest = found
    for action in actions:
        if action.mouse_position and action.clickable_area and action.mouse_position.point == lead.point:
            box = action.clickable_area.box
            if box.x0 > box.x1 or box.y0 > box.y1:
                raise ValueError(f"clickable_area: {list(box)} ends before it begins")
            if "box" in FIELDS[lead.type].optional:
                lead = replace(lead, box=box)
    return lead, rest


def _call(action: _Action) -> Call:
    """An action as a call of `scripts`; `ValueError` names one that is unknown or incomplete."""
    named: dict[str, Any] = {}
    match action.action_type:
        case "MouseAction":
            kind = str(action.mouse_action_type).lower()
            if kind not in _MOUSE:
                raise ValueError(f"actions: the mouse action {kind[:40]!r} is unknown: expected {', '.join(_MOUSE)}")
            name = _MOUSE[kind]
            if name == "scroll":
                named["clicks"] = (action.scroll_repeat or 1) * (1 if kind == "scroll_up" else -1)
            if action.mouse_position is not None:
                named |= {"x": action.mouse_position.width, "y": action.mouse_position.height}
            if kind == "click" and action.mouse_button:
                named["button"] = action.mouse_button.lower()
            return Call(name, (), named)
        case "KeyboardAction":
            return _keyboard_call(action)
        case "WaitAction":
            return Call("sleep", () if action.wait_time is None else (action.wait_time,), {})
    raise ValueError(f"actions: the action type {action.action_type[:40]!r} is unknown")


def _keyboard_call(action: _Action) -> Call:
    """`press` of one key or of several together, `text` (also called `input`); without a type, what it has tells."""
    kind = action.keyboard_action_type or ("press" if action.keyboard_key is not None else "text")
    if kind in ("text", "input") and action.keyboard_text is not None:
        return Call("write", (action.keyboard_text,), {})
    if kind == "press" and action.keyboard_key:
        keys = action.keyboard_key
        return Call("hotkey", tuple(keys), {}) if isinstance(keys, list) else Call("press", (keys,), {})
    if kind in ("press", "text", "input"):
        raise ValueError("actions: a KeyboardAction has neither keyboard_key nor keyboard_text")
    raise ValueError(f"actions: the keyboard action {kind[:40]!r} is unknown: expected press or text")


def _subtask(record: _Record, prompt: str) -> str:
    """The sub-task at hand: as the prompt of this language quotes it, else as it was recorded; none at the end."""
    if record.actions[0].action_type == "EvaluateSubTaskAction":
        return ""
    found = _SUBTASK.search(prompt) or _SUBTASK.search(record.send_prompt)
    return found[1].strip() if found else record.current_task or ""


def _file_name(name: str) -> str:
    if not name or "/" in name or "\\" in name or "\0" in name or name in (".", ".."):
        raise ValueError(f"saved_image_name: {name[:80]!r} is no name of a file")
    return name
