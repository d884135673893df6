"""A vision tower's first layer as what it is: one product.

Qwen-VL models cut a picture into patches and send each through a Conv3d whose kernel is the whole patch. With some
versions of torch and cuDNN that is 10 to 50,000 times slower in bfloat16 than the product it amounts to (pytorch issue
174051, transformers issue 45750). The same weights as a matrix give the same numbers on all of them. transformers has a
fusion for it too (`fusion_config`), which changes the weights' shape in checkpoints; here they stay as published.
"""

from __future__ import annotations

from typing import Any

import torch


class WholePatch(torch.nn.Conv3d):  # type: ignore[misc]
    """A convolution that sees nothing but patches of its kernel's size."""

    def forward(self, patches: Any) -> Any:
        if tuple(patches.shape[-3:]) != tuple(self.kernel_size):
            return super().forward(patches)
        product = torch.nn.functional.linear(patches.flatten(1), self.weight.flatten(1), self.bias)
        return product[:, :, None, None, None]


def as_products(model: Any) -> int:
    """Let each convolution over whole patches be a product; weights and their names stay. How many there were."""
    found = 0
    for module in model.modules():
        if type(module) is torch.nn.Conv3d and module.kernel_size == module.stride and not any(module.padding):
            module.__class__ = WholePatch
            found += 1
    return found
