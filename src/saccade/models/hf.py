"""A vision-language model from a local folder, run by transformers on this machine: Qwen2.5-VL, Qwen3-VL and whatever
works the same way.

The answer depends on the messages, on `Ask` and on the weights, and on nothing else: what a folder recommends for
sampling (temperature, top-k, a penalty for repetition) is not applied, and a seed repeats an answer without touching
the random numbers of the rest of the program. Nothing is downloaded, no code from a folder is run, no pickle is read.
"""

from __future__ import annotations

import re
import secrets
import time
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from saccade.errors import InputError
from saccade.models.base import Ask, Completion, Model, ModelError, Usage
from saccade.models.model_files import check_claims, check_model_files
from saccade.models.reading import Reader
from saccade.models.torch_support import (
    LOCAL_ONLY,
    check_dtype,
    explained_load_errors,
    first_line,
    libraries,
    out_of_memory,
    pick_device,
    quiet_transformers,
)
from saccade.types import Message


def open_hf(path: str, *, device: str = "auto", dtype: str = "auto", max_batch: int = 8, **_: Any) -> Model:
    """A model from a folder as its makers publish it, or as training wrote it. `auto` takes the GPU if there is one,
    and there the precision in which the weights were saved; a CPU gets float32, for most compute others hundreds of
    times more slowly. `max_batch` answers are sampled at once.
    """
    folder = check_folder(path)
    if max_batch < 1:
        raise InputError(f"max_batch is {max_batch}: at least one answer must be sampled at a time")
    check_dtype(dtype)
    libraries()
    where = pick_device(device)
    name, model, processor = load_whole(folder, where, dtype)
    return HfModel(name, model, processor, max_batch)


def load_whole(folder: Path, device: Any, dtype: str) -> tuple[str, Any, Any]:
    """A folder's model with its name and its processor."""
    with quiet_transformers(), explained_load_errors(folder):
        config = load_config(folder)
        processor = load_processor(folder, config)
        model = _load_weights(folder, config, device, dtype)
    return _name(folder, config), model, processor


def check_folder(path: str) -> Path:
    """The folder, if it can hold a model at all: this must not take seconds."""
    folder = Path(path).expanduser()
    if not path or not folder.is_dir():
        raise InputError(
            f"there is no folder {path!r}: hf/PATH takes a local folder with a model, nothing is downloaded"
        )
    if (folder / "adapter_config.json").is_file():
        raise InputError(f"{folder} holds only a LoRA adapter: merge it into its base model and save that")
    if not (folder / "config.json").is_file():
        raise InputError(f"{folder} has no config.json: it is not a model's folder as transformers writes it")
    if not any(folder.glob("*.safetensors")):
        raise InputError(f"{folder} has no weights as safetensors, and other kinds are not read: convert them first")
    check_model_files(folder)
    return folder


def load_config(folder: Path) -> Any:
    """The configuration of a model that takes pictures."""
    _, transformers = libraries()
    config = transformers.AutoConfig.from_pretrained(folder, **LOCAL_ONLY)
    if type(config) not in transformers.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING:
        raise InputError(f"{folder} holds a {config.model_type} model, which takes no pictures and text: use another")
    check_claims(folder, config)
    return config


def load_processor(folder: Path, config: Any) -> Any:
    """Tokenizer, image processor and chat template. Without torchvision there is no video processor, and transformers
    then refuses the whole; screens do not move, so we go without.
    """
    _, transformers = libraries()
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING  # noqa: PLC0415

    kind = transformers.AutoProcessor
    if not transformers.utils.is_torchvision_available() and type(config) in PROCESSOR_MAPPING:
        usual = PROCESSOR_MAPPING[type(config)]
        kind = _without_video(usual) if "video_processor" in usual.get_attributes() else usual
    processor = kind.from_pretrained(folder, **LOCAL_ONLY)
    if getattr(processor, "image_processor", None) is None or getattr(processor, "tokenizer", None) is None:
        raise InputError(f"{folder} lacks a tokenizer or an image processor: copy those files from the base model")
    token = getattr(config, "image_token_id", None)
    if token is not None and getattr(processor, "image_token_id", token) != token:
        raise InputError(f"the tokenizer in {folder} is not that of the model: copy its files from the base model")
    processor.chat_template = processor.chat_template or processor.tokenizer.chat_template
    if not processor.chat_template:
        raise InputError(f"{folder} has no chat template: copy chat_template.jinja from the base model")
    return processor


def _without_video(usual: Any) -> Any:
    def __init__(  # noqa: N807
        self: Any, image_processor: Any = None, tokenizer: Any = None, chat_template: Any = None, **_: Any
    ) -> None:
        usual.__init__(self, image_processor, tokenizer, chat_template=chat_template)

    return type(usual.__name__, (usual,), {"__init__": __init__})  # its signature says what is loaded


def _load_weights(folder: Path, config: Any, device: Any, dtype: str) -> Any:
    torch, transformers = libraries()
    if dtype == "auto" and device.type == "cpu":
        dtype = "float32"
    model, told = transformers.AutoModelForImageTextToText.from_pretrained(
        folder,
        config=config,
        dtype=dtype if dtype == "auto" else getattr(torch, dtype),
        device_map=None if device.type == "cpu" else device,
        use_safetensors=True,
        output_loading_info=True,
        **LOCAL_ONLY,
    )
    if missing := sorted(told["missing_keys"]):  # they would be drawn at random
        raise InputError(f"the weights in {folder} are not complete: {len(missing)} are missing, such as {missing[0]}")
    from saccade.models.patches import as_products  # noqa: PLC0415  (it needs torch)

    as_products(model)
    return model.eval()


def _name(folder: Path, config: Any) -> str:
    """How a model writes places depends on its family (`families.py`), which a folder's name need not tell."""
    family = re.sub(r"(?<=\d)_(?=\d)", ".", config.model_type).replace("_", "-")
    name = folder.resolve().name
    return f"hf/{name}" if family in name.lower() else f"hf/{name} ({family})"


class _DecodedAnswer(NamedTuple):
    text: str
    tokens: int
    """How many, the one that ends the answer included."""
    whole: bool


class HfModel(Model):
    """One model in memory. Calls from several threads take turns."""

    def __init__(self, name: str, model: Any, processor: Any, max_batch: int) -> None:
        self.name = name
        self.max_batch = max_batch
        self.processor = processor
        self.model = model
        self.most_tokens: int = getattr(model.config.get_text_config(), "max_position_embeddings", None) or 2**31
        self._turn = Lock()
        self.reader = Reader(name, processor, self.most_tokens)
        tokenizer = processor.tokenizer
        self._ends = _end_tokens(model, tokenizer)
        self._pad: int = self._ends[0] if tokenizer.pad_token_id is None else tokenizer.pad_token_id
        _, transformers = libraries()
        model.generation_config = transformers.GenerationConfig(eos_token_id=self._ends, pad_token_id=self._pad)

    def complete(self, messages: Sequence[Message], ask: Ask) -> list[Completion]:
        watch = _StopAtDeadline(ask.deadline)
        if not self._turn.acquire(timeout=max(0.0, ask.deadline)):
            raise ModelError(f"{self.name} was busy with other calls for all of {ask.deadline:g} s")
        try:
            inputs = self._read(messages)
            rows = self._sample(inputs, ask, watch)
        finally:
            self._turn.release()
        return self._completions(rows, inputs["input_ids"].shape[1], ask, watch)

    def close(self) -> None:
        self.model = None
        libraries()[0].cuda.empty_cache()  # does nothing without a GPU

    def _read(self, messages: Sequence[Message]) -> Any:
        """What the model is given."""
        return self.reader.read(messages).to(self.model.device)

    def _sample(self, inputs: Any, ask: Ask, watch: _StopAtDeadline) -> list[list[int]]:
        """The tokens of each answer. Without a temperature all answers are the same one."""
        torch, _ = libraries()
        device = self.model.device
        read, hot = inputs["input_ids"].shape[1], ask.temperature > 0
        wanted = ask.n if hot else min(ask.n, 1)
        rows: list[list[int]] = []
        others = [] if device.type == "cpu" else [device]
        with torch.random.fork_rng(others, device_type=device.type if others else "cuda"):
            torch.manual_seed(secrets.randbits(63) if ask.seed is None else ask.seed % 2**63)
            while len(rows) < wanted and not (rows and watch.over):
                count = min(self.max_batch, wanted - len(rows))
                rows += self._generate(inputs, self._settings(ask, read, count), watch)[:, read:].tolist()
        if not hot:
            return rows * ask.n
        return rows + [[]] * (ask.n - len(rows))  # no time was left for these

    def _settings(self, ask: Ask, read: int, count: int) -> Any:
        _, transformers = libraries()
        settings: dict[str, Any] = {"do_sample": False}
        if ask.temperature > 0:
            settings = {"do_sample": True, "temperature": ask.temperature, "top_p": ask.top_p, "top_k": 0}
        return transformers.GenerationConfig(
            max_new_tokens=max(1, min(ask.max_tokens, self.most_tokens - read)),
            num_return_sequences=count,
            stop_strings=[stop for stop in ask.stop if stop] or None,
            eos_token_id=self._ends,
            pad_token_id=self._pad,
            **settings,
        )

    def _generate(self, inputs: Any, settings: Any, watch: _StopAtDeadline) -> Any:
        torch, _ = libraries()
        try:
            with torch.inference_mode(), quiet_transformers():
                return self.model.generate(
                    **inputs,
                    generation_config=settings,
                    stopping_criteria=[watch],
                    tokenizer=self.processor.tokenizer if settings.stop_strings else None,
                )
        except (RuntimeError, MemoryError) as error:
            problem, full = first_line(error), out_of_memory(error)
        if not full:
            raise ModelError(f"{self.name} broke down: {problem}")
        torch.cuda.empty_cache()
        raise ModelError(
            f"{self.name} is out of memory on {self.model.device} with {settings.num_return_sequences} answers at once "
            f"to {inputs['input_ids'].shape[1]:,} tokens: lower max_batch, max_tokens or the size of the pictures"
        )

    def _completions(self, rows: list[list[int]], read: int, ask: Ask, watch: _StopAtDeadline) -> list[Completion]:
        written = [self._written(row, ask.stop) for row in rows]
        paid = written if ask.temperature > 0 else written[:1]
        usage = Usage(input=read, output=sum(each.tokens for each in paid), calls=1)
        seconds = watch.seconds
        return [
            Completion(each.text, Usage() if at else usage, seconds, watch.first, "stop" if each.whole else "length")
            for at, each in enumerate(written)
        ]

    def _written(self, row: list[int], stops: Sequence[str]) -> _DecodedAnswer:
        """What a row of a batch says, without what fills it up. A row ends with an end token or a stop string; one with
        neither was cut off, and then it is full.
        """
        end = next((at for at, token in enumerate(row) if token in self._ends), None)
        tokens = row[:end]

        def stopped(count: int) -> bool:
            said = self._decode(tokens[:count])
            return any(stop and stop in said for stop in stops)

        if not stopped(len(tokens)):
            text = self._decode(tokens, skip_special_tokens=True)
            return _DecodedAnswer(text, len(tokens) + (end is not None), end is not None)
        count = bisect_left(range(len(tokens)), True, key=stopped)  # the fewest tokens that spell out a stop string
        text = self._decode(tokens[:count], skip_special_tokens=True)
        cuts = [text.find(stop) for stop in stops if stop and stop in text]
        return _DecodedAnswer(text[: min(cuts, default=None)], count, True)

    def _decode(self, tokens: list[int], skip_special_tokens: bool = False) -> str:
        decode = self.processor.tokenizer.decode
        return str(decode(tokens, skip_special_tokens=skip_special_tokens, clean_up_tokenization_spaces=False))


class _StopAtDeadline:
    """Asked after each token whether to stop: it notes when the first one came, and when the time is over."""

    def __init__(self, deadline: float) -> None:
        self.began = time.monotonic()
        self.deadline = deadline
        self.first: float | None = None

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    @property
    def over(self) -> bool:
        return self.seconds >= self.deadline

    def __call__(self, tokens: Any, scores: Any, **_: Any) -> Any:
        if self.first is None:
            tokens[0, -1].item()  # a GPU has only been told to compute it
            self.first = self.seconds
        return tokens.new_full((tokens.shape[0],), int(self.over)).bool()


def _end_tokens(model: Any, tokenizer: Any) -> list[int]:
    """Every token that ends an answer: folders name one, several or none, in three places."""
    places = (model.generation_config, tokenizer, model.config.get_text_config())
    named = [getattr(place, "eos_token_id", None) for place in places]
    ends = [end for each in named for end in (each if isinstance(each, list) else [each]) if end is not None]
    if not ends:
        raise InputError("the model's folder names no end token: copy generation_config.json from the base model")
    return list(dict.fromkeys(ends))
