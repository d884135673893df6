"""Proves an export with verl's own loader, configuration and reward manager: `python prove_verl.py EXPORT MODEL`."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet
import torch
from common import IMAGE_TOKEN, cases_of, image_tokens, proved
from hydra import compose, initialize_config_module
from tensordict import TensorDict
from transformers import AutoProcessor
from verl import DataProto
from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
from verl.trainer.ppo.ray_trainer import RayPPOTrainer
from verl.trainer.ppo.reward import get_custom_reward_fn
from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn


def configuration(folder: Path, model: Path) -> Any:
    """verl's configuration with the arguments of run.sh: an unknown key, or a value of a wrong kind, is an error."""
    script = (folder / "run.sh").read_text(encoding="utf-8").replace('"$PWD', f'"{folder}')
    words = re.findall(r"^    (\S+=.+?) \\$", script, re.MULTILINE)
    values = {"$MODEL": str(model), "$GPUS": "1", "${ROLLOUT:-vllm}": "vllm"}
    for name, value in values.items():
        words = [word.replace(name, value) for word in words]
    overrides = [word.replace('"', "") if "[" not in word else word.replace("'", "") for word in words]
    with initialize_config_module("verl.trainer.config", version_base=None):
        return compose("ppo_trainer", overrides=overrides)


async def rewarded(config: Any, tokenizer: Any, batch: Any) -> list[dict[str, Any]]:
    """What verl's reward manager gives each answer of a batch."""
    manager = NaiveRewardManager(config, tokenizer, get_custom_reward_fn(config))
    return [await manager.run_single(batch[at : at + 1]) for at in range(len(batch))]


def main(folder: Path, model: Path) -> None:
    config = configuration(folder, model)
    processor = AutoProcessor.from_pretrained(model)
    tokenizer = processor.tokenizer
    dataset = RLHFDataset(config.data.train_files, tokenizer, config.data, processor)
    rows = pyarrow.parquet.ParquetFile(folder / "train.parquet").metadata.num_rows
    assert len(dataset) == rows, f"verl dropped rows: {len(dataset)} of {rows}"  # its length filter swallows errors

    cases = cases_of(folder)
    pictures = pyarrow.parquet.read_table(folder / "train.parquet", columns=["images"]).to_pylist()
    samples = [dataset[at] for at in range(len(cases))]
    tokens = 0
    for sample, row in zip(samples, pictures, strict=False):
        text = processor.apply_chat_template(sample["raw_prompt"], add_generation_prompt=True, tokenize=False)
        images = asyncio.run(RLHFDataset.process_vision_info(sample["raw_prompt"], 14, config.data))[0]
        found = processor(text=[text], images=images, return_tensors="pt")["input_ids"]
        count = int((found == IMAGE_TOKEN).sum())
        assert count == image_tokens([each["bytes"] for each in row["images"]]), (count, sample["extra_info"])
        tokens += count

    batch = DataProto.from_single_dict(collate_fn(samples))
    answers = [torch.tensor(tokenizer.encode(case["completion"]) or [tokenizer.pad_token_id]) for case in cases]
    longest = max(map(len, answers))
    ids = torch.stack([torch.nn.functional.pad(each, (0, longest - len(each)), value=0) for each in answers])
    mask = torch.stack([(torch.arange(longest) < len(each)).long() for each in answers])
    prompt = torch.zeros(len(cases), 1, dtype=torch.long)
    fields = {"prompts": prompt, "responses": ids, "attention_mask": torch.cat([prompt + 1, mask], 1)}
    batch.batch = TensorDict(fields, batch_size=[len(cases)])
    results = asyncio.run(rewarded(config, tokenizer, batch))
    for case, result in zip(cases, results, strict=True):
        assert result["reward_score"] == case["reward"], (case["kind"], result, case["reward"])
    parts = {name: [result["reward_extra_info"].get(name) for result in results] for name in ("score", "format")}
    RayPPOTrainer._write_generations(
        ["prompt"] * len(cases),
        [tokenizer.decode(each, skip_special_tokens=True) for each in answers],
        [case["truth"] for case in cases],
        [result["reward_score"] for result in results],
        {"format": parts["format"]},
        str(folder / "rollouts"),
        1,
    )
    proved("verl", rows=rows, image_tokens=tokens, rewards=len(cases), settings="run.sh accepted by ppo_trainer")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
