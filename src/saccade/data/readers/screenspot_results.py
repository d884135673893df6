"""Result files of the ScreenSpot-Pro evaluation: samples with a model's raw answer, one object a line.

Boxes are [x0, y0, x1, y1] in pixels; the answer is in `raw_response`. ScreenSpot-V2 results in this form name the
platform in `application` (`screenspot_web_v2`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from saccade.records import read_step
from saccade.types import Step

_FIELDS = ("bbox", "img_size", "raw_response", "instruction")


class ScreenSpotResults:
    """Reads them for the `point` format: coordinates from 0 to 1000 unless told otherwise."""

    @staticmethod
    def recognises(value: dict[str, Any]) -> bool:
        return all(field in value for field in _FIELDS)

    @staticmethod
    def steps(value: dict[str, Any]) -> Iterator[Step]:
        for field in _FIELDS:
            if value.get(field) is None:
                raise ValueError(f"{field}: missing")
        box = value["bbox"]
        if not (isinstance(box, list) and len(box) == 4 and all(isinstance(n, int | float) for n in box)):
            raise ValueError("bbox: expected four numbers")
        platform = str(value.get("platform", ""))
        if named := re.fullmatch(r"screenspot_([a-z]+)_v\d", str(value.get("application", ""))):
            platform = named[1]
        tags = {"task": "grounding", "platform": platform, "kind": value.get("ui_type"), "group": value.get("group")}
        yield read_step(
            {
                "id": value.get("id", ""),
                "instruction": value["instruction"],
                "screen": value["img_size"],
                "image": value.get("img_filename", ""),
                "truth": [{"type": "click", "point": [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2], "box": box}],
                "output": value["raw_response"],
                "paradigm": "point",
                "tags": {key: tag for key, tag in tags.items() if tag},
            }
        )
