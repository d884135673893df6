"""Proves an export with LLaMA-Factory's arguments and `get_dataset`: `python prove_llama_factory.py EXPORT MODEL`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from common import IMAGE_TOKEN, image_tokens, proved

CASES = 200


def main(folder: Path, model: Path) -> None:
    os.environ["DISABLE_VERSION_CHECK"] = "1"
    os.chdir(folder)
    import yaml  # noqa: PLC0415
    from llamafactory.data import get_dataset, get_template_and_fix_tokenizer  # noqa: PLC0415  (reads the environment)
    from llamafactory.hparams import get_train_args  # noqa: PLC0415
    from llamafactory.model import load_tokenizer  # noqa: PLC0415

    given = yaml.safe_load((folder / "train.yaml").read_text(encoding="utf-8"))
    given |= {"model_name_or_path": str(model), "bf16": False, "use_cpu": True, "overwrite_cache": True}
    rows = [json.loads(line) for line in (folder / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    model_args, data_args, training_args, _, _ = get_train_args(given | {"max_samples": CASES, "report_to": "none"})
    loaded = load_tokenizer(model_args)
    template = get_template_and_fix_tokenizer(loaded["tokenizer"], data_args)
    found = get_dataset(template, model_args, data_args, training_args, stage="sft", **loaded)["train_dataset"]
    assert len(found) == CASES, f"LLaMA-Factory dropped rows: {len(found)} of {CASES}"
    tokens = 0
    for row, sample in zip(rows, found, strict=False):
        count = sum(token == IMAGE_TOKEN for token in sample["input_ids"])
        assert count == image_tokens([folder / name for name in row["images"]]), (count, row["images"])
        taught = [token for token, label in zip(sample["input_ids"], sample["labels"], strict=True) if label != -100]
        said = loaded["tokenizer"].decode(taught, skip_special_tokens=True).strip()
        assert said == row["messages"][-1]["content"].strip(), said
        tokens += count
    proved("LLaMA-Factory", rows=len(rows), encoded=CASES, image_tokens=tokens, answers="equal")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
