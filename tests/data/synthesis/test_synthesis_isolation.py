"""Training and test data share no screen and no instruction."""

from __future__ import annotations

import io
import random
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from saccade.data.instruction_filter import near_pairs
from saccade.data.synthesis.isolation import (
    IsolationSettings,
    Row,
    Violation,
    isolation_rows,
    split,
    split_dropping,
    violations,
)
from saccade.errors import InputError
from saccade.geometry import Size
from saccade.screens.perceptual_hash import SCREEN_GRID, HashGrid, difference_hash, near_hashes
from saccade.types import Picture, Step


def page(clock: str, lines: list[str]) -> bytes:
    """A phone's screen: a status bar with a clock, a title and a list."""
    image = Image.new("RGB", (1080, 2400), "white")
    draw = ImageDraw.Draw(image)
    draw.text((48, 20), clock, fill="black", font_size=44)
    for at, line in enumerate(lines):
        draw.text((60, 200 + 160 * at), line, fill="#222222", font_size=60)
        draw.line((0, 320 + 160 * at, 1080, 320 + 160 * at), fill="#dddddd", width=3)
    file = io.BytesIO()
    image.save(file, "PNG", compress_level=1)
    return file.getvalue()


INBOX = [f"{name}: {what}" for name in ("Anna", "Ben", "Cleo") for what in ("lunch", "the new plan", "photos")]
SENT = [f"To {name}: {what}" for name in ("Dora", "Emil", "Finn") for what in ("thank you", "yes, at six", "flowers")]
PICTURES = {"in1": page("10:05", INBOX), "in2": page("23:48", INBOX), "out": page("10:05", SENT)}


def picture(image: str) -> Picture:
    return Picture(PICTURES[image])


def test_another_time_of_the_day_is_the_same_screen_and_another_page_of_the_app_is_not() -> None:
    steps = [Step(id=name, screen=Size(1080, 2400), image=name, instruction=f"Open {name}") for name in PICTURES]
    rows = isolation_rows([*steps, Step(id="none", screen=Size(1, 1))], picture)
    assert rows[-1] == Row("none") and rows[0].instruction == "openin1"
    equal = IsolationSettings(least_edits=1)
    assert violations([rows[0]], rows[1:], equal) == [Violation("screen", "in1", "in2")]
    with pytest.raises(InputError, match="the picture in1 cannot be compared"):
        isolation_rows(steps, lambda name: Picture(b"nothing"))


def test_instructions_six_edits_apart_are_not_shared() -> None:
    base = "open the settings of the clock"
    rows = [Row(str(edits), base + "x" * edits) for edits in range(8)]
    found = violations([Row("train", base)], rows)
    assert [violation.test for violation in found] == ["0", "1", "2", "3", "4", "5"]
    assert {violation.kind for violation in found} == {"instruction"}


def test_connected_rows_stay_on_one_side() -> None:
    screens = [random.Random(group).getrandbits(SCREEN_GRID.bits) for group in range(10)]
    rows = [Row(f"{at}", "abcdefghij"[at // 10] * 12, screens[at // 10], f"e{at // 2}") for at in range(100)]
    rows[5] = rows[5]._replace(screen=rows[95].screen)  # links the first group and the last
    found = split(rows, 0.3, seed=1)
    assert found.groups == 9 and found.largest == 20 and not found.dropped
    assert len(found.test) in (20, 30) and sorted(found.train + found.test) == list(range(100))
    assert violations([rows[at] for at in found.train], [rows[at] for at in found.test]) == []
    again = split(list(reversed(rows)), 0.3, seed=1)
    assert {99 - at for at in again.test} == set(found.test)
    assert {tuple(split(rows, 0.3, seed).test) for seed in range(6)} != {tuple(found.test)}


def test_one_shared_home_screen_makes_one_group_and_is_dropped_from_training() -> None:
    rows = [
        Row(f"{at}-{step}", f"{at:03} " * 6, (at + 1) << (20 * step), f"e{at}") for at in range(50) for step in range(3)
    ]
    rows = [row._replace(screen=0) if row.id.endswith("-0") else row for row in rows]
    assert split(rows, 0.2, seed=0).test == []
    found = split_dropping(rows, 0.2, seed=0, settings=IsolationSettings(most_bits=0))
    assert len(found.test) == 30 and {rows[at].id[-1] for at in found.dropped} == {"0"} and len(found.dropped) == 40
    train, test = [rows[at] for at in found.train], [rows[at] for at in found.test]
    assert violations(train, test, IsolationSettings(most_bits=0)) == []


def test_nothing_and_wrong_shares() -> None:
    assert split([], 0.5, 0) == ([], [], [], 0, 0) and violations([], []) == []
    assert split_dropping([Row("a")], 1, 0).test == [0]
    with pytest.raises(InputError, match="from 0 to 1"):
        split([], 1.5, 0)


def pairs_of(parts: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> set[tuple[int, int]]:
    return {pair for left, right in parts for pair in zip(left.tolist(), right.tolist(), strict=True)}


def test_near_hashes_and_texts_are_all_pairs_and_no_others() -> None:
    chance = random.Random(0)
    grid = HashGrid(8, 8)
    hashes = [chance.getrandbits(64) & chance.getrandbits(64) for _ in range(60)]
    hashes += [each ^ (1 << chance.randrange(64)) ^ (1 << chance.randrange(64)) for each in hashes]
    for most in (0, 2, 12):
        found = pairs_of(near_hashes(hashes, list(hashes), grid, most))
        wanted = {(a, b) for a in range(120) for b in range(120) if (hashes[a] ^ hashes[b]).bit_count() <= most}
        assert found == wanted
    texts = ["".join(chance.choice("ab") for _ in range(chance.randrange(9))) for _ in range(80)]
    pairs, once = pairs_of(near_pairs(texts, list(texts), 3)), pairs_of(near_pairs(texts, texts, 3))
    assert pairs == once | {(b, a) for a, b in once}
    assert all(texts[a] != texts[b] or (a, b) in pairs for a in range(80) for b in range(80))


def test_twenty_thousand_rows_take_seconds() -> None:
    """Twenty thousand steps of four thousand episodes; a generous limit, as other tests run beside this one."""
    chance = random.Random(0)
    words = ["".join(chance.choice("etaoinshrdlu") for _ in range(6)) for _ in range(400)]
    tasks = ["".join(chance.choices(words, k=chance.randrange(4, 12))) for _ in range(4000)]
    screens = [chance.getrandbits(SCREEN_GRID.bits) & chance.getrandbits(SCREEN_GRID.bits) for _ in range(6000)]
    rows = [Row(str(at), tasks[at // 5], screens[at % 6000], str(at // 5)) for at in range(20_000)]
    before = time.monotonic()
    assert split_dropping(rows, 0.1, 0).test
    assert time.monotonic() - before < 30


@pytest.mark.shared
def test_real_screens_of_one_app_are_told_apart(shared_data: Path) -> None:
    """DroidBot's 16 states of one app: it takes a state for new when its tree is."""
    files = sorted((shared_data / "droidbot_yelp" / "states").glob("*.[pj][np]g"))
    hashes = [difference_hash(Image.open(file), SCREEN_GRID) for file in files]
    near = [(a, b) for a in range(len(files)) for b in range(a) if (hashes[a] ^ hashes[b]).bit_count() <= 6]
    assert len(files) == 16 and len(near) <= 6
