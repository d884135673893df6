"""What a reward is: a completion and its row of data in, named parts and one number out.

The public functions have the shape that TRL calls, `(completions, **columns) -> list[float]`. Columns are those of a
step record: `truth` and `screen`, and where the paper uses them `key_elements` and `elements`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import msgspec

from saccade.actions import Action, read_action
from saccade.errors import InputError
from saccade.geometry import Size
from saccade.scoring.profiles.base import MatchContext
from saccade.typed_values import to_type
from saccade.types import Element, Screen, Step, is_grounding
from saccade.untrusted import decode_json

Completion = str | Sequence[Mapping[str, Any]]
"""Text, or the messages of a conversational trainer."""


class RewardRow(NamedTuple):
    """One completion with what is known of its step."""

    text: str
    screen: Screen
    truth: Sequence[Action]
    key_elements: Sequence[Element] | None = None
    """None: nobody annotated them."""
    grounding: bool = False

    @property
    def context(self) -> MatchContext:
        return MatchContext(self.screen.size, self.screen.elements, self.grounding)

    @classmethod
    def of_step(cls, step: Step) -> RewardRow:
        return cls(step.output or "", step.view, step.truth, step.key_elements, step.grounding)


class Reward(ABC):
    """A paper's reward. `parts` are the terms as the paper names them; `total` is its formula."""

    name: ClassVar[str]
    part_names: ClassVar[tuple[str, ...]] = ()
    """All parts that a row can have. Some trainers want the same numbers for every row."""

    @abstractmethod
    def parts(self, row: RewardRow) -> dict[str, float]: ...

    @abstractmethod
    def total(self, parts: Mapping[str, float]) -> float:
        """The formula over the parts that there are: a term that is left out adds nothing."""

    def incomplete(self, row: RewardRow) -> bool:
        """Is a term left out, because the row has no key elements that it could be computed from?"""
        return False

    def breakdown(self, completions: Sequence[Completion], **columns: Any) -> list[dict[str, float]]:
        """The parts of each completion, for logs."""
        return [self.parts(row) for row in rows(completions, columns)]

    def __call__(self, completions: Sequence[Completion], **columns: Any) -> list[float]:
        return [self.total(self.parts(row)) for row in rows(completions, columns)]


def rows(completions: Sequence[Completion], columns: Mapping[str, Any]) -> Iterator[RewardRow]:
    """Completions with their columns, as a trainer passes them."""
    for name in ("truth", "screen"):
        if columns.get(name) is None:
            raise InputError(f"the reward needs a column `{name}`: see docs/REWARDS.md for the columns it reads")
    nothing = [None] * len(completions)
    names = ("truth", "screen", "key_elements", "elements", "tags")
    for at, (completion, truth, screen, key, elements, tags) in enumerate(
        zip(completions, *(columns.get(name) or nothing for name in names), strict=True)
    ):
        try:
            yield RewardRow(
                text_of(completion),
                Screen(Size(*_decoded(screen)), None, read_elements(elements) if elements else ()),
                read_truth(truth),
                None if key is None else read_elements(key),
                is_grounding(_decoded(tags)) if tags else False,
            )
        except (ValueError, TypeError) as error:
            raise InputError(f"row {at} of the batch: {error}") from None


def text_of(completion: Completion) -> str:
    """The text of a completion, whichever way the trainer wraps it."""
    if isinstance(completion, str):
        return completion
    content = completion[-1]["content"] if completion else ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or "" for part in content if isinstance(part, Mapping))


def _decoded(value: Any) -> Any:
    return decode_json(value) if isinstance(value, str) else value


def read_truth(value: Any) -> list[Action]:
    """One or more valid actions: objects, dicts, or JSON text (tables hold mixed types only as text)."""
    value = _decoded(value)
    if not isinstance(value, (list, tuple)):
        value = [value]
    return [read_action(item) for item in value]


def read_elements(value: Any) -> list[Element]:
    value = _decoded(value)
    try:
        return to_type(value, list[Element])
    except msgspec.ValidationError:  # tables fill absent fields with null
        present = [{key: field for key, field in item.items() if field is not None} for item in value]
        return to_type(present, list[Element])
