"""An instruction and a thought about one element, in many wordings, from what the tree says about it.

This is how `--model teacher` and `--model heuristic` answer as grounding annotator: the element's own type, text,
caption and state hold everything that the rules of SecAgent §3.1 ask for. The phrases are in `grounding_phrases.yaml`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from saccade.data.synthesis.grounding_rules import LONGEST_QUOTED, GroundingAnswer
from saccade.data.synthesis.ordinals import ordinals_in, reading_order
from saccade.geometry import Size
from saccade.screens.widgets import EDITABLE, squeeze
from saccade.typed_values import to_type
from saccade.types import Element, Language, Screen
from saccade.untrusted import read_yaml

PHRASES = Path(__file__).parents[1] / "grounding_phrases.yaml"
ANY = "*"
POLITE, PLACED, BARE = 0.08, 0.2, 0.5
"""Chances of "please", of a place in the instruction, and of a name without quotes where it is no visible text."""
EDGE = 0.2
"""An instruction says "at the top" only of elements in this share of the screen's height, where nobody doubts it."""
MOST_NAME_WORDS = 4
_SEARCH = re.compile(r"\bsearch\b|搜索|查找", re.IGNORECASE)
_AVATAR = re.compile(r"\s*(?:['’]s?\s+avatar|的头像)\s*$|^\s*avatar of\s+", re.IGNORECASE)
_LETTER = re.compile(r"[^\W_]")
_NUMERALS = "一二三四五六七八九"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()


class NoWordsError(Exception):
    """The tree does not say enough to name an element. The message is the reason under which it is counted."""


class Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The phrases of one language."""

    polite: str
    quote: str
    instruction: str
    avatar: str
    element: str
    verbs: dict[str, list[str]]
    nouns: dict[str, list[str]]
    effects: dict[str, list[str]]
    places: list[list[str]]
    states: dict[str, str]
    thoughts: list[str]


@cache
def phrases() -> dict[str, Phrases]:
    """By language."""
    return to_type(read_yaml(PHRASES), dict[str, Phrases])


def ordinal_word(number: int, language: Language) -> str:
    """
    >>> ordinal_word(2, "en"), ordinal_word(21, "en"), ordinal_word(12, "zh")
    ('second', '21st', '第十二个')
    """
    if language == "en":
        if number <= len(_ORDINALS):
            return _ORDINALS[number - 1]
        ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
        return f"{number}{ending}"
    if number > 99:
        return f"第{number}个"
    tens, ones = divmod(number, 10)
    ten = ("" if tens == 1 else _NUMERALS[tens - 1]) + "十" if tens else ""
    return f"第{ten}{_NUMERALS[ones - 1] if ones else ''}个"


def label_of(element: Element) -> str:
    """The text by which equal elements are told apart; as `grounding_rules` compares them."""
    return squeeze(element.text or element.caption).casefold()


def alike(element: Element, screen: Screen) -> list[Element]:
    """The leaves with the type and label of an element, itself among them, in reading order."""
    return reading_order(
        [
            each
            for each in screen.elements
            if each.leaf and each.type == element.type and label_of(each) == label_of(element)
        ]
    )


class ElementWording:
    """Words for one element of a screen. The same chance gives the same words."""

    def __init__(self, element: Element, screen: Screen, language: Language, chance: random.Random) -> None:
        self.element, self.screen, self.language, self.chance = element, screen, language, chance
        self.words = phrases()[language]
        self.name = visible_name(element, screen)
        self.avatar = bool(_AVATAR.search(element.text or element.caption))

    def answers(self, count: int) -> list[GroundingAnswer]:
        """Up to `count` answers with different instructions."""
        found: dict[str, GroundingAnswer] = {}
        for _ in range(3 * count):
            answer = self._answer()
            found.setdefault(answer.instruction, answer)
            if len(found) == count:
                break
        return list(found.values())

    def _answer(self) -> GroundingAnswer:
        parts = {
            "verb": self.chance.choice(self._choices(self.words.verbs)),
            "ordinal": self._ordinal(),
            "name": self._name(),
            "noun": self.chance.choice(self._nouns()),
            "where": self._where(),
        }
        form = self.words.avatar if self.avatar else self.words.instruction
        instruction = self._spaced(form.format(**parts))
        if self.chance.random() < POLITE:
            first = instruction[0].lower() + instruction[1:]
            instruction = self.words.polite.format(first)
        return GroundingAnswer(instruction, self._thought(parts))

    def _thought(self, parts: dict[str, str]) -> str:
        form = self.words.avatar.removeprefix("{verb}") if self.avatar else self.words.element
        it = self._spaced(form.format(**{**parts, "where": ""})).strip()
        filled = self.chance.choice(self.words.thoughts).format(
            it=it,
            It=it[0].upper() + it[1:],
            place=place_of(self.element, self.screen.size, self.language),
            effect=self.chance.choice(self._choices(self.words.effects)),
            state=self._state(),
        )
        return self._spaced(filled)

    def _spaced(self, text: str) -> str:
        """Parts that are left out leave no two spaces."""
        return " ".join(text.split()) if self.language == "en" else text

    def _choices(self, table: dict[str, list[str]]) -> list[str]:
        kind = self.element.type
        position = "on" if "checked" in self.element.state.split() else "off"
        return table.get(f"{kind} {position}") or table.get(kind) or table[ANY]

    def _nouns(self) -> list[str]:
        kind = "search" if self.element.type == "input" and _SEARCH.search(self.name) else self.element.type
        return self.words.nouns.get(kind) or self.words.nouns[ANY]

    def _ordinal(self) -> str:
        same = alike(self.element, self.screen)
        if len(same) < 2:
            return ""
        place = next(at for at, each in enumerate(same, 1) if each.id == self.element.id)
        return ordinal_word(place, self.language) + (" " if self.language == "en" else "")

    def _name(self) -> str:
        """The name in quotes. One that is only a label for screen readers may stand without them."""
        name = _AVATAR.sub("", self.name) if self.avatar else self.name
        if self.avatar:
            return name
        hidden = self.element.text == self.element.caption and self.element.type == "button"
        if hidden and self._plain(name) and self.chance.random() < BARE:
            return name if self.language == "zh" else name[0].lower() + name[1:]
        return self.words.quote.format(name)

    def _plain(self, name: str) -> bool:
        """Can the name stand in a sentence without quotes? Not if it could be read as an ordinal, or is a sentence."""
        if ordinals_in(name, self.language):
            return False
        if self.language == "zh":
            return re.fullmatch(r"[一-鿿]{2,6}", name) is not None
        fine = re.fullmatch(r"[A-Z][a-z]+(?: [a-z]+)*", name) is not None
        return fine and len(name.split()) <= MOST_NAME_WORDS

    def _where(self) -> str:
        """Where the element is, if it is at the upper or lower edge and chance wants it told. Not beside an ordinal:
        "the second one at the top" is another one.
        """
        height = self.element.center.y / self.screen.size.height
        row = 0 if height < EDGE else 2 if height > 1 - EDGE else 1
        if self.chance.random() >= PLACED or row == 1 or self._ordinal():
            return ""
        place = self.words.places[row][1]
        return f" {place}" if self.language == "en" else f"{place}的"

    def _state(self) -> str:
        states, shown = self.element.state.split(), self.words.states
        if self.element.type in ("switch", "checkbox"):
            return shown["checked" if "checked" in states else "off"]
        return shown["selected"] if "selected" in states else ""


def visible_name(element: Element, screen: Screen) -> str:
    """By what an element is named: its text; an input's label, where it has one, because its text is what was typed.
    Long texts are cut where no other element of the screen begins alike.
    """
    own, caption = squeeze(element.text), squeeze(element.caption)
    name = caption if caption and (element.type in EDITABLE or not _LETTER.search(own)) else own
    if not name:
        raise NoWordsError("the tree has no words for the element")
    if not _LETTER.search(name):
        raise NoWordsError("the element's text has no letters or digits")
    if len(name) <= LONGEST_QUOTED:
        return name
    others = [squeeze(each.text) for each in screen.elements if each.leaf and label_of(each) != label_of(element)]
    return shortened(name, others)


def shortened(text: str, others: Sequence[str]) -> str:
    """The first words of a long text, with "…", as many as tell it from the others."""
    ends = [match.end() for match in re.finditer(r"\S+", text)]
    if len(ends) < 3:  # Chinese has no spaces: any character may be the last one
        ends = list(range(1, len(text) + 1))
    for end in ends:
        start = text[:end].rstrip(" ,.;:，。；：、…")
        if end >= min(LONGEST_QUOTED, len(text)) and not any(each.startswith(start) for each in others):
            return f"{start}…" if end < len(text) else text
    return text


def place_of(element: Element, size: Size, language: Language) -> str:
    """Where an element is: in the first or last quarter of the height, the first or last third of the width, or in
    between; one that is wider than half of the screen is in the middle.
    """
    x, y = element.center.x / size.width, element.center.y / size.height
    row = 0 if y < 1 / 4 else 2 if y > 3 / 4 else 1
    wide = element.box.width > size.width / 2
    column = 1 if wide else 0 if x < 1 / 3 else 2 if x > 2 / 3 else 1
    return phrases()[language].places[row][column]
