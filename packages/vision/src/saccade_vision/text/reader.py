"""Read the text of a screen: find lines, read them, and leave out what only looks like text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from saccade.errors import InputError
from saccade_vision.content_memory import ContentMemory
from saccade_vision.graph_rewrites import replace_gelu, split_upsampling
from saccade_vision.int8 import with_integers
from saccade_vision.runtime import Backend, open_network
from saccade_vision.text.detection import DetectedLine, detect
from saccade_vision.text.icon_separation import ICON_LENGTH, UNSURE, cut
from saccade_vision.text.line_filter import LineFilter, load_filter, statistics
from saccade_vision.text.models import DETECTOR, RECOGNISER, characters, model_file
from saccade_vision.text.recognition import RecognisedText, character_places, recognise
from saccade_vision.text.scripts import in_one_script
from saccade_vision.types import Image, TextLine

SMALLEST_SIDE = 8


class TextReader:
    """Reads lines of text in Chinese and English. Opening it takes about a second: keep it.

    `threads`: how many the networks compute with; 0 leaves it to the library.
    """

    def __init__(self, threads: int = 0, backend: Backend | None = None, line_filter: LineFilter | None = None) -> None:
        detector, recogniser = model_file(DETECTOR), model_file(RECOGNISER)
        changes = (split_upsampling, replace_gelu, *with_integers(detector))
        self.detector = open_network(detector, threads, backend, rewrites=changes)
        changes = (replace_gelu, *with_integers(recogniser))
        self.recogniser = open_network(recogniser, threads, backend, rewrites=changes)
        self._letters = characters(recogniser)
        self._filter = line_filter or load_filter()
        self.memory: ContentMemory[RecognisedText] = ContentMemory()
        """What lines said that were read before."""

    @property
    def backend(self) -> Backend:
        """What the networks are run by."""
        return self.detector.backend

    def read(self, image: Image) -> list[TextLine]:
        """The lines of a whole picture, from top to bottom and left to right."""
        boxes, readings = self.candidates(image)
        return self._kept(image, boxes, readings)

    def candidates(self, image: Image) -> tuple[list[DetectedLine], list[RecognisedText]]:
        """All boxes that the detector takes for text, and what they say, before the filter."""
        _check(image)
        boxes = detect(self.detector, image)
        return boxes, self._said(image, boxes)

    def _said(self, image: Image, boxes: list[DetectedLine]) -> list[RecognisedText]:
        return recognise(self.recogniser, self._letters, image, [one.box for one in boxes], self.memory)

    def _kept(self, image: Image, boxes: list[DetectedLine], readings: list[RecognisedText]) -> list[TextLine]:
        """Lines that are probably text. Their confidence is that probability."""
        boxes, readings = self._separated(image, boxes, readings)
        said = in_one_script([one.text for one in readings], [dict(one.others) for one in readings])
        readings = [replace(one, text=text) for one, text in zip(readings, said, strict=True)]
        sure = self._filter.probabilities(statistics(image, boxes, readings))
        lines = [
            TextLine(found.box, reading.text.strip(), float(probability), _places(image, found, reading))
            for found, reading, probability in zip(boxes, readings, sure, strict=True)
            if reading.text.strip() and probability >= self._filter.threshold
        ]
        return sorted(lines, key=lambda line: (line.box.y0, line.box.x0))

    def _separated(
        self, image: Image, boxes: list[DetectedLine], readings: list[RecognisedText]
    ) -> tuple[list[DetectedLine], list[RecognisedText]]:
        """Lines without the icons beside them (see `icon_separation`)."""
        unsure = [at for at, one in enumerate(readings) if len(one.text) > 1 and min(one.confidences) < UNSURE]
        lines = {at: found for at in unsure if (found := cut(image, boxes[at].box)).ends}
        ends = [DetectedLine(box, boxes[at].score) for at, line in lines.items() for box in line.ends]
        said = self._said(image, ends)
        sure = self._filter.probabilities(statistics(image, ends, said)) >= self._filter.threshold
        text = iter([bool(kept) or len(one.text.strip()) > ICON_LENGTH for kept, one in zip(sure, said, strict=True)])
        rests = {at: line.without_icons([next(text) for _ in line.ends]) for at, line in lines.items()}
        again = {at: DetectedLine(box, boxes[at].score) for at, box in rests.items() if box is not None}
        boxes, readings = list(boxes), list(readings)
        for at, reading in zip(again, self._said(image, list(again.values())), strict=True):
            if min(reading.confidences, default=0.0) > min(readings[at].confidences):
                boxes[at], readings[at] = again[at], reading
        return boxes, readings


def _places(image: Image, found: DetectedLine, reading: RecognisedText) -> tuple[float, ...]:
    """Where the characters stand, without the spaces around the text."""
    places = character_places(image, found.box, reading)
    begin = len(reading.text) - len(reading.text.lstrip())
    return places[begin : begin + len(reading.text.strip())]


def _check(image: Image) -> None:
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
        raise InputError(f"a picture must be RGB bytes (height, width, 3), and this is {image.dtype} {image.shape}")
    if min(image.shape[:2]) < SMALLEST_SIDE:
        raise InputError(f"a picture must be at least {SMALLEST_SIDE} pixels wide and high")
