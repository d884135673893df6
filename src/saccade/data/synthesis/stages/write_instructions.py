"""Instructions of the navigation flywheel (SecAgent §3.2 (1)): written, judged, put in other words, far apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from saccade.data.instruction_filter import far_apart
from saccade.data.synthesis.navigation_plan import in_other_words, instruction_of, instruction_step, task_of
from saccade.data.synthesis.records import Dropped, Outcome, Record, dropped, kept
from saccade.data.synthesis.roles.base import Role
from saccade.data.synthesis.roles.instruction_judge import InstructionJudge
from saccade.data.synthesis.roles.instruction_writer import InstructionWriter, WantedInstructions
from saccade.data.synthesis.roles.paraphraser import Paraphraser, WantedWordings
from saccade.data.synthesis.stage import ItemStage, Settings, Tools, WholeStage

LEAST_EDITS = 6
"""SecAgent §3.3: instructions are so many edits apart."""


class WriteInstructions(ItemStage):
    """A model with the app's function descriptions writes candidates; the world's own tasks go on as they are."""

    name: ClassVar[str] = "write_instructions"
    title: ClassVar[str] = "Write candidate instructions from what each app can do."
    roles: ClassVar[tuple[Role[Any, Any], ...]] = (InstructionWriter(),)

    def do(self, record: Record, tools: Tools) -> Outcome:
        if "functions" not in record.fields:
            return kept(record)
        told = record.fields
        wanted = WantedInstructions(told["app"], told["functions"], told["wanted"], told["list"], told["language"])
        answer = tools.ask(self.roles[0], wanted, record.language)
        task, made = task_of(record), []
        for at, text in enumerate(answer.instructions):
            name = f"{record.id}-{at:02}"
            seed = tools.chance(name).randrange(1_000_000)
            fields = {
                "language": told["language"],
                "written": True,
                "functions_of": told["functions"],
                "task": msgspec.to_builtins(replace(task, id=name, seed=seed)),
            }
            made.append(Record(id=name, steps=[instruction_step(name, text, task.tags)], fields=fields))
        return kept(*made)


class JudgeInstructions(ItemStage):
    """What people check in the paper: feasible, clear, realistic."""

    name: ClassVar[str] = "judge_instructions"
    title: ClassVar[str] = "Keep written instructions that are feasible, clear and realistic."
    roles: ClassVar[tuple[Role[Any, Any], ...]] = (InstructionJudge(),)

    def do(self, record: Record, tools: Tools) -> Outcome:
        if not record.fields.get("written"):
            return kept(record)
        verdict = tools.ask(self.roles[0], record, record.language)
        for question in ("feasible", "clear", "realistic"):
            if not getattr(verdict, question):
                return dropped(record, f"it is not {question}", f"{record.step.instruction}: {verdict.reason}")
        return kept(record)


class ParaphraseSettings(Settings, frozen=True):
    """Settings of `paraphrase_instructions`."""

    wordings: int = 0
    """In how many other ways each instruction is put."""


class ParaphraseInstructions(ItemStage):
    """Each instruction as it is, and in other words. The task stays the same."""

    name: ClassVar[str] = "paraphrase_instructions"
    title: ClassVar[str] = "Put each instruction in other words."
    kind: ClassVar[type[Settings]] = ParaphraseSettings
    roles: ClassVar[tuple[Role[Any, Any], ...]] = (Paraphraser(),)

    def do(self, record: Record, tools: Tools) -> Outcome:
        said = instruction_of(record)
        if not self.settings.wordings or not said:
            return kept(record)
        wanted = WantedWordings(said, self.settings.wordings, record.language)
        answer = tools.ask(self.roles[0], wanted, record.language)
        return kept(record, *(in_other_words(record, at, text) for at, text in enumerate(answer.wordings, 1)))


class DistinctSettings(Settings, frozen=True):
    """Settings of `distinct_instructions`."""

    least_edits: int = LEAST_EDITS
    most: int = 0
    """So many go on, the first ones; 0: all."""


class DistinctInstructions(WholeStage):
    """No two instructions are nearer to each other than so many edits; of several, the first is kept. A task whose
    instruction only its world knows goes on unseen.
    """

    name: ClassVar[str] = "distinct_instructions"
    title: ClassVar[str] = "Keep instructions that are far enough apart."
    kind: ClassVar[type[Settings]] = DistinctSettings

    def do(self, records: Iterator[Record], tools: Tools) -> Iterator[Record | Dropped]:
        settings: DistinctSettings = self.settings
        everything = list(records)
        known = [record for record in everything if instruction_of(record)]
        apart = far_apart(map(instruction_of, known), settings.least_edits)
        far = {record.id: keep for record, keep in zip(known, apart, strict=True)}
        count = 0
        for record in everything:
            if not far.get(record.id, True):
                yield Dropped(record.id, "another instruction is nearly the same", instruction_of(record))
            elif settings.most and count >= settings.most:
                yield Dropped(record.id, "there are enough instructions")
            else:
                count += 1
                yield record
