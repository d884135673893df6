"""An index of a data set's samples, to filter and page without reading the data set again.

It is a temporary SQLite database that vanishes with the process: the files of the data set stay the truth. Texts are
cut, because a record may hold megabytes.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from saccade.data.check import Finding
from saccade.paradigms.wording import in_words, language_of
from saccade.types import SEVERAL, Language, Step

LONGEST_TEXT = 600
LONGEST_TAG = 100
MOST_TAGS = 40
MOST_FACETS, MOST_VALUES = 12, 40
"""Tags, and values of one tag, that are offered as filters."""
_TABLES = """
create table samples (n integer primary key, id text, episode text, step integer, instruction text, action text,
    action_zh text, answered integer, findings integer);
create table tags (n integer, name text, value text);
create table findings (n integer, kind text, place text, what text);
create index samples_by_id on samples (id);
create index tags_by_value on tags (name, value);
create index tags_by_sample on tags (n);
create index findings_by_kind on findings (kind);
create index findings_by_sample on findings (n);
"""


class IndexedSample(NamedTuple):
    """A sample as the contact sheet lists it."""

    n: int
    """Its place in reading order."""
    id: str
    episode: str
    step: int
    instruction: str
    action: str
    """The right actions in words."""
    action_zh: str
    """The same in Chinese."""
    answered: int
    """Does the record hold a prediction?"""
    findings: int
    """How many problems it has."""


class Facet(NamedTuple):
    """A tag with its most frequent values and how many samples have each."""

    name: str
    values: list[tuple[str, int]]


@dataclass(frozen=True)
class SampleFilter:
    """Which samples are wanted."""

    tags: tuple[tuple[str, str], ...] = ()
    words: str = ""
    """In the id, the instruction or the right actions, upper and lower case alike."""
    finding: str = ""
    """A kind of problem; `any`: all samples with one."""
    answered: bool = False

    def where(self) -> tuple[str, list[str]]:
        """The condition in SQL, and its values."""
        conditions, values = ["1"], []
        for name, value in self.tags:
            conditions.append("n in (select n from tags where name = ? and value = ?)")
            values += [name, value]
        for word in self.words.split()[:10]:
            literal = word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            conditions.append("(id || ' ' || instruction || ' ' || action || ' ' || action_zh) like ? escape '\\'")
            values.append(f"%{literal}%")
        if self.finding == "any":
            conditions.append("findings > 0")
        elif self.finding:
            conditions.append("n in (select n from findings where kind = ?)")
            values.append(self.finding)
        if self.answered:
            conditions.append("answered")
        return " and ".join(conditions), values


class SampleIndex:
    """The index of one data set; its methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._base = sqlite3.connect("", check_same_thread=False)  # "": a temporary file
        self._base.executescript(_TABLES)

    def close(self) -> None:
        with self._lock:
            self._base.close()

    def add(self, samples: Iterable[tuple[int, Step, int]], findings: Iterable[tuple[int | None, Finding]]) -> None:
        """Add samples with their number and their count of findings, and the findings themselves."""
        rows, tags = [], []
        for n, step, problems in samples:
            rows.append((n, *_texts(step), step.prediction is not None or step.output is not None, problems))
            tags += [(n, name, value) for name, value in tags_of(step)]
        found = [
            (n, finding.kind, finding.where.rpartition("/")[2][:LONGEST_TEXT], finding.what[:LONGEST_TEXT])
            for n, finding in findings
        ]
        with self._lock, self._base:
            self._base.executemany("insert into samples values (?, ?, ?, ?, ?, ?, ?, ?, ?)", _clean(rows))
            self._base.executemany("insert into tags values (?, ?, ?)", _clean(tags))
            self._base.executemany("insert into findings values (?, ?, ?, ?)", _clean(found))

    def _all(self, query: str, values: Sequence[str | int] = ()) -> list[tuple]:  # type: ignore[type-arg]
        with self._lock:
            return self._base.execute(query, values).fetchall()

    def page(self, wanted: SampleFilter, start: int, count: int) -> tuple[list[IndexedSample], int]:
        """Samples from a place on, in reading order, and how many there are in all."""
        where, values = wanted.where()
        rows = self._all(f"select * from samples where {where} order by n limit ? offset ?", [*values, count, start])
        (total,) = self._all(f"select count(*) from samples where {where}", values)[0]
        return [IndexedSample(*row) for row in rows], total

    def neighbours(self, wanted: SampleFilter, n: int) -> tuple[int | None, int | None]:
        """The samples before and after this one among those that are wanted."""
        where, values = wanted.where()
        (before,) = self._all(f"select max(n) from samples where {where} and n < ?", [*values, n])[0]
        (after,) = self._all(f"select min(n) from samples where {where} and n > ?", [*values, n])[0]
        return before, after

    def number_of(self, identity: str) -> int | None:
        """The first sample with this id."""
        found = self._all("select n from samples where id = ? order by n limit 1", [identity[:LONGEST_TEXT]])
        return found[0][0] if found else None

    def facets(self) -> list[Facet]:
        """The tags to filter by: those that most samples have, and that have more than one value."""
        names = self._all(
            "select name from tags group by name having count(distinct value) > 1 order by name = 'action' desc, "
            "count(*) desc limit ?",
            [MOST_FACETS],
        )
        by_value = "select value, count(*) from tags where name = ? group by value order by 2 desc, 1 limit ?"
        return [Facet(name, self._all(by_value, [name, MOST_VALUES])) for (name,) in names]

    def finding_counts(self) -> list[tuple[str, int]]:
        """How many problems there are of each kind."""
        return self._all("select kind, count(*) from findings group by kind order by 2 desc, 1")

    def findings(self, kind: str, start: int, count: int) -> list[tuple[int | None, str, str, str]]:
        """Problems of a kind (or all): sample, kind, place and sentence."""
        where, values = ("kind = ?", [kind]) if kind else ("1", [])
        return self._all(f"select * from findings where {where} limit ? offset ?", [*values, count, start])

    def findings_of(self, n: int) -> list[tuple[str, str]]:
        """A sample's problems: kind and sentence."""
        return self._all("select kind, what from findings where n = ? limit 50", [n])


def tags_of(step: Step) -> list[tuple[str, str]]:
    """What a step can be filtered by: its tags, its actions and its language."""
    found: list[tuple[str, str]] = [("action", action.type) for action in step.truth]
    found.append(("language", language_of(step.instruction[:LONGEST_TEXT])))
    for name, text in list(step.tags.items())[:MOST_TAGS]:
        found += [(name[:LONGEST_TAG], value[:LONGEST_TAG]) for value in text[: 10 * LONGEST_TAG].split(SEVERAL)]
    return list(dict.fromkeys(found))


def truth_in_words(step: Step, language: Language, most: int = 3) -> str:
    """The right actions as a sentence."""
    words = dict.fromkeys(in_words(action, step.view, language) for action in step.truth[: most * 4])
    return " | ".join([*list(words)[:most], *(["…"] if len(words) > most else [])])


def _texts(step: Step) -> tuple[str, str, int, str, str, str]:
    said = step.instruction if not step.step_instruction else f"{step.instruction[:300]} › {step.step_instruction}"
    cut = slice(LONGEST_TEXT)
    number = step.step if abs(step.step) < 2**63 else -1
    return (
        step.id[cut],
        step.episode[cut],
        number,
        said[cut],
        truth_in_words(step, "en")[cut],
        truth_in_words(step, "zh")[cut],
    )


def _clean(rows: Iterable[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Rows without half surrogate pairs, which SQLite does not take."""
    return [
        tuple(value.encode("utf-8", "replace").decode() if isinstance(value, str) else value for value in row)
        for row in rows
    ]
