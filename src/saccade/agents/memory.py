"""What an agent remembers, exactly as each paradigm defines it.

BTL and UILoop: a line for each earlier action. SecAgent: the summary that the model itself wrote, and the last N
screenshots with their actions. GuidNav: a running summary that the model is asked for after each step.
All of it can be built again from a run's log.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from saccade.agents.loop_detector import same_elements
from saccade.agents.records import LoggedStep
from saccade.models.base import Ask, Model
from saccade.models.families import VisionSettings
from saccade.paradigms.base import Paradigm, Situation, Turn
from saccade.paradigms.wording import in_words
from saccade.screens.marks import draw_marks
from saccade.types import Element, Picture, Screen

LONGEST_SUMMARY = 4_000
"""Characters of a summary that are kept: a model that repeats itself must not fill the next prompt."""


@dataclass
class Memory:
    """Of one attempt."""

    paradigm: Paradigm
    sight: VisionSettings
    lines: list[str] = field(default_factory=list)
    context: str = ""
    turns: list[Turn] = field(default_factory=list)
    pending: tuple[str, str] | None = None
    """Thought and action of the last step, not in the summary yet."""
    thought: str = ""
    """Of the last step."""
    seen: Sequence[Element] = ()
    """What the screen held at the last step."""

    @classmethod
    def of_log(cls, paradigm: Paradigm, sight: VisionSettings, steps: Sequence[LoggedStep], folder: Path) -> Memory:
        """As it was when the run broke off."""
        memory = cls(paradigm, sight)
        for step in steps:
            picture = Picture(str(folder / step.image), step.screen) if step.image else None
            memory.context = step.context
            memory.add(step, picture)
        return memory

    def add(self, step: LoggedStep, picture: Picture | None) -> None:
        """A step was done."""
        action, screen = step.prediction, step.view
        if action is None:
            return
        words = in_words(action, screen, self.paradigm.language)
        failed = {"en": " (refused)", "zh": "（被拒绝）"} if not step.acted else {"en": " (failed)", "zh": "（失败）"}
        words += failed[self.paradigm.language] if step.error or not step.acted else ""
        if step.asked:
            words = f"请人帮忙：{step.asked}" if self.paradigm.language == "zh" else f"asked for a person: {step.asked}"
        elif step.by == "person":
            words += {"en": " (a person did this)", "zh": "（由人完成）"}[self.paradigm.language]
        self.lines.append(step.plan if step.plan and step.by == "agent" and not step.asked else words)
        self.thought = step.thought
        self.pending = (step.thought, words)
        self.seen = step.elements
        if step.summary:
            self.context = step.summary[:LONGEST_SUMMARY]
        if picture is not None:
            self.turns.append(Turn(self.sight.show(picture) or picture, self.paradigm.call(action, screen)))
            del self.turns[: -self.window]

    @property
    def window(self) -> int:
        return max(1, self.paradigm.history_window)

    def summarise(self, model: Model, screen: Screen, ask: Ask) -> None:
        """Bring the summary up to date, where the paradigm asks the model for it and the model can write one."""
        if self.pending is None or not model.summarises:
            return
        after = self.sight.show(screen.picture)
        messages = self.paradigm.summary_messages(self.context, *self.pending, after)
        self.pending = None
        if messages is not None:
            self.context = model.complete(messages, ask)[0].text.strip()[:LONGEST_SUMMARY]

    def situation(self, instruction: str, screen: Screen, told: Sequence[Element], notes: Sequence[str]) -> Situation:
        """All that the next prompt may speak of. Pictures are drawn and resized only if somebody looks at them."""
        picture = self.sight.show(screen.picture)
        return Situation(
            instruction,
            Screen(screen.size, picture, screen.elements),
            history=self.lines,
            context=self.context,
            remembered=self.thought,
            previous=self.turns,
            marked=marked(screen, picture) if self.paradigm.marks else None,
            elements=told,
            notes=notes,
            unchanged=bool(self.seen) and same_elements(self.seen, screen.elements),
        )


def marked(screen: Screen, shown: Picture | None) -> Picture | None:
    """The screenshot with numbered marks (GuidNav)."""
    picture = screen.picture
    if picture is None or not screen.elements:
        return None
    size = shown.shown if shown is not None else None
    return Picture(lambda: draw_marks(picture.data(), screen.elements).png(), picture.size, size)
