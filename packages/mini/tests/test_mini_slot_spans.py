"""Which parts of a task fill the slots of a wording."""

from __future__ import annotations

import numpy as np

from saccade_mini.slot_spans import SlotSpans, fill

NO_WEIGHTS = SlotSpans(np.zeros(0, np.uint32), np.zeros(0, np.float16))
"""Finds every part that is possible, none likelier than another."""


def texts(wording: str, task: str, language: str = "en", most: int = 9) -> list[str]:
    return [fill(wording, each.slots) for each in NO_WEIGHTS.fillings(wording, task, language, most)]


def test_no_span_breaks_a_quotation_and_no_word_fills_two_slots() -> None:
    task = "Move “Tax plans” to the folder “Old things”"
    found = {task[slice(*place)] for _, place in NO_WEIGHTS.spans("name", "", task, "en")}
    assert {"Tax", "Tax plans", "to the", "to the folder “Old things”"} <= found
    assert not {"plans” to", "“Tax plans”", "Tax plans” to the folder “Old things"} & found
    assert texts("{name} and {other}", "Ada") == []


def test_slots_with_a_form_hold_nothing_else() -> None:
    found = texts("Wake me at {time}", "Get me up at 07:30, or at 08:15")
    assert sorted(found) == ["Wake me at 07:30", "Wake me at 08:15"]
    assert texts("Wake me at {time}", "Get me up") == []


def test_an_empty_task_fills_no_slot() -> None:
    assert texts("Call {name}", "") == []
    assert texts("Stop all alarms", "") == ["Stop all alarms"]
    assert fill("{a} and {b}", {"a": "{b}", "b": "x"}) == "{b} and x"
