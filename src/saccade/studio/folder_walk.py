"""Walks the studio's folders: a bounded number of folders and levels, links not followed."""

from __future__ import annotations

import hashlib
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from saccade.errors import InputError

DEEPEST = 6
MOST_FOLDERS = 20_000
Found = TypeVar("Found")


@dataclass
class WalkedFolder:
    """One folder of a walk. Set `descend` to False to leave out what is below it."""

    path: Path
    root: Path
    files: frozenset[str]
    """Names of its regular files."""
    special: bool = False
    """Does it hold a pipe, socket or device? Opening one may wait for ever, so such folders are left alone."""
    descend: bool = True

    @property
    def label(self) -> str:
        """Its path below the folder that the studio was given, with that folder's name."""
        return "/".join([self.root.name or str(self.root), *self.path.relative_to(self.root).parts])


def walk_folders(roots: Sequence[Path]) -> Iterator[WalkedFolder]:
    """Every folder below the given ones, upper ones first; hidden ones and links are left out."""
    waiting = [(root, root, 0) for root in reversed(roots)]
    count = 0
    while waiting and count < MOST_FOLDERS:
        path, root, depth = waiting.pop()
        count += 1
        try:
            with os.scandir(path) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        files, below, special = set(), [], False
        for entry in listed:
            kind = _kind(entry)
            if kind == "file":
                files.add(entry.name)
            elif kind == "folder" and not entry.name.startswith("."):
                below.append(Path(entry.path))
            special = special or kind == "special"
        folder = WalkedFolder(path, root, frozenset(files), special)
        yield folder
        if folder.descend and depth < DEEPEST:
            waiting.extend((each, root, depth + 1) for each in reversed(below))


def _kind(entry: os.DirEntry[str]) -> str:
    try:
        if entry.is_symlink():
            return "link"
        if entry.is_dir(follow_symlinks=False):
            return "folder"
        return "file" if entry.is_file(follow_symlinks=False) else "special"
    except OSError:
        return "special"


def refuse_ways_out(folder: Path, roots: Sequence[Path], seconds: float = 60.0) -> None:
    """`InputError` if a folder holds a link that leads out of the studio's folders, or a pipe or device: a reader that
    opens the files of a data set would follow it.
    """
    end = time.monotonic() + seconds
    for parent, folders, files in os.walk(folder):
        if time.monotonic() > end:
            raise InputError(f"{folder.name} has too many files: give the studio a smaller folder")
        for name in (*folders, *files):
            path = Path(parent, name)
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode) and not is_inside(path, roots):
                raise InputError(
                    f"{name[:200]!r} is a link that leads out of the studio's folders: give its target, too"
                )
            if not (stat.S_ISLNK(mode) or stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
                raise InputError(f"{name[:200]!r} is neither a file nor a folder: take it away")


def is_inside(path: Path, roots: Sequence[Path]) -> bool:
    """Is this, with links followed, an existing file or folder in one of these folders?"""
    try:
        real = path.resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return False
    return any(real.is_relative_to(root) for root in roots)


def short_id(path: Path, root: Path) -> str:
    """The id of a folder or file in addresses: it says nothing about its path, and stays the same."""
    return hashlib.sha256(f"{root}\0{path}".encode("utf-8", "surrogateescape")).hexdigest()[:12]


@dataclass
class Discovery(Generic[Found]):
    """What was found in folders, looked for again in a thread when a reader comes back after a while."""

    look: Callable[[], Iterator[tuple[str, Found]]]
    """Yields ids and what was found."""
    every: float = 10.0
    _found: dict[str, Found] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _thread: threading.Thread | None = None
    _ended: float = float("-inf")

    def found(self, patience: float = 1.5) -> tuple[dict[str, Found], bool]:
        """What is there, and whether the search has ended; it waits no longer than `patience` seconds."""
        with self._lock:
            if self._thread is None and time.monotonic() - self._ended > self.every:
                self._thread = threading.Thread(target=self._search, daemon=True)
                self._thread.start()
            thread = self._thread
        if thread is not None:
            thread.join(patience)
        with self._lock:
            return dict(self._found), self._thread is None

    def get(self, identity: str) -> Found | None:
        """What has this id."""
        with self._lock:
            known = self._found.get(identity)
        return known if known is not None else self.found(5.0)[0].get(identity)

    def _search(self) -> None:
        seen = set()
        try:
            for identity, each in self.look():
                seen.add(identity)
                with self._lock:
                    self._found[identity] = each
        finally:
            with self._lock:
                self._found = {key: value for key, value in self._found.items() if key in seen}
                self._thread, self._ended = None, time.monotonic()
