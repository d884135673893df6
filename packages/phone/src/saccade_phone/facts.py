"""Facts that an agent reads on one screen and needs on another.

A question's answer, or a value that an entry must get, may stand in another app. Once it was in view on the screen
where it is to be looked up, it belongs into what the agent carries from step to step: SecAgent's summary, another's
thought.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from saccade.types import Element
from saccade_phone.goal_changes import Added, Changed, Says, Value
from saccade_phone.path_search import arrived, called
from saccade_phone.session import Session
from saccade_phone.tasks.base import Goal

SHORTEST = 2


def wanted(goal: Goal, apps: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Every text that the goal asks for and the instruction does not tell. `apps` is what they hold."""
    seen = (look.widget for look in goal.sees)
    for text in (*seen, goal.answer, *goal.accept, *_entered(goal), *_named(goal, apps)):
        if isinstance(text, str) and len(text) >= SHORTEST and text not in goal.instruction:
            yield text


def _entered(goal: Goal) -> Iterator[object]:
    for change in goal.changes:
        values: Iterable[object] = ()
        if isinstance(change, Added | Changed):
            values = change.fields.values()
        elif isinstance(change, Value):
            values = (change.value,)
        for value in values:
            yield from value.must if isinstance(value, Says) else (value,)


def _named(goal: Goal, apps: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """What things are called that an entry speaks of by their keys."""
    for change in goal.changes:
        if isinstance(change, Added | Changed):
            tables = apps[change.path.partition(".")[0]].values()
            yield from called(change.fields.values(), tables, by=("name",))


def spellings(fact: str) -> list[str]:
    """How a fact may stand on a screen: a day is told in words there."""
    try:
        day = date.fromisoformat(fact)
    except ValueError:
        return [fact]
    return [
        fact,
        f"{day:%b} {day.day}, {day.year}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.year}年{day.month}月{day.day}日",
    ]


def facts_in_view(session: Session, elements: Sequence[Element]) -> list[str]:
    """The facts that can be read on this screen, if it is one where something is to be looked up."""
    goal, machine = session.goal, session.machine
    if not any(machine.front == look.app and arrived(machine.top, look) for look in goal.sees):
        return []
    texts = [element.text for element in elements]
    found = dict.fromkeys(
        fact
        for fact in wanted(goal, session.state["apps"])
        if any(spelled in text for spelled in spellings(fact) for text in texts)
    )
    return [fact for fact in found if not any(fact != other and fact in other for other in found)]
