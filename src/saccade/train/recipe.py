"""What a training run is made of, in one short typed YAML: unknown keys are errors, and every default is named here.

A recipe of the papers names their hyperparameters; where a model, files and results lie is said on the command line.
What only one kind of model can do is set in the block `backbone`, which that model's `Backbone` class checks.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from saccade.agents.guidance import RewardWeighting
from saccade.data.episode_rows import Grounding

Stage = Literal["sft", "grpo", "prm"]


class Block(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A block of a recipe."""


class Lora(Block, frozen=True):
    """Low-rank adapters on the language model's projections; on the vision tower only if asked."""

    rank: int = 8
    alpha: int = 16
    dropout: float = 0.05
    vision: bool = False


class Variant(Block, frozen=True):
    """A way to write the rows: a paradigm with its switches, for this share of the episodes."""

    paradigm: str
    switches: dict[str, Any] = msgspec.field(default_factory=dict)
    share: float = 1.0


class Vllm(Block, frozen=True):
    """Answers sampled by vLLM, through TRL, in place of transformers."""

    mode: Literal["server", "colocate"] = "server"
    """A server on other GPUs (`trl vllm-serve --model …`), or vLLM in the processes that train, on the same ones."""
    url: str = "http://127.0.0.1:8000"
    """The server's address."""


class Grpo(Block, frozen=True):
    """Group-relative policy optimisation. Defaults: BTL-UI's released recipe."""

    generations: int = 8
    temperature: float = 0.9
    longest: int = 512
    """Tokens of a completion."""
    loss: Literal["classic", "token"] = "classic"
    """Mean within each completion first (GRPO), or over all tokens of the batch (SecAgent)."""
    clip: float = 0.2
    clip_high: float | None = None
    """The upper side, where it differs (SecAgent: 0.28)."""
    kl: float = 0.0
    """Weight of the divergence from the reference model (β of BTL-UI's eq. 9 and SecAgent's eq. 5)."""
    updates: int = 1
    """Optimiser updates on the answers of one sampling (μ of the GRPO paper). With one, the policy that is changed is
    the one that answered, every ratio is 1, and clipping does nothing.
    """
    reward: dict[str, Any] = msgspec.field(default_factory=dict)
    """Options of the paradigm's reward in `scoring.rewards`: weights, profile, alpha …"""
    vllm: Vllm | None = None
    """None: transformers samples."""
    patience: int = 20
    """The run ends after so many steps in a row in which all answers of each group had the same reward."""
    between: tuple[float, float] = (0.0, 1.0)
    """Train only on rows whose recorded answer the model gives with a probability between these. Rows that it always or
    never gets right have no advantages, and teach nothing.
    """


class Prm(Block, frozen=True):
    """GuidNav's process reward model."""

    profile: str = "guidnav"
    """The match profile that labels a step of self-play right (1) or wrong (0)."""
    negatives: int = 2
    """Wrong actions drawn for each demonstrated step, labelled 0: demonstrations alone are all 1."""
    layers: int = 0
    """How many of the backbone's first layers are kept; 0: all. Fewer are smaller and faster, and know less."""
    weighting: RewardWeighting = RewardWeighting()
    """How much its scores count beside a policy: saved with the model, because it has to be measured for each."""


class Recipe(Block, frozen=True):
    """A whole recipe."""

    stage: Stage
    model: str = ""
    """`NAME[/REST]` of a backbone, or a folder as transformers writes it."""
    backbone: dict[str, Any] = msgspec.field(default_factory=dict)
    """Settings of that backbone alone: the fields of its `Options`."""
    paradigm: str = "btl"
    switches: dict[str, Any] = msgspec.field(default_factory=dict)
    variants: tuple[Variant, ...] = ()
    """Instead of `paradigm` and `switches`: several formats at once."""
    data: tuple[str, ...] = ()
    """Files of step records, or folders as `saccade data collect` writes them."""
    held_back: float = 0.0
    """Share of the episodes that is measured on and not trained on."""
    grounding: Grounding = "navigation"
    elements: Literal["none", "parsed"] = "none"
    """Are the screen's elements listed in the prompt?"""
    pixels: tuple[int, int] | None = None
    """Least and most pixels of a picture; by default the paradigm's own."""

    learning_rate: float = 1e-6
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    warmup: float = 0.03
    epochs: float = 1.0
    steps: int | None = None
    """Instead of epochs."""
    batch: int = 8
    """Rows of a step on one device."""
    tokens: int | None = None
    """Instead of `batch`: tokens of a step, with rows of similar length together."""
    accumulate: int = 1
    longest: int = 4096
    """Tokens of a row; longer ones are left out, and counted."""
    weight_decay: float = 0.0
    clip_gradient: float = 1.0
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    fast: Literal["auto"] | bool = "auto"
    """Packed rows and compiled layers (`fast_path`): `auto`, where GPU and model allow it."""
    checkpointing: Literal["auto"] | bool = "auto"
    """Compute activations again in the backward pass: less memory, a third more time. `auto`: for as many layers as
    memory demands where training is fast, and for all layers elsewhere.
    """
    lora: Lora | None = None
    grpo: Grpo = Grpo()
    prm: Prm = Prm()
    report_to: tuple[str, ...] = ()
    """Where figures also go, in the words of transformers: wandb, mlflow … (each must be installed)."""
    save_every: int = 200
    keep: int = 2
    seed: int = 0
    workers: Literal["auto"] | int = "auto"
    """Processes that prepare rows; `auto`: none beside a CPU, which they would share, and up to 8 beside a GPU."""

    @property
    def formats(self) -> tuple[Variant, ...]:
        """The formats in which rows are written: `variants`, or the one of `paradigm` and `switches`."""
        return self.variants or (Variant(paradigm=self.paradigm, switches=self.switches),)
