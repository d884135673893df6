"""A model that answers at random: what a score is worth that knows nothing of the screen or the task.

A figure means little without the figure that chance reaches on the same samples: a box that fills half of the screen is
hit by every second random tap.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from saccade.actions import DIRECTIONS, Action
from saccade.agents.reference_model import RANDOM, ReferenceModel
from saccade.geometry import Box, Point
from saccade.models.base import Ask, Completion, ModelError, Usage
from saccade.paradigms.base import Candidate, Paradigm, Reply
from saccade.paradigms.verbs import finish
from saccade.types import Element, Message, Screen

TRIES = 20
"""A drawn action may be one that the format cannot write, such as a tap where no mark stands: then another is drawn."""
KEYS = ("enter", "back", "home", "tab", "escape")


class RandomModel(ReferenceModel):
    """Each action of the declared space is as likely as any other, each place of the screen too. The same messages and
    seed get the same answer.
    """

    name = RANDOM

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        said = "\n".join(message.text for message in messages)
        screen, read = self.current().screen, len(said) // 4
        found = []
        for at in range(ask.n):
            chance = random.Random(sha256(f"{ask.seed}/{at}/{said}".encode()).digest())
            text = "chance" if ask.purpose != "act" else self.answer(screen, chance)
            found.append(Completion(text, Usage(input=read if at == 0 else 0, output=len(text) // 4 + 1, calls=1)))
        return found

    def answer(self, screen: Screen, chance: random.Random) -> str:
        problem = ""
        for _ in range(TRIES):
            actions = [draw_action(self.paradigm, screen, chance) for _ in range(self.paradigm.candidate_count)]
            place = Box.at(draw_point(screen, chance))
            reply = Reply(
                actions[0],
                (Element(1, place, caption="something"),) if "elements" in self.paradigm.answer_parts else (),
                "chance",
                candidates=tuple(Candidate(each, "chance", round(1 / len(actions), 2)) for each in actions)
                if self.paradigm.candidates
                else (),
            )
            try:
                return self.paradigm.render(reply, screen)
            except ValueError as error:
                problem = str(error)
        raise ModelError(f"the format {self.paradigm.name} could not write any of {TRIES} random actions: {problem}")


def draw_action(paradigm: Paradigm, screen: Screen, chance: random.Random) -> Action:
    """An action of the declared space with random arguments."""
    verb = chance.choice([each for each in paradigm.vocabulary.verbs if each.in_space(paradigm.space)])
    fields: dict[str, Any] = dict(verb.fixed)
    for argument, canonical in verb.arguments.items():
        if argument in verb.optional or canonical in fields:
            continue
        match canonical:
            case "point" | "start" | "end":
                fields[canonical] = draw_point(screen, chance)
            case "direction":
                fields[canonical] = chance.choice(DIRECTIONS)
            case "key":
                fields[canonical] = chance.choice([*verb.values.values()] or KEYS)
            case "status":
                fields[canonical] = chance.choice(["success", "failure"])
            case "seconds":
                fields[canonical] = 1.0
            case "text":
                fields[canonical] = f"{chance.randrange(10**6):06}"
    return finish(verb.type, fields)


def draw_point(screen: Screen, chance: random.Random) -> Point:
    width, height = screen.size
    return Point(chance.randrange(round(width)), chance.randrange(round(height)))
