"""Personal data: what is found, what is left alone, and that nothing of it is left in texts and pictures."""

from __future__ import annotations

import io
import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from command import saccade
from msgspec.structs import replace
from PIL import Image, ImageDraw

from saccade.actions import Action
from saccade.data.synthesis.personal_data import PersonalDataFinder
from saccade.data.synthesis.privacy import Masker
from saccade.data.synthesis.records import Record
from saccade.data.synthesis.stage import Tools
from saccade.data.synthesis.stages.mask import Mask, MaskSettings
from saccade.errors import InputError
from saccade.geometry import Box, Point, Size
from saccade.types import Element, Step

NAMES = ["Anna Smith", "王小明", "Mark"]
CASES = [json.loads(line) for line in Path(__file__).with_name("personal_data.jsonl").read_text("utf-8").splitlines()]


def test_what_is_found_and_what_is_left_alone() -> None:
    finder = PersonalDataFinder(NAMES)
    for case in CASES:
        found = [[datum.kind, datum.text] for datum in finder.find(case["text"])]
        assert found == case["hits"], case["text"]


def test_placeholders_have_the_kind_and_length_of_what_they_replace_and_are_masked_once() -> None:
    masker = Masker(NAMES, key="of this test")
    for case in CASES:
        masked = masker.text(case["text"]).text
        assert all(text not in masked for _, text in case["hits"]), masked
        assert masker.text(masked).text == masked and not masker.text(masked).found, masked
        if all(kind != "email" for kind, _ in case["hits"]):
            assert len(masked) == len(case["text"])
        if not case["hits"]:
            assert masked == case["text"]


def test_one_value_has_one_placeholder_which_depends_on_the_key() -> None:
    masker = Masker(NAMES)
    first, second = masker.text("ask li@a.cn").text, masker.text("li@a.cn and lu@a.cn").text
    assert first.removeprefix("ask ") == second.split(" and ")[0] != second.split(" and ")[1]
    assert masker.text("Anna Smith").text.upper() == masker.text("ANNA SMITH").text
    assert masker.text("+86 13800138000").text == "+00 " + masker.text("13800138000").text
    assert Masker(key="another").text("li@a.cn") != masker.text("li@a.cn")


def test_a_name_of_one_letter_is_refused() -> None:
    with pytest.raises(InputError, match="too short"):
        Masker(["王"])


SECRET = "13800138000"


def phone_step() -> Step:
    """A record that tells the same number everywhere."""
    elements = [
        Element(1, Box(0, 0, 100, 100), type="list", text=f"Anna {SECRET} Call", leaf=False),
        Element(2, Box(10, 20, 90, 40), type="text", text=f"tel {SECRET}", caption=SECRET),
        Element(3, Box(10, 60, 90, 80), type="button", text="Call"),
    ]
    return Step(
        id="s1",
        screen=Size(100, 100),
        image="s.png",
        instruction=f"Call {SECRET}",
        step_instruction=f"Type {SECRET}",
        history=[f"Step 1: {SECRET}"],
        context=SECRET,
        summary=SECRET,
        thought=SECRET,
        elements=elements,
        key_elements=[elements[1]],
        truth=[Action("type", text=SECRET)],
        prediction=Action("click", Point(50, 50)),
        output=f'{{"text": "{SECRET}"}}',
        tags={"state_changes": f'["{SECRET}"]', "app": "phone"},
    )


def test_a_record_is_masked_everywhere_and_stays_coherent() -> None:
    masked = Masker().step(phone_step())
    written = msgspec.json.encode(masked.step).decode()
    assert SECRET not in written
    placeholder = masked.step.truth[0].text or "?"
    assert written.count(placeholder) == 14 and masked.found == {"phone": 14}
    assert masked.step.tags["app"] == "phone" and masked.step.prediction == phone_step().prediction
    assert masked.regions == [Box(10, 20, 90, 40)]  # the text, not the list that repeats it


def test_an_element_that_alone_shows_a_value_is_covered_although_it_holds_others() -> None:
    elements = [Element(1, Box(0, 0, 100, 100), text=SECRET, leaf=False), Element(2, Box(1, 1, 9, 9), text="li@a.cn")]
    assert Masker().regions(elements) == [Box(1, 1, 9, 9), Box(0, 0, 100, 100)]


def test_a_picture_is_changed_in_the_region_and_nowhere_else() -> None:
    image = Image.effect_noise((200, 200), 60).convert("RGB")
    draw = ImageDraw.Draw(image)
    draw.rectangle((20, 40, 179, 79), fill="#ffffff")  # the region of the step, twice as large
    draw.text((60, 52), SECRET, fill="#000000")
    before, masker = io.BytesIO(), Masker()
    image.save(before, "PNG")
    changed = masker.picture(before.getvalue(), masker.step(phone_step()).regions, Size(100, 100))
    old, new = np.asarray(image), np.asarray(Image.open(io.BytesIO(changed)))
    outside = np.ones((200, 200), dtype=bool)
    outside[40:80, 20:180] = False
    assert (old[outside] == new[outside]).all()
    assert (new[40:80, 20:180] == 255).all() and (old[40:80, 20:180] < 64).any()
    assert masker.picture(before.getvalue(), [], Size(100, 100)) == before.getvalue()
    with pytest.raises(InputError, match="cannot be read"):
        masker.picture(b"no picture", [Box(0, 0, 1, 1)], Size(100, 100))


# -- the stage and --mask ----------------------------------------------------------------------------------------------


def shown(color: str) -> bytes:
    """A picture of the step's screen with the number in it."""
    image = Image.new("RGB", (100, 100), color)
    ImageDraw.Draw(image).rectangle((20, 25, 80, 35), fill="#000000")
    stream = io.BytesIO()
    image.save(stream, "PNG")
    return stream.getvalue()


def is_covered(file: Path) -> bool:
    """Is the region of the step one colour?"""
    return len(np.unique(np.asarray(Image.open(file).convert("L"))[20:40, 10:90])) == 1


def test_the_next_screens_picture_is_masked_as_that_screen_is_or_left_out(tmp_path: Path) -> None:
    tools = Tools(tmp_path)
    first, second = (tools.keep_picture(shown(color)) for color in ("#ffffff", "#ffeedd"))
    strange = tools.keep_picture(shown("#112233"))
    steps = [
        replace(phone_step(), image=first, tags={"after": second}),
        replace(phone_step(), image=second, tags={"after": strange}),
    ]
    record = Record(id="r", steps=steps, fields={"instruction": f"Call {SECRET}", "task": {"world": SECRET}})
    (made,) = Mask(MaskSettings()).do(record, tools).records
    assert made.steps[0].tags == {"after": made.steps[1].image} and made.steps[1].tags == {}
    assert all(is_covered(tmp_path / step.image) for step in made.steps) and not is_covered(tmp_path / first)
    assert SECRET not in made.fields["instruction"] and made.fields["task"] == {"world": SECRET}  # where it is played


def test_a_picture_that_cannot_be_masked_is_dropped(tmp_path: Path) -> None:
    tools = Tools(tmp_path)
    record = Record(id="r", steps=[replace(phone_step(), image=tools.keep_picture(b"no picture"))])
    assert Mask(MaskSettings()).do(record, tools).dropped[0].reason == "its picture cannot be masked"


def masked_blink(data: Path, out: Path, *names: str) -> int:
    given = [part for name in names for part in ("--mask-name", name)]
    done = saccade("data", "blink", str(data), "--mask", *given, "--out", str(out))
    return done.returncode


def test_masked_data_has_nothing_of_it_in_any_file(tmp_path: Path) -> None:
    """Neither the records, nor the stages before the mask, nor the names that were given to be masked."""
    data, out = tmp_path / "data", tmp_path / "out"
    data.mkdir()
    (data / "s.png").write_bytes(shown("#ffffff"))
    step = replace(
        phone_step(), image="s.png", instruction=f"Call Anna Smith at {SECRET}", output=None, prediction=None
    )
    (data / "steps.jsonl").write_bytes(msgspec.json.encode(step) + b"\n")
    assert masked_blink(data, out, "Anna Smith") == 0
    files = [file for file in out.rglob("*") if file.is_file()]
    assert len(files) > 6
    assert not [file for file in files if SECRET.encode() in file.read_bytes() or b"Anna Smith" in file.read_bytes()]
    pictures = list((out / "screens").rglob("*.png"))
    assert len(pictures) == 1 and is_covered(pictures[0])
    before = {file: file.read_bytes() for file in files if file.name != ".lock"}
    assert masked_blink(data, out, "Anna Smith") == 0  # the same command changes nothing
    assert before == {file: file.read_bytes() for file in before}
    assert masked_blink(data, out, "Lee Marsh") == 2  # other names are another request


@pytest.mark.parametrize(
    ("command", "before"),
    [
        (("ground", "x"), [""]),
        (("reverse", "x"), [""]),
        (("reverse", "x", "--policy", "mini"), ["episode_starts", "play_tasks"]),
        (("navigate", "phone", "--policy", "mini"), ["execute_tasks"]),
    ],
)
def test_screens_are_masked_as_soon_as_they_are_there(command: tuple[str, ...], before: list[str]) -> None:
    """Those of the source, and those that a policy played; what says where to play is read before."""
    told = saccade("data", *command, "--mask", "--stages", "--json")
    stages = ["", *(json.loads(line)["stage"] for line in told.stdout.splitlines())]
    assert [stages[at - 1] for at, stage in enumerate(stages) if stage == "mask"] == before
