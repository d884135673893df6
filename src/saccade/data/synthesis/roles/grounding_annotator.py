"""The annotator of grounding data: an instruction for one element of a screen, and how it is executed (SecAgent §3.1).

The model sees the screenshot with a box around the element. Its answers are checked by `grounding_rules`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import msgspec

from saccade.data.synthesis.grounding_marker import draw_marker
from saccade.data.synthesis.grounding_resolver import meant_elements
from saccade.data.synthesis.grounding_rules import GroundingAnswer, grounding_words, problems
from saccade.data.synthesis.icon_meanings import meanings_for_prompt
from saccade.data.synthesis.roles.base import Role, UnansweredError, read_json
from saccade.data.synthesis.roles.grounding_wording import ElementWording, NoWordsError, alike
from saccade.types import Element, Language, Picture, Screen

MOST_WORDINGS = 3
"""Instructions for one element."""
COLOUR_WORDS = {"en": {"red": "red", "green": "green"}, "zh": {"red": "红色", "green": "绿色"}}


@dataclass(frozen=True, slots=True)
class GroundingSubject:
    """One element of a screen."""

    id: str
    """Of the sample; wordings that are drawn by chance depend on it."""
    element: Element
    screen: Screen
    image: str
    """The clean screenshot."""
    language: Language
    wordings: int = 1
    """How many instructions are wanted."""


class GroundingAnnotation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer: instructions that mean the same, and a thought for each. Both empty: the element is no sample."""

    instructions: list[str]
    thoughts: list[str]

    @property
    def answers(self) -> list[GroundingAnswer]:
        return [GroundingAnswer(*each) for each in zip(self.instructions, self.thoughts, strict=True)]


def check_annotation(annotation: GroundingAnnotation, subject: GroundingSubject) -> GroundingAnnotation:
    """The annotation, if it follows the rules; `ValueError` says what does not."""
    given, wanted = annotation.instructions, subject.wordings
    if len(given) != len(annotation.thoughts):
        raise ValueError(f"Write one thought for each instruction, got {len(given)} and {len(annotation.thoughts)}.")
    if len(given) > wanted:
        raise ValueError(f"Write at most {wanted} instructions, got {len(given)}.")
    if len({each.casefold().strip() for each in given}) < len(given):
        raise ValueError("The instructions must differ.")
    found = [
        sentence
        for answer in annotation.answers or [GroundingAnswer()]
        for sentence in problems(answer, subject.element, subject.screen, subject.language)
    ]
    if found:
        raise ValueError(" ".join(dict.fromkeys(found)))
    return annotation


class GroundingAnnotator(Role[GroundingSubject, GroundingAnnotation]):
    """Writes instructions for the element in the box."""

    name: ClassVar[str] = "grounding_annotator"

    def variables(self, subject: GroundingSubject, picture: Callable[[str], Picture]) -> dict[str, Any]:
        element, same = subject.element, alike(subject.element, subject.screen)
        marked, colour = draw_marker(picture(subject.image).data(), element.box, subject.screen.size)
        place = next((at for at, each in enumerate(same, 1) if each.id == element.id), 1)
        return {
            "image": Picture(marked),
            "colour": COLOUR_WORDS[subject.language][colour],
            "type": element.type,
            "text": element.text,
            "caption": element.caption if element.caption != element.text else "",
            "state": element.state,
            "count": len(same),
            "place": place,
            "types": grounding_words()[subject.language].types.split(),
            "meanings": meanings_for_prompt(subject.language),
            "wordings": subject.wordings,
        }

    def read(self, text: str, subject: GroundingSubject) -> GroundingAnnotation:
        return check_annotation(read_json(text, GroundingAnnotation), subject)

    def taught(self, subject: GroundingSubject) -> GroundingAnnotation:
        """From what the tree says about the element. What breaks the rules even so, or may mean another element too
        (a "×" button that screen readers call Close, beside a 'Close' button), is no sample.
        """
        element, screen, language = subject.element, subject.screen, subject.language
        try:
            answers = ElementWording(element, screen, language, random.Random(subject.id)).answers(subject.wordings)
            annotation = GroundingAnnotation([each.instruction for each in answers], [each.thought for each in answers])
            check_annotation(annotation, subject)
        except NoWordsError as error:
            raise UnansweredError(str(error)) from None
        except ValueError as error:
            raise UnansweredError(
                "the wording from the tree breaks the rules", f"{annotation.instructions}: {error}"
            ) from None
        for instruction in annotation.instructions:
            meant = [each.id for each in meant_elements(instruction, screen, language)]
            if meant != [element.id]:
                detail = f"{instruction}: elements {meant}"
                raise UnansweredError("the wording from the tree does not mean this element alone", detail)
        return annotation

    def guessed(self, subject: GroundingSubject) -> GroundingAnnotation:
        """The tree tells as much without a teacher."""
        return self.taught(subject)
