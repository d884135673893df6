"""From step records to what a model is asked and what it should answer, in any paradigm's format.

What a prompt tells of the past is what it will tell at inference (`agents.memory`): lines of earlier actions for
BTL, UILoop and GuidNav; the summary of the step before and the last action for SecAgent, whose answer then brings the
summary up to date.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from msgspec.structs import replace as changed

from saccade.actions import Action, swipe_direction
from saccade.geometry import Point
from saccade.paradigms.base import Candidate, Language, Paradigm, Reply, Situation
from saccade.paradigms.wording import in_words, language_of, quoted
from saccade.types import Element, Message, Screen, Step

LATEST = 5
"""Phrases that a summary names; earlier ones are only said to have been."""
STRIDE = 0.3
"""How far a swipe goes that is known by its direction, as a share of the screen."""


class Row(NamedTuple):
    """One training sample."""

    id: str
    paradigm: str
    messages: list[Message]
    answer: str
    step: Step


@dataclass(frozen=True)
class RowMaker:
    """Writes rows in one paradigm's format."""

    paradigm: Paradigm
    told: bool = False
    """Are the screen's elements told in the prompt?"""
    candidates: int = 3
    """How many a GuidNav answer proposes."""
    points: bool = True
    """Let swipes begin on an element, and go as far as every swipe does: for models that point at elements."""

    def episode(self, steps: Sequence[Step], chance: random.Random) -> Iterator[Row]:
        """The rows of an episode, in order. Steps without a right action are passed over, but remembered."""
        lines: list[str] = []
        for step in steps:
            paradigm = replace(self.paradigm, language=language_of(step.instruction))
            if step.truth:
                yield self.row(step, paradigm, lines, chance)
            if step.prediction is not None:
                lines.append(in_words(step.prediction, step.view, paradigm.language))

    def row(self, step: Step, paradigm: Paradigm, lines: list[str], chance: random.Random) -> Row:
        zh = paradigm.language == "zh"
        before, after = summary(lines[:-1], zh), summary(lines, zh)
        situation = Situation(
            step.instruction,
            Screen(step.screen, None, step.elements),
            step_instruction=step.step_instruction,
            history=list(lines),
            context=before if paradigm.name == "secagent" else "",
            elements=step.elements if self.told else (),
        )
        action = self.pointed(best(step.truth), step)
        reply = Reply(
            action,
            tuple(described(step)),
            step.thought,
            in_words(action, step.view, paradigm.language),
            after,
            self.proposals(step, action, paradigm.language, chance) if paradigm.candidates else (),
        )
        return Row(step.id, paradigm.name, paradigm.messages(situation), paradigm.render(reply, step.view), step)

    def pointed(self, action: Action, step: Step) -> Action:
        if not self.points or action.type != "swipe":
            return action
        direction = swipe_direction(action) or "up"
        place = action.start or Point(step.screen.width / 2, step.screen.height / 2)
        near = min(step.elements, key=lambda each: each.center.distance(place), default=None)
        if near is None:
            return action
        width, height = step.screen
        dx, dy = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[direction]
        end = Point(min(max(near.center.x + dx * STRIDE * width, 0), width),
                    min(max(near.center.y + dy * STRIDE * height, 0), height))  # fmt: skip
        return Action("swipe", direction=direction, start=near.center, end=end)

    def proposals(self, step: Step, action: Action, language: Language, chance: random.Random
                  ) -> tuple[Candidate, ...]:  # fmt: skip
        """The right action first, then others that are right or look it."""
        others = [self.pointed(each, step) for each in step.truth if each != best(step.truth)]
        touchable = [element for element in step.elements if element.interactive and element.text]
        right = {truth.box for truth in step.truth}
        wrong = [element for element in touchable if element.box not in right]
        others += [Action("click", element.center) for element in chance.sample(wrong, min(2, len(wrong)))]
        found = [Candidate(action, step.thought, 0.8)]
        for other in others[: self.candidates - 1]:
            found.append(Candidate(other, in_words(other, step.view, language), 0.1))
        return tuple(found)


def best(truth: Sequence[Action]) -> Action:
    """Of several right actions, always the same kind: a touch rather than a shortcut."""
    return next((action for action in truth if action.box is not None), truth[0])


def described(step: Step) -> list[Element]:
    """The key elements, each with a description. UILoop needs one: where none matters, the heading or the first."""
    found = step.key_elements or [each for each in step.elements if each.type == "heading"][:1] or step.elements[:1]
    return [each if each.caption else changed(each, caption=f"{each.type} {quoted(each.text)}") for each in found]


def summary(lines: Sequence[str], zh: bool) -> str:
    """What was done, for SecAgent: the latest phrases, and that there were others."""
    if not lines:
        return ""
    kept = lines[-LATEST:]
    earlier = len(lines) - len(kept)
    if zh:
        return (f"此前{earlier}步；" if earlier else "") + "，".join(kept) + "。"
    return (f"{earlier} steps before; " if earlier else "") + ", ".join(kept) + "."
