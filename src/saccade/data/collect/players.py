"""Who acts while data is collected. A player sees what the teacher calls right, and chooses.

A player of one's own is a function in the entry-point group `saccade.players`, or in a plug-in file.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

from saccade.actions import Action, Direction
from saccade.errors import InputError
from saccade.plugins import source_of
from saccade.registry import Registry
from saccade.types import Element
from saccade.worlds.base import Observation, World
from saccade.worlds.teachers import Lesson

NOISE = 0.2
"""How often the noisy player does something random, after which the teacher has to find the way back."""
ASTRAY = 3
"""So many random actions begin an episode of the recovering player."""
WORDS = ("hello", "test", "今天", "明天见", "007", "ok")
DIRECTIONS: tuple[Direction, ...] = ("up", "down", "left", "right")
KEYS = ("back", "back", "home", "recent")

PlayerFunction = Callable[[Observation, Lesson, random.Random, int], Action]
"""From what is seen, what would be right, seeded chance and the number of the step to an action."""


@dataclass(frozen=True)
class Choice:
    """What a player does; of a model, also its raw answer and the paradigm it is written in."""

    action: Action
    output: str = ""
    paradigm: str = ""


class Player(ABC):
    """Acts in one episode after another."""

    def begin(self, world: World) -> None:  # noqa: B027  (most need not know)
        """A new episode in this world."""

    @abstractmethod
    def choose(self, seen: Observation, lesson: Lesson, chance: random.Random, step: int) -> Choice: ...

    def close(self) -> None:  # noqa: B027  (most hold nothing)
        """Give back what it holds."""


class FunctionPlayer(Player):
    """A player that needs no memory: a plain function."""

    def __init__(self, function: PlayerFunction) -> None:
        self.function = function

    def choose(self, seen: Observation, lesson: Lesson, chance: random.Random, step: int) -> Choice:
        action = self.function(seen, lesson, chance, step)
        if not isinstance(action, Action):
            got = type(action).__name__
            raise InputError(f"{source_of(self.function)}: a player must return an Action, got {got}")
        return Choice(action)


def oracle(seen: Observation, lesson: Lesson, chance: random.Random, step: int) -> Action:
    """One of the right actions: touches rather than shortcuts, but each now and then."""
    weights = [3.0 if action.box is not None else 1.0 for action in lesson.truth]
    return chance.choices(lesson.truth, weights)[0]


def noisy(seen: Observation, lesson: Lesson, chance: random.Random, step: int) -> Action:
    """Mostly right; now and then something random, but never the last word."""
    if chance.random() < NOISE:
        return stray(seen, chance)
    return oracle(seen, lesson, chance, step)


def recovering(seen: Observation, lesson: Lesson, chance: random.Random, step: int) -> Action:
    """Three random actions, then all right: how to get back from where one should not be."""
    return stray(seen, chance) if step < ASTRAY else oracle(seen, lesson, chance, step)


def at_random(seen: Observation, lesson: Lesson, chance: random.Random, step: int) -> Action:
    """Touches whatever there is, and stops some time."""
    if chance.random() < 0.06:
        return Action("terminate", status=chance.choice(("success", "success", "failure")))
    return stray(seen, chance)


def stray(seen: Observation, chance: random.Random) -> Action:
    """A random action that a hand could do on this screen."""
    touchable = [element for element in seen.screen.elements if element.interactive]
    kind = chance.choices(("click", "long_press", "swipe", "press", "type"), (14, 1, 3, 2, 1))[0]
    if kind == "swipe":
        return Action("swipe", direction=chance.choice(DIRECTIONS))
    if kind == "type":
        return Action("type", text=chance.choice(WORDS))
    if kind == "press" or not touchable:
        return Action("press", key=chance.choice(KEYS))
    element: Element = chance.choice(touchable)
    return Action("click" if kind == "click" else "long_press", element.center)


PLAYERS: Registry[PlayerFunction] = Registry(
    "player", {"oracle": oracle, "noisy": noisy, "recovering": recovering, "random": at_random}, accepts=callable
)
