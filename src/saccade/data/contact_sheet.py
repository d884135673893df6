"""Draws a contact sheet: some screens of a data set with their right actions, for visual inspection.

It shows at once errors that no count reveals, such as boxes that are a few pixels off, or x and y swapped.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from saccade.actions import Action, swipe_direction
from saccade.data.readers.base import Sample
from saccade.errors import InputError, MissingError
from saccade.geometry import Box, Point, Size
from saccade.paradigms.wording import in_words, language_of
from saccade.screens.marks import open_picture
from saccade.types import Step

WIDTH = 1680
HEAD_WIDTH = 900
GAP = 16
AREA = 150_000
"""Pixels of each screen on the sheet; phones and desktops get the same area."""
NARROWEST = 200
FINE = 2
"""Everything is drawn this many times larger and scaled down, for smooth lines."""
SHARE = 0.3
"""Length of the arrow of a swipe without points, as a share of the screen."""
RIGHT, KEY, DONE = "#e0113c", "#2456e0", "#c26a00"
PAPER, INK, FAINT, PLATE, EDGE = "#f4f4f2", "#1a1a1a", "#6d6d6d", "#d4d4d0", "#b4b4b0"
FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP"}
FONTS = (
    "wqy-microhei.ttc",
    "NotoSansCJK-Regular.ttc",
    "NotoSansSC-Regular.otf",
    "NotoSansSC-Regular.ttf",
    "SourceHanSansSC-Regular.otf",
    "wqy-zenhei.ttc",
    "DroidSansFallbackFull.ttf",
    "PingFang.ttc",
    "Hiragino Sans GB.ttc",
    "STHeiti Light.ttc",
    "Arial Unicode.ttf",
    "msyh.ttc",
    "simhei.ttf",
)
"""Font files with Chinese characters, on Linux, macOS and Windows."""
EAST = re.compile(r"[⺀-鿿가-힣豈-﫿＀-￯]")
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


class Reservoir:
    """A uniform random choice of samples from a stream of unknown length (algorithm R); deterministic for a seed."""

    def __init__(self, size: int, seed: int = 0) -> None:
        self.size = size
        self.seen = 0
        self._chance = random.Random(seed)
        self._kept: list[tuple[int, Sample]] = []

    def offer(self, sample: Sample) -> None:
        place = self.seen if self.seen < self.size else self._chance.randrange(self.seen + 1)
        if place < self.size:
            kept = self.seen, _with_bytes(sample)
            self._kept[place : place + 1] = [kept]
        self.seen += 1

    @property
    def samples(self) -> list[Sample]:
        """The chosen samples in the order of the stream."""
        return [sample for _, sample in sorted(self._kept, key=lambda each: each[0])]


def _with_bytes(sample: Sample) -> Sample:
    """The sample with the bytes of its picture, if they are available only while the record is read."""
    picture = sample.picture
    if picture is None or isinstance(picture.source, str | bytes):
        return sample
    try:
        return sample._replace(picture=replace(picture, source=picture.data()))
    except (OSError, ValueError, InputError):
        return sample._replace(picture=replace(picture, source=b""))


def contact_sheet(samples: Sequence[Sample], title: str = "") -> Image.Image:
    """The samples in rows, each with its instruction and right actions below."""
    if not samples:
        raise InputError("there is no sample to draw")
    cells = [draw_cell(sample) for sample in samples]
    rows: list[list[Image.Image]] = [[]]
    for cell in cells:
        if rows[-1] and sum(each.width + GAP for each in rows[-1]) + cell.width + 2 * GAP > WIDTH:
            rows.append([])
        rows[-1].append(cell)
    heights = [max(cell.height for cell in row) for row in rows]
    width = max(HEAD_WIDTH, *(sum(cell.width + GAP for cell in row) + GAP for row in rows))
    head = _paragraphs([(title, INK, 2), (LEGEND, FAINT, 2)], width - 2 * GAP, 18)
    sheet = Image.new("RGB", (width, head.height + sum(heights) + GAP * (len(rows) + 2)), PAPER)
    sheet.paste(head, (GAP, GAP))
    y = head.height + 2 * GAP
    for row, height in zip(rows, heights, strict=True):
        x = GAP
        for cell in row:
            sheet.paste(cell, (x, y))
            x += cell.width + GAP
        y += height + GAP
    return sheet


LEGEND = (
    "red: right actions (ring: point, frame: box, arrow: path of the finger); blue: key elements, by rank; "
    "orange: what was done, where nobody says what is right"
)


def save_sheet(image: Image.Image, file: Path) -> None:
    """Save the sheet in the format of the file name; an error leaves no partial file."""
    part = file.with_name(file.name + ".part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        image.save(part, sheet_format(file), quality=85)
        part.replace(file)
    except OSError as error:
        raise InputError(f"cannot write {file}: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def sheet_format(file: Path) -> str:
    if file.suffix.lower() not in FORMATS:
        raise InputError(f"a contact sheet is a picture, and {file} is not: use .png or .jpg")
    return FORMATS[file.suffix.lower()]


# -- one screen -------------------------------------------------------------------------------------------------------


def draw_cell(sample: Sample) -> Image.Image:
    """One screen with its right actions, and below it id, instruction and right actions as text."""
    screen = draw_screen(sample)
    step = sample.step
    width = max(screen.width, NARROWEST)
    texts = [(step.id, FAINT, 1), (step.instruction or "(no instruction)", INK, 5)]
    if step.step_instruction and step.step_instruction != step.instruction:
        texts.append((f"› {step.step_instruction}", INK, 3))
    actions, colour = _actions(step)
    texts.append((_in_words(step, actions) or "(no right action is given)", colour, 3))
    text = _paragraphs(texts, width, 15)
    cell = Image.new("RGB", (width, screen.height + text.height + 6), PAPER)
    cell.paste(screen, ((width - screen.width) // 2, 0))
    cell.paste(text, (0, screen.height + 6))
    return cell


def _actions(step: Step) -> tuple[Sequence[Action], str]:
    """What is drawn, and its colour: the right actions; without any, what was done (a random walk)."""
    done = [step.prediction] if step.prediction is not None and not step.truth else []
    return (done, DONE) if done else (step.truth, RIGHT)


def _in_words(step: Step, actions: Sequence[Action]) -> str:
    """The actions as text, without duplicates."""
    language = language_of(step.instruction)
    words = dict.fromkeys(in_words(action, step.view, language) for action in actions)
    shown = [*list(words)[:3], *(["…"] if len(words) > 3 else [])]
    return " | ".join(shown)


def draw_screen(sample: Sample) -> Image.Image:
    """The screenshot at its size on the sheet, with key elements and right actions drawn in."""
    step = sample.step
    scale = (AREA / (step.screen.width * step.screen.height)) ** 0.5
    longest = WIDTH - 2 * GAP
    size = Size(*(min(longest, max(24, round(side * scale))) for side in step.screen))
    image, problem = _screenshot(sample, Size(size.width * FINE, size.height * FINE))
    pen = Pen(ImageDraw.Draw(image), Size(*image.size), step.screen)
    if problem:
        pen.draw.text((image.width / 2, 16 * FINE), problem, fill=FAINT, font=font(15 * FINE), anchor="mm")
    for element in step.key_elements or ():
        pen.frame(element.box, KEY)
    actions, colour = _actions(step)
    for action in actions:
        draw_action(pen, action, step, colour)
    for rank, element in enumerate(step.key_elements or (), 1):
        pen.tag(Point(element.box.x0, element.box.y0), str(rank), KEY)
    pen.draw.rectangle((0, 0, image.width - 1, image.height - 1), outline=EDGE, width=FINE)
    return image.reduce(FINE)


def _screenshot(sample: Sample, size: Size) -> tuple[Image.Image, str]:
    """The picture, or an empty rectangle and why."""
    if sample.picture is None:
        return Image.new("RGB", size, PLATE), "no picture"
    try:
        image = open_picture(sample.picture.data()).convert("RGB")
    except FileNotFoundError:
        return Image.new("RGB", size, PLATE), "missing picture"
    except (OSError, ValueError, InputError):
        return Image.new("RGB", size, PLATE), "unreadable picture"
    return image.resize(size, Image.Resampling.LANCZOS), ""


def draw_action(pen: Pen, action: Action, step: Step, colour: str) -> None:
    """Draw an action at its place; one without a place is written at the bottom of the screen."""
    if action.box is not None:
        pen.frame(action.box, colour)
    if action.point is not None:
        pen.ring(action.point, colour)
    if action.type in ("swipe", "drag"):
        pen.arrow(*_swipe_path(action, step.screen), colour)
    elif action.point is None and action.box is None:
        pen.label(action.name if action.text is None else f"{action.name}: {action.text}", colour)


def _swipe_path(action: Action, screen: Size) -> tuple[Point, Point]:
    """Start and end of a swipe; without points, around the middle of the screen."""
    if action.start is not None and action.end is not None:
        return action.start, action.end
    dx, dy = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[str(swipe_direction(action))]
    across, down = dx * SHARE * screen.width, dy * SHARE * screen.height
    start = action.start or Point((screen.width - across) / 2, (screen.height - down) / 2)
    return start, Point(start.x + across, start.y + down)


class Pen(NamedTuple):
    """Draws shapes given in screenshot pixels, each with a white outline so that it is visible on any screen."""

    draw: ImageDraw.ImageDraw
    size: Size
    screen: Size

    def at(self, point: Point) -> tuple[float, float]:
        """Position on the picture; points far outside are moved to just outside."""
        (width, height), (across, down) = self.size, self.screen
        return (
            min(max(point.x * width / across, -width), 2 * width),
            min(max(point.y * height / down, -height), 2 * height),
        )

    def frame(self, box: Box, colour: str) -> None:
        (x0, y0), (x1, y1) = self.at(Point(box.x0, box.y0)), self.at(Point(box.x1, box.y1))
        x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
        if x1 - x0 >= 4 and y1 - y0 >= 4:
            self.draw.rectangle((x0 - FINE, y0 - FINE, x1 + FINE, y1 + FINE), outline="white", width=4 * FINE)
            self.draw.rectangle((x0, y0, x1, y1), outline=colour, width=2 * FINE)
        else:
            self.ring(box.center, colour, 6)

    def ring(self, point: Point, colour: str, radius: float = 9) -> None:
        x, y = self.at(point)
        for wide, fill, thick in ((radius + 1, "white", 4), (radius, colour, 2)):
            reach = wide * FINE
            self.draw.ellipse((x - reach, y - reach, x + reach, y + reach), outline=fill, width=thick * FINE)
        dot = 2 * FINE
        self.draw.ellipse((x - dot, y - dot, x + dot, y + dot), fill=colour, outline="white", width=FINE // 2)

    def arrow(self, start: Point, end: Point, colour: str) -> None:
        (x0, y0), (x1, y1) = self.at(start), self.at(end)
        length = max(1.0, ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        for fill, thick, reach in (("white", 7, 17), (colour, 4, 14)):
            head = reach * FINE
            bx, by = x1 - ux * head * 0.8, y1 - uy * head * 0.8
            self.draw.line((x0, y0, bx, by), fill=fill, width=thick * FINE)
            side = head * 0.55
            self.draw.polygon(
                [(x1 + ux * 2, y1 + uy * 2), (bx - uy * side, by + ux * side), (bx + uy * side, by - ux * side)],
                fill=fill,
            )
        self.ring(start, colour, 5)

    def label(self, text: str, colour: str) -> None:
        """Write a label at the bottom of the screen; a second one covers the first, and the text below lists all
        actions.
        """
        width, height = self.size
        lines = wrap(text, font(14 * FINE), width - 16 * FINE, 1)
        x, y = width / 2, height - 20 * FINE
        bounds = self.draw.textbbox((x, y), lines[0], font=font(14 * FINE), anchor="mm")
        around = (bounds[0] - 7 * FINE, bounds[1] - 5 * FINE, bounds[2] + 7 * FINE, bounds[3] + 5 * FINE)
        self.draw.rounded_rectangle(around, 6 * FINE, fill=colour, outline="white", width=FINE)
        self.draw.text((x, y), lines[0], fill="white", font=font(14 * FINE), anchor="mm")

    def tag(self, corner: Point, text: str, colour: str) -> None:
        """Draw a small number at a corner, moved inside the picture."""
        left, top = self.at(corner)
        face = font(11 * FINE)
        side = face.getlength(text) / 2 + 4 * FINE
        x, y = min(max(left, side), self.size.width - side), min(max(top, 8 * FINE), self.size.height - 8 * FINE)
        self.draw.rectangle(
            (x - side, y - 8 * FINE, x + side, y + 8 * FINE), fill=colour, outline="white", width=FINE // 2
        )
        self.draw.text((x, y), text, fill="white", font=face, anchor="mm")


# -- text -------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def font(size: int, eastern: bool = False) -> Font:
    """The first installed font with Chinese characters; without one, Pillow's own, which has none."""
    for name in FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    if eastern:
        raise MissingError(
            "no installed font has Chinese characters: install one, such as fonts-wqy-microhei or Noto Sans CJK"
        )
    return ImageFont.load_default(size)


def _paragraphs(texts: Sequence[tuple[str, str, int]], width: int, size: int) -> Image.Image:
    """Draw texts below one another, each with its colour and its maximum number of lines."""
    face = font(size * FINE, any(EAST.search(text) for text, _, _ in texts))
    lines = [(line, colour) for text, colour, most in texts for line in wrap(text, face, width * FINE, most)]
    leading = round(size * 1.35)
    image = Image.new("RGB", (width * FINE, max(1, len(lines)) * leading * FINE), PAPER)
    draw = ImageDraw.Draw(image)
    for at, (line, colour) in enumerate(lines):
        draw.text((0, (at * leading + leading / 2) * FINE), line, fill=colour, font=face, anchor="lm")
    return image.reduce(FINE)


_UNSEEN = re.compile("[\ue000-\uf8ff\ufe0f\u200d\U0001f000-\U0001faff]+")
"""Emoji and icons, which these fonts do not have."""
_PIECES = re.compile(r"[⺀-鿿豈-﫿＀-￯]|\s+|[^\s⺀-鿿豈-﫿＀-￯]+")


def wrap(text: str, face: Font, width: float, most: int) -> list[str]:
    """Wrap a text: at spaces, between Chinese characters, and within words that are too long for a line."""
    lines = [""]
    for piece in _PIECES.findall(" ".join(_UNSEEN.sub("", text[: most * 400]).split())):
        fits = face.getlength(lines[-1] + piece.rstrip()) <= width
        for part in [piece] if fits or face.getlength(piece) <= width else piece:
            if face.getlength(lines[-1] + part.rstrip()) > width:
                lines.append("")
            lines[-1] += part if lines[-1] else part.lstrip()
        if len(lines) > most:
            break
    if len(lines) <= most:
        return lines if lines != [""] else []
    last = lines[most - 1].rstrip()
    while last and face.getlength(last + "…") > width:
        last = last[:-1]
    return [*lines[: most - 1], last + "…"]
