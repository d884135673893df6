"""What an engine is: it works through many jobs with several workers, each in a process of its own.

A worker returns its result and may leave files; only the process that called `work_through` (the driver) puts them in
place. Every try of a job has a folder of its own, so that a worker that was given up for lost, and comes back, cannot
write into what another try made: nobody reads its folder.
"""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from saccade.errors import InputError
from saccade.models.base import ModelError
from saccade.plugins import blamed
from saccade.worlds.base import InfrastructureError

Job = TypeVar("Job")
TRIES = 3
"""How often a job may lose its worker."""
QUIET_SECONDS = 900.0
"""If no worker reports for this long, something hangs."""
TRIES_FOLDER = ".tries"
"""In the output folder: files of tries that are not published yet."""


class Worker(Protocol):
    """What one process does, one job after another. It is built inside that process."""

    def do(self, job: Any, folder: Path) -> Any:
        """Do one job and return its result. Files go to `folder`, which does not exist yet. An exception ends all work:
        a worker is expected to handle what may go wrong with a job.
        """

    def close(self) -> None:
        """Give back what it holds."""


class Finished(NamedTuple, Generic[Job]):
    """A job that is done."""

    job: Job
    result: Any
    folder: Path
    """The files that the worker left; it does not exist if there are none. It is removed when the next job is asked
    for: what is to stay must be published before.
    """


class Engine(ABC):
    """Works through jobs. An engine of one's own is a subclass in the entry-point group `saccade.engines`."""

    shares_disk = True
    """Can a worker read the driver's files by their paths? Else a job carries what the worker needs."""

    def __init__(self, address: str = "") -> None:
        """`address` is what stands behind the colon in `--engine NAME:ADDRESS`."""
        if address:
            raise InputError(f"--engine: this engine takes no address, got {address!r}")

    @abstractmethod
    def work_through(
        self, jobs: Iterable[Job], make: Callable[[], Worker], workers: int, out: Path | None = None
    ) -> Iterator[Finished[Job]]:
        """Each job with its result, in the order in which they are done. `make` builds a worker inside its process, so
        it must be a function that can be imported, or a `functools.partial` of one. Files of tries lie under `out`,
        to be published there by a rename; without `out` they lie in a temporary folder.

        A worker that is lost (its process dies, its machine goes away) costs its job one try; a job that loses `TRIES`
        workers raises `InfrastructureError`. Workers end when their driver ends, however it ends.
        """

    def close(self) -> None:  # noqa: B027  (most hold nothing)
        """Give back what it holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def publish(made: Path, target: Path) -> None:
    """Put a file or folder of a try in its place, by a rename. What was there goes."""
    if target.is_dir():
        shutil.rmtree(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    made.rename(target)


# -- for the authors of engines ----------------------------------------------------------------------------------------


@dataclass
class Try(Generic[Job]):
    """One try of one job."""

    at: int
    """Which job."""
    job: Job
    number: int
    """Which try, from 1."""
    folder: Path


class JobQueue(Generic[Job]):
    """Jobs that wait, those of lost workers first. Usable in a `with` statement, which removes all unpublished files.

    Jobs are taken from the iterable when a worker is free, so that they need not fit into memory together.
    """

    def __init__(self, jobs: Iterable[Job], out: Path | None) -> None:
        self._jobs = enumerate(jobs)
        self._again: deque[Try[Job]] = deque()
        try:
            if out is not None:
                shutil.rmtree(out / TRIES_FOLDER, ignore_errors=True)  # of a driver that was killed
                (out / TRIES_FOLDER).mkdir(parents=True, exist_ok=True)
            self._folder = Path(mkdtemp(dir=out and out / TRIES_FOLDER, prefix="saccade-"))
        except OSError as error:
            raise InputError(f"cannot write to {out or 'the temporary folder'}: {error.strerror}") from None
        self._temporary = out is None

    def take(self) -> Try[Job] | None:
        """The next try; None if no job waits."""
        if self._again:
            return self._again.popleft()
        for at, job in self._jobs:
            return Try(at, job, 1, self._folder / f"{at}-1")
        return None

    def lost(self, lost: Try[Job], reason: str = "") -> None:
        """The worker of this try is gone: the job is tried again, in another folder."""
        if lost.number >= TRIES:
            because = f", the last because {reason}" if reason else ""
            raise InfrastructureError(
                f"{TRIES} processes died over the same job ({lost.job}){because}: run the same command again"
            )
        number = lost.number + 1
        self._again.append(Try(lost.at, lost.job, number, self._folder / f"{lost.at}-{number}"))

    def finished(self, done: Try[Job], result: Any) -> Iterator[Finished[Job]]:
        """The result for the caller of `work_through`; what it did not publish is removed afterwards."""
        if isinstance(result, BaseException):
            raise result
        yield Finished(done.job, result, done.folder)
        shutil.rmtree(done.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        if not self._temporary:
            with suppress(OSError):
                self._folder.parent.rmdir()


def outcome_of(work: Callable[[], Any]) -> Any:
    """What the work returns, or the exception that it raises, as something that can be sent to another process."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001  (told to the driver)
        return _sendable(error)


def _sendable(error: Exception) -> Exception:
    """The error as the driver gets it. Tracebacks do not travel: whose mistake it is must be found out here."""
    if (blame := blamed(error, (InfrastructureError, ModelError))) is not None:
        return blame
    try:
        again = ForkingPickler.loads(ForkingPickler.dumps(error))
    except Exception:  # noqa: BLE001  (an exception class of somebody else's that cannot travel)
        again = None
    return error if type(again) is type(error) else RuntimeError(f"{type(error).__name__}: {error}")
