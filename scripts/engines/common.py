"""What the proofs share: the cases, the expected image tokens, and one line of figures."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image

FACTOR = 28
"""Pixels of a vision token's side in Qwen2.5-VL."""
IMAGE_TOKEN = 151_655


def cases_of(folder: Path) -> list[dict[str, Any]]:
    """Completions with their truths and our rewards (make_cases.py)."""
    return [json.loads(line) for line in (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()]


def image_tokens(pictures: Sequence[bytes | Path]) -> int:
    """Tokens of pictures that are not resized any more."""
    count = 0
    for picture in pictures:
        with Image.open(io.BytesIO(picture) if isinstance(picture, bytes) else picture) as image:
            width, height = image.size
        assert width % FACTOR == height % FACTOR == 0, f"{width}×{height} would be resized"
        count += (width // FACTOR) * (height // FACTOR)
    return count


def proved(framework: str, **figures: Any) -> None:
    """Print what was proved; whatever was not has raised."""
    print("PROVED " + json.dumps({"framework": framework, **figures}))
