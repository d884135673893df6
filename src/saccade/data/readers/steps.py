"""Step records themselves: what `saccade data collect`, `saccade run` and `saccade data read` write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from saccade.data.readers.base import Dataset, Sample
from saccade.errors import InputError
from saccade.records import check_image, parse_object, read_lines, read_step, steps_file
from saccade.types import Picture


class StepsFile(Dataset):
    """A file of step records, or a folder with one."""

    name = "steps"
    title = "a file of step records"
    layout = "a .jsonl file of step records, or a folder with a steps.jsonl"
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"pictures": ("inside", "anywhere")}
    """Where pictures may lie: beside the file and below, or wherever the records say (only for records of your own)."""

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        try:
            file = steps_file(folder)
            first = next((parse_object(line) for _, line in read_lines(file)), {})
        except ValueError:  # a broken line is told with its number when it is read
            return file.suffix == ".jsonl"
        except InputError:
            return False
        return file.suffix == ".jsonl" and (not first or not {"screen", "truth", "instruction"}.isdisjoint(first))

    def samples(self) -> Iterator[Sample]:
        file = steps_file(self.folder)
        self.progress.total, self.progress.done = file.stat().st_size, 0
        for number, line in read_lines(file):
            self.progress.done += len(line.encode())
            where = f"{file}:{number}"
            try:
                step = read_step(parse_object(line))
                if self.options["pictures"] == "inside":
                    check_image(step.image, file.parent)
            except ValueError as error:
                self.bad(where, str(error))
                continue
            step.id = step.id or f"line-{number}"
            picture = Picture(str(file.parent / step.image), step.screen) if step.image else None
            yield Sample(step, picture, where)
