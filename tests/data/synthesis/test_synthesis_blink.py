"""Blink data: which elements matter, in which order, and what of an analyser's answer is refused."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from command import saccade
from fake_openai import pictures, serving, whole
from handmade_screens import MAIL, made, mail_step, scroll_step, unannotated_step, write
from msgspec.structs import replace

from saccade.data.synthesis.element_list import bounded, find_again
from saccade.data.synthesis.roles.analyser import ANALYSER, Ranking, ScreenTask
from saccade.data.synthesis.roles.base import UnansweredError
from saccade.data.synthesis.stages.rank_elements import RankElementsSettings
from saccade.errors import InputError
from saccade.geometry import Box
from saccade.types import Element, Step


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("screens"))


def task(step: Step) -> ScreenTask:
    return ScreenTask(step, list(step.elements))


def answer(*ids: int, caption: str = "what it is for", kind: str = "dynamic") -> str:
    return json.dumps({"elements": [{"id": id, "kind": kind, "caption": caption} for id in ids]})


def test_the_teachers_key_elements(records: Path, tmp_path: Path) -> None:
    """Steps without annotation are dropped and counted; an empty annotation stays an empty one."""
    done = saccade("data", "blink", str(records), "--out", str(tmp_path / "out"), "--json")
    assert done.returncode == 0, done.stderr
    steps = made(tmp_path / "out")
    assert steps["m-0"].key_elements == [Element(3, MAIL, "button", "Mail", "Opens the app Mail")]
    assert steps["s-0"].key_elements == [] and [each.id for each in steps["s-1"].key_elements or ()] == [2, 3]
    assert steps["m-0"].tags["analyser"] == "teacher" and "u-0" not in steps
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    ranked = next(stage for stage in manifest["stages"] if stage["stage"] == "rank_elements")
    assert ranked["dropped"]["the teacher did not say which elements matter"]["count"] == 1
    facts = manifest["stages"][-1]["facts"]
    assert (facts["screens"], facts["elements"], facts["key_elements"]) == (3, 9, 3)
    assert (facts["screens_with_one_key_element"], facts["screens_without_key_element"]) == (0.3333, 0.3333)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (answer(9), "there is no element 9"),
        (answer(3, 3), "element 3 is named twice"),
        (answer(3, caption=" "), "the caption of element 3 must be one line"),
        (answer(3, caption="a\nb"), "one line"),
        (answer(3, caption="a" * 201), "1 to 200 characters"),
        (answer(3, kind="useful"), "not as asked for"),
        ('{"elements": [{"id": 3}]}', "missing required field `kind`"),
        ('{"elements": [], "why": 1}', "unknown field `why`"),
        ("I think it is 3", "not one JSON object"),
    ],
)
def test_an_answer_that_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        ANALYSER.read(text, task(mail_step()))


def test_more_elements_than_the_largest_lambda() -> None:
    step = mail_step()
    many = [replace(step.elements[1], id=at) for at in range(1, 8)]
    assert len(ANALYSER.read(answer(1, 2, 3, 4, 5, 6), ScreenTask(step, many)).elements) == 6
    with pytest.raises(ValueError, match="7 elements are named, more than 6"):
        ANALYSER.read(answer(1, 2, 3, 4, 5, 6, 7), ScreenTask(step, many))


def test_an_empty_answer_is_an_answer() -> None:
    assert ANALYSER.read("```json\n" + answer() + "\n```", task(mail_step())) == Ranking([])
    assert ANALYSER.taught(task(scroll_step())) == Ranking([])
    with pytest.raises(UnansweredError):
        ANALYSER.taught(task(unannotated_step()))


def test_the_teachers_elements_among_those_from_pixels() -> None:
    """A box that differs a little is the same element; where none is left, nothing is claimed."""
    step = mail_step()
    seen = Element(7, Box(12, 62, 50, 100), "icon", "Mail", confidence=0.8)
    (found,) = ANALYSER.taught(ScreenTask(step, [step.elements[1], seen])).elements
    assert (found.id, found.kind, found.caption) == (7, "dynamic", "Opens the app Mail")
    assert find_again(step.elements[2], [Element(8, Box(10, 60, 50, 79))]) is None, "less than half of it"
    with pytest.raises(UnansweredError, match="no element was found at the places"):
        ANALYSER.taught(ScreenTask(step, [step.elements[1]]))


def test_what_the_analyser_is_told_leaves_out_the_right_action() -> None:
    step = replace(mail_step(), step_instruction="tap on MAIL-ICON", thought="SECRET-THOUGHT", summary="SECRET-SUMMARY")
    told = msgspec.json.encode(ANALYSER.variables(task(step), lambda image: image)).decode()  # type: ignore[arg-type,return-value]
    assert "SECRET" not in told and "MAIL-ICON" not in told and "Opens the app" not in told and "open_app" not in told
    assert 'Tapped \\"Home\\".' in told and "screens/0.png" in told


def test_long_lists_keep_what_can_be_used_or_says_something() -> None:
    box = Box(0, 0, 9, 9)
    empty = [Element(at, box, interactive=False) for at in (1, 2)]
    elements = [empty[0], Element(3, box, text="a", interactive=False), empty[1], Element(4, box)]
    assert [each.id for each in bounded(elements, 2)] == [3, 4]
    assert [each.id for each in bounded(elements, 3)] == [1, 3, 4] and bounded(elements, 4) == elements


@pytest.mark.parametrize("keep", [0, 7])
def test_lambda_has_limits(keep: int) -> None:
    with pytest.raises(InputError, match="between 1 and 6"):
        RankElementsSettings(keep=keep)


def test_a_model_is_asked_again_once_and_lambda_cuts(records: Path, tmp_path: Path) -> None:
    """English and Chinese prompts with the picture; a wrong id is sent back with the reason; λ = 1 keeps the first."""
    with serving(whole(answer(9)), whole(answer(2, 1, kind="static"))) as server:
        options = [
            "--model",
            "openai/tester",
            "--base-url",
            server.url,
            "--workers",
            "1",
            "--set",
            "rank_elements.keep=1",
        ]
        done = saccade("data", "blink", str(records), *options, "--max-items", "3", "--out", str(tmp_path / "out"))
        assert done.returncode == 0, done.stderr
        asked = server.bodies
    assert len(asked) == 4, "three screens, one of them twice"
    again = next(body for body in asked if len(body["messages"]) == 3)
    assert "there is no element 9" in json.dumps(again["messages"][2], ensure_ascii=False)
    texts = [json.dumps(body["messages"][0], ensure_ascii=False) for body in asked]
    assert sum("解析器在界面上找到的元素" in text for text in texts) in (2, 3) and all(
        len(pictures(body)) == 1 for body in asked
    )
    for step in made(tmp_path / "out").values():
        (key,) = step.key_elements or []
        assert (key.id, key.box, key.interactive) == (2, step.elements[1].box, False), "the element's own box"
        assert key.caption == "what it is for" and step.tags["analyser"] == "openai/tester"
