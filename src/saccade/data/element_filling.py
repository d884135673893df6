"""Elements for recordings: found in their pictures by an element source, several at a time, and kept on disk.

    CACHE/elements/NAME-VERSION-LANGUAGE/ab/abcdef….json    by the hash of the picture

`SACCADE_CACHE` names another cache folder.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from saccade.data.readers.base import Sample
from saccade.engines import Engine
from saccade.engines.local import LocalEngine
from saccade.errors import InputError
from saccade.geometry import Size
from saccade.paradigms.wording import language_of
from saccade.records import write_whole
from saccade.screens.element_source import ElementSource, elements_in_picture, open_element_source
from saccade.types import Element, Language, Picture
from saccade.untrusted import decode_json, read_bytes

TOGETHER = 96
"""So many samples are read before their pictures are looked at: processes are started once for all of them."""
OnPicture = Callable[[], None]


def cache_folder() -> Path:
    """Where found elements are kept."""
    base = os.environ.get("SACCADE_CACHE")
    root = Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "saccade"
    return root / "elements"


class PictureJob(NamedTuple):
    """One picture to look at: a file or its bytes, the size of its screen, the language of captions."""

    source: str | bytes
    size: Size
    language: Language


class ElementFinder:
    """An element source with a memory on disk: a picture that was looked at once is not looked at again."""

    def __init__(self, name: str, folder: Path | None = None) -> None:
        source = open_element_source(name)
        assert source is not None, "the tree finds nothing in pictures"
        self.source: ElementSource = source
        self.folder = folder or cache_folder()

    def find(self, job: PictureJob) -> list[Element]:
        """Elements in pixels of the screen; `ValueError` if it is no picture. A cache that cannot be written is no
        reason to stop.
        """
        try:
            data = read_bytes(Path(job.source)) if isinstance(job.source, str) else job.source
        except OSError as error:
            raise ValueError(f"the picture cannot be read: {error.strerror or error}") from None
        file = self.file(data, job)
        try:
            return decode_json(read_bytes(file), list[Element])
        except (OSError, msgspec.MsgspecError):
            pass
        self.source.reset()
        found = elements_in_picture(self.source, data, job.size, job.language)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, msgspec.json.encode(found))
        except OSError:
            pass
        return found

    def file(self, data: bytes, job: PictureJob) -> Path:
        key = hashlib.blake2b(data + repr(tuple(job.size)).encode(), digest_size=16).hexdigest()
        kind = f"{self.source.name}-{self.source.version}-{job.language}"
        return self.folder / kind / key[:2] / f"{key}.json"

    # -- as a worker of `saccade.engines` --

    def do(self, job: PictureJob, folder: Path | None = None) -> list[Element] | str:
        """The elements, or why there are none."""
        try:
            return self.find(job)
        except ValueError as error:
            return str(error)

    def close(self) -> None:
        """Nothing to give back."""


def job_of(sample: Sample, by_path: bool = True) -> PictureJob | None:
    """What is to be looked at for a sample; None if it has no picture. A worker on another machine cannot open its
    path.
    """
    picture, step = sample.picture, sample.step
    if picture is None:
        return None
    return PictureJob(_plain(picture, by_path), step.screen, language_of(step.instruction))


def _plain(picture: Picture, by_path: bool) -> str | bytes:
    plain = str | bytes if by_path else bytes
    return picture.source if isinstance(picture.source, plain) else picture.data()


def fill_elements(
    samples: Iterable[Sample],
    name: str,
    workers: int,
    on_problem: Callable[[Sample, str], None],
    on_picture: OnPicture = lambda: None,
    folder: Path | None = None,
    engine: Engine | None = None,
) -> Iterator[Sample]:
    """The samples; those without elements get what a source finds in their pictures. `on_problem` is told of one whose
    picture cannot be read, and it is left out.
    """
    finder = ElementFinder(name, folder)  # a wrong name is told at once
    stream = iter(samples)
    while batch := list(islice(stream, TOGETHER)):
        make = partial(ElementFinder, name, folder)
        found = _look(batch, finder, make, workers, on_picture, engine or LocalEngine())
        for sample, elements in zip(batch, found, strict=True):
            if isinstance(elements, str):
                on_problem(sample, elements)
            else:
                yield sample if elements is None else with_elements(sample, elements)


def with_elements(sample: Sample, elements: list[Element]) -> Sample:
    return sample._replace(step=replace(sample.step, elements=elements))


def _look(
    batch: Sequence[Sample],
    finder: ElementFinder,
    make: Callable[[], ElementFinder],
    workers: int,
    on_picture: OnPicture,
    engine: Engine,
) -> list[list[Element] | str | None]:
    """What is found in each sample's picture; None where nothing is to be looked for. Equal pictures are looked at
    once.
    """
    jobs: list[PictureJob | None] = []
    for sample in batch:
        try:
            jobs.append(job_of(sample, engine.shares_disk) if not sample.step.elements else None)
        except (OSError, InputError):
            jobs.append(None)
    different = list(dict.fromkeys(job for job in jobs if job is not None))
    results: dict[PictureJob, list[Element] | str] = {}
    if (workers > 1 and len(different) > 1) or not engine.shares_disk:
        work = engine.work_through(different, make, workers)
        done = ((each.job, each.result) for each in work)
    else:
        done = ((job, finder.do(job)) for job in different)
    for job, result in done:
        results[job] = result
        on_picture()
    return [None if job is None else results[job] for job in jobs]
