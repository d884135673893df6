"""Where the elements of a screen come from: the world's own tree, or a source that finds them in the picture.

A source is a plug-in (entry-point group `saccade.element_sources`): `saccade-vision` brings one. Every world can be
seen through it (`worlds.element_source_world`), and so can recordings (`data.element_filling`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from saccade.errors import InputError, MissingError
from saccade.geometry import Box, Size
from saccade.plugins import source_of
from saccade.registry import Registry
from saccade.types import Element, Language

if TYPE_CHECKING:
    from PIL import Image

TREE = "tree"
"""The name of no source: elements stay those that the world, or the recording, itself gives."""
PACKAGES = {"vision": "saccade-vision"}
"""What to install for a source that is asked for and not there."""


class ElementSource(ABC):
    """Finds elements in pictures."""

    name: str
    version: str = ""
    """Found elements are kept on disk by picture and version: it changes whenever the answers may."""

    @abstractmethod
    def find(self, image: Image.Image, language: Language) -> Sequence[Element]:
        """The elements of a screen, from an RGB picture, in reading order, with boxes in its pixels. `language` is that
        of captions; texts are in the language of the screen.

        It may keep what it knows of the screen before, as the next one of a run often repeats most of it. The answer
        must not depend on it.
        """

    def reset(self) -> None:  # noqa: B027  (most keep nothing)
        """Forget the screens so far: a new run begins."""


ELEMENT_SOURCES: Registry[Callable[..., ElementSource]] = Registry(
    "element source", {}, group="element_sources", accepts=callable
)


def source_names() -> list[str]:
    """What `--elements` takes."""
    return [TREE, *ELEMENT_SOURCES.names()]


def open_element_source(name: str, **options: Any) -> ElementSource | None:
    """A source by its name on the command line; None for `tree`."""
    if name == TREE:
        return None
    if name not in ELEMENT_SOURCES.names():
        if name in PACKAGES:
            raise MissingError(f"the element source {name} needs {PACKAGES[name]}: pip install 'saccade[{name}]'")
        raise InputError(f"unknown element source {name!r}: use one of {', '.join(source_names())}")
    opener = ELEMENT_SOURCES.get(name)
    source = opener(**options)
    if not isinstance(source, ElementSource):
        got = type(source).__name__
        raise InputError(f"{source_of(opener)}: it opens the element source {name!r} and returned {got}")
    return source


def elements_in_picture(
    source: ElementSource, picture: bytes | Image.Image, size: Size | None, language: Language
) -> list[Element]:
    """What a source finds in a picture, in pixels of a screen of that size: some worlds and data sets keep their
    pictures smaller than the screen. `ValueError` if it is no picture.
    """
    from saccade.screens.marks import open_picture  # noqa: PLC0415  (commands that draw nothing start without Pillow)

    image = open_picture(picture).convert("RGB")
    found = source.find(image, language)
    if not all(isinstance(element, Element) for element in found):
        raise InputError(f"{source_of(type(source).find)}: the element source {source.name} must return Elements")
    return _scaled(found, Size(*image.size), size) if size not in (None, image.size) else list(found)


def _scaled(elements: Sequence[Element], own: Size, size: Size | None) -> list[Element]:
    assert size is not None
    wide, high = size.width / own.width, size.height / own.height
    return [
        replace(element, box=Box(box.x0 * wide, box.y0 * high, box.x1 * wide, box.y1 * high))
        for element in elements
        for box in (element.box,)
    ]
