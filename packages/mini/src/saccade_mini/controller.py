"""What to do on a screen: the likeliest answer that makes sense, or several, in one attempt after the other."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from saccade.models.base import Ask
from saccade_mini.alternatives import ROWS, TRIES, Mulling, Thought, apart, joined
from saccade_mini.codec import Sheet
from saccade_mini.generator import Writer
from saccade_mini.match import WHOLE, Matcher
from saccade_mini.next_action_model import scene_of, still
from saccade_mini.paraphrase_check import QUOTED
from saccade_mini.retry_policy import LESSONS, Attempts, Tried, app_in, is_first
from saccade_mini.task_habits import END, PRESS, SWIPE, TOUCH, TYPE, View, able, aware, wheel_of
from saccade_mini.task_normalizer import Plainly, Told

SURE, UNUSUAL, LOOKING = 0.4, 0.1, 0.06
"""How likely the usual deed must be to take the place of one that is so much less likely; of scrolling, which looks for
something, it must be less likely still. Chosen on 1,997 steps of validation runs.
"""
MEANT, RATHER_MEANT = 0.05, 0.3
"""How likely another reading of a task must be, beside the first, to be what was meant after all; and where it would be
said that the task cannot be done, which may well be so.
"""
GIVE_UP, ENTER = f"{END} failure", f"{PRESS} enter"
FINDS = ("button", "option")
"""What a search shows."""
POSSIBLE = 0.02
"""How likely a deed must be to be a candidate."""
SEARCH = ("Search", "搜索")
"""What buttons are called that look for something by its name."""
BAR = frozenset({"Back", "Home", "Recent apps", "返回", "主屏幕", "最近任务"})
"""Buttons of the phone itself: who wants to `get back to it` names no app."""


def named_apps(sheet: Sheet) -> list[str]:
    """What the task names among what can be touched before anything was done: apps, for a task begins at home. What it
    quotes names none: the file “音乐会传单.pdf” is not in 音乐.
    """
    matcher = Matcher([QUOTED.sub(" ", sheet.part("task"))])
    labels = (item.label for item in sheet.items if item.kind == "button" and item.label not in BAR)
    return [label for label in labels if matcher.mark(label) == WHOLE]


def as_app(name: str, task: str) -> bool:
    """Is an app meant, and not what it is called after? `听腻了这段音乐` is not about the app 音乐."""
    told = re.escape(name)
    if name.isascii():
        return re.search(rf"\b(?:{told}|(?i:{told}) app)\b", task) is not None
    return re.search(rf"[在用开进入去到从上]{told}|{told}(?:应用|软件|(?i:app)|[里上中内])", task) is not None


class Acting:
    """The likeliest of what was not done on a screen twice, in one attempt at a task after the other."""

    def __init__(self, writer: Writer, plainly: Plainly) -> None:
        self._writer, self._plainly, self._tried, self._attempts = writer, plainly, Tried(), Attempts()
        self._strange: list[str] = []
        """What the apps are called that the task names and none of the known ones needs."""
        self._beside: Thought | None = None
        """The candidate that fits another reading of the task."""
        self._again = False
        """Does another attempt begin now?"""

    def reflect(self) -> str:
        """The attempt failed, and another will follow, in the next likely way; what that is, in words."""
        before = self._attempts.now
        now = self._attempts.reflect(self._tried.doubt, self._plainly.chance(self._at + 1))
        self._tried.barred, self._again = now.barred, True
        if now == before:
            return ""
        otherwise, meant = LESSONS[self._plainly.language]
        texts = [self._plainly.text(each.reading) for each in (before, now)]
        return otherwise if now.reading == before.reading else meant.format(*texts)

    def understood(self, sheet: Sheet) -> Sheet:
        """A prompt with its task as it is read by now, if that is the one it acts on."""
        return self._plainly.read(sheet, self._at) if self._tried.task == sheet.part("task") else sheet

    def one(self, sheet: Sheet, ask: Ask, began: float) -> tuple[Thought, Mulling]:
        """The likeliest answer that does not do what was done on this screen twice, nor what the task does not do or
        not yet, if one is found soon.
        """
        sheet = self._turn_to(sheet)
        chosen, mulling = self._decide(sheet, ask, began)
        self._tried.add(sheet, chosen.action, [chosen.deed], mulling.doubt)
        return chosen, mulling

    def _decide(self, sheet: Sheet, ask: Ask, began: float, tries: int = TRIES) -> tuple[Thought, Mulling]:
        """Where that answer is in vain, it searches for what it did not find, or understands the task otherwise."""
        chosen, mulling, able = self._choose(sheet, ask, began, tries)
        while least := self._in_vain(sheet, chosen, able):
            if found := self._search(mulling):
                return found, mulling
            if not self._read_otherwise(least):
                break
            usage = mulling.usage
            chosen, mulling, able = self._choose(self._plainly.read(sheet, self._at), ask, began, tries)
            mulling.usage += usage
        return chosen, mulling

    def _choose(self, sheet: Sheet, ask: Ask, began: float, tries: int) -> tuple[Thought, Mulling, bool]:
        """The likeliest answer that may be; or the first, and that none may be."""
        mulling = self._begin(sheet, ask, began, tries)
        first = None
        for thought in mulling.thoughts():
            first = first or thought
            if self._able(mulling, thought):
                chosen = self._usual(mulling, thought) or thought
                return self._found(mulling, chosen) or chosen, mulling, True
        assert first is not None, "there is always a first"
        usual = self._usual(mulling, first)
        return usual or first, mulling, usual is not None

    def _in_vain(self, sheet: Sheet, thought: Thought, able: bool) -> float:
        """Does it give up, scroll on where a list has ended, or not know what to do? Then, how likely another reading
        of the task must be to be what was meant; 0 if not.
        """
        deeds, name = self._tried.deeds, thought.deed.name if thought.deed else ""
        if name == GIVE_UP:
            return RATHER_MEANT
        ended = bool(deeds) and scrolls(deeds[-1]) and still(sheet)
        return MEANT if not able or (ended and scrolls(name)) else 0.0

    def _search(self, mulling: Mulling) -> Thought | None:
        """To look for it by its name, where that was not done yet and there is a button for it."""
        labels = [item.label for item in mulling.sheet.items if item.kind == "button" and item.label in SEARCH]
        names = [name for each in labels if (name := f"{TOUCH} {each}") not in self._tried.deeds]
        return mulling.aimed(names[0]) if names else None

    @property
    def _at(self) -> int:
        """Which reading of the task holds."""
        return self._attempts.now.reading

    def _read_otherwise(self, least: float) -> bool:
        """Understand the task in the next likely way, where one is likely enough: who is about to say that it cannot be
        done, or does not know what to do, may have misunderstood. What cannot be done with one of the names that may be
        meant is not done with another.
        """
        now, other = self._plainly.wording(self._at), self._plainly.wording(self._at + 1)
        chance = self._plainly.chance(self._at + 1)
        if chance < least or (now == other and least == RATHER_MEANT):
            return False
        self._attempts.reread(chance)
        if now != other:
            self._tried.forget()  # what was done so far is of another kind
        return True

    def several(self, sheet: Sheet, ask: Ask, began: float) -> tuple[Thought, Mulling]:
        """As many candidates as the prompt asks for (GuidNav), in one answer. What was twice the first of them on this
        screen is none any more: who chooses among them does not say what was chosen. Behind the first comes what it
        would do if the task meant something else, what tasks of its kind may do here, and runners-up; what the task
        does not do comes last, where there is too little else.
        """
        others = (each for each in sheet.switches if not re.fullmatch(r"k\d", each))
        single = self._turn_to(replace(sheet, switches=("k1", *others)))
        first, mulling = self._decide(single, ask, began, ROWS)
        heard = next((each for each in mulling.thoughts() if self._able(mulling, each)), None)
        self._beside = self._meanwhile(single, mulling)
        usual, spare = apart([first, self._beside, heard, *self._others(mulling, sheet.k)]), list[Thought]()
        for thought in mulling.thoughts():
            if len(usual) >= sheet.k:
                break
            if thought.deed is not None and self._able(mulling, thought):
                usual = apart([*usual, thought])
            elif thought.deed is not None and not self._tried.enough(single, thought.action):
                spare.append(thought)
        chosen = apart([*usual, *spare])[: sheet.k]
        doubt = chosen[1].chance if len(chosen) > 1 else mulling.doubt
        self._tried.add(single, chosen[0].action, [each.deed for each in chosen], doubt)
        text = joined(chosen)
        return (Thought(text, "", 1.0, True) if text else first), mulling

    def _meanwhile(self, sheet: Sheet, mulling: Mulling) -> Thought | None:
        """What it would do if the task meant what is next likely."""
        if (chance := self._plainly.chance(self._at + 1)) < MEANT:
            return None
        sheet = self._plainly.read(sheet, self._at + 1)
        thought, other, able = self._choose(sheet, mulling.ask, mulling.began, 1)
        mulling.usage += other.usage
        return replace(thought, chance=chance) if able else None

    def _able(self, mulling: Mulling, thought: Thought) -> bool:
        """Was it not done here twice, and does a task of its kind do this, at this point?"""
        if self._tried.enough(mulling.sheet, thought.action):
            return False
        told = mulling.told
        if self._strange and self._tried.deeds and app_in(thought.text):
            return False  # what is to be done in a strange app is done there
        task = Matcher(mulling.sheet.part(part) for part in ("task", "step"))
        return thought.deed is None or able(thought.deed, told.doing, told.slots, self._tried.said, task)

    def _found(self, mulling: Mulling, thought: Thought) -> Thought | None:
        """What was typed stands there, and can be touched: who searched for it neither goes on searching nor gives up.
        In recorded episodes it is touched 306 of 310 times.
        """
        told, deeds = mulling.told, [each for each in self._tried.deeds[-2:] if each != ENTER]
        name = TOUCH + deeds[-1].removeprefix(TYPE) if deeds and deeds[-1].startswith(f"{TYPE} =") else ""
        if thought.deed is None or thought.deed.name not in (ENTER, GIVE_UP) or name not in told.doing:
            return None
        there = (mulling.sheet.items[at] for at in View(mulling.sheet, told.slots).targets(name))
        return mulling.aimed(name) if any(item.kind in FINDS for item in there) else None

    def _usual(self, mulling: Mulling, thought: Thought) -> Thought | None:
        """What tasks of its kind do here, where that is another thing and nearly certain."""
        chances = self._chances(mulling)
        name = next(iter(chances), "")
        if not name or thought.deed is None or chances[name] < SURE:
            return None
        unusual = LOOKING if scrolls(thought.deed.name) else UNUSUAL
        if chances.get(thought.deed.name, 0.0) > unusual * chances[name]:
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

    def _turn_to(self, sheet: Sheet) -> Sheet:
        """A prompt comes, perhaps of another task, or of the same one, which somebody begins anew. If what was chosen
        among candidates is what it would only have done for another reading of the task, that is what the task means.
        """
        if self._tried.task != sheet.part("task") or (is_first(sheet) and not self._again):
            self._tried, self._attempts, self._beside, self._strange = Tried(), Attempts(), None, []
        self._again = False
        self._tried.begin(sheet)
        beside = self._beside.deed if self._beside else None
        if beside and self._tried.chosen and self._tried.deeds[-1] == beside.name:
            self._attempts.reread(self._plainly.chance(self._at + 1))
        self._beside = None
        return self._plainly.read(sheet, self._at)

    def _begin(self, sheet: Sheet, ask: Ask, began: float, tries: int) -> Mulling:
        """A task that names an app which no known task needs is none of those, however much it reads like one. A task
        of which the reader knows no app needs those that it names.
        """
        told, task = self._plainly.told(sheet), sheet.part("task")
        if is_first(sheet):
            named, known = named_apps(sheet), self._plainly.apps
            self._strange = [each for each in named if known and each not in known and as_app(each, task)]
            told = told if told.apps else told._replace(apps=named)
        if self._strange:
            self._plainly.drop(sheet)
            told = Told(apps=self._strange)
        told = told._replace(slots=aware(told.slots, sheet))
        return Mulling(self._writer, told, sheet, ask, began, tries)


def scrolls(name: str) -> bool:
    """Is it a deed that looks for something further on? Wheels are turned to set them."""
    return name.startswith(SWIPE) and not wheel_of(name)
