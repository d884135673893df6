"""How a process reward model R(x, h_t, s_t, a_t) is asked (GuidNav §3.2): the same words in training and at inference.

The settings of the question are kept beside the weights, in `prm.json`. A model that was taught with pictures of
another size, another way to write places, or without the screen's elements would otherwise be asked something that it
never saw. So is how much it counts beside a policy, because whoever trained it has measured that.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Self

import msgspec

from saccade.actions import Action
from saccade.agents.guidance import RewardWeighting
from saccade.errors import InputError
from saccade.geometry import Frame, Point
from saccade.models.families import VisionSettings
from saccade.paradigms import get_paradigm
from saccade.paradigms.prompts import build_messages
from saccade.paradigms.wording import in_words, language_of
from saccade.records import read_object, write_object
from saccade.types import Language, Message, Screen

TEMPLATES = Path(__file__).parent / "templates"
FILE = "prm.json"


class RewardPrompt(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How one process reward model is asked. A model that reads another prompt has a subclass with its own `kind`."""

    kind: str = "vision"
    """`vision`, or the name under which a package brings its own reward model (`--reward KIND/PATH`)."""
    frame: str
    """How places are written."""
    pixels: tuple[int, int, int] | None = None
    """The side of a vision token, and the least and most pixels of a picture; none: it sees none."""
    told: bool = False
    """Are the screen's elements listed in the prompt?"""
    weighting: RewardWeighting = RewardWeighting()
    """How much its scores count beside the policy, where the user does not say otherwise."""

    summarised: ClassVar[bool] = True
    """Is it told the running summary of the episode where there is one? Else always the lines of what was done."""

    def template(self, language: Language) -> Path:
        """The file of the prompt."""
        return TEMPLATES / f"prm.{language}.j2"

    def messages(
        self, instruction: str, summary: str, screen: Screen, action: Action, plain: str = ""
    ) -> list[Message]:
        """The prompt with x, h_t, s_t and a_t. `summary` is `Case.summary`; `plain` is the task in its plainest
        wording, for models that are told it.
        """
        language, frame = language_of(instruction), Frame.parse(self.frame)
        written = get_paradigm("guidnav", frame=frame)
        sight = VisionSettings(frame, *self.pixels) if self.pixels else None
        variables = {
            "image": sight.show(screen.picture) if sight else None,
            "items": [written.item(each, screen) for each in screen.elements] if self.told else [],
            "instruction": instruction,
            "plain": plain,
            "summary": summary,
            "candidate": action_in_words(action, screen, frame, language),
            "language": language,
        }
        return build_messages(self.template(language), variables)

    def answer(self, instruction: str, screen: Screen, action: Action) -> str:
        """What stands behind the messages; the score is read off where it ends. Empty where the action is part of the
        messages.
        """
        return ""

    def save(self, folder: Path) -> None:
        """Write `prm.json` beside the model's weights."""
        write_object(folder / FILE, self)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read `prm.json` of a model's folder; one of another kind is refused with what to write instead."""
        if not folder.is_dir():
            raise InputError(f"there is no folder {str(folder)!r}: prm/PATH takes what saccade train prm wrote")
        wanted = "name the folder model/ of what saccade train prm wrote"
        found = read_object(folder / FILE, cls, f"{folder} is not a process reward model, it has no {FILE}: {wanted}")
        own = cls(frame="permille").kind
        if found.kind != own:
            raise InputError(
                f"{folder / FILE} has the kind {found.kind!r}, not {own!r}: use --reward {found.kind}/PATH"
            )
        try:
            Frame.parse(found.frame)
        except ValueError as error:
            raise InputError(f"{folder / FILE}: {error}") from None
        return found


def action_in_words(action: Action, screen: Screen, frame: Frame, language: Language) -> str:
    """An action in words, and where it is, because two buttons may have the same label. Of a swipe only the direction
    is told: demonstrations record where it begins and drawn wrong actions do not, which would give the label away.
    """
    words = in_words(action, screen, language)
    places = [action.point, action.start, action.end] if action.type != "swipe" else []
    written = [spelled(frame.encode(place, screen.size)) for place in places if place is not None]
    if action.point is not None and (nameless := spelled(Point(*map(round, action.point)))) in words:
        return words.replace(nameless, written[0])  # an element without a label is called by its place in pixels
    return " ".join([words, *written])


def spelled(point: Point) -> str:
    return f"[{point.x}, {point.y}]"
