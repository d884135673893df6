"""`benchmarks/step_accuracy.py`: answers that torch decodes together are those that onnxruntime writes one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
from training_data import write_calls

import step_accuracy
from saccade.models import open_model

pytestmark = pytest.mark.train


def test_answers_decoded_together_are_those_decoded_alone(tmp_path: Path) -> None:
    asked, model = step_accuracy.read_model("mini=btl,blink=no", "btl"), open_model("mini")
    rows = step_accuracy.rows_of(str(write_calls(tmp_path, 1)), asked, 3)
    alone, together = (list(step_accuracy.answers(model, rows, device)) for device in ("", "cpu"))
    assert len(alone) == 3 and together == alone
    assert len({len(row.messages[0].text) for row in rows}) > 1, "prompts of several lengths"
