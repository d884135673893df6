"""Recognises what measurements, runs and other people's evaluations leave behind, so that someone who takes it for a
data set is told what it is and which command reads it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from saccade.data.readers import RESULT_READERS
from saccade.errors import InputError
from saccade.records import parse_object, read_lines


class ResultFile(NamedTuple):
    """A file or folder of results."""

    what: str
    commands: str
    """Which commands read it."""
    has_records: bool = True
    """Does it hold step records, so that it can be read as a data set, too?"""

    def sentence(self, path: Path) -> str:
        return f"{path} is {self.what}: {self.commands}"


def result_file(path: Path) -> ResultFile | None:
    """What a path holds, by its name, its neighbours and its first line; None if it is no result."""
    folder = path if path.is_dir() else path.parent
    if (folder / "bench.json").is_file() and (path.is_dir() or path.name in ("results.jsonl", "steps.jsonl")):
        reads = f"saccade bench errors {folder}, saccade bench compare {folder} OTHER, and {folder}/report.html"
        if path.name == "results.jsonl":
            return ResultFile("the results of a measurement", f"read it with {reads}", has_records=False)
        return ResultFile(
            "the answers of a measurement", f"read it with {reads}; saccade score {folder / 'steps.jsonl'}"
        )
    if (folder / "run.json").is_file() and (path.is_dir() or path.name == "steps.jsonl"):
        if (folder / "episodes").is_dir():
            return None  # `saccade data collect` and `data walk` make data sets
        return ResultFile("the log of a run", f"saccade view {folder} shows it, saccade score judges its steps")
    return answers_in(path) if path.is_file() and path.suffix == ".jsonl" else None


def answers_in(path: Path) -> ResultFile | None:
    """What a file of lines holds, if it has a model's answers."""
    try:
        value = next((parse_object(line) for _, line in read_lines(path)), {})
    except (ValueError, InputError):
        return None
    reads = f"saccade score {path} judges it, saccade bench SUITE --predictions {path} makes the papers' tables of it"
    if {"prediction", "output"} & value.keys() and "screen" in value:
        return ResultFile("a file of step records with a model's answers", reads)
    if "truth" in value:
        return None
    known = (name for name in RESULT_READERS.names() if RESULT_READERS.get(name).recognises(value))
    name = next(known, "")
    return ResultFile(f"a file of a model's answers ({name})", reads, has_records=False) if name else None
