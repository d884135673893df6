"""Where what fills a slot begins and ends."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from saccade_mini.slot_spans import UNHEARD, Edges, features, lengths, put, units


def edges(weights: Mapping[int, float]) -> Edges:
    known = sorted(weights)
    return Edges(np.array(known, np.uint32), np.array([weights[each] for each in known], np.float16))


def taught(task: str, slot: str, plain: str, value: str, weight: float = 4.0) -> dict[int, float]:
    """Weights that speak for one stretch of a task."""
    found, begin = units(task), task.index(value)
    begins, ends = features(found, slot, plain)
    first = next(at for at, unit in enumerate(found) if unit.begin == begin)
    last = next(at for at, unit in enumerate(found) if unit.end == begin + len(value))
    return dict.fromkeys((begins[first][2], ends[last][2]), weight)


def test_words_numbers_and_letters_are_units() -> None:
    assert [unit.text for unit in units("Ring O'Neil at 09:35, 好吗")] == ["Ring", "O'Neil", "at", "09", ":", "35", ",",
                                                                        "好", "吗"]  # fmt: skip
    assert [unit.shape for unit in units("Ring me 7 好 “")] == ["A", "a", "0", "z", "“"]
    assert [unit.word for unit in units("Ring 555")] == ["ring", "0"]


def test_what_stands_around_decides() -> None:
    task, plain = "先去蜀香小馆选好麻婆豆腐共1份放着", "把{name}的{what}加入购物车"
    weights = taught(task, "what", plain, "麻婆豆腐") | taught(task, "name", plain, "蜀香小馆")
    best, *others = edges(weights).read(plain, task, "zh").fill(5)
    assert best.text == "把蜀香小馆的麻婆豆腐加入购物车" and others
    assert all(best.likely > other.likely for other in others)
    other = edges(taught(task, "what", plain, "麻婆豆") | taught(task, "name", plain, "蜀香小馆"))
    assert other.read(plain, task, "zh").fill(1)[0].text == "把蜀香小馆的麻婆豆加入购物车", "nothing else does"


def test_the_stretches_of_a_slot_are_all_that_there_are() -> None:
    task = "Call Ada Moss now"
    found = list(edges({}).stretches("name", "Call {name}", task, "en", units(task)))
    assert len(found) == 4 * 5 // 2
    assert sum(np.exp(likely) for likely, _ in found) == pytest.approx(1)
    assert {task[slice(*span)] for _, span in found} >= {"Ada Moss", "now", task}


def test_lengths_count() -> None:
    task = "Call Ada Moss now"
    weights = {lengths("name", "en")[2]: 5.0} | taught(task, "name", "Call {name}", "Ada Moss", 1.0)
    assert edges(weights).read("Call {name}", task, "en").fill(1)[0].text == "Call Ada Moss"


def test_no_filling_breaks_a_quotation_and_no_word_fills_two_slots() -> None:
    task = "Move “Tax plans” to the folder “Old things”"
    found = {task[slice(*span)] for _, span in edges({}).stretches("name", "", task, "en", units(task))}
    assert {"Tax", "Tax plans", "things", "to the", "folder “Old things”", "to the folder “Old things”"} <= found
    for text in found:
        assert text.count("“") == text.count("”") and not text.startswith("“"), text
    assert not {"plans” to", "“Tax plans”", "Tax plans” to the folder “Old things"} & found
    assert edges({}).read("{name} and {other}", "Ada", "en").fill(9) == []


def test_slots_with_a_form_hold_nothing_else() -> None:
    plain, task = "Wake me at {time}", "Get me up at 07:30, or at 08:15"
    ways = edges({}).read(plain, task, "en").fill(9)
    assert {way.text for way in ways} == {"Wake me at 07:30", "Wake me at 08:15"}
    assert all(way.likely == pytest.approx(np.log(0.5)) for way in ways)
    assert edges({}).read(plain, "Get me up", "en").fill(9) == []


def test_how_likely_given_fillings_are() -> None:
    task, plain = "Telephone Ada Moss", "Call {name}"
    found = edges(taught(task, "name", plain, "Ada Moss"))
    right, wrong = (found.read(plain, task, "en").likely({"name": name}) for name in ("Ada Moss", "Telephone"))
    assert UNHEARD < wrong < right < 0
    assert found.read(plain, task, "en").likely({"name": "Bob"}) == UNHEARD, "nobody said so"
    assert found.read("Stop", "", "en").likely({}) == 0


def test_an_empty_task_fills_nothing() -> None:
    assert edges({}).read("Call {name}", "", "en").fill(3) == []
    assert [way.text for way in edges({}).read("Stop all alarms", "", "en").fill(3)] == ["Stop all alarms"]


def test_what_is_put_into_slots_is_not_read_again() -> None:
    assert put("{a} and {b}", {"a": "{b}", "b": "x"}) == "{b} and x"
