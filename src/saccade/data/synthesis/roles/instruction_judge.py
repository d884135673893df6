"""Judges written instructions as people do in SecAgent §3.2 (1): feasible, clear, realistic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import msgspec

from saccade.data.synthesis.records import Record
from saccade.data.synthesis.roles.base import Role, read_json
from saccade.data.synthesis.roles.instruction_rules import check_instruction
from saccade.types import Picture


class InstructionVerdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Three answers and a reason."""

    feasible: bool
    clear: bool
    realistic: bool
    reason: str = ""


class InstructionJudge(Role[Record, InstructionVerdict]):
    """Asked about instructions that a model wrote."""

    name: ClassVar[str] = "instruction_judge"

    def variables(self, subject: Record, picture: Callable[[str], Picture]) -> dict[str, Any]:
        app, functions = subject.step.tags.get("app", ""), subject.fields.get("functions_of", "")
        return {"instruction": subject.step.instruction, "app": app, "functions": functions}

    def read(self, text: str, subject: Record) -> InstructionVerdict:
        found = read_json(text, InstructionVerdict)
        if not (found.feasible and found.clear and found.realistic) and not found.reason.strip():
            raise ValueError("an answer is false and there is no reason: write it in one sentence")
        return found

    def taught(self, subject: Record) -> InstructionVerdict:
        """What the world asks for can be done there."""
        return InstructionVerdict(True, True, True)

    def guessed(self, subject: Record) -> InstructionVerdict:
        """What can be told without understanding: the length, the language, no placeholder."""
        try:
            check_instruction(subject.step.instruction, subject.language)
        except ValueError as error:
            return InstructionVerdict(True, False, True, str(error))
        return InstructionVerdict(True, True, True)
