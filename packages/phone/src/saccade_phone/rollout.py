"""Check tasks without a browser: can the oracle finish them, and does the judge reject outcomes that are nearly right?

`saccade phone rollout` prints these reports.
"""

from __future__ import annotations

import statistics
import time
import traceback

import msgspec

from saccade_phone.seeded_random import Language, Split
from saccade_phone.session import Session, roll_out
from saccade_phone.wrong_outcomes import wrong_outcomes

MOST_STEPS = 16
"""A task that takes the oracle longer is a mistake in the task: models are given about twice as many steps."""
LANGUAGES: tuple[Language, ...] = ("en", "zh")
CHECKED_SPLITS: tuple[Split, ...] = ("train", "test")


class TaskReport(msgspec.Struct):
    """One template, played on several phones."""

    name: str
    steps: list[int] = msgspec.field(default_factory=list)
    """The oracle's steps, one number for each phone played."""
    seconds: float = 0.0
    moves: list[str] = msgspec.field(default_factory=list)
    """Instructions and moves, if they were asked for."""
    problems: list[str] = msgspec.field(default_factory=list)

    @property
    def summary(self) -> str:
        if not self.steps:
            return "not played"
        speed = 1000 * self.seconds / max(sum(self.steps), 1)
        return f"{statistics.median(self.steps):.0f} steps ({min(self.steps)}–{max(self.steps)}), {speed:.0f} ms/step"


def check_task(name: str, seeds: int, trace: bool = False) -> TaskReport:
    """Play a template on `seeds` phones in each language and split."""
    report = TaskReport(name)
    began = time.perf_counter()
    for seed in range(seeds):
        for language in LANGUAGES:
            for split in CHECKED_SPLITS:
                try:
                    _check_phone(report, seed, language, split, trace)
                except Exception:  # noqa: BLE001  (an app's error is reported, and the other phones are still played)
                    report.problems.append(f"ERROR {name} seed {seed} {language} {split}\n{traceback.format_exc()}")
    report.seconds = time.perf_counter() - began
    return report


def _check_phone(report: TaskReport, seed: int, language: Language, split: Split, trace: bool) -> None:
    where = f"{report.name} seed {seed} {language} {split}"
    session = Session.begin(report.name, seed, language, split=split)
    outcome = roll_out(session)
    moves = [f"    {move.kind} {move.id} {move.text}".rstrip() for move in outcome.moves]
    report.steps.append(len(moves))
    if trace:
        report.moves += [f"{where}: {session.goal.instruction}", *moves]
    if not outcome.success or len(moves) > MOST_STEPS:
        why = outcome.lost or f"{len(moves)} moves, success={outcome.success}"
        report.problems.append("\n".join([f"FAIL {where}: {session.goal.instruction!r}: {why}", *moves]))
        return
    for what, accepted in wrong_outcomes(session, outcome):
        if accepted:
            report.problems.append(f"ACCEPTS A WRONG OUTCOME {where}: {what}")
