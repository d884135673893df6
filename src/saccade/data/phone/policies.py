"""Who acts while data is collected. A policy sees what the oracle would do, and chooses."""

from __future__ import annotations

import random
from collections.abc import Callable

from saccade.actions import Action, Direction
from saccade.registry import Registry
from saccade.types import Element
from saccade.worlds.base import Observation
from saccade.worlds.phone.oracle import Advice

Policy = Callable[[Observation, Advice, random.Random], Action]
NOISE = 0.2
"""How often the noisy policy does something random, from which the oracle then has to recover."""
WORDS = ("hello", "test", "今天", "明天见", "007", "ok")
DIRECTIONS: tuple[Direction, ...] = ("up", "down", "left", "right")

POLICIES: Registry[Policy] = Registry(
    "player",
    {
        "oracle": f"{__name__}:oracle",
        "noisy": f"{__name__}:noisy",
        "random": f"{__name__}:at_random",
    },
)


def oracle(seen: Observation, advice: Advice, chance: random.Random) -> Action:
    """One of the right actions: touches rather than shortcuts, but each now and then."""
    weights = [3.0 if action.box is not None else 1.0 for action in advice.actions]
    return chance.choices(advice.actions, weights)[0]


def noisy(seen: Observation, advice: Advice, chance: random.Random) -> Action:
    """Mostly right; now and then something random, but never the last word."""
    if chance.random() < NOISE:
        return stray(seen, chance)
    return oracle(seen, advice, chance)


def at_random(seen: Observation, advice: Advice, chance: random.Random) -> Action:
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
