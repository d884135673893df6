"""Reads and writes the review's files for the command line and the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from sqlalchemy import Engine, select
from sqlalchemy.orm import Session

from saccade.errors import InputError
from saccade.records import read_lines, write_object, write_whole
from saccade.studio.database.review import ReviewItem
from saccade.studio.review import label_studio
from saccade.studio.review.decision_files import Imported, StoredItem, import_items, parse_item
from saccade.studio.review.export import Exporter, all_items
from saccade.studio.review.kinds import KINDS
from saccade.studio.review.queue import steps_of
from saccade.types import Step
from saccade.untrusted import read_bytes

MOST_BYTES = 64 * 2**20
"""Most bytes of a Label Studio file."""


def export_label_studio(engine: Engine, out: Path, folders: Sequence[Path], kind: str, prefix: str) -> int:
    """Write tasks of one kind, their pictures, and the labelling interface to a new folder; returns how many."""
    chosen = KINDS.get(kind)
    if out.exists():
        raise InputError(f"{out} already exists: choose another folder, or remove it")
    out.mkdir(parents=True)
    with Session(engine.execution_options(reads=True)) as session:
        exporter = Exporter(session, out, folders)
        items = all_items(session, kind)
        tasks = [label_studio.task_of(session, item, exporter.published(item), prefix) for item in items]
    write_object(out / "tasks.json", tasks)
    write_whole(out / "interface.xml", label_studio.labelling_interface(chosen).encode())
    return len(tasks)


def import_file(engine: Engine, file: Path, folder: Path | None, kind: str = "grounding") -> Imported:
    """Read an export of ours (`decisions.jsonl`, or its folder), or Label Studio's JSON."""
    file = file / "decisions.jsonl" if file.is_dir() else file
    if file.suffix == ".json":
        try:
            if file.stat().st_size > MOST_BYTES:
                raise InputError(f"{file} is larger than {MOST_BYTES // 2**20} MB: import it in parts")
            data = read_bytes(file)
        except OSError as error:
            raise InputError(f"cannot read {file}: {error.strerror}") from None
        return import_tasks(engine, data, folder, kind, str(file))
    lines = read_lines(file)
    return import_stored(engine, (parse_item(line, f"{file}:{number}") for number, line in lines), folder)


def import_text(engine: Engine, data: bytes) -> Imported:
    """What a page uploads: either of the two. Only pictures of items that are here already can be shown."""
    if data.lstrip()[:1] == b"[":
        return import_tasks(engine, data, None, "grounding", "the file")
    lines = enumerate(data.splitlines(), 1)
    items = (parse_item(line, f"line {number}") for number, line in lines if line.strip())
    return import_stored(engine, items, None)


def import_stored(engine: Engine, items: Iterator[StoredItem], folder: Path | None) -> Imported:
    """All or nothing."""
    try:
        with Session(engine) as session, session.begin():
            return import_items(session, items, folder)
    except (msgspec.MsgspecError, ValueError) as error:
        raise InputError(f"the file cannot be imported: {error}") from None


def import_tasks(engine: Engine, data: bytes, folder: Path | None, kind: str, where: str) -> Imported:
    """Label Studio's tasks."""
    KINDS.get(kind)
    tasks = label_studio.parse_tasks(data, where)
    keys = [str(task.data.get("saccade_item", "")) for task in tasks]
    known: dict[str, tuple[str, list[Step], int]] = {}
    with Session(engine.execution_options(reads=True)) as session:
        for start in range(0, len(keys), 500):
            query = select(ReviewItem).where(ReviewItem.key.in_(keys[start : start + 500]))
            known |= {item.key: (item.kind, steps_of(item), item.opinions) for item in session.scalars(query)}
    return import_stored(engine, label_studio.stored_items(tasks, known, kind, folder, where), folder)
