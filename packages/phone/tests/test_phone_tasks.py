"""Every task: the oracle does it from wherever it is, and the judge takes nothing else for it."""

from __future__ import annotations

import random
from collections import Counter
from functools import lru_cache
from typing import Any

import pytest

from saccade_phone import session as sessions_module
from saccade_phone.app import State
from saccade_phone.apps import apps
from saccade_phone.catalog import catalog, measured
from saccade_phone.path_search import Move
from saccade_phone.phone_state import new_phone
from saccade_phone.session import Session, last_action, play, roll_out
from saccade_phone.state_machine import Machine, clone
from saccade_phone.tasks import UnfitError, tasks
from saccade_phone.tasks.base import PHRASINGS, Params
from saccade_phone.wrong_outcomes import wrong_outcomes

NAMES = sorted(tasks())
LANGUAGES = ("en", "zh")
MOST_STEPS = 15


@lru_cache(maxsize=16)
def made(seed: int, language: Any) -> tuple[State, list[Any]]:
    return new_phone(apps(), seed, language)


@pytest.fixture(autouse=True)
def same_phones(monkeypatch: pytest.MonkeyPatch) -> None:
    """All tasks are drawn on the same few phones, and to make one takes much longer than to copy it."""

    def copied(_: object, seed: int, language: Any, **options: Any) -> tuple[State, list[Any]]:
        assert not any(options.values())
        state, people = made(seed, language)
        return clone(state), list(people)

    monkeypatch.setattr(sessions_module, "new_phone", copied)


def sessions(name: str, seed: int, splits: tuple[Any, Any] = ("train", "train")) -> list[Session]:
    """In both languages; which split is asked in which language changes from task to task."""
    languages = LANGUAGES[:: 1 if NAMES.index(name) % 2 else -1]
    return [
        Session.begin(name, seed + at, language, split=split)  # type: ignore[arg-type]
        for at, (language, split) in enumerate(zip(languages, splits, strict=True))
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_oracle_does_it_and_near_misses_are_rejected(name: str) -> None:
    for session in sessions(name, 11, ("train", "test")):
        outcome = roll_out(session)
        assert outcome.success, f"{session.goal.instruction}: {outcome.lost} {outcome.moves}"
        assert len(outcome.moves) <= MOST_STEPS + 1, "the last word does not count"
        other = roll_out(session, chance=random.Random(name))
        assert other.success, f"not by any of its moves: {session.goal.instruction}: {other.lost} {other.moves}"
        fell_for = [what for what, accepted in wrong_outcomes(session, outcome) if accepted]
        assert not fell_for


@pytest.mark.parametrize("name", NAMES)
def test_another_draw_of_the_same_task_is_not_this_one(name: str) -> None:
    """What somebody does who was told another item, person or time."""
    one = Session.begin(name, 21, "en", split="train")
    for chance in range(1, 4):
        other = redrawn(one, name, chance)
        if (
            sorted(map(str, other.goal.changes)) == sorted(map(str, one.goal.changes))
            and other.goal.answer == one.goal.answer
        ):
            continue
        if other.start["apps"] != one.start["apps"]:
            continue  # the task prepares the phone for what it asks: then it is another phone
        outcome = roll_out(other)
        if not outcome.success or one.goal.infeasible:
            continue
        mine = Session(outcome.state, one.start, one.goal, one.apps)
        last = last_action(outcome.moves[-1])
        assert not mine.succeeded(last), f"{other.goal.instruction!r} passes for {one.goal.instruction!r}"


def wanted(session: Session) -> tuple[list[str], str | None]:
    return sorted(map(str, session.goal.changes)), session.goal.answer


def redrawn(session: Session, name: str, chance: int) -> Session:
    """The same phone, asked for something else."""
    state = Session.begin(name, 21, "en", split="train").state
    params = Params(state, 21, f"again/{chance}", "en", people_of(session), "train")
    try:
        goal = tasks()[name].draw(params)
    except UnfitError:
        return session
    return Session(state, Session(state, state, goal, session.apps).copy().state, goal, session.apps)


def people_of(session: Session) -> list[Any]:
    return made(session.state["seed"], "en")[1]


def astray(session: Session, chance: random.Random) -> str:
    """One random touch, as a careless finger would do it."""
    machine: Machine = session.machine
    page = machine.shown()
    kinds = [Move("press", "back"), Move("press", "home")]
    for widget in page.walk():
        if widget.tap or widget.kind == "field":
            kinds.append(Move("tap", widget.id))
        if widget.hold:
            kinds.append(Move("hold", widget.id))
        if widget.kind == "field":
            kinds.append(Move("type", widget.id, "oops"))
    return play(session, chance.choice(kinds))


@pytest.mark.parametrize("name", NAMES)
def test_it_finds_back_after_three_random_touches(name: str) -> None:
    for at, session in enumerate(sessions(name, 31)):
        chance, focus = random.Random(f"{name}/{at}"), ""
        for _ in range(chance.randrange(0, 4)):  # somewhere on the way
            found = session.plan(focus)
            if found.done or found.lost:
                break
            focus = play(session, found.moves[0], focus)
        for _ in range(3):
            focus = astray(session, chance)
        outcome = roll_out(session, focus)
        assert outcome.success or outcome.lost, f"{session.goal.instruction}: {outcome.moves}"


def test_there_are_enough_of_every_kind() -> None:
    rows = catalog()
    kinds = Counter(row.kind for row in rows)
    assert len(rows) >= 120
    assert sum(len(row.apps) > 1 for row in rows) >= 20
    assert kinds["ask"] >= 15
    assert kinds["infeasible"] >= 8
    assert all(1 <= row.steps[language][1] <= MOST_STEPS + 1 for row in rows for language in LANGUAGES)
    assert set(measured()) == set(NAMES), "run saccade phone catalog --measure"


class Counting(Params):
    """Notes how a task can be said."""

    said: tuple[Any, Any] = ((), ())

    def say(self, en: Any, zh: Any) -> str:
        self.said = (en, zh)
        return super().say(en, zh)


@pytest.mark.parametrize("name", NAMES)
def test_it_can_be_said_in_several_ways(name: str) -> None:
    session = Session.begin(name, 41, "en", split="train")
    params = Counting(session.state, 41, f"task/{name}", "en", people_of(session), "train")
    for chance in range(20):
        try:
            params.random.seed(chance)
            tasks()[name].draw(params)
            break
        except UnfitError:
            continue
    for ways, chinese in zip(params.said, (False, True), strict=True):
        assert len(set(ways)) >= PHRASINGS
        assert all(any("一" <= letter <= "鿿" for letter in way) == chinese for way in ways)
