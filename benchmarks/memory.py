"""Memory and processor time of this process and its descendants, read from /proc."""

from __future__ import annotations

import os
from pathlib import Path


def descendants() -> list[int]:
    """Process ids of all descendants of this process."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
            parents.setdefault(parent, []).append(int(entry.name))
    found, queue = [], [os.getpid()]
    while queue:
        children = parents.get(queue.pop(), [])
        found += children
        queue += children
    return found


def cpu_seconds() -> float:
    """Processor time that this process, its descendants and those they have waited for have used so far."""
    ticks = 0
    for pid in [os.getpid(), *descendants()]:
        try:
            ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:15]))
        except (OSError, ValueError):
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def megabytes(*, own: bool = True) -> float:
    """Proportional set size (PSS) of this process (unless `own` is False) and all its descendants."""
    total = 0
    for pid in [os.getpid()] * own + descendants():
        try:
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
        except OSError:
            continue
    return total / 1024
