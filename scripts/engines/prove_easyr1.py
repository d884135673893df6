"""Proves an export against EasyR1's contract: `python prove_easyr1.py EXPORT MODEL`.

EasyR1 is not on PyPI. This reader does what its `RLHFDataset` and batch reward manager document: the prompt is one user
message cut at `<image>`, pictures are `{"bytes": …}` within `min_pixels` and `max_pixels`, the column `answer` becomes
`ground_truth`, and the reward file's `compute_score` is given a list of {response, response_length, ground_truth}. The
framework itself is NOT run.
"""

from __future__ import annotations

import importlib.util
import io
import json
import re
import sys
from pathlib import Path

from common import IMAGE_TOKEN, cases_of, image_tokens, proved
from datasets import load_dataset
from PIL import Image
from transformers import AutoProcessor


def main(folder: Path, model: Path) -> None:
    script = (folder / "run.sh").read_text(encoding="utf-8")
    low, high = (int(re.search(rf"data\.{name}_pixels=(\d+)", script)[1]) for name in ("min", "max"))
    processor = AutoProcessor.from_pretrained(model)
    rows = load_dataset("parquet", data_files=str(folder / "train.parquet"), split="train")
    cases, tokens = cases_of(folder), 0
    for at, case in enumerate(cases):
        row, content = rows[at], []
        for number, text in enumerate(row["prompt"].split("<image>")):
            content += [{"type": "image"}] if number else []
            content += [{"type": "text", "text": text}] if text else []
        images = [Image.open(io.BytesIO(each["bytes"])).convert("RGB") for each in row["images"]]
        assert all(low <= image.width * image.height <= high for image in images), "EasyR1 would resize it"
        prompt = processor.apply_chat_template(
            [{"role": "user", "content": content}], add_generation_prompt=True, tokenize=False
        )
        found = processor(images, [prompt], add_special_tokens=False, return_tensors="pt")["input_ids"]
        count = int((found == IMAGE_TOKEN).sum())
        assert count == image_tokens([each["bytes"] for each in row["images"]]), count
        assert row["answer"] == case["truth"]
        tokens += count

    spec = importlib.util.spec_from_file_location("custom_reward_fn", folder / "reward.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.REWARD_TYPE == "batch"
    said = [
        {"response": case["completion"], "response_length": len(case["completion"]), "ground_truth": case["truth"]}
        for case in cases
    ]
    for case, scores in zip(cases, module.compute_score(said), strict=True):
        assert scores["overall"] == case["reward"], (case["kind"], scores, case["reward"])
    settings = json.loads((folder / "export.json").read_text())["rows"]["train"]
    assert len(rows) == settings
    proved("EasyR1 (its contract, not the framework)", rows=len(rows), image_tokens=tokens, rewards=len(cases))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
