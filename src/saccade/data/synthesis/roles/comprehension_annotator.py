"""The annotator of UI comprehension data: key elements described, and the reasoning from them (UILoop appendix A, 4).

It is told the right action, and must write as if it had not been.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

import msgspec

from saccade.actions import Action
from saccade.data.synthesis.comprehension_form import action_name, input_text
from saccade.data.synthesis.element_list import check_ids, find_again, items
from saccade.data.synthesis.element_sentences import BEGINNING, describe, reasoning
from saccade.data.synthesis.heuristic_analyser import rank
from saccade.data.synthesis.roles.base import Role, UnansweredError, read_json
from saccade.types import Element, Language, Picture, Step

MOST_ELEMENTS = 10
MOST_THINKS = 5
LONGEST_DESCRIPTION = 400
LONGEST_THINK = 1_000
GUESSED = 3
"""Elements that the heuristic describes: the target, and the first of its ranking."""
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|「[^」]*」|‘[^’]*’")
_COORDINATES = re.compile(
    r"[\[(（［]\s*-?\d+(?:\.\d+)?\s*[,，]\s*-?\d+(?:\.\d+)?|"
    r"\b[xy]\s*[=:]\s*\d|\d\s*(?:px|pixels?|像素)|located at\s*\[",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r"ground[\s-]?truth|\bgt_|\b(?:given|provided|annotated|reference)\s+(?:answer|action|area|box|bbox|bounding box|"
    r"target|label|operation)|\b(?:answer|action|area|target|box)\s+(?:that\s+)?(?:is|was|has been)\s+"
    r"(?:given|provided|annotated)|\bi (?:was|am|have been) (?:given|told)\b|"
    r"标准答案|参考答案|(?:给定|给出|提供|标注)的?(?:答案|动作|操作|区域|目标|边界框)|(?:答案|动作|操作|区域)已经?被?(?:给出|给定|提供)",
    re.IGNORECASE,
)


class DoneAction(msgspec.Struct, frozen=True):
    """What the annotator is asked about: a step, its right action, and the elements that are listed."""

    step: Step
    action: Action
    elements: list[Element]
    language: Language


class DescribedElement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A key element and its sentence."""

    id: int
    description: str


class Comprehension(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The annotator's answer."""

    elements: list[DescribedElement]
    thinks: list[str]


def problems_of(answer: Comprehension, subject: DoneAction) -> list[str]:
    """What is wrong with an answer, in sentences."""
    found = check_ids([each.id for each in answer.elements], subject.elements)
    if not 1 <= len(answer.elements) <= MOST_ELEMENTS:
        found.append(f"{len(answer.elements)} elements are described: describe 1 to {MOST_ELEMENTS}")
    if not 1 <= len(answer.thinks) <= MOST_THINKS:
        found.append(f"there are {len(answer.thinks)} thinks: write 1 to {MOST_THINKS}")
    for each in answer.elements:
        found += [f"the description of element {each.id} {problem}" for problem in _description(each, subject.language)]
    for at, think in enumerate(answer.thinks, 1):
        found += [f"think {at} {problem}" for problem in _sentence(think, LONGEST_THINK)]
    return found


def _description(each: DescribedElement, language: Language) -> list[str]:
    beginning = BEGINNING[language]
    found = _sentence(each.description, LONGEST_DESCRIPTION)
    if not each.description.lower().startswith(beginning):
        found.append(f"must begin with {beginning!r}")
    if not each.description.rstrip('”"’)').endswith((".", "。", "!", "！")):
        found.append("must end with a full stop")
    return found


def _sentence(text: str, longest: int) -> list[str]:
    """Rules for every sentence. What it quotes from the screen may be anything."""
    found = []
    if not text.strip() or "\n" in text or len(text) > longest:
        found.append(f"must be one line of 1 to {longest} characters")
    own = _QUOTED.sub("", text)
    if _COORDINATES.search(own):
        found.append("has coordinates: say in words where something is")
    if _GIVEN.search(own):
        found.append("says that the action or an answer was given: reason from the task and the screen alone")
    return found


class ComprehensionAnnotator(Role[DoneAction, Comprehension]):
    """Describes the elements that a decision rests on, and the reasoning."""

    name: ClassVar[str] = "comprehension_annotator"
    max_tokens: ClassVar[int] = 1536

    def variables(self, subject: DoneAction, picture: Callable[[str], Picture]) -> dict[str, Any]:
        """The screen, its elements, the task, what was done, and the right action with its area and text."""
        step, action = subject.step, subject.action
        area = action.box or action.point
        return {
            "image": picture(step.image) if step.image else "",
            "width": step.screen.width,
            "height": step.screen.height,
            "instruction": step.instruction,
            "history": list(step.history),
            "action": action_name(action),
            "area": str(list(map(round, area))) if area is not None else "",
            "text": input_text(action),
            "items": items(subject.elements),
            "most_elements": MOST_ELEMENTS,
            "most_thinks": MOST_THINKS,
        }

    def read(self, text: str, subject: DoneAction) -> Comprehension:
        answer = read_json(text, Comprehension)
        if problems := problems_of(answer, subject):
            raise ValueError("; ".join(problems))
        return answer

    def taught(self, subject: DoneAction) -> Comprehension:
        """The teacher's key elements in sentences, and its thought."""
        taught = subject.step.key_elements
        if taught is None:
            raise UnansweredError("the teacher did not say which elements matter")
        if not taught:
            raise UnansweredError("nothing on its screen matters for the step")
        found: dict[int, tuple[Element, str]] = {}
        for wanted in taught:
            element = find_again(wanted, subject.elements)
            if element is not None:
                found.setdefault(element.id, (element, wanted.caption or element.caption))
        if not found:
            raise UnansweredError("no element was found at the places that the teacher names")
        return _written(list(found.values()), subject, subject.step.thought)

    def guessed(self, subject: DoneAction) -> Comprehension:
        """The target and the first elements of the heuristic ranking, without a reason."""
        ranked = rank(subject.step, subject.elements)
        place = subject.action.point
        target = [each for each in ranked if place is not None and each.box.contains(place)]
        nearest = min(target, key=lambda each: each.box.area, default=None)
        chosen = [nearest, *(each for each in ranked if each is not nearest)] if nearest is not None else ranked
        if not chosen:
            raise UnansweredError("no element was found on its screen")
        return _written([(each, each.caption) for each in chosen[:GUESSED]], subject, "")


def _written(found: list[tuple[Element, str]], subject: DoneAction, thought: str) -> Comprehension:
    found = found[:MOST_ELEMENTS]
    described = [
        DescribedElement(element.id, describe(element, caption, subject.language)) for element, caption in found
    ]
    key = [element for element, _ in found]
    return Comprehension(
        described, reasoning(subject.step, subject.action, key, " ".join(thought.split()), subject.language)
    )


COMPREHENSION_ANNOTATOR = ComprehensionAnnotator()
