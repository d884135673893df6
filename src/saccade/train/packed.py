"""Many rows in one piece of memory.

Worker processes that are forked to draw from a list of objects change every object's reference count, and so copy all
of it page by page: with 360,000 rows and 14 processes that took minutes. From one buffer they copy only what they read.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

import msgspec

from saccade.data.training_rows import TrainingRow
from saccade.paradigms import Paradigm
from saccade.types import Message, Step


class _PackedRow(msgspec.Struct, array_like=True):
    """A row as it is kept."""

    id: str
    texts: list[tuple[str, str]]
    """Role and text of each message; rows with pictures cannot be packed."""
    answer: str
    step: Step
    extra: bool


_DECODER = msgspec.msgpack.Decoder(_PackedRow)


def pack(row: TrainingRow) -> bytes:
    """A row without pictures as bytes."""
    texts: list[tuple[str, str]] = [(message.role, message.text) for message in row.messages]
    return msgspec.msgpack.encode(_PackedRow(row.id, texts, row.answer, row.step, row.extra))


class PackedRows(Sequence[TrainingRow]):
    """Packed rows, each decoded when it is asked for. Which paradigm wrote each is not kept: all get this one."""

    def __init__(self, paradigm: Paradigm) -> None:
        self.paradigm = paradigm
        self._bytes = bytearray()
        self._ends = array("Q", [0])

    def append(self, packed: bytes) -> None:
        self._bytes += packed
        self._ends.append(len(self._bytes))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, at: int) -> TrainingRow:  # type: ignore[override]
        if not 0 <= at < len(self):
            raise IndexError(at)
        row = _DECODER.decode(memoryview(self._bytes)[self._ends[at] : self._ends[at + 1]])
        messages = [Message(role, (text,)) for role, text in row.texts]  # type: ignore[arg-type]
        return TrainingRow(row.id, self.paradigm, messages, row.answer, row.step, row.extra)

    def __iter__(self) -> Iterator[TrainingRow]:
        return (self[at] for at in range(len(self)))
