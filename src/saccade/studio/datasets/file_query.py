"""Questions in SQL to a file of a data set, answered by DuckDB where the file lies.

The question comes from a page and the file from anywhere, so DuckDB runs in a process of its own
(`saccade.studio.datasets.query_process`) that may read this one file and write none, has no network, little memory and
a few seconds.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from saccade.errors import InputError
from saccade.untrusted import decode_json

READERS = {".jsonl": "json", ".json": "json", ".parquet": "parquet", ".csv": "csv", ".tsv": "csv"}
"""File names that a question can be asked about."""
SECONDS = 10.0
LONGEST_QUESTION = 10_000
MOST_ROWS = 200
MOST_FILES = 200
MOST_ANSWER = 16 * 2**20


class QueryAnswer(msgspec.Struct):
    """The rows of an answer, as text, cut after `MOST_ROWS`; or what is wrong with the question."""

    columns: list[str] = msgspec.field(default_factory=list)
    rows: list[list[str | None]] = msgspec.field(default_factory=list)
    more: bool = False
    problem: str = ""


class QueryRequest(msgspec.Struct):
    """What the process is asked; empty `sql`: which columns the file has."""

    file: str
    reader: str
    sql: str
    most_rows: int = MOST_ROWS


def queryable_files(path: Path) -> list[str]:
    """The names of a data set's files that can be asked, relative to its folder, those below its subfolders last;
    the file itself has the name `.`.
    """
    if path.is_file():
        return ["."] if path.suffix.lower() in READERS else []
    found: list[str] = []
    for each in _files(path):
        found.append(each.relative_to(path).as_posix())
        if len(found) >= MOST_FILES:
            break
    return sorted(found, key=lambda name: (name.count("/"), name))


def _files(folder: Path) -> Iterator[Path]:
    root = folder.resolve()
    for pattern in ("*", "*/*", "*/*/*"):
        for each in folder.glob(pattern):
            if each.suffix.lower() in READERS and each.is_file() and each.resolve() == root / each.relative_to(folder):
                yield each  # reached without a link


def ask(path: Path, name: str, sql: str) -> QueryAnswer:
    """The answer to a question about one of `queryable_files`."""
    if name not in queryable_files(path):
        raise InputError(f"{name[:200]!r} is not a table of this data set")
    if len(sql) > LONGEST_QUESTION:
        raise InputError(f"the question has more than {LONGEST_QUESTION:,} characters")
    file = (path if name == "." else path / name).resolve()
    request = QueryRequest(str(file), READERS[file.suffix.lower()], sql)
    command = [sys.executable, "-m", "saccade.studio.datasets.query_process"]
    try:
        done = subprocess.run(
            command, input=msgspec.json.encode(request), capture_output=True, timeout=SECONDS, check=False, cwd="/"
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"the answer took more than {SECONDS:.0f} seconds: ask for less") from None
    if done.returncode or len(done.stdout) > MOST_ANSWER:
        raise InputError("the question could not be answered: it needs more memory than it may have; ask for less")
    return decode_json(done.stdout, QueryAnswer)
