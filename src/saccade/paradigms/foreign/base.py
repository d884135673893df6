"""What the readers of other people's formats share: no prompt of ours, one name per key, nothing lost in writing."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from saccade.actions import Action, Convention, swipe_direction
from saccade.errors import InputError
from saccade.geometry import Frame, Size
from saccade.paradigms.base import Notes, Paradigm, Parsed, Reply, Situation
from saccade.paradigms.foreign.keys import canonical, chord, key_name
from saccade.paradigms.verbs import Verb, Vocabulary
from saccade.types import Message, Screen


@dataclass(frozen=True, kw_only=True)
class Foreign(Paradigm):
    """A format that is read and written but not asked for: the prompt belongs to the model it comes from."""

    has_prompt = False

    def messages(self, situation: Situation) -> list[Message]:
        if self.template is None:
            raise InputError(f"the format {self.name} is read only, it has no prompt of ours: give a template file")
        return super().messages(situation)

    def _read(self, text: str, screen: Screen) -> Parsed:
        notes = Notes()
        think, answer = self._split(text, notes.repairs)
        action = None
        try:
            action = self._action(answer, screen, notes.repairs)
        except (ValueError, OverflowError, RecursionError) as error:
            notes.fail(str(error))
        return notes.parsed(Reply(action, think=think))

    @abstractmethod
    def _split(self, text: str, repairs: list[str]) -> tuple[str, Any]:
        """The thinking, and what holds the action."""

    @abstractmethod
    def _action(self, answer: Any, screen: Screen, repairs: list[str]) -> Action:
        """Read the action; raises `ValueError` with the reason."""


class ForeignVocabulary(Vocabulary):
    """Verbs of a format that is not ours. Keys get the one name used here, and nothing is lost in writing: where an
    argument is missing that the format insists on, a swipe gets the usual path; what it cannot carry is an error.
    """

    def knows(self, name: Any) -> bool:
        return isinstance(name, str) and name in self._by_name

    def decode(self, call: Mapping[str, Any], *rest: Any) -> Action:
        call = self.plain_call(call, rest[-1])
        if isinstance(keys := call.get("keys"), list):
            call = {**call, "keys": chord(keys)}
        action = super().decode(call, *rest)
        return action if action.key is None else replace(action, key=key_name(action.key))

    def encode(self, action: Action, size: Size, frame: Frame, swipe: Convention) -> dict[str, Any]:
        if action.key is not None:
            canonical(action.key)
        verb = self._verb_for(action)
        _refuse_path_loss(action, verb)
        call = super().encode(action, size, frame, swipe)
        for argument in verb.optional:
            if getattr(action, verb.arguments[argument]) is None:
                call.pop(argument, None)
        return self.own_call(call, action)

    def plain_call(self, call: Mapping[str, Any], repairs: list[str]) -> Mapping[str, Any]:
        """A call as the format writes it, with the arguments that the table of verbs names."""
        return call

    def own_call(self, call: dict[str, Any], action: Action) -> dict[str, Any]:
        """A call with the arguments of the table, as the format writes it."""
        return call


def _refuse_path_loss(action: Action, verb: Verb) -> None:
    """Raise for fields that `Vocabulary` would drop without a word."""
    carried = verb.arguments.values()
    for name in ("start", "end", "seconds"):
        if getattr(action, name) is not None and name not in carried:
            raise ValueError(f"{verb.name} cannot carry `{name}`")
    if action.type == "swipe" and action.start is None and action.end is not None:
        raise ValueError("the swipe has an end but no start")
    if action.type == "swipe" and action.start is not None and action.start == action.end:
        raise ValueError("the swipe goes nowhere")
    if action.type == "swipe" and "direction" not in carried and swipe_direction(action) != action.direction:
        raise ValueError("the swipe's points and its direction disagree")
