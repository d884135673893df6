"""What to do on a screen: the likeliest answer, or several that do different things, the likeliest first.

Other answers are found where the decoder was most in doubt while it wrote the first, not by drawing: a small model is
sure of itself, and drawing its answer eight times gives eight times the same.
"""

from __future__ import annotations

import itertools
import math
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from saccade.models.base import Ask, Usage
from saccade.models.mini.aiming import aimed
from saccade.models.mini.decode import Cache
from saccade.models.mini.doing import SWIPE, TYPE, Deed, able, aware, deed_in, wheel_of
from saccade.models.mini.faithful import QUOTED
from saccade.models.mini.match import WHOLE, Matcher
from saccade.models.mini.plainly import Plainly, Told
from saccade.models.mini.routine import scene_of
from saccade.models.mini.second import (
    BEFORE,
    Attempts,
    Begun,
    Doubts,
    Tried,
    action_of,
    app_in,
    retyped,
    typed_as_told,
    typed_in,
)
from saccade.models.mini.text import Sheet
from saccade.models.mini.writing import Writer, Written

ROWS = 8
"""Other answers that are written side by side."""
TRIES = 3 * ROWS
"""Those that are tried at most to find one that does something else than before."""
NEARLY = 2.0
"""Up to so much less likely (its logarithm) is nearly as likely."""
UNLIKELY = 0.01
"""What is less likely is stated as this."""
SURE, UNUSUAL, LOOKING = 0.4, 0.1, 0.06
"""How likely the usual deed must be to take the place of one that is so much less likely; of scrolling, which looks for
something, it must be less likely still. Chosen on 1,997 steps of validation runs.
"""
POSSIBLE = 0.02
"""How likely a deed must be to be a candidate."""
_ONE = re.compile(r"\s*G1: (.*)\nP1: ", re.DOTALL)
"""GuidNav's answer with one candidate."""
BAR = frozenset({"Back", "Home", "Recent apps", "返回", "主屏幕", "最近任务"})
"""Buttons of the phone itself: who wants to `get back to it` names no app."""


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
    usage: Usage = field(default_factory=Usage)
    first: float = 0.0
    """Seconds until the first token."""
    doubt: float = 0.0
    """How likely the likeliest runner-up of the first answer's tokens was."""
    prompt: list[int] = field(init=False)
    most: int = field(init=False)
    """Tokens that an answer may have."""
    cache: Cache = field(init=False)

    def __post_init__(self) -> None:
        self.prompt = self.writer.prompt(self.sheet)
        self.most = self.writer.room(self.prompt, self.ask)
        self.cache = self.writer.cache(len(self.prompt) + self.most)

    def thoughts(self, tries: int) -> Iterator[Thought]:
        """Answers, the likeliest first; those behind the first do something else than those before."""
        writer, sheet, ask = self.writer, self.sheet, self.ask
        prompt, most, cache = self.prompt, self.most, self.cache
        doubts = Doubts(writer.pointing(sheet, 0.0, ask))
        self.first, [answer] = writer.write(sheet, prompt, 1, most, doubts, ask, self.began, cache)
        self.usage += Usage(input=len(prompt), output=answer.count, calls=1)
        seen = [self._thought(prompt, answer, 1.0)]
        found = list(doubts.others(writer.end, tries))
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


def named_apps(sheet: Sheet) -> list[str]:
    """What the task names among what can be touched before anything was done: apps, for a task begins at home. What it
    quotes names none: the file “音乐会传单.pdf” is not in 音乐.
    """
    if any(part in BEFORE for part, _ in sheet.parts):
        return []
    matcher = Matcher([QUOTED.sub(" ", sheet.part("task"))])
    labels = (item.label for item in sheet.items if item.kind == "button" and item.label not in BAR)
    return [label for label in labels if matcher.mark(label) == WHOLE]


def as_app(name: str, task: str) -> bool:
    """Is an app meant, and not what it is called after? `听腻了这段音乐` is not about the app 音乐."""
    told = re.escape(name)
    if name.isascii():
        return re.search(rf"\b(?:{told}|(?i:{told}) app)\b", task) is not None
    return re.search(rf"[在用开进入去到从上]{told}|{told}(?:应用|软件|(?i:app)|[里上中内])", task) is not None


def text_of(writer: Writer, sheet: Sheet, answer: Written, told: Told) -> str:
    """An answer as plain text of its paradigm."""
    text = sheet.expand(writer.decode(answer.tokens)) if answer.text is None else answer.text
    return typed_as_told(text, told.slots.values())


class Acting:
    """The likeliest of what was not done on a screen twice, in one attempt at a task after the other."""

    def __init__(self, writer: Writer, plainly: Plainly) -> None:
        self._writer, self._plainly, self._tried, self._attempts = writer, plainly, Tried(), Attempts()

    def reflect(self) -> None:
        """The attempt failed, and another will follow, in the next likely way."""
        attempt = self._attempts.reflect(self._tried.doubt, self._plainly.chance(self._attempts.now.reading + 1))
        self._plainly.read_as(attempt.reading)
        self._tried.barred = attempt.barred

    def one(self, sheet: Sheet, ask: Ask, began: float) -> tuple[Thought, Mulling]:
        """The likeliest answer that does not do what was done on this screen twice, nor what the task does not do or
        not yet, if one is found soon.
        """
        mulling = self._begin(sheet, ask, began)
        first, chosen = None, None
        for thought in mulling.thoughts(TRIES):
            first = first or thought
            if self._able(mulling, thought):
                chosen = self._usual(mulling, thought) or thought
                break
        assert first is not None, "there is always a first"
        chosen = chosen or self._usual(mulling, first) or first
        self._tried.add(sheet, chosen.action, [chosen.deed], mulling.doubt)
        return chosen, mulling

    def several(self, sheet: Sheet, ask: Ask, began: float) -> tuple[Thought, Mulling]:
        """As many candidates as the prompt asks for (GuidNav), in one answer. What was twice the first of them on this
        screen is none any more: who chooses among them does not say what was chosen. Behind the first comes what tasks
        of its kind may do here, then runners-up; what the task does not do comes last, where there is too little else.
        """
        others = (each for each in sheet.switches if not re.fullmatch(r"k\d", each))
        single = replace(sheet, switches=("k1", *others))
        mulling = self._begin(single, ask, began)
        thoughts, usual, spare = list[Thought](), list[Thought](), list[Thought]()
        for thought in mulling.thoughts(ROWS):
            if thoughts and thought.deed is None:
                continue  # it does nothing that there is
            thoughts.append(thought)
            if self._able(mulling, thought):
                more = () if usual else (self._usual(mulling, thought), thought, *self._others(mulling, sheet.k))
                usual = apart([*usual, *more, thought])
            elif not self._tried.enough(single, thought.action):
                spare.append(thought)
            if len(usual) >= sheet.k:
                break
        chosen = apart([*usual, *spare])[: sheet.k] or thoughts[:1]
        doubt = chosen[1].chance if len(chosen) > 1 else mulling.doubt
        self._tried.add(single, chosen[0].action, [each.deed for each in chosen], doubt)
        text = joined(chosen)
        return (Thought(text, "", 1.0, True) if text else thoughts[0]), mulling

    def _able(self, mulling: Mulling, thought: Thought) -> bool:
        """Was it not done here twice, and does a task of its kind do this, at this point?"""
        if self._tried.enough(mulling.sheet, thought.action):
            return False
        told = mulling.told
        task = Matcher(mulling.sheet.part(part) for part in ("task", "step"))
        return thought.deed is None or able(thought.deed, told.doing, told.slots, self._tried.said, task)

    def _usual(self, mulling: Mulling, thought: Thought) -> Thought | None:
        """What tasks of its kind do here, where that is another thing and nearly certain."""
        chances = self._chances(mulling)
        name = next(iter(chances), "")
        if not name or thought.deed is None or chances[name] < SURE:
            return None
        scrolls = thought.deed.name.startswith(SWIPE) and not wheel_of(thought.deed.name)
        if chances.get(thought.deed.name, 0.0) > (LOOKING if scrolls else UNUSUAL) * chances[name]:
            return None
        other = mulling.aimed(name)
        return other if other and self._able(mulling, other) else None

    def _others(self, mulling: Mulling, most: int) -> Iterator[Thought]:
        """What tasks of its kind may do here, the likeliest first."""
        for name, chance in itertools.islice(self._chances(mulling).items(), most):
            other = mulling.aimed(name) if chance >= POSSIBLE else None
            if other and self._able(mulling, other):
                yield replace(other, chance=chance)

    def _chances(self, mulling: Mulling) -> dict[str, float]:
        """How likely each deed is that tasks of its kind do, the likeliest first; nothing where that is not known."""
        routine, told = self._plainly.routine, mulling.told
        if routine is None or not told.doing or not self._tried.whole:
            return {}
        chances = routine.chances(scene_of(told.wording, self._tried.deeds, mulling.sheet, told.slots), told.doing)
        return dict(sorted(chances.items(), key=lambda each: -each[1]))

    def _begin(self, sheet: Sheet, ask: Ask, began: float) -> Mulling:
        """A task that names an app which no known task needs is none of those, however much it reads like one. A task
        of which the reader knows no app needs those that it names.
        """
        if self._tried.task != sheet.part("task"):
            self._tried, self._attempts = Tried(), Attempts()
        self._tried.begin(sheet)
        told, named = self._plainly.told(sheet), named_apps(sheet)
        if not told.apps:
            told = told._replace(apps=named)
        elif strange := [each for each in named if each not in self._plainly.apps and as_app(each, sheet.part("task"))]:
            self._plainly.drop(sheet)
            told = Told(apps=strange)
        told = told._replace(slots=aware(told.slots, sheet))
        return Mulling(self._writer, told, sheet, ask, began)


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
