"""Where items come from: files of step records, runs, and data sets that a reader knows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from saccade.data.readers import Dataset, open_dataset
from saccade.errors import InputError
from saccade.studio.review.kinds import KINDS
from saccade.studio.review.queue import NewItem
from saccade.types import Step


def items_of(kind: str, path: Path, folders: Sequence[Path], limit: int | None = None) -> Iterator[NewItem]:
    """The items that a file or a folder makes. It must lie in one of the studio's folders, because the studio serves
    pictures from nowhere else. `limit`: only so many items.
    """
    root = inside(path, folders)
    dataset = open_dataset(path.resolve())
    found = (NewItem(steps, root) for steps in KINDS.get(kind).items(_steps(dataset, root)))
    return islice(found, limit)


def inside(path: Path, folders: Sequence[Path]) -> Path:
    """The folder that the records' pictures are named from, without links; `InputError` if no studio folder has it."""
    if not path.exists():
        raise InputError(f"there is no file or folder {path}")
    real = path.resolve()
    root = real if real.is_dir() else real.parent
    if not any(root.is_relative_to(folder) for folder in folders):
        known = ", ".join(map(str, folders))
        raise InputError(f"{path} lies outside the studio's folders ({known}): name its folder with --folder")
    return root


def _steps(dataset: Dataset, root: Path) -> Iterator[Step]:
    """The records, their pictures named from `root`."""
    for sample in dataset.samples():
        step = sample.step
        if sample.picture is not None:
            if not isinstance(sample.picture.source, str):
                advice = f"convert it first: saccade data read {dataset.folder} --out DIR"
                raise InputError(f"{sample.where}: the pictures of this data set are inside its records: {advice}")
            try:
                step.image = os.path.relpath(Path(sample.picture.source).resolve(), root)
            except ValueError:
                raise InputError(f"{sample.where}: the picture's name has a zero byte: correct the record") from None
        yield step
