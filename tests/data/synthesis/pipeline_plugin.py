"""A pipeline as a user would write one: a role, three stages and a YAML file, in one plug-in file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from saccade.data.synthesis.records import Dropped, Outcome, Record, dropped, kept
from saccade.data.synthesis.roles.base import Role, read_json
from saccade.data.synthesis.stage import ItemStage, Settings, Tools, WholeStage
from saccade.types import Picture


class Title(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the writer answers."""

    title: str


class TitleWriter(Role[Record, Title]):
    """Gives a screen a title."""

    name: ClassVar[str] = "title_writer"

    def variables(self, subject: Record, picture: Callable[[str], Picture]) -> dict[str, Any]:
        return {"image": picture(subject.step.image), "id": subject.id}

    def read(self, text: str, subject: Record) -> Title:
        found = read_json(text, Title)
        if len(found.title.split()) < 2:
            raise ValueError("the title has one word: write at least two")
        return found

    def taught(self, subject: Record) -> Title:
        return Title(f"taught {subject.id}")


class WriteTitle(ItemStage):
    """Asks for a title."""

    name: ClassVar[str] = "write_title"
    title: ClassVar[str] = "Ask for a title."
    roles: ClassVar[tuple[Role[Any, Any], ...]] = (TitleWriter(),)

    def do(self, record: Record, tools: Tools) -> Outcome:
        answer = tools.ask(self.roles[0], record, "en")
        return kept(replace(record, steps=[replace(record.step, instruction=answer.title)]))


class ThinSettings(Settings, frozen=True):
    """Settings of `thin_out`."""

    share: float = 0.5


class ThinOut(ItemStage):
    """Drops a share by chance."""

    name: ClassVar[str] = "thin_out"
    title: ClassVar[str] = "Drop a share of the records."
    kind: ClassVar[type[Settings]] = ThinSettings

    def do(self, record: Record, tools: Tools) -> Outcome:
        if tools.chance(self.name, record.id).random() < self.settings.share:
            return dropped(record, "the lot fell on it", record.id)
        return kept(record)


class OncePerTitle(WholeStage):
    """Keeps the first record of each title."""

    name: ClassVar[str] = "once_per_title"
    title: ClassVar[str] = "Keep one record of each title."

    def do(self, records: Iterator[Record], tools: Tools) -> Iterator[Record | Dropped]:
        seen = set[str]()
        for record in records:
            if record.step.instruction in seen:
                yield Dropped(record.id, "its title was there before", record.step.instruction)
            else:
                yield record
            seen.add(record.step.instruction)
        self.facts["titles"] = len(seen)


SACCADE = {
    "stages": {"write_title": WriteTitle, "thin_out": ThinOut, "once_per_title": OncePerTitle},
    "pipelines": {"tests": Path(__file__).parent / "pipelines"},
}
