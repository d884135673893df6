"""UILoop's training beside the paper: §4.2 and its objective, §5.1, Figure 5."""

from __future__ import annotations

import pytest

from saccade.bench.grid_axes import PRESETS
from saccade.paradigms import get_paradigm
from saccade.scoring.reward_options import checked
from saccade.scoring.rewards import REWARDS
from saccade.train.recipe import Recipe
from saccade.train.recipe_files import load_recipe

VARIANTS = ("sft", "leverage", "locate-leverage", "full")


def total(recipe: Recipe, form: float, location: float, words: float, leverage: float) -> float:
    """The reward of an answer with these parts, by a recipe's own options."""
    kind = REWARDS.get("uiloop")
    reward = kind(paradigm=get_paradigm("uiloop"), **checked(kind, recipe.grpo.reward))  # type: ignore[call-arg]
    parts = {"format": form, "location": location, "lingualisation": words, "leverage": leverage}
    if not recipe.grpo.reward.get("lingualisation", True):
        del parts["lingualisation"]
    return reward.total(parts)


@pytest.mark.parametrize("size", ["3b", "7b"])
class TestReinforcement:
    @pytest.fixture
    def recipe(self, size: str) -> Recipe:
        return load_recipe(f"uiloop-{size}-grpo")

    def test_five_rollouts(self, recipe: Recipe) -> None:
        assert (recipe.stage, recipe.paradigm, recipe.grpo.generations) == ("grpo", "uiloop", 5)

    def test_three_to_six_epochs(self, recipe: Recipe) -> None:
        assert 3 <= recipe.epochs <= 6 and recipe.steps is None

    def test_the_constants_of_section_4_2(self, recipe: Recipe) -> None:
        assert recipe.grpo.reward == {"alpha1": 4, "alpha2": 5, "eta": 0.5}

    def test_the_objective_has_a_kl_term(self, recipe: Recipe) -> None:
        """The paper gives no β; 0.001 is the default of verl, with which it trained."""
        assert recipe.grpo.kl == 0.001

    def test_the_actions_of_the_paper(self, recipe: Recipe) -> None:
        paradigm = get_paradigm("uiloop", **recipe.switches)
        names = {action["name"] for action in paradigm.vocabulary.listing(paradigm.space, "en")}
        assert {"wait", "long_press", "click", "press_back", "type", "open_app", "scroll"} <= names
        assert recipe.switches == {"space": "paper"}

    def test_all_weights_are_trained(self, recipe: Recipe) -> None:
        assert recipe.lora is None


def test_figure_5_has_four_trainings() -> None:
    rows = {name: load_recipe(f"uiloop-no-lingualisation/{name}") for name in VARIANTS}
    assert [recipe.stage for recipe in rows.values()] == ["sft", "grpo", "grpo", "grpo"]
    assert rows["full"] == load_recipe("uiloop-7b-grpo")
    points = PRESETS["uiloop-no-lingualisation"].points
    assert [point["trained"] for point in points] == [f"uiloop-no-lingualisation/{name}" for name in VARIANTS]


@pytest.mark.parametrize(
    ("parts", "leverage", "locate", "full"),
    [
        # r_fmt + 4 r_loc r_lin + 5 [r_loc r_lin > 0.5] r_lev; without r_lin: r_fmt + 4 r_loc + 5 [r_loc > 0.5] r_lev
        ((1, 0.9, 1.0, 1), 1 + 5, 1 + 3.6 + 5, 1 + 3.6 + 5),
        ((1, 0.9, 0.5, 1), 1 + 5, 1 + 3.6 + 5, 1 + 4 * 0.45),  # 0.45 does not pass the gate
        ((1, 0.4, 1.0, 1), 1 + 5, 1 + 1.6, 1 + 1.6),
        ((1, 0.9, 0.9, 0), 1, 1 + 3.6, 1 + 4 * 0.81),
        ((0, 0.0, 0.0, 1), 5, 0, 0),
    ],
)
def test_figure_5_rewards_by_hand(
    parts: tuple[float, float, float, float], leverage: float, locate: float, full: float
) -> None:
    found = [total(load_recipe(f"uiloop-no-lingualisation/{name}"), *parts) for name in VARIANTS[1:]]
    assert found == pytest.approx([leverage, locate, full])
