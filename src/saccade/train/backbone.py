"""The model that is trained, with how it reads rows: one base class for vision-language models and for plug-ins.

A recipe's `model` is `NAME[/REST]` of a registered backbone (entry-point group `saccade.backbones`), or a folder as
transformers writes it. What only one kind of backbone can do (other wordings of a task, a curriculum, hard negatives)
is a method here that does nothing by default, and its settings are the backbone's own `Options`, read from the recipe's
block `backbone`.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import msgspec
from msgspec.structs import replace

from saccade.actions import Action
from saccade.agents.prm_prompt import RewardPrompt
from saccade.data.training_rows import TrainingRow
from saccade.errors import InputError, readable
from saccade.geometry import Frame
from saccade.models.families import VisionSettings
from saccade.paradigms import Paradigm
from saccade.registry import Registry, subclass_of
from saccade.train.recipe import Block, Recipe
from saccade.typed_values import to_type
from saccade.types import Message, Step


class NoOptions(Block, frozen=True):
    """For backbones without settings of their own."""


class Phase(Block, frozen=True):
    """A part of a supervised training."""

    elements: int | None = None
    """Screens with at most so many elements; none: as they are."""
    share: float = 1.0
    """Of the steps."""
    practice: bool = False
    """Samples of `Backbone.practice` in place of rows."""
    extra_only: bool = False
    """Only the rows of `Backbone.extra_rows`."""
    tokens: int | None = None
    """Tokens of a step, where they are not the recipe's."""


class Backbone(ABC):
    """A model and its codec. Subclasses are registered in `saccade.backbones`."""

    Options: ClassVar[type[Block]] = NoOptions
    """The settings of the recipe's block `backbone`."""
    projections: ClassVar[str]
    """A regular expression of the modules that LoRA adapts: the language model's, never the vision tower's."""
    vision_projections: ClassVar[str] = "(?!)"
    """The vision tower's, for recipes that ask for them; by default none."""
    needs_mask: ClassVar[bool] = True
    """Does the model need an attention mask for rows that are padded on the right?"""
    scores_together: ClassVar[bool] = False
    """Can `encode_several` put all actions of a step behind one prompt, to be scored in one pass?"""

    model: Any
    """A transformers model with a language-model head."""
    processing: Any
    """What TRL calls a processing class: tokenizer or processor."""
    options: Any
    """An instance of `Options`."""
    frame: Frame
    """How it writes places."""
    sight: VisionSettings | None = None
    """How it sees pictures; none: it sees none."""
    template: Path | None = None
    """The prompt it reads, where that is not the paradigm's own."""
    unwritten: Sequence[int] = ()
    """Tokens that no sampled answer may have: those that stand for pictures, which an answer does not come with."""
    packs_rows: bool = False
    """Does the model pack the rows of a batch (`fast_path`), and take `wanted` for `logits_to_keep`?"""

    # -- what every backbone must do ----------------------------------------------------------------------------------

    @classmethod
    @abstractmethod
    def open(cls, recipe: Recipe, rest: str) -> Self:
        """The model that stands behind the name: `rest` of `NAME/REST`."""

    @abstractmethod
    def encode(
        self,
        messages: Sequence[Message],
        answer: str | None,
        chance: random.Random | None = None,
        most: int | None = None,
    ) -> dict[str, Any]:
        """`input_ids` and, with an answer, `labels` (-100 on all that is not answer), and whatever pictures need.
        `chance` may vary what does not matter (the names of elements); `most` keeps so many elements (`Phase`).
        """

    @abstractmethod
    def collate(self, samples: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """A batch of tensors, padded on the right."""

    @abstractmethod
    def chat(self, messages: Sequence[Message]) -> dict[str, Any]:
        """The row of a TRL dataset: `prompt` (and `images`)."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write the model and all its files, as `open` and `open_model` read them."""

    @classmethod
    def runnable(cls, folder: Path) -> str:
        """The name under which `open_model` opens what `save` wrote."""
        return f"hf/{folder}"

    # -- what a backbone may do ---------------------------------------------------------------------------------------

    @classmethod
    def check(cls, rest: str) -> None:
        """Refuse a `rest` that cannot be opened, before anything is loaded."""
        return

    def take_weights(self, weights: Mapping[str, Any]) -> None:
        """Go on with these weights, gathered from several devices that each had a share of them."""
        self.model.load_state_dict(weights)

    def answer(self, messages: Sequence[Message], completion: str) -> str:
        """A completion as the paradigm's own text."""
        return completion

    def sizes(self, messages: Sequence[Message], answer: str, limits: Sequence[int] = ()) -> list[int]:
        """Tokens of a row, then of the same row with at most so many elements for each limit."""
        return [len(self.encode(messages, answer, random.Random(0))["input_ids"])] * (1 + len(limits))

    def speed_up(self, recipe: Recipe, shares_beginnings: bool = False) -> str:
        """Take the fast path where the recipe wants it and the machine allows it; returns a sentence for the user.
        `shares_beginnings`: rows of a batch often begin alike.
        """
        return ""

    def recomputes(self, recipe: Recipe) -> bool:
        """Does every layer compute its activations again in the backward pass?"""
        return recipe.checkpointing is True or (recipe.checkpointing == "auto" and not self.packs_rows)

    def compile(self) -> None:
        """Compile the model's layers, where the backbone can and its options say so."""
        return

    def adapt(self, action: Action, step: Step, paradigm: Paradigm) -> Action:
        """A recorded action as this model is to be taught it."""
        return action

    def retell(self, steps: Sequence[Step], recipe: Recipe, chance: random.Random) -> list[Step]:
        """An episode in other words, or about other things."""
        return list(steps)

    def reword(self, step: Step, chance: random.Random, held: bool) -> str:
        """The instruction of a step, drawn anew each time the step is seen. `held`: for measuring, in words that are
        not trained on.
        """
        return step.instruction

    def extra_rows(self, first: Step, paradigm: Paradigm, seed: str) -> Iterable[TrainingRow]:
        """Rows besides those of the recorded steps, for the episode that begins with this step (SFT only)."""
        return ()

    def phases(self) -> Sequence[Phase]:
        """The parts of a supervised training, in order; none: all rows alike."""
        return ()

    def practice(self, chance: random.Random, elements: int) -> dict[str, Any]:
        """A made-up sample, as `encode` gives one, for a `Phase` of practice."""
        raise InputError("this backbone has no practice samples")

    def encode_several(
        self, messages: Sequence[Message], answers: Sequence[str], chance: random.Random | None = None
    ) -> dict[str, Any]:
        """Several answers behind one prompt, each of which sees the prompt and itself (`shared_prompt_scoring`)."""
        raise InputError("this backbone scores one action at a time")

    def reward_prompt(self, recipe: Recipe) -> RewardPrompt:
        """How this model is asked once it is a process reward model."""
        sight = self.sight
        pixels = (sight.factor, sight.min_pixels, sight.max_pixels) if sight else None
        prompt = RewardPrompt(frame=str(self.frame), pixels=pixels, told=recipe.elements == "parsed" or sight is None)
        return replace(prompt, weighting=recipe.prm.weighting)

    # -- for all ------------------------------------------------------------------------------------------------------

    def collate_answers(self, samples: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """A batch with the tokens of its answers (`targets`) and the positions that predict them (`logits_to_keep`). A
        prompt is ten times as long as its answer, and logits for all of it would take most of the memory.
        """
        batch = self.collate(samples)
        targets = batch.pop("labels")[:, 1:]
        places = (targets != -100).any(0).nonzero().squeeze(1)
        return batch | {"targets": targets[:, places], "logits_to_keep": places}

    @property
    def pad_token(self) -> int:
        """The token that fills up short rows."""
        return int(getattr(self.processing, "tokenizer", self.processing).pad_token_id)

    @classmethod
    def read_options(cls, recipe: Recipe, where: str = "the recipe") -> Any:
        """The recipe's block `backbone`, checked; `where` is the file that errors name."""
        try:
            return to_type(recipe.backbone, cls.Options, strict=False)
        except msgspec.ValidationError as error:
            known = ", ".join(cls.Options.__struct_fields__)
            hint = f"the settings of this backbone are {known}" if known else "this backbone has no settings of its own"
            raise InputError(f"{where}: backbone: {readable(error)}; {hint}") from None


BACKBONES: Registry[type[Backbone]] = Registry(
    "backbone", {"hf": "saccade.train.vision:VisionBackbone"}, accepts=subclass_of(Backbone)
)


def find_backbone(model: str) -> tuple[type[Backbone], str]:
    """The class that a recipe's `model` means, and what stands behind its name. What is no backbone's name is a folder
    as transformers writes it.
    """
    name, _, rest = model.partition("/")
    if name in BACKBONES.names():
        return BACKBONES.get(name), rest
    return BACKBONES.get("hf"), model


def open_backbone(recipe: Recipe) -> Backbone:
    """The model that the recipe names, ready to be trained."""
    kind, rest = find_backbone(recipe.model)
    kind.read_options(recipe)
    kind.check(rest)
    return kind.open(recipe, rest)
