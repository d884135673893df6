"""What a home folder contains, as values that can be compared: texts, rows of databases, cells of sheets, pictures.

Task templates say in these values what is there at the start and what must be there in the end; that nothing else
changed follows from comparing all of it.
"""

from __future__ import annotations

import hashlib
import sqlite3
import stat
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from saccade.untrusted import read_bytes, read_picture
from saccade.worlds.desktop.tasks.spreadsheet import read_cells, write_cells

TRASH = "Trash"
TRASH_FOLDER = ".local/share/Trash/files"
MOST_FILES, MOST_BYTES = 1000, 5_000_000
_LEFT_BEHIND = ("-journal", "-wal", "-shm", "~")
"""Ends of names of files that programs keep beside those that they have open."""


@dataclass(frozen=True)
class Paint:
    """A picture of one colour: width and height in pixels, and red, green and blue."""

    width: int
    height: int
    colour: tuple[int, int, int]


Content = str | None | Paint | Mapping[str, Any]
"""A text; None for a folder; a picture; the tables of a `.db` (name → rows, the first one the columns' names) or the
cells of a `.gnumeric` (name → what it shows).
"""
Files = Mapping[str, Content]
"""From paths below the home folder to what is there. Files in the trash are below `Trash/`."""


def write_files(home: Path, files: Files) -> None:
    """Put these files into a home folder."""
    for name, content in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir(exist_ok=True)
        elif isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        elif isinstance(content, Paint):
            Image.new("RGB", (content.width, content.height), content.colour).save(path)
        elif path.suffix == ".gnumeric":
            path.write_bytes(write_cells(content))
        else:
            _write_database(path, content)


def _write_database(path: Path, tables: Mapping[str, Any]) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for table, (columns, *rows) in tables.items():
            types = ["INTEGER PRIMARY KEY", *("INTEGER" if isinstance(each, int) else "TEXT" for each in rows[0][1:])]
            declared = ", ".join(f'"{name}" {kind}' for name, kind in zip(columns, types, strict=True))
            connection.execute(f'CREATE TABLE "{table}" ({declared})')
            connection.executemany(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(columns))})', rows)
        connection.commit()


def read_files(home: Path) -> dict[str, Content]:
    """All user files of a home folder; hidden ones belong to programs. What cannot be read has a content that equals
    nothing that a task asks for.
    """
    found: dict[str, Content] = {}
    _read_folder(home, "", found)
    trash = home / TRASH_FOLDER
    if trash.is_dir():
        _read_folder(trash, f"{TRASH}/", found)
    return found


def _read_folder(folder: Path, prefix: str, found: dict[str, Content]) -> None:
    for path in sorted(folder.iterdir()):
        hidden = path.name.startswith(".") or path.name.endswith(_LEFT_BEHIND)
        if (hidden and not prefix.startswith(TRASH)) or len(found) >= MOST_FILES:
            continue
        with suppress(FileNotFoundError):  # programs make files that are gone at once
            _read_entry(path, prefix + path.name, found)


def _read_entry(path: Path, name: str, found: dict[str, Content]) -> None:
    about = path.lstat()
    if stat.S_ISDIR(about.st_mode):
        found[name] = None
        _read_folder(path, f"{name}/", found)
    elif stat.S_ISREG(about.st_mode) and about.st_size <= MOST_BYTES:
        found[name] = _read_file(path)
    else:
        found[name] = "<no plain file, or a very large one>"


def _read_file(path: Path) -> Content:
    readers: dict[str, Callable[[Path], Content]] = {
        ".db": _read_database,
        ".gnumeric": lambda path: read_cells(read_bytes(path)),
        ".png": _read_picture,
    }
    data = read_bytes(path)
    try:
        if path.suffix in readers:
            return readers[path.suffix](path)
        return data.decode().rstrip("\n")
    except (OSError, ValueError, LookupError, sqlite3.Error):
        return f"<unreadable: {hashlib.sha256(data).hexdigest()}>"


def _read_database(path: Path) -> dict[str, Any]:
    """As it is on the disk: changes that were not written do not count."""
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        tables: dict[str, Any] = {}
        for name in names:
            rows = connection.execute(f'SELECT * FROM "{name.replace(chr(34), "")}" ORDER BY 1')
            columns = [column[0] for column in rows.description]
            tables[name] = [tuple(columns), *map(tuple, rows.fetchall())]
        return tables


def _read_picture(path: Path) -> Content:
    pixels = read_picture(path).convert("RGB")
    colours = pixels.getcolors(1)
    if colours is None:
        return f"<picture: {hashlib.sha256(pixels.tobytes()).hexdigest()}>"
    colour: Any = colours[0][1]
    return Paint(pixels.width, pixels.height, colour)


def plain(files: Files) -> dict[str, Content]:
    """These files as `read_files` would read them: with the folders that they lie in, and no line break at the end."""
    found: dict[str, Content] = {}
    for name, content in files.items():
        for end in range(1, len(parts := name.split("/"))):
            found.setdefault("/".join(parts[:end]), None)
        found[name] = content.rstrip("\n") if isinstance(content, str) else content
    found.pop(TRASH, None)
    return found
