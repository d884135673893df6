"""Personal data is masked in texts and pictures before any role sees them (`--mask`)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hmac import digest
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from saccade.data.synthesis.privacy import MaskedStep, Masker
from saccade.data.synthesis.records import Outcome, Record, dropped, kept
from saccade.data.synthesis.stage import ItemStage, Settings, Tools
from saccade.data.synthesis.stages.find_elements import FindElements, FindElementsSettings
from saccade.errors import InputError
from saccade.geometry import Box
from saccade.types import Step

KEY = "SACCADE_MASK_KEY"
"""The environment variable with the key of the placeholders (`privacy`). A setting would be written with the data."""

AFTER = "after"
"""The tag of a walk's step with the picture of the next screen."""


class MaskSettings(Settings, frozen=True):
    """Settings of `mask`."""

    names: list[str] = msgspec.field(default_factory=list)
    """Names of people, beside what is found without being told."""


class Mask(ItemStage):
    """What a picture shows is known from the elements; where a record has none, from pixels."""

    name: ClassVar[str] = "mask"
    title: ClassVar[str] = "Mask e-mail addresses, phone, card and identity numbers, and the names that are given."
    kind: ClassVar[type[Settings]] = MaskSettings
    masks: ClassVar[bool] = True

    def __init__(self, settings: MaskSettings) -> None:
        super().__init__(settings)
        self._key = os.environ.get(KEY, "")
        self._find = FindElements(FindElementsSettings())
        self._masker = Masker(settings.names, self._key)

    def told_settings(self) -> dict[str, Any]:
        """Whose names are masked is not told; the same names are told alike, so that a command can go on."""
        names = sorted(set(self.settings.names))
        return {"names": [digest(self._key.encode(), name.encode(), "sha256").hex()[:16] for name in names]}

    def do(self, record: Record, tools: Tools) -> Outcome:
        """The record with every text and picture masked."""
        if any(step.image and not step.elements for step in record.steps):
            seen = self._find.do(record, tools)
            if not seen.records:
                return seen
            record = seen.records[0]
        fields = dict(record.fields)
        if isinstance(told := fields.get("instruction"), str):
            fields["instruction"] = self._masker.text(told).text
        masked = [self._masker.step(step) for step in record.steps]
        try:
            pictures = self._pictures(masked, tools)
        except InputError as error:
            return dropped(record, "its picture cannot be masked", str(error))
        return kept(replace(record, steps=[with_pictures(each.step, pictures) for each in masked], fields=fields))

    def _pictures(self, masked: Sequence[MaskedStep], tools: Tools) -> dict[str, str]:
        """The names of the masked pictures, by those of the pictures."""
        regions: dict[str, dict[Box, None]] = {}
        for each in masked:
            regions.setdefault(each.step.image, {}).update(dict.fromkeys(each.regions))
        made = {}
        for step in (each.step for each in masked):
            boxes = list(regions[step.image]) if step.image else []
            data = tools.picture(step.image).data() if boxes else b""
            made[step.image] = (
                tools.keep_picture(self._masker.picture(data, boxes, step.screen)) if boxes else step.image
            )
        return made


def with_pictures(step: Step, pictures: Mapping[str, str]) -> Step:
    """A step of a walk also names the picture of the next screen; where that is no record here, nobody knows what it
    shows, and it is left out.
    """
    tags = {name: value for name, value in step.tags.items() if name != AFTER}
    if step.tags.get(AFTER) in pictures:
        tags[AFTER] = pictures[step.tags[AFTER]]
    return replace(step, image=pictures[step.image], tags=tags)
