"""BTL-UI's training beside the paper: §3.4 (eq. 8 and 9), §4 with Table 1, Table 5a, and the released recipe."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from grpo_data import group_advantages, random_world

from saccade.bench.grid_axes import PRESETS
from saccade.data.mix import read_mix
from saccade.paradigms import get_paradigm
from saccade.train.recipe import Recipe
from saccade.train.recipe_files import load_recipe

SIZES = ("3b", "7b")


@pytest.mark.parametrize("size", SIZES)
class TestReinforcement:
    """The released recipe of RFT; both sizes have the same."""

    @pytest.fixture
    def recipe(self, size: str) -> Recipe:
        return load_recipe(f"btl-{size}-grpo")

    def test_eight_completions_at_temperature_0_9(self, recipe: Recipe) -> None:
        assert (recipe.stage, recipe.paradigm) == ("grpo", "btl")
        assert recipe.grpo.generations == 8
        assert recipe.grpo.temperature == 0.9

    def test_learning_rate_and_epochs(self, recipe: Recipe) -> None:
        assert recipe.learning_rate == 1e-6
        assert recipe.epochs == 3 and recipe.steps is None

    def test_pictures_of_at_most_4014080_pixels(self, recipe: Recipe) -> None:
        assert recipe.pixels is not None and recipe.pixels[1] == 4_014_080
        assert recipe.longest > 4_014_080 / 28**2 + recipe.grpo.longest, "a whole picture and its answer fit"

    def test_completions_of_1280_tokens(self, recipe: Recipe) -> None:
        assert recipe.grpo.longest == 1280

    def test_the_reward_is_the_plain_sum_of_eq_3(self, recipe: Recipe) -> None:
        assert recipe.grpo.reward == {"weights": [1, 1, 1]}

    def test_eq_9_has_a_kl_term(self, recipe: Recipe) -> None:
        """The paper gives no β; 0.04 is the default of ms-swift, with which it trained."""
        assert recipe.grpo.kl == 0.04

    def test_eq_9_has_no_token_level_loss(self, recipe: Recipe) -> None:
        assert recipe.grpo.loss == "classic" and recipe.grpo.clip_high is None

    def test_the_six_actions_of_the_paper(self, recipe: Recipe) -> None:
        assert recipe.switches["space"] == "paper"
        paradigm = get_paradigm("btl", **recipe.switches)
        names = {action["name"] for action in paradigm.vocabulary.listing(paradigm.space, "en")}
        assert names == {"Tap", "LongPress", "Type", "Swipe", "Back", "Home"}

    def test_all_weights_are_trained(self, recipe: Recipe) -> None:
        assert recipe.lora is None


@pytest.mark.parametrize("size", SIZES)
def test_supervised_rows_see_the_same(size: str) -> None:
    """Table 5a compares SFT and RFT on the same data; the paper gives no further settings for SFT."""
    supervised, reinforced = load_recipe(f"btl-{size}-sft"), load_recipe(f"btl-{size}-grpo")
    assert supervised.stage == "sft"
    for name in ("paradigm", "switches", "pixels", "epochs", "longest"):
        assert getattr(supervised, name) == getattr(reinforced, name), name


def test_table_1() -> None:
    """2 K grounding, 1 K low-level, 1 K high-level; the low-level ones have the step's own instruction."""
    parts = read_mix("btl-table1")
    assert [(part.source, part.options.get("level", "grounding"), part.count) for part in parts] == [
        ("showui-desktop", "grounding", 2000),
        ("androidcontrol", "low", 500),
        ("gui-odyssey", "low", 500),
        ("androidcontrol", "high", 500),
        ("gui-odyssey", "high", 500),
    ]
    assert sum(part.count for part in parts) == 4000
    assert all("train" in part.options.values() for part in parts[1:])


def test_table_5a() -> None:
    """SFT | SFT + blink data | RFT | RFT + blink data + BTL reward, all of 7B."""
    rows = {name: load_recipe(f"btl-table5a/{name}") for name in ("sft", "sft-blink", "rft", "rft-blink")}
    assert [recipe.stage for recipe in rows.values()] == ["sft", "sft", "grpo", "grpo"]
    assert [recipe.switches.get("blink", True) for recipe in rows.values()] == [False, True, False, True]
    assert rows["sft-blink"] == load_recipe("btl-7b-sft") and rows["rft-blink"] == load_recipe("btl-7b-grpo")
    assert rows["rft"].grpo.reward["weights"] == [1, 0, 1], "format and action only"
    assert [point["trained"] for point in PRESETS["btl-table5a"].points] == [f"btl-table5a/{name}" for name in rows]


def test_table_5b_has_one_to_six_elements() -> None:
    assert [point["lambda"] for point in PRESETS["btl-lambda"].points] == [1, 2, 3, 4, 5, 6]
    assert get_paradigm("btl").max_elements == 5  # type: ignore[attr-defined]


@pytest.mark.train
def test_eq_8_the_advantage_within_a_group(tmp_path: Path) -> None:
    """A = (R − mean) / std. Rewards 3, 1, 1, 3: mean 2, standard deviation √(4/3) (of a sample), so ±√3/2. Rewards 3,
    0, 0, 1: mean 1, √(6/3) = √2, so √2, −1/√2, −1/√2, 0. Equal rewards have no advantage.
    """
    world = random_world(tmp_path)
    half = math.sqrt(3) / 2
    assert group_advantages(world, tmp_path, [3, 1, 1, 3]) == pytest.approx([half, -half, -half, half], abs=1e-3)
    root = math.sqrt(2)
    assert group_advantages(world, tmp_path, [3, 0, 0, 1]) == pytest.approx([root, -1 / root, -1 / root, 0], abs=1e-3)
    assert group_advantages(world, tmp_path, [2, 2, 2, 2]) == pytest.approx([0, 0, 0, 0], abs=1e-3)
