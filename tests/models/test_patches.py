"""Patches as a product: the same numbers, the same weights."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch

from saccade.models.hf import load_whole
from saccade.models.patches import WholePatch, as_products
from tiny_vl import make_tiny

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> torch.nn.Module:
    folder = make_tiny(tmp_path_factory.mktemp("patches") / "model")
    return load_whole(Path(folder), torch.device("cpu"), "float32")[1]


def test_the_first_layer_of_a_vision_tower_is_one(model: torch.nn.Module) -> None:
    found = [module for module in model.modules() if isinstance(module, torch.nn.Conv3d)]
    assert len(found) == 1
    assert type(found[0]) is WholePatch
    assert as_products(model) == 0, "it is one already"


def test_the_numbers_are_the_same(model: torch.nn.Module) -> None:
    layer = next(module for module in model.modules() if isinstance(module, WholePatch))
    usual = copy.deepcopy(layer)
    usual.__class__ = torch.nn.Conv3d
    patches = torch.randn(7, layer.in_channels, *layer.kernel_size)
    torch.testing.assert_close(layer(patches), usual(patches), rtol=1e-5, atol=1e-5)
    layer(patches).square().sum().backward()
    usual(patches).square().sum().backward()
    torch.testing.assert_close(layer.weight.grad, usual.weight.grad, rtol=1e-4, atol=1e-4)
    assert layer.state_dict().keys() == usual.state_dict().keys()


def test_other_convolutions_stay_what_they_are() -> None:
    kept = torch.nn.ModuleList([torch.nn.Conv3d(1, 2, 3), torch.nn.Conv3d(1, 2, 2, stride=2, padding=1)])
    assert as_products(kept) == 0
    layer = torch.nn.ModuleList([torch.nn.Conv3d(1, 2, 2, stride=2)])
    wide = torch.randn(1, 1, 4, 4, 4)
    before = layer[0](wide)
    assert as_products(layer) == 1
    torch.testing.assert_close(layer[0](wide), before)
