"""Train the widget network on an accelerator (minutes), or debug it on a CPU (`--steps 5`).

    python -m saccade_vision.training.widget_train --data phone desktop web --validation notes --hold desktop/gimp \\
        --icons icons.npz --fonts fonts --minutes 7 --out widgets.onnx

Writes the ONNX file (weights of 16 bits), its metrics beside it (`.json`), and a checkpoint (`.pt`) each minute, from
which `--export CHECKPOINT` makes the ONNX file if the training was killed, and from which `--start CHECKPOINT` goes on
with a cycle of its own. Folders that are missing are left out.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from saccade_vision.training.composed_source import ComposedScreens
from saccade_vision.training.widget_data import BatchShape, ScreenPool, build_batch, read_pool
from saccade_vision.training.widget_loss import widget_loss
from saccade_vision.training.widget_measure import measure
from saccade_vision.training.widget_net import WidgetNet, keep_statistics, read_onnx, write_onnx

WEIGHT_DECAY, WARM_UP = 0.02, 0.06
EMA_MEMORY = 0.998
LARGEST_GRADIENT = 10.0
SHAPES = {"phone": BatchShape(448, 960, 40), "desktop": BatchShape(1280, 736, 16)}
PHONE_SHARE = 0.4
CHECKPOINT_SECONDS = 60


def rate_at(share: float, peak: float) -> float:
    """One cycle (Smith 2018, arXiv:1708.07120): up to the peak in the first 6 %, then down along a cosine."""
    if share < WARM_UP:
        return peak * (0.05 + 0.95 * share / WARM_UP)
    return peak * (0.002 + 0.998 * 0.5 * (1 + math.cos(math.pi * min(1.0, (share - WARM_UP) / (1 - WARM_UP)))))


class AveragedWeights:
    """The exponential moving average of a network's weights, which is what is measured and kept."""

    def __init__(self, net: WidgetNet) -> None:
        self.net = copy.deepcopy(net).eval().requires_grad_(False)
        self.steps = 0

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def update(self, net: WidgetNet) -> None:
        self.steps += 1
        memory = min(EMA_MEMORY, self.steps / (self.steps + 20))
        own, new = self.net.state_dict(), net.state_dict()
        floats = [name for name in own if own[name].is_floating_point()]
        torch._foreach_lerp_([own[name] for name in floats], [new[name].detach() for name in floats], 1 - memory)


class PoolsByShape:
    """Screens by shape: upright ones and wide ones, read from folders and composed while training goes on."""

    def __init__(self, read: ScreenPool) -> None:
        self.read = {"phone": ScreenPool(), "desktop": ScreenPool()}
        for screen, source in zip(read.screens, read.sources, strict=True):
            self.read[kind_of(screen.picture)].add(screen, source)
        self.composed = {"phone": ScreenPool(), "desktop": ScreenPool()}

    def for_batch(self, kind: str) -> list[ScreenPool]:
        """Pools to draw from, those more often that are named more often; each kind also sees a little of the other."""
        other = "phone" if kind == "desktop" else "desktop"
        own = [self.read[kind]] * 6 + [self.composed[kind]] * 3 + [self.read[other]] + [self.composed[other]]
        return [pool for pool in own if pool.screens]


def divided(pool: ScreenPool, hold: Sequence[str]) -> tuple[ScreenPool, ScreenPool]:
    """The screens to learn from, and those of the sources that are held back to measure on."""
    kept, held = ScreenPool(), ScreenPool()
    for screen, source in zip(pool.screens, pool.sources, strict=True):
        (held if source in hold else kept).add(screen, source)
    return kept, held


def kind_of(picture: Tensor) -> str:
    return "phone" if picture.shape[1] > picture.shape[2] else "desktop"


def read_checkpoint(path: Path) -> WidgetNet:
    """A network from a checkpoint, or from the file that runs."""
    if path.suffix == ".onnx":
        return read_onnx(path)
    net = WidgetNet()
    net.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    return net


class WidgetTraining:
    """One run: network, optimizer, sources, and the clock that the learning rate follows."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        random.seed(given.seed)
        torch.manual_seed(given.seed)
        self.chance = random.Random(given.seed)
        self.net = (read_checkpoint(given.start) if given.start else WidgetNet()).to(
            self.device, memory_format=torch.channels_last
        )
        self.average = AveragedWeights(self.net)
        parameters = list(self.net.parameters())
        decayed, plain = [p for p in parameters if p.ndim > 1], [p for p in parameters if p.ndim <= 1]
        groups = [{"params": decayed, "weight_decay": WEIGHT_DECAY}, {"params": plain, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=given.rate)
        self.validation = {str(folder.name): read_pool([folder], "cpu") for folder in given.validation}
        read, held = divided(read_pool(given.data, self.device), given.hold)
        self.pools = PoolsByShape(read)
        if held.screens:
            self.validation["held"] = held
        self.composer = ComposedScreens(given.icons, given.fonts, given.workers, given.seed)
        self.shapes = {
            name: BatchShape(
                round(shape.width * given.canvas / 32) * 32,
                round(shape.height * given.canvas / 32) * 32,
                max(2, round(shape.count * given.batch)),
            )
            for name, shape in SHAPES.items()
        }
        self.began = self.saved = time.monotonic()
        self.steps = self.pictures = 0

    def share(self) -> float:
        """How much of the training is over."""
        if self.given.steps:
            return float(self.steps / self.given.steps)
        return (time.monotonic() - self.began) / (60 * float(self.given.minutes))

    def run(self) -> None:
        self.composer.fill(self.pools.composed, self.device, wait=not self.pools.read["phone"].screens)
        self.began = self.saved = time.monotonic()
        while self.share() < 1:
            self.composer.fill(self.pools.composed, self.device)
            self.step()
            if time.monotonic() - self.saved > CHECKPOINT_SECONDS:
                self.saved = time.monotonic()
                self.save()
                print(json.dumps({"share": round(self.share(), 3)} | self.measure(most=40)), flush=True)

    def step(self) -> None:
        kind = "phone" if self.chance.random() < PHONE_SHARE else "desktop"
        pools = self.pools.for_batch(kind)
        pictures, truth = build_batch(self.shapes[kind], pools, self.chance, self.device)
        for group in self.optimizer.param_groups:
            group["lr"] = rate_at(self.share(), self.given.rate)
        keep_statistics(self.net.train(), self.given.keep_statistics)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            maps = self.net(pictures.contiguous(memory_format=torch.channels_last))
        loss, parts = widget_loss(maps, truth)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), LARGEST_GRADIENT)
        self.optimizer.step()
        self.average.update(self.net)
        self.steps += 1
        self.pictures += len(pictures)
        if self.steps % self.given.print_every == 0 or self.steps < 4:
            speed = self.pictures / (time.monotonic() - self.began)
            told = " ".join(f"{name} {float(part):.3f}" for name, part in parts.items())
            composed = {name: len(pool.screens) for name, pool in self.pools.composed.items()}
            print(f"step {self.steps} {100 * self.share():.1f} % {told} {speed:.0f} pictures/s {composed}", flush=True)

    def measure(self, most: int = 0) -> dict[str, Any]:
        return {name: measure(self.average.net, pool, self.device, most) for name, pool in self.validation.items()}

    def save(self) -> None:
        torch.save(self.average.net.state_dict(), self.given.out.with_suffix(".pt"))

    def finish(self) -> None:
        self.composer.close()
        self.save()
        metrics = {
            "seconds": round(time.monotonic() - self.began),
            "steps": self.steps,
            "pictures": self.pictures,
            "seed": self.given.seed,
            "weights": sum(weight.numel() for weight in self.net.parameters()),
            "screens": {name: len(pool.screens) for name, pool in self.pools.read.items()},
            "validation": self.measure(),
        }
        self.given.out.with_suffix(".json").write_text(json.dumps(metrics, indent=1) + "\n", encoding="utf-8")
        print(json.dumps(metrics), flush=True)
        print(f"{self.given.out}: {write_onnx(self.average.net, self.given.out)} bytes", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, nargs="*", default=[], help="folders of screens to learn from")
    parser.add_argument("--validation", type=Path, nargs="*", default=[], help="folders of screens to measure on")
    parser.add_argument(
        "--hold", nargs="*", default=[], help="sources in --data to measure on instead: desktop/gimp ..."
    )
    parser.add_argument("--icons", type=Path, default=None, help="masks made by icon_rasters, for composed screens")
    parser.add_argument("--fonts", type=Path, default=None, help="a folder of .ttf, .otf and .ttc files")
    parser.add_argument("--workers", type=int, default=14, help="processes that compose screens; 0: none are composed")
    parser.add_argument("--minutes", type=float, default=7.0)
    parser.add_argument("--steps", type=int, default=0, help="instead of minutes")
    parser.add_argument("--rate", type=float, default=3e-3, help="the highest learning rate")
    parser.add_argument(
        "--start", type=Path, default=None, help="the checkpoint of an earlier training to go on from, or its .onnx"
    )
    parser.add_argument(
        "--keep-statistics", action="store_true", help="batch normalisation as it was: an .onnx has none to learn from"
    )
    parser.add_argument("--batch", type=float, default=1.0, help="share of the usual number of pictures in a step")
    parser.add_argument("--canvas", type=float, default=1.0, help="share of the usual width and height; for debugging")
    parser.add_argument("--print-every", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="the ONNX file")
    parser.add_argument("--export", type=Path, default=None, help="only make the ONNX file from this checkpoint")
    given = parser.parse_args(arguments)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    if given.export:
        print(f"{given.out}: {write_onnx(read_checkpoint(given.export), given.out)} bytes")
        return
    training = WidgetTraining(given)
    training.run()
    training.finish()


if __name__ == "__main__":
    main()
