"""Multimodal-Mind2Web: tasks on real websites, with a screenshot of the whole page at every action."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from saccade.actions import Action
from saccade.data.readers.base import Dataset, Sample, convert
from saccade.data.readers.tables import (
    BrokenError,
    Cells,
    ParquetTable,
    TableRecord,
    decoded,
    gathered,
    names_columns,
    picture_bytes,
    picture_size,
)
from saccade.errors import InputError
from saccade.geometry import Box
from saccade.screens.widgets import squeeze
from saccade.types import Element, Picture, Step

SPLITS = ("test_task", "test_website", "test_domain", "train")
COLUMNS = (
    "action_uid",
    "operation",
    "pos_candidates",
    "website",
    "domain",
    "subdomain",
    "annotation_id",
    "confirmed_task",
    "action_reprs",
    "target_action_index",
)
NAMES = ("aria_label", "text_value", "placeholder", "title", "alt", "value", "label", "name")
"""Attributes that say what an element says, the best first."""
_RECT = re.compile(r"\s*(-?[\d.]{1,20}),\s*(-?[\d.]{1,20}),\s*(-?[\d.]{1,20}),\s*(-?[\d.]{1,20})\s*")


class _Row(msgspec.Struct):
    action_uid: str
    operation: str
    pos_candidates: list[str]
    annotation_id: str
    confirmed_task: str
    action_reprs: list[str]
    target_action_index: int
    website: str | None = None
    domain: str | None = None
    subdomain: str | None = None
    neg_candidates: list[str] | None = None


class _Operation(msgspec.Struct):
    """`op` is one of three; `original_op` also knows HOVER and ENTER, which the authors count as clicks."""

    op: str
    value: str | None = None


class _Candidate(msgspec.Struct):
    tag: str = ""
    attributes: str = "{}"


class Mind2Web(Dataset):
    """`data/{train,test_task,test_website,test_domain}-*.parquet`, one action a row.

    Published: train 7,775 actions of 1,009 tasks; test_task 1,339 of 177; test_website 1,019 of 142; test_domain 4,060
    of 694. Screenshots show the whole page, so they are often thousands of pixels high, and boxes are in its pixels.
    Actions whose target could not be seen were left out by the authors: a task's steps keep their numbers, with gaps.

    Each element in `pos_candidates` counts as right, so an action has one truth for each that is drawn. Where none is,
    a TYPE keeps its text; a CLICK or SELECT has no truth, is tagged `target: none`, and cannot be scored (the published
    evaluations count it as wrong). HOVER and ENTER are clicks, as in `op`. History is the authors' own wording of the
    earlier actions (`[button]  Search -> CLICK`).

    `elements=yes` also reads the candidates that are wrong, some hundred a page, as elements. HTML is never read.
    """

    name = "mind2web"
    title = "Multimodal-Mind2Web"
    layout = "data/test_task-00000-of-….parquet and so on, with the columns action_uid, operation and pos_candidates"
    licence = "OpenRAIL"
    profile = "gui-r1"
    choices: ClassVar = {"split": (*SPLITS, "all"), "elements": ("no", "yes")}

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return any(names_columns(file, "action_uid", "operation", "pos_candidates") for file in _files(folder))

    def samples(self) -> Iterator[Sample]:
        split = self.options["split"]
        files = [file for file in _files(self.folder) if split in ("all", _split(file))]
        if not files:
            raise InputError(f"{self.folder} has no parquet files of {split}: download them, or choose another split")
        tables = []
        for file in files:
            try:
                tables.append(ParquetTable(file))
            except BrokenError as error:
                self.bad(error.where, error.reason)
        self.progress.total, self.progress.done = sum(table.rows for table in tables), 0
        counts = Counter(
            _place(record.value) for table in tables for record in table.records(["annotation_id"]) if not record.error
        )
        for _, held in gathered(self._rows(tables), counts):
            yield from (sample for sample in held if sample is not None)

    def _rows(self, tables: list[ParquetTable]) -> Iterator[tuple[str, int, Sample | None]]:
        wrong = ("neg_candidates",) if self.options["elements"] == "yes" else ()
        for table in tables:
            cells = table.cells("screenshot")
            for record in table.records((*COLUMNS, *wrong)):
                self.progress.done += record.size
                if record.error:
                    self.bad(record.where, record.error)
                    continue
                sample = None
                try:
                    sample = self._sample(convert(record.value, _Row), record, table, cells)
                except ValueError as error:
                    self.bad(record.where, str(error))
                except BrokenError as error:
                    self.bad(error.where, error.reason)
                yield _place(record.value), sample.step.step if sample else 0, sample

    def _sample(self, row: _Row, record: TableRecord, table: ParquetTable, cells: Cells) -> Sample:
        at = row.target_action_index
        if not 0 <= at < max(1, len(row.action_reprs)):
            raise ValueError(f"target_action_index: {at}, but there are {len(row.action_reprs)} actions")
        size = picture_size(picture_bytes(cells[record.row], "screenshot"), "screenshot")
        right = [_candidate(text, f"pos_candidates[{at}]") for at, text in enumerate(row.pos_candidates)]
        truth = _truth(row.operation, [element.box for element in right if element])
        wrong = [_candidate(text, f"neg_candidates[{at}]") for at, text in enumerate(row.neg_candidates or [])]
        drawn = [element for element in (*right, *wrong) if element] if row.neg_candidates is not None else []
        tags = {
            "platform": "web",
            "split": _split(table.path),
            "language": "en",
            "website": row.website,
            "domain": row.domain,
            "subdomain": row.subdomain,
            "target": "" if truth else "none",
        }
        step = Step(
            id=f"{row.annotation_id}_{row.action_uid}",
            episode=row.annotation_id,
            step=at,
            instruction=row.confirmed_task,
            screen=size,
            image=f"{table.path.relative_to(self.folder) if self.folder.is_dir() else table.path.name}#{record.row}",
            history=row.action_reprs[:at],
            elements=[msgspec.structs.replace(element, id=number) for number, element in enumerate(drawn, 1)],
            truth=truth,
            tags={key: tag for key, tag in tags.items() if tag},
        )
        return Sample(step, Picture(lambda: picture_bytes(cells[record.row]), size), record.where)


def _files(folder: Path) -> list[Path]:
    if folder.is_file():
        return [folder] if folder.suffix == ".parquet" else []
    return [*sorted(folder.glob("*.parquet")), *sorted(folder.glob("data/*.parquet"))]


def _split(file: Path) -> str:
    """The split that a file's name begins with; else that of its folder."""
    for name in (file.name, file.parent.name):
        if found := next((split for split in SPLITS if name.startswith(split)), ""):
            return found
    return ""


def _place(value: Any) -> str:
    return str(value.get("annotation_id")) if isinstance(value, Mapping) else ""


def _truth(operation: str, boxes: list[Box]) -> list[Action]:
    read: _Operation = _typed(operation, _Operation, "operation")
    text = read.value or ""
    match read.op:
        case "CLICK":
            return [Action("click", point=box.center, box=box) for box in boxes]
        case "SELECT":
            return [Action("select", point=box.center, box=box, text=text) for box in boxes]
        case "TYPE":
            return [Action("type", point=box.center, box=box, text=text) for box in boxes] or [
                Action("type", text=text)
            ]
    raise ValueError(f"operation.op: {read.op[:40]!r} is not CLICK, TYPE or SELECT")


def _candidate(text: str, what: str) -> Element | None:
    """An element of the page; None for one that is not drawn (a box of -1 or of no size)."""
    candidate: _Candidate = _typed(text, _Candidate, what)
    attributes = _json(candidate.attributes, f"{what}.attributes")
    rect = attributes.get("bounding_box_rect")
    if rect is None:
        return None
    found = _RECT.fullmatch(rect) if isinstance(rect, str) else None
    try:
        x, y, width, height = (float(side) for side in found.groups()) if found else (float("nan"),) * 4
    except ValueError:
        x = y = width = height = float("nan")
    if not all(abs(side) < 1e9 for side in (x, y, width, height)):
        raise ValueError(f"{what}.attributes.bounding_box_rect: expected x,y,width,height, found {str(rect)[:60]!r}")
    if width <= 0 or height <= 0:
        return None
    said = next((str(attributes[name]) for name in NAMES if attributes.get(name)), "")
    clickable = str(attributes.get("is_clickable", "true")).lower() == "true"
    return Element(0, Box.from_xywh(x, y, width, height), candidate.tag, squeeze(said), interactive=clickable)


def _typed(text: str, kind: type[Any], what: str) -> Any:
    value = _json(text, what)
    try:
        return convert(value, kind)
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from None


def _json(text: str, what: str) -> dict[str, Any]:
    value, error = decoded(text)
    if error:
        raise ValueError(f"{what}: {error}")
    if not isinstance(value, dict):
        raise ValueError(f"{what}: expected an object, found {type(value).__name__}")
    return value
