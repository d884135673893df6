"""Work that an engine of somebody else's does gives what it gives in this process: scoring in chunks, recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import pytest
from command import saccade

from saccade.agents.settings import Settings
from saccade.bench import chunked_scoring
from saccade.bench.runner import BenchRequest, measure
from saccade.bench.suites import get_suite
from saccade.engines import Engine, Finished, Worker
from saccade.engines.base import Job, JobQueue
from saccade.engines.local import LocalEngine
from saccade.scoring.evaluate import read_steps

EXAMPLE = str(Path(chunked_scoring.__file__).parents[1] / "examples" / "steps.jsonl")
PLUGIN = """
from test_bench_engines import Backwards
SACCADE = {"engines": {"backwards": Backwards}}
"""


def travelled(value: Any) -> Any:
    return ForkingPickler.loads(ForkingPickler.dumps(value))


class Backwards(Engine):
    """Does the last job first, in this process, as far as jobs and results can be sent to another machine."""

    shares_disk = False

    def work_through(
        self, jobs: Iterable[Job], make: Callable[[], Worker], workers: int, out: Path | None = None
    ) -> Iterator[Finished[Job]]:
        worker = travelled(make)()
        with JobQueue(reversed(list(jobs)), out) as queue:
            while (task := queue.take()) is not None:
                yield from queue.finished(task, travelled(worker.do(travelled(task.job), task.folder)))
        worker.close()


def test_chunks_give_the_same_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunked_scoring, "CHUNK", 4)
    (tmp_path / "backwards.py").write_text(PLUGIN)
    whole = saccade("score", EXAMPLE, "--profile", "all", "--json")
    words = ["--profile", "all", "--json", "--workers", "2", "--engine", "backwards"]
    chunked = saccade("score", EXAMPLE, *words, "--plugin", str(tmp_path / "backwards.py"))
    assert (
        whole.returncode == chunked.returncode == 0 and chunked.stdout == whole.stdout and whole.stdout.count("\n") > 5
    )


def test_a_recording_is_answered_the_same_by_other_machines(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "steps.jsonl").write_bytes(Path(EXAMPLE).read_bytes())
    answers = []
    for name, engine in (("threads", LocalEngine()), ("engine", Backwards())):
        settings = Settings(world="steps", model="oracle", paradigm="secagent")
        request = BenchRequest(get_suite("steps"), settings, tmp_path / name, data, workers=2, engine=engine)
        results = measure(request).results
        assert results and all((tmp_path / name / each.run).is_dir() for each in results.values())
        steps = read_steps(tmp_path / name / "steps.jsonl")
        answers.append([(step.id, step.output, step.prediction) for step in steps])
    assert answers[0] == answers[1]


def test_a_wrong_engine_is_told() -> None:
    told = saccade("score", EXAMPLE, "--engine", "spark")
    assert told.returncode == 2 and "unknown engine 'spark'" in told.stderr
