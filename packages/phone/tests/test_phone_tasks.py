"""Every task template: the oracle finishes it from any state, and the judge accepts nothing else."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

import pytest
from phone_data import made

from saccade_phone.catalog import catalog, measured
from saccade_phone.path_search import Move
from saccade_phone.session import Rollout, Session, last_action, play, roll_out
from saccade_phone.state_machine import Machine, clone
from saccade_phone.tasks import UnfitError, tasks
from saccade_phone.tasks.base import PHRASINGS, Goal, Params
from saccade_phone.wrong_outcomes import wrong_outcomes

pytest_plugins = ["phone_fixtures"]
pytestmark = pytest.mark.usefixtures("same_phones")
NAMES = sorted(tasks())
APPS = sorted({name.partition(".")[0] for name in NAMES})
"""One case for each app; `across` are the tasks that need several."""
LANGUAGES = ("en", "zh")
MOST_STEPS = 15


def names_of(app: str) -> list[str]:
    return [name for name in NAMES if name.startswith(f"{app}.")]


def sessions(name: str, seed: int, splits: tuple[Any, Any] = ("train", "train")) -> list[Session]:
    """In both languages; which split is asked in which language changes from task to task."""
    languages = LANGUAGES[:: 1 if NAMES.index(name) % 2 else -1]
    return [
        Session.begin(name, seed + at, language, split=split)  # type: ignore[arg-type]
        for at, (language, split) in enumerate(zip(languages, splits, strict=True))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("app", APPS)
def test_the_oracle_does_it_and_near_misses_are_rejected(app: str) -> None:
    problems = []
    for name in names_of(app):
        for session in sessions(name, 11, ("train", "test")):
            said = f"{name}: {session.goal.instruction!r}"
            outcome = roll_out(session)
            other = roll_out(session, chance=random.Random(name))
            if not outcome.success:
                problems.append(f"{said}: not done: {outcome.lost} {outcome.moves}")
                continue
            if len(outcome.moves) > MOST_STEPS + 1:  # the last action does not count
                problems.append(f"{said}: {len(outcome.moves)} moves")
            if not other.success:
                problems.append(f"{said}: not done by random right moves: {other.lost} {other.moves}")
            accepted = [what for what, passed in wrong_outcomes(session, outcome) if passed]
            problems += [f"{said}: the judge accepts {what}" for what in accepted]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("app", APPS)
def test_another_draw_of_the_same_task_is_not_this_one(app: str) -> None:
    """Doing the task with another item, person or time must not count as doing this one.

    Infeasible tasks are left out: all of them end with the same action, and nothing is changed.
    """
    problems = []
    for name in names_of(app):
        if measured()[name].kind == "infeasible":
            continue
        one = Session.begin(name, 21, "en", split="train")
        others = list(islice(other_draws(one, name), 2))
        if not others:
            problems.append(f"{name}: no other draw was found to compare with")
        for other in others:
            outcome = roll_out(other)
            if not outcome.success:
                problems.append(f"{name}: {other.goal.instruction!r} is not done: {outcome.lost}")
                continue
            judged = Session(outcome.state, other.start, one.goal, one.apps)
            if judged.succeeded(last_action(outcome.moves[-1])):
                problems.append(f"{name}: {other.goal.instruction!r} passes for {one.goal.instruction!r}")
    assert not problems, "\n".join(problems)


def other_draws(one: Session, name: str) -> Iterator[Session]:
    """The same template with another goal: on the same phone, then on others."""
    for seed, chance in [
        *((one.state["seed"], chance) for chance in range(1, 20)),
        *((seed, 1) for seed in range(22, 30)),
    ]:
        state, people = made(seed, "en")
        state = clone(state)  # a task may prepare it
        with suppress(UnfitError):
            goal = tasks()[name].draw(Params(state, 21, f"again/{chance}", "en", people, "train"))
            if goal_of(goal) != goal_of(one.goal):
                yield Session(state, clone(state), goal, one.apps)


def goal_of(goal: Goal) -> tuple[list[str], str | None]:
    return sorted(map(str, goal.changes)), goal.answer


def people_of(session: Session) -> list[Any]:
    return made(session.state["seed"], "en")[1]


def astray(session: Session, chance: random.Random) -> str:
    """One random touch; returns the text field that then has the focus."""
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


@pytest.mark.parametrize("app", APPS)
def test_it_finds_back_after_three_random_touches(app: str) -> None:
    """From anywhere the planner either finishes the task or says why it cannot."""
    problems = []
    for name in names_of(app):
        for at, session in enumerate(sessions(name, 31)):
            outcome = after_random_touches(session, random.Random(f"{name}/{at}"))
            if not outcome.success and not outcome.lost:
                problems.append(f"{name}: {session.goal.instruction}: {outcome.moves}")
    assert not problems, "\n".join(problems)


def after_random_touches(session: Session, chance: random.Random) -> Rollout:
    """Some right moves, three random touches, then the planner plays on."""
    focus = ""
    for _ in range(chance.randrange(0, 4)):
        found = session.plan(focus)
        if found.done or found.lost:
            break
        focus = play(session, found.moves[0], focus)
    for _ in range(3):
        focus = astray(session, chance)
    return roll_out(session, focus)


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
    """Records the wordings of a task."""

    said: tuple[Any, Any] = ((), ())

    def say(self, en: Any, zh: Any) -> str:
        self.said = (en, zh)
        return super().say(en, zh)


def test_every_task_can_be_said_in_several_ways() -> None:
    problems = []
    for name in NAMES:
        session = Session.begin(name, 41, "en", split="train")
        params = Counting(session.state, 41, f"task/{name}", "en", people_of(session), "train")
        for chance in range(20):
            params.random.seed(chance)
            with suppress(UnfitError):
                tasks()[name].draw(params)
                break
        for ways, chinese in zip(params.said, (False, True), strict=True):
            if len(set(ways)) < PHRASINGS:
                problems.append(f"{name}: {ways}")
            problems += [f"{name}: {way}" for way in ways if any("一" <= letter <= "鿿" for letter in way) != chinese]
    assert not problems, "\n".join(problems)
