"""Draws of the papers: seeded, of each group, the same whatever is read first; `--limit` stays the first N."""

from __future__ import annotations

import dataclasses
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from saccade.actions import Action
from saccade.agents.settings import Settings
from saccade.bench.runner import BenchRequest, measure
from saccade.bench.suites import AITW_SUBSETS, get_suite
from saccade.errors import InputError
from saccade.geometry import Size
from saccade.records import write_steps
from saccade.types import Step

BACK = Action("press", key="back")


def recording(folder: Path, episodes: int, sources: tuple[str, ...] = ("",)) -> Path:
    """Episodes of two steps, from each source in turn."""
    folder.mkdir()
    steps = [
        Step(
            id=f"e{at:03}-{number}",
            episode=f"e{at:03}",
            step=number,
            screen=Size(300, 600),
            instruction=f"Task {at}",
            truth=[BACK],
            tags={"source": sources[at % len(sources)]},
        )
        for at in range(episodes)
        for number in range(2)
    ]
    write_steps(folder / "steps.jsonl", steps)
    return folder


def cases(out: Path, data: Path, suite: str, limit: int | None = None, **options: Any) -> list[str]:
    """The cases that the oracle was asked, in the order of the report."""
    chosen = dataclasses.replace(get_suite(suite), datasets=("steps",), options={})
    settings = Settings(world="data", model="oracle", paradigm="secagent")
    measure(BenchRequest(chosen, settings, out, data, options, limit))
    lines = (out / "steps.jsonl").read_text(encoding="utf-8").splitlines()
    return list(dict.fromkeys(line.partition('"episode":"')[2][:4] for line in lines))


def test_the_draw_is_that_of_the_lowest_hashes(tmp_path: Path) -> None:
    """By hand: rank 12 names by SHA-256 of seed, a zero byte and name; the first 5, in the data's order."""
    data = recording(tmp_path / "data", 12)
    names = [f"e{at:03}" for at in range(12)]
    for seed in (0, 7):
        lowest = sorted(names, key=lambda name: sha256(f"{seed}\0{name}".encode()).digest())[:5]
        drawn = cases(tmp_path / f"out{seed}", data, "gui-odyssey", draw=5, draw_seed=seed)
        assert drawn == sorted(lowest) and drawn != names[:5]
    assert cases(tmp_path / "first", data, "gui-odyssey", limit=5) == names[:5]
    assert (
        cases(tmp_path / "both", data, "gui-odyssey", limit=2, draw=5)
        == cases(tmp_path / "out0", data, "gui-odyssey", draw=5, draw_seed=0)[:2]
    )


def test_the_papers_draws_by_name(tmp_path: Path) -> None:
    """GUI-Odyssey's 100 of all (SecAgent); AitW's 75 of each of four sub-sets, none of `single` (GuidNav)."""
    assert len(cases(tmp_path / "odyssey", recording(tmp_path / "o", 130), "gui-odyssey", draw="paper")) == 100
    data = recording(tmp_path / "a", 400, (*AITW_SUBSETS, "single"))
    drawn = cases(tmp_path / "aitw", data, "aitw", draw="paper")
    groups = [(*AITW_SUBSETS, "single")[int(name[1:]) % 5] for name in drawn]
    assert {name: groups.count(name) for name in set(groups)} == dict.fromkeys(AITW_SUBSETS, 75)
    few = cases(tmp_path / "few", data, "aitw", draw=3)
    assert len(few) == 12 and set(few) < set(drawn), "a small draw is the beginning of a large one"


def test_a_draw_goes_on_where_it_was(tmp_path: Path) -> None:
    data = recording(tmp_path / "data", 20)
    half = cases(tmp_path / "out", data, "gui-odyssey", limit=4, draw=8)
    assert cases(tmp_path / "out", data, "gui-odyssey", draw=8)[:4] == half
    with pytest.raises(InputError, match="different data_options"):
        cases(tmp_path / "out", data, "gui-odyssey", draw=9)


@pytest.mark.parametrize(
    ("suite", "options", "said"),
    [
        ("gui-odyssey", {"draw": "papre"}, "write paper, or a number of cases"),
        ("gui-odyssey", {"draw": 0}, "a number of cases"),
        ("gui-odyssey", {"draw": True}, "a number of cases"),
        ("gui-odyssey", {"draw": 5, "draw_seed": "x"}, "whole number"),
        ("gui-odyssey", {"draw_seed": 3}, "draw=None"),
        ("cmgui-bench", {"draw": "paper"}, "no paper draws from cmgui-bench"),
        ("aitw", {"draw": "paper"}, "there is none of them"),
    ],
)
def test_a_wrong_draw_is_one_sentence(tmp_path: Path, suite: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        cases(tmp_path / "out", recording(tmp_path / "data", 6), suite, **options)
