"""Screenshots where they lie: unpacked in a folder, or in zip archives, which are not unpacked.

Large data sets come as an archive in parts (`.z01`, `.z02`, … `.zip`), which Python's own reader refuses. So the
directory of an archive is read here, in the form that PKWARE's note describes, with and without the 64-bit records.
"""

from __future__ import annotations

import io
import struct
import threading
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

from saccade.data.readers.base import DataError, image_size
from saccade.data.readers.tables import picture_size
from saccade.geometry import Size
from saccade.types import Picture
from saccade.untrusted import open_file

LONGEST_COMMENT = (1 << 16) + 22
LARGEST_DIRECTORY = 1 << 30
MOST_FILES = 2_000_000
LARGEST_FILE = 1 << 28
HEADS = (1 << 12, 1 << 16)
"""Bytes of a picture that are read to learn its size, before all of it is."""
_END = struct.Struct("<4sHHHHIIH")
_LOCATOR = struct.Struct("<4sIQI")
_END64 = struct.Struct("<4sQHHIIQQQQ")
_ENTRY = struct.Struct("<4sHHHHHHIIIHHHHHII")
_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_FULL16, _FULL32 = 0xFFFF, 0xFFFFFFFF
_STORED, _DEFLATED = 0, 8
_ENCRYPTED, _UTF8 = 1, 1 << 11


class ZipEntry(NamedTuple):
    """One file in an archive."""

    part: int
    offset: int
    packed: int
    size: int
    method: int
    flags: int
    crc: int


class Archive:
    """A zip archive, whole or in parts. Raises `DataError` where it is damaged or a part is missing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._files: dict[int, BinaryIO] = {}
        self._paths = [path]
        self._shift = 0
        self.entries: dict[str, ZipEntry] = {}
        try:
            for count, (name, entry) in enumerate(self._directory()):
                if count >= MOST_FILES:
                    raise ValueError(f"it has more than {MOST_FILES:,} files")
                self.entries[name] = entry
        except (struct.error, OSError, ValueError, UnicodeError) as error:
            raise DataError(f"{path}: not a zip archive, or damaged: {error}") from None

    # -- the directory ----------------------------------------------------------------------------------------------

    def _directory(self) -> Iterator[tuple[str, ZipEntry]]:
        last, part, offset, size = self._end()
        self._paths = parts_of(self.path, last)
        if size > LARGEST_DIRECTORY:
            raise ValueError(f"its directory has {size:,} bytes")
        data = self._bytes(part, offset + self._shift, size)
        at = 0
        while at + _ENTRY.size <= len(data) and data[at : at + 4] == b"PK\x01\x02":
            fields = _ENTRY.unpack_from(data, at)
            flags, method, crc, packed, full = fields[3], fields[4], *fields[7:10]
            length, extra, comment, disk = fields[10:14]
            start = at + _ENTRY.size
            name = data[start : start + length].decode("utf-8" if flags & _UTF8 else "cp437", "replace")
            more = data[start + length : start + length + extra]
            full, packed, place, disk = _wide(more, full, packed, fields[16], disk)
            yield name, ZipEntry(disk, place + self._shift, packed, full, method, flags, crc)
            at = start + length + extra + comment
        if at != len(data):
            raise ValueError(f"its directory breaks off after {min(at, len(data)):,} of {len(data):,} bytes")

    def _end(self) -> tuple[int, int, int, int]:
        """Number of the last part; part, offset and size of the directory."""
        with open_file(self.path) as file:
            whole = file.seek(0, io.SEEK_END)
            file.seek(max(0, whole - LONGEST_COMMENT - _LOCATOR.size))
            tail = file.read()
        at = tail.rfind(b"PK\x05\x06")
        if at < 0 or at + _END.size > len(tail):
            raise ValueError("the end of its directory is missing: is it cut off?")
        _, last, part, _, count, size, offset, _ = _END.unpack_from(tail, at)
        where = whole - len(tail) + at
        if _FULL16 in (last, part, count) or _FULL32 in (size, offset):
            sign, disk, place, total = (
                _LOCATOR.unpack_from(tail, at - _LOCATOR.size) if at >= _LOCATOR.size else (b"",) * 4
            )
            if sign == b"PK\x06\x07":
                self._paths = parts_of(self.path, total - 1 if total else 0)
                wide = _END64.unpack(self._bytes(disk, place, _END64.size))
                last, part, size, offset = wide[4], wide[5], wide[8], wide[9]
                where = place
        if not last:  # something may stand before the archive, as in one that unpacks itself
            self._shift = max(0, where - size - offset)
        return last, part, offset, size

    # -- bytes ------------------------------------------------------------------------------------------------------

    def _bytes(self, part: int, offset: int, count: int) -> bytes:
        """Bytes from a place on, over the ends of parts."""
        found = b""
        while part < len(self._paths):
            file = self._files.get(part)
            if file is None:
                file = self._files[part] = open_file(self._paths[part])
            end = file.seek(0, io.SEEK_END)
            if offset >= end:
                part, offset = part + 1, offset - end
                continue
            file.seek(offset)
            found += file.read(min(count - len(found), end - offset))  # `read` takes the memory for all it is asked for
            if len(found) >= count:
                return found
            part, offset = part + 1, 0
        raise ValueError(f"it ends {count - len(found):,} bytes too early")

    def read(self, name: str, most: int | None = None) -> bytes:
        """A file, or its beginning: at least one byte and at most about `most`."""
        entry = self.entries[name]
        try:
            with self._lock:
                return self._unpacked(entry, most)
        except (struct.error, OSError, ValueError, zlib.error) as error:
            raise DataError(f"{self.path}: {name}: {error}") from None

    def _unpacked(self, entry: ZipEntry, most: int | None) -> bytes:
        if entry.flags & _ENCRYPTED:
            raise ValueError("it is encrypted")
        if entry.method not in (_STORED, _DEFLATED):
            raise ValueError(f"it is packed by method {entry.method}: unpack the archive, or pack it with deflate")
        if entry.size > LARGEST_FILE:
            raise ValueError(f"it has {entry.size:,} bytes: no screenshot does")
        head = _LOCAL.unpack(self._bytes(entry.part, entry.offset, _LOCAL.size))
        if head[0] != b"PK\x03\x04":
            raise ValueError("it is not where the directory says")
        count = entry.packed if most is None else min(most, entry.packed)
        data = self._bytes(entry.part, entry.offset + _LOCAL.size + head[9] + head[10], count)
        if entry.method == _DEFLATED:
            data = zlib.decompressobj(-15).decompress(data, entry.size + 1)
        if most is None and (len(data) != entry.size or zlib.crc32(data) != entry.crc):
            raise ValueError("its checksum is wrong: the archive is damaged")
        return data


def parts_of(path: Path, last: int) -> list[Path]:
    """The files of an archive whose last part has this number: `name.z01`, `name.z02`, … `name.zip`."""
    if last > 9999:
        raise ValueError(f"it claims to have {last + 1} parts")
    parts = [path.with_suffix(f".z{number:02}") for number in range(1, last + 1)]
    missing = [part.name for part in parts if not part.is_file()]
    if missing:
        shown = ", ".join(missing[:3]) + (" …" if len(missing) > 3 else "")
        raise ValueError(f"it is an archive in {last + 1} parts, and {len(missing)} of them are not here: {shown}")
    return [*parts, path]


def _wide(extra: bytes, size: int, packed: int, offset: int, part: int) -> tuple[int, int, int, int]:
    """Sizes and place of an entry, from its 64-bit record where the short fields are full."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            rest = io.BytesIO(extra[at + 4 : at + 4 + length])
            size, packed, offset = (
                struct.unpack("<Q", rest.read(8))[0] if value == _FULL32 else value for value in (size, packed, offset)
            )
            part = struct.unpack("<I", rest.read(4))[0] if part == _FULL16 else part
        at += 4 + length
    return size, packed, offset, part


class ScreenshotFinder:
    """The screenshots of a data set by the names that its records use."""

    def __init__(self, folders: Sequence[Path], archives: Sequence[Path]) -> None:
        self._folders, self._paths = list(folders), list(archives)
        self._opened = False
        self._broken: DataError | None = None
        self._by_name: dict[str, list[tuple[Archive, str]]] = {}

    def picture(self, name: str, size: Size | None = None) -> tuple[str, Picture]:
        """Where it lies, and the picture. Raises `ValueError` if it is nowhere, `DataError` if an archive is broken."""
        plain = PurePosixPath(name.replace("\\", "/").lstrip("/"))
        if not plain.name or ".." in plain.parts:
            raise ValueError(f"{name!r} is not the name of a file")
        for folder in self._folders:
            for path in (folder / plain, folder / plain.name):
                if path.is_file():
                    return str(path), Picture(str(path), size or image_size(path))
        archive, member = self._member(plain)
        return f"{archive.path}#{member}", Picture(lambda: archive.read(member), size or size_in(archive, member))

    def screenshot(self, name: str, told: Size | None, home: Path) -> tuple[str, Picture | None, Size]:
        """Its place below `home`, picture and size. Where the record tells the size, the picture may be missing."""
        try:
            place, picture = self.picture(name, told)
        except ValueError as error:
            if told is None:
                raise ValueError(f"image: {error}") from None
            return name, None, told
        assert picture.size is not None
        return place.removeprefix(str(home)).lstrip("/"), picture, picture.size

    def _open(self) -> None:
        """Read the archives' directories, once; a broken one is told again for every picture."""
        if self._opened:
            return
        self._opened = True
        try:
            for archive in map(Archive, self._paths):
                for member in archive.entries:
                    self._by_name.setdefault(member.rpartition("/")[2], []).append((archive, member))
        except DataError as error:
            self._broken = error

    def _member(self, plain: PurePosixPath) -> tuple[Archive, str]:
        self._open()
        if self._broken is not None:
            raise self._broken
        found = self._by_name.get(plain.name, [])
        for length in range(len(plain.parts)):
            ending = "/" + "/".join(plain.parts[length:])
            fitting = [place for place in found if ("/" + place[1]).endswith(ending)]
            if len(fitting) == 1:
                return fitting[0]
            if fitting:
                raise ValueError(f"{plain} is in {len(fitting)} places: {', '.join(place[1] for place in fitting[:3])}")
        looked = [str(path) for path in [*self._folders, *self._paths]]
        raise ValueError(f"{plain} is nowhere in {', '.join(looked[:4])}{' …' if len(looked) > 4 else ''}")


def size_in(archive: Archive, member: str) -> Size:
    """The size of a picture in an archive; most pictures tell it within their first bytes."""
    for most in HEADS:
        try:
            return picture_size(archive.read(member, most))
        except ValueError:
            continue
    return picture_size(archive.read(member))
