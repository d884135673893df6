"""What lies in the folder of a mini: `model.onnx`, `tokenizer.json`, `mini.json`; `prm.onnx` and `reader.npz` where it
has them.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from saccade.records import read_object

MODEL, REWARD, READER, TOKENIZER, CARD = "model.onnx", "prm.onnx", "reader.npz", "tokenizer.json", "mini.json"


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """`mini.json`: the sizes of the decoder in a folder. What else stands there tells how it came about."""

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


def read_card(folder: Path) -> Card:
    return read_object(folder / CARD, Card, f"{folder} has no {CARD}: it is not the folder of a mini")
