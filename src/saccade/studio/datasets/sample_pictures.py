"""A sample's picture as the browser gets it: of a known kind, inside the studio's folders, of bounded size."""

from __future__ import annotations

import io
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image

from saccade.data.contact_sheet import draw_screen
from saccade.data.readers import Sample
from saccade.errors import InputError, MissingError
from saccade.studio.folder_walk import is_inside
from saccade.studio.served_files import MOST_BYTES, picture_type
from saccade.types import Picture
from saccade.untrusted import MOST_PIXELS, PictureError, picture_head, read_picture

OTHER_FORMATS = ("BMP", "GIF")
"""What readers also meet; it is served as PNG."""
KEPT_BYTES = 32 * 2**20
_drawing = threading.Semaphore(2)


def picture_of(sample: Sample, roots: Sequence[Path]) -> tuple[bytes, str]:
    """The picture's bytes and type; `InputError` if it must not or cannot be shown."""
    if sample.picture is None:
        raise InputError("this sample has no picture")
    data = _bytes_of(sample.picture, roots)
    if len(data) > MOST_BYTES:
        raise InputError(f"the picture is larger than {MOST_BYTES // 2**20} MB")
    kind = picture_type(data)
    try:
        width, height = picture_head(data).size
        if width * height > MOST_PIXELS:
            raise InputError(f"the picture has {width}×{height} pixels: too many to show")
        return (data, kind) if kind else (_as_png(read_picture(data)), "image/png")
    except PictureError:
        raise InputError("the picture cannot be read") from None


def _bytes_of(picture: Picture, roots: Sequence[Path]) -> bytes:
    if isinstance(picture.source, str):
        path = Path(picture.source)
        if not is_inside(path, roots) or not path.is_file():
            raise InputError("there is no such picture in the studio's folders")
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"the picture is larger than {MOST_BYTES // 2**20} MB")
    try:
        return picture.data()
    except (OSError, ValueError, MissingError) as error:
        raise InputError(f"the picture cannot be read: {str(error)[:200]}") from None


def _as_png(image: Image.Image) -> bytes:
    buffer = io.BytesIO()
    image.convert("RGB").save(buffer, "PNG")
    return buffer.getvalue()


class Thumbnails:
    """Small pictures with the right actions drawn in, made when they are looked at; the last ones are kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[object, bytes] = OrderedDict()
        self._size = 0

    def get(self, key: object, sample: Sample, roots: Sequence[Path]) -> bytes:
        """A JPEG; without a picture that can be shown, an empty screen with the actions."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        with _drawing:
            data = _thumbnail(sample, roots)
        with self._lock:
            self._kept[key] = data
            self._size += len(data)
            while self._size > KEPT_BYTES:
                self._size -= len(self._kept.popitem(last=False)[1])
        return data


def _thumbnail(sample: Sample, roots: Sequence[Path]) -> bytes:
    picture: Picture | None
    try:
        picture = Picture(picture_of(sample, roots)[0])
    except InputError:
        picture = None if sample.picture is None else replace(sample.picture, source=b"")
    buffer = io.BytesIO()
    try:
        draw_screen(sample._replace(picture=picture)).save(buffer, "JPEG", quality=80)
    except (ValueError, OverflowError, ArithmeticError, OSError):
        raise InputError("this sample cannot be drawn") from None
    return buffer.getvalue()
