"""Instructions and thoughts for single elements: the samples of SecAgent's grounding data."""

from __future__ import annotations

from typing import Annotated, ClassVar

import msgspec
from msgspec.structs import replace

from saccade.actions import Action
from saccade.data.synthesis.records import Outcome, Record, dropped, kept
from saccade.data.synthesis.roles.grounding_annotator import MOST_WORDINGS, GroundingAnnotator, GroundingSubject
from saccade.data.synthesis.stage import ItemStage, Settings, Tools
from saccade.data.synthesis.stages.grounding_elements import ELEMENT
from saccade.types import Element, Screen, Step


class GroundingAnnotateSettings(Settings, frozen=True):
    """Settings of `grounding_annotate`."""

    wordings: Annotated[int, msgspec.Meta(ge=1, le=MOST_WORDINGS)] = 1
    """Instructions for each element; each becomes a sample."""


class GroundingAnnotate(ItemStage):
    """SecAgent §3.1 (3, 4): the annotator writes, `grounding_rules` checks, and the sample is one step of navigation:
    a click at the centre of the element's box ("Gr2Nav").
    """

    name: ClassVar[str] = "grounding_annotate"
    title: ClassVar[str] = "Write an instruction and a thought for each element, and check them by SecAgent's rules."
    kind: ClassVar[type[Settings]] = GroundingAnnotateSettings
    roles = (GroundingAnnotator(),)

    def do(self, record: Record, tools: Tools) -> Outcome:
        """One sample for each wording."""
        step = record.step
        element = step.view.element(record.fields[ELEMENT])
        assert element is not None
        screen = Screen(step.screen, tools.picture(step.image), step.elements)
        language = record.language
        subject = GroundingSubject(record.id, element, screen, step.image, language, self.settings.wordings)
        annotation = tools.ask(self.roles[0], subject, language)
        if not annotation.answers:
            return dropped(record, "the annotator found nothing, or several things, to act on")
        samples = []
        for number, answer in enumerate(annotation.answers):
            name = f"{record.id}-{number}" if number else record.id
            tags = {**step.tags, **sample_tags(element), "language": language}
            made = replace(step, id=name, instruction=answer.instruction, thought=answer.thought, tags=tags)
            samples.append(Record(id=name, steps=[with_click(made, element)]))
        return kept(*samples)


def sample_tags(element: Element) -> dict[str, str]:
    """As the readers of grounding sets tag samples: `kind` is text or icon."""
    shows_text = bool(element.text) and element.text != element.caption
    return {"task": "grounding", "kind": "text" if shows_text else "icon", "type": element.type}


def with_click(step: Step, element: Element) -> Step:
    """The right action: a click at the centre of the element, whose box takes any click."""
    return replace(step, truth=[Action("click", point=element.center, box=element.box)])
