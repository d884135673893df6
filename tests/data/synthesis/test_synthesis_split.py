"""The stage that draws a test side which shares nothing with the training side."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from saccade.data.synthesis.records import Dropped, Record, store_picture
from saccade.data.synthesis.stage import Tools
from saccade.data.synthesis.stages.split import Split, SplitSettings
from saccade.geometry import Size
from saccade.types import Step

WORDS = ["open the wifi page", "send a mail to Anna", "buy two pears today", "start the timer now", "call the dentist"]


@pytest.fixture
def records(tmp_path: Path) -> list[Record]:
    """Ten episodes of one step; each picture and each instruction occurs twice, but never in the same pair."""
    chance, images = np.random.default_rng(0), []
    for _ in range(5):
        drawn = BytesIO()
        blocks = Image.fromarray(chance.integers(0, 255, (48, 24, 3), dtype=np.uint8))
        blocks.resize((240, 480), Image.Resampling.NEAREST).save(drawn, "PNG")
        images.append(store_picture(tmp_path, drawn.getvalue()))
    pairs = [(at, at) for at in range(5)] + [(at, (at + 1) % 5) for at in range(3)]
    return [
        Record(
            id=f"r{number}",
            steps=[
                Step(
                    id=f"r{number}", episode=f"e{number}", screen=Size(240, 480), image=images[a], instruction=WORDS[b]
                )
            ],
        )
        for number, (a, b) in enumerate(pairs)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_the_sides_share_nothing(records: list[Record], tmp_path: Path, seed: int) -> None:
    stage = Split(SplitSettings(share=0.25))
    made = list(stage.do(iter(records), Tools(tmp_path, seed)))
    sides = {
        side: [each for each in made if isinstance(each, Record) and each.step.tags["split"] == side]
        for side in ("train", "test")
    }
    dropped = [each for each in made if isinstance(each, Dropped)]
    assert len(sides["train"]) + len(sides["test"]) + len(dropped) == len(records)
    assert sides["test"] and sides["train"] and dropped, (
        "the test side always shares something with another record here"
    )
    for field in ("image", "instruction"):
        test, train = ({getattr(each.step, field) for each in sides[side]} for side in ("test", "train"))
        assert not test & train
    assert stage.facts == {"train": len(sides["train"]), "test": len(sides["test"]), "shared_after": 0}


def test_without_a_test_side_everything_is_for_training(records: list[Record], tmp_path: Path) -> None:
    made = list(Split(SplitSettings(share=0)).do(iter(records), Tools(tmp_path)))
    assert [each.step.tags["split"] for each in made if isinstance(each, Record)] == ["train"] * len(records)
