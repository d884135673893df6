"""Whole screens composed at random: desktops with windows, toolbars, ribbons, trees and dialogs; phones with lists,
grids and bars (`compose_parts.py`).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from saccade_vision.training.compose import DrawingResources, Painter, ScreenStyle, shade
from saccade_vision.training.compose_cells import cells
from saccade_vision.training.compose_parts import (
    PARTS,
    Box,
    Part,
    document,
    form,
    icon_grid,
    menu_bar,
    ribbon,
    rows,
    tab_bar,
    title_bar,
    tool_bar,
)


def compose(seed: int, resources: DrawingResources, phone: bool) -> tuple[NDArray[np.uint8], list[dict[str, Any]]]:
    """Pixels (H, W, 3) and elements of one screen."""
    chance = random.Random(seed)
    size = (
        (432, chance.choice((768, 864, 936, 960))) if phone else chance.choice(((1280, 720), (1280, 800), (1024, 768)))
    )
    painter = Painter(size, chance, resources)
    chinese = chance.random() < 0.4
    (_phone if phone else _desktop)(painter, chinese)
    return np.asarray(painter.image), painter.elements


def window(p: Painter, box: Box, chinese: bool) -> None:
    """A program: bars at the top, perhaps one at the side and at the foot, and one to three parts between."""
    look = ScreenStyle(p.chance, p.resources, chinese)
    p.cover(box)
    p.draw.rectangle(box, fill=look.ground, outline=look.line)
    x0, y0, x1, y1 = box
    bars: list[tuple[float, Part, Sequence[int]]] = [
        (0.85, title_bar, (24, 28, 32, 38)),
        (0.6, menu_bar, (20, 22, 26)),
        (0.25, tab_bar, (24, 28, 34)),
        (0.2, ribbon, (78, 92, 100)),
        (0.7, tool_bar, (26, 30, 34, 40)),
        (0.4, tool_bar, (26, 30, 34)),
    ]
    for share, part, heights in bars:
        height = p.chance.choice(heights)
        if p.chance.random() < share and y0 + height < y1 - 60:
            part(p, look, (x0, y0, x1, y0 + height))
            y0 += height
    if p.chance.random() < 0.5 and y1 - y0 > 120:
        tool_bar(p, look, (x0, y1 - 24, x1, y1)) if p.chance.random() < 0.3 else _status(p, look, (x0, y1 - 22, x1, y1))
        y1 -= 24
    if p.chance.random() < 0.4 and x1 - x0 > 300:
        _tool_box(p, look, (x0, y0, x0 + 2 * (look.icon + 2 * look.pad) + 4, y1))
        x0 += 2 * (look.icon + 2 * look.pad) + 6
    _fill(p, look, (x0, y0, x1, y1))


def _fill(p: Painter, look: ScreenStyle, box: Box) -> None:
    """Divide a box at random and give each piece to a part."""
    x0, y0, x1, y1 = box
    if x1 - x0 > 420 and p.chance.random() < 0.6:
        middle = x0 + round((x1 - x0) * p.chance.uniform(0.2, 0.5))
        _fill(p, look, (x0, y0, middle - 2, y1))
        _fill(p, look, (middle + 2, y0, x1, y1))
    elif y1 - y0 > 380 and p.chance.random() < 0.4:
        middle = y0 + round((y1 - y0) * p.chance.uniform(0.3, 0.7))
        _fill(p, look, (x0, y0, x1, middle - 2))
        _fill(p, look, (x0, middle + 2, x1, y1))
    elif x1 - x0 > 60 and y1 - y0 > 40:
        p.chance.choice(PARTS)(p, look, box)


def _status(p: Painter, look: ScreenStyle, box: Box) -> None:
    p.draw.rectangle(box, fill=look.panel)
    x = box[0] + 6
    while x < box[2] - 160:
        text = p.text(look, (x, (box[1] + box[3]) // 2), p.words(look, 1, 4), look.size - 1, middle=True, width=140)
        x = round(text[2]) + p.chance.randint(14, 200)
    if p.chance.random() < 0.5:
        p.slider(look, box[2] - 130, (box[1] + box[3]) // 2, 100)


def _tool_box(p: Painter, look: ScreenStyle, box: Box) -> None:
    p.draw.rectangle(box, fill=look.panel)
    step = look.icon + 2 * look.pad
    for y in range(box[1] + 2, box[1] + p.chance.randint(4, 14) * step, step):
        if y + step > box[3]:
            return
        for column in (0, 1):
            p.icon_button(look, box[0] + column * step, y, look.icon)


def pop_up(p: Painter, box: Box, chinese: bool) -> None:
    """A menu or a dialog over everything."""
    look = ScreenStyle(p.chance, p.resources, chinese)
    p.cover(box)
    p.draw.rectangle((box[0] + 3, box[1] + 3, box[2] + 4, box[3] + 4), fill=shade(0, 0, 0.3))
    p.panel(look, box, look.ground)
    if p.chance.random() < 0.5:
        rows(p, look, (box[0] + 1, box[1] + 3, box[2] - 1, box[3] - 3))
        return
    title_bar(p, look, (box[0], box[1], box[2], box[1] + 28))
    (form if p.chance.random() < 0.6 else document)(p, look, (box[0] + 1, box[1] + 28, box[2] - 1, box[3] - 44))
    x = box[2] - 8
    for number in range(p.chance.randint(1, 3)):
        width = p.chance.randint(60, 110)
        x -= width + 8
        if x > box[0]:
            p.button(look, x, box[3] - 38, 28, width=width, main=number == 0)


def _desktop(p: Painter, chinese: bool) -> None:
    width, height = p.image.size
    if p.chance.random() < 0.5:
        p.picture((0, 0, width, height))
    top, left, foot = 0, 0, height
    look = ScreenStyle(p.chance, p.resources, chinese)
    if p.chance.random() < 0.5:
        top = p.chance.randint(20, 30)
        tool_bar(p, look, (width * 3 // 4, 0, width, top))
        menu_bar(p, look, (0, 0, width * 3 // 4, top))
    if p.chance.random() < 0.4:
        left = _dock(p, look, top, height)
    elif p.chance.random() < 0.5:
        foot = height - p.chance.randint(28, 44)
        tool_bar(p, look, (0, foot, width, height))
    if p.chance.random() < 0.3:
        icon_grid(p, look, (left, top, width, foot))
    for number in range(p.chance.choice((1, 1, 1, 2, 2, 3))):
        if number == 0 and p.chance.random() < 0.5:
            box = left, top, width, foot
        else:
            wide, tall = p.chance.randint(360, width - left), p.chance.randint(240, foot - top)
            x, y = p.chance.randint(left, width - wide), p.chance.randint(top, foot - tall)
            box = x, y, x + wide, y + tall
        window(p, box, chinese)
    if p.chance.random() < 0.4:
        wide, tall = p.chance.randint(140, 520), p.chance.randint(120, 420)
        x, y = p.chance.randint(left, width - wide - 5), p.chance.randint(top, max(top, foot - tall - 5))
        pop_up(p, (x, y, x + wide, y + tall), chinese)


def _dock(p: Painter, look: ScreenStyle, top: int, height: int) -> int:
    side = p.chance.randint(28, 52)
    p.draw.rectangle((0, top, side + 16, height), fill=look.panel)
    coloured, look.coloured = look.coloured, True
    for y in range(top + 8, top + 8 + p.chance.randint(4, 12) * (side + 10), side + 10):
        if y + side > height:
            break
        p.icon(look, (8, y, 8 + side, y + side))
        p.tell((6, y - 2, 10 + side, y + side + 2), "icon", True)
    look.coloured = coloured
    return side + 17


def _phone(p: Painter, chinese: bool) -> None:
    width, height = p.image.size
    look = ScreenStyle(p.chance, p.resources, chinese)
    look.size, look.icon, look.pad = p.chance.randint(14, 19), p.chance.randint(20, 28), p.chance.randint(6, 12)
    p.draw.rectangle((0, 0, width, height), fill=look.ground)
    p.text(look, (16, 15), f"{p.chance.randint(0, 23)}:{p.chance.randint(10, 59)}", 14, middle=True)
    y, foot = 34, height
    if p.chance.random() < 0.5:
        foot -= p.chance.randint(36, 58)
        for number in range(3):
            x = width * (2 * number + 1) // 6
            p.icon(look, (x - 10, foot + 12, x + 10, foot + 32), look.ink)
            p.tell((x - 50, foot, x + 50, height), "icon", True)
    if p.chance.random() < 0.8:
        back = p.icon_button(look, 6, y + 4, look.icon)
        p.text(
            look,
            (back + 10, y + 4 + look.pad + look.icon // 2),
            p.words(look, 1, 3),
            look.size + 4,
            middle=True,
            width=200,
        )
        for number in range(p.chance.randrange(3)):
            p.icon_button(look, width - (number + 1) * (look.icon + 2 * look.pad + 4), y + 4, look.icon)
        y += look.icon + 2 * look.pad + 10
    if p.chance.random() < 0.4:
        p.field(look, (14, y, width - 14, y + 44))
        y += 54
    if p.chance.random() < 0.3:
        tab_bar(p, look, (0, y, width, y + 46))
        y += 48
    if p.chance.random() < 0.5:
        foot -= 62
        _bottom_tabs(p, look, (0, foot, width, foot + 62))
    while y < foot - 60:
        end = min(foot, y + p.chance.randint(120, 500))
        p.chance.choice((rows, rows, icon_grid, form, document, cells, cells, cells))(
            p, look, (p.chance.choice((0, 12)), y, width - p.chance.choice((0, 12)), end)
        )
        y = end + p.chance.choice((0, 8, 14))
    if p.chance.random() < 0.2:
        x, side = width - 80, 56
        p.cover((x, foot - 80, x + side, foot - 80 + side))
        p.draw.ellipse((x, foot - 80, x + side, foot - 80 + side), fill=look.accent)
        p.icon(look, (x + 14, foot - 66, x + 42, foot - 38), (255, 255, 255))
        p.tell((x, foot - 80, x + side, foot - 80 + side), "icon", True)
    if p.chance.random() < 0.2:
        tall = p.chance.randint(150, 420)
        p.image.paste(Image.blend(p.image, Image.new("RGB", p.image.size), p.chance.uniform(0.2, 0.6)))
        box = (
            (30, (height - tall) // 2, width - 30, (height + tall) // 2)
            if p.chance.random() < 0.5
            else (0, height - tall, width, height)
        )
        pop_up(p, box, chinese)


def _bottom_tabs(p: Painter, look: ScreenStyle, box: Box) -> None:
    p.draw.rectangle(box, fill=look.panel)
    count = p.chance.randint(3, 5)
    width = (box[2] - box[0]) // count
    for number in range(count):
        x = box[0] + number * width
        colour = look.accent if number == 0 else look.muted
        p.icon(look, (x + width // 2 - 12, box[1] + 7, x + width // 2 + 12, box[1] + 31), colour)
        p.text(
            look,
            (x + width // 2 - 18, box[1] + 46),
            p.words(look, 1, 1),
            13,
            colour=colour,
            tell=False,
            middle=True,
            width=60,
        )
        p.tell((x, box[1], x + width, box[3]), "tab", True)
