"""Writes candidate instructions from what an app can do (SecAgent §3.2 (1))."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import msgspec

from saccade.data.synthesis.roles.base import Role, UnansweredError, read_json
from saccade.data.synthesis.roles.instruction_rules import check_instruction
from saccade.types import Language, Picture


class WantedInstructions(NamedTuple):
    """What the writer is asked for."""

    app: str
    functions: str
    wanted: int
    list: int
    """The number of the list: a later one must not repeat what comes to mind first."""
    language: Language


class WrittenInstructions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the writer answers."""

    instructions: list[str]


class InstructionWriter(Role[WantedInstructions, WrittenInstructions]):
    """Tasks that a person could want done in an app."""

    name: ClassVar[str] = "instruction_writer"
    temperature: ClassVar[float] = 0.8
    max_tokens: ClassVar[int] = 2048

    def variables(self, subject: WantedInstructions, picture: Callable[[str], Picture]) -> dict[str, Any]:
        return subject._asdict()

    def read(self, text: str, subject: WantedInstructions) -> WrittenInstructions:
        found = read_json(text, WrittenInstructions)
        written = [check_instruction(each, subject.language) for each in found.instructions]
        if not 1 <= len(written) <= subject.wanted:
            raise ValueError(f"there are {len(written)} instructions: write 1 to {subject.wanted}")
        if len(set(written)) < len(written):
            raise ValueError("two instructions are the same")
        return WrittenInstructions(written)

    def taught(self, subject: WantedInstructions) -> WrittenInstructions:
        """A teacher knows the tasks of its world, and those are records already."""
        raise UnansweredError("the teacher writes no instructions beside the world's own tasks", subject.app)
