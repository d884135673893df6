"""A role: what is asked, how the answer is read, and what answers it without a model.

The papers name models (Qwen2.5-VL-32B as analyser, others as annotator, writer, judge). Here a role is a prompt for any
chat model, in Chinese and English; `teacher` answers from what the world's teacher wrote into the records, and
`heuristic` by simple rules. A role that one of the two cannot answer says so.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from inspect import getfile
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from saccade.errors import InputError, readable
from saccade.models.base import Usage
from saccade.paradigms.lenient import unfence
from saccade.types import Language, Picture
from saccade.untrusted import decode_json

Subject = TypeVar("Subject")
"""What a role is asked about: a small class of its own."""
Answer = TypeVar("Answer")
TEMPLATES = Path(__file__).parents[1] / "templates"
LONGEST_ANSWER = 40_000
"""Characters of a model's answer that are read."""


class UnansweredError(Exception):
    """There is no answer that follows the rules; the record is dropped and counted by this reason."""

    def __init__(self, reason: str, detail: str = "", usage: Usage | None = None) -> None:
        super().__init__(reason)
        self.reason, self.detail, self.usage = reason, detail, usage or Usage()


class Role(ABC, Generic[Subject, Answer]):
    """One kind of question. Its prompts are `templates/NAME.LANGUAGE.j2`, or those of the user's own folder."""

    name: ClassVar[str]
    max_tokens: ClassVar[int] = 1024
    temperature: ClassVar[float] = 0.0

    @abstractmethod
    def variables(self, subject: Subject, picture: Callable[[str], Picture]) -> dict[str, Any]:
        """What the prompt's template may use. `picture` gives the picture of a step's image."""

    @abstractmethod
    def read(self, text: str, subject: Subject) -> Answer:
        """The answer, strictly read. `ValueError` says in one or more sentences what is wrong; the model is told them
        and asked once more.
        """

    def taught(self, subject: Subject) -> Answer:
        """The answer of the world's teacher, from what the records hold. `UnansweredError` where it does not know."""
        raise InputError(f"--model teacher cannot answer as {self.name}: name a chat model")

    def guessed(self, subject: Subject) -> Answer:
        """An answer by simple rules, without any model."""
        raise InputError(f"--model heuristic cannot answer as {self.name}: name a chat model, or teacher")

    def template(self, language: Language, folder: Path | None = None) -> Path:
        """The prompt's file: the user's own, then one beside the role's class, then ours."""
        file = f"{self.name}.{language}.j2"
        beside = Path(getfile(type(self))).parent
        places = [folder, beside, beside / "templates", TEMPLATES]
        found = next((place / file for place in places if place is not None and (place / file).is_file()), None)
        if found is None:
            raise InputError(f"the role {self.name} has no prompt: there is no file {beside / 'templates' / file}")
        return found


def read_json(text: str, kind: type[Answer]) -> Answer:
    """The one JSON object of an answer, alone or in a fence, as `kind`; `ValueError` with the reason."""
    if len(text) > LONGEST_ANSWER:
        raise ValueError(f"the answer is longer than {LONGEST_ANSWER:,} characters")
    body = unfence(text)[0].strip()
    try:
        return decode_json(body, kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"the JSON object is not as asked for: {readable(error)}") from None
    except msgspec.DecodeError as error:
        raise ValueError(f"the answer is not one JSON object: {error}") from None
