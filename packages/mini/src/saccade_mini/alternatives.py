"""Answers to one prompt, and what each of them does.

Other answers are found where the decoder was most in doubt while it wrote the first, not by drawing: a small model is
sure of itself, and drawing its answer eight times gives eight times the same.
"""

from __future__ import annotations

import itertools
import math
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from saccade.models.base import Ask, Usage
from saccade_mini.codec import Sheet
from saccade_mini.decode import Cache
from saccade_mini.forced_decoding import aimed
from saccade_mini.generator import Writer, Written
from saccade_mini.retry_policy import Begun, Doubts, action_of, app_in, retyped, typed_as_told, typed_in
from saccade_mini.task_habits import TYPE, Deed, deed_in
from saccade_mini.task_normalizer import Told

ROWS = 8
"""Other answers that are written side by side."""
TRIES = 3 * ROWS
"""Those that are tried at most to find one that does something else than before."""
NEARLY = 2.0
"""Up to so much less likely (its logarithm) is nearly as likely."""
UNLIKELY = 0.01
"""What is less likely is stated as this."""
_ONE = re.compile(r"\s*G1: (.*)\nP1: ", re.DOTALL)
"""GuidNav's answer with one candidate."""


@dataclass(frozen=True)
class Thought:
    """An answer, and what it does."""

    text: str
    action: str
    chance: float
    whole: bool
    deed: Deed | None = None
    """The same, as its kind of task knows it."""


@dataclass
class Mulling:
    """One prompt, while answers to it are looked for."""

    writer: Writer
    told: Told
    sheet: Sheet
    ask: Ask
    began: float
    tries: int = TRIES
    """Other answers that may be tried."""
    usage: Usage = field(default_factory=Usage)
    first: float = 0.0
    """Seconds until the first token."""
    doubt: float = 0.0
    """How likely the likeliest runner-up of the first answer's tokens was."""
    prompt: list[int] = field(init=False)
    most: int = field(init=False)
    """Tokens that an answer may have."""
    cache: Cache = field(init=False)
    _had: list[Thought] = field(default_factory=list)
    _more: Iterator[Thought] = field(init=False)

    def __post_init__(self) -> None:
        self.prompt = self.writer.prompt(self.sheet)
        self.most = self.writer.room(self.prompt, self.ask)
        self.cache = self.writer.cache(len(self.prompt) + self.most)
        self._more = self._written()

    def thoughts(self) -> Iterator[Thought]:
        """Answers, the likeliest first; those behind the first do something else than those before. Each is written
        once, however often they are asked for.
        """
        for at in itertools.count():
            if at == len(self._had):
                if (more := next(self._more, None)) is None:
                    return
                self._had.append(more)
            yield self._had[at]

    def _written(self) -> Iterator[Thought]:
        writer, sheet, ask = self.writer, self.sheet, self.ask
        prompt, most, cache = self.prompt, self.most, self.cache
        doubts = Doubts(writer.pointing(sheet, 0.0, ask))
        self.first, [answer] = writer.write(sheet, prompt, 1, most, doubts, ask, self.began, cache)
        self.usage += Usage(input=len(prompt), output=answer.count, calls=1)
        seen = [self._thought(prompt, answer, 1.0)]
        found = list(doubts.others(writer.end, self.tries))
        self.doubt = max((likely for likely, _ in found), default=0.0)
        yield seen[0]
        for at in range(0, len(found), ROWS):
            others = found[at : at + ROWS]
            if time.monotonic() - self.began >= ask.deadline:
                return
            cache.length = len(prompt) - 1
            pick = Begun([begun for _, begun in others], writer.pointing(sheet, 0.0, ask))
            _, answers = writer.write(sheet, prompt, len(others), most, pick, ask, self.began, cache)
            self.usage += Usage(input=1, output=sum(each.count for each in answers), calls=1)
            for (likely, _), answer in zip(others, answers, strict=True):
                other = self._thought(prompt, answer, likely)
                if other.whole and other.action and all(other.action != each.action for each in seen):
                    seen.append(other)
                    yield other

    def aimed(self, name: str) -> Thought | None:
        """An answer that does just this, where there is one."""
        pick = aimed(self.writer, self.sheet, name, self.told.slots, self.ask)
        if pick is None or time.monotonic() - self.began >= self.ask.deadline:
            return None
        self.cache.length = min(self.cache.length, len(self.prompt) - 1)
        _, [answer] = self.writer.write(
            self.sheet, self.prompt, 1, self.most, pick, self.ask, self.began, self.cache
        )  # fmt: skip
        self.usage += Usage(input=1, output=answer.count, calls=1)
        found = self._thought(self.prompt, answer, 1.0)
        slot = self.told.slots.get(name.removeprefix(f"{TYPE} ="), "") if name.startswith(f"{TYPE} =") else ""
        if slot and found.deed is not None and found.deed.name != name:
            found = self._does(retyped(found.text, slot), answer, 1.0)  # what to type is known, letter for letter
        return found if found.whole and found.deed is not None and found.deed.name == name else None

    def _thought(self, prompt: list[int], answer: Written, chance: float) -> Thought:
        return self._does(self._text(self._as_told(prompt, self._in_right_app(prompt, answer))), answer, chance)

    def _does(self, text: str, answer: Written, chance: float) -> Thought:
        """An answer's text, and what it does."""
        at = self.sheet.touched(self.writer.decode(answer.tokens))
        return Thought(text, action_of(text), chance, answer.whole, deed_in(text, self.sheet, at, self.told.slots))

    def _in_right_app(self, prompt: list[int], answer: Written) -> Written:
        """An answer that opens an app opens one of those that the task needs, where that is known: which one it is, is
        a token or two of each episode, and the decoder learns it worse than the reader.
        """
        name, needed = app_in(self._text(answer)), self.told.apps
        if not name or name in needed:
            return answer
        return likeliest(self._weighed(prompt, answer, name, needed), answer)[1]

    def _as_told(self, prompt: list[int], answer: Written) -> Written:
        """An answer that types what stands nowhere types something that the task tells, if that is nearly as likely.
        What it types itself is weighed beside the others: reading the prompt is most of the work.
        """
        said, slots = typed_in(self._text(answer)), [each for each in self.told.slots.values() if len(each) > 1]
        known = [*(text for _, text in self.sheet.parts), *(item.label for item in self.sheet.items)]
        if not said or not slots or any(said in each for each in known):
            return answer
        weighed = self._weighed(prompt, answer, said, [said, *slots])
        likely, other = likeliest(weighed[1:], answer)
        return other if weighed and likely > weighed[0][0] - NEARLY else answer

    def _weighed(self, prompt: list[int], answer: Written, said: str, others: Sequence[str]
                 ) -> list[tuple[float, Written]]:  # fmt: skip
        """The answer with each of other words in place of what it says, and how likely that is; nothing where it does
        not say so in these letters.
        """
        written, place = self.writer.decode(answer.tokens), re.compile(rf"{re.escape(said)}(?!<e)")
        found = place.search(written)
        if found is None or not others:
            return []
        head, tail, encode = written[: found.start()], written[found.start() :], self.writer.encode
        texts = [place.sub(lambda _, to=each: to, tail) for each in others]  # type: ignore[misc]
        answers = (Written(encode(head + text), answer.count, whole=answer.whole) for text in texts)
        return list(zip(self.writer.likely([*prompt, *encode(head)], texts), answers, strict=True))

    def _text(self, answer: Written) -> str:
        return text_of(self.writer, self.sheet, answer, self.told)


def likeliest(weighed: Sequence[tuple[float, Written]], answer: Written) -> tuple[float, Written]:
    """Of answers that were weighed; where there are none, the one that stays, as if nothing could be less likely."""
    return max(weighed, key=lambda each: each[0], default=(-math.inf, answer))


def text_of(writer: Writer, sheet: Sheet, answer: Written, told: Told) -> str:
    """An answer as plain text of its paradigm."""
    text = sheet.expand(writer.decode(answer.tokens)) if answer.text is None else answer.text
    return typed_as_told(text, told.slots.values())


def apart(thoughts: Iterable[Thought | None]) -> list[Thought]:
    """The first of each action."""
    found: dict[str, Thought] = {}
    for each in thoughts:
        if each is not None:
            found.setdefault(each.action, each)
    return list(found.values())


def joined(thoughts: Sequence[Thought]) -> str:
    """Answers of one candidate each as an answer of several, with how likely each is; nothing where one is none."""
    bodies = [found[1] for each in thoughts if (found := _ONE.match(each.text))]
    if len(bodies) < len(thoughts):
        return ""
    chances = [min(max(each.chance, UNLIKELY), 0.5) for each in thoughts[1:]]
    chances = [max(1 - sum(chances), 0.5), *chances]
    pairs = enumerate(zip(bodies, chances, strict=True), 1)
    return "\n".join(f"G{at}: {body}\nP{at}: {chance:.2g}" for at, (body, chance) in pairs)
