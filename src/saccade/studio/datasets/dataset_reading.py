"""A data set that is open in the studio: read once in the background for its index, and again where a sample is shown.

Readers stream; none can jump to a sample. So a cursor stays where it is: going forward is cheap, going back begins
anew, and the last samples are kept.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from saccade.data.check import Checker, Finding, Overlap, problem_finding
from saccade.data.readers import Dataset, Sample
from saccade.data.readers.base import Problem
from saccade.errors import InputError, MissingError
from saccade.studio.datasets.discovery import FoundDataset
from saccade.studio.datasets.sample_index import SampleIndex
from saccade.studio.folder_walk import refuse_ways_out
from saccade.types import Step

MOST_SAMPLES = 200_000
MOST_FINDINGS = 5_000
BATCH = 200
KEPT = 48
"""Samples that a cursor keeps."""
PATIENCE = 10.0
"""Seconds that a page waits for a sample."""
OPEN = 6
"""Data sets that are kept open."""


class DatasetReading:
    """One data set with the options of its reader."""

    def __init__(self, found: FoundDataset, options: Mapping[str, str], roots: Sequence[Path]) -> None:
        self.found, self.roots = found, roots
        self.options = {name: value for name, value in options.items() if name in found.kind.choices}
        self.index = SampleIndex()
        self.count = 0
        self.problem = ""
        """Why the reading ended early, if it did."""
        self.done = threading.Event()
        self._checked = threading.Event()
        """Whether nothing in the folder leads out of it; no sample is given before."""
        self._stopped = False
        self._cursor = SampleCursor(self)
        threading.Thread(target=self._read, daemon=True).start()

    def close(self) -> None:
        """Stop reading; a page that still looks at it opens it anew."""
        self._stopped = True

    def sample(self, n: int) -> Sample:
        """A sample by its number."""
        self.check()
        return self._cursor.get(n)

    def check(self) -> None:
        """`InputError` if the data set cannot be read, or something in its folder leads out of it."""
        if not self._checked.wait(PATIENCE) or (self.problem and not self.count):
            raise InputError(self.problem or "the data set is still being looked at: load the page again")

    def _read(self) -> None:
        try:
            if self.found.path.is_dir():
                refuse_ways_out(self.found.path, self.roots)
            self._checked.set()
            self._index(self.found.open(self.options))
        except (InputError, MissingError) as error:
            self.problem = self._without_roots(str(error))
        except Exception as error:  # noqa: BLE001  (of a reader, of hostile data: told on the page)
            self.problem = self._without_roots(f"the reader failed: {type(error).__name__}: {str(error)[:300]}")
        finally:
            self._checked.set()
            self.done.set()

    def _without_roots(self, sentence: str) -> str:
        """A sentence without the paths above the studio's folders."""
        for root in self.roots:
            sentence = sentence.replace(f"{root}/", "")
        return sentence

    def _index(self, dataset: Dataset) -> None:
        dataset.problems = LimitedProblems()
        checker, overlap = Checker(None), Overlap(None)
        samples: list[tuple[int, Step, int]] = []
        findings: list[tuple[int | None, Finding]] = []
        told = 0
        try:
            for n, sample in enumerate(islice(dataset.samples(), MOST_SAMPLES)):
                found = list(checker.findings(sample))
                if split := sample.step.tags.get("split", ""):
                    found += overlap.add(sample, split)
                findings += [(None, problem_finding(each)) for each in dataset.problems] + [(n, each) for each in found]
                dataset.problems.clear()
                samples.append((n, sample.step, len(found)))
                if len(samples) >= BATCH or n < BATCH:  # the first ones at once: somebody is waiting
                    self._add(samples, findings)
                    told += len(findings)
                    samples, findings = [], []
                if self._stopped or told > MOST_FINDINGS:
                    break
        finally:
            findings += [(None, problem_finding(each)) for each in dataset.problems]
            self._add(samples, findings)
        if told > MOST_FINDINGS or self.count >= MOST_SAMPLES:
            self.problem = f"only the first {self.count:,} samples were read"

    def _add(self, samples: list[tuple[int, Step, int]], findings: list[tuple[int | None, Finding]]) -> None:
        self.index.add(samples, findings)
        self.count += len(samples)


class LimitedProblems(list[Problem]):
    """Records that could not be read; too many end the reading, so that they do not fill the memory."""

    def append(self, problem: Problem) -> None:
        if len(self) >= MOST_FINDINGS:
            raise InputError(f"more than {MOST_FINDINGS:,} records in a row cannot be read: the reading ended there")
        super().append(problem)


class SampleCursor:
    """Samples of a data set by number."""

    def __init__(self, reading: DatasetReading) -> None:
        self._reading = reading
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, Sample] = OrderedDict()
        self._next = 0
        self._samples: Iterator[Sample] | None = None

    def get(self, n: int) -> Sample:
        """The sample; `InputError` where there is none, or where it takes too long to get there."""
        end = time.monotonic() + PATIENCE
        if not self._lock.acquire(timeout=PATIENCE):
            raise InputError("the data set is busy: load the page again")
        try:
            if n in self._kept:
                self._kept.move_to_end(n)
                return self._kept[n]
            if self._samples is None or n < self._next:
                self._dataset = self._reading.found.open(self._reading.options)
                self._dataset.problems = LimitedProblems()
                self._samples, self._next = self._dataset.samples(), 0
            while self._next <= n:
                self._advance(n)
                if time.monotonic() > end:
                    raise InputError(f"sample {n} lies far behind in the data set: load the page again")
            return self._kept[n]
        finally:
            self._lock.release()

    def _advance(self, wanted: int) -> None:
        assert self._samples is not None
        sample = next(self._samples, None)
        self._dataset.problems.clear()
        if sample is None:
            self._samples = None
            raise InputError(f"there is no sample {wanted}")
        if wanted - self._next < KEPT:
            self._kept[self._next] = sample
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        self._next += 1


class OpenDatasets:
    """The data sets that were looked at last, open."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self.roots = roots
        self._lock = threading.Lock()
        self._open: OrderedDict[tuple[str, ...], DatasetReading] = OrderedDict()

    def get(self, found: FoundDataset, options: Mapping[str, str]) -> DatasetReading:
        """The data set, opened now unless it is. `InputError` for options that its reader does not have."""
        for name, value in options.items():
            values = found.kind.choices.get(name, ())
            if values and value not in values:
                raise InputError(f"{name} is {value[:100]!r}: use {', '.join(values)}")
        key = (found.id, *(f"{name}={value}" for name, value in sorted(options.items())))
        with self._lock:
            if key not in self._open:
                self._open[key] = DatasetReading(found, options, self.roots)
                while len(self._open) > OPEN:
                    self._open.popitem(last=False)[1].close()
            self._open.move_to_end(key)
            return self._open[key]

    def forget(self, found: FoundDataset) -> None:
        """Read it anew at the next look: its files may have changed."""
        with self._lock:
            for key in [key for key in self._open if key[0] == found.id]:
                self._open.pop(key).close()
