"""Drives the mini through a task: everything that remembers or rules.

The policy keeps no state. What was done so far is computed at each step from the run's log (`Case.steps`), so that a
resumed run and runs in parallel decide exactly as one run alone. Four rules (docs/MINI.md has the ablation):

1. The prompt also states the task in a known wording (`task_normalizer`). Attempt n uses the n-th likeliest reading.
2. What was done twice on the same screen is not done there again: the decoder's next likeliest answer is taken. Greedy
   decoding would otherwise scroll on at the end of a list for ever.
3. A task touches only what tasks of its kind touch, or what it mentions (`task_habits.allowed`).
4. Where the next-action model is sure of another action and finds the decoder's unusual, the decoder is made to write
   an answer with that one (`AnswerSearch.forced`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from saccade.actions import Action
from saccade.agents.guidance import Case
from saccade.agents.ledger import MeteredModel
from saccade.agents.policy import Policy
from saccade.agents.records import LoggedStep
from saccade.errors import InputError
from saccade.geometry import PERMILLE, Point
from saccade.models.base import Ask, Completion
from saccade.paradigms.base import Situation
from saccade.types import Message
from saccade_mini.answer_search import Answer, AnswerSearch, distinct, joined
from saccade_mini.codec import Sheet
from saccade_mini.model import MiniModel, sheet_of
from saccade_mini.next_action_model import state_of
from saccade_mini.task_habits import SWIPE, ActionNames, allowed, wheel_of, with_notes
from saccade_mini.task_normalizer import TaskReading

SURE, UNUSUAL, SCROLLING = 0.4, 0.1, 0.06
"""The next-action model overrules an answer whose probability, as a share of the likeliest action's, is at most
`UNUSUAL` (`SCROLLING` for a swipe that looks for something), if the likeliest's is at least `SURE`. Chosen on 1,997
validation steps.
"""
POSSIBLE = 0.02
"""The probability that an action needs to become a candidate (GuidNav)."""
TWICE = 2
"""How often the same may be done on the same screen: an element list need not show everything that a touch changes."""
KEEPS_FOCUS = ("type", "wait")
"""After these a field that has the focus still has it."""
BEFORE = ("done", "context", "thought")
"""Parts that only the prompt of a later step has."""


def done_so_far(steps: Sequence[LoggedStep], reading: TaskReading) -> tuple[list[str], Counter[tuple[object, ...]]]:
    """From an attempt's log, the names of all actions (`task_habits`), and how often each was done on each screen."""
    names, counts = list[str](), Counter[tuple[object, ...]]()
    for at, step in enumerate(steps):
        read = Sheet.read(next((text for role, text in step.prompt if role == "user"), ""))
        sheet = read.for_task(reading.actions, last_touched_point(steps[:at]))
        done = ActionNames(sheet, with_notes(reading.slots, sheet)).of(step.prediction, step.screen)
        counts[on_screen(step.prediction, sheet)] += 1
        names += [done.name] if done else []
    return names, counts


def last_touched_point(steps: Sequence[LoggedStep]) -> Point | None:
    """Where the screen was touched last, in thousandths, if nothing but typing has followed."""
    for step in reversed(steps):
        action = step.prediction
        if action is not None and action.type not in KEEPS_FOCUS:
            return PERMILLE.encode(action.point, step.screen) if action.point is not None else None
    return None


def on_screen(action: Action | None, sheet: Sheet) -> tuple[object, ...]:
    """An action together with the screen; of a swipe its direction, as it does the same anywhere on the same list."""
    screen = tuple((item.kind, item.state, item.label, item.point) for item in sheet.items)
    return (action.direction if action and action.type == "swipe" else action, screen)


@dataclass(frozen=True)
class MiniPolicy(Policy):
    """The rules above, around a `MiniModel`."""

    def messages(self, situation: Situation, case: Case) -> list[Message]:
        """The prompt, with the task in a known wording besides."""
        return super().messages(replace(situation, step_instruction=self.reading(case).text), case)

    def complete(self, messages: Sequence[Message], ask: Ask, case: Case) -> list[Completion]:
        """The answer that the rules choose; where answers are sampled, the decoder's own."""
        if ask.temperature > 0:
            return super().complete(messages, ask, case)
        began = time.monotonic()
        reading = self.reading(case)
        sheet = sheet_of(self.mini.name, messages).for_task(reading.actions, last_touched_point(case.steps))
        choice = _Choice(self, case, sheet, reading, ask)
        answer = choice.several(sheet.k) if sheet.k > 1 else choice.best()
        finish = "stop" if answer.whole else "length"
        used = Completion(answer.text, choice.search.usage, time.monotonic() - began, finish=finish)
        self._meter(used)
        return [used, *([Completion(answer.text, finish=finish)] * (ask.n - 1))]

    def _meter(self, used: Completion) -> None:
        if isinstance(self.model, MeteredModel):
            self.model.ledger.add(Ask(), [used], used.seconds)

    @property
    def mini(self) -> MiniModel:
        model = self.model.model if isinstance(self.model, MeteredModel) else self.model
        if not isinstance(model, MiniModel):
            raise InputError(f"the policy mini drives the model mini, not {model.name}: leave out --agent mini")
        return model

    def reading(self, case: Case) -> TaskReading:
        """How this attempt understands the task."""
        began = time.monotonic()
        readings, usage = self.mini.normalizer.readings(case.instruction, self.paradigm.language)
        self._meter(Completion("", usage, time.monotonic() - began))
        return readings[case.attempt % len(readings)]


class _Choice:
    """The choice of an answer at one step."""

    def __init__(self, policy: MiniPolicy, case: Case, sheet: Sheet, reading: TaskReading, ask: Ask) -> None:
        if sheet.k > 1:  # one candidate at a time, joined later
            sheet = replace(sheet, switches=("k1", *(each for each in sheet.switches if not each.startswith("k"))))
        self.sheet, self.reading, slots = sheet, reading, with_notes(reading.slots, sheet)
        self.search = AnswerSearch(policy.mini.generator, policy.paradigm, case.screen, sheet, slots, ask)
        done, self._counts = done_so_far(case.steps, reading)
        known = bool(case.steps) or not any(part in BEFORE for part, _ in sheet.parts)
        state = state_of(reading.wording, done, sheet, slots)
        self._next = policy.mini.classifier.next_action.probabilities(state, reading.actions) if known else {}
        """The next-action model's probabilities; empty where the earlier steps are not known."""

    def best(self) -> Answer:
        """The decoder's likeliest valid answer; where that is unusual, one with what such tasks nearly always do."""
        answers = self.search.answers()
        first = next(answers)
        answer = next((each for each in chain([first], answers) if self._valid(each)), first)
        name, probability = next(iter(self._next.items()), ("", 0.0))
        if answer.task_action is None or probability < SURE:
            return answer
        scrolls = answer.task_action.name.startswith(SWIPE) and not wheel_of(answer.task_action.name)
        if self._next.get(answer.task_action.name, 0.0) > (SCROLLING if scrolls else UNUSUAL) * probability:
            return answer
        other = self.search.forced(name)
        return other if other and self._valid(other) else answer

    def _valid(self, answer: Answer) -> bool:
        """Was it not done twice on this screen, and do tasks of its kind do it at this point?"""
        action, done = answer.task_action, self._counts[on_screen(answer.action, self.sheet)]
        return done < TWICE and (action is None or allowed(action, self.reading.actions, self.sheet.matcher()))

    def several(self, k: int) -> Answer:
        """As many candidates as the prompt asks for (GuidNav), in one answer: the best one, what the next-action model
        finds possible, and the decoder's runners-up, the valid ones first.
        """
        best = self.best()
        possible = (self.search.forced(name, each) for name, each in self._next.items() if each >= POSSIBLE)
        valid = (each for each in islice(possible, k) if each and self._valid(each))
        others = sorted(self.search.answers(), key=self._valid, reverse=True)
        text = joined(distinct(chain([best], valid, others), k))
        return best._replace(text=text, whole=True) if text else best
