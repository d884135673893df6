"""What lies in the folder of a mini: `model.onnx`, `tokenizer.json`, `mini.json`; `prm.onnx` and `reader.npz` where it
has them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from saccade.errors import InputError, readable
from saccade.untrusted import decode_json, read_bytes

MODEL, REWARD, READER, TOKENIZER, CARD = "model.onnx", "prm.onnx", "reader.npz", "tokenizer.json", "mini.json"


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """`mini.json`: what a folder holds and how it came about."""

    name: str = "mini"
    version: str | int = ""
    vocabulary: int = 0
    layers: int = 0
    width: int = 0
    heads: int = 0
    key_heads: int = 0
    head_size: int = 0
    inner: int = 0
    positions: int = 0
    """Tokens of prompt and answer together that it was taught to cope with."""
    seed: int = 0
    trained: dict[str, Any] = msgspec.field(default_factory=dict)
    """Recipe, rows, steps, figures: whatever helps to repeat it."""


def read_card(folder: Path) -> Card:
    try:
        return decode_json(read_bytes(folder / CARD), Card)
    except OSError:
        raise InputError(f"{folder} has no {CARD}: it is not the folder of a mini") from None
    except msgspec.MsgspecError as error:
        raise InputError(f"{folder / CARD}: {readable(error)}") from None
