"""Which elements of a screen does an instruction mean? By its quoted text, its type word and its ordinal alone.

An instruction is unambiguous if that is exactly one element. The resolver does not know how instructions were made: it
reads those of people and models as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from saccade.data.synthesis.grounding_rules import grounding_words
from saccade.data.synthesis.ordinals import ordinals_in, reading_order
from saccade.data.synthesis.roles.grounding_wording import ANY, phrases
from saccade.screens.widgets import squeeze
from saccade.types import Element, Language, Screen

_QUOTED = {"en": re.compile(r"(?<!\w)'(.+)'(?!\w)"), "zh": re.compile(r"“(.+)”")}
_HOLE = "\ufffc"


def meant_elements(instruction: str, screen: Screen, language: Language) -> list[Element]:
    """The leaves of the screen that an instruction may mean, in reading order."""
    quoted = _QUOTED[language].search(instruction)
    rest = instruction.replace(quoted[0], _HOLE) if quoted else instruction
    leaves = [element for element in screen.elements if element.leaf]
    named = _with_text(leaves, quoted[1]) if quoted else _named_in(leaves, rest, language)
    fitting = [element for element in named if _fits(element, rest, language)]
    return _at_ordinal(fitting or named, rest, language)


def _texts(element: Element) -> list[str]:
    """What an element may be called; an avatar by its owner's name."""
    texts = [squeeze(element.text).casefold(), squeeze(element.caption).casefold()]
    owners = [re.sub(r"['’]s? avatar$|的头像$", "", text) for text in texts]
    return [text for text in dict.fromkeys((*texts, *owners)) if text]


def _with_text(elements: Iterable[Element], quoted: str) -> list[Element]:
    """Elements with exactly this text; where there are none, those that begin with it, then those that contain it."""
    asked = squeeze(quoted).rstrip("….").strip().casefold()
    found: dict[str, list[Element]] = {"equal": [], "begins": [], "contains": []}
    for element in elements:
        texts = [text.rstrip("….").strip() for text in _texts(element)]
        if asked in texts:
            found["equal"].append(element)
        elif any(text.startswith(asked) for text in texts):
            found["begins"].append(element)
        elif any(asked in text for text in texts):
            found["contains"].append(element)
    return found["equal"] or found["begins"] or found["contains"]


def _named_in(elements: Iterable[Element], text: str, language: Language) -> list[Element]:
    """Elements whose whole name stands in a text; of several names, the longest."""
    found: dict[int, list[Element]] = {}
    said = text.casefold()
    for element in elements:
        for name in _texts(element):
            pattern = rf"(?<!\w){re.escape(name)}(?!\w)" if language == "en" else re.escape(name)
            if re.search(pattern, said):
                found.setdefault(len(name), []).append(element)
                break
    return found[max(found)] if found else []


def _fits(element: Element, rest: str, language: Language) -> bool:
    """Is the element of the type that the instruction names, after the text where it is quoted?"""
    nouns = phrases()[language].nouns
    own = nouns.get(element.type) or nouns[ANY]
    own = [*own, *(nouns["search"] if element.type == "input" else ()), *_rule_words(element, language)]
    known = {noun for each in nouns.values() for noun in each} | set(grounding_words()[language].types.split())
    named = _type_word(rest.partition(_HOLE)[2] if _HOLE in rest else rest, known, language)
    return not named or named in own


def _rule_words(element: Element, language: Language) -> list[str]:
    return grounding_words()[language].fitting.get(element.type, "").split()


def _type_word(text: str, known: Iterable[str], language: Language) -> str:
    """The first type word of a text; of several that begin there, the longest."""
    words = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    found = re.search(rf"\b(?:{words})\b" if language == "en" else words, text, re.IGNORECASE)
    return found[0].casefold() if found else ""


def _at_ordinal(elements: list[Element], rest: str, language: Language) -> list[Element]:
    ordered, given = reading_order(elements), ordinals_in(rest, language)
    if not given:
        return ordered
    place = given[0].place(len(ordered))
    return ordered[place - 1 : place] if place >= 1 else []
