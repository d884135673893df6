"""Several processes that work through a list of jobs: each with a browser of its own, one job at a time.

A process that dies costs one try of one job: the job is given to another, and a new process is started in its place.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.reduction import ForkingPickler
from typing import Any, Protocol, TypeVar

from saccade.models.base import ModelError
from saccade.plugins import blamed
from saccade.worlds.base import InfrastructureError

Job = TypeVar("Job")
TRIES = 3
"""How often a job may lose its process."""
QUIET_SECONDS = 900.0
"""If no process reports for this long, something hangs."""


class Worker(Protocol):
    """What one process does."""

    def do(self, job: Any) -> Any: ...

    def close(self) -> None: ...


@dataclass
class Process:
    """One worker process, and the job it has."""

    handle: Any
    line: Any
    """The parent's end of the pipe."""
    at: int | None = None
    """Which job it has; None if it has none."""


def work_through(jobs: Sequence[Job], make: Callable[[], Worker], workers: int) -> Iterator[tuple[Job, Any]]:
    """Each job with its result, in the order in which they are done. `make` builds a worker inside its process, so it
    must be a function that can be imported, or a `functools.partial` of one.
    """
    waiting = deque(range(len(jobs)))
    tries = [0] * len(jobs)
    processes = [_start(make) for _ in range(max(1, min(workers, len(jobs))))]
    try:
        for process in processes:
            _assign(process, jobs, waiting)
        while any(process.at is not None for process in processes):
            ready = multiprocessing.connection.wait([m.line for m in processes if m.at is not None], QUIET_SECONDS)
            if not ready:
                raise InfrastructureError(f"nothing was finished for {QUIET_SECONDS:.0f} s: run the same command again")
            for process in [each for each in processes if each.line in ready]:
                at = process.at
                assert at is not None
                try:
                    result = process.line.recv()
                except (EOFError, ConnectionError):
                    tries[at] += 1
                    if tries[at] >= TRIES:
                        raise InfrastructureError(
                            f"{tries[at]} processes died over the same job ({jobs[at]}): run the same command again"
                        ) from None
                    waiting.appendleft(at)
                    fresh = processes[processes.index(process)] = _start(make)
                    _assign(fresh, jobs, waiting)
                    continue
                _assign(process, jobs, waiting)
                if isinstance(result, BaseException):
                    raise result
                yield jobs[at], result
    finally:
        _stop(processes)


def _start(make: Callable[[], Worker]) -> Process:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    handle = context.Process(target=_serve, args=(make, theirs), daemon=True)
    handle.start()
    theirs.close()
    return Process(handle, ours)


def _assign(process: Process, jobs: Sequence[Any], waiting: deque[int]) -> None:
    process.at = None
    if waiting:
        process.at = waiting.popleft()
        with suppress(OSError):  # it is gone: that shows when its answer is waited for
            process.line.send(jobs[process.at])


def _stop(processes: Sequence[Process]) -> None:
    for process in processes:
        with suppress(OSError):
            process.line.send(None) if process.at is None else process.handle.terminate()
    for process in processes:
        process.handle.join(10)
        if process.handle.is_alive():
            process.handle.kill()
        process.line.close()


def _serve(make: Callable[[], Worker], line: Any) -> None:
    """One process. What a job raises is sent to the parent, which then stops all of them: a worker is expected to
    handle what may go wrong with a job.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    worker: Worker | None = None
    try:
        while (job := line.recv()) is not None:
            try:
                worker = worker or make()
                result = worker.do(job)
            except Exception as error:  # noqa: BLE001  (told to the parent)
                result = _sent(error)
            line.send(result)
    except (EOFError, ConnectionError):
        pass  # the parent is gone
    finally:
        if worker is not None:
            worker.close()


def _sent(error: Exception) -> Exception:
    """The error as the parent gets it. Tracebacks do not travel: whose mistake it is must be found out here."""
    if (blame := blamed(error, (InfrastructureError, ModelError))) is not None:
        return blame
    try:
        again = ForkingPickler.loads(ForkingPickler.dumps(error))
    except Exception:  # noqa: BLE001  (an exception class of somebody else's that cannot travel)
        again = None
    return error if type(again) is type(error) else RuntimeError(f"{type(error).__name__}: {error}")
