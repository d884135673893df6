"""From step records to what a model is asked and what it should answer, in any paradigm's format.

What a prompt tells of the past is what it will tell at inference, because the same memory tells it (`agents.memory`):
it is given each step as a run would have logged it.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from saccade.actions import Action, plainest, swipe_direction
from saccade.agents.memory import Memory
from saccade.agents.records import LoggedStep
from saccade.geometry import Box, Point
from saccade.models.families import Sight
from saccade.paradigms.base import Candidate, Language, Paradigm, Reply
from saccade.paradigms.wording import in_words, language_of
from saccade.types import Element, Message, Picture, Screen, Step
from saccade_mini.codec import stroke
from saccade_mini.task_habits import NOTES

_THOUGHT = re.compile(r"<think>(.*?)</think>", re.DOTALL)
LATEST = 4
"""Phrases that a summary names; earlier ones are only said to have been."""


class Row(NamedTuple):
    """One training sample."""

    id: str
    paradigm: Paradigm
    """As this row was written: with its language and switches."""
    messages: list[Message]
    answer: str
    step: Step
    restates: bool = False
    """Is it asked to put a task plainly, and not to act?"""

    def told(self, instruction: str) -> list[Message]:
        """The same prompt with the task in other words, where it is told first."""
        found: list[Message] = []
        said = self.step.instruction
        for message in self.messages:
            parts = list(message.content)
            at = next((at for at, part in enumerate(parts) if isinstance(part, str) and said in part), None)
            if at is not None and said:
                parts[at] = str(parts[at]).replace(said, instruction, 1)
                said = ""
            found.append(replace(message, content=tuple(parts)))
        return found


@dataclass(frozen=True)
class RowMaker:
    """Writes rows in one paradigm's format."""

    paradigm: Paradigm
    sight: Sight | None = None
    """How the model sees pictures; none: rows have none."""
    told: bool = False
    """Are the screen's elements told in the prompt?"""
    points: bool = False
    """Let swipes go as far as the element reaches that they begin on: for models that point at elements."""

    def episode(self, steps: Sequence[Step], chance: random.Random, folder: Path = Path()) -> Iterator[Row]:
        """The rows of an episode, in order. Steps without a right action are passed over, but remembered. `folder` is
        where images are named from.
        """
        if not steps:
            return
        paradigm = replace(self.paradigm, language=language_of(steps[0].instruction))
        sight = self.sight or Sight.of("", paradigm.pixels)
        memory = Memory(paradigm, sight)
        for step in steps:
            picture = Picture(str(folder / step.image), step.screen) if step.image and self.sight else None
            screen = Screen(step.screen, picture, step.elements)
            reply = self.reply(step, paradigm, memory, chance)
            situation = memory.situation(step.instruction, screen, step.elements if self.told else (), ())
            situation = replace(situation, step_instruction=step.step_instruction)
            if reply is not None:
                yield Row(step.id, paradigm, paradigm.messages(situation), paradigm.render(reply, screen), step)
            memory.add(self.logged(step, reply, paradigm, memory), picture)

    def reply(self, step: Step, paradigm: Paradigm, memory: Memory, chance: random.Random) -> Reply | None:
        """What should be answered; none where nobody knows what is right."""
        if not step.truth:
            return None
        action = self.pointed(taught(step), step)
        return Reply(
            action,
            tuple(paradigm.described(step)),
            noting(step, step.thought, paradigm.language),
            in_words(action, step.view, paradigm.language),
            summary(memory.lines, step.tags.get("noted", ""), paradigm.language),
            self.proposals(step, action, paradigm, chance) if paradigm.candidates else (),
        )

    def logged(self, step: Step, reply: Reply | None, paradigm: Paradigm, memory: Memory) -> LoggedStep:
        """The step as a run would have left it: what was done, which need not be what is right."""
        action = step.prediction or (plainest(step.truth) if step.truth else None)
        right = action in step.truth
        thought = reply.think if reply and right else own_thought(step) or noting(step, "", paradigm.language)
        text = reply.summary if reply and "summary" in paradigm.answer_parts else ""
        plan = in_words(action, step.view, paradigm.language) if action and "plan" in paradigm.answer_parts else ""
        return LoggedStep(screen=step.screen, elements=step.elements, prediction=action, thought=thought, plan=plan,
                          summary=text, acted=True)  # fmt: skip

    def pointed(self, action: Action, step: Step) -> Action:
        """A swipe on what scrolls there, else on the screen as a whole."""
        if not self.points or action.type != "swipe":
            return action
        direction = swipe_direction(action) or "up"
        scrolls = [each for each in step.elements if each.type == "scroll" and action.start
                   and each.box.contains(action.start)]  # fmt: skip
        within = min(scrolls, key=lambda each: each.box.area, default=None)
        whole = Box(0, 0, step.screen.width, step.screen.height)
        begin, end = (clamped(place, step) for place in stroke(within.box if within else whole, direction))
        if self.paradigm.marks and within:  # the number of an element is all that can be said
            begin = within.center
        return Action("swipe", direction=direction, start=begin, end=end)

    def proposals(self, step: Step, action: Action, paradigm: Paradigm, chance: random.Random) -> tuple[Candidate, ...]:
        """The right action first, then others that are right or look it."""
        first = Candidate(action, noting(step, step.thought, paradigm.language), 0.8)
        others = [self.pointed(each, step) for each in step.truth if each != taught(step)]
        right = {truth.box for truth in step.truth}
        others += [Action("click", element.center) for element in plausible(step, right, chance)[:2]]
        found = [first]
        for other in others[: paradigm.candidate_count - 1]:
            found.append(Candidate(other, in_words(other, step.view, paradigm.language), 0.1))
        return tuple(found)


def clamped(place: Point, step: Step) -> Point:
    return Point(min(max(place.x, 0), step.screen.width), min(max(place.y, 0), step.screen.height))


def taught(step: Step) -> Action:
    """What to teach: what was done if it was right, because the thought speaks of it; else the plainest."""
    return step.prediction if step.prediction in step.truth and step.prediction else plainest(step.truth)


def plausible(step: Step, right: set[Box | None], chance: random.Random) -> list[Element]:
    """Elements that could be taken for the right one: those first that share most with the task."""
    words = {step.instruction[at : at + 2].casefold() for at in range(len(step.instruction) - 1)}
    found = [each for each in step.elements if each.interactive and each.text and each.box not in right]
    chance.shuffle(found)

    def shared(element: Element) -> float:
        pairs = [element.text[at : at + 2].casefold() for at in range(len(element.text) - 1)]
        return -sum(pair in words for pair in pairs) / (len(pairs) + 3)

    return sorted(found, key=shared)


def own_thought(step: Step) -> str:
    """What a model thought that played this step itself: its next prompt told it."""
    found = _THOUGHT.search(step.output or "")
    return found[1].strip() if found else ""


def noting(step: Step, thought: str, language: Language) -> str:
    """A thought that keeps in mind what was looked up."""
    noted = step.tags.get("noted", "")
    if not noted:
        return thought
    return (NOTES[language].format(noted) + thought).strip()


def summary(lines: Sequence[str], noted: str, language: Language) -> str:
    """What was done, for SecAgent: what was looked up, and the latest phrases."""
    if not lines:
        return ""
    zh, kept = language == "zh", lines[-LATEST:]
    words = ("，" if zh else ", ").join(kept) + ("。" if zh else ".")
    if len(lines) > LATEST:
        words = ("……" if zh else "… ") + words
    if noted:
        words = NOTES[language].format(noted) + words
    return words
