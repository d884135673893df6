"""Proves an export with ms-swift's own loader, template and reward plug-in, then makes one real GRPO step on the CPU by
the export's run.sh: `python prove_ms_swift.py EXPORT MODEL [--no-step]`.
"""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

from common import IMAGE_TOKEN, cases_of, image_tokens, proved

SMALL = """--use_cpu true --model_type qwen2_5_vl --template qwen2_5_vl --torch_dtype float32 --max_steps 1
--num_generations 2 --per_device_train_batch_size 2 --gradient_accumulation_steps 1 --steps_per_generation 1
--max_completion_length 24 --save_strategy no --report_to none --dataloader_num_workers 0"""
"""A step that a CPU can make; all else as run.sh has it."""


def one_step(folder: Path, model: Path) -> dict[str, object]:
    """One GRPO step; returns what ms-swift logged of it."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", str(folder / "run.sh"), *SMALL.split()],
        env={**os.environ, "PATH": path, "MODEL": str(model), "GPUS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    logs = sorted((folder / "output").rglob("completions.jsonl"))
    assert logs, "ms-swift wrote no completions.jsonl"
    line = json.loads(logs[-1].read_text(encoding="utf-8").splitlines()[0])
    training = [json.loads(text) for text in logs[-1].with_name("logging.jsonl").read_text("utf-8").splitlines()]
    first = next(each for each in training if "loss" in each)
    return {"answers": len(line["completion"]), "loss": first["loss"], "log": str(logs[-1].relative_to(folder))}


def main(folder: Path, model: Path, steps: bool) -> None:
    os.environ |= {"ROOT_IMAGE_DIR": str(folder)}
    settings = json.loads((folder / "export.json").read_text())["settings"]
    low, high = settings["pixels"]
    os.environ |= {"MIN_PIXELS": str(low), "MAX_PIXELS": str(high)}
    from swift import get_processor, get_template, load_dataset  # noqa: PLC0415  (reads the environment)
    from swift.rewards import orms  # noqa: PLC0415

    rows = [json.loads(line) for line in (folder / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    dataset, _ = load_dataset(str(folder / "train.jsonl"), remove_unused_columns=False)
    assert len(dataset) == len(rows), f"ms-swift dropped rows: {len(dataset)} of {len(rows)}"
    template = get_template(
        get_processor(str(model), model_type="qwen2_5_vl"), max_length=settings["longest"], template_type="qwen2_5_vl"
    )
    template.set_mode("train")
    cases, tokens = cases_of(folder), 0
    for row, sample in zip(rows[: len(cases)], dataset, strict=False):
        assert sample["solution"] == row["solution"]
        count = sum(token == IMAGE_TOKEN for token in template.encode(dict(sample))["input_ids"])
        assert count == image_tokens([folder / name for name in row["images"]]), (count, row["images"])
        tokens += count

    runpy.run_path(str(folder / "reward.py"))
    reward = orms["saccade"]()
    found = reward([case["completion"] for case in cases], solution=[case["truth"] for case in cases])
    for case, score in zip(cases, found, strict=True):
        assert score == case["reward"], (case["kind"], score, case["reward"])
    made = {"grpo_step": one_step(folder, model)} if steps else {}
    proved("ms-swift", rows=len(rows), image_tokens=tokens, rewards=len(cases), **made)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), "--no-step" not in sys.argv)
