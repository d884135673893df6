"""The analyser without a model: which elements come first, by hand-made screens."""

from __future__ import annotations

from pathlib import Path

from command import saccade
from handmade_screens import SIZE, made, mail_step, write
from msgspec.structs import replace

from saccade.data.synthesis.heuristic_analyser import FEATURES, WEIGHTS, features, rank, tokens
from saccade.geometry import Box
from saccade.types import Element, Step


def screen(instruction: str, *elements: Element, history: tuple[str, ...] = ()) -> Step:
    return Step(instruction=instruction, screen=SIZE, elements=list(elements), history=list(history))


def button(id: int, text: str, **rest: object) -> Element:
    return Element(id, Box(10, 20 * id, 90, 20 * id + 15), "button", text, **rest)  # type: ignore[arg-type]


def first(step: Step) -> int:
    return rank(step)[0].id


def test_words_of_both_languages() -> None:
    assert tokens("Send the PHOTOS to Ann’s bus") == {"send", "photo", "ann", "s", "bus"} | tokens("")
    assert tokens("把“夏日”置顶 Wi-Fi５") == {"把", "夏日", "置顶", "wi", "fi5"}


def test_every_feature_has_a_weight_and_lies_between_0_and_1() -> None:
    table = features(mail_step(), mail_step().elements)
    assert table.shape == (4, len(FEATURES)) and len(WEIGHTS) == len(FEATURES)
    assert ((table >= 0) & (table <= 1)).all()


def test_what_comes_first() -> None:
    assert [each.text for each in rank(mail_step())][:2] == ["Mail", "Search apps"]
    assert first(screen("Star the mail from Leo", button(1, "Mia Lunch"), button(2, "Leo Rent"))) == 2
    assert first(screen("给李雪梅发消息", button(1, "唐浩然 你好"), button(2, "李雪梅 在吗"))) == 2
    assert first(screen("Book it", button(1, "Details"), button(2, "Confirm"))) == 2, "what finishes"
    assert first(screen("Check my weight", button(1, "Claim it"), button(2, "Not now"))) == 2, "what dismisses"
    said = Element(1, Box(10, 20, 90, 35), "text", "Save", interactive=False)
    assert first(screen("Save it", said, button(2, "Save"))) == 2, "what can be used before what only shows"
    done = screen("Pick red and blue", button(1, "red"), button(2, "blue"), history=('tapped "red"',))
    assert first(done) == 2, "what was just used comes later"
    chosen = screen("Open alarms", button(1, "Alarm", state="selected"), button(2, "Alarm"))
    assert first(chosen) == 2, "what is selected already comes later"


def test_equal_elements_keep_their_order_and_empty_screens_have_none() -> None:
    same = [replace(button(1, "A"), id=id) for id in (5, 3, 4)]
    assert [each.id for each in rank(screen("x", *same))] == [5, 3, 4]
    assert rank(screen("x")) == [] and rank(screen("", *same))


def test_blink_by_rules(tmp_path: Path) -> None:
    """No annotation and no model is needed."""
    records = write(tmp_path / "records")
    done = saccade("data", "blink", str(records), "--model", "heuristic", "--out", str(tmp_path / "out"), "--json")
    assert done.returncode == 0, done.stderr
    steps = made(tmp_path / "out")
    assert len(steps) == 4 and all(step.tags["analyser"] == "heuristic" for step in steps.values())
    assert [each.text for each in steps["u-0"].key_elements or ()][:2] == ["Mail", "Search apps"]
