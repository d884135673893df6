"""Validates a data set: reports errors and where they are, and overlap between training and test data.

Findings are yielded while the data is read. Nothing is repaired or left out.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import msgspec

from saccade.actions import Action, direction_between
from saccade.data.readers.base import Dataset, Problem, Sample
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.types import Picture, Step
from saccade.untrusted import PictureError, check_picture, read_bytes

SLACK = 1
"""Tolerance in pixels: coordinates are rounded."""
THIS = "this data set"
KINDS = {
    "record": "a record that cannot be read",
    "action": "an action that is unknown or not valid",
    "no-truth": "no right action is given",
    "instruction": "the instruction is empty",
    "letters": "letters were lost (U+FFFD)",
    "duplicate-id": "an id is used twice",
    "step-missing": "steps of an episode are missing",
    "step-order": "steps of an episode are out of order",
    "box-empty": "a box has no area",
    "box-outside": "a box reaches outside the image",
    "point-outside-box": "a point lies outside its box",
    "point-outside-polygon": "a point lies outside its polygon",
    "point-outside": "a point lies outside the screen",
    "direction": "the direction of a swipe differs from its points",
    "image-missing": "an image file is missing",
    "image-unreadable": "an image cannot be read completely",
    "image-size": "the size of an image differs from the record",
    "shared-episode": "an episode (id and instruction) is on both sides",
    "shared-screen": "a screenshot (same bytes) is on both sides",
    "shared-instruction": "an instruction (letters and digits, any case) is on both sides",
}
"""Kinds of findings."""


class Finding(msgspec.Struct, frozen=True):
    """One error or overlap."""

    kind: str
    where: str
    """File, and line or record."""
    what: str


def check(
    dataset: Dataset, against: Dataset | None = None, *, pictures: bool = True, limit: int | None = None
) -> Iterator[Finding]:
    """All findings of a data set, and its overlap with the data set `against`.

    Without `against`, the overlap of its own splits, if samples are tagged with a split. `pictures`: open every picture
    (no other check needs them).
    """
    picture_checker = PictureChecker() if pictures else None
    overlap = Overlap(picture_checker)
    if against is not None:
        for sample in _all(against, None):
            overlap.add(sample, f"{against.folder}{_chosen(against)}")
        yield from map(problem_finding, against.problems)
    checker = Checker(picture_checker)
    reported = 0
    for sample in _all(dataset, limit):
        yield from map(problem_finding, dataset.problems[reported:])
        reported = len(dataset.problems)
        yield from checker.findings(sample)
        if side := THIS if against is not None else sample.step.tags.get("split", ""):
            yield from overlap.add(sample, side)
    yield from map(problem_finding, dataset.problems[reported:])


def _all(dataset: Dataset, limit: int | None) -> Iterator[Sample]:
    """All samples; bad records are collected as problems instead of stopping the reader."""
    dataset.keep_going = True
    return islice(dataset.samples(), limit)


def _chosen(dataset: Dataset) -> str:
    usual = {name: values[:1] for name, values in dataset.choices.items()}
    chosen = {name: value for name, value in dataset.options.items() if value and (value,) != usual.get(name)}
    options = ", ".join(f"{name}={value}" for name, value in chosen.items())
    return f" ({options})" if options else ""


_ACTION = re.compile(r"""^[^'"]*?(?:action|\btruth\b)""", re.IGNORECASE)
"""Matches reasons in which the reader itself, before any quoted data, mentions an action."""


def problem_finding(problem: Problem) -> Finding:
    """The finding for a record that a reader could not read. Its reason begins with the field."""
    where, reason = problem
    if reason.startswith("image: there is no file"):
        return Finding("image-missing", where, reason)
    if reason.startswith("image: "):
        return Finding("image-unreadable", where, reason)
    return Finding("action" if _ACTION.search(reason) else "record", where, reason)


class Checker:
    """Checks samples one by one; remembers ids and the position in the episode."""

    def __init__(self, picture_checker: PictureChecker | None) -> None:
        self.picture_checker = picture_checker
        self._ids: set[str] = set()
        self._episodes: set[str] = set()
        self._episode, self._step = "", 0

    def findings(self, sample: Sample) -> Iterator[Finding]:
        step, where = sample.step, sample.where or sample.step.id
        for kind, what in (
            *self._text_findings(step),
            *self._order_findings(step),
            *_place_findings(step),
            *_picture_findings(sample, self.picture_checker),
        ):
            yield Finding(kind, where, what)

    def _text_findings(self, step: Step) -> Iterator[tuple[str, str]]:
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

    def _order_findings(self, step: Step) -> Iterator[tuple[str, str]]:
        """Steps of an episode must be consecutive, starting at 0."""
        if not step.episode:
            return
        if step.episode == self._episode:
            last = self._step
        elif step.episode in self._episodes:
            yield "step-order", f"episode: {step.episode!r} had ended before, and continues here"
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


def _place_findings(step: Step) -> Iterator[tuple[str, str]]:
    for at, action in enumerate(step.truth):
        yield from _action_findings(action, f"truth[{at}]", step.screen)
    for at, element in enumerate(step.key_elements or ()):
        if _leaves(element.box, step.screen):
            yield "box-outside", f"key_elements[{at}].box: {_far(element.box, step.screen)}"


def _action_findings(action: Action, name: str, screen: Size) -> Iterator[tuple[str, str]]:
    box, point = action.box, action.point
    if box is not None:
        if box.x1 <= box.x0 or box.y1 <= box.y0:
            yield "box-empty", f"{name}.box: {_numbers(box)} has no area"
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
            yield "direction", f"{name}.direction: it is {action.direction}, but its points go {went}"


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
    """Size and digest of a picture, or why it cannot be read."""

    size: Size | None = None
    digest: int = 0
    kind: str = ""
    problem: str = ""


class PictureChecker:
    """Reads pictures completely. Many samples may share a screen, so the results of the last files are cached."""

    def __init__(self) -> None:
        self._file = lru_cache(maxsize=1024)(_inspect_file)
        self._last: tuple[Picture | None, PictureFacts] = None, PictureFacts()

    def inspect(self, picture: Picture) -> PictureFacts:
        if isinstance(picture.source, str):
            return self._file(picture.source)
        if picture is not self._last[0]:
            self._last = picture, self._inside(picture)
        return self._last[1]

    def _inside(self, picture: Picture) -> PictureFacts:
        try:
            return _inspect_bytes(picture.data(), "the picture")
        except (OSError, ValueError, InputError) as error:
            return PictureFacts(kind="image-unreadable", problem=f"image: it cannot be read: {error}")


def _inspect_file(file: str) -> PictureFacts:
    try:
        return _inspect_bytes(read_bytes(file), file)
    except (FileNotFoundError, NotADirectoryError):
        return PictureFacts(kind="image-missing", problem=f"image: there is no file {file}")
    except (OSError, ValueError) as error:
        return PictureFacts(kind="image-unreadable", problem=f"image: {file} cannot be read: {error}")


def _inspect_bytes(data: bytes, name: str) -> PictureFacts:
    """Check that a picture is complete."""
    try:
        size = check_picture(data).size
    except PictureError as error:
        return PictureFacts(kind="image-unreadable", problem=f"image: {name} cannot be read: {error}")
    return PictureFacts(size, _digest(data))


def _picture_findings(sample: Sample, picture_checker: PictureChecker | None) -> Iterator[tuple[str, str]]:
    if sample.picture is None or picture_checker is None:
        return
    seen = picture_checker.inspect(sample.picture)
    if seen.size is None:
        yield seen.kind, seen.problem
    elif seen.size != sample.step.screen:
        turned = seen.size == (sample.step.screen.height, sample.step.screen.width)
        swapped = " (width and height are swapped)" if turned else ""
        yield "image-size", f"screen: {_size(sample.step.screen)}, but the image has {_size(seen.size)}{swapped}"


# -- overlap ----------------------------------------------------------------------------------------------------------


class Overlap:
    """Finds what two sides (data sets or splits) share, by digests; each shared item is reported once.

    Episodes are the same if id and instruction are equal, because many data sets just number their episodes.
    """

    def __init__(self, picture_checker: PictureChecker | None) -> None:
        self.picture_checker = picture_checker
        self._seen: dict[tuple[str, int], tuple[str, str]] = {}
        self._reported: set[tuple[str, int, str]] = set()

    def add(self, sample: Sample, side: str) -> list[Finding]:
        """Add a sample; returns what it shares with an earlier sample of another side."""
        where, shared = sample.where or sample.step.id, []
        for kind, name, key in self._keys(sample):
            first, first_where = self._seen.setdefault((kind, key), (side, where))
            if first != side and (kind, key, side) not in self._reported:
                self._reported.add((kind, key, side))
                shared.append(Finding(kind, where, f"{name} is also in {first}: {first_where}"))
        return shared

    def _keys(self, sample: Sample) -> Iterator[tuple[str, str, int]]:
        step = sample.step
        said = normalised(step.instruction)
        if said:
            yield "shared-instruction", f"instruction: {step.instruction[:80]!r}", _digest(said)
            if step.episode:
                key = _digest(f"{step.episode}\n{said}")
                yield "shared-episode", f"episode: {step.episode!r}", key
        if self.picture_checker is not None and sample.picture is not None:
            seen = self.picture_checker.inspect(sample.picture)
            if seen.size is not None:
                yield "shared-screen", f"image: {step.image or 'the same picture'}", seen.digest


def normalised(text: str) -> str:
    """Letters and digits only, in lower case and normal width, so that small changes do not matter.

    >>> normalised("Open the Wi-Fi settings!") == normalised("open the ｗｉｆｉ settings")
    True
    """
    return "".join(letter for letter in unicodedata.normalize("NFKC", text).casefold() if letter.isalnum())


def _digest(data: bytes | str) -> int:
    data = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest())
