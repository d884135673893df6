"""Which parts of a task fill the slots of a wording."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from saccade_mini.slot_spans import SlotSpans, features, fill, lengths, units


def spans(weights: Mapping[int, float]) -> SlotSpans:
    known = sorted(weights)
    return SlotSpans(np.array(known, np.uint32), np.array([weights[each] for each in known], np.float16))


def weights_for(task: str, slot: str, wording: str, value: str, weight: float = 4.0) -> dict[int, float]:
    """Weights that speak for one part of a task."""
    found, begin = units(task), task.index(value)
    begins, ends = features(found, slot, wording)
    first = next(at for at, unit in enumerate(found) if unit.begin == begin)
    last = next(at for at, unit in enumerate(found) if unit.end == begin + len(value))
    return dict.fromkeys((begins[first][2], ends[last][2]), weight)


def texts(model: SlotSpans, wording: str, task: str, language: str = "en", most: int = 9) -> list[str]:
    return [fill(wording, each.slots) for each in model.fillings(wording, task, language, most)]


def test_units_are_words_numbers_and_characters() -> None:
    assert [unit.text for unit in units("Ring O'Neil at 09:35, 好")] == "Ring|O'Neil|at|09|:|35|,|好".split("|")
    assert [unit.shape for unit in units("Ring me 7 好 “")] == ["A", "a", "0", "z", "“"]


def test_the_words_around_decide() -> None:
    task, wording = "先去蜀香小馆选好麻婆豆腐共1份放着", "把{name}的{what}加入购物车"
    weights = weights_for(task, "what", wording, "麻婆豆腐") | weights_for(task, "name", wording, "蜀香小馆")
    best, *others = spans(weights).fillings(wording, task, "zh", 5)
    assert fill(wording, best.slots) == "把蜀香小馆的麻婆豆腐加入购物车"
    assert others and all(best.log_probability > other.log_probability for other in others)


def test_the_probabilities_of_a_slot_sum_to_one() -> None:
    task = "Call Ada Moss now"
    found = list(spans({}).spans("name", "Call {name}", task, "en", units(task)))
    assert len(found) == 4 * 5 // 2
    assert sum(np.exp(logarithm) for logarithm, _ in found) == pytest.approx(1)


def test_lengths_count_and_a_possessive_is_cut_off() -> None:
    task, wording = "Find Ada Moss's number", "Call {name}"
    weights = {lengths("name", "en")[2]: 5.0} | weights_for(task, "name", wording, "Ada Moss's", 1.0)
    assert texts(spans(weights), wording, task)[0] == "Call Ada Moss"


def test_no_span_breaks_a_quotation_and_no_word_fills_two_slots() -> None:
    task = "Move “Tax plans” to the folder “Old things”"
    found = {task[slice(*place)] for _, place in spans({}).spans("name", "", task, "en", units(task))}
    assert {"Tax", "Tax plans", "to the", "to the folder “Old things”"} <= found
    assert not {"plans” to", "“Tax plans”", "Tax plans” to the folder “Old things"} & found
    assert texts(spans({}), "{name} and {other}", "Ada") == []


def test_slots_with_a_form_hold_nothing_else() -> None:
    found = texts(spans({}), "Wake me at {time}", "Get me up at 07:30, or at 08:15")
    assert sorted(found) == ["Wake me at 07:30", "Wake me at 08:15"]
    assert texts(spans({}), "Wake me at {time}", "Get me up") == []


def test_an_empty_task_fills_no_slot() -> None:
    assert texts(spans({}), "Call {name}", "") == []
    assert texts(spans({}), "Stop all alarms", "") == ["Stop all alarms"]
    assert fill("{a} and {b}", {"a": "{b}", "b": "x"}) == "{b} and x"
