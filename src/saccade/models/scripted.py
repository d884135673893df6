"""A model with prepared answers, for tests, demonstrations and dry runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from saccade.errors import InputError
from saccade.models.base import Ask, Completion, Model, ModelError, Usage
from saccade.types import Message
from saccade.untrusted import JsonDecoder, read_bytes

ScriptedAnswer = str | Callable[[Sequence[Message], Ask], str]
"""A text, or a function that returns one."""


class ScriptedModel(Model):
    """Returns its answers in order, whatever the prompt; a call for n samples uses n of them. Purposes other than
    acting may have answers of their own, of which the last is repeated.
    """

    per_run = True

    def __init__(
        self, answers: Iterable[ScriptedAnswer], name: str = "scripted", **others: Iterable[ScriptedAnswer]
    ) -> None:
        self.name = name
        self.answers = {"act": list(answers)} | {purpose: list(own) for purpose, own in others.items()}
        self.asked: list[tuple[Ask, list[Message]]] = []
        self._at = dict.fromkeys(self.answers, 0)

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        self.asked.append((ask, list(messages)))
        texts = [self._next(messages, ask) for _ in range(ask.n)]
        read = sum(len(message.text) for message in messages) // 4
        return [
            Completion(text, Usage(input=read if at == 0 else 0, output=len(text) // 4 + 1, calls=int(at == 0)))
            for at, text in enumerate(texts)
        ]

    def _next(self, messages: Sequence[Message], ask: Ask) -> str:
        purpose = ask.purpose if ask.purpose in self.answers else "act"
        answers, at = self.answers[purpose], self._at[purpose]
        if at >= len(answers):
            if purpose == "act" or not answers:
                raise ModelError(f"the script has only {len(answers)} answers: add more")
            at = len(answers) - 1
        self._at[purpose] = at + 1
        answer = answers[at]
        return answer if isinstance(answer, str) else answer(messages, ask)


_LINES: JsonDecoder[Any] = JsonDecoder(str | dict[str, str])  # type: ignore[arg-type]


def open_scripted(path: str, **_: Any) -> Model:
    """Answers from a file: on each line a JSON string, or an object with answers by purpose."""
    file = Path(path)
    try:
        values: list[str | dict[str, str]] = _LINES.decode_lines(read_bytes(file))
    except OSError as error:
        raise InputError(f"cannot read the script {file}: {error.strerror}") from None
    except msgspec.MsgspecError as error:
        raise InputError(f"{file}: {error}: a script has one answer per line, as a JSON string") from None
    answers: dict[str, list[str]] = {"act": []}
    for value in values:
        for purpose, text in value.items() if isinstance(value, dict) else [("act", value)]:
            answers.setdefault(purpose, []).append(text)
    return ScriptedModel(answers.pop("act"), f"scripted/{file.name}", **answers)
