"""What flows through a pipeline."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from saccade.errors import InputError
from saccade.paradigms.wording import language_of
from saccade.records import LONGEST_LINE
from saccade.types import Language, Step
from saccade.untrusted import JsonDecoder, open_file

SCREENS = "screens"
"""The folder of pictures in a pipeline's output."""


class Record(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One unit of work: a screen, a sample, an instruction without steps, or the steps of an episode."""

    id: str
    steps: list[Step] = msgspec.field(default_factory=list)
    """Their images are named relative to the pipeline's output folder."""
    fields: dict[str, Any] = msgspec.field(default_factory=dict)
    """What stages tell each other beside the steps; it is not part of the data set."""

    @property
    def step(self) -> Step:
        """The only step, or the first."""
        return self.steps[0]

    @property
    def language(self) -> Language:
        """The language of its instruction; where there is none, of the screen's texts."""
        if self.fields.get("language") in ("en", "zh"):
            found: Language = self.fields["language"]
            return found
        if not self.steps:
            return language_of(str(self.fields.get("instruction", "")))
        step = self.step
        told = step.instruction or step.tags.get("language", "")
        if told in ("en", "zh"):
            return told  # type: ignore[return-value]
        return language_of(told or " ".join(element.text for element in step.elements))


class Dropped(msgspec.Struct, frozen=True, omit_defaults=True):
    """A record, or a part of one, that a stage did not keep."""

    id: str
    reason: str
    """A short sentence without numbers that differ from record to record: records are counted by it."""
    detail: str = ""
    """What is special about this one, for the examples in the manifest."""


class Outcome(NamedTuple):
    """What a stage makes of one record."""

    records: list[Record]
    dropped: list[Dropped]


def kept(*records: Record) -> Outcome:
    """The record goes on, or those that it became."""
    return Outcome(list(records), [])


def dropped(record: Record, reason: str, detail: str = "") -> Outcome:
    """The record ends here."""
    return Outcome([], [Dropped(record.id, reason, detail)])


_RECORDS = JsonDecoder(Record)


def read_records(file: Path) -> Iterator[Record]:
    """All records of a file, one after another."""
    try:
        with open_file(file) as stream:
            for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE), b""), 1):
                try:
                    yield _RECORDS.decode(line)
                except msgspec.MsgspecError as error:
                    raise InputError(f"{file}:{number} is damaged: {error}") from None
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from None


def picture_name(data: bytes) -> str:
    """Where a picture lies in the output folder: named by its content, so that equal pictures are there once."""
    key = blake2b(data, digest_size=16).hexdigest()
    kind = ".jpg" if data.startswith(b"\xff\xd8\xff") else ".png"
    return f"{SCREENS}/{key[:2]}/{key}{kind}"


def store_picture(out: Path, data: bytes) -> str:
    """Write a picture into the output folder, unless it is there; returns its name."""
    name = picture_name(data)
    target = out / name
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        part.write_bytes(data)
        part.replace(target)
    return name


def remove_unnamed_pictures(out: Path, named: set[str]) -> None:
    """Remove pictures that no record of the data set names: of records that were dropped, of tries that were killed."""
    for file in (out / SCREENS).rglob("*"):
        if file.is_file() and file.relative_to(out).as_posix() not in named:
            file.unlink()
    for folder in sorted((out / SCREENS).rglob("*"), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            shutil.rmtree(folder)
