"""A bench on disk.

    OUT/bench.json      what is measured; a folder takes no other
    OUT/results.jsonl   one line a case, flushed and fsynced as it is done
    OUT/runs/ID/        the log and replay page of a live task, or of a sample that went wrong
    OUT/steps.jsonl     all answers as step records, for `saccade score`, written at the end

Only one process writes. A kill loses the cases in flight, which are done again; half a line at the end is cut off.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Self

import msgspec

from saccade.bench.cases import Bench, Result
from saccade.errors import InputError
from saccade.records import write_whole

_RESULT = msgspec.json.Decoder(Result)


class Store:
    """Where results go, and which are there."""

    def __init__(self, folder: Path, bench: Bench) -> None:
        self.folder, self.bench = folder, bench
        try:
            (folder / "runs").mkdir(parents=True, exist_ok=True)
            self._file = (folder / "results.jsonl").open("ab")
        except OSError as error:
            raise InputError(f"cannot write to {folder}: {error.strerror}") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"another process is measuring into {folder}: wait for it, or choose another --out"
            ) from None
        self._agree()
        self.results = {result.id: result for result in self._whole()}

    def _agree(self) -> None:
        """The folder is new, or holds the same measurement."""
        file = self.folder / "bench.json"
        if file.exists():
            before = read_bench(self.folder)
            changed = [name for name in ("suite", "settings", "data", "data_options")
                       if getattr(before, name) != getattr(self.bench, name)]  # fmt: skip
            if changed:
                what = ", ".join(changed)
                raise InputError(f"{self.folder} holds a measurement with other {what}: use the same, or another --out")
        elif self._file.tell():
            raise InputError(f"{self.folder} has results but no bench.json: choose another --out")
        write_whole(file, msgspec.json.format(msgspec.json.encode(self.bench), indent=2))

    def _whole(self) -> list[Result]:
        results, length = read_results(self.folder)
        self._file.truncate(length)
        return results

    def add(self, result: Result) -> None:
        self._file.write(msgspec.json.encode(result) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.results[result.id] = result

    def drop(self, ids: Iterable[str]) -> None:
        """Take results out, to do their cases again."""
        gone = set(ids)
        self.results = {id: result for id, result in self.results.items() if id not in gone}
        lines = b"".join(msgspec.json.encode(result) + b"\n" for result in self.results.values())
        write_whole(self.folder / "results.jsonl", lines)
        self.close()
        self._file = (self.folder / "results.jsonl").open("ab")
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def finish(self, order: Iterable[str]) -> None:
        """All answers as step records, in the order of the cases."""
        steps = (step for id in order if id in self.results for step in self.results[id].steps)
        write_whole(self.folder / "steps.jsonl", b"".join(msgspec.json.encode(step) + b"\n" for step in steps))

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_bench(folder: Path) -> Bench:
    file = folder / "bench.json"
    try:
        return msgspec.json.decode(file.read_bytes(), type=Bench)
    except FileNotFoundError:
        raise InputError(f"there is no measurement in {folder}: its folder has a bench.json") from None
    except (OSError, msgspec.MsgspecError) as error:
        raise InputError(f"cannot read {file}: {error}") from None


def read_results(folder: Path) -> tuple[list[Result], int]:
    """All whole results, each case once, and how many bytes they take."""
    file = folder / "results.jsonl"
    data = file.read_bytes() if file.exists() else b""
    whole = data.rfind(b"\n") + 1
    try:
        found = {result.id: result for result in _RESULT.decode_lines(data[:whole])}
    except msgspec.MsgspecError as error:
        raise InputError(f"{file} is damaged: {error}") from None
    return list(found.values()), whole
