"""SecAgent's training beside the paper: §3.3, §4.3, §8.2 (eq. 4 to 6), §8.3 with Table 7, and Table 6."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from grpo_data import group_advantages, random_world
from train_data import elements, grounding

from saccade.actions import Action
from saccade.bench.grid_axes import PRESETS
from saccade.data.instruction_filter import far_apart
from saccade.data.recorded_episodes import grounding_to_navigation
from saccade.geometry import Point
from saccade.paradigms import get_paradigm
from saccade.train.grpo import LOSSES, count_steps
from saccade.train.recipe_files import load_recipe

SFT, GRPO = load_recipe("secagent-3b-sft"), load_recipe("secagent-3b-grpo")


def test_table_7_supervised() -> None:
    assert (SFT.stage, SFT.paradigm) == ("sft", "secagent")
    assert SFT.epochs == 6
    assert SFT.batch * SFT.accumulate == 2
    assert SFT.learning_rate == 2e-5
    assert SFT.lora is not None and (SFT.lora.rank, SFT.lora.alpha) == (8, 16)


def test_table_7_reinforcement() -> None:
    assert (GRPO.stage, GRPO.paradigm) == ("grpo", "secagent")
    assert GRPO.epochs == 2
    assert GRPO.batch * GRPO.accumulate == 8
    assert GRPO.learning_rate == 1e-6
    assert GRPO.grpo.kl == 0.04
    assert GRPO.grpo.generations == 16
    assert (GRPO.grpo.clip, GRPO.grpo.clip_high) == (0.2, 0.28)


def test_all_weights_in_the_second_stage() -> None:
    """§5.1: LoRA for SFT, full-parameter tuning for RFT."""
    assert GRPO.lora is None


def test_pixels() -> None:
    """§8.3: min_pixels 200,704 and max_pixels 501,760, in both stages and at inference."""
    assert SFT.pixels == GRPO.pixels == get_paradigm("secagent").pixels == (200_704, 501_760)


def test_eq_5_divides_by_all_tokens() -> None:
    assert GRPO.grpo.loss == "token" and LOSSES["token"] == "dapo"


def test_the_clip_range_binds() -> None:
    """Eq. 6: with one update a sampling every ratio is 1, and nothing is ever clipped."""
    assert GRPO.grpo.updates == 2
    assert count_steps(GRPO, 800) == 2 * (2 * 800 // 8), "2 epochs of 100 samplings, each with 2 updates"


def test_the_reward_of_section_4_3() -> None:
    assert GRPO.grpo.reward == {"format_value": 0.5, "action_value": 1.0, "profile": "cmgui"}


def test_the_actions_of_the_paper() -> None:
    assert SFT.switches == GRPO.switches == {"space": "paper"}
    paradigm = get_paradigm("secagent", **SFT.switches)
    names = {action["name"] for action in paradigm.vocabulary.listing(paradigm.space, "en")}
    assert names == {"click", "long_press", "swipe", "type", "key", "system_button", "open", "wait", "terminate"}


def test_gr2nav_clicks_the_centre_of_the_box() -> None:
    """§4.3: the box (4, 112, 108, 144) becomes a click at (56, 128)."""
    box = elements()[3].box
    turned = grounding_to_navigation(grounding("g"))
    assert tuple(box) == (4, 112, 108, 144)
    assert turned.truth == [Action("click", Point(56, 128), box=box)] and not turned.grounding


def test_table_6() -> None:
    """Navigation | Grounding + Navigation | Gr2Nav + Navigation, all by SFT with the same settings."""
    names = ("navigation", "grounding", "gr2nav")
    rows = {name: load_recipe(f"secagent-gr2nav/{name}") for name in names}
    assert [recipe.grounding for recipe in rows.values()] == ["none", "raw", "navigation"]
    assert rows["gr2nav"] == SFT
    points = PRESETS["secagent-gr2nav"].points
    assert [point["trained"] for point in points] == [f"secagent-gr2nav/{name}" for name in names]


def test_instructions_six_edits_apart() -> None:
    """§3.3. One Chinese character is one edit: five replaced are too near, six are not."""
    first = "打开美团搜索附近的火锅店"
    assert far_apart([first, "打开淘宝查看附近的咖啡店"], 6) == [True, True]  # 美团搜索, 火锅: 6
    assert far_apart([first, "打开淘宝搜索附近的咖啡店"], 6) == [True, False]  # 美团, 火锅: 4
    assert far_apart([first, first], 6) == [True, False]


@pytest.mark.train
def test_eq_4_the_advantage_within_a_group(tmp_path: Path) -> None:
    """Rewards are 0, 0.5 and 1.5. Of 1.5, 0.5, 0.5, 0.5 the mean is 0.75 and the deviation 0.5: 1.5 and three times
    −0.5. Of 1.5, 0, 0, 0 it is 0.375 and 0.75: 1.5 and −0.5 again, since a group's scale does not matter.
    """
    world = random_world(tmp_path)
    for rewards in ([1.5, 0.5, 0.5, 0.5], [1.5, 0.0, 0.0, 0.0]):
        found = group_advantages(world, tmp_path, rewards, loss="token")
        assert found == pytest.approx([1.5, -0.5, -0.5, -0.5], abs=2e-3)
    assert math.isclose(math.sqrt((0.75**2 + 3 * 0.25**2) / 3), 0.5)
