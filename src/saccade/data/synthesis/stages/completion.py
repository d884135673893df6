"""How often instructions were completed (SecAgent §3.2 (3)): those that seldom are go back to people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from saccade.data.synthesis.records import Dropped, Outcome, Record, kept
from saccade.data.synthesis.roles.base import Role
from saccade.data.synthesis.roles.completion_judge import CompletionJudge
from saccade.data.synthesis.stage import ItemStage, Settings, Tools, WholeStage
from saccade.records import as_line, write_whole

LOW_COMPLETION = "low_completion.jsonl"
SHOWN = 20
"""So many instructions stand in the manifest; the file has all."""


class JudgeCompletion(ItemStage):
    """The world's word where it judges, else a judge's."""

    name: ClassVar[str] = "judge_completion"
    title: ClassVar[str] = "Say whether each try completed its instruction, where the world does not."
    roles: ClassVar[tuple[Role[Any, Any], ...]] = (CompletionJudge(),)

    def do(self, record: Record, tools: Tools) -> Outcome:
        if record.fields.get("success") is not None or not record.steps:
            return kept(record)
        verdict = tools.ask(self.roles[0], record, record.language)
        return kept(replace(record, fields={**record.fields, "success": verdict.done, "verdict": verdict.reason}))


class Completion(msgspec.Struct, omit_defaults=True):
    """One line of `low_completion.jsonl`."""

    id: str
    instruction: str
    tries: int
    completed: int
    outcomes: list[str]
    task: dict[str, Any] = msgspec.field(default_factory=dict)


class LowCompletionSettings(Settings, frozen=True):
    """Settings of `list_low_completion`."""

    low: float = 0.34
    """Instructions of which a smaller share of the tries succeeded are listed for people."""


class ListLowCompletion(WholeStage):
    """Counts each instruction's tries. All go on: what a failed try did right until its first error is data, too."""

    name: ClassVar[str] = "list_low_completion"
    title: ClassVar[str] = "List the instructions that were seldom completed, for people."
    kind: ClassVar[type[Settings]] = LowCompletionSettings

    def do(self, records: Iterator[Record], tools: Tools) -> Iterator[Record | Dropped]:
        settings: LowCompletionSettings = self.settings
        found: dict[str, Completion] = {}
        for record in records:
            told = record.fields
            about = found.setdefault(
                told["instruction_id"],
                Completion(told["instruction_id"], told["instruction"], 0, 0, [], told["task"]),
            )
            about.tries += 1
            about.completed += bool(told.get("success"))
            about.outcomes.append(told["outcome"])
            yield record
        low = [each for each in found.values() if each.completed < settings.low * each.tries]
        write_whole(tools.out / LOW_COMPLETION, b"".join(map(as_line, low)))
        self.facts |= {
            "instructions": len(found),
            "tries": sum(each.tries for each in found.values()),
            "completed tries": sum(each.completed for each in found.values()),
            "instructions with low completion": len(low),
            "the first of them": [each.instruction for each in low[:SHOWN]],
        }
