"""A run on disk: `run.json`, `steps.jsonl`, `screens/`.

A step is on disk, screenshot first, before the next one begins: a kill loses at most the step in flight. Nothing is
ever changed in place: `run.json` is replaced as a whole, `steps.jsonl` only grows, and a half-written last line is cut
off before a run goes on.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self

from saccade.agents.records import Attempt, LoggedStep, Outcome, Run
from saccade.errors import InputError
from saccade.records import add_line, read_grown, read_object, write_object
from saccade.types import Picture

PACKAGES = ("saccade", "playwright", "transformers", "torch", "onnxruntime")


class RunLog:
    """Written while a run goes on."""

    def __init__(self, folder: Path, run: Run, steps: list[LoggedStep] | None = None) -> None:
        self.folder, self.run = folder, run
        self.steps: list[LoggedStep] = steps or []
        (folder / "screens").mkdir(parents=True, exist_ok=True)
        self.save()
        self._file = (folder / "steps.jsonl").open("ab")

    @classmethod
    def begin(cls, folder: Path, settings: Mapping[str, Any]) -> Self:
        """A new run; its folder must hold none."""
        if (folder / "run.json").exists() or (folder / "steps.jsonl").exists():
            raise InputError(
                f"{folder} holds a run already: go on with it (--resume {folder}), or choose another --out"
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write to {folder}: {error.strerror}") from None
        now = datetime.now(UTC)
        return cls(folder, Run(f"{now:%Y%m%d-%H%M%S}-{os.getpid()}", dict(settings), versions(),
                               now.isoformat(timespec="seconds")))  # fmt: skip

    @classmethod
    def resume(cls, folder: Path) -> Self:
        """A run that broke off."""
        run = read_run(folder)
        steps, whole = read_steps(folder)
        with (folder / "steps.jsonl").open("ab") as file:
            file.truncate(whole)
        run.resumed += 1
        run.outcome = None
        run.usage = sum((step.usage for step in steps), run.between)
        run.seconds = sum(step.seconds.total for step in steps)
        return cls(folder, run, steps)

    def step(self, step: LoggedStep, picture: Picture | None) -> None:
        """Keep one step, for good."""
        if picture is not None:
            step.image = f"screens/{step.attempt}-{step.step:03}.png"
            (self.folder / step.image).write_bytes(picture.data())
        add_line(self._file, step)
        self.steps.append(step)
        self.run.usage += step.usage
        self.run.seconds += step.seconds.total

    def attempt(self) -> int:
        """Begin another attempt; its number."""
        self.run.attempts.append(Attempt())
        self.save()
        return len(self.run.attempts) - 1

    def of_attempt(self, number: int) -> list[LoggedStep]:
        return [step for step in self.steps if step.attempt == number]

    def end(self, outcome: Outcome) -> None:
        self.run.outcome = outcome
        self.save()

    def save(self) -> None:
        write_object(self.folder / "run.json", self.run)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_run(folder: Path) -> Run:
    """`run.json` of a folder."""
    return read_object(folder / "run.json", Run, f"there is no run in {folder}: a run's folder has a run.json")


def read_steps(folder: Path) -> tuple[list[LoggedStep], int]:
    """All whole steps, and how many bytes they take."""
    return read_grown(folder / "steps.jsonl", LoggedStep)


def versions() -> dict[str, str]:
    """What it ran with."""
    found = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
