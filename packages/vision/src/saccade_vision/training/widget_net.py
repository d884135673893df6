"""The widget network: an anchor-free detector of plain convolutions, about 2.2 million weights.

Each cell of three maps (strides 8, 16, 32) tells a box, whether there is anything, whether it is interactive, and its
type. Fine features of stride 4 are merged into the finest map, for the icons of desktop toolbars. `widget_loss.py` says
how it learns, `saccade_vision.widget_boxes` how its output is read.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

from saccade_vision.training.icon_export import halve
from saccade_vision.widget_boxes import OUTPUTS


class Convolution(nn.Sequential):  # type: ignore[misc]
    """Convolution, batch normalisation, SiLU; padded so that the size is kept, or halved by stride 2."""

    def __init__(self, inputs: int, outputs: int, size: int = 3, stride: int = 1) -> None:
        super().__init__(
            nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False),
            nn.BatchNorm2d(outputs, eps=1e-3, momentum=0.03),
            nn.SiLU(inplace=True),
        )


class SplitBlock(nn.Module):  # type: ignore[misc]
    """Half of the channels pass through `depth` residual pairs of 3×3 convolutions; all that was made is then mixed
    (cross-stage partial connections: Wang et al. 2019, arXiv:1911.11929).
    """

    def __init__(self, inputs: int, outputs: int, depth: int, residual: bool = True) -> None:
        super().__init__()
        half = outputs // 2
        self.entry = Convolution(inputs, outputs, 1)
        self.pairs = nn.ModuleList(
            nn.Sequential(Convolution(half, half), Convolution(half, half)) for _ in range(depth)
        )
        self.mix = Convolution(half * (2 + depth), outputs, 1)
        self.residual = residual

    def forward(self, x: Tensor) -> Tensor:
        parts = list(self.entry(x).chunk(2, 1))
        for pair in self.pairs:
            made = pair(parts[-1])
            parts.append(parts[-1] + made if self.residual else made)
        mixed: Tensor = self.mix(torch.cat(parts, 1))
        return mixed


class WideMaxPooling(nn.Module):  # type: ignore[misc]
    """Maxima over 5, 9 and 13 cells, so that a point of the coarsest map sees most of the screen."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.entry = Convolution(channels, channels // 2, 1)
        self.mix = Convolution(channels * 2, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        parts = [self.entry(x)]
        for _ in range(3):
            parts.append(functional.max_pool2d(parts[-1], 5, 1, 2))
        mixed: Tensor = self.mix(torch.cat(parts, 1))
        return mixed


@dataclass(frozen=True)
class ChannelWidths:
    """Channels at strides 2, 4, 8, 16, 32, of the neck and of the heads."""

    stem: int = 16
    quarter: int = 32
    eighth: int = 80
    sixteenth: int = 128
    thirtysecond: int = 192
    neck: int = 80
    head: int = 80


class WidgetNet(nn.Module):  # type: ignore[misc]
    """Pictures (N, 3, H, W) in 0..1, H and W multiples of 32, to three maps (N, OUTPUTS, H/s, W/s)."""

    def __init__(self, widths: ChannelWidths | None = None) -> None:
        super().__init__()
        w = widths or ChannelWidths()
        self.stem = Convolution(3, w.stem, 3, 2)
        self.quarter = nn.Sequential(Convolution(w.stem, w.quarter, 3, 2), SplitBlock(w.quarter, w.quarter, 1))
        self.eighth = nn.Sequential(Convolution(w.quarter, w.eighth, 3, 2), SplitBlock(w.eighth, w.eighth, 2))
        self.sixteenth = nn.Sequential(
            Convolution(w.eighth, w.sixteenth, 3, 2), SplitBlock(w.sixteenth, w.sixteenth, 2)
        )
        self.thirtysecond = nn.Sequential(
            Convolution(w.sixteenth, w.thirtysecond, 3, 2),
            SplitBlock(w.thirtysecond, w.thirtysecond, 1),
            WideMaxPooling(w.thirtysecond),
        )
        self.fine = Convolution(w.quarter, w.neck // 2, 3, 2)
        self.down_16 = SplitBlock(w.thirtysecond + w.sixteenth, w.sixteenth, 1, residual=False)
        self.down_8 = SplitBlock(w.sixteenth + w.eighth + w.neck // 2, w.neck, 1, residual=False)
        self.up_16 = Convolution(w.neck, w.neck, 3, 2)
        self.mix_16 = SplitBlock(w.neck + w.sixteenth, w.sixteenth, 1, residual=False)
        self.up_32 = Convolution(w.sixteenth, w.neck, 3, 2)
        self.mix_32 = SplitBlock(w.neck + w.thirtysecond, w.thirtysecond, 1, residual=False)
        self.heads = nn.ModuleList(Head(channels, w.head) for channels in (w.neck, w.sixteenth, w.thirtysecond))

    def forward(self, pictures: Tensor) -> list[Tensor]:
        quarter = self.quarter(self.stem(pictures))
        eighth = self.eighth(quarter)
        sixteenth = self.sixteenth(eighth)
        coarse = self.thirtysecond(sixteenth)
        middle = self.down_16(torch.cat([_twice(coarse), sixteenth], 1))
        finest = self.down_8(torch.cat([_twice(middle), eighth, self.fine(quarter)], 1))
        middle = self.mix_16(torch.cat([self.up_16(finest), middle], 1))
        coarse = self.mix_32(torch.cat([self.up_32(middle), coarse], 1))
        return [head(level) for head, level in zip(self.heads, (finest, middle, coarse), strict=True)]


def _twice(x: Tensor) -> Tensor:
    return functional.interpolate(x, scale_factor=2.0, mode="nearest")


class Head(nn.Module):  # type: ignore[misc]
    """Boxes and scores from convolutions of their own: where the edges are differs from what it is."""

    def __init__(self, channels: int, width: int) -> None:
        super().__init__()
        half = width // 2
        self.edges = nn.Sequential(Convolution(channels, half), Convolution(half, half))
        self.box = nn.Conv2d(half, 4, 1)
        self.look = Convolution(channels, width)
        self.scores = nn.Conv2d(width, OUTPUTS - 4, 1)
        nn.init.zeros_(self.scores.bias)
        nn.init.constant_(self.scores.bias[:1], -4.6)  # 0.01: nearly all points are nothing

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([self.box(self.edges(x)), self.scores(self.look(x))], 1)


def write_onnx(net: WidgetNet, path: Path) -> int:
    """Write the network as ONNX for any height and width that are multiples of 32; the file's size in bytes."""
    names = ["fine", "middle", "coarse"]
    sides = {2: "height", 3: "width"}
    torch.onnx.export(
        copy.deepcopy(net).cpu().float().eval(),
        (torch.zeros(1, 3, 960, 448),),
        str(path),
        input_names=["picture"],
        output_names=names,
        dynamic_axes={"picture": sides}
        | {name: {axis: f"{side}_{name}" for axis, side in sides.items()} for name in names},
        opset_version=17,
        dynamo=False,
    )
    halve(path)
    return path.stat().st_size


def read_onnx(path: Path) -> WidgetNet:
    """The network in a file that `write_onnx` wrote. Batch normalisation is part of the convolutions there: here it
    passes on what it is given, plus what the convolution adds.
    """
    net = WidgetNet()
    net.eval()
    order: list[nn.Conv2d] = []
    hooks = [
        each.register_forward_hook(lambda module, *_: order.append(module))
        for each in net.modules()
        if isinstance(each, nn.Conv2d)
    ]
    net(torch.zeros(1, 3, 64, 64))
    for hook in hooks:
        hook.remove()
    graph = onnx.load(str(path)).graph
    kept = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    kept |= {node.output[0]: kept[node.input[0]] for node in graph.node if node.op_type == "Cast"}
    filters = [[kept[name] for name in node.input[1:]] for node in graph.node if node.op_type == "Conv"]
    norms = {parts[0]: parts[1] for parts in net.modules() if isinstance(parts, Convolution)}
    with torch.no_grad():
        for module, (weight, bias) in zip(order, filters, strict=True):
            module.weight.copy_(torch.from_numpy(weight.astype("float32")))
            norm = norms.get(module)
            added = module.bias if norm is None else norm.bias
            added.copy_(torch.from_numpy(bias.astype("float32")))
            if norm is not None:
                norm.weight.fill_(1.0)
                norm.running_mean.zero_()
                norm.running_var.fill_(1.0 - norm.eps)
    return net


def keep_statistics(net: nn.Module, wanted: bool) -> None:
    """Let batch normalisation use the means and deviations that it has, instead of each batch's."""
    for each in net.modules() if wanted else ():
        if isinstance(each, nn.BatchNorm2d):
            each.eval()
