"""Removes secrets from observations: their values are replaced by their names before agent and log see them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

from msgspec.structs import replace as with_fields
from PIL import Image, ImageDraw, ImageFont

from saccade.geometry import Box
from saccade.screens.dom import LONGEST_TEXT
from saccade.types import Element, Picture, Screen
from saccade.worlds.base import Observation
from saccade.worlds.secrets import PLACEHOLDER, Vault

MARGIN = 3
"""Pixels added around a covered box: letters reach a little beyond it."""
CUT_MARKS = ("…", "...")


def redact(seen: Observation, vault: Vault) -> Observation:
    """The observation without secrets. It reads the elements, because only they tell where on the screenshot a secret
    is shown.
    """
    if not vault:
        return seen
    elements = list[Element]()
    covers = list[tuple[Box, str]]()
    for element in seen.screen.elements:
        text, caption = (_clean(each, vault) for each in (element.text, element.caption))
        if (text, caption) != (element.text, element.caption):
            covers.append((element.box, _name(text, caption)))
        elements.append(with_fields(element, text=text[:LONGEST_TEXT], caption=caption[:LONGEST_TEXT]))
    return replace(
        seen,
        screen=Screen(seen.screen.size, painted(seen.screen.picture, covers), elements),
        url=vault.redact(seen.url),
        app=vault.redact(seen.app),
        error=vault.redact(seen.error),
        events=tuple(vault.redact(event) for event in seen.events),
        instruction=vault.redact(seen.instruction),
    )


def _clean(text: str, vault: Vault) -> str:
    """Redact a text. Worlds with secrets give whole texts if they can; a cut text may end in the middle of a value."""
    cut = len(text) >= LONGEST_TEXT or text.endswith(CUT_MARKS)
    return vault.redact_cut(text) if cut else vault.redact(text)


def _name(*texts: str) -> str:
    return next((match[0] for text in texts if (match := PLACEHOLDER.search(text))), "")


def painted(picture: Picture | None, covers: Sequence[tuple[Box, str]]) -> Picture | None:
    """The picture with a solid box over each secret, labelled with the secret's name."""
    if picture is None or not covers:
        return picture
    with Image.open(io.BytesIO(picture.data())) as opened:
        image = opened.convert("RGB")
    for box, name in covers:
        x, y = int(box.x0) - MARGIN, int(box.y0) - MARGIN
        cover = Image.new("RGB", (int(box.width) + 2 * MARGIN + 1, int(box.height) + 2 * MARGIN + 1), "#3a3a3a")
        font = ImageFont.load_default(max(10, min(28, cover.height // 2)))
        ImageDraw.Draw(cover).text((2 * MARGIN, cover.height / 2), name, fill="white", font=font, anchor="lm")
        image.paste(cover, (x, y))
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    return Picture(file.getvalue(), picture.size, picture.shown)
