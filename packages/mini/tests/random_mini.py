"""A mini with random weights: the real classes, tokenizer and files, and nonsense for answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from saccade_mini.card import Card
from saccade_mini.codec import SPECIAL

WORDS = """@btl en task: Set an alarm for 7:30 button Save text scroll field switch checked
<think>I tap Save.</think> <summary>None</summary> <tool_call>{"name": "mobile_use", "arguments": {"action": "click",
"coordinate": [500, 120]}}</tool_call> [{"ID": 1, "bbox": [0, 0, 10, 10]}] <answer> <plan> <ui_elements> 设置 闹钟 早上
七点半 打开 微信 搜索 保存 取消 返回"""


def make_tokenizer(file: Path, vocabulary: int = 800, texts: Sequence[str] = (WORDS,)) -> Path:
    """Byte-level, digits one by one, and the tokens that stand for themselves."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: PLC0415

    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(r"\p{N}| ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+"), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=vocabulary - len(SPECIAL), show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())  # fmt: skip
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    tokenizer.save(str(file))
    return file


def make_qwen3(vocabulary: int, seed: int = 0, scores: bool = False, initial: float = 0.06, **sizes: int) -> Any:
    """A decoder whose logits differ as a trained one's do."""
    import torch  # noqa: PLC0415
    from transformers import Qwen3Config, Qwen3ForCausalLM, Qwen3ForSequenceClassification  # noqa: PLC0415

    shape = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2,
             "head_dim": 64, "intermediate_size": 192, "max_position_embeddings": 2048} | sizes  # fmt: skip
    config = Qwen3Config(vocab_size=vocabulary, tie_word_embeddings=True, initializer_range=initial, num_labels=1,
                         pad_token_id=0, rope_parameters={"rope_type": "default", "rope_theta": 10_000.0},
                         **shape)  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = (Qwen3ForSequenceClassification if scores else Qwen3ForCausalLM)(config).eval()
        for name, weight in model.named_parameters():
            if "norm" in name:
                torch.nn.init.normal_(weight, 1.0, 0.3)
    return model


def make_random_mini(folder: Path, seed: int = 0, vocabulary: int = 800, **sizes: int) -> Path:
    """A folder for `mini/PATH`."""
    from tokenizers import Tokenizer  # noqa: PLC0415

    from saccade_mini.training.onnx_export import write_mini  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer(folder / "tokenizer.json", vocabulary)
    size = Tokenizer.from_file(str(tokenizer)).get_vocab_size()
    return write_mini(
        make_qwen3(size, seed, False, 0.06, **sizes), tokenizer, folder, Card(version="random", seed=seed), bits=8
    )
