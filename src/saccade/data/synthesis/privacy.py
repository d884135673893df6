"""Masks personal data in step records and their pictures, before anything leaves the machine (`--mask`).

Each value is replaced by a placeholder of its kind and about its length; the same value gives the same placeholder
everywhere in a data set, so that an instruction, the text to be typed and the element that shows it still agree.
Placeholders are not found as personal data themselves: masking twice is masking once.

A placeholder follows from a hash of the value and a key. Who knows the key can test a guess, so a data set that is
published needs a key of its own that is not.
"""

from __future__ import annotations

import hmac
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from saccade.actions import Action
from saccade.data.synthesis.personal_data import PersonalDataFinder, PersonalDatum
from saccade.errors import InputError
from saccade.geometry import Box, Size
from saccade.screens.hidden_regions import hide_regions
from saccade.types import Element, Step
from saccade.untrusted import PictureError, picture_head

_TEXTS = ("instruction", "step_instruction", "context", "summary", "thought")
_CONSONANTS, _VOWELS, _STEMS = "bdfgklmnprstvz", "aeiou", "甲乙丙丁戊己庚辛壬癸"
"""Made-up names: syllables in Latin letters, the ten heavenly stems in Chinese."""


class MaskedText(NamedTuple):
    """A text without personal data, and what was in it."""

    text: str
    found: list[PersonalDatum]


class MaskedStep(NamedTuple):
    """A record without personal data."""

    step: Step
    regions: list[Box]
    """Where its picture shows some."""
    found: Counter[str]
    """How many hits of each kind its texts had."""


class Masker:
    """Masks texts, records and pictures."""

    def __init__(self, names: Sequence[str] = (), key: str = "") -> None:
        self.finder = PersonalDataFinder(names)
        self._key = key.encode("utf-8")

    def text(self, text: str) -> MaskedText:
        found = self.finder.find(text) if text else []
        parts, end = [], 0
        for datum in found:
            parts += [text[end : datum.start], self.placeholder(datum)]
            end = datum.end
        return MaskedText("".join([*parts, text[end:]]), found)

    def step(self, step: Step) -> MaskedStep:
        """The record with every text masked: elements, truth, prediction, answer and tags too. Ids and the image's name
        stay.
        """
        counts: Counter[str] = Counter()

        def mask(text: str) -> str:
            masked = self.text(text)
            counts.update(datum.kind for datum in masked.found)
            return masked.text

        changes: dict[str, Any] = {name: mask(getattr(step, name)) for name in _TEXTS}
        changes |= {
            "history": [mask(line) for line in step.history],
            "elements": [self._element(element, mask) for element in step.elements],
            "truth": [self._action(action, mask) for action in step.truth],
            "tags": {name: mask(value) for name, value in step.tags.items()},
        }
        if step.key_elements is not None:
            changes["key_elements"] = [self._element(element, mask) for element in step.key_elements]
        if step.prediction is not None:
            changes["prediction"] = self._action(step.prediction, mask)
        if step.output is not None:
            changes["output"] = mask(step.output)
        return MaskedStep(replace(step, **changes), self.regions([*step.elements, *(step.key_elements or ())]), counts)

    def regions(self, elements: Sequence[Element]) -> list[Box]:
        """The boxes of elements that show personal data. One that holds others is covered only if none of those in it
        shows the same: else a list with one phone number would be covered as a whole.
        """
        hits = {at: kinds for at, element in enumerate(elements) if (kinds := self._values(element))}
        chosen: dict[Box, None] = {}
        for at, values in sorted(hits.items(), key=lambda hit: elements[hit[0]].box.area):
            box = elements[at].box
            inside = [other for other in hits if other != at and _smaller_inside(elements[other].box, box)]
            if not values <= {value for other in inside for value in hits[other]}:
                chosen.setdefault(box)
        return list(chosen)

    def _values(self, element: Element) -> set[str]:
        return {datum.text for text in (element.text, element.caption) for datum in self.finder.find(text)}

    def picture(self, data: bytes, regions: Sequence[Box], screen: Size) -> bytes:
        """The picture with regions covered by one colour: what is pixelated or blurred can sometimes be guessed from
        the font. Regions are pixels of the screen, whose picture may be smaller. Unchanged if there are none.
        """
        if not regions:
            return data
        try:
            size = picture_head(data).size
        except PictureError as error:
            raise InputError(f"a picture cannot be read: {error}") from None
        wide, high = size.width / screen.width, size.height / screen.height
        boxes = [Box(box.x0 * wide, box.y0 * high, box.x1 * wide, box.y1 * high) for box in regions]
        return hide_regions(data, boxes, format="", fill=True)

    def _element(self, element: Element, mask: Callable[[str], str]) -> Element:
        return replace(element, text=mask(element.text), caption=mask(element.caption))

    def _action(self, action: Action, mask: Callable[[str], str]) -> Action:
        return action if action.text is None else replace(action, text=mask(action.text))

    # -- placeholders -------------------------------------------------------------------------------------------------

    def placeholder(self, datum: PersonalDatum) -> str:
        """What stands in the place of a value: same kind, same length, no real one."""
        return _PLACEHOLDERS.get(datum.kind, _number)(datum.text, self._chance(datum))

    def _chance(self, datum: PersonalDatum) -> Iterator[int]:
        """Endless numbers from 0 to 255 that follow from the key and the value; how a number is written, and the
        capitals of a name, make no difference.
        """
        value = datum.text.casefold()
        if datum.kind not in ("email", "name"):
            value = re.sub(r"[^\dx]", "", re.sub(r"^(?:\+?86(?=\D?1\d\d)|\+1(?=\D))", "", value))
        for block in range(1 << 20):
            message = f"{datum.kind}\0{' '.join(value.split())}\0{block}".encode()
            yield from hmac.digest(self._key, message, "sha256")


def _smaller_inside(inner: Box, outer: Box) -> bool:
    inside = inner.x0 >= outer.x0 and inner.y0 >= outer.y0 and inner.x1 <= outer.x1 and inner.y1 <= outer.y1
    return inside and inner.area < outer.area


def _number(text: str, chance: Iterator[int]) -> str:
    """A number written in the same way, each group of whose digits begins with zeros: no phone, card or identity number
    does.
    """

    def made(found: re.Match[str]) -> str:
        return "00"[: len(found[0])] + "".join(str(next(chance) % 10) for _ in found[0][2:])

    return re.sub(r"\d+[Xx]?", made, text)


def _address(text: str, chance: Iterator[int]) -> str:
    """An address at a domain that is reserved for examples."""
    local = text.partition("@")[0]
    return _word(len(local), chance) + "@example.com"


def _name(text: str, chance: Iterator[int]) -> str:
    """A made-up name with as many letters in as many words."""

    def made(found: re.Match[str]) -> str:
        word = found[0]
        if not word.isascii():
            return "".join(_STEMS[next(chance) % len(_STEMS)] for _ in word)
        new = _word(len(word), chance)
        return new.upper() if word.isupper() and len(word) > 1 else new.capitalize()

    return re.sub(r"[^\W\d_]+", made, text)


def _word(length: int, chance: Iterator[int]) -> str:
    letters = [_CONSONANTS, _VOWELS]
    return "".join(letters[at % 2][next(chance) % len(letters[at % 2])] for at in range(length))


_PLACEHOLDERS: Mapping[str, Callable[[str, Iterator[int]], str]] = {"email": _address, "name": _name}
"""By kind; all others are numbers."""
