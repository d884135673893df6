"""Forms of phones: rows as wide as the screen, most of them without a frame around what is typed or chosen.

A field is told from a row by its greyer hint or by the label beside it, and what can be ticked by the mark at one of
its ends: of such rows a detector needs to see many kinds.
"""

from __future__ import annotations

from collections.abc import Callable

from saccade_vision.training.compose import Painter, ScreenStyle

Box = tuple[int, int, int, int]
MARGIN = 14


def cells(p: Painter, look: ScreenStyle, box: Box) -> None:
    """A group of rows of a form, on a ground of their own, with lines between them or not."""
    inset = p.chance.choice((0, 0, 12))
    x0, x1 = box[0] + inset, box[2] - inset
    p.draw.rounded_rectangle((x0, box[1], x1, box[3]), p.chance.choice((0, 8, 14)) if inset else 0, look.field)
    height, lines = p.chance.randint(42, 66), p.chance.random() < 0.6
    kind = p.chance.choice(KINDS)
    side = p.chance.choice(("left", "right"))
    mark = p.chance.choice(("circle", "circle", "square", "tick"))
    label = p.chance.randint(70, 150)
    chosen = p.chance.randrange(5)
    number, y = 0, box[1] + p.chance.choice((0, 4))
    while y + height <= box[3]:
        row = x0, y, x1, y + height
        drawn = p.chance.choice(KINDS) if p.chance.random() < 0.3 else kind
        drawn(p, look, row, CellStyle(side, mark, label, number == chosen))
        y, number = y + height, number + 1
        if lines:
            p.draw.line((x0 + MARGIN, y, x1, y), look.line)


class CellStyle:
    """What the rows of a group have in common."""

    def __init__(self, side: str, mark: str, label: int, chosen: bool) -> None:
        self.side, self.mark, self.label, self.chosen = side, mark, label, chosen


Cell = Callable[[Painter, ScreenStyle, Box, CellStyle], None]


def field_beside(p: Painter, look: ScreenStyle, row: Box, style: CellStyle) -> None:
    """A label, and to its right a field without a frame: a hint in grey, or what was typed."""
    x0, y0, x1, y1 = row
    middle = (y0 + y1) // 2
    left = x0 + MARGIN
    if p.chance.random() < 0.8:
        p.text(look, (left, middle), p.words(look, 1, 2), middle=True, width=style.label)
        left += style.label + 8
    place = left, y0 + 2, x1 - p.chance.choice((4, MARGIN)), y1 - 2
    _written(p, look, place, middle)
    p.tell(place, "input", True)


def field_below(p: Painter, look: ScreenStyle, row: Box, style: CellStyle) -> None:
    """A small label, and what is typed below it, perhaps over a line."""
    x0, y0, x1, y1 = row
    left = x0 + MARGIN
    p.text(look, (left, y0 + 2), p.words(look, 1, 2), look.size - 3, colour=look.muted, tell=p.chance.random() < 0.5)
    _written(p, look, (left, y0, x1 - MARGIN, y1), (y0 + 2 * y1) // 3)
    if p.chance.random() < 0.5:
        p.draw.line((left, y1 - 4, x1 - MARGIN, y1 - 4), look.muted, 1 + (style.chosen))
    p.tell((left - 4, y0 + 1, x1 - MARGIN, y1 - 2), "input", True)


def search_field(p: Painter, look: ScreenStyle, row: Box, style: CellStyle) -> None:
    """A filled field with round ends and an icon in it."""
    x0, y0, x1, y1 = row
    place = x0 + 10, y0 + 5, x1 - 10, y1 - 5
    p.draw.rounded_rectangle(place, p.chance.choice((6, (place[3] - place[1]) // 2)), look.panel)
    middle, side = (y0 + y1) // 2, look.size
    p.icon(look, (place[0] + 10, middle - side // 2, place[0] + 10 + side, middle + side // 2), look.muted)
    _written(p, look, (place[0] + side + 12, *place[1:]), middle)
    p.tell(place, "input", True)


def choice_row(p: Painter, look: ScreenStyle, row: Box, style: CellStyle) -> None:
    """One of several choices: a ring at one end, or a tick at the end of the chosen one alone."""
    left = _mark(p, look, row, style, round_mark=style.mark != "tick", on=style.chosen)
    p.text(look, (left, (row[1] + row[3]) // 2), p.words(look, 1, 3), middle=True, width=row[2] - left - 50)
    p.tell(row, "radio", True)


def tick_row(p: Painter, look: ScreenStyle, row: Box, style: CellStyle) -> None:
    """A row that is ticked as a whole."""
    round_mark = style.mark == "circle" and style.chosen  # most round ones are choices
    left = _mark(p, look, row, style, round_mark=round_mark, on=p.chance.random() < 0.5)
    p.text(look, (left, (row[1] + row[3]) // 2), p.words(look, 1, 3), middle=True, width=row[2] - left - 50)
    p.tell(row, "checkbox", True)


def tick_beside_row(p: Painter, look: ScreenStyle, row: Box, style: CellStyle) -> None:
    """A mark that is ticked, and beside it a row that opens something: two lines, or an arrow at the end."""
    middle = (row[1] + row[3]) // 2
    on = p.chance.random() < 0.4
    left = _mark(p, look, row, CellStyle("left", style.mark, 0, on), round_mark=style.mark == "circle", on=on)
    side = left - row[0]
    p.tell((row[0] + 4, middle - side // 2, row[0] + side - 4, middle + side // 2), "checkbox", True)
    two = row[3] - row[1] > 50 and p.chance.random() < 0.5
    y = middle - 8 if two else middle
    p.text(look, (left + 2, y), p.words(look, 1, 4), middle=True, width=row[2] - left - 60)
    if two:
        at = left + 2, middle + 10
        p.text(look, at, p.words(look, 1, 3), look.size - 3, colour=look.muted, middle=True, width=row[2] - left - 60)
    p.tell((left, row[1], row[2], row[3]), "list item", True)


def switch_row(p: Painter, look: ScreenStyle, row: Box, style: CellStyle) -> None:
    middle = (row[1] + row[3]) // 2
    p.text(look, (row[0] + MARGIN, middle), p.words(look, 1, 3), middle=True, width=row[2] - row[0] - 130)
    height = p.chance.randint(20, 30)
    p.switch(look, row[2] - MARGIN - 2 * height, middle - height // 2, height)


def value_row(p: Painter, look: ScreenStyle, row: Box, style: CellStyle) -> None:
    """A row that opens something: its name, its value in grey and an arrow. It differs from a field by that arrow."""
    middle = (row[1] + row[3]) // 2
    p.text(look, (row[0] + MARGIN, middle), p.words(look, 1, 2), middle=True, width=style.label + 40)
    if p.chance.random() < 0.7:
        text = p.words(look, 1, 2)
        wide = round(look.font(look.size).getlength(text))
        left = max(row[0] + MARGIN + style.label + 50, row[2] - 34 - wide)
        p.text(look, (left, middle), text, colour=look.muted, middle=True, width=row[2] - 34 - left)
    x = row[2] - 18
    p.draw.line(((x, middle - 5), (x + 5, middle), (x, middle + 5)), look.muted, 2)
    p.tell(row, "list item", True)


KINDS: tuple[Cell, ...] = (
    field_beside,
    field_beside,
    field_below,
    search_field,
    choice_row,
    tick_row,
    tick_beside_row,
    switch_row,
    value_row,
)


def _written(p: Painter, look: ScreenStyle, place: Box, middle: int) -> None:
    """A hint, what was typed, or nothing; now and then with the caret."""
    roll = p.chance.random()
    end = place[0] + 4
    if roll < 0.9:
        colour = look.muted if roll < 0.55 else look.ink
        at = place[0] + 4, middle
        box = p.text(look, at, p.words(look), colour=colour, tell=False, middle=True, width=place[2] - place[0] - 8)
        end = round(box[2]) + 2 if roll >= 0.55 else end
    if p.chance.random() < 0.15:
        p.draw.line((end, middle - look.size // 2, end, middle + look.size // 2), look.accent, 2)


def _mark(p: Painter, look: ScreenStyle, row: Box, style: CellStyle, *, round_mark: bool, on: bool) -> int:
    """Draw what shows whether a row is chosen; where its text begins."""
    side, middle = p.chance.randint(16, 26), (row[1] + row[3]) // 2
    x = row[0] + MARGIN if style.side == "left" else row[2] - MARGIN - side
    box = x, middle - side // 2, x + side, middle + side // 2
    if style.mark == "tick":
        if on:
            points = ((x, middle), (x + side // 3, middle + side // 3), (x + side, middle - side // 3))
            p.draw.line(points, look.accent, max(2, side // 8))
    elif round_mark:
        p.draw.ellipse(box, fill=look.accent if on else None, outline=look.accent if on else look.muted, width=2)
    else:
        p.draw.rounded_rectangle(box, 4, look.accent if on else None, look.accent if on else look.muted, 2)
    if on and style.mark != "tick":
        third = side // 3
        inner = (x + third, middle - side // 2 + third, x + side - third, middle + side // 2 - third)
        p.draw.ellipse(inner, fill=(255, 255, 255))
    return row[0] + MARGIN + side + 12 if style.side == "left" else row[0] + MARGIN
