"""Workers on a Ray cluster, one actor each: `ray` starts Ray on this machine, `ray:ADDRESS` joins a running cluster.

Machines share no disk: what a worker needs travels with its job, and its files come back with the result. A machine
that is lost costs its jobs in flight one try. Ray may also call an actor "unavailable" that comes back later; its try
is given up, and as nobody asks for that result any more, it is never written.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from saccade import __version__
from saccade.engines.base import QUIET_SECONDS, TRIES, Engine, Finished, Job, JobQueue, Try, Worker, outcome_of
from saccade.engines.travelling_files import Surroundings, pack, settle_in, surroundings, unpack
from saccade.errors import InputError, MissingError
from saccade.worlds.base import InfrastructureError

START_SECONDS = 180.0
"""If no worker is ready after this long, the cluster has no room."""
OBJECT_STORE_BYTES = 1 << 30
"""Memory for results on their way, where we start Ray ourselves. The default is a third of the machine's."""


class ClusterWorker:
    """The actor: one worker in a process somewhere on the cluster."""

    def __init__(self, given: Surroundings) -> None:
        settle_in(given)
        self.worker: Worker | None = None
        self.folder = Path(mkdtemp(prefix="saccade-worker-"))

    def prepare(self, make: Callable[[], Worker]) -> str:
        """Take over what builds the worker; returns the version of Saccade on this machine."""
        self.make = make
        return __version__

    def do(self, job: Any) -> tuple[Any, dict[str, bytes]]:
        """The result, or the exception to be raised, and the files."""
        folder = self.folder / "files"
        result = outcome_of(partial(self._do, job, folder))
        files = outcome_of(partial(pack, folder))
        shutil.rmtree(folder, ignore_errors=True)
        return (files, {}) if isinstance(files, Exception) else (result, files)

    def _do(self, job: Any, folder: Path) -> Any:
        self.worker = self.worker or self.make()
        return self.worker.do(job, folder)

    def close(self) -> None:
        if self.worker is not None:
            self.worker.close()
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass
class Slot:
    """One actor, and what is waited for: that it is prepared, or a result; None if it has nothing to do."""

    actor: Any
    awaited: Any
    task: Try[Any] | None = None


class RayEngine(Engine):
    """Actors on a Ray cluster. It is connected when the first jobs come, and stays so until it is closed."""

    shares_disk = False

    def __init__(self, address: str = "") -> None:
        self.address, self._connected = address, False
        self.ray = _import_ray(local=not address)

    def work_through(
        self, jobs: Iterable[Job], make: Callable[[], Worker], workers: int, out: Path | None = None
    ) -> Iterator[Finished[Job]]:
        together = max(1, min(workers, len(jobs)) if isinstance(jobs, Sized) else workers)
        with JobQueue(jobs, out) as queue:
            upcoming = queue.take()
            if upcoming is None:
                return
            actors = ActorPool(self.connect(), make, together)
            try:
                while upcoming is not None or actors.busy:
                    while upcoming is not None and actors.assign(upcoming):
                        upcoming = queue.take()
                    done = actors.wait(queue.lost)
                    upcoming = upcoming or queue.take()
                    while upcoming is not None and done and actors.assign(upcoming):
                        upcoming = queue.take()
                    for task, (result, files) in done:
                        unpack(files, task.folder)
                        yield from queue.finished(task, result)
            finally:
                actors.close()

    def connect(self) -> Any:
        """Ray, connected. Where we start it, it listens on this machine's loopback address only."""
        if self.ray.is_initialized():
            return self.ray
        quiet = {"log_to_driver": False, "logging_level": "ERROR", "include_dashboard": False}
        try:
            if self.address:
                self.ray.init(address=self.address, log_to_driver=False, logging_level="ERROR")
            else:
                self.ray.init(_node_ip_address="127.0.0.1", object_store_memory=OBJECT_STORE_BYTES, **quiet)
        except Exception as error:  # noqa: BLE001  (Ray raises many kinds)
            said = " ".join(str(error).split())[:300]
            if self.address:
                raise InputError(f"--engine ray:{self.address}: there is no Ray cluster to join ({said})") from None
            raise InfrastructureError(f"Ray could not be started on this machine ({said})") from None
        self._connected = True
        _keep_stdout_clean(self.ray)
        return self.ray

    def close(self) -> None:
        if self._connected:
            self.ray.shutdown()
            self._connected = False


class ActorPool:
    """The actors of one `work_through`."""

    def __init__(self, ray: Any, make: Callable[[], Worker], count: int) -> None:
        self.ray, self.make, self.given = ray, make, surroundings()
        share = cpu_share([node["Resources"].get("CPU", 0.0) for node in ray.nodes() if node["Alive"]], count)
        options = {"num_cpus": share, "max_restarts": 0, "max_task_retries": 0, "scheduling_strategy": "SPREAD"}
        self.kind = ray.remote(ClusterWorker).options(**options)
        self.failed_starts = 0
        self.slots = [self._start() for _ in range(count)]

    def _start(self) -> Slot:
        actor = self.kind.remote(self.given)
        return Slot(actor, actor.prepare.remote(self.make))

    @property
    def busy(self) -> bool:
        return any(slot.task is not None for slot in self.slots)

    def assign(self, task: Try[Any]) -> bool:
        """Give a try to a worker that is ready and has none; False if there is none."""
        free = next((slot for slot in self.slots if slot.awaited is None), None)
        if free is None:
            return False
        free.task, free.awaited = task, free.actor.do.remote(task.job)
        return True

    def wait(self, lost: Callable[[Try[Any], str], None]) -> list[tuple[Try[Any], Any]]:
        """Wait until something happens; returns tries that are done, and tells `lost` of those whose worker is gone."""
        limit = QUIET_SECONDS if self.busy else START_SECONDS
        awaited = [slot.awaited for slot in self.slots if slot.awaited is not None]
        ready, _ = self.ray.wait(awaited, num_returns=1, timeout=limit)
        if not ready:
            if self.busy:
                raise InfrastructureError(f"nothing was finished for {limit:.0f} s: run the same command again")
            raise InfrastructureError(f"the Ray cluster had no room for a worker for {limit:.0f} s: add a node")
        done = []
        for at, slot in enumerate(self.slots):
            if slot.awaited not in ready:
                continue
            task = slot.task
            try:
                value = self.ray.get(slot.awaited)
            except self.ray.exceptions.RayTaskError as error:
                raise InfrastructureError(
                    f"a worker on the Ray cluster failed: {_said(error.cause or error)}"
                ) from None
            except self.ray.exceptions.RayError as error:
                self._replace(at)
                lost(task, _said(error)) if task is not None else self._count_failed_start(error)
                continue
            slot.task, slot.awaited = None, None
            if task is not None:
                done.append((task, value))
            else:
                self._check_version(value)
        return done

    def _replace(self, at: int) -> None:
        """Give up an actor. If it is only unavailable and comes back, it is ended; its result is not asked for."""
        with suppress(self.ray.exceptions.RayError):
            self.ray.kill(self.slots[at].actor)
        self.slots[at] = self._start()

    def _count_failed_start(self, error: Exception) -> None:
        self.failed_starts += 1
        if self.failed_starts >= TRIES * len(self.slots):
            raise InfrastructureError(f"no worker could be started on the Ray cluster: {_said(error)}")

    def _check_version(self, found: str) -> None:
        self.failed_starts = 0
        if found != __version__:
            raise InputError(
                f"a node of the Ray cluster has saccade {found}, and this is {__version__}: install the same on all"
            )

    def close(self) -> None:
        """End idle workers in order, and the others at once."""
        idle = [slot for slot in self.slots if slot.awaited is None]
        if closing := [slot.actor.close.remote() for slot in idle]:
            self.ray.wait(closing, num_returns=len(closing), timeout=10)
        for slot in self.slots:
            with suppress(self.ray.exceptions.RayError):
                self.ray.kill(slot.actor)


def cpu_share(cores: Sequence[float], workers: int) -> float:
    """The largest share of a core, at most 1, with which all workers find room on nodes with so many cores. Workers
    that wait for a served model are many more than there are cores.

    >>> cpu_share([2.0, 2.0], 3), cpu_share([2.0, 2.0], 5)
    (1.0, 0.6666)
    """
    shares = {1.0} | {count / each for count in cores if count > 0 for each in range(1, workers + 1)}
    fitting = [share for share in shares if share <= 1 and sum(int(each / share + 1e-9) for each in cores) >= workers]
    return int(max(fitting, default=1.0) * 10_000) / 10_000


def _import_ray(local: bool) -> Any:
    """The package. Two settings are read when it is imported: no reports to its makers, and, where we start it
    ourselves, the loopback address (Ray replaces 127.0.0.1 by the machine's own address otherwise).
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if local and "ray" not in sys.modules:
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        import ray  # noqa: PLC0415
        import ray.exceptions  # noqa: PLC0415
    except ImportError:
        raise MissingError("--engine ray needs Ray: pip install 'saccade[ray]'") from None
    return ray


def _keep_stdout_clean(ray: Any) -> None:
    """Ray prints on stdout that a worker died, where `--json` prints results: have it on stderr."""
    module = ray._private.worker
    show = getattr(module, "print_to_stdstream", None)
    if show is not None and not hasattr(show, "on_stderr"):

        def shown(data: dict[str, Any], **options: Any) -> None:
            show({**data, "is_err": True}, **options)

        shown.on_stderr = True  # type: ignore[attr-defined]
        module.print_to_stdstream = shown


def _said(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
