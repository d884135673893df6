"""Where a pipeline's records come from: any data set that a reader knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import groupby, islice
from pathlib import Path

from saccade.data.readers import UnknownFormatError, open_dataset
from saccade.data.readers.base import Sample
from saccade.data.synthesis.manifest import StageReport, file_hash
from saccade.data.synthesis.records import Dropped, Record, store_picture
from saccade.data.synthesis.request import Request
from saccade.errors import InputError
from saccade.records import steps_file
from saccade.types import Picture, Step


def source_fingerprints(request: Request) -> list[str]:
    """A hash of each source: of its record file, or of the names and sizes of a folder's files."""
    return [_fingerprint(Path(source)) for source in request.sources]


def _fingerprint(source: Path) -> str:
    if not source.exists():
        raise InputError(f"there is no {source}: name a data set's folder, or a file of step records")
    try:
        return file_hash(steps_file(source))
    except InputError:
        pass
    files = sorted(file for file in source.rglob("*") if file.is_file())
    listed = "\n".join(f"{file.relative_to(source)} {file.stat().st_size}" for file in files)
    return sha256(listed.encode()).hexdigest()


def read_sources(request: Request, out: Path, report: StageReport) -> Iterator[Record]:
    """The records of all sources. Pictures are copied into the output folder, named by their content."""
    units = {"step": _steps, "episode": _episodes}.get(request.definition.unit)
    if units is None:
        return
    samples = (sample for at, source in enumerate(request.sources) for sample in _samples(source, at, request))
    for record in islice(units(samples, out, report), request.max_items or None):
        report.taken += 1
        yield record


def _samples(source: str, at: int, request: Request) -> Iterator[Sample]:
    """Of several sources, episodes and ids of the later ones get a prefix: they may be the same."""
    try:
        dataset = open_dataset(Path(source))
    except UnknownFormatError:
        raise InputError(
            f"{source} holds neither step records nor a data set that a reader recognises: name the folder of a "
            "finished walk or collection, or convert a published set with saccade data read"
        ) from None
    for sample in dataset.samples():
        if at:
            sample.step.id = f"s{at}-{sample.step.id}"
            sample.step.episode = sample.step.episode and f"s{at}-{sample.step.episode}"
        yield sample


def _imported(sample: Sample, out: Path, report: StageReport) -> Step | None:
    """The step with its pictures in the output folder; None, counted, if one cannot be read."""
    step, picture = sample.step, sample.picture
    image, after = step.image, step.tags.get("after", "")
    try:
        step.image = store_picture(out, picture.data()) if picture is not None else ""
        if after and image and picture is not None and isinstance(picture.source, str):
            folder = Path(picture.source).parents[len(Path(image).parts) - 1]
            step.tags = {**step.tags, "after": store_picture(out, Picture(str(folder / after)).data())}
    except OSError as error:
        report.count(Dropped(step.id, "its picture cannot be read", str(error.strerror)))
        return None
    return step


def _steps(samples: Iterable[Sample], out: Path, report: StageReport) -> Iterator[Record]:
    for sample in samples:
        if (step := _imported(sample, out, report)) is not None:
            yield Record(id=step.id, steps=[step])


def _episodes(samples: Iterable[Sample], out: Path, report: StageReport) -> Iterator[Record]:
    for name, group in groupby(samples, key=lambda sample: sample.step.episode or sample.step.id):
        steps = [step for sample in group if (step := _imported(sample, out, report)) is not None]
        if steps:
            yield Record(id=name, steps=sorted(steps, key=lambda step: step.step))
