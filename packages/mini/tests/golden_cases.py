"""Golden cases, one a line of a file in `golden/`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from saccade.untrusted import JsonDecoder


def golden(name: str) -> list[dict[str, Any]]:
    file = Path(__file__).parent / "golden" / f"{name}.jsonl"
    return JsonDecoder(dict[str, Any]).decode_lines(file.read_bytes())
