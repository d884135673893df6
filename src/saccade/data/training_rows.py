"""From step records to prompts and answers, in any paradigm's format.

What a prompt says about the past is what it will say at inference, because the same `agents.memory.Memory` writes it:
it is given each recorded step as a run would have logged it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace as changed

from saccade.actions import Action, plainest
from saccade.agents.memory import Memory
from saccade.agents.records import LoggedStep
from saccade.geometry import Box
from saccade.models.families import VisionSettings
from saccade.paradigms import PARADIGMS, get_paradigm
from saccade.paradigms.base import Candidate, Paradigm, Reply
from saccade.paradigms.wording import in_words, language_of
from saccade.types import Element, Language, Message, Picture, Screen, Step

NOTES = {"en": "Noted: {}. ", "zh": "记下：{}。"}
"""How a thought or a summary keeps what was looked up on an earlier screen (the tag `noted` of a step)."""
LATEST = 4
"""Phrases that a summary names; earlier ones are only hinted at."""


class TrainingRow(NamedTuple):
    """One training sample."""

    id: str
    paradigm: Paradigm
    """As this row was written: with its language and switches."""
    messages: list[Message]
    answer: str
    step: Step
    extra: bool = False
    """Made by `Backbone.extra_rows`, not from a recorded step?"""

    def reworded(self, instruction: str) -> list[Message]:
        """The same prompt with another instruction, in the place where the instruction stands first."""
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
class RowWriter:
    """Writes rows in one paradigm's format."""

    paradigm: Paradigm
    sight: VisionSettings | None = None
    """How the model sees pictures; none: rows have none."""
    told: bool = False
    """Are the screen's elements listed in the prompt?"""
    adapt: Callable[[Action, Step, Paradigm], Action] = lambda action, step, paradigm: action
    """The recorded action as the model is to be taught it (`Backbone.adapt`)."""

    def episode(self, steps: Sequence[Step], chance: random.Random, folder: Path = Path()) -> Iterator[TrainingRow]:
        """The rows of an episode, in order. A step without a right action gives no row, but is part of the history.
        Images are named relative to `folder`.
        """
        if not steps:
            return
        paradigm = replace(self.paradigm, language=language_of(steps[0].instruction))
        sight = self.sight or VisionSettings.of("", paradigm.pixels)
        memory = Memory(paradigm, sight, list(steps[0].history), steps[0].context)  # it may begin in the middle
        for step in steps:
            picture = Picture(str(folder / step.image), step.screen) if step.image and self.sight else None
            screen = Screen(step.screen, picture, step.elements)
            reply = self.reply(step, paradigm, memory, chance)
            situation = memory.situation(step.instruction, screen, step.elements if self.told else (), ())
            situation = replace(situation, step_instruction=step.step_instruction)
            if reply is not None:
                answer, kept = paradigm.render(reply, screen), step
                if reply.summary and not step.summary and "summary" in paradigm.answer_parts:
                    kept = changed(step, tags={**step.tags, "summary": "template"})
                yield TrainingRow(step.id, paradigm, paradigm.messages(situation), answer, kept)
            memory.add(self.logged(step, reply, paradigm), picture)

    def reply(self, step: Step, paradigm: Paradigm, memory: Memory, chance: random.Random) -> Reply | None:
        """The answer to teach; none where no right action is known. Annotated thoughts and summaries are taught as
        they stand; where no summary is annotated, one is put together from what was done.
        """
        if not step.truth:
            return None
        action = self.adapt(taught(step), step, paradigm)
        return Reply(
            action,
            tuple(paradigm.described(step)),
            with_note(step, step.thought, paradigm.language),
            in_words(action, step.view, paradigm.language),
            with_note(step, step.summary or summary(memory.lines, paradigm.language), paradigm.language),
            self.proposals(step, action, paradigm, chance) if paradigm.candidates else (),
        )

    def logged(self, step: Step, reply: Reply | None, paradigm: Paradigm) -> LoggedStep:
        """The step as a run would have logged it: with what was done, which need not be what is right."""
        action = step.prediction or (plainest(step.truth) if step.truth else None)
        right = action in step.truth
        own = own_thought(step, paradigm) or with_note(step, "", paradigm.language)
        thought = reply.think if reply and right else own
        said = paradigm.answer_parts
        return LoggedStep(
            screen=step.screen,
            elements=step.elements,
            prediction=action,
            thought=thought,
            plan=in_words(action, step.view, paradigm.language) if action and "plan" in said else "",
            summary=(reply.summary if reply else step.summary) if "summary" in said else "",
            acted=True,
        )

    def proposals(self, step: Step, action: Action, paradigm: Paradigm, chance: random.Random) -> tuple[Candidate, ...]:
        """The right action first, then others that are right or plausible."""
        first = Candidate(action, with_note(step, step.thought, paradigm.language), 0.8)
        others = [self.adapt(each, step, paradigm) for each in step.truth if each != taught(step)]
        right = {truth.box for truth in step.truth}
        others += [Action("click", element.center) for element in plausible(step, right, chance)[:2]]
        found = [first]
        for other in others[: paradigm.candidate_count - 1]:
            found.append(Candidate(other, in_words(other, step.view, paradigm.language), 0.1))
        return tuple(found)


def taught(step: Step) -> Action:
    """What to teach: what was done if it was right, because the thought is about it; else the plainest right action."""
    return step.prediction if step.prediction in step.truth and step.prediction else plainest(step.truth)


def plausible(step: Step, right: set[Box | None], chance: random.Random) -> list[Element]:
    """Elements that could be taken for the right one, those first whose label shares most with the instruction."""
    words = {step.instruction[at : at + 2].casefold() for at in range(len(step.instruction) - 1)}
    found = [each for each in step.elements if each.interactive and each.text and each.box not in right]
    chance.shuffle(found)

    def shared(element: Element) -> float:
        pairs = [element.text[at : at + 2].casefold() for at in range(len(element.text) - 1)]
        return -sum(pair in words for pair in pairs) / (len(pairs) + 3)

    return sorted(found, key=shared)


def own_thought(step: Step, paradigm: Paradigm) -> str:
    """The thought of a model that played this step itself, which its next prompt told it."""
    if not step.output:
        return ""
    if step.paradigm != paradigm.name and step.paradigm in PARADIGMS.names():
        paradigm = get_paradigm(step.paradigm)
    return paradigm.parse(step.output, step.view).reply.think


def with_note(step: Step, thought: str, language: Language) -> str:
    """A thought or a summary that repeats what was looked up before."""
    noted = step.tags.get("noted", "")
    return (NOTES[language].format(noted) + thought).strip() if noted else thought


def summary(lines: Sequence[str], language: Language) -> str:
    """SecAgent's running summary of a recorded episode where nobody annotated one: the latest phrases of what was
    done.
    """
    if not lines:
        return ""
    zh, kept = language == "zh", lines[-LATEST:]
    words = ("，" if zh else ", ").join(kept) + ("。" if zh else ".")
    if len(lines) > LATEST:
        words = ("……" if zh else "… ") + words
    return words
