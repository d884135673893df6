"""Writes a tiny Qwen2.5-VL with random weights and the token ids of the real one: `python tiny_model.py FOLDER`.

ms-swift has the id of the image token (151655) in its code, so a small vocabulary is filled up to the real numbers. Run
it in a framework's environment, with `tests` on the path.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import tiny_vl

FIRST_SPECIAL = 151_643
SPECIAL = "endoftext im_start im_end object_ref_start object_ref_end box_start box_end quad_start quad_end vision_start"
SPECIAL_TOKENS = [f"<|{name}|>" for name in f"{SPECIAL} vision_end vision_pad image_pad video_pad".split()]
LIMITS = {"min_pixels": 56 * 56, "max_pixels": 14 * 14 * 4 * 16_384}
"""Of the real image processor."""


def with_real_ids(tokenizer: Any) -> Any:
    """The same tokenizer with unused words up to the number of Qwen's first special token."""
    from tokenizers import Tokenizer  # noqa: PLC0415
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415

    content = json.loads(tokenizer.backend_tokenizer.to_str())
    words = content["model"]["vocab"]
    words |= {f"unused{number}": number for number in range(len(words), FIRST_SPECIAL)}
    usual = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    content["added_tokens"] = [
        {"id": FIRST_SPECIAL + at, "content": token, **usual} for at, token in enumerate(SPECIAL_TOKENS)
    ]
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(json.dumps(content)),
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        model_max_length=32_768,
        clean_up_tokenization_spaces=False,
        chat_template=tiny_vl.CHAT_TEMPLATE,
    )


def main(folder: Path) -> None:
    made = with_real_ids(tiny_vl.make_tokenizer())
    assert made.convert_tokens_to_ids("<|image_pad|>") == 151_655
    tiny_vl.make_tokenizer = lambda *_, **__: made
    tiny_vl.make_tiny(folder)
    file = folder / "preprocessor_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | LIMITS), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
