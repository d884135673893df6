"""The validator: what is wrong with a data set, where, and what training and test data share.

Findings come while the data is read, one after the other. Nothing is mended and nothing left out: that is up to whoever
reads them.
"""

from __future__ import annotations

import hashlib
import io
import re
import struct
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec
from PIL import Image

from saccade.actions import Action, direction_between
from saccade.data.readers.base import Dataset, Problem, Sample
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.types import Picture, Step

SLACK = 1
"""Pixels: coordinates are rounded, and shares of a screen do not end at whole ones."""
THIS = "this data set"
KINDS = {
    "record": "a record that cannot be read",
    "action": "an action that is not known, or not as it must be",
    "no-truth": "no action is said to be right",
    "instruction": "the instruction is empty",
    "letters": "letters were lost (U+FFFD)",
    "duplicate-id": "an id is used twice",
    "step-missing": "steps of an episode are missing",
    "step-order": "steps of an episode are out of order",
    "box-empty": "a box has no inside",
    "box-outside": "a box reaches outside the image",
    "point-outside-box": "a point lies outside its box",
    "point-outside-polygon": "a point lies outside its polygon",
    "point-outside": "a point lies outside the screen",
    "direction": "a swipe says another direction than its points",
    "image-missing": "an image is not there",
    "image-unreadable": "an image cannot be read to its end",
    "image-size": "an image has another size than the record says",
    "shared-episode": "an episode (id and instruction) is on both sides",
    "shared-screen": "a screenshot (same bytes) is on both sides",
    "shared-instruction": "an instruction (letters and digits, any case) is on both sides",
}
"""What is looked for."""


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong."""

    kind: str
    where: str
    """File, and line or record."""
    what: str


def check(
    dataset: Dataset, against: Dataset | None = None, *, pictures: bool = True, limit: int | None = None
) -> Iterator[Finding]:
    """All findings of a data set, and what it shares with another one.

    Without another one, what its own splits share, where samples say their split. `pictures`: open each one (all else
    is done without).
    """
    eye = Eye() if pictures else None
    overlap = Overlap(eye)
    if against is not None:
        for sample in _all(against, None):
            overlap.add(sample, f"{against.folder}{_chosen(against)}")
        yield from map(of_problem, against.problems)
    checker = Checker(eye)
    told = 0
    for sample in _all(dataset, limit):
        yield from map(of_problem, dataset.problems[told:])
        told = len(dataset.problems)
        yield from checker.findings(sample)
        if side := THIS if against is not None else sample.step.tags.get("split", ""):
            yield from overlap.add(sample, side)
    yield from map(of_problem, dataset.problems[told:])


def _all(dataset: Dataset, limit: int | None) -> Iterator[Sample]:
    """Bad records are findings here, not the end."""
    dataset.keep_going = True
    return islice(dataset.samples(), limit)


def _chosen(dataset: Dataset) -> str:
    options = ", ".join(f"{name}={value}" for name, value in dataset.options.items() if value)
    return f" ({options})" if options else ""


_ACTION = re.compile(r"""^[^'"]*?(?:action|\btruth\b)""", re.IGNORECASE)
"""Said by the reader itself, before it quotes the data."""


def of_problem(problem: Problem) -> Finding:
    """What a reader could not read. Its reason begins with the field."""
    where, reason = problem
    if reason.startswith("image: there is no file"):
        return Finding("image-missing", where, reason)
    if reason.startswith("image: "):
        return Finding("image-unreadable", where, reason)
    return Finding("action" if _ACTION.search(reason) else "record", where, reason)


class Checker:
    """Looks at one sample after the other; remembers ids, and where the episode was."""

    def __init__(self, eye: Eye | None) -> None:
        self.eye = eye
        self._ids: set[str] = set()
        self._episodes: set[str] = set()
        self._episode, self._step = "", 0

    def findings(self, sample: Sample) -> Iterator[Finding]:
        step, where = sample.step, sample.where or sample.step.id
        for kind, what in (
            *self._of_words(step),
            *self._of_order(step),
            *_of_places(step),
            *_of_picture(sample, self.eye),
        ):
            yield Finding(kind, where, what)

    def _of_words(self, step: Step) -> Iterator[tuple[str, str]]:
        if not step.instruction.strip() and not step.step_instruction.strip():
            yield "instruction", "instruction: it is empty"
        for name in ("instruction", "step_instruction"):
            if "\ufffd" in getattr(step, name):
                yield "letters", f"{name}: letters were lost in {getattr(step, name)[:60]!r}"
        if not step.truth:
            yield "no-truth", "truth: no action is given"
        if step.id in self._ids:
            yield "duplicate-id", f"id: {step.id!r} was used before"
        self._ids.add(step.id)

    def _of_order(self, step: Step) -> Iterator[tuple[str, str]]:
        """Steps of an episode follow each other, from 0 on."""
        if not step.episode:
            return
        if step.episode == self._episode:
            last = self._step
        elif step.episode in self._episodes:
            yield "step-order", f"episode: {step.episode!r} was already over, and goes on here"
            last = step.step - 1
        else:
            last = -1
        if step.step <= last:
            yield "step-order", f"step: {step.step} comes after {last} of episode {step.episode!r}"
        elif step.step > last + 1:
            gone = f"{last + 1}" if step.step == last + 2 else f"{last + 1} to {step.step - 1}"
            yield "step-missing", f"step: {gone} of episode {step.episode!r} is missing"
        self._episodes.add(step.episode)
        self._episode, self._step = step.episode, step.step


# -- places -----------------------------------------------------------------------------------------------------------


def _of_places(step: Step) -> Iterator[tuple[str, str]]:
    for at, action in enumerate(step.truth):
        yield from _of_action(action, f"truth[{at}]", step.screen)
    for at, element in enumerate(step.key_elements):
        if _leaves(element.box, step.screen):
            yield "box-outside", f"key_elements[{at}].box: {_far(element.box, step.screen)}"


def _of_action(action: Action, name: str, screen: Size) -> Iterator[tuple[str, str]]:
    box, point = action.box, action.point
    if box is not None:
        if box.x1 <= box.x0 or box.y1 <= box.y0:
            yield "box-empty", f"{name}.box: {_numbers(box)} has no inside"
        if _leaves(box, screen):
            yield "box-outside", f"{name}.box: {_far(box, screen)}"
        if point is not None and not _slack(box).contains(point):
            yield "point-outside-box", f"{name}.point: {_numbers(point)} is not in its box {_numbers(box)}"
        elif point is not None and not action.holds(point) and action.polygon:
            yield "point-outside-polygon", f"{name}.point: {_numbers(point)} is not in its polygon"
    for field in ("point", "start", "end"):
        place: Point | None = getattr(action, field)
        if place is not None and not Box(0, 0, *screen).contains(place):
            yield "point-outside", f"{name}.{field}: {_numbers(place)} is not on the screen of {_size(screen)}"
    if action.type == "swipe" and action.start and action.end and action.start != action.end:
        went = direction_between(action.start, action.end)
        if went != action.direction:
            yield "direction", f"{name}.direction: it says {action.direction}, and its points go {went}"


def _slack(box: Box) -> Box:
    return Box(box.x0 - SLACK, box.y0 - SLACK, box.x1 + SLACK, box.y1 + SLACK)


def _leaves(box: Box, screen: Size) -> bool:
    whole = _slack(Box(0, 0, *screen))
    return not (whole.contains(Point(box.x0, box.y0)) and whole.contains(Point(box.x1, box.y1)))


def _far(box: Box, screen: Size) -> str:
    off = box.x1 <= 0 or box.y1 <= 0 or box.x0 >= screen.width or box.y0 >= screen.height
    return f"{_numbers(box)} {'lies' if off else 'reaches'} outside the image of {_size(screen)}"


def _numbers(place: Box | Point) -> str:
    return "[" + ", ".join(f"{number:.6g}" for number in place) + "]"


def _size(size: Size) -> str:
    return f"{size.width}×{size.height}"


# -- pictures ---------------------------------------------------------------------------------------------------------


class PictureFacts(NamedTuple):
    """What a picture is: its size and a digest of its bytes, or why not."""

    size: Size | None = None
    digest: int = 0
    kind: str = ""
    problem: str = ""


class Eye:
    """Opens pictures and reads them to their end. Many samples may share a screen: the last files are remembered."""

    def __init__(self) -> None:
        self._file = lru_cache(maxsize=1024)(_look_at)
        self._last: tuple[Picture | None, PictureFacts] = None, PictureFacts()

    def look(self, picture: Picture) -> PictureFacts:
        if isinstance(picture.source, str):
            return self._file(picture.source)
        if picture is not self._last[0]:
            self._last = picture, self._inside(picture)
        return self._last[1]

    def _inside(self, picture: Picture) -> PictureFacts:
        try:
            return _look_into(picture.data(), "the picture")
        except (OSError, ValueError, InputError) as error:
            return PictureFacts(kind="image-unreadable", problem=f"image: it cannot be read: {error}")


def _look_at(file: str) -> PictureFacts:
    try:
        return _look_into(Path(file).read_bytes(), file)
    except (FileNotFoundError, NotADirectoryError):
        return PictureFacts(kind="image-missing", problem=f"image: there is no file {file}")
    except (OSError, ValueError) as error:
        return PictureFacts(kind="image-unreadable", problem=f"image: {file} cannot be read: {error}")


def _look_into(data: bytes, name: str) -> PictureFacts:
    """A PNG's checksums tell whether it is whole; of a JPEG an eighth is enough; others are decoded."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            size = Size(*image.size)
            if image.format == "PNG":
                image.verify()
            else:
                image.draft("L", (1, 1))
                image.load()
    except (
        OSError,
        SyntaxError,
        ValueError,
        EOFError,
        IndexError,
        KeyError,
        TypeError,
        struct.error,
        Image.DecompressionBombError,
    ) as error:
        return PictureFacts(kind="image-unreadable", problem=f"image: {name} cannot be read: {error}")
    return PictureFacts(size, _digest(data))


def _of_picture(sample: Sample, eye: Eye | None) -> Iterator[tuple[str, str]]:
    if sample.picture is None or eye is None:
        return
    seen = eye.look(sample.picture)
    if seen.size is None:
        yield seen.kind, seen.problem
    elif seen.size != sample.step.screen:
        turned = seen.size == (sample.step.screen.height, sample.step.screen.width)
        swapped = " (width and height are swapped)" if turned else ""
        yield "image-size", f"screen: {_size(sample.step.screen)}, and the image has {_size(seen.size)}{swapped}"


# -- what two sides share ---------------------------------------------------------------------------------------------


class Overlap:
    """What was seen on which side, as digests; what comes again on another side is told once.

    An episode is the same if its id and its instruction are: many sets just count their episodes.
    """

    def __init__(self, eye: Eye | None) -> None:
        self.eye = eye
        self._seen: dict[tuple[str, int], tuple[str, str]] = {}
        self._told: set[tuple[str, int, str]] = set()

    def add(self, sample: Sample, side: str) -> list[Finding]:
        """What this sample shares with an earlier one of another side."""
        where, shared = sample.where or sample.step.id, []
        for kind, name, key in self._keys(sample):
            first, first_where = self._seen.setdefault((kind, key), (side, where))
            if first != side and (kind, key, side) not in self._told:
                self._told.add((kind, key, side))
                shared.append(Finding(kind, where, f"{name} is also in {first}: {first_where}"))
        return shared

    def _keys(self, sample: Sample) -> Iterator[tuple[str, str, int]]:
        step = sample.step
        said = normal(step.instruction)
        if said:
            yield "shared-instruction", f"instruction: {step.instruction[:80]!r}", _digest(said)
            if step.episode:
                key = _digest(f"{step.episode}\n{said}")
                yield "shared-episode", f"episode: {step.episode!r}", key
        if self.eye is not None and sample.picture is not None:
            seen = self.eye.look(sample.picture)
            if seen.size is not None:
                yield "shared-screen", f"image: {step.image or 'the same picture'}", seen.digest


def normal(text: str) -> str:
    """Letters and digits only, in one case and one width: small changes make no other instruction.

    >>> normal("Open the Wi-Fi settings!") == normal("open the ｗｉｆｉ settings")
    True
    """
    return "".join(letter for letter in unicodedata.normalize("NFKC", text).casefold() if letter.isalnum())


def _digest(data: bytes | str) -> int:
    data = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest())
