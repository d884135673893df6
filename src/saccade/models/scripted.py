"""Canned answers, for tests, demonstrations and dry runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from saccade.errors import InputError
from saccade.models.base import Ask, Completion, Model, ModelError, Usage
from saccade.types import Message

Answer = str | Callable[[Sequence[Message], Ask], str]
"""A text, or a function that writes one when it is asked."""


class Scripted(Model):
    """Answers in their order, whatever is asked; a call for n samples takes n of them. Other purposes than acting can
    have answers of their own, of which the last is repeated.
    """

    per_run = True

    def __init__(self, answers: Iterable[Answer], name: str = "scripted", **others: Iterable[Answer]) -> None:
        self.name = name
        self.answers = {"act": list(answers)} | {purpose: list(own) for purpose, own in others.items()}
        self.asked: list[tuple[Ask, list[Message]]] = []
        self._at = dict.fromkeys(self.answers, 0)

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        self.asked.append((ask, list(messages)))
        texts = [self._next(messages, ask) for _ in range(ask.n)]
        read = sum(len(message.text) for message in messages) // 4
        used = [Usage(input=read if at == 0 else 0, output=len(text) // 4 + 1, calls=at == 0)
                for at, text in enumerate(texts)]  # fmt: skip
        return [Completion(text, usage) for text, usage in zip(texts, used, strict=True)]

    def _next(self, messages: Sequence[Message], ask: Ask) -> str:
        purpose = ask.purpose if ask.purpose in self.answers else "act"
        answers, at = self.answers[purpose], self._at[purpose]
        if at >= len(answers):
            if purpose == "act" or not answers:
                raise ModelError(f"the script has only {len(answers)} answers")
            at = len(answers) - 1
        self._at[purpose] = at + 1
        answer = answers[at]
        return answer if isinstance(answer, str) else answer(messages, ask)


def open_scripted(path: str, **_: Any) -> Model:
    """Answers from a file: one JSON string a line, or an object with the answers for each purpose."""
    file = Path(path)
    try:
        values = msgspec.json.Decoder(str | dict[str, str]).decode_lines(file.read_bytes())
    except OSError as error:
        raise InputError(f"cannot read the script {file}: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise InputError(f"{file}: {error}: a script has one answer a line, as a JSON string") from None
    answers: dict[str, list[str]] = {"act": []}
    for value in values:
        for purpose, text in value.items() if isinstance(value, dict) else [("act", value)]:
            answers.setdefault(purpose, []).append(text)
    return Scripted(answers.pop("act"), f"scripted/{file.name}", **answers)
