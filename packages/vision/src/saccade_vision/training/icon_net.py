"""The network that names icons: a residual net of plain convolutions on 40-pixel crops, about 0.95 M parameters.

It gives one score for each meaning and, last, one score for "this is an icon of some meaning at all". The two are
separate so that learning what is unknown does not push the meanings apart.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional


class Block(nn.Module):  # type: ignore[misc]  # torch is not followed
    """Two convolutions around which the input is added (He et al., 2016, arXiv:1512.03385)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width))
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width))

    def forward(self, features: Tensor) -> Tensor:
        return functional.relu(features + self.second(functional.relu(self.first(features))))


def shrink(narrow: int, wide: int) -> nn.Sequential:
    """Halves the picture and widens the features."""
    return nn.Sequential(nn.Conv2d(narrow, wide, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(wide), nn.ReLU())


class IconNet(nn.Module):  # type: ignore[misc]
    """Crops (count x 3 x 40 x 40, 0 to 1) to scores (count x (meanings + 1))."""

    def __init__(self, meanings: int, widths: tuple[int, ...] = (24, 48, 96, 144)) -> None:
        super().__init__()
        stem, *rest = widths
        layers: list[nn.Module] = [nn.Conv2d(3, stem, 3, padding=1, bias=False), nn.BatchNorm2d(stem), nn.ReLU()]
        layers += [Block(stem)]
        for narrow, wide in zip(widths, rest, strict=False):
            layers += [shrink(narrow, wide), Block(wide)]
        self.features = nn.Sequential(*layers)
        self.drop = nn.Dropout(0.1)
        self.meanings = nn.Linear(widths[-1] * 2, meanings)
        self.known = nn.Linear(widths[-1] * 2, 1)

    def forward(self, crops: Tensor) -> Tensor:
        # Every crop gets mean 0 and spread 1: a faint icon is as visible as a black one.
        mean = crops.mean((1, 2, 3), keepdim=True)
        spread = ((crops - mean) ** 2).mean((1, 2, 3), keepdim=True).sqrt()
        found = self.features((crops - mean) / (spread + 0.02))
        pooled = self.drop(torch.cat([found.mean((2, 3)), found.amax((2, 3))], 1))
        return torch.cat([self.meanings(pooled), self.known(pooled)], 1)
