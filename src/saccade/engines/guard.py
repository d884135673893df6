"""Processes that must not outlive the one that started them, however that ends."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Self

PROGRAM = Path(__file__).with_name("guard_process.py")


class Guard:
    """A small process of its own that waits for the end of this one, and then kills those that were named to it.
    `grace`: seconds that they have to end by themselves.
    """

    def __init__(self, grace: float = 0.0) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(PROGRAM), str(grace)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
            start_new_session=True,  # a Ctrl-C, or a kill of our group, is not for it
        )

    def add(self, number: int) -> None:
        """Kill this process when we are dead."""
        self._tell(f"+{number}")

    def remove(self, number: int) -> None:
        """This process has ended."""
        self._tell(f"-{number}")

    def close(self) -> None:
        """No process is left to be killed. What was not removed is killed now."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # somebody killed it
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
