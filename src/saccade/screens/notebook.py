"""How screens, episodes and runs show themselves in a notebook. All text is data from somewhere else: it is escaped."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from contextlib import suppress
from html import escape
from pathlib import Path

from PIL import Image

from saccade.paradigms.wording import in_words, language_of
from saccade.screens.marks import draw_marks, open_picture
from saccade.types import Episode, Screen, Step
from saccade.untrusted import read_picture

THUMBNAIL = (150, 220)
"""Pixels that a thumbnail may take."""
MOST_STEPS = 40
"""Steps that are shown; more are counted."""


def screen_png(screen: Screen) -> bytes | None:
    """The screenshot, with a number on each element where elements are known; none if there is no picture to read."""
    if screen.picture is None:
        return None
    try:
        image = open_picture(screen.picture.data())
    except (OSError, ValueError):
        return None
    with suppress(ValueError):  # two elements with one number: no mark could tell them apart
        if screen.elements:
            return draw_marks(image, screen.elements).png()
    file = io.BytesIO()
    image.convert("RGB").save(file, "PNG", compress_level=1)
    return file.getvalue()


def episode_html(episode: Episode) -> str:
    """The instruction, and a thumbnail with the right (or predicted) action for each step."""
    head = f"<b>{escape(episode.instruction or episode.id)}</b> ({_count(len(episode.steps))})"
    return steps_html(head, episode.steps, Path(episode.folder))


def steps_html(head: str, steps: Sequence[Step], folder: Path) -> str:
    """Steps side by side under a head line, which is HTML already. Images are named from `folder`."""
    shown = "".join(_figure(step, folder) for step in steps[:MOST_STEPS])
    more = f"<div>… and {_count(len(steps) - MOST_STEPS)} more</div>" if len(steps) > MOST_STEPS else ""
    return f'<div><div>{head}</div><div style="display:flex;flex-wrap:wrap;gap:8px">{shown}</div>{more}</div>'


def _count(number: int) -> str:
    return f"{number} step" if number == 1 else f"{number} steps"


def _figure(step: Step, folder: Path) -> str:
    action = step.prediction or (step.truth[0] if step.truth else None)
    words = in_words(action, step.view, language_of(step.instruction)) if action else "no action"
    picture = _thumbnail(folder / step.image) if step.image else ""
    width, height = step.screen
    box = f'<div style="width:{THUMBNAIL[0]}px;padding:40px 0;border:1px solid">{width}×{height}</div>'
    image = f'<img alt="" src="data:image/png;base64,{picture}">' if picture else box
    return (
        f'<figure style="margin:0;width:{THUMBNAIL[0]}px;text-align:center">{image}'
        f"<figcaption>{step.step + 1}. {escape(words)}</figcaption></figure>"
    )


def _thumbnail(file: Path) -> str:
    """A small PNG in base64; empty if the picture cannot be read."""
    try:
        image = read_picture(file).convert("RGB")
    except (OSError, ValueError):
        return ""
    image.thumbnail(THUMBNAIL, Image.Resampling.BICUBIC, reducing_gap=2.0)
    small = io.BytesIO()
    image.save(small, "PNG")
    return base64.b64encode(small.getvalue()).decode("ascii")
