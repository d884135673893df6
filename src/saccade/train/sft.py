"""Supervised fine-tuning: the loss is on the answer only.

Which rows a step trains on, and how they are drawn, depends on the recipe and the step's number and on nothing else, so
that a run that was killed goes on as if it had not been.
"""

from __future__ import annotations

import itertools
import math
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.utils.data import DataLoader, Dataset, Sampler
from transformers import PrinterCallback, Trainer, TrainingArguments, set_seed

from saccade.errors import InputError
from saccade.train.arguments import save_weights, shared_arguments
from saccade.train.backbone import Backbone, open_backbone
from saccade.train.lora import add_lora
from saccade.train.recipe import Lesson, Recipe
from saccade.train.rows import Row
from saccade.train.samples import Rows, read_rows, record_files
from saccade.train.training_session import Watch, begin, finish, watching
from saccade_mini.training.paraphrase import other_words, task_of

FEW_STEPS = 500
"""Up to so many, each step is logged; of longer trainings every tenth is."""
PRACTICE = 4096
"""Rows that count as an epoch of practice."""
ALIKE = 16
"""Rows whose lengths differ by fewer tokens are alike to a batch."""


def train_sft(recipe: Recipe, out: Path, resume: bool = True, quiet: bool = False) -> Path:
    """Train, and return the folder of the result. What lies in `out` is gone on with, unless `resume` is off."""
    if recipe.stage != "sft":
        raise InputError(f"the recipe is for {recipe.stage}, not for sft")
    record_files(recipe.data)
    checkpoint = begin(recipe, out, resume)
    if (out / "model").is_dir():
        return out / "model"
    set_seed(recipe.seed)
    with watching(recipe, out, quiet) as watch:
        backbone = open_backbone(recipe)
        rows = read_rows(recipe, backbone, watch.say)
        backbone.model = add_lora(backbone.model, recipe, backbone)
        table = Timetable(recipe, stages(recipe, rows, backbone))
        trainer = SftTrainer(recipe, out, backbone, rows, table, watch)
        try:
            trainer.train(resume_from_checkpoint=checkpoint)
        except InputError as error:  # from a process that prepares rows it comes with its traceback
            raise InputError(str(error).rpartition("InputError: ")[2].strip()) from None
    return finish(backbone, out)


# -- which rows, when --------------------------------------------------------------------------------------------------


class Draw(NamedTuple):
    """A row, as it is read this time."""

    row: int
    most: int | None
    """Elements at most."""
    turn: str
    """Stage and epoch: what is left to chance is drawn anew in each."""
    practice: bool = False


@dataclass(frozen=True)
class StagePlan:
    """A part of the training: rows of these lengths, with at most so many elements."""

    most: int | None
    share: float
    lengths: Sequence[int]
    practice: bool = False
    tokens: int | None = None
    """Of a step, where they are not the recipe's."""
    places: Sequence[int] | None = None
    """Only these rows."""


def stages(recipe: Recipe, rows: Rows, backbone: Backbone) -> list[StagePlan]:
    """The lessons of a curriculum, or all of it as one. Shorter lists of elements make shorter rows."""
    if not recipe.curriculum:
        return [StagePlan(None, 1.0, rows.lengths)]
    check_lessons(recipe.curriculum)
    plans = []
    for lesson in recipe.curriculum:
        if lesson.practice:
            lengths: Sequence[int] = practice_lengths(backbone, lesson)
        else:
            lengths = rows.thinned[lesson.elements]
        places = rows.restating if lesson.restate else None
        if lesson.restate and not places:
            raise InputError("a lesson has only rows that put tasks plainly, and there are none: set restate")
        plans.append(StagePlan(lesson.elements, lesson.share, lengths, lesson.practice, lesson.tokens, places))
    return plans


def practice_lengths(backbone: Backbone, lesson: Lesson) -> list[int]:
    """Practice is drawn when it is needed; for the size of batches all rows count as the longest seen."""
    if not hasattr(backbone, "practice"):
        raise InputError("only the mini practises looking up: leave practice out of the curriculum")
    drawn = [backbone.practice(random.Random(at), lesson.elements) for at in range(50)]
    return [max(len(each["input_ids"]) for each in drawn)] * PRACTICE


def check_lessons(lessons: Sequence[Lesson]) -> None:
    for at, lesson in enumerate(lessons, 1):
        if lesson.elements < 1 or lesson.share <= 0:
            raise InputError(f"lesson {at} of the curriculum needs at least one element and a share above 0")


class Timetable(Sampler[list[Draw]]):  # type: ignore[misc]
    """The batches of the whole training, one after the other."""

    def __init__(self, recipe: Recipe, plans: Sequence[StagePlan]) -> None:
        if min(recipe.batch, recipe.accumulate) < 1 or (recipe.tokens is not None and recipe.tokens < 1):
            raise InputError("batch, tokens and accumulate must be at least 1")
        self.recipe, self.plans = recipe, plans
        self.steps_of = self._steps()
        self.steps = sum(self.steps_of)
        if self.steps < 1:
            raise InputError("there is no step to train: raise steps or epochs")

    def _steps(self) -> list[int]:
        """How many steps each stage has."""
        whole, recipe = sum(plan.share for plan in self.plans), self.recipe
        shares = [plan.share / whole for plan in self.plans]
        if recipe.steps is not None:
            ends = [round(recipe.steps * end) for end in itertools.accumulate(shares)]
            return [end - begin for begin, end in itertools.pairwise([0, *ends])]
        found = []
        for at, plan in enumerate(self.plans):
            batches = len(self._cut(plan, random.Random(f"{recipe.seed}/{at}/0")))
            found.append(math.ceil(shares[at] * recipe.epochs * batches / recipe.accumulate))
        return found

    def __len__(self) -> int:
        return self.steps * self.recipe.accumulate

    def __iter__(self) -> Iterator[list[Draw]]:
        for at, plan in enumerate(self.plans):
            yield from itertools.islice(self._batches(at, plan), self.steps_of[at] * self.recipe.accumulate)

    def _batches(self, at: int, plan: StagePlan) -> Iterator[list[Draw]]:
        for epoch in itertools.count():
            for batch in self._cut(plan, random.Random(f"{self.recipe.seed}/{at}/{epoch}")):
                turn = f"{at}/{epoch}"
                yield [Draw(row, plan.most, turn, plan.practice) for row in batch]

    def _cut(self, plan: StagePlan, chance: random.Random) -> list[list[int]]:
        """An epoch in batches: of so many rows, or of so many tokens with rows of like length together."""
        order = list(range(len(plan.lengths)) if plan.places is None else plan.places)
        chance.shuffle(order)
        most = plan.tokens or self.recipe.tokens
        if most is None:
            size = self.recipe.batch
            return [order[begin : begin + size] for begin in range(0, len(order), size)]
        order.sort(key=lambda row: plan.lengths[row] // ALIKE)
        batches: list[list[int]] = []
        longest = 0
        for row in order:
            longest = max(longest, plan.lengths[row])
            if not batches or longest * (len(batches[-1]) + 1) > most:
                batches.append([])
                longest = plan.lengths[row]
            batches[-1].append(row)
        chance.shuffle(batches)
        return batches


class Drawn(Dataset[dict[str, Any]]):  # type: ignore[misc]
    """Rows, read when they are drawn: each time with the task in words of that time."""

    def __init__(self, rows: Sequence[Row], backbone: Backbone, seed: int, paraphrase: float = 0.0) -> None:
        self.rows, self.backbone, self.seed, self.paraphrase = rows, backbone, seed, paraphrase

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, draw: Draw) -> dict[str, Any]:
        chance = random.Random(f"{self.seed}/{draw.turn}/{draw.row}") if draw.turn else None
        if draw.practice and chance is not None and draw.most is not None:
            return dict(self.backbone.practice(chance, draw.most))  # type: ignore[attr-defined]
        row = self.rows[draw.row]
        words = chance or random.Random(f"{self.seed}/{draw.row}")
        messages = row.messages
        if words.random() < self.paraphrase:
            messages = row.told(other_words(row.step.instruction, *task_of(row.step), words, held=chance is None))
        return self.backbone.encode(messages, row.answer, chance, draw.most)


# -- the steps ---------------------------------------------------------------------------------------------------------


def answers_only(collate: Callable[[Sequence[dict[str, Any]]], dict[str, Any]], samples: list[dict[str, Any]]
                 ) -> dict[str, Any]:  # fmt: skip
    """A batch with what its answers should be, and the places where they are foretold: a prompt is ten times as long
    as its answer, and what a model would say there takes most of the memory.
    """
    batch = collate(samples)
    targets = batch.pop("labels")[:, 1:]
    places = (targets != -100).any(0).nonzero().squeeze(1)
    return batch | {"targets": targets[:, places], "logits_to_keep": places}


class SftTrainer(Trainer):  # type: ignore[misc]
    """transformers' trainer with our timetable, and the loss as the mean over all answer tokens of a step."""

    loss_is_scaled_for_ga = True
    control: Any

    def __init__(self, recipe: Recipe, out: Path, backbone: Backbone, rows: Rows, table: Timetable,
                 watch: Watch) -> None:  # fmt: skip
        self.recipe, self.backbone, self.table, self.watch = recipe, backbone, table, watch
        held = Drawn(rows.held_back, backbone, recipe.seed, recipe.paraphrase) if rows.held_back else None
        super().__init__(
            backbone.model,
            arguments(recipe, out, table.steps, held is not None),
            train_dataset=Drawn(rows.train, backbone, recipe.seed, recipe.paraphrase),
            eval_dataset=held,
            callbacks=[watch],
        )
        self.remove_callback(PrinterCallback)
        if recipe.compile:
            compile_layers(backbone)

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        save_weights(self.model, output_dir or self.args.output_dir, state_dict)

    def get_train_dataloader(self) -> Any:
        return self._loader(self.train_dataset, self.table)

    def get_eval_dataloader(self, eval_dataset: Any = None) -> Any:
        count, size = len(self.eval_dataset), self.recipe.batch
        draws = [Draw(row, None, "") for row in range(count)]
        return self._loader(self.eval_dataset, [draws[begin : begin + size] for begin in range(0, count, size)])

    def _loader(self, rows: Any, batches: Any) -> Any:
        workers = self.recipe.workers
        more = {"multiprocessing_context": "fork", "prefetch_factor": 4} if workers else {}
        collate = self.backbone.collate
        return DataLoader(
            rows,
            batch_sampler=batches,
            num_workers=workers,
            collate_fn=lambda samples: answers_only(collate, samples),
            pin_memory=torch.cuda.is_available(),
            generator=torch.Generator().manual_seed(self.recipe.seed),
            worker_init_fn=ignore_interrupts,
            **more,
        )

    def get_batch_samples(self, epoch_iterator: Any, num_batches: int, device: Any) -> tuple[list[Any], int]:
        batches = list(itertools.islice(epoch_iterator, num_batches))
        self.watch.rows += sum(len(batch["input_ids"]) for batch in batches)
        self.watch.tokens += sum(int(batch["attention_mask"].sum()) for batch in batches)
        return batches, sum(int((batch["targets"] != -100).sum()) for batch in batches)

    def compute_loss(self, model: Any, inputs: dict[str, Any], return_outputs: bool = False,
                     num_items_in_batch: Any = None) -> Any:  # fmt: skip
        """Cross-entropy of the answers' tokens, over their number in the whole step."""
        logits, targets = self._foretell(model, inputs)
        return summed_loss(logits, targets) / (num_items_in_batch or 1)

    def _foretell(self, model: Any, inputs: dict[str, Any]) -> tuple[Any, Any]:
        targets = inputs.pop("targets")
        if not getattr(self.backbone, "needs_mask", True):
            inputs.pop("attention_mask")
        return model(**inputs, use_cache=False).logits.float(), targets

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """On what was held back: the loss as the mean over its tokens, and the share of answers of which each token was
        the likeliest one.
        """
        total, tokens, right, rows = 0.0, 0, 0, 0
        self.model.eval()
        with torch.no_grad():
            for batch in self.get_eval_dataloader():
                logits, targets = self._foretell(self.model_wrapped, self._prepare_inputs(batch))
                total += float(summed_loss(logits, targets))
                tokens += int((targets != -100).sum())
                right += int(((logits.argmax(-1) == targets) | (targets == -100)).all(1).sum())
                rows += len(targets)
        self.model.train()
        found = {"eval_loss": total / max(1, tokens), "eval_right": right / max(1, rows)}
        self.log(dict(found))
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, found)
        return found


def summed_loss(logits: Any, targets: Any) -> Any:
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum")


def compile_layers(backbone: Backbone) -> None:
    if not hasattr(backbone, "compile"):
        raise InputError("only the mini's layers can be compiled: leave compile out of the recipe")
    if torch.cuda.is_available():
        backbone.compile()


def ignore_interrupts(_: int) -> None:
    """Ctrl-C is for the process that trains; those that prepare rows end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def arguments(recipe: Recipe, out: Path, steps: int, measured: bool) -> Any:
    """The recipe in transformers' words, for one device."""
    made = TrainingArguments(
        **shared_arguments(recipe, out, steps, measured),
        per_device_train_batch_size=recipe.batch,
        logging_steps=1 if steps <= FEW_STEPS else math.gcd(10, recipe.save_every),
        remove_unused_columns=False,
        label_names=["targets"],
    )
    made._n_gpu = min(made.n_gpu, 1)  # several would be used by copying the model at every step
    return made
