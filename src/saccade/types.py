"""What every room talks about: elements, screens, steps, episodes, and the messages a model is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from saccade.actions import Action
from saccade.geometry import Box, Point, Size
from saccade.untrusted import read_bytes

Language = Literal["en", "zh"]
"""The languages that prompts, histories and messages to the model are written in."""


class Element(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """One thing on a screen."""

    id: int
    box: Box
    """Pixels; an element known only by a point has an empty box there."""
    type: str = ""
    text: str = ""
    """What it says."""
    caption: str = ""
    """What it is and does, in words."""
    interactive: bool = True
    leaf: bool = True
    """Does it hold no other element of the screen?"""
    state: str = ""
    """checked, selected, disabled, focused, expanded …, separated by spaces."""
    confidence: float | None = None
    """How sure its source is of it, from 0 to 1; None where the source does not say, such as a tree."""

    @property
    def center(self) -> Point:
        return self.box.center


@dataclass(frozen=True, slots=True)
class Picture:
    """An image in a message: a file, the bytes of one, or a function that makes them when somebody looks."""

    source: str | bytes | Callable[[], bytes]
    size: Size | None = None
    shown: Size | None = None
    """The size at which a model is to see it; none: as it is."""

    def data(self) -> bytes:
        if isinstance(self.source, str):
            return read_bytes(self.source)
        return self.source if isinstance(self.source, bytes) else self.source()


@dataclass(slots=True)
class Screen:
    """What an agent sees: a picture of known size, and the elements somebody found on it."""

    size: Size
    picture: Picture | None = None
    elements: Sequence[Element] = ()

    def _repr_png_(self) -> bytes | None:
        """In a notebook: the screenshot, with numbered marks where elements are known."""
        png: bytes | None = _notebook("screen_png")(self)
        return png

    def element(self, id: int) -> Element | None:
        return next((element for element in self.elements if element.id == id), None)

    def element_at(self, point: Point) -> Element | None:
        """The element a tap at `point` most likely means: of those that contain it, the one whose centre is
        nearest, then the smaller.
        """
        hits = [element for element in self.elements if element.box.contains(point)]
        return min(hits, key=lambda e: (e.center.distance(point), e.box.area), default=None)


class Step(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One line of a step file: prediction, ground truth and training row in one."""

    id: str = ""
    episode: str = ""
    step: int = 0
    instruction: str = ""
    step_instruction: str = ""
    """The low-level instruction of this very step, where the data has one."""
    screen: Size
    image: str = ""
    """Path of the screenshot, relative to the file."""
    history: list[str] = msgspec.field(default_factory=list)
    context: str = ""
    """The running summary of what happened before this step, which the prompt shows: SecAgent's C_{t-1}, GuidNav's
    h_t. Empty at the first step.
    """
    summary: str = ""
    """The running summary after this step, which the answer writes: SecAgent's C_t. Annotated in a recording, the
    model's own in a run's log.
    """
    elements: list[Element] = msgspec.field(default_factory=list)
    key_elements: list[Element] | None = None
    """The elements that matter for this step, most important first. None: nobody annotated them. An empty list: they
    were annotated, and nothing on this screen matters.
    """
    truth: list[Action] = msgspec.field(default_factory=list)
    """Every action that would be right; several make a multi-choice step."""
    prediction: Action | None = None
    output: str | None = None
    """The model's raw answer."""
    paradigm: str = ""
    thought: str = ""
    tags: dict[str, str] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        if min(self.screen) <= 0:
            raise ValueError(f"`screen` needs a positive width and height, got {list(self.screen)}")

    @property
    def grounding(self) -> bool:
        return is_grounding(self.tags)

    @property
    def view(self) -> Screen:
        return Screen(self.screen, Picture(self.image, self.screen) if self.image else None, self.elements)


SEVERAL = "; "
"""Between the values of a tag that has several: `type: Button; Label`."""


def is_grounding(tags: Mapping[str, str]) -> bool:
    """Samples that only ask for a place are tagged `task: grounding`; some rules treat them apart."""
    return tags.get("task") == "grounding"


class Episode(msgspec.Struct, kw_only=True):
    """The steps of one attempt at one instruction, in order."""

    id: str
    instruction: str = ""
    steps: list[Step] = msgspec.field(default_factory=list)
    folder: str = ""
    """Where the steps' images are named from."""

    def _repr_html_(self) -> str:
        """In a notebook: a thumbnail and the action of each step."""
        html: str = _notebook("episode_html")(self)
        return html


def _notebook(function: str) -> Callable[..., Any]:
    """A function that draws, looked up when a notebook asks for it: these types need neither Pillow nor other rooms."""
    return cast(Callable[..., Any], getattr(import_module("saccade.screens.notebook"), function))


def episodes(steps: Iterable[Step], folder: str | Path = "") -> list[Episode]:
    """Group steps by their episode, in order of first appearance; steps without one are left out. `folder` is where
    their images are named from.
    """
    found: dict[str, Episode] = {}
    for step in steps:
        if step.episode:
            episode = found.setdefault(step.episode, Episode(id=step.episode, instruction=step.instruction))
            episode.steps.append(step)
    for episode in found.values():
        episode.folder = str(folder)
        episode.steps.sort(key=lambda s: s.step)
    return list(found.values())


Role = Literal["system", "user", "assistant"]
Part = str | Picture


@dataclass(frozen=True, slots=True)
class Message:
    """One turn sent to a chat model: text and pictures in order."""

    role: Role
    content: tuple[Part, ...]

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else "<image>" for part in self.content)
