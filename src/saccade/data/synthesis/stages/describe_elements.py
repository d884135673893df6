"""UILoop appendix A, step 4: the key elements of each step described, and the reasoning that leads to its action."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec.structs import replace

from saccade.data.synthesis.element_list import bounded, by_id
from saccade.data.synthesis.records import Outcome, Record, dropped, kept
from saccade.data.synthesis.roles.base import Role
from saccade.data.synthesis.roles.comprehension_annotator import COMPREHENSION_ANNOTATOR, DoneAction
from saccade.data.synthesis.stage import ItemStage, Settings, Tools
from saccade.errors import InputError


class DescribeElementsSettings(Settings, frozen=True):
    """Settings of `describe_elements`."""

    most_elements: int = 150
    """Elements that the annotator is told of; of more, those that can be used or say something come first."""

    def __post_init__(self) -> None:
        if self.most_elements < 1:
            raise InputError(f"describe_elements: most_elements is {self.most_elements}, and must be at least 1")


class DescribeElements(ItemStage):
    """Asks the annotator about each step: captions of `key_elements` are sentences, `thought` has one line for each
    sentence of the reasoning.
    """

    name: ClassVar[str] = "describe_elements"
    title: ClassVar[str] = "Describe the elements that each step's action rests on, and the reasoning."
    kind: ClassVar[type[Settings]] = DescribeElementsSettings
    roles: ClassVar[tuple[Role[Any, Any], ...]] = (COMPREHENSION_ANNOTATOR,)

    def do(self, record: Record, tools: Tools) -> Outcome:
        settings: DescribeElementsSettings = self.settings
        made, by = [], tools.respondent.name if tools.respondent is not None else ""
        for step in record.steps:
            if not step.elements:
                return dropped(record, "no element was found on its screen")
            listed = bounded(step.elements, settings.most_elements)
            answer = tools.ask(
                COMPREHENSION_ANNOTATOR, DoneAction(step, step.truth[0], listed, record.language), record.language
            )
            known = by_id(listed)
            key = [replace(known[each.id], caption=each.description) for each in answer.elements]
            tags = {**step.tags, "annotator": by}
            made.append(replace(step, key_elements=key, thought="\n".join(answer.thinks), tags=tags))
        return kept(replace(record, steps=made))
