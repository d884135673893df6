"""Benchmarks the 3B and 7B recipes on an accelerator: the real architecture with random weights on real screenshots.

    python benchmarks/train_3b.py --data runs/oracle                        # everything; about ten minutes of one H200
    python benchmarks/train_3b.py --data runs/oracle --only sft grpo        # some parts
    python benchmarks/train_3b.py --data runs/oracle --tiny                 # the same code on a CPU, with a tiny model

Parts: `losses` (20 steps of SFT on the plain path, on the fast path, and on the plain path in float32 with TF32
products, the truth that both round; same rows of the recipe's two a step), `plain-sft`, `sft` (rows a second by size of
a step), `full` (the same with all parameters), `grpo` (answers a second, with sampling, reference and update),
`plain-grpo`, `lora-grpo` (with `--size 7b`: what the 7B's recipe advises for one card). SFT's rows have one screenshot
(`--window 0`); SecAgent's recipe shows the one before as well (1). A line is printed as soon as it is measured; --json
FILE keeps them. With --model FOLDER the model is made once for several calls, so that each part can have a process and
a time limit of its own.

The share of the chip's peak counts what a step must compute: 2 operations for each weight and token forward and 2 or 4
backward (frozen or trained), attention included, nothing twice.
"""

from __future__ import annotations

import argparse
import gc
import json
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import torch
from transformers import AutoModelForImageTextToText, GenerationConfig, Qwen2_5_VLConfig

from saccade.data.recorded_episodes import read_episodes
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
SIZES = {
    "3b": TEXT,
    "7b": TEXT
    | {
        "hidden_size": 3584,
        "intermediate_size": 18_944,
        "num_hidden_layers": 28,
        "num_attention_heads": 28,
        "num_key_value_heads": 4,
        "vocab_size": 152_064,
        "tie_word_embeddings": False,
    },
}
VISION = {
    "depth": 32,
    "hidden_size": 1280,
    "intermediate_size": 3420,
    "num_heads": 16,
    "fullatt_block_indexes": [7, 15, 23, 31],
    "window_size": 112,
    "initializer_range": 0.02,
}
"""The configuration of Qwen2.5-VL's tower; the language models' of 3B and 7B above."""
VISION_WEIGHTS = 32 * (4 * 1280 * 1280 + 3 * 1280 * 3420)
LORA = {"lora": {"rank": 8, "alpha": 16, "dropout": 0.0}}


def make_model(folder: Path, size: str) -> Path:
    """A model folder with random weights, laid out like the published one."""
    tokenizer = make_tokenizer(8000)  # prompts become as long as they are for the published tokenizer
    small = _config("qwen2.5-vl", tokenizer)
    text = {key: value for key, value in small.text_config.to_dict().items() if key != "layer_types"}
    text |= SIZES[size]
    text["rope_parameters"] = {"rope_type": "default", "rope_theta": 1_000_000.0, "mrope_section": [16, 24, 24]}
    names = ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")
    ids = {name: getattr(small, name) for name in names}
    vision = VISION | {"out_hidden_size": text["hidden_size"]}
    tied = text["tie_word_embeddings"]
    config = Qwen2_5_VLConfig(text_config=text, vision_config=vision, tie_word_embeddings=tied, **ids)
    with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
        model = AutoModelForImageTextToText.from_config(config, dtype=torch.bfloat16)
    model.generation_config = GenerationConfig(eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id)
    folder.mkdir(parents=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    _edit(folder / "tokenizer_config.json", tokenizer_class="Qwen2Tokenizer")
    (folder / "preprocessor_config.json").write_text(json.dumps(_eyes("qwen2.5-vl")), encoding="utf-8")
    return folder


def operations_of_row(size: str, tokens: float, screenshots: float, trained: bool) -> float:
    """Floating-point operations of one row of so many tokens with so many screenshots of 476 × 1036 pixels."""
    patches = 34 * 74
    text = SIZES[size]
    layers, hidden, inner = text["num_hidden_layers"], text["hidden_size"], text["intermediate_size"]
    keys = text["num_key_value_heads"] * hidden // text["num_attention_heads"]
    weights = layers * (2 * hidden * hidden + 2 * hidden * keys + 3 * hidden * inner)
    language = 2 * weights * tokens + layers * 2 * tokens**2 * hidden
    seen = screenshots * (2 * VISION_WEIGHTS * patches + 4 * 1280 * patches * (28 * 64 + 4 * patches))
    return language * 3 + seen * 3 if trained else language * 2 + seen


class Bench:
    """Runs parts, and collects a line for each."""

    def __init__(self, folder: Path, model: Path, given: argparse.Namespace) -> None:
        self.folder, self.model, self.given = folder, model, given
        self.lines: list[dict[str, Any]] = []
        self.peak = given.peak * 1e12
        episodes = list(read_episodes((given.data,)))
        later = 1 - len(episodes) / sum(len(each.steps) for each in episodes)
        self.screenshots = 1 + given.window * later  # an episode's first step has none before it

    def recipe(self, name: str, steps: int, **changes: Any) -> Recipe:
        changes |= {"model": str(self.model), "data": [self.given.data], "steps": steps, "save_every": 10_000}
        if self.given.tiny:
            changes |= {"pixels": [784, 50_176]}
        return load_recipe(name, **changes)

    def run(self, what: str, train: Callable[..., Any], recipe: Recipe, warm: int) -> list[dict[str, Any]]:
        """The log's lines of the steps after the first `warm`; the line of the table is printed at once."""
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
        out = self.folder / what.replace(" ", "-")
        began = time.perf_counter()
        try:
            train(recipe, out, quiet=not self.given.verbose)
        except Exception:  # noqa: BLE001  (the other parts go on)
            traceback.print_exc()
        text = (out / "log.jsonl").read_text(encoding="utf-8") if (out / "log.jsonl").is_file() else ""
        shutil.rmtree(out, ignore_errors=True)  # each holds a model
        steps = [line for line in map(json.loads, text.splitlines()) if "loss" in line]
        kept = steps[warm:]
        if not kept:
            print(f"{what}: no steps", flush=True)
            return steps
        seconds = sum(line["seconds"] for line in kept)
        rows = sum(line["rows_per_second"] * line["seconds"] for line in kept if "rows_per_second" in line)
        tokens = sum(line["tokens_per_second"] * line["seconds"] for line in kept if "tokens_per_second" in line)
        memory = torch.cuda.max_memory_allocated() / 2**30 if torch.cuda.is_available() else 0.0
        line = {
            "what": what,
            "steps": len(kept),
            "rows_per_second": round(rows / seconds, 2),
            "tokens_a_row": round(tokens / max(1.0, rows)),
            "step_seconds": round(median(each["seconds"] for each in kept), 3),
            "memory_gib": round(memory, 1),
            "whole_seconds": round(time.perf_counter() - began),
        }
        if recipe.stage == "sft":
            work = operations_of_row(self.given.size, tokens / max(1.0, rows), self.screenshots, recipe.lora is None)
            line["share_of_peak"] = round(work * rows / seconds / self.peak, 4)
        self.report(line)
        return steps

    def report(self, line: dict[str, Any]) -> None:
        self.lines.append(line)
        print(json.dumps(line), flush=True)
        if self.given.json:
            self.given.json.write_text(json.dumps(self.lines, indent=1), encoding="utf-8")

    # -- parts --------------------------------------------------------------------------------------------------------

    def losses(self) -> None:
        """All paths on the same rows, without dropout, whose random numbers would differ."""
        torch.backends.cuda.matmul.allow_tf32 = True
        paths: dict[str, dict[str, Any]] = {
            "plain": {"fast": False},
            "fast": {"fast": self.wanted},
            "float32": {"precision": "float32"},
        }
        found: dict[str, dict[str, list[float]]] = {}
        for name, changes in paths.items():
            recipe = self.recipe("secagent-3b-sft", 20, **self.sft_changes(), **changes, **LORA)
            steps = self.run(f"losses {name}", train_sft, recipe, 4)
            found[name] = {key: [step[key] for step in steps] for key in ("loss", "gradient")}
            self.report({"what": f"values {name}", **found[name]})
            for other in found.keys() - {name}:
                for key, values in found[name].items():
                    apart = [abs(a - b) / abs(a) for a, b in zip(values, found[other][key], strict=False)]
                    self.report({"what": f"{key}, {name} to {other}", "most_apart": max(apart, default=None)})

    def sft_changes(self) -> dict[str, Any]:
        return {"switches": {"space": "paper", "window": self.given.window}}

    @property
    def wanted(self) -> str | bool:
        return True if self.given.tiny else "auto"

    def plain_sft(self) -> None:
        recipe = self.recipe("secagent-3b-sft", 12, fast=False, **self.sft_changes())
        self.run("sft plain", train_sft, recipe, 4)

    def sft(self) -> None:
        for tokens in self.given.tokens:
            recipe = self.recipe("secagent-3b-sft", 20, tokens=tokens, fast=self.wanted, **self.sft_changes())
            self.run(f"sft tokens {tokens}", train_sft, recipe, 6)

    def full(self) -> None:
        recipe = self.recipe(
            "secagent-3b-sft", 16, tokens=self.given.tokens[0], fast=self.wanted, lora=None, **self.sft_changes()
        )
        self.run("full parameters", train_sft, recipe, 6)

    def grpo(self) -> None:
        recipe = self.recipe("secagent-3b-grpo", 8, fast=self.wanted, **self.grpo_changes())
        self.run("grpo", train_grpo, recipe, 2)

    def lora_grpo(self) -> None:
        """What a 7B's recipe advises where all parameters do not fit."""
        lora = {"lora": {"rank": 64, "alpha": 128}}
        recipe = self.recipe("btl-7b-grpo", 4, fast=self.wanted, **self.grpo_changes("btl-7b-grpo"), **lora)
        self.run("grpo lora", train_grpo, recipe, 2)

    def plain_grpo(self) -> None:
        recipe = self.recipe("secagent-3b-grpo", 2, fast=False, accumulate=1, **self.grpo_changes())
        self.run("grpo plain", train_grpo, recipe, 0)

    def grpo_changes(self, name: str = "secagent-3b-grpo") -> dict[str, Any]:
        """Answers of 96 tokens: random weights never end one, and 512 of them are not what a trained model writes."""
        shipped = load_recipe(name).grpo
        return {"grpo": {**{key: getattr(shipped, key) for key in shipped.__struct_fields__}, "longest": 96}}


PARTS = ("losses", "plain-sft", "sft", "full", "grpo", "plain-grpo", "lora-grpo")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS[:5]))
    parser.add_argument("--size", choices=list(SIZES), default="3b", help="the model's size")
    parser.add_argument("--tokens", nargs="+", type=int, default=[16_384, 24_576], help="tokens of a step of SFT")
    parser.add_argument("--window", type=int, default=0, help="earlier screenshots in a row of SFT")
    parser.add_argument("--peak", type=float, default=989.0, help="the chip's dense bf16 TFLOP/s")
    parser.add_argument("--model", type=Path, help="the model's folder: made if it is not there, and kept")
    parser.add_argument("--json", type=Path, help="write the lines there")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        began = time.perf_counter()
        folder = given.model or Path(place) / "model"
        if not folder.is_dir():
            make_tiny(folder) if given.tiny else make_model(folder, given.size)
            print(f"model made in {time.perf_counter() - began:.0f} s", flush=True)
        bench = Bench(Path(place), folder, given)
        for part in given.only:
            getattr(bench, part.replace("-", "_"))()
    return 0


if __name__ == "__main__":
    sys.exit(main())
