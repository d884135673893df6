"""Model families: how their models see pictures and write coordinates.

A model's coordinates refer to the picture that it was shown, not to the screenshot. They depend on how the picture is
resized (to multiples of `factor`, within the paradigm's minimum and maximum of pixels) and on whether the model counts
pixels of that picture or shares of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from saccade.geometry import UNIT, Frame, Size, smart_resize
from saccade.types import Picture


@dataclass(frozen=True, slots=True)
class Family:
    """Models that share a convention for pictures and coordinates."""

    name: str
    pattern: str
    """A regular expression for the names of its models."""
    frame: Frame = Frame("resized")  # noqa: RUF009  (frozen)
    factor: int = 28
    most_pixels: int | None = None
    """The server shrinks larger pictures and then counts its own pixels, so larger ones must not be sent."""


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
    # Servers shrink pictures to 1568 on the long side (Claude) or 768 on the short one (OpenAI). These pixel counts
    # stay below that for screens up to 22:9 (Claude) and from 4:3 on (OpenAI).
    Family("claude", r"claude", most_pixels=1_000_000),
    Family("openai", r"gpt|computer-use|\bo[34]\b", most_pixels=786_432),
)
DEFAULT = Family("default", "")


def family_of(model: str) -> Family:
    """The family of a model by its name; unknown models use pixels of the picture that they are shown."""
    return next((each for each in FAMILIES if re.search(each.pattern, model, re.IGNORECASE)), DEFAULT)


@dataclass(frozen=True, slots=True)
class VisionSettings:
    """How pictures are resized for one model, and the frame of its coordinates; fixed for a run."""

    frame: Frame
    factor: int
    min_pixels: int
    max_pixels: int

    @classmethod
    def of(cls, model: str, pixels: tuple[int, int], coordinates: str | None = None) -> VisionSettings:
        """The settings for a model within a paradigm's pixel limits. `coordinates`, if given, override the family's
        frame.
        """
        family = family_of(model)
        frame, factor = Frame.parse(coordinates) if coordinates else family.frame, family.factor
        low, high = pixels
        if coordinates and frame.kind == "resized" and ":" in coordinates:
            factor, low, high = frame.factor, frame.min_pixels, frame.max_pixels
        high = min(high, family.most_pixels or high)
        if frame.kind in ("pixel", "resized"):  # both refer to the picture that the model is shown
            frame = Frame("resized", factor=factor, min_pixels=low, max_pixels=high)
        return cls(frame, factor, low, high)

    def size(self, size: Size) -> Size:
        return smart_resize(size, self.factor, self.min_pixels, self.max_pixels)

    def show(self, picture: Picture | None) -> Picture | None:
        """The picture with the size at which the model sees it; it is resized when it is sent."""
        if picture is None or picture.size is None:
            return picture
        return replace(picture, shown=self.size(picture.size))
