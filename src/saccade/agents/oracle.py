"""The oracle: a model that answers with the teacher's action, written in the paradigm's own format.

It shows what a perfect model would get, and lets every part of the loop be tried without a trained one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from saccade.actions import Action
from saccade.agents.reference_model import ORACLE, ReferenceModel
from saccade.models.base import Ask, Completion, ModelError, Usage
from saccade.paradigms.base import Candidate, Paradigm, Reply
from saccade.paradigms.wording import in_words
from saccade.types import Element, Message, Screen, Step
from saccade.worlds.base import Observation
from saccade.worlds.teachers import Lesson, Teacher


class OracleModel(ReferenceModel):
    """Answers with the teacher's action for the current screen."""

    name = ORACLE

    def __init__(self, teacher: Teacher, paradigm: Paradigm, look: Callable[[], Observation] | None = None) -> None:
        super().__init__(paradigm, look)
        self.teacher = teacher
        self._phrases: list[str] = []

    def begin(self) -> None:
        """Start a new episode: forget the actions done so far."""
        self._phrases = []

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        text = self._summary() if ask.purpose == "summarise" else self._answer()
        read = sum(len(message.text) for message in messages) // 4
        usage = Usage(input=read, output=len(text) // 4 + 1, calls=1)
        return [Completion(text, usage if at == 0 else Usage()) for at in range(ask.n)]

    def _answer(self) -> str:
        seen = self.current()
        lesson = self.teacher.teach(seen)
        if lesson.lost:
            raise ModelError(f"the oracle cannot solve the task from here: {lesson.lost}")
        problem = ""
        # A format that cannot say where a text goes, or that it is sent, still says what is typed.
        bare = [Action("type", text=each.text) for each in lesson.truth if each.type == "type"]
        for action in [*lesson.truth, *bare]:
            try:
                text = self.paradigm.render(self._reply(action, lesson, seen.screen), seen.screen)
            except ValueError as error:
                problem = str(error)
                continue
            self._phrases.append(lesson.phrase or in_words(action, seen.screen, self.paradigm.language))
            return text
        raise ModelError(f"the format {self.paradigm.name} cannot express the oracle's action: {problem}")

    def _reply(self, action: Action, lesson: Lesson, screen: Screen) -> Reply:
        extra: dict[str, Any] = {}
        if self.paradigm.candidates:
            extra["candidates"] = (Candidate(action, lesson.thought, 1.0),)
        return Reply(
            action,
            elements=named(action, lesson, self.paradigm, screen),
            think=lesson.thought,
            plan=in_words(action, screen, self.paradigm.language),
            summary=self._summary(),
            **extra,
        )

    def _summary(self) -> str:
        joint, stop = ("，", "。") if self.paradigm.language == "zh" else (", then ", ".")
        return joint.join(self._phrases) + stop if self._phrases else ""


def named(action: Action, lesson: Lesson, paradigm: Paradigm, screen: Screen) -> tuple[Element, ...]:
    """The key elements as the format names them. Where the format wants some and the teacher knows none, the element
    that the true action touches. A true action that touches none leaves the answer without elements: UILoop's is then
    read, but is not exactly in the format.
    """
    step = Step(screen=screen.size, key_elements=lesson.annotated)
    if paradigm.untaught_because(step) and action.point is not None:
        target = screen.element_at(action.point)
        step.key_elements = [target] if target else None
    return tuple(
        element if element.caption else replace(element, caption="element") for element in paradigm.described(step)
    )
