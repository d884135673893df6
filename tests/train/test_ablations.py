"""The papers' ablations of training by name: each recipe trains a real (tiny) model, and one grid measures the results.

Rows of the tables: BTL-UI Table 5a, UILoop Figure 5, SecAgent Table 6.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import saccade
from train_data import SIZE, elements, episode, grounding, write_data

from saccade.bench.grid_axes import PRESETS
from saccade.paradigms import get_paradigm
from saccade.train.backbone import open_backbone
from saccade.train.recipe import Recipe
from saccade.train.recipe_files import load_recipe, output_folder, recipes
from saccade.train.samples import RowSet, read_rows
from tiny_vl import make_tiny

ABLATIONS = ("btl-table5a", "uiloop-no-lingualisation", "secagent-gr2nav")
QUICK = {"sft": ["batch=1", "accumulate=1"], "grpo": ["accumulate=1", "grpo.generations=2", "grpo.longest=6"]}
"""A step on a CPU in about a second; all that the ablation is about stays."""


def members(ablation: str) -> list[str]:
    return [name for name in recipes() if name.startswith(f"{ablation}/")]


@pytest.mark.parametrize("ablation", ABLATIONS)
def test_the_grid_measures_what_the_recipes_train(ablation: str) -> None:
    """Same names, same folders, same switches, so that a model is asked as it was taught."""
    points = PRESETS[ablation].in_folder("runs")
    assert {Path(str(point["trained"])) for point in points} == {output_folder(name, "") for name in members(ablation)}
    for point in points:
        recipe = load_recipe(str(point["trained"]).removeprefix("runs/"))
        assert recipe.paradigm == PRESETS[ablation].shared["paradigm"]
        assert recipe.switches.get("blink", True) == point.get("blink", True)
        asked = get_paradigm(recipe.paradigm, **recipe.switches)
        shown = PRESETS[ablation].shared.get("coordinates", f"resized:28,{asked.pixels[0]},{asked.pixels[1]}")
        low, high = recipe.pixels or asked.pixels
        assert shown == f"resized:28,{low},{high}"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two episodes, and two grounding samples."""
    steps = [*episode("a"), *episode("b", "zh"), grounding("g1"), grounding("g2")]
    return write_data(tmp_path_factory.mktemp("data"), steps=steps)


@pytest.mark.train
@pytest.mark.slow
@pytest.mark.parametrize("ablation", ABLATIONS)
def test_an_ablation_from_training_to_its_table(ablation: str, tiny: Path, data: Path, tmp_path: Path) -> None:
    for name in members(ablation):
        stage = load_recipe(name).stage
        changes = [word for change in QUICK[stage] for word in ("--set", change)]
        given: list[str | Path] = [
            "train",
            stage,
            "--config",
            name,
            "--model",
            tiny,
            "--data",
            data,
            "--steps",
            "1",
            "--json",
        ]
        done = saccade(*given, *changes, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["step"] == 1
        assert (tmp_path / "runs" / name / "model" / "config.json").is_file()
    measured: list[str | Path] = ["bench", "steps", "--data", data.parent, "--limit", "1"]
    measured += ["--max-output", "4", "--out", "grid"]
    done = saccade(*measured, "--grid", ablation, "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    table = json.loads(done.stdout.splitlines()[-1])["tables"][0]
    own = [row["label"].split(",")[0] for row in table["rows"] if not row.get("published")]
    assert sorted(own) == sorted(f"trained=runs/{name}" for name in members(ablation))
    missing = saccade(*measured[:-1], "other", "--grid", f"{ablation}=elsewhere", folder=tmp_path)
    assert missing.returncode == 2 and f"elsewhere/{ablation}" in missing.stderr and "train it first" in missing.stderr


# -- what the variants teach -------------------------------------------------------------------------------------------


def rows_of(name: str, tiny: Path, data: Path) -> RowSet:
    recipe: Recipe = load_recipe(name, model=str(tiny), data=[str(data)])
    return read_rows(recipe, open_backbone(recipe))


@pytest.mark.train
def test_blink_data_or_none(tiny: Path, data: Path) -> None:
    without, with_blink = (rows_of(f"btl-table5a/{name}", tiny, data).train for name in ("sft", "sft-blink"))
    assert all("<blink>" not in row.answer and "<link>" in row.answer for row in without)
    assert all(row.answer.startswith("<blink>") for row in with_blink)
    assert not any("blink" in message.text.lower() for row in without for message in row.messages)


@pytest.mark.train
def test_grounding_in_three_ways(tiny: Path, data: Path) -> None:
    """SecAgent §4.3: raw grounding answers with a box, Gr2Nav with a click at its centre."""
    box = elements()[3].box
    found: dict[str, Any] = {}
    for name in ("navigation", "grounding", "gr2nav"):
        rows = rows_of(f"secagent-gr2nav/{name}", tiny, data)
        found[name] = [row for row in rows.train if row.id.startswith("g")]
        assert len([row for row in rows.train if not row.id.startswith("g")]) == 6
        if name == "navigation":
            assert rows.left_out["it is a grounding sample (grounding: none)"] == 2
    assert found["navigation"] == [] and len(found["grounding"]) == len(found["gr2nav"]) == 2
    raw, turned = found["grounding"][0], found["gr2nav"][0]
    # 112 × 196 pixels are fewer than 200,704, so the model sees 364 × 616 (multiples of 28): times 3.25 and 3.142857.
    assert tuple(box) == (4, 112, 108, 144) and json.loads(raw.answer) == {"bbox_2d": [13, 352, 351, 453]}
    assert raw.messages[0].content[0].shown == (364, 616) and raw.step.screen == SIZE
    assert "Display settings" in raw.messages[0].text and "<tool_call>" not in raw.messages[0].text
    click = raw.paradigm.parse(turned.answer, turned.step.view).reply.action
    assert click is not None and click.point is not None and click.type == "click"
    assert abs(click.point.x - box.center.x) < 1 and abs(click.point.y - box.center.y) < 1
