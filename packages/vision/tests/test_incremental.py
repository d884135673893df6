"""The next screen of a run: what was seen before is not read again, and the elements are those of a full parse."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from saccade.types import Element
from saccade_vision.content_memory import ContentMemory
from saccade_vision.incremental import REMEMBERED, IncrementalParser
from saccade_vision.parser import Parser
from saccade_vision.text import TextReader
from saccade_vision.types import Image

WIDTH, HEIGHT, ROW, HEADER = 400, 480, 60, 56
WORDS = ("Bluetooth", "Display", "Sound", "Battery", "Storage", "Privacy", "Location", "Accounts", "System", "About")


@pytest.fixture(scope="module")
def reader() -> TextReader:
    return TextReader(threads=1)


def shown(top: int, words: tuple[str, ...] = WORDS) -> Image:
    """A screen: a fixed header, and below it a list from row `top` of pixels."""
    drawn = Pictures.new("RGB", (WIDTH, HEIGHT), "white")
    pen = ImageDraw.Draw(drawn)
    for at, word in enumerate(words):
        pen.text((24, HEADER + at * ROW + 14 - top), word, fill="#222222", font=ImageFont.load_default(26))
    pen.rectangle((0, 0, WIDTH, HEADER), fill="#dddddd")
    pen.text((24, 12), "Settings", fill="black", font=ImageFont.load_default(26))
    return np.asarray(drawn)


def texts(elements: list[Element]) -> list[str]:
    return [element.text for element in elements]


def test_after_a_scroll_only_new_lines_are_read(reader: TextReader) -> None:
    reader.memory.clear()
    parser = IncrementalParser(Parser(reader))
    assert texts(parser.parse(shown(0)))[:3] == ["Settings", "Bluetooth", "Display"]
    asked, known = reader.memory.asked, reader.memory.known
    found = parser.parse(shown(2 * ROW + 7))
    read = (reader.memory.asked - asked) - (reader.memory.known - known)
    assert read <= 4, "two words came into view, and one is cut by the header"
    reader.memory.clear()
    again = Parser(reader).parse(shown(2 * ROW + 7))
    assert [replace(each, confidence=1) for each in found] == [replace(each, confidence=1) for each in again]
    # read in another batch, a line is as sure but for the last digit
    assert [each.confidence for each in found] == pytest.approx([each.confidence for each in again], abs=0.01)


def test_after_a_local_change_only_that_is_read(reader: TextReader) -> None:
    reader.memory.clear()
    parser = IncrementalParser(Parser(reader))
    parser.parse(shown(0))
    asked, known = reader.memory.asked, reader.memory.known
    changed = shown(0, (*WORDS[:2], "Notifications", *WORDS[3:]))
    assert "Notifications" in texts(parser.parse(changed))
    assert (reader.memory.asked - asked) - (reader.memory.known - known) == 1


class CountingParser(Parser):
    """Counts the screens that it looks at."""

    looked = 0

    def find(self, image: Image):  # type: ignore[no-untyped-def]
        self.looked += 1
        return super().find(image)


class NoText:
    def read(self, image: Image) -> list[object]:
        return []


def test_a_still_screen_and_a_step_back_are_not_looked_at() -> None:
    inner = CountingParser(NoText())  # type: ignore[arg-type]
    parser = IncrementalParser(inner)
    for number in (1, 2, 2, 1, 3):
        parser.parse(np.full((40, 40, 3), number, np.uint8))
    assert inner.looked == 3
    for number in range(10, 10 + REMEMBERED):
        parser.parse(np.full((40, 40, 3), number, np.uint8))
    parser.parse(np.full((40, 40, 3), 3, np.uint8))
    assert inner.looked == 3 + REMEMBERED + 1, "the oldest is forgotten"
    parser.parse(np.full((40, 30, 3), 3, np.uint8))
    parser.reset()
    parser.parse(np.full((40, 30, 3), 3, np.uint8))
    assert inner.looked == 3 + REMEMBERED + 3


def test_a_memory_knows_pieces_by_pixels_and_shape_and_forgets_the_oldest() -> None:
    memory: ContentMemory[int] = ContentMemory(most=3)
    pieces = [np.full(shape, value, np.uint8) for shape, value in (((2, 3), 0), ((3, 2), 0), ((2, 3), 1), ((2, 3), 0))]
    asked: list[list[int]] = []

    def find(places: list[int]) -> list[int]:
        asked.append(places)
        return [10 * at for at in places]

    assert memory.answers(pieces, find) == [0, 10, 20, 0]
    assert memory.answers(pieces[1:], find) == [10, 20, 0]
    assert asked == [[0, 1, 2]], "the last piece is the first again, and nothing is asked twice"
    assert (memory.asked, memory.known) == (7, 4)
    memory.answers([np.zeros((5, 5), np.uint8)], find)
    memory.answers(pieces[1:2], find)
    assert asked[1:] == [[0], [0]], "a fourth piece pushed out the one that was asked for longest ago"
    memory.clear()
    assert memory.answers([], find) == [] and memory.asked == 0
