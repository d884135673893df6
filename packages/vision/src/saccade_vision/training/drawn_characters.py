"""Pages of single characters and pairs of them, for the text filter.

Screens to learn from show few digits that stand alone (badges, counts, days of a calendar), and many icons that are
read as one. A filter that is fitted on them alone takes nearly every single digit for an icon. So digits, capital
letters and common hanzi are drawn in several fonts, sizes and colours, some of them on a disc.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont

from saccade.errors import InputError
from saccade.geometry import Box
from saccade_vision.training.text_screens import TextScreen, TrueLine
from saccade_vision.types import Image

DRAWN = "drawn"
"""Stands for the app of these pages."""
WIDTH, HEIGHT = 1080, 2400
CELL_WIDTH, CELL_HEIGHT, EDGE = 205, 115, 40
EMPTY = 0.45
"""Share of the cells with nothing in them."""
PAIRS, BADGES, DARK = 0.3, 0.3, 0.4
KINDS = {"0123456789": 0.6, "ABCDEFGHJKLMNPRSTUVWXYZ": 0.2, "一二三日月年天时分今全你我上下中大小": 0.2}
"""Characters, and how often their kind is taken. I, O and Q are left out: alone they look like signs and digits."""


def pages(count: int, fonts: Path, seed: int = 1) -> Iterator[tuple[Image, TextScreen]]:
    """Pages as `text_screens.read_screens` gives screens. `fonts`: a folder; those without hanzi are not used for
    them, so that one of them must have some.
    """
    files = sorted(path for path in fonts.iterdir() if path.suffix in (".ttf", ".otf", ".ttc"))
    wide = [path for path in files if _has_hanzi(path)]
    if not wide:
        raise InputError(f"no font in {fonts} has Chinese characters: add one, such as wqy-microhei.ttc")
    chance = np.random.default_rng(seed)
    for at in range(count):
        image, lines = _page(chance, files, wide)
        yield image, TextScreen(f"drawn {at}", DRAWN, "", "", lines)


def _page(chance: np.random.Generator, files: list[Path], wide: list[Path]) -> tuple[Image, list[TrueLine]]:
    dark = chance.random() < DARK
    ground = _colour(chance, 0, 60) if dark else _colour(chance, 225, 256)
    drawn = Pictures.new("RGB", (WIDTH, HEIGHT), ground)
    pen, lines = ImageDraw.Draw(drawn), []
    for y in range(EDGE, HEIGHT - CELL_HEIGHT, CELL_HEIGHT):
        for x in range(EDGE, WIDTH - CELL_WIDTH, CELL_WIDTH):
            if chance.random() < EMPTY:
                continue
            kind = chance.choice(list(KINDS), p=list(KINDS.values()))
            text = "".join(chance.choice(list(kind), 2 if chance.random() < PAIRS else 1))
            path = chance.choice(np.array(wide if text[0] > "Z" else files, dtype=object))
            font = ImageFont.truetype(str(path), int(chance.integers(28, 64)))
            place = (x + int(chance.integers(0, 90)), y + int(chance.integers(0, 30)))
            ink = _colour(chance, 170, 256) if dark else _colour(chance, 0, 110)
            x0, y0, x1, y1 = pen.textbbox(place, text, font=font)
            if chance.random() < BADGES:
                radius, across, down = 0.85 * max(x1 - x0, y1 - y0), (x0 + x1) / 2, (y0 + y1) / 2
                pen.ellipse((across - radius, down - radius, across + radius, down + radius), fill=ink)
                ink = ground
            pen.text(place, text, fill=ink, font=font)
            lines.append(TrueLine(text, Box(x0, y0, x1, y1)))
    return np.asarray(drawn), lines


def _colour(chance: np.random.Generator, low: int, high: int) -> tuple[int, ...]:
    return tuple(int(value) for value in chance.integers(low, high, 3))


def _has_hanzi(path: Path) -> bool:
    """Fonts draw what they do not have as the same box."""
    font = ImageFont.truetype(str(path), 32)
    return bytes(font.getmask("中")) != bytes(font.getmask("大"))
