"""Seeded draws."""

from __future__ import annotations

import hashlib
import random

from saccade.data.draw import draw, draw_per_group

IDS = [f"episode-{number}" for number in range(1000)]


def test_a_draw_is_the_lowest_hashes_of_seed_and_id() -> None:
    ranks = {each: hashlib.sha256(f"7\0{each}".encode()).hexdigest() for each in "abc"}
    assert draw("abc", 2, seed=7) == sorted("abc", key=ranks.__getitem__)[:2]


def test_order_and_repeats_do_not_matter_and_the_seed_does() -> None:
    shuffled = random.Random(1).sample(IDS * 2, 2000)
    assert draw(IDS, 75, 3) == draw(shuffled, 75, 3)
    assert draw(IDS, 75, 3) == draw(IDS, 300, 3)[:75]
    assert set(draw(IDS, 75, 3)) != set(draw(IDS, 75, 4))
    assert len(set(draw(IDS, 75, 3))) == 75 and draw(IDS[:5], 75) and len(draw(IDS[:5], 75)) == 5


def test_it_is_not_the_first_ids() -> None:
    """A draw of 100 of 1,000 has about 50 of the first 500 (the first N of the file would have 100)."""
    first = sum(int(each.rpartition("-")[2]) < 500 for each in draw(IDS, 100, 0))
    assert 30 < first < 70


def test_a_draw_of_each_group() -> None:
    found = draw_per_group(IDS, 4, 0, identity=str, group=lambda each: each[-1])
    assert sorted(found) == list("0123456789") and all(len(ids) == 4 for ids in found.values())
    assert all(each.endswith(name) for name, ids in found.items() for each in ids)
