"""Finds data sets in the studio's folders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from saccade.data.readers import DATASETS, Dataset, get_reader
from saccade.studio.datasets.result_lines import ResultLines
from saccade.studio.folder_walk import WalkedFolder, short_id, walk_folders
from saccade.studio.index.folders import EPISODES

OTHER_THINGS = (frozenset({"run.json"}), frozenset({"recipe.yaml", "log.jsonl"}))
"""Files of folders that have pages of their own: runs and trainings."""

RECORDS = "steps.jsonl"
MOST_BELOW = 50
"""Subfolders that are looked at to tell a data set from a folder of data sets."""


class FoundDataset(NamedTuple):
    """A folder or file that a reader knows."""

    id: str
    path: Path
    label: str
    kind: type[Dataset]

    def open(self, options: Mapping[str, str]) -> Dataset:
        """Read it from its beginning; records that are wrong are noted."""
        return self.kind(self.path, keep_going=True, **options)


def find_datasets(roots: Sequence[Path]) -> Iterator[tuple[str, FoundDataset]]:
    """Data sets in these folders; what lies below one belongs to it."""
    for folder in walk_folders(roots):
        collected = (folder.path / EPISODES).is_dir()
        if folder.special or (not collected and any(names <= folder.files for names in OTHER_THINGS)):
            folder.descend = not {"run.json", "recipe.yaml"} & folder.files
            continue
        if RECORDS in folder.files and not holds_text(folder.path / RECORDS):
            continue
        kind = recognised(folder.path)
        if kind is not None and not is_collection(folder.path):
            folder.descend = False
            yield _found(folder, folder.path, folder.label, kind)
            continue
        for name in sorted(folder.files):
            if name.endswith(".jsonl") and (kind := recognised(folder.path / name)) is not None:
                yield _found(folder, folder.path / name, f"{folder.label}/{name}", kind)


def holds_text(file: Path) -> bool:
    """Has a file any contents? A measurement of whole episodes has no step records but those of its runs."""
    try:
        return file.stat().st_size > 0
    except OSError:
        return False


def is_collection(folder: Path) -> bool:
    """Do different readers know its subfolders, or does a single file make it a data set that stands beside others?

    Some readers also know the folder above their own, and a lone `.jsonl` file does not own what lies beside it.
    """
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return False
    below = [each for each in entries if each.is_dir() and not each.is_symlink()]
    records = [each.name for each in entries if each.suffix == ".jsonl"]
    known = {recognised(each) for each in below[:MOST_BELOW]} - {None}
    return len(known) > (0 if records and RECORDS not in records else 1)


def _found(folder: WalkedFolder, path: Path, label: str, kind: type[Dataset]) -> tuple[str, FoundDataset]:
    identity = short_id(path, folder.root)
    return identity, FoundDataset(identity, path, label, kind)


def recognised(path: Path) -> type[Dataset] | None:
    """The first reader that knows this folder or file."""
    kinds: list[type[Dataset]] = [ResultLines, *(get_reader(name) for name in DATASETS.names())]
    return next((kind for kind in kinds if _knows(kind, path)), None)


def _knows(kind: type[Dataset], path: Path) -> bool:
    try:
        return kind.recognises(path)
    except Exception:  # noqa: BLE001  (a reader that fails on a foreign folder does not know it)
        return False
