"""Seeded random draws for a phone's content and a task's parameters.

Parameters are split by value: a word that a training task may ask for is never asked for in a test, and vice versa. A
seed draws the same positions in both languages, so English and Chinese phones of one seed correspond.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, Literal, NamedTuple, TypeVar

T = TypeVar("T")
Language = Literal["en", "zh"]
Split = Literal["train", "validation", "test"]
SPLITS: tuple[Split, ...] = ("train", "validation", "test")
SHARES = ("train",) * 6 + ("validation",) + ("test",) * 3
"""Of ten values, six are for training, one for validation, three for tests."""
FEWEST = 8
"""Smaller pools are not divided between the splits: too little would be left."""


class Person(NamedTuple):
    id: str
    name: str
    phone: str
    email: str
    emoji: str


class Draw:
    """A random generator for one app or task. Each has its own stream, so a change in one app leaves the others as they
    are.
    """

    def __init__(
        self,
        seed: int,
        name: str,
        language: Language,
        now: datetime,
        people: Sequence[Person] = (),
        split: Split | None = None,
    ) -> None:
        self.seed = seed
        self.name = name
        self.language = language
        self.now = now
        self.people = list(people)
        self.split = split
        self.random = random.Random(f"{seed}/{name}")

    @property
    def today(self) -> date:
        return self.now.date()

    def t(self, en: T, zh: T) -> T:
        return zh if self.language == "zh" else en

    def choice(self, pool: Sequence[T]) -> T:
        """One of the pool; with a split, one of those that the split may use."""
        return self.random.choice(self.allowed(pool))

    def sample(self, pool: Sequence[T], count: int) -> list[T]:
        """Some of the pool, all different, in random order."""
        allowed = self.allowed(pool)
        return self.random.sample(allowed if len(allowed) >= count else list(pool), min(count, len(pool)))

    def shuffled(self, pool: Sequence[T]) -> list[T]:
        return self.random.sample(list(pool), len(pool))

    def integer(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def allowed(self, pool: Sequence[T]) -> list[T]:
        if self.split is None or len(pool) < FEWEST:
            return list(pool)
        return [item for item in pool if share_of(item) == self.split] or list(pool)

    def day(self, low: int, high: int) -> date:
        """A day between `low` and `high` days from today."""
        return self.today + timedelta(days=self.integer(low, high))


def share_of(item: Any) -> Split:
    """The split that may ask for a value: a checksum of the value decides."""
    return SHARES[zlib.crc32(str(item).encode()) % len(SHARES)]  # type: ignore[return-value]
