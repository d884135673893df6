"""Workers in processes of this machine: each with a browser of its own, one job at a time.

A process that dies costs one try of one job: the job is given to another, and a new process is started in its place.
If the driver dies, its workers are killed at once, whatever they do at that moment: nobody would read their results.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from saccade.engines.base import QUIET_SECONDS, Engine, Finished, Job, JobQueue, Try, Worker, outcome_of
from saccade.engines.guard import Guard
from saccade.worlds.base import InfrastructureError


@dataclass
class Process:
    """One worker process, and the try it works on."""

    handle: Any
    line: Any
    """The driver's end of the pipe."""
    task: Try[Any] | None = None


class LocalEngine(Engine):
    """Processes of this machine, which share its disk."""

    def work_through(
        self, jobs: Iterable[Job], make: Callable[[], Worker], workers: int, out: Path | None = None
    ) -> Iterator[Finished[Job]]:
        together = max(1, min(workers, len(jobs)) if isinstance(jobs, Sized) else workers)
        threads = max(1, (os.cpu_count() or 1) // together)
        processes: list[Process] = []
        with JobQueue(jobs, out) as queue, Guard() as guard:
            try:
                while len(processes) < together and (task := queue.take()) is not None:
                    processes.append(_assign(_start(make, threads, guard), task))
                while busy := [each for each in processes if each.task is not None]:
                    ready = multiprocessing.connection.wait([each.line for each in busy], QUIET_SECONDS)
                    if not ready:
                        raise InfrastructureError(
                            f"nothing was finished for {QUIET_SECONDS:.0f} s: run the same command again"
                        )
                    for process in [each for each in busy if each.line in ready]:
                        done = process.task
                        assert done is not None
                        try:
                            result = process.line.recv()
                        except (EOFError, ConnectionError):
                            queue.lost(done)
                            _stop([process], guard)
                            again = _start(make, threads, guard)
                            processes[processes.index(process)] = _assign(again, queue.take())
                            continue
                        _assign(process, queue.take())
                        yield from queue.finished(done, result)
            finally:
                _stop(processes, guard)


def _start(make: Callable[[], Worker], threads: int, guard: Guard) -> Process:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    handle = context.Process(target=_serve, args=(make, theirs, threads), daemon=True)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # inherited: `_serve` takes over
    try:
        handle.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert handle.pid is not None
    guard.add(handle.pid)
    theirs.close()
    return Process(handle, ours)


def _assign(process: Process, task: Try[Any] | None) -> Process:
    process.task = task
    if task is not None:
        with suppress(OSError):  # it is gone: that shows when its answer is waited for
            process.line.send((task.job, task.folder))
    return process


def _stop(processes: Sequence[Process], guard: Guard) -> None:
    for process in processes:
        with suppress(OSError):
            process.line.send(None) if process.task is None else process.handle.terminate()
    for process in processes:
        process.handle.join(10)
        if process.handle.is_alive():
            process.handle.kill()
            process.handle.join()
        guard.remove(process.handle.pid)
        process.line.close()


def _serve(make: Callable[[], Worker], line: Any, threads: int) -> None:
    """One process, whose networks should compute with so many threads: workers that take all cores wait for each
    other.
    """
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver ends us
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    worker: Worker | None = None
    try:
        while (task := line.recv()) is not None:
            if worker is None:
                made = outcome_of(make)
                if isinstance(made, Exception):
                    line.send(made)
                    continue
                worker = made
            line.send(outcome_of(partial(worker.do, *task)))
    except (EOFError, ConnectionError):
        pass  # the driver is gone
    finally:
        if worker is not None:
            worker.close()
