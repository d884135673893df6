"""Published result files of models, which `saccade score` reads, as a data set, to lay predictions over its samples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from saccade.data.readers import Dataset, Sample, reader_for
from saccade.errors import InputError
from saccade.records import parse_object, read_lines, steps_file


class ResultLines(Dataset):
    """A file whose lines a result reader knows, or a folder with one such file."""

    name = "results"
    title = "predictions of a model"
    layout = "a .jsonl file that saccade score reads"

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        try:
            first = next((parse_object(line) for _, line in read_lines(steps_file(folder))), {})
        except (InputError, ValueError):
            return False
        return bool(first) and "truth" not in first and reader_for(first) is not None

    def samples(self) -> Iterator[Sample]:
        file = steps_file(self.folder)
        for number, line in read_lines(file):
            where = f"{file}:{number}"
            try:
                value = parse_object(line)
                reader = reader_for(value)
                if reader is None:
                    raise ValueError("no result reader knows this line")
                steps = list(reader.steps(value))
            except ValueError as error:
                self.bad(where, str(error))
                continue
            for at, step in enumerate(steps):
                step.id = step.id or f"line-{number}-{at}"
                yield Sample(step, None, where)
