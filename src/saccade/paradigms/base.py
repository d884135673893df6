"""What a paradigm is: a way to ask a model for the next step, to read its answer, and to write one.

A paradigm is one file: a subclass of `Paradigm` with `name`, `vocabulary`, `_read` and `render`, and its prompt
templates beside it (examples/plugins/my_paradigm.py is a whole one). Everything else that training, agents and
benchmarks want to know of a format is an attribute or a method here with a default, so that nobody asks for a paradigm
by its name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import msgspec
from msgspec.structs import replace

from saccade.actions import Action, Convention
from saccade.geometry import PIXEL, Frame
from saccade.paradigms.prompts import build_messages, find_template
from saccade.paradigms.verbs import Space, Vocabulary, dumps
from saccade.paradigms.wording import description, in_words
from saccade.types import Element, Language, Message, Picture, Screen, Step

__all__ = ["Candidate", "Language", "Paradigm", "Parsed", "Reply", "Situation", "Turn"]

MAX_OUTPUT = 200_000
"""Characters of a completion that are read at most; a longer one is refused."""

AnswerPart = Literal["elements", "think", "plan", "summary", "candidates"]
"""A part of a `Reply` besides its action."""


class Candidate(msgspec.Struct, frozen=True):
    """One of several proposed actions (GuidNav)."""

    action: Action
    thought: str = ""
    probability: float = 1.0


class Reply(msgspec.Struct, frozen=True, gc=False):
    """What an answer says, whatever the paradigm: the parts it has no notion of stay empty."""

    action: Action | None = None
    elements: tuple[Element, ...] = ()
    """BTL's blink, UILoop's ui elements, in the order given."""
    think: str = ""
    plan: str = ""
    summary: str = ""
    """SecAgent's new semantic context; empty where the answer says None."""
    candidates: tuple[Candidate, ...] = ()


class Parsed(msgspec.Struct, frozen=True, gc=False):
    """Both results of one pass over a completion."""

    reply: Reply
    """The tolerant result: everything that could be read."""
    strict: bool
    """Is the completion exactly in the format? (what format rewards ask)"""
    repairs: tuple[str, ...] = ()
    """Every liberty the tolerant result took."""
    problem: str = ""
    """Why there is no action, where there is none."""
    elements_read: bool = False
    """Could the section that names elements be read? If so, a reply without `elements` says that none matters (P = ∅ in
    BTL-UI eq. 6); an answer that cannot be read does not say that."""


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier screenshot and what was done on it."""

    picture: Picture
    action: str


@dataclass(frozen=True, slots=True)
class Situation:
    """All that a prompt may speak of at one step."""

    instruction: str
    screen: Screen
    step_instruction: str = ""
    history: Sequence[str] = ()
    """One line for each earlier action, oldest first."""
    context: str = ""
    """The running summary so far."""
    remembered: str = ""
    """The thought of the step before."""
    previous: Sequence[Turn] = ()
    """Earlier screenshots with their actions, oldest first; a paradigm takes the last N it wants."""
    marked: Picture | None = None
    """The screenshot with numbered marks (GuidNav)."""
    elements: Sequence[Element] = ()
    """Elements to tell the model about: none, all, the key ones, or false ones (UILoop Table 3)."""
    notes: Sequence[str] = ()
    """Reflections and warnings for this attempt."""
    unchanged: bool = False
    """Does the screen hold exactly what it held before the last action?"""

    @classmethod
    def of_step(cls, step: Step, elements: Sequence[Element] = ()) -> Situation:
        """The situation of a step record."""
        return cls(
            instruction=step.instruction,
            screen=step.view,
            step_instruction=step.step_instruction,
            history=step.history,
            context=step.context,
            elements=elements,
        )


@dataclass(frozen=True, kw_only=True)
class Paradigm(ABC):
    """A format with its switches. Immutable: `dataclasses.replace` makes a variant.

    A subclass gives `name`, `vocabulary`, `_read`, `render` and its templates; all else has a default.
    """

    name: ClassVar[str]
    vocabulary: ClassVar[Vocabulary]
    """The actions by the names that the format gives them."""
    templates: ClassVar[Mapping[str, str]] = {}
    """Prompt templates as text: `{"en": "=== system ===…"}`, other purposes as `"summary.en"`. What is not here is
    looked for in files `NAME.en.j2` (`NAME-summary.en.j2`) beside the class's own file, or in a folder `templates`
    there."""
    has_prompt: ClassVar[bool] = True
    """Can it ask for an answer? Formats of other people's models are only read, until the user gives a template."""
    pixels: ClassVar[tuple[int, int]] = (56 * 56, 14 * 14 * 4 * 1280)
    """Least and most pixels of an image that the paper's model is shown."""

    marks: ClassVar[bool] = False
    """Is the screenshot also shown with a number on each element?"""
    candidates: ClassVar[bool] = False
    """Does one answer propose several actions?"""
    temperature: ClassVar[float] = 0.0
    """The temperature at which the paper samples its policy; 0 where it names none."""
    grounding_as_navigation: ClassVar[bool] = False
    """Does reinforcement learning, too, turn grounding samples into one-step navigation (SecAgent's Gr2Nav, §4.3)?
    Supervised training always does."""

    frame: Frame = PIXEL
    swipe: Convention = "finger"
    space: Space = "paper"
    language: Language = "en"
    template: Path | None = None
    """A prompt template of the user's own, for checkpoints that were trained with another prompt."""

    def parse(self, text: str, screen: Screen) -> Parsed:
        """Read a completion. Never raises: what cannot be read is a `problem`."""
        if len(text) > MAX_OUTPUT:
            return unreadable(f"the output is {len(text):,} characters long; at most {MAX_OUTPUT:,} are read")
        if not text.isascii():  # half of a surrogate pair cannot be written to a log
            text = text.encode("utf-8", "replace").decode()
        try:
            return self._read(text, screen)
        except ValueError as error:
            return unreadable(str(error))

    @abstractmethod
    def _read(self, text: str, screen: Screen) -> Parsed:
        """`parse` without the guard; may raise `ValueError` with the reason."""

    @abstractmethod
    def render(self, reply: Reply, screen: Screen) -> str:
        """Write an answer in this format; `parse` reads it back. Raises `ValueError` for what it cannot say."""

    def messages(self, situation: Situation) -> list[Message]:
        """The prompt: system and user messages with their images."""
        return build_messages(self.template or self.find_template(), self.variables(situation))

    def find_template(self, purpose: str = "") -> Path | str:
        """The template of this paradigm's language, a file or a text. English stands in for a language that has none,
        and a subclass without templates of its own uses its parent's.
        """
        return find_template(type(self), self.language, purpose)

    def summary_messages(self, context: str, thought: str, action: str, after: Picture | None) -> list[Message] | None:
        """How to ask for the running summary after a step, where the answer itself does not hold one: from the summary
        before it, the step's thought and action in words, and the screen it led to.
        """
        return None

    @property
    def answer_parts(self) -> frozenset[AnswerPart]:
        """What an answer of this format says besides its action. It decides what of an annotated step is remembered
        in later prompts, and whether an answer that names no element has overlooked one (UILoop, App. D).
        """
        return frozenset({"think"})

    @property
    def history_window(self) -> int:
        """How many earlier screenshots a prompt shows at most."""
        return 1

    @property
    def candidate_count(self) -> int:
        """How many actions one answer proposes."""
        return 1

    @classmethod
    def candidate_switches(cls, count: int) -> dict[str, Any]:
        """The switches that make one answer propose `count` actions; none where an answer has only one, and as many
        answers are sampled instead.
        """
        return {}

    def prepare(self, step: Step) -> Step:
        """A recorded step as this format can teach it: with what the format must say and the recording may lack, and
        without what the format may not say.
        """
        return step

    def described(self, step: Step) -> list[Element]:
        """The key elements of a step as an answer of this format names them."""
        return [replace(element, caption=description(element)) for element in step.key_elements or ()]

    def untaught_because(self, step: Step) -> str:
        """Why supervised training cannot teach this recorded step in this format: what the answer would have to say
        and nobody annotated. Empty where it can.
        """
        return ""

    def variables(self, situation: Situation) -> dict[str, Any]:
        """What a template can use; a paradigm adds its own."""
        size = situation.screen.size
        width, height = self.frame.extent(size)
        return {
            "instruction": situation.instruction,
            "step_instruction": situation.step_instruction,
            "history": list(situation.history),
            "context": situation.context,
            "remembered": situation.remembered,
            "previous": list(situation.previous),
            "image": situation.screen.picture,
            "marked": situation.marked,
            "elements": lambda: [self.describe(element, situation.screen) for element in situation.elements],
            "items": lambda: [self.item(element, situation.screen) for element in situation.elements],
            "notes": list(situation.notes),
            "unchanged": situation.unchanged,
            "paradigm": self.name,
            "language": self.language,
            "actions": self.vocabulary.listing(self.space, self.language),
            "space": self.space,
            "width": width,
            "height": height,
        }

    def offers(self, action: Action) -> bool:
        """Does the prompt declare this action, so that an answer could be it?"""
        return self.vocabulary.offers(action, self.space)

    def call(self, action: Action, screen: Screen) -> str:
        """An action as this format writes it, without what surrounds it; in words, if the format has no word for it."""
        try:
            return dumps(self.vocabulary.encode(action, screen.size, self.frame, self.swipe))
        except ValueError:
            return in_words(action, screen, self.language)

    def item(self, element: Element, screen: Screen) -> dict[str, str]:
        """An element's parts, for templates that want more than a line about it. What the screen says is quoted."""
        point = self.frame.encode(element.center, screen.size)
        box = self.frame.encode_box(element.box, screen.size)
        return {
            "id": str(element.id),
            "type": element.type,
            "state": element.state,
            "label": msgspec.json.encode((element.text or element.caption)[:200]).decode(),
            "point": f"[{point.x}, {point.y}]",
            "box": str(list(box)),
        }

    def describe(self, element: Element, screen: Screen) -> str:
        """One line about an element for a prompt. What the screen says is data: it is quoted and kept on the line."""
        point = self.frame.encode(element.center, screen.size)
        said = element.text or element.caption
        label = msgspec.json.encode(said[:200]).decode() if said else ""
        return " ".join(filter(None, [str(element.id), element.type, label, f"[{point.x}, {point.y}]"]))


def unreadable(problem: str) -> Parsed:
    return Parsed(Reply(), strict=False, problem=problem)


@dataclass(slots=True)
class Notes:
    """Repairs and the first problem, gathered while a completion is read."""

    repairs: list[str] = field(default_factory=list)
    problem: str = ""
    elements_read: bool = False

    def fail(self, problem: str) -> None:
        self.problem = self.problem or problem

    def parsed(self, reply: Reply) -> Parsed:
        strict = not self.repairs and not self.problem
        return Parsed(reply, strict, tuple(self.repairs), self.problem, self.elements_read)
