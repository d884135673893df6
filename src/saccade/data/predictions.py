"""Reads answers that a model gave elsewhere: step records with a `prediction` or a raw `output`, or the published
result files that the registry `result_readers` knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from saccade.data.readers import LineReader, reader_for
from saccade.errors import InputError
from saccade.records import BadLine, parse_object, read_lines, read_step
from saccade.types import Step

ANSWERED = ("truth", "prediction|output")
"""The fields that a judged answer needs; `a|b` means one of the two."""
Kind = TypeVar("Kind", bound=Step)


def read_predictions(
    path: Path, kind: type[Kind], keep_going: bool = False, needed: Sequence[str] = ANSWERED
) -> tuple[list[tuple[int, Kind]], list[BadLine]]:
    """All records of a file with their lines, and with `keep_going` the lines that are none. Each record needs a truth
    and the fields in `needed`.
    """
    steps: list[tuple[int, Kind]] = []
    bad: list[BadLine] = []
    reader: LineReader | None = None
    for number, line in read_lines(path):
        try:
            value = parse_object(line)
            if "truth" not in value and (reader or (reader := reader_for(value))):
                found = [as_kind(step, kind) for step in reader.steps(value)]
            else:
                check_fields(value, needed)
                found = [read_step(value, kind)]
            if not all(step.truth for step in found):
                raise ValueError("truth: there must be at least one valid action")
        except ValueError as error:
            if not keep_going:
                raise InputError(
                    f"{path}:{number}: {error} (mend the line, or leave bad lines out with --keep-going)"
                ) from None
            bad.append(BadLine(number, str(error)))
            continue
        for step in found:
            step.id = step.id or f"line-{number}"
            steps.append((number, step))
    if not steps:
        raise InputError(f"{path} holds no step record that can be scored")
    return steps, bad


def as_kind(step: Step, kind: type[Kind]) -> Kind:
    """The step as a record with more fields, which have their defaults."""
    return kind(**{name: getattr(step, name) for name in Step.__struct_fields__})


def check_fields(value: dict[str, Any], needed: Sequence[str]) -> None:
    for choice in needed:
        names = choice.split("|")
        if not any(name in value for name in names):
            raise ValueError(f"{names[0]}: missing" + (f" (and no {names[1]} either)" if len(names) > 1 else ""))
