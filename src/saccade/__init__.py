"""Saccade: run, train and measure GUI agents.

    from saccade import run, open_world, get_paradigm, get_profile, score, reward

These are loaded when first asked for: `import saccade` alone imports the types and nothing else.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from saccade.actions import Action
from saccade.geometry import Box, Frame, Point, Size
from saccade.types import Element, Episode, Message, Picture, Screen, Step

if TYPE_CHECKING:
    from saccade.agents.run import run
    from saccade.paradigms import get_paradigm
    from saccade.scoring.evaluate import reward, score
    from saccade.scoring.profiles import get_profile
    from saccade.worlds import open_world

__version__ = "0.2.0"
__all__ = [
    "Action",
    "Box",
    "Element",
    "Episode",
    "Frame",
    "Message",
    "Picture",
    "Point",
    "Screen",
    "Size",
    "Step",
    "get_paradigm",
    "get_profile",
    "open_world",
    "reward",
    "run",
    "score",
]
_WHERE = {
    "get_paradigm": "saccade.paradigms",
    "get_profile": "saccade.scoring.profiles",
    "open_world": "saccade.worlds",
    "reward": "saccade.scoring.evaluate",
    "run": "saccade.agents.run",
    "score": "saccade.scoring.evaluate",
}
"""The rooms of the functions above."""


if not TYPE_CHECKING:  # a type checker is to complain of a name that is not there

    def __getattr__(name: str) -> Any:
        if name in _WHERE:
            return getattr(import_module(_WHERE[name]), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_WHERE])
