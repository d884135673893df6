"""What must be so in the end of a task, in words, for `saccade tasks show`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from saccade.worlds.desktop.tasks.home_files import Content, Paint
from saccade.worlds.desktop.tasks.template import DesktopTask


def goal_in_words(task: DesktopTask) -> tuple[str, ...]:
    """One line for each change of the files, and how the task must be ended or what must be shown."""
    lines = [line for path in sorted(task.touched) for line in _changes(path, task.files, task.goal or {})]
    if task.display:
        lines.append(f"the calculator shows {task.display}")
    if task.kind == "ask":
        lines.append(f"answer {task.answer!r}")
    if task.kind == "infeasible":
        lines.append("say that it cannot be done (terminate failure), after having looked")
    return tuple(lines)


def _changes(path: str, start: Mapping[str, Content], goal: Mapping[str, Content]) -> Iterator[str]:
    if path not in goal:
        yield f"{path} is gone"
        return
    before, after = start.get(path), goal[path]
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        yield from (f"{path}: {line}" for line in (_rows if path.endswith(".db") else _cells)(before, after))
    else:
        yield f"{path} is {_content(after)}" if path in start else f"{path} is new: {_content(after)}"


def _content(content: Content) -> str:
    match content:
        case None:
            return "a folder"
        case str():
            return "“" + " ⏎ ".join(content.split("\n")) + "”"
        case Paint(width, height):
            return f"a picture of {width}×{height} pixels"
    return "as said"


def _rows(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Rows that come or go, each as its values."""
    for table in after:
        rows = {row: row not in before[table] for row in (*before[table], *after[table])}
        for row, new in rows.items():
            if new or row not in after[table]:
                yield f"{table} {'has' if new else 'no longer has'} the row {', '.join(map(str, row))}"


def _cells(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for cell, text in after.items():
        if before.get(cell) != text:
            formula = str(text).startswith("=")
            yield f"{cell} has a formula that gives {text[1:].split()[0]}" if formula else f"{cell} is {text}"
