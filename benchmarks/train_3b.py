"""Benchmarks the 3B recipes: the real architecture with random weights on real screenshots, five steps of SFT and five
of GRPO on an accelerator. Prints rows per second, peak memory, and the share of the chip's peak.

    python benchmarks/train_3b.py --data runs/oracle --peak 989
    python benchmarks/train_3b.py --data runs/oracle --tiny         # the same code on a CPU, with a tiny model
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import torch
from msgspec.structs import replace
from transformers import AutoModelForImageTextToText, GenerationConfig, Qwen2_5_VLConfig

from saccade.train.grpo import train_grpo
from saccade.train.recipe import Recipe
from saccade.train.recipe_files import load_recipe
from saccade.train.sft import train_sft
from tiny_vl import _config, _edit, _eyes, make_tiny, make_tokenizer

TEXT = {
    "hidden_size": 2048,
    "intermediate_size": 11008,
    "num_hidden_layers": 36,
    "num_attention_heads": 16,
    "num_key_value_heads": 2,
    "vocab_size": 151_936,
    "max_position_embeddings": 32_768,
    "tie_word_embeddings": True,
    "initializer_range": 0.02,
}
VISION = {
    "depth": 32,
    "hidden_size": 1280,
    "intermediate_size": 3420,
    "num_heads": 16,
    "out_hidden_size": 2048,
    "fullatt_block_indexes": [7, 15, 23, 31],
    "window_size": 112,
    "initializer_range": 0.02,
}
"""The configuration of Qwen2.5-VL-3B."""


def make_3b(folder: Path) -> Path:
    """A model folder with random weights, laid out like the published one."""
    tokenizer = make_tokenizer()
    small = _config("qwen2.5-vl", tokenizer)
    text = {key: value for key, value in small.text_config.to_dict().items() if key != "layer_types"} | TEXT
    text["rope_parameters"] = {"rope_type": "default", "rope_theta": 1_000_000.0, "mrope_section": [16, 24, 24]}
    names = ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")
    ids = {name: getattr(small, name) for name in names}
    config = Qwen2_5_VLConfig(text_config=text, vision_config=VISION, tie_word_embeddings=True, **ids)
    with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
        model = AutoModelForImageTextToText.from_config(config, dtype=torch.bfloat16)
    model.generation_config = GenerationConfig(eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id)
    folder.mkdir(parents=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    _edit(folder / "tokenizer_config.json", tokenizer_class="Qwen2Tokenizer")
    (folder / "preprocessor_config.json").write_text(json.dumps(_eyes("qwen2.5-vl")), encoding="utf-8")
    return folder


def figures(out: Path, parameters: float, peak: float) -> str:
    """Figures from the log, without the first step, which includes warm-up."""
    lines = [json.loads(line) for line in (out / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    steps = [line for line in lines if "loss" in line]
    warm = steps[1:] or steps
    said = {key: round(median(step[key] for step in warm), 3) for key in warm[0] if "second" in key or "loss" in key}
    tokens = said.get("tokens_per_second", 0.0)
    memory = torch.cuda.max_memory_allocated() / 2**30 if torch.cuda.is_available() else 0.0
    share = 6 * parameters * tokens / (peak * 1e12)
    return f"{len(steps)} steps: {said}; peak memory {memory:.1f} GiB; {100 * share:.1f} % of {peak:g} TFLOP/s"


def shortened(recipe: Recipe, accumulate: int | None, longest: int | None) -> Recipe:
    """The recipe with smaller GRPO steps: one is 128 answers of up to 512 tokens, and random weights always use all
    512.
    """
    if recipe.stage != "grpo":
        return recipe
    grpo = replace(recipe.grpo, longest=longest or recipe.grpo.longest)
    return replace(recipe, grpo=grpo, accumulate=accumulate or recipe.accumulate)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--stage", choices=["sft", "grpo"], help="run only this stage")
    parser.add_argument("--accumulate", type=int, help="rows of a GRPO step, if fewer than in the recipe")
    parser.add_argument("--longest", type=int, help="tokens of an answer, if fewer than in the recipe")
    parser.add_argument("--peak", type=float, default=989.0, help="the chip's dense bf16 TFLOP/s")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        began = time.perf_counter()
        folder = make_tiny(Path(place) / "model") if given.tiny else make_3b(Path(place) / "model")
        print(f"model made in {time.perf_counter() - began:.0f} s", flush=True)
        parameters = 2e5 if given.tiny else 3.75e9
        changes: dict[str, Any] = {"model": str(folder), "data": [given.data], "steps": given.steps}
        if given.tiny:
            changes |= {"pixels": [784, 50_176]}
        for name, train in (("secagent-3b-sft", train_sft), ("secagent-3b-grpo", train_grpo)):
            if given.stage and not name.endswith(given.stage):
                continue
            recipe = shortened(load_recipe(name, **changes), given.accumulate, given.longest)
            out = Path(place) / name
            began = time.perf_counter()
            train(recipe, out, quiet=True)
            print(
                f"{name}: {time.perf_counter() - began:.0f} s in all; {figures(out, parameters, given.peak)}",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
