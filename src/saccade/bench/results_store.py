"""Stores a measurement on disk.

    OUT/bench.json      what is measured; a folder has one measurement
    OUT/results.jsonl   one line per case, flushed and fsynced when the case is completed
    OUT/runs/ID/        the log and replay page of a live task, or of a wrong sample
    OUT/steps.jsonl     all answers as step records, for `saccade score`, written at the end

Only one process may write. After a kill, cases in progress are run again, and a half-written last line is removed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Self

from saccade.agents.hidden_settings import cleaned, hidden, settings_vault
from saccade.bench.cases import Bench, Result
from saccade.errors import InputError
from saccade.records import add_line, as_line, lock_folder, read_grown, read_object, write_object, write_whole


class ResultsStore:
    """The results of one measurement, read from and written to its folder."""

    def __init__(self, folder: Path, bench: Bench) -> None:
        self.folder, self.bench, self.vault = folder, bench, settings_vault(bench.settings | bench.data_options)
        bench.settings, bench.data_options = hidden(bench.settings), hidden(bench.data_options)
        try:
            (folder / "runs").mkdir(parents=True, exist_ok=True)
            self._lock = lock_folder(folder, "measuring into", "wait for it, or choose another --out")
            self._file = (folder / "results.jsonl").open("ab")
        except OSError as error:
            raise InputError(f"cannot write to {folder}: {error.strerror}") from None
        self._check_same_bench()
        self.results = {result.id: result for result in self._read_results()}

    def _check_same_bench(self) -> None:
        """Raise if the folder has another measurement."""
        file = self.folder / "bench.json"
        if file.exists():
            before = read_bench(self.folder)
            fields = ("suite", "settings", "data", "data_options", "predictions")
            changed = [name for name in fields if getattr(before, name) != getattr(self.bench, name)]
            if changed:
                what = ", ".join(changed)
                raise InputError(
                    f"{self.folder} has a measurement with different {what}: use the same, or choose another --out"
                )
        elif self._file.tell():
            raise InputError(f"{self.folder} has results but no bench.json: choose another --out")
        write_object(file, self.bench)

    def _read_results(self) -> list[Result]:
        results, length = read_results(self.folder)
        self._file.truncate(length)
        return results

    def without_keys(self, result: Result) -> Result:
        """The result without keys and passwords, which a model may repeat."""
        return cleaned(result, self.vault)

    def add(self, result: Result) -> None:
        result = self.without_keys(result)
        add_line(self._file, result)
        self.results[result.id] = result

    def replace(self, results: Iterable[Result]) -> None:
        """Put these results in the place of all that are there."""
        self.results = {result.id: result for result in results}
        self._rewrite()

    def drop(self, ids: Iterable[str]) -> None:
        """Remove results, so that their cases are run again."""
        gone = set(ids)
        self.results = {id: result for id, result in self.results.items() if id not in gone}
        self._rewrite()

    def _rewrite(self) -> None:
        write_whole(self.folder / "results.jsonl", b"".join(map(as_line, self.results.values())))
        self._file.close()
        self._file = (self.folder / "results.jsonl").open("ab")

    def finish(self, order: Iterable[str]) -> None:
        """Write all answers as step records, in the order of the cases."""
        steps = (step for id in order if id in self.results for step in self.results[id].steps)
        write_whole(self.folder / "steps.jsonl", b"".join(map(as_line, steps)))

    def close(self) -> None:
        self._file.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_bench(folder: Path) -> Bench:
    missing = f"there is no measurement in {folder}: the folder of one has a bench.json"
    return read_object(folder / "bench.json", Bench, missing)


def read_results(folder: Path) -> tuple[list[Result], int]:
    """All complete results, each case once, and their length in bytes."""
    results, whole = read_grown(folder / "results.jsonl", Result)
    return list({result.id: result for result in results}.values()), whole
