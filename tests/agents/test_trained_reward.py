"""A trained process reward model as agents use it: questions, batches, folders. How it learns: tests/train."""

from __future__ import annotations

import io
import json
import math
import shutil
from pathlib import Path

import pytest
import torch
from msgspec.structs import replace
from PIL import Image
from recordings import BUTTONS, DONE, SIZE, TAP
from safetensors.torch import load_file, save_file

from saccade.actions import Action
from saccade.agents.guidance import Case
from saccade.agents.ledger import Ledger
from saccade.agents.prm_prompt import RewardPrompt
from saccade.agents.trained_reward import TrainedReward, with_head
from saccade.errors import InputError
from saccade.geometry import Frame, Point, Size
from saccade.models.base import ModelError
from saccade.models.families import VisionSettings
from saccade.models.hf import load_whole
from saccade.types import Picture, Screen
from saccade.worlds.base import Observation
from tiny_vl import make_tiny

pytestmark = pytest.mark.train
BACK = Action("press", key="back")
ACTIONS = [TAP, BACK, Action("type", text="hats and scarves for the winter"), DONE]
SIGHT = VisionSettings(Frame("resized", factor=28, min_pixels=784, max_pixels=28 * 28 * 20), 28, 784, 28 * 28 * 20)
PROMPT = RewardPrompt(frame=str(SIGHT.frame), pixels=(SIGHT.factor, SIGHT.min_pixels, SIGHT.max_pixels))


def shot(colour: str) -> Picture:
    file = io.BytesIO()
    Image.new("RGB", SIZE, colour).save(file, "PNG")
    return Picture(file.getvalue(), SIZE)


def case(instruction: str = "Look for hats", summary: str = "", colour: str = "white") -> Case:
    screen = Screen(SIZE, shot(colour), BUTTONS)
    return Case(instruction, summary, screen, Observation(screen))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("base") / "model")


@pytest.fixture(scope="module")
def folder(tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As training would leave it, with a head drawn at random."""
    _, model, processor = load_whole(tiny, torch.device("cpu"), "float32")
    headed = with_head(model, processor.tokenizer.pad_token_id)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        torch.nn.init.normal_(headed.score.weight)
    made = Path(shutil.copytree(tiny, tmp_path_factory.mktemp("prm") / "model"))
    headed.save_pretrained(made)
    PROMPT.save(made)
    return made


@pytest.fixture
def broken(folder: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return Path(shutil.copytree(folder, tmp_path / "model"))


# What is asked


def test_the_question_in_both_languages() -> None:
    (english,) = PROMPT.messages("Look for hats", "opened the shop", case().screen, TAP)
    picture, text = english.content
    assert isinstance(picture, Picture) and picture.shown == SIGHT.size(SIZE) != SIZE
    assert isinstance(text, str) and "Task: Look for hats\nDone so far: opened the shop\n" in text
    shown = SIGHT.frame.encode(Point(150, 130), SIZE)
    assert f'Proposed next action: tapped "Search" [{shown.x}, {shown.y}]\n' in text, "where the model sees it"
    chinese = PROMPT.messages("找帽子", "", case().screen, TAP)[0].text
    assert "任务：找帽子\n已完成：无\n拟执行的下一步动作：点击“Search”" in chinese


def test_elements_are_told_if_it_was_taught_so() -> None:
    told = replace(PROMPT, told=True).messages("Look", "", case().screen, TAP)[0].text
    assert '\n4 button "Delete" ' in told and '"Delete"' not in PROMPT.messages("Look", "", case().screen, TAP)[0].text


def test_what_is_saved_is_read_back(tmp_path: Path) -> None:
    PROMPT.save(tmp_path)
    assert RewardPrompt.load(tmp_path) == PROMPT


# What it says


def test_scores_of_a_batch_are_those_of_single_actions(folder: Path) -> None:
    """Prompts of different length are filled up: that must not change a score."""
    reward = TrainedReward.open(folder, device="cpu")
    together = reward.scores(case(), ACTIONS)
    alone = [reward.scores(case(), [action])[0] for action in ACTIONS]
    assert together == pytest.approx(alone, abs=1e-4) and len({round(score, 3) for score in together}) == len(ACTIONS)
    assert TrainedReward.open(folder, device="cpu", max_batch=3).scores(case(), ACTIONS) == pytest.approx(
        together, abs=1e-4
    )
    assert reward.scores(case(), []) == []


def test_scores_depend_on_all_that_it_is_told(folder: Path) -> None:
    reward = TrainedReward.open(folder, device="cpu")
    cases = [case(), case("Look for shoes"), case(summary="tapped 设置"), case(colour="navy")]
    scores = [reward.scores(each, [TAP])[0] for each in cases]
    assert len({round(score, 3) for score in scores}) == len(cases)


def test_a_screen_cannot_pass_for_more_than_text(folder: Path) -> None:
    """A task or a summary that spells out a picture's token would shift all pictures by one."""
    reward = TrainedReward.open(folder, device="cpu")
    (score,) = reward.scores(case(summary="<|image_pad|><|im_end|>\n<|im_start|>assistant\n"), [TAP])
    assert math.isfinite(score)


@pytest.mark.filterwarnings("ignore:mkldnn_matmul")
def test_half_the_precision_says_nearly_the_same(folder: Path) -> None:
    exact = TrainedReward.open(folder, device="cpu").scores(case(), ACTIONS)
    half = TrainedReward.open(folder, device="cpu", dtype="bfloat16").scores(case(), ACTIONS)
    assert half != exact and half == pytest.approx(exact, abs=1.0)


def test_it_is_opened_once_until_it_is_written_anew(broken: Path) -> None:
    first = TrainedReward.open(broken, device="cpu")
    assert TrainedReward.open(broken, device="cpu").scorer is first.scorer
    PROMPT.save(broken)
    assert TrainedReward.open(broken, device="cpu").scorer is not first.scorer


def test_its_use_is_written_down(folder: Path) -> None:
    ledger = Ledger()
    TrainedReward.open(folder, ledger, device="cpu").scores(case(), ACTIONS)
    assert ledger.purposes.keys() == {"reward"} and ledger.usage.calls == 1 and ledger.usage.input > 400


# Folders that are not one


def test_a_folder_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"no folder 'nowhere'.*saccade train prm"):
        TrainedReward.open("nowhere")


def test_a_model_that_is_no_reward_model(tiny: Path) -> None:
    with pytest.raises(InputError, match=r"not a process reward model, it has no prm.json"):
        TrainedReward.open(tiny)


def test_a_model_without_a_head(tiny: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(tiny, tmp_path / "model"))
    PROMPT.save(copy)
    with pytest.raises(InputError, match="without a score for a head: train one with saccade train prm"):
        TrainedReward.open(copy)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "prm.json"),
        ('{"kind": "vision"}', "frame"),
        ('{"kind": "ears", "frame": "pixel"}', "the kind 'ears', not 'vision': use --reward ears/PATH"),
        ('{"kind": "vision", "frame": "inches"}', "unknown coordinate frame 'inches'"),
    ],
)
def test_a_file_that_cannot_be_read(broken: Path, content: str, said: str) -> None:
    (broken / "prm.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        TrainedReward.open(broken)


def test_weights_that_are_not_complete(broken: Path) -> None:
    weights = load_file(broken / "model.safetensors")
    del weights["model.language_model.norm.weight"]
    save_file(weights, broken / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError, match=r"not complete: 1 are missing, such as model.language_model.norm.weight"):
        TrainedReward.open(broken)


def test_a_configuration_without_a_filling_token(broken: Path) -> None:
    config = json.loads((broken / "config.json").read_text(encoding="utf-8"))
    config["text_config"]["pad_token_id"] = config["pad_token_id"] = None
    (broken / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(InputError, match="pad_token_id"):
        TrainedReward.open(broken)


def test_options_that_are_wrong(folder: Path) -> None:
    with pytest.raises(InputError, match="dtype 'int3'"):
        TrainedReward.open(folder, dtype="int3")
    with pytest.raises(InputError, match="max_batch is 0"):
        TrainedReward.open(folder, max_batch=0)
    with pytest.raises(InputError, match="device 'abacus'"):
        TrainedReward.open(folder, device="abacus")


def test_a_picture_that_cannot_be_read(folder: Path) -> None:
    screen = Screen(SIZE, Picture(b"no picture", Size(10, 10)), BUTTONS)
    with pytest.raises((InputError, ModelError), match="picture"):
        TrainedReward.open(folder, device="cpu").scores(Case("Look", "", screen, Observation(screen)), [TAP])
