"""Finds the folders of runs and measurements, again and again at little cost.

A folder's time of change tells whether something was added to it or taken away, so only folders that changed are listed
again. Links are not followed. Depth and number are bounded.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

DEEPEST = 10
MOST_FOLDERS = 500_000
FRESH = 2.0
"""Seconds: a folder that changed so lately may change again within the clock's precision, so it is listed again."""
LEFT_OUT = frozenset({"screens", "node_modules", "__pycache__"})
EPISODES = "episodes"
"""A folder of this name beside a `run.json` tells a data set that was collected from a run."""
Kind = Literal["run", "measurement", ""]


@dataclass
class _Folder:
    changed: int
    kind: Kind = ""
    inner: list[str] = field(default_factory=list)


class FolderTree:
    """The folders under some roots, remembered between looks."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self.roots = [str(root) for root in roots]
        self._known: dict[str, _Folder] = {}

    def look(self) -> Iterator[tuple[str, Kind, str]]:
        """Path and kind of each run and measurement, and the path of the measurement it lies in."""
        seen: dict[str, _Folder] = {}
        stack = [(root, 0, "") for root in reversed(self.roots)]
        while stack and len(seen) < MOST_FOLDERS:
            path, depth, measurement = stack.pop()
            if path in seen:
                continue
            found = self._folder(path)
            if found is None:
                continue
            seen[path] = found
            if found.kind:
                yield path, found.kind, measurement
            if depth < DEEPEST and found.kind != "run":
                within = path if found.kind == "measurement" else measurement
                stack += [(f"{path}/{name}", depth + 1, within) for name in reversed(found.inner)]
        self._known = seen

    def _folder(self, path: str) -> _Folder | None:
        try:
            changed = os.lstat(path).st_mtime_ns
            known = self._known.get(path)
            if known is not None and known.changed == changed and time.time() - changed / 1e9 > FRESH:
                return known
            return _list(path, changed)
        except OSError:
            return None


def _list(path: str, changed: int) -> _Folder:
    files, inner = set(), []
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in LEFT_OUT and not entry.name.startswith("."):
                    inner.append(entry.name)
            elif entry.name in ("bench.json", "run.json"):
                files.add(entry.name)
    kind: Kind = "measurement" if "bench.json" in files else "run" if files and EPISODES not in inner else ""
    return _Folder(changed, kind, sorted(inner) if kind != "run" else [])
