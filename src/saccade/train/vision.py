"""A vision-language model as a backbone: Qwen2.5-VL, Qwen3-VL and whatever has their shape.

It reads a row exactly as `models.hf` reads the same messages at inference, by the same code; the answer follows where
the model would begin to write.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from saccade.errors import InputError
from saccade.geometry import Frame
from saccade.models.families import VisionSettings
from saccade.models.fast_path.distinct_pictures import DistinctImageProcessor
from saccade.models.fast_path.fast_model import FastModel, open_fast
from saccade.models.hf import check_folder, load_whole
from saccade.models.reading import Reader
from saccade.models.torch_support import libraries
from saccade.paradigms import get_paradigm
from saccade.train.backbone import Backbone, NoOptions
from saccade.train.lora import merged
from saccade.train.processes import own_device
from saccade.train.recipe import Recipe
from saccade.types import Message, Picture

IGNORED = -100
"""A label that no loss counts."""
ALONG = {"attention_mask": 0, "mm_token_type_ids": 0, "labels": IGNORED}
"""What has a value for each token, and what it is filled up with."""
PICTURE_TOKENS = ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")
"""Where a model's configuration says which tokens stand for pictures."""
PATCHES = ("pixel_values", "image_grid_thw")
KEPT = (".json", ".jinja", ".txt", ".model")
"""Files beside the weights that a folder needs to be opened again."""
OWN = ("config.json", "adapter_config.json")


class VisionBackbone(Backbone):
    """One model in memory, with the folder it came from."""

    projections = r".*language_model\.layers\.\d+\.(self_attn\.[qkvo]_proj|mlp\.(gate|up|down)_proj)"
    vision_projections = r".*visual\.blocks\.\d+\.(attn\.(qkv|proj)|mlp\.(gate_proj|up_proj|down_proj|linear_fc[12]))"

    def __init__(self, folder: Path, name: str, model: Any, processor: Any, sight: VisionSettings) -> None:
        self.folder, self.model, self.processing, self.options = folder, model, processor, NoOptions()
        self.sight: VisionSettings | None = sight
        self.frame: Frame = sight.frame
        self.kept_dtype = saved_dtype(folder) or model.dtype
        most = getattr(model.config.get_text_config(), "max_position_embeddings", None) or 2**31
        self.reader = Reader(name, processor, most)
        named = (getattr(model.config, name, None) for name in PICTURE_TOKENS)
        self.unwritten = sorted({token for token in named if token is not None})
        self.fast: FastModel | None = None
        if self.reader.factor is None:
            raise InputError(f"{folder} resizes pictures its own way: only models like Qwen2.5-VL can be trained")
        processor.tokenizer.padding_side = "left"  # TRL puts prompts there, and asks here which tokens are pictures
        processor.image_processor.do_resize = False  # pictures come at the size at which they are to be seen
        if processor.tokenizer.pad_token_id is None:
            processor.tokenizer.pad_token = processor.tokenizer.eos_token

    @classmethod
    def check(cls, rest: str) -> None:
        if not rest:
            raise InputError("the recipe names no model: give the folder of one with --model PATH")
        check_folder(rest)

    @classmethod
    def open(cls, recipe: Recipe, rest: str) -> Self:
        """From a folder as its makers publish it, or as training wrote it."""
        cls.check(rest)
        folder = check_folder(rest)
        device = own_device()
        name, model, processor = load_whole(folder, device, weights_dtype(recipe, device.type))
        paradigm = get_paradigm(recipe.formats[0].paradigm)
        sight = VisionSettings.of(name, recipe.pixels or paradigm.pixels)
        return cls(folder, name, model, processor, sight)

    def speed_up(self, recipe: Recipe, shares_beginnings: bool = False) -> str:
        options = {"shares_beginnings": shares_beginnings, "checkpoints": recipe.checkpointing == "auto"}
        self.fast, said = open_fast(self.model, recipe.fast, recipe.precision, **options)
        self.packs_rows = self.fast is not None
        if shares_beginnings:
            processor = self.processing.image_processor
            self.processing.image_processor = DistinctImageProcessor(processor, self.model.device)
        return said

    def compile(self) -> None:
        if self.fast is not None and self.model.device.type == "cuda":
            self.fast.compile()

    def encode(
        self,
        messages: Sequence[Message],
        answer: str | None,
        chance: random.Random | None = None,
        most: int | None = None,
    ) -> dict[str, Any]:
        """The whole row: nothing of it is left to chance, and a screenshot cannot be thinned out."""
        torch, _ = libraries()
        read = self.reader.read(messages)
        sample = {key: value[0] for key, value in read.items() if key == "input_ids" or key in ALONG}
        sample |= {key: read[key] for key in PATCHES if key in read}
        if answer is None:
            return sample
        said = torch.tensor(self.answer_tokens(answer))
        labels = torch.cat([torch.full_like(sample["input_ids"], IGNORED), said])
        sample["input_ids"] = torch.cat([sample["input_ids"], said])
        for key, value in (("attention_mask", 1), ("mm_token_type_ids", 0)):
            if key in sample:
                sample[key] = torch.cat([sample[key], torch.full_like(said, value).to(sample[key].dtype)])
        return sample | {"labels": labels}

    def answer_tokens(self, answer: str) -> list[int]:
        """The answer and the token that ends it."""
        tokenizer = self.processing.tokenizer
        ids: list[int] = tokenizer(self.reader.plain(answer), add_special_tokens=False)["input_ids"]
        return [*ids, tokenizer.eos_token_id]

    def sizes(self, messages: Sequence[Message], answer: str, limits: Sequence[int] = ()) -> list[int]:
        """How many tokens `encode` gives, without opening a picture. A limit of elements changes nothing."""
        return [self._count_tokens(messages, answer)] * (1 + len(limits))

    def _count_tokens(self, messages: Sequence[Message], answer: str) -> int:
        factor = self.reader.factor or 28
        text = self.processing.apply_chat_template(self.reader.chat(messages), add_generation_prompt=True)
        count = len(self.processing.tokenizer(text, add_special_tokens=False)["input_ids"])
        for part in (part for message in messages for part in message.content if isinstance(part, Picture)):
            size = part.shown or part.size
            if size is None:
                return len(self.encode(messages, answer)["input_ids"])
            width, height = self.reader.whole(size, factor)
            count += width * height // factor**2 - 1  # in place of the one that marks it
        return count + len(self.answer_tokens(answer))

    def collate(self, samples: Sequence[dict[str, Any]]) -> dict[str, Any]:
        torch, _ = libraries()
        pad = torch.nn.utils.rnn.pad_sequence
        fill = {"input_ids": self.processing.tokenizer.pad_token_id} | ALONG
        batch = {
            key: pad([sample[key] for sample in samples], batch_first=True, padding_value=value)
            for key, value in fill.items()
            if key in samples[0]
        }
        for key in PATCHES:
            if found := [sample[key] for sample in samples if key in sample]:
                batch[key] = torch.cat(found)
        return batch

    def chat(self, messages: Sequence[Message]) -> dict[str, Any]:
        row: dict[str, Any] = {"prompt": self.reader.chat(messages)}
        images = self.reader.images(messages)
        return row | {"images": images} if images else row

    def save(self, folder: Path) -> None:
        """A folder that `hf/PATH` opens: adapters merged, weights in the precision in which they came, and the other
        files as they were. The training is over: the model in memory is changed.
        """
        folder.mkdir(parents=True, exist_ok=True)
        for file in sorted(self.folder.iterdir()):
            if file.suffix in KEPT and file.name not in OWN and not file.name.endswith(".index.json"):
                shutil.copy(file, folder / file.name)
        self.model = merged(self.model).to(self.kept_dtype)
        self.model.save_pretrained(folder)
        given = self.folder / "generation_config.json"
        if given.is_file():
            shutil.copy(given, folder / given.name)


def weights_dtype(recipe: Recipe, device: str) -> str:
    """A CPU computes in float32. On a GPU, weights that learn are float32, because a step of 1e-6 is nothing to a
    bfloat16, and computing is bfloat16 (autocast); weights that adapters leave alone are bfloat16 themselves.
    """
    if recipe.precision == "float32" or (device == "cpu" and recipe.precision == "auto"):
        return "float32"
    return "bfloat16" if recipe.lora or recipe.precision == "bfloat16" else "float32"


def saved_dtype(folder: Path) -> Any:
    _, transformers = libraries()
    return transformers.AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False).dtype
