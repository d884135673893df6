"""A trained process reward model (GuidNav §3.2): a backbone with a score for a head, as `saccade train prm` saves it.

R(x, h_t, s_t, a_t) is read off where the question ends, and says how likely an action is the right one: it was taught
1 for right actions and 0 for wrong ones by their squared distance. It is not cut off at 0 and 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from saccade.actions import Action
from saccade.agents.guidance import Case, ProcessReward, RewardWeighting
from saccade.agents.ledger import Ledger
from saccade.agents.prm_prompt import FILE, RewardPrompt
from saccade.errors import InputError
from saccade.models.base import Ask, Completion, ModelError, Usage
from saccade.models.hf import check_folder, load_config, load_processor
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

KEPT = 2
"""Models that stay in memory, because a benchmark opens one for each task."""
HEAD = "score.weight"
PADDING = {"attention_mask": 0, "mm_token_type_ids": 0}
"""Inputs with one value for each token, and what they are padded with."""


class Question(NamedTuple):
    """One action put to the model."""

    messages: list[Message]
    answer: str


class Scores(NamedTuple):
    """The scores of several questions, and how many tokens were read for them."""

    values: list[float]
    tokens: int


Scorer = Callable[[Sequence[Question]], Scores]


@dataclass(frozen=True)
class TrainedReward(ProcessReward):
    """A process reward model that was trained: the prompt it was taught with, and the network that scores it."""

    prompt: RewardPrompt
    scorer: Scorer
    ledger: Ledger | None = None
    """Where its use is written down."""

    @classmethod
    def open(cls, folder: str | Path, ledger: Ledger | None = None, **options: Any) -> TrainedReward:
        """From the folder `model/` that training wrote. Options are those of `hf/PATH`: device, dtype, max_batch."""
        where = Path(folder).expanduser()
        prompt = RewardPrompt.load(where)
        check_folder(str(where))
        chosen = {name: options[name] for name in ("device", "dtype", "max_batch") if name in options}
        return cls(prompt, open_scorer(where, stamp=(where / FILE).stat().st_mtime_ns, **chosen), ledger)

    @property
    def weighting(self) -> RewardWeighting:
        return self.prompt.weighting

    def scores(self, case: Case, actions: Sequence[Action]) -> list[float]:
        """All actions of a step at once."""
        began = time.perf_counter()
        found = self.scorer([self.question(case, action) for action in actions])
        if self.ledger is not None:
            used = Completion("", Usage(input=found.tokens, calls=1))
            self.ledger.add(Ask(purpose="reward"), [used], time.perf_counter() - began)
        return found.values

    def question(self, case: Case, action: Action) -> Question:
        """An action as it is put to the model."""
        messages = self.prompt.messages(case.instruction, case.summary, case.screen, action)
        return Question(messages, self.prompt.answer(case.instruction, case.screen, action))


def open_trained_reward(rest: str, *, ledger: Ledger | None = None, **options: Any) -> ProcessReward:
    """`--reward prm/PATH`."""
    return TrainedReward.open(rest, ledger, **options)


# -- with torch ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=KEPT)
def open_scorer(folder: Path, device: str = "auto", dtype: str = "auto", max_batch: int = 8, stamp: int = 0) -> Scorer:
    """The model of a folder, run by transformers. `stamp` is when it was written: another is another model."""
    if max_batch < 1:
        raise InputError(f"max_batch is {max_batch}: at least one action must be scored at a time")
    check_dtype(dtype)
    where, name = pick_device(device), f"prm/{folder}"
    with quiet_transformers(), explained_load_errors(folder):
        config = load_config(folder)
        model = load_weights(folder, config, where, dtype)
        most = getattr(config.get_text_config(), "max_position_embeddings", None) or 2**31
        reader = Reader(name, load_processor(folder, config), most)
    return TorchScorer(name, model, reader, max_batch)


@dataclass(frozen=True)
class TorchScorer:
    """Scores by a model in memory. Calls from several threads take turns."""

    name: str
    model: Any
    reader: Reader
    max_batch: int = 8
    turn: Lock = field(default_factory=Lock)

    def __call__(self, asked: Sequence[Question]) -> Scores:
        try:
            with self.turn:
                return self._score(asked)
        except (RuntimeError, MemoryError) as error:
            knob = "lower max_batch or the size of the pictures" if out_of_memory(error) else "it broke down"
            raise ModelError(f"{self.name}: {knob} ({first_line(error)})") from None

    def _score(self, asked: Sequence[Question]) -> Scores:
        torch, _ = libraries()
        rows = [dict(self.reader.read(each.messages)) for each in asked]
        pad, found = int(self.model.config.get_text_config().pad_token_id), []
        for at in range(0, len(rows), self.max_batch):
            batch = collate(rows[at : at + self.max_batch], pad)
            batch = {key: value.to(self.model.device) for key, value in batch.items()}
            with torch.inference_mode(), quiet_transformers():
                found += self.model(**batch, use_cache=False).logits[:, 0].float().tolist()
        return Scores(found, sum(row["input_ids"].shape[1] for row in rows))


def collate(rows: Sequence[dict[str, Any]], pad: int) -> dict[str, Any]:
    """Rows as one batch: tokens filled up on the right, pictures one after the other."""
    torch, _ = libraries()
    width = max(row["input_ids"].shape[1] for row in rows)
    batch = {}
    for key in rows[0]:
        values = [row[key] for row in rows]
        if key == "input_ids" or key in PADDING:
            fill = PADDING.get(key, pad)
            values = [torch.nn.functional.pad(value, (0, width - value.shape[1]), value=fill) for value in values]
        batch[key] = torch.cat(values)
    return batch


# -- the head -----------------------------------------------------------------------------------------------------


def head_class(config: Any) -> Any:
    """The model of a configuration with a score as its head. transformers has such a class for most that read text; for
    those that also see it has the part that all of these share.
    """
    _, transformers = libraries()
    from transformers.modeling_layers import GenericForSequenceClassification  # noqa: PLC0415

    known = transformers.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING
    if type(config) in known:
        return known[type(config)]
    body = transformers.MODEL_MAPPING[type(config)]
    kin = next(each for each in body.__mro__[1:] if issubclass(each, transformers.PreTrainedModel))
    name = body.__name__.removesuffix("Model") + "ForSequenceClassification"
    return type(name, (GenericForSequenceClassification, kin), {"__module__": __name__})


def with_head(model: Any, pad: int) -> Any:
    """A language model's body, as it is, with a score for a head. The head begins at zero: a new one drawn at random
    would first have to unlearn what it says.
    """
    torch, _ = libraries()
    config = deepcopy(model.config)
    config.num_labels, config.problem_type = 1, "regression"
    config.get_text_config().pad_token_id = pad  # the score is read off the last token that is not this
    with torch.device("meta"):
        headed = head_class(config)(config)
    setattr(headed, headed.base_model_prefix, model.base_model)
    exact = torch.float32 if model.device.type == "cuda" else model.dtype  # a GPU trains under autocast
    width = config.get_text_config().hidden_size
    headed.score = torch.nn.Linear(width, 1, bias=False, device=model.device, dtype=exact)
    torch.nn.init.zeros_(headed.score.weight)
    return headed


def load_weights(folder: Path, config: Any, device: Any, dtype: str) -> Any:
    """A model with its head, every weight from the folder."""
    torch, _ = libraries()
    if dtype == "auto":
        dtype = "float32" if device.type == "cpu" else "bfloat16"
    model, told = head_class(config).from_pretrained(
        folder,
        config=config,
        dtype=getattr(torch, dtype),
        use_safetensors=True,
        output_loading_info=True,
        **LOCAL_ONLY,
    )
    missing = sorted(told["missing_keys"])
    if HEAD in missing or config.num_labels != 1:
        raise InputError(f"{folder} is a model without a score for a head: train one with saccade train prm")
    if missing:  # they would be drawn at random
        raise InputError(f"the weights in {folder} are not complete: {len(missing)} are missing, such as {missing[0]}")
    if config.get_text_config().pad_token_id is None:
        raise InputError(f"{folder / 'config.json'} names no pad_token_id, before which the score stands")
    return model.to(device).eval()
