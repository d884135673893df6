"""Jobs in several processes: results, processes that die, and errors that must travel."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pytest

from saccade.engines.worker_pool import work_through
from saccade.errors import InputError
from saccade.worlds.base import InfrastructureError


class Doubler:
    """Doubles numbers; some jobs go wrong."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def do(self, job: int) -> int:
        if job == 13 and not (self.folder / "died").exists():
            (self.folder / "died").touch()
            os._exit(3)
        if job == 66:
            os._exit(3)
        if job == 7:
            raise OddError(job, "and more")
        if job == 8:
            raise InputError("the eighth is wrong")
        return 2 * job

    def close(self) -> None:
        (self.folder / f"closed-{os.getpid()}").touch()


class OddError(Exception):
    """Cannot be made again from its message alone."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(f"{number} {text}")


def test_every_job_is_done_once_also_if_a_process_dies(tmp_path: Path) -> None:
    jobs = [1, 2, 13, 4, 5]
    done = dict(work_through(jobs, partial(Doubler, tmp_path), 2))
    assert done == {job: 2 * job for job in jobs} and (tmp_path / "died").exists()
    assert len(list(tmp_path.glob("closed-*"))) == 2


def test_a_job_that_kills_every_process_is_named(tmp_path: Path) -> None:
    with pytest.raises(InfrastructureError, match=r"3 processes died over the same job \(66\)"):
        list(work_through([66], partial(Doubler, tmp_path), 1))


def test_errors_come_back_as_they_are_or_at_least_in_words(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the eighth is wrong"):
        list(work_through([8], partial(Doubler, tmp_path), 1))
    with pytest.raises(RuntimeError, match="OddError: 7 and more"):
        list(work_through([7], partial(Doubler, tmp_path), 1))
