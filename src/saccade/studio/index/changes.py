"""What is new in the folder of a run or a measurement, as rows for the database."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from saccade.paradigms.wording import language_of
from saccade.studio.index.folders import Kind
from saccade.studio.index.growing_file import Piece, Position, read_piece
from saccade.studio.index.measurement_reader import id_of, read_bench, read_case, rule_of
from saccade.studio.index.run_reader import LONGEST_TEXT, UNREADABLE, plain, read_about, read_step_line, still_running
from saccade.studio.index.search import pieces

COLUMNS = ("stamp", "offset", "skipping", "head")
MOST_NOTE = 500


@dataclass
class GrowingFolder:
    """A folder, and the row of the index that was last written of it."""

    path: Path
    kind: Kind
    measurement: str
    """The path of the measurement that a run lies in; empty: none."""
    suite: str
    row: dict[str, Any] | None


@dataclass
class RunChange:
    """A run's row, its new steps, and texts to search."""

    row: dict[str, Any]
    rows: list[dict[str, Any]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    anew: bool = False
    more: bool = False
    kind: Kind = "run"
    tags: dict[str, dict[str, str]] = field(default_factory=dict)
    """What the cases of a measurement tell of their runs: app and language by the run's id."""


@dataclass
class MeasurementChange(RunChange):
    """A measurement's row, and its new cases."""

    kind: Kind = "measurement"


def read_change(folder: GrowingFolder, about_stamp: str) -> RunChange | MeasurementChange:
    """Read the next piece; `folder.row` becomes the row with it."""
    first = folder.row is None
    if folder.row is None:
        folder.row = _new_row(folder)
    row = folder.row
    read = _read_run if folder.kind == "run" else _read_measurement
    return read(folder, row, about_stamp, first)


def _new_row(folder: GrowingFolder) -> dict[str, Any]:
    row: dict[str, Any] = {"id": id_of(folder.path), "path": str(folder.path), "about_stamp": "", "bad_lines": 0}
    row |= {"name": plain(folder.path.name), "note": "", "cost": 0.0, "seconds": 0.0, "tokens": 0, "started": 0.0}
    row |= asdict(Position())
    if folder.kind == "run":
        row |= {"suite": folder.suite, "measurement": id_of(folder.measurement) if folder.measurement else ""}
        row |= dict.fromkeys(("instruction", "answer", "status", "ended_by", "reason", "app", "language"), "")
        row |= dict.fromkeys(("model", "paradigm", "world", "rule"), "")
        row |= dict.fromkeys(("steps", "problems", "attempts", "input_tokens", "output_tokens"), 0)
    else:
        row |= {"suite": "", "label": "", "model": "", "paradigm": ""}
        row |= {"planned": 0, "cases": 0, "successes": 0, "broken": 0}
    return row


def _piece(file: Path, row: dict[str, Any]) -> Piece:
    """The next lines of the file that grows. One that is gone is an empty one."""
    before = Position(*(row[name] for name in COLUMNS))
    try:
        piece = read_piece(file, before)
    except OSError:
        piece = Piece([], Position(), anew=before.offset > 0)
    row |= asdict(piece.position)
    if piece.anew:
        row |= {"bad_lines": 0, "note": ""}
    if piece.too_long:
        _complain(row, piece.too_long, "a line is too long")
    return piece


def _complain(row: dict[str, Any], lines: int, why: str) -> None:
    row["bad_lines"] += lines
    if len(row["note"]) < MOST_NOTE and why not in row["note"]:
        row["note"] = f"{row['note']}; {plain(why)}".removeprefix("; ")


# -- runs --------------------------------------------------------------------------------------------------------------


def _read_run(folder: GrowingFolder, row: dict[str, Any], about_stamp: str, first: bool) -> RunChange:
    said = row["instruction"], row["answer"]
    if row["about_stamp"] != about_stamp or first:
        about, trouble = read_about(folder.path / "run.json")
        row |= {name: value for name, value in about.items() if value != "" or name in ("status", "ended_by", "reason")}
        row["about_stamp"] = about_stamp
        if trouble:
            _complain(row, 0, trouble)
    piece = _piece(folder.path / "steps.jsonl", row)
    change = RunChange(row, anew=piece.anew, more=piece.more)
    if piece.anew:
        row |= dict.fromkeys(("steps", "problems", "input_tokens", "output_tokens"), 0) | {"cost": 0.0, "seconds": 0.0}
        said = "", ""
    texts = _add_steps(row, piece, change)
    if not row["started"]:
        row["started"] = float(row["stamp"].split(".")[1]) / 1e9 if row["stamp"] else 0.0
    ended = row["status"] not in ("", "running", "unfinished")
    if not ended:
        row["status"] = "running" if still_running(folder.path) else "unfinished"
    row["tokens"] = row["input_tokens"] + row["output_tokens"]
    new = [text for text, before in zip((row["instruction"], row["answer"]), said, strict=True) if text != before]
    change.texts = pieces([*new, *texts])
    return change


def _add_steps(row: dict[str, Any], piece: Piece, change: RunChange) -> list[str]:
    texts: list[str] = []
    ended = row["status"] not in ("", "running", "unfinished")
    for offset, data in piece.lines:
        if not data.strip():
            continue
        try:
            step = read_step_line(offset, data, row["rule"])
        except UNREADABLE as error:
            _complain(row, 1, f"steps.jsonl: {error}")
            continue
        line = step.line
        change.rows.append({"position": row["steps"], **step.row})
        texts.append(step.text)
        row["steps"] += 1
        row["problems"] += bool(step.row["mark"])
        row["attempts"] = max(row["attempts"], line.attempt + 1)
        if not ended:
            row["input_tokens"] += line.usage.input
            row["output_tokens"] += line.usage.output
            row["cost"] += line.usage.cost
            row["seconds"] += line.seconds.total
        row["app"] = row["app"] or plain(line.app)
        row["paradigm"] = plain(line.paradigm) or row["paradigm"]
        if not row["instruction"]:
            row["instruction"] = plain(line.instruction, LONGEST_TEXT)
        if not row["language"] and row["instruction"]:
            row["language"] = language_of(row["instruction"])
    return texts


# -- measurements ------------------------------------------------------------------------------------------------------


def _read_measurement(folder: GrowingFolder, row: dict[str, Any], about_stamp: str, first: bool) -> MeasurementChange:
    if row["about_stamp"] != about_stamp or first:
        about, trouble = read_bench(folder.path / "bench.json")
        row |= about
        row["about_stamp"] = about_stamp
        row["started"] = float(about_stamp.split(".")[1]) / 1e9 if about_stamp else 0.0
        if trouble:
            _complain(row, 0, trouble)
    piece = _piece(folder.path / "results.jsonl", row)
    change = MeasurementChange(row, anew=piece.anew, more=piece.more)
    if piece.anew:
        row |= dict.fromkeys(("cases", "successes", "broken", "tokens"), 0) | {"cost": 0.0, "seconds": 0.0}
    rule = rule_of(row["suite"])
    for offset, data in piece.lines:
        if not data.strip():
            continue
        try:
            case = read_case(folder.path, offset, data, rule)
        except (*UNREADABLE, ValueError) as error:
            _complain(row, 1, f"results.jsonl: {error}")
            continue
        change.rows.append({"position": row["cases"], **case})
        row["cases"] += 1
        row["successes"] += case["end"] == "right"
        row["broken"] += case["end"] == "broken"
        for name in ("tokens", "cost", "seconds"):
            row[name] += case[name]
        if case["run"] and case["app"] and case["language"]:
            change.tags[case["run"]] = {"app": case["app"], "language": case["language"]}
    return change
