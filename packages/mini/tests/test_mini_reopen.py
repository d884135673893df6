"""A mini that runs can be trained on: what was exported is read back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from random_mini import make_qwen3, make_random_mini, make_tokenizer
from typer.testing import CliRunner

from saccade.cli import app
from saccade.errors import InputError
from saccade.train.recipe import Recipe, is_mini
from saccade_mini.card import MODEL, Card, read_card
from saccade_mini.model import MiniModel
from saccade_mini.training.backbone import WEIGHTS, MiniBackbone, folder_of, opened
from saccade_mini.training.onnx_export import BLOCK, write_mini
from saccade_mini.training.onnx_import import read_weights


@pytest.mark.parametrize("bits", [32, 8, 4])
def test_weights_come_back(tmp_path: Path, bits: int) -> None:
    model = make_qwen3(832)
    write_mini(model, make_tokenizer(tmp_path / "tokenizer.json", 832), tmp_path / "mini", Card(), bits=bits)
    found = read_weights(tmp_path / "mini" / MODEL, read_card(tmp_path / "mini"))
    wanted = {name: value.numpy() for name, value in model.state_dict().items() if name != "lm_head.weight"}
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        if bits == 32 or "norm" in name:
            np.testing.assert_array_equal(found[name], value)
        else:
            blocks = np.abs(value).reshape(len(value), -1, BLOCK).max(axis=2, keepdims=True)
            off = np.abs(found[name] - value).reshape(len(value), -1, BLOCK)
            steps = 14 if bits == 4 and "embed" not in name else 254
            assert (off <= blocks / steps * 1.001 + 1e-9).all(), name
            assert off.max() > 0


def test_an_exported_folder_is_opened_for_training(tmp_path: Path) -> None:
    folder = make_random_mini(tmp_path / "mini", vocabulary=832)
    assert is_mini(str(folder)) and is_mini("shipped") and is_mini("mini") and not is_mini(str(tmp_path))
    model = opened(folder)
    assert model.lm_head.weight is model.model.embed_tokens.weight
    assert model(torch.tensor([[1, 2, 3]])).logits.shape == (1, 3, read_card(folder).vocabulary)


def test_a_card_of_another_network_is_refused(tmp_path: Path) -> None:
    folder = make_random_mini(tmp_path / "mini", vocabulary=832)
    card = (folder / "mini.json").read_text(encoding="utf-8")
    (folder / "mini.json").write_text(card.replace('"inner": 192', '"inner": 256'), encoding="utf-8")
    with pytest.raises(InputError, match=r"mini\.json"):
        opened(folder)


def test_the_one_that_ships_goes_on_from_what_it_knows() -> None:
    """It finds the answer to a prompt of its own more likely than a new one does."""
    shipped = MiniBackbone.open(Recipe(stage="sft", model="shipped"))
    assert shipped.restates and shipped.fills
    assert sum(each.numel() for each in shipped.model.parameters()) == sum(
        value.size for value in read_weights(WEIGHTS / MODEL, read_card(WEIGHTS)).values()
    )
    text = "<btl><en><task>Call Yusuf Demir\nbutton<x1><y3> Contacts<e0>\nbutton<x4><y3> Clock<e1><go>"
    said = "<f4><f0><i>Contacts<e0>"
    prompt, answer = shipped._ids(text), shipped._ids(said)
    ids = torch.tensor([prompt + answer])

    def loss(model: object) -> float:
        with torch.no_grad():
            logits = model(ids).logits[0, len(prompt) - 1 : -1]  # type: ignore[operator]
        return float(torch.nn.functional.cross_entropy(logits, torch.tensor(answer)))

    fresh = MiniBackbone.open(Recipe(stage="sft", model="mini")).model
    assert loss(shipped.model) < 0.5 * loss(fresh)


def test_the_mean_of_two_is_written(tmp_path: Path) -> None:
    one, two = (make_random_mini(tmp_path / str(seed), seed=seed, vocabulary=832) for seed in (1, 2))
    done = CliRunner().invoke(app, ["train", "export", str(one), str(two), "--out", str(tmp_path / "mean")])
    assert done.exit_code == 0, done.output
    weights = [read_weights(folder / MODEL, read_card(folder)) for folder in (one, two, tmp_path / "mean")]
    for name in weights[0]:
        np.testing.assert_allclose(weights[2][name], (weights[0][name] + weights[1][name]) / 2, atol=2e-3)
    assert MiniModel(tmp_path / "mean").card.restates == read_card(one).restates
    other = make_random_mini(tmp_path / "wide", vocabulary=832, intermediate_size=256)
    done = CliRunner().invoke(app, ["train", "export", str(one), str(other), "--out", str(tmp_path / "no")])
    assert isinstance(done.exception, InputError | SystemExit)
    assert not (tmp_path / "no").exists()


def test_what_ships_can_be_part_of_a_mean(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    done = CliRunner().invoke(app, ["train", "export", "shipped", str(missing), "--out", str(tmp_path / "mean")])
    assert done.exit_code != 0
    assert str(missing) in str(done.exception), "the other one is what is not there"
    assert folder_of("shipped") == WEIGHTS
    assert folder_of(tmp_path) == tmp_path


def test_what_was_exported_is_written_anew_in_fewer_bits(tmp_path: Path) -> None:
    folder = make_random_mini(tmp_path / "mini", vocabulary=832)
    done = CliRunner().invoke(app, ["train", "export", str(folder), "--bits", "4", "--out", str(tmp_path / "four")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "four" / MODEL).stat().st_size < (folder / MODEL).stat().st_size
    assert read_card(tmp_path / "four") == read_card(folder), "it is the same mini"
    wrong = CliRunner().invoke(app, ["train", "export", str(folder), "--bits", "5", "--out", str(tmp_path / "five")])
    assert isinstance(wrong.exception, InputError) and "use 8 or 4" in str(wrong.exception)
