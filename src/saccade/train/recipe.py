"""What a training run is made of, in one short typed YAML: unknown keys are errors, and every default is named here.

A recipe of the papers names their hyperparameters; where a model, files and results lie is said on the command line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml  # type: ignore[import-untyped]

from saccade.agents.guidance import RewardWeighting
from saccade.errors import InputError, readable

Stage = Literal["sft", "grpo", "prm"]
RECIPES = Path(__file__).parent / "recipes"


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A block of a recipe."""


class Lora(Part, frozen=True):
    """Low-rank adapters on the language model's projections; on the vision tower only if asked."""

    rank: int = 8
    alpha: int = 16
    dropout: float = 0.05
    vision: bool = False


class Lesson(Part, frozen=True):
    """One stage of a curriculum: screens with at most so many elements, for this share of the steps."""

    elements: int
    share: float
    practice: bool = False
    """Made-up lists in place of rows, on which nothing but looking up is asked for: for a mini from scratch."""
    restate: bool = False
    """Only rows that put tasks plainly."""
    tokens: int | None = None
    """Tokens of a step, where they are fewer than the recipe's."""


class Variant(Part, frozen=True):
    """A way to write the rows: a paradigm with its switches, for this share of the episodes."""

    paradigm: str
    switches: dict[str, Any] = msgspec.field(default_factory=dict)
    share: float = 1.0


class Grpo(Part, frozen=True):
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
    reward: dict[str, Any] = msgspec.field(default_factory=dict)
    """Options of the paradigm's reward in `scoring.rewards`: weights, profile, alpha …"""
    patience: int = 20
    """Steps in a row whose groups have all the same reward, after which there is nothing left to learn from."""
    between: tuple[float, float] = (0.0, 1.0)
    """Only rows whose recorded answer the model gives with a probability between these: of what it is sure, and of what
    never comes to its mind, it learns nothing.
    """


class Prm(Part, frozen=True):
    """GuidNav's process reward model."""

    profile: str = "guidnav"
    """By which a step of self-play is right (label 1) or wrong (0)."""
    negatives: int = 2
    """Wrong actions drawn for each demonstrated step, labelled 0: demonstrations alone are all 1."""
    tempting: int = 0
    """How many of those, at most, are what tasks of the phone that are of the same kind do at other times."""
    misread: float = 0.0
    """How often a mini is told that a task means another, one that it could be taken for, and is tempted by what that
    one does: a reward model that was always told rightly what a task means cannot tell who misread it.
    """
    layers: int = 0
    """How many of the backbone's first layers are kept; 0: all. Fewer are smaller and faster, and know less."""
    heard: RewardWeighting = RewardWeighting()
    """How it is listened to beside a policy: kept with the model, for nobody knows that before having measured it."""


class Recipe(Part, frozen=True):
    stage: Stage
    model: str = ""
    """A folder as transformers writes it; or `mini`: a small decoder that reads element lists, from scratch; or a
    folder as `saccade train export` writes it, or `shipped` for the mini that comes with the package.
    """
    paradigm: str = "btl"
    switches: dict[str, Any] = msgspec.field(default_factory=dict)
    variants: tuple[Variant, ...] = ()
    """Instead of `paradigm` and `switches`: several formats at once."""
    data: tuple[str, ...] = ()
    """Files of step records, or folders as `saccade data collect` writes them."""
    paraphrase: float = 0.0
    """How often a task of the phone is put in other words."""
    restate: int = 0
    """Rows for each episode that ask a mini to put a task plainly: what its other rows then tell besides the task."""
    shortcuts: bool = False
    """Teach to open apps by name, where a recording looks for their icons."""
    held_back: float = 0.0
    """Share of the episodes that is measured on and not trained on."""
    elements: Literal["none", "parsed"] = "none"
    """Are the screen's elements told in the prompt?"""
    pixels: tuple[int, int] | None = None
    """Least and most pixels of a picture; by default the paradigm's own."""
    curriculum: tuple[Lesson, ...] = ()

    learning_rate: float = 1e-6
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    warmup: float = 0.03
    epochs: float = 1.0
    steps: int | None = None
    """Instead of epochs."""
    batch: int = 8
    """Rows of a step on one device."""
    tokens: int | None = None
    """Instead of `batch`: tokens of a step, with rows of like length together."""
    accumulate: int = 1
    longest: int = 4096
    """Tokens of a row; longer ones are left out, and counted."""
    weight_decay: float = 0.0
    clip_gradient: float = 1.0
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    checkpointing: bool = True
    """Compute activations again in the backward pass: less memory, a third more time."""
    compile: bool = False
    """Compile a mini's layers on a GPU: a minute more at the start, faster steps after it."""
    lora: Lora | None = None
    grpo: Grpo = Grpo()
    prm: Prm = Prm()
    save_every: int = 200
    keep: int = 2
    seed: int = 0
    workers: int = 0
    """Processes that prepare rows."""


def is_mini(model: str) -> bool:
    """Does a recipe mean a mini: a new one, the one that ships, or a folder of one?"""
    return model in ("mini", "shipped") or (Path(model) / "mini.json").is_file()


def load_recipe(name: str, **changes: Any) -> Recipe:
    """A recipe by its name or file, with what the command line says besides; `prm.layers` is one setting of a block."""
    file, value = read_recipe(name)
    for key, change in changes.items():
        if change is not None:
            change_one(value, key, change)
    try:
        return msgspec.convert(value, Recipe, strict=False)  # YAML reads 1e-6 as a text
    except msgspec.ValidationError as error:
        raise InputError(f"{file}: {readable(error)}") from None


def change_one(value: dict[str, Any], key: str, change: Any) -> None:
    """Another value for one setting. What else stands in its block stays."""
    *blocks, last = key.split(".")
    for at, block in enumerate(blocks):
        value[block] = {} if value.get(block) is None else value[block]
        value = value[block]
        if not isinstance(value, dict):
            raise InputError(f"{key}: {'.'.join(blocks[: at + 1])} is no block of settings")
    value[last] = change


def read_recipe(name: str, readers: tuple[Path, ...] = ()) -> tuple[Path, dict[str, Any]]:
    """A recipe's file and what it says. With `like: NAME` it says what that one does, where it says nothing itself."""
    file = Path(name)
    if not file.suffix and (RECIPES / f"{name}.yaml").is_file():
        file = RECIPES / f"{name}.yaml"
    if not file.is_file():
        known = ", ".join(recipes())
        raise InputError(f"there is no recipe {name!r}: give a YAML file, or one of {known}")
    if file.resolve() in readers:
        raise InputError(f"{file}: by its like: it is like itself")
    try:
        value = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{file} is not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(value, dict):
        raise InputError(f"{file}: a recipe is a mapping of settings, such as stage: sft")
    if (like := value.pop("like", None)) is not None:
        value = read_recipe(str(like), (*readers, file.resolve()))[1] | value
    return file, value


def recipes() -> list[str]:
    """The names of those that come with the package."""
    return sorted(file.stem for file in RECIPES.glob("*.yaml"))
