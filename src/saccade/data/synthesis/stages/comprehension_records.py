"""The data set in UILoop's own form beside the step records, one file for each split."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, ClassVar

import msgspec
from msgspec.structs import replace

from saccade.data.synthesis.comprehension_form import comprehension_record
from saccade.data.synthesis.records import Dropped, Record
from saccade.data.synthesis.stage import Settings, Tools, WholeStage
from saccade.types import Step

SPLITS = ("train", "test")


class ComprehensionRecordsSettings(Settings, frozen=True):
    """Settings of `comprehension_records`."""

    group: str = ""
    """The platform of steps whose tags do not tell it; by default `mobile` for upright screens, else `desktop`."""


class ComprehensionRecords(WholeStage):
    """Writes OUT/records-SPLIT.jsonl (records.jsonl where no split is known), which the reader `ui-comprehension`
    reads. Samples of this data set stand alone, as steps on whose screen nothing matters are left out: the steps that
    go on belong to no episode any more.
    """

    name: ClassVar[str] = "comprehension_records"
    title: ClassVar[str] = "Write the records in the form of UI Comprehension-Bench as well."
    kind: ClassVar[type[Settings]] = ComprehensionRecordsSettings

    def do(self, records: Iterator[Record], tools: Tools) -> Iterator[Record | Dropped]:
        settings: ComprehensionRecordsSettings = self.settings
        counts: dict[str, int] = {}
        files: dict[str, BinaryIO] = {}
        try:
            for record in records:
                for step in record.steps:
                    file = file_of(step)
                    if file not in files:
                        files[file] = (tools.out / f"{file}.part").open("wb")
                    group = settings.group or ("mobile" if step.screen.height > step.screen.width else "desktop")
                    files[file].write(msgspec.json.encode(comprehension_record(step, group)) + b"\n")
                    counts[file] = counts.get(file, 0) + 1
                yield replace(record, steps=list(map(alone, record.steps)))
        finally:
            for opened in files.values():
                opened.close()
        for file in files:
            (tools.out / f"{file}.part").replace(tools.out / file)
        self.facts["files"] = dict(sorted(counts.items()))


def alone(step: Step) -> Step:
    """The step without its episode, whose name stays as a tag."""
    tags = {**step.tags, "source_episode": step.episode} if step.episode else step.tags
    return replace(step, episode="", step=0, tags=tags)


def file_of(step: Step) -> str:
    """The reader tells splits by the names of files."""
    split = step.tags.get("split", "")
    return f"records-{split}.jsonl" if split in SPLITS else "records.jsonl"
