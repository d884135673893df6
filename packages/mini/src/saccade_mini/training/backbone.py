"""The mini as a backbone: a small decoder that reads element lists, trained from scratch.

Ten layers of Qwen3's shape, 448 wide, with an own byte-level BPE of 8,192 tokens. What it reads and writes is in
`models.mini.text`. Training may name the elements at random and thin their lists out: short screens first is what
makes it learn to look things up at all.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from saccade.errors import InputError
from saccade.geometry import Frame
from saccade.models.families import Sight
from saccade.models.torch_support import libraries
from saccade.train.recipe import Recipe
from saccade.train.shared_prompt_scoring import branched
from saccade.types import Message
from saccade_mini.card import MODEL, Card, read_card
from saccade_mini.codec import COLUMNS, CONTROL, MARKS, MOST, PROMPT, ROWS, SPECIAL, Sheet, names_in
from saccade_mini.training.onnx_import import reopened

VOCABULARY = 8192
SHAPE: dict[str, Any] = {
    "vocab_size": VOCABULARY, "hidden_size": 448, "intermediate_size": 1216, "num_hidden_layers": 10,
    "num_attention_heads": 7, "num_key_value_heads": 7, "head_dim": 64, "max_position_embeddings": 2048,
    "rope_theta": 10_000.0, "tie_word_embeddings": True, "attention_dropout": 0.0,
}  # fmt: skip
"""27.7 million parameters."""
IN_ORDER = 0.5
"""How often elements keep the names they have at inference: the others are drawn, so that every name is learned."""
WEIGHTS = PROMPT.parent / "weights"
TOKENIZER = WEIGHTS / "tokenizer.json"
PIECES = 262_144
"""Pieces of text whose tokens are remembered."""
_OWN = re.compile(f"({'|'.join(map(re.escape, SPECIAL))})")
BYTES = 256
"""Tokens of single bytes, behind our own ones."""
POINTED = 8
"""Pointers of one practice row."""
PAD, END = SPECIAL.index("<pad>"), SPECIAL.index("<end>")
ENDS: dict[str, Any] = {"pad_token_id": PAD, "eos_token_id": END, "bos_token_id": None}
SHIPPED = "shipped"
"""A recipe's name for the mini that comes with the package."""


class MiniBackbone:
    """A mini that is trained. Its folder holds `mini.json`, `tokenizer.json` and weights as transformers has them."""

    frame = Frame("permille")
    sight: Sight | None = None
    template: Path | None = PROMPT
    projections = r".*\.(q_proj|k_proj|v_proj|o_proj|gate_proj|up_proj|down_proj)"
    vision_projections = "(?!)"
    needs_mask = False
    """Rows are filled up on the right, where no token looks: without a mask attention takes its fastest way."""

    def __init__(self, model: Any, processing: Any, restates: bool = False, fills: bool = False) -> None:
        self.model, self.processing, self.restates, self.fills = model, processing, restates, fills
        self._own = {mark: processing.convert_tokens_to_ids(mark) for mark in SPECIAL} if processing else {}
        self._piece = lru_cache(maxsize=PIECES)(self._encoded)

    @classmethod
    def open(cls, recipe: Recipe) -> MiniBackbone:
        """From a folder, or with weights drawn from the recipe's seed."""
        torch, transformers = libraries()
        if recipe.model != "mini":
            folder = folder_of(recipe.model)
            model = opened(folder)
            card, taught = read_card(folder), recipe.stage == "sft" and bool(recipe.restate)
            return cls(model, tokenizer_of(folder / "tokenizer.json"), taught or card.restates, taught or card.fills)
        tokenizer = tokenizer_of(TOKENIZER)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(recipe.seed)
            config = transformers.Qwen3Config(**SHAPE, **ENDS)
            model = transformers.Qwen3ForCausalLM(config)
        return cls(model, tokenizer, bool(recipe.restate), bool(recipe.restate))

    def encode(self, messages: Sequence[Message], answer: str | None, chance: random.Random | None = None,
               most: int | None = None) -> dict[str, Any]:  # fmt: skip
        sheet = self._sheet(messages, chance)
        written = sheet.compress(answer) if answer is not None else ""
        if most is not None and len(sheet.items) > most:
            sheet.thin(names_in(written), most, chance or random.Random(0))
        prompt = self._ids(sheet.prompt())
        if answer is None:
            return {"input_ids": prompt}
        said = self._ids(written)
        return {"input_ids": prompt + said, "labels": [-100] * len(prompt) + said}

    def _sheet(self, messages: Sequence[Message], chance: random.Random | None) -> Sheet:
        """The prompt, now and then with other names for its elements."""
        sheet = Sheet.read(messages[0].text)
        if chance is not None and chance.random() > IN_ORDER:
            sheet.shuffle(chance)
        return sheet

    def encode_several(self, messages: Sequence[Message], answers: Sequence[str], chance: random.Random | None = None
                       ) -> dict[str, Any]:  # fmt: skip
        """Several answers behind one prompt, each of which sees the prompt and itself (`branches`)."""
        sheet = self._sheet(messages, chance)
        return branched(self._ids(sheet.prompt()), [self._ids(sheet.compress(answer)) for answer in answers])

    def sizes(self, messages: Sequence[Message], answer: str, limits: Sequence[int]) -> list[int]:
        """Tokens of a row, and about how many it has with at most so many elements. Each element begins a line."""
        sheet = Sheet.read(messages[0].text)
        written = sheet.compress(answer)
        prompt = self._ids(sheet.prompt())
        line, whole = self.processing.convert_tokens_to_ids("Ċ"), len(prompt) + len(self._ids(written))
        begins = [at for at, token in enumerate(prompt) if token == line]
        if not begins:
            return [whole] * (1 + len(limits))
        listed, needed = len(prompt) - begins[0], len(names_in(written))
        share = [min(1.0, max(limit, needed) / len(begins)) for limit in limits]
        return [whole, *(whole - round(listed * (1 - each)) for each in share)]

    def practice(self, chance: random.Random, most: int) -> dict[str, Any]:
        """A list of made-up elements, and pointers to some of them: nothing but looking up. Attention learns it within
        a thousand such steps, and hardly at all from screens alone, where it is a few tokens of each row.
        """
        count, first = chance.randint(2, most), len(SPECIAL) + BYTES
        names = chance.sample(range(MOST), count) if chance.random() > IN_ORDER else list(range(count))
        placed = chance.random() < 0.5
        number = self.processing.convert_tokens_to_ids
        pointer, x, y, line = number("<p>"), number("<x0>"), number("<y0>"), number("Ċ")
        listed, spans = [], []
        for name in names:
            span = [chance.randrange(first, VOCABULARY) for _ in range(chance.randint(1, 4))]
            span.append(number("<e0>") + name)
            where = [x + chance.randrange(COLUMNS), y + chance.randrange(ROWS)] if placed else []
            listed += [line, *where, *span]
            spans.append(span)
        said: list[int] = []
        labels: list[int] = []
        for span in chance.sample(spans, min(count, POINTED)):
            said += [pointer, *span]
            labels += [-100, -100, *span[1:]]
        return {"input_ids": [*listed, *said], "labels": [-100] * len(listed) + labels}

    def _ids(self, text: str) -> list[int]:
        """A text's tokens, piece by piece: our own tokens cut it, and what stands between two comes again and again."""
        ids: list[int] = []
        for at, piece in enumerate(_OWN.split(text)):
            if at % 2:
                ids.append(self._own[piece])
            elif piece:
                ids += self._piece(piece)
        return ids

    def _encoded(self, piece: str) -> tuple[int, ...]:
        return tuple(self.processing.backend_tokenizer.encode(piece, add_special_tokens=False).ids)

    def collate(self, samples: Sequence[dict[str, Any]]) -> dict[str, Any]:
        torch, _ = libraries()
        width = max(len(sample["input_ids"]) for sample in samples)
        width += -width % 16
        batch = {
            "input_ids": torch.full((len(samples), width), PAD),
            "attention_mask": torch.zeros(len(samples), width, dtype=torch.long),
        }
        if "labels" in samples[0]:
            batch["labels"] = torch.full((len(samples), width), -100)
        for at, sample in enumerate(samples):
            count = len(sample["input_ids"])
            batch["attention_mask"][at, :count] = 1
            for key in batch.keys() & sample.keys():
                batch[key][at, :count] = torch.tensor(sample[key])
        return batch

    def chat(self, messages: Sequence[Message]) -> dict[str, Any]:
        return {"prompt": Sheet.read(messages[0].text).prompt()}

    def answer(self, messages: Sequence[Message], completion: str) -> str:
        return Sheet.read(messages[0].text).expand(completion)

    def compile(self) -> None:
        """Fuse what a layer does between its products: on a GPU that is most of the time of a model this narrow."""
        for layer in self.model.model.layers:
            layer.compile(dynamic=True)

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.model.config.use_cache = True  # training turned it off
        self.model.save_pretrained(folder)
        self.processing.backend_tokenizer.save(str(folder / "tokenizer.json"))
        card = {"version": "1", "restates": self.restates, "fills": self.fills}
        (folder / "mini.json").write_text(json.dumps(card), encoding="utf-8")


def folder_of(name: str | Path) -> Path:
    """Where a mini lies that is named in a recipe or to a command."""
    return WEIGHTS if str(name) == SHIPPED else Path(name)


def opened(folder: Path) -> Any:
    """A mini as training saves it, or as it runs."""
    torch, transformers = libraries()
    if not (folder / "config.json").is_file() and (folder / MODEL).is_file():
        return reopened(folder, SHAPE, **ENDS)
    return transformers.Qwen3ForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True)


def averaged(folders: Sequence[Path]) -> Any:
    """One mini whose weights are the means of several that began as the same one ("model soups", Wortsman et al. 2022):
    each round of training wins some tasks and loses others.
    """
    torch, _ = libraries()
    models = [opened(folder) for folder in folders]
    weights = [model.state_dict() for model in models]
    for folder, each in zip(folders, weights, strict=True):
        if {name: value.shape for name, value in each.items()} != {n: value.shape for n, value in weights[0].items()}:
            raise InputError(f"{folder} has not the shape of {folders[0]}: only minis of one shape can be averaged")
    mean = {name: torch.stack([each[name].float() for each in weights]).mean(0) for name in weights[0]}
    models[0].load_state_dict(mean)
    return models[0]


def card_of(folders: Sequence[Path]) -> Card:
    """Of a mean: what all of them can do, it can. One alone stays what it is."""
    cards = [read_card(folder) for folder in folders]
    if len(cards) == 1:
        return cards[0]
    return Card(version="1", restates=all(each.restates for each in cards), fills=all(each.fills for each in cards))


class TokenizerBackbone(MiniBackbone):
    """A mini without model and tokenizer: enough to write rows, from which the tokenizer is learned."""

    def __init__(self) -> None:
        super().__init__(None, None)

    def texts(self, messages: Sequence[Message], answer: str) -> tuple[str, str]:
        sheet = Sheet.read(messages[0].text)
        return sheet.prompt(), sheet.compress(answer)

    def sizes(self, messages: Sequence[Message], answer: str, limits: Sequence[int]) -> list[int]:
        return [0] * (1 + len(limits))


def tokenizer_of(file: Path) -> Any:
    """As transformers and TRL take it: pointers are text of an answer, so that decoding keeps them."""
    _, transformers = libraries()
    if not file.is_file():
        raise InputError(f"there is no tokenizer {file}: saccade train tokenizer writes one")
    return transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(file), pad_token="<pad>", eos_token="<end>", padding_side="left",
        clean_up_tokenization_spaces=False, model_max_length=SHAPE["max_position_embeddings"],
    )  # fmt: skip


def train_tokenizer(texts: Iterable[str], file: Path) -> None:
    """Byte-level BPE, learned from prompts and answers; our own tokens come first. Digits and blanks stand alone: a
    word is the same token wherever it stands, which makes it easy to copy.
    """
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: PLC0415

    tokenizer = Tokenizer(models.BPE())
    words = pre_tokenizers.Split(Regex(r"\p{L}+|\p{N}|\s|[^\s\p{L}\p{N}]+"), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([words, pre_tokenizers.ByteLevel(False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY, min_frequency=3, show_progress=False, special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )  # fmt: skip
    marks = Regex("|".join(sorted((f"<{mark[1:-1]}>" for mark in SPECIAL), key=len, reverse=True)))
    split = pre_tokenizers.Split(marks, "removed")
    tokenizer.train_from_iterator((piece for text in texts for piece, _ in split.pre_tokenize_str(text)), trainer)
    tokenizer.add_tokens([AddedToken(mark, special=False, normalized=False) for mark in MARKS])
    value = json.loads(tokenizer.to_str())
    for token in value["added_tokens"]:
        token["special"] = token["content"] in CONTROL
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
