"""Tiny vision-language models with random weights, in folders as their makers publish them: the real classes of
transformers, the real files, a tokenizer and a chat template of our own. They answer nonsense in milliseconds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

Family = Literal["qwen2.5-vl", "qwen3-vl"]
FACTOR: dict[Family, int] = {"qwen2.5-vl": 28, "qwen3-vl": 32}
"""Pixels of a vision token's side."""

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>"]
SPECIAL += ["<|image_pad|>", "<|video_pad|>"]

CHAT_TEMPLATE = """\
{%- for message in messages %}
<|im_start|>{{ message.role }}
{% if message.content is string %}{{ message.content }}
{%- else %}{% for part in message.content %}
{%- if part.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ part.text }}{% endif %}
{%- endfor %}{% endif %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""


def make_tokenizer(words: int = 1000, phrases: Sequence[str] = ()) -> Any:
    """Byte-level BPE of so many words, learned from the paradigms' own prompts, so that these become short. Each of the
    phrases is one token, too.
    """
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: PLC0415
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415

    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(r"\p{N}| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+"), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    prompts = sorted(files("saccade.paradigms").joinpath("templates").iterdir(), key=lambda file: file.name)
    trainer = trainers.BpeTrainer(
        vocab_size=words, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator((file.read_text(encoding="utf-8") for file in prompts), trainer)
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL])
    tokenizer.add_tokens(list(phrases))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        model_max_length=8192,
        clean_up_tokenization_spaces=False,
        chat_template=CHAT_TEMPLATE,
    )


def make_tiny(folder: Path, family: Family = "qwen2.5-vl", seed: int = 0, phrases: Sequence[str] = ()) -> Path:
    """Write a model with its processor into `folder`. The same seed gives the same weights. `phrases`: what it reads
    and writes as one token, which makes it quick.
    """
    import torch  # noqa: PLC0415
    from transformers import AutoModelForImageTextToText, GenerationConfig  # noqa: PLC0415

    tokenizer = make_tokenizer(phrases=phrases)
    config = _config(family, tokenizer)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = AutoModelForImageTextToText.from_config(config, dtype=torch.float32)
    # What makers put there: an agent that is asked for the likeliest answer must not be led by it.
    model.generation_config = GenerationConfig(
        do_sample=True,
        temperature=0.7,
        top_k=20,
        repetition_penalty=1.05,
        eos_token_id=[tokenizer.eos_token_id, tokenizer.pad_token_id],
        pad_token_id=tokenizer.pad_token_id,
    )
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    _edit(folder / "tokenizer_config.json", tokenizer_class="Qwen2Tokenizer")
    (folder / "preprocessor_config.json").write_text(json.dumps(_eyes(family), indent=2), encoding="utf-8")
    return folder


def _config(family: Family, tokenizer: Any) -> Any:
    from transformers import Qwen2_5_VLConfig, Qwen3VLConfig  # noqa: PLC0415

    number = tokenizer.convert_tokens_to_ids
    ids = {
        "image_token_id": number("<|image_pad|>"),
        "video_token_id": number("<|video_pad|>"),
        "vision_start_token_id": number("<|vision_start|>"),
        "vision_end_token_id": number("<|vision_end|>"),
    }
    text: dict[str, Any] = {
        "vocab_size": len(tokenizer),
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 8192,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "initializer_range": 0.2,
    }
    vision: dict[str, Any] = {"depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2}
    vision |= {"initializer_range": 0.2}
    vision["out_hidden_size"] = text["hidden_size"]
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": 1_000_000.0, "mrope_section": [2, 3, 3]}
    if family == "qwen2.5-vl":
        vision["fullatt_block_indexes"] = [1]
        return Qwen2_5_VLConfig(text_config=text | {"rope_parameters": rope}, vision_config=vision, **ids)
    vision |= {"deepstack_visual_indexes": [0], "num_position_embeddings": 256}
    text |= {"head_dim": 16, "rope_parameters": rope | {"mrope_interleaved": True}}
    del text["bos_token_id"]
    return Qwen3VLConfig(text_config=text, vision_config=vision, **ids)


def _eyes(family: Family) -> dict[str, Any]:
    """The image processor's file, with limits far from what a paradigm asks for."""
    old = family == "qwen2.5-vl"
    half = [0.5, 0.5, 0.5]
    few, many = 200_000, 300_000
    limits = {"min_pixels": few, "max_pixels": many} if old else {"size": {"shortest_edge": few, "longest_edge": many}}
    return limits | {
        "image_processor_type": "Qwen2VLImageProcessor" if old else "Qwen2VLImageProcessorFast",
        "processor_class": "Qwen2_5_VLProcessor" if old else "Qwen3VLProcessor",
        "patch_size": FACTOR[family] // 2,
        "merge_size": 2,
        "temporal_patch_size": 2,
        "image_mean": half,
        "image_std": half,
    }


def _edit(file: Path, **changes: Any) -> None:
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | changes, indent=2), encoding="utf-8")
