"""Train the network that tells whether a switch is on or a tab chosen (`states.py`), on a CPU, in some minutes.

    python -m saccade_vision.training.state_train --data phone desktop web --validation phone_validation \
        --hold web/bootstrap web/naive desktop/geany --out states.onnx

The folders are those of the widget network (`collect_phone`, `collect_desktop`, `collect_web`); what the tree says of
an element ("checked", "selected") is the truth. Boxes are drawn anew around each element, because a detector's are not
exact, and colours are changed. From which score a button or list item counts as on is chosen on the validation screens
and the sources that are held out: where precision and recall are best together (F1). The JSON file beside the weights
says what was measured there.

    python -m saccade_vision.training.state_train --measure states.onnx --data apps material

prints what the network says of other screens, at the trees' own boxes.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor, nn
from torch.nn import functional

from saccade.geometry import Box
from saccade_vision.states import (
    CHANNELS,
    COMPARED,
    KINDS,
    SIDE,
    WORDS,
    StateReader,
    Widget,
    neighbours,
    network_inputs,
)
from saccade_vision.training.icon_export import halve
from saccade_vision.training.screen_folder import read_lines

OFF_SHARE = 0.15
"""Of buttons and list items that are not on, so many are looked at: nearly none is."""
JITTER = 0.06
"""How far the sides of a box are moved at most, as a share of its height."""
DRAWN = 4
"""How often boxes are drawn around the elements of each screen."""
LEAST_TAB = -2.0
"""Of tabs the likeliest is on, even if that is not certain: one always is."""
COLOURS = 3
"""Channels of each of the four pictures."""


Wanted = Callable[[str], bool]
"""Is a source, such as `web/carbon`, wanted?"""


class Samples(NamedTuple):
    """What the network looks at, whether it is on, and which type it is."""

    inputs: NDArray[np.uint8]
    """From 0 to 255; differences are stored halved around 128."""
    on: NDArray[np.bool_]
    kinds: NDArray[np.int64]


class StateNet(nn.Module):  # type: ignore[misc]  # torch is not followed
    """Inputs (count x CHANNELS x 32 x 32) to one score each, a logit; 26,000 weights."""

    def __init__(self) -> None:
        super().__init__()
        widths = (CHANNELS, 16, 24, 32, 40)
        layers: list[nn.Module] = []
        for narrow, wide in pairwise(widths):
            layers += [nn.Conv2d(narrow, wide, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(wide), nn.ReLU()]
        self.features = nn.Sequential(*layers, nn.Dropout(0.2))
        self.score = nn.Linear(widths[-1] * 4, 1)

    def forward(self, inputs: Tensor) -> Tensor:
        found: Tensor = self.score(self.features(inputs).flatten(1))
        return found


def samples_of(folder: Path, chance: random.Random, drawn: int, sources: Wanted) -> Iterator[tuple[Any, bool, str]]:
    """Inputs, truth and type of the elements of a folder's screens, of those sources that are wanted."""
    for line in read_lines(folder):
        if not sources(line["source"]):
            continue
        rows = [row for row in line["elements"] if row["type"] in WORDS and row["interactive"]]
        if not any(row["type"] not in COMPARED or row.get("state") for row in rows):
            continue
        image = np.asarray(Image.open(folder / line["image"]).convert("RGB"))
        for _ in range(drawn):
            widgets: list[Widget] = [(row["type"], _moved(row["box"], chance, drawn > 1), True) for row in rows]
            tabs = [at for at, row in enumerate(rows) if row["type"] == "tab"]
            for at, inputs in network_inputs(image, widgets).items():
                kind = widgets[at][0]
                on = is_on(rows[at])
                if kind == "tab" and not _told(at, tabs, widgets, rows):
                    continue
                if drawn == 1 or on or kind not in ("button", "list item") or chance.random() < OFF_SHARE:
                    yield inputs, on, kind


def _told(at: int, tabs: Sequence[int], widgets: Sequence[Widget], rows: Sequence[dict[str, Any]]) -> bool:
    """Does the tree tell which of a tab and those beside it is chosen? Some kits' do not."""
    return any(is_on(rows[one]) for one in (at, *neighbours(at, tabs, widgets)))


def is_on(row: dict[str, Any]) -> bool:
    return WORDS[row["type"]] in row.get("state", "").split()


def _moved(box: Sequence[float], chance: random.Random, move: bool) -> Box:
    most = JITTER * (box[3] - box[1]) if move else 0.0
    return Box(*(side + chance.uniform(-most, most) for side in box))


def gathered(folders: Sequence[Path], seed: int, drawn: int, sources: Wanted = lambda _: True) -> Samples:
    chance = random.Random(seed)
    inputs, on, kinds = [], [], []
    for folder in folders:
        for each, truth, kind in samples_of(folder, chance, drawn, sources):
            inputs.append(_packed(each))
            on.append(truth)
            kinds.append(KINDS.index(kind))
        sys.stderr.write(f"{folder}: {len(on)} samples, {sum(on)} of them on\n")
    return Samples(np.stack(inputs), np.array(on), np.array(kinds))


def _packed(inputs: NDArray[np.float32]) -> NDArray[np.uint8]:
    pictures = inputs[: 4 * COLOURS].copy()
    pictures[3 * COLOURS :] = pictures[3 * COLOURS :] / 2 + 0.5
    return np.asarray(np.clip(pictures * 255, 0, 255), np.uint8)


def _unpacked(pictures: NDArray[np.uint8], kinds: NDArray[np.int64]) -> Tensor:
    found = torch.from_numpy(pictures).float() / 255
    found[:, 3 * COLOURS :] = found[:, 3 * COLOURS :] * 2 - 1
    planes = functional.one_hot(torch.from_numpy(kinds), len(KINDS)).float()[:, :, None, None]
    return torch.cat([found, planes.expand(-1, -1, SIDE, SIDE)], 1)


def recoloured(inputs: Tensor) -> Tensor:
    """Colours changed alike in all four pictures of a sample: channels swapped, inverted, brighter or weaker."""
    count = len(inputs)
    pictures = inputs[:, : 4 * COLOURS].reshape(count, 4, COLOURS, SIDE, SIDE)
    order = torch.stack([torch.randperm(COLOURS) for _ in range(count)])
    pictures = torch.gather(pictures, 2, order[:, None, :, None, None].expand_as(pictures))
    inverted = (torch.rand(count) < 0.3)[:, None, None, None, None]
    plain, differs = pictures[:, :3], pictures[:, 3:]
    plain, differs = torch.where(inverted, 1 - plain, plain), torch.where(inverted, -differs, differs)
    gain = torch.empty(count, 1, COLOURS, 1, 1).uniform_(0.7, 1.2)
    shift = torch.empty(count, 1, COLOURS, 1, 1).uniform_(-0.15, 0.15)
    changed = torch.cat([(plain - 0.5) * gain + 0.5 + shift, differs * gain], 1)
    noise = torch.randn_like(changed) * 0.02
    return torch.cat([(changed + noise).reshape(count, 4 * COLOURS, SIDE, SIDE), inputs[:, 4 * COLOURS :]], 1)


def train(samples: Samples, epochs: int, seed: int) -> StateNet:
    torch.manual_seed(seed)
    net = StateNet()
    weights = sample_weights(samples)
    steps = epochs * -(-len(weights) // 128)
    optimiser = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 6e-3, total_steps=steps)
    for step in range(steps):
        at = torch.multinomial(weights, 128, replacement=True).numpy()
        inputs = recoloured(_unpacked(samples.inputs[at], samples.kinds[at]))
        scores = net(inputs)[:, 0]
        loss = functional.binary_cross_entropy_with_logits(scores, torch.from_numpy(samples.on[at]).float())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        if step % 50 == 0:
            sys.stderr.write(f"\rstep {step} of {steps}, loss {loss.item():.3f} ")
    sys.stderr.write("\n")
    net.eval()
    return net


def sample_weights(samples: Samples) -> Tensor:
    """Types are drawn alike up to the root of their number, on and off as often."""
    weights = np.zeros(len(samples.on))
    for kind in range(len(KINDS)):
        of_kind = samples.kinds == kind
        for on in (False, True):
            chosen = of_kind & (samples.on == on)
            if chosen.any():
                weights[chosen] = of_kind.sum() ** 0.5 / chosen.sum()
    return torch.from_numpy(weights)


def scores_of(net: StateNet, samples: Samples) -> NDArray[np.float64]:
    found = []
    with torch.no_grad():
        for start in range(0, len(samples.on), 256):
            part = slice(start, start + 256)
            found.append(net(_unpacked(samples.inputs[part], samples.kinds[part]))[:, 0].double().numpy())
    return np.concatenate(found)


def least_scores(scores: NDArray[np.float64], samples: Samples) -> dict[str, float]:
    """For each type the least score from which it counts as on. What shows either an on or an off is decided by 0."""
    least = {**dict.fromkeys(KINDS, 0.0), "tab": LEAST_TAB}
    for kind in ("button", "list item"):
        chosen = samples.kinds == KINDS.index(kind)
        order = np.argsort(-scores[chosen])
        right = np.cumsum(samples.on[chosen][order])
        if len(right) and right[-1]:
            balanced = 2 * right / (np.arange(1, len(order) + 1) + right[-1])
            least[kind] = round(max(0.0, float(scores[chosen][order][balanced.argmax()])), 3)
    return least


def measured(scores: NDArray[np.float64], samples: Samples, least: dict[str, float]) -> dict[str, dict[str, int]]:
    """By type: how many are on, how many of those are said to be, how many others are; and how many there are."""
    table: dict[str, dict[str, int]] = {}
    for at, kind in enumerate(KINDS):
        chosen = samples.kinds == at
        said, on = scores[chosen] >= least[kind], samples.on[chosen]
        counts = {"on": on, "found": on & said, "wrongly": ~on & said, "all": np.ones_like(on)}
        table[kind] = {name: int(each.sum()) for name, each in counts.items()}
    return table


def write_onnx(net: StateNet, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    names = {"input_names": ["inputs"], "output_names": ["scores"]}
    axes = {"inputs": {0: "count"}, "scores": {0: "count"}}
    example = (torch.zeros(1, CHANNELS, SIDE, SIDE),)
    torch.onnx.export(net, example, str(path), dynamic_axes=axes, opset_version=17, dynamo=False, **names)
    halve(path)


def report(table: dict[str, dict[str, int]]) -> None:
    for kind, row in table.items():
        if row["all"]:
            right = row["all"] - (row["on"] - row["found"]) - row["wrongly"]
            print(
                f"{kind:10} {right} of {row['all']} right; on: {row['found']} of {row['on']}, wrongly {row['wrongly']}"
            )


def measure(weights: Path, folders: Sequence[Path], only: Sequence[str]) -> None:
    reader = StateReader(weights, threads=1)
    for folder in folders:
        said: list[bool] = []
        on: list[bool] = []
        kinds: list[int] = []
        for line in read_lines(folder):
            rows = [row for row in line["elements"] if row["type"] in WORDS and row["interactive"]]
            if rows and (line["source"] in only or not only):
                image = np.asarray(Image.open(folder / line["image"]).convert("RGB"))
                widgets = [(row["type"], Box(*row["box"]), True) for row in rows]
                tabs = [at for at, row in enumerate(rows) if row["type"] == "tab"]
                for at, state in enumerate(reader.read(image, widgets)):
                    if rows[at]["type"] != "tab" or _told(at, tabs, widgets, rows):
                        said.append(bool(state))
                        on.append(is_on(rows[at]))
                        kinds.append(KINDS.index(rows[at]["type"]))
        print(folder)
        truth = Samples(np.zeros((len(on), 0), np.uint8), np.array(on), np.array(kinds))
        report(measured(np.array(said, float), truth, dict.fromkeys(KINDS, 0.5)))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--validation", type=Path, nargs="+", default=[])
    parser.add_argument("--hold", nargs="*", default=[], help="sources of --data that are chosen on, not trained on")
    parser.add_argument("--test", nargs="*", default=[], help="sources that are left out; with --measure, only those")
    parser.add_argument("--out", type=Path, default=Path("states.onnx"))
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--measure", type=Path, default=None, help="weights to measure on --data; nothing is trained")
    given = parser.parse_args(arguments)
    if given.measure is not None:
        measure(given.measure, given.data, given.test)
        return
    apart = {*given.hold, *given.test}
    net = train(gathered(given.data, given.seed, DRAWN, lambda one: one not in apart), given.epochs, given.seed)
    held = [gathered(given.data, given.seed, 1, lambda one: one in given.hold)] if given.hold else []
    parts = [*held, *([gathered(given.validation, given.seed, 1)] if given.validation else [])]
    chosen_on = Samples(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    scores = scores_of(net, chosen_on)
    least = least_scores(scores, chosen_on)
    table = measured(scores, chosen_on, least)
    write_onnx(net, given.out)
    facts = {"least": least, "validation": table, "weights": sum(each.numel() for each in net.parameters())}
    given.out.with_suffix(".json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    report(table)


if __name__ == "__main__":
    main()
