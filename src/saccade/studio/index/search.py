"""Search in instructions and answers.

Any part of a text is found, in Chinese as well; a single letter is searched in instructions only. SQLite has a
full-text index of trigrams, where two letters are looked up as the beginnings of trigrams. PostgreSQL reads the texts
of a run one after the other, kept in small letters, up to the first that has the phrase, and only those whose
signatures allow it (`text_signatures`): its own index of trigrams needs an extension, made indexing three times slower,
and with ILIKE a search for common words took 5 s.

On PostgreSQL a search looks at the runs in the order of the page, some at a time, and ends when the page is full and
enough are counted, or when its time is over; the next page goes on there. So words that every run has cost as little as
rare ones, and no search takes much longer than `SECONDS`, however many runs there are.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Connection,
    Integer,
    and_,
    any_,
    case,
    column,
    false,
    func,
    insert,
    literal,
    or_,
    select,
    table,
    text,
    true,
)

from saccade.studio.database.runs import IndexedRun, SearchText
from saccade.studio.index.text_signatures import bits_of, parts, signature

LONGEST_PIECE = 16_000
"""Characters of one piece of text: an entry of the index."""
LONGEST_QUERY = 200
MOST_WORDS = 300
"""Trigrams that begin with two given letters."""
SECONDS = 0.25
"""For which PostgreSQL looks at runs."""
MOST_COUNTED = 1_000
"""Runs found after which it does not count on."""
FIRST_STEPS = 5_000
"""Steps of the runs that it looks at in its first statement. The next takes as many as the first ones' speed lets it
expect in the time that is left, but at most four times more than the one before.
"""
LEAST_LEFT = 0.1
"""The share of the time below which no other statement is begun."""


@dataclass
class Hits:
    """Runs that were found."""

    keys: list[int] = field(default_factory=list)
    """In the order in which they were asked for."""
    searched: int = 0
    """How many runs were looked at, from the first one on."""


def pieces(texts: Sequence[str]) -> list[str]:
    """Texts joined to pieces. Each ends with two line ends, so that its last two letters begin a trigram."""
    found: list[str] = []
    part: list[str] = []
    length = 0
    for each in filter(None, texts):
        if part and length + len(each) > LONGEST_PIECE:
            found.append("\n".join(part))
            part, length = [], 0
        part.append(each)
        length += len(each) + 1
    return [f"{each}\n\n" for each in (*found, *(["\n".join(part)] if part else []))]


def add_texts(connection: Connection, texts: Sequence[tuple[int, str]]) -> None:
    """Make texts of runs searchable: the key of the run, and the text."""
    if not texts:
        return
    if connection.dialect.name != "sqlite":
        signed = [(run, part) for run, each in texts for part in parts(each.lower())]
        rows = [{"run": run, "text": part, "signature": signature(part)} for run, part in signed]
        connection.execute(insert(SearchText), rows)
        return
    last = connection.execute(text("SELECT seq FROM sqlite_sequence WHERE name = 'search_texts'")).scalar() or 0
    numbered = [(number, run, each) for number, (run, each) in enumerate(texts, last + 1)]
    connection.execute(insert(SearchText), [{"id": number, "run": run, "text": ""} for number, run, _ in numbered])
    words = [{"id": number, "text": each} for number, _, each in numbered]
    connection.execute(text("INSERT INTO search_index(rowid, text) VALUES (:id, :text)"), words)


def search(
    connection: Connection, query: str, runs: Sequence[tuple[int, int]], most: int, seconds: float = SECONDS
) -> Hits:
    """Those of some runs (key and number of steps) that have a text, in their order. At least the first `most` hits are
    looked for until the time is over; SQLite always looks at all runs.
    """
    wanted = query.strip()[:LONGEST_QUERY].replace("\0", "")
    if connection.dialect.name == "sqlite" or len(wanted) < 2:
        matched = set(connection.execute(select(IndexedRun.key).where(_condition(connection, wanted))).scalars())
        return Hits([key for key, _ in runs if key in matched], len(runs))
    found, steps, began = Hits(), FIRST_STEPS, time.monotonic()
    while found.searched < len(runs) and len(found.keys) < max(most, MOST_COUNTED):
        keys = _next_keys(runs, found.searched, steps)
        here = IndexedRun.key == any_(literal(keys, ARRAY(Integer)))
        now = time.monotonic()
        hits = set(connection.execute(select(IndexedRun.key).where(here, _first_text(wanted.lower()))).scalars())
        found.keys += [key for key in keys if key in hits]
        found.searched += len(keys)
        took, left = time.monotonic() - now, began + seconds - time.monotonic()
        if left < LEAST_LEFT * seconds:
            break
        steps = min(4 * steps, int(steps * left / max(took, 1e-4)))
    return found


def _next_keys(runs: Sequence[tuple[int, int]], first: int, enough: int) -> list[int]:
    """Keys of the runs from one on, as many as have so many steps together."""
    keys: list[int] = []
    steps = 0
    for key, size in itertools.islice(runs, first, None):
        keys.append(key)
        steps += 1 + size
        if steps >= enough:
            break
    return keys


def _condition(connection: Connection, wanted: str) -> ColumnElement[bool]:
    """The condition on `IndexedRun` that it has a text: on SQLite, and for a single letter."""
    escaped = wanted.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    in_instruction = IndexedRun.instruction.ilike(f"%{escaped}%", escape="\\")
    phrase = _phrase(connection, wanted)
    if not phrase:
        return in_instruction
    asked = text("search_index MATCH :phrase").bindparams(phrase=phrase)
    numbers = select(column("rowid", Integer)).select_from(table("search_index")).where(asked)
    found = select(SearchText.run).where(SearchText.id.in_(numbers))
    return or_(in_instruction, IndexedRun.key.in_(found)) if len(wanted) < 3 else IndexedRun.key.in_(found)


def _first_text(wanted: str) -> ColumnElement[bool]:
    """Has a run a text with this phrase? `CASE` has the signature looked at first, and `LIMIT` ends with the first hit:
    PostgreSQL would otherwise turn the question round, and read all texts of all runs.
    """
    allowed = and_(*(func.get_bit(SearchText.signature, bit) == 1 for bit in bits_of(wanted)))
    has_it = case((allowed, func.strpos(SearchText.text, wanted) > 0), else_=false())
    first = select(true()).where(SearchText.run == IndexedRun.key, has_it).limit(1)
    return func.coalesce(first.correlate(IndexedRun).scalar_subquery(), false())


def _phrase(connection: Connection, wanted: str) -> str:
    """The question to the full-text index; empty where it cannot be asked."""
    if len(wanted) >= 3:
        return _quoted(wanted)
    if len(wanted) < 2:
        return ""
    folded = wanted.lower()
    words = text("SELECT term FROM search_words WHERE term >= :low AND term < :high LIMIT :most")
    range_ = {"low": folded, "high": folded + "\U0010ffff", "most": MOST_WORDS}
    return " OR ".join(_quoted(term) for (term,) in connection.execute(words, range_))


def _quoted(part: str) -> str:
    return '"' + part.replace('"', '""') + '"'
