"""What a line of text says: PP-OCR's recognition network and greedy CTC decoding.

Lines are brought to 48 pixels of height and read in batches of the same width (160 us a column in batches, 180
us alone). The network averages over a whole line, padding included, so that a line read beside longer ones could say
something else: what a line says must not depend on what else is on the screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures

from saccade.geometry import Box
from saccade_vision.content_memory import ContentMemory
from saccade_vision.runtime import OnnxNetwork
from saccade_vision.text.detection import normalised
from saccade_vision.text.scripts import next_likely, script_of
from saccade_vision.types import Image

HEIGHT = 48
STEP = 16
"""Widths are rounded up to this, so that lines share a batch."""
BATCH_WIDTH = 1600
"""Pixels in a row of a batch, padding included."""
WIDEST = 3200
SQUEEZE = 0.8
"""Lines are drawn this much narrower than they are: a fifth less time. On 24 training screens recall was .992 at 1,
.995 at 0.85 and .992 at 0.7.
"""
MARGIN = 0.2
"""Around what is written, as a share of its height. From 0.2 to 0.45 training screens are read equally well."""
PLAIN = 24
"""A column of pixels that differ by no more than this has nothing written in it."""


@dataclass(frozen=True, slots=True)
class RecognisedText:
    """What a box says, and the network's confidence in each of the characters."""

    text: str
    confidences: tuple[float, ...]
    shares: tuple[float, ...] = ()
    """Where each character stands: 0 is where writing begins in the box, 1 where it ends."""
    others: tuple[tuple[int, str], ...] = ()
    """Places of characters of one Chinese script alone, and what else they could be (`scripts.next_likely`)."""

    @property
    def confidence(self) -> float:
        """Mean over the characters."""
        return sum(self.confidences) / len(self.confidences) if self.confidences else 0.0


def recognise(
    network: OnnxNetwork,
    letters: list[str],
    image: Image,
    boxes: Sequence[Box],
    memory: ContentMemory[RecognisedText] | None = None,
) -> list[RecognisedText]:
    """What each box says; boxes without pixels say nothing. What `memory` knows is not read again."""
    places = [at for at, box in enumerate(boxes) if min(_part(image, box).shape[:2]) >= 2]
    memory = ContentMemory() if memory is None else memory
    lines = [_written(image, boxes[at]) for at in places]
    read = memory.answers(lines, lambda unknown: _read(network, letters, [_crop(lines[at]) for at in unknown]))
    found = [RecognisedText("", ())] * len(boxes)
    for at, text in zip(places, read, strict=True):
        found[at] = text
    return found


def _read(network: OnnxNetwork, letters: list[str], crops: list[Image]) -> list[RecognisedText]:
    found = [RecognisedText("", ())] * len(crops)
    for batch in _batches([crop.shape[1] for crop in crops]):
        width = rounded(crops[batch[0]].shape[1])
        inputs = np.zeros((len(batch), 3, HEIGHT, width), np.float32)
        for place, at in enumerate(batch):
            inputs[place, :, :, : crops[at].shape[1]] = normalised(crops[at])
        (outputs,) = network(inputs)
        for place, at in enumerate(batch):
            found[at] = decode(outputs[place], letters, _written_share(crops[at], width))
    return found


def decode(
    scores: NDArray[np.float32], letters: list[str], written: tuple[float, float] = (0.0, 1.0)
) -> RecognisedText:
    """Greedy CTC decoding (Graves et al. 2006): repeated classes are one, blanks (class 0) are none. `scores` has the
    probability of each class (columns) at each step; `written`: from where to where something is written, as shares of
    the width.

    >>> said = decode(np.eye(3, dtype=np.float32)[[0, 2, 2, 0, 2, 1]], ["", "a", "b"])
    >>> said.text, said.shares
    ('bba', (0.25, 0.75, 0.917))
    """
    best = scores.argmax(axis=1)
    new = np.flatnonzero((best != 0) & (best != np.concatenate([[-1], best[:-1]])))
    said = [letters[one] for one in best[new]]
    shares = np.clip(((new + 0.5) / len(best) - written[0]) / max(1e-6, written[1] - written[0]), 0, 1)
    likely = ((at, next_likely(scores[step], letters)) for at, step in enumerate(new) if script_of(said[at]))
    return RecognisedText(
        "".join(said),
        tuple(float(one) for one in scores[new, best[new]]),
        tuple(round(float(one), 3) for one in shares),
        tuple(each for each in likely if each[1]),
    )


def _written_share(crop: Image, width: int) -> tuple[float, float]:
    """From where to where a crop is written on, as shares of the width of the batch that it is padded to."""
    left, right = _inked(crop, 0)
    return left / width, right / width


def character_places(image: Image, box: Box, read: RecognisedText) -> tuple[float, ...]:
    """Where the characters of a box stand in the picture."""
    left, right = _inked(_part(image, box), 0)
    begin = max(0, round(box.x0)) + left
    return tuple(begin + share * (right - left) for share in read.shares)


def _written(image: Image, box: Box) -> Image:
    """What is written in a box, with a margin on all sides. Where the same line stands elsewhere on the screen, or on
    the next screen, the box found is a pixel or two larger or smaller, and this is the same: so is what is read.
    """
    part = _part(image, box)
    (left, right), (top, bottom) = _inked(part, 0), _inked(part, 1)
    x, y = max(0, round(box.x0)), max(0, round(box.y0))
    margin = max(1, round(MARGIN * (bottom - top)))
    return image[max(0, y + top - margin) : y + bottom + margin, max(0, x + left - margin) : x + right + margin]


def _crop(written: Image) -> Image:
    """What the network sees of a line: HEIGHT pixels high."""
    height, width = written.shape[:2]
    wide = min(WIDEST, max(8, round(SQUEEZE * HEIGHT * width / height)))
    return np.asarray(Pictures.fromarray(written).resize((wide, HEIGHT), Pictures.Resampling.BILINEAR))


def _part(image: Image, box: Box) -> Image:
    x0, y0, x1, y1 = (max(0, round(value)) for value in box)
    return image[y0:y1, x0:x1]


def _inked(part: Image, axis: int) -> tuple[int, int]:
    """From which column (axis 0) or row (axis 1) to which something is written; all of them where nothing is."""
    grey = part[:, :, 1]
    ink = np.flatnonzero(grey.max(axis=axis).astype(np.int16) - grey.min(axis=axis) > PLAIN)
    return (int(ink[0]), int(ink[-1]) + 1) if len(ink) else (0, grey.shape[1 - axis])


def _batches(widths: Sequence[int]) -> Iterator[list[int]]:
    """Indices in order of width, as many of the same one (rounded up) together as fit into a batch."""
    for width, same in groupby(sorted(range(len(widths)), key=lambda one: widths[one]), lambda at: rounded(widths[at])):
        together = list(same)
        most = max(1, BATCH_WIDTH // width)
        yield from (together[begin : begin + most] for begin in range(0, len(together), most))


def rounded(width: int) -> int:
    """Up to the next step."""
    return -(-width // STEP) * STEP
