"""What a stage of a pipeline is: a function from records to records, with typed settings.

A stage of one's own is a class in the entry-point group `saccade.stages`, or in a plug-in file; pipelines name it in
their YAML.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

import msgspec

from saccade.agents.hidden_settings import hidden
from saccade.data.synthesis.records import Dropped, Outcome, Record, picture_name, store_picture
from saccade.data.synthesis.roles.base import Answer, Role, Subject
from saccade.data.synthesis.roles.respondents import Respondent
from saccade.models.base import Usage
from saccade.types import Language, Picture, Step
from saccade.worlds.pool import WorldPool


class StoppedError(Exception):
    """The pipeline stopped before its end, for a reason that the user may want: what was made is kept."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of a stage; unknown keys are errors."""


class ReviewQueue(Protocol):
    """Where people judge what a pipeline made: `studio.review.pipeline_queue` has the studio's."""

    def add(self, kind: str, steps: Sequence[Step], folder: Path, opinions: int = 0) -> str:
        """Put an item in the queue, once; returns its key."""

    def decided(self, keys: Iterable[str]) -> Mapping[str, Any]:
        """The decisions there are, by key: `verdict` (accepted, changed, rejected), `reason`, `steps` as people left
        them.
        """

    def agreement(self) -> dict[str, Any]:
        """How far two opinions agree, for the manifest."""

    def close(self) -> None: ...


@dataclass
class Tools:
    """What a stage may use. One for each process."""

    out: Path
    """The pipeline's output folder; images of steps are named relative to it."""
    seed: int = 0
    respondent: Respondent | None = None
    policy: str = ""
    """The model that plays (`--policy`), where a stage plays."""
    files: Path | None = None
    """In a worker: the folder of this try, whose files the driver puts in place."""
    carried: dict[str, bytes] = field(default_factory=dict)
    """Pictures that travelled with the job, where the worker cannot read `out`."""
    usage: Usage = field(default_factory=Usage)
    """What was paid since the driver looked last."""
    worlds: WorldPool = field(default_factory=WorldPool)
    review: ReviewQueue | None = None
    waiting: Callable[[int], bool] = lambda missing: False
    """Called with the number of reviews that are missing; True: look again, False: stop here."""

    def picture(self, image: str) -> Picture:
        """The picture of a step's image."""
        if image in self.carried:
            return Picture(self.carried[image])
        if self.files is not None and (self.files / image).is_file():
            return Picture(str(self.files / image))
        return Picture(str(self.out / image))

    def keep_picture(self, data: bytes) -> str:
        """Store a new picture; returns the image's name for a step."""
        if self.files is None:
            return store_picture(self.out, data)
        name = picture_name(data)
        (self.files / name).parent.mkdir(parents=True, exist_ok=True)
        (self.files / name).write_bytes(data)
        return name

    def chance(self, *key: object) -> random.Random:
        """Chance that depends on the pipeline's seed and the key alone, not on the order of the work."""
        return random.Random("/".join(map(str, (self.seed, *key))))

    def ask(self, role: Role[Subject, Answer], subject: Subject, language: Language) -> Answer:
        """The answer of a role. Raises `UnansweredError`, which drops the record."""
        assert self.respondent is not None, "the pipeline names no role, but a stage asks one"
        answer, paid = self.respondent.answer(role, subject, language, self.picture)
        self.usage += paid
        return answer

    def close(self) -> None:
        self.worlds.close()
        if self.respondent is not None:
            self.respondent.close()


class Stage(ABC):
    """One stage with its settings."""

    name: ClassVar[str]
    title: ClassVar[str]
    """What it does, in one sentence, for `--stages`."""
    kind: ClassVar[type[Settings]] = Settings
    """The class of its settings."""
    roles: ClassVar[tuple[Role[Any, Any], ...]] = ()
    """Whom it asks."""
    before_mask: ClassVar[bool] = False
    """Does it need its records before personal data is masked (`--mask`)?"""
    masks: ClassVar[bool] = False
    """Does it mask personal data? Then what the stages before it made does not stay in the output folder."""

    def check(self, policy: str) -> None:  # noqa: B027  (most take any)
        """Raise `InputError` where this can never work with what the user asks for, before anything is begun."""

    def __init__(self, settings: Any) -> None:
        self.settings = settings
        self.facts: dict[str, Any] = {}
        """Figures for the manifest, beside the counts (of stages that see all records)."""

    def told_settings(self) -> dict[str, Any]:
        """The settings as the manifest and the other files of the output folder have them: without secrets."""
        told: dict[str, Any] = hidden(msgspec.to_builtins(self.settings))
        return told


class ItemStage(Stage):
    """Makes something of one record at a time; records are worked through in parallel where that is worth it."""

    plays: ClassVar[bool] = False
    """Does it open worlds?"""

    @abstractmethod
    def do(self, record: Record, tools: Tools) -> Outcome:
        """`kept(…)` or `dropped(…)`. It must depend on the record, the settings, the seed and answers alone."""


class WholeStage(Stage):
    """Sees all records in order: it may compare them. It must be quick, as it is done again after an interruption."""

    @abstractmethod
    def do(self, records: Iterator[Record], tools: Tools) -> Iterator[Record | Dropped]: ...
