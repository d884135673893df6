"""The pictures of items: read from the studio's folders only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from saccade.errors import InputError
from saccade.studio.database.review import ReviewItem
from saccade.studio.served_files import read_picture


def item_picture(item: ReviewItem, image: str, folders: Sequence[Path]) -> tuple[bytes, str]:
    """The bytes and the type of one of an item's pictures; `InputError` where it may not be served."""
    folder = Path(item.folder)
    if not item.folder or not any(folder.is_relative_to(each) for each in folders):
        raise InputError("the pictures of this item lie outside the studio's folders: start it with their folder")
    return read_picture(folder, image)
