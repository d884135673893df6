"""The rules for grounding answers, by golden cases on both sides of each rule, and the table of icon meanings."""

from __future__ import annotations

import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from saccade.data.synthesis.grounding_rules import GroundingAnswer, count_words, problems
from saccade.data.synthesis.icon_meanings import icon_meanings, meanings_for_prompt, symbol_in
from saccade.data.synthesis.ordinals import ordinals_in, reading_order
from saccade.geometry import Box, Size
from saccade.types import Element, Picture, Screen

CASES = [
    json.loads(line) for line in Path(__file__).with_name("grounding_answers.jsonl").read_text("utf-8").splitlines()
]
THOUGHTS = {
    "en": "The task needs this element, so I tap it to go on with it.",
    "zh": "完成任务需要用到这个元素，因此直接点击它即可进入下一步。",
}
LONG = "Free delivery for all orders of more than twenty pounds until Sunday"


def elements() -> dict[str, Element]:
    """One screen for all cases, each element in a row of its own, but for what lies in the toolbar."""
    rows: list[tuple[str, dict[str, Any]]] = [
        ("button", {"type": "button", "text": "Sign in"}),
        ("plain text", {"type": "text", "text": "Welcome", "interactive": False}),
        ("two buttons", {"type": "group", "interactive": False, "leaf": False}),
        ("solid", {"type": "button"}),
        ("search icon", {"type": "icon", "caption": "search"}),
        ("name field", {"type": "input", "text": "Anna", "caption": "Name"}),
        ("wifi", {"type": "switch", "text": "Wi-Fi"}),
        ("row text", {"type": "text", "text": "Order history"}),
        ("long text", {"type": "text", "text": LONG}),
        ("avatar", {"type": "image", "text": "Anna's avatar"}),
        ("first buy", {"type": "button", "text": "Buy"}),
        ("second buy", {"type": "button", "text": "Buy"}),
        ("third buy", {"type": "button", "text": "Buy"}),
        ("first name", {"type": "text", "text": "First name"}),
        ("don't", {"type": "button", "text": "Don't ask"}),
        ("back", {"type": "button", "text": "Back", "caption": "Back"}),
        ("picture", {"type": "image"}),
        ("登录", {"type": "button", "text": "登录"}),
        ("搜索", {"type": "icon", "caption": "搜索"}),
        ("订单", {"type": "text", "text": "全部订单"}),
        ("头像", {"type": "image", "text": "王小明的头像"}),
        ("第一个购买", {"type": "button", "text": "购买"}),
        ("第二个购买", {"type": "button", "text": "购买"}),
    ]
    found = {
        name: Element(id=at, box=Box(10, 40 * at, 190, 40 * at + 30), **given)
        for at, (name, given) in enumerate(rows, 1)
    }
    y0, y1 = found["two buttons"].box.y0, found["two buttons"].box.y1
    found["left"] = Element(101, Box(10, y0, 90, y1), type="button", text="Cut")
    found["right"] = Element(102, Box(110, y0, 190, y1), type="button", text="Copy")
    return found


@cache
def screen() -> Screen:
    """Stripes everywhere but on the solid element."""
    image = Image.new("RGB", (200, 1000), "white")
    for y in range(0, 1000, 7):
        image.paste("black", (0, y, 200, y + 2))
    solid = elements()["solid"].box
    image.paste("#e0e0e0", (int(solid.x0), int(solid.y0), int(solid.x1), int(solid.y1)))
    file = io.BytesIO()
    image.save(file, "PNG")
    return Screen(Size(200, 1000), Picture(file.getvalue()), list(elements().values()))


@pytest.mark.parametrize("rule", sorted({case["rule"] for case in CASES}))
def test_golden_answers(rule: str) -> None:
    for case in CASES:
        if case["rule"] == rule:
            language = case.get("language", "en")
            answer = GroundingAnswer(case["instruction"], case.get("thought", THOUGHTS[language]))
            found = problems(answer, elements()[case["element"]], screen(), language)
            if case["problem"]:
                assert any(case["problem"] in sentence for sentence in found), (case, found)
            else:
                assert found == [], case


def test_every_rule_has_cases_on_both_sides_and_every_problem_is_a_sentence() -> None:
    sides = {(case["rule"], bool(case["problem"])) for case in CASES}
    assert {rule for rule, wrong in sides if wrong} == {rule for rule, wrong in sides if not wrong}
    for case in CASES:
        answer = GroundingAnswer(case["instruction"], case.get("thought", "x"))
        for sentence in problems(answer, elements()[case["element"]], screen(), case.get("language", "en")):
            assert sentence[0].isupper() and sentence.endswith(".")


def test_words_are_counted_in_both_languages() -> None:
    assert [count_words(text, "zh") for text in ("", "我", "点击", "点击WiFi开关", "3个 apps")] == [0, 1, 2, 4, 3]
    assert count_words("Don't tap the e-mail, twice", "en") == 5


def test_hostile_texts_take_no_time() -> None:
    for text in ("'", "“", "第", "(1", "first ", "a", "\ufffc ", "1 "):
        for times in (1000 // len(text), 100_000):
            assert problems(GroundingAnswer(text * times, text * times), elements()["button"], screen(), "en")
            assert problems(GroundingAnswer(text * times, text * times), elements()["登录"], screen(), "zh")


def test_rows_are_read_from_left_to_right() -> None:
    boxes = {1: (100, 2, 140, 40), 2: (0, 8, 40, 44), 3: (0, 60, 40, 90), 4: (50, 0, 90, 38)}
    found = reading_order([Element(id, Box(*box)) for id, box in boxes.items()])
    assert [element.id for element in found] == [2, 4, 1, 3]


def test_ordinals_of_both_languages() -> None:
    numbers = [ordinals_in(text, "zh")[0].number for text in ("第十个", "第十二项", "第二十一条", "第3行", "最后一个")]
    assert numbers == [10, 12, 21, 3, -1]
    assert ordinals_in("a second-hand item, the lastest", "en") == [] == ordinals_in("第一时间", "zh")


def test_the_table_of_icons_is_whole() -> None:
    table = icon_meanings()
    assert len(table) >= 60
    for language in ("en", "zh"):
        words = [word for icon in table for word in icon.symbols(language)]
        assert len(words) == len(set(words)) and all(icon.means[language] for icon in table)
        assert len(meanings_for_prompt(language).splitlines()) == len(table)
        for icon in table:
            asked = f"Tap the {icon.means['en']} icon" if language == "en" else f"点击{icon.means['zh']}图标"
            assert symbol_in(asked, language) is None, asked
            for word in icon.symbols(language):
                found = symbol_in(f"Tap the {word} icon" if language == "en" else f"点击{word}图标", language)
                assert found is not None and found.means == icon.means[language], word
