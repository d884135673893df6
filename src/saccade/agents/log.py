"""Writes a run to disk: `run.json`, `steps.jsonl`, `screens/`.

A step is on disk, screenshot first, before the next one begins, so a kill loses at most the step in progress. Nothing
is changed in place: `run.json` is replaced as a whole, lines are only added to `steps.jsonl`, and a half-written last
line is removed before a run is resumed.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import cache
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, BinaryIO, Self

from saccade.agents.hidden_settings import cleaned, hidden, settings_vault
from saccade.agents.records import Attempt, LoggedStep, Outcome, Run
from saccade.errors import InputError
from saccade.records import add_line, check_image, lock_folder, read_grown, read_object, write_object
from saccade.screens.notebook import steps_html
from saccade.types import Picture
from saccade.worlds.secrets import NO_SECRETS, Vault

PACKAGES = ("saccade", "saccade-vision", "playwright", "transformers", "torch", "onnxruntime")
UNFINISHED = "unfinished.json"
"""The step in progress when a run ended before it was done: its screen and its prompt."""
IN_USE = ("carrying out the run in", "wait for it, or end it first")


class RunLog:
    """The log of one run, written while it runs."""

    def __init__(
        self, folder: Path, lock: BinaryIO, run: Run, vault: Vault, steps: list[LoggedStep] | None = None
    ) -> None:
        self.folder, self.run, self._lock = folder, run, lock
        self.vault = vault
        """Secrets among the settings, and those of the run: they are not written."""
        self.steps: list[LoggedStep] = steps or []
        (folder / "screens").mkdir(parents=True, exist_ok=True)
        self.save()
        self._file = (folder / "steps.jsonl").open("ab")

    @classmethod
    def begin(cls, folder: Path, settings: Mapping[str, Any], secrets: Vault = NO_SECRETS) -> Self:
        """Start the log of a new run. The folder must not contain a run. `secrets` may occur in the user's own
        instruction or address: they are not written either.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot write to {folder}: {error.strerror}") from None
        with ExitStack() as stack:
            lock = stack.enter_context(lock_folder(folder, *IN_USE))
            if (folder / "run.json").exists() or (folder / "steps.jsonl").exists():
                raise InputError(
                    f"{folder} already contains a run: resume it (--resume {folder}), or choose another --out"
                )
            now = datetime.now(UTC)
            id = f"{now:%Y%m%d-%H%M%S}-{os.getpid()}"
            run = Run(id, hidden(settings), versions(), now.isoformat(timespec="seconds"))
            log = cls(folder, lock, run, settings_vault(settings).joined(secrets))
            stack.pop_all()
        return log

    @classmethod
    def resume(cls, folder: Path, again: Mapping[str, Any] | None = None) -> Self:
        """Open the log of an interrupted run to continue it. Two processes that continue one run would both act.
        `again` are settings that were not kept, because they are secret.
        """
        read_run(folder)  # before the lock: a folder without a run stays as it is
        with ExitStack() as stack:
            lock = stack.enter_context(lock_folder(folder, *IN_USE))
            run = read_run(folder)
            steps, whole = read_steps(folder)
            with (folder / "steps.jsonl").open("ab") as file:
                file.truncate(whole)
            run.resumed += 1
            run.outcome = None
            run.usage = sum((step.usage for step in steps), run.between)
            run.seconds = sum(step.seconds.total for step in steps)
            log = cls(folder, lock, run, settings_vault(again or {}), steps)
            stack.pop_all()
        return log

    def step(self, step: LoggedStep, picture: Picture | None) -> None:
        """Write one step and its screenshot to disk."""
        self._keep_picture(step, picture)
        add_line(self._file, cleaned(step, self.vault))
        (self.folder / UNFINISHED).unlink(missing_ok=True)
        self.steps.append(step)
        self.run.usage += step.usage
        self.run.seconds += step.seconds.total

    def unfinished(self, step: LoggedStep, picture: Picture | None) -> None:
        """Write a step that may never be done: what was on the screen, and what the model was asked."""
        self._keep_picture(step, picture)
        write_object(self.folder / UNFINISHED, cleaned(step, self.vault))

    def _keep_picture(self, step: LoggedStep, picture: Picture | None) -> None:
        if picture is not None:
            step.image = f"screens/{step.attempt}-{step.step:03}.png"
            (self.folder / step.image).write_bytes(picture.data())

    def attempt(self) -> int:
        """Begin another attempt; returns its number."""
        self.run.attempts.append(Attempt())
        self.save()
        return len(self.run.attempts) - 1

    def of_attempt(self, number: int) -> list[LoggedStep]:
        return [step for step in self.steps if step.attempt == number]

    def end(self, outcome: Outcome) -> None:
        self.run.outcome = outcome
        self.save()

    def save(self) -> None:
        write_object(self.folder / "run.json", cleaned(self.run, self.vault))

    def close(self) -> None:
        self._file.close()
        self._lock.close()

    def _repr_html_(self) -> str:
        """In a notebook: how it ended, and a thumbnail with the action of each step."""
        outcome = self.run.outcome
        ended = f"{outcome.status}: {outcome.reason}" if outcome else "not ended"
        said = f"{self.run.instruction or self.run.id} — {ended} ({self.folder})"
        return steps_html(f"<b>{escape(said)}</b>", self.steps, self.folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_run(folder: Path) -> Run:
    """`run.json` of a folder."""
    return read_object(folder / "run.json", Run, f"there is no run in {folder}: the folder of a run has a run.json")


def read_steps(folder: Path) -> tuple[list[LoggedStep], int]:
    """All complete steps, and their length in bytes."""
    steps, whole = read_grown(folder / "steps.jsonl", LoggedStep)
    for number, step in enumerate(steps, 1):
        try:
            check_image(step.image, folder)
        except ValueError as error:
            raise InputError(f"{folder / 'steps.jsonl'}: record {number}: {error}") from None
    return steps, whole


@cache
def versions() -> dict[str, str]:
    """Versions of Python, the machine and the installed packages that matter for a run; read once."""
    found = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
