"""Grounding samples as they are annotated: the answer is a box (SecAgent §4.3 and Table 6, "Grounding").

The paper's own way is Gr2Nav, a click at the box's centre in the navigation format; this is what it is compared with.
The paper does not print its grounding format: this is the one that Qwen2.5-VL was trained with.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from saccade.data.training_rows import RowWriter, TrainingRow
from saccade.paradigms.wording import language_of
from saccade.types import Message, Picture, Step

PROMPTS = {
    "en": 'Locate on the screen: {}\nAnswer with its box as JSON: {{"bbox_2d": [x0, y0, x1, y1]}}',
    "zh": '在屏幕上定位：{}\n以 JSON 回答它的边界框：{{"bbox_2d": [x0, y0, x1, y1]}}',
}


def raw_grounding_row(step: Step, writer: RowWriter, folder: Path) -> TrainingRow:
    """The row of a grounding sample; `ValueError` for one that has no box or no picture."""
    paradigm = replace(writer.paradigm, language=language_of(step.instruction))
    box = next((action.box for action in step.truth if action.box is not None), None)
    if box is None or not step.image or writer.sight is None:
        raise ValueError("a raw grounding sample needs a box and a screenshot")
    picture = Picture(str(folder / step.image), step.screen)
    asked = Message(
        "user", (writer.sight.show(picture) or picture, PROMPTS[paradigm.language].format(step.instruction))
    )
    placed = [round(number) for number in paradigm.frame.encode_box(box, step.screen)]
    return TrainingRow(step.id, paradigm, [asked], msgspec.json.encode({"bbox_2d": placed}).decode(), step)
