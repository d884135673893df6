"""How often reasoning names the elements that matter: UILoop's Figure 4 (right), "text coverage rates of GT UI elements
during reasoning, grouped by action type".

The paper does not say when a text is covered. Here an element is named where its text, or else its description, stands
in the thought, or at least half of its words do, leaving out `COMMON` words, which tell no element from another.
Chinese characters count as words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from saccade.scoring.intervals import Figure, Ratio, figures
from saccade.types import Element, Step

HALF = 0.5
"""The share of an element's words that a thought must have."""
COMMON = frozenset(
    "a an the this that it its is are be to of on in at for with and or by from as you which when can will element "
    "button icon text field option item screen located used allows".split()
)
"""Words that say nothing about which element is meant."""
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")


def words(text: str) -> list[str]:
    """The words of a text that can tell elements apart; all words, if there are no others.

    >>> words("This element is the Wi-Fi button"), words("搜索 Button")
    (['wi', 'fi'], ['搜', '索'])
    """
    found = _WORD.findall(text.casefold())
    return [word for word in found if word not in COMMON] or found


def names(thought: str, element: Element) -> bool:
    """Does the thought name this element?

    >>> from saccade.geometry import Box
    >>> names("I tap Search settings.", Element(1, Box(0, 0, 9, 9), text="Search settings"))
    True
    >>> names("I go back.", Element(1, Box(0, 0, 9, 9), text="Search settings"))
    False
    """
    said = element.text or element.caption
    if said.casefold() in thought.casefold():
        return True
    wanted, there = set(words(said)), set(_WORD.findall(thought.casefold()))
    return len(wanted & there) >= HALF * len(wanted)


def coverage(steps: Sequence[Step], seed: int = 0) -> dict[str, Figure]:
    """The share of key elements that the thought of their step names: `all`, then by the type of the right action, the
    most frequent first. Steps without annotated key elements or without a thought are left out. The interval is a
    bootstrap over steps; `n` counts elements.
    """
    counted = [(step.truth[0].type, *_count(step)) for step in steps if step.truth and step.thought]
    counted = [each for each in counted if each[2]]
    types = sorted({each[0] for each in counted}, key=lambda name: (-sum(each[0] == name for each in counted), name))
    found: dict[str, Figure] = {}
    for name in ("all", *types):
        pairs = [(named, total) for type, named, total in counted if name in ("all", type)]
        if pairs:
            found |= figures({name: _ratio(pairs)}, seed)
    return found


def _count(step: Step) -> tuple[int, int]:
    """Named key elements, and all that have words."""
    elements = [element for element in step.key_elements or () if words(element.text or element.caption)]
    return sum(names(step.thought, element) for element in elements), len(elements)


def _ratio(pairs: Iterable[tuple[int, int]]) -> Ratio:
    named, total = zip(*pairs, strict=True)
    return Ratio(np.array(named, dtype=float), np.array(total, dtype=float))
