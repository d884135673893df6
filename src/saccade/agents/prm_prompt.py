"""How a process reward model R(x, h_t, s_t, a_t) is asked (GuidNav §3.2): the same words in training and at inference.

What it is asked with is kept beside its weights, in `prm.json`: a model that was taught with pictures of another size,
another way to write places, or without the screen's elements, would be asked something that it never saw. So is how far
it is believed beside a policy, for whoever trained it has measured that.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from saccade.actions import Action
from saccade.agents.guidance import RewardWeighting
from saccade.errors import InputError
from saccade.geometry import Frame, Point
from saccade.models.families import Sight
from saccade.paradigms import get_paradigm
from saccade.paradigms.base import Language
from saccade.paradigms.prompts import build_messages
from saccade.paradigms.wording import in_words, language_of
from saccade.records import read_object, write_object
from saccade.types import Message, Screen

TEMPLATES = Path(__file__).parent / "templates"
FILE = "prm.json"


class Asking(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How one process reward model is asked."""

    kind: Literal["vision", "mini"]
    frame: str
    """How places are written."""
    pixels: tuple[int, int, int] | None = None
    """The side of a vision token, and the least and most pixels of a picture; none: it sees none."""
    told: bool = False
    """Are the screen's elements told?"""
    heard: RewardWeighting = RewardWeighting()
    """How it is listened to, where the user does not say otherwise."""

    @classmethod
    def of(cls, kind: Literal["vision", "mini"], frame: Frame, sight: Sight | None, told: bool) -> Asking:
        pixels = (sight.factor, sight.min_pixels, sight.max_pixels) if sight else None
        return cls(kind=kind, frame=str(frame), pixels=pixels, told=told)

    def messages(
        self, instruction: str, summary: str, screen: Screen, action: Action, plain: str = ""
    ) -> list[Message]:
        """x, h_t, s_t and a_t in words. What was done before is told as `Case.summary` tells it. `plain` is the task as
        a mini puts it.
        """
        language, frame = language_of(instruction), Frame.parse(self.frame)
        written = get_paradigm("guidnav", frame=frame)
        sight = Sight(frame, *self.pixels) if self.pixels else None
        variables = {
            "image": sight.show(screen.picture) if sight else None,
            "items": [written.item(each, screen) for each in screen.elements] if self.told else [],
            "instruction": instruction,
            "plain": plain,
            "summary": summary,
            "candidate": proposed(action, screen, frame, language),
            "language": language,
        }
        template = "prm-mini" if self.kind == "mini" else f"prm.{language}"
        return build_messages(TEMPLATES / f"{template}.j2", variables)

    def answer(self, instruction: str, screen: Screen, action: Action) -> str:
        """The action, where it stands behind the messages and not in them: the mini points at elements only in what it
        answers. The score is read off where all this ends.
        """
        if self.kind != "mini":
            return ""
        return proposed(action, screen, Frame.parse(self.frame), language_of(instruction))

    def save(self, folder: Path) -> None:
        write_object(folder / FILE, self)

    @classmethod
    def load(cls, folder: Path) -> Asking:
        if not folder.is_dir():
            raise InputError(f"there is no folder {str(folder)!r}: prm/PATH takes what saccade train prm wrote")
        wanted = "name the folder model/ of what saccade train prm wrote"
        found = read_object(folder / FILE, cls, f"{folder} is not a process reward model, it has no {FILE}: {wanted}")
        try:
            Frame.parse(found.frame)
        except ValueError as error:
            raise InputError(f"{folder / FILE}: {error}") from None
        return found


def proposed(action: Action, screen: Screen, frame: Frame, language: Language) -> str:
    """An action in words, and where it is: two buttons may say the same. Of a swipe only the direction counts; where it
    begins would tell demonstrations, which say it, from what somebody drew.
    """
    words = in_words(action, screen, language)
    places = [action.point, action.start, action.end] if action.type != "swipe" else []
    written = [spelled(frame.encode(place, screen.size)) for place in places if place is not None]
    if action.point is not None and (nameless := spelled(Point(*map(round, action.point)))) in words:
        return words.replace(nameless, written[0])  # it has no name, and was called by its place in pixels
    return " ".join([words, *written])


def spelled(point: Point) -> str:
    return f"[{point.x}, {point.y}]"
