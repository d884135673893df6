"""`tf.train.Example`: named lists of bytes, floats or integers. Only the lists that are asked for are touched."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator
from sys import byteorder
from typing import NamedTuple

from saccade.screens.protobuf import FOUR, VARINT, Buffer, fields, signed, tag, text, varint

_FIRST = tag(1)
"""The features of an example, the map in them, a key in the map, values in a list: all are field 1."""
_VALUE = tag(2)
_KINDS = {tag(1): "bytes", tag(2): "floats", tag(3): "integers"}


class Feature(NamedTuple):
    """One list, where it stands in its record. Its methods raise `ValueError` with its name."""

    name: str
    data: Buffer
    at: int
    end: int
    kind: str
    """`bytes`, `floats`, `integers`; nothing of an empty one."""

    def views(self) -> list[memoryview]:
        """Its values as slices of the record; nothing is copied."""
        whole = memoryview(self.data)
        return [whole[at:end] for key, at, end in self._values("bytes") if key == _FIRST]

    def texts(self) -> list[str]:
        found = []
        for key, at, end in self._values("bytes"):
            if key == _FIRST:
                try:
                    found.append(text(self.data, at, end))
                except ValueError as error:
                    raise ValueError(f"{self.name}[{len(found)}]: {error}") from None
        return found

    def integers(self) -> list[int]:
        found: list[int] = []
        for key, at, end in self._values("integers"):
            if key == tag(1, VARINT):
                found.append(signed(at))
            elif key == _FIRST:
                found += self._packed(at, end)
        return found

    def floats(self) -> list[float]:
        found = array("f")
        for key, at, end in self._values("floats"):
            if key not in (_FIRST, tag(1, FOUR)):
                continue
            if (end - at) % 4:
                raise ValueError(f"{self.name}: {end - at} bytes are no floats")
            found.frombytes(self.data[at:end])
        if byteorder == "big":
            found.byteswap()
        return found.tolist()

    def _packed(self, at: int, end: int) -> Iterator[int]:
        while at < end:
            try:
                value, at = varint(self.data, at, end)
            except ValueError as error:
                raise ValueError(f"{self.name}: {error}") from None
            yield signed(value)

    def _values(self, kind: str) -> Iterator[tuple[int, int, int]]:
        if self.kind not in (kind, ""):
            raise ValueError(f"{self.name}: it holds {self.kind}, not {kind}")
        try:
            yield from fields(self.data, self.at, self.end)
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None


def pick(data: Buffer, at: int, end: int, names: Collection[str]) -> dict[str, Feature]:
    """The features of those names in the example `data[at:end]`; one that is missing is empty.

    Raises `ValueError` if it is no example.
    """
    found = {name: Feature(name, data, 0, 0, "") for name in names}
    for name, begin, stop in _entries(data, at, end):
        if name in found:
            found[name] = _feature(name, data, begin, stop)
    return found


def names_in(start: bytes) -> set[str]:
    """The names of features as far as the first bytes of an example go."""
    found: set[str] = set()
    try:
        _, at = varint(start, 1, len(start))
        while at < len(start) and start[at] == _FIRST:
            size, entry = varint(start, at + 1, len(start))
            length, name = varint(start, entry + 1, len(start))
            found.add(start[name : name + length].decode(errors="replace"))
            at = entry + size
    except ValueError:
        pass
    return found


def _entries(data: Buffer, at: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Name of each feature, and where it begins and ends."""
    for outer, begin, stop in fields(data, at, end):
        if outer != _FIRST:
            continue
        for middle, low, high in fields(data, begin, stop):
            if middle == _FIRST:
                entry = {key: (first, last) for key, first, last in fields(data, low, high)}
                name, value = entry.get(_FIRST, (0, 0)), entry.get(_VALUE, (0, 0))
                yield data[slice(*name)].decode(errors="replace"), value[0], value[1]


def _feature(name: str, data: Buffer, at: int, end: int) -> Feature:
    try:
        kinds = [
            Feature(name, data, low, high, _KINDS[key]) for key, low, high in fields(data, at, end) if key in _KINDS
        ]
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return kinds[-1] if kinds else Feature(name, data, 0, 0, "")
