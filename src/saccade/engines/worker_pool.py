"""Several processes that work through a list of jobs: each with a browser of its own, one job at a time.

A process that dies takes one try of one job with it: the job is given to another, and the crew is filled up again.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from saccade.worlds.base import InfrastructureError

Job = TypeVar("Job")
TRIES = 3
"""How often a job may lose its process."""
QUIET_SECONDS = 900.0
"""If nobody reports for so long, something hangs."""


class Worker(Protocol):
    """What one process does."""

    def do(self, job: Any) -> Any: ...

    def close(self) -> None: ...


@dataclass
class Member:
    """One process, and the job it has."""

    process: Any
    line: Any
    at: int | None = None


def work_through(jobs: Sequence[Job], make: Callable[[], Worker], workers: int) -> Iterator[tuple[Job, Any]]:
    """Each job with its result, in the order in which they are done. `make` builds a worker inside its process, so it
    must be a function that can be imported, or a `functools.partial` of one.
    """
    waiting = deque(range(len(jobs)))
    tries = [0] * len(jobs)
    crew = [_hire(make) for _ in range(max(1, min(workers, len(jobs))))]
    try:
        for member in crew:
            _assign(member, jobs, waiting)
        while any(member.at is not None for member in crew):
            ready = multiprocessing.connection.wait([m.line for m in crew if m.at is not None], QUIET_SECONDS)
            if not ready:
                raise InfrastructureError(f"nothing was finished for {QUIET_SECONDS:.0f} s: run the same command again")
            for member in [each for each in crew if each.line in ready]:
                at = member.at
                assert at is not None
                try:
                    result = member.line.recv()
                except (EOFError, ConnectionError):
                    tries[at] += 1
                    if tries[at] >= TRIES:
                        raise InfrastructureError(
                            f"{tries[at]} processes died over the same job ({jobs[at]}): run the same command again"
                        ) from None
                    waiting.appendleft(at)
                    fresh = crew[crew.index(member)] = _hire(make)
                    _assign(fresh, jobs, waiting)
                    continue
                _assign(member, jobs, waiting)
                if isinstance(result, BaseException):
                    raise result
                yield jobs[at], result
    finally:
        _dismiss(crew)


def _hire(make: Callable[[], Worker]) -> Member:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(make, theirs), daemon=True)
    process.start()
    theirs.close()
    return Member(process, ours)


def _assign(member: Member, jobs: Sequence[Any], waiting: deque[int]) -> None:
    member.at = None
    if waiting:
        member.at = waiting.popleft()
        with suppress(OSError):  # it is gone: that shows when its answer is waited for
            member.line.send(jobs[member.at])


def _dismiss(crew: Sequence[Member]) -> None:
    for member in crew:
        with suppress(OSError):
            member.line.send(None) if member.at is None else member.process.terminate()
    for member in crew:
        member.process.join(10)
        if member.process.is_alive():
            member.process.kill()
        member.line.close()


def _serve(make: Callable[[], Worker], line: Any) -> None:
    """One process. What a job raises goes to the parent, which ends the crew: a worker answers for its own mishaps."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends us
    worker: Worker | None = None
    try:
        while (job := line.recv()) is not None:
            try:
                worker = worker or make()
                result = worker.do(job)
            except Exception as error:  # noqa: BLE001  (told to the parent)
                result = error
            line.send(result)
    except (EOFError, ConnectionError):
        pass  # the parent is gone
    finally:
        if worker is not None:
            worker.close()
