"""What a chat model is: messages with text and pictures in; text, token counts and timing out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Self

import msgspec

from saccade.types import Message

Purpose = Literal["act", "repair", "summarise", "reward", "judge", "reflect"]


class ModelError(Exception):
    """The model could not answer, after all tries. It is nobody's fault that counts: runs end as broken, not failed."""


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a call cost."""

    input: int = 0
    """Tokens read: text and pictures (SecAgent's ITC)."""
    output: int = 0
    cost: float = 0.0
    """US dollars; 0 where no price is known."""
    calls: int = 0
    retries: int = 0

    @property
    def tokens(self) -> int:
        return self.input + self.output

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cost + other.cost,
            self.calls + other.calls,
            self.retries + other.retries,
        )

    def __sub__(self, before: Usage) -> Usage:
        """What came since."""
        return Usage(
            self.input - before.input,
            self.output - before.output,
            self.cost - before.cost,
            self.calls - before.calls,
            self.retries - before.retries,
        )


class Completion(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer."""

    text: str
    usage: Usage = Usage()
    """Of several samples of one call, the first carries what all of them cost together."""
    seconds: float = 0.0
    first_token: float | None = None
    """Seconds until the first piece of the answer came, where the model streams."""
    finish: str = "stop"
    """stop, or length if the answer was cut off."""


class Ask(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """How a model is asked."""

    purpose: Purpose = "act"
    """What the answer is for: logs keep it apart, and scripted models answer each their own way."""
    n: int = 1
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 1024
    stop: tuple[str, ...] = ()
    seed: int | None = None
    deadline: float = 120.0
    """Seconds for the whole call, retries included."""


class Model(ABC):
    """One chat model. Usable in a `with` statement. What it was taught outranks the defaults, not the user's word."""

    name: str
    template: Path | None = None
    """The prompt it was taught, where that is not the paradigm's own."""
    reads: Literal["pictures", "elements"] = "pictures"
    """What it knows a screen by. One that reads elements is always told them."""
    summarises: bool = True
    """Can it be asked for a running summary (GuidNav)? Else the lines of history have to do."""
    reflects: bool = False
    """Does it act otherwise by itself after a failed attempt? Else answers are drawn by chance to try another way."""
    judges: bool = True
    """Can it be asked whether a finished attempt did its task (GuidNav's evaluator)?"""
    temperature: float | None = None
    """The temperature it is made for, where that is not the paradigm's."""
    coordinates: str | None = None
    """How it writes places, where its family does not tell."""
    per_run: bool = False
    """Does it answer for one run only, as a script does that is read from its start? It is opened anew for each."""
    policy: str = "plain"
    """The entry of `agents.policy.POLICIES` that drives it, unless the user names another with --agent."""

    @abstractmethod
    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        """`ask.n` answers. Raises `ModelError` if there is none to be had before the deadline, and `InputError` if the
        user must mend something first (a wrong key, an unknown model).
        """

    def check_access(self) -> None:  # noqa: B027  (most are here already)
        """Raise `InputError` if no call can succeed (a wrong key, no server), before a world is opened for it."""

    def warning(self, world: str) -> str:
        """A sentence for the user where this model is known to fail in a world of this name; else empty."""
        return ""

    def close(self) -> None:  # noqa: B027  (most hold nothing)
        """Give back what it holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
