"""Who acts while data is collected. A policy sees what the oracle would do, and chooses."""

from __future__ import annotations

import random
from collections.abc import Callable

from saccade.actions import Action, Direction
from saccade.registry import Registry
from saccade.types import Element
from saccade.worlds.base import Observation
from saccade_phone.oracle import Advice

Policy = Callable[[Observation, Advice, random.Random, int], Action]
"""From what is seen, what would be right, seeded chance and the number of the step to an action."""
NOISE = 0.2
"""How often the noisy policy does something random, from which the oracle then has to recover."""
ASTRAY = 3
WORDS = ("hello", "test", "今天", "明天见", "007", "ok")
DIRECTIONS: tuple[Direction, ...] = ("up", "down", "left", "right")

POLICIES: Registry[Policy] = Registry(
    "player",
    {
        "oracle": f"{__name__}:oracle",
        "noisy": f"{__name__}:noisy",
        "recovering": f"{__name__}:recovering",
        "random": f"{__name__}:at_random",
    },
)


def oracle(seen: Observation, advice: Advice, chance: random.Random, step: int) -> Action:
    """One of the right actions: touches rather than shortcuts, but each now and then."""
    weights = [3.0 if action.box is not None else 1.0 for action in advice.actions]
    return chance.choices(advice.actions, weights)[0]


def noisy(seen: Observation, advice: Advice, chance: random.Random, step: int) -> Action:
    """Mostly right; now and then something random, but never the last word."""
    if chance.random() < NOISE:
        return stray(seen, chance)
    return oracle(seen, advice, chance, step)


def recovering(seen: Observation, advice: Advice, chance: random.Random, step: int) -> Action:
    """Three random actions, then all right: how to get out of where one should not be."""
    return stray(seen, chance) if step < ASTRAY else oracle(seen, advice, chance, step)


def at_random(seen: Observation, advice: Advice, chance: random.Random, step: int) -> Action:
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
        return Action("press", key=chance.choice(("back", "back", "home", "recent")))
    element: Element = chance.choice(touchable)
    return Action("click" if kind == "click" else "long_press", element.center)
