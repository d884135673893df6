"""Train the network that names icons and write it as ONNX.

    python -m saccade_vision.training.icon_train --data icons.npz --minutes 3 --out five/icons.onnx
    python -m saccade_vision.training.icon_train --data icons.npz --minutes 3 --out icons.onnx --chosen five/icons.json

`icons.npz` is written by `icon_rasters`, which says how the packages are split: the network learns from TRAIN, what is
chosen (when to answer "unknown", and every setting of this file) is chosen on CHOOSE, and REPORT is only measured.
Once that is done, the second command learns from TRAIN and CHOOSE with what was chosen: a sixth package says more about
unseen ones than any setting.
Beside the ONNX file a JSON file of the same name says which meanings it knows, in the order of its scores, from which
score on an icon counts as known, and what was measured.
"""

import argparse
import copy
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from saccade_vision.training.icon_export import write_onnx
from saccade_vision.training.icon_measure import choose_threshold, measure
from saccade_vision.training.icon_net import IconNet
from saccade_vision.training.icon_pictures import IconPictures
from saccade_vision.training.icon_rasters import CHOOSE, LETTERS, NO_MEANING, REPORT, TRAIN, unpack

KNOWN_SHARE, OTHER_SHARE, WORD_SHARE, PART_SHARE = 0.70, 0.18, 0.04, 0.04  # the rest shows no icon at all


class IconSampler:
    """Draws icons by meaning, then by package, then one of its drawings, so that large packages do not rule."""

    def __init__(self, labels: np.ndarray, packages: np.ndarray, train: list[int], device: str, seed: int) -> None:
        self.device = device
        self.random = torch.Generator(device=device).manual_seed(seed)
        groups: dict[int, list[np.ndarray]] = {}
        for label in range(int(labels.max()) + 1):
            found = [np.flatnonzero((labels == label) & (packages == package)) for package in train]
            groups[label] = [indices for indices in found if len(indices)]
            if not groups[label]:
                raise SystemExit(f"meaning number {label} has no icon in the packages that are trained on")
        flat = [indices for meaning in groups.values() for indices in meaning]
        self.order = torch.from_numpy(np.concatenate(flat)).to(device)
        lengths = np.array([len(indices) for indices in flat])
        self.start = torch.from_numpy(np.cumsum(lengths) - lengths).to(device)
        self.length = torch.from_numpy(lengths).to(device)
        per_meaning = np.array([len(meaning) for meaning in groups.values()])
        self.first_group = torch.from_numpy(np.cumsum(per_meaning) - per_meaning).to(device)
        self.group_count = torch.from_numpy(per_meaning).to(device)
        self.others = self._indices((labels == NO_MEANING) & np.isin(packages, train))
        self.words = self._indices(labels == LETTERS)

    def _indices(self, where: np.ndarray) -> Tensor:
        return torch.from_numpy(np.flatnonzero(where)).to(self.device)

    def _below(self, limits: Tensor) -> Tensor:
        """A random whole number from 0 to each limit, the limit excluded."""
        drawn = torch.rand(len(limits), generator=self.random, device=self.device) * limits
        return torch.minimum(drawn.long(), limits - 1)

    def _among(self, indices: Tensor, count: int) -> Tensor:
        return indices[torch.randint(len(indices), (count,), generator=self.random, device=self.device)]

    def meanings(self, count: int) -> tuple[Tensor, Tensor]:
        """Drawings and their labels."""
        shape = (count,)
        labels = torch.randint(len(self.group_count), shape, generator=self.random, device=self.device)
        group = self.first_group[labels] + self._below(self.group_count[labels])
        return self.order[self.start[group] + self._below(self.length[group])], labels

    def batch(self, pictures: IconPictures, count: int) -> tuple[Tensor, Tensor]:
        """Crops and labels; -1 is unknown."""
        known, other, word, part = (round(count * s) for s in (KNOWN_SHARE, OTHER_SHARE, WORD_SHARE, PART_SHARE))
        chosen, labels = self.meanings(known + part)
        labels = torch.where(torch.arange(known + part, device=self.device) < known, labels, -1)
        chosen = torch.cat([chosen, self._among(self.others, other), self._among(self.words, word)])
        places = torch.arange(len(chosen), device=self.device)
        crops = pictures.draw(chosen, part=(places >= known) & (places < known + part))
        empty = pictures.nothing(count - len(chosen))
        unknown = torch.full((count - known - part,), -1, device=self.device)
        return torch.cat([crops, empty]), torch.cat([labels, unknown])


def loss_of(scores: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy over the meanings for known icons; for all, whether they are known."""
    known = labels >= 0
    by_meaning = functional.cross_entropy(scores[known, :-1], labels[known], label_smoothing=0.1)
    return by_meaning + 0.5 * functional.binary_cross_entropy_with_logits(scores[:, -1], known.float())


def rate_at(progress: float, peak: float) -> float:
    """Learning rate: up over the first tenth, then down on a cosine."""
    if progress < 0.1:
        return peak * (0.05 + 0.95 * progress / 0.1)
    return peak * 0.5 * (1 + math.cos(math.pi * min(1.0, (progress - 0.1) / 0.9)))


def train(
    given: argparse.Namespace, sampler: IconSampler, pictures: IconPictures, meanings: int
) -> tuple[IconNet, int]:
    """The averaged network after `--steps` steps or `--minutes` minutes, and the number of steps."""
    torch.manual_seed(given.seed)
    net = IconNet(meanings).to(sampler.device, memory_format=torch.channels_last)
    averaged = copy.deepcopy(net).eval()
    optimizer = torch.optim.AdamW(net.parameters(), lr=given.rate, weight_decay=given.decay)
    began, step, progress = time.monotonic(), 0, 0.0
    while progress < 1:
        for group in optimizer.param_groups:
            group["lr"] = rate_at(progress, given.rate)
        crops, labels = sampler.batch(pictures, given.batch)
        with torch.autocast(sampler.device, torch.bfloat16, enabled=sampler.device == "cuda"):
            scores = net(crops.contiguous(memory_format=torch.channels_last))
        loss = loss_of(scores.float(), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        keep = min(0.999, step / (step + 10))
        with torch.no_grad():
            for mean, value in zip(averaged.state_dict().values(), net.state_dict().values(), strict=True):
                if mean.is_floating_point():
                    mean.lerp_(value, 1 - keep)
        step += 1
        passed = time.monotonic() - began
        progress = step / given.steps if given.steps else passed / (given.minutes * 60)
        if step % given.every == 0 or step == given.steps:
            right = (scores[:, :-1].argmax(1) == labels)[labels >= 0].float().mean()
            print(f"step {step} of {passed:.0f} s: loss {loss.item():.3f}, right {right.item():.3f}", flush=True)
    return averaged, step


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the .npz file of icon_rasters")
    parser.add_argument(
        "--out", type=Path, required=True, help="the .onnx file to write; a .json file is put beside it"
    )
    parser.add_argument("--minutes", type=float, default=4.0)
    parser.add_argument("--steps", type=int, default=0, help="train for so many steps instead of minutes")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--decay", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--chosen", type=Path, help="the JSON file of an earlier run: learn from CHOOSE too, with that run's threshold"
    )
    parser.add_argument("--every", type=int, default=500, help="print after so many steps")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    data = np.load(given.data, allow_pickle=False)
    labels, packages = data["labels"], data["packages"]
    order = list(data["package_names"])
    taught = (*TRAIN, CHOOSE) if given.chosen else TRAIN
    numbers = [order.index(name) for name in taught]
    pictures = IconPictures(unpack(data["masks"]), device, given.seed)
    # Neighbours at the edges come from what is trained on, too: not a stroke of the other packages is seen.
    pictures.limit_neighbours(np.flatnonzero(np.isin(packages, [*numbers, -1])))
    sampler = IconSampler(labels, packages, numbers, device, given.seed)
    net, steps = train(given, sampler, pictures, len(data["keys"]))
    weights = sum(value.numel() for value in net.parameters())
    size = write_onnx(net, given.out)
    measured: dict[str, Any] = {"parameters": weights, "bytes": size, "steps": steps, "train": list(taught)}
    rows = {name: np.flatnonzero(packages == order.index(name)) for name in (CHOOSE, REPORT)}
    if given.chosen:
        earlier = json.loads(given.chosen.read_text(encoding="utf-8"))
        threshold, measured["choose"] = earlier["known_above"], earlier["measured"]["choose"]
    else:
        threshold = choose_threshold(given.out, pictures, rows[CHOOSE], labels)
        measured["choose"] = {"package": CHOOSE}
        measured["choose"] |= measure(given.out, pictures, rows[CHOOSE], labels, data["names"], threshold)
    measured["report"] = {"package": REPORT}
    measured["report"] |= measure(given.out, pictures, rows[REPORT], labels, data["names"], threshold)
    print(json.dumps(measured, indent=1))
    facts = {"keys": [str(key) for key in data["keys"]], "known_above": threshold, "measured": measured}
    given.out.with_suffix(".json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    print(f"{given.out}: {weights} parameters, {size} bytes, {steps} steps")


if __name__ == "__main__":
    main()
