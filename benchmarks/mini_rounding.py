"""How much of a mini's training survives its export to 4 or 8 bits?

saccade mini export runs/sft/model --out runs/sft-mini --bits 4
python benchmarks/mini_rounding.py --trained runs/sft/model --exported runs/sft-mini

Of an export to 4 bits it counts the numbers of the graph that are the same as before; with `--data RECORDS` of any
export the loss on recorded answers, and how many of them each model would write token for token: before, as trained,
and as exported.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch

from saccade.errors import InputError
from saccade.train.recipe import Recipe, Variant
from saccade.train.samples import read_rows
from saccade_mini.card import MODEL, TOKENIZER
from saccade_mini.model import WEIGHTS
from saccade_mini.training.backbone import MiniBackbone, MiniOptions, load_model, load_tokenizer
from saccade_mini.training.onnx_weights import EMBEDDING


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, default=WEIGHTS, help="the mini that training began with, as it runs")
    parser.add_argument("--trained", type=Path, required=True, help="the folder model/ of a training")
    parser.add_argument("--exported", type=Path, required=True, help="the same after saccade mini export")
    parser.add_argument("--data", default="", help="step records to compute the loss on")
    parser.add_argument("--paradigm", default="btl")
    parser.add_argument("--limit", type=int, default=100)
    given = parser.parse_args()
    if (same := same_numbers(given.before, given.exported)) is not None:
        print(f"the same as before: {same[0]:.2%} of the 4-bit numbers, {same[1]:.2%} of the embedding's 8-bit numbers")
    if given.data:
        samples = answers(given.data, given.paradigm, given.limit)
        for name in ("before", "trained", "exported"):
            loss, whole = teacher_forced(getattr(given, name), samples)
            print(f"{name}: loss {loss:.4f} a token, {whole} of {len(samples)} answers whole", flush=True)
    return 0


def same_numbers(before: Path, after: Path) -> tuple[float, float] | None:
    """The share of the layers' 4-bit numbers, and of the embedding's 8-bit ones, that did not change; None where the
    two have not as many bits.
    """
    old, new = numbers(before), numbers(after)
    if any(value.shape != new[name].shape for name, value in old.items()):
        return None
    same = count = 0
    for name in old.keys() - {EMBEDDING}:
        for bits in (0, 4):
            same += int(((old[name] >> bits & 15) == (new[name] >> bits & 15)).sum())
            count += old[name].size
    return same / count, float((old[EMBEDDING] == new[EMBEDDING]).mean())


def numbers(folder: Path) -> dict[str, Any]:
    """The quantised weights of a graph: those with scales."""
    if not (folder / MODEL).is_file():
        raise InputError(f"{folder} has no {MODEL}: name the folder that saccade mini export wrote")
    found = {each.name: onnx.numpy_helper.to_array(each) for each in onnx.load(folder / MODEL).graph.initializer}
    return {name: value for name, value in found.items() if f"{name}.scales" in found}


def answers(data: str, paradigm: str, limit: int) -> list[dict[str, Any]]:
    """Recorded answers with their prompts as tokens."""
    variant = Variant(paradigm=paradigm, switches={"space": "phone"})
    recipe = Recipe(stage="grpo", data=(data,), variants=(variant,), elements="parsed", longest=1280)
    backbone = MiniBackbone(None, load_tokenizer(WEIGHTS / TOKENIZER), MiniOptions(restate=1))
    rows = sorted(read_rows(recipe, backbone).train, key=lambda row: random.Random(row.id).random())[:limit]
    return [backbone.encode(row.messages, row.answer) for row in rows]


def teacher_forced(folder: Path, samples: Sequence[dict[str, Any]]) -> tuple[float, int]:
    """The mean loss of the answers' tokens, and how many answers have the likeliest token everywhere."""
    model = load_model(folder).eval()
    losses: list[float] = []
    whole = 0
    for sample in samples:
        labels = torch.tensor(sample["labels"])[1:]
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([sample["input_ids"]])).logits[0, :-1].float()
        asked = labels != -100
        losses += torch.nn.functional.cross_entropy(logits[asked], labels[asked], reduction="none").tolist()
        whole += bool((logits[asked].argmax(-1) == labels[asked]).all())
    return float(np.mean(losses)), whole


if __name__ == "__main__":
    try:
        sys.exit(main())
    except InputError as error:
        print(f"mini_rounding: {error}", file=sys.stderr)
        sys.exit(2)
