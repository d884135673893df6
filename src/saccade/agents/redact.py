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
from saccade.untrusted import read_picture
from saccade.worlds.base import Observation
from saccade.worlds.secrets import PLACEHOLDER, Vault
from saccade.worlds.spread_secrets import shares_letters, spread_secrets

MARGIN = 3
"""Pixels added around a covered box: letters reach a little beyond it."""
CUT_MARKS = ("…", "...")


def redact(seen: Observation, vault: Vault) -> Observation:
    """The observation without secrets. It reads the elements, because they tell where on the screenshot a secret is
    shown; the world may know of more places (`Observation.secrets`).
    """
    if not vault:
        return seen
    own, covers = _redacted(seen.world_elements, vault)
    elements, more = _redacted(seen.screen.elements, vault)
    shown = [(box, f"{{secret.{name}}}") for name, box in seen.secrets]
    elements = [_shown(_covered(element, covers), seen.secrets, vault) for element in elements]
    return replace(
        seen,
        screen=Screen(seen.screen.size, painted(seen.screen.picture, covers + more + shown), elements),
        world_elements=[_shown(element, seen.secrets, vault) for element in own] or seen.world_elements,
        url=vault.redact(seen.url),
        app=vault.redact(seen.app),
        error=vault.redact(seen.error),
        events=tuple(vault.redact(event) for event in seen.events),
        instruction=vault.redact(seen.instruction),
        secrets=(),
    )


def _redacted(elements: Sequence[Element], vault: Vault) -> tuple[list[Element], list[tuple[Box, str]]]:
    """The elements without secrets; the boxes that showed one, each with the secret's name."""
    boxes = [element.box for element in elements]
    spread: dict[int, str] = {}
    for said in (
        [e.text for e in elements],
        [e.caption for e in elements],
        [e.text if e.leaf else "" for e in elements],
    ):
        for name, places in spread_secrets(said, boxes, vault):
            spread |= dict.fromkeys(places, f"{{secret.{name}}}")
    cleaned, covers = list[Element](), list[tuple[Box, str]]()
    for at, element in enumerate(elements):
        text, caption = (_clean(each, vault) for each in (element.text, element.caption))
        if at in spread and (text, caption) == (element.text, element.caption):
            text, caption = spread[at], ""
        if (text, caption) != (element.text, element.caption):
            covers.append((element.box, _name(text, caption)))
        cleaned.append(with_fields(element, text=text[:LONGEST_TEXT], caption=caption[:LONGEST_TEXT]))
    return cleaned, covers


def _shown(element: Element, secrets: Sequence[tuple[str, Box]], vault: Vault) -> Element:
    """An element that lies where a secret is shown, and says a part of it."""
    for name, box in secrets:
        if not _overlap(box, element.box) or name not in vault.secrets:
            continue
        if any(shares_letters(said, vault.secrets[name].value) for said in (element.text, element.caption)):
            return with_fields(element, text=f"{{secret.{name}}}", caption="")
    return element


def _overlap(one: Box, other: Box) -> bool:
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    return across > 0 and min(one.y1, other.y1) > max(one.y0, other.y0)


def _covered(element: Element, covers: Sequence[tuple[Box, str]]) -> Element:
    """An element found in the picture where the world's own elements show a secret: it may be the secret, misread."""
    for box, name in covers:
        if _overlap(box, element.box):
            return with_fields(element, text=name, caption="")
    return element


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
    image = read_picture(picture.data()).convert("RGB")
    for box, name in covers:
        x, y = int(box.x0) - MARGIN, int(box.y0) - MARGIN
        cover = Image.new("RGB", (int(box.width) + 2 * MARGIN + 1, int(box.height) + 2 * MARGIN + 1), "#3a3a3a")
        font = ImageFont.load_default(max(10, min(28, cover.height // 2)))
        ImageDraw.Draw(cover).text((2 * MARGIN, cover.height / 2), name, fill="white", font=font, anchor="lm")
        image.paste(cover, (x, y))
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    return Picture(file.getvalue(), picture.size, picture.shown)
