"""How the models that people use see a picture and write a place on it.

A model speaks of places on the picture that it was shown, not on the screenshot. Two things decide where that is: how
the picture is resized before it is shown (multiples of `factor`, within the paradigm's least and most pixels), and
whether the model counts pixels of that picture or a share of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from saccade.geometry import UNIT, Frame, Size, smart_resize
from saccade.types import Picture


@dataclass(frozen=True, slots=True)
class Family:
    """Models that share a convention."""

    name: str
    pattern: str
    """What their names have in common."""
    frame: Frame = Frame("resized")  # noqa: RUF009  (frozen)
    factor: int = 28
    most_pixels: int | None = None
    """The server shrinks larger pictures by itself, and then counts in its own pixels: never send one."""


PERMILLE = Frame("permille")
QWEN3 = r"qwen-?3\.\d|qwen-?3-?(vl|omni)|gui-?owl-?1\.5|ui-?venus-?1\.5|mai-?ui|holo-?[23]"
QWEN25 = r"qwen-?2\.5-?vl|gui-?r1|infigui|secagent|btl-?ui|uiloop|gui-?owl|ui-?venus|opencua|gta-?1|holo-?1"
FAMILIES = (
    Family("qwen3-vl", QWEN3, Frame("permille", span=999), factor=32),
    Family("ui-tars-1.5", r"ui-?tars-?(1\.5|2(?!b))"),
    Family("ui-tars", r"ui-?tars", PERMILLE),
    Family("qwen2.5-vl", QWEN25),
    Family("qwen2-vl", r"qwen-?2-?vl|os-?atlas|uground", PERMILLE),
    Family("unit", r"showui|aguvis|kimi", UNIT),
    Family("internvl", r"internvl|glm-?4(\.\d+)?v|cogagent|gemini", PERMILLE),
    # Servers shrink pictures to 1568 on the long side (Claude) or 768 on the short one (OpenAI): these many pixels keep
    # within that for screens up to 22:9, and from 4:3 on.
    Family("claude", r"claude", most_pixels=1_000_000),
    Family("openai", r"gpt|computer-use|\bo[34]\b", most_pixels=786_432),
)
DEFAULT = Family("default", "")


def family_of(model: str) -> Family:
    """The family a model's name belongs to; one that is unknown counts pixels of what it is shown."""
    return next((each for each in FAMILIES if re.search(each.pattern, model, re.IGNORECASE)), DEFAULT)


@dataclass(frozen=True, slots=True)
class Sight:
    """What one model is shown, and how it says where: chosen once for a run."""

    frame: Frame
    factor: int
    min_pixels: int
    max_pixels: int

    @classmethod
    def of(cls, model: str, pixels: tuple[int, int], coordinates: str | None = None) -> Sight:
        """For a model under a paradigm's limits. `coordinates` is the user's word, and outranks the family's."""
        family = family_of(model)
        frame, factor = Frame.parse(coordinates) if coordinates else family.frame, family.factor
        low, high = pixels
        if coordinates and frame.kind == "resized" and ":" in coordinates:
            factor, low, high = frame.factor, frame.min_pixels, frame.max_pixels
        high = min(high, family.most_pixels or high)
        if frame.kind in ("pixel", "resized"):  # both mean the picture that the model has before it
            frame = Frame("resized", factor=factor, min_pixels=low, max_pixels=high)
        return cls(frame, factor, low, high)

    def size(self, size: Size) -> Size:
        return smart_resize(size, self.factor, self.min_pixels, self.max_pixels)

    def show(self, picture: Picture | None) -> Picture | None:
        """The picture with the size at which the model is to see it; who sends it resizes it."""
        if picture is None or picture.size is None:
            return picture
        return replace(picture, shown=self.size(picture.size))
