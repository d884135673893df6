"""A folder of screens with the true boxes of their elements: `000001.webp` … and `screens.jsonl`, one line for each.

    {"image": "000001.webp", "size": [432, 960], "source": "phone/shop", "look": "vant/dark/normal", "language": "zh",
     "elements": [{"box": [x0, y0, x1, y1], "type": "button", "interactive": true}, ...]}

An element that has a state in the tree (checked, selected, disabled …) has it here, too. Boxes are in pixels of the
stored picture. Training machines read these folders, so nothing heavy is imported.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image

LIST = "screens.jsonl"
QUALITY = 80


class ScreenFolder:
    """Adds screens to a folder; one that is there already (by its pixels) is left out."""

    def __init__(self, folder: Path, quality: int = QUALITY) -> None:
        self.folder, self.quality = folder, quality
        folder.mkdir(parents=True, exist_ok=True)
        self.lines = read_lines(folder)
        self._seen = {line.get("hash") for line in self.lines}

    def __len__(self) -> int:
        return len(self.lines)

    def add(
        self, image: Image.Image, elements: Sequence[dict[str, Any]], *, source: str, look: str, language: str
    ) -> bool:
        """Store a screen; False if the same picture is there already or nothing is on it."""
        picture = image.convert("RGB")
        name = hashlib.sha256(picture.tobytes()).hexdigest()[:16]
        if name in self._seen or not elements:
            return False
        self._seen.add(name)
        line = {
            "image": f"{len(self.lines) + 1:06}.webp",
            "size": list(picture.size),
            "source": source,
            "look": look,
            "language": language,
            "hash": name,
            "elements": list(elements),
        }
        picture.save(self.folder / str(line["image"]), "WEBP", quality=self.quality, method=4)
        with (self.folder / LIST).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
        self.lines.append(line)
        return True


def described(box: Sequence[float], type: str, interactive: bool, state: str) -> dict[str, Any]:
    """An element as a line of the folder has it."""
    row = {"box": [round(float(side), 1) for side in box], "type": type, "interactive": interactive}
    return {**row, "state": state} if state else row


def read_lines(folder: Path) -> list[dict[str, Any]]:
    """The lines of a folder whose pictures are there; a line cut off by a kill is dropped."""
    found = []
    file = folder / LIST
    for text in file.read_text(encoding="utf-8").splitlines() if file.is_file() else []:
        try:
            line = json.loads(text)
        except json.JSONDecodeError:
            continue
        if (folder / line["image"]).is_file():
            found.append(line)
    return found
