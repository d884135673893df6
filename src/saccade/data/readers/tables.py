"""Parquet tables and JSON files, a few records at a time, with pictures read only when somebody looks.

Tables of screenshots are large, and some hold gigabytes in one row group (GUIAct): columns are read page by page, never
a row group as a whole. A page is the least that can be held; common writers put up to 1,024 rows into one. What is
damaged costs its own record or row group, not the rest.
"""

from __future__ import annotations

import base64
import io
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from saccade.data.readers.arrays import items
from saccade.data.readers.base import DataError
from saccade.errors import InputError, MissingError
from saccade.geometry import Size
from saccade.memory_limit import bounded_memory
from saccade.untrusted import PictureError, decode_json, open_file, picture_head

BATCH = 16
"""Rows that are held at once."""
KEPT = 16
"""Cells that are kept for whoever goes back a little."""
BUFFER = 1 << 16
LONGEST_FOOT = 1 << 25
LONGEST_LINE = LARGEST_ROW = 1 << 26
_MAGIC = b"PAR1"
_PICTURES = (b"\x89PNG", b"\xff\xd8", b"RIFF", b"GIF8", b"BM")


class TableRecord(NamedTuple):
    """One record of a file."""

    where: str
    """File, and line or row."""
    value: Any
    error: str = ""
    """Why it could not be read; then there is no value."""
    size: int = 0
    """Bytes of a line, for the progress bar; 1 for a row."""
    row: int = 0
    """Its number: of a row counted from 0, of a line from 1."""


# -- JSON -------------------------------------------------------------------------------------------------------------


def json_records(path: Path) -> Iterator[TableRecord]:
    """The records of a JSON list, or of a file with one on each line: its first character tells."""
    try:
        with open_file(path) as file:
            listed = file.read(1 << 12).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    yield from json_list(path) if listed else json_lines(path)


def json_list(path: Path) -> Iterator[TableRecord]:
    """The records of a JSON list."""
    done = 0
    for item in items(path):
        yield TableRecord(f"{path}, record {item.number}", item.value, item.error, item.end - done, item.number)
        done = item.end


def json_lines(path: Path) -> Iterator[TableRecord]:
    """The lines of a file that are not blank, each decoded by itself."""
    try:
        with open_file(path) as file:
            number = 0
            while line := file.readline(LONGEST_LINE):
                number += 1
                if line.strip():
                    value, error = decoded(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
                    yield TableRecord(f"{path}:{number}", value, error, len(line), number)
            if not number:
                yield TableRecord(str(path), None, "the file is empty")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def decoded(raw: bytes | str) -> tuple[Any, str]:
    """JSON, or why it is none."""
    try:
        return decode_json(raw), ""
    except msgspec.DecodeError as error:
        return None, f"not JSON: {error}"


# -- parquet ----------------------------------------------------------------------------------------------------------


def names_columns(path: Path, *names: str) -> bool:
    """Does the foot of this parquet file name these columns? Looks without a library, to tell what a folder holds."""
    try:
        with open_file(path) as file:
            end = file.seek(0, io.SEEK_END)
            if end < 12:
                return False
            file.seek(end - 8)
            length, magic = int.from_bytes(file.read(4), "little"), file.read(4)
            if magic != _MAGIC or not 0 < length <= min(end - 8, LONGEST_FOOT):
                return False
            file.seek(end - 8 - length)
            foot = file.read(length)
    except OSError:
        return False
    return all(bytes([len(name)]) + name.encode() in foot for name in names)


def arrow_module(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise MissingError("parquet files need pyarrow: pip install 'saccade[data]'") from None


class BrokenError(DataError):
    """A file, or a part of one, that cannot be read at all."""

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.where, self.reason = where, reason


class ParquetTable:
    """A parquet file. Raises `BrokenError` if it is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._errors = (arrow_module("pyarrow").ArrowException, OSError, ValueError)
        try:
            open_file(path).close()  # a pipe or a device is an error, and nothing waits for it
            with bounded_memory():
                self._file = arrow_module("pyarrow.parquet").ParquetFile(path, buffer_size=BUFFER, pre_buffer=False)
        except self._errors as error:
            raise BrokenError(str(path), f"not a parquet file, or cut off: {_line(error)}") from None
        self.columns = frozenset(str(name) for name in self._file.schema_arrow.names)
        groups = self._file.metadata
        self._starts = [0]
        for group in range(groups.num_row_groups):
            self._starts.append(self._starts[-1] + groups.row_group(group).num_rows)
        self.rows = self._starts[-1]

    def records(self, columns: Iterable[str]) -> Iterator[TableRecord]:
        """All rows with those of the columns that there are. A row group that is damaged counts as one bad record."""
        wanted = [name for name in columns if name in self.columns]
        for group, start in enumerate(self._starts[:-1]):
            row = start
            try:
                for batch in self._batches(group, wanted):
                    for value, error in _rows(batch):
                        yield TableRecord(f"{self.path}, row {row}", value, error, 1, row)
                        row += 1
            except self._errors as error:
                lost = self._starts[group + 1] - row
                where = f"{self.path}, rows {row} to {row + lost - 1}"
                yield TableRecord(where, None, f"row group {group} is damaged: {_line(error)}", lost, row)

    def cells(self, column: str) -> Cells:
        return Cells(ParquetTable(self.path), column)

    def _batches(self, group: int, columns: Sequence[str]) -> Iterator[Any]:
        """A file of kilobytes can unpack to anything: its pages, the values of a dictionary, a list of nothing."""
        batches = self._file.iter_batches(BATCH, row_groups=[group], columns=list(columns), use_threads=False)
        while True:
            with bounded_memory():
                batch = next(batches, None)
            if batch is None:
                return
            yield batch


class Cells:
    """One column by row number, when it is asked for.

    A reading in order goes on where it was; a step back of a few rows finds what was kept; only a longer one begins its
    row group anew.
    """

    def __init__(self, table: ParquetTable, column: str) -> None:
        self._table, self._column = table, column
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, Any] = OrderedDict()
        self._next = -1
        self._end = -1
        self._rows: Iterator[Any] = iter(())

    def __getitem__(self, row: int) -> Any:
        with self._lock:
            if row in self._kept:
                return self._kept[row]
            try:
                return self._read(row)
            except (*self._table._errors, StopIteration) as error:
                self._next = self._end = -1
                raise BrokenError(f"{self._table.path}, row {row}", f"{self._column}: {_line(error)}") from None

    def _read(self, row: int) -> Any:
        if not self._next <= row < self._end:
            starts = self._table._starts
            group = bisect_right(starts, row) - 1
            self._next, self._end = starts[group], starts[group + 1]
            self._rows = self._walk(group)
        while True:
            value = next(self._rows)
            self._next += 1
            if row - self._next < KEPT:
                self._kept[self._next - 1] = _unpacked(value)[0]
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            if self._next > row:
                return self._kept[row]

    def _walk(self, group: int) -> Iterator[Any]:
        for batch in self._table._batches(group, [self._column]):
            for at in range(batch.num_rows):
                yield batch.column(0).slice(at, 1)


def _rows(batch: Any) -> Iterator[tuple[Any, str]]:
    """Each row, or why there is none. Where something is wrong with a batch, it is read row by row."""
    try:
        values = _unpacked(batch)
    except ValueError:
        for at in range(batch.num_rows):
            try:
                yield _unpacked(batch.slice(at, 1))[0], ""
            except UnicodeError as error:
                yield None, f"text that is not UTF-8: {_line(error)}"
            except ValueError as error:
                yield None, _line(error)
        return
    for value in values:
        yield value, ""


def _unpacked(values: Any) -> list[Any]:
    """Rows or cells as Python's objects; `ValueError`."""
    if values.nbytes > LARGEST_ROW:
        raise ValueError(f"it has {values.nbytes:,} bytes: no record does")
    with bounded_memory():
        found: list[Any] = values.to_pylist()
    return found


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


# -- pictures in records ----------------------------------------------------------------------------------------------


def picture_bytes(value: Any, what: str = "image") -> bytes:
    """An image as tables hold it: bytes, base64 text (also as a data URL), or `{"bytes": …, "path": …}`.

    Raises `ValueError` that begins with the field's name, `what`.
    """
    if isinstance(value, Mapping):
        value = value.get("bytes")
    if isinstance(value, bytes) and value.startswith(_PICTURES):
        return value
    if isinstance(value, str | bytes) and value:
        text = value if isinstance(value, str) else value.decode("ascii", "replace")
        try:
            return base64.b64decode(text.partition(",")[2] if text.startswith("data:") else text, validate=True)
        except ValueError:
            raise ValueError(f"{what}: neither a picture nor base64 of one") from None
    raise ValueError(f"{what}: there is no picture in it")


def picture_size(data: bytes, what: str = "image") -> Size:
    """Width and height from the head of a picture, without decoding it; `ValueError` if it is none."""
    try:
        return picture_head(data).size
    except PictureError as error:
        raise ValueError(f"{what}: it cannot be read: {str(error)[:160]}") from None


# -- episodes ---------------------------------------------------------------------------------------------------------

T = TypeVar("T")


def gathered(records: Iterable[tuple[str, int, T]], counts: Mapping[str, int]) -> Iterator[tuple[str, list[T]]]:
    """Episodes, each in the order of its steps, as soon as as many records have come as `counts` says.

    Where a file keeps an episode together, as they do, no more than one is held.
    """
    waiting: dict[str, list[tuple[int, T]]] = {}
    for episode, step, record in records:
        held = waiting.setdefault(episode, [])
        held.append((step, record))
        if len(held) >= counts.get(episode, 1):
            yield episode, _in_order(waiting.pop(episode))
    for episode, held in waiting.items():
        yield episode, _in_order(held)


def _in_order(held: list[tuple[int, T]]) -> list[T]:
    return [record for _, record in sorted(held, key=lambda pair: pair[0])]
