"""Works in this process, one job after another: for debuggers and profilers, and for a few short jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from saccade.engines.base import Engine, Finished, Job, JobQueue, Worker, outcome_of


class InlineEngine(Engine):
    """No processes: whatever number of workers is asked for, there is one, and it is built here. A breakpoint in it
    stops, a profiler sees it, and no time goes into starting a process. What it breaks is not mended: a job that ends
    the process ends the command.
    """

    def work_through(
        self, jobs: Iterable[Job], make: Callable[[], Worker], workers: int, out: Path | None = None
    ) -> Iterator[Finished[Job]]:
        worker: Worker | None = None
        with JobQueue(jobs, out) as queue:
            try:
                while (task := queue.take()) is not None:
                    if worker is None:
                        made: Any = outcome_of(make)
                        if isinstance(made, Exception):
                            raise made
                        worker = made
                    assert worker is not None
                    yield from queue.finished(task, outcome_of(partial(worker.do, task.job, task.folder)))
            finally:
                if worker is not None:
                    worker.close()
