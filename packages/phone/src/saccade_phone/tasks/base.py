"""A task template: an instruction with random parameters, and the changes it asks for.

    @task("clock.alarm_on", "clock")
    def alarm_on(p: Params) -> Goal:
        id, alarm = p.entry("clock.alarms", lambda alarm: not alarm["on"])
        return p.goal(
            [changed("clock.alarms", id, on=True)],
            en=[f"Turn on the {alarm['time']} alarm", ...],
            zh=[f"打开{alarm['time']}的闹钟", ...],
        )

How it is done is not part of the task: the planner finds that out from the apps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from saccade.errors import InputError
from saccade_phone.app import Data, State
from saccade_phone.goal_changes import Added, Change, Says, See
from saccade_phone.seeded_random import Draw, Language, Person, Split

PHRASINGS = 4
"""Least number of wordings in each language. The last one is kept for tests."""
TRIES = 40


class UnfitError(Exception):
    """This phone has nothing for the task; another draw may."""


@dataclass(frozen=True)
class Goal:
    """One task with its parameters: the instruction, and what the judge requires."""

    instruction: str
    changes: tuple[Change, ...] = ()
    sees: tuple[See, ...] = ()
    """Screens that the oracle opens first. The judge does not require them."""
    answer: str | None = None
    """For questions: what must be answered."""
    accept: tuple[str, ...] = ()
    """Other answers that are as right."""
    decoys: tuple[str, ...] = ()
    """Wrong answers: the same fact about a similar thing."""
    infeasible: bool = False
    """It cannot be done: the right last action is to say so."""


@dataclass(frozen=True)
class Task:
    """A template: draws parameters from a phone's state, and may prepare the state for them."""

    name: str
    apps: tuple[str, ...]
    draw: Callable[[Params], Goal]
    held_out: bool = False
    """A template that is used in tests only."""


class Params(Draw):
    """Random draws, the phone's state (which the task may prepare), and helpers to build the goal."""

    def __init__(
        self, state: State, seed: int, name: str, language: Language, people: Sequence[Person], split: Split | None
    ) -> None:
        super().__init__(seed, name, language, datetime.fromisoformat(state["now"]), people, split)
        self.state = state

    def data(self, app: str) -> Data:
        data: Data = self.state["apps"][app]
        return data

    def entries(self, path: str, fit: Callable[[dict[str, Any]], bool] = lambda _: True) -> list[tuple[str, Any]]:
        """The entries of a collection (`app.name`) that fit, as (id, entry)."""
        app, _, name = path.partition(".")
        return [(id, entry) for id, entry in self.data(app)[name].items() if fit(entry)]

    def entry(self, path: str, fit: Callable[[dict[str, Any]], bool] = lambda _: True) -> tuple[str, Any]:
        """One random entry that fits; UnfitError without one."""
        found = self.entries(path, fit)
        if not found:
            raise UnfitError(path)
        return self.random.choice(found)

    def need(self, truth: object) -> None:
        """UnfitError unless this holds."""
        if not truth:
            raise UnfitError

    def say(self, en: Sequence[str], zh: Sequence[str]) -> str:
        """One of the wordings; the last one for tests only."""
        ways = self.t(en, zh)
        if self.split == "test":
            return ways[-1]
        return self.random.choice(ways[:-1] if self.split else ways)

    def goal(
        self, changes: Sequence[Change], *, en: Sequence[str], zh: Sequence[str], sees: Sequence[See] = ()
    ) -> Goal:
        """The state must differ by exactly these changes in the end. `sees`: screens to look something up before."""
        facts = [
            wanted.must[0]
            for change in changes
            if isinstance(change, Added)
            for wanted in change.fields.values()
            if isinstance(wanted, Says) and wanted.must
        ]
        return Goal(self.say(en, zh), tuple(changes), showing(sees, facts[0] if facts else ""))

    def ask(
        self,
        answer: str,
        sees: Sequence[See],
        *,
        en: Sequence[str],
        zh: Sequence[str],
        accept: Sequence[str] = (),
        decoys: Sequence[str] = (),
    ) -> Goal:
        """A question; `sees` are the screens that show the answer."""
        wrong = tuple(decoy for decoy in dict.fromkeys(decoys) if decoy not in (answer, *accept))
        return Goal(self.say(en, zh), (), showing(sees, answer), answer, tuple(accept), wrong)

    def impossible(self, sees: Sequence[See], *, en: Sequence[str], zh: Sequence[str]) -> Goal:
        """A task that cannot be done; `sees` are the screens that show it."""
        return Goal(self.say(en, zh), (), tuple(sees), infeasible=True)


def showing(sees: Sequence[See], fact: str) -> tuple[See, ...]:
    """On the last screen to look up, the fact must be scrolled into view, unless the task names another text."""
    if not sees:
        return ()
    return (*sees[:-1], replace(sees[-1], widget=sees[-1].widget or fact))


TASKS: dict[str, Task] = {}


def task(name: str, *apps: str, held_out: bool = False) -> Callable[[Callable[[Params], Goal]], Task]:
    """Decorator: register a template under `app.name`, with the apps it needs."""

    def register(draw: Callable[[Params], Goal]) -> Task:
        if name in TASKS:
            raise ValueError(f"there are two tasks {name}")
        TASKS[name] = Task(name, apps or (name.partition(".")[0],), draw, held_out)
        return TASKS[name]

    return register


def find_task(name: str, tasks: Mapping[str, Task]) -> Task:
    if name not in tasks:
        near = [each for each in tasks if each.partition(".")[0] == name.partition(".")[0]]
        hint = f"those of {name.partition('.')[0]}: {', '.join(near)}" if near else "saccade tasks list shows them"
        raise InputError(f"there is no task {name!r}; {hint}")
    return tasks[name]
