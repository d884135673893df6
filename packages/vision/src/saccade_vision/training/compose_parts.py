"""Parts of composed screens: bars, lists, tables, forms, documents. Each takes the painter, a look and a box, and fills
the box.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from saccade_vision.training.compose import Painter, ScreenStyle, shade

Box = tuple[int, int, int, int]
Part = Callable[[Painter, ScreenStyle, Box], None]


def tool_bar(p: Painter, look: ScreenStyle, box: Box) -> None:
    """A row of icon buttons with separators, now and then a drop-down list or a field between them."""
    p.draw.rectangle(box, fill=look.panel)
    side = max(10, min(look.icon, box[3] - box[1] - 2 * look.pad))
    x, gap = box[0] + 4, p.chance.choice((0, 0, 1, 2, 4, 8))
    middle = (box[1] + box[3]) // 2
    end = box[2] if p.chance.random() < 0.6 else box[0] + (box[2] - box[0]) * 2 // 3
    while x + side + 2 * look.pad < end:
        roll = p.chance.random()
        if roll < 0.1:
            p.draw.line((x + 3, box[1] + 4, x + 3, box[3] - 4), look.line)
            x += 8
        elif roll < 0.16 and end - x > 180:
            width = p.chance.randint(50, 150)
            place = x + 4, middle - look.size, x + width, middle + look.size
            (p.drop_down if p.chance.random() < 0.6 else p.field)(look, place)
            x += width + 8
        elif roll < 0.2 and end - x > 120:
            x = p.button(look, x + 2, middle - look.size, 2 * look.size) + 4
        else:
            x = p.icon_button(look, x, middle - side // 2 - look.pad, side) + gap


def menu_bar(p: Painter, look: ScreenStyle, box: Box) -> None:
    p.draw.rectangle(box, fill=look.panel)
    x, middle = box[0] + 6, (box[1] + box[3]) // 2
    for _ in range(p.chance.randint(4, 11)):
        pad = p.chance.randint(4, 8)
        text = p.text(look, (x + pad, middle), p.words(look, 1, 1), tell=False, middle=True)
        if text[2] + pad > box[2]:
            return
        p.tell((x, box[1], text[2] + pad, box[3]), "list item", True)
        x = round(text[2]) + pad


def title_bar(p: Painter, look: ScreenStyle, box: Box) -> None:
    """The window's title and its buttons, at the right or, as on some systems, at the left."""
    p.draw.rectangle(box, fill=look.accent if p.chance.random() < 0.2 else look.ground)
    height = box[3] - box[1]
    side = max(8, min(16, height - 12))
    left = p.chance.random() < 0.25
    gap = side + p.chance.randint(8, 26)
    for number in range(p.chance.choice((1, 2, 3, 3, 3))):
        x = box[0] + 10 + number * gap if left else box[2] - 8 - side - number * gap
        y = (box[1] + box[3] - side) // 2
        if p.chance.random() < 0.3:
            p.draw.ellipse((x - 3, y - 3, x + side + 3, y + side + 3), fill=shade(p.chance.random(), 0.6, 0.8))
        window_mark(p, look, (x, y, x + side, y + side), number)
        p.tell((x - 4, y - 4, x + side + 4, y + side + 4), "icon", True)
    width = (box[2] - box[0]) // 3
    at = box[0] + width if p.chance.random() < 0.5 else box[0] + 8 + (4 * gap if left else 0)
    p.text(look, (at, (box[1] + box[3]) // 2), p.words(look, 1, 5), middle=True, width=width)


def window_mark(p: Painter, look: ScreenStyle, box: Box, number: int) -> None:
    x0, y0, x1, y1 = box[0] + 3, box[1] + 3, box[2] - 3, box[3] - 3
    if number == 0:
        p.draw.line((x0, y0, x1, y1), look.ink)
        p.draw.line((x0, y1, x1, y0), look.ink)
    elif number == 1:
        p.draw.rectangle((x0, y0, x1, y1), outline=look.ink)
    else:
        p.draw.line((x0, y1, x1, y1), look.ink)


def tab_bar(p: Painter, look: ScreenStyle, box: Box) -> None:
    p.draw.rectangle(box, fill=look.panel)
    x, shown = box[0] + 4, p.chance.randrange(4)
    for number in range(p.chance.randint(2, 8)):
        width = p.chance.randint(60, 180)
        if x + width > box[2]:
            return
        if number == shown:
            p.draw.rectangle((x, box[1], x + width, box[3]), fill=look.field)
        left = x + 8
        if p.chance.random() < 0.4:
            p.icon(look, (left, (box[1] + box[3]) // 2 - 7, left + 14, (box[1] + box[3]) // 2 + 7))
            left += 20
        p.text(
            look,
            (left, (box[1] + box[3]) // 2),
            p.words(look, 1, 2),
            tell=False,
            middle=True,
            width=x + width - left - 24,
        )
        p.tell((x, box[1], x + width, box[3]), "tab", True)
        if p.chance.random() < 0.4:
            middle = (box[1] + box[3]) // 2
            window_mark(p, look, (x + width - 20, middle - 7, x + width - 6, middle + 7), 0)
            p.tell((x + width - 21, middle - 8, x + width - 5, middle + 8), "icon", True)
        x += width + p.chance.choice((0, 0, 2))


def ribbon(p: Painter, look: ScreenStyle, box: Box) -> None:
    """Groups of large icons with captions and of small ones in columns."""
    p.draw.rectangle(box, fill=look.panel)
    x, height = box[0] + 6, box[3] - box[1]
    while x < box[2] - 90:
        if p.chance.random() < 0.5:
            width, side = p.chance.randint(44, 70), min(32, height - 34)
            p.icon(look, (x + (width - side) // 2, box[1] + 5, x + (width + side) // 2, box[1] + 5 + side))
            p.text(look, (x + 3, box[1] + side + 16), p.words(look, 1, 1), tell=False, middle=True, width=width - 6)
            p.tell((x, box[1] + 2, x + width, box[1] + side + 26), "button", True)
            x += width + 2
        else:
            row = max(18, (height - 8) // 3)
            for line in range(3):
                y = box[1] + 4 + line * row
                p.icon(look, (x + 3, y + 2, x + 3 + min(16, row - 4), y + row - 2))
                text = p.text(look, (x + 24, y + row // 2), p.words(look, 1, 2), tell=False, middle=True, width=84)
                p.tell((x, y, text[2] + 4, y + row - 1), "button", True)
            x += 118
        if p.chance.random() < 0.3:
            p.draw.line((x + 2, box[1] + 6, x + 2, box[3] - 6), look.line)
            x += 8


def rows(p: Painter, look: ScreenStyle, box: Box) -> None:
    """A list or a tree: rows with an icon and a text, some indented, some with something at their end."""
    p.draw.rectangle(box, fill=look.field)
    height = p.chance.choice((18, 20, 22, 24, 28, 34, 44, 60))
    tree, with_icon, lines = p.chance.random() < 0.3, p.chance.random() < 0.7, p.chance.random() < 0.4
    y, indent, shown = box[1] + p.chance.randint(0, 10), 0, p.chance.randrange(12)
    number = 0
    while y + height <= box[3] and p.chance.random() > 0.02:
        if number == shown:
            p.draw.rectangle((box[0], y, box[2], y + height), fill=look.accent)
        x = box[0] + 6 + (indent * 14 if tree else 0)
        if tree:
            indent = max(0, min(4, indent + p.chance.choice((-1, 0, 0, 1))))
        side = min(height - 6, look.icon + 8)
        if with_icon:
            p.icon(look, (x, y + (height - side) // 2, x + side, y + (height + side) // 2))
            x += side + 8
        two = height >= 44 and p.chance.random() < 0.6
        p.text(
            look, (x, y + height // (3 if two else 2)), p.words(look, 1, 4), middle=True, width=max(20, box[2] - x - 50)
        )
        if two:
            p.text(
                look,
                (x, y + height * 2 // 3 + 2),
                p.words(look, 2, 6),
                look.size - 2,
                colour=look.muted,
                middle=True,
                width=max(20, box[2] - x - 60),
            )
        if p.chance.random() < 0.15 and box[2] - x > 100:
            p.icon_button(
                look, box[2] - look.icon - 2 * look.pad - 4, y + (height - look.icon) // 2 - look.pad, look.icon
            )
        if lines:
            p.draw.line((box[0], y + height, box[2], y + height), look.line)
        p.tell((box[0], y, box[2], y + height), "list item", True)
        y, number = y + height + (1 if lines else 0), number + 1


def table(p: Painter, look: ScreenStyle, box: Box) -> None:
    """Column headings that can be pressed, and rows of texts."""
    p.draw.rectangle(box, fill=look.field)
    edges = [box[0]]
    while edges[-1] < box[2] - 60:
        edges.append(min(box[2], edges[-1] + p.chance.randint(50, 220)))
    height = p.chance.choice((18, 20, 24, 30, 40))
    for left, right in pairwise(edges):
        p.draw.rectangle((left, box[1], right, box[1] + height), look.panel, look.line)
        p.text(
            look,
            (left + 5, box[1] + height // 2),
            p.words(look, 1, 2),
            tell=False,
            middle=True,
            width=right - left - 10,
        )
        p.tell((left, box[1], right, box[1] + height), "list item", True)
    grid, filled = p.chance.random() < 0.5, p.chance.uniform(0.2, 1)
    y = box[1] + height
    while y + height <= box[3]:
        for left, right in pairwise(edges):
            if grid:
                p.draw.rectangle((left, y, right, y + height), outline=look.line)
            if p.chance.random() < filled:
                p.text(look, (left + 5, y + height // 2), p.words(look, 1, 3), middle=True, width=right - left - 10)
        if not grid:
            p.tell((box[0], y, box[2], y + height), "list item", True)
        y += height


def form(p: Painter, look: ScreenStyle, box: Box) -> None:
    """Labels with fields, lists, ticks, switches and sliders."""
    p.draw.rectangle(box, fill=look.ground)
    tall = p.chance.choice((20, 24, 28, 34, 40))
    y, label = box[1] + 10, min(p.chance.randint(70, 160), (box[2] - box[0]) // 3)
    while y + tall < box[3] - 6:
        x, wide = box[0] + 14, box[2] - box[0] - label - 40
        kind = p.chance.choice(
            ("field", "field", "select", "checkbox", "checkbox", "radio", "switch", "slider", "buttons", "text")
        )
        if kind in ("checkbox", "radio"):
            p.tick(look, x, y + tall // 2 - 7, kind)
            y += p.chance.randint(18, tall + 8)
            continue
        if kind == "buttons":
            for _ in range(p.chance.randint(1, 3)):
                x = p.button(look, x, y, tall, main=p.chance.random() < 0.3) + 8
                if x > box[2] - 110:
                    break
        elif kind == "text":
            p.text(look, (x, y + tall // 2), p.words(look, 4, 12), middle=True, width=box[2] - x - 10)
        else:
            p.text(look, (x, y + tall // 2), p.words(look, 1, 3), middle=True, width=label)
            left = x + label + 6
            width = max(40, min(wide, p.chance.randint(60, 400)))
            if kind == "field":
                p.field(look, (left, y, left + width, y + tall))
            elif kind == "select":
                p.drop_down(look, (left, y, left + width, y + tall))
            elif kind == "switch":
                p.switch(look, left, y + 2, min(24, tall - 4))
            else:
                p.slider(look, left, y + tall // 2, width)
        y += tall + p.chance.randint(6, 18)


def document(p: Painter, look: ScreenStyle, box: Box) -> None:
    """Lines of text and pictures, as in an editor, a mail or a page."""
    p.draw.rectangle(box, fill=look.field)
    size = p.chance.randint(look.size - 1, look.size + 4)
    y, left = box[1] + 8, box[0] + p.chance.randint(6, 60)
    while y < box[3] - size - 6:
        roll = p.chance.random()
        if roll < 0.05 and box[3] - y > 90:
            place = left, y, min(box[2] - 10, left + p.chance.randint(60, 400)), y + p.chance.randint(40, 80)
            p.picture(place)
            p.tell(place, "image", False)
            y = place[3] + 8
        elif roll < 0.1:
            at = p.text(
                look, (left, y), p.words(look, 1, 4), size, colour=look.accent, tell=False, width=box[2] - left - 10
            )
            p.tell((at[0] - 1, at[1] - 1, at[2] + 1, at[3] + 1), "link", True)
            y += size + 6
        else:
            if roll < 0.8:
                p.text(look, (left, y), p.words(look, 3, 18), size, width=box[2] - left - 10)
            y += size + p.chance.randint(4, 8)


def icon_grid(p: Painter, look: ScreenStyle, box: Box) -> None:
    """Files, apps or goods: pictures with a caption, each of them pressed."""
    p.draw.rectangle(box, fill=look.ground)
    side = p.chance.choice((24, 32, 40, 48, 64, 96))
    cell = side + p.chance.randint(24, 60), side + p.chance.randint(28, 50)
    photos = p.chance.random() < 0.25
    for y in range(box[1] + 6, box[3] - cell[1], cell[1]):
        for x in range(box[0] + 6, box[2] - cell[0], cell[0]):
            if p.chance.random() < 0.08:
                continue
            place = x + (cell[0] - side) // 2, y + 4, x + (cell[0] + side) // 2, y + 4 + side
            if photos:
                p.picture(place)
            else:
                p.icon(look, place)
            text = p.text(
                look, (x + 6, y + side + 14), p.words(look, 1, 2), tell=False, middle=True, width=cell[0] - 12
            )
            p.tell((min(place[0], text[0]) - 4, y, max(place[2], text[2]) + 4, text[3] + 4), "button", True)


def spread_sheet(p: Painter, look: ScreenStyle, box: Box) -> None:
    p.draw.rectangle(box, fill=look.field)
    height, width = p.chance.choice((16, 18, 20, 22)), p.chance.randint(56, 100)
    for x in range(box[0] + 30, box[2], width):
        p.draw.line((x, box[1], x, box[3]), look.line)
    for y in range(box[1] + height, box[3] - height, height):
        p.draw.line((box[0], y, box[2], y), look.line)
        for x in range(box[0] + 30, box[2] - width, width):
            if p.chance.random() < 0.15:
                p.text(look, (x + 3, y + height // 2), p.words(look, 1, 1), middle=True, width=width - 6)


PARTS: tuple[Part, ...] = (rows, rows, table, form, form, document, document, icon_grid, spread_sheet, tool_bar)
