"""Hides regions of a picture, so that what they showed cannot be read."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageFilter

from saccade.errors import InputError
from saccade.geometry import Box
from saccade.untrusted import PictureError, read_picture

BLOCKS = 3
"""A blurred region keeps so many colour values along its shorter side: no letter can be read from them, and a blur
could not be undone, as that of a wide filter alone sometimes can.
"""
JPEG_QUALITY = 95


def hide_regions(data: bytes, regions: Sequence[Box], format: str = "PNG", *, fill: bool = False) -> bytes:
    """The picture with regions that cannot be read: blurred, or with `fill` covered by the colour of their border,
    which leaves nothing of what was there. Metadata, which may hold a small copy of it, are left out. An empty
    `format`: the picture's own.
    """
    try:
        opened = read_picture(data)
        kept, picture = format or opened.format or "PNG", opened.convert("RGB")
    except PictureError as error:
        raise InputError(f"a picture cannot be read: {error}") from None
    for region in regions:
        x0, y0 = max(0, int(region.x0)), max(0, int(region.y0))
        x1, y1 = min(picture.width, -int(-region.x1 // 1)), min(picture.height, -int(-region.y1 // 1))
        if x1 > x0 and y1 > y0:
            part = picture.crop((x0, y0, x1, y1))
            picture.paste(_filled(part) if fill else _blurred(part), (x0, y0))
    out = io.BytesIO()
    picture.save(out, kept, **({"quality": JPEG_QUALITY} if kept == "JPEG" else {}))
    return out.getvalue()


def _blurred(part: Image.Image) -> Image.Image:
    scale = BLOCKS / min(part.size)
    few = part.resize((max(1, round(part.width * scale)), max(1, round(part.height * scale))), Image.Resampling.BOX)
    return few.resize(part.size, Image.Resampling.BILINEAR).filter(ImageFilter.GaussianBlur(min(part.size) / 8))


def _filled(part: Image.Image) -> Image.Image:
    """One colour: the median along the border, which is nearly always the background of the text."""
    pixels = np.asarray(part)
    border = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
    red, green, blue = (int(value) for value in np.median(border, axis=0))
    return Image.new("RGB", part.size, (red, green, blue))
