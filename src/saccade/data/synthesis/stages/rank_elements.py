"""BTL-UI's blink data (§3.2): which elements matter for the task, the first λ of them."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec.structs import replace

from saccade.data.synthesis.element_list import bounded, by_id
from saccade.data.synthesis.records import Outcome, Record, dropped, kept
from saccade.data.synthesis.roles.analyser import ANALYSER, MOST, Ranking, ScreenTask
from saccade.data.synthesis.roles.base import Role
from saccade.data.synthesis.stage import ItemStage, Settings, Tools
from saccade.errors import InputError
from saccade.types import Element


class RankElementsSettings(Settings, frozen=True):
    """Settings of `rank_elements`."""

    keep: int = 5
    """λ: the most elements that are kept of a screen (1 to 6 in BTL-UI's ablation)."""
    most_elements: int = 150
    """Elements that the analyser is told of; of more, those that can be used or say something come first."""

    def __post_init__(self) -> None:
        if not 1 <= self.keep <= MOST:
            raise InputError(f"rank_elements: keep is {self.keep}, and must lie between 1 and {MOST}")
        if self.most_elements < 1:
            raise InputError(f"rank_elements: most_elements is {self.most_elements}, and must be at least 1")


class RankElements(ItemStage):
    """Asks the analyser about each step, and keeps the first λ elements. None is an answer, too."""

    name: ClassVar[str] = "rank_elements"
    title: ClassVar[str] = "Rank the elements that matter for the task, and keep the first ones."
    kind: ClassVar[type[Settings]] = RankElementsSettings
    roles: ClassVar[tuple[Role[Any, Any], ...]] = (ANALYSER,)

    def do(self, record: Record, tools: Tools) -> Outcome:
        """Each step gets `key_elements`: the elements of the screen with the analyser's captions, by priority."""
        settings: RankElementsSettings = self.settings
        made, by = [], tools.respondent.name if tools.respondent is not None else ""
        for step in record.steps:
            if not step.instruction:
                return dropped(record, "it has no instruction")
            if not step.elements:
                return dropped(record, "no element was found on its screen")
            listed = bounded(step.elements, settings.most_elements)
            answer = tools.ask(ANALYSER, ScreenTask(step, listed), record.language)
            key = key_elements(answer, listed)[: settings.keep]
            made.append(replace(step, key_elements=key, tags={**step.tags, "analyser": by}))
        return kept(replace(record, steps=made))


def key_elements(answer: Ranking, elements: list[Element]) -> list[Element]:
    """The elements behind the ids: their own boxes, the analyser's captions and kinds."""
    known = by_id(elements)
    return [
        replace(known[each.id], caption=each.caption, interactive=each.kind == "dynamic") for each in answer.elements
    ]
