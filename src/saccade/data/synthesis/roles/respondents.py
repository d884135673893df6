"""Who answers roles: a chat model, the world's teacher, or simple rules (`--model NAME|teacher|heuristic`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec

from saccade.agents.hidden_settings import settings_vault
from saccade.data.synthesis.answer_cache import AnswerCache
from saccade.data.synthesis.roles.base import Answer, Role, Subject, UnansweredError
from saccade.errors import InputError
from saccade.models import MODELS, open_model
from saccade.models.base import Ask, Model, Usage
from saccade.paradigms.prompts import build_messages
from saccade.types import Language, Message, Picture

AGAIN = {
    "en": "This answer cannot be used: {}\nAnswer again, with the JSON object alone.",
    "zh": "这个回答无法使用：{}\n请重新回答，只写 JSON 对象。",
}
LONGEST_QUOTE = 4_000
"""Characters of an unusable answer that the model is shown again."""
DEADLINE = 300.0
PictureOf = Callable[[str], Picture]


class ModelSettings(msgspec.Struct, frozen=True, omit_defaults=True):
    """The model that answers, and how it is opened."""

    name: str
    """As on the command line; `teacher` and `heuristic` are no models."""
    base_url: str | None = None
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    templates: str = ""
    """A folder with prompts of the user's own."""
    temperature: float | None = None
    """None: the role's own."""
    seed: int = 0


class Respondent(ABC):
    """Answers roles."""

    name: str = ""
    """As on the command line; records tell by it who answered."""
    asks_model = False
    """Does an answer take time and money?"""

    @abstractmethod
    def answer(
        self, role: Role[Subject, Answer], subject: Subject, language: Language, picture: PictureOf
    ) -> tuple[Answer, Usage]:
        """The answer, and what was paid for it now. `UnansweredError` if none follows the rules."""

    def close(self) -> None:  # noqa: B027  (most hold nothing)
        """Give back what it holds."""


class TeacherRespondent(Respondent):
    """The world's teacher: what it knows lies in the records."""

    name = "teacher"

    def answer(
        self, role: Role[Subject, Answer], subject: Subject, language: Language, picture: PictureOf
    ) -> tuple[Answer, Usage]:
        return role.taught(subject), Usage()


class HeuristicRespondent(Respondent):
    """Simple rules."""

    name = "heuristic"

    def answer(
        self, role: Role[Subject, Answer], subject: Subject, language: Language, picture: PictureOf
    ) -> tuple[Answer, Usage]:
        return role.guessed(subject), Usage()


class ModelRespondent(Respondent):
    """A chat model. An answer that breaks the rules is asked for once more, with the reason."""

    asks_model = True

    def __init__(self, settings: ModelSettings, answers: Path) -> None:
        options = dict(settings.options) | ({"base_url": settings.base_url} if settings.base_url else {})
        self.settings, self.name = settings, settings.name
        self.model: Model = open_model(settings.name, **options)
        self.cache = AnswerCache(answers, settings_vault(options))
        self.templates = Path(settings.templates) if settings.templates else None

    def answer(
        self, role: Role[Subject, Answer], subject: Subject, language: Language, picture: PictureOf
    ) -> tuple[Answer, Usage]:
        template = role.template(language, self.templates)
        messages = build_messages(template, role.variables(subject, picture))
        text, usage = self._ask(role, messages)
        try:
            return role.read(text, subject), usage
        except ValueError as error:
            reason = str(error)
        messages += [
            Message("assistant", (text[:LONGEST_QUOTE] or "…",)),
            Message("user", (AGAIN[language].format(reason),)),
        ]
        text, more = self._ask(role, messages)
        try:
            return role.read(text, subject), usage + more
        except ValueError as error:
            raise UnansweredError(f"the {role.name}'s answer breaks the rules", str(error), usage + more) from None

    def _ask(self, role: Role[Any, Any], messages: Sequence[Message]) -> tuple[str, Usage]:
        warmth = role.temperature if self.settings.temperature is None else self.settings.temperature
        ask = Ask(
            purpose="judge",
            temperature=warmth,
            max_tokens=role.max_tokens,
            seed=self.settings.seed,
            deadline=DEADLINE,
        )
        answer, paid = self.cache.complete(self.model, role.name, messages, ask)
        return answer.text, paid

    def close(self) -> None:
        self.model.close()


WITHOUT_MODEL: dict[str, type[Respondent]] = {"teacher": TeacherRespondent, "heuristic": HeuristicRespondent}


def check_model(name: str) -> None:
    """Raise `InputError` for a name that nobody answers to: before any work is done."""
    known = [*WITHOUT_MODEL, *MODELS.names()]
    if (kind := name.partition("/")[0]) not in known:
        near = get_close_matches(kind, known, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise InputError(f"--model {name!r} is unknown{hint}: use one of {', '.join(known)}")


def open_respondent(settings: ModelSettings, answers: Path) -> Respondent:
    """By the name on the command line."""
    if settings.name in WITHOUT_MODEL:
        return WITHOUT_MODEL[settings.name]()
    return ModelRespondent(settings, answers)
