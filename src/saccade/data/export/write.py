"""Writes an export: all of it or nothing.

    OUT/train.parquet or train.jsonl    the rows, and those held back in held_back.*
    OUT/images/                         the pictures, where they are not inside the rows
    OUT/reward.py                       the framework's plug-in with our reward (GRPO)
    OUT/run.sh                          trains with the recipe's hyperparameters
    OUT/export.json                     what was exported, and what was left out

Pictures are written at the size at which the model is to see them. A framework that resizes by the same limits then
changes nothing, and coordinates in the answers mean what they meant here.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from saccade.data.episode_rows import rows_of_episode
from saccade.data.export.base import (
    DEFAULT_MODEL,
    IMAGE,
    ExportedFiles,
    ExportedPicture,
    ExportedRow,
    Exporter,
    TrainingSettings,
)
from saccade.data.readers.tables import arrow_module
from saccade.data.recorded_episodes import held_back, read_episodes
from saccade.data.training_rows import RowWriter, TrainingRow
from saccade.errors import InputError
from saccade.models.families import VisionSettings
from saccade.models.pictures import png_of
from saccade.paradigms import get_paradigm
from saccade.records import as_line, lock_file, write_object
from saccade.scoring.completion_reward import AnswerFormat, AnswerRecord
from saccade.scoring.reward_options import choose_reward
from saccade.scoring.similarity import similarity
from saccade.types import Picture

MARKS = (IMAGE, "<video>", "<audio>")
"""What the frameworks take for a medium, wherever it stands in a text."""
BATCH = 32
"""Rows that are held in memory at a time: a phone's screenshot takes up to a megabyte."""


class ExportSummary(NamedTuple):
    """What was written."""

    folder: Path
    rows: int
    held_back: int
    left_out: dict[str, int]
    """Rows that are missing, by reason."""


def export(exporter: Exporter, settings: TrainingSettings, data: Sequence[str | Path], out: Path) -> ExportSummary:
    """Write step records as one framework's training data. `out` must not exist."""
    if settings.stage not in exporter.stages:
        raise InputError(f"{exporter.title} trains {', '.join(exporter.stages)} only, not {settings.stage}")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out} already exists: choose another --out, or remove it")
    if settings.stage == "grpo":
        choose_reward(settings.grpo.reward, settings.paradigm, lambda _: similarity)
    job = ExportJob(exporter, settings)
    place = out.resolve()
    part = place.with_name(place.name + ".part")
    lock = place.with_name(place.name + ".lock")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with lock_file(lock, out, "exporting to", "wait for it, or choose another --out"):
            try:
                shutil.rmtree(part, ignore_errors=True)
                part.mkdir()
                summary = job.write(data, part)
                with suppress(FileNotFoundError):
                    place.rmdir()
                part.replace(place)
            finally:
                shutil.rmtree(part, ignore_errors=True)
                lock.unlink()
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror or error}") from None
    return summary._replace(folder=out)


class ExportJob:
    """One export on its way."""

    def __init__(self, exporter: Exporter, settings: TrainingSettings) -> None:
        self.exporter, self.settings = exporter, settings
        self.left_out: Counter[str] = Counter()
        switches = dict(settings.switches)
        if "template" in switches:
            switches["template"] = Path(str(switches["template"]))
        paradigm = get_paradigm(settings.paradigm, **switches)
        self.sight = VisionSettings.of(settings.model or DEFAULT_MODEL, settings.pixels or paradigm.pixels)
        paradigm = replace(paradigm, frame=self.sight.frame)
        self.writer = RowWriter(paradigm, self.sight, settings.elements == "parsed")

    def write(self, data: Sequence[str | Path], folder: Path) -> ExportSummary:
        """Rows first; the other files name them."""
        episodes = list(read_episodes(data))
        held = held_back(len(episodes), self.settings.held_back, self.settings.seed)
        self.folder, counts = folder, {}
        for name, wanted in (("train", set(range(len(episodes))) - held), ("held_back", held)):
            table = Table(folder / f"{name}.{self.exporter.table}")
            rows = (
                self.exporter.row(row, self.settings.stage)
                for row in self.exported(r for at in sorted(wanted) for r in self.rows(at, episodes[at]))
            )
            counts[name] = table.write(rows)
        if not counts["train"]:
            common = [f": {count} left out because {reason}" for reason, count in self.left_out.most_common(1)]
            raise InputError("the data gives no row to export" + "".join(common))
        self.write_files(counts)
        return ExportSummary(folder, counts["train"], counts["held_back"], dict(self.left_out))

    def rows(self, at: int, episode: Any) -> Iterator[TrainingRow]:
        settings = self.settings
        seed = f"{settings.seed}/{at}/0"
        yield from rows_of_episode(self.writer, episode, seed, settings.stage, settings.grounding, self.left_out)

    def exported(self, rows: Iterable[TrainingRow]) -> Iterator[ExportedRow]:
        """Rows as exporters are given them. A text that holds a framework's mark would be read as a picture that is
        not there, so that row is left out.
        """
        number = 0
        for row in rows:
            texts = [part for message in row.messages for part in message.content if isinstance(part, str)]
            if mark := next((mark for mark in MARKS for text in [*texts, row.answer] if mark in text), ""):
                self.left_out[f"its text contains {mark}, which marks a picture"] += 1
                continue
            pictures = [part for message in row.messages for part in message.content if not isinstance(part, str)]
            if not pictures:
                self.left_out["it has no screenshot"] += 1
                continue
            yield ExportedRow(
                number,
                row.id,
                [{"role": message.role, "content": message.text} for message in row.messages],
                [self.picture(picture) for picture in pictures],
                row.answer,
                msgspec.json.encode(AnswerRecord.of(row.step, row.paradigm)).decode(),
                row.paradigm.name,
            )
            number += 1

    def picture(self, picture: Picture) -> ExportedPicture:
        """A picture under the hash of its content; as a file, unless it goes into the row."""
        made = exported_picture(picture)
        place = self.folder / made.name
        if not self.exporter.pictures_inside and not place.exists():
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(made.data)
        return made

    def write_files(self, counts: dict[str, int]) -> None:
        exporter, settings, folder = self.exporter, self.settings, self.folder
        names = [f"{name}.{exporter.table}" if count else "" for name, count in counts.items()]
        files = ExportedFiles(names[0], names[1], (self.sight.min_pixels, self.sight.max_pixels))
        texts = {"run.sh": exporter.run_script(settings, files), **exporter.other_files(settings, files)}
        if settings.stage == "grpo":
            texts["reward.py"] = exporter.reward_file(settings)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "run.sh").chmod(0o755)
        told = {
            "framework": exporter.title,
            "rows": counts,
            "format": AnswerFormat.of(self.writer.paradigm),
            "left_out": self.left_out,
        }
        write_object(folder / "export.json", told | {"settings": settings})


@lru_cache(maxsize=8)
def exported_picture(picture: Picture) -> ExportedPicture:
    """The last few are kept: an earlier screenshot is shown again at the next step."""
    data = png_of(picture)
    return ExportedPicture(f"images/{hashlib.blake2b(data, digest_size=12).hexdigest()}.png", data)


class Table:
    """A file of rows, written a few at a time; a table without rows is not written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, rows: Iterable[dict[str, Any]]) -> int:
        """Write all rows; returns how many."""
        return self._parquet(rows) if self.path.suffix == ".parquet" else self._lines(rows)

    def _lines(self, rows: Iterable[dict[str, Any]]) -> int:
        count = 0
        with self.path.open("wb") as file:
            for row in rows:
                file.write(as_line(row))
                count += 1
            os.fsync(file.fileno())
        if not count:
            self.path.unlink()
        return count

    def _parquet(self, rows: Iterable[dict[str, Any]]) -> int:
        arrow, parquet = arrow_module("pyarrow"), arrow_module("pyarrow.parquet")
        count, writer = 0, None
        for batch in batches(rows):
            table = arrow.Table.from_pylist(batch, schema=writer.schema if writer else None)
            writer = writer or parquet.ParquetWriter(self.path, table.schema)
            writer.write_table(table)
            count += len(batch)
        if writer:
            writer.close()
        return count


def batches(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
