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
from saccade.agents.guidance import Case
from saccade.agents.ledger import Ledger
from saccade.agents.prm_prompt import FILE, Asking
from saccade.errors import InputError, MissingError
from saccade.models.base import Ask, Completion, Model, ModelError, Usage
from saccade.models.hf import (
    _NEVER,
    DTYPES,
    _device,
    _first_line,
    _out_of_memory,
    _quiet,
    _telling,
    check_folder,
    libraries,
    load_config,
    load_processor,
)
from saccade.models.reading import Reader
from saccade.types import Message
from saccade_mini.card import MODEL, REWARD, TOKENIZER, read_card
from saccade_mini.codec import Sheet
from saccade_mini.decode import Network, score
from saccade_mini.model import WEIGHTS, MiniModel

MINI = Asking(kind="mini", frame="permille", told=True)
"""How the mini is asked, always."""
KEPT = 2
"""Models that stay in memory, for a benchmark opens one for each task. `stamp` is when it was written."""
HEAD = "score.weight"
ALONG = {"attention_mask": 0, "mm_token_type_ids": 0}
"""What goes along with the tokens of a row, and what it is filled up with."""


class Asked(NamedTuple):
    """One action put to the model."""

    messages: list[Message]
    answer: str


class Given(NamedTuple):
    """The scores of several questions, and how many tokens were read for them."""

    scores: list[float]
    tokens: int


Scorer = Callable[[Sequence[Asked]], Given]
Understand = Callable[[Sheet], Any]
"""Tells a mini's prompt plainly what its task is taken for."""


@dataclass(frozen=True)
class TrainedReward:
    """A `ProcessReward` that was trained."""

    asking: Asking
    scorer: Scorer
    ledger: Ledger | None = None
    """Where its use is written down."""

    @classmethod
    def open(cls, folder: str | Path, ledger: Ledger | None = None, policy: Model | None = None, **options: Any
             ) -> TrainedReward:  # fmt: skip
        """From the folder `model/` that training wrote; `mini` is the one that ships. Options are those of `hf/PATH`
        (device, dtype, max_batch), and of `mini/PATH` (threads) for one that was exported for onnxruntime. A `policy`
        that is a mini says what it takes the task for: a mini's reward model is told that.
        """
        understand = policy.understand if isinstance(policy, MiniModel) else None
        where = WEIGHTS if str(folder) == "mini" else Path(folder).expanduser()
        if (where / REWARD).is_file():
            stamp = (where / REWARD).stat().st_mtime_ns
            asking = Asking.load(where) if (where / FILE).is_file() else MINI
            return cls(asking, mini_scorer(where, options.get("threads", 2), stamp, understand), ledger)
        if where == WEIGHTS:
            raise MissingError("this copy of Saccade has no reward model of the mini: name a folder with one, prm/PATH")
        asking = Asking.load(where)
        check_folder(str(where))
        chosen = {name: options[name] for name in ("device", "dtype", "max_batch") if name in options}
        return cls(asking, open_scorer(where, asking, stamp=(where / FILE).stat().st_mtime_ns, **chosen), ledger)

    def scores(self, case: Case, actions: Sequence[Action]) -> list[float]:
        """All actions of a step at once."""
        began = time.perf_counter()
        given = self.scorer([self._ask(case, action) for action in actions])
        if self.ledger is not None:
            used = Completion("", Usage(input=given.tokens, calls=1))
            self.ledger.add(Ask(purpose="reward"), [used], time.perf_counter() - began)
        return given.scores

    def _ask(self, case: Case, action: Action) -> Asked:
        messages = self.asking.messages(case.instruction, case.summary, case.screen, action)
        return Asked(messages, self.asking.answer(case.instruction, case.screen, action))


# -- with onnxruntime ---------------------------------------------------------------------------------------------


def mini_scorer(folder: Path, threads: int, stamp: int, understand: Understand | None = None) -> Scorer:
    """The mini's reward model, which needs no torch. If nobody tells it the task plainly, the mini beside it does."""
    card, network = read_card(folder), open_network(folder, threads, stamp)
    if understand is None and card.restates and (folder / MODEL).is_file():
        understand = open_beside(folder, threads, stamp).restate
    read = mini_reader(folder, card.positions, understand)

    def scored(asked: Sequence[Asked]) -> Given:
        prompts = [read(each) for each in asked]
        return Given(score(network, prompts), sum(map(len, prompts)))

    return scored


@lru_cache(maxsize=KEPT)
def open_network(folder: Path, threads: int, stamp: int) -> Network:
    """The reward model itself, which may have fewer layers than the mini beside it."""
    return Network(folder / REWARD, read_card(folder), threads, shallow=True)


@lru_cache(maxsize=KEPT)
def open_beside(folder: Path, threads: int, stamp: int) -> MiniModel:
    """The mini in a reward model's folder."""
    return MiniModel(folder, threads=threads)


def mini_reader(folder: Path, most: int, understand: Understand | None = None) -> Callable[[Asked], list[int]]:
    """From a question to tokens. The end of a list that is too long to be read is left out."""
    from tokenizers import Tokenizer  # noqa: PLC0415  (most commands need no model)

    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))

    def read(asked: Asked) -> list[int]:
        sheet = Sheet.read(asked.messages[0].text)
        if understand is not None:
            understand(sheet)
        written = sheet.compress(asked.answer)
        while True:
            tokens = list(tokenizer.encode(sheet.prompt() + written, add_special_tokens=False).ids)
            if len(tokens) <= most or not sheet.items:
                return tokens[-most:]
            kept = min(len(sheet.items) - 1, len(sheet.items) * most // len(tokens))
            sheet.items, sheet.names = sheet.items[:kept], sheet.names[:kept]

    return read


# -- with torch ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=KEPT)
def open_scorer(folder: Path, asking: Asking, device: str = "auto", dtype: str = "auto", max_batch: int = 8,
                stamp: int = 0) -> Scorer:  # fmt: skip
    """The model of a folder, run by transformers."""
    if max_batch < 1:
        raise InputError(f"max_batch is {max_batch}: at least one action must be scored at a time")
    if dtype not in DTYPES:
        raise InputError(f"unknown dtype {dtype!r}: use one of {', '.join(DTYPES)}")
    torch, transformers = libraries()
    where, name = _device(device), f"prm/{folder}"
    with _quiet(), _telling(folder):
        seeing = asking.kind == "vision"
        config = load_config(folder) if seeing else transformers.AutoConfig.from_pretrained(folder, **_NEVER)
        model = load_weights(folder, config, where, dtype)
        most = getattr(config.get_text_config(), "max_position_embeddings", None) or 2**31
        if seeing:
            reader = Reader(name, load_processor(folder, config), most)
            return TorchScorer(name, model, lambda asked: dict(reader.read(asked.messages)), max_batch)
        tokens = mini_reader(folder, most)

    def read(asked: Asked) -> dict[str, Any]:
        ids = torch.tensor([tokens(asked)])
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}

    return TorchScorer(name, model, read, max_batch)


@dataclass(frozen=True)
class TorchScorer:
    """Scores by a model in memory."""

    name: str
    model: Any
    read: Callable[[Asked], dict[str, Any]]
    """One question as the model takes it."""
    max_batch: int = 8
    turn: Lock = field(default_factory=Lock)

    def __call__(self, asked: Sequence[Asked]) -> Given:
        try:
            with self.turn:
                return self._score(asked)
        except (RuntimeError, MemoryError) as error:
            knob = "lower max_batch or the size of the pictures" if _out_of_memory(error) else "it broke down"
            raise ModelError(f"{self.name}: {knob} ({_first_line(error)})") from None

    def _score(self, asked: Sequence[Asked]) -> Given:
        torch, _ = libraries()
        rows = [self.read(each) for each in asked]
        pad, found = int(self.model.config.get_text_config().pad_token_id), []
        for at in range(0, len(rows), self.max_batch):
            batch = collate(rows[at : at + self.max_batch], pad)
            batch = {key: value.to(self.model.device) for key, value in batch.items()}
            with torch.inference_mode(), _quiet():
                found += self.model(**batch, use_cache=False).logits[:, 0].float().tolist()
        return Given(found, sum(row["input_ids"].shape[1] for row in rows))


def collate(rows: Sequence[dict[str, Any]], pad: int) -> dict[str, Any]:
    """Rows as one batch: tokens filled up on the right, pictures one after the other."""
    torch, _ = libraries()
    width = max(row["input_ids"].shape[1] for row in rows)
    batch = {}
    for key in rows[0]:
        values = [row[key] for row in rows]
        if key == "input_ids" or key in ALONG:
            fill = ALONG.get(key, pad)
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
        **_NEVER,
    )
    missing = sorted(told["missing_keys"])
    if HEAD in missing or config.num_labels != 1:
        raise InputError(f"{folder} is a model without a score for a head: train one with saccade train prm")
    if missing:  # they would be drawn at random
        raise InputError(f"the weights in {folder} are not complete: {len(missing)} are missing, such as {missing[0]}")
    if config.get_text_config().pad_token_id is None:
        raise InputError(f"{folder / 'config.json'} names no pad_token_id, before which the score stands")
    return model.to(device).eval()
