"""Grounding answers of any model: a place, and nothing else. The action is a click there.

Written and strictly read: `<answer>{"coordinate": [x, y]}</answer>`, after one section of thinking or none. Read as
well: `point_2d`, `bbox_2d` (its centre), `(x, y)`, `[x, y]`, `x, y`, `<point>x y</point>`, boxes between
`<|box_start|>` and `<|box_end|>`, and calls such as `click(x=…, y=…)`. Places named in the thinking are not the answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from saccade.actions import Action
from saccade.geometry import PERMILLE, Frame, Number
from saccade.paradigms.base import Reply, Situation
from saccade.paradigms.foreign.answers import THINKING, cut_thinking
from saccade.paradigms.foreign.base import Foreign, ForeignVocabulary
from saccade.paradigms.sections import guard
from saccade.paradigms.verbs import Verb, dumps, point_of
from saccade.types import Screen

OPEN, CLOSE = "<answer>", "</answer>"
_NUMBER = r"[-+]?(?:\d++(?:\.\d++)?+|\.\d++)"
_N = f"({_NUMBER})"
_COMMA = r"\s*+[,，]\s*+"
_PAIR = rf"{_N}{_COMMA}{_N}"
_EXACT = re.compile(rf'\s*+\{{\s*+"coordinate"\s*+:\s*+\[\s*+{_N}\s*+,\s*+{_N}\s*+\]\s*+\}}\s*+')
_MARKED = re.compile(
    rf"""[<\[(（［x](?:
      (?<=<)(?:\|box_start\||box)>\s*+\(\s*+{_PAIR}\s*+\)\s*+[,，]?\s*+\(\s*+{_PAIR}\s*+\)
    | (?<=<)point>\s*+{_N}[\s,，]++{_N}\s*+</point>
    | (?<=[\[(（［])\s*+{_PAIR}(?:{_COMMA}{_PAIR})?+(?:\s*+[\])）］]|(?={_COMMA}[a-z_]))
    | (?<=x)(?<!\wx)["']?\s*+[=:]\s*+["']?{_N}["']?\s*+[,，;]?\s*+["']?y["']?\s*+[=:]\s*+["']?{_N}
    )""",
    re.VERBOSE,
)
_BARE = re.compile(rf"(?<![\w.]){_NUMBER}(?:{_COMMA}{_NUMBER})++(?![\w.])")
_TAIL = 1_000
"""Characters at the end of an answer where bare numbers are looked for."""
_BETWEEN = re.compile("[,，]")
_WORDS = re.compile(r'"(?:label|text|description|reason)"\s*+:\s*+"[^"]*+"')
"""Words that go with a place and may hold numbers of their own."""
_SEVERAL = re.compile(r"\s*+(?:```\w*+\s*+)?\[\s*+\{")


@dataclass(frozen=True, kw_only=True)
class PointAnswer(Foreign):
    """One place on the screen."""

    name = "point"
    vocabulary = ForeignVocabulary("action", [Verb("click", "click", {"coordinate": "point"})])
    frame: Frame = PERMILLE

    def variables(self, situation: Situation) -> dict[str, Any]:
        variables = super().variables(situation)
        for action in variables["actions"]:
            action["format"] = action["format"].replace('"action": "click", ', "")
        return variables

    def _split(self, text: str, repairs: list[str]) -> tuple[str, str]:
        think, rest = cut_thinking(text, OPEN, repairs)
        before, tag, answer = rest.rpartition(OPEN)
        if not tag:
            repairs.append(f"did without {OPEN}")
            return think, rest
        body, closed, after = answer.partition(CLOSE)
        if not closed:
            repairs.append(f"added the missing {CLOSE}")
        if before.strip() or after.strip():
            repairs.append(f"ignored text around {OPEN}")
        return think, body

    def _action(self, answer: str, screen: Screen, repairs: list[str]) -> Action:
        exact = _EXACT.fullmatch(answer)
        if exact is None:
            repairs.append('read a place that is not {"coordinate": [x, y]}')
        found = exact.groups() if exact else _place(answer, repairs)
        return Action("click", point_of([_number(n) for n in found], screen.size, self.frame, repairs))

    def render(self, reply: Reply, screen: Screen) -> str:
        if reply.action is None:
            raise ValueError("there is no action to write")
        call = self.vocabulary.encode(reply.action, screen.size, self.frame, self.swipe)
        think = f"<think>{guard(reply.think, THINKING)}</think>\n" if reply.think else ""
        return f"{think}{OPEN}{dumps({'coordinate': call['coordinate']})}{CLOSE}"


def _place(text: str, repairs: list[str]) -> list[str]:
    """The last place in the text, as models end with their answer; of a list of objects the first, their best."""
    text = _WORDS.sub("", text)
    found = [[n for n in match.groups() if n is not None] for match in _MARKED.finditer(text)]
    if not found:
        rows = (_BETWEEN.split(match[0], 4) for match in _BARE.finditer(text[-_TAIL:]))
        found = [row for row in rows if len(row) in (2, 4)]
    if not found:
        raise ValueError("there is no place in the answer")
    first = _SEVERAL.match(text) is not None
    if len(found) > 1:
        repairs.append(f"took the {'first' if first else 'last'} of {len(found)} places")
    return found[0 if first else -1]


def _number(word: str) -> Number:
    word = word.strip()
    return int(word) if len(word) < 18 and word.lstrip("+-").isdigit() else float(word)
