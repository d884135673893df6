"""Runs a pipeline: every stage's output on disk, resumable at any record, parallel where it is worth it.

    OUT/pipeline.json                what was asked for; a folder takes no other request
    OUT/stages/NN-NAME/records.jsonl what the stage made, in the order of its input; put in place whole
    OUT/stages/NN-NAME/report.json   what it took, made and dropped
    OUT/stages/NN-NAME/done.jsonl    of a stage that takes time: each record's outcome as it comes
    OUT/answers/                     what models answered (`answer_cache`)
    OUT/screens/                     pictures, named by their content
    OUT/steps.jsonl, manifest.json, README.md, sheet.jpg    the data set

A process that is killed loses the records in work. The result is the same, byte for byte, as without interruption.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import msgspec

from saccade.agents.hidden_settings import hidden
from saccade.data.synthesis.definition import build_stages
from saccade.data.synthesis.finish import finish
from saccade.data.synthesis.manifest import Manifest, StageReport
from saccade.data.synthesis.records import SCREENS, Dropped, Outcome, Record, read_records
from saccade.data.synthesis.request import Request
from saccade.data.synthesis.roles.base import UnansweredError
from saccade.data.synthesis.roles.respondents import WITHOUT_MODEL, check_model, open_respondent
from saccade.data.synthesis.sources import read_sources, source_fingerprints
from saccade.data.synthesis.stage import ItemStage, ReviewQueue, Stage, StoppedError, Tools, WholeStage
from saccade.engines import Engine
from saccade.engines.local import LocalEngine
from saccade.errors import InputError
from saccade.models.base import ModelError, Usage
from saccade.records import add_line, as_line, lock_folder, read_object, write_object
from saccade.untrusted import JsonDecoder, open_file, read_bytes
from saccade.worlds.base import InfrastructureError

TRIES = 3
"""How often a record is tried where the world breaks or the model does not answer."""


class Progress(Protocol):
    """What a run tells while it works; the command line draws it."""

    def begin(self, stage: str, total: int, done: int) -> None: ...

    def advance(self, outcome: Outcome, usage: Usage) -> None: ...


class NoProgress:
    """Nobody looks."""

    def begin(self, stage: str, total: int, done: int) -> None:
        """Nothing."""

    def advance(self, outcome: Outcome, usage: Usage) -> None:
        """Nothing."""


class DoneRecord(msgspec.Struct, omit_defaults=True):
    """One line of `done.jsonl`."""

    at: int
    records: list[Record]
    dropped: list[Dropped] = msgspec.field(default_factory=list)
    usage: Usage = Usage()


class Job(msgspec.Struct, frozen=True):
    """One record for a worker, with its pictures where the worker cannot read them from disk."""

    at: int
    record: Record
    pictures: dict[str, bytes]


class PipelineRun:
    """One request in one output folder."""

    def __init__(
        self,
        request: Request,
        out: Path,
        *,
        engine: Engine | None = None,
        workers: int = 1,
        max_cost: float = 0.0,
        review: ReviewQueue | None = None,
        waiting: Callable[[int], bool] = lambda missing: False,
        progress: Progress | None = None,
    ) -> None:
        self.request, self.out = request, out
        self.engine, self.workers, self.max_cost = engine or LocalEngine(), workers, max_cost
        self.review, self.waiting, self.progress = review, waiting, progress or NoProgress()
        self.stages = build_stages(request.definition)
        self.spent = 0.0

    @property
    def answers(self) -> Path:
        return self.out / "answers"

    def run(self) -> Manifest:
        """Make what is not there yet; returns the manifest."""
        try:
            (self.out / "stages").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write to {self.out}: {error.strerror}") from None
        with lock_folder(self.out, "making data in", "wait for it, or choose another --out"):
            self._check_request()
            reports = [self._source()]
            for at, stage in enumerate(self.stages, 1):
                reports.append(self._stage(at, stage))
            self._remove_unmasked()
            last = self._folder(len(self.stages), self.stages[-1].name) / "records.jsonl"
            return finish(self.request, self.out, reports, self.stages, last, self.review)

    def _check_request(self) -> None:
        """A folder is for one request, less its secrets; where the model is served is no part of it. A larger
        `max_items` is another request. One that failed before its source was read leaves the folder free.
        """
        check_model(self.request.model.name)
        for stage in self.stages:
            stage.check(self.request.policy)
        asked: dict[str, Any] = hidden(msgspec.to_builtins(self.request))
        asked["sources"] = [each.name for each in map(Path, self.request.sources)]
        asked["fingerprints"] = source_fingerprints(self.request)
        asked["model"].pop("base_url", None)
        for told, stage in zip(asked["definition"]["stages"], self.stages, strict=True):
            if stage.masks:
                told[stage.name] = stage.told_settings()
        file = self.out / "pipeline.json"
        if not file.exists() or not (self._folder(0, "source") / "report.json").exists():
            write_object(file, asked)
            return
        before = read_object(file, dict[str, Any], f"there is no {file}")
        other = [key for key in sorted(asked | before) if asked.get(key) != before.get(key)]
        if other:
            raise InputError(
                f"{self.out} holds data that was made otherwise ({', '.join(other)} differ): use the same options, or "
                "another --out"
            )

    def _folder(self, at: int, name: str) -> Path:
        return self.out / "stages" / f"{at:02}-{name.replace('_', '-')}"

    def _remove_unmasked(self) -> None:
        """Remove the records from which personal data was masked, so that nobody publishes them with the folder; their
        pictures go with all that no record names.
        """
        names = ["source", *(stage.name for stage in self.stages)]
        places = [at for at, stage in enumerate(self.stages, 1) if stage.masks]
        for at in {*range(places[0] if places else 0), *(place - 1 for place in places)}:
            (self._folder(at, names[at]) / "records.jsonl").unlink(missing_ok=True)

    def _source(self) -> StageReport:
        folder = self._folder(0, "source")
        return self._written(folder, "source", {}, lambda report: read_sources(self.request, self.out, report))

    def _stage(self, at: int, stage: Stage) -> StageReport:
        folder = self._folder(at, stage.name)
        before = self._folder(at - 1, self.stages[at - 2].name if at > 1 else "source")

        def make(report: StageReport) -> Iterator[Record]:
            source = read_records(before / "records.jsonl")
            if isinstance(stage, WholeStage):
                yield from self._whole(stage, source, report)
            else:
                assert isinstance(stage, ItemStage)
                total = read_object(before / "report.json", StageReport, "").made
                yield from self._items(at - 1, stage, source, total, folder, report)
            report.facts = dict(stage.facts)

        return self._written(folder, stage.name, stage.told_settings(), make)

    def _written(
        self, folder: Path, name: str, settings: dict[str, Any], make: Callable[[StageReport], Iterator[Record]]
    ) -> StageReport:
        """A stage's output: as it lies there, or made now. The report is put in place last."""
        if (folder / "report.json").is_file():
            return read_object(folder / "report.json", StageReport, "")
        folder.mkdir(exist_ok=True)
        report, part = StageReport(name, settings), folder / "records.jsonl.part"
        with part.open("wb") as stream:
            for record in make(report):
                stream.write(as_line(record))
                report.made += 1
        part.replace(folder / "records.jsonl")
        write_object(folder / "report.json", report)
        (folder / "done.jsonl").unlink(missing_ok=True)
        return report

    def _whole(self, stage: WholeStage, source: Iterator[Record], report: StageReport) -> Iterator[Record]:
        def taken() -> Iterator[Record]:
            for record in source:
                report.taken += 1
                yield record

        tools = self._tools()
        try:
            for made in stage.do(taken(), tools):
                if isinstance(made, Dropped):
                    report.count(made)
                else:
                    yield made
        finally:
            tools.close()

    def _tools(self) -> Tools:
        return Tools(self.out, self.request.seed, review=self.review, waiting=self.waiting, policy=self.request.policy)

    # -- records one by one --

    def _items(
        self, at: int, stage: ItemStage, source: Iterator[Record], total: int, folder: Path, report: StageReport
    ) -> Iterator[Record]:
        model = stage.roles and self.request.model.name not in WITHOUT_MODEL
        if not (model or stage.plays):
            yield from self._here(at, source, total, report)
            return
        places = self._finished_before(folder / "done.jsonl")
        self.progress.begin(stage.name, total, len(places))
        with (folder / "done.jsonl").open("ab") as log:
            jobs = (self._job(at, record) for at, record in enumerate(source) if at not in places)
            worker = partial(StageWorker, self.request, at, str(self.out), self.engine.shares_disk)
            for _, done, files in self.engine.work_through(jobs, worker, self.workers, self.out):
                if isinstance(done, str):
                    raise InfrastructureError(done)
                publish_pictures(files, self.out)
                places[done.at] = log.tell()
                add_line(log, done)
                self.progress.advance(Outcome(done.records, done.dropped), done.usage)
                self._count_cost(done.usage)
        yield from self._in_order(folder / "done.jsonl", places, report)

    def _here(self, at: int, source: Iterator[Record], total: int, report: StageReport) -> Iterator[Record]:
        """Stages that take no time are done in this process, and again after an interruption."""
        worker = StageWorker(self.request, at, str(self.out), True)
        self.progress.begin(self.stages[at].name, total, 0)
        try:
            for record in source:
                outcome = worker.outcome(record)
                self.progress.advance(outcome, Usage())
                yield from counted(outcome, report)
        finally:
            worker.close()

    def _job(self, at: int, record: Record) -> Job:
        names = {step.image for step in record.steps if step.image} if not self.engine.shares_disk else set()
        return Job(at, record, {name: read_bytes(self.out / name) for name in sorted(names)})

    def _finished_before(self, file: Path) -> dict[int, int]:
        """Which records were done, and where their lines begin. Half a line of a killed process is cut off."""
        places, whole = dict[int, int](), 0
        if not file.exists():
            return places
        decoder = JsonDecoder(DoneRecord)
        with file.open("r+b") as stream:
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                done = decoder.decode(line)
                places[done.at] = whole
                whole += len(line)
                self.spent += done.usage.cost
            stream.truncate(whole)
        return places

    def _in_order(self, file: Path, places: Mapping[int, int], report: StageReport) -> Iterator[Record]:
        decoder = JsonDecoder(DoneRecord)
        if not places:
            return
        with open_file(file) as stream:
            for at in sorted(places):
                stream.seek(places[at])
                done = decoder.decode(stream.readline())
                yield from counted(Outcome(done.records, done.dropped), report)

    def _count_cost(self, usage: Usage) -> None:
        self.spent += usage.cost
        if self.max_cost and self.spent >= self.max_cost:
            raise StoppedError(
                f"${self.spent:.2f} were spent, the limit of --max-cost ${self.max_cost:.2f}: what was made is kept; "
                "the same command with a higher limit goes on"
            )


def counted(outcome: Outcome, report: StageReport) -> Iterator[Record]:
    """The records of an outcome; what was dropped is counted."""
    report.taken += 1
    for each in outcome.dropped:
        report.count(each)
    yield from outcome.records


def publish_pictures(files: Path, out: Path) -> None:
    """Put the pictures that a worker left in place. They are named by content: what is there is the same."""
    for file in sorted(files.rglob("*")) if files.is_dir() else ():
        if file.is_file() and file.relative_to(files).parts[0] == SCREENS:
            target = out / file.relative_to(files)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(file, target)


class StageWorker:
    """Does one stage for one record after another, in a process of its own."""

    def __init__(self, request: Request, at: int, out: str, shares_disk: bool) -> None:
        stage = build_stages(request.definition)[at]
        assert isinstance(stage, ItemStage)
        self.stage: ItemStage = stage
        answers = Path(out) / "answers" if shares_disk else Path("saccade-answers")
        self.tools = Tools(Path(out), request.seed, policy=request.policy)
        if stage.roles:
            self.tools.respondent = open_respondent(request.model, answers)

    def do(self, job: Job, folder: Path) -> DoneRecord | str:
        """The outcome for a record, or why there is none."""
        self.tools.files, self.tools.carried = folder, job.pictures
        for left in reversed(range(TRIES)):
            try:
                outcome = self.outcome(job.record)
                usage, self.tools.usage = self.tools.usage, Usage()
                return DoneRecord(job.at, outcome.records, outcome.dropped, usage)
            except (InfrastructureError, ModelError) as error:
                self.tools.worlds.close()
                if not left:
                    return f"{self.stage.name}, record {job.record.id}: {error}; run the same command again to go on"
        raise AssertionError

    def outcome(self, record: Record) -> Outcome:
        """What the stage makes of a record; a role without a usable answer drops it."""
        try:
            return self.stage.do(record, self.tools)
        except UnansweredError as error:
            self.tools.usage += error.usage
            return Outcome([], [Dropped(record.id, error.reason, error.detail)])

    def close(self) -> None:
        self.tools.close()


def stage_table(stages: Sequence[Stage]) -> list[tuple[str, str, dict[str, Any]]]:
    """Name, title and settings of each stage, for `--stages`."""
    return [(stage.name, stage.title, msgspec.to_builtins(stage.settings)) for stage in stages]
