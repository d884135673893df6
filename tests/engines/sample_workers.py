"""Workers that the tests of engines use: importable, as they are built in other processes."""

from __future__ import annotations

import os
import time
from pathlib import Path

from saccade.errors import InputError


class Doubler:
    """Doubles numbers and writes each down; some jobs go wrong."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def do(self, job: int, folder: Path) -> int:
        if job == 13 and not (self.folder / "died").exists():
            folder.mkdir()
            (folder / "half").write_text("of a try that was lost")
            (self.folder / "died").touch()
            os._exit(3)
        if job == 66:
            os._exit(3)
        if job == 7:
            raise OddError(job, "and more")
        if job == 8:
            raise InputError("the eighth is wrong")
        if job % 2 == 0:
            (folder / "deep").mkdir(parents=True)
            (folder / "deep" / "twice.txt").write_text(str(2 * job))
        return 2 * job

    def close(self) -> None:
        (self.folder / f"closed-{os.getpid()}").touch()


class OddError(Exception):
    """Cannot be made again from its message alone."""

    def __init__(self, number: int, text: str) -> None:
        super().__init__(f"{number} {text}")


class Sleeper:
    """Says where it runs, then sleeps."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def do(self, job: float, folder: Path) -> int:
        (self.folder / f"pid-{os.getpid()}").touch()
        time.sleep(job)
        return os.getpid()

    def close(self) -> None:
        """Nothing to give back."""


class Surrounded:
    """Tells which plug-ins and variables reached the worker."""

    def do(self, job: str, folder: Path) -> object:
        from saccade.worlds import WORLDS  # noqa: PLC0415

        return "counter" in WORLDS.names(), os.environ.get(job)

    def close(self) -> None:
        """Nothing to give back."""
