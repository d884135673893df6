"""Random changes of a batch of pictures on the training device: colours, inversion, sharpness, JPEG, noise."""

from __future__ import annotations

import math
import random

import torch
from torch import Tensor
from torch.nn import functional

BLOCK = 8


def change_pictures(pictures: Tensor, chance: random.Random) -> Tensor:
    """(N, 3, H, W) in 0..1, each picture changed in its own way; a quarter of them is left as it is."""
    count, device = len(pictures), pictures.device
    plain = _some(count, 0.25, chance, device)
    changed = _colours(pictures, chance)
    inverted = _some(count, 0.15, chance, device)
    changed = torch.where(inverted, 1 - changed, changed)
    if chance.random() < 0.3:
        changed = torch.where(_some(count, 0.5, chance, device), blur(changed, chance.uniform(0.3, 0.9)), changed)
    if chance.random() < 0.4:
        changed = torch.where(_some(count, 0.5, chance, device), jpeg(changed, chance.uniform(0.02, 0.12)), changed)
    if chance.random() < 0.3:
        strength = chance.uniform(0.005, 0.03)
        changed = changed + strength * torch.randn_like(changed) * _some(count, 0.5, chance, device)
    return torch.where(plain, pictures, changed).clamp(0, 1)


def _some(count: int, share: float, chance: random.Random, device: torch.device) -> Tensor:
    return torch.tensor([chance.random() < share for _ in range(count)], device=device)[:, None, None, None]


def _colours(pictures: Tensor, chance: random.Random) -> Tensor:
    """Hue turned around the grey axis, saturation, contrast, brightness and gamma."""
    mixes, gammas, shifts = [], [], []
    for _ in range(len(pictures)):
        mixes.append(
            hue_matrix(chance.uniform(-math.pi, math.pi) if chance.random() < 0.5 else 0.0, chance.uniform(0, 1.4))
        )
        gammas.append(math.exp(chance.gauss(0, 0.25)))
        shifts.append((chance.uniform(0.75, 1.15), chance.uniform(-0.08, 0.08)))
    device = pictures.device
    matrix = torch.tensor(mixes, device=device)
    mixed = torch.einsum("nij,njhw->nihw", matrix, pictures).clamp(1e-4, 1)
    shift = torch.tensor(shifts, device=device)[:, :, None, None, None]
    gamma = torch.tensor(gammas, device=device)[:, None, None, None]
    return ((mixed**gamma - 0.5) * shift[:, 0] + 0.5 + shift[:, 1]).clamp(0, 1)


def hue_matrix(angle: float, saturation: float) -> list[list[float]]:
    """Rotation around the grey axis by `angle`, distance from it scaled by `saturation` (0: grey)."""
    cosine, sine = math.cos(angle), math.sin(angle)
    third, root = 1 / 3, math.sqrt(1 / 3)
    turned = [
        [cosine + third * (1 - cosine), third * (1 - cosine) - root * sine, third * (1 - cosine) + root * sine],
        [third * (1 - cosine) + root * sine, cosine + third * (1 - cosine), third * (1 - cosine) - root * sine],
        [third * (1 - cosine) - root * sine, third * (1 - cosine) + root * sine, cosine + third * (1 - cosine)],
    ]
    return [[saturation * value + (1 - saturation) * third for value in row] for row in turned]


def blur(pictures: Tensor, sigma: float) -> Tensor:
    """Gaussian blur over 5×5 pixels."""
    line = torch.exp(-(torch.arange(-2.0, 3.0, device=pictures.device) ** 2) / (2 * sigma**2))
    line = (line / line.sum()).to(pictures.dtype)
    kernel = line[None, None, :, None].expand(3, 1, 5, 1)
    down = functional.conv2d(functional.pad(pictures, (0, 0, 2, 2), mode="replicate"), kernel, groups=3)
    return functional.conv2d(functional.pad(down, (2, 2, 0, 0), mode="replicate"), kernel.transpose(2, 3), groups=3)


def jpeg(pictures: Tensor, step: float) -> Tensor:
    """Blocks of 8×8 in cosine waves, rounded to multiples of `step`, coarser for finer waves, as JPEG does."""
    count, channels, height, width = pictures.shape
    at = torch.arange(BLOCK, device=pictures.device, dtype=pictures.dtype)
    waves = torch.cos(math.pi / BLOCK * (at[None] + 0.5) * at[:, None]) * math.sqrt(2 / BLOCK)
    waves[0] *= math.sqrt(0.5)
    coarse = step * (1 + at[:, None] + at[None])
    blocks = pictures.reshape(count, channels, height // BLOCK, BLOCK, width // BLOCK, BLOCK).transpose(3, 4)
    found = torch.einsum("ui,ncabij,vj->ncabuv", waves, blocks, waves)
    found = (found / coarse).round() * coarse
    back = torch.einsum("ui,ncabuv,vj->ncabij", waves, found, waves)
    return back.transpose(3, 4).reshape(count, channels, height, width)
