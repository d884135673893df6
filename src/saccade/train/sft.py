"""Supervised fine-tuning: cross-entropy of the answer's tokens, as the mean over all answer tokens of a step."""

from __future__ import annotations

import ctypes
import itertools
import math
import random
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset
from transformers import PrinterCallback, Trainer, TrainingArguments, set_seed

from saccade.data.recorded_episodes import record_files
from saccade.data.training_rows import TrainingRow
from saccade.errors import InputError
from saccade.train.arguments import save_weights, shared_arguments, worker_count
from saccade.train.backbone import Backbone, open_backbone
from saccade.train.batch_schedule import BatchSchedule, RowRequest, measuring_batches, schedule_phases
from saccade.train.lora import add_lora
from saccade.train.processes import first_process_first, process_number
from saccade.train.recipe import Recipe
from saccade.train.samples import RowSet, read_rows
from saccade.train.training_session import (
    TrainingSession,
    owned_output,
    prepare_output,
    save_result,
    training_session,
)

PARENT_DEATH_SIGNAL = 1
"""`PR_SET_PDEATHSIG` of Linux."""
FEW_STEPS = 500
"""Up to so many, each step is logged; of longer trainings every tenth is."""


def train_sft(recipe: Recipe, out: Path, resume: bool = True, quiet: bool = False) -> Path:
    """Train, and return the folder of the result. A training that lies in `out` is resumed, unless `resume` is off."""
    if recipe.stage != "sft":
        raise InputError(f"the recipe is for {recipe.stage}, not for sft")
    record_files(recipe.data)
    with owned_output(out):
        return _train(recipe, out, resume, quiet)


def _train(recipe: Recipe, out: Path, resume: bool, quiet: bool) -> Path:
    with first_process_first():
        checkpoint = prepare_output(recipe, out, resume or process_number() > 0)
    if (out / "model").is_dir():
        return out / "model"
    set_seed(recipe.seed)
    with training_session(recipe, out, quiet) as session:
        backbone = open_backbone(recipe)
        rows = read_rows(recipe, backbone, session.say)
        backbone.model = add_lora(backbone.model, recipe, backbone)
        session.say(backbone.speed_up(recipe))
        schedule = BatchSchedule(recipe, schedule_phases(rows, backbone))
        trainer = SftTrainer(recipe, out, backbone, rows, schedule, session)
        try:
            trainer.train(resume_from_checkpoint=checkpoint)
        except InputError as error:  # from a worker process it comes with its traceback
            raise InputError(str(error).rpartition("InputError: ")[2].strip()) from None
    return save_result(backbone, out, trainer)


class RowDataset(Dataset[dict[str, Any]]):  # type: ignore[misc]
    """Rows, encoded when they are asked for: each time with the instruction as the backbone words it that time."""

    def __init__(self, rows: Sequence[TrainingRow], backbone: Backbone, seed: int) -> None:
        self.rows, self.backbone, self.seed = rows, backbone, seed

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, request: RowRequest) -> dict[str, Any]:
        chance = random.Random(f"{self.seed}/{request.epoch}/{request.row}") if request.epoch else None
        if request.practice and chance is not None:
            return self.backbone.practice(chance, request.elements or 1)
        row = self.rows[request.row]
        words = chance or random.Random(f"{self.seed}/{request.row}")
        said = self.backbone.reword(row.step, words, held=chance is None)
        messages = row.messages if said == row.step.instruction else row.reworded(said)
        return self.backbone.encode(messages, row.answer, chance, request.elements)


class SftTrainer(Trainer):  # type: ignore[misc]
    """transformers' trainer with our batches and our loss."""

    loss_is_scaled_for_ga = True
    control: Any

    def __init__(
        self,
        recipe: Recipe,
        out: Path,
        backbone: Backbone,
        rows: RowSet,
        schedule: BatchSchedule,
        session: TrainingSession,
    ) -> None:
        self.recipe, self.backbone, self.schedule, self.session = recipe, backbone, schedule, session
        held = RowDataset(rows.held_back, backbone, recipe.seed) if rows.held_back else None
        super().__init__(
            backbone.model,
            trainer_arguments(recipe, out, schedule.steps, held is not None, backbone.recomputes(recipe)),
            train_dataset=RowDataset(rows.train, backbone, recipe.seed),
            eval_dataset=held,
            callbacks=[session],
        )
        self.remove_callback(PrinterCallback)
        backbone.compile()

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        save_weights(self.model, output_dir or self.args.output_dir, state_dict)

    def get_train_dataloader(self) -> Any:
        return self._loader(self.train_dataset, self.schedule)

    def get_eval_dataloader(self, eval_dataset: Any = None) -> Any:
        return self._loader(self.eval_dataset, measuring_batches(len(self.eval_dataset), self.recipe.batch))

    def _loader(self, rows: Any, batches: Any) -> Any:
        workers = worker_count(self.recipe)
        more = {"multiprocessing_context": "fork", "prefetch_factor": 4} if workers else {}
        return DataLoader(
            rows,
            batch_sampler=batches,
            num_workers=workers,
            collate_fn=self.backbone.collate_answers,
            pin_memory=torch.cuda.is_available(),
            generator=torch.Generator().manual_seed(self.recipe.seed),
            worker_init_fn=end_with_parent,
            **more,
        )

    def get_batch_samples(self, epoch_iterator: Any, num_batches: int, device: Any) -> tuple[list[Any], int]:
        batches = list(itertools.islice(epoch_iterator, num_batches))
        self.session.rows += sum(len(batch["input_ids"]) for batch in batches)
        self.session.tokens += sum(int(batch["attention_mask"].sum()) for batch in batches)
        count = sum(int((batch["targets"] != -100).sum()) for batch in batches)
        if self.accelerator.num_processes > 1:
            count = int(self.accelerator.reduce(torch.tensor(count, device=self.accelerator.device)))
        return batches, count

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """Cross-entropy of the answers' tokens, over their number in the whole step on all devices, whose gradients
        are then averaged.
        """
        if self.backbone.packs_rows:
            only_wanted(inputs)
        logits, targets = self._logits(model, inputs)
        return summed_loss(logits, targets) * self.accelerator.num_processes / (num_items_in_batch or 1)

    def _logits(self, model: Any, inputs: dict[str, Any]) -> tuple[Any, Any]:
        targets = inputs.pop("targets")
        if not self.backbone.needs_mask:
            inputs.pop("attention_mask")
        return model(**inputs, use_cache=False).logits.float(), targets

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """On the rows that were held back: the loss as the mean over their tokens, and the share of answers of which
        each token was the likeliest one.
        """
        total, tokens, right, rows = 0.0, 0, 0, 0
        self.model.eval()
        with torch.no_grad():
            for batch in self.get_eval_dataloader():
                logits, targets = self._logits(self.model_wrapped, self._prepare_inputs(batch))
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


def only_wanted(inputs: dict[str, Any]) -> None:
    """Ask for logits of the answers' tokens alone. `logits_to_keep` names the places of a whole batch, so that where
    answers begin at different places, most of what it keeps is wanted of one row only.
    """
    places, targets = inputs.pop("logits_to_keep"), inputs["targets"]
    rows, columns = (targets != -100).nonzero(as_tuple=True)
    inputs["wanted"] = rows * inputs["input_ids"].shape[1] + places[columns]
    inputs["targets"] = targets[rows, columns][None]


def end_with_parent(_: int) -> None:
    """In a worker process: Ctrl-C is for the process that trains, and its death is ours. Else the lock of the output
    folder, which a fork inherits, would outlive it for seconds.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)


def trainer_arguments(recipe: Recipe, out: Path, steps: int, measured: bool, recomputes: bool) -> Any:
    """The recipe as transformers' arguments, for one device."""
    made = TrainingArguments(
        **shared_arguments(recipe, out, steps, measured, recomputes),
        per_device_train_batch_size=recipe.batch,
        logging_steps=1 if steps <= FEW_STEPS else math.gcd(10, recipe.save_every),
        remove_unused_columns=False,
        label_names=["targets"],
    )
    made._n_gpu = min(made.n_gpu, 1)  # several would be used by copying the model at every step
    return made
