"""Folders of runs and measurements as the real writers leave them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from saccade.actions import Action
from saccade.agents.log import RunLog
from saccade.agents.records import LoggedStep, Outcome
from saccade.bench.cases import Bench, Result
from saccade.bench.table import Cell, Table, TableRow
from saccade.geometry import Box, Point, Size
from saccade.models.base import Usage
from saccade.records import as_line, write_object
from saccade.types import Element, Picture

SIZE = Size(400, 800)
SETTINGS = {"world": "phone/alarm", "model": "openai/a-3b", "paradigm": "btl", "language": "auto"}


def picture(colour: str = "teal", size: tuple[int, int] = SIZE) -> Picture:
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, "PNG")
    return Picture(file.getvalue())


def logged(number: int, thought: str = "", **changes: Any) -> LoggedStep:
    """A step that taps a button."""
    fields: dict[str, Any] = {
        "step": number,
        "instruction": "Set an alarm",
        "screen": SIZE,
        "elements": [Element(1, Box(100, 200, 300, 280), "button", "Alarm")],
        "prediction": Action("click", point=Point(200, 240)),
        "output": f"<think>{thought or f'step {number}'}</think>",
        "thought": thought,
        "acted": True,
        "usage": Usage(100, 10, 0.001, 1),
    }
    return LoggedStep(**fields | changes)


def begin(folder: Path, instruction: str = "Set an alarm", **settings: Any) -> RunLog:
    """A run that has not ended."""
    log = RunLog.begin(folder, SETTINGS | settings)
    log.run.instruction, log.run.profile = instruction, "cmgui"
    log.save()
    return log


def write_run(
    folder: Path,
    steps: Sequence[LoggedStep],
    instruction: str = "Set an alarm",
    status: Any = "success",
    **settings: Any,
) -> Path:
    """A run that has ended."""
    with begin(folder, instruction, **settings) as log:
        log.attempt()
        for step in steps:
            log.step(step, picture() if len(steps) < 10 else None)
        log.end(Outcome(status, "agent", "the task is done", answer="seven o'clock", steps=len(steps)))
    return folder


def write_measurement(folder: Path) -> Path:
    """A measurement with a live task that succeeded and was kept, one that failed, and one that broke."""
    folder.mkdir(parents=True)
    settings = {"world": "phone", "model": "oracle", "paradigm": "btl"}
    write_object(folder / "bench.json", Bench("phone", settings, {}, cases=4, label="oracle btl"))
    write_run(folder / "runs" / "alarm-en-0", [logged(0)])
    truth = [Action("click", point=Point(20, 20), box=Box(0, 0, 40, 40))]
    results = [
        Result(
            id="alarm-en-0",
            outcome=Outcome("success", "agent"),
            turns=1,
            run="runs/alarm-en-0",
            tags={"app": "clock", "language": "en"},
        ),
        Result(id="alarm-en-1", outcome=Outcome("failure", "steps", "out of steps"), turns=9, tags={"app": "clock"}),
        Result(id="alarm-en-2", status="broken", problem="the world broke"),
        Result(id="recorded/3", steps=[logged(0, truth=truth)]),
    ]
    (folder / "results.jsonl").write_bytes(b"".join(map(as_line, results)))
    table = Table(
        "Phone: success",
        ["All"],
        [TableRow("oracle btl", [Cell(50.0, 10.0, 90.0, 2)]), TableRow("theirs", [Cell(47.5)], True, "A paper")],
    )
    write_object(folder / "report.json", [table])
    return folder
