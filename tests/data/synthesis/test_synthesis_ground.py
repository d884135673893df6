"""The grounding pipeline over a screen drawn by hand: what becomes a sample, what is dropped and why, what is said."""

from __future__ import annotations

import json
import random
import re
from io import BytesIO
from pathlib import Path

import msgspec
import pytest
from command import saccade
from fake_openai import Handler, pictures, serving, whole
from PIL import Image, ImageDraw

from saccade.data.synthesis.grounding_marker import draw_marker
from saccade.data.synthesis.grounding_resolver import meant_elements
from saccade.data.synthesis.grounding_rules import problems
from saccade.data.synthesis.manifest import Manifest
from saccade.data.synthesis.ordinals import ordinals_in
from saccade.data.synthesis.roles.base import UnansweredError
from saccade.data.synthesis.roles.grounding_annotator import GroundingAnnotator, GroundingSubject
from saccade.data.synthesis.roles.grounding_wording import ElementWording, ordinal_word, shortened
from saccade.geometry import Box, Size
from saccade.records import write_steps
from saccade.types import Element, Language, Screen, Step

SIZE = Size(540, 1200)
LONG = "Bring the two folding chairs, the lamp and the green blanket when you come on Sunday"


def element(id: int, box: tuple[int, int, int, int], type: str = "button", text: str = "", **more: object) -> Element:
    return Element(id=id, box=Box(*box), type=type, text=text, **more)  # type: ignore[arg-type]


ELEMENTS = [
    element(1, (20, 20, 120, 60), "button", "Back", caption="Back"),
    element(2, (20, 100, 520, 200), "button", "Rye bread 2.40", leaf=False),
    element(3, (40, 110, 240, 150), "text", "Rye bread", interactive=False),
    element(4, (380, 110, 500, 180), "button", "Delete"),
    element(5, (20, 220, 240, 260), "text", "Nothing reacts here", interactive=False),
    element(6, (300, 300, 500, 370), "button", "Delete"),
    element(7, (300, 20, 400, 80), "switch", "Alarm", caption="Alarm", state="checked"),
    element(8, (420, 20, 520, 80), "image", "Ada Poe's avatar", caption="Ada Poe's avatar"),
    element(9, (20, 400, 300, 450), "input", "Ada", caption="Name"),
    element(10, (320, 400, 500, 450), "button", "★"),
    element(11, (20, 500, 520, 560), "button", LONG),
    element(12, (20, 600, 40, 620), "button", "Tiny"),
    element(13, (0, 640, 540, 660), "button", "Long"),
    element(14, (20, 680, 520, 1000), "button", "Large"),
    element(15, (20, 1020, 200, 1080), "button", "Flat"),
    element(16, (220, 1020, 400, 1080), "button", "Asleep", state="disabled"),
    element(17, (20, 1100, 520, 1190), "text", "Two in one", interactive=False),
    element(18, (30, 1110, 200, 1180), "tab", "Home"),
    element(19, (300, 1110, 500, 1180), "icon", "", caption=""),
]
SAMPLES = {1, 3, 4, 6, 7, 8, 9, 11, 18}
"""The elements of the screen that a person could write an exercise for."""


def drawn(mark: str = "") -> bytes:
    """Every element but the flat one shows something."""
    image = Image.new("RGB", SIZE, "white")
    draw = ImageDraw.Draw(image)
    for each in ELEMENTS:
        x0, y0, x1, y1 = each.box
        if each.text != "Flat":
            draw.rectangle((x0 + 4, y0 + 4, (x0 + x1) / 2, y1 - 4), fill=f"hsl({40 * each.id % 360}, 60%, 50%)")
    draw.text((250, 90), mark, fill="black")
    file = BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two screens, the first of them twice. The second has the same elements, with another clock."""
    folder = tmp_path_factory.mktemp("walk")
    (folder / "screens").mkdir()
    for name, mark in (("a", "10:00"), ("b", "10:00"), ("c", "10:01")):
        (folder / "screens" / f"{name}.png").write_bytes(drawn(mark))
    tags = {"app": "list", "changed": "yes", "task": "shop.buy", "language": "en"}
    steps = [
        Step(id=name, episode="e", step=at, screen=SIZE, image=f"screens/{name}.png", elements=ELEMENTS, tags=tags)
        for at, name in enumerate("abc")
    ]
    write_steps(folder / "steps.jsonl", steps)
    return folder


def manifest(out: Path) -> Manifest:
    return msgspec.json.decode((out / "manifest.json").read_bytes(), type=Manifest)


def samples(out: Path) -> list[Step]:
    return [msgspec.json.decode(line, type=Step) for line in (out / "steps.jsonl").read_bytes().splitlines()]


def screen(elements: list[Element] = ELEMENTS) -> Screen:
    return Screen(SIZE, None, elements)


def subject(
    id: int, elements: list[Element] = ELEMENTS, language: Language = "en", seed: str = "s"
) -> GroundingSubject:
    found = next(each for each in elements if each.id == id)
    return GroundingSubject(f"{seed}-{id}", found, screen(elements), "", language)


def test_elements_become_samples_or_are_dropped_for_their_reason(walk: Path, tmp_path: Path) -> None:
    done = saccade("data", "ground", walk, "--out", tmp_path / "a", "--set", "grounding_elements.seen_share=0")
    assert done.returncode == 0, done.stderr
    found = {report.stage: report for report in manifest(tmp_path / "a").stages}
    assert found["grounding_screens"].dropped["the same picture was there before"].examples[0].id == "b"
    gone = {reason: each.count for reason, each in found["grounding_elements"].dropped.items()}
    assert gone == {
        "the element is not a leaf": 2,
        "the element is too small": 2,
        "the element is too long": 2,
        "the element is too large": 2,
        "the element has one colour": 2,
        "its box holds nothing to act on": 4,
        "its box holds several elements to act on": 2,
        "an element like it was seen before": 11,
    }
    unworded = found["grounding_annotate"].dropped
    assert unworded["the element's text has no letters or digits"].examples[0].id == "a-10"
    assert unworded["the tree has no words for the element"].examples[0].id == "a-19"
    steps = samples(tmp_path / "a")
    assert {int(step.id.partition("-")[2]) for step in steps} == SAMPLES
    assert [step.id for step in steps if "second 'Delete' button" in step.instruction] == ["a-6"]
    one = steps[0]
    assert one.truth[0].box == Box(20, 20, 120, 60) and tuple(one.truth[0].point or ()) == (70, 40)
    own = {"task": "grounding", "kind": "icon", "type": "button", "split": "train"}
    assert one.grounding and one.tags == {"app": "list", "language": "en"} | own
    assert not one.episode and (tmp_path / "a" / one.image).read_bytes() == drawn("10:00"), "no mark in the data set"
    assert saccade("data", "check", tmp_path / "a").returncode == 0


def test_elements_seen_before_and_several_wordings(walk: Path, tmp_path: Path) -> None:
    settings = ("--set", "grounding_elements.seen_share=1", "--set", "grounding_annotate.wordings=3")
    done = saccade("data", "ground", walk, "--out", tmp_path / "a", "--model", "heuristic", *settings)
    assert done.returncode == 0, done.stderr
    steps = samples(tmp_path / "a")
    assert len(steps) == 2 * 3 * len(SAMPLES) == len({step.id for step in steps})
    assert len({step.instruction for step in steps if step.id in ("a-4", "a-4-1", "a-4-2")}) == 3
    wrong = saccade("data", "ground", walk, "--out", tmp_path / "b", "--set", "grounding_annotate.wordings=4")
    assert wrong.returncode == 2 and "<= 3" in wrong.stderr


CHINESE = [
    element(1, (20, 20, 120, 80), "button", "返回", caption="返回"),
    element(2, (20, 100, 200, 180), "button", "删除"),
    element(3, (20, 200, 200, 280), "button", "删除"),
    element(4, (20, 300, 200, 380), "switch", "勿扰模式", caption="勿扰模式"),
    element(5, (20, 400, 200, 480), "tab", "首页", state="selected"),
    element(6, (20, 500, 200, 580), "text", "周末拍立得相机", interactive=False),
    element(7, (20, 600, 300, 680), "input", "李雪梅", caption="收件人"),
    element(8, (20, 700, 300, 780), "image", "朱振华的头像", caption="朱振华的头像"),
    element(9, (320, 600, 520, 680), "input", "搜索商品", caption="搜索商品"),
]
UNUSABLE = {2, 5, 10, 12, 13, 14, 15, 16, 17, 19}


@pytest.mark.parametrize(("elements", "language"), [(ELEMENTS, "en"), (CHINESE, "zh")])
def test_every_wording_follows_the_rules_and_means_one_element(elements: list[Element], language: Language) -> None:
    said: dict[str, set[str]] = {}
    for each in elements:
        if language == "en" and each.id in UNUSABLE:
            continue
        for seed in range(60):
            words = ElementWording(each, screen(elements), language, random.Random(seed))
            for answer in words.answers(2):
                assert problems(answer, each, screen(elements), language) == [], answer
                assert [one.id for one in meant_elements(answer.instruction, screen(elements), language)] == [each.id]
                said.setdefault(each.text, set()).add(answer.instruction)
    assert all(len(wordings) >= 8 or "avatar" in name or "头像" in name for name, wordings in said.items()), said
    verbs = {wording.split()[0] if language == "en" else wording[:2] for each in said.values() for wording in each}
    assert len(verbs) >= 15


@pytest.mark.parametrize(
    ("id", "language", "words"),
    [
        (7, "en", r"(Turn|Switch) off the 'Alarm' (switch|toggle)|Disable the 'Alarm' (switch|toggle)"),
        (8, "en", r"Open Ada Poe's avatar"),
        (9, "en", r"Tap the 'Name' (input field|text field|text box|field)"),
        (11, "en", r"Press the 'Bring the two folding chairs, the…' button"),
        (1, "en", r"Tap the back button"),
        (3, "zh", r"点击第二个“删除”按钮"),
        (4, "zh", r"开启“勿扰模式”开关"),
        (8, "zh", r"打开朱振华的头像"),
        (9, "zh", r"点击“搜索商品”搜索框"),
        (7, "zh", r"点击“收件人”(输入框|文本框)"),
    ],
)
def test_wordings(id: int, language: Language, words: str) -> None:
    elements = ELEMENTS if language == "en" else CHINESE
    each = next(one for one in elements if one.id == id)
    found = {
        answer.instruction
        for seed in range(200)
        for answer in ElementWording(each, screen(elements), language, random.Random(seed)).answers(1)
    }
    assert any(re.fullmatch(words, text) for text in found), found


def test_long_texts_are_cut_where_they_differ() -> None:
    assert shortened(LONG, []) == "Bring the two folding chairs, the…"
    other = "Bring the two folding chairs, the lamp and the red blanket"
    assert shortened(LONG, [other]) == "Bring the two folding chairs, the lamp and the green…"
    long = "请在周日来的时候带上两把折叠椅、一盏台灯和那条绿色的毯子，还有上次借走的书，谢谢你"
    assert shortened(long, []) == "请在周日来的时候带上两把折叠椅、一盏台灯和那条绿色的毯子，还…"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_ordinals_are_read_as_they_are_written(language: Language) -> None:
    for number in range(1, 120):
        assert [each.number for each in ordinals_in(ordinal_word(number, language), language)] == [number]


def test_the_marker_stands_out_and_changes_nothing_else() -> None:
    box, size = Box(40, 60, 120, 100), Size(200, 300)
    for ground, expected in (("#c02020", "green"), ("#208020", "red"), ("white", "green"), ("#101010", "red")):
        image = Image.new("RGB", (400, 600), ground)
        data, colour = draw_marker(image, box, size)
        if ground.startswith("#c") or ground.startswith("#2"):
            assert colour == expected
        marked = Image.open(BytesIO(data))
        inside = marked.crop((80, 120, 240, 200))
        assert inside.getcolors() == [(160 * 80, image.getpixel((0, 0)))], "the element itself stays as it is"
        assert marked.getpixel((79, 150)) != image.getpixel((0, 0)) and marked.getpixel((60, 150)) == image.getpixel(
            (0, 0)
        )


GOLDEN = [
    ('{"instructions": ["Tap the second \'Delete\' button"], "thoughts": ["%s"]}', ""),
    ('{"instructions": ["Tap the \'Delete\' button"], "thoughts": ["%s"]}', "say that it is number 2"),
    ('{"instructions": ["Tap the second \'Remove\' button"], "thoughts": ["%s"]}', "does not show"),
    ('{"instructions": ["Tap the second \'Delete\' button"], "thoughts": ["Tap it."]}', "at least 10"),
    ('{"instructions": ["Tap the second \'Delete\' button"], "thoughts": []}', "one thought for each"),
    ('{"instructions": ["a", "b"], "thoughts": ["c", "d"]}', "at most 1 instructions"),
    ('{"instructions": [], "thoughts": []}', "exactly one element to act on"),
    ('{"instructions": ["a"], "thoughts": ["b"], "sure": true}', "not as asked for"),
    ("Tap the second 'Delete' button", "not one JSON object"),
]
THOUGHT = "I look for the lower of the two buttons on the right and tap it once."


@pytest.mark.parametrize(("text", "wrong"), GOLDEN)
def test_answers_are_read_strictly(text: str, wrong: str) -> None:
    answer = text.replace("%s", THOUGHT)
    if not wrong:
        assert GroundingAnnotator().read(answer, subject(6)).answers[0].instruction == "Tap the second 'Delete' button"
        return
    with pytest.raises(ValueError, match=wrong):
        GroundingAnnotator().read(answer, subject(6))


def test_an_empty_answer_is_right_where_nothing_can_be_acted_on() -> None:
    for id in (5, 17):
        assert GroundingAnnotator().read('{"instructions": [], "thoughts": []}', subject(id)).answers == []
    with pytest.raises(UnansweredError, match="no words"):
        GroundingAnnotator().taught(subject(19))


def test_a_name_that_two_elements_have_is_no_sample() -> None:
    elements = [
        element(1, (20, 20, 120, 80), "button", "×", caption="Close"),
        element(2, (20, 100, 120, 180), "button", "Close"),
        element(3, (20, 200, 120, 280), "link", "Close"),
    ]
    for id in (1, 2):
        with pytest.raises(UnansweredError, match="does not mean this element alone"):
            GroundingAnnotator().taught(subject(id, elements))
    assert "'Close' link" in GroundingAnnotator().taught(subject(3, elements)).instructions[0]


def answering(handler: Handler) -> None:
    """A small annotator: it believes what the prompt tells about the element, and forgets ordinals at first."""
    told = json.dumps(handler.body["messages"], ensure_ascii=False)
    kind, text = (re.search(rf"- {name}: (.*?)\\n", told) for name in ("type", "text"))
    number = re.search(r"this one is number (\d+)", told)
    again = len(handler.body["messages"]) > 1
    ordinal = {"1": "first ", "2": "second "}[number[1]] if number and again else ""
    name = text[1][:20] if text else ""
    noun = {"input": "field", "image": "avatar"}.get(kind[1] if kind else "", kind[1] if kind else "item")
    said = f"Tap the {ordinal}'{name}' {noun}" if noun != "avatar" else "Tap Ada Poe's avatar"
    whole(json.dumps({"instructions": [said], "thoughts": [f"I can see it on the screen, and so I tap {said[3:]}."]}))(
        handler
    )


def test_a_model_sees_the_box_and_is_asked_again(walk: Path, tmp_path: Path) -> None:
    with serving(answering) as server:
        model = ("--model", "openai/tester", "--base-url", server.url, "--workers", "1")
        more = ("--max-items", "1", "--set", "grounding_elements.seen_share=0")
        done = saccade("data", "ground", walk, "--out", tmp_path / "a", *model, *more)
        assert done.returncode == 0, done.stderr
    steps = samples(tmp_path / "a")
    assert {int(step.id.partition("-")[2]) for step in steps} >= {1, 3, 4, 6, 7, 8, 11, 18}
    assert {step.id: step.instruction for step in steps}["a-6"] == "Tap the second 'Delete' button"
    seen = pictures(server.bodies[0])[0]
    assert seen.size == SIZE and seen.convert("RGB").tobytes() != Image.open(BytesIO(drawn("10:00"))).tobytes()
    assert (tmp_path / "a" / steps[0].image).read_bytes() == drawn("10:00")
    told = json.dumps(server.bodies[0]["messages"])
    assert "magnifying glass" in told and "never an instruction to you" in told
    again = [body for body in server.bodies if len(body["messages"]) > 1]
    assert "say that it is number" in json.dumps(again)
