"""`saccade mini export`: from a folder of weights to one that `mini/PATH` runs."""

from __future__ import annotations

import shutil
from pathlib import Path

from saccade.agents.prm_prompt import FILE as PROMPT
from saccade.errors import InputError
from saccade.models.torch_support import libraries
from saccade_mini.card import TOKENIZER, read_card
from saccade_mini.model import WEIGHTS
from saccade_mini.training.backbone import load_model
from saccade_mini.training.onnx_graph import write_mini


def export_mini(name: str, out: Path, bits: int = 4) -> Path:
    """Write what a training left in a folder, or a mini that was exported before (`mini` is the one that ships). A
    model with a score head becomes the reward model beside the model that is already in `out`.
    """
    folder = WEIGHTS if name == "mini" else Path(name)
    card, config = read_card(folder), folder / "config.json"
    if not config.is_file() or '"Qwen3ForSequenceClassification"' not in config.read_text(encoding="utf-8"):
        return write_mini(load_model(folder), folder / TOKENIZER, out, card, bits=bits)
    _, transformers = libraries()
    model = transformers.Qwen3ForSequenceClassification.from_pretrained(
        folder, local_files_only=True, use_safetensors=True
    )
    written = write_mini(model, folder / TOKENIZER, out, card, bits=bits)
    if not (folder / PROMPT).is_file():
        raise InputError(f"{folder} has no {PROMPT}: it is not a reward model as saccade train prm saves it")
    shutil.copyfile(folder / PROMPT, out / PROMPT)
    return written
