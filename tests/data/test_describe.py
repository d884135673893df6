"""Data sets in figures and in pictures, from real files."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageColor

from saccade.data import contact_sheet as sheet
from saccade.data.contact_sheet import Reservoir, contact_sheet, draw_cell, draw_screen, save_sheet, wrap
from saccade.data.describe import Tally, count_words, describe, script_of, spread
from saccade.data.readers.base import Sample
from saccade.data.readers.steps import StepsFile
from saccade.errors import InputError, MissingError
from saccade.records import read_step
from saccade.types import Picture

CLICK = {"type": "click", "point": [50, 50], "box": [0, 0, 100, 100]}


def record(id: str, **changes: Any) -> dict[str, Any]:
    return {"id": id, "instruction": "Open the shop", "screen": [200, 400], "truth": [CLICK]} | changes


def steps_file(folder: Path, *records: dict[str, Any]) -> StepsFile:
    file = folder / "steps.jsonl"
    file.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records), encoding="utf-8")
    return StepsFile(folder)


def png(colour: str = "white", size: tuple[int, int] = (200, 400)) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, colour).save(stream, "PNG")
    return stream.getvalue()


def sample(**changes: Any) -> Sample:
    step = read_step(record("s", truth=[]) | changes)
    return Sample(step, Picture(png(), step.screen), "here")


# -- figures ----------------------------------------------------------------------------------------------------------


def test_everything_is_counted(tmp_path: Path) -> None:
    (tmp_path / "one.png").write_bytes(png())
    swipe = {"type": "swipe", "direction": "up"}
    found = describe(
        steps_file(
            tmp_path,
            record("a", episode="e1", image="one.png", tags={"app": "shop", "split": "test"}, thought="so"),
            record("b", episode="e1", step=1, image="gone.png", truth=[swipe, CLICK], tags={"app": "mail"}),
            record("c", episode="e1", step=2, truth=[{"type": "press", "key": "back"}], history=["x", "y"]),
            record("d", episode="e2", instruction="打开 Keep 并开始跑步", screen=[400, 200], truth=[]),
            record("e", instruction="", step_instruction="tap it", tags={"task": "grounding"}),
        )
    )
    assert (found.steps, found.episodes, found.grounding, found.several, found.no_truth) == (5, 2, 1, 1, 1)
    assert found.boxed == 2
    assert found.actions.counts == {"click": 2, "swipe": 1, "press:back": 1}
    assert found.directions.counts == {"up": 1}
    assert found.screens.counts == {"200×400": 4, "400×200": 1}
    assert found.scripts.counts == {"latin": 4, "chinese": 1}
    assert found.pictures == {"present": 1, "missing": 1, "none": 3}
    assert found.parts == {"step_instruction": 1, "history": 1, "thought": 1}
    assert found.tags["app"].counts == {"shop": 1, "mail": 1}
    assert found.episode_steps is not None
    assert (found.episode_steps.least, found.episode_steps.most, found.episode_steps.mean) == (1, 3, 2)
    assert found.instruction_words is not None
    assert (found.instruction_words.least, found.instruction_words.most) == (2, 8)
    assert found.whole


def test_a_limit_is_said(tmp_path: Path) -> None:
    dataset = steps_file(tmp_path, *(record(f"s{at}") for at in range(5)))
    assert (describe(dataset, 3).steps, describe(dataset, 3).whole) == (3, False)
    assert describe(dataset, 5).whole
    assert describe(dataset, 9).steps == 5


def test_bad_records_are_counted_where_that_is_wanted(tmp_path: Path) -> None:
    steps_file(tmp_path, record("a"), record("b", screen=["wide", 3]), record("c"))
    found = describe(StepsFile(tmp_path, keep_going=True))
    assert (found.steps, found.left_out) == (2, 1)
    with pytest.raises(InputError, match=r"steps.jsonl:2: screen\[0\]"):
        describe(StepsFile(tmp_path))


def test_pictures_inside_the_records(tmp_path: Path) -> None:
    class Inside(StepsFile):
        def samples(self) -> Any:
            for each in super().samples():
                yield each._replace(picture=Picture(png))

    steps_file(tmp_path, record("a"), record("b"))
    assert describe(Inside(tmp_path)).pictures == {"inside": 2}


def test_a_tag_with_very_many_values_stays_small() -> None:
    tally = Tally()
    for at in range(1500):
        tally.add(str(at))
    for _ in range(3):
        tally.add("7")
    assert len(tally.counts) == 1000
    assert (tally.others, tally.total) == (500, 1503)
    assert tally.common(1) == [("7", 4)]


@pytest.mark.parametrize(
    ("text", "script", "words"),
    [
        ("Open the app", "latin", 3),
        ("打开设置", "chinese", 4),
        ("在 Keep 里开始跑步", "chinese", 7),
        ("Search for 北京 on the map", "latin", 7),
        ("カメラを開く", "japanese", 6),
        ("설정 열기", "korean", 2),
        ("Открой настройки", "cyrillic", 2),
        ("Öffne die Einstellungen", "latin", 3),
        ("12:30 ½", "none", 2),
        ("", "none", 0),
    ],
)
def test_scripts_and_words(text: str, script: str, words: int) -> None:
    assert script_of(text) == script
    assert count_words(text) == words


def test_spreads() -> None:
    assert spread({}) is None
    one = spread({7: 1})
    assert one is not None
    assert (one.least, one.median, one.mean, one.most, one.n) == (7, 7, 7, 7, 1)
    many = spread(Counter([1, 2, 3, 10]))
    assert many is not None
    assert (many.median, many.mean) == (2.5, 4)


# -- pictures ---------------------------------------------------------------------------------------------------------


def test_a_reservoir_is_fair_ordered_and_repeatable() -> None:
    stream = [sample(id=f"{at:02}") for at in range(50)]
    hits: Counter[str] = Counter()
    for seed in range(300):
        reservoir = Reservoir(5, seed)
        for each in stream:
            reservoir.offer(each)
        ids = [each.step.id for each in reservoir.samples]
        assert ids == sorted(set(ids))
        assert len(ids) == 5
        hits.update(ids)
    assert len(hits) == 50
    assert min(hits.values()) >= 10 and max(hits.values()) <= 55  # 30 each, 5.2 standard deviations
    again, small = Reservoir(5, 299), Reservoir(5, 0)
    for each in stream:
        again.offer(each)
    assert [each.step.id for each in again.samples] == ids
    for each in stream[:3]:
        small.offer(each)
    assert small.samples == stream[:3]


def test_pictures_that_pass_are_kept_in_hand() -> None:
    """A record's bytes may be gone when the sheet is drawn."""
    there = True

    def data() -> bytes:
        if not there:
            raise ValueError("the file was closed")
        return png("#00ff00")

    def broken() -> bytes:
        raise ValueError("a member of the archive is damaged")

    reservoir = Reservoir(2)
    reservoir.offer(sample()._replace(picture=Picture(data)))
    reservoir.offer(sample()._replace(picture=Picture(broken)))
    there = False
    good, bad = reservoir.samples
    assert draw_screen(good).getpixel((20, 300)) == (0, 255, 0)
    assert draw_screen(bad).getpixel((20, 300)) == ImageColor.getrgb(sheet.PLATE)


def near(image: Image.Image, x: int, y: int, colour: str) -> bool:
    """Is there such a colour within two pixels?"""
    wanted = ImageColor.getrgb(colour)
    seen = [image.getpixel((x + dx, y + dy)) for dx in range(-2, 3) for dy in range(-2, 3)]
    return any(
        isinstance(each, tuple) and sum(abs(a - b) for a, b in zip(each, wanted, strict=False)) < 60 for each in seen
    )


def test_truth_is_drawn_where_it_is() -> None:
    steps = {
        "box": sample(truth=[{"type": "click", "point": [150, 100], "box": [120, 80, 180, 120]}]),
        "arrow": sample(truth=[{"type": "swipe", "direction": "left"}]),
        "drag": sample(truth=[{"type": "drag", "start": [20, 20], "end": [180, 380]}]),
        "key": sample(key_elements=[{"id": 1, "box": [40, 200, 160, 300]}], truth=[]),
    }
    drawn = {name: draw_screen(each) for name, each in steps.items()}
    scale = drawn["box"].width / 200

    def at(x: float, y: float) -> tuple[int, int]:
        return round(x * scale), round(y * scale)

    assert near(drawn["box"], *at(150, 100), sheet.RIGHT)
    assert near(drawn["box"], *at(120, 100), sheet.RIGHT)
    assert near(drawn["box"], *at(150, 80), sheet.RIGHT)
    assert not near(drawn["box"], *at(60, 300), sheet.RIGHT)
    assert near(drawn["arrow"], *at(100, 200), sheet.RIGHT)
    assert near(drawn["arrow"], *at(74, 200), sheet.RIGHT), "the head is on the left"
    assert near(drawn["drag"], *at(100, 200), sheet.RIGHT)
    assert near(drawn["key"], *at(100, 300), sheet.KEY)
    assert near(drawn["key"], *at(40, 196), sheet.KEY)


def test_what_happens_nowhere_is_said(tmp_path: Path) -> None:
    plain = draw_screen(sample())
    labelled = draw_screen(sample(truth=[{"type": "press", "key": "back"}]))
    typed = draw_screen(sample(truth=[{"type": "type", "text": "一段很长的文字" * 40}]))
    foot = (0, plain.height - 40, plain.width, plain.height)
    assert plain.crop(foot).tobytes() != labelled.crop(foot).tobytes() != typed.crop(foot).tobytes()
    head = (0, 0, plain.width, plain.height - 60)
    assert plain.crop(head).tobytes() == labelled.crop(head).tobytes() == typed.crop(head).tobytes()
    told, silent = draw_cell(sample(truth=[{"type": "wait"}])), draw_cell(sample(instruction=""))
    assert told.height > plain.height and silent.height > plain.height


@pytest.mark.parametrize(
    "changes",
    [
        {"screen": [1, 20000]},
        {"screen": [20000, 1]},
        {"truth": [{"type": "click", "point": [1e9, -1e9], "box": [-1e9, -1e9, 1e9, 1e9]}]},
        {"truth": [{"type": "drag", "start": [-1e9, 1e9], "end": [1e9, 1e9]}]},
        {"truth": [{"type": "drag", "start": [5, 5], "end": [5, 5]}]},
        {"truth": [{"type": "swipe", "direction": "down", "start": [199, 399]}]},
        {"truth": [{"type": "click", "point": [5, 5], "box": [100, 90, 3, 2]}]},
        {"instruction": "x" * 5000, "step_instruction": "🛒 " + "字" * 5000, "id": "i" * 900},
        {"key_elements": [{"id": 0, "box": [190 + at, 390, 500, 800]} for at in range(120)]},
    ],
)
def test_anything_can_be_drawn(changes: dict[str, Any]) -> None:
    image = contact_sheet([sample(**changes)], "odd")
    assert image.width <= 2 * sheet.WIDTH and image.height < 4000


def test_a_sheet_holds_all_kinds_of_screens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    phone, desktop = sample(), sample(screen=[1920, 1080])._replace(picture=Picture(png("blue", (1920, 1080))))
    lost = sample()._replace(picture=Picture(str(tmp_path / "gone.png")))
    torn = sample()._replace(picture=Picture(png()[:-30]))
    none = sample()._replace(picture=None)
    image = contact_sheet([phone, desktop, lost, torn, none] * 2, "五种屏幕")
    assert 1200 < image.width <= sheet.WIDTH
    for name, format in (("a.png", "PNG"), ("b.JPG", "JPEG"), ("deep/c.webp", "WEBP")):
        save_sheet(image, tmp_path / name)
        with Image.open(tmp_path / name) as saved:
            assert (saved.format, saved.size) == (format, image.size)
    assert not list(tmp_path.rglob("*.part"))
    with pytest.raises(InputError, match=r"use \.png or \.jpg"):
        save_sheet(image, tmp_path / "sheet.txt")
    with pytest.raises(InputError, match="cannot write"):
        save_sheet(image, tmp_path / "a.png" / "sheet.png")
    with pytest.raises(InputError, match="no sample"):
        contact_sheet([])


def test_chinese_needs_a_font_that_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    boxes = {letter: sheet.font(30).getmask(letter).getbbox() for letter in "设一"}
    assert boxes["设"] != boxes["一"], "both would be the same empty box in a font without Chinese"
    monkeypatch.setattr(sheet, "FONTS", ("no-such-font.ttf",))
    sheet.font.cache_clear()
    try:
        assert contact_sheet([sample()], "latin letters need no such font").height
        with pytest.raises(MissingError, match="fonts-wqy-microhei"):
            contact_sheet([sample(instruction="打开设置")])
    finally:
        sheet.font.cache_clear()


def test_lines_fit() -> None:
    face = sheet.font(20)
    for text in (
        "word " * 50,
        "无空格的中文" * 30,
        "Averyveryverylongwordwithoutanyblank" * 8,
        "mixed 中文 and English " * 9,
    ):
        lines = wrap(text, face, 200, 4)
        assert len(lines) == 4 and lines[-1].endswith("…")
        assert all(face.getlength(line) <= 201 for line in lines)
    assert wrap("short", face, 200, 4) == ["short"]
    assert wrap(" \n ", face, 200, 4) == []
    assert wrap("one two", face, face.getlength("one t"), 4) == ["one ", "two"]
    assert wrap("buy 🛒 milk", face, 400, 1) == ["buy milk"]


@pytest.mark.shared
def test_real_screens(shared_data: Path, tmp_path: Path) -> None:
    names = sorted((shared_data / "agentnet" / "images").glob("*.png"))[:4]
    for name in names:
        (tmp_path / name.name).symlink_to(name)
    records = [
        record(name.stem, image=name.name, screen=list(Image.open(name).size), truth=[{"type": "wait"}])
        for name in names
    ]
    dataset, reservoir = steps_file(tmp_path, *records), Reservoir(3, 1)
    found = describe(dataset, observer=reservoir)
    assert found.pictures == {"present": 4}
    image = contact_sheet(reservoir.samples, "real")
    assert len(image.getcolors(1 << 24) or ()) > 1000
