"""Where the text networks are: PP-OCRv6 small (Apache-2.0), inside the `rapidocr` wheel.

Only its files are read. Nothing of `rapidocr` is imported: that would load OpenCV and its other dependencies.
"""

from __future__ import annotations

import mmap
from importlib.util import find_spec
from pathlib import Path

from saccade.errors import MissingError
from saccade.screens.protobuf import fields, tag

DETECTOR = "PP-OCRv6_det_small.onnx"
RECOGNISER = "PP-OCRv6_rec_small.onnx"
_METADATA = 14
"""Field of an ONNX `ModelProto` with pairs of texts, each a message with key (field 1) and value (field 2)."""


def model_file(name: str) -> Path:
    """One of the files in rapidocr's `models` folder."""
    found = find_spec("rapidocr")
    for folder in (found.submodule_search_locations if found else None) or ():
        if (path := Path(folder, "models", name)).is_file():
            return path
    raise MissingError(f"the text network {name} of rapidocr is missing: run pip install 'rapidocr>=3.10,<4'")


def characters(path: Path) -> list[str]:
    """What the recogniser's outputs stand for: nothing (CTC's blank), the characters in the ONNX file, a space."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for key, begin, end in fields(data, 0, len(data)):
            if key != tag(_METADATA):
                continue
            pair = {one: data[at:to].decode() for one, at, to in fields(data, begin, end)}
            if pair.get(tag(1)) == "character":
                return ["", *pair[tag(2)].split("\n"), " "]
    raise MissingError(f"{path} does not say which characters it reads: install rapidocr again")
