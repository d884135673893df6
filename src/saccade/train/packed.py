"""Many rows in one piece of memory.

Processes that are forked to draw from a list of objects touch every object's reference count, and thereby copy, page by
page, all of it: with 360,000 rows and 14 processes that was minutes of an accelerator's time. Of one buffer they read
what they need and copy nothing.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

import msgspec

from saccade.paradigms import Paradigm
from saccade.train.rows import Row
from saccade.types import Message, Step


class _Line(msgspec.Struct, array_like=True):
    """A row as it is kept."""

    id: str
    texts: list[tuple[str, str]]
    """Role and words of each message; rows with pictures cannot be packed."""
    answer: str
    step: Step
    restates: bool


_DECODER = msgspec.msgpack.Decoder(_Line)


def pack(row: Row) -> bytes:
    texts: list[tuple[str, str]] = [(message.role, message.text) for message in row.messages]
    return msgspec.msgpack.encode(_Line(row.id, texts, row.answer, row.step, row.restates))


class Packed(Sequence[Row]):
    """Rows that are made anew each time they are asked for. Which paradigm wrote them is not kept."""

    def __init__(self, paradigm: Paradigm) -> None:
        self.paradigm = paradigm
        self._lines = bytearray()
        self._ends = array("Q", [0])

    def append(self, line: bytes) -> None:
        self._lines += line
        self._ends.append(len(self._lines))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, at: int) -> Row:  # type: ignore[override]
        if not 0 <= at < len(self):
            raise IndexError(at)
        line = _DECODER.decode(memoryview(self._lines)[self._ends[at] : self._ends[at + 1]])
        messages = [Message(role, (text,)) for role, text in line.texts]  # type: ignore[arg-type]
        return Row(line.id, self.paradigm, messages, line.answer, line.step, line.restates)

    def __iter__(self) -> Iterator[Row]:
        return (self[at] for at in range(len(self)))
