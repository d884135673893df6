"""The codec: pointers in place of coordinates, and nothing on a screen that could pass for a token."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from golden_cases import golden

from saccade.actions import Action
from saccade.data.training_rows import RowWriter, TrainingRow
from saccade.geometry import PERMILLE, Box, Point, Size
from saccade.paradigms import get_paradigm
from saccade.types import Element, Step
from saccade_mini.codec import PROMPT, SPECIAL, Sheet, names_in
from saccade_mini.match import Matcher
from saccade_mini.training.backbone import MiniBackbone

PARADIGMS = ("btl", "uiloop", "secagent", "guidnav")
SCREEN = Size(1080, 2400)
WORDS = {
    "en": ("Set an alarm for 7:30 every day", "Save", "Alarms", "Wake-up time", "I tap Save, because the time is set."),
    "zh": ("每天早上七点半叫醒我", "保存", "闹钟", "起床时间", "时间已经设好，所以点击保存。"),
}


def elements(language: str, *more: Element) -> list[Element]:
    _, save, title, field, _ = WORDS[language]
    return [
        Element(id=0, box=Box(0, 60, 1080, 200), type="heading", text=title, interactive=False),
        Element(id=1, box=Box(0, 200, 1080, 2000), type="scroll", interactive=False, leaf=False),
        Element(id=2, box=Box(40, 240, 1040, 380), type="field", text=field, state="focused"),
        Element(id=3, box=Box(820, 60, 1060, 200), type="button", text=save),
        Element(id=4, box=Box(830, 90, 960, 170), type="text", text=save, interactive=False),
        Element(id=5, box=Box(40, 420, 1040, 560), type="switch", text="", caption="vibrate", state="checked"),
        *more,
    ]


def click(element: Element) -> Action:
    return Action("click", element.center, box=element.box)


def actions(shown: list[Element]) -> list[Action]:
    return [
        click(shown[2]),
        click(shown[3]),
        Action("swipe", direction="up", start=Point(540, 1500), end=Point(540, 1200)),
        Action("swipe", direction="left", start=Point(540, 2300), end=Point(240, 2300)),
        Action("long_press", shown[5].center, box=shown[5].box),
        Action("type", text='7:30 "sharp" — ok?'),
        Action("press", key="back"),
        Action("terminate", status="success"),
    ]


def episode(language: str, *more: Element, chosen: list[Action] | None = None) -> list[Step]:
    shown = elements(language, *more)
    task, _, _, _, thought = WORDS[language]
    told: dict[str, Any] = {"episode": "e", "instruction": task, "screen": SCREEN, "elements": shown}
    told |= {"key_elements": [shown[3], shown[2]], "thought": thought}
    return [Step(id=f"s{at}", step=at, truth=[each], **told) for at, each in enumerate(chosen or actions(shown))]


def rows(name: str, steps: list[Step], **switches: Any) -> list[TrainingRow]:
    paradigm = get_paradigm(name, frame=PERMILLE, space="phone", template=PROMPT, **switches)
    writer = RowWriter(paradigm, told=True, adapt=MiniBackbone(None, None).adapt)
    return list(writer.episode(steps, random.Random(0)))


def sheet_of(row: TrainingRow) -> Sheet:
    return Sheet.read(row.messages[0].text)


def specials(text: str) -> list[str]:
    return re.findall("|".join(map(re.escape, SPECIAL)), text)


# -- there and back ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", PARADIGMS)
def test_compress_and_expand_round_trip(name: str, language: str) -> None:
    made = rows(name, episode(language))
    assert len(made) == 8
    for row in made:
        sheet = sheet_of(row)
        short = sheet.compress(row.answer)
        assert (sheet.paradigm, sheet.language, short[-5:]) == (name, language, "<end>")
        assert not re.search(r"\[\d+, \d+", short), "no digit of a coordinate is left for the model to write"
        assert sheet.expand(short) == row.answer
        read = row.paradigm.parse(sheet.expand(short), row.step.view)
        assert read.strict and read.reply.action is not None, read
        assert read.reply.action.type == row.step.truth[0].type


@pytest.mark.parametrize("name", PARADIGMS)
def test_names_and_length_of_the_list_do_not_matter(name: str) -> None:
    """In training names are drawn and lists cut short: what an answer points at stays the same."""
    chance = random.Random(7)
    boxes = [Box(40, 600 + 50 * at, 1040, 640 + 50 * at) for at in range(30)]
    more = [Element(id=10 + at, box=box, type="item", text=f"row {at}") for at, box in enumerate(boxes)]
    for row in rows(name, episode("zh", *more)):
        sheet = sheet_of(row)
        sheet.shuffle(chance)
        keep = names_in(sheet.compress(row.answer))
        sheet.thin(keep, 8, chance)
        assert len(sheet.items) == max(8, len(keep)) and keep <= set(sheet.names)
        assert sheet.expand(sheet.compress(row.answer)) == row.answer


# -- what the prompt says ----------------------------------------------------------------------------------------------


def test_the_prompt_tells_all_that_matters() -> None:
    row = rows("btl", episode("en"))[2]
    text = sheet_of(row).prompt()
    assert text.startswith("<btl><en><task>Set an alarm for 7:30 every day")
    assert text.count("<done>") == 3
    assert "<done>nothing changed\n" in text, "the screen is the one before"
    assert "<thought>I tap Save" in text
    assert re.search(r"\nfield focused\b.*<x5><y2>.*Wake-up time<e2>", text)
    assert re.search(r"\nswitch checked\b.*<x5><y4>.*vibrate<e4>", text)
    assert text.endswith("<go>")
    assert sheet_of(rows("guidnav", episode("en"), k=3)[0]).switches == ("k3",)
    switches = sheet_of(rows("secagent", episode("en"), semantic_context=False, thought=False)[0]).switches
    assert switches == ("brief", "mute")


def test_a_text_that_a_button_says_as_well_is_left_out() -> None:
    sheet = sheet_of(rows("btl", episode("en"))[0])
    assert [item.id for item in sheet.items] == [0, 1, 2, 3, 5]
    other = Element(id=9, box=Box(860, 90, 1020, 170), type="text", text="Cancel", interactive=False)
    assert 9 in [item.id for item in sheet_of(rows("btl", episode("en", other))[0]).items]


# -- what a screen or a model may say ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PARADIGMS)
def test_no_label_passes_for_a_token(name: str) -> None:
    written: set[tuple[str, ...]] = set()
    for label in ("harmless", *(case["label"] for case in golden("hostile_labels"))):
        button = Element(id=8, box=Box(100, 700, 900, 800), type="button", text=label)
        (row,) = rows(name, episode("en", button, chosen=[click(button)]))
        sheet, short = sheet_of(row), sheet_of(row).compress(row.answer)
        written.add((*specials(sheet.prompt()), *specials(short)))
        assert len(written) == 1 and [part for part, _ in sheet.parts] == ["task"], label
        read = row.paradigm.parse(sheet.expand(short), row.step.view).reply.action
        assert read is not None and read.point is not None and read.point.distance(button.center) < 5, label


@pytest.mark.parametrize("name", PARADIGMS)
def test_a_pointer_to_nothing_is_no_place(name: str) -> None:
    """It must not become a tap somewhere. A box is a place as well, but not in GuidNav's format."""
    row = rows(name, episode("en", chosen=[click(elements("en")[2])]))[0]
    sheet = sheet_of(row)
    short, pointer = sheet.compress(row.answer), rf"<{'i' if name == 'guidnav' else 'p'}>[^<]*<e\d+>"
    box = ["<b>Save<e3>"] if name == "guidnav" else []
    for nothing in ("<p>Save<e95>", "<p>", "<p>Save<x8>", "<to>", "<f9999>", "<e3>", *box):
        wrong = re.sub(pointer, nothing, short)
        read = row.paradigm.parse(sheet.expand(wrong), row.step.view).reply
        assert wrong != short, nothing
        assert read.action is None or read.action.point is None or read.action.point.x < 0, nothing


def test_a_pointer_begins_with_what_is_meant() -> None:
    """Neither a little picture nor a count can be foretold from the task."""
    prompt = (
        '@btl en\ntask: Open the cart\n#1 tab "3 Cart" [500, 900] [400, 880, 600, 920]\n'
        '#2 button "🥗 -29% Salad bowl" [500, 500] [0, 480, 1000, 520]\n#3 button "👟" [500, 300] [0, 280, 1000, 320]\n'
        '#4 button "30 min" [100, 300] [0, 280, 200, 320]\n#5 text "🥗" [100, 300] [0, 280, 200, 320]'
    )
    sheet = Sheet.read(prompt)
    assert [item.label for item in sheet.items] == ["Cart 3", "Salad bowl -29%", "👟", "30 min"]
    answer = '<think>I need "Cart".</think>\n<link>{"Plan": "tapped \\"3 Cart\\"", "position": [500, 900]}</link>'
    written = sheet.compress(answer)
    assert 'tapped \\"Cart\\"' in written
    assert "<p>Cart 3<e0>" in written
    assert "[500, 900]" in sheet.expand(written)


# -- which elements a task mentions ------------------------------------------------------------------------------------

TASKS = ("I would like to speak with Yusuf Demir, so look up the card", "给“陶艺体验”设一个08:25的提醒")


def test_a_label_is_marked_by_what_the_task_says_of_it() -> None:
    """No match reaches from one text into the next: `card 给`."""
    for case in golden("marks"):
        assert Matcher(TASKS).mark(case["label"]) == case["mark"], case


def test_marks_stand_before_the_label_and_nowhere_outside() -> None:
    chat, mail = '#1 button "Chat" [500, 500] [400, 400, 600, 600]', '#2 button "Mail" [1, 1] [0, 0, 2, 2]'
    sheet = Sheet.read(f"@btl en\ntask: Open Chat\n{chat}\n{mail}")
    assert "<x5><y10>= Chat<e0>" in sheet.prompt()
    assert "<x0><y0> Mail<e1>" in sheet.prompt()
    assert sheet.expand("[<p>Chat<e0>]") == "[500, 500]"
