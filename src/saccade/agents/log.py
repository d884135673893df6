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

import msgspec

from saccade.agents.records import Attempt, LoggedStep, Outcome, Run
from saccade.errors import InputError
from saccade.records import write_whole
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
        self._file.write(msgspec.json.encode(step) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
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
        write_whole(self.folder / "run.json", msgspec.json.format(msgspec.json.encode(self.run), indent=2))

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_run(folder: Path) -> Run:
    """`run.json` of a folder."""
    file = folder / "run.json"
    try:
        return msgspec.json.decode(file.read_bytes(), type=Run)
    except FileNotFoundError:
        raise InputError(f"there is no run in {folder}: a run's folder has a run.json") from None
    except (OSError, msgspec.MsgspecError) as error:
        raise InputError(f"cannot read {file}: {error}") from None


def read_steps(folder: Path) -> tuple[list[LoggedStep], int]:
    """All whole steps, and how many bytes they take: a killed run may leave half a line at the end."""
    file = folder / "steps.jsonl"
    data = file.read_bytes() if file.exists() else b""
    whole = data.rfind(b"\n") + 1
    try:
        return msgspec.json.Decoder(LoggedStep).decode_lines(data[:whole]), whole
    except msgspec.MsgspecError as error:
        raise InputError(f"{file} is damaged: {error}") from None


def versions() -> dict[str, str]:
    """What it ran with."""
    found = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
