"""What the data sets of TFRecord shards have in common: finding the shards, walking through them, naming records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, TypeVar

import msgspec

from saccade.data.readers.base import Dataset
from saccade.data.tf_example import names_in
from saccade.data.tfrecord import TFRecord, head, records
from saccade.errors import InputError
from saccade.untrusted import decode_json, read_bytes

T = TypeVar("T")
_LIKELY = re.compile(r"-of-\d+$|tfrecord|\.gz$|^[^.]+$", re.IGNORECASE)
"""Names under which TFRecord files lie about; other files are not opened to find out what they are."""
_SHARD = re.compile(r"-(\d+)-of-(\d+)$")


class ShardedDataset(Dataset):
    """A folder of TFRecord files (or one of them), told by the features of their first record, or by their names."""

    published: ClassVar[re.Pattern[str]]
    """The names of its shards as its authors give them."""
    marks: ClassVar[frozenset[str]]
    """Features that no other data set has."""

    @classmethod
    def folders(cls, folder: Path) -> Sequence[Path]:
        """Where shards may lie."""
        return (folder,)

    @classmethod
    def files(cls, folder: Path) -> list[Path]:
        """Its shards, in order."""
        if folder.is_file():
            return [folder] if cls.owns(folder) else []
        found = [file for place in cls.folders(folder) for file in place.iterdir() if file.is_file()]
        return sorted(file for file in found if cls.owns(file))

    @classmethod
    def owns(cls, file: Path) -> bool:
        if cls.published.search(file.name):
            return True
        return bool(_LIKELY.search(file.name)) and not cls.marks.isdisjoint(names_in(head(file)))

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return bool(cls.files(folder))

    @property
    def root(self) -> Path:
        """Where its other files lie."""
        return self.folder.parent if self.folder.is_file() else self.folder

    def records(self, files: Sequence[Path], check: bool = False) -> Iterator[TFRecord]:
        """All records. A file that breaks off, and a damaged record, are reported and left behind."""
        sizes = [file.stat().st_size for file in files]
        self.progress.total, before = sum(sizes), 0
        for file, size in zip(files, sizes, strict=True):
            try:
                for record in records(file, check):
                    self.progress.done = before + record.read
                    if record.fault:
                        self.bad(record.where, record.fault)
                        continue
                    yield record
            except ValueError as error:
                place, _, reason = str(error).partition(": ")
                self.bad(f"{file}: {place}", reason)
            before += size
            self.progress.done = before


def only(values: list[T], name: str) -> T:
    """The one value of a feature."""
    if len(values) != 1:
        raise ValueError(f"{name}: there are {len(values)} values instead of one" if values else f"{name}: missing")
    return values[0]


def missing_shards(files: Sequence[Path]) -> str:
    """Which shards are not there, by the numbers in the others' names, in words; nothing if all are."""
    numbered = [match for file in files if (match := _SHARD.search(file.name))]
    if not numbered:
        return ""
    total = max(int(match[2]) for match in numbered)
    absent = sorted(set(range(total)) - {int(match[1]) for match in numbered})
    return f"{len(absent)} of {total} shards are not here (number {absent[0]} is the first)" if absent else ""


def read_splits(file: Path) -> dict[str, frozenset[str]]:
    """Episodes by split, from a file as both data sets have it: `{"train": [id, …], "test": [id, …]}`."""
    try:
        value = decode_json(read_bytes(file), dict[str, list[str | int]])
    except FileNotFoundError:
        raise InputError(f"there is no file {file}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, OSError) as error:
        raise InputError(
            f"{file} is no split file, an object with a list of episodes for each split: {error}"
        ) from None
    return {name: frozenset(map(str, ids)) for name, ids in value.items()}
