"""What the index keeps of a run: of `run.json`, and of each line of `steps.jsonl`. Everything read is hostile input."""

from __future__ import annotations

import os
import time
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from saccade.agents.records import LoggedStep
from saccade.agents.replay_page import PROFILE
from saccade.bench.step_errors import diagnose
from saccade.errors import InputError
from saccade.paradigms.wording import language_of
from saccade.scoring.judge import Prediction, judge_steps
from saccade.scoring.profiles import Profile, get_profile
from saccade.studio.database.runs import NAME
from saccade.studio.index.growing_file import read_whole
from saccade.untrusted import JsonDecoder, decode_json, read_text

LOCKS = Path("/proc/locks")
"""Linux's list of the locks that processes hold."""
LONGEST_TEXT = 4_000
"""Characters of instructions, reasons and answers that are kept."""
MOST_SEARCHED = 2_000
"""Characters of a step's answer that can be searched."""
LARGEST_JUDGED = 2**20
"""Bytes of a line whose action is compared with the right ones."""
ALIVE_SECONDS = 120.0
"""A run without an end whose files changed so lately goes on, perhaps on another machine."""
UNREADABLE = (msgspec.MsgspecError,)
Count = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Share = Annotated[float, msgspec.Meta(ge=-1e15, le=1e15)]


class _Action(msgspec.Struct):
    type: str = ""
    text: str | None = None


class _Approval(msgspec.Struct):
    allowed: bool = True


class _Usage(msgspec.Struct, frozen=True):
    input: Count = 0
    output: Count = 0
    cost: Share = 0.0


class _Seconds(msgspec.Struct, frozen=True):
    total: Share = 0.0


class StepLine(msgspec.Struct):
    """The fields of a logged step that the index needs; the rest of the line is only skipped over."""

    attempt: Count = 0
    step: Count = 0
    instruction: str = ""
    paradigm: str = ""
    app: str = ""
    prediction: _Action | None = None
    output: str | None = None
    thought: str = ""
    problem: str = ""
    error: str = ""
    repairs: list[str] = []
    approval: _Approval | None = None
    truth: list[msgspec.Raw] = []
    usage: _Usage = _Usage()
    seconds: _Seconds = _Seconds()


_lines = JsonDecoder(StepLine)
_steps = JsonDecoder(LoggedStep)


class ReadStep(NamedTuple):
    """A row of `IndexedStep` without its run and position, and what is searched."""

    row: dict[str, Any]
    line: StepLine
    text: str


def plain(text: object, longest: int = NAME) -> str:
    """A text as a database takes it: no NUL, no half of a surrogate pair, not too long."""
    if not isinstance(text, str):
        return ""
    return text[:longest].replace("\0", "").encode("utf-8", "replace").decode("utf-8")


@cache
def profile_named(name: str) -> Profile:
    """The rule that a run names, where it is known."""
    try:
        return get_profile(name or PROFILE)
    except InputError:
        return get_profile(PROFILE)


def read_step_line(offset: int, data: bytes, rule: str) -> ReadStep:
    """A line of `steps.jsonl`; raises one of `UNREADABLE`."""
    line = _lines.decode(data)
    judged = _judged(data, rule) if line.truth and len(data) <= LARGEST_JUDGED else ""
    row = {
        "number": line.step,
        "attempt": line.attempt,
        "action": plain(line.prediction.type, 40) if line.prediction else "",
        "mark": mark_of(line, bool(judged)),
        "error_class": judged,
        "seconds": line.seconds.total,
        "tokens": min(line.usage.input + line.usage.output, 2**31 - 1),
        "cost": line.usage.cost,
        "offset": offset,
        "length": len(data),
    }
    said = line.output or line.thought
    typed = (line.prediction.text or "") if line.prediction and not line.output else ""
    return ReadStep(row, line, plain(f"{said}\n{typed}" if typed else said, MOST_SEARCHED))


def mark_of(step: StepLine | LoggedStep, wrong: bool) -> str:
    """The worst that can be said of a step, by the words of the replay page."""
    if step.error:
        return "error"
    if step.approval is not None and not step.approval.allowed:
        return "refused"
    if step.prediction is None and step.problem:
        return "unreadable"
    return "wrong" if wrong else "repaired" if step.repairs else ""


def _judged(data: bytes, rule: str) -> str:
    """The class of a wrong step; empty where it is right, or nobody can tell."""
    try:
        return error_class(_steps.decode(data), profile_named(rule))
    except (*UNREADABLE, ValueError):
        return ""


def error_class(step: LoggedStep, profile: Profile) -> str:
    """The class of a step that is wrong by a rule; empty where it is right, or nobody can tell."""
    judged = judge_steps([step], [Prediction(step.prediction)], profile)
    return diagnose(step).error if judged and not judged[0].right else ""


# -- run.json ----------------------------------------------------------------------------------------------------------


def read_about(file: Path) -> tuple[dict[str, Any], str]:
    """The columns that `run.json` fills, and what was wrong with it. Fields of a wrong type count as absent."""
    try:
        value = decode_json(read_whole(file))
    except FileNotFoundError:
        return {}, ""
    except (OSError, *UNREADABLE) as error:
        return {}, f"run.json: {plain(str(error))}"
    if not isinstance(value, dict):
        return {}, "run.json: not an object"
    settings, outcome, usage = (_dict(value, name) for name in ("settings", "outcome", "usage"))
    attempts = value.get("attempts")
    found = {
        "instruction": plain(value.get("instruction"), LONGEST_TEXT),
        "model": plain(settings.get("model")),
        "paradigm": plain(settings.get("paradigm")),
        "world": plain(settings.get("world")),
        "rule": plain(value.get("profile")),
        "language": _language(settings, value.get("instruction")),
        "started": _moment(value.get("started")),
        "attempts": len(attempts) if isinstance(attempts, list) else 0,
        "status": plain(outcome.get("status"), 40),
        "ended_by": plain(outcome.get("ended_by"), 40),
        "reason": plain(outcome.get("reason"), LONGEST_TEXT),
        "answer": plain(outcome.get("answer"), LONGEST_TEXT),
    }
    if found["status"]:  # while a run goes on, its steps know better
        found |= {"input_tokens": int(_number(usage, "input")), "output_tokens": int(_number(usage, "output"))}
        found |= {"cost": _number(usage, "cost"), "seconds": _number(value, "seconds")}
    return found, ""


def _dict(value: dict[str, Any], name: str) -> dict[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _number(value: dict[str, Any], name: str) -> float:
    found = value.get(name, 0)
    usable = isinstance(found, int | float) and not isinstance(found, bool) and -1e15 < found < 1e15
    return float(found) if usable else 0.0


def _moment(text: object) -> float:
    try:
        return datetime.fromisoformat(text).timestamp() if isinstance(text, str) else 0.0
    except (ValueError, OverflowError):
        return 0.0


def _language(settings: dict[str, Any], instruction: object) -> str:
    """The language of the run, where it says so; else that of its instruction."""
    for given in (settings.get("language"), _dict(settings, "world_options").get("language")):
        if given in ("en", "zh"):
            return str(given)
    return language_of(instruction[:LONGEST_TEXT]) if isinstance(instruction, str) and instruction else ""


def still_running(folder: Path) -> bool:
    """Does a run without an end go on? A process holds its lock, or its files changed lately."""
    try:
        if _held(folder / ".lock"):
            return True
    except PermissionError:
        return True  # the process is somebody else's
    except (OSError, ValueError, OverflowError):
        pass
    try:
        changed = max(os.lstat(file).st_mtime for file in (folder, folder / "steps.jsonl"))
    except OSError:
        return False
    return time.time() - changed < ALIVE_SECONDS


def _held(lock: Path) -> bool:
    """Does a process hold this lock? The kernel's list of locks says so. Trying to lock the file could make a run fail
    that begins at this moment, and the number in it may be that of another process by now: it is asked for only where
    there is no such list.
    """
    try:
        lines = read_text(LOCKS).splitlines()
    except OSError:
        owner = int(read_whole(lock)[:20].strip() or b"0")
        if owner > 0:
            os.kill(owner, 0)
        return owner > 0
    inode = str(os.lstat(lock).st_ino)
    locks = (line.split() for line in lines)
    return any("FLOCK" in words and words[-3].rpartition(":")[2] == inode for words in locks if len(words) >= 3)
