"""What a reader is: a data set as its authors publish it, turned into step records one after the other.

Published numbers disagree because readers disagree. A reader here streams (no file is held in memory as a whole), keeps
coordinates in pixels of the screenshot, says file, record and field of whatever is wrong, and leaves pictures alone
until somebody looks at them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

import msgspec

from saccade.errors import InputError, readable
from saccade.geometry import PIXEL, UNIT, Frame, Number, Size
from saccade.paradigms.verbs import Space
from saccade.records import check_image
from saccade.typed_values import to_type
from saccade.types import Picture, Step
from saccade.untrusted import decode_json, picture_head, read_bytes

T = TypeVar("T")


MOST_PROBLEMS = 20_000
"""Wrong records, after which a data set is given up even where wrong ones are left out."""


class Sample(NamedTuple):
    """A step with its screenshot."""

    step: Step
    picture: Picture | None = None
    """A file, or the bytes of the record that is being read; not decoded."""
    where: str = ""
    """File, and line or record, for messages."""


class Problem(NamedTuple):
    """A record that could not be read: where, and which field."""

    where: str
    reason: str


class DataError(InputError):
    """A record is not as its format says."""


@dataclass
class Progress:
    """How far a reader is, for a bar: bytes, files or records."""

    done: int = 0
    total: int = 0


class Dataset(ABC):
    """One published format. A subclass says what its folder looks like (`name`, `title`, `layout`, `recognises`), and
    yields `samples`; `saccade bench NAME --data FOLDER` measures on it with its `profile`, `space` and `table`.

    Samples of one episode come one after the other, in their order.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    layout: ClassVar[str]
    """What its folder holds, for the message to someone who names another one."""
    licence: ClassVar[str] = ""
    profile: ClassVar[str] = "btl"
    """The match profile of its own published table."""
    space: ClassVar[Space] = "paper"
    """Which actions are declared to a model that is measured on it."""
    table: ClassVar[str] = "steps"
    """How the table of `saccade bench NAME` looks: grounding, planning, comprehension, tasks or steps."""
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Options by name with their values, the default first: `{"split": ("test", "train")}`."""

    def __init__(self, folder: Path, *, keep_going: bool = False, **options: str) -> None:
        self.folder = folder
        self.keep_going = keep_going
        self.problems: list[Problem] = []
        self.no_steps: Counter[str] = Counter()
        """Records that are no steps by their nature (a plan, a judgement), by kind: nothing is wrong with them."""
        self.progress = Progress()
        self.options = self._chosen(options)
        if not folder.exists():
            raise InputError(f"there is no folder {folder}")
        if not self.recognises(folder):
            raise InputError(f"{folder} is not {self.title}: expected {self.layout}; found {found(folder)}")

    def _chosen(self, options: Mapping[str, str]) -> dict[str, str]:
        for name, value in options.items():
            if name not in self.choices:
                known = ", ".join(self.choices) or "none"
                raise InputError(f"{self.name} has no option {name!r}: it has {known}")
            if self.choices[name] and str(value) not in self.choices[name]:
                raise InputError(f"{self.name}: {name} is {value!r}: use {', '.join(self.choices[name])}")
        given = {name: str(value) for name, value in options.items()}
        return {name: values[0] if values else "" for name, values in self.choices.items()} | given

    @classmethod
    @abstractmethod
    def recognises(cls, folder: Path) -> bool:
        """Is this such a folder (or file)? Looks at names and the first bytes only."""

    @abstractmethod
    def samples(self) -> Iterator[Sample]:
        """All samples, streamed. Each call begins anew."""

    def bad(self, where: str, reason: str) -> None:
        """Report a wrong record: raise, or with `keep_going` note it and go on."""
        if not self.keep_going:
            raise DataError(f"{where}: {reason} (leave such records out with --keep-going)")
        self.problems.append(Problem(where, reason))
        if len(self.problems) >= MOST_PROBLEMS:
            raise DataError(f"{where}: {reason}; {MOST_PROBLEMS:,} records are wrong: this is not {self.title}")

    def decoded(self, data: bytes | msgspec.Raw, kind: type[T], where: str) -> T | None:
        """A record as a typed struct; None, after `bad`, if it is none."""
        try:
            return decode_json(data, kind, strict=False)
        except (ValueError, RecursionError) as error:
            self.bad(where, readable(error))
            return None

    def decoded_file(self, file: Path, kind: type[T]) -> T | None:
        """A whole file as a typed struct; None, after `bad`, if it is none."""
        try:
            data = read_bytes(file)
        except OSError as error:
            self.bad(str(file), f"the file cannot be read: {error.strerror}")
            return None
        return self.decoded(data, kind, str(file))

    def in_order(
        self, raws: Iterable[msgspec.Raw], read: Callable[[msgspec.Raw], T], number: Callable[[T], int], where: str
    ) -> list[tuple[T, str]]:
        """An episode's steps in the order of their numbers, each with where it stands."""
        rows: dict[int, tuple[T, str]] = {}
        for at, raw in enumerate(raws):
            place = f"{where} step {at}"
            try:
                row = read(raw)
                if number(row) in rows:
                    raise ValueError(f"step number {number(row)} comes twice")
            except (ValueError, RecursionError) as error:
                self.bad(place, readable(error))
                continue
            rows[number(row)] = row, place
        return [rows[each] for each in sorted(rows)]

    def counted(self, files: Sequence[T]) -> Iterator[T]:
        """One file after the other; the progress is how many are done."""
        self.progress.total, self.progress.done = len(files), 0
        for file in files:
            yield file
            self.progress.done += 1

    def picture(self, name: str, size: Size | None = None) -> Picture:
        """A screenshot by its path inside the folder. Its size is read from the file's head where it is not known."""
        check_image(name, self.folder)
        path = self.folder / name
        return Picture(str(path), size or image_size(path))


@lru_cache(maxsize=4096)
def image_size(path: Path) -> Size:
    """Width and height from a picture's head, without decoding it; `ValueError` if there is no such picture."""
    try:
        return picture_head(path).size
    except FileNotFoundError:
        raise ValueError(f"image: there is no file {path}") from None
    except OSError as error:
        raise ValueError(f"image: {path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"image: {path} cannot be read: {error}") from None


def found(folder: Path) -> str:
    """What is in a folder, for an error message."""
    if folder.is_file():
        return f"a file of {folder.stat().st_size:,} bytes"
    names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in folder.iterdir())
    return ", ".join(names[:6]) + (f" … ({len(names)} entries)" if len(names) > 6 else "") if names else "nothing"


def convert(value: Any, kind: type[Any]) -> Any:
    """A record as a typed struct, or `ValueError` that names the field."""
    try:
        return to_type(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise ValueError(readable(error)) from None


def guessed_frame(numbers: Sequence[Number]) -> Frame:
    """The frame where the data names none: shares of the image if all numbers are within 0 and 1, else pixels."""
    shares = all(0 <= n <= 1 for n in numbers) and any(n % 1 for n in numbers)
    return UNIT if shares else PIXEL
