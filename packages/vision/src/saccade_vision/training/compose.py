"""Paint on a composed screen: texts, icons, pictures and single controls, each with its true box.

`compose_layouts.py` puts whole screens together of these. Pure Pillow and numpy, so that worker processes on a
training machine can do it. Nothing here looks like one toolkit: edges, corners, paddings and colours are drawn anew for
each screen.
"""

from __future__ import annotations

import colorsys
import random
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont

_WORDS = (
    "file edit view insert format tools window help search open save copy paste undo new close settings account home "
    "layer image select filter colour print page style table sheet data chart slide review share message mail inbox "
    "draft folder recent network music video audio play list queue update install cancel apply back next finish add "
    "remove edit profile device system sound display power language keyboard mouse user group security privacy about "
    "terminal project build run debug test branch commit push history total price order today week month name size "
    "type modified description status active pending done low high normal all none default custom options preview"
).split()
_CHARACTERS = (
    "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经"
    "十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形"
    "相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展"
    "设置消息搜索文件编辑视图插入格式工具窗口帮助保存打开关闭登录注册购物车订单首页我的推荐热门支付优惠券收藏分享评论点赞关注图片音乐"
)


class DrawingResources:
    """Icon masks and fonts, read once in each process."""

    def __init__(self, icons: Path | None, fonts: Path | None) -> None:
        self.masks = _read_masks(icons)
        files = [file for file in sorted(fonts.rglob("*")) if file.suffix in (".ttf", ".otf", ".ttc")] if fonts else []
        self.latin = [str(file) for file in files if not _is_chinese(file)]
        self.chinese = [str(file) for file in files if _is_chinese(file)]


def _is_chinese(file: Path) -> bool:
    return any(part in file.name.lower() for part in ("wqy", "cjk", "ukai", "uming", "droidsansfallback"))


def _read_masks(icons: Path | None) -> NDArray[np.uint8]:
    """Opacities (n, 64, 64) from the file of `icon_rasters`, or simple shapes where there is none. Icons of Material
    Design are left out: that look is kept for tests.
    """
    if icons is None or not icons.is_file():
        return _simple_shapes()
    with np.load(icons) as file:
        packed, packages = file["masks"], file["packages"]
        names = [str(name) for name in file["package_names"]]
    kept = np.array([at >= 0 and "mdi" not in names[at] for at in packages])
    levels = np.stack([packed[kept] >> 4, packed[kept] & 15], -1)
    return np.asarray((levels * np.uint8(17)).reshape(-1, 64, 64))


def _simple_shapes() -> NDArray[np.uint8]:
    chance = random.Random(0)
    shapes = []
    for _ in range(200):
        mask = Image.new("L", (64, 64))
        draw = ImageDraw.Draw(mask)
        for _ in range(chance.randint(1, 4)):
            box = sorted(chance.sample(range(4, 60), 2)) + sorted(chance.sample(range(4, 60), 2))
            paint = chance.choice((draw.ellipse, draw.rectangle))
            paint((box[0], box[2], box[1], box[3]), outline=255, width=chance.randint(4, 8))
        shapes.append(np.asarray(mask))
    return np.stack(shapes)


@lru_cache(maxsize=400)
def _font(file: str, size: int) -> Font:
    return ImageFont.truetype(file, size)


class ScreenStyle:
    """Colours, corners, paddings and fonts of one screen or window."""

    def __init__(self, chance: random.Random, resources: DrawingResources, chinese: bool) -> None:
        self.dark = chance.random() < 0.4
        tint, strength = chance.random(), chance.uniform(0, 0.25)
        self.tint = tint
        levels = sorted(chance.uniform(0.08, 0.3) if self.dark else chance.uniform(0.82, 1.0) for _ in range(3))
        self.ground, self.panel, self.field = (shade(tint, strength * chance.random(), level) for level in levels)
        self.ink = shade(tint, strength, chance.uniform(0.75, 1.0) if self.dark else chance.uniform(0.0, 0.3))
        self.muted = shade(tint, strength, chance.uniform(0.45, 0.65))
        self.line = shade(tint, strength, chance.uniform(0.3, 0.42) if self.dark else chance.uniform(0.65, 0.85))
        self.accent = shade(chance.random(), chance.uniform(0.5, 1), chance.uniform(0.45, 0.95))
        self.corner = chance.choice((0, 0, 2, 4, 6, 12))
        self.size = chance.choice((10, 11, 12, 12, 13, 13, 14, 15))
        self.pad = chance.randint(2, 6)
        self.icon = chance.choice((14, 16, 16, 16, 18, 20, 22, 24))
        self.coloured = chance.random() < 0.5
        """Are icons in many colours, as in older toolkits?"""
        self.framed = chance.random() < 0.5
        self.chinese = chinese and bool(resources.chinese)
        files = resources.chinese if self.chinese else resources.latin
        self.file = chance.choice(files) if files else ""

    def font(self, size: int) -> Font:
        return _font(self.file, max(7, size)) if self.file else ImageFont.load_default(max(7, size))


def shade(hue: float, saturation: float, value: float) -> Colour:
    red, green, blue = colorsys.hsv_to_rgb(hue, min(1.0, saturation), min(1.0, value))
    return round(red * 255), round(green * 255), round(blue * 255)


class Painter:
    """A screen that is being painted, and the true boxes of what is on it."""

    def __init__(self, size: tuple[int, int], chance: random.Random, resources: DrawingResources) -> None:
        self.chance, self.resources = chance, resources
        self.image = Image.new("RGB", size, shade(chance.random(), chance.random() * 0.4, chance.random()))
        self.draw = ImageDraw.Draw(self.image)
        self.elements: list[dict[str, Any]] = []

    def tell(self, box: tuple[float, ...], type: str, interactive: bool) -> None:
        """Something is there. A box is cut to the screen."""
        width, height = self.image.size
        x0, y0, x1, y1 = max(0, box[0]), max(0, box[1]), min(width, box[2]), min(height, box[3])
        if x1 - x0 >= 5 and y1 - y0 >= 5:
            self.elements.append({"box": [x0, y0, x1, y1], "type": type, "interactive": interactive})

    def cover(self, box: tuple[float, ...]) -> None:
        """Something opaque was painted here: what was beneath it is hidden."""

        def hidden(other: list[float]) -> bool:
            width = min(box[2], other[2]) - max(box[0], other[0])
            height = min(box[3], other[3]) - max(box[1], other[1])
            area = (other[2] - other[0]) * (other[3] - other[1])
            return width > 0 and height > 0 and width * height > 0.4 * area

        self.elements = [element for element in self.elements if not hidden(element["box"])]

    # -- what is painted ------------------------------------------------------------------------------------------

    def words(self, look: ScreenStyle, fewest: int = 1, most: int = 3) -> str:
        count = self.chance.randint(fewest, most)
        if look.chinese and self.chance.random() < 0.8:
            return "".join(self.chance.choices(_CHARACTERS, k=2 * count))
        text = " ".join(self.chance.choices(_WORDS, k=count))
        if self.chance.random() < 0.1:
            text = f"{self.chance.randint(1, 9999)}"
        return text.capitalize() if self.chance.random() < 0.8 else text

    def text(
        self,
        look: ScreenStyle,
        at: tuple[int, int],
        text: str,
        size: int = 0,
        *,
        colour: Colour | None = None,
        tell: bool = True,
        middle: bool = False,
        width: int = 10_000,
    ) -> tuple[float, float, float, float]:
        """Write a line with its left top (or left middle) at a place; its box."""
        font = look.font(size or look.size)
        anchor = "lm" if middle else "la"
        while len(text) > 1 and font.getlength(text) > width:
            text = text[: max(1, len(text) * 3 // 4)]
        box = self.draw.textbbox(at, text, font=font, anchor=anchor)
        self.draw.text(at, text, font=font, fill=colour or look.ink, anchor=anchor)
        if tell:
            self.tell((box[0] - 1, box[1] - 1, box[2] + 1, box[3] + 1), "text", False)
        return box

    def icon(self, look: ScreenStyle, box: tuple[int, int, int, int], colour: Colour | None = None) -> None:
        """A random icon that fills a box."""
        side = max(4, min(box[2] - box[0], box[3] - box[1]))
        mask = Image.fromarray(self.chance.choice(self.resources.masks)).resize((side, side), Image.Resampling.LANCZOS)
        at = (box[0] + box[2] - side) // 2, (box[1] + box[3] - side) // 2
        if colour is None and look.coloured and self.chance.random() < 0.7:
            ground = shade(self.chance.random(), self.chance.uniform(0.3, 1), self.chance.uniform(0.4, 1))
            if self.chance.random() < 0.5:
                edge = side // 8
                self.draw.rounded_rectangle(
                    (at[0] + edge, at[1] + edge, at[0] + side - edge, at[1] + side - edge), side // 5, ground
                )
                colour = (255, 255, 255) if self.chance.random() < 0.7 else (20, 20, 20)
            else:
                colour = ground
        self.image.paste(colour or look.ink, at, mask)

    def picture(self, box: tuple[int, int, int, int]) -> None:
        """A gradient with blots and noise, in place of a photograph."""
        width, height = max(2, box[2] - box[0]), max(2, box[3] - box[1])
        corners = np.array([[self.chance.randrange(256) for _ in range(3)] for _ in range(4)], np.uint8)
        small = Image.fromarray(corners.reshape(2, 2, 3))
        picture = small.resize((width, height), Image.Resampling.BICUBIC)
        draw = ImageDraw.Draw(picture)
        for _ in range(self.chance.randrange(8)):
            x, y, r = (
                self.chance.randrange(width),
                self.chance.randrange(height),
                self.chance.randint(2, max(3, width // 4)),
            )
            fill = tuple(self.chance.randrange(256) for _ in range(3))
            self.chance.choice((draw.ellipse, draw.rectangle))((x - r, y - r // 2, x + r, y + r // 2), fill=fill)
        self.image.paste(picture, (box[0], box[1]))

    def panel(
        self, look: ScreenStyle, box: tuple[int, int, int, int], fill: Colour | None = None, corner: int = 0
    ) -> None:
        self.draw.rounded_rectangle(box, corner, fill or look.panel, look.line if look.framed else None)

    # -- single controls ------------------------------------------------------------------------------------------

    def icon_button(self, look: ScreenStyle, x: int, y: int, side: int, *, framed: bool = False) -> int:
        """A button that shows only an icon; where the next may begin."""
        pad = look.pad
        box = x, y, x + side + 2 * pad, y + side + 2 * pad
        if framed or self.chance.random() < 0.06:
            self.panel(look, box, look.field, look.corner)
        self.icon(look, (x + pad, y + pad, x + pad + side, y + pad + side))
        self.tell(box, "icon", True)
        return box[2]

    def button(self, look: ScreenStyle, x: int, y: int, height: int, *, width: int = 0, main: bool = False) -> int:
        text = self.words(look, 1, 2)
        font = look.font(look.size)
        width = width or round(font.getlength(text)) + self.chance.randint(14, 40)
        box = x, y, x + width, y + height
        fill = look.accent if main else look.field
        self.draw.rounded_rectangle(box, min(look.corner, height // 2), fill, look.line)
        colour: Colour = ((255, 255, 255) if sum(fill) < 420 else (10, 10, 10)) if main else look.ink
        left = x + max(4, (width - round(font.getlength(text))) // 2)
        self.text(look, (left, y + height // 2), text, colour=colour, tell=False, middle=True, width=width - 8)
        self.tell(box, "button", True)
        return box[2]

    def field(self, look: ScreenStyle, box: tuple[int, int, int, int]) -> None:
        """A text field, empty or with a text."""
        self.draw.rounded_rectangle(box, min(look.corner, (box[3] - box[1]) // 2), look.field, look.line)
        if self.chance.random() < 0.7:
            colour = look.muted if self.chance.random() < 0.5 else look.ink
            middle = (box[1] + box[3]) // 2
            self.text(
                look,
                (box[0] + 6, middle),
                self.words(look),
                colour=colour,
                tell=False,
                middle=True,
                width=box[2] - box[0] - 12,
            )
        self.tell(box, "input", True)

    def drop_down(self, look: ScreenStyle, box: tuple[int, int, int, int]) -> None:
        self.draw.rounded_rectangle(box, look.corner, look.field, look.line)
        middle, arrow = (box[1] + box[3]) // 2, max(3, (box[3] - box[1]) // 6)
        self.text(
            look,
            (box[0] + 6, middle),
            self.words(look, 1, 2),
            tell=False,
            middle=True,
            width=max(8, box[2] - box[0] - 28),
        )
        x = box[2] - 10 - arrow
        self.draw.polygon(
            [(x - arrow, middle - arrow // 2), (x + arrow, middle - arrow // 2), (x, middle + arrow)], look.ink
        )
        self.tell(box, "select", True)

    def tick(self, look: ScreenStyle, x: int, y: int, kind: str) -> int:
        """A checkbox or radio button with its text, which belongs to it; where it ends."""
        side = self.chance.randint(11, 18)
        box = x, y, x + side, y + side
        on = self.chance.random() < 0.5
        fill = look.accent if on else look.field
        paint = self.draw.ellipse if kind == "radio" else self.draw.rectangle
        paint(box, fill=fill, outline=look.line if on else look.muted)
        if on:
            inner = (x + side // 3, y + side // 3, x + side - side // 3, y + side - side // 3)
            self.draw.ellipse(inner, fill=(255, 255, 255))
        text = self.text(look, (x + side + 6, y + side // 2), self.words(look, 1, 4), tell=False, middle=True)
        self.tell((x - 1, min(y, text[1]) - 1, text[2] + 1, max(y + side, text[3]) + 1), kind, True)
        return round(text[2])

    def switch(self, look: ScreenStyle, x: int, y: int, height: int) -> None:
        width, on = round(height * self.chance.uniform(1.6, 2.1)), self.chance.random() < 0.5
        box = x, y, x + width, y + height
        self.draw.rounded_rectangle(box, height // 2, look.accent if on else look.muted)
        left = x + width - height + 1 if on else x + 1
        self.draw.ellipse((left, y + 1, left + height - 2, y + height - 1), fill=(250, 250, 250))
        self.tell(box, "switch", True)

    def slider(self, look: ScreenStyle, x: int, y: int, width: int) -> None:
        knob, at = self.chance.randint(5, 9), x + round(width * self.chance.random())
        self.draw.rectangle((x, y - 2, x + width, y + 2), fill=look.muted)
        self.draw.rectangle((x, y - 2, at, y + 2), fill=look.accent)
        self.draw.ellipse((at - knob, y - knob, at + knob, y + knob), fill=look.field, outline=look.line)
        self.tell((x - knob, y - knob, x + width + knob, y + knob), "slider", True)
