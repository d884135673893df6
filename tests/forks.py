"""Processes to kill, without the seconds that each of them would take to import: they are forks."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Self


def begin_fork(work: Callable[[], object]) -> int:
    """Begin work in a fork of this very process, with all that is imported here; returns the process's number, for
    `os.kill` and `os.waitpid`, and for `os.killpg` of all that it starts. It ends with status 0, or with 1 where the
    work raises. Its disk is slow, so that there is time to kill it.
    """
    child = os.fork()
    if child:
        with suppress(OSError):  # the fork may have done it, and ended
            os.setpgid(child, child)
        return child
    status = 1
    os.setpgid(0, 0)
    os.fsync = lambda fd: time.sleep(0.01)
    try:
        work()
        status = 0
    except BaseException:  # noqa: BLE001  (whatever it is, the fork must not go on with the tests)
        traceback.print_exc()
    finally:
        os._exit(status)


def kill_fork(child: int, until: Callable[[], bool], seconds: float = 60.0) -> None:
    """Kill a fork, and all that it started, as soon as something is so; it must not have ended by itself before."""
    end = time.monotonic() + seconds
    try:
        while not until():
            ended = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            assert ended is None, "it ended before it could be killed"
            assert time.monotonic() < end, "what was waited for did not come"
            time.sleep(0.002)
    finally:
        os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    assert status == signal.SIGKILL, "it ended before it could be killed"


FORKS = """
import os, sys
print("ready", flush=True)
while sys.stdin.readline():
    child = os.fork()
    if not child:
        try:
            main()
        finally:
            print("over", flush=True)
        os._exit(0)
    print(child, flush=True)
    sys.stdin.readline()
    print("status", os.waitpid(child, 0)[1], flush=True)
"""


class Forks:
    """`program` defines a function `main`, which a child process runs; one child at a time. `arguments` are what the
    program finds in `sys.argv[1:]`.
    """

    def __init__(self, program: str, *arguments: str) -> None:
        words = [sys.executable, "-c", program + FORKS, *arguments]
        one_thread = os.environ | {"OMP_NUM_THREADS": "1"}  # what forks should have no others
        self._process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=one_thread
        )
        self._pid = 0
        assert self._said() == "ready"

    def begin(self) -> None:
        self._tell()
        self._pid = int(self._said())

    def wait(self, until: Callable[[], bool] = lambda: False, seconds: float = 60.0) -> None:
        """Until something is so, or the child is over."""
        end = time.monotonic() + seconds
        while not until() and not self.over() and time.monotonic() < end:
            time.sleep(0.002)

    def over(self) -> bool:
        """Has the child done all it had to?"""
        assert self._process.stdout is not None
        return bool(select.select([self._process.stdout], [], [], 0)[0])

    def kill(self) -> bool:
        """Kill the child, wherever it is; False if it was over before."""
        os.kill(self._pid, signal.SIGKILL)  # it is nobody else's number before the status was asked for
        status = self.status()
        assert status in (0, signal.SIGKILL), "it failed by itself"
        return status == signal.SIGKILL

    def status(self) -> int:
        """How the child ended, as `waitpid` says."""
        self._tell()
        while not (said := self._said()).startswith("status"):
            assert said == "over"
        return int(said.split()[1])

    def _tell(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")

    def _said(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().decode().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=60)
