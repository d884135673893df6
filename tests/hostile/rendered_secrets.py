"""Shows a secret in each of its renderings, and reads what is left after redaction: by OCR and in the elements."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

import numpy as np
from PIL import Image
from secret_renderings import CARD, RENDERINGS, VALUE, page, value_of

from saccade.actions import Action
from saccade.agents.redact import redact
from saccade.types import Picture
from saccade.worlds.browser.engine import BrowserEngine
from saccade.worlds.browser.network import AllowList
from saccade.worlds.browser.world import BrowserWorld, Device
from saccade.worlds.secrets import Secret, Vault
from saccade.worlds.spread_secrets import letters
from saccade_vision.text import TextReader

VAULT = Vault({"bank": Secret(VALUE, "bank.example"), "card": Secret(CARD, "bank.example")})
DEVICES = {"desktop": Device(500, 380), "phone": Device(360, 500, 2.0, touch=True)}


@dataclass(frozen=True)
class Reading:
    """How many letters in a row of the secret can be read, before and after redaction."""

    name: str
    device: str
    before: int
    left: int


def readings(names: Sequence[str] = tuple(RENDERINGS), devices: Sequence[str] = tuple(DEVICES)) -> Iterator[Reading]:
    reader = TextReader(1)
    engine = BrowserEngine(AllowList())
    for device in devices:
        with BrowserWorld("about:blank", device=DEVICES[device], engine=engine) as world:
            world.vault = VAULT
            world.reset()
            for name in names:
                value = value_of(name)
                seen = world.act(Action("open_url", text=f"data:text/html,{quote(page(name))}"))
                before = longest(read(reader, seen.screen.picture), value)
                after = redact(seen, VAULT)
                said = letters("".join(f"{e.text}{e.caption}" for e in after.screen.elements).replace("secret", ""))
                left = max(longest(text, value) for text in (read(reader, after.screen.picture), said))
                yield Reading(name, device, before, left)
    engine.close()


def read(reader: TextReader, picture: Picture | None) -> str:
    assert picture is not None
    with Image.open(io.BytesIO(picture.data())) as image:
        return letters("".join(line.text for line in reader.read(np.asarray(image.convert("RGB")))))


def longest(text: str, value: str) -> int:
    """The longest piece of the value, forwards or backwards, that is in the text."""
    pieces = (
        spelled[begin:end]
        for spelled in (value, value[::-1])
        for begin in range(len(value))
        for end in range(begin + 1, len(value) + 1)
    )
    return max((len(piece) for piece in pieces if piece in text), default=0)
