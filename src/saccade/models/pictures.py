"""Prepares pictures for models: resized to `picture.shown` and encoded."""

from __future__ import annotations

import base64
import io
from functools import lru_cache

from PIL import Image

from saccade.errors import InputError
from saccade.types import Picture
from saccade.untrusted import read_picture


def image_of(picture: Picture) -> Image.Image:
    """The picture at the size at which the model sees it."""
    try:
        opened = read_picture(picture.data())
    except (OSError, ValueError) as error:
        raise InputError(f"a picture for the model cannot be read: {error}") from None
    image = opened.convert("RGB")
    if picture.shown is not None and image.size != picture.shown:
        image = image.resize(picture.shown, Image.Resampling.BICUBIC)
    return image


def png_of(picture: Picture) -> bytes:
    file = io.BytesIO()
    image_of(picture).save(file, "PNG", compress_level=1)
    return file.getvalue()


@lru_cache(maxsize=8)
def data_url(picture: Picture) -> str:
    """The picture as a data URL. The last few are cached: an earlier screenshot is sent again at the next step."""
    return "data:image/png;base64," + base64.b64encode(png_of(picture)).decode("ascii")
