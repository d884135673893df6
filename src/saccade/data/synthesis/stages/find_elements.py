"""Elements for every screen: those that the records have, or those that a source finds in the pictures."""

from __future__ import annotations

from typing import ClassVar

from msgspec.structs import replace

from saccade.data.element_filling import ElementFinder, PictureJob
from saccade.data.synthesis.records import Outcome, Record, dropped, kept
from saccade.data.synthesis.stage import ItemStage, Settings, Tools
from saccade.screens.element_source import TREE


class FindElementsSettings(Settings, frozen=True):
    """Settings of `find_elements`."""

    source: str = TREE
    """`tree`: as the records have them, and from pixels where they have none; `vision`: from pixels always."""
    when_missing: str = "vision"
    """What looks at pictures of records without elements."""


class FindElements(ItemStage):
    """BTL-UI §3.2 (1), UILoop App. A (3): the parser proposes all elements of the screen."""

    name: ClassVar[str] = "find_elements"
    title: ClassVar[str] = "Take the elements of each screen from its tree, or find them in the picture."
    kind: ClassVar[type[Settings]] = FindElementsSettings
    _finders: dict[str, ElementFinder]

    def do(self, record: Record, tools: Tools) -> Outcome:
        """All steps of the record get elements."""
        settings: FindElementsSettings = self.settings
        made = []
        for step in record.steps:
            source = settings.source if settings.source != TREE or step.elements else settings.when_missing
            if source == TREE:
                made.append(step)
                continue
            if not step.image:
                return dropped(record, "it has neither elements nor a picture")
            job = PictureJob(tools.picture(step.image).data(), step.screen, record.language)
            try:
                found = self._finder(source).find(job)
            except ValueError as error:
                return dropped(record, "its picture cannot be read", str(error))
            made.append(replace(step, elements=found))
        return kept(replace(record, steps=made))

    def _finder(self, source: str) -> ElementFinder:
        """Opened once in each process: a parser takes seconds to load."""
        known = self.__dict__.setdefault("_finders", {})
        if source not in known:
            known[source] = ElementFinder(source)
        finder: ElementFinder = known[source]
        return finder
