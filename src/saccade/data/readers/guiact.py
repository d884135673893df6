"""GUIAct (GUICourse): questions about web pages and phones, answered by groups of actions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import msgspec

from saccade.data.readers.base import DataError, Dataset, Sample, convert
from saccade.data.readers.guiact_actions import actions_of, elements_of
from saccade.data.readers.tables import (
    BrokenError,
    Cells,
    ParquetTable,
    TableRecord,
    decoded,
    gathered,
    json_records,
    names_columns,
    picture_bytes,
)
from saccade.errors import InputError
from saccade.geometry import Size
from saccade.paradigms.wording import in_words, language_of
from saccade.types import Element, Picture, Screen, Step

SUBSETS = ("web-single", "web-multi", "smartphone")
SPLITS = ("test", "train")
COLUMNS = ("uid", "image_id", "image_size", "question", "actions_label", "actions_history", "logs", "thoughts")
KEYS = ("image_id", "uid", "index", "__index_level_0__", "id")
"""Where a table of pictures may keep their names; pandas calls an index without a name `__index_level_0__`."""
PICTURES = ("base64", "image", "screenshot")
_STEP = re.compile(r"(.+?)_step_(\d+)", re.DOTALL)


class _Row(msgspec.Struct):
    """One question with the actions that answer it."""

    uid: str
    question: str
    image_size: dict[str, int] | tuple[int, int]
    actions_label: Any
    image_id: str | None = None
    actions_history: str | list[str] | None = None
    logs: str | list[str] | None = None
    thoughts: str | list[str] | None = None

    @property
    def size(self) -> Size:
        if isinstance(self.image_size, dict):
            size = Size(self.image_size.get("width", 0), self.image_size.get("height", 0))
        else:
            size = Size(*self.image_size)
        if min(size) < 1:
            raise ValueError(f"image_size: {self.image_size} is not a width and a height")
        return size


class _Part(NamedTuple):
    """The files of one sub-set and split."""

    subset: str
    split: str
    file: Path
    images: Path | None

    @property
    def table(self) -> bool:
        return self.file.suffix == ".parquet"


class GUIAct(Dataset):
    """`{web-single,web-multi,smartphone}_{test,train}_data.json`, each with its `_images.parquet` (a column `base64`,
    indexed by image); also tables that hold everything in one row.

    Published: 67 k questions about single web pages, and 15 k multi-step instructions (5,696 for the web and 9,157 for
    the phone by the paper, which was not counted again here). The phone's screens are AitW's.

    A web question is often answered by a group of actions on one screenshot (click, input, enter). Each becomes a step
    of its own: the screenshot stays, and the history tells what was done. The authors score the group as a whole.
    Places are taken from `absolute`, which is in pixels, else from `related`, which is in shares of the image.
    A scroll says how far the page goes down and right, so the finger goes the other way; one that goes nowhere counts
    as up, as in the authors' evaluator. A swipe has the finger's two points. `copy` is ctrl+c, `select_text` a drag.
    History is the record's `actions_history`, and is made from the earlier actions where that is empty.

    `elements=yes` adds the elements that the pictures' table holds. Pictures are read when somebody looks, in the
    table's order best: its one row group cannot be entered in the middle.
    """

    name = "guiact"
    title = "GUIAct"
    layout = (
        "files such as web-single_test_data.json and web-single_test_images.parquet, or parquet files with the columns "
        "uid, question and actions_label"
    )
    licence = "CC-BY-4.0"
    profile = "gui-r1"
    choices: ClassVar = {"subset": ("all", *SUBSETS), "split": SPLITS, "elements": ("no", "yes")}

    @classmethod
    def recognises(cls, folder: Path) -> bool:
        return folder.is_dir() and next(_parts(folder), None) is not None

    def samples(self) -> Iterator[Sample]:
        parts = [
            part
            for part in _parts(self.folder)
            if self.options["subset"] in ("all", part.subset) and part.split in ("", self.options["split"])
        ]
        if not parts:
            wanted = f"{self.options['subset']}, {self.options['split']}"
            raise InputError(f"{self.folder} has no GUIAct files for {wanted}: download them, or choose others")
        self.progress.total, self.progress.done = sum(part.file.stat().st_size for part in parts), 0
        for part in parts:
            before = self.progress.done
            yield from self._part(part)
            self.progress.done = before + part.file.stat().st_size

    def _part(self, part: _Part) -> Iterator[Sample]:
        try:
            counts = Counter(_place(record.value)[0] for record in _records(part, ["uid"]) if not record.error)
            images = _Images(part, self.options["elements"] == "yes")
        except BrokenError as error:
            self.bad(error.where, error.reason)
            return
        for episode, rows in gathered(self._placed(part), counts):
            yield from self._episode(part, episode, [row for row in rows if row is not None], images)

    def _placed(self, part: _Part) -> Iterator[tuple[str, int, tuple[_Row, Size, TableRecord] | None]]:
        """Records with their episode and step; None for one that cannot be read."""
        total = 0 if not part.table else ParquetTable(part.file).rows
        for record in _records(part, COLUMNS):
            self.progress.done += record.size if not total else part.file.stat().st_size * record.size // total
            if record.error:
                self.bad(record.where, record.error)
                continue
            row = None
            try:
                read: _Row = convert(_filled(record.value), _Row)
                row = read, read.size, record
            except ValueError as error:
                self.bad(record.where, str(error))
            yield *_place(record.value), row

    def _episode(
        self, part: _Part, episode: str, rows: list[tuple[_Row, Size, TableRecord]], images: _Images
    ) -> Iterator[Sample]:
        done: list[str] = []
        at = 0
        for row, size, record in rows:
            try:
                actions = actions_of(row.actions_label, size)
                image, picture = images.picture(row.image_id or row.uid, record, size)
                elements = images.elements(row.image_id or row.uid, record)
            except (ValueError, DataError) as error:
                self.bad(record.where, str(error))
                continue
            told = _lines(row.actions_history)
            tags = _tags(part, row)
            group: list[str] = []
            for number, action in enumerate(actions):
                step = Step(
                    id=row.uid if len(actions) == 1 else f"{row.uid}.{number}",
                    episode=episode,
                    step=at,
                    instruction=row.question,
                    screen=size,
                    image=image,
                    history=[*(told or done), *group],
                    context="\n".join(_lines(row.logs)),
                    elements=elements,
                    truth=[action],
                    thought="\n".join(_lines(row.thoughts)),
                    tags=tags if len(actions) == 1 else tags | {"part": f"{number + 1}/{len(actions)}"},
                )
                group.append(in_words(action, Screen(size, None, elements)))
                at += 1
                yield Sample(step, picture, record.where)
            done += group


class _Images:
    """Pictures and elements of one part: in a table of their own, or in the records' own table."""

    def __init__(self, part: _Part, elements: bool) -> None:
        self._rows: dict[str, int] = {}
        self._name = ""
        self._cells: Cells | None = None
        self._elements: Cells | None = None
        path = part.file if part.table else part.images
        if path is None:
            return
        table = ParquetTable(path)
        self._own = part.table
        self._path = path
        column = next((name for name in PICTURES if name in table.columns), "")
        if not column:
            raise BrokenError(str(path), f"base64: missing; its columns are {', '.join(sorted(table.columns))}")
        self._cells = table.cells(column)
        if elements and "elements" in table.columns:
            self._elements = table.cells("elements")
        if not self._own:
            self._rows = _index(table)

    def picture(self, name: str, record: TableRecord, size: Size) -> tuple[str, Picture | None]:
        """Its locator, and the picture; nothing where the table was not downloaded."""
        cells = self._cells
        if cells is None:
            return "", None
        row = self._row(name, record)
        where = f"{self._path}, row {row}"

        def look() -> bytes:
            try:
                return picture_bytes(cells[row])
            except ValueError as error:
                raise BrokenError(where, str(error)) from None

        return f"{self._path.name}#{name}", Picture(look, size)

    def elements(self, name: str, record: TableRecord) -> list[Element]:
        return [] if self._elements is None else elements_of(self._elements[self._row(name, record)])

    def _row(self, name: str, record: TableRecord) -> int:
        if self._own:
            return record.row
        if name not in self._rows:
            raise ValueError(f"image_id: {name[:60]!r} is not in {self._path}")
        return self._rows[name]


def _index(table: ParquetTable) -> dict[str, int]:
    key = next((name for name in KEYS if name in table.columns), "")
    if not key:
        raise BrokenError(str(table.path), f"image_id: missing; no column of {', '.join(KEYS)} names the pictures")
    rows: dict[str, int] = {}
    for record in table.records([key]):
        if record.error:
            raise BrokenError(record.where, record.error)
        rows[str(record.value[key])] = record.row
    return rows


def _parts(folder: Path) -> Iterator[_Part]:
    """What there is, by names and, for tables that hold everything, by their columns."""
    places = [place for place in (folder, folder / "data") if place.is_dir()]
    for place in places:
        for subset in SUBSETS:
            for split in SPLITS:
                file = place / f"{subset}_{split}_data.json"
                images = place / f"{subset}_{split}_images.parquet"
                if file.is_file():
                    yield _Part(subset, split, file, images if images.is_file() else None)
    for place in places:
        for file in sorted(place.glob("*.parquet")):
            if names_columns(file, "uid", "question", "actions_label"):
                subset = next((name for name in SUBSETS if name in file.name), "")
                yield _Part(subset, next((name for name in SPLITS if name in file.name), ""), file, None)


def _records(part: _Part, columns: Sequence[str]) -> Iterator[TableRecord]:
    yield from ParquetTable(part.file).records(columns) if part.table else json_records(part.file)


def _place(value: Any) -> tuple[str, int]:
    """Episode and step, which only the uid tells: `uid_episode_1027_step_03`."""
    uid = str(value.get("uid", "")) if isinstance(value, Mapping) else ""
    found = _STEP.fullmatch(uid)
    return (found[1], int(found[2][:9])) if found else (uid, 0)


def _filled(value: Any) -> Any:
    """A record whose nested fields may be JSON in a string, as tables hold them."""
    if not isinstance(value, Mapping):
        raise ValueError(f"expected an object, found {type(value).__name__}")
    record = dict(value)
    for name in ("actions_label", "image_size"):
        if isinstance(record.get(name), str):
            record[name], error = decoded(record[name])
            if error:
                raise ValueError(f"{name}: {error}")
    return record


def _lines(value: str | list[str] | None) -> list[str]:
    lines = value.splitlines() if isinstance(value, str) else value or []
    return [line.strip() for line in lines if line.strip()]


def _tags(part: _Part, row: _Row) -> dict[str, str]:
    tags = {"source": part.subset, "split": part.split, "language": language_of(row.question)}
    if part.subset:
        tags["platform"] = "mobile" if part.subset == "smartphone" else "web"
    return {key: tag for key, tag in tags.items() if tag}
