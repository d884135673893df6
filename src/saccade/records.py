"""Step records on disk: one JSON object a line, read line by line so that a bad one spoils only itself.

Also what keeps the work of a process that may be killed: files that are replaced as a whole, and files of lines that
only grow.
"""

from __future__ import annotations

import fcntl
import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar, overload

import msgspec

from saccade.errors import InputError, readable
from saccade.typed_values import to_type
from saccade.types import Step
from saccade.untrusted import JsonDecoder, decode_json, open_file, read_bytes

Kind = TypeVar("Kind")
StepKind = TypeVar("StepKind", bound=Step)
LONGEST_LINE = 1 << 26
"""Most characters of a line: a file without line breaks must not fill the memory."""


class BadLine(NamedTuple):
    """A line that is not a step record: where, and why."""

    number: int
    reason: str


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines that are not blank."""
    try:
        with io.TextIOWrapper(open_file(path), encoding="utf-8") as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), ""), 1):
                if len(line) == LONGEST_LINE:
                    raise InputError(f"{path}:{number}: the line is longer than {LONGEST_LINE:,} characters")
                if line.strip():
                    yield number, line
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder: name a .jsonl file of step records") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text: step records are JSON, one object a line") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def steps_file(path: Path) -> Path:
    """The record file of a run folder, or the file itself."""
    if path.is_file():
        return path
    if not path.is_dir():
        raise InputError(f"there is no recording {path}: name a run's folder or a .jsonl file of step records")
    if (path / "steps.jsonl").is_file():
        return path / "steps.jsonl"
    found = sorted(path.glob("*.jsonl"))
    if len(found) != 1:
        raise InputError(f"{path} holds {len(found)} .jsonl files and no steps.jsonl: name the file")
    return found[0]


def parse_object(line: str) -> dict[str, Any]:
    """One line as a JSON object, or `ValueError` with the reason."""
    try:
        value = decode_json(line)
    except msgspec.DecodeError as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValueError("a step record is a JSON object")
    return value


@overload
def read_step(value: dict[str, Any]) -> Step: ...


@overload
def read_step(value: dict[str, Any], kind: type[StepKind]) -> StepKind: ...


def read_step(value: dict[str, Any], kind: type[Step] = Step) -> Step:
    """A step record, or `ValueError` that names the field."""
    tags = value.get("tags")
    if isinstance(tags, dict):
        value = {**value, "tags": {key: str(tag) for key, tag in tags.items()}}
    for name in ("id", "episode"):
        if isinstance(value.get(name), int):
            value = {**value, name: str(value[name])}
    try:
        return to_type(value, kind)
    except msgspec.ValidationError as error:
        raise ValueError(readable(error)) from None


def check_image(name: str, folder: Path) -> None:
    """Does a record name a picture in its own folder, or below? Else `ValueError`: whoever wrote the record would
    choose which pictures of this machine a model's server gets, or an export or a replay page holds.
    """
    root = os.path.normpath(Path.cwd() / folder)
    if not Path(os.path.normpath(Path(root) / name)).is_relative_to(root):
        raise ValueError(f"image: {name!r} is outside of the record's folder {folder}: copy the pictures into it")


def write_steps(path: Path, steps: Iterable[Step]) -> int:
    """Write records, one a line; returns how many."""
    count = 0
    with path.open("wb") as file:
        for step in steps:
            file.write(as_line(step))
            count += 1
    return count


def as_line(record: Any) -> bytes:
    return msgspec.json.encode(record) + b"\n"


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file as a whole: after a crash it has its old or its new content."""
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError:  # the disk is full: what was written of it must not take room, too
        part.unlink(missing_ok=True)
        raise
    part.replace(path)


def write_object(path: Path, record: Any) -> None:
    """Write one record as indented JSON, replacing the file as a whole."""
    write_whole(path, msgspec.json.format(msgspec.json.encode(record), indent=2))


def read_object(path: Path, kind: type[Kind], missing: str) -> Kind:
    """A file that is one record; `missing` is what to say where there is none."""
    try:
        return decode_json(read_bytes(path), kind)
    except FileNotFoundError:
        raise InputError(missing) from None
    except (OSError, msgspec.MsgspecError) as error:
        raise InputError(f"cannot read {path}: {error}") from None


def add_line(file: BinaryIO, record: Any) -> None:
    """Append a record as a line; it is on disk when this returns."""
    file.write(as_line(record))
    file.flush()
    os.fsync(file.fileno())


def read_grown(path: Path, kind: type[Kind]) -> tuple[list[Kind], int]:
    """All whole lines, and how many bytes they take: a killed process may leave half a line at the end."""
    decoder, found, whole = JsonDecoder(kind), list[Kind](), 0
    try:
        with open_file(path) as file:
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), 1):
                if len(line) == LONGEST_LINE:
                    raise InputError(f"{path}:{number}: the line is longer than {LONGEST_LINE:,} bytes")
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                if line.strip():
                    found.append(decoder.decode(line))
    except FileNotFoundError:
        return [], 0
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise InputError(f"{path}:{number} is damaged: {readable(error)}") from None
    return found, whole


def lock_folder(folder: Path, doing: str, advice: str) -> BinaryIO:
    """Claim a folder for this process, by the file `.lock` in it (`lock_file`)."""
    return lock_file(folder / ".lock", folder, doing, advice)


def lock_file(lock: Path, what: Path, doing: str, advice: str) -> BinaryIO:
    """Claim something for this process, by a file beside it, until the returned file is closed. The system frees the
    claim of a process that was killed. `doing` and `advice` are for the error if another process has it.
    """
    try:
        file = lock.open("a+b")
    except OSError as error:
        raise InputError(f"cannot write to {what}: {error.strerror}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        with file:
            file.seek(0)
            owner = file.read(20).decode("ascii", "replace").strip()
        if not isinstance(error, BlockingIOError):
            raise InputError(f"cannot lock {what}: {error.strerror}; choose a folder on a local disk") from None
        who = f"another process (pid {owner})" if owner else "another process"
        raise InputError(f"{who} is {doing} {what}: {advice}") from None
    file.truncate(0)
    file.write(b"%d\n" % os.getpid())
    file.flush()
    return file
