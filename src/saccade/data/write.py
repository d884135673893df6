"""Writes a data set as step records with screenshots: all of it or nothing.

    OUT/steps.jsonl   one record per line        OUT.jsonl
    OUT/screens/…     the screenshots            OUT-screens/…

Both are written with the suffix `.part`, by one process at a time, and renamed after the last record. On an error they
are removed; what a killed process leaves is overwritten by the next run.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, get_args

import msgspec

from saccade.data.readers.base import Dataset, Sample
from saccade.errors import InputError
from saccade.records import lock_file
from saccade.untrusted import read_bytes

Images = Literal["copy", "link", "none"]
IMAGES: tuple[Images, ...] = get_args(Images)
SIGNATURES = {b"\x89PNG": ".png", b"\xff\xd8\xff": ".jpg", b"RIFF": ".webp", b"GIF8": ".gif", b"BM": ".bmp"}
NO_IMAGES_HINT = "use --images none to write records without pictures"


class WriteSummary(NamedTuple):
    """Paths and counts of what was written."""

    file: Path
    steps: int
    episodes: int
    """Counted in reading order; an episode that is interrupted by another counts twice."""
    pictures: int


def write_dataset(
    dataset: Dataset,
    out: Path,
    images: Images = "copy",
    limit: int | None = None,
    complete: Callable[[Iterator[Sample]], Iterator[Sample]] = iter,
) -> WriteSummary:
    """Write all samples, or the first `limit`. `out` is a folder or a .jsonl file.

    `copy` copies each picture once, `link` makes symbolic links to the data set's own files, and `none` leaves the
    field `image` empty. `complete` may add to the samples on their way.
    """
    file, screens = output_paths(out)
    made = None if file.parent.exists() else _topmost_missing(file.parent)
    part, pictures = file.with_name(file.name + ".part"), PictureWriter(dataset, screens, images)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror or error}") from None
    stream = lock_file(part, out, "writing", "wait for it, or choose another --out")
    try:
        with stream:
            output_paths(out)  # another process may have finished it in between
            stream.truncate(0)
            shutil.rmtree(pictures.part, ignore_errors=True)
            steps, episodes = _write(dataset, complete(islice(dataset.samples(), limit)), stream, pictures)
            stream.flush()
            os.fsync(stream.fileno())
            if not steps:
                raise InputError(f"{dataset.folder} contains no record that can be written")
            if pictures.part.exists():
                pictures.part.replace(screens)
            part.replace(file)
    except BaseException as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        shutil.rmtree(pictures.part, ignore_errors=True)
        if made is not None:
            shutil.rmtree(made, ignore_errors=True)
        if isinstance(error, OSError):
            raise InputError(f"cannot write {out}: {error.strerror or error}") from None
        raise
    return WriteSummary(file, steps, episodes, pictures.count)


def output_paths(out: Path) -> tuple[Path, Path]:
    """The file of the records and the folder of the pictures; neither may exist."""
    file, screens = out / "steps.jsonl", out / "screens"
    if out.suffix == ".jsonl":
        file, screens = out, out.with_name(f"{out.stem}-screens")
    elif out.is_file():
        raise InputError(f"{out} is a file: give a folder, or a file that ends in .jsonl")
    for taken in (file, screens):
        if taken.exists():
            raise InputError(f"{taken} already exists: choose another --out, or remove it")
    return file, screens


def _topmost_missing(folder: Path) -> Path:
    while not folder.parent.exists():
        folder = folder.parent
    return folder


def _write(dataset: Dataset, samples: Iterator[Sample], stream: BinaryIO, pictures: PictureWriter) -> tuple[int, int]:
    steps, episodes, last = 0, 0, ""
    for sample in samples:
        step = sample.step
        try:
            step.image = pictures.keep(sample)
            stream.write(msgspec.json.encode(step) + b"\n")
        except UnicodeEncodeError:
            dataset.bad(sample.where, "the record contains a lone surrogate, which cannot be written")
            continue
        except ValueError as error:
            dataset.bad(sample.where, str(error))
            continue
        steps += 1
        episodes += bool(step.episode) and step.episode != last
        last = step.episode
    return steps, episodes


def is_file(path: Path) -> bool:
    """Like `Path.is_file`, but False for an invalid file name."""
    try:
        return path.is_file()
    except OSError:
        return False


class PictureWriter:
    """Writes the pictures of the records, each once."""

    def __init__(self, dataset: Dataset, screens: Path, images: Images) -> None:
        self.root = dataset.folder.parent if dataset.folder.is_file() else dataset.folder
        self.dataset, self.screens, self.images = dataset.name, screens, images
        self.part = screens.with_name(screens.name + ".part")
        self.count = 0

    def keep(self, sample: Sample) -> str:
        """Write the picture of a sample; returns its path for the record. `ValueError` if it cannot be read."""
        picture = sample.picture
        if picture is None or self.images == "none":
            return ""
        if isinstance(picture.source, str):
            return self._file(Path(picture.source))
        if self.images == "link":
            raise InputError(f"the pictures of {self.dataset} are inside its records: use --images copy, or none")
        try:
            data = picture.data()
        except (OSError, InputError) as error:
            raise ValueError(f"image: it cannot be read: {error}") from None
        return self._bytes(data)

    def _file(self, source: Path) -> str:
        """Write a picture file under its name in the data set."""
        if not is_file(source):
            raise ValueError(f"image: there is no file {source}: {NO_IMAGES_HINT}")
        if not source.is_relative_to(self.root) or ".." in source.relative_to(self.root).parts:
            return self._elsewhere(source.resolve())
        place = self.part / source.relative_to(self.root)
        if not place.exists():
            self._put(source.resolve(), place)
        return self._named(place)

    def _elsewhere(self, real: Path) -> str:
        """Write a picture from outside the data set's folder under a hash as its name."""
        if self.images == "copy":
            return self._bytes(read_bytes(real))
        place = self.part / f"{hashlib.blake2b(os.fsencode(real), digest_size=12).hexdigest()}{real.suffix}"
        if not place.exists():
            self._put(real, place)
        return self._named(place)

    def _put(self, real: Path, place: Path) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        if self.images == "link":
            place.symlink_to(real)
        else:
            shutil.copyfile(real, place)
        self.count += 1

    def _bytes(self, data: bytes) -> str:
        """Write a picture under the hash of its content, so that a screen of many records is stored once."""
        ending = next((ending for start, ending in SIGNATURES.items() if data.startswith(start)), None)
        if ending is None:
            raise ValueError(f"image: unknown picture format: {NO_IMAGES_HINT}")
        name = hashlib.blake2b(data, digest_size=12).hexdigest()
        place = self.part / name[:2] / f"{name}{ending}"
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            self.count += 1
        return self._named(place)

    def _named(self, place: Path) -> str:
        return f"{self.screens.name}/{place.relative_to(self.part).as_posix()}"
