"""Every family of models hits a drawn target: a server looks at the picture it was sent, and says where the target is
in that family's own way; what is read from its answer must lie on the target of the original screenshot.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from fake_openai import Behaviour, Handler, pictures, serving, whole
from PIL import Image, ImageDraw

from saccade.actions import Action
from saccade.geometry import Box, Size, smart_resize
from saccade.models import Ask, open_model
from saccade.models.families import DEFAULT, FAMILIES, VisionSettings, family_of
from saccade.paradigms import Situation, get_paradigm
from saccade.types import Picture, Screen

PHONE, DESKTOP = Size(1080, 2400), Size(1280, 800)
TARGETS = {  # small, and away from the middle, where all conventions agree best
    PHONE: (Box(960, 2290, 1000, 2330), Box(60, 300, 100, 340)),
    DESKTOP: (Box(1210, 740, 1238, 768), Box(40, 90, 68, 118)),
}
MAGENTA = (255, 0, 255)

Say = Callable[[float, float, int, int], tuple[float, float]]
"""From a place on a picture of that width and height to what a model writes."""


def pixels(x: float, y: float, width: int, height: int) -> tuple[float, float]:
    return round(x), round(y)


def thousandths(x: float, y: float, width: int, height: int) -> tuple[float, float]:
    return round(x / width * 1000), round(y / height * 1000)


def to_999(x: float, y: float, width: int, height: int) -> tuple[float, float]:
    return round(x / width * 999), round(y / height * 999)


def shares(x: float, y: float, width: int, height: int) -> tuple[float, float]:
    return round(x / width, 3), round(y / height, 3)


Eye = Callable[[Size], Size]
"""What a server makes of a picture's size before the model sees it. Models that count pixels count those."""


def as_it_is(size: Size) -> Size:
    return size


def qwen25(size: Size) -> Size:
    return smart_resize(size, 28, 56 * 56, 16_384 * 28 * 28)


def qwen3(size: Size) -> Size:
    return smart_resize(size, 32, 65_536, 16_777_216)


def claude(size: Size) -> Size:
    """At most 1568 pixels long, and at most as many patches of 28×28."""
    return shrunk(size, min(1568 / max(size), math.sqrt(1568 * 28 * 28 / (size.width * size.height))))


def openai(size: Size) -> Size:
    """Into 2048×2048, and the short side to at most 768."""
    return shrunk(size, min(2048 / max(size), 768 / min(size)))


def shrunk(size: Size, scale: float) -> Size:
    return size if scale >= 1 else Size(round(size.width * scale), round(size.height * scale))


class Habit(NamedTuple):
    """How the model of that name sees and speaks. Public facts, written down apart from the table that is tested."""

    model: str
    say: Say
    eye: Eye


HABITS = [
    Habit("Qwen/Qwen3-VL-8B-Instruct", to_999, qwen3),
    Habit("qwen3-vl:8b", to_999, qwen3),
    Habit("Qwen/Qwen3.5-9B", to_999, qwen3),
    Habit("mPLUG/GUI-Owl-1.5-8B-Instruct", to_999, qwen3),
    Habit("Hcompany/Holo2-30B-A3B", to_999, qwen3),
    Habit("holo3-1", to_999, qwen3),
    Habit("ByteDance-Seed/UI-TARS-1.5-7B", pixels, qwen25),
    Habit("ByteDance-Seed/UI-TARS-2B-SFT", thousandths, qwen25),
    Habit("ByteDance-Seed/UI-TARS-7B-DPO", thousandths, qwen25),
    Habit("Qwen/Qwen2.5-VL-7B-Instruct", pixels, qwen25),
    Habit("qwen2.5vl:7b", pixels, qwen25),
    Habit("BTL-UI-3B", pixels, qwen25),
    Habit("SecAgent-3B", pixels, qwen25),
    Habit("mPLUG/GUI-Owl-7B", pixels, qwen25),
    Habit("Qwen/Qwen2-VL-7B-Instruct", thousandths, qwen25),
    Habit("OS-Copilot/OS-Atlas-Base-7B", thousandths, qwen25),
    Habit("osunlp/UGround-V1-7B", thousandths, qwen25),
    Habit("showlab/ShowUI-2B", shares, qwen25),
    Habit("xlangai/Aguvis-7B-720P", shares, qwen25),
    Habit("moonshotai/Kimi-VL-A3B-Instruct", shares, as_it_is),
    Habit("OpenGVLab/InternVL3-8B", thousandths, as_it_is),
    Habit("zai-org/GLM-4.5V", thousandths, as_it_is),
    Habit("gemini-2.5-pro", thousandths, as_it_is),
    Habit("claude-sonnet-4-5-20250929", pixels, claude),
    Habit("gpt-4o", pixels, openai),
    Habit("o3", pixels, openai),
    Habit("Hcompany/Holo1.5-7B", pixels, qwen25),
    Habit("my-own-model", pixels, as_it_is),
]


@cache
def drawn(size: Size, target: Box) -> Picture:
    """A screen with many things on it, of which one is magenta."""
    image = Image.new("RGB", size, (245, 245, 250))
    draw = ImageDraw.Draw(image)
    for at, y in enumerate(range(20, size.height, 90)):
        draw.rectangle((20, y, size.width - 20, y + 60), fill=(90 + at * 5 % 120, 140, 200), outline=(0, 0, 0))
        draw.text((40, y + 20), f"row {at}", fill=(255, 255, 255))
    draw.rectangle((target.x0, target.y0, target.x1 - 1, target.y1 - 1), fill=MAGENTA)
    file = io.BytesIO()
    image.save(file, "PNG")
    return Picture(file.getvalue(), size)


def looking(say: Say, eye: Eye) -> Behaviour:
    """A model that sees: it finds the middle of the magenta on what it is shown."""

    def answer(handler: Handler) -> None:
        (image,) = pictures(handler.body)
        view, size = image.convert("RGB"), eye(Size(*image.size))
        view = view if view.size == size else view.resize(size, Image.Resampling.BILINEAR)
        red, green, blue = (np.asarray(channel) for channel in view.split())
        ys, xs = np.nonzero((red > 200) & (green < 80) & (blue > 200))
        assert len(xs), "there is no target on the picture"
        x, y = say(float(xs.mean()) + 0.5, float(ys.mean()) + 0.5, *view.size)
        link = f'{{"Plan": "tap it", "Action": {{"function": "Tap", "position": [{x}, {y}]}}}}'
        whole(f"<blink>None</blink>\n<think>There it is.</think>\n<link>{link}</link>")(handler)

    return answer


def tap(name: str, size: Size, target: Box, say: Say, eye: Eye, coordinates: str | None = None) -> Action:
    """One step, as an agent makes it."""
    paradigm = get_paradigm("btl")
    sight = VisionSettings.of(name, paradigm.pixels, coordinates)
    paradigm = get_paradigm("btl", frame=sight.frame)
    screen = Screen(size, sight.show(drawn(size, target)))
    with serving(looking(say, eye)) as server, open_model(f"openai/{name}", base_url=server.url) as model:
        (answer,) = model.complete(paradigm.messages(Situation("tap it", screen)), Ask(deadline=20))
    parsed = paradigm.parse(answer.text, screen)
    assert parsed.strict, parsed
    assert parsed.reply.action is not None
    return parsed.reply.action


def hits(action: Action, target: Box) -> bool:
    assert action.type == "click" and action.point is not None
    return target.contains(action.point)


DISTINCT = list({(family_of(habit.model).name, habit.say, habit.eye): habit for habit in HABITS}.values())
"""Names that are taken for the same family, and whose models see and speak alike, are tried once."""


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("habit", DISTINCT, ids=[habit.model for habit in DISTINCT])
def test_every_family_hits(habit: Habit, size: Size) -> None:
    for target in TARGETS[size]:
        assert hits(tap(habit.model, size, target, habit.say, habit.eye), target)


ONE_EACH = list({family_of(habit.model).name: habit for habit in HABITS}.values())


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("habit", ONE_EACH, ids=[habit.model for habit in ONE_EACH])
def test_another_convention_misses(habit: Habit, size: Size) -> None:
    target = TARGETS[size][0]
    for say in {pixels, thousandths, shares} - ({thousandths} if habit.say is to_999 else {habit.say}):
        assert not hits(tap(habit.model, size, target, say, habit.eye), target)


def test_no_family_is_left_out() -> None:
    assert {family_of(habit.model) for habit in HABITS} == {*FAMILIES, DEFAULT}


COORDINATES: list[tuple[str, Say, Eye]] = [
    ("pixel", pixels, as_it_is),
    ("unit", shares, as_it_is),
    ("permille", thousandths, as_it_is),
    ("permille:999", to_999, as_it_is),
    ("resized", pixels, qwen25),
    ("resized:28,3136,1003520", pixels, lambda size: smart_resize(size, 28, 3136, 1_003_520)),
    ("resized:32,65536,2621440", pixels, lambda size: smart_resize(size, 32, 65_536, 2_621_440)),
]


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("name", ["my-own-model", "Qwen/Qwen3-VL-8B-Instruct", "Qwen/Qwen2.5-VL-7B-Instruct"])
@pytest.mark.parametrize(("coordinates", "say", "eye"), COORDINATES, ids=[row[0] for row in COORDINATES])
def test_the_user_has_the_last_word(coordinates: str, say: Say, eye: Eye, name: str, size: Size) -> None:
    target = TARGETS[size][0]
    assert hits(tap(name, size, target, say, eye, coordinates), target)
    other = thousandths if say in (pixels, shares) else pixels
    assert not hits(tap(name, size, target, other, eye, coordinates), target)


def test_a_picture_that_the_server_shrinks_would_be_missed() -> None:
    """What `most_pixels` is for: the same model, sent all that the paradigm allows, is off."""
    target = TARGETS[PHONE][0]
    assert hits(tap("claude-sonnet-4-5", PHONE, target, pixels, claude), target)
    assert not hits(tap("my-own-model", PHONE, target, pixels, claude), target)
